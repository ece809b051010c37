"""What every built hierarchy begins with: a column's distinct values, and what they can be read as."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from shoal.errors import HierarchyError

__all__ = ["END_BEFORE", "END_BEHIND", "ROOT", "are_codes", "distinct", "parsed"]

ROOT = "*"

END_BEFORE = {
    -1: ("<", "under", "below", "less than", "unter", "weniger als", "moins de", "menos de", "meno di", "minder dan"),
    0: ("<=", "=<", "≤", "up to", "bis", "bis zu", "max.", "jusqu'à", "hasta", "fino a", "tot",
        ">=", "=>", "≥", "at least", "from", "ab", "min.", "mindestens", "au moins", "à partir de", "desde", "vanaf"),
    1: (">", "over", "above", "more than", "über", "mehr als", "plus de", "más de", "oltre", "più di", "meer dan"),
}  # fmt: skip
"""What stands before a number that is only the end of what is meant, by the step from it to the nearest that fits."""
END_BEHIND = (
    "+", "plus", *(f"{word} {more}" for word in ("and", "or", "&") for more in (
        "over", "above", "more", "older", "up", "under", "below", "less", "younger")),
    *(f"{word} {more}" for word in ("und", "oder") for more in ("älter", "mehr", "darüber", "jünger", "weniger")),
    *(f"{word} {more}" for word in ("et", "ou") for more in ("plus", "moins")),
    *(f"{word} {more}" for word in ("y", "o") for more in ("más", "menos")),
    "e oltre", "e più", "o più", "en ouder", "of meer", "of ouder", "ve üzeri", "ve üstü", "以上", "以下",
)  # fmt: skip
"""What stands behind such a number; the number itself fits."""

T = TypeVar("T")

_PADDED = re.compile(r"[+-]?0[0-9]")
_LONG = re.compile(r"[+-]?[0-9]{10,}|\+[0-9]{7,}")


def are_codes(values: Iterable[str | None]) -> bool:
    """Whether values of digits are names, not amounts: one has leading zeros, or most have ten digits and more.

    >>> are_codes(["01069", "99999"]), are_codes(["4029357733"]), are_codes(["7", "0.5", "1400000000"])
    (True, True, False)
    """
    present = [value for value in values if value is not None]
    many = sum(_LONG.fullmatch(value) is not None for value in present)
    return 2 * many > len(present) or any(_PADDED.match(value) for value in present)


def distinct(name: str, values: Sequence[str | None]) -> list[str]:
    """Each value once, in order of first appearance; the missing value is left out."""
    found = list(dict.fromkeys(value for value in values if value is not None))
    if not found:
        raise HierarchyError(
            f"hierarchy '{name}': the column has no value to build from; give a file or drop the column"
        )
    return found


def parsed(
    name: str, values: Sequence[str | None], parse: Callable[[str], T | None], what: str, more: str = ""
) -> list[tuple[T, str]]:
    """Every distinct value with what it reads as, in ascending order; refuse values that do not parse.

    `what` says what they are not, `more` what else could be done.
    """
    found = [(parse(value), value) for value in distinct(name, values)]
    strange = tuple(value for read, value in found if read is None)
    if strange:
        raise HierarchyError(
            f"hierarchy '{name}': {len(strange)} of {len(found)} distinct values are not {what}, the first is "
            f"value {values.index(strange[0]) + 1}; correct them, mark them as missing, {more}or give a file",
            value=strange,
        )
    return sorted((read, value) for read, value in found if read is not None)
