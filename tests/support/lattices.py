"""Hypothesis: small tables with hierarchies, as plain data and as shoal's own types."""

from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import strategies as st

import naive_lattice as naive
from claiming import claimed
from shoal.algorithms.lattice import branch_and_bound
from shoal.algorithms.lattice import optimal as optimal_module
from shoal.algorithms.lattice.optimal import optimal
from shoal.base.errors import InfeasibleError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from strategies import several

LEAVES = "abcdef"
LOSSES = [
    "glm",
    "glm-geometric",
    "ncp",
    "il",
    "entropy",
    "precision",
    "height",
    "dm",
    "dm-star",
    "aecs",
    "ce",
]


@dataclass(frozen=True)
class Case:
    """Rows and paths (see `naive_lattice`), and a label a row."""

    rows: list
    columns: list
    label: list
    persons: list | None = None
    weights: list | None = None

    @property
    def table(self):
        quasi = [
            Column.of(f"q{j}", "quasi", [row[j] for row in self.rows], (self.weights or [1.0] * 9)[j])
            for j in range(len(self.columns))
        ]
        persons = None if self.persons is None else np.array(self.persons, dtype=np.int64)
        return Table((*quasi, Column.of("label", "sensitive", self.label)), persons)

    @property
    def hierarchies(self):
        return {f"q{j}": Hierarchy.from_paths(f"q{j}", paths) for j, paths in enumerate(self.columns)}

    def points(self, loss, percent, **options):
        """What every node gives where so many percent of the rows may be left out, from the definitions."""
        known = {"persons": self.persons, "weights": self.weights, "target": self.label, **options}
        return naive.candidates(loss, self.rows, self.columns, len(self.rows) * percent // 100, **known)


@contextmanager
def clock_that_stops(looks):
    """A search has so much time that it can look at the clock so often."""
    clock = iter(range(10**6))
    with (
        patch.object(branch_and_bound, "monotonic", lambda: next(clock) - looks),
        patch.object(optimal_module, "monotonic", lambda: -1.0),
    ):
        yield


def check_cheapest(case, kept, percent, **options):
    """Whether `optimal` takes the cheapest node, `kept` being the rows that are left of each by the definitions."""
    loss, found = options.get("loss", "glm"), {}
    for levels in naive.nodes(case.columns):
        left = kept(levels)
        if left and len(case.rows) - len(left) <= len(case.rows) * percent // 100:
            cost = naive.loss_of(loss, case.rows, case.columns, levels, left, target=case.label)
            found[levels] = (round(cost, 12), left)
    options["suppress"] = percent / 100
    if not found:
        with pytest.raises(InfeasibleError, match=r"all records as one class reach|but the table has"):
            claimed(optimal, case.table, case.hierarchies, **options)
        return
    release = claimed(optimal, case.table, case.hierarchies, **options).release
    levels = tuple(release.rule["levels"].values())
    cost, left = found[levels]
    assert cost == min(other for other, _ in found.values())
    assert levels == min(levels for levels, (other, _) in found.items() if other == cost)
    assert release.rows.tolist() == left


@st.composite
def paths(draw):
    """A column's hierarchy: intervals that only ever unite, each level's labels its own; the root may come early."""
    size = draw(st.integers(1, 5))
    names = [f"{leaf}" for leaf in LEAVES[:size]]
    levels = [names]
    for _ in range(draw(st.integers(0, 2))):
        below, merged = levels[-1], [levels[-1][0]]
        for i in range(1, size):
            merged.append(merged[-1] if below[i] == below[i - 1] or draw(st.booleans()) else below[i])
        spans = [[j for j in range(size) if merged[j] == merged[i]] for i in range(size)]
        levels.append(
            ["".join(names[j] for j in span) if len(span) > 1 else names[span[0]] for span in spans]
        )
    if draw(st.booleans()):  # the root a level early, or all leaves under a label that is not the root's
        levels = [
            ["*" if len(set(level)) == 1 and level != names else name for name in level] for level in levels
        ]
    if levels[-1] != ["*"] * size:
        levels.append(["*"] * size)
    return [[level[i] for level in levels] for i in range(size)]


@st.composite
def cases(draw, *, persons=False, weights=False, missing=True, empty_labels=False, most=10):
    columns = draw(st.lists(paths(), min_size=1, max_size=3))
    number = draw(st.integers(1, most))
    gaps = (None,) if missing else ()
    cells = [draw(several((*(p[0] for p in column), *gaps), number)) for column in columns]
    rows = list(zip(*cells, strict=True))
    label = draw(several((*"xyz", *([None] * empty_labels)), number))
    who = draw(several(tuple(range(6)), number)) if persons else None
    weight = draw(several((1, 2, 5), 3)) if weights else None
    return Case(rows, columns, label, who, weight and weight[: len(columns)])
