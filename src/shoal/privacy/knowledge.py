"""What an attacker may know of record trees: the distinct values of a record, and which of them share a path.

Classes stand in one order, so of two values in one path it is always the same one that stands above: a relation is
a pair of values. Records that are equal in values and relations are held once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Trees
from shoal.data.lists import owners, owners_by_size, take
from shoal.data.preorder import CHUNK, ancestry
from shoal.data.spelling import alike
from shoal.data.types import B1, I4, I8
from shoal.privacy.lookalikes import group

__all__ = ["Facts", "facts", "item_facts", "pairs_of_values", "values_of_records"]


_CELLS = 1 << 22  # cells of relation matrices looked at together


@dataclass(frozen=True, slots=True)
class Facts:
    """Distinct records as far as can be known, the values of each from the rarest to the commonest.

    of     : int64[n]           the distinct record behind each record
    weight : int64[distinct]    how many records it stands for
    start  : int64[distinct+1]  its values are items[start[i] : start[i + 1]]
    own    : int64[distinct]    so many of them, the first, are present; those behind are absences
    items  : int32              numbers of values; those of absences are larger than all others
    square : int64[distinct]    related[square[i] + p * own[i] + q]: whether its values p and q share a path
    secret_start, secrets       its sensitive values, likewise
    """

    of: I8
    weight: I8
    start: I8
    own: I8
    items: I4
    square: I8
    related: B1
    secret_start: I8
    secrets: I8


def pairs_of_values(trees: Trees) -> int:
    """How many cells the relation matrices of all records take."""
    width = max(len(trees.values), 1)
    cells = 0
    for at in range(0, trees.n, CHUNK):
        some = trees.start[at : at + CHUNK + 1]
        record = owners(some)
        held = np.unique(record * width + trees.items[some[0] : some[-1]])
        cells += int((np.bincount(held // width) ** 2).sum())
    return cells


def values_of_records(trees: Trees) -> tuple[I8, I8]:
    """How many different values each record holds, and how many records hold each value."""
    width = max(len(trees.values), 1)
    held = np.unique(_records(trees) * width + trees.items)
    return np.bincount(held // width, minlength=trees.n), np.bincount(held % width, minlength=width)


def facts(
    trees: Trees, exempt: str | None, negations: tuple[str, ...], paths: bool, often: I8 | None = None
) -> Facts:
    """Collect what can be known of a release.

    Values of the class `exempt` are secrets, absences of values of the classes `negations` can be known;
    `paths` False leaves relations out. Where the trees are some of many records, `often` says how many of all of them
    hold each value.
    """
    width = max(len(trees.values), 1)
    hidden = _of_classes(trees, () if exempt is None else (exempt,))
    held = np.unique(_records(trees) * width + trees.items)
    often = np.bincount(held % width, minlength=width) if often is None else often
    rank = np.empty(width, dtype=np.int64)
    rank[np.argsort(often, kind="stable")] = np.arange(width)
    seen = held[~hidden[held % width]]
    seen = np.sort(seen // width * width + rank[seen % width])
    secret = held[hidden[held % width]]
    secret = np.unique(secret // width * width + _one_spelling(trees, hidden)[secret % width])
    del held  # as large as the data
    start, ends = _starts(seen // width, trees.n), _starts(secret // width, trees.n)
    square = np.r_[0, np.cumsum(np.diff(start) ** 2)] if paths else np.zeros(trees.n + 1, dtype=np.int64)
    related = np.zeros(int(square[-1]), dtype=bool)
    if paths:
        _relate(related, trees, rank, hidden, seen, start, square)
    of, heads = _distinct(start, seen % width, square, related, ends, secret % width)
    own = np.diff(start)[heads]
    denied = np.flatnonzero(_of_classes(trees, negations)[np.argsort(rank)] & (np.sort(often) > 0))
    all_start, items = _with_absences(own, _taken(seen % width, start, heads), denied, width)
    return Facts(
        of,
        np.bincount(of, minlength=len(heads)),
        all_start,
        own,
        items.astype(np.int32),
        np.cumsum(np.r_[0, np.diff(square)[heads]])[:-1],
        _taken(related, square, heads),
        np.r_[0, np.cumsum(np.diff(ends)[heads])],
        _taken(secret % width, ends, heads),
    )


def item_facts(start: I8, items: I8, hidden: B1, often: I8) -> Facts:
    """Collect what can be known of baskets: items that are not hidden, and no relations; hidden ones are secrets.

    `hidden` and `often` say of each item whether it is, and how many records hold it, in these baskets and others.
    """
    width, n = max(len(often), 1), len(start) - 1
    rank = np.empty(width, dtype=np.int64)
    rank[np.argsort(often, kind="stable")] = np.arange(width)
    held = np.unique(owners(start) * width + items)
    seen = held[~hidden[held % width]]
    seen = np.sort(seen // width * width + rank[seen % width])
    secret = held[hidden[held % width]]
    begins, ends = _starts(seen // width, n), _starts(secret // width, n)
    square, related = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=bool)
    of, heads = _distinct(begins, seen % width, square, related, ends, secret % width)
    own = np.diff(begins)[heads]
    return Facts(
        of,
        np.bincount(of, minlength=len(heads)),
        np.r_[0, np.cumsum(own)],
        own,
        _taken(seen % width, begins, heads).astype(np.int32),
        square[heads],
        related,
        np.r_[0, np.cumsum(np.diff(ends)[heads])],
        _taken(secret % width, ends, heads),
    )


def _one_spelling(trees: Trees, hidden: B1) -> I8:
    """For each hidden value, the first that is the same, however spelled; for others themselves."""
    first: dict[str, int] = {}
    same = np.arange(len(hidden))
    for code in np.flatnonzero(hidden).tolist():
        same[code] = first.setdefault(alike(trees.values[code]), code)
    return same


def _records(trees: Trees) -> I8:
    """The record of each node."""
    return owners(trees.start)


def _of_classes(trees: Trees, names: tuple[str, ...]) -> B1:
    """For each value, whether its class is one of these; there is one value more where there is none."""
    chosen = np.array([name in names for name in trees.classes], dtype=bool)
    return chosen[trees.kinds] if len(trees.values) else np.zeros(1, dtype=bool)


def _starts(rows: I8, n: int) -> I8:
    starts: I8 = np.r_[0, np.cumsum(np.bincount(rows, minlength=n))]
    return starts


def _relate(related: B1, trees: Trees, rank: I8, hidden: B1, seen: I8, start: I8, square: I8) -> None:
    """For each record, fill in a matrix over its values: whether one stands above the other."""
    width = max(len(trees.values), 1)
    sizes = np.diff(start)
    for at in range(0, trees.n, CHUNK):
        some = trees.start[at : at + CHUNK + 1]
        for low, high in ancestry(some, trees.parents):
            shown = ~(hidden[trees.items[low]] | hidden[trees.items[high]])
            low, high = low[shown], high[shown]
            whose = np.searchsorted(some, low, side="right") - 1 + at
            p = np.searchsorted(seen, whose * width + rank[trees.items[low]]) - start[whose]
            q = np.searchsorted(seen, whose * width + rank[trees.items[high]]) - start[whose]
            related[square[whose] + p * sizes[whose] + q] = True
            related[square[whose] + q * sizes[whose] + p] = True


def _distinct(start: I8, items: I8, square: I8, related: B1, ends: I8, secrets: I8) -> tuple[I8, I8]:
    """Group equal records: the group of each record, and a record of each group."""
    of, heads, found = np.empty(len(start) - 1, dtype=np.int64), [np.zeros(0, dtype=np.int64)], 0
    if not len(of):
        return of, heads[0]
    shape, example = group((np.diff(start), np.diff(ends)))
    by_shape = np.argsort(shape, kind="stable")
    bounds = np.searchsorted(shape[by_shape], np.arange(len(example) + 1))
    for number in range(len(example)):
        rows = by_shape[bounds[number] : bounds[number + 1]]
        words: list[NDArray[Any]] = [
            _matrix(start, rows, items),
            _matrix(ends, rows, secrets),
            _packed(square, rows, related),
        ]
        told = np.ascontiguousarray(np.concatenate([word.view(np.uint8) for word in words], axis=1))
        if not told.shape[1]:
            first, place = np.zeros(1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        else:
            keys = told.view(np.dtype((np.void, told.shape[1]))).ravel()
            _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        of[rows] = found + place
        heads.append(rows[first])
        found += len(first)
    return of, np.concatenate(heads)


def _matrix(start: I8, rows: I8, cells: I8) -> I4:
    """The cells of rows that have equally many."""
    width = int(start[rows[0] + 1] - start[rows[0]])
    matrix: I4 = cells[start[rows][:, None] + np.arange(width)].astype(np.int32)
    return matrix


def _packed(square: I8, rows: I8, related: B1) -> NDArray[np.uint8]:
    """The relation matrices of rows that have equally many values, as bits."""
    width = int(square[rows[0] + 1] - square[rows[0]])
    step = max(1, _CELLS // max(width, 1))
    parts = [
        np.packbits(related[square[rows[at : at + step]][:, None] + np.arange(width)], axis=1)
        for at in range(0, len(rows), step)
    ]
    return np.concatenate(parts)


def _taken(cells: NDArray[Any], start: I8, rows: I8) -> NDArray[Any]:
    """All cells that belong to some rows, row by row; in parts, for places take more room than cells."""
    parts = [take(start, cells, rows[at : at + CHUNK])[1] for at in range(0, len(rows), CHUNK)]
    return np.concatenate([cells[:0], *parts])


def _with_absences(own: I8, items: I8, denied: I8, width: int) -> tuple[I8, I8]:
    """Behind each record's values, those of `denied` that it lacks."""
    record = owners_by_size(own)
    lacks = np.ones((len(own), len(denied)), dtype=bool)
    place = np.full(width, -1, dtype=np.int64)
    place[denied] = np.arange(len(denied))
    known = place[items] >= 0
    lacks[record[known], place[items[known]]] = False
    rows, columns = np.nonzero(lacks)
    order = np.argsort(np.r_[record, rows], kind="stable")
    return _starts(np.r_[record, rows], len(own)), np.r_[items, denied[columns] + width][order]
