"""Truth of a release: what is published, the original says in more detail.

Where the originals of rows are known: of a table, each original value lies inside its published form, or the published
number is the mean of the originals of its class. Of generalized baskets, every published item stands for
something in the record, and nothing is lost. Of record trees, every published path lies over a path of the original.

Provenance, where nobody knows which row comes from which record: whether released records can stem from given
originals. Of baskets and trees it is judged what must hold, not all: that no item, value or relation is published more
often than the originals allow.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import median

import numpy as np
import scipy  # its parts come when they are used
from numpy.typing import NDArray

from shoal.data import Trees
from shoal.data.arrays import (
    B1,
    F8,
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
    "truth_of_weights",
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
    denominators = {1} | {number.denominator for number in released if number is not None}
    decimals = next(
        digits for digits in range(200) if all(10**digits % number == 0 for number in denominators)
    )
    members_of_class: dict[int, list[int]] = {}
    for row, class_id in enumerate(classes.tolist()):
        members_of_class.setdefault(class_id, []).append(row)
    false = np.zeros(len(rows), dtype=bool)
    for members in members_of_class.values():
        numbers = [number for row in members if (number := original[rows[row]]) is not None]
        if len(numbers) < len(members):
            false[members] = True  # an original is no number
            continue
        exact = median(numbers) if centre == "median" else sum(numbers) / Fraction(len(numbers))
        rounded = Fraction(round(exact * 10**decimals), 10**decimals)
        false[members] = [released[row] != rounded for row in members]
    if false.any():
        return verdict_from_rows(
            false, f"column '{name}': {false.sum()} numbers are not the {centre} of their class", {}
        )
    return verdict_from_rows(false, f"column '{name}': every number is the {centre} of its class", {})


_NEAR = 1e-9  # of a weight: sums of fractions
_WITHIN = 1e-4  # of a total: what calibrated weights are rounded by, and what raking leaves


def truth_of_weights(
    name: str,
    original: F8,
    released: F8,
    classes: I8,
    *,
    base: float | None = None,
    most: int | None = None,
    margins: Sequence[I8] = (),
) -> Verdict:
    """Judge whether published weights stand for the weights of the people who have them.

    With `base` each is the multiple of it, at least once, that is nearest to the mean weight of the records of its
    class that share it. With `most` there are at most so many different ones, and each is the one that is nearest to
    that mean. Else equal labels have equal weights, and the weights sum to the totals of the originals in each group of
    each of the `margins`.

    Parameters
    ----------
    name
        The column.
    original, released
        float64[n], the weight of the original behind each released record, and its published weight; nan for a cell
        that is no number.
    classes
        int64[n]: equal where released records are equal in all quasi-identifiers.
    base, most
        What rounded weights are multiples of; how many weights there may be at most.
    margins
        int64[n] each: equal where released records are in one group.

    Returns
    -------
    Verdict
        Witnesses are the released records whose weight is not theirs.
    """
    if not len(original) == len(released) == len(classes):
        return Verdict(
            False, f"column '{name}': {len(released)} weights are given for {len(original)} records"
        )
    none = np.zeros(len(released), dtype=bool)
    is_number = np.isfinite(released) & (released > 0)
    if not is_number.all():
        return verdict_from_rows(
            ~is_number, f"column '{name}': {(~is_number).sum()} weights are no numbers above 0", {}
        )
    if base is None and most is None:
        return _truth_of_totals(name, original, released, margins)
    values, value = np.unique(released, return_inverse=True)
    if most is not None and len(values) > most:
        return verdict_from_rows(
            ~none, f"column '{name}': there are {len(values)} different weights where {most} are allowed", {}
        )
    _, group = np.unique(np.stack([classes, value.reshape(-1)], axis=1), axis=0, return_inverse=True)
    group = group.reshape(-1)
    mean = (np.bincount(group, weights=original) / np.bincount(group))[group]
    if base is not None:
        steps = released / base
        is_multiple = np.abs(steps - np.round(steps)) <= _NEAR * np.maximum(steps, 1)
        is_lowest = (np.round(steps) == 1) & (mean <= released)
        is_false = ~is_multiple | ~(is_lowest | (np.abs(released - mean) <= base / 2 + _NEAR * mean))
    else:
        gaps = np.array([np.abs(values - number).min() for number in mean.tolist()])
        is_false = np.abs(released - mean) > gaps + _NEAR * mean
    if is_false.any():
        return verdict_from_rows(
            is_false,
            f"column '{name}': {is_false.sum()} weights are not the nearest to those they stand for",
            {},
        )
    return verdict_from_rows(none, f"column '{name}': every weight stands for those of its records", {})


def _truth_of_totals(name: str, original: F8, released: F8, margins: Sequence[I8]) -> Verdict:
    """Judge whether weights are a function of groups, and sum to the totals of the originals in each."""
    is_false = np.zeros(len(released), dtype=bool)
    if not len(released):
        return verdict_from_rows(is_false, f"column '{name}': there are no weights", {})
    for group in margins:
        wanted, given = (np.bincount(group, weights=weights) for weights in (original, released))
        is_false |= (np.abs(wanted - given) > _WITHIN * wanted)[group]
    _, cell = np.unique(np.stack(margins, axis=1), axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    lowest, highest = np.full(cell.max() + 1, np.inf), np.zeros(cell.max() + 1)
    np.minimum.at(lowest, cell, released)
    np.maximum.at(highest, cell, released)
    is_false |= (lowest < highest)[cell]
    if is_false.any():
        return verdict_from_rows(
            is_false,
            f"column '{name}': {is_false.sum()} weights do not sum to the totals of their labels",
            {},
        )
    return verdict_from_rows(is_false, f"column '{name}': the weights sum to the totals of their labels", {})


def judge_unchanged(name: str, original: Sequence[str | None], released: Sequence[str | None]) -> Verdict:
    """Judge whether a column that is published as it is still is: `original` has the kept records only."""
    own_rows, released_rows = (np.arange(len(cells)) for cells in (original, released))
    return judge_unchanged_codes(name, (original, own_rows), (released, released_rows))


def judge_unchanged_codes(
    name: str,
    original: tuple[Sequence[str | None], I4 | I8],
    released: tuple[Sequence[str | None], I4 | I8],
) -> Verdict:
    """Judge whether a column is unchanged: its distinct values, and for each kept record the index of its own."""
    (original_values, original_codes), (released_values, released_codes) = original, released
    if len(original_codes) != len(released_codes):
        return Verdict(
            False, f"column '{name}': {len(released_codes)} cells are given for {len(original_codes)} records"
        )
    number_of_value: dict[str | None, int] = {}
    original_numbers, released_numbers = (
        np.array([number_of_value.setdefault(value, len(number_of_value)) for value in values], int)
        for values in (original_values, released_values)
    )
    differs = original_numbers[original_codes] != released_numbers[released_codes]
    if differs.any():
        return verdict_from_rows(differs, f"column '{name}': {differs.sum()} cells were changed", {})
    return verdict_from_rows(differs, f"column '{name}': all {len(original_codes)} cells are unchanged", {})


def _find_strange_rows(rows: I8, records: int) -> B1:
    """Find rows that name no original record, or one that another row names too."""
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
    is_covered, is_shown = _meet_items(take_rows(*original, rows), released, forms)
    if not is_covered.all():
        bad = np.zeros(len(rows), dtype=bool)
        bad[row_of_entry(start)[~is_covered]] = True
        return verdict_from_rows(
            bad, f"{bad.sum()} records publish an item that stands for no item of their record", {}
        )
    lost = int((~is_shown).sum())
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
    leaf_count = int(max(original[1].max(initial=0), forms.leaves.max(initial=0))) + 1
    leaves_of_form = (forms.start, forms.leaves)
    by_leaf = np.argsort(forms.leaves, kind="stable")
    form_start = prefix_sums(np.bincount(forms.leaves, minlength=leaf_count))
    forms_of_leaf = (form_start, row_of_entry(forms.start)[by_leaf])
    pairs_by_form = np.diff(forms.start)[released[1]].sum()
    pairs_by_leaf = np.diff(form_start)[original[1]].sum()
    if pairs_by_form <= pairs_by_leaf:
        return _meet_related(released, leaves_of_form, original, leaf_count)
    is_shown, is_covered = _meet_related(original, forms_of_leaf, released, len(forms.start) - 1)
    return is_covered, is_shown


def _meet_related(
    some: tuple[I8, I4], related: tuple[I8, NDArray[np.integer]], others: tuple[I8, I4], width: int
) -> tuple[B1, B1]:
    """Which entries have a related one in the same row of the other lists, and which of those they meet there.

    Parameters
    ----------
    some, others
        (start, items): the same rows, with items below `width` in `others`.
    related
        (start, items): for each item of `some` the items of `others` that it is related to.
    """
    row = row_of_entry(some[0])
    keys, key_of_entry = np.unique(row_of_entry(others[0]) * width + others[1], return_inverse=True)
    meets, is_met = np.zeros(len(row), dtype=bool), np.zeros(len(keys), dtype=bool)
    for low, high in chunk_rows(np.diff(related[0])[some[1]], _PAIRS):
        start, related_item = take_rows(*related, some[1][low:high])
        entry = low + row_of_entry(start)
        key_index = index_of(keys, row[entry] * width + related_item)
        is_there = key_index >= 0
        meets[entry[is_there]] = True
        is_met[key_index[is_there]] = True
    return meets, is_met[key_of_entry]


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
    """bool[published values, original values]: whether the first stands for the second."""
    covers = np.zeros((len(released.values), len(original.values)), dtype=bool)
    texts = np.array(original.values, dtype=object)
    has_kind = {name: original.kinds == kind for kind, name in enumerate(original.classes)}
    for code, (name, value) in enumerate(released.pairs):
        is_same_kind = has_kind.get(name)
        lo, hi = spans[code]
        if is_same_kind is not None:
            covers[code] = is_same_kind & ((leaves >= lo) & (leaves < hi) if lo >= 0 else texts == value)
    return covers


def _find_false_records(original: Trees, released: Trees, covers: B1, rows: I8, first_record: int) -> B1:
    """Which of the next CHUNK released records hold a node that is not true."""
    last_record = min(first_record + CHUNK, released.n)
    records = np.arange(first_record, last_record)
    pairs_per_record = np.diff(released.start)[records] * np.diff(original.start)[rows[records]]
    false = np.zeros(len(records), dtype=bool)
    for low, high in chunk_rows(pairs_per_record, _CELLS):
        some = records[low:high]
        false[low:high] = _hold_false_node(_pair_nodes(released, some, original, rows[some]), covers)
    return false


@dataclass(frozen=True, slots=True)
class _RecordNodes:
    """The nodes of some records, record by record.

    item   : int32[nodes]
    record : int64[nodes]   the number of the node's record among the records taken
    parent : int64[nodes]   the parent's index among these nodes, -1 under the root
    """

    item: I4
    record: I8
    parent: I8

    @classmethod
    def take(cls, trees: Trees, records: I8) -> "_RecordNodes":
        """Take the nodes of `records`, in their order."""
        start, local_parent = take_rows(trees.start, trees.parents, records)
        record = row_of_entry(start)
        node = concatenate_ranges(trees.start[records], np.diff(start))
        parent = np.where(local_parent < 0, -1, start[record] + local_parent)
        return cls(trees.items[node], record, parent)

    def depth(self) -> I8:
        """How many nodes stand over each node."""
        depth = np.zeros(len(self.parent), dtype=np.int64)
        ancestor = self.parent.copy()
        while (has_ancestor := ancestor >= 0).any():
            depth[has_ancestor] += 1
            ancestor[has_ancestor] = self.parent[ancestor[has_ancestor]]
        return depth


@dataclass(frozen=True, slots=True)
class _NodePairs:
    """Each published node with each original node of the same record, published node by published node.

    records             : how many records there are
    published, original : the nodes of the same records, as they are published and as they were
    published_of_pair   : int64[pairs]
    original_of_pair    : int64[pairs]
    shift               : int64[published nodes]   the pair of p and o, of one record, is number shift[p] + o
    """

    records: int
    published: _RecordNodes
    original: _RecordNodes
    published_of_pair: I8
    original_of_pair: I8
    shift: I8


def _pair_nodes(released: Trees, records: I8, original: Trees, original_records: I8) -> _NodePairs:
    """Pair the nodes of released records with those of their originals."""
    published_nodes = _RecordNodes.take(released, records)
    original_nodes = _RecordNodes.take(original, original_records)
    record_size = np.bincount(original_nodes.record, minlength=len(records))
    first_original = np.cumsum(record_size) - record_size
    pair_count = record_size[published_nodes.record]
    first_pair = np.cumsum(pair_count) - pair_count
    shift = first_pair - first_original[published_nodes.record]
    published_of_pair = rows_by_size(pair_count)
    original_of_pair = np.arange(len(published_of_pair)) - shift[published_of_pair]
    return _NodePairs(
        len(records), published_nodes, original_nodes, published_of_pair, original_of_pair, shift
    )


def _hold_false_node(pairs: _NodePairs, covers: B1) -> B1:
    """Which records hold a published node that is true because of no original node.

    A published node p is true because of an original node o if its value covers that of o, and its parent is true
    because of a node above o.
    """
    published_item = pairs.published.item[pairs.published_of_pair]
    true = covers[published_item, pairs.original.item[pairs.original_of_pair]]
    depth = pairs.published.depth()
    covering = np.flatnonzero(true)  # few of all pairs
    depth_of_covering = depth[pairs.published_of_pair[covering]]
    for level_depth in range(1, int(depth.max(initial=0)) + 1):  # parents are judged before their children
        level = covering[depth_of_covering == level_depth]
        true[level] = _has_true_parent(pairs, true, level)
    is_true_node = np.bincount(pairs.published_of_pair, weights=true, minlength=len(pairs.shift)) > 0
    return np.bincount(pairs.published.record[~is_true_node], minlength=pairs.records) > 0


def _has_true_parent(pairs: _NodePairs, true: B1, some: I8) -> B1:
    """For some pairs of p and o whether p's parent is true because of a node above o."""
    parent = pairs.published.parent[pairs.published_of_pair[some]]
    shift = pairs.shift[parent]
    ancestor = pairs.original.parent[pairs.original_of_pair[some]]
    has_true_parent = np.zeros(len(some), dtype=bool)
    while (live := np.flatnonzero(ancestor >= 0)).size:
        has_true_parent[live] |= true[shift[live] + ancestor[live]]
        ancestor[live] = pairs.original.parent[ancestor[live]]
    return has_true_parent


# --- provenance ---------------------------------------------------------------------------------------------


Covers = B1 | None
"""bool[forms, values]: which form covers which value; None where a form covers the value of its own number alone."""

Baskets = tuple[I8, I4]
"""Where each basket starts, and what is in it."""

CodeLists = tuple[I8, I8]
"""For each item of record trees, the published values that stand for it: where they start, and their codes."""

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
    released, originals = _DistinctRows.of(forms, counts), _DistinctRows.of(values, weights)
    short = _count_owned(released.codes, originals, covers) < released.records
    if not short.any():
        return Verdict(True, _ALL)
    fits = None
    if len(released.codes) * len(originals.codes) <= _MOST_CELLS:
        fits = _find_fits(released.codes, originals.codes, covers)
    if fits is None:
        return _judge_enough(released, originals, covers, short, counts)
    return _judge_matching(*fits, released, originals, counts)


@dataclass(frozen=True, slots=True)
class _DistinctRows:
    """Rows of codes, each different one once.

    codes   : int32[distinct, d]
    of_row  : int64[rows]       which of them each given row is
    records : int64[distinct]   how many records each stands for
    """

    codes: I4
    of_row: I8
    records: I8

    @classmethod
    def of(cls, rows: I4, counts: I8 | None) -> "_DistinctRows":
        """Find the different rows, where each row stands for so many records, None: for one."""
        codes, of_row = np.unique(rows, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
        records = np.bincount(of_row, weights=counts, minlength=len(codes))
        return cls(codes, of_row, records.astype(np.int64))


def _judge_matching(
    row: I8, original: I8, released: _DistinctRows, originals: _DistinctRows, counts: I8 | None
) -> Verdict:
    """Judge by a largest matching of released rows with originals, given the pairs that fit."""
    flow = largest_flow(original, row, originals.records, released.records)
    matched = np.bincount(row, weights=flow, minlength=len(released.records)).astype(np.int64)
    unmatched_count = int((released.records - matched).sum())
    if not unmatched_count:
        return Verdict(True, _ALL)
    return verdict_from_rows(
        (matched < released.records)[released.of_row],
        f"{unmatched_count} released records fit too few originals",
        {},
        counts,
    )


def _find_fits(rows: I4, originals: I4, covers: Sequence[Covers]) -> tuple[I8, I8] | None:
    """The row and the original of every pair where the row covers it; None when there are too many pairs to hold."""
    row_parts, original_parts, fit_count = [], [], 0
    for row, is_covered in enumerate(_list_covered(rows, originals, covers)):
        fitting = np.flatnonzero(is_covered)
        row_parts.append(np.full(len(fitting), row))
        original_parts.append(fitting)
        fit_count += len(fitting)
        if fit_count > _MOST_FITS:
            return None
    return np.concatenate(row_parts), np.concatenate(original_parts)


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
    released: _DistinctRows,
    originals: _DistinctRows,
    covers: Sequence[Covers],
    may_lack: B1,
    counts: I8 | None,
) -> Verdict:
    """Judge that every combination of forms lies over enough originals, whichever else they lie under.

    Only combinations that `may_lack` some are looked at: bool[distinct].
    """
    lacks = may_lack.copy()
    suspects = np.flatnonzero(may_lack)
    for row, is_covered in zip(
        suspects, _list_covered(released.codes[suspects], originals.codes, covers), strict=True
    ):
        lacks[row] = originals.records[is_covered].sum() < released.records[row]
    broken = lacks[released.of_row]
    if broken.any():
        broken_count = sum_counts(broken, counts)
        return verdict_from_rows(broken, f"{broken_count} released records fit too few originals", {}, counts)
    return Verdict(True, "every released record fits enough originals")


def _count_owned(rows: I4, originals: _DistinctRows, covers: Sequence[Covers]) -> I8:
    """For each combination of forms, the originals whose narrowest forms it is made of; no original has two."""
    narrowest_forms = np.empty_like(originals.codes)
    for j, cover in enumerate(covers):
        if cover is None:
            narrowest_forms[:, j] = originals.codes[:, j]
            continue
        too_wide = cover.shape[1] + 1
        width = np.where(cover, cover.sum(axis=1)[:, None], too_wide)  # int64[forms, values]
        narrowest_of_value = np.where(cover.any(axis=0), width.argmin(axis=0), -1)
        narrowest_forms[:, j] = narrowest_of_value[originals.codes[:, j]]
    combinations, combination_of = np.unique(np.r_[rows, narrowest_forms], axis=0, return_inverse=True)
    of_row, of_original = np.split(combination_of.reshape(-1), [len(rows)])
    owned = np.bincount(of_original, weights=originals.records, minlength=len(combinations)).astype(np.int64)
    return np.asarray(owned[of_row], dtype=np.int64)


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
    form_count = max(len(forms.labels), 1)
    set_of_form = forms.sets()  # of forms that stand for the same, all records count together
    row_and_set = np.unique(row_of_entry(start) * form_count + set_of_form[items])
    published_count = np.bincount(row_and_set % form_count, minlength=form_count)

    item_count = max(int(original[1].max(initial=-1)), int(forms.leaves.max(initial=-1))) + 1
    by_item = np.argsort(original[1], kind="stable")
    item_start = np.searchsorted(original[1][by_item], np.arange(item_count + 1))
    holder = row_of_entry(original[0])[by_item]  # the records with item 0, then those with item 1, ...

    is_too_common = np.zeros(len(forms.labels), dtype=bool)
    for form in np.unique(items):
        leaves = forms.leaves[forms.start[form] : forms.start[form + 1]]
        _, holders = take_rows(item_start, holder, leaves)
        is_too_common[form] = published_count[set_of_form[form]] > len(np.unique(holders))
    broken = np.zeros(len(start) - 1, dtype=bool)
    broken[row_of_entry(start)[is_too_common[items]]] = True
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
    released_sets = set_of_form[released[1]] if len(released[1]) else released[1]
    number_of_row, rows = _distinct_baskets(released[0], released_sets)
    number_of_original, originals = _distinct_baskets(*original)
    if len(rows) * len(originals) > _MOST_PAIRS:
        return None
    item_count = max(int(original[1].max(initial=0)), int(forms.leaves.max(initial=0))) + 1
    _, first_forms = np.unique(set_of_form, return_index=True)  # one form of each set, in the order of `sets`
    leaf_sets = [forms.leaves[forms.start[form] : forms.start[form + 1]] for form in first_forms]
    set_has_item = _sparse_matrix(leaf_sets or [np.zeros(0, dtype=np.int64)], item_count)
    row_has_set = _sparse_matrix(rows, set_has_item.shape[0])
    original_has_item = _sparse_matrix(originals, item_count)

    original_meets_set = _binary_matrix(original_has_item @ set_has_item.T)
    sets_met = (row_has_set @ original_meets_set.T).toarray()
    is_fit = sets_met == np.diff(row_has_set.indptr)[:, None]  # every set that the row publishes is met
    if whole:
        row_covers_item = _binary_matrix(row_has_set @ set_has_item)
        items_covered = (row_covers_item @ original_has_item.T).toarray()
        is_fit &= items_covered == np.diff(original_has_item.indptr)[None, :]
    return number_of_row, number_of_original, np.asarray(is_fit, dtype=bool)


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


def _binary_matrix(matrix: "scipy.sparse.csr_array") -> "scipy.sparse.csr_array":
    """The same matrix, 1 wherever it is not 0."""
    binary = scipy.sparse.csr_array(matrix)
    binary.data[:] = 1
    return binary


def provenance_of_trees(released: Trees, original: Trees, hierarchies: Hierarchies) -> Verdict:
    """Judge that no published value, and no relation of two, is in more records than originals that may show it.

    It is what must hold, not all: which record comes from which original only the data holder knows.
    """
    width = len(released.values)
    released_counts = _count_supports(released, (np.arange(width + 1), np.arange(width)), width)
    original_counts = _count_supports(original, _list_codes_over(released, original, hierarchies), width)
    over = [key for key, records in released_counts.items() if records > original_counts.get(key, 0)]
    if over:
        return Verdict(
            False, f"{len(over)} published values or relations are in more records than originals have them"
        )
    return Verdict(True, "no published value or relation is in more records than originals have it")


def _list_codes_over(released: Trees, original: Trees, hierarchies: Hierarchies) -> CodeLists:
    """For each original value, the published values that stand for it."""
    # By field and value; by field and leaf number where the field has a hierarchy.
    codes_of: dict[tuple[str, object], list[int]] = {}
    for code, (name, value) in enumerate(released.pairs):
        tree = hierarchies.get(name)
        if tree is None:
            codes_of.setdefault((name, value), []).append(code)
        else:
            for leaf in range(*tree.places.get(value, (0, 0))):
                codes_of.setdefault((name, leaf), []).append(code)
    code_lists = []
    for name, value in original.pairs:
        leaf_or_value: object = hierarchies[name].look_up([value]).item() if name in hierarchies else value
        code_lists.append(codes_of.get((name, leaf_or_value), []))
    codes = np.array([code for codes in code_lists for code in codes], dtype=np.int64)
    return np.cumsum([0, *map(len, code_lists)]), codes


def _count_supports(trees: Trees, code_lists: CodeLists, width: int) -> dict[int, int]:
    """How many records show each value v as v, and each relation of a over b as width * (a + 1) + b."""
    record_counts: dict[int, int] = {}
    key_count = max(width * (width + 1), 1)
    for first_record in range(0, trees.n, CHUNK):
        start = trees.start[first_record : first_record + CHUNK + 1]
        record_of_node = row_of_entry(start)
        nodes = np.arange(start[0], start[-1])
        shown_in, values = _codes_of_nodes(trees, code_lists, record_of_node, nodes)
        keys = [shown_in * key_count + values]
        for lower_nodes, upper_nodes in ancestry(start, trees.parents):
            pair_of_lower, lower = _codes_of_nodes(
                trees, code_lists, np.arange(len(lower_nodes)), lower_nodes
            )
            lower_of_relation, upper = _codes_of_nodes(
                trees, code_lists, np.arange(len(lower)), upper_nodes[pair_of_lower]
            )
            pair_of_relation = pair_of_lower[lower_of_relation]
            record = record_of_node[lower_nodes[pair_of_relation] - start[0]]
            keys.append(record * key_count + width * (upper + 1) + lower[lower_of_relation])
        distinct_keys = np.unique(np.concatenate(keys))  # a record counts once
        for key, count in zip(*np.unique(distinct_keys % key_count, return_counts=True), strict=True):
            record_counts[int(key)] = record_counts.get(int(key), 0) + int(count)
    return record_counts


def _codes_of_nodes(trees: Trees, code_lists: CodeLists, owner: I8, node: I8) -> tuple[I8, I8]:
    """The published values that stand for some nodes: the owner of the node of each, and the value."""
    start, codes = take_rows(*code_lists, trees.items[node])
    return owner[row_of_entry(start)], codes
