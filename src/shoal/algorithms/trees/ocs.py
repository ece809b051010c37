"""Only Cut Search: a cut of the hierarchies, and no relation given up (Gkountouna et al.)."""

from typing import Any

from shoal.algorithms.knobs import Many, Seconds
from shoal.algorithms.trees.cut_search import Cost, greedy_cuts, require_width, run_search, start_search
from shoal.algorithms.trees.tree_parts import TreeParts
from shoal.data import Trees
from shoal.hierarchy import Hierarchies
from shoal.privacy.trees import KMNAnonymity
from shoal.progress import Progress, silent
from shoal.release import Result

__all__ = ["ocs"]


def ocs(
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    g: Many = 2,
    cost: Cost | None = None,
    seconds: Seconds | None = None,
    patience: Many | None = 300,
    progress: Progress = silent,
) -> Result[Any]:
    """Publish record trees as `gcs` does, giving up no relation: a cut that would need it is not followed.

    This is Only Cut Search, with which the paper compares [1]_. Parameters, errors and guarantee are those of `gcs`.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Sec. 4.
    """
    require_width("ocs", g)
    search = start_search("ocs", trees, hierarchies, claim, None, cost, seconds, patience, progress)
    return run_search("ocs", trees, hierarchies, claim, search, lambda: greedy_cuts(search, g))
