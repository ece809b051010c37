"""The least loss of a full-domain recoding, exact: for one claim (`optimal`), and for every k at once (`pareto`)."""

from collections.abc import Callable
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.constraint import Constraint, refuse_crowd, refuse_hidden_share
from shoal.algorithms.knobs import Seconds, Share, suppression_limit
from shoal.algorithms.lattice._kernels import CE, HEIGHT, Prices, sweep_lattice
from shoal.algorithms.lattice.branch_and_bound import (
    BranchAndBound,
    FrontResult,
    LatticePoint,
    lower_bound,
    make_counter,
    pareto_points,
    prove_cheapest,
    search_until,
)
from shoal.algorithms.lattice.cube import (
    Cube,
    Loss,
    LossOfFronts,
    check_loss,
    floors_of,
    labels_of,
    prices_of,
)
from shoal.algorithms.lattice.evaluation import ConstraintEvaluator, Evaluator, PopulationTables, label_codes
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, Tell, no_progress, no_share, poll_kernel, start_step
from shoal.data import Table
from shoal.hierarchy import Hierarchies
from shoal.release import Claim, Recoded, Result

__all__ = ["_evaluate_every_node", "optimal", "pareto"]


_SEARCHING = 0.85  # of the time given; the rest is for bounds


def optimal(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    public: Table | None = None,
    suppress: Share = 0.0,
    loss: Loss = "glm",
    target: str | None = None,
    seconds: Seconds | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Generalize every column to one level, at the least loss that meets the claim.

    Parameters
    ----------
    table, hierarchies
        The records, and a hierarchy for every quasi-identifier by its name.
    claim
        What every class must keep: k-anonymity, l-diversity, t-closeness, beta-likeness, delta-disclosure privacy,
        (alpha,k)-anonymity, average risk, k-map, delta-presence, or several of them.
    public
        The people of the population that k-map and delta-presence are about, with the same columns.
    suppress
        Share of the records that may be left out, from 0 to below 1.
    loss
        What is to be least: glm, glm-geometric, ncp, il, entropy, precision, height, dm, dm-star, aecs, c_avg or ce.
    target
        The column that `ce` predicts.
    seconds
        Stop after about this time with the best node found, and say which loss no node undercuts; None searches to the
        end.
    progress
        Hears what is being done.

    Returns
    -------
    Result
        The recoding; `trace` holds the size of the lattice and how many nodes were evaluated. With `seconds` it also
        says what stopped the search (`complete` or `seconds`), the loss, and a loss below which no node goes.

    Raises
    ------
    InputError
        No quasi-identifiers, records, hierarchy, sensitive column or such loss; a number outside its range.
    InfeasibleError
        k is larger than the number of persons, or no node keeps the rest of the claim, or none was found in time.

    Notes
    -----
    *Guarantee*. The claim holds by construction: a class that breaks it is suppressed. No node that keeps the claim
    within the allowed suppression costs less, unless `seconds` ended the search. If nodes cost the same, the one that
    serves the largest k is taken, and among these the one with the smallest levels.

    *Complexity*. From the top down, a node is evaluated unless a generalization of it already fails k or
    its loss with nothing suppressed exceeds the best loss found: 200 to 550 of Adult's 17,920 nodes are evaluated.
    With suppression, every part of a claim except k and distinct values may hold at a node and fail above it, so
    only k prunes then. With a loss of classes (dm, dm-star, aecs, c_avg, ce) every node that serves k is evaluated.

    *Departures*. The suppression rule was decided here. Classes below k or l or above alpha are suppressed first.
    Then classes are suppressed whose sensitive values are not as the claim asks, compared with what remains, until
    there is no such class. With them go the smallest classes, all of one size at a time, while the average risk is too
    high: of classes to leave out these lower it most, and cost fewest records. With delta-presence nobody is left out.

    *Randomness*. None. `seconds` makes the result depend on the machine.

    References
    ----------
    .. [1] Samarati. Protecting respondents' identities in microdata release. TKDE 13(6), 2001.
    .. [2] Kohlmayer, Prasser, Eckert, Kemper, Kuhn. Flash: efficient, stable and optimal k-anonymity. PASSAT 2012.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Column.of("age", "quasi", ["21", "23", "23", "38"])
    >>> hierarchy = Hierarchy.from_paths("age", [["21", "2x", "*"], ["23", "2x", "*"], ["38", "3x", "*"]])
    >>> found = optimal(Table((ages,)), {"age": hierarchy}, KAnonymity(3), suppress=0.25).release
    >>> found.rule["levels"], found.suppressed
    ({'age': 1}, 1)
    """
    if seconds is not None and not seconds > 0:
        raise InputError(f"optimal: seconds={seconds} leaves no time to search; give a number above 0")
    start = monotonic()
    constraint = Constraint.of("optimal", claim, table, people=public is not None)
    check_loss("optimal", loss, target)
    sensitive = table.role("sensitive") if constraint.sensitive else ()
    labels: list[NDArray[np.integer]] = [
        *labels_of(table, loss, target),
        *(label_codes(column) for column in sensitive),
    ]
    cube = Cube.of("optimal", table, hierarchies, labels)
    allowed = suppression_limit("optimal", suppress, cube.n)
    if constraint.presence is not None:
        allowed = 0  # whoever is left out of the release is in the data all the same
    refuse_crowd("optimal", constraint.k, cube.heads, "records" if cube.persons is None else "persons")
    refuse_hidden_share("optimal", constraint, table, np.arange(table.n))
    prices = prices_of(loss, cube, table, constraint.k)
    population = None
    if public is not None and (constraint.mapped or constraint.presence):
        population = PopulationTables("optimal", table, public, hierarchies)
    constraint_evaluator = None  # where k is all that is asked for
    if sensitive or constraint.average is not None or population is not None:
        constraint_evaluator = ConstraintEvaluator(cube, prices, allowed, sensitive, constraint, population)

    search = BranchAndBound(
        cube.lattice,
        constraint_evaluator or Evaluator(cube, prices, allowed),
        floors_of(prices, cube.lattice),
        most=cube.heads,
        cap=constraint.k,
        count=make_counter(cube, prices, allowed),
    )
    tell = start_step(progress, "searching the lattice")
    if seconds is None:
        search.resolve(constraint.k - 1, tell)
    is_proven = seconds is None or prove_cheapest(search, constraint.k, start + _SEARCHING * seconds, tell)
    best = next((point for point in search.points if point.k >= constraint.k), None)
    if best is None:
        assert constraint_evaluator is not None  # one class of all records serves every k
        top_reach = constraint_evaluator.describe_reach(cube.lattice.top)
        raise _infeasible_error(constraint, allowed, top_reach, is_proven=is_proven)

    trace: dict[str, object] = {"lattice": cube.lattice.size, "evaluated": len(search.reach)}
    if seconds is not None:
        trace |= {"stopped": "complete" if is_proven else "seconds", "loss": best.loss}
        trace["no_node_loses_less_than"] = best.loss
    if seconds is not None and not is_proven:
        bound_at = lower_bound(
            table,
            hierarchies,
            prices,
            allowed,
            bottom=float(Evaluator(cube, prices, allowed)(cube.lattice.bottom).loss[0]),
            deadline=start + seconds,
            tell=start_step(progress, "bounding what is not proven"),
            only=constraint.k,
        )
        trace["no_node_loses_less_than"] = min(best.loss, bound_at(constraint.k))
    if constraint_evaluator is not None:
        return cube.publish(best.levels, constraint_evaluator.find_rows(best.levels), claim, **trace)
    return cube.release(best.levels, constraint.k, claim, **trace)


def _infeasible_error(
    constraint: Constraint, allowed: int, top_reach: str, *, is_proven: bool
) -> InfeasibleError:
    """The error that no node keeps the constraint, or that none was found in time; `top_reach` of the top node."""
    found = "reaches" if is_proven else "was found in time that reaches"
    more_seconds = "" if is_proven else ", give more seconds"
    more_suppression = " or allow more suppression" if constraint.presence is None else ""
    return InfeasibleError(
        f"optimal: no recoding {found} {_describe_constraint(constraint)} with at most {allowed} records suppressed; "
        f"all records as one class reach {top_reach}; ask for less{more_seconds}{more_suppression}"
    )


def _describe_constraint(constraint: Constraint) -> str:
    """What was asked for, in words, for the message that no recoding reaches it."""
    words = []
    if constraint.diversity is not None:
        words.append(f"l={constraint.diversity.l} ({constraint.diversity.diversity})")
    words += [bound.words for bound in constraint.bounds if bound.any_value]
    words += [f"{bound.words} for hidden values" for bound in constraint.bounds if bound.hidden]
    if constraint.average is not None:
        words.append(f"average_risk={constraint.average:g}")
    if constraint.mapped:
        words.append(f"k_map={constraint.mapped}")
    if constraint.presence is not None:
        words.append("presence={:g} to {:g}".format(*constraint.presence))
    return " and ".join(words)


PACE = 2e-9  # seconds a node and distinct tuple, when everything is evaluated


def pareto(
    table: Table,
    hierarchies: Hierarchies,
    *,
    suppress: Share = 0.0,
    loss: LossOfFronts = "glm",
    target: str | None = None,
    per_node: bool = False,
    seconds: Seconds | None = None,
    progress: Progress = no_progress,
) -> FrontResult:
    """Find, for every k, the least loss of any full-domain recoding of `table`.

    Parameters
    ----------
    table, hierarchies, suppress, target, progress
        As in `optimal`.
    loss
        What is to be small: glm, glm-geometric, ncp, il, entropy, precision, height, dm, dm-star, aecs or ce.
    per_node
        Give each node one k, the largest that `suppress` allows, as the POkA paper reads it. By default a node
        also competes at every smaller k, where it suppresses less.
    seconds
        Stop after about this time, and say what was found and what of it is proven; None searches to the end.

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
    allowed = suppression_limit("pareto", suppress, cube.n)
    prices = prices_of(loss, cube, table)
    lattice = cube.lattice
    if prices.kind > HEIGHT and PACE * lattice.size * len(cube.counts) < patience:
        tell = start_step(progress, "evaluating the whole lattice")
        points = _evaluate_every_node(cube, prices, allowed, per_node=per_node, tell=tell)
        return _build_front(cube, points, lattice.size)
    search = BranchAndBound(
        lattice,
        Evaluator(cube, prices, allowed, per_node=per_node),
        floors_of(prices, lattice),
        most=cube.heads,
        count=make_counter(cube, prices, allowed),
    )
    proven_from = search_until(search, start, _SEARCHING * patience, progress)
    if proven_from == 1:
        return _build_front(cube, search.points, len(search.reach))
    tell = start_step(progress, "bounding what is not proven")
    deadline = start + patience
    bound = lower_bound(
        table, hierarchies, prices, allowed, bottom=search.loss[0], deadline=deadline, tell=tell
    )
    return _build_front(cube, search.points, len(search.reach), proven_from, bound)


def _evaluate_every_node(
    cube: Cube, prices: Prices, allowed: int, *, per_node: bool = False, tell: Tell = no_share
) -> tuple[LatticePoint, ...]:
    """The front by evaluating every node, each rolled up from the one below it."""
    lattice = cube.lattice
    order = np.argsort(-cube.layout.mask, kind="stable")
    shape = (np.array(lattice.heights), np.array(lattice.stride), order)
    extras = cube.extras(target=prices.kind == CE)
    done = np.zeros(1, dtype=np.int64)
    with poll_kernel(tell, lambda: done[0] / lattice.size):
        best = sweep_lattice(
            cube.words, cube.counts, shape, cube.layout, extras, prices, allowed, per_node, done
        )
    return pareto_points(lattice, *best)


def _build_front(
    cube: Cube,
    points: tuple[LatticePoint, ...],
    evaluated: int,
    proven_from: int = 1,
    bound: Callable[[int], float] = lambda k: 0.0,
) -> FrontResult:
    """Give every point a lower bound of the loss at its k: its own loss, where it is proven."""
    bounds = tuple(
        point.loss if point.k >= proven_from else min(point.loss, bound(point.k)) for point in points
    )
    return FrontResult(
        names=cube.names,
        points=points,
        lattice=cube.lattice.size,
        evaluated=evaluated,
        complete=proven_from == 1,
        proven_from=proven_from,
        bounds=bounds,
        method="pareto",
        cube=cube,
    )
