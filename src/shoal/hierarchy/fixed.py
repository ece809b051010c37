"""A column that is never made coarser: what it tells is known already, whatever is published of it."""

from dataclasses import dataclass

import numpy as np

from shoal.data import Column
from shoal.data.types import I8
from shoal.hierarchy.tree import Hierarchy

__all__ = ["Fixed", "fixed_column"]


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(Hierarchy):
    """A hierarchy of one level: every value is published as itself, and there is no root above them."""

    @property
    def root(self) -> str:
        """A label that no value has."""
        return ""


def fixed_column(name: str, numbers: I8) -> tuple[Column, Fixed]:
    """A quasi-identifier of numbers 0, 1, ... that makers must leave as it is.

    >>> column, hierarchy = fixed_column("earlier", np.array([1, 0, 1]))
    >>> hierarchy.height, hierarchy.encode(column).tolist()
    (0, [1, 0, 1])
    """
    values = tuple(str(number) for number in range(int(numbers.max(initial=0)) + 1))
    up = np.arange(len(values) + 1, dtype=np.int32)[:, None]
    column = Column(name, "quasi", values, numbers.astype(np.int32))
    return column, Fixed(name, ((*values, ""),), up)
