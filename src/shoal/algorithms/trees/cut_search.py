"""The search over cuts, top down: a cut is specialized by putting the children of one of its values in its place.

What `acs`, `gcs` and `ocs` have in common: claims refused, data made ready, the search, the best cut published.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import combinations
from time import monotonic
from typing import Annotated, Any

from shoal.algorithms.constraint import refusal
from shoal.algorithms.knobs import OneOf
from shoal.algorithms.parts import TreeParts, merged_parts
from shoal.algorithms.trees.knowledge import (
    Knowledge,
    KnowledgeCounter,
    Repaired,
    associate,
    attach,
    detach,
    disassociate,
)
from shoal.algorithms.trees.recoding import apply, recode_parts, rule_of
from shoal.algorithms.trees.record_index import IndexInParts
from shoal.algorithms.trees.repeats import limits_needed, require_countable
from shoal.algorithms.trees.search_space import PRICES, Space, Synopsis
from shoal.data import Trees
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.naming import hint, offered
from shoal.privacy.trees import KMNAnonymity
from shoal.progress import Progress, Tell, nobody, rising
from shoal.release import Result

__all__ = [
    "FOLLOWED",
    "ORDERS",
    "TreeCut",
    "TreeCutSearch",
    "all_cuts",
    "greedy_cuts",
    "require_claim",
    "require_width",
    "run_search",
    "start_search",
]


_SEARCHING = "searching the cuts"

Repair = Callable[[KnowledgeCounter, Synopsis, Knowledge], Repaired]
Return = Callable[[KnowledgeCounter, Synopsis, Knowledge, Repaired], Repaired]
Price = Callable[[Space, Synopsis], float]


@dataclass(frozen=True, slots=True)
class TreeCut:
    """A cut that was looked at.

    cost   : the price of what it publishes
    nodes  : the published values that occur
    done   : the nodes whose children are published, or nodes further down, in the order they were specialized; -1
             stands over the roots
    broken : the knowledge that its relations would give too much of, before they are repaired
    loose, cut_relations : what the repair gave up
    good   : whether it may be released
    """

    cost: float
    nodes: tuple[int, ...]
    done: tuple[int, ...]
    broken: Knowledge
    loose: tuple[int, ...]
    cut_relations: tuple[tuple[int, int], ...]
    good: bool

    @property
    def given_up(self) -> int:
        """How many values were detached, or relations disassociated."""
        return len(self.loose) + len(self.cut_relations)


@dataclass
class TreeCutSearch:
    """Looks at cuts, keeps the best one, knows when to stop.

    Parameters
    ----------
    repair
        How relations are given up; with None, a cut that would need this is not good.
    roots
        The roots of the fields that are published at all.
    price
        What a cut costs, see `prices`.
    seconds, patience
        When to stop: after so many seconds, or after so many cuts in a row that were no better; None means never.
    put_back
        How relations that the best cut gave up without need are put back; with None, they are not.
    whole_rows
        Whether a cut that gives up no relation is better than any that does: rows shall stay rows.
    """

    asking: KnowledgeCounter
    repair: Repair | None
    roots: tuple[int, ...]
    price: Price
    seconds: float | None
    patience: int | None
    progress: Progress
    put_back: Return | None = None
    whole_rows: bool = False
    best: TreeCut | None = None
    looked: int = 0
    found_at: int = 0
    stopped: str = ""
    began: float = field(default_factory=monotonic)
    known: dict[tuple[int, ...], bool] = field(default_factory=dict)
    tell: Tell = nobody

    def __post_init__(self) -> None:
        """Tell shares where something but the data says when to stop."""
        if self.seconds is None and self.patience is None:
            self.progress(_SEARCHING)
        else:
            self.tell = rising(self.progress, _SEARCHING)

    def top(self) -> TreeCut:
        """The cut of all roots."""
        return self._look(self.roots, (-1,), self.roots, Knowledge.none(self.asking.m))

    def ended(self) -> None:
        """Put back what the best cut gave up without need."""
        if self.best is not None and self.put_back is not None and self.best.given_up:
            space, best = self.asking.space, self.best
            cut = space.synopsis(best.nodes)
            found = Repaired(cut, best.loose, best.cut_relations)
            less = self.put_back(self.asking, cut, best.broken, found)
            if less.given_up < best.given_up:
                cost = self.price(space, less.tree)
                self.best = replace(best, cost=cost, loose=less.loose, cut_relations=less.cut_relations)

    def below(self, cut: TreeCut, closed: frozenset[int]) -> Iterator[tuple[int, TreeCut | None]]:
        """Specialize a cut by each value that is not closed; None where 1 to k-1 records hold some values then."""
        for node in cut.nodes:
            if node in closed or not self.asking.space.values.children[node]:
                continue
            if self.halted:
                return
            yield node, self._specialized(cut, node) if self._fits(cut.done, node) else None

    @property
    def halted(self) -> bool:
        """Whether it is time to stop; then `stopped` says why."""
        if self.seconds is not None and monotonic() - self.began > self.seconds:
            self.stopped = "seconds"
        elif (
            self.best is not None
            and self.patience is not None
            and self.looked - self.found_at >= self.patience
        ):
            self.stopped = "patience"
        return bool(self.stopped)

    def _fits(self, done: tuple[int, ...], node: int) -> bool:
        """Whether at least k records hold each set of at most m values, if any do (ValueCheck).

        Such a set is made of children of at most m specialized nodes; only sets with children of the new node are new.
        """
        for size in range(self.asking.m):
            keys = [tuple(sorted((node, *others))) for others in combinations(done, size)]
            if any(self.known.get(key, False) for key in keys):
                return False
            new = [key for key in keys if key not in self.known]
            for key, clash in zip(new, self._clashing(new), strict=False):
                self.known[key] = clash
                if clash:
                    return False
        return True

    def _clashing(self, keys: Sequence[tuple[int, ...]]) -> Iterator[bool]:
        """For each set of specialized nodes, whether 1 to k-1 records hold some values, one child of each at least."""
        groups = [tuple(self._children(one) for one in key) for key in keys]
        return self.asking.space.records.clashing(groups, self.asking.m, self.asking.k)

    def _children(self, node: int) -> tuple[int, ...]:
        return self.roots if node < 0 else self.asking.space.children(node)

    def _specialized(self, cut: TreeCut, node: int) -> TreeCut:
        new = self._children(node)
        nodes = (*(other for other in cut.nodes if other != node), *new)
        kept = cut.broken.without(node, node + len(self.asking.space.values.names))
        return self._look(nodes, (*cut.done, node), new, kept)

    def _look(
        self, nodes: tuple[int, ...], done: tuple[int, ...], new: tuple[int, ...], kept: Knowledge
    ) -> TreeCut:
        tree = self.asking.space.synopsis(nodes)
        broken = kept + self.asking.broken(tree, new)
        hopeless = bool((broken.mask == 0).any())  # no relation is left to give up
        good = not hopeless and (self.repair is not None or not len(broken.mask))
        repaired = (
            self.repair(self.asking, tree, broken) if good and self.repair is not None else Repaired(tree)
        )
        cost = self.price(self.asking.space, repaired.tree) + self.whole_rows * repaired.given_up
        found = TreeCut(cost, nodes, done, broken, repaired.loose, repaired.cut_relations, good)
        self.looked += 1
        if good and (self.best is None or cost < self.best.cost):
            self.best, self.found_at = found, self.looked
        self.tell(self._share())
        return found

    def _share(self) -> float:
        """How much is done at least, if nothing better is found from now on; 0 where the search ends by itself only."""
        by_time = 0.0
        if self.seconds:
            by_time = (monotonic() - self.began) / self.seconds
        if self.patience is None or self.best is None:
            return by_time
        return max(by_time, self.looked / (self.found_at + self.patience))


def greedy_cuts(search: TreeCutSearch, g: int, order: str = "dives") -> None:
    """GCS: of what a cut is specialized to, only the `g` cheapest are specialized in their turn.

    They must cost less than the cut they come from, unless that cut is not good. A value that a cheaper sibling
    specialized is closed in all that comes from the other siblings (Example 6).

    The search dives from a cut to its cheapest child, down to where no child is cheaper. Then come the cuts that were
    left waiting, in the order of their discrepancies: how often a cut departs from the cheapest child. Among cuts with
    equally many discrepancies, the one that departs further up comes first. A search that runs to its end looks at the
    same cuts as one that takes the cheapest waiting cut first. But here a bad early choice is corrected within a few
    dives, while the cheapest waiting cuts all lie around the bottom of the first dive. That is `order` "cheapest".
    """
    queue: list[tuple[tuple[float, int, int], TreeCut, frozenset[int]]] = []
    heappush(queue, ((0, 0, 0), search.top(), frozenset()))
    waiting = 0
    while queue and not search.halted:
        dive, cut, closed = heappop(queue)  # each dive has one cut in the queue, so cuts are never compared
        found = []
        for node, child in search.below(cut, closed):
            if child is None:
                closed |= {node}
            elif (child.good or search.repair is not None) and (child.cost < cut.cost or not cut.good):
                found.append((child.cost, node, child))
        for rank, (_, node, child) in enumerate(sorted(found, key=lambda entry: entry[:2])[:g]):
            waiting += 1
            later = (dive[0] + rank, len(child.done), waiting) if rank else dive
            heappush(queue, ((child.cost, 0, waiting) if order == "cheapest" else later, child, closed))
            closed |= {node}


def all_cuts(search: TreeCutSearch, follow: str = "all") -> None:
    """ACS: every cut whose sets of values are in k records, each once; or only below cuts that cost less and less."""
    stack: list[tuple[TreeCut, frozenset[int]]] = [(search.top(), frozenset())]
    while stack and not search.halted:
        cut, closed = stack.pop()
        found = []
        for node, child in search.below(cut, closed):
            if child is None:
                closed |= {node}
            elif follow == "all" or child.cost < cut.cost or not cut.good:
                found.append((child.cost, node, child))
        shut = closed
        later = []
        for _, node, child in sorted(found, key=lambda entry: entry[:2]):
            later.append((child, shut))
            shut |= {node}
        stack += reversed(later)


_WIDEST = 11  # values of a set whose relations fit in one word
_REPAIRS = {"class": detach, "pair": disassociate}
_RETURNS = {"class": attach, "pair": associate}

ORDERS, FOLLOWED = ("dives", "cheapest"), ("all", "cheaper")
Order = Annotated[str, OneOf(ORDERS)]
Follow = Annotated[str, OneOf(FOLLOWED)]
Scope = Annotated[str, OneOf(tuple(_REPAIRS))]
Cost = Annotated[str, OneOf(tuple(PRICES))]


def require_width(method: str, g: int) -> None:
    """Refuse a number of cuts to follow that is none."""
    if isinstance(g, bool) or not isinstance(g, int) or g < 1:
        raise InputError(f"{method}: g={g!r}; give a whole number of at least 1")


def require_claim(method: str, claim: KMNAnonymity, trees: Trees | TreeParts) -> None:
    """Refuse a claim that these records cannot keep: they are too few, or it names fields that they do not have."""
    if not isinstance(claim, KMNAnonymity):
        raise refusal(method, claim)
    outline = trees.outline if isinstance(trees, TreeParts) else trees
    if claim.sensitive != outline.sensitive:
        raise InputError(
            f"{method}: the claim names another sensitive field than the records have; give it theirs"
        )
    if claim.k > trees.n:
        raise InfeasibleError(
            f"{method}: k={claim.k} but there are {trees.n} records; lower k or add records"
        )
    unknown = [name for name in claim.negations if name not in outline.classes]
    if unknown:
        there = offered(unknown[0], outline.classes)
        raise InputError(f"{method}: negations: no field '{unknown[0]}'; {there}")


def start_search(
    method: str,
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    scope: str | None,
    cost: str | None,
    seconds: float | None,
    patience: int | None,
    progress: Progress,
    put_back: bool = False,
) -> TreeCutSearch:
    """Prepare the data, or refuse a claim that cannot be kept; without a scope, no relation is cut."""
    if scope is not None and scope not in _REPAIRS:
        raise InputError(f"{method}: scope={scope!r}; give 'class' or 'pair'{hint(scope, ('class', 'pair'))}")
    cost = "ncp" if cost is None else cost
    if cost not in PRICES:
        raise InputError(f"{method}: cost={cost!r}; give 'rpd', 'rpd-a' or 'ncp'{hint(cost, tuple(PRICES))}")
    if patience is not None and patience < 1:
        raise InputError(f"{method}: patience={patience}; give a whole number of at least 1")
    if seconds is not None and not seconds >= 0:
        raise InputError(f"{method}: seconds={seconds}; give a number of at least 0")
    require_claim(method, claim, trees)
    if isinstance(trees, Trees):
        require_countable(trees, claim)
    # what is known of values does not depend on how often they stand there
    trees = trees.merged() if isinstance(trees, Trees) else merged_parts(trees)
    progress("numbering the paths")
    space = _space(method, trees, hierarchies)
    m = claim.m if claim.negations else min(claim.m, max(space.records.most, 1))
    if m > _WIDEST:
        raise InputError(
            f"{method}: m={claim.m} and a record holds {space.records.most} values; give m of at most {_WIDEST}"
        )
    denied = tuple(space.trees.classes.index(name) for name in claim.negations)
    asking = KnowledgeCounter(space, claim.k, m, claim.n, claim.l or 0, denied)
    _require_diversity(method, asking)
    repair = None if scope is None else _REPAIRS[scope]
    back = _RETURNS[scope] if scope is not None and put_back else None
    return TreeCutSearch(
        asking,
        repair,
        _roots(method, asking),
        PRICES[cost],
        seconds,
        patience,
        progress,
        back,
        claim.counts_nodes or cost == "ncp",
    )


def _space(method: str, trees: Trees | TreeParts, hierarchies: Hierarchies) -> Space:
    """Records that are asked in memory, or part by part."""
    if isinstance(trees, Trees):
        return Space(trees, Nodes.of(method, trees, hierarchies))
    values = Nodes.of(method, trees.outline, hierarchies)
    return Space(trees.outline, values, IndexInParts(trees, values))


def _require_diversity(method: str, asking: KnowledgeCounter) -> None:
    """A secret that is frequent among all records is frequent for whoever knows nothing."""
    often, n = asking.space.records.often if asking.l else 0, asking.space.n
    if often * asking.l > n:
        raise InfeasibleError(
            f"{method}: l={asking.l} but one sensitive value is in {often} of {n} records; "
            f"lower l to {n // often} or less"
        )


def _roots(method: str, asking: KnowledgeCounter) -> tuple[int, ...]:
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
        raise InfeasibleError(f"{method}: no field is in k={k} records; lower k or add records")
    return tuple(kept)


def run_search(
    method: str,
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    search: TreeCutSearch,
    run: Callable[[], None],
) -> Result[Any]:
    """Run a search and publish by the best cut: trees in memory, or each part where it lies."""
    rule, trace = _best_recoding(method, search, run)
    if isinstance(trees, Trees):
        trees = replace(trees, repeats=True) if claim.counts_nodes else trees.merged()
        release = apply(method, trees, hierarchies, rule)
        limits = limits_needed([release.trees], claim) if claim.counts_nodes else []
        if limits:
            rule["limits"], trace["limited"] = limits, len(limits)
            release = apply(method, trees, hierarchies, rule)
        return Result(release, claim, trace=trace)
    trees = trees if claim.counts_nodes else merged_parts(trees)
    paths = search.asking.space.records.tree
    made = recode_parts(method, trees, hierarchies, rule, paths)
    limits = limits_needed(made, claim) if claim.counts_nodes else []
    if limits:
        rule["limits"], trace["limited"] = limits, len(limits)
        made = recode_parts(method, trees, hierarchies, rule, paths)
    return Result(made, claim, trace=trace)


def _best_recoding(
    method: str, search: TreeCutSearch, run: Callable[[], None]
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
            f"{method}: none of {search.looked} cuts keeps the claim; lower k, m, n or l, or leave negations out"
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


def _leaving(space: Space, best: TreeCut) -> list[tuple[Any, Any]]:
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
