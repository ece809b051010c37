"""The cut through a hierarchy of items that keeps k^m-anonymity and loses least, with a proof."""

from collections.abc import Mapping
from math import comb, inf
from time import monotonic
from typing import Any, NamedTuple, Self

import numpy as np
import scipy  # its parts come when they are used

from shoal.algorithms.constraint import refusal
from shoal.algorithms.itemsets.item_cuts import (
    ItemCodes,
    Taxonomy,
    claim_numbers,
    code_items,
    count_holders,
    find_cut,
    publish_cut,
    require_support,
)
from shoal.algorithms.knobs import Seconds
from shoal.base.errors import InputError
from shoal.base.progress import Progress, Tell, no_progress, no_share, start_step
from shoal.data import Baskets
from shoal.data.arrays import B1, F8, I4, I8, prefix_sums, row_of_entry
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity
from shoal.release import Claim, RecodedBaskets, Result

__all__ = ["WORK", "cut_floor", "least_cut", "optimal_cut"]

# --- A floor under the loss `ncp` of baskets: no cut through the hierarchy of items that keeps k^m-anonymity loses
# less.
#
# A node is closed when all items below it are published as it, or as a node above it: leaves are closed from the start,
# and with a node all nodes below it are. The closed nodes tell a cut, and what each adds to the loss depends on the
# data alone. Demands are collected in turns, each that one of some nodes be closed, as *Proof* of `optimal_cut` says;
# what the cheapest closed nodes that meet some demands cost is a floor.

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
    k, m, _ = claim_numbers("apriori", claim)
    item_codes = code_items("apriori", baskets, hierarchy, exempt=claim.exempts)
    spare = item_codes.allowance("apriori", suppress)
    return least_cut(item_codes, Taxonomy.of(hierarchy), k, m, spare=spare, work=work).floor


class LeastCut(NamedTuple):
    """What no cut loses less than, None where too little was counted, and the cut that loses just that, if it is known.

    form : int32[leaves], the node that each leaf is published as
    """

    floor: float | None
    form: I4 | None


def least_cut(
    found: ItemCodes,
    taxonomy: Taxonomy,
    k: int,
    m: int,
    *,
    price: F8 | I8 | None = None,
    hidden: B1 | None = None,
    spare: int = 0,
    work: float = WORK,
    seconds: float | None = None,
    tell: Tell = no_share,
) -> LeastCut:
    """Search the cheapest cut with no rare combination of at most m nodes, in turns.

    A node costs `price` per occurrence, no less than those below it, or as many as it has leaves; one that is `hidden`
    stands for leaving out. Items with at most `spare` occurrences demand nothing, so with them the cut is no proof. It
    ends after so much work, or after so many seconds; these are told as a share.
    """
    began = monotonic()
    opens = found.items < found.width
    row, item = row_of_entry(found.start)[opens], found.items[opens]
    use = np.bincount(item, minlength=found.width)
    stays = (use > spare)[item]
    closed, least = ClosedNodes(taxonomy, use, m, price), None
    while True:
        seconds_left = None if seconds is None else seconds - (monotonic() - began)
        if seconds and seconds_left is not None:
            tell(1 - seconds_left / seconds)
        node = closed.form[item]
        visible = slice(None) if hidden is None else ~hidden[node]
        baskets = _CutBaskets.of(row[visible], node[visible], stays[visible], (found.n, closed.nodes))
        for size in range(1, m + 1):
            work -= baskets.combinations(size)
            if work < 0 or (seconds_left is not None and seconds_left <= 0):
                return LeastCut(least, None)
            rare = baskets.rare(size, k)
            if len(rare):
                break
        if not len(rare):
            return LeastCut(closed.share, closed.form)
        if not closed.meet(rare, seconds_left):
            return LeastCut(closed.share, None)
        if size == m:
            least = closed.share


class _CutBaskets(NamedTuple):
    """Baskets as a cut publishes them: a row per record, a column per node, 1 where the record holds the node.

    sure : the same of the items alone that cannot be left out
    """

    every: "scipy.sparse.csr_array"
    sure: "scipy.sparse.csr_array"

    @classmethod
    def of(cls, row: I8, node: I4, stays: B1, shape: tuple[int, int]) -> Self:
        """Records hold nodes, one pair after the other; `stays` tells which pairs cannot be left out."""
        every = _build_matrix(row, node, shape)
        return cls(every, every if stays.all() else _build_matrix(row[stays], node[stays], shape))

    def combinations(self, size: int) -> int:
        """How many combinations of so many nodes the records hold."""
        lengths, counts = np.unique(np.diff(self.every.indptr), return_counts=True)
        return sum(comb(int(a), size) * int(b) for a, b in zip(lengths, counts, strict=True))

    def rare(self, size: int, k: int) -> I8:
        """The sets of so many nodes that a record surely holds, and fewer than k can hold: int64[sets, size]."""
        if size == 1:
            supports, sure_supports = (np.bincount(part.indices, minlength=part.shape[1]) for part in self)
            return np.flatnonzero((supports < k) & (sure_supports > 0))[:, None]
        if size == 2:
            return self._rare_pairs(k)
        matrices = [self.every] if self.sure is self.every else [self.every, self.sure]
        by_node = [part.tocsc() for part in matrices]
        itemsets = [np.empty((0, size), dtype=np.int64)]
        for node in np.flatnonzero(np.diff(by_node[-1].indptr)).tolist():
            behind = [
                _nodes_behind(part, columns, node) for part, columns in zip(matrices, by_node, strict=True)
            ]
            itemsets.append(np.insert(_CutBaskets(behind[0], behind[-1]).rare(size - 1, k), 0, node, axis=1))
        return np.concatenate(itemsets)

    def _rare_pairs(self, k: int) -> I8:
        supports = scipy.sparse.triu(self.every.T @ self.every, 1, format="coo")
        few = supports.data < k
        pairs = np.stack([part[few] for part in supports.coords], axis=1).astype(np.int64)
        if self.sure is self.every or not len(pairs):
            return pairs
        sure = scipy.sparse.csr_array(self.sure.T @ self.sure)
        stays: B1 = np.asarray(sure[pairs[:, 0], pairs[:, 1]] > 0)
        return pairs[stays]


def _build_matrix(row: I8, node: I4, shape: tuple[int, int]) -> "scipy.sparse.csr_array":
    matrix = scipy.sparse.csr_array((np.ones(len(row), dtype=np.int32), (row, node)), shape=shape)
    matrix.data[:] = 1  # items that became one node are one
    return matrix


def _nodes_behind(
    held: "scipy.sparse.csr_array", by_node: "scipy.sparse.csc_array", node: int
) -> "scipy.sparse.csr_array":
    """The records that hold a node, and of them the nodes behind it."""
    later_nodes = held[by_node.indices[by_node.indptr[node] : by_node.indptr[node + 1]]]
    later_nodes.data[later_nodes.indices <= node] = 0
    later_nodes.eliminate_zeros()
    return later_nodes


# The cheapest cut through a hierarchy of items that meets demands.

_CHOICES = 1 << 13  # demands to weigh against each other; of more, only some are
_SEARCHED = 1000  # nodes of the search for the cheapest choice
_ROUNDING = 1e-6  # the search computes in floats: so much is taken off what it finds, as a share of what the root costs


class ClosedNodes:
    """The closed nodes of the cheapest cut that meets all demands so far, and what they cost at least.

    Parameters
    ----------
    taxonomy
        The nodes.
    use
        int64[leaves]: how many occurrences each leaf has.
    most
        How many nodes a demand names at most.
    price
        What a node costs per occurrence; None: as many as it has leaves, a leaf nothing.
    """

    def __init__(self, taxonomy: Taxonomy, use: I8, most: int, price: F8 | I8 | None = None) -> None:
        self._taxonomy, self.nodes = taxonomy, len(taxonomy.lo)
        size = (taxonomy.hi - taxonomy.lo).astype(np.int64)
        before = prefix_sums(use)
        price = np.where(size > 1, size, 0) if price is None else price
        paid = price * (before[taxonomy.hi] - before[taxonomy.lo])
        self._adds = paid.copy()  # beyond what the nodes below cost that are closed, too
        np.subtract.at(self._adds, taxonomy.parent[1:], paid[1:])
        self._adds[size == 1] = 0
        self._end = np.searchsorted(taxonomy.lo, taxonomy.hi)  # below a node stand the next ones, up to here
        self._whole = float(paid[0])
        self._demands = np.empty((0, most), dtype=np.int64)
        self._closed, self._least = size == 1, 0.0

    @property
    def form(self) -> I4:
        """The cut: for each leaf the topmost closed node above it."""
        taxonomy = self._taxonomy
        tops = np.flatnonzero(self._closed & ~np.r_[False, self._closed[taxonomy.parent[1:]]])
        return np.repeat(tops, taxonomy.hi[tops] - taxonomy.lo[tops]).astype(np.int32)

    @property
    def share(self) -> float:
        """What every cut that meets the demands costs at least, as a share of what the root costs."""
        return self._least / self._whole if self._whole else 0.0

    def meet(self, rare: I8, seconds: float | None = None) -> bool:
        """Demand of each set of nodes that one be published as a node above it; return whether a new cut does that.

        If none does, the search was cut short, or the root itself is rare. With `seconds` it is cut short by these.
        """
        most = _CHOICES if seconds is None else len(self._demands) + len(rare)
        self._demands = _distinct_rows(np.concatenate([self._demands, self._above(rare)]), self.nodes)
        names_one_node = (self._demands == self._demands[:, :1]).all(axis=1)
        forced = self._close_below(np.unique(self._demands[names_one_node]))
        choices = self._demands[~forced[self._demands].any(axis=1)]
        limit: Mapping[str, float] = {"node_limit": _SEARCHED} if seconds is None else {"time_limit": seconds}
        every = len(choices) // most + 1  # of too many choices some are weighed, evenly spaced
        added, closed = self._solve_cheapest(forced, choices[::every], limit)
        self._least = max(self._least, float(self._adds[forced].sum()) + added)
        if closed is None or len(choices) > most:
            return False
        before, self._closed = self._closed, closed
        return bool((before != self._closed).any())

    def _above(self, rare: I8) -> I8:
        """The nodes above those of each set; in place of one that is closed only after another, this other one."""
        lo, hi = self._taxonomy.lo, self._taxonomy.hi
        above = np.sort(self._taxonomy.parent[rare], axis=1).astype(np.int64)
        for j in range(above.shape[1] - 2, -1, -1):  # what stands below a node comes right behind it
            a, b = above[:, j], above[:, j + 1]
            above[:, j] = np.where((lo[a] <= lo[b]) & (hi[b] <= hi[a]), b, a)
        return np.pad(above, ((0, 0), (0, self._demands.shape[1] - above.shape[1])), mode="edge")

    def _close_below(self, nodes: I8) -> B1:
        """These nodes, all below them, and all leaves, as closed ones."""
        starts = np.bincount(nodes, minlength=self.nodes + 1)
        ends = np.bincount(self._end[nodes], minlength=self.nodes + 1)
        leaf = self._taxonomy.hi - self._taxonomy.lo == 1
        return np.asarray((np.cumsum(starts - ends)[: self.nodes] > 0) | leaf)

    def _solve_cheapest(self, forced: B1, choices: I8, limit: Mapping[str, float]) -> tuple[float, B1 | None]:
        """What meeting the choices adds at least, and the closed nodes that add that; None if not found in time."""
        if not len(choices):
            return 0.0, forced
        free = np.flatnonzero(~forced)  # a variable each: 1 where the node is closed
        variable = np.zeros(self.nodes, dtype=np.int64)
        variable[free] = np.arange(len(free))
        lower = free[(free > 0) & ~forced[self._taxonomy.parent[free]]]
        upper = self._taxonomy.parent[lower]
        is_chosen = _selection_matrix(variable[choices], len(free))
        lower_minus_upper = _selection_matrix(variable[lower][:, None], len(free)) - _selection_matrix(
            variable[upper][:, None], len(free)
        )
        solution = scipy.optimize.milp(
            self._adds[free] / self._whole,
            constraints=[
                scipy.optimize.LinearConstraint(is_chosen, lb=1),  # of each choice one node is closed
                # Below a closed node all are closed.
                scipy.optimize.LinearConstraint(lower_minus_upper, lb=0),
            ],
            bounds=scipy.optimize.Bounds(0, 1),
            integrality=np.ones(len(free)),
            options={"mip_rel_gap": 0, **limit},
        )
        added = max((solution.mip_dual_bound or 0.0) - _ROUNDING, 0.0) * self._whole
        if solution.status:
            return added, None
        return added, self._close_below(free[np.flatnonzero(solution.x > 0.5)]) | forced


def _selection_matrix(columns: I8, width: int) -> "scipy.sparse.csr_array":
    """A row per set of columns, 1 in each of them."""
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    matrix = scipy.sparse.csr_array(
        (np.ones(columns.size), (rows, columns.ravel())), shape=(len(columns), width)
    )
    matrix.data[:] = 1
    return matrix


def _distinct_rows(rows: I8, base: int) -> I8:
    """Each row once; what stands in them is below `base`."""
    number, first = np.zeros(len(rows), dtype=np.int64), np.arange(len(rows))
    for column in rows.T:
        _, first, number = np.unique(number * base + column, return_index=True, return_inverse=True)
    return rows[first]


_NAME = "optimal-cut"


def optimal_cut(
    baskets: Baskets,
    hierarchy: Hierarchy,
    claim: KmAnonymity,
    *,
    seconds: Seconds = 60.0,
    progress: Progress = no_progress,
) -> Result[RecodedBaskets]:
    """Generalize items by the one cut that loses least `ncp` of all cuts that keep k^m-anonymity.

    `apriori` takes the cheapest replacement for one rare combination after the other; this weighs all of them against
    each other.

    Parameters
    ----------
    baskets, hierarchy
        The baskets, and a hierarchy of at least the items that occur.
    claim
        Every combination of at most m items is in at least k records, or in none.
    seconds
        The search stops after so many seconds; then the cut is that of `apriori`, and the trace says how much less any
        cut could lose.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result
        The release's rule is that of `apriori`. The trace says whether the cut was `proven` best, and what no cut loses
        less than (`floor`).

    Raises
    ------
    HierarchyError
        Items are not in the hierarchy.
    InfeasibleError
        There are fewer than k records, or fewer than k records with items.
    InputError
        A number makes no sense, or the claim is another one.

    Notes
    -----
    *Guarantee*  The claim holds by construction: the search ends when no combination of the cut is rare.

    *Proof*  If 1 to k-1 records hold some set of at most m nodes, a node above one of them must be published, or one
    further up: otherwise items would be published as these nodes or below them, and even fewer records hold those
    together. Such demands are collected in turns: the cheapest cut that meets the known ones, found by an integer
    program, and what is rare under it. What it costs no cut that keeps the claim can be below; where nothing is rare
    under it, it keeps the claim itself.

    *Departures*  None: the paper prints no exact search.

    *Complexity*  Each turn counts the combinations that records hold, in memory, and solves an integer program over the
    nodes: for hundreds of items seconds, for thousands with m of 3 and more perhaps too long.

    *Randomness*  None; what is not proven in time depends on the machine in its floor alone.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1, 2008: the model.

    Examples
    --------
    >>> paths = [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"], ["jam", "food", "*"]]
    >>> sold = [["ale", "jam"], ["rum", "jam"], ["rum", "pie"], ["ale", "pie"], ["ale", "pie"], ["ale"], ["rum"]]
    >>> made = optimal_cut(Baskets.of("items", sold), Hierarchy.from_paths("items", paths), KmAnonymity(2, 2))
    >>> made.release.rule, made.trace["proven"]
    ({'cut': {'jam': 'food', 'pie': 'food'}}, True)
    """
    if not isinstance(claim, KmAnonymity):
        raise refusal(_NAME, claim)
    if not seconds >= 0:
        raise InputError(f"{_NAME}: seconds={seconds}; give a number of at least 0")
    k, m, _ = claim_numbers(_NAME, claim)
    item_codes = code_items(_NAME, baskets, hierarchy, exempt=claim.exempts)
    require_support(_NAME, count_holders(item_codes), k, 0)
    taxonomy = Taxonomy.of(hierarchy)
    tell = start_step(progress, "searching the cheapest cut")
    best = least_cut(item_codes, taxonomy, k, m, work=inf, seconds=seconds, tell=tell)
    tell(1.0)
    form = best.form
    if form is None:
        form = find_cut(item_codes.distinct(), taxonomy, k=k, m=m, progress=progress).form
    trace: dict[str, Any] = {"proven": best.form is not None, "floor": best.floor}
    return Result(publish_cut(baskets, taxonomy, item_codes.place, form), claim, trace=trace)
