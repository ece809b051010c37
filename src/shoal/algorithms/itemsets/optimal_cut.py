"""The cut through a hierarchy of items that keeps k^m-anonymity and loses least, with a proof."""

from math import inf
from typing import Any

from shoal.algorithms.constraint import refusal
from shoal.algorithms.itemsets.cut_floor import least_cut
from shoal.algorithms.itemsets.item_codes import Taxonomy, code_items, numbers_of, require
from shoal.algorithms.itemsets.item_cuts import find_cut, publish_cut
from shoal.algorithms.knobs import Seconds
from shoal.data import Baskets
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity
from shoal.progress import Progress, rising, silent
from shoal.release import RecodedBaskets, Result

__all__ = ["optimal_cut"]

_NAME = "optimal-cut"


def optimal_cut(
    baskets: Baskets,
    hierarchy: Hierarchy,
    claim: KmAnonymity,
    *,
    seconds: Seconds = 60.0,
    progress: Progress = silent,
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
    further up. Such demands are collected in turns: the cheapest cut that meets the known ones, found by an integer
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
    k, m, _ = numbers_of(_NAME, claim)
    found = code_items(_NAME, baskets, hierarchy, exempt=claim.exempts)
    weighted = found.weighted()
    require(_NAME, weighted, k, 0)
    taxonomy = Taxonomy.of(hierarchy)
    tell = rising(progress, "searching the cheapest cut")
    best = least_cut(found, taxonomy, k, m, work=inf, seconds=seconds, tell=tell)
    form = best.form
    if form is None:
        form = find_cut(weighted, taxonomy, k=k, m=m, progress=progress).form
    trace: dict[str, Any] = {"proven": best.form is not None, "floor": best.floor}
    return Result(publish_cut(baskets, taxonomy, found.place, form), claim, trace=trace)
