"""The items first, the table as it comes: a baseline that `bound` is measured against (Poulis et al.)."""

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.algorithms.knobs import Many, Share
from shoal.algorithms.local.local_table import Grid, Recode
from shoal.algorithms.mixed.class_items import ItemRules, Way
from shoal.algorithms.mixed.clusters import Clusters, counts_of
from shoal.algorithms.mixed.merging import MergedClusters, Plan, unmerged
from shoal.algorithms.ring.basket_order import gray_order
from shoal.data import Baskets, Mixed
from shoal.data.arrays import I8
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, rising, silent
from shoal.release import RecodedMixed, Result

__all__ = ["tfirst"]


def tfirst(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    parts: Many = 10,
    items: Way | None = None,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    weights: Mapping[str, float] | None = None,
    recode: Recode = "hierarchy",
    grid: Grid = None,
    progress: Progress = silent,
) -> Result[RecodedMixed]:
    """Recode the items first: form parts of similar baskets, as `lra` does; each part is a class.

    Records are sorted by the Gray rank of their baskets and cut into `parts` of the same size, except for rounding;
    each has at least k records. A part whose items cannot be generalized to the claim is united with the next. The
    quasi-identifiers of a part lose what they must. Guarantee and errors are those of `bound`.

    Parameters
    ----------
    parts
        Into how many parts of similar baskets the records are cut.
    mixed, hierarchies, claim, item_hierarchy, items, utility, suppress, weights, recode, grid, progress
        As in `bound`.

    References
    ----------
    .. [1] Poulis et al. Anonymizing data with relational and transaction attributes. ECML PKDD 2013, Sec. 3.
    """
    if isinstance(parts, bool) or parts < 1:
        raise InputError(f"tfirst: parts={parts}; give a whole number of at least 1")
    rules = ItemRules(items, utility, suppress, weights)
    plan = Plan.of("tfirst", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    progress("tfirst: parts by the items")
    made = MergedClusters(plan, unmerged(Clusters(plan.records, _parts(plan, parts))))
    return made.release(0, rising(progress, "tfirst: items"))


def _parts(plan: Plan, parts: int) -> I8:
    """The part of each record."""
    records, n = plan.records, plan.records.n
    start, items = records.known
    of = np.empty(n, dtype=np.int64)
    many = min(parts, n // plan.need.k)
    of[gray_order(Baskets("items", ("",) * records.item_codes.width, start, items))] = (
        np.arange(n) * many // n
    )
    while of.max() > 0:
        lacking = plan.need.unmet(counts_of(records, of))
        if not lacking.any():
            break
        first = int(np.argmax(lacking))
        of -= of > min(first, of.max() - 1)  # the next part joins it, or it the one before
    return of
