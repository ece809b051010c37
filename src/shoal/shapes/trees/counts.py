"""What is counted of record trees for their pages: values, and what stands above what, before and after."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.data import Trees
from shoal.data.arrays import I8, row_of_entry
from shoal.data.trees import CHUNK, ancestry
from shoal.hierarchy import Hierarchies
from shoal.report.facts import CutRelation, End, PublishedRelation
from shoal.shapes.released_values import histogram

__all__ = [
    "TreeCounts",
    "_count_cut_relations",
    "_count_relations",
    "_published_relations",
    "_records_by_value",
    "count_trees",
    "list_relations",
]


def _published_relations(shown: Trees) -> list[PublishedRelation]:
    """For each class and class above it, how many nodes of the lower one hang so."""
    return list_relations(shown.classes, *_count_relations(shown))


def _count_relations(shown: Trees) -> tuple[I8, I8]:
    """How many nodes of each class hang under each class, int64[above, below], and how many there are."""
    width = len(shown.classes)
    kinds = shown.kinds[shown.items].astype(np.int64)
    relation_counts = np.zeros(width * width, dtype=np.int64)
    for offset in range(0, shown.n, CHUNK):
        for low, high in ancestry(shown.start[offset : offset + CHUNK + 1], shown.parents):
            relation_counts += np.bincount(kinds[high] * width + kinds[low], minlength=width * width)
    return relation_counts.reshape(width, width), np.bincount(kinds, minlength=width)


def list_relations(classes: Sequence[str], under: I8, nodes: I8) -> list[PublishedRelation]:
    """The same in words."""
    return [
        PublishedRelation(classes[high], classes[low], int(nodes[low]), int(under[high, low]))
        for high, low in np.argwhere(under).tolist()
    ]


def _count_cut_relations(
    trees: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any]
) -> list[CutRelation]:
    """The relations that a rule cuts, in its order, and how many originals show each."""
    cuts = [(_as_end(upper), _as_end(lower)) for upper, lower in rule.get("disassociations", ())]
    if not cuts:
        return []
    codes, number = _number_ends(trees, hierarchies, rule["cut"])
    absent_number = len(number) + 1  # of an end that these records do not have
    width = absent_number + 1
    keys = [
        number.get(upper, absent_number) * width + number.get(lower, absent_number) for upper, lower in cuts
    ]
    distinct_keys = np.unique(np.array(keys, dtype=np.int64))
    record_counts = np.zeros(len(distinct_keys), dtype=np.int64)
    for offset in range(0, trees.n, CHUNK):
        start = trees.start[offset : offset + CHUNK + 1]
        record = row_of_entry(start)
        hits = [np.zeros(0, dtype=np.int64)]
        for low, high in ancestry(start, trees.parents):
            for upper in codes:
                for lower in codes:
                    pairs = upper[trees.items[high]] * width + lower[trees.items[low]]
                    ours = np.isin(pairs, distinct_keys)
                    key_index = np.searchsorted(distinct_keys, pairs[ours])
                    hits.append(record[low[ours] - start[0]] * len(distinct_keys) + key_index)
        record_counts += np.bincount(
            np.unique(np.concatenate(hits)) % len(distinct_keys), minlength=len(distinct_keys)
        )
    key_indices = np.searchsorted(distinct_keys, keys).tolist()
    return [
        CutRelation(upper, lower, int(record_counts[key_index]))
        for (upper, lower), key_index in zip(cuts, key_indices, strict=True)
    ]


def _as_end(end: Any) -> End:
    return end if isinstance(end, str) else (str(end[0]), str(end[1]))


def _number_ends(
    trees: Trees, hierarchies: Hierarchies, cut: Mapping[str, Any]
) -> tuple[tuple[I8, I8], dict[End, int]]:
    """For each item, the numbers of its published value and of its class; then those of all values and classes."""
    number: dict[End, int] = {name: kind for kind, name in enumerate(trees.classes)}
    values = np.full(len(trees.values), -1, dtype=np.int64)
    for kind, name in enumerate(trees.classes):
        items = np.flatnonzero(trees.kinds == kind)
        texts = [trees.values[item] for item in items]
        if name == trees.sensitive:
            values[items] = [number.setdefault((name, text), len(number)) for text in texts]
            continue
        leaves = hierarchies[name].look_up(texts)
        for label in cut.get(name) or ():
            lo, hi = hierarchies[name].places[label]
            values[items[(leaves >= lo) & (leaves < hi)]] = number.setdefault((name, label), len(number))
    values[values < 0] = len(number)  # left out: a number that nothing asks for
    return (values, trees.kinds.astype(np.int64)), number


class TreeCounts(NamedTuple):
    """What the pages tell of original and released records, counted; counts of parts are added number by number.

    before, after : for each value, how many original or released records hold it
    under, nodes : how many released nodes of each class hang under each class, and how many there are
    sizes   : for each number of nodes, how many released trees have it
    cut     : the relations that were cut
    """

    before: I8
    after: I8
    under: I8
    nodes: I8
    sizes: Counter[int]
    cut: tuple[CutRelation, ...]


def count_trees(
    original: Trees, shown: Trees, hierarchies: Hierarchies, rule: Mapping[str, Any]
) -> TreeCounts:
    """Count some records, before and after a rule."""
    return TreeCounts(
        _records_by_value(original),
        _records_by_value(shown),
        *_count_relations(shown),
        Counter(histogram(np.diff(shown.start))),
        tuple(_count_cut_relations(original, hierarchies, rule)),
    )


def _records_by_value(trees: Trees) -> I8:
    """For each value, how many records hold it."""
    width = max(len(trees.values), 1)
    counts = np.zeros(width, dtype=np.int64)
    for offset in range(0, trees.n, CHUNK):
        start = trees.start[offset : offset + CHUNK + 1]
        record = row_of_entry(start)
        entry_keys = np.sort(record * width + trees.items[start[0] : start[-1]])
        fresh = np.diff(entry_keys, prepend=-1) > 0  # sorting beats np.unique here
        counts += np.bincount(entry_keys[fresh] % width, minlength=width)
    return counts[: len(trees.values)]
