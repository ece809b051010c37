"""Released values as pages show them: in the order of their hierarchy, how exact, and the cells of records in words."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data import Baskets, Trees
from shoal.data.arrays import F8, I8, take_rows
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.io.read.cells import cell_texts, clean_cells
from shoal.io.read.source import Source
from shoal.io.write.groups import NO_GROUPS, Groups, read_items
from shoal.io.write.json_text import Entry
from shoal.release import PublishedValues, Recoded
from shoal.report.facts import Levels
from shoal.report.words import label, shorten_label

__all__ = [
    "IN_PARTS",
    "Cells",
    "entry_words",
    "find_overlaps",
    "frame_words",
    "guess_leaf_counts",
    "histogram",
    "item_words",
    "levels_of",
    "places_of",
    "public_places",
    "sort_values",
    "source_words",
    "tree_words",
    "uses_only_nodes",
]

IN_PARTS = "how likely people are found was not counted: there are too many records to be held in memory"
"""What the audit says of identity disclosure where records lie in parts."""

Counts = Mapping[str | None, int]
Places = Mapping[str, tuple[int, int]]

_NUMBER = re.compile(r"[\[(<>=≤≥ ]*(-?\d+(?:\.\d+)?)")
_EXAMPLES = 3


def find_overlaps(release: Recoded) -> tuple[str, ...]:
    """The columns with published values that stand for some of the same values, and not for all of the same.

    >>> from shoal.hierarchy import Hierarchy
    >>> ages = Hierarchy.from_paths("age", [["21", "2x", "*"], ["22", "2x", "*"], ["31", "3x", "*"]])
    >>> forms = PublishedValues.of_spans(ages, ["21", "2x", "3x"], np.array([[0, 1], [0, 2], [2, 3]]))
    >>> for codes in ([0, 2], [0, 1]):
    ...     find_overlaps(Recoded(("age",), (forms,), np.array([codes]).T, np.arange(2), 2))
    ()
    ('age',)
    """
    names = []
    for name, form, cells in zip(release.names, release.forms, release.cells, strict=True):
        used = np.flatnonzero(cells)
        _, first = np.unique(form.sets()[used], return_index=True)
        _, leaves = take_rows(form.start, form.leaves, used[first])
        if not form.centre and len(np.unique(leaves)) < len(leaves):
            names.append(name)
    return tuple(names)


def sort_values(counts: Counts, places: Places | None = None) -> list[tuple[str | None, int]]:
    """Values with their numbers as somebody looks them up: by `places`, else as numbers, else the most frequent first.

    `places` are those in a hierarchy that readers may know. An empty cell is the last.

    >>> sort_values({"[20, 30)": 1, None: 2, "[5, 20)": 9, "*": 4})
    [('[5, 20)', 9), ('[20, 30)', 1), ('*', 4), (None, 2)]
    >>> sort_values({"flu": 3, "gout": 7}), sort_values({"old": 3, "young": 7}, {"young": (0, 4), "old": (4, 9)})
    ([('gout', 7), ('flu', 3)], [('young', 7), ('old', 3)])
    """
    labels = [label for label in counts if label is not None]
    numbers = {label: _NUMBER.match(label) for label in labels if label != "*"}
    key: dict[str, tuple[float, float]]
    if places is not None and all(label in places for label in labels):
        key = {label: (places[label][0], -places[label][1]) for label in labels}
    elif numbers and all(numbers.values()):
        key = {label: (float(match[1]), 0.0) for label, match in numbers.items() if match} | {"*": (inf, 0.0)}
    else:
        key = {label: (-counts[label], 0) for label in labels}
    sorted_counts = [(label, counts[label]) for label in sorted(labels, key=lambda label: key[label])]
    return [*sorted_counts, *([(None, counts[None])] if None in counts else [])]


def places_of(forms: PublishedValues, hierarchy: Hierarchy) -> Places:
    """For each label, its first leaf and the leaf after its last; all leaves beside the hierarchy are one."""
    starts, ends = forms.start[:-1].tolist(), forms.start[1:].tolist()
    spans = zip(forms.labels, starts, ends, strict=True)
    leaves = np.minimum(forms.leaves, hierarchy.domain)
    return {
        label: (int(leaves[a]), int(leaves[b - 1]) + 1)
        for label, a, b in spans
        if label is not None and b > a
    }


def public_places(hierarchy: Hierarchy | None) -> Places | None:
    """The places of labels in a hierarchy that readers may know; None where there is none."""
    return hierarchy.places if hierarchy is not None and hierarchy.public else None


def levels_of(column: str, counts: Counts, hierarchy: Hierarchy) -> Levels:
    """How exactly a column is published, from its released labels and a hierarchy that its owner declared.

    A label that is no node of it, such as a set of values, has no level.
    """
    size = hierarchy.domain  # leaves beside it may be of people who were left out
    span_of_label = {label: (low, min(high, size)) for label, (low, high) in hierarchy.places.items()}
    lowest: dict[tuple[int, int], int] = {}
    for level, spans in enumerate(hierarchy.spans):
        nodes = hierarchy.up[:size, level].max() + 1  # behind them the root waits for missing cells
        for low, high in spans[:nodes].tolist():
            lowest.setdefault((low, min(high, size)), level)
    records: dict[int | None, int] = {}
    examples: dict[int | None, list[str]] = {}
    for released_label, record_count in counts.items():
        if released_label is not None:
            level_of_label = (
                lowest[span_of_label[released_label]] if released_label in span_of_label else None
            )
            records[level_of_label] = records.get(level_of_label, 0) + record_count
            examples.setdefault(level_of_label, []).append(released_label)
    order = sorted(records, key=lambda level: hierarchy.height + 1 if level is None else level)
    return Levels(
        column,
        size,
        hierarchy.height,
        [(level, records[level], examples[level][:_EXAMPLES]) for level in order],
    )


def histogram(numbers: NDArray[np.integer]) -> dict[int, int]:
    """How often each number occurs, from the smallest to the largest."""
    distinct, times = np.unique(numbers, return_counts=True)
    return dict(zip(distinct.tolist(), times.tolist(), strict=True))


def guess_leaf_counts(forms: PublishedValues, records: NDArray[np.integer], size: int) -> F8:
    """What a reader would guess of each of `size` leaves: the records of every form, spread evenly over its leaves."""
    width = np.diff(forms.start)
    records_per_leaf = records / np.maximum(width, 1)
    return np.bincount(forms.leaves, weights=np.repeat(records_per_leaf, width), minlength=size).astype(
        np.float64
    )


Cells = list[str | None]
_LONGEST = 400  # signs of a cell


def frame_words(data: Any, release: Any) -> dict[str, Cells]:
    """The columns of a release of a dataset: lists of items in words, everything else as text."""
    frame, groups = data.assemble(release), data.groups(release)
    return {
        name: _list_words(frame[name], groups) if role == "items" else _shorten_cells(frame[name])
        for name, role in data.roles(frame).items()
    }


def source_words(source: Source, name: str, rows: I8) -> Cells:
    """The cells of some records as they came in, what means no value left empty."""
    return _shorten_cells(clean_cells(cell_texts(source.frame[name].gather(pl.Series(rows))), source.missing))


def item_words(baskets: Baskets, rows: I8) -> Cells:
    """The items of some records, with commas between them."""
    return [_join_words(baskets.values[code] for code in baskets.basket(int(row))) for row in rows]


def _list_words(cells: pl.Series, groups: Groups = NO_GROUPS) -> Cells:
    """Released lists of items, with commas between them; a set of items is in braces.

    >>> _list_words(pl.Series("items", ['["milk", ["bread", "rolls"]]', "[]"]))
    ['milk, {bread, rolls}', '']
    """
    start, items, entries = read_items(cells, groups)
    words = entry_words(entries)
    return [_join_words(words[code] for code in items[a:b]) for a, b in pairwise(start.tolist())]


def entry_words(entries: Iterable[Entry]) -> list[str]:
    """Entries in words: a set of items as its members in braces."""
    return [entry if isinstance(entry, str) else "{" + ", ".join(entry) + "}" for entry in entries]


def tree_words(trees: Trees) -> Cells:
    """Record trees, one line per node, each further in than what it hangs under; fields by their last name.

    >>> print(tree_words(Trees.of([[("ward", "A", ("ward.ill", "flu"))]]))[0])
    ward: A
      ill: flu
    """
    names = [trees.classes[kind].rpartition(".")[2] for kind in trees.kinds]
    heads = [f"{label(name)}: {label(value)}" for name, value in zip(names, trees.values, strict=True)]
    return [
        _indent_nodes(heads, trees.items[a:b].tolist(), trees.parents[a:b].tolist())
        for a, b in pairwise(trees.start.tolist())
    ]


def _indent_nodes(heads: list[str], items: list[int], parents: list[int]) -> str:
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return "\n".join(
        f"{'  ' * depth}{shorten_label(heads[item], _LONGEST)}"
        for depth, item in zip(depths, items, strict=True)
    )


def _shorten_cells(cells: pl.Series) -> Cells:
    return [None if cell is None else shorten_label(cell, _LONGEST) for cell in cell_texts(cells)]


def _join_words(words: Iterable[str]) -> str:
    return shorten_label(", ".join(words), _LONGEST)


def uses_only_nodes(release: Recoded, hierarchies: Hierarchies) -> bool:
    """Whether all cells are nodes of the hierarchies."""
    return not any(forms.centre for forms in release.forms) and all(
        label is None or label in hierarchies[name].places
        for name, forms in zip(release.names, release.forms, strict=True)
        for label in forms.labels
    )
