"""The table first, then the items of each class: a baseline that `bound` is measured against (Poulis et al.)."""

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.algorithms.knobs import Share
from shoal.algorithms.local.local_table import Grid, Recode
from shoal.algorithms.mixed.class_items import ItemRules, Way
from shoal.algorithms.mixed.clusters import Start
from shoal.algorithms.mixed.merging import MergedClusters, Plan, unmerged
from shoal.data import Mixed
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.progress import Progress, rising, silent
from shoal.release import RecodedMixed, Result

__all__ = ["rfirst"]


def rfirst(
    mixed: Mixed,
    hierarchies: Hierarchies,
    claim: KKmAnonymity | KLmDiversity,
    item_hierarchy: Hierarchy | None = None,
    *,
    clusters: Start | None = None,
    items: Way | None = None,
    utility: Sequence[Sequence[str]] | None = None,
    suppress: Share = 0.0,
    weights: Mapping[str, float] | None = None,
    recode: Recode = "hierarchy",
    grid: Grid = None,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Result[RecodedMixed]:
    """Recode the quasi-identifiers first: form k-anonymous clusters, and generalize the items of each on their own.

    Clusters are small, so their items lose much. If too few records of a cluster have items, its items are
    left out. Parameters, guarantee and errors are those of `bound`, which starts from the same clusters.

    References
    ----------
    .. [1] Poulis et al. Anonymizing data with relational and transaction attributes. ECML PKDD 2013, Sec. 3.
    """
    rules = ItemRules(items, utility, suppress, weights)
    plan = Plan.of("rfirst", mixed, hierarchies, claim, item_hierarchy, rules=rules, recode=recode, grid=grid)
    start = plan.start(clusters)
    made = MergedClusters(plan, unmerged(plan.clusters(start, rng, progress)), {"start": start})
    return made.release(0, rising(progress, "rfirst: items"))
