"""One measure for every release of the race, from its cells as they stand in the file.

A cell covers values: a value itself, those under a label of the hierarchy, those between two numbers (`17-22`), or
those of a list (`Private,State-gov`); shoal writes the last two as JSON, `[17, 22]` and `["Private", "State-gov"]`.

loss      mean over all people and quasi-identifiers of (values covered - 1) / (values there are - 1); of somebody
          who was left out 1
glm       the same over all values of the hierarchy, which `optimal` and ARX minimize
smallest  people in the smallest class of equal cells: our own group-by
accuracy  of naive Bayes, which shares each released cell out over the values that it covers, on people held back
"""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

__all__ = ["Tree", "accuracy", "averaged", "blanked", "covered", "judge", "read_tree"]

Tree = Mapping[str, frozenset[str]]
RANGE = re.compile(r"^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$")


def read_tree(path: str) -> dict[str, frozenset[str]]:
    """The leaves under each label of a hierarchy file."""
    under: dict[str, set[str]] = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in filter(None, csv.reader(file, delimiter=";")):
            for label in row:
                under.setdefault(label, set()).add(row[0])
    return {label: frozenset(leaves) for label, leaves in under.items()}


def covered(cell: str, tree: Tree, there: frozenset[str]) -> frozenset[str]:
    """The values of the data that a cell covers."""
    if cell in tree:
        return tree[cell] & there
    if found := RANGE.match(cell):
        return _between(float(found[1]), float(found[2]), there)
    if cell.startswith("["):
        values = json.loads(cell)
        return there & frozenset(values) if isinstance(values[0], str) else _between(*values, there)
    listed = frozenset(part.strip() for part in cell.strip("{}").split(","))
    if not listed <= set(tree):
        raise ValueError("a cell is no value, label, range or list of values")
    return listed & there


def _between(low: float, high: float, there: frozenset[str]) -> frozenset[str]:
    return frozenset(value for value in there if low <= float(value) <= high)


def judge(
    originals: pl.DataFrame, released: pl.DataFrame, quasi: Sequence[str], trees: Mapping[str, Tree]
) -> dict[str, float]:
    """What a release loses, whom it leaves out, and its smallest class."""
    if not len(released):
        return {"loss": 1.0, "glm": 1.0, "out": len(originals), "smallest": 0}
    gone = len(originals) - len(released)
    paid = {"loss": 0.0, "glm": 0.0}
    for name in quasi:
        there = frozenset(originals[name].unique().to_list())
        counts = released.group_by(name).len()
        for what, values in (("loss", there), ("glm", frozenset().union(*trees[name].values()))):
            costs = [
                (len(covered(cell, trees[name], values)) - 1) / max(len(values) - 1, 1)
                for cell in counts[name].to_list()
            ]
            paid[what] += float(np.dot(costs, counts["len"].to_numpy())) + gone
    smallest = int(released.group_by(quasi).len()["len"].min())
    every = {what: total / len(quasi) / len(originals) for what, total in paid.items()}
    return every | {"out": gone, "smallest": smallest}


def accuracy(
    released: pl.DataFrame, held: pl.DataFrame, quasi: Sequence[str], label: str, trees: Mapping[str, Tree]
) -> float:
    """The share of held-back people whose label naive Bayes tells when it learnt from a release."""
    if not len(released):
        return 0.0
    labels = sorted(held[label].unique().to_list())
    counts = {row[0]: row[1] for row in released.group_by(label).len().iter_rows()}
    prior = np.array([counts.get(one, 0) for one in labels], dtype=float)
    score = np.log(np.tile((prior + 1) / (prior + 1).sum(), (len(held), 1)))
    for name in quasi:
        values = sorted(trees[name]["*"])
        place = {value: i for i, value in enumerate(values)}
        seen = np.ones((len(values), len(labels)))
        for cell, one, times in released.group_by(name, label).len().iter_rows():
            under = covered(cell, trees[name], frozenset(values))
            if one in labels and under:
                seen[[place[value] for value in under], labels.index(one)] += times / len(under)
        score += np.log(seen / seen.sum(axis=0))[[place[value] for value in held[name].to_list()]]
    guess = np.array(labels)[score.argmax(axis=1)]
    return float((guess == held[label].to_numpy()).mean())


def blanked(originals: pl.DataFrame, released: pl.DataFrame, known: int) -> dict[str, float]:
    """Cells left out, and of rows by any `known` columns the fewest that fit one, and the fewest that look like one.

    Cells fit if they are equal or one of them is blank; they look alike if they are equal, or both blank.
    """
    for name in originals.columns:
        was = dict(originals[name].drop_nulls().value_counts().iter_rows())
        now = dict(released[name].drop_nulls().value_counts().iter_rows())
        if any(times > was.get(value, 0) for value, times in now.items()):
            raise ValueError("a value is there more often than it was")
    before, after = (sum(frame.null_count().row(0)) for frame in (originals, released))
    gone = len(originals) - len(released)
    fits, alike = len(originals), len(originals)
    for some in combinations(originals.columns, known):
        classes = released.group_by(some).len()
        alike = min(alike, int(classes["len"].min()))
        codes = np.stack([classes[name].rank("dense").fill_null(0).to_numpy() for name in some], axis=1)
        fits = min(fits, _fewest(codes.astype(np.int32), classes["len"].to_numpy()))
    return {"cells": after + gone * originals.width - before, "fits": fits, "alike": alike}


def _fewest(codes: np.ndarray, times: np.ndarray) -> int:
    """Every tuple beside every other; a code of 0 is a blank."""
    least = int(times.sum())
    for start in range(0, len(codes), 500):
        block = np.ones((len(codes[start : start + 500]), len(codes)), dtype=bool)
        for column in codes.T:
            one = column[start : start + 500, None]
            block &= (one == column) | (one == 0) | (column == 0)
        least = min(least, int((block @ times).min()))
    return least


def averaged(originals: np.ndarray, released: np.ndarray) -> dict[str, float]:
    """SSE/SST in percent, and the smallest class of equal rows."""
    lost = ((originals - released) ** 2).sum() / ((originals - originals.mean(axis=0)) ** 2).sum()
    sizes = np.unique(released.round(9), axis=0, return_counts=True)[1]
    return {"lost": 100 * float(lost), "alike": int(sizes.min())}
