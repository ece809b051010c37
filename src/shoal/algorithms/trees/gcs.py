"""Greedy, All and Only Cut Search: a cut of the hierarchies, and relations given up for it (Gkountouna, Terrovitis).

The search goes over cuts, top down: a cut is specialized by putting the children of one of its values in its place.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import combinations
from time import monotonic
from typing import Annotated, Any

from shoal.algorithms.constraint import refusal
from shoal.algorithms.knobs import Many, OneOf, Seconds, require_positive
from shoal.algorithms.parts import RecodedParts, TreeParts, merged_parts
from shoal.algorithms.trees.knowledge import (
    Knowledge,
    KnowledgeCounter,
    Repaired,
    associate,
    attach,
    detach,
    disassociate,
)
from shoal.algorithms.trees.recoding import apply_tree_recoding, recode_parts, recoding_rule
from shoal.algorithms.trees.repeats import find_limits, require_countable_nodes
from shoal.algorithms.trees.search_space import PRICES, Space, Synopsis
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.naming import did_you_mean, suggest_name
from shoal.base.progress import Progress, Tell, no_progress, no_share, start_step
from shoal.data import Trees
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.claim import check_choice
from shoal.privacy.trees import KMNAnonymity
from shoal.release import RecodedTrees, Result

__all__ = ["TreeCutSearch", "_all_cuts", "acs", "gcs", "greedy_cuts", "ocs", "require_claim"]

_SEARCHING = "searching the cuts"

_Repair = Callable[[KnowledgeCounter, Synopsis, Knowledge], Repaired]
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
    repair: _Repair | None
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
    tell: Tell = no_share

    def __post_init__(self) -> None:
        """Tell shares where something but the data says when to stop."""
        if self.seconds is None and self.patience is None:
            self.progress(_SEARCHING)
        else:
            self.tell = start_step(self.progress, _SEARCHING)

    def top(self) -> TreeCut:
        """The cut of all roots."""
        return self._look(self.roots, (-1,), self.roots, Knowledge.none(self.asking.m))

    def finish(self) -> None:
        """Put back what the best cut gave up without need."""
        best, space = self.best, self.asking.space
        if self.put_back is not None and best is not None and (best.loose or best.cut_relations):
            cut = space.synopsis(best.nodes)
            repaired = Repaired(cut, best.loose, best.cut_relations)
            less = self.put_back(self.asking, cut, best.broken, repaired)
            if less.repair_count < repaired.repair_count:
                cost = self.price(space, less.tree)
                self.best = replace(best, cost=cost, loose=less.loose, cut_relations=less.cut_relations)

    def below(self, cut: TreeCut, closed: frozenset[int]) -> Iterator[tuple[int, TreeCut | None]]:
        """Specialize a cut by each value that is not closed; None where 1 to k-1 records hold some values then."""
        for node in cut.nodes:
            if node in closed or not self.asking.space.values.children[node]:
                continue
            if self.must_stop:
                return
            yield node, self._specialize(cut, node) if self._fits(cut.done, node) else None

    @property
    def must_stop(self) -> bool:
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
            keys = [tuple(sorted((node, *other_nodes))) for other_nodes in combinations(done, size)]
            if any(self.known.get(key, False) for key in keys):
                return False
            new = [key for key in keys if key not in self.known]
            for key, clash in zip(new, self._find_clashes(new), strict=False):
                self.known[key] = clash
                if clash:
                    return False
        return True

    def _find_clashes(self, keys: Sequence[tuple[int, ...]]) -> Iterator[bool]:
        """For each set of specialized nodes, whether 1 to k-1 records hold some values, one child of each at least."""
        groups = [tuple(self._children(node) for node in key) for key in keys]
        return self.asking.space.records.clashing(groups, self.asking.m, self.asking.k)

    def _children(self, node: int) -> tuple[int, ...]:
        return self.roots if node < 0 else self.asking.space.children(node)

    def _specialize(self, cut: TreeCut, node: int) -> TreeCut:
        new = self._children(node)
        nodes = (*(cut_node for cut_node in cut.nodes if cut_node != node), *new)
        still_broken = cut.broken.without(node, node + len(self.asking.space.values.names))
        return self._look(nodes, (*cut.done, node), new, still_broken)

    def _look(
        self, nodes: tuple[int, ...], done: tuple[int, ...], new: tuple[int, ...], kept: Knowledge
    ) -> TreeCut:
        tree = self.asking.space.synopsis(nodes)
        broken = kept + self.asking.find_broken(tree, new)
        hopeless = bool((broken.mask == 0).any())  # no relation is left to give up
        good = not hopeless and (self.repair is not None or not len(broken.mask))
        repaired = (
            self.repair(self.asking, tree, broken) if good and self.repair is not None else Repaired(tree)
        )
        cost = self.price(self.asking.space, repaired.tree) + self.whole_rows * repaired.repair_count
        tree_cut = TreeCut(cost, nodes, done, broken, repaired.loose, repaired.cut_relations, good)
        self.looked += 1
        if good and (self.best is None or cost < self.best.cost):
            self.best, self.found_at = tree_cut, self.looked
        self.tell(self._share())
        return tree_cut

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
    while queue and not search.must_stop:
        dive, cut, closed = heappop(queue)  # each dive has one cut in the queue, so cuts are never compared
        candidates = []
        for node, child in search.below(cut, closed):
            if child is None:
                closed |= {node}
            elif (child.good or search.repair is not None) and (child.cost < cut.cost or not cut.good):
                candidates.append((child.cost, node, child))
        for rank, (_, node, child) in enumerate(sorted(candidates, key=lambda entry: entry[:2])[:g]):
            waiting += 1
            later = (dive[0] + rank, len(child.done), waiting) if rank else dive
            heappush(queue, ((child.cost, 0, waiting) if order == "cheapest" else later, child, closed))
            closed |= {node}


def _all_cuts(search: TreeCutSearch, follow: str = "all") -> None:
    """ACS: every cut whose sets of values are in k records, each once; or only below cuts that cost less and less."""
    stack: list[tuple[TreeCut, frozenset[int]]] = [(search.top(), frozenset())]
    while stack and not search.must_stop:
        cut, closed = stack.pop()
        candidates = []
        for node, child in search.below(cut, closed):
            if child is None:
                closed |= {node}
            elif follow == "all" or child.cost < cut.cost or not cut.good:
                candidates.append((child.cost, node, child))
        shut = closed
        later = []
        for _, node, child in sorted(candidates, key=lambda entry: entry[:2]):
            later.append((child, shut))
            shut |= {node}
        stack += reversed(later)


_WIDEST = 11  # values of a set whose relations fit in one word
_REPAIRS = {"class": detach, "pair": disassociate}
_RETURNS = {"class": attach, "pair": associate}

_ORDERS, _FOLLOWED = ("dives", "cheapest"), ("all", "cheaper")
Order = Annotated[str, OneOf(_ORDERS)]
Follow = Annotated[str, OneOf(_FOLLOWED)]
Scope = Annotated[str, OneOf(tuple(_REPAIRS))]
Cost = Annotated[str, OneOf(tuple(PRICES))]


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
        suggestion = suggest_name(unknown[0], outline.classes)
        raise InputError(f"{method}: negations: no field '{unknown[0]}'; {suggestion}")


def _prepare_search(
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
    cost = "ncp" if cost is None else cost
    _check_options(method, scope, cost, seconds, patience)
    require_claim(method, claim, trees)
    if isinstance(trees, Trees):
        require_countable_nodes(trees, claim)
    # what is known of values does not depend on how often they stand there
    merged_trees = trees.merged() if isinstance(trees, Trees) else merged_parts(trees)
    progress("numbering the paths")
    outline = merged_trees if isinstance(merged_trees, Trees) else merged_trees.outline
    space = Space(merged_trees, Nodes.of(method, outline, hierarchies))
    counter = _make_counter(method, space, claim, trees.n)
    return TreeCutSearch(
        counter,
        repair=None if scope is None else _REPAIRS[scope],
        roots=_choose_roots(method, counter),
        price=PRICES[cost],
        seconds=seconds,
        patience=patience,
        progress=progress,
        put_back=_RETURNS[scope] if scope is not None and put_back else None,
        whole_rows=claim.counts_nodes or cost == "ncp",
    )


def _check_options(
    method: str, scope: str | None, cost: str, seconds: float | None, patience: int | None
) -> None:
    """Refuse options that mean nothing."""
    if scope is not None and scope not in _REPAIRS:
        raise InputError(
            f"{method}: scope={scope!r}; give 'class' or 'pair'{did_you_mean(scope, ('class', 'pair'))}"
        )
    if cost not in PRICES:
        raise InputError(
            f"{method}: cost={cost!r}; give 'rpd', 'rpd-a' or 'ncp'{did_you_mean(cost, tuple(PRICES))}"
        )
    if patience is not None:
        require_positive(method, patience=patience)
    if seconds is not None and not seconds >= 0:
        raise InputError(f"{method}: seconds={seconds}; give a number of at least 0")


def _make_counter(method: str, space: Space, claim: KMNAnonymity, records: int) -> KnowledgeCounter:
    """What counts how many records fit what is known; refuse numbers that these records cannot keep."""
    m = claim.m if claim.negations else min(claim.m, max(space.records.most, 1))
    if m > _WIDEST:
        raise InputError(
            f"{method}: m={claim.m} and a record holds {space.records.most} values; give m of at most {_WIDEST}"
        )
    denied = tuple(space.trees.classes.index(name) for name in claim.negations)
    counter = KnowledgeCounter(space, claim.k, m, claim.n, claim.l or 0, denied)
    most_frequent = space.records.often if counter.l else 0
    if most_frequent * counter.l > records:  # a frequent secret is frequent for whoever knows nothing
        raise InfeasibleError(
            f"{method}: l={counter.l} but one sensitive value is in {most_frequent} of {records} records; "
            f"lower l to {records // most_frequent} or less"
        )
    return counter


def _choose_roots(method: str, asking: KnowledgeCounter) -> tuple[int, ...]:
    """The roots of as many fields as can be published together; the field in most rare sets is left out first."""
    space, m, k = asking.space, asking.m, asking.k
    roots = [root for root in space.values.roots if space.support(root)]
    while roots and space.clashes((tuple(roots),), m, k):
        guilt: Counter[int] = Counter()
        for size in range(1, m + 1):
            for subset in combinations(roots, size):
                if space.clashes(tuple((root,) for root in subset), m, k):
                    guilt.update(subset)
        roots.remove(max(roots, key=lambda root: (guilt[root], -space.support(root), root)))
    if not roots:
        raise InfeasibleError(f"{method}: no field is in k={k} records; lower k or add records")
    return tuple(roots)


def _publish_trees(
    method: str,
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    search: TreeCutSearch,
) -> Result[Any]:
    """Publish by the best cut of a search that is done: trees in memory, or each part where it lies."""
    rule, trace = _best_recoding(method, search)
    paths = search.asking.space.records.tree
    if isinstance(trees, Trees):
        trees = replace(trees, repeats=True) if claim.counts_nodes else trees.merged()
    elif not claim.counts_nodes:
        trees = merged_parts(trees)

    def publish() -> RecodedTrees | RecodedParts:
        if isinstance(trees, Trees):
            return apply_tree_recoding(method, trees, hierarchies, rule)
        return recode_parts(method, trees, hierarchies, rule, paths)

    release = publish()
    tree_parts = [release.trees] if isinstance(release, RecodedTrees) else release
    limits = find_limits(tree_parts, claim) if claim.counts_nodes else []
    if limits:
        rule["limits"], trace["limited"] = limits, len(limits)
        release = publish()
    return Result(release, claim, trace=trace)


def _best_recoding(method: str, search: TreeCutSearch) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write down the best cut, and how the search went.

    Raises
    ------
    InfeasibleError
        No cut that was looked at keeps the claim.
    """
    search.finish()
    if search.best is None:
        raise InfeasibleError(
            f"{method}: none of {search.looked} cuts keeps the claim; lower k, m, n or l, or leave negations out"
        )
    search.progress("recoding")
    space, best = search.asking.space, search.best
    trees = space.trees
    published_kinds = {int(space.values.kind[root]) for root in search.roots}
    gone = [
        name
        for kind, name in enumerate(trees.classes)
        if kind not in published_kinds and name != trees.sensitive
    ]
    rule = recoding_rule(
        trees, space.values, best.done, gone, [*best.cut_relations, *_list_detachments(space, best)]
    )
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


def _list_detachments(space: Space, best: TreeCut) -> list[tuple[Any, Any]]:
    """What is detached, as disassociations from each field that may stand above it; the highest field comes first.

    Where it stands under the root already, what may stand below it is detached from it.
    """
    names = space.trees.classes
    kinds = space.values.kind
    kinds_above = space.classes_above()
    relations: list[tuple[Any, Any]] = []
    for kind in sorted({int(kinds[node]) for node in best.loose}):
        is_whole_kind = all(node in best.loose for node in best.nodes if kinds[node] == kind)
        ends: list[Any] = (
            [names[kind]] if is_whole_kind else [node for node in best.loose if kinds[node] == kind]
        )
        below = [low for low, above in enumerate(kinds_above) if kind in above]
        relations += [(names[high], end) for end in ends for high in kinds_above[kind]]
        relations += [(end, names[low]) for end in ends for low in below]
    return relations


def gcs(
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    g: Many = 2,
    order: Order = "dives",
    scope: Scope = "class",
    cost: Cost | None = None,
    put_back: bool = True,
    seconds: Seconds | None = None,
    patience: Many | None = 300,
    progress: Progress = no_progress,
) -> Result[Any]:
    """Publish record trees so that any `m` values and `n` ancestor relations among them fit `k` records, or none.

    This is Greedy Cut Search: from the roots of all hierarchies down, one value of the cut at a time is replaced by its
    children. A cut is kept while every set of at most m of its values is in at least k records or in none. Relations
    that would still give too much away are given up in all records. The cut of least cost is released. The paper calls
    the field of a value its class.

    Parameters
    ----------
    trees, hierarchies
        The trees, or parts of them (`TreeParts`), and for each field a hierarchy of at least the values that occur; the
        sensitive field needs none.
    claim
        At least k records fit any m values and n relations that are known. With l, no value of the sensitive field may
        be in more than 1 of l of the records that fit. Negations are fields whose absent values the attacker may know;
        each takes the place of one of the m values. The claim names the sensitive field of the trees, if there is one.
    g
        How many of the cuts that one cut leads to are followed, at least 1.
    order
        Which waiting cut comes next: with "dives" the one furthest up, after a dive to the bottom; with "cheapest" the
        cheapest, as in the paper. A search to its end looks at the same cuts. See Notes.
    scope
        What giving up a relation a ~> b means: "class" detaches b in every record from all that may stand above
        it, "pair" disassociates this pair only, as the paper does. See Notes.
    cost
        What is to be small: "rpd", the RPD of the release, "rpd-a", the paper's estimate of it, or "ncp", the share of
        the detail of values that is lost. With None it is "ncp". See Notes.
    put_back
        Whether relations that the best cut gave up are put back in the end, one by one, where the claim still holds.
        With False the release is that of the paper's algorithm. See Notes.
    seconds
        The search stops after so many seconds; with None it goes on to its end.
    patience
        The search stops after so many cuts in a row that were no better; with None it goes on to its end.
    progress
        A listener that is told how many cuts were looked at, and the cost so far.

    Returns
    -------
    Result
        Of parts, what is published is written beside them.

        The release's rule is the recoding, see `recode`; the trace says how many cuts were looked at (`cuts`), at
        which the best was found (`found_at`), what stopped the search, and which fields were left out.

    Raises
    ------
    HierarchyError
        Values are not in their hierarchy.
    InfeasibleError
        k exceeds the number of records; no field is in k records; a sensitive value is more frequent than 1/l; or no
        cut that was looked at keeps the claim.
    InputError
        A number or name makes no sense, or a field has no hierarchy.

    Notes
    -----
    *Guarantee*  `KMNAnonymity(k, m, n, l, sensitive, negations)` holds by construction: a cut is good when every piece
    of knowledge was counted and fits enough records or none.

    *Scope*  A disassociated pair leaves a fingerprint. With k=2, m=2, n=1 let r1 = H2 > gastritis and r2 = r3 =
    {H1 > gastritis, H2 > flu}. After H2 ~> gastritis is cut, r1 is the only record whose gastritis stands by itself:
    whoever knows "gastritis at H2" and knows shoal has found it. Detaching gastritis from every node of the field of H2
    repairs this example, but in trees with one more level the same happens again (see the errata). So under scope
    "class" a detached value leaves all fields above it and stands under the root; if it has other values below it, its
    whole field is detached. Then whoever knows up to m values and n relations of a person finds at least k published
    records that could have come from such an original, even if the recoding is known.

    *Reading of the paper*  If a cheaper sibling specialized a value, the value is closed in what comes from the other
    siblings. Only cuts that cost less than the one they come from are followed (Example 6). Sets of fewer than m values
    are checked as well, values outside the relations count, and disassociations are repeated until nothing is rare.

    *Giving up*  What is broken gives up its rarest relation, as Algorithm 3 says, and only what is broken then: counts
    are those of the tree as it is after all earlier disassociations. A disassociated a ~> b changes relations of b with
    a, with what stands between them and with what stands below b, so counts that hold none of these stay as they are.
    Broken knowledge with the rarest relation comes first. Later disassociations may make an earlier one needless;
    `put_back` takes it back, the last one first.

    *Price of a cut*  The paper prices a cut by RPD_a, a formula over its synopsis tree, because RPD of the records was
    too slow. RPD_a divides by the number of nodes, so it favours cuts that break one field into many values and leave
    another at its root, whatever the records hold: on TPC-H trees the release that it chooses has many times the RPD of
    the best (see the page on methods of trees). RPD itself weighs long paths so much that fields are lost whole: on 615
    Synthea patients, codes ungrouped, the release of least RPD loses 46% of the detail, that of least ncp 38%: so "ncp"
    is the default.
    With it every node counts, equal siblings once, and a cut that gives up no relation is always cheaper than one that
    does; so it is, at any price, where repeats are kept: rows stay rows if they can.

    *Repeats*  Where the claim counts nodes, the cut is that of the values, and then the records with two nodes of one
    value are counted. Where they are too few, every record shows one such node; where this makes one of its relations
    rare, the value is left out (`limits` of the rule). With m of at least 3 and n of at least 2 every set of nodes is
    listed for this; records that hold too many sets are refused.

    *Order*  The paper goes on with the cheapest waiting cut. These cuts all lie around the bottom of the first dive,
    so a bad early choice is corrected last. Here the search dives, and comes back to the choices furthest up first
    [2]_ (see `greedy_cuts`). If it runs to its end, it looks at the same cuts.

    *Departures*  The cut starts from the roots of the fields, not from one root above them. A field that cannot be
    published even at its root, because too few records hold it, alone or with others, is left out, and what stands
    below it is hung under what stands above it. With l or negations a cut that fails may lead to one that does not
    fail, so it is followed, too.

    *Complexity*  A cut takes time linear in the number of records. If all its sets of values were met before, it takes
    time linear in the number of distinct paths only. Memory is linear in the data.

    *Parts*  All that a search learns of records are sums of whole numbers over them: how many hold a set of values with
    relations, how many share a sensitive value, how many show a path, and what the price counts for each. Sums do not
    depend on how records are split, so records in parts give the release that they give in memory.

    *Randomness*  None. `seconds` makes the result depend on the machine.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Sec. 3.
    .. [2] Harvey, Ginsberg. Limited discrepancy search. IJCAI 1995.

    Examples
    --------
    >>> from shoal.hierarchy import Hierarchy
    >>> hierarchies = {
    ...     "ward": Hierarchy.from_paths("ward", [["A", "*"], ["B", "*"]]),
    ...     "ill": Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["cough", "lung", "*"], ["gout", "gout", "*"]]),
    ... }
    >>> people = Trees.of([[("ward", w, ("ill", i))] for w in "AB" for i in ("flu", "cough", "gout", "gout")])
    >>> gcs(people, hierarchies, KMNAnonymity(2, 2, 1)).release.rule["cut"]
    {'ward': ['A', 'B'], 'ill': ['lung', 'gout']}
    """
    require_positive("gcs", g=g)
    search = _prepare_search(
        "gcs", trees, hierarchies, claim, scope, cost, seconds, patience, progress, put_back
    )
    greedy_cuts(search, g, check_choice("order", order, _ORDERS))
    return _publish_trees("gcs", trees, hierarchies, claim, search)


def acs(
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    follow: Follow = "all",
    scope: Scope = "class",
    cost: Cost | None = None,
    put_back: bool = True,
    seconds: Seconds | None = None,
    patience: Many | None = None,
    progress: Progress = no_progress,
) -> Result[Any]:
    """Publish record trees as `gcs` does, after looking at every cut whose sets of values are in k records.

    This is All Cut Search [1]_. The number of cuts grows fast, so give `seconds` or `patience` where hierarchies are
    not small.
    Errors and guarantee are those of `gcs`, and so are all parameters but one.

    Parameters
    ----------
    follow
        Which cuts are specialized further: "all" of them, as Algorithm 4 says, or those that are "cheaper" than the
        cut they come from, as in Example 6.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Alg. 4.
    """
    search = _prepare_search(
        "acs", trees, hierarchies, claim, scope, cost, seconds, patience, progress, put_back
    )
    _all_cuts(search, check_choice("follow", follow, _FOLLOWED))
    return _publish_trees("acs", trees, hierarchies, claim, search)


def ocs(
    trees: Trees | TreeParts,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    g: Many = 2,
    cost: Cost | None = None,
    seconds: Seconds | None = None,
    patience: Many | None = 300,
    progress: Progress = no_progress,
) -> Result[Any]:
    """Publish record trees as `gcs` does, giving up no relation: a cut that would need it is not followed.

    This is Only Cut Search, with which the paper compares [1]_. Parameters, errors and guarantee are those of `gcs`.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Sec. 4.
    """
    require_positive("ocs", g=g)
    search = _prepare_search("ocs", trees, hierarchies, claim, None, cost, seconds, patience, progress)
    greedy_cuts(search, g)
    return _publish_trees("ocs", trees, hierarchies, claim, search)
