"""How many people of a population are in the classes of a node."""

from dataclasses import replace

import numpy as np

from shoal.algorithms._kernels.tables import label, lift
from shoal.algorithms.lattice.cube import Cube
from shoal.algorithms.lattice.evaluation import Tables
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.lattice import Levels

__all__ = ["People"]


class People:
    """The frequency tables of a population, over the tuples of the data as well, which count for nobody.

    Parameters
    ----------
    table, public
        The data, and the people of the population with the same quasi-identifiers.
    """

    def __init__(self, method: str, table: Table, public: Table, hierarchies: Hierarchies) -> None:
        both = tuple(_joined(column, public.column(column.name)) for column in table.quasi)
        counts = np.repeat([0, 1], [table.n, public.n]).astype(np.int64)
        self._cube = Cube.of(method, Table(both, counts=counts), hierarchies)
        self._tables = Tables(self._cube)
        self._seen = [np.unique(leaves) for leaves in self._cube.leaves.T]
        self.n = public.n

    def __call__(self, levels: Levels, leaves: I4) -> I8:
        """The people in the class of each of some records of the data, given by their leaf codes."""
        words, counts = self._tables.get(levels)
        layout = self._cube.layout
        asked = np.zeros((len(words), len(leaves)), dtype=np.int64)
        for j, level in enumerate(levels):
            place = np.searchsorted(self._seen[j], leaves[:, j])
            asked[layout.word[j]] |= place.astype(np.int64) << layout.shift[j]
            lift(asked, j, level, layout)
        of, found = label(np.concatenate([words, asked], axis=1))
        people = np.zeros(found, dtype=np.int64)
        people[of[: len(counts)]] = counts
        return np.asarray(people[of[len(counts) :]])


def _joined(one: Column, other: Column) -> Column:
    """The cells of two columns, one behind the other."""
    codes = np.concatenate([one.codes, other.codes + len(one.values)]).astype(np.int32)
    return replace(one, values=(*one.values, *other.values), codes=codes)
