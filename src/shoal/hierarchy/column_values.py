"""What every built hierarchy begins with: a column's distinct values, and what they can be read as."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from shoal.errors import HierarchyError

__all__ = ["ROOT", "are_codes", "distinct", "parsed"]

ROOT = "*"

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
