"""A floor under the loss `ncp` of baskets: no cut through the hierarchy of items that keeps k^m-anonymity loses less.

A node is closed when all items below it are published as it, or as a node above it. Its closed nodes tell a cut, and
what each adds to the loss depends on the data alone. If 1 to k-1 records hold some set of at most m nodes, then the
node above one of them must be closed: otherwise items would be published as these nodes or below them, and even fewer
records hold those together. This is a demand; what the cheapest closed nodes that meet some demands cost is a floor.
Demands are found in turns: the cheapest cut that meets the known ones, and what is rare under it. Where nothing is rare
under it, the cut is the best there is.
"""

from math import comb
from typing import NamedTuple, Self

import numpy as np
import scipy  # its parts come when they are used

from shoal.algorithms.itemsets.closed_nodes import ClosedNodes
from shoal.algorithms.itemsets.coded_baskets import asked, coded
from shoal.algorithms.itemsets.taxonomy import Taxonomy
from shoal.data import Baskets
from shoal.data.lists import owners
from shoal.data.types import B1, I4, I8
from shoal.hierarchy import Hierarchy
from shoal.release import Claim

__all__ = ["cut_floor"]

WORK = 1 << 26  # combinations in records to count in all turns: some seconds


def cut_floor(
    baskets: Baskets,
    hierarchy: Hierarchy,
    claim: Claim,
    *,
    suppress: float = 0.0,
    work: int = WORK,
) -> float | None:
    """A loss that every cut of `hierarchy` that keeps the k and m of `claim` has at least.

    Parameters
    ----------
    baskets, hierarchy, claim
        As `apriori` takes them.
    suppress
        The share of item occurrences that may be left out. Items that have no more occurrences than that demand
        nothing, since all of them may be gone.
    work
        How many combinations may be counted; the floor is what is known then. Where that is not enough to look at
        combinations of m items, there is none (None).

    Examples
    --------
    >>> from shoal.privacy import KmAnonymity
    >>> paths = [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"], ["jam", "food", "*"]]
    >>> sold = Baskets.of("items", [["ale", "pie"], ["rum", "pie"], ["ale", "pie"], ["jam"], ["pie"]])
    >>> cut_floor(sold, Hierarchy.from_paths("items", paths), KmAnonymity(2, 2))  # all as drink or food
    0.5
    """
    k, m, _ = asked("apriori", claim)
    found = coded("apriori", baskets, hierarchy, exempt=claim.exempts)
    opens = found.items < found.width
    row, item = owners(found.start)[opens], found.items[opens]
    use = np.bincount(item, minlength=found.width)
    stays = (use > found.allowance("apriori", suppress))[item]
    closed, least = ClosedNodes(Taxonomy.of(hierarchy), use, m), None
    while True:
        shown = _Shown.of(row, closed.form[item], stays, (found.n, closed.nodes))
        for size in range(1, m + 1):
            work -= shown.combinations(size)
            if work < 0:
                return least
            rare = shown.rare(size, k)
            if len(rare):
                break
        if not len(rare) or not closed.meet(rare):
            return closed.share
        if size == m:
            least = closed.share


class _Shown(NamedTuple):
    """Baskets as a cut publishes them: a row per record, a column per node, 1 where the record holds the node.

    sure : the same of the items alone that cannot be left out
    """

    every: "scipy.sparse.csr_array"
    sure: "scipy.sparse.csr_array"

    @classmethod
    def of(cls, row: I8, node: I4, stays: B1, shape: tuple[int, int]) -> Self:
        """Records hold nodes, one pair after the other; `stays` tells which pairs cannot be left out."""
        every = _matrix(row, node, shape)
        return cls(every, every if stays.all() else _matrix(row[stays], node[stays], shape))

    def combinations(self, size: int) -> int:
        """How many combinations of so many nodes the records hold."""
        lengths, many = np.unique(np.diff(self.every.indptr), return_counts=True)
        return sum(comb(int(a), size) * int(b) for a, b in zip(lengths, many, strict=True))

    def rare(self, size: int, k: int) -> I8:
        """The sets of so many nodes that a record surely holds, and fewer than k can hold: int64[sets, size]."""
        if size == 1:
            held, sure = (np.bincount(part.indices, minlength=part.shape[1]) for part in self)
            return np.flatnonzero((held < k) & (sure > 0))[:, None]
        if size == 2:
            return self._pairs(k)
        matrices = [self.every] if self.sure is self.every else [self.every, self.sure]
        by_node = [part.tocsc() for part in matrices]
        found = [np.empty((0, size), dtype=np.int64)]
        for node in np.flatnonzero(np.diff(by_node[-1].indptr)).tolist():
            behind = [_behind(part, by, node) for part, by in zip(matrices, by_node, strict=True)]
            found.append(np.insert(_Shown(behind[0], behind[-1]).rare(size - 1, k), 0, node, axis=1))
        return np.concatenate(found)

    def _pairs(self, k: int) -> I8:
        held = scipy.sparse.triu(self.every.T @ self.every, 1, format="coo")
        few = held.data < k
        pairs = np.stack([part[few] for part in held.coords], axis=1).astype(np.int64)
        if self.sure is self.every or not len(pairs):
            return pairs
        sure = scipy.sparse.csr_array(self.sure.T @ self.sure)
        stays: B1 = np.asarray(sure[pairs[:, 0], pairs[:, 1]] > 0)
        return pairs[stays]


def _matrix(row: I8, node: I4, shape: tuple[int, int]) -> "scipy.sparse.csr_array":
    found = scipy.sparse.csr_array((np.ones(len(row), dtype=np.int32), (row, node)), shape=shape)
    found.data[:] = 1  # items that became one node are one
    return found


def _behind(
    held: "scipy.sparse.csr_array", by_node: "scipy.sparse.csc_array", node: int
) -> "scipy.sparse.csr_array":
    """The records that hold a node, and of them the nodes behind it."""
    found = held[by_node.indices[by_node.indptr[node] : by_node.indptr[node + 1]]]
    found.data[found.indices <= node] = 0
    found.eliminate_zeros()
    return found
