"""Lattices too large to resolve: good points early, large k proven first, and a bound for the rest."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import expm1, inf, log, prod
from time import monotonic

import numpy as np

from shoal.algorithms.lattice._kernels import AECS, C_AVG, DM, DM_STAR, GEOMETRIC, HEIGHT, Prices
from shoal.algorithms.lattice.branch_and_bound import BranchAndBound, OutOfTime
from shoal.algorithms.lattice.cube import Cube, Levels, terms_of
from shoal.algorithms.lattice.evaluation import Evaluator, Rungs
from shoal.data import Table
from shoal.data.arrays import F8, I8
from shoal.hierarchy import Hierarchies
from shoal.progress import Progress, Tell, nobody, part, rising

__all__ = ["anytime", "lower_bound", "within"]

Bound = Callable[[int], float]


def anytime(search: BranchAndBound, start: float, seconds: float, progress: Progress) -> int:
    """Search until the time is up; return the k from which on all points are proven (1: everywhere).

    Without a limit one pass resolves the lattice. With a limit, the nodes that reach more than most/2, then those
    that reach more than most/4, and so on, are resolved: after each pass the points of a larger k are exact. After
    half of the time, greedy descents for k = 2, 3, 5, 9, ... find good points of the small k, which the passes may
    not reach in time. Where nodes are counted, swaps come before every pass: what they find rules out most nodes.
    """
    search.look(0)
    tell = rising(progress, "searching the lattice")
    if seconds == inf:
        search.look(search.lattice.size - 1)
        _swaps(search, 2)
        search.resolve(1, tell)  # k = 1 is served best by the untouched table
        return 1

    def clock() -> None:
        tell((monotonic() - start) / seconds)

    proven = search.look(search.lattice.size - 1) + 1
    search.deadline = start + seconds / 2
    proven = _passes(search, proven, tell, clock)
    if proven > 1:
        search.deadline = start + seconds
        _descents(search, clock)
        proven = _passes(search, proven, tell, clock)
    return proven


def within(search: BranchAndBound, k: int, deadline: float, tell: Tell) -> bool:
    """Search the cheapest node that serves k until the time is up; return whether it is proven to be that.

    A greedy descent comes first: it finds something good where the search from the top down does not get far.
    """
    search.deadline = deadline
    try:
        if search.look(search.lattice.size - 1) >= k:
            _descend(search, k)
        _swaps(search, k)
        search.resolve(k - 1, tell)
    except OutOfTime:
        return False
    return True


def _passes(search: BranchAndBound, proven: int, tell: Tell, clock: Callable[[], None]) -> int:
    """Resolve larger and larger parts of the lattice; return the k from which on all is proven.

    The last pass is over when the lattice is settled or the time is up, whichever comes first; the others by the clock.
    """
    try:
        while proven > 1:
            beyond = max((proven - 1) // 2, 1)

            def settled(share: float, last: bool = beyond == 1) -> None:
                clock()
                if last:
                    tell(share)

            _swaps(search, 2)
            search.resolve(beyond, nobody if tell is nobody else settled)
            proven = 1 if beyond == 1 else beyond + 1
    except OutOfTime:
        pass
    return proven


def _descents(search: BranchAndBound, clock: Callable[[], None]) -> None:
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


def _swaps(search: BranchAndBound, least: int) -> None:
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
    tell: Tell = nobody,
    only: int | None = None,
) -> Bound:
    """A loss below which no node goes at k; when the time is up, `bottom`, the loss of the untouched table.

    With `only` it is asked for that k alone, which is found sooner.
    """
    terms = terms_of(prices)
    if terms is None:
        return _of_classes(prices, allowed, bottom)
    try:
        return _of_halves(table, hierarchies, prices, terms, allowed, deadline, tell, only)
    except OutOfTime:
        return lambda k: bottom


def _of_halves(
    table: Table,
    hierarchies: Hierarchies,
    prices: Prices,
    terms: F8,
    allowed: int,
    deadline: float,
    tell: Tell,
    only: int | None,
) -> Bound:
    """Bound a loss that adds up over columns.

    A node that serves k also serves it with any columns at their roots. So each half of the columns is searched
    alone and exactly, which tells what that half costs at least; all columns cost at least the sum of both.
    """
    if prices.kind == GEOMETRIC:
        terms = np.log1p(terms) / len(terms)
    heights = [hierarchies[column.name].height for column in table.quasi]
    parts = [
        _least(
            table,
            hierarchies,
            half,
            terms[half],
            allowed,
            deadline,
            part(tell, side / 2, side / 2 + 0.5),
            only,
        )
        for side, half in enumerate(_halves(heights))
    ]

    def bound(k: int) -> float:
        least = sum(float(loss[np.searchsorted(ks, k)]) for ks, loss in parts) * (1 - 1e-12)
        return expm1(least) if prices.kind == GEOMETRIC else least

    return bound


def _halves(heights: Sequence[int]) -> tuple[list[int], list[int]]:
    """Split columns in two so that both lattices are about equally large."""
    halves: tuple[list[int], list[int]] = ([], [])
    for j in np.argsort([-height for height in heights], kind="stable").tolist():
        min(halves, key=lambda half: prod(heights[i] + 1 for i in half)).append(j)
    return sorted(halves[0]), sorted(halves[1])


def _least(
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
    some = replace(table, columns=tuple(table.quasi[j] for j in half))
    cube = Cube.of("pareto", some, hierarchies)
    none = np.zeros(0, dtype=np.int64)
    prices = Prices(
        HEIGHT, cube.n, 1, none, np.zeros((len(half), terms.shape[1]), dtype=np.int64), none, np.zeros(0)
    )
    evaluate = Evaluator(cube, prices, allowed, per_node=True)

    def rungs(levels: Levels) -> Rungs:
        found = evaluate(levels)
        return found._replace(loss=np.array([sum(terms[j, level] for j, level in enumerate(levels))]))

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


def _of_classes(prices: Prices, allowed: int, bottom: float) -> Bound:
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
