"""What every built hierarchy begins with: a column's distinct values, and what they can be read as."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from shoal.errors import HierarchyError

__all__ = ["ROOT", "distinct", "parsed"]

ROOT = "*"

T = TypeVar("T")


def distinct(name: str, values: Sequence[str | None]) -> list[str]:
    """Each value once, in order of first appearance; the missing value is left out."""
    found = list(dict.fromkeys(value for value in values if value is not None))
    if not found:
        raise HierarchyError(
            f"hierarchy '{name}': the column has no value to build from; give a file or drop the column"
        )
    return found


def parsed(
    name: str, values: Sequence[str | None], parse: Callable[[str], T | None], what: str
) -> list[tuple[T, str]]:
    """Every distinct value with what it reads as, in ascending order; refuse values that do not parse."""
    found = [(parse(value), value) for value in distinct(name, values)]
    strange = tuple(value for read, value in found if read is None)
    if strange:
        raise HierarchyError(
            f"hierarchy '{name}': {len(strange)} of {len(found)} distinct values are not {what}, the first is "
            f"value {values.index(strange[0]) + 1}; correct them, mark them as missing, or give a file",
            value=strange,
        )
    return sorted((read, value) for read, value in found if read is not None)
