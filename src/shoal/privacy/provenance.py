"""Provenance: whether released records can stem from given originals, when nobody knows which row from which record.

Of baskets and trees it is judged what must hold, not all: that no item, value or relation is published more often than
the originals allow.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import scipy  # its parts come when they are used

from shoal.data import Trees
from shoal.data.arrays import B1, I4, I8, how_many, owners, take
from shoal.data.trees import CHUNK, ancestry
from shoal.hierarchy import Hierarchies
from shoal.privacy.claim import ruling
from shoal.privacy.possible_worlds import largest_flow
from shoal.release import Forms, Verdict

__all__ = ["Covers", "basket_fits", "provenance_of_baskets", "provenance_of_rows", "provenance_of_trees"]

Covers = B1 | None
"""bool[forms, values]: which form covers which value; None where a form covers the value of its own number alone."""

Baskets = tuple[I8, I4]
"""Where each basket starts, and what is in it."""

Words = tuple[I8, I8]
"""For each item of record trees, the published values that stand for it: where they start, and their numbers."""

_MOST_CELLS = 1 << 28  # forms compared with values
_MOST_FITS = 1 << 21  # pairs in a matching
_MOST_PAIRS = 1 << 24  # released baskets compared with original ones
_ALL = "every released record can be matched with an original of its own"


def provenance_of_rows(
    forms: I4, values: I4, covers: Sequence[Covers], counts: I8 | None = None, weights: I8 | None = None
) -> Verdict:
    """Judge that the released records can be matched with originals that they cover, no original taken twice.

    Of very large data it is only judged that every combination of published forms lies over at least as many originals
    as it has records, which must hold then; the sentence says which.

    Parameters
    ----------
    forms : int32[rows, d]
        The published form of each row in each column; equal leaf sets have one number.
    values : int32[records, d]
        The value of each original in each column.
    covers : for each column
        Which form covers which value.
    counts, weights : int64[rows], int64[records]
        How many records each row stands for, and how many originals each of `values`; None means one.
    """
    rows, where, wanted = _weighed(forms, counts)
    originals, _, weight = _weighed(values, weights)
    short = _owned(rows, originals, weight, covers) < wanted
    if not short.any():
        return Verdict(True, _ALL)
    if len(rows) * len(originals) > _MOST_CELLS:
        return _enough(rows, originals, weight, covers, wanted, short, where, counts)
    fits = _fits(rows, originals, covers)
    if fits is None:
        return _enough(rows, originals, weight, covers, wanted, short, where, counts)
    return _matched(*fits, weight, wanted, where, counts)


def _weighed(rows: I4, counts: I8 | None) -> tuple[I4, I8, I8]:
    """The different rows, which of them each row is, and how many records each of them stands for."""
    found, where = np.unique(rows, axis=0, return_inverse=True)
    where = where.reshape(-1)
    return found, where, np.bincount(where, weights=counts, minlength=len(found)).astype(np.int64)


def _matched(row: I8, original: I8, weight: I8, wanted: I8, where: I8, counts: I8 | None) -> Verdict:
    """Judge by a largest matching."""
    flow = largest_flow(original, row, weight, wanted)
    found = np.bincount(row, weights=flow, minlength=len(wanted)).astype(np.int64)
    left = int((wanted - found).sum())
    if not left:
        return Verdict(True, _ALL)
    return ruling((found < wanted)[where], f"{left} released records fit too few originals", {}, counts)


def _fits(rows: I4, originals: I4, covers: Sequence[Covers]) -> tuple[I8, I8] | None:
    """Every pair of a combination of forms and one of values under it; None when there are too many to hold."""
    parts, held = [], 0
    for row, inside in enumerate(_inside(rows, originals, covers)):
        found = np.flatnonzero(inside)
        parts.append((np.full(len(found), row), found))
        held += len(found)
        if held > _MOST_FITS:
            return None
    row_of, original = (np.concatenate(part) for part in zip(*parts, strict=True))
    return row_of, original


def _inside(rows: I4, originals: I4, covers: Sequence[Covers]) -> Iterator[B1]:
    """For each combination of forms, which combinations of values it covers."""
    for row in rows:
        yield np.logical_and.reduce(
            [
                originals[:, j] == row[j] if cover is None else cover[row[j], originals[:, j]]
                for j, cover in enumerate(covers)
            ]
        )


def _enough(
    rows: I4,
    originals: I4,
    weight: I8,
    covers: Sequence[Covers],
    wanted: I8,
    short: B1,
    where: I8,
    counts: I8 | None,
) -> Verdict:
    """Judge that every combination of forms lies over enough originals, whichever else they lie under."""
    few = np.flatnonzero(short)
    for row, inside in zip(few, _inside(rows[few], originals, covers), strict=True):
        short[row] = weight[inside].sum() < wanted[row]
    broken = short[where]
    if broken.any():
        many = how_many(broken, counts)
        return ruling(broken, f"{many} released records fit too few originals", {}, counts)
    return Verdict(True, "every released record fits enough originals")


def _owned(rows: I4, originals: I4, weight: I8, covers: Sequence[Covers]) -> I8:
    """For each combination of forms, the originals whose narrowest forms it is made of; no original has two."""
    owner = np.empty_like(originals)
    for j, table in enumerate(covers):
        if table is None:
            owner[:, j] = originals[:, j]
            continue
        width = np.where(table, table.sum(axis=1)[:, None], table.shape[1] + 1)
        narrowest = np.where(table.any(axis=0), width.argmin(axis=0), -1)
        owner[:, j] = narrowest[originals[:, j]]
    together, where = np.unique(np.r_[rows, owner], axis=0, return_inverse=True)
    where = where.reshape(-1)
    counts = np.bincount(where[len(rows) :], weights=weight, minlength=len(together)).astype(np.int64)
    return np.asarray(counts[where[: len(rows)]], dtype=np.int64)


def provenance_of_baskets(original: Baskets, released: Baskets, forms: Forms) -> Verdict:
    """Judge that every published item is in at most as many records as originals hold one of what it stands for.

    It is what must hold, not all: which row comes from which original only the data holder knows.

    Parameters
    ----------
    original, released
        Baskets of items, and of forms.
    forms
        The items that each form stands for; one that stands for none is in too many records.
    """
    start, items = released
    short = np.zeros(len(forms.labels), dtype=bool)
    record, by_item = owners(original[0]), np.argsort(original[1], kind="stable")
    width = max(int(original[1].max(initial=-1)), int(forms.leaves.max(initial=-1))) + 1
    ends = np.searchsorted(original[1][by_item], np.arange(width + 1))
    same = forms.sets()  # of forms that stand for the same, all records count together
    held = np.unique(owners(start) * max(len(short), 1) + same[items])
    times = np.bincount(held % max(len(short), 1), minlength=len(short))
    for form in np.flatnonzero(np.bincount(items, minlength=len(short))):
        members = forms.leaves[forms.start[form] : forms.start[form + 1]]
        holders = [record[by_item[ends[item] : ends[item + 1]]] for item in members]
        short[form] = times[same[form]] > len(np.unique(np.concatenate([record[:0], *holders])))
    broken = np.zeros(len(start) - 1, dtype=bool)
    broken[owners(start)[short[items]]] = True
    if broken.any():
        return ruling(broken, f"{broken.sum()} released records hold items of too few originals", {})
    return Verdict(True, "every published item fits enough originals")


def basket_fits(
    original: Baskets, released: Baskets, forms: Forms, *, whole: bool
) -> tuple[I4, I4, B1] | None:
    """Which released basket can stem from which original: each published item stands for one that the original holds.

    Where nothing was left out (`whole`), each item of the original must be published as well.

    Returns
    -------
    For each row and for each original its number among the different ones, and bool[rows, originals] which fit; None
    when there are too many to compare.
    """
    same = forms.sets()
    ours, rows = _different(released[0], same[released[1]] if len(released[1]) else released[1])
    theirs, originals = _different(*original)
    if len(rows) * len(originals) > _MOST_PAIRS:
        return None
    width = max(int(original[1].max(initial=0)), int(forms.leaves.max(initial=0))) + 1
    first = np.unique(same, return_index=True)[1]  # one form of each leaf set, in the order of `sets`
    covers = _matrix([forms.leaves[forms.start[form] : forms.start[form + 1]] for form in first], width)
    shown, held = _matrix(rows, max(len(first), 1)), _matrix(originals, width)
    if not len(first):
        covers = scipy.sparse.csr_array((1, width), dtype=np.int32)
    found = (shown @ _ones(held @ covers.T).T).toarray() == np.diff(shown.indptr)[:, None]
    if whole:
        found &= (_ones(shown @ covers) @ held.T).toarray() == np.diff(held.indptr)[None, :]
    return ours, theirs, np.asarray(found, dtype=bool)


def _different(start: I8, items: I8 | I4) -> tuple[I4, list[I8]]:
    """Each basket's number among the different ones, and these, each without repeats."""
    seen: dict[bytes, int] = {}
    cells = np.asarray(items, dtype=np.int64)
    keys = (np.unique(cells[a:b]).tobytes() for a, b in pairwise(start.tolist()))
    of = np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int32)
    return of, [np.frombuffer(key, dtype=np.int64) for key in seen]


def _matrix(rows: list[I8] | list[I4], width: int) -> "scipy.sparse.csr_array":
    """Lists of numbers as a 0/1 matrix."""
    start = np.cumsum([0, *map(len, rows)])
    items = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    return scipy.sparse.csr_array(
        (np.ones(len(items), dtype=np.int32), items, start), shape=(len(rows), width)
    )


def _ones(found: "scipy.sparse.csr_array") -> "scipy.sparse.csr_array":
    """The same matrix, 1 wherever it is not 0."""
    ones = scipy.sparse.csr_array(found)
    ones.data[:] = 1
    return ones


def provenance_of_trees(released: Trees, original: Trees, hierarchies: Hierarchies) -> Verdict:
    """Judge that no published value, and no relation of two, is in more records than originals that may show it.

    It is what must hold, not all: which record comes from which original only the data holder knows.
    """
    width = len(released.values)
    shown = _supports(released, (np.arange(width + 1), np.arange(width)), width)
    there = _supports(original, _words(released, original, hierarchies), width)
    over = [key for key, records in shown.items() if records > there.get(key, 0)]
    if over:
        return Verdict(
            False, f"{len(over)} published values or relations are in more records than originals have them"
        )
    return Verdict(True, "no published value or relation is in more records than originals have it")


def _words(released: Trees, original: Trees, hierarchies: Hierarchies) -> Words:
    published: dict[tuple[str, object], list[int]] = {}
    for code, (kind, value) in enumerate(zip(released.kinds, released.values, strict=True)):
        name = released.classes[kind]
        tree = hierarchies.get(name)
        if tree is None:
            published.setdefault((name, value), []).append(code)
        else:
            for leaf in range(*tree.places.get(value, (0, 0))):
                published.setdefault((name, leaf), []).append(code)
    found = []
    for kind, value in zip(original.kinds, original.values, strict=True):
        name = original.classes[kind]
        meant: object = hierarchies[name].look_up([value]).item() if name in hierarchies else value
        found.append(published.get((name, meant), []))
    return np.cumsum([0, *map(len, found)]), np.array(
        [code for codes in found for code in codes], dtype=np.int64
    )


def _supports(trees: Trees, words: Words, width: int) -> dict[int, int]:
    """How many records show each value v as v, and each relation of a over b as width * (a + 1) + b."""
    found: dict[int, int] = {}
    for at in range(0, trees.n, CHUNK):
        start = trees.start[at : at + CHUNK + 1]
        record = owners(start)
        node = np.arange(start[0], start[-1])
        parts = [_keyed(trees, words, record, node)]
        for low, high in ancestry(start, trees.parents):
            whose, below = _keyed(trees, words, np.arange(len(low)), low)
            pair, above = _keyed(trees, words, np.arange(len(whose)), high[whose])
            parts.append((record[low[whose[pair]] - start[0]], width * (above + 1) + below[pair]))
        most = width * (width + 1)
        keys = np.concatenate([whose * most + key for whose, key in parts])
        for key, count in zip(*np.unique(np.unique(keys) % max(most, 1), return_counts=True), strict=True):
            found[int(key)] = found.get(int(key), 0) + int(count)
    return found


def _keyed(trees: Trees, words: Words, owner: I8, node: I8) -> tuple[I8, I8]:
    """Each of some nodes as the published values that stand for it, with the node's owner."""
    start, codes = take(*words, trees.items[node])
    return owner[owners(start)], codes
