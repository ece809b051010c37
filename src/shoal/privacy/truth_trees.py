"""Truth of record trees: what a published path says, the original record says in more detail."""

from collections.abc import Iterator

import numpy as np

from shoal.data import Trees
from shoal.data.lists import owners, owners_by_size, runs, take
from shoal.data.preorder import CHUNK
from shoal.data.types import B1, I4, I8
from shoal.privacy.lookalikes import ruling
from shoal.release import Verdict

__all__ = ["true_pairs", "truth_of_trees"]


_CELLS = 1 << 24


def truth_of_trees(original: Trees, leaves: I4, released: Trees, spans: I4, rows: I8) -> Verdict:
    """Judge whether every published path lies over a path of the original record.

    A published node is true when its record has a node of the same class, whose leaf it stands for, below a node for
    which its parent is true. Nodes in between may be missing: relations that were given up are no lie.

    Parameters
    ----------
    original, leaves
        The records, and the leaf code of each of their values; -1 for a sensitive one, which is compared as text.
    released, spans
        The published trees, and by published value the leaf codes lo .. hi-1 that it stands for; -1, -1 if sensitive.
    rows
        int64[n], the original record behind each released one: distinct, from 0 to N-1.

    Returns
    -------
    Verdict
        Witnesses are released records with a node that is not true.
    """
    if not released.n:
        return Verdict(False, "the release holds no record, so nothing is proven")
    if len(rows) != released.n:
        return Verdict(False, f"{released.n} trees are given for {len(rows)} records")
    if len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= original.n:
        return Verdict(False, "released records do not come from one original record each")
    covers = _covers(original, leaves, released, spans)
    false = np.concatenate(
        [_false(original, released, covers, rows, at) for at in range(0, released.n, CHUNK)]
    )
    if false.any():
        return ruling(
            false, f"{false.sum()} of {len(false)} records say something that their original does not", {}
        )
    return ruling(
        false, f"all {len(false)} records are true: every published path lies over a path of its original", {}
    )


def true_pairs(original: Trees, leaves: I4, released: Trees, spans: I4, record: I8, row: I8) -> B1:
    """For each pair of a released record and an original one, whether every published path lies over one of its."""
    covers, shown = _covers(original, leaves, released, spans), released.take(record)
    parts = [_false(original, shown, covers, row, at) for at in range(0, shown.n, CHUNK)]
    return ~np.concatenate([np.zeros(0, dtype=bool), *parts])


def _covers(original: Trees, leaves: I4, released: Trees, spans: I4) -> B1:
    """For each published value and original value, whether the first stands for the second."""
    covers = np.zeros((len(released.values), len(original.values)), dtype=bool)
    texts = np.array(original.values, dtype=object)
    kinds = {name: original.kinds == kind for kind, name in enumerate(original.classes)}
    for place, (kind, value) in enumerate(zip(released.kinds, released.values, strict=True)):
        same = kinds.get(released.classes[kind])
        lo, hi = spans[place]
        if same is not None:
            covers[place] = same & ((leaves >= lo) & (leaves < hi) if lo >= 0 else texts == value)
    return covers


def _false(original: Trees, released: Trees, covers: B1, rows: I8, at: int) -> B1:
    """Which of some released records hold a node that is not true."""
    start = released.start[at : at + CHUNK + 1]
    false = np.zeros(len(start) - 1, dtype=bool)
    sizes = np.diff(start) * np.diff(original.start)[rows[at : at + len(false)]]
    ends = np.cumsum(sizes)
    first = 0
    while first < len(false):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _CELLS, side="right")))
        some = np.arange(first, last)
        false[some] = _false_of(original, released, covers, rows, at + some)
        first = last
    return false


def _false_of(original: Trees, released: Trees, covers: B1, rows: I8, records: I8) -> B1:
    """For each record a matrix of published nodes by original nodes: whether the one is true because of the other."""
    node, whose, parent = _nodes(released, records)
    old, old_whose, _ = _nodes(original, rows[records])
    width = np.bincount(old_whose, minlength=len(records))
    first = np.cumsum(width) - width  # of each record's original nodes
    row = np.cumsum(width[whose]) - width[whose]  # where each published node's row begins
    cell = owners_by_size(width[whose])
    place = np.arange(len(cell)) - row[cell]  # of the original node within its record
    other = old[first[whose[cell]] + place]
    true = covers[released.items[node[cell]], original.items[other]]
    for cells in _by_depth(cell, parent, true):
        over = row[parent[cell[cells]]]
        base = original.start[rows[records[whose[cell[cells]]]]]
        up = original.parents[other[cells]]
        found = np.zeros(len(cells), dtype=bool)
        while (live := np.flatnonzero(up >= 0)).size:
            found[live] |= true[over[live] + up[live]]
            up[live] = original.parents[base[live] + up[live]]
        true[cells] = found
    shown = np.bincount(cell, weights=true, minlength=len(node)) > 0
    return np.bincount(whose[~shown], minlength=len(records)) > 0


def _by_depth(cell: I8, parent: I8, true: B1) -> Iterator[I8]:
    """Cells of published nodes that have a parent, parents' before children's, as far as they are still true."""
    depth = np.zeros(len(parent), dtype=np.int64)
    up = parent.copy()
    while (live := up >= 0).any():
        depth[live] += 1
        up[live] = parent[up[live]]
    for level in range(1, int(depth.max(initial=0)) + 1):
        yield np.flatnonzero((depth[cell] == level) & true)


def _nodes(trees: Trees, records: I8) -> tuple[I8, I8, I8]:
    """The nodes of some records; by node the record's place among these, and the parent's, -1 under the root."""
    start, local = take(trees.start, trees.parents, records)
    whose = owners(start)
    node = runs(trees.start[records], np.diff(start))
    return node, whose, np.where(local < 0, -1, start[whose] + local)
