"""POkA: from one Pareto-optimal node to the next, by depth and height searches (Dewri et al.)."""

from math import ceil, log

from shoal.algorithms.knobs import Many, Share, suppression_limit
from shoal.algorithms.lattice.branch_and_bound import FrontResult, LatticePoint
from shoal.algorithms.lattice.cube import (
    Cube,
    Lattice,
    Levels,
    LossOfFronts,
    check_loss,
    labels_of,
    prices_of,
)
from shoal.algorithms.lattice.evaluation import Evaluator
from shoal.base.errors import InputError
from shoal.base.progress import Progress, no_progress, start_step
from shoal.data import Table
from shoal.hierarchy import Hierarchies

__all__ = ["poka"]


def poka(
    table: Table,
    hierarchies: Hierarchies,
    *,
    d: Many | None = None,
    onward: bool = False,
    suppress: Share = 0.0,
    loss: LossOfFronts = "glm",
    target: str | None = None,
    progress: Progress = no_progress,
) -> FrontResult:
    """Search the lattice as the paper does: each found node is the base from which the next is sought.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier.
    d
        How far down from its base a depth search goes; by default the ceiling of the mean height.
    onward
        Whether the search goes on where the paper's ends for want of a next node, as it does at the root with ce. It
        then looks at all nodes down to d levels below its base, and further down until one has a smaller k and loss.
    suppress
        The share of records that may be left out, in [0, 1): the paper's eta, as a share.
    loss
        A loss of the lattice methods: the paper uses glm, dm (its DCN) and ce.
    target
        The column that ce predicts.
    progress
        Hears how far the search is.

    Returns
    -------
    FrontResult
        One point per node, at the largest k that `suppress` allows. Nothing of it is proven. The search ends at the
        first k of 2 or less, so that nothing is told of k = 1 where it finds 2. Its note says so where it ended
        earlier.

    Raises
    ------
    InputError
        d, suppress, loss or target is wrong.

    Guarantee   Any point that is released keeps KAnonymity; it is not certain that it is the best at its k.
    Complexity  Each of the two searches visits each node at most once per base; evaluated tables are kept.
    Departures  From a base with fewer than d levels left, the depth search ends at the bottom. The whole search
                also ends when a depth search finds nothing, unless `onward` lets it look further. Losses are
                compared to twelve decimals, as everywhere in shoal. The rest is Functions 1 to 3 as printed, with
                the lists HBest and DBest.
    Randomness  None.

    References
    ----------
    .. [1] Dewri, Ray, Ray, Whitley. POkA: identifying Pareto-optimal k-anonymous nodes in a domain hierarchy
       lattice. CIKM 2009. Sec. 4 and 5.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> table = Table((Column.of("sex", "quasi", list("MMFFF")), Column.of("zip", "quasi", list("12112"))))
    >>> hierarchies = {"sex": Hierarchy.from_paths("sex", [["M", "*"], ["F", "*"]]),
    ...          "zip": Hierarchy.from_paths("zip", [["1", "*"], ["2", "*"]])}
    >>> [(point.levels, point.k) for point in poka(table, hierarchies).points]
    [((0, 1), 2), ((1, 1), 5)]
    """
    check_loss("poka", loss, target, without=("c_avg",))
    cube = Cube.of("poka", table, hierarchies, labels_of(table, loss, target))
    lattice = cube.lattice
    depth = ceil(sum(lattice.heights) / len(lattice.heights)) if d is None else d
    if depth < 1:
        raise InputError(f"poka: d={depth}; give a whole number of at least 1")
    evaluate = Evaluator(
        cube, prices_of(loss, cube, table), suppression_limit("poka", suppress, cube.n), per_node=True
    )
    search = _PokaSearch(lattice, evaluate, depth, onward=onward)
    points = search.run(progress)
    floor = (0.0,) * len(points)
    most = points[-1].k
    evaluated = len(search.seen)
    note = _explain_early_end(search, len(points)) if search.base.k > 2 else ""
    return FrontResult(
        cube.names, points, lattice.size, evaluated, False, most + 1, floor, "poka", cube, note
    )


def _explain_early_end(search: "_PokaSearch", points: int) -> str:
    """What to say of a search that ended before k = 2, though the bottom of the lattice has less of both."""
    last, bottom = search.base, search.point(search.lattice.bottom)
    if bottom.k >= last.k or bottom.loss >= last.loss:
        return ""
    help_ = "use method pareto" if search.onward else "set onward = true or d = 1, or use method pareto"
    return (
        f"poka: the search ended at k={last.k}, with {points} point{'s' * (points > 1)}, since it saw no node of "
        f"smaller k and smaller loss though there are some; {help_}"
    )


class _PokaSearch:
    """The paper's functions around one base node; `seen` remembers every node evaluated."""

    def __init__(self, lattice: Lattice, evaluate: Evaluator, depth: int, *, onward: bool) -> None:
        self.lattice, self.depth, self.onward = lattice, depth, onward
        self.seen: dict[Levels, LatticePoint] = {}
        self._evaluate = evaluate
        self._hbest: dict[Levels, LatticePoint | None] = {}
        self._dbest: dict[Levels, LatticePoint | None] = {}
        self.base = self.point(lattice.top)

    def run(self, progress: Progress) -> tuple[LatticePoint, ...]:
        """Function 3: from the root down to the first base of k <= 2; points by rising k."""
        bases = [self.base]
        tell = start_step(progress, "poka: from the roots down")
        while self.base.k > 2:
            tell(1 - log(self.base.k) / log(bases[0].k))  # k falls by factors rather than by steps
            self._hbest.clear()
            self._dbest.clear()
            following = self._depth_search(self.base.levels)
            if following is None and self.onward:
                following = self._search_further_down()
            if following is None:
                break
            self.base = following
            bases.append(following)
        return _pareto_points(bases)

    def point(self, levels: Levels) -> LatticePoint:
        """Evaluate a node once: the largest k within the allowance, and its loss there."""
        if levels not in self.seen:
            rungs = self._evaluate(levels)
            loss = round(float(rungs.loss[-1]), 12)
            self.seen[levels] = LatticePoint(levels, int(rungs.ks[-1]), loss, int(rungs.gone[-1]))
        return self.seen[levels]

    def _depth_search(self, levels: Levels) -> LatticePoint | None:
        """Function 2: down from the base to depth d, and from there up."""
        if levels not in self._dbest:
            best: LatticePoint | None = None
            for child in self.lattice.below(levels):
                down = self._levels_below_base(child)
                if down == self.depth or not any(child):
                    best = _choose_better(best, self._height_search(child, use=down == 1))
                else:
                    best = _choose_better(best, self._depth_search(child))
            self._dbest[levels] = best
        return self._dbest[levels]

    def _height_search(self, levels: Levels, *, use: bool) -> LatticePoint | None:
        """Function 1: up from a ground node while both k and loss stay below the base's."""
        if levels not in self._hbest:
            best = self.point(levels) if use else None
            for child in self.lattice.above(levels):
                if self._levels_below_base(child) > 1:
                    best = _choose_better(best, self._height_search(child, use=False))
                else:
                    point = self.point(child)
                    if point.k < self.base.k and point.loss < self.base.loss:
                        best = _choose_better(best, self._height_search(child, use=True))
            self._hbest[levels] = best
        return self._hbest[levels]

    def _search_further_down(self) -> LatticePoint | None:
        """Of the nodes below the base the one to go on from: the best of those down to depth d, else the nearest."""
        best: LatticePoint | None = None
        rank, down = {self.base.levels}, 0
        while rank and (best is None or down < self.depth):
            rank, down = {child for levels in rank for child in self.lattice.below(levels)}, down + 1
            for point in map(self.point, sorted(rank)):
                if point.k < self.base.k and point.loss < self.base.loss:
                    best = _choose_better(best, point)
        return best

    def _levels_below_base(self, levels: Levels) -> int:
        """How many levels a node of the base's specialization graph lies below it; 0 outside of it."""
        gaps = [n - c for n, c in zip(self.base.levels, levels, strict=True)]
        return sum(gaps) if min(gaps) >= 0 else 0


def _choose_better(best: LatticePoint | None, other: LatticePoint | None) -> LatticePoint | None:
    """The point of larger k, of smaller loss at equal k; the first one at a tie."""
    if best is None or other is None:
        return best or other
    return other if (other.k, -other.loss) > (best.k, -best.loss) else best


def _pareto_points(found: list[LatticePoint]) -> tuple[LatticePoint, ...]:
    """What was found by rising k, each k once; with d = 1 a next base may have the same k as the one before."""
    points: list[LatticePoint] = []
    for point in sorted(found, key=lambda point: (-point.k, point.loss)):
        if not points or (point.k < points[-1].k and point.loss < points[-1].loss):
            points.append(point)
    return tuple(reversed(points))
