"""Nonreciprocal recoding of baskets: a ring in Gray-TSP order, random assignments, bit voting (Xue et al.)."""

from typing import Annotated, Any

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.knobs import Many, OneOf
from shoal.algorithms.ring._kernels.assignments import (
    BACKTRACK,
    CLOSED,
    PAPER,
    extract,
    greedy_assignments,
    split,
)
from shoal.algorithms.ring._kernels.bitmaps import below, hops, randomness, shuffled
from shoal.algorithms.ring.basket_order import DIGITS, gray_tsp_order
from shoal.algorithms.ring.blocks import (
    blocks,
    check_baskets,
    check_labels,
    labels_of,
    release_blocks,
    spaced_order,
    spread,
    vote_edges,
    vote_ring,
)
from shoal.data import Baskets, Column
from shoal.data.arrays import I4, I8, take
from shoal.errors import InfeasibleError, InputError
from shoal.privacy.claim import one_of, whole
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.progress import Progress, rising, silent
from shoal.release import Bitmaps, Result

__all__ = ["WALKS", "assignments", "nonreciprocal", "ring"]


WALKS = {"closed": CLOSED, "paper": PAPER, "backtrack": BACKTRACK}


def ring(n: int, k: int) -> I4:
    """The k-regular ring: place u of the order is linked to itself and the k - 1 places behind it."""
    return ((np.arange(n)[:, None] + np.arange(k)) % n).astype(np.int32)


def assignments(edges: I4, state: I8, *, walk: str = "closed", progress: Progress = silent) -> I4:
    """Split a k-regular graph in k disjoint assignments at random: int32[k, n].

    Parameters
    ----------
    edges : int32[n, k]
        The rows that each original is linked to; every row occurs k times in all.
    state : int64
        Random state.
    walk : {"closed", "paper", "backtrack"}
        Closed walks take one assignment out of a graph of odd degree and split a graph of even degree in halves,
        so that most edges are walked only once per halving. The paper's closed walks take out one assignment after
        another, and each ends only where it began. Backtracking does that by walks that never enter an original
        twice (WMC). These two are baselines.
    """
    done: list[I4] = []
    waiting, tell = [edges], rising(progress, "drawing assignments")
    while waiting:
        graph = waiting.pop()
        tell(len(done) / edges.shape[1])
        if graph.shape[1] == 1:
            done.append(graph[:, 0])
        elif graph.shape[1] % 2 or walk != "closed":
            found, rest, _ = extract(graph, state, WALKS[walk])
            done.append(found)
            waiting.append(rest)
        else:
            waiting.extend(split(graph, state))
    return np.stack(done)


_TSP = ("greedy", "genetic", "none")
_GRAPHS = ("auto", "ring", "blocks", "greedy")
_WALKS = tuple(WALKS)


_BRITTLE = 3  # the largest k at which one known row gives away its neighbours of a labelled ring


def nonreciprocal(
    baskets: Baskets,
    claim: Nonreciprocal,
    label: Column | None = None,
    *,
    tsp: Annotated[str, OneOf(_TSP)] = "greedy",
    segment: Many = 300,
    digits: Annotated[str, OneOf(DIGITS)] = "even",
    graph: Annotated[str, OneOf(_GRAPHS)] = "auto",
    walk: Annotated[str, OneOf(_WALKS)] = "closed",
    allow: bool = False,
    minimal: bool = True,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Result[Bitmaps]:
    """Publish every basket as a vote over k similar baskets, so that every record has k rows that may be its own.

    Parameters
    ----------
    baskets : Baskets
        One basket per record.
    claim : Nonreciprocal
        Every record may belong to k rows, and every row to k records. With l, the rows that a record may belong to have
        different labels. Insiders are persons whose rows the attacker may know: blocks then have at least k + insiders
        rows.
    label : Column, optional
        A value of each record that is published beside its row.
    tsp : {"greedy", "genetic", "none"}
        How records are reordered inside a segment of the Gray order; "none" leaves it.
    segment : int
        The least number of records in a segment; the largest number is a sixth more.
    digits : {"even", "frequent", "rare", "numbered"}
        Which items are the first digits of the Gray code: those that divide the records most evenly, the most
        frequent, the rarest, or the first as numbered. Of equals the first as numbered.
    graph : {"auto", "ring", "blocks", "greedy"}
        What links records to rows. "ring" links every place of the order to itself and the k - 1 places behind it;
        with l, equal labels keep a gap in this order. "blocks" links all records to all rows of their block; with l,
        these have different labels. "greedy" is the paper's greedy assignments, for l alone; it promises k = l and
        not l. "auto" is a ring for k. It is blocks for l, where a ring costs more and gives more away, for insiders,
        and for labels at k <= 3 without `allow`.
    walk : {"closed", "paper", "backtrack"}
        How assignments are drawn. "paper" is the walk as it is printed, which ends only where it began, and
        "backtrack" the older way (WMC): both are slower, and for comparison.
    allow : bool
        Whether labels may be published on a ring with k <= 3.
    minimal : bool
        Whether blocks for l move as few records as needed. Whoever knows the method then learns from the moves, and
        tells a label with more than a chance of 1/l. With false, labels are dealt to blocks by chance, which tells
        nothing of them and loses more.
    rng : numpy.random.Generator, optional
        It is for tests and papers only: what is drawn protects people, so by default the operating system draws it.
    progress : Progress

    Returns
    -------
    Result of Bitmaps
        The proof, int[k, n], holds k disjoint assignments: the row of each original. It must stay private.

    Raises
    ------
    InputError
        Parameters are wrong; there are no records; l is given without labels; records have no label; or a ring with
        labels has k <= 3.
    InfeasibleError
        k, or k + insiders, is above the number of records; l is above the number of labels; or a label is too frequent.

    Notes
    -----
    Guarantee   The claim holds by construction. On a ring a label moves by at most k - 1 places. So labels with a gap
    of e + k - 1 still have a gap of e on the rows, whichever assignment is drawn, and at most k // l of k rows carry
    the same label. Here e = ceil(k / (k // l)), which is l for k = l. In a block no label moves out of the block.
    Without `minimal`, blocks also tell nothing of who has which of their labels: see `shoal.algorithms.ring.blocks`.
    Complexity  The Gray order takes O(items log n), and reordering takes O(segment) distances per record. The walks
    take O(n log k) edges for even k and O(n k log n) expected steps otherwise. Nothing of size n x items or n x n is
    held.
    Departures  Digits of the Gray code are ordered by how evenly items divide the records, which the paper leaves
    open; `digits` has other orders. Graphs of even degree are split by closed walks that use each edge once. From
    graphs of odd degree the paper's closed walk takes an assignment out; here it may end at any original that has no
    row yet (Goel, Kapralov, Khanna), which takes O(n log n) expected steps. `walk = "paper"` is the printed walk. A
    tied vote counts as no. The paper's l-diversity is lost when labels are transferred: "greedy" claims no more than
    holds, and rings and blocks of spaced labels replace it.
    Randomness  The order of equal baskets, the assignments, and which one of them is true, are drawn at random. If no
    labels are published, the rows do not depend on the draw.

    References
    ----------
    .. [1] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012.
    .. [2] Wong, Mamoulis, Cheung. Non-homogeneous generalization in privacy preserving data publishing. SIGMOD 2010.
    .. [3] Goel, Kapralov, Khanna. Perfect matchings in O(n log n) time in regular bipartite graphs. STOC 2010.

    Examples
    --------
    >>> twins = Baskets.of("likes", [["tea"], ["tea", "milk"], ["tea"], ["tea", "milk"]])
    >>> made = nonreciprocal(twins, Nonreciprocal(2)).release
    >>> made.errors.tolist(), made.start.tolist()
    ([1, 0, 1, 0], [0, 1, 2, 3, 5])
    """
    one_of("tsp", tsp, _TSP)
    one_of("walk", walk, _WALKS)
    one_of("digits", digits, DIGITS)
    _check(baskets, label, claim, graph)
    graph = _graph(graph, claim, label is not None, allow)
    labels = None
    if claim.l is not None and label is not None:
        labels = labels_of("nonreciprocal", label, baskets.n)
        check_labels("nonreciprocal", labels, claim.l, _allowed(graph, claim, baskets.n))
    state = randomness(rng)
    order = gray_tsp_order(
        baskets, state, tsp=tsp, segment=whole("segment", segment), digits=digits, progress=progress
    )
    if graph == "blocks":
        chance = None if minimal else shuffled(state, baskets.n)
        parts = blocks(order, claim.k + claim.insiders, labels, _most(claim), _gap(claim), chance)
        return release_blocks(baskets, parts, claim, state, _trace(baskets, parts.order, graph))
    if graph == "greedy" and labels is not None:
        return _greedy(baskets, order, labels, claim, state, walk)
    if labels is not None:
        order = spaced_order(order, labels, _gap(claim) + claim.k - 1)
    rows, proof = _drawn(ring(baskets.n, claim.k), order, state, walk, progress)
    return Result(
        vote_ring(baskets, order, claim.k, rows, progress), claim, proof, _trace(baskets, order, graph)
    )


def _check(baskets: Baskets, label: Column | None, claim: Nonreciprocal, graph: str) -> None:
    if not isinstance(claim, Nonreciprocal):
        raise refusal("nonreciprocal", claim)
    one_of("graph", graph, _GRAPHS)
    if graph == "greedy" and (claim.l != claim.k or claim.insiders):
        raise InputError("nonreciprocal: graph 'greedy' takes l alone; leave graph out for k or insiders")
    check_baskets("nonreciprocal", baskets)
    if claim.k + claim.insiders > baskets.n:
        beside = f" beside {claim.insiders} insiders" if claim.insiders else ""
        raise InfeasibleError(
            f"nonreciprocal: k={claim.k}{beside} but there are {baskets.n} baskets; lower k or add records"
        )
    if claim.l is not None and label is None:
        raise InputError(f"nonreciprocal: l={claim.l} needs labels; give a column the role sensitive")


def _graph(graph: str, claim: Nonreciprocal, labelled: bool, allow: bool) -> str:
    """Settle what "auto" is, and refuse rings that give too much away."""
    brittle = labelled and claim.k <= _BRITTLE and not allow
    if graph == "auto":
        return "blocks" if claim.insiders or claim.l is not None or brittle else "ring"
    if graph == "ring" and claim.insiders:
        raise InputError("nonreciprocal: a ring keeps nothing from insiders; leave graph out, or insiders")
    if graph in ("ring", "greedy") and brittle:
        raise InputError(
            f"nonreciprocal: on a ring with k={claim.k} whoever knows one row, for example their own by its label, can "
            "work out the labels of many others; leave graph out to publish blocks, raise k, or set allow = true"
        )
    return graph


def _allowed(graph: str, claim: Nonreciprocal, n: int) -> int:
    """How many records may have one label."""
    if graph == "greedy":
        return n
    if graph == "ring":
        return n // (_gap(claim) + claim.k - 1)
    return _most(claim) * (n // (claim.k + claim.insiders))


def _gap(claim: Nonreciprocal) -> int:
    """The gap that equal labels must keep on rows."""
    return 1 if claim.l is None else spread(claim.k, claim.l)


def _most(claim: Nonreciprocal) -> int:
    """How many of k + insiders rows may carry one label."""
    l = 1 if claim.l is None else claim.l
    return (claim.k + claim.insiders) // max(_gap(claim), l + claim.insiders)


def _drawn(edges: I4, order: I8, state: I8, walk: str, progress: Progress = silent) -> tuple[I8, I4]:
    """Draw k assignments, and the true one of them: each row's record, and each record's row in all of them."""
    found = assignments(edges, state, walk=walk, progress=progress)
    rows = np.empty(len(order), dtype=np.int64)
    rows[found[below(state, len(found))]] = order
    proof = np.empty_like(found)
    proof[:, order] = found
    return rows, proof


def _greedy(
    baskets: Baskets, order: I8, labels: I8, claim: Nonreciprocal, state: I8, walk: str
) -> Result[Bitmaps]:
    """The paper's l-diversity: greedy assignments out of the complete graph, then random ones out of their union."""
    ordered = take(baskets.start, baskets.items, order)
    edges = np.ascontiguousarray(greedy_assignments(*ordered, labels[order], claim.k, state).T)
    rows, proof = _drawn(edges, order, state, walk)
    after = np.sort(labels[rows][proof], axis=0)
    kept = float((np.diff(after, axis=0) > 0).all(axis=0).mean())
    trace = _trace(baskets, order, "greedy") | {"kept": kept}
    return Result(vote_edges(baskets, order, edges, rows), Nonreciprocal(claim.k), proof, trace)


def _trace(baskets: Baskets, order: I8, graph: str) -> dict[str, Any]:
    return {"graph": graph, "hop": float(hops(baskets.start, baskets.items, order).mean())}
