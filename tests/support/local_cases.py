"""Hypothesis: small tables as local methods see them, beside the plain rows and paths they were made of."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

import strategies
from shoal.algorithms._kernels import empty_tally
from shoal.algorithms.constraint import constraint_for_k
from shoal.algorithms.local.boxes import build_axes
from shoal.algorithms.local.local_table import LocalTable

VALUES = strategies.VALUES


@dataclass(frozen=True)
class Case:
    """A prepared table; `rows` are its records in the order of `local`, `paths` by column leaf -> path."""

    table: object
    trees: dict
    local: LocalTable
    rows: list
    paths: list

    def distinct(self):
        """The distinct tuples, in the order of `local`."""
        return [self.rows[i] for i in self.local.first.tolist()]


@st.composite
def cases(draw, recode="hierarchy", grid=None, **options):
    table, trees = draw(strategies.cases(**options))
    local = LocalTable.of("test", table, trees, recode=recode, grid=grid, mix=False)
    cells = [column.cells() for column in table.quasi]
    rows = [tuple(column[row] for column in cells) for row in local.rows.tolist()]
    paths = []
    for tree in local.hierarchies:
        nodes = [
            [tree.labels[level][tree.up[leaf, level]] for level in range(tree.height + 1)]
            for leaf in range(tree.size)
        ]
        paths.append({path[0]: path for path in nodes})
    return Case(table, trees, local, rows, paths)


def axes_and_levels(case, leaves):
    """The axes of records, given as leaf codes, and their places and prices as plain numbers."""
    d = len(case.local.hierarchies)
    axes = build_axes(case.local.hierarchies, leaves, np.full(d, 1 / d))
    levels = [
        [
            dict(enumerate(zip(places.tolist(), prices.tolist(), strict=True)))
            for places, prices in zip(axis.places, axis.prices, strict=True)
        ]
        for axis in axes
    ]
    return axes, levels


def plain_ask(k, who=None):
    """What k alone asks, and an empty tally."""
    ask = constraint_for_k(k, None if who is None else np.array(who, dtype=np.int64))
    return ask, empty_tally(ask)


def partitions(walk, starts):
    """Classes as sets of records."""
    return [frozenset(walk[a:b].tolist()) for a, b in pairwise(starts.tolist())]
