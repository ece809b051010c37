"""The least-loss full-domain recoding for one claim, exact."""

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.allowance import allowance
from shoal.algorithms.demand import Demand
from shoal.algorithms.knobs import Share
from shoal.algorithms.lattice.branch_and_bound import Search
from shoal.algorithms.lattice.cube import Cube
from shoal.algorithms.lattice.demands import AskingEvaluator, label_codes
from shoal.algorithms.lattice.node_tables import Evaluator
from shoal.algorithms.lattice.pricing import Loss, check_loss, floors_of, labels_of, prices_of
from shoal.data import Table
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.lattice import Levels
from shoal.progress import Progress, rising, silent
from shoal.release import Claim, Recoded, Result

__all__ = ["optimal"]


def optimal(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    loss: Loss = "glm",
    target: str | None = None,
    progress: Progress = silent,
) -> Result[Recoded]:
    """Generalize every column to one level, at the least loss that meets the claim.

    Parameters
    ----------
    table, hierarchies
        The records, and a hierarchy for every quasi-identifier by its name.
    claim
        What every class must keep: k-anonymity, l-diversity, t-closeness, beta-likeness, delta-disclosure privacy,
        (alpha,k)-anonymity, or several of them.
    suppress
        Share of the records that may be left out, from 0 to below 1.
    loss
        What is to be least: glm, glm-geometric, ncp, il, entropy, precision, height, dm, dm-star, aecs, c_avg or ce.
    target
        The column that `ce` predicts.
    progress
        Hears what is being done.

    Returns
    -------
    Result
        The recoding; `trace` holds the size of the lattice and how many nodes were evaluated.

    Raises
    ------
    InputError
        No quasi-identifiers, records, hierarchy, sensitive column or such loss; a number outside its range.
    InfeasibleError
        k is larger than the number of persons, or no node keeps the rest of the claim.

    Notes
    -----
    *Guarantee*. The claim holds by construction: a class that breaks it is suppressed. No node that keeps the claim
    within the allowed suppression costs less. If nodes cost the same, the one that serves the largest k is taken, and
    among these the one with the smallest levels.

    *Complexity*. From the top down, a node is evaluated unless a generalization of it already fails k or
    its loss with nothing suppressed exceeds the best loss found: 200 to 550 of Adult's 17,920 nodes are evaluated.
    With suppression, every part of a claim except k and distinct values may hold at a node and fail above it, so
    only k prunes then. With a loss of classes (dm, dm-star, aecs, c_avg, ce) every node that serves k is evaluated.

    *Departures*. The suppression rule was decided here. Classes below k or l or above alpha are suppressed first.
    Then classes are suppressed whose sensitive values are not as the claim asks, compared with what remains, until
    there is no such class.

    *Randomness*. None.

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
    demand = Demand.of("optimal", claim, table)
    check_loss("optimal", loss, target)
    sensitive = table.role("sensitive") if demand.sensitive else ()
    labels: list[NDArray[np.integer]] = [
        *labels_of(table, loss, target),
        *(label_codes(column) for column in sensitive),
    ]
    cube = Cube.of("optimal", table, hierarchies, labels)
    allowed = allowance("optimal", suppress, cube.n)
    if demand.k > cube.heads:
        who = "records" if cube.persons is None else "persons"
        raise InfeasibleError(
            f"optimal: k={demand.k} but the table has {cube.heads} {who}; lower k or add {who}"
        )
    prices = prices_of(loss, cube, table, demand.k)
    asking = AskingEvaluator(cube, prices, allowed, sensitive, demand) if sensitive else None
    search = Search(
        cube.lattice,
        asking or Evaluator(cube, prices, allowed),
        floors_of(prices, cube.lattice),
        most=cube.heads,
        cap=demand.k,
    )
    search.resolve(demand.k - 1, rising(progress, "searching the lattice"))
    levels = _served(search, demand.k)
    trace = {"lattice": cube.lattice.size, "evaluated": len(search.reach)}
    if levels is not None and asking is not None:
        return cube.publish(levels, asking.kept(levels), claim, **trace)
    if levels is not None:
        return cube.release(levels, demand.k, claim, **trace)
    assert asking is not None  # one class of all records serves every k
    raise InfeasibleError(
        f"optimal: no recoding reaches {_asked(demand)} with at most {allowed} records suppressed; "
        f"all records as one class reach {asking.reached(cube.lattice.top)}; ask for less or allow more suppression"
    )


def _asked(demand: Demand) -> str:
    """What was asked for, in words, for the message that no recoding reaches it."""
    l = [] if demand.diversity is None else [f"l={demand.diversity.l} ({demand.diversity.diversity})"]
    return " and ".join([*l, *(bound.words for bound in demand.bounds if bound.hidden)])


def _served(search: Search, k: int) -> Levels | None:
    """The node of the cheapest point that serves k."""
    return next((point.levels for point in search.points if point.k >= k), None)
