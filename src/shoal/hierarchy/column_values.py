"""What every built hierarchy begins with: a column's distinct values, and what they can be read as."""

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from shoal.errors import HierarchyError

__all__ = [
    "AT_MOST",
    "END_BEFORE",
    "END_BEHIND",
    "END_BEHIND_LOW",
    "ROOT",
    "are_codes",
    "distinct",
    "number",
    "number_and_side",
    "number_or_end",
    "parsed",
]

ROOT = "*"

AT_MOST = ("<=", "=<", "≤", "up to", "bis", "bis zu", "max.", "jusqu'à", "hasta", "fino a", "tot")
"""What stands before the largest number that is meant."""
END_BEFORE = {
    -1: ("<", "under", "below", "less than", "unter", "weniger als", "moins de", "menos de", "meno di", "minder dan"),
    0: (*AT_MOST, ">=", "=>", "≥", "at least", "from", "ab", "min.", "mindestens", "au moins", "à partir de", "desde",
        "vanaf"),
    1: (">", "over", "above", "more than", "über", "mehr als", "plus de", "más de", "oltre", "più di", "meer dan"),
}  # fmt: skip
"""What stands before a number that is only the end of what is meant, by the step from it to the nearest that fits."""
END_BEHIND_LOW = (
    *(f"{word} {less}" for word in ("and", "or", "&") for less in ("under", "below", "less", "younger")),
    *(f"{word} {less}" for word in ("und", "oder") for less in ("jünger", "weniger")),
    "et moins", "ou moins", "y menos", "o menos", "以下",
)  # fmt: skip
"""What stands behind the largest number that is meant."""
END_BEHIND = (
    *END_BEHIND_LOW,
    "+", "plus", *(f"{word} {more}" for word in ("and", "or", "&") for more in (
        "over", "above", "more", "older", "up")),
    *(f"{word} {more}" for word in ("und", "oder") for more in ("älter", "mehr", "darüber")),
    "et plus", "ou plus", "y más", "o más",
    "e oltre", "e più", "o più", "en ouder", "of meer", "of ouder", "ve üzeri", "ve üstü", "以上",
)  # fmt: skip
"""What stands behind a number that is only the end of what is meant; the number itself fits."""

T = TypeVar("T")

# Bounded, so that no text turns into an integer of a million digits.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")
_STEPS = {word: step for step, words in END_BEFORE.items() for word in words}
_LOW = frozenset((*END_BEFORE[-1], *AT_MOST, *END_BEHIND_LOW))
_END = re.compile(
    rf"(?:({'|'.join(map(re.escape, sorted(_STEPS, key=len, reverse=True)))})\s*)?({_NUMBER.pattern})"
    rf"(?:\s*({'|'.join(map(re.escape, sorted(END_BEHIND, key=len, reverse=True)))}))?",
    re.IGNORECASE,
)

_PADDED = re.compile(r"[+-]?0[0-9]")
_LONG = re.compile(r"[+-]?[0-9]{10,}|\+[0-9]{7,}")


def number(text: str) -> Decimal | None:
    """The number a text spells, None if it spells none."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def number_or_end(text: str) -> Decimal | None:
    """The number a text spells, or where it is only the end of what is meant the nearest that fits.

    >>> [str(number_or_end(text)) for text in ("42", "95+", "<20", "over 0.5", "90 und älter", "18-29")]
    ['42', '95', '19', '0.6', '90', 'None']
    """
    read = number_and_side(text)
    return None if read is None else read[0]


def number_and_side(text: str) -> tuple[Decimal, int] | None:
    """The same number, and where it is only an end to which side more is meant: 1 above it, -1 below; else 0.

    >>> [(str(n), side) for n, side in map(number_and_side, ("42", "95+", "<20", "20 or less"))]
    [('42', 0), ('95', 1), ('19', -1), ('20', -1)]
    """
    if (plain := number(text)) is not None:
        return plain, 0
    found = _END.fullmatch(text)
    if found is None or (found[1] is None) == (found[3] is None):
        return None
    told, word = Decimal(found[2]), (found[1] or found[3]).lower()
    nearest = told + Decimal(_STEPS.get(word, 0)).scaleb(min(0, int(told.as_tuple().exponent)))
    return nearest, -1 if word in _LOW else 1


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
