"""Branch and bound over the lattice, from the roots down, and the privacy/loss front that it finds.

Two facts allow pruning. No node reaches a larger k than any generalization of it. And the loss of a node at any k is
at least its loss with nothing suppressed, which for column-wise losses is known without its table. A node whose best
possible point is no better than a point already found need not be evaluated.

Rolling up tables is cheaper where they are small. In a large lattice most nodes that matter have nearly as many classes
as there are tuples, and hold their columns in ever new combinations, so that no table serves twice: there
`make_counter` counts how far many nodes reach straight from the distinct tuples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import expm1, inf, log, prod
from time import monotonic
from typing import Any

import numpy as np

from shoal.algorithms.lattice._kernels import (
    AECS,
    C_AVG,
    DM,
    DM_STAR,
    GEOMETRIC,
    HEIGHT,
    Prices,
    find_reaches,
    quantize_loss,
)
from shoal.algorithms.lattice.cube import Cube, Lattice, Levels, terms_of
from shoal.algorithms.lattice.evaluation import Evaluator, KSteps
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InfeasibleError
from shoal.base.progress import Progress, Tell, no_share, scale_share, start_step
from shoal.data import Table
from shoal.data.arrays import B1, F8, I4, I8
from shoal.hierarchy import Hierarchies
from shoal.privacy import KAnonymity
from shoal.release import Recoded, Result

__all__ = [
    "BranchAndBound",
    "Count",
    "FrontResult",
    "LatticePoint",
    "lower_bound",
    "make_counter",
    "pareto_points",
    "prove_cheapest",
    "search_until",
]


@dataclass(frozen=True, slots=True)
class LatticePoint:
    """A node, a k it serves, and what that costs with its classes below k suppressed."""

    levels: Levels
    k: int
    loss: float
    suppressed: int


@dataclass(frozen=True, repr=False)
class FrontResult(SafeRepr):
    """Undominated points by rising k, and how far the search got.

    names       : the quasi-identifiers, in the order of each point's levels
    lattice     : how many nodes there are
    evaluated   : how many of them were looked at
    complete    : whether the front is proven to be the whole lattice's
    proven_from : from this k on every point is proven, and none is missing
    bounds      : for each point, no node of the lattice serves its k at less than this loss
    note        : what whoever reads the front should know, in a sentence; mostly nothing
    """

    names: tuple[str, ...]
    points: tuple[LatticePoint, ...]
    lattice: int
    evaluated: int
    complete: bool
    proven_from: int
    bounds: tuple[float, ...]
    method: str
    cube: Cube = field(repr=False, compare=False)
    note: str = ""

    def pick(self, k: int) -> LatticePoint:
        """Return the cheapest point that serves `k`."""
        KAnonymity(k)  # says what is wrong with such a number
        for point in self.points:  # losses rise with k, so the first that serves is the cheapest
            if point.k >= k:
                return point
        raise InfeasibleError(
            f"{self.method}: k={k} but the largest k on the front is {self.points[-1].k}; "
            "lower k, allow more suppression or add records"
        )

    def release(self, point: LatticePoint | Sequence[int], k: int) -> Result[Recoded]:
        """Publish a point's node (or any level vector), its classes below `k` suppressed."""
        levels = point.levels if isinstance(point, LatticePoint) else tuple(point)
        return self.cube.release(levels, k, KAnonymity(k), lattice=self.lattice, evaluated=self.evaluated)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "lattice": self.lattice,
            "evaluated": self.evaluated,
            "complete": self.complete,
            "proven_from": self.proven_from,
            "front": [
                {
                    "levels": dict(zip(self.names, point.levels, strict=True)),
                    "k": point.k,
                    "loss": point.loss,
                    "suppressed": point.suppressed,
                    "bound": bound,
                }
                for point, bound in zip(self.points, self.bounds, strict=True)
            ],
            **({"note": self.note} if self.note else {}),
        }


def pareto_points(lattice: Lattice, least: F8, where: I8, gone: I8) -> tuple[LatticePoint, ...]:
    """The front of the best loss of every k (index): from the largest k down, each strictly cheaper than the last."""
    points: list[LatticePoint] = []
    for k in np.flatnonzero(np.isfinite(least))[::-1].tolist():
        if not points or quantize_loss(least[k]) < quantize_loss(points[-1].loss):
            points.append(LatticePoint(lattice.levels(int(where[k])), k, float(least[k]), int(gone[k])))
    return tuple(reversed(points))


_BATCH = 512  # nodes counted at once: a tenth of a second

Count = Callable[[I8], I8]


class OutOfTime(Exception):  # noqa: N818 - not an error: what was found so far stands
    """The deadline passed."""


class BranchAndBound:
    """The undominated points found so far, and for every node evaluated its reach and the loss at its least k.

    Parameters
    ----------
    lattice
        Where to search.
    evaluate
        Gives what a node gives.
    count
        Gives the reach of many numbered nodes at once, sooner than `evaluate`; None where that must do.
    floors
        Gives the ticks (twelve decimals as whole numbers) of losses that numbered nodes cannot undercut.
    most
        The largest k there can be.
    cap
        Only the cheapest point serving k = `cap` is asked for; None asks for all.

    Attributes
    ----------
    counting
        Whether nodes are counted, many at once, and evaluated only if they may give a point.
    deadline
        A reading of the monotonic clock, after which `OutOfTime` is raised.
    """

    def __init__(
        self,
        lattice: Lattice,
        evaluate: Callable[[Levels], KSteps],
        floors: Callable[[I8], F8],
        *,
        most: int,
        cap: int | None = None,
        count: Count | None = None,
    ) -> None:
        self.lattice = lattice
        self.reach: dict[int, int] = {}
        self.loss: dict[int, float] = {}
        self._evaluate, self._floors, self._count = evaluate, floors, count
        self.counting = count is not None
        self._looked: set[int] = set()
        self._most, self._cap = most, most if cap is None else cap
        self.deadline = float("inf")
        self._ks, self._nodes, self._gone = np.empty((3, 0), dtype=np.int64)
        self._ticks, self._loss = np.empty((2, 0))

    @property
    def points(self) -> tuple[LatticePoint, ...]:
        """The undominated points by rising k."""
        numbers = zip(
            self._nodes.tolist(), self._ks.tolist(), self._loss.tolist(), self._gone.tolist(), strict=True
        )
        return tuple(
            LatticePoint(self.lattice.levels(node), k, loss, gone) for node, k, loss, gone in numbers
        )

    def resolve(self, beyond: int, tell: Tell = no_share) -> None:
        """Evaluate every node that might give a point of k > `beyond`; the points of such k are then exact.

        `tell` hears which share of the lattice is settled: its nodes are evaluated, or ruled out.
        """
        nodes, reach = np.array([self.lattice.number(self.lattice.top)]), np.array([self._most])
        settled, node_count = 0.0, float(self.lattice.size)
        for size in self.lattice.ranks:
            if not len(nodes):
                break
            self.settle(nodes, reach, scale_share(tell, settled / node_count, (settled + size) / node_count))
            settled += size
            if monotonic() > self.deadline:
                raise OutOfTime
            alive = reach > beyond
            nodes, reach = self.lattice.next_below(nodes[alive], reach[alive])

    def settle(self, nodes: I8, reach: I8, tell: Tell = no_share) -> None:
        """Evaluate the nodes that are not covered if none exceeds its `reach`, and write the reach of those."""
        floors = self._floors(nodes)
        pending = np.arange(len(nodes))
        if self._count is None:
            self._evaluate_open(pending, nodes, reach, floors, tell)
            return
        while len(pending):
            pending = pending[~self._is_covered(nodes[pending], reach[pending], floors[pending])]
            batch, pending = pending[:_BATCH], pending[_BATCH:]
            reach[batch] = self.count_reach(nodes[batch])
            self._evaluate_open(batch, nodes, reach, floors, no_share)
            tell(1 - len(pending) / len(nodes))

    def _evaluate_open(self, left: I8, nodes: I8, reach: I8, floors: F8, tell: Tell) -> None:
        """Evaluate those of `left` that are not covered."""
        while len(left):
            left = left[~self._is_covered(nodes[left], reach[left], floors[left])]
            points, done = self._ks, 0
            while done < len(left) and self._ks is points:  # a new point may cover some of what is left
                reach[left[done]] = self.look(int(nodes[left[done]]))
                done += 1
                tell(1 - (len(left) - done) / len(nodes))
            left = left[done:]

    def look(self, node: int) -> int:
        """Evaluate a node unless that was done, keep what is undominated of it, and return its reach."""
        if node not in self._looked:
            if len(self.reach) > 1 and monotonic() > self.deadline:  # two ends always make a front
                raise OutOfTime
            self._looked.add(node)
            rungs = self._evaluate(self.lattice.levels(node))
            self.reach[node] = rungs.reach
            if len(rungs.loss):
                self.loss[node] = float(rungs.loss[0])
            self._add_points(node, rungs)
        return self.reach[node]

    def count_reach(self, nodes: I8) -> I8:
        """Return the reach of each node; those that are not known yet are counted."""
        assert self._count is not None
        new = [node for node in nodes.tolist() if node not in self.reach]
        if new:
            if monotonic() > self.deadline:
                raise OutOfTime
            self.reach.update(zip(new, self._count(np.array(new)).tolist(), strict=True))
        return np.array([self.reach[node] for node in nodes.tolist()], dtype=np.int64)

    def _is_covered(self, nodes: I8, reach: I8, floors: F8) -> B1:
        """Whether points found make it needless to evaluate nodes of such reach and least loss.

        The rival is the cheapest point that serves a node's reach (or the cap). If the losses are equal, the node
        still matters if it could serve a larger k than the rival, or the same k at a smaller level vector.
        """
        if not len(self._ks):
            return np.zeros(len(nodes), dtype=bool)
        rival = np.searchsorted(self._ks, np.minimum(reach, self._cap))
        has_rival = rival < len(self._ks)
        rival[~has_rival] = 0
        k, loss, node = self._ks[rival], self._ticks[rival], self._nodes[rival]
        tie = (loss == floors) & ((k > reach) | ((k == reach) & (node <= nodes)))
        return np.asarray(has_rival & ((loss < floors) | tie))

    def _add_points(self, node: int, rungs: KSteps) -> None:
        """Add a node's points, and keep from the largest k down what is strictly cheaper."""
        ticks = np.floor(rungs.loss * 1e12 + 0.5)
        nodes = np.full(len(ticks), node)
        if self._is_covered(nodes, rungs.ks, ticks).all():
            return
        ks, nodes = np.r_[self._ks, rungs.ks], np.r_[self._nodes, nodes]
        ticks, loss, gone = (
            np.r_[self._ticks, ticks],
            np.r_[self._loss, rungs.loss],
            np.r_[self._gone, rungs.gone],
        )
        order = np.lexsort((nodes, ticks, -ks))
        cheapest = np.minimum.accumulate(ticks[order])
        keep = order[np.r_[True, ticks[order][1:] < cheapest[:-1]]][::-1]
        self._ks, self._nodes, self._gone = ks[keep], nodes[keep], gone[keep]
        self._ticks, self._loss = ticks[keep], loss[keep]


_LARGE = 1 << 16  # nodes; in a smaller lattice the kernel is not worth compiling
_TUPLES = 1 << 18  # with more of them, tables of nodes are much smaller
_CELLS = 1 << 24  # that tuples times values of a column may come to: cells are 256 MB at most


def make_counter(cube: Cube, prices: Prices, allowed: int) -> Count | None:
    """What counts nodes; None where it does not pay, or more than records must be counted."""
    tuples, widest = len(cube.counts), int(cube.layout.mask.max()) + 1
    small = cube.lattice.size < _LARGE or tuples > _TUPLES or tuples * widest > _CELLS
    every = prices.kind > HEIGHT  # nodes without a floor are all evaluated
    return None if small or every or len(cube.extras().quasi) else _NodeCounter(cube, allowed)


class _NodeCounter:
    """The tuples as groups of every column and level; columns with the most values come first."""

    def __init__(self, cube: Cube, allowed: int) -> None:
        layout, self._lattice = cube.layout, cube.lattice
        self._counts, self._allowed = cube.counts, allowed
        self._order = np.argsort(-layout.mask, kind="stable").tolist()
        self._row = np.full(layout.at.shape, -1)  # roots split nothing
        codes: list[I4] = []
        for j, height in enumerate(self._lattice.heights):
            places = (cube.words[layout.word[j]] >> layout.shift[j]) & layout.mask[j]
            for level in range(height):
                self._row[j, level] = len(codes)
                groups = np.unique(layout.places[layout.at[j, level] + places], return_inverse=True)[1]
                codes.append(groups.astype(np.int32))
        self._codes = np.stack(codes)
        self._width = self._codes.max(axis=1).astype(np.int64) + 1

    def __call__(self, nodes: I8) -> I8:
        rows = np.stack([self._row[j][self._lattice.column(nodes, j)] for j in self._order], axis=1)
        order = np.lexsort(rows.T[::-1])
        node_reach = np.empty(len(nodes), dtype=np.int64)
        node_reach[order] = find_reaches(self._codes, self._width, self._counts, rows[order], self._allowed)
        return node_reach


# Lattices too large to resolve: good points early, large k proven first, and a bound for the rest.


Bound = Callable[[int], float]


def search_until(search: BranchAndBound, start: float, seconds: float, progress: Progress) -> int:
    """Search until the time is up; return the k from which on all points are proven (1: everywhere).

    Without a limit one pass resolves the lattice. With a limit, the nodes that reach more than most/2, then those
    that reach more than most/4, and so on, are resolved: after each pass the points of a larger k are exact. After
    half of the time, greedy descents for k = 2, 3, 5, 9, ... find good points of the small k, which the passes may
    not reach in time. Where nodes are counted, swaps come before every pass: what they find rules out most nodes.
    """
    search.look(0)
    tell = start_step(progress, "searching the lattice")
    if seconds == inf:
        search.look(search.lattice.size - 1)
        _try_swaps(search, 2)
        search.resolve(1, tell)  # k = 1 is served best by the untouched table
        return 1

    def clock() -> None:
        tell((monotonic() - start) / seconds)

    proven = search.look(search.lattice.size - 1) + 1
    search.deadline = start + seconds / 2
    proven = _run_passes(search, proven, tell, clock)
    if proven > 1:
        search.deadline = start + seconds
        _run_descents(search, clock)
        proven = _run_passes(search, proven, tell, clock)
    return proven


def prove_cheapest(search: BranchAndBound, k: int, deadline: float, tell: Tell) -> bool:
    """Search the cheapest node that serves k until the time is up; return whether it is proven to be that.

    A greedy descent comes first: it finds something good where the search from the top down does not get far.
    """
    search.deadline = deadline
    try:
        if search.look(search.lattice.size - 1) >= k:
            _descend(search, k)
        _try_swaps(search, k)
        search.resolve(k - 1, tell)
    except OutOfTime:
        return False
    return True


def _run_passes(search: BranchAndBound, proven: int, tell: Tell, clock: Callable[[], None]) -> int:
    """Resolve larger and larger parts of the lattice; return the k from which on all is proven.

    The last pass is over when the lattice is settled or the time is up, whichever comes first; the others by the clock.
    """
    try:
        while proven > 1:
            beyond = max((proven - 1) // 2, 1)

            def settle(share: float, last: bool = beyond == 1) -> None:
                clock()
                if last:
                    tell(share)

            _try_swaps(search, 2)
            search.resolve(beyond, no_share if tell is no_share else settle)
            proven = 1 if beyond == 1 else beyond + 1
    except OutOfTime:
        pass
    return proven


def _run_descents(search: BranchAndBound, clock: Callable[[], None]) -> None:
    k = 2
    try:
        while k <= search.reach[search.lattice.size - 1]:
            clock()
            _descend(search, k)
            k = 2 * k - 1
    except OutOfTime:
        pass


def _descend(search: BranchAndBound, k: int) -> None:
    """Go down from the top while k is served, each time where the loss falls most for the reach given up."""
    levels, lattice = search.lattice.top, search.lattice
    while (here := lattice.number(levels)) in search.loss:  # it may keep k and not the rest of a claim
        reach, loss = search.look(here), search.loss[here]
        ways = [
            (below, number)
            for below in lattice.below(levels)
            if search.look(number := lattice.number(below)) >= k and number in search.loss
        ]
        if not ways:
            return

        def worth(way: tuple[Levels, int], reach: int = reach, loss: float = loss) -> float:
            return (loss - search.loss[way[1]]) / (log(reach / search.reach[way[1]]) + 0.05)

        levels = max(ways, key=worth)[0]


def _try_swaps(search: BranchAndBound, least: int) -> None:
    """Lower one column of a point of k >= `least` and raise another, or none, until no point gets better that way.

    This takes thousands of nodes, so it is left out where each must be evaluated.
    """
    lattice, tried = search.lattice, set[Levels]()
    while new := [p for p in search.points if p.k >= least and p.levels not in tried and search.counting]:
        for point in new:
            tried.add(point.levels)
            here = lattice.number(point.levels)
            raised = [here, *map(lattice.number, lattice.above(point.levels))]
            steps = np.array([here - lattice.number(b) for b in lattice.below(point.levels)], dtype=np.int64)
            near = np.unique(np.subtract.outer(raised, steps))
            search.settle(near, np.full(len(near), point.k))


def lower_bound(
    table: Table,
    hierarchies: Hierarchies,
    prices: Prices,
    allowed: int,
    *,
    bottom: float,
    deadline: float,
    tell: Tell = no_share,
    only: int | None = None,
) -> Bound:
    """A loss below which no node goes at k; when the time is up, `bottom`, the loss of the untouched table.

    With `only` it is asked for that k alone, which is found sooner.

    A node that serves k also serves it with any columns at their roots. So where a loss adds up over columns, each half
    of the columns is searched alone and exactly, which tells what that half costs at least; all columns cost at least
    the sum of both.
    """
    terms = terms_of(prices)
    if terms is None:
        return _class_loss_bound(prices, allowed, bottom)
    if prices.kind == GEOMETRIC:
        terms = np.log1p(terms) / len(terms)
    halves = _split_columns([hierarchies[column.name].height for column in table.quasi])
    try:
        parts = [
            _least_sums(
                table,
                hierarchies,
                columns,
                terms[columns],
                allowed,
                deadline,
                scale_share(tell, side / 2, side / 2 + 0.5),
                only,
            )
            for side, columns in enumerate(halves)
        ]
    except OutOfTime:
        return lambda k: bottom

    def bound(k: int) -> float:
        least = sum(float(loss[np.searchsorted(ks, k)]) for ks, loss in parts) * (1 - 1e-12)
        return expm1(least) if prices.kind == GEOMETRIC else least

    return bound


def _split_columns(heights: Sequence[int]) -> tuple[list[int], list[int]]:
    """Split columns in two so that both lattices are about equally large."""
    halves: tuple[list[int], list[int]] = ([], [])
    for j in np.argsort([-height for height in heights], kind="stable").tolist():
        min(halves, key=lambda half: prod(heights[i] + 1 for i in half)).append(j)
    return sorted(halves[0]), sorted(halves[1])


def _least_sums(
    table: Table,
    hierarchies: Hierarchies,
    half: list[int],
    terms: F8,
    allowed: int,
    deadline: float,
    tell: Tell,
    only: int | None,
) -> tuple[I8, F8]:
    """For some columns alone: k rising, and the least sum of terms of any of their nodes that reaches it."""
    half_table = replace(table, columns=tuple(table.quasi[j] for j in half))
    cube = Cube.of("pareto", half_table, hierarchies)
    none = np.zeros(0, dtype=np.int64)
    prices = Prices(
        HEIGHT, cube.n, 1, none, np.zeros((len(half), terms.shape[1]), dtype=np.int64), none, np.zeros(0)
    )
    evaluate = Evaluator(cube, prices, allowed, per_node=True)

    def rungs(levels: Levels) -> KSteps:
        steps = evaluate(levels)
        return steps._replace(loss=np.array([sum(terms[j, level] for j, level in enumerate(levels))]))

    def floors(nodes: I8) -> F8:
        loss = np.zeros(len(nodes))
        for j in range(len(half)):
            loss += terms[j][cube.lattice.column(nodes, j)]
        return np.floor(loss * 1e12 + 0.5)

    search = BranchAndBound(cube.lattice, rungs, floors, most=cube.heads, cap=only)
    search.deadline = deadline
    search.look(0)
    search.resolve(1 if only is None else only - 1, tell)
    points = search.points
    return np.array([p.k for p in points]), np.array([p.loss for p in points])


def _class_loss_bound(prices: Prices, allowed: int, bottom: float) -> Bound:
    """Bound a loss of classes by the loss of the untouched table and by what classes of k records cost at least.

    Kept classes have at least k records each, so their squares sum to at least k times their records, and
    there are at most (N - S)/k of them.
    """
    n = prices.n

    def bound(k: int) -> float:
        if prices.kind == DM:
            return max(bottom, float(k * n))
        if prices.kind == DM_STAR:
            return max(bottom, float(k * (n - allowed)))
        if prices.kind == AECS:
            return max(bottom, n * k / (n + k))
        if prices.kind == C_AVG:
            return max(bottom, 1.0)
        return bottom

    return bound
