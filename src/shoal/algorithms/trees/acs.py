"""All Cut Search: the best of all cuts of the hierarchies (Gkountouna et al.)."""

from typing import Any

from shoal.algorithms.knobs import Many, Seconds
from shoal.algorithms.trees.cut_search import Cost, Scope, all_cuts, run_search, start_search
from shoal.algorithms.trees.tree_parts import TreeParts
from shoal.data import Trees
from shoal.hierarchy import Hierarchies
from shoal.privacy.trees import KMNAnonymity
from shoal.progress import Progress, silent
from shoal.release import Result

__all__ = ["acs"]


def acs(
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    scope: Scope = "class",
    cost: Cost | None = None,
    put_back: bool = True,
    seconds: Seconds | None = None,
    patience: Many | None = None,
    progress: Progress = silent,
) -> Result[Any]:
    """Publish record trees as `gcs` does, after looking at every cut whose sets of values are in k records.

    This is All Cut Search [1]_. The number of cuts grows fast, so give `seconds` or `patience` where hierarchies are
    not small.
    Parameters, errors and guarantee are those of `gcs`.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Alg. 4.
    """
    search = start_search(
        "acs", trees, hierarchies, claim, scope, cost, seconds, patience, progress, put_back
    )
    return run_search("acs", trees, hierarchies, claim, search, lambda: all_cuts(search))
