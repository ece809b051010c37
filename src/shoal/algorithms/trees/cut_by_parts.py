"""The cut searches on record trees in parts: steered by counts that parts make and the search adds."""

from functools import partial

from shoal.algorithms.trees.cut_makers import best_recoding, require_width, start_search
from shoal.algorithms.trees.cut_search import all_cuts, greedy_cuts
from shoal.algorithms.trees.parted_records import TreeParts
from shoal.algorithms.trees.tree_parts import RecodedParts, recode_parts
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.naming import offered
from shoal.privacy.kmn import KMNAnonymity
from shoal.progress import Progress, silent
from shoal.release import Result

__all__ = ["CUT_SEARCHES", "cut_by_parts"]

CUT_SEARCHES = ("gcs", "acs", "ocs")


def cut_by_parts(
    maker: str,
    trees: TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    g: int = 2,
    scope: str = "class",
    cost: str = "rpd",
    seconds: float | None = None,
    patience: int | None = 300,
    progress: Progress = silent,
) -> Result[RecodedParts]:
    """Publish record trees in parts as `gcs`, `acs` or `ocs` publishes them in memory.

    Parameters are those of the makers. What is published is written beside the original records of each part.

    Notes
    -----
    *The same answer*  All that a search learns of records are sums of whole numbers over them: how many hold a set of
    values with relations, how many share a secret, how many show a path, and what the price counts for each. Sums do
    not depend on how records are split, or on the order of parts, so each step of the search is the same.

    *Complexity*  A cut takes a few rounds over all parts; each part needs the memory of its own records, and the search
    that of the distinct paths of all.

    Raises
    ------
    InputError, InfeasibleError, HierarchyError
        As the makers do.
    """
    if maker not in CUT_SEARCHES:
        raise InputError(
            f"{maker}: it does not work on parts of record trees; {offered(maker, CUT_SEARCHES)}"
        )
    require_width(maker, g)
    search = start_search(
        maker, trees, hierarchies, claim, None if maker == "ocs" else scope, cost, seconds, patience, progress
    )
    run = partial(all_cuts, search) if maker == "acs" else partial(greedy_cuts, search, g)
    rule, trace = best_recoding(maker, search, run)
    made = recode_parts(maker, trees, hierarchies, rule, search.asking.space.records.tree)
    return Result(made, claim, trace=trace)
