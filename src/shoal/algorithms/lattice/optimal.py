"""The least-loss full-domain recoding for one claim, exact."""

from dataclasses import replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms._kernels.tables import label, lift
from shoal.algorithms.constraint import Constraint
from shoal.algorithms.knobs import Seconds, Share, allowance
from shoal.algorithms.lattice._kernels import Prices
from shoal.algorithms.lattice.branch_and_bound import BranchAndBound, counter
from shoal.algorithms.lattice.cube import Cube, Levels, Loss, check_loss, floors_of, labels_of, prices_of
from shoal.algorithms.lattice.evaluation import ConstraintEvaluator, Evaluator, Tables, label_codes
from shoal.algorithms.lattice.large_lattices import lower_bound, within
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies
from shoal.progress import Progress, rising, silent
from shoal.release import Claim, Recoded, Result

__all__ = ["PopulationTables", "optimal"]

# --- How many people of a population are in the classes of a node.


class PopulationTables:
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


SEARCHING = 0.85  # of the time given; the rest is for a bound


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
    progress: Progress = silent,
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
    allowed = allowance("optimal", suppress, cube.n)
    if constraint.presence is not None:
        allowed = 0  # whoever is left out of the release is in the data all the same
    if constraint.k > cube.heads:
        who = "records" if cube.persons is None else "persons"
        raise InfeasibleError(
            f"optimal: k={constraint.k} but the table has {cube.heads} {who}; lower k or add {who}"
        )
    prices = prices_of(loss, cube, table, constraint.k)
    counted = None
    if public is not None and (constraint.mapped or constraint.presence):
        counted = PopulationTables("optimal", table, public, hierarchies)
    more = bool(sensitive) or constraint.average is not None or counted is not None
    asking = ConstraintEvaluator(cube, prices, allowed, sensitive, constraint, counted) if more else None
    search = BranchAndBound(
        cube.lattice,
        asking or Evaluator(cube, prices, allowed),
        floors_of(prices, cube.lattice),
        most=cube.heads,
        cap=constraint.k,
        count=counter(cube, prices, allowed),
    )
    tell = rising(progress, "searching the lattice")
    if seconds is None:
        search.resolve(constraint.k - 1, tell)
    proven = seconds is None or within(search, constraint.k, start + SEARCHING * seconds, tell)
    best = next((point for point in search.points if point.k >= constraint.k), None)
    if best is None:
        assert asking is not None  # one class of all records serves every k
        more_gone = " or allow more suppression" if constraint.presence is None else ""
        raise InfeasibleError(
            f"optimal: no recoding {'reaches' if proven else 'was found in time that reaches'} {_asked(constraint)} "
            f"with at most {allowed} records suppressed; all records as one class reach "
            f"{asking.reached(cube.lattice.top)}; ask for less{'' if proven else ', give more seconds'}{more_gone}"
        )
    trace: dict[str, object] = {"lattice": cube.lattice.size, "evaluated": len(search.reach)}
    if seconds is not None:
        bound = best.loss
        if not proven:
            least = _bound(table, hierarchies, cube, prices, allowed, constraint.k, start + seconds, progress)
            bound = min(bound, least)
        trace |= {
            "stopped": "complete" if proven else "seconds",
            "loss": best.loss,
            "no_node_loses_less_than": bound,
        }
    if asking is not None:
        return cube.publish(best.levels, asking.kept(best.levels), claim, **trace)
    return cube.release(best.levels, constraint.k, claim, **trace)


def _bound(
    table: Table,
    hierarchies: Hierarchies,
    cube: Cube,
    prices: Prices,
    allowed: int,
    k: int,
    deadline: float,
    progress: Progress,
) -> float:
    """A loss below which no node that serves k goes, whatever else is asked of it."""
    bottom = float(Evaluator(cube, prices, allowed)(cube.lattice.levels(0)).loss[0])
    tell = rising(progress, "bounding what is not proven")
    return lower_bound(
        table, hierarchies, prices, allowed, bottom=bottom, deadline=deadline, tell=tell, only=k
    )(k)


def _asked(constraint: Constraint) -> str:
    """What was asked for, in words, for the message that no recoding reaches it."""
    l = (
        []
        if constraint.diversity is None
        else [f"l={constraint.diversity.l} ({constraint.diversity.diversity})"]
    )
    average = [] if constraint.average is None else [f"average_risk={constraint.average:g}"]
    mapped = [f"k_map={constraint.mapped}"] if constraint.mapped else []
    if constraint.presence is not None:
        mapped.append("presence={:g} to {:g}".format(*constraint.presence))
    return " and ".join(
        [*l, *(bound.words for bound in constraint.bounds if bound.hidden), *average, *mapped]
    )
