"""The exact privacy/loss front of a lattice: the least loss of any node, for every k at once."""

from collections.abc import Callable
from time import monotonic

import numpy as np

from shoal.algorithms.knobs import Seconds, Share, allowance
from shoal.algorithms.lattice._kernels import CE, HEIGHT, Prices, sweep
from shoal.algorithms.lattice.branch_and_bound import (
    BranchAndBound,
    FrontResult,
    LatticePoint,
    counter,
    undominated,
)
from shoal.algorithms.lattice.cube import Cube, LossOfFronts, check_loss, floors_of, labels_of, prices_of
from shoal.algorithms.lattice.evaluation import Evaluator
from shoal.algorithms.lattice.large_lattices import anytime, lower_bound
from shoal.data import Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.progress import Progress, Tell, nobody, rising, silent, watching

__all__ = ["everything", "pareto"]

PACE = 2e-9  # seconds a node and distinct tuple, when everything is evaluated
SEARCHING = 0.85  # of the time given; the rest is for bounds


def pareto(
    table: Table,
    hierarchies: Hierarchies,
    *,
    suppress: Share = 0.0,
    loss: LossOfFronts = "glm",
    target: str | None = None,
    per_node: bool = False,
    seconds: Seconds | None = None,
    progress: Progress = silent,
) -> FrontResult:
    """Find, for every k, the least loss of any full-domain recoding of `table`.

    Parameters
    ----------
    table, hierarchies
        The records, and a hierarchy for every quasi-identifier by its name.
    suppress
        Share of the records that may be left out, from 0 to below 1.
    loss
        What is to be small: glm, glm-geometric, ncp, il, entropy, precision, height, dm, dm-star, aecs or ce.
    target
        The column that `ce` predicts.
    per_node
        Give each node one k, the largest that `suppress` allows, as the POkA paper reads it. By default a node
        also competes at every smaller k, where it suppresses less.
    seconds
        Stop after about this time, and say what was found and what of it is proven; None searches to the end.
    progress
        Hears what is being done.

    Returns
    -------
    FrontResult
        The undominated points by rising k; if k and loss are equal, the smallest level vector is taken.

    Raises
    ------
    InputError
        No quasi-identifiers, records, hierarchy or such loss; a number outside its range. `c_avg` is refused:
        it divides by k, so it does not compare different k.

    Notes
    -----
    *Guarantee*. With `complete`, no node of the lattice serves a point's k at a smaller loss, and no point is
    missing; `pick(k)` is the node that `optimal` finds. Otherwise this holds from `proven_from` on, and no node
    serves a point's k at less than its bound. Releases claim KAnonymity(k).

    *Complexity*. A node costs one pass over the frequency table of a node below it. From the top down a node
    is evaluated only if no point found so far covers (the reach of the nodes above it, its loss with nothing
    suppressed): on Adult this is 1 node in 17. In lattices of 65,536 nodes or more, where no node's table serves many
    others, a node costs one pass over the distinct tuples, and good points are looked for first, beside those found:
    of the 85 million nodes of mach2019 1 in 188 is evaluated. Losses of classes (dm, dm-star, aecs, ce) have no
    such floor, so all nodes are evaluated. Memory holds one rank of the lattice and 2^24 tuples.

    *Departures*. None: the front is defined by exhaustive search, and this search gives the same front. The paper's
    own search is `poka`.

    *Randomness*. None.

    References
    ----------
    .. [1] Dewri, Ray, Ray, Whitley. POkA: identifying Pareto-optimal k-anonymous nodes in a domain hierarchy
       lattice. CIKM 2009, Sec. 3.3 and 5.1.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> ages = Column.of("age", "quasi", ["21", "23", "23", "38"])
    >>> hierarchy = Hierarchy.from_paths("age", [["21", "2x", "*"], ["23", "2x", "*"], ["38", "3x", "*"]])
    >>> front = pareto(Table((ages,)), {"age": hierarchy}, suppress=0.25)
    >>> [(point.k, point.levels, point.suppressed) for point in front.points]
    [(1, (0,), 0), (3, (1,), 1), (4, (2,), 0)]
    """
    if seconds is not None and not seconds > 0:
        raise InputError(f"pareto: seconds={seconds} leaves no time to search; give a number above 0")
    start, patience = monotonic(), float("inf") if seconds is None else seconds
    check_loss("pareto", loss, target, without=("c_avg",))
    cube = Cube.of("pareto", table, hierarchies, labels_of(table, loss, target))
    allowed = allowance("pareto", suppress, cube.n)
    prices = prices_of(loss, cube, table)
    lattice = cube.lattice
    if prices.kind > HEIGHT and PACE * lattice.size * len(cube.counts) < patience:
        tell = rising(progress, "evaluating the whole lattice")
        return _front(cube, everything(cube, prices, allowed, per_node=per_node, tell=tell), lattice.size)
    evaluate, floors = Evaluator(cube, prices, allowed, per_node=per_node), floors_of(prices, lattice)
    count = counter(cube, prices, allowed)
    search = BranchAndBound(lattice, evaluate, floors, most=cube.heads, count=count)
    proven = anytime(search, start, SEARCHING * patience, progress)
    if proven == 1:
        return _front(cube, search.points, len(search.reach))
    tell = rising(progress, "bounding what is not proven")
    deadline = start + patience
    bound = lower_bound(
        table, hierarchies, prices, allowed, bottom=search.loss[0], deadline=deadline, tell=tell
    )
    return _front(cube, search.points, len(search.reach), proven, bound)


def everything(
    cube: Cube, prices: Prices, allowed: int, *, per_node: bool = False, tell: Tell = nobody
) -> tuple[LatticePoint, ...]:
    """The front by evaluating every node, each rolled up from the one below it."""
    lattice = cube.lattice
    order = np.argsort(-cube.layout.mask, kind="stable")
    shape = (np.array(lattice.heights), np.array(lattice.stride), order)
    extras = cube.extras(target=prices.kind == CE)
    done = np.zeros(1, dtype=np.int64)
    with watching(tell, lambda: done[0] / lattice.size):
        best = sweep(cube.words, cube.counts, shape, cube.layout, extras, prices, allowed, per_node, done)
    return undominated(lattice, *best)


def _front(
    cube: Cube,
    points: tuple[LatticePoint, ...],
    evaluated: int,
    proven: int = 1,
    bound: Callable[[int], float] = lambda k: 0.0,
) -> FrontResult:
    """Give every point a lower bound of the loss at its k: its own loss, where it is proven."""
    bounds = tuple(p.loss if p.k >= proven else min(p.loss, bound(p.k)) for p in points)
    return FrontResult(
        names=cube.names,
        points=points,
        lattice=cube.lattice.size,
        evaluated=evaluated,
        complete=proven == 1,
        proven_from=proven,
        bounds=bounds,
        method="pareto",
        cube=cube,
    )
