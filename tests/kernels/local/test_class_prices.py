"""Prices of classes against the losses they stand for."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases
from shoal.algorithms.local import column_prices as columns
from shoal.algorithms.local.column_prices import SCALE, as_nodes, as_range, as_set, places_of, rates_of
from shoal.hierarchy import Hierarchy
from shoal.kernels.local.class_prices import (
    CLIMB,
    NODE,
    RANGE,
    SET,
    both,
    cost,
    enter,
    open_class,
    with_record,
)
from shoal.kernels.local.merge_classes import extents


def paid(scale, leaves, records):
    """What a class of one column pays, of SCALE."""
    rates, codes = rates_of([scale]), places_of([scale], leaves)
    walk = np.array(records, dtype=np.int64)
    low, high = extents(codes, walk, np.array([0, len(walk)]), rates)
    return cost(low[0], high[0], rates) / SCALE


@pytest.mark.parametrize("kind", [NODE, CLIMB])
@given(case=cases(max_quasi=1), data=st.data())
@settings(max_examples=50, deadline=None)
def test_nodes_cost_their_leaves(kind, case, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_TABLED", 256 if kind == NODE else 0)
        scale = as_nodes(case.local.hierarchies[0], case.local.leaves[:, 0])
    assert scale.kind == kind
    records = data.draw(st.lists(st.integers(0, case.local.n - 1), min_size=1, unique=True))
    expected = naive.node_cost([case.rows[i][0] for i in records], case.paths[0])
    assert paid(scale, case.local.leaves, records) == pytest.approx(float(expected), abs=1e-8)


@given(case=cases(max_quasi=1), data=st.data())
@settings(max_examples=50, deadline=None)
def test_sets_cost_the_values_present(case, data):
    scale = as_set(case.local.hierarchies[0], case.local.leaves[:, 0])
    assert scale.kind == SET
    records = data.draw(st.lists(st.integers(0, case.local.n - 1), min_size=1, unique=True))
    values = {case.rows[i][0] for i in records}
    share = 1 if None in values else 0 if len(values) == 1 else len(values) / len(case.paths[0])
    assert paid(scale, case.local.leaves, records) == pytest.approx(share, abs=1e-8)


TENS = Hierarchy.from_paths("q", [[leaf, "*"] for leaf in ("0", "7", "20", "33", "100")])


@given(
    codes=st.lists(st.integers(0, 5), min_size=1, max_size=8),
    grid=st.sampled_from([None, Decimal("0.5"), Decimal(5), Decimal(30)]),
    data=st.data(),
)
@settings(max_examples=80, deadline=None)
def test_ranges_cost_their_width_on_the_grid(codes, grid, data):
    leaves = np.array(codes, dtype=np.int32)[:, None]
    scale = as_range(TENS, leaves[:, 0], grid)
    assert scale.kind == RANGE
    records = data.draw(st.lists(st.integers(0, len(codes) - 1), min_size=1, unique=True))
    inside = sorted({codes[i] for i in records})
    if inside[-1] == 5:  # a missing cell
        expected = 1.0
    elif len(inside) == 1:
        expected = 0.0
    else:
        step = float(grid or 0)
        low, high = float(TENS.leaves[inside[0]]), float(TENS.leaves[inside[-1]])
        low, high = (low // step * step, -(-high // step) * step) if step else (low, high)
        expected = (min(high, 100) - max(low, 0)) / 100
    assert paid(scale, leaves, records) == pytest.approx(expected, abs=1e-8)


@given(case=cases(recode="span"), data=st.data())
@settings(max_examples=60, deadline=None)
def test_all_ways_to_price_a_class_agree(case, data):
    local = case.local
    order = data.draw(st.permutations(range(local.n)))
    cut = data.draw(st.integers(1, local.n))
    d = local.codes.shape[1]
    low, high = np.empty((2, d), dtype=np.int64)
    open_class(low, high, local.codes[order[0]], local.rates)
    for i in order[1:cut]:
        ahead = with_record(low, high, local.codes[i], local.rates)
        enter(low, high, local.codes[i], local.rates)
        assert cost(low, high, local.rates) == ahead
    other_low, other_high = np.empty((2, d), dtype=np.int64)
    open_class(other_low, other_high, local.codes[order[-1]], local.rates)
    together = both(low, high, other_low, other_high, local.rates)
    enter(low, high, local.codes[order[-1]], local.rates)
    assert cost(low, high, local.rates) == together
