"""Makers of k^(m,n)-anonymity: a cut of the hierarchies, and relations given up where the cut needs it."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from shoal.algorithms.demand import refusal
from shoal.algorithms.trees.cut_prices import PRICES
from shoal.algorithms.trees.cut_search import Cut, Search, all_cuts, greedy_cuts
from shoal.algorithms.trees.knowledge_counts import Asking
from shoal.algorithms.trees.recode_trees import apply, rule_of
from shoal.algorithms.trees.search_space import Space
from shoal.algorithms.trees.structure_repair import detach, disassociate
from shoal.data import Trees
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.published_nodes import Nodes
from shoal.privacy.kmn import KMNAnonymity
from shoal.progress import Progress, silent
from shoal.release import RecodedTrees, Result

__all__ = ["acs", "gcs", "ocs", "require_claim"]

_WIDEST = 11  # values of a set whose relations fit in one word
_REPAIRS = {"class": detach, "pair": disassociate}


def gcs(
    trees: Trees,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    g: int = 2,
    scope: str = "class",
    cost: str = "rpd",
    seconds: float | None = None,
    patience: int | None = 300,
    progress: Progress = silent,
) -> Result[RecodedTrees]:
    """Publish record trees so that any `m` values and `n` ancestor relations among them fit `k` records, or none.

    Greedy Cut Search: from the roots of all hierarchies down, one value of the cut at a time gives way to its
    children. A cut is kept while every set of at most m of its values is in at least k records or in none. Relations
    that would still give too much away are given up in all records. The cut of least cost is released.

    Parameters
    ----------
    trees, hierarchies
        The trees, and by class a tree over at least the values that occur; the sensitive class needs none.
    claim
        k records that fit, m values and n relations known; with l, no value of the sensitive class may be in more than
        1 of l of the records that fit; negations are classes whose absent values the attacker may know, each in place
        of one of m. It names the sensitive class of the trees, where there is one.
    g
        How many of the cuts that one cut leads to are followed, at least 1.
    scope
        What giving up a relation a ~> b means: "class" detaches b in every record from all that may stand above
        it, "pair" disassociates this pair only, as the paper does. See Notes.
    cost
        What is to be small: "rpd", the RPD of the release, or "rpd-a", the paper's estimate of it. See Notes.
    seconds, patience
        The search stops after so long, or after so many cuts in a row that were no better; None: not before its end.
    progress
        A listener that is told how many cuts were looked at, and the cost so far.

    Returns
    -------
    Result
        The release's rule is the recoding, see `recode`; the trace says how many cuts were looked at (`cuts`), at
        which the best was found (`found_at`), what stopped the search, and which classes were left out.

    Raises
    ------
    HierarchyError
        Values are not in their hierarchy.
    InfeasibleError
        k exceeds the number of records; no class is in k records; a secret is more frequent than 1/l; or no cut that
        was looked at keeps the claim.
    InputError
        A number or name makes no sense, or a class has no hierarchy.

    Notes
    -----
    *Guarantee*  `KMNAnonymity(k, m, n, l, sensitive, negations)`, by construction: a cut is good when every piece of
    knowledge was counted and fits.

    *Scope*  A disassociated pair leaves a fingerprint. With k=2, m=2, n=1 let r1 = H2 > gastritis and r2 = r3 =
    {H1 > gastritis, H2 > flu}. Cutting H2 ~> gastritis leaves r1 the only record whose gastritis stands by itself: who
    knows "gastritis at H2" and knows shoal has found it. Detaching gastritis from every node of the class of H2 mends
    this example, but one level further down the same happens again (see the errata), so under scope "class" a detached
    value leaves all classes above it and stands under the root, and a value that has others below it takes its whole
    class along. Then whoever knows up to m values and n relations of a person finds at least k published records that
    could have come from such an original, even knowing the recoding.

    *Reading of the paper*  A value that a cheaper sibling specialized is closed in what comes from the others, and only
    cuts that cost less than the one they come from are followed (Example 6). Sets of fewer than m values are checked as
    well, values outside the relations count, and disassociations are repeated until nothing is rare.

    *Cost*  The paper prices a cut by RPD_a, a formula over its synopsis tree, because RPD of the records was too slow.
    It divides by the number of nodes, so it favours cuts that break one class into many values and leave another at its
    root, whatever the records hold: on TPC-H trees the release it picks has many times the RPD of the best (see the
    page on makers of trees). RPD itself is one pass over the records here, so it is the default.

    *Order*  The paper goes on with the cheapest cut that waits. These all lie around the bottom of the first way down,
    so a bad early choice is met last. Here the search dives, and comes back to the choices furthest up first [2]_, see
    `greedy_cuts`; to its end it looks at the same cuts.

    *Departures*  The cut starts from the roots of the classes, not from one root above them; a class that cannot be
    published even at its root, because too few records hold it, alone or with others, is left out and what stands
    below it joins what stands above. With l or negations a cut that fails may lead to one that does not, so it is
    followed all the same.

    *Complexity*  A cut takes time linear in the number of records and, once its sets of values were met before, in the
    number of distinct paths only. Memory is linear in the data.

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
    _require_width("gcs", g)
    search = _search("gcs", trees, hierarchies, claim, scope, cost, seconds, patience, progress)
    return _made("gcs", trees, hierarchies, claim, search, lambda: greedy_cuts(search, g))


def acs(
    trees: Trees,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    scope: str = "class",
    cost: str = "rpd",
    seconds: float | None = None,
    patience: int | None = None,
    progress: Progress = silent,
) -> Result[RecodedTrees]:
    """Publish record trees as `gcs` does, after looking at every cut whose sets of values are in k records.

    All Cut Search [1]_. Their number grows fast, so give `seconds` or `patience` where hierarchies are not small.
    Parameters, errors and guarantee are those of `gcs`.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Alg. 4.
    """
    search = _search("acs", trees, hierarchies, claim, scope, cost, seconds, patience, progress)
    return _made("acs", trees, hierarchies, claim, search, lambda: all_cuts(search))


def ocs(
    trees: Trees,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    *,
    g: int = 2,
    cost: str = "rpd",
    seconds: float | None = None,
    patience: int | None = 300,
    progress: Progress = silent,
) -> Result[RecodedTrees]:
    """Publish record trees as `gcs` does, giving up no relation: a cut that would need it is not followed.

    Only Cut Search, the paper's point of reference [1]_. Parameters, errors and guarantee are those of `gcs`.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Sec. 4.
    """
    _require_width("ocs", g)
    search = _search("ocs", trees, hierarchies, claim, None, cost, seconds, patience, progress)
    return _made("ocs", trees, hierarchies, claim, search, lambda: greedy_cuts(search, g))


def _require_width(maker: str, g: int) -> None:
    if isinstance(g, bool) or not isinstance(g, int) or g < 1:
        raise InputError(f"{maker}: g={g!r}; give a whole number of at least 1")


def require_claim(maker: str, claim: KMNAnonymity, trees: Trees) -> None:
    """Refuse a claim that these records cannot bear: too few of them, or classes that are not theirs."""
    if not isinstance(claim, KMNAnonymity):
        raise refusal(maker, claim)
    if claim.sensitive != trees.sensitive:
        raise InputError(
            f"{maker}: the claim names another sensitive class than the records have; give it theirs"
        )
    if claim.k > trees.n:
        raise InfeasibleError(f"{maker}: k={claim.k} but there are {trees.n} records; lower k or add records")
    unknown = [name for name in claim.negations if name not in trees.classes]
    if unknown:
        raise InputError(f"{maker}: negations: no class '{unknown[0]}'; there are {', '.join(trees.classes)}")


def _search(
    maker: str,
    trees: Trees,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    scope: str | None,
    cost: str,
    seconds: float | None,
    patience: int | None,
    progress: Progress,
) -> Search:
    """Prepare the data, or refuse a claim that cannot be kept; without a scope, no relation is cut."""
    if scope is not None and scope not in _REPAIRS:
        raise InputError(f"{maker}: scope={scope!r}; give 'class' or 'pair'")
    if cost not in PRICES:
        raise InputError(f"{maker}: cost={cost!r}; give 'rpd' or 'rpd-a'")
    if patience is not None and patience < 1:
        raise InputError(f"{maker}: patience={patience}; give a whole number of at least 1")
    require_claim(maker, claim, trees)
    progress("numbering the paths")
    space = Space(trees, Nodes.of(maker, trees, hierarchies))
    m = claim.m if claim.negations else min(claim.m, max(space.most, 1))
    if m > _WIDEST:
        raise InputError(
            f"{maker}: m={claim.m} and a record holds {space.most} values; give m of at most {_WIDEST}"
        )
    denied = tuple(trees.classes.index(name) for name in claim.negations)
    asking = Asking(space, claim.k, m, claim.n, claim.l or 0, denied, exact=scope == "pair")
    _require_diversity(maker, asking)
    repair = None if scope is None else _REPAIRS[scope]
    return Search(asking, repair, _roots(maker, asking), PRICES[cost], seconds, patience, progress)


def _require_diversity(maker: str, asking: Asking) -> None:
    """A secret that is frequent among all records is frequent for whoever knows nothing."""
    often = int(np.bincount(asking.secrets, minlength=1).max())
    if often * asking.l > asking.space.trees.n:
        raise InfeasibleError(
            f"{maker}: l={asking.l} but one sensitive value is in {often} of {asking.space.trees.n} records; "
            f"l of at most {asking.space.trees.n // often} can be met"
        )


def _roots(maker: str, asking: Asking) -> tuple[int, ...]:
    """The roots of as many classes as can be published together; the one in most rare sets goes first."""
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
        raise InfeasibleError(f"{maker}: no class is in k={k} records; lower k or add records")
    return tuple(kept)


def _made(
    maker: str,
    trees: Trees,
    hierarchies: Hierarchies,
    claim: KMNAnonymity,
    search: Search,
    run: Callable[[], None],
) -> Result[RecodedTrees]:
    """Run a search and publish by the best cut."""
    run()
    if search.best is None:
        raise InfeasibleError(
            f"{maker}: none of {search.looked} cuts keeps the claim; lower k, m, n or l, or leave negations out"
        )
    search.progress("recoding")
    space, best = search.asking.space, search.best
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
    return Result(apply(maker, trees, hierarchies, rule), claim, trace=trace)


def _leaving(space: Space, best: Cut) -> list[tuple[Any, Any]]:
    """What is detached, as disassociations from each class that may stand above it, the highest first.

    Where it stands under the root already, what may stand below it leaves.
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
