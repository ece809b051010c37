"""Truth of a release: what is published, the original says in more detail.

Where the originals of rows are known: of a table, each original value lies inside its published form, or the published
number is the mean of the originals of its class. Of generalized baskets, every published item stands for
something in the record, and nothing is lost. Of record trees, every published path lies over a path of the original.

Provenance, where nobody knows which row comes from which record: whether released records can stem from given
originals. Of baskets and trees it is judged what must hold, not all: that no item, value or relation is published more
often than the originals allow.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import median

import numpy as np
import scipy  # its parts come when they are used
from numpy.typing import NDArray

from shoal.data import Trees
from shoal.data.arrays import (
    B1,
    I4,
    I8,
    chunk_rows,
    concatenate_ranges,
    index_of,
    prefix_sums,
    row_of_entry,
    rows_by_size,
    sum_counts,
    take_rows,
)
from shoal.data.trees import CHUNK, ancestry
from shoal.hierarchy import Hierarchies
from shoal.privacy.claim import verdict_from_rows
from shoal.privacy.nonreciprocal import largest_flow
from shoal.release import PublishedValues, Verdict

__all__ = [
    "Covers",
    "find_true_pairs",
    "judge_unchanged",
    "judge_unchanged_codes",
    "match_baskets",
    "provenance_of_baskets",
    "provenance_of_rows",
    "provenance_of_trees",
    "truth_of_baskets",
    "truth_of_centres",
    "truth_of_table",
    "truth_of_trees",
]

_PAIRS = 1 << 23  # pairs of a row and an item held at once
_CELLS = 1 << 24  # of published nodes and original ones compared at once


def truth_of_table(
    original: Mapping[str, I4],
    released: Mapping[str, tuple[PublishedValues, I4]],
    rows: I8,
) -> Verdict:
    """Judge whether every published form covers the original value behind it.

    Parameters
    ----------
    original
        For each column, int32[N]: the leaf code of every original record.
    released
        For each column, its forms and int32[n]: the form of every released record.
    rows
        int64[n], the original record behind each released one: distinct, from 0 to N-1.

    Returns
    -------
    Verdict
        Witnesses are released records with a cell that is not true. Nothing to compare is a no.
    """
    if not released or original.keys() != released.keys():
        return Verdict(False, "the original and the released columns are not the same, so nothing is proven")
    if not len(rows):
        return Verdict(False, "the release holds no record, so nothing is proven")
    for name, (_, codes) in released.items():
        if len(codes) != len(rows):
            return Verdict(False, f"column '{name}': {len(codes)} cells are given for {len(rows)} records")
    strange = _find_strange_rows(rows, min(len(leaves) for leaves in original.values()))
    if strange.any():
        return verdict_from_rows(
            strange, f"{strange.sum()} records do not come from one original record each", {}
        )
    false = {name: ~forms.cover(codes, original[name][rows]) for name, (forms, codes) in released.items()}
    wrong = [f"column '{name}': {cells.sum()}" for name, cells in false.items() if cells.any()]
    if wrong:
        sentence = f"published forms that do not cover the original value: {'; '.join(wrong)}"
    else:
        sentence = f"all {len(rows)} records are true: every published form covers its original value"
    return verdict_from_rows(np.logical_or.reduce(list(false.values())), sentence, {})


def truth_of_centres(
    name: str,
    centre: str,
    original: Sequence[Fraction | None],
    released: Sequence[Fraction | None],
    classes: I8,
    rows: I8,
) -> Verdict:
    """Judge whether every published number is the mean, or the median, of the originals of its class.

    It must be that number rounded, half to even, at the last decimal that the column shows anywhere.

    Parameters
    ----------
    name, centre
        The column, and "mean" or "median".
    original, released
        The number of every original record, and of every released one; None where a cell is no number.
    classes
        int64[n]: equal where released records are equal in all quasi-identifiers.
    rows
        int64[n], the original record behind each released one.

    Returns
    -------
    Verdict
        Witnesses are the released records of classes whose number is not theirs.
    """
    if not len(rows) or not len(rows) == len(released) == len(classes):
        return Verdict(False, f"column '{name}': {len(released)} cells are given for {len(rows)} records")
    strange = _find_strange_rows(rows, len(original))
    if strange.any():
        return verdict_from_rows(
            strange, f"{strange.sum()} records do not come from one original record each", {}
        )
    parts = {1} | {number.denominator for number in released if number is not None}
    decimals = next(digits for digits in range(200) if all(10**digits % part == 0 for part in parts))
    members: dict[int, list[int]] = {}
    for row, class_id in enumerate(classes.tolist()):
        members.setdefault(class_id, []).append(row)
    false = np.zeros(len(rows), dtype=bool)
    for inside in members.values():
        class_originals = [original[rows[row]] for row in inside]
        numbers = [number for number in class_originals if number is not None]
        if len(numbers) < len(class_originals):
            false[inside] = True
            continue
        middle = median(numbers) if centre == "median" else sum(numbers) / Fraction(len(numbers))
        true = Fraction(round(middle * 10**decimals), 10**decimals)
        false[inside] = [released[row] != true for row in inside]
    if false.any():
        return verdict_from_rows(
            false, f"column '{name}': {false.sum()} numbers are not the {centre} of their class", {}
        )
    return verdict_from_rows(false, f"column '{name}': every number is the {centre} of its class", {})


def judge_unchanged(name: str, original: Sequence[str | None], released: Sequence[str | None]) -> Verdict:
    """Judge whether a column that is published as it is still is: `original` has the kept records only."""
    own_rows, released_rows = (np.arange(len(cells)) for cells in (original, released))
    return judge_unchanged_codes(name, (original, own_rows), (released, released_rows))


def judge_unchanged_codes(
    name: str,
    original: tuple[Sequence[str | None], I4 | I8],
    released: tuple[Sequence[str | None], I4 | I8],
) -> Verdict:
    """Judge the same of columns that are values, and for each record the place of its own among them."""
    (values, original_codes), (words, released_codes) = original, released
    if len(original_codes) != len(released_codes):
        return Verdict(
            False, f"column '{name}': {len(released_codes)} cells are given for {len(original_codes)} records"
        )
    number: dict[str | None, int] = {}
    unified = [
        np.array([number.setdefault(cell, len(number)) for cell in cells], int) for cells in (values, words)
    ]
    differs = unified[0][original_codes] != unified[1][released_codes]
    if differs.any():
        return verdict_from_rows(differs, f"column '{name}': {differs.sum()} cells were changed", {})
    return verdict_from_rows(differs, f"column '{name}': all {len(original_codes)} cells are unchanged", {})


def _find_strange_rows(rows: I8, records: int) -> B1:
    """Rows that name no original record, or one that another row names too."""
    outside = (rows < 0) | (rows >= records)
    uses = np.bincount(np.where(outside, 0, rows), weights=~outside, minlength=1)
    return np.asarray(outside | (uses[np.where(outside, 0, rows)] > 1), dtype=bool)


def truth_of_baskets(
    original: tuple[I8, I4],
    released: tuple[I8, I4],
    forms: PublishedValues,
    rows: I8,
    *,
    suppressed: int = 0,
) -> Verdict:
    """Check released baskets against the records they stem from.

    A generalized item is read as "any non-empty subset of its leaves": each published form must cover an item of
    its record, and each item of the record must be covered, but for as many occurrences as were suppressed.

    Parameters
    ----------
    original, released
        (start, items): baskets of item codes, and of places in `forms`; the leaves of `forms` are item codes.
    forms
        What is published, and the items each form stands for.
    rows
        int64[released]: the original record of each released row.
    suppressed
        How many item occurrences the release says it left out.
    """
    start = released[0]
    if len(rows) != len(start) - 1 or len(np.unique(rows)) != len(rows):
        return Verdict(False, "there are not as many released baskets as records they come from")
    if rows.min(initial=0) < 0 or rows.max(initial=-1) >= len(original[0]) - 1:
        return Verdict(False, "released baskets come from records that are not there")
    is_covered, true = _meet_items(take_rows(*original, rows), released, forms)
    if not is_covered.all():
        bad = np.zeros(len(rows), dtype=bool)
        bad[row_of_entry(start)[~is_covered]] = True
        return verdict_from_rows(
            bad, f"{bad.sum()} records publish an item that stands for no item of their record", {}
        )
    lost = int((~true).sum())
    if lost != suppressed:
        return Verdict(
            False, f"{lost} items of kept records are not published, but the release states {suppressed}"
        )
    return Verdict(
        True,
        "every published item stands for an item of its record, and the release states how many items it left out",
    )


def _meet_items(original: tuple[I8, I4], released: tuple[I8, I4], forms: PublishedValues) -> tuple[B1, B1]:
    """Which published items stand for an item of their row, and which items of a row are stood for.

    Both are known after one walk over all pairs of an item and a form that stands for it, from the side with fewer.
    """
    leaves = int(max(original[1].max(initial=0), forms.leaves.max(initial=0))) + 1
    by_leaf = np.argsort(forms.leaves, kind="stable")
    over = prefix_sums(np.bincount(forms.leaves, minlength=leaves))
    under = forms.start
    if np.diff(under)[released[1]].sum() <= np.diff(over)[original[1]].sum():
        return _meet_related(released, (under, forms.leaves), original, leaves)
    true, is_covered = _meet_related(original, (over, row_of_entry(under)[by_leaf]), released, len(under) - 1)
    return is_covered, true


def _meet_related(
    some: tuple[I8, I4], related: tuple[I8, NDArray[np.integer]], others: tuple[I8, I4], width: int
) -> tuple[B1, B1]:
    """Which entries have a related one in the same row of the other lists, and which of those they meet there."""
    row = row_of_entry(some[0])
    keys, key_of_entry = np.unique(row_of_entry(others[0]) * width + others[1], return_inverse=True)
    met, is_met = np.zeros(len(row), dtype=bool), np.zeros(len(keys), dtype=bool)
    for low, high in chunk_rows(np.diff(related[0])[some[1]], _PAIRS):
        start, related_item = take_rows(*related, some[1][low:high])
        entry = low + row_of_entry(start)
        positions = index_of(keys, row[entry] * width + related_item)
        met[entry[positions >= 0]] = True
        is_met[positions[positions >= 0]] = True
    return met, is_met[key_of_entry]


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
    covers = _cover_matrix(original, leaves, released, spans)
    false = np.concatenate(
        [
            _find_false_records(original, released, covers, rows, first_record)
            for first_record in range(0, released.n, CHUNK)
        ]
    )
    if false.any():
        return verdict_from_rows(
            false, f"{false.sum()} of {len(false)} records say something that their original does not", {}
        )
    return verdict_from_rows(
        false, f"all {len(false)} records are true: every published path lies over a path of its original", {}
    )


def find_true_pairs(original: Trees, leaves: I4, released: Trees, spans: I4, record: I8, row: I8) -> B1:
    """For each pair of a released record and an original one, whether every published path lies over one of its."""
    covers, released_trees = _cover_matrix(original, leaves, released, spans), released.take(record)
    parts = [
        _find_false_records(original, released_trees, covers, row, first_record)
        for first_record in range(0, released_trees.n, CHUNK)
    ]
    return ~np.concatenate([np.zeros(0, dtype=bool), *parts])


def _cover_matrix(original: Trees, leaves: I4, released: Trees, spans: I4) -> B1:
    """For each published value and original value, whether the first stands for the second."""
    covers = np.zeros((len(released.values), len(original.values)), dtype=bool)
    texts = np.array(original.values, dtype=object)
    kinds = {name: original.kinds == kind for kind, name in enumerate(original.classes)}
    for code, (name, value) in enumerate(released.pairs):
        is_same_kind = kinds.get(name)
        lo, hi = spans[code]
        if is_same_kind is not None:
            covers[code] = is_same_kind & ((leaves >= lo) & (leaves < hi) if lo >= 0 else texts == value)
    return covers


def _find_false_records(original: Trees, released: Trees, covers: B1, rows: I8, at: int) -> B1:
    """Which of some released records hold a node that is not true."""
    start = released.start[at : at + CHUNK + 1]
    false = np.zeros(len(start) - 1, dtype=bool)
    sizes = np.diff(start) * np.diff(original.start)[rows[at : at + len(false)]]
    for low, high in chunk_rows(sizes, _CELLS):
        false[low:high] = _find_false(original, released, covers, rows, at + np.arange(low, high))
    return false


def _find_false(original: Trees, released: Trees, covers: B1, rows: I8, records: I8) -> B1:
    """For each record a matrix of published nodes by original nodes: whether the one is true because of the other."""
    node, whose, parent = _take_nodes(released, records)
    old_nodes, old_whose, _ = _take_nodes(original, rows[records])
    width = np.bincount(old_whose, minlength=len(records))
    first_nodes = np.cumsum(width) - width  # of each record's original nodes
    row = np.cumsum(width[whose]) - width[whose]  # where each published node's row begins
    cell = rows_by_size(width[whose])
    old_node_of_cell = (
        np.arange(len(cell)) + (first_nodes[whose] - row)[cell]
    )  # the place of the original node in `old`
    true = covers[released.items[node][cell], original.items[old_nodes][old_node_of_cell]]
    for cells in _order_by_depth(cell, parent, true):
        over = row[parent[cell[cells]]]
        base = original.start[rows[records[whose[cell[cells]]]]]
        up = original.parents[old_nodes[old_node_of_cell[cells]]]
        is_true = np.zeros(len(cells), dtype=bool)
        while (live := np.flatnonzero(up >= 0)).size:
            is_true[live] |= true[over[live] + up[live]]
            up[live] = original.parents[base[live] + up[live]]
        true[cells] = is_true
    is_shown = np.bincount(cell, weights=true, minlength=len(node)) > 0
    return np.bincount(whose[~is_shown], minlength=len(records)) > 0


def _order_by_depth(cell: I8, parent: I8, true: B1) -> Iterator[I8]:
    """Cells of published nodes that have a parent, parents' before children's, as far as they are still true."""
    depth = np.zeros(len(parent), dtype=np.int64)
    up = parent.copy()
    while (live := up >= 0).any():
        depth[live] += 1
        up[live] = parent[up[live]]
    cells = np.flatnonzero(true)  # few, and those of a level change only after they were handed out
    deep = depth[cell[cells]]
    for level in range(1, int(depth.max(initial=0)) + 1):
        yield cells[deep == level]


def _take_nodes(trees: Trees, records: I8) -> tuple[I8, I8, I8]:
    """The nodes of some records; by node the record's place among these, and the parent's, -1 under the root."""
    start, local = take_rows(trees.start, trees.parents, records)
    whose = row_of_entry(start)
    node = concatenate_ranges(trees.start[records], np.diff(start))
    return node, whose, np.where(local < 0, -1, start[whose] + local)


# --- provenance ---------------------------------------------------------------------------------------------


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
    rows, row_of_record, wanted_counts = _count_distinct(forms, counts)
    originals, _, weight = _count_distinct(values, weights)
    short = _count_owned(rows, originals, weight, covers) < wanted_counts
    if not short.any():
        return Verdict(True, _ALL)
    if len(rows) * len(originals) > _MOST_CELLS:
        return _judge_enough(rows, originals, weight, covers, wanted_counts, short, row_of_record, counts)
    fit_pairs = _find_fits(rows, originals, covers)
    if fit_pairs is None:
        return _judge_enough(rows, originals, weight, covers, wanted_counts, short, row_of_record, counts)
    return _judge_matching(*fit_pairs, weight, wanted_counts, row_of_record, counts)


def _count_distinct(rows: I4, counts: I8 | None) -> tuple[I4, I8, I8]:
    """The different rows, which of them each row is, and how many records each of them stands for."""
    distinct, row_of_record = np.unique(rows, axis=0, return_inverse=True)
    row_of_record = row_of_record.reshape(-1)
    return (
        distinct,
        row_of_record,
        np.bincount(row_of_record, weights=counts, minlength=len(distinct)).astype(np.int64),
    )


def _judge_matching(row: I8, original: I8, weight: I8, wanted: I8, where: I8, counts: I8 | None) -> Verdict:
    """Judge by a largest matching."""
    flow = largest_flow(original, row, weight, wanted)
    matched_counts = np.bincount(row, weights=flow, minlength=len(wanted)).astype(np.int64)
    unmatched_count = int((wanted - matched_counts).sum())
    if not unmatched_count:
        return Verdict(True, _ALL)
    return verdict_from_rows(
        (matched_counts < wanted)[where],
        f"{unmatched_count} released records fit too few originals",
        {},
        counts,
    )


def _find_fits(rows: I4, originals: I4, covers: Sequence[Covers]) -> tuple[I8, I8] | None:
    """Every pair of a combination of forms and one of values under it; None when there are too many to hold."""
    parts, fit_count = [], 0
    for row, inside in enumerate(_list_covered(rows, originals, covers)):
        fitting = np.flatnonzero(inside)
        parts.append((np.full(len(fitting), row), fitting))
        fit_count += len(fitting)
        if fit_count > _MOST_FITS:
            return None
    row_of, original = (np.concatenate(part) for part in zip(*parts, strict=True))
    return row_of, original


def _list_covered(rows: I4, originals: I4, covers: Sequence[Covers]) -> Iterator[B1]:
    """For each combination of forms, which combinations of values it covers."""
    for row in rows:
        yield np.logical_and.reduce(
            [
                originals[:, j] == row[j] if cover is None else cover[row[j], originals[:, j]]
                for j, cover in enumerate(covers)
            ]
        )


def _judge_enough(
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
    short_rows = np.flatnonzero(short)
    for row, inside in zip(short_rows, _list_covered(rows[short_rows], originals, covers), strict=True):
        short[row] = weight[inside].sum() < wanted[row]
    broken = short[where]
    if broken.any():
        broken_count = sum_counts(broken, counts)
        return verdict_from_rows(broken, f"{broken_count} released records fit too few originals", {}, counts)
    return Verdict(True, "every released record fits enough originals")


def _count_owned(rows: I4, originals: I4, weight: I8, covers: Sequence[Covers]) -> I8:
    """For each combination of forms, the originals whose narrowest forms it is made of; no original has two."""
    owner = np.empty_like(originals)
    for j, table in enumerate(covers):
        if table is None:
            owner[:, j] = originals[:, j]
            continue
        width = np.where(table, table.sum(axis=1)[:, None], table.shape[1] + 1)
        narrowest = np.where(table.any(axis=0), width.argmin(axis=0), -1)
        owner[:, j] = narrowest[originals[:, j]]
    together, group_of_row = np.unique(np.r_[rows, owner], axis=0, return_inverse=True)
    group_of_row = group_of_row.reshape(-1)
    counts = np.bincount(group_of_row[len(rows) :], weights=weight, minlength=len(together)).astype(np.int64)
    return np.asarray(counts[group_of_row[: len(rows)]], dtype=np.int64)


def provenance_of_baskets(original: Baskets, released: Baskets, forms: PublishedValues) -> Verdict:
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
    record, by_item = row_of_entry(original[0]), np.argsort(original[1], kind="stable")
    width = max(int(original[1].max(initial=-1)), int(forms.leaves.max(initial=-1))) + 1
    ends = np.searchsorted(original[1][by_item], np.arange(width + 1))
    set_of_form = forms.sets()  # of forms that stand for the same, all records count together
    row_keys = np.unique(row_of_entry(start) * max(len(short), 1) + set_of_form[items])
    times = np.bincount(row_keys % max(len(short), 1), minlength=len(short))
    for form in np.flatnonzero(np.bincount(items, minlength=len(short))):
        members = forms.leaves[forms.start[form] : forms.start[form + 1]]
        holders = [record[by_item[ends[item] : ends[item + 1]]] for item in members]
        short[form] = times[set_of_form[form]] > len(np.unique(np.concatenate([record[:0], *holders])))
    broken = np.zeros(len(start) - 1, dtype=bool)
    broken[row_of_entry(start)[short[items]]] = True
    if broken.any():
        return verdict_from_rows(
            broken, f"{broken.sum()} released records hold items of too few originals", {}
        )
    return Verdict(True, "every published item fits enough originals")


def match_baskets(
    original: Baskets, released: Baskets, forms: PublishedValues, *, whole: bool
) -> tuple[I4, I4, B1] | None:
    """Which released basket can stem from which original: each published item stands for one that the original holds.

    Where nothing was left out (`whole`), each item of the original must be published as well.

    Returns
    -------
    For each row and for each original its number among the different ones, and bool[rows, originals] which fit; None
    when there are too many to compare.
    """
    set_of_form = forms.sets()
    ours, rows = _distinct_baskets(released[0], set_of_form[released[1]] if len(released[1]) else released[1])
    theirs, originals = _distinct_baskets(*original)
    if len(rows) * len(originals) > _MOST_PAIRS:
        return None
    width = max(int(original[1].max(initial=0)), int(forms.leaves.max(initial=0))) + 1
    first_forms = np.unique(set_of_form, return_index=True)[
        1
    ]  # one form of each leaf set, in the order of `sets`
    covers = _sparse_matrix(
        [forms.leaves[forms.start[form] : forms.start[form + 1]] for form in first_forms], width
    )
    released_matrix, original_matrix = (
        _sparse_matrix(rows, max(len(first_forms), 1)),
        _sparse_matrix(originals, width),
    )
    if not len(first_forms):
        covers = scipy.sparse.csr_array((1, width), dtype=np.int32)
    is_fit = (released_matrix @ _binary_matrix(original_matrix @ covers.T).T).toarray() == np.diff(
        released_matrix.indptr
    )[:, None]
    if whole:
        is_fit &= (_binary_matrix(released_matrix @ covers) @ original_matrix.T).toarray() == np.diff(
            original_matrix.indptr
        )[None, :]
    return ours, theirs, np.asarray(is_fit, dtype=bool)


def _distinct_baskets(start: I8, items: I8 | I4) -> tuple[I4, list[I8]]:
    """Each basket's number among the different ones, and these, each without repeats."""
    number_of_key: dict[bytes, int] = {}
    cells = np.asarray(items, dtype=np.int64)
    keys = (np.unique(cells[a:b]).tobytes() for a, b in pairwise(start.tolist()))
    number_of_basket = np.array(
        [number_of_key.setdefault(key, len(number_of_key)) for key in keys], dtype=np.int32
    )
    return number_of_basket, [np.frombuffer(key, dtype=np.int64) for key in number_of_key]


def _sparse_matrix(rows: list[I8] | list[I4], width: int) -> "scipy.sparse.csr_array":
    """Lists of numbers as a 0/1 matrix."""
    start = np.cumsum([0, *map(len, rows)])
    items = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    return scipy.sparse.csr_array(
        (np.ones(len(items), dtype=np.int32), items, start), shape=(len(rows), width)
    )


def _binary_matrix(found: "scipy.sparse.csr_array") -> "scipy.sparse.csr_array":
    """The same matrix, 1 wherever it is not 0."""
    binary = scipy.sparse.csr_array(found)
    binary.data[:] = 1
    return binary


def provenance_of_trees(released: Trees, original: Trees, hierarchies: Hierarchies) -> Verdict:
    """Judge that no published value, and no relation of two, is in more records than originals that may show it.

    It is what must hold, not all: which record comes from which original only the data holder knows.
    """
    width = len(released.values)
    released_counts = _count_supports(released, (np.arange(width + 1), np.arange(width)), width)
    original_counts = _count_supports(original, _published_words(released, original, hierarchies), width)
    over = [key for key, records in released_counts.items() if records > original_counts.get(key, 0)]
    if over:
        return Verdict(
            False, f"{len(over)} published values or relations are in more records than originals have them"
        )
    return Verdict(True, "no published value or relation is in more records than originals have it")


def _published_words(released: Trees, original: Trees, hierarchies: Hierarchies) -> Words:
    published: dict[tuple[str, object], list[int]] = {}
    for code, (name, value) in enumerate(released.pairs):
        tree = hierarchies.get(name)
        if tree is None:
            published.setdefault((name, value), []).append(code)
        else:
            for leaf in range(*tree.places.get(value, (0, 0))):
                published.setdefault((name, leaf), []).append(code)
    code_lists = []
    for name, value in original.pairs:
        meant: object = hierarchies[name].look_up([value]).item() if name in hierarchies else value
        code_lists.append(published.get((name, meant), []))
    return np.cumsum([0, *map(len, code_lists)]), np.array(
        [code for codes in code_lists for code in codes], dtype=np.int64
    )


def _count_supports(trees: Trees, words: Words, width: int) -> dict[int, int]:
    """How many records show each value v as v, and each relation of a over b as width * (a + 1) + b."""
    record_counts: dict[int, int] = {}
    for first_record in range(0, trees.n, CHUNK):
        start = trees.start[first_record : first_record + CHUNK + 1]
        record = row_of_entry(start)
        node = np.arange(start[0], start[-1])
        parts = [_published_codes(trees, words, record, node)]
        for low, high in ancestry(start, trees.parents):
            whose, below = _published_codes(trees, words, np.arange(len(low)), low)
            pair, above = _published_codes(trees, words, np.arange(len(whose)), high[whose])
            parts.append((record[low[whose[pair]] - start[0]], width * (above + 1) + below[pair]))
        key_width = width * (width + 1)
        keys = np.concatenate([whose * key_width + key for whose, key in parts])
        for key, count in zip(
            *np.unique(np.unique(keys) % max(key_width, 1), return_counts=True), strict=True
        ):
            record_counts[int(key)] = record_counts.get(int(key), 0) + int(count)
    return record_counts


def _published_codes(trees: Trees, words: Words, owner: I8, node: I8) -> tuple[I8, I8]:
    """Each of some nodes as the published values that stand for it, with the node's owner."""
    start, codes = take_rows(*words, trees.items[node])
    return owner[row_of_entry(start)], codes
