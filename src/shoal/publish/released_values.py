"""Released values as the pages list them: in the order of their hierarchy, how exact, and what a reader would guess."""

import re
from collections.abc import Mapping
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import F8
from shoal.hierarchy import Hierarchy
from shoal.release import Forms
from shoal.report.facts import Levels

__all__ = ["guessed", "in_order", "levels_of", "places_of", "public_places"]

Counts = Mapping[str | None, int]
Places = Mapping[str, tuple[int, int]]

_NUMBER = re.compile(r"[\[(<>=≤≥ ]*(-?\d+(?:\.\d+)?)")
_EXAMPLES = 3


def in_order(counts: Counts, places: Places | None = None) -> list[tuple[str | None, int]]:
    """Values with their numbers as somebody looks them up: by `places`, else as numbers, else the most frequent first.

    `places` are those in a hierarchy that readers may know. An empty cell is the last.

    >>> in_order({"[20, 30)": 1, None: 2, "[5, 20)": 9, "*": 4})
    [('[5, 20)', 9), ('[20, 30)', 1), ('*', 4), (None, 2)]
    >>> in_order({"flu": 3, "gout": 7}), in_order({"old": 3, "young": 7}, {"young": (0, 4), "old": (4, 9)})
    ([('gout', 7), ('flu', 3)], [('young', 7), ('old', 3)])
    """
    labels = [label for label in counts if label is not None]
    numbers = {label: _NUMBER.match(label) for label in labels if label != "*"}
    key: dict[str, tuple[float, float]]
    if places is not None and all(label in places for label in labels):
        key = {label: (places[label][0], -places[label][1]) for label in labels}
    elif numbers and all(numbers.values()):
        key = {label: (float(found[1]), 0.0) for label, found in numbers.items() if found} | {"*": (inf, 0.0)}
    else:
        key = {label: (-counts[label], 0) for label in labels}
    ranked = [(label, counts[label]) for label in sorted(labels, key=lambda label: key[label])]
    return [*ranked, *([(None, counts[None])] if None in counts else [])]


def places_of(forms: Forms) -> Places:
    """For each label, its first leaf and the leaf after its last."""
    starts, ends = forms.start[:-1].tolist(), forms.start[1:].tolist()
    spans = zip(forms.labels, starts, ends, strict=True)
    return {
        label: (int(forms.leaves[a]), int(forms.leaves[b - 1]) + 1)
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
    lowest: dict[tuple[int, int], int] = {}
    for level, spans in enumerate(hierarchy.spans):
        nodes = (
            hierarchy.up[: hierarchy.size, level].max() + 1
        )  # behind them the root waits for missing cells
        for lo, hi in spans[:nodes].tolist():
            lowest.setdefault((lo, hi), level)
    records: dict[int | None, int] = {}
    examples: dict[int | None, list[str]] = {}
    for label, many in counts.items():
        if label is not None:
            at = lowest[hierarchy.places[label]] if label in hierarchy.places else None
            records[at] = records.get(at, 0) + many
            examples.setdefault(at, []).append(label)
    order = sorted(records, key=lambda level: hierarchy.height + 1 if level is None else level)
    return Levels(
        column,
        hierarchy.size,
        hierarchy.height,
        [(level, records[level], examples[level][:_EXAMPLES]) for level in order],
    )


def guessed(forms: Forms, records: NDArray[np.integer], size: int) -> F8:
    """What a reader would guess of each of `size` leaves: the records of every form, spread evenly over its leaves."""
    width = np.diff(forms.start)
    each = records / np.maximum(width, 1)
    return np.bincount(forms.leaves, weights=np.repeat(each, width), minlength=size).astype(np.float64)
