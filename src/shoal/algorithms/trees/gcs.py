"""Greedy, All and Only Cut Search: a cut of the hierarchies, and relations given up for it (Gkountouna, Terrovitis)."""

from typing import Any

from shoal.algorithms.knobs import Many, Seconds
from shoal.algorithms.parts import TreeParts
from shoal.algorithms.trees.cut_search import (
    FOLLOWED,
    ORDERS,
    Cost,
    Follow,
    Order,
    Scope,
    all_cuts,
    greedy_cuts,
    require_width,
    run_search,
    start_search,
)
from shoal.data import Trees
from shoal.hierarchy import Hierarchies
from shoal.privacy.claim import one_of
from shoal.privacy.trees import KMNAnonymity
from shoal.progress import Progress, silent
from shoal.release import Result

__all__ = ["acs", "gcs", "ocs"]


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
    progress: Progress = silent,
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
    require_width("gcs", g)
    search = start_search(
        "gcs", trees, hierarchies, claim, scope, cost, seconds, patience, progress, put_back
    )
    return run_search(
        "gcs",
        trees,
        hierarchies,
        claim,
        search,
        lambda: greedy_cuts(search, g, one_of("order", order, ORDERS)),
    )


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
    progress: Progress = silent,
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
    search = start_search(
        "acs", trees, hierarchies, claim, scope, cost, seconds, patience, progress, put_back
    )
    return run_search(
        "acs", trees, hierarchies, claim, search, lambda: all_cuts(search, one_of("follow", follow, FOLLOWED))
    )


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
