"""Loops over the lattice: what a node's classes cost, the best nodes of all, and how far suppression reaches."""

from typing import NamedTuple

import numpy as np

from shoal._kernels import njit, njit_inner, resize, sum_values
from shoal.algorithms._kernels import TupleLayout, generalize_table, mask_words, number_tuples
from shoal.data.arrays import F8, I4, I8

__all__ = [
    "AECS",
    "ARITHMETIC",
    "CE",
    "C_AVG",
    "DM",
    "DM_STAR",
    "GEOMETRIC",
    "HEIGHT",
    "Extras",
    "Prices",
    "find_reach",
    "find_reaches",
    "list_k_steps",
    "node_classes",
    "node_loss",
    "note_cheapest",
    "quantize_loss",
    "sweep_lattice",
]

# What one node of the lattice gives: every k it can serve, what that suppresses, what it costs.
#
# words   : int64[W, n]   the classes of the node, packed (see `group`)
# sizes   : int64[n]      records of each class
# heads   : int64[n]      persons of each class: what is compared with k
# errors  : int64[n]      records of each class outside its majority label; read for `ce` only
# levels  : int64[d]      the node

ARITHMETIC, GEOMETRIC, HEIGHT, DM, DM_STAR, AECS, C_AVG, CE = range(8)


class Prices(NamedTuple):
    """A loss as numbers. Whole sums are kept as integers, so a loss does not depend on how it was reached.

    kind  : which formula (the constants above)
    n     : records
    k     : the k that `C_AVG` divides by
    cost  : int64[...], laid out as `Layout.places`: what one record costs at a place of a column and level
    total : int64[d, levels]   `cost` summed over all records
    top   : int64[d]           the cost that counts as 1 in column j
    share : float64[d]         the column's weight
    """

    kind: int
    n: int
    k: int
    cost: I8
    total: I8
    top: I8
    share: F8


class Extras(NamedTuple):
    """Bit masks, int64[W], for tuples that hold more than quasi-identifiers; empty arrays where they do not.

    quasi  : the quasi-identifiers alone; empty when every tuple is a class
    person : the quasi-identifiers and the person
    target : the quasi-identifiers and the label that `ce` predicts
    """

    quasi: I8
    person: I8
    target: I8


@njit
def quantize_loss(loss: float) -> float:
    """The loss at twelve decimals, as a whole number: losses that are mathematically equal tie."""
    return float(np.floor(loss * 1e12 + 0.5))


@njit
def node_classes(words: I8, counts: I8, extras: Extras) -> tuple[I8, I8, I8, I8]:
    """The classes of a node whose table may be split further by person or label: words, sizes, heads, errors."""
    if len(extras.quasi) == 0:
        return words, counts, counts, counts
    quasi = mask_words(words, extras.quasi)
    class_of, class_count = number_tuples(quasi)
    united = np.empty((words.shape[0], class_count), dtype=np.int64)
    sizes = np.zeros(class_count, dtype=np.int64)
    for i in range(len(counts)):
        for w in range(words.shape[0]):
            united[w, class_of[i]] = quasi[w, i]
        sizes[class_of[i]] += counts[i]
    heads, errors = sizes, sizes
    if len(extras.person):
        heads = np.zeros(class_count, dtype=np.int64)
        part, parts = number_tuples(mask_words(words, extras.person))
        person_count = 0
        for i in range(len(counts)):
            if part[i] == person_count:
                heads[class_of[i]] += 1
                person_count += 1
    if len(extras.target):
        part, parts = number_tuples(mask_words(words, extras.target))
        votes = np.zeros(parts, dtype=np.int64)
        most = np.zeros(class_count, dtype=np.int64)
        for i in range(len(counts)):
            votes[part[i]] += counts[i]
            most[class_of[i]] = max(most[class_of[i]], votes[part[i]])
        errors = sizes - most
    return united, sizes, heads, errors


@njit_inner
def node_loss(levels: I8, sums: I8, gone: int, kept: int, squares: int, wrong: int, prices: Prices) -> float:
    """One loss: `sums` int64[d] costs of the kept records, `gone` suppressed records, `kept` classes.

    `squares` is the sum of squared class sizes (of kept classes; of all for DM*), `wrong` the kept
    records outside their class's majority.
    """
    n = prices.n
    if prices.kind == ARITHMETIC:
        loss = 0.0
        for j in range(len(levels)):
            loss += prices.share[j] * ((sums[j] / prices.top[j] + gone) / n)
        return loss
    if prices.kind == GEOMETRIC:
        loss = 1.0
        for j in range(len(levels)):
            loss *= 1.0 + (sums[j] / prices.top[j] + gone) / n
        return float(loss ** (1.0 / len(levels)) - 1.0)
    if prices.kind == HEIGHT:
        height = 0
        for level in levels:
            height += level
        return float(height)
    if prices.kind == DM:
        return float(squares + n * gone)
    if prices.kind == DM_STAR:
        return float(squares)
    if prices.kind == AECS:
        return n / (kept + (1 if gone > 0 else 0))
    if prices.kind == C_AVG:
        return n / (kept * prices.k)
    return (wrong + gone) / n


@njit_inner
def find_reach(sizes: I8, heads: I8, allowance: int) -> int:
    """The largest k whose classes below k hold at most `allowance` records."""
    limit = 1 << 62
    records = np.zeros(allowance + 1, dtype=np.int64)  # by head count: a class has no more heads than records
    for c in range(len(sizes)):
        if sizes[c] > allowance:  # never suppressed, so no k goes beyond its heads
            limit = min(limit, heads[c])
        else:
            records[heads[c]] += sizes[c]
    below = 0
    for k in range(min(limit, allowance + 1)):
        below += records[k]
        if below > allowance:
            return k
    return limit


@njit_inner
def _sort_small_classes(heads: I8, reach: int) -> I8:
    """The classes with fewer than `reach` heads, smallest first: a counting sort."""
    small = np.empty(len(heads), dtype=np.int64)
    small_count, most = 0, 0
    for c in range(len(heads)):
        if heads[c] < reach:
            small[small_count] = c
            small_count += 1
            most = max(most, heads[c])
    start = np.zeros(most + 2, dtype=np.int64)
    for i in range(small_count):
        start[heads[small[i]] + 1] += 1
    for h in range(most + 1):
        start[h + 1] += start[h]
    order = np.empty(small_count, dtype=np.int64)
    for i in range(small_count):
        h = heads[small[i]]
        order[start[h]] = small[i]
        start[h] += 1
    return order


@njit_inner
def _sum_classes(sizes: I8, errors: I8, prices: Prices) -> tuple[int, int]:
    """Sums over all classes: squared sizes, and records outside the majority; only what the loss reads."""
    squares, wrong = 0, 0
    if prices.kind == DM or prices.kind == DM_STAR:
        for size in sizes:
            squares += size * size
    if prices.kind == CE:
        for error in errors:
            wrong += error
    return squares, wrong


@njit
def list_k_steps(
    table: tuple[I8, I8, I8, I8], levels: I8, allowance: int, layout: TupleLayout, prices: Prices
) -> tuple[I8, I8, F8]:
    """Every k worth asking of the node: (k rising, records suppressed at it, loss at it).

    A k between two head counts suppresses what the next larger one does, so only head counts are listed;
    the last one is the largest k within the allowance.
    """
    words, sizes, heads, errors = table
    d = len(levels)
    reach = find_reach(sizes, heads, allowance)
    order = _sort_small_classes(heads, reach)
    sums = np.empty(d, dtype=np.int64)
    for j in range(d):
        sums[j] = prices.total[j, levels[j]]
    squares, wrong = _sum_classes(sizes, errors, prices)
    ks = np.empty(len(order) + 1, dtype=np.int64)
    gone_at = np.empty(len(order) + 1, dtype=np.int64)
    loss = np.empty(len(order) + 1, dtype=np.float64)
    gone, kept_count, steps = 0, len(sizes), 0
    for i in range(len(order) + 1):
        k = reach if i == len(order) else heads[order[i]]
        if i == 0 or k > ks[steps - 1]:
            ks[steps], gone_at[steps] = k, gone
            loss[steps] = node_loss(levels, sums, gone, kept_count, squares, wrong, prices)
            steps += 1
        if i < len(order):
            c = order[i]
            gone += sizes[c]
            kept_count -= 1
            if prices.kind == CE:
                wrong -= errors[c]
            if prices.kind == DM:
                squares -= sizes[c] * sizes[c]
            if prices.kind <= GEOMETRIC:
                for j in range(d):
                    code = (words[layout.word[j], c] >> layout.shift[j]) & layout.mask[j]
                    sums[j] -= sizes[c] * prices.cost[layout.at[j, levels[j]] + code]
    return ks[:steps], gone_at[:steps], loss[:steps]


# The whole lattice in one pass: every node's table is rolled up from the node one level below it.
#
# The walk goes depth first and raises columns in a fixed order, so only the tables on the way from the
# bottom to the current node are held: memory is bounded by their sizes, not by the lattice.
#
# heights : int64[d]      level of each column's root
# stride  : int64[d]      a node's number is sum(levels * stride); smaller numbers are smaller level vectors
# order   : int64[d]      columns, the one raised in the outermost loop first


@njit
def note_cheapest(rungs: tuple[I8, I8, F8], first: int, node: int, least: F8, where: I8, gone: I8) -> None:
    """Note each rung from `first` on that is the cheapest of its k so far; of equal losses the smaller node stays."""
    ks, suppressed, loss = rungs
    for i in range(first, len(ks)):
        k = ks[i]
        new, old = quantize_loss(loss[i]), quantize_loss(least[k])
        if new < old or (new == old and node < where[k]):
            least[k], where[k], gone[k] = loss[i], node, suppressed[i]


@njit_inner
def _ensure_room(flat: I8, needed: int) -> I8:
    """The same numbers with room for `needed`."""
    wide: I8 = flat if needed <= len(flat) else resize(flat, 2 * needed)
    return wide


@njit_inner
def _compact_rows(flat: I8, start: int, wide: int, narrow: int, rows: int) -> None:
    """Move rows of length `wide` together so that each holds its first `narrow` numbers."""
    for w in range(1, rows):
        for i in range(narrow):
            flat[start + w * narrow + i] = flat[start + w * wide + i]


@njit
def sweep_lattice(
    words: I8,
    counts: I8,
    lattice: tuple[I8, I8, I8],
    layout: TupleLayout,
    extras: Extras,
    prices: Prices,
    allowance: int,
    per_node: bool,
    done: I8,
) -> tuple[F8, I8, I8]:
    """The cheapest node for every k: (loss, node, suppressed), each indexed by k = 0 .. n, inf where none.

    `done`, int64[1], shows how many nodes are evaluated already.
    """
    heights, stride, order = lattice
    d, rows, n = len(heights), words.shape[0], len(counts)
    least = np.full(prices.n + 1, np.inf)
    node_of_k = np.full(prices.n + 1, 2**63 - 1, dtype=np.int64)
    gone = np.zeros(prices.n + 1, dtype=np.int64)
    deepest = sum_values(heights) + 1
    size, start = np.zeros(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    came, turn = np.zeros(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    levels, keep = np.zeros(d, dtype=np.int64), np.full(rows, -1, dtype=np.int64)
    flat, tally = np.empty(4 * rows * n, dtype=np.int64), np.empty(4 * n, dtype=np.int64)
    for i in range(n):
        for w in range(rows):
            flat[w * n + i] = words[w, i]
        tally[i] = counts[i]
    size[0] = n
    depth, node, fresh = 0, 0, True
    while depth >= 0:
        m, a = size[depth], start[depth]
        if fresh:
            table = node_classes(flat[rows * a : rows * (a + m)].reshape((rows, m)), tally[a : a + m], extras)
            rungs = list_k_steps(table, levels, allowance, layout, prices)
            note_cheapest(rungs, len(rungs[0]) - 1 if per_node else 0, node, least, node_of_k, gone)
            done[0] += 1
        p = turn[depth]
        while p < d and levels[order[p]] == heights[order[p]]:
            p += 1
        if p == d:
            if depth > 0:
                levels[order[came[depth]]] -= 1
                node -= stride[order[came[depth]]]
            depth -= 1
            fresh = False
            continue
        turn[depth] = p + 1
        depth += 1
        came[depth] = turn[depth] = p
        levels[order[p]] += 1
        node += stride[order[p]]
        b = a + m
        flat, tally = _ensure_room(flat, rows * (b + m)), _ensure_room(tally, b + m)
        below = flat[rows * a : rows * b].reshape((rows, m))
        above = flat[rows * b : rows * (b + m)].reshape((rows, m))
        g = generalize_table(
            below, tally[a:b], keep, order[p], levels[order[p]], layout, above, tally[b : b + m]
        )
        _compact_rows(flat, rows * b, m, g, rows)
        start[depth], size[depth] = b, g
        fresh = True
    return least, node_of_k, gone


# How far nodes reach, each counted straight from the tuples: one pass a node, and no table of a node is kept.
#
# codes  : int32[r, n]   row r holds one column at one level: the group of every tuple, numbered from 0
# width  : int64[r]      how many groups row r has
# counts : int64[n]      how many records each tuple stands for
# nodes  : int64[m, d]   the rows that make up a node, -1 for a column at its root; nodes that begin alike in a row


@njit_inner
def _split_cells(cells: I4, codes: I4, width: int, finer: I4) -> None:
    """Number the cells of one more column."""
    wide = np.int32(width)
    for i in range(len(cells)):
        finer[i] = cells[i] * wide + codes[i]


@njit_inner
def _renumber_cells(cells: I4, numbers: I8) -> int:
    """Number cells anew, in place, without those that no tuple is in; return how many are left."""
    for c in range(len(numbers)):
        numbers[c] = -1
    cell_count = 0
    for i in range(len(cells)):
        if numbers[cells[i]] < 0:
            numbers[cells[i]] = cell_count
            cell_count += 1
        cells[i] = numbers[cells[i]]
    return cell_count


@njit
def find_reaches(codes: I4, width: I8, counts: I8, nodes: I8, allowance: int) -> I8:
    """The largest k that each node serves with at most `allowance` records suppressed, int64[m].

    A node splits the cells of the columns that it shares with the node before it. Cells are numbered without gaps
    once there are more than two for a tuple.
    """
    (m, d), n = nodes.shape, len(counts)
    cells, cells_row = np.zeros((d + 1, n), dtype=np.int32), np.zeros(d + 1, dtype=np.int64)
    cell_counts = np.ones(d + 1, dtype=np.int64)
    sizes, reach = np.empty(2 * n, dtype=np.int64), np.empty(m, dtype=np.int64)
    for i in range(m):
        same = 0
        while i > 0 and same < d and nodes[i, same] == nodes[i - 1, same]:
            same += 1
        for c in range(same, d):
            row, cells_row[c + 1], cell_counts[c + 1] = nodes[i, c], cells_row[c], cell_counts[c]
            if row >= 0:
                cells_row[c + 1], cell_counts[c + 1] = c + 1, cell_counts[c] * width[row]
                _split_cells(cells[cells_row[c]], codes[row], width[row], cells[c + 1])
            if cell_counts[c + 1] > 2 * n:
                if cell_counts[c + 1] > len(sizes):
                    sizes = np.empty(cell_counts[c + 1], dtype=np.int64)
                cell_counts[c + 1] = _renumber_cells(cells[c + 1], sizes[: cell_counts[c + 1]])
        filled, cell_of = sizes[: cell_counts[d]], cells[cells_row[d]]
        for c in range(len(filled)):
            filled[c] = 0
        for t in range(n):
            filled[cell_of[t]] += counts[t]
        reach[i] = find_reach(filled, filled, allowance)
    return reach
