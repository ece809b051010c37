"""Apriori Anonymization on baskets in parts: steered by the baskets of all parts that rare combinations depend on."""

from shoal.algorithms.allowance import allowance
from shoal.algorithms.itemsets.basket_parts import BasketParts, PublishedParts
from shoal.algorithms.itemsets.coded_baskets import asked, not_in_hierarchy, places_of, require_root
from shoal.algorithms.itemsets.counted_parts import Survey, gathered, publish_parts, survey
from shoal.algorithms.itemsets.item_cuts import CutSearch
from shoal.algorithms.itemsets.taxonomy import Taxonomy
from shoal.data.types import I4
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.progress import Progress, silent
from shoal.release import Result

__all__ = ["apriori_by_parts"]


def apriori_by_parts(
    baskets: BasketParts,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    suppress: float = 0.0,
    progress: Progress = silent,
) -> Result[PublishedParts]:
    """Publish baskets in parts as `apriori` publishes them in memory.

    Parameters are those of `apriori`. What is published is written beside the original records of each part.

    Notes
    -----
    *The same answer*  The search asks two things of the records: how many hold each item, which is added over parts,
    and whether fewer than k hold some nodes at or above the cut. For the second, baskets are projected to the cut,
    equal ones are united, and a basket is left out when each of its combinations is in k others that are kept. If a
    basket that was left out holds some nodes, it holds a combination below them that k kept ones hold; if none was
    left out, all are there. So each answer is that of all records, whatever the order of parts. Shares of sensitive
    items (l) need all records, so there only equal baskets are united.

    *Complexity*  One pass to count items and one for each size, where items may be left out as often as that changes
    the cut. What is held are the baskets with combinations that
    are rare, or were when they came: at most k for each combination.

    Raises
    ------
    InputError, InfeasibleError, HierarchyError
        As `apriori` does; also where too many baskets would have to be held.
    """
    k, m, l = asked("apriori", claim)
    place, width = places_of(baskets.outline, hierarchy, exempt=claim.exempts)
    secrets = int((place >= width).sum())
    seen = survey(baskets, place, width, secrets)
    _require(baskets, claim, k, l, seen)
    spare = allowance("apriori", suppress, int(seen.use.sum()), "item occurrences")
    search = CutSearch(Taxonomy.of(hierarchy), seen.use, spare=spare, progress=progress)
    if l:
        _settle_all(search, baskets, place, secrets, k, m, l)
    else:
        _settle_sizes(search, baskets, place, k, m, again=spare > 0)
    cut = search.found()
    release = publish_parts(baskets, hierarchy, cut.form, exempt=claim.exempts)
    return Result(release, claim, trace={"mended": cut.mended, "passes": cut.passes})


def _require(baskets: BasketParts, claim: KmAnonymity | LmDiversity, k: int, l: int, seen: Survey) -> None:
    if seen.strange:
        raise not_in_hierarchy("apriori", baskets.outline, sorted(seen.strange))
    everybody, most = int(seen.secrets.max(initial=0)), int(seen.beside.max(initial=0))
    require_root("apriori", k, l, baskets.n, seen.some, everybody, most, len(seen.secrets))


def _settle_sizes(search: CutSearch, baskets: BasketParts, place: I4, k: int, m: int, *, again: bool) -> None:
    """Go through all sizes, `again` until nothing changes: what was left out may come back under a node above it."""
    before = -1
    while search.mended != before:
        before = search.mended
        for size in range(1, m + 1):
            found = gathered("apriori", baskets, place, search.canon, 0, size=size, k=k, exact=False)
            search.look_at(found)
            search.settle(size, k=k)
        if not again:
            return


def _settle_all(
    search: CutSearch, baskets: BasketParts, place: I4, secrets: int, k: int, m: int, l: int
) -> None:
    """Go through all sizes until nothing changes: shares of sensitive items may rise."""
    found = gathered("apriori", baskets, place, search.canon, secrets, size=m, k=k, exact=True)
    search.look_at(found)
    before = -1
    while before != search.mended:
        before = search.mended
        for size in range(1, m + 1):
            search.settle(size, k=k, l=l)
