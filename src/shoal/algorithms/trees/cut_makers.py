"""What the makers that search for a cut have in common: claims refused, data made ready, the best cut published."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Annotated, Any

from shoal.algorithms.demand import refusal
from shoal.algorithms.knobs import OneOf
from shoal.algorithms.trees.cut_prices import PRICES
from shoal.algorithms.trees.cut_search import Cut, Search
from shoal.algorithms.trees.knowledge_counts import Asking
from shoal.algorithms.trees.parted_records import PartedRecords
from shoal.algorithms.trees.recode_parts import recode_parts
from shoal.algorithms.trees.recode_trees import apply, rule_of
from shoal.algorithms.trees.search_space import Space
from shoal.algorithms.trees.structure_repair import associate, attach, detach, disassociate
from shoal.algorithms.trees.tree_parts import TreeParts
from shoal.data import Trees
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.naming import hint, offered
from shoal.privacy.kmn import KMNAnonymity
from shoal.progress import Progress
from shoal.release import Result

__all__ = ["require_claim", "require_width", "run_search", "start_search"]

_WIDEST = 11  # values of a set whose relations fit in one word
_REPAIRS = {"class": detach, "pair": disassociate}
_RETURNS = {"class": attach, "pair": associate}

Scope = Annotated[str, OneOf(tuple(_REPAIRS))]
Cost = Annotated[str, OneOf(tuple(PRICES))]


def require_width(maker: str, g: int) -> None:
    """Refuse a number of cuts to follow that is none."""
    if isinstance(g, bool) or not isinstance(g, int) or g < 1:
        raise InputError(f"{maker}: g={g!r}; give a whole number of at least 1")


def require_claim(maker: str, claim: KMNAnonymity, trees: Trees | TreeParts) -> None:
    """Refuse a claim that these records cannot keep: they are too few, or it names fields that they do not have."""
    if not isinstance(claim, KMNAnonymity):
        raise refusal(maker, claim)
    outline = trees.outline if isinstance(trees, TreeParts) else trees
    if claim.sensitive != outline.sensitive:
        raise InputError(
            f"{maker}: the claim names another sensitive field than the records have; give it theirs"
        )
    if claim.k > trees.n:
        raise InfeasibleError(f"{maker}: k={claim.k} but there are {trees.n} records; lower k or add records")
    unknown = [name for name in claim.negations if name not in outline.classes]
    if unknown:
        there = offered(unknown[0], outline.classes)
        raise InputError(f"{maker}: negations: no field '{unknown[0]}'; {there}")


def start_search(
    maker: str,
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    scope: str | None,
    cost: str,
    seconds: float | None,
    patience: int | None,
    progress: Progress,
    put_back: bool = False,
) -> Search:
    """Prepare the data, or refuse a claim that cannot be kept; without a scope, no relation is cut."""
    if scope is not None and scope not in _REPAIRS:
        raise InputError(f"{maker}: scope={scope!r}; give 'class' or 'pair'{hint(scope, ('class', 'pair'))}")
    if cost not in PRICES:
        raise InputError(f"{maker}: cost={cost!r}; give 'rpd' or 'rpd-a'{hint(cost, ('rpd', 'rpd-a'))}")
    if patience is not None and patience < 1:
        raise InputError(f"{maker}: patience={patience}; give a whole number of at least 1")
    if seconds is not None and not seconds >= 0:
        raise InputError(f"{maker}: seconds={seconds}; give a number of at least 0")
    require_claim(maker, claim, trees)
    progress("numbering the paths")
    space = _space(maker, trees, hierarchies)
    m = claim.m if claim.negations else min(claim.m, max(space.records.most, 1))
    if m > _WIDEST:
        raise InputError(
            f"{maker}: m={claim.m} and a record holds {space.records.most} values; give m of at most {_WIDEST}"
        )
    denied = tuple(space.trees.classes.index(name) for name in claim.negations)
    asking = Asking(space, claim.k, m, claim.n, claim.l or 0, denied)
    _require_diversity(maker, asking)
    repair = None if scope is None else _REPAIRS[scope]
    back = _RETURNS[scope] if scope is not None and put_back else None
    return Search(asking, repair, _roots(maker, asking), PRICES[cost], seconds, patience, progress, back)


def _space(maker: str, trees: Trees | TreeParts, hierarchies: Hierarchies) -> Space:
    """Records that are asked in memory, or part by part."""
    if isinstance(trees, Trees):
        return Space(trees, Nodes.of(maker, trees, hierarchies))
    values = Nodes.of(maker, trees.outline, hierarchies)
    return Space(trees.outline, values, PartedRecords(trees, values))


def _require_diversity(maker: str, asking: Asking) -> None:
    """A secret that is frequent among all records is frequent for whoever knows nothing."""
    often, n = asking.space.records.often if asking.l else 0, asking.space.n
    if often * asking.l > n:
        raise InfeasibleError(
            f"{maker}: l={asking.l} but one sensitive value is in {often} of {n} records; "
            f"lower l to {n // often} or less"
        )


def _roots(maker: str, asking: Asking) -> tuple[int, ...]:
    """The roots of as many fields as can be published together; the field in most rare sets is left out first."""
    space, m, k = asking.space, asking.m, asking.k
    kept = [root for root in space.values.roots if space.support(root)]
    while kept and space.clashes((tuple(kept),), m, k):
        guilt: Counter[int] = Counter()
        for size in range(1, m + 1):
            for some in combinations(kept, size):
                if space.clashes(tuple((root,) for root in some), m, k):
                    guilt.update(some)
        kept.remove(max(kept, key=lambda root: (guilt[root], -space.support(root), root)))
    if not kept:
        raise InfeasibleError(f"{maker}: no field is in k={k} records; lower k or add records")
    return tuple(kept)


def run_search(
    maker: str,
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    search: Search,
    run: Callable[[], None],
) -> Result[Any]:
    """Run a search and publish by the best cut: trees in memory, or each part where it lies."""
    rule, trace = _best_recoding(maker, search, run)
    if isinstance(trees, Trees):
        return Result(apply(maker, trees, hierarchies, rule), claim, trace=trace)
    made = recode_parts(maker, trees, hierarchies, rule, search.asking.space.records.tree)
    return Result(made, claim, trace=trace)


def _best_recoding(
    maker: str, search: Search, run: Callable[[], None]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a search and write down the best cut, and how the search went.

    Raises
    ------
    InfeasibleError
        No cut that was looked at keeps the claim.
    """
    run()
    search.ended()
    if search.best is None:
        raise InfeasibleError(
            f"{maker}: none of {search.looked} cuts keeps the claim; lower k, m, n or l, or leave negations out"
        )
    search.progress("recoding")
    space, best = search.asking.space, search.best
    trees = space.trees
    kept = {int(space.values.kind[root]) for root in search.roots}
    gone = [name for kind, name in enumerate(trees.classes) if kind not in kept and name != trees.sensitive]
    rule = rule_of(trees, space.values, best.done, gone, [*best.cut_relations, *_leaving(space, best)])
    trace: dict[str, Any] = {
        "cuts": search.looked,
        "found_at": search.found_at,
        "stopped": search.stopped or "complete",
        "cost": best.cost,
        "values": len(best.nodes),
        "detached": len(best.loose),
        "disassociated": len(best.cut_relations),
        "classes_left_out": gone,
    }
    return rule, trace


def _leaving(space: Space, best: Cut) -> list[tuple[Any, Any]]:
    """What is detached, as disassociations from each field that may stand above it; the highest field comes first.

    Where it stands under the root already, what may stand below it is detached from it.
    """
    names = space.trees.classes
    kinds = space.values.kind
    over = space.classes_above()
    found: list[tuple[Any, Any]] = []
    for kind in sorted({int(kinds[node]) for node in best.loose}):
        whole = all(node in best.loose for node in best.nodes if kinds[node] == kind)
        ends: list[Any] = [names[kind]] if whole else [node for node in best.loose if kinds[node] == kind]
        below = [low for low, above in enumerate(over) if kind in above]
        found += [(names[high], end) for end in ends for high in over[kind]]
        found += [(end, names[low]) for end in ends for low in below]
    return found
