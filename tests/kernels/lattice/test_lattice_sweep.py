"""The whole lattice in one pass, against every node on its own; also with tuples too wide for one word."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.lattice.lattice_sweep import offer, sweep
from shoal.kernels.lattice.node_measures import DM, Extras, Prices, classes, ladder
from shoal.kernels.lattice.packed_tuples import Layout, fold, lift

NONE = np.empty(0, dtype=np.int64)
HEIGHTS, STRIDE = np.array([2, 1]), np.array([2, 1])
PLACES = np.array([0, 1, 2, 3, 0, 0, 2, 2, 0, 0, 0, 0])


def layout(wide):
    word = np.array([0, 1 if wide else 0])
    return Layout(
        word, np.array([0, 0 if wide else 2]), np.array([3, 3]), np.array([[0, 4, 8], [0, 8, 8]]), PLACES
    )


def packed(rows, wide):
    a, b = np.array(rows, dtype=np.int64).T
    return np.stack([a, b]) if wide else (a | b << 2)[None, :]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=14),
    allowed=st.integers(0, 4),
    per_node=st.booleans(),
)
@settings(max_examples=12, deadline=None)
def test_finds_the_cheapest_node_of_every_k(wide, order, rows, allowed, per_node):
    n, where = len(rows), layout(wide)
    cost, total = np.zeros(12, dtype=np.int64), np.zeros((2, 3), dtype=np.int64)
    prices = Prices(DM, n, 1, cost, total, np.array([1, 1]), np.full(2, 0.5))
    extras = Extras(NONE, NONE, NONE)
    allowed = min(allowed, n - 1)
    words, counts = packed(rows, wide), np.ones(n, dtype=np.int64)
    expected = np.full(n + 1, np.inf), np.full(n + 1, np.iinfo(np.int64).max), np.zeros(n + 1, dtype=np.int64)
    for node in range(6):
        levels = node // STRIDE % (HEIGHTS + 1)
        table, tally = words.copy(), counts.copy()
        for j in range(2):
            lift(table, j, levels[j], where)
        m = fold(table, tally)
        classed = classes(np.ascontiguousarray(table[:, :m]), tally[:m], extras)
        rungs = ladder(classed, levels, allowed, where, prices)
        offer(rungs, len(rungs[0]) - 1 if per_node else 0, node, *expected)
    m = fold(words, counts)
    bottom = np.ascontiguousarray(words[:, :m]), counts[:m].copy()
    shape = HEIGHTS, STRIDE, np.array(order)
    found = sweep(*bottom, shape, where, extras, prices, allowed, per_node, np.zeros(1, dtype=np.int64))
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.tolist() == theirs.tolist()
