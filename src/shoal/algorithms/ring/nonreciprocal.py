"""Rows voted by similar baskets: nonreciprocal recoding (Xue et al.), and CAHD (Ghinita, Tao, Kalnis) beside it.

In nonreciprocal recoding links are a ring in Gray-TSP order, from which assignments are drawn at random, or blocks of
equal rows: a person in a block may be behind any of its rows, whatever is known of the others.

Labels keep a gap along an order, so that they stay different wherever they travel, or are dealt to blocks by chance, so
that whoever knows the method learns nothing from who shares a block with whom. Moving records until labels differ tells
of the labels: a record that lies far from its like was moved, and the record whose place it left has the label that
stood in the way. So the order is cut in segments of several blocks without a look at labels, and inside a segment the
records of each label are dealt to blocks in random order. Of all ways in which a block's labels could be spread over
its people, each is then as likely as every other.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import scipy  # its parts come when they are used

from shoal.algorithms.constraint import refusal
from shoal.algorithms.knobs import Many, OneOf
from shoal.algorithms.ring._kernels.bitmaps import (
    BACKTRACK,
    CLOSED,
    PAPER,
    below,
    extract,
    greedy_assignments,
    hops,
    random_permutation,
    randomness,
    split_edges,
    vote,
)
from shoal.algorithms.ring._kernels.orders import (
    cahd_groups,
    dealt,
    insert_apart,
    is_spaced,
    queue_apart,
    rearrange_blocks,
)
from shoal.algorithms.ring.basket_order import DIGITS, band_order, gray_order, gray_tsp_order, rank_digits
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, no_progress, poll_kernel, start_step
from shoal.data import Baskets, Column
from shoal.data.arrays import F8, I4, I8, prefix_sums, row_of_entry, take_rows
from shoal.privacy.claim import check_choice, check_whole_number
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.release import Result, VotedBaskets

__all__ = ["_draw_assignments", "_ring_graph", "cahd", "chain_starts", "nonreciprocal"]


def _check_baskets(method: str, baskets: Baskets) -> None:
    """Refuse data that a vote cannot publish."""
    if not baskets.n:
        raise InputError(f"{method}: there are no records; give at least one basket")
    if baskets.sensitive:
        raise InputError(
            f"{method}, column '{baskets.name}': it names sensitive items, which a vote publishes like all others; "
            "make them a label column, or use a method for l^m-diversity"
        )


def _label_codes(method: str, label: Column, n: int) -> I8:
    """The label of each record as codes 0, 1, ... that all occur, in the order of their texts and not of the file."""
    if len(label.codes) != n:
        raise InputError(f"{method}: {len(label.codes)} labels for {n} records; give every record one")
    is_missing = np.array([value is None for value in label.values], dtype=bool)[label.codes]
    if is_missing.any():
        raise InputError(
            f"{method}, column '{label.name}': {is_missing.sum()} records, first record "
            f"{is_missing.argmax() + 1}, have no label, "
            "which counts as no label of its own; give them one, such as 'unknown', or leave them out"
        )
    present = np.unique(label.codes).tolist()
    code_of_label = np.zeros(len(label.values), dtype=np.int64)
    code_of_label[sorted(present, key=lambda code: str(label.values[code]))] = np.arange(len(present))
    return np.asarray(code_of_label[label.codes])


def _check_labels(method: str, labels: I8, l: int, allowed: int) -> None:
    """Refuse labels that are too few or too frequent; the message names numbers, never a label."""
    count = np.bincount(labels)
    if l > len(count):
        raise InfeasibleError(f"{method}: l={l} but there are {len(count)} different labels; lower l")
    if count.max() > allowed:
        raise InfeasibleError(
            f"{method}: the most frequent label is on {count.max()} of {len(labels)} records, and at most {allowed} "
            "may have one label; lower k, l or insiders, or leave some of these records out"
        )


def _space_labels(order: I8, labels: I8, gap: int) -> I8:
    """The order with as few records moved as needed so that equal labels keep the gap around the circle.

    A record waits until the last record with its label is far enough behind. Records that find no place go to gaps
    further back. If that fails too, records are placed label by label, even far from similar ones. No label may be on
    more than n // gap records.
    """
    ordered_labels = labels[order]
    count = int(labels.max()) + 1
    positions, unplaced = queue_apart(ordered_labels, count, gap)
    for label in np.unique(ordered_labels[unplaced]):
        if len(positions):
            waiting = unplaced[ordered_labels[unplaced] == label]
            positions = insert_apart(ordered_labels, positions, waiting, gap)
    if len(positions) < len(ordered_labels) or not is_spaced(ordered_labels[positions], gap):
        positions, _ = dealt(ordered_labels, count, len(ordered_labels) // gap)
    return np.asarray(order[positions])


_LEAST = 4  # blocks of a segment
_RARE = 0.01  # the chance that a segment has too many of one label


def _deal_blocks(order: I8, start: I8, labels: I8, most: int, chance: I8) -> tuple[I8, I8]:
    """Deal records to blocks: the order by blocks, and where blocks start.

    Parameters
    ----------
    order, start : int64[n], int64[blocks + 1]
        Blocks along an order that does not depend on labels; only their number and places are used.
    labels : int64[n]
        The label of each record.
    most : int
        A label is on at most so many records of a block; on at most most * blocks in all.
    chance : int64[n]
        A uniform permutation of the records.

    Examples
    --------
    >>> order, start = _deal_blocks(np.arange(4), np.array([0, 2, 4]), np.array([0, 0, 1, 1]), 1, np.arange(4))
    >>> order.tolist(), start.tolist()
    ([0, 2, 1, 3], [0, 2, 4])
    """
    ordered_labels = labels[order]
    first_blocks = _segment_starts(ordered_labels, start, most)
    segment_of_row = row_of_entry(start[first_blocks])
    # Segment by segment, label by label, then by chance.
    by_label = np.lexsort((chance[order], ordered_labels, segment_of_row))
    turn = np.arange(len(order)) - start[first_blocks][segment_of_row]
    block = first_blocks[segment_of_row] + turn % np.diff(first_blocks)[segment_of_row]
    inside = by_label[np.argsort(block, kind="stable")]
    return order[inside], prefix_sums(np.bincount(block, minlength=len(start) - 1))


def _segment_starts(labels: I8, start: I8, most: int) -> I8:
    """The first blocks of segments, and behind them the number of blocks: int64[segments + 1].

    How many blocks a segment has follows from how frequent labels are, which is public. A segment in which a label is
    on more than most * blocks records is joined with its neighbour.
    """
    blocks, count = len(start) - 1, int(labels.max()) + 1
    segment_size = _blocks_per_segment(np.bincount(labels) / len(labels), len(labels) / blocks, most, blocks)
    first_blocks: I8 = np.r_[np.arange(max(blocks // segment_size, 1)) * segment_size, blocks]
    while True:
        sizes, segment_of_row = np.diff(first_blocks), row_of_entry(start[first_blocks])
        pair, label_counts = np.unique(segment_of_row * count + labels, return_counts=True)
        crowded = np.unique(pair[label_counts > most * sizes[pair // count]] // count)
        if not len(crowded):
            return first_blocks
        first_blocks = np.delete(first_blocks, np.where(crowded + 1 < len(sizes), crowded + 1, crowded))


def _blocks_per_segment(share: F8, size: float, most: int, blocks: int) -> int:
    """The blocks of a segment: so many that a label is seldom on more records than it has room for."""
    block_count = _LEAST
    while block_count < blocks:
        if scipy.special.bdtrc(most * block_count, int(size * block_count), share).sum() <= _RARE:
            return block_count
        block_count *= 2
    return blocks


# Rows published by bit voting, over windows of places or over blocks.

_AT_ONCE = 1 << 17  # preimages listed at once


def _vote_ring(
    baskets: Baskets, order: I8, k: int, rows: I8, progress: Progress = no_progress
) -> VotedBaskets:
    """Row j is voted by the k places of the order that end with j; `rows` tells whose label each row carries."""
    tell = start_step(progress, "voting")

    def windows() -> Iterator[I8]:
        n = baskets.n
        step = max(1, _AT_ONCE // k)
        for first_row in range(0, n, step):
            tell(first_row / n)
            yield order[(np.arange(first_row, min(first_row + step, n))[:, None] - np.arange(k)) % n]

    return _vote_windows(baskets, windows(), rows)


def _vote_blocks(baskets: Baskets, order: I8, start: I8, place: I8, rows: I8) -> VotedBaskets:
    """Every row of a block is voted by the whole block; row place[u] stands for place u of the order."""
    item_start, items, doubt_start, maybe, errors = vote(
        baskets.start, baskets.items, len(baskets.values), start, order
    )
    block = np.empty(baskets.n, dtype=np.int64)
    block[place] = row_of_entry(start)
    return VotedBaskets(
        baskets.values,
        *take_rows(item_start, items, block),
        *take_rows(doubt_start, maybe, block),
        errors[block],
        rows,
        baskets.n,
    )


def _vote_windows(baskets: Baskets, windows: Iterator[I8], rows: I8) -> VotedBaskets:
    """Vote over the rows of int64[m, k] arrays of records, and join what comes out."""
    parts = []
    for window in windows:
        starts = np.arange(0, window.size + 1, window.shape[1])
        parts.append(vote(baskets.start, baskets.items, len(baskets.values), starts, window.ravel()))
    item_starts, items, doubt_starts, maybe, errors = zip(*parts, strict=True)
    return VotedBaskets(
        baskets.values,
        chain_starts(item_starts),
        np.concatenate(items),
        chain_starts(doubt_starts),
        np.concatenate(maybe),
        np.concatenate(errors),
        rows,
        baskets.n,
    )


def chain_starts(starts: Sequence[I8]) -> I8:
    """The starts of lists one behind the other."""
    return np.cumsum(np.concatenate([[0], *map(np.diff, starts)]), dtype=np.int64)


def _cut_blocks(
    order: I8, size: int, labels: I8 | None, most: int, gap: int, chance: I8 | None = None
) -> tuple[I8, I8]:
    """Cut the order in blocks of `size` records or a few more, with no label on more than `most` of any block.

    Returns an order, and where its blocks start: block b is order[start[b] : start[b + 1]].

    Around the circle of a block, equal labels keep the `gap`. The caller has made sure that such blocks exist:
    no label is on more than most * (n // size) records. By `chance`, a uniform permutation of the records, labels are
    dealt so that blocks tell nothing of them; None moves as few records as needed, which does.
    """
    n = len(order)
    start = np.arange(n // size + 1) * n // (n // size)  # sizes differ by one at most
    if labels is None:
        return order, start
    count, largest = int(labels.max()) + 1, int(np.diff(start).max())
    distance = -(-largest // most)  # in so many places in a row a label then is at most `most` times
    if chance is not None:
        order, start = _deal_blocks(order, start, labels, most, chance)
    elif np.bincount(labels).max() * distance <= n:
        order = _space_labels(order, labels, distance)
    else:
        positions, start = dealt(labels[order], count, n // size)
        order = order[positions]
    return order[rearrange_blocks(labels[order], count, start, gap)], start


def _release_blocks(
    baskets: Baskets, order: I8, start: I8, claim: Nonreciprocal, state: I8, trace: dict[str, Any]
) -> Result[VotedBaskets]:
    """Publish blocks of equal rows, each voted by its whole block, its labels under a uniform permutation.

    The k assignments of the proof rotate each block, whose order keeps the gap between equal labels.
    """
    n, block = baskets.n, row_of_entry(start)
    permutation = random_permutation(state, n)
    # Uniform in each block: where each place's row stands.
    row_of_position = permutation[np.argsort(block[permutation], kind="stable")]
    rows = np.empty(n, dtype=np.int64)
    rows[row_of_position] = order
    first_row, size = start[block], np.diff(start)[block]
    turns = first_row + (np.arange(n) - first_row + np.arange(claim.k)[:, None]) % size
    proof = np.empty((claim.k, n), dtype=np.int32)
    proof[:, order] = row_of_position[turns]
    return Result(_vote_blocks(baskets, order, start, row_of_position, rows), claim, proof, trace)


WALKS = {"closed": CLOSED, "paper": PAPER, "backtrack": BACKTRACK}


def _ring_graph(n: int, k: int) -> I4:
    """The k-regular ring: place u of the order is linked to itself and the k - 1 places behind it."""
    return ((np.arange(n)[:, None] + np.arange(k)) % n).astype(np.int32)


def _draw_assignments(edges: I4, state: I8, *, walk: str = "closed", progress: Progress = no_progress) -> I4:
    """Split a k-regular graph in k disjoint assignments at random: int32[k, n].

    `edges`, int32[n, k], are the rows that each original is linked to; every row occurs k times in all. By `walk`,
    closed walks take one assignment out of a graph of odd degree and split a graph of even degree in halves, so that
    most edges are walked only once per halving. The paper's closed walks take out one assignment after another, and
    each ends only where it began. Backtracking does that by walks that never enter an original twice (WMC). These two
    are baselines.
    """
    drawn_assignments: list[I4] = []
    pending, tell = [edges], start_step(progress, "drawing assignments")
    while pending:
        graph = pending.pop()
        tell(len(drawn_assignments) / edges.shape[1])
        if graph.shape[1] == 1:
            drawn_assignments.append(graph[:, 0])
        elif graph.shape[1] % 2 or walk != "closed":
            assignment, remainder, _ = extract(graph, state, WALKS[walk])
            drawn_assignments.append(assignment)
            pending.append(remainder)
        else:
            pending.extend(split_edges(graph, state))
    return np.stack(drawn_assignments)


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
    progress: Progress = no_progress,
) -> Result[VotedBaskets]:
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
    Without `minimal`, blocks also tell nothing of who has which of their labels: see
    `shoal.algorithms.ring.nonreciprocal`.
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
    check_choice("tsp", tsp, _TSP)
    check_choice("walk", walk, _WALKS)
    check_choice("digits", digits, DIGITS)
    _check_request(baskets, label, claim, graph)
    graph = _choose_graph(graph, claim, label is not None, allow)
    labels = None
    if claim.l is not None and label is not None:
        labels = _label_codes("nonreciprocal", label, baskets.n)
        _check_labels("nonreciprocal", labels, claim.l, _label_limit(graph, claim, baskets.n))
    state = randomness(rng)
    order = gray_tsp_order(
        baskets,
        state,
        tsp=tsp,
        segment=check_whole_number("segment", segment),
        digits=digits,
        progress=progress,
    )
    if graph == "blocks":
        chance = None if minimal else random_permutation(state, baskets.n)
        order, start = _cut_blocks(
            order, claim.k + claim.insiders, labels, _labels_per_block(claim), _label_gap(claim), chance
        )
        return _release_blocks(baskets, order, start, claim, state, _make_trace(baskets, order, graph))
    if graph == "greedy" and labels is not None:
        return _release_greedy(baskets, order, labels, claim, state, walk)
    if labels is not None:
        order = _space_labels(order, labels, _label_gap(claim) + claim.k - 1)
    rows, proof = _draw_rows(_ring_graph(baskets.n, claim.k), order, state, walk, progress)
    return Result(
        _vote_ring(baskets, order, claim.k, rows, progress), claim, proof, _make_trace(baskets, order, graph)
    )


def _check_request(baskets: Baskets, label: Column | None, claim: Nonreciprocal, graph: str) -> None:
    if not isinstance(claim, Nonreciprocal):
        raise refusal("nonreciprocal", claim)
    check_choice("graph", graph, _GRAPHS)
    if graph == "greedy" and (claim.l != claim.k or claim.insiders):
        raise InputError("nonreciprocal: graph 'greedy' takes l alone; leave graph out for k or insiders")
    _check_baskets("nonreciprocal", baskets)
    if claim.k + claim.insiders > baskets.n:
        insider_words = f" beside {claim.insiders} insiders" if claim.insiders else ""
        raise InfeasibleError(
            f"nonreciprocal: k={claim.k}{insider_words} but there are {baskets.n} baskets; lower k or add records"
        )
    if claim.l is not None and label is None:
        raise InputError(f"nonreciprocal: l={claim.l} needs labels; give a column the role sensitive")


def _choose_graph(graph: str, claim: Nonreciprocal, labelled: bool, allow: bool) -> str:
    """Settle what "auto" is, and refuse rings that give too much away."""
    brittle = labelled and claim.k <= _BRITTLE and not allow
    if graph == "auto":
        return "blocks" if claim.insiders or claim.l is not None or brittle else "ring"
    if graph == "ring" and claim.insiders:
        raise InputError("nonreciprocal: a ring keeps nothing from insiders; leave graph out, or insiders")
    if graph in ("ring", "greedy") and brittle:
        raise InputError(
            f"nonreciprocal: on a ring with k={claim.k} anyone who knows one row, for example their own by "
            f"its label, can "
            "work out the labels of many others; leave graph out to publish blocks, raise k, or set allow = true"
        )
    return graph


def _label_limit(graph: str, claim: Nonreciprocal, n: int) -> int:
    """How many records may have one label."""
    if graph == "greedy":
        return n
    if graph == "ring":
        return n // (_label_gap(claim) + claim.k - 1)
    return _labels_per_block(claim) * (n // (claim.k + claim.insiders))


def _label_gap(claim: Nonreciprocal) -> int:
    """The gap that equal labels must keep on rows so that of any k neighbours at most k // l have one label."""
    return 1 if claim.l is None else -(-claim.k // (claim.k // claim.l))


def _labels_per_block(claim: Nonreciprocal) -> int:
    """How many of k + insiders rows may carry one label."""
    l = 1 if claim.l is None else claim.l
    return (claim.k + claim.insiders) // max(_label_gap(claim), l + claim.insiders)


def _draw_rows(edges: I4, order: I8, state: I8, walk: str, progress: Progress = no_progress) -> tuple[I8, I4]:
    """Draw k assignments, and the true one of them: each row's record, and each record's row in all of them."""
    matchings = _draw_assignments(edges, state, walk=walk, progress=progress)
    rows = np.empty(len(order), dtype=np.int64)
    rows[matchings[below(state, len(matchings))]] = order
    proof = np.empty_like(matchings)
    proof[:, order] = matchings
    return rows, proof


def _release_greedy(
    baskets: Baskets, order: I8, labels: I8, claim: Nonreciprocal, state: I8, walk: str
) -> Result[VotedBaskets]:
    """The paper's l-diversity: greedy assignments out of the complete graph, then random ones out of their union."""
    ordered = take_rows(baskets.start, baskets.items, order)
    edges = np.ascontiguousarray(greedy_assignments(*ordered, labels[order], claim.k, state).T)
    rows, proof = _draw_rows(edges, order, state, walk)
    sorted_labels = np.sort(labels[rows][proof], axis=0)
    diverse_share = float((np.diff(sorted_labels, axis=0) > 0).all(axis=0).mean())
    trace = _make_trace(baskets, order, "greedy") | {"kept": diverse_share}
    # The places linked to each row.
    voters = np.argsort(edges.ravel(), kind="stable").reshape(edges.shape) // claim.k
    return Result(_vote_windows(baskets, iter([order[voters]]), rows), Nonreciprocal(claim.k), proof, trace)


def _make_trace(baskets: Baskets, order: I8, graph: str) -> dict[str, Any]:
    return {"graph": graph, "hop": float(hops(baskets.start, baskets.items, order).mean())}


_ORDERS = ("gray", "band")


def cahd(
    baskets: Baskets,
    claim: Nonreciprocal,
    label: Column | None = None,
    *,
    order: Annotated[str, OneOf(_ORDERS)] = "gray",
    alpha: Many = 3,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[VotedBaskets]:
    """Group every record with l - 1 similar ones of other labels, and publish each group by a vote.

    Parameters
    ----------
    baskets : Baskets
        One basket per record.
    claim : Nonreciprocal
        No label is on more than one in l rows of a group; the papers call l p. The k of the claim is l.
    label : Column
        A value of each record, published beside its row, that must not be linked to it.
    order : {"gray", "band"}
        The order in which similar records are looked for: Gray codes, or a band matrix (small data only).
    alpha : int
        alpha * l records on either side are candidates for a group.
    rng : numpy.random.Generator, optional
        For tests and papers only; by default the operating system draws what protects people.
    progress : Progress

    Returns
    -------
    Result of Bitmaps
        The proof, int[l, n], holds l disjoint assignments: the row of each original. It must stay private.

    Raises
    ------
    InputError
        Parameters are wrong; there are no records, or records without label, or too many records for a band matrix.
    InfeasibleError
        l is above the number of labels, or a label is on more than n / l records.

    Notes
    -----
    Guarantee   The claim holds, with k = l: groups have l records and l labels. The last group holds all records that
    are left over, and no label is on more than one in l of them.
    Complexity  O(alpha l) comparisons per record, after sorting.
    Departures  A group is taken only if what remains without it can still be a group. The printed test looks at
    what remains before the group is taken, so it can never fail. Candidates are sought among the nearest 64 alpha l
    records. The original CAHD publishes items as they are; here rows are voted, as Xue et al. do for their comparison.
    Randomness  The order of equal baskets, and which row of its group belongs to whom, are drawn at random.

    References
    ----------
    .. [1] Ghinita, Tao, Kalnis. On the anonymization of sparse high-dimensional data. ICDE 2008.
    .. [2] Ghinita, Kalnis, Tao. Anonymous publication of sensitive transactional data. TKDE 23(2), 2011.
    .. [3] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012, Sec. 5.

    Examples
    --------
    >>> likes = Baskets.of("likes", [["tea"], ["tea"], ["ale"], ["ale", "rum"]])
    >>> faith = Column.of("faith", "sensitive", ["a", "b", "a", "b"])
    >>> sorted(cahd(likes, Nonreciprocal(2, l=2), faith).release.errors.tolist())
    [0, 0, 1, 1]
    """
    check_choice("order", order, _ORDERS)
    _check_baskets("cahd", baskets)
    if not isinstance(claim, Nonreciprocal) or claim.l is None:
        raise refusal("cahd", claim)
    l = claim.l
    if claim.k > l or claim.insiders:
        raise InputError(
            "cahd: groups of l records keep k = l and no insiders; leave k out, or use nonreciprocal"
        )
    if label is None:
        raise InputError(f"cahd: l={l} needs labels; give a column the role sensitive")
    labels = _label_codes("cahd", label, baskets.n)
    _check_labels("cahd", labels, l, baskets.n // l)
    state = randomness(rng)
    progress("ordering baskets")
    base_order = (
        band_order(baskets)
        if order == "band"
        else gray_order(baskets, rank_digits(baskets), random_permutation(state, baskets.n))
    )
    count, progress_count = int(labels.max()) + 1, np.zeros(1, dtype=np.int64)
    ordered = take_rows(baskets.start, baskets.items, base_order)
    with poll_kernel(start_step(progress, "grouping baskets"), lambda: progress_count[0] / baskets.n):
        group, groups = cahd_groups(
            *ordered, labels[base_order], count, l, check_whole_number("alpha", alpha), progress_count
        )
    inside = np.argsort(group, kind="stable")
    start = prefix_sums(np.bincount(group, minlength=groups))
    grouped = base_order[inside]
    grouped = grouped[rearrange_blocks(labels[grouped], count, start, l)]
    trace = {"graph": "groups", "groups": groups, "last": int(start[-1] - start[-2])}
    hop = {"hop": float(hops(baskets.start, baskets.items, base_order).mean())}
    return _release_blocks(baskets, grouped, start, claim, state, trace | hop)
