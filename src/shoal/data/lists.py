"""Ragged lists: row i holds the entries start[i] .. start[i + 1] - 1 of a flat array."""

import numpy as np

from shoal.data.types import I8

__all__ = ["owners", "owners_by_size"]


def owners(start: I8) -> I8:
    """The row that each entry belongs to.

    >>> owners(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return owners_by_size(np.diff(start))


def owners_by_size(size: I8) -> I8:
    """The row that each entry belongs to, where row i has size[i] entries."""
    return np.repeat(np.arange(len(size)), size)
