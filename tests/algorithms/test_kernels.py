from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases
from shoal.algorithms._kernels import (
    CLIMB,
    NODE,
    RANGE,
    SET,
    TupleLayout,
    generalize_column,
    mask_words,
    merge_tuples,
    number_tuples,
    open_class,
    price_class,
    price_union,
    price_with_record,
    roll_up,
    widen_class,
)
from shoal.algorithms.local import column_prices as columns
from shoal.algorithms.local._kernels.clustering import extents
from shoal.algorithms.local.column_prices import (
    SCALE,
    node_costs,
    places_from_leaves,
    range_costs,
    rates_of,
    set_costs,
)
from shoal.hierarchy import Hierarchy

rows = st.lists(
    st.tuples(st.integers(0, 2**63 - 1) | st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40
)


def pack(rows, wide):
    words = np.array(rows, dtype=np.int64).T
    return np.ascontiguousarray(words if wide else words[:1])


@pytest.mark.parametrize("wide", [False, True])
@given(rows=rows)
@settings(max_examples=30)
def test_fold_counts_equal_tuples(wide, rows):
    words, counts = pack(rows, wide), np.arange(1, len(rows) + 1)
    expected = Counter()
    for i, column in enumerate(words.T.tolist()):
        expected[tuple(column)] += i + 1
    n = merge_tuples(words, counts)
    assert dict(zip(map(tuple, words[:, :n].T.tolist()), counts[:n].tolist(), strict=True)) == expected
    assert [tuple(c) for c in words[:, :n].T.tolist()] == list(expected)  # order of first appearance


@pytest.mark.parametrize("wide", [False, True])
@given(rows=rows)
@settings(max_examples=30)
def test_label_numbers_equal_tuples_alike(wide, rows):
    words = pack(rows, wide)
    numbers, found = number_tuples(words)
    place = {}
    assert numbers.tolist() == [place.setdefault(tuple(c), len(place)) for c in words.T.tolist()]
    assert found == len(place)


LAYOUT = TupleLayout(  # two columns of four leaves: one in word 0 at bit 3, one in word 1 at bit 0
    word=np.array([0, 1]),
    shift=np.array([3, 0]),
    mask=np.array([3, 3]),
    at=np.array([[0, 4, 8], [0, 8, 8]]),
    places=np.array([0, 1, 2, 3, 0, 0, 2, 2, 0, 0, 0, 0]),
)


def test_lift_touches_one_column():
    words = np.array([[0 << 3 | 7, 1 << 3 | 7, 2 << 3, 3 << 3], [3, 2, 1, 0]])
    generalize_column(words, 0, 1, LAYOUT)
    assert words.tolist() == [[7, 7, 2 << 3, 2 << 3], [3, 2, 1, 0]]


@pytest.mark.parametrize("wide", [True, False])
def test_roll_up_leaves_its_source_alone_and_may_skip_levels(wide):
    words = np.array([[0, 1 << 3, 2 << 3, 3 << 3], [3, 3, 3, 1]])[: 1 + wide].copy()
    counts = np.array([1, 2, 4, 8])
    every = np.full(1 + wide, -1)
    halves = roll_up(words, counts, every, 0, 1, LAYOUT)
    assert halves[0].tolist() == ([[0, 2 << 3, 2 << 3], [3, 3, 1]] if wide else [[0, 2 << 3]])
    assert halves[1].tolist() == ([3, 4, 8] if wide else [3, 12])
    top = roll_up(*halves, every, 0, 2, LAYOUT)
    assert top[0].tolist() == ([[0, 0], [3, 1]] if wide else [[0]])
    assert top[1].tolist() == ([7, 8] if wide else [15])
    assert counts.tolist() == [1, 2, 4, 8]
    assert words[0].tolist() == [0, 8, 16, 24]


def test_roll_up_raises_columns_that_are_not_kept_to_their_roots():
    words, counts = np.array([[0, 1 << 3, 2 << 3, 3 << 3], [3, 3, 3, 1]]), np.array([1, 2, 4, 8])
    rooted = roll_up(words, counts, np.array([-1, ~3]), 0, 1, LAYOUT)
    assert rooted[0].tolist() == [[0, 2 << 3], [0, 0]]
    assert rooted[1].tolist() == [3, 12]


def test_masked_copies():
    words = np.array([[7, 12]])
    assert mask_words(words, np.array([5])).tolist() == [[5, 4]]
    assert words.tolist() == [[7, 12]]


# Prices of classes against the losses they stand for.


def paid(scale, leaves, records):
    """What a class of one column pays, of SCALE."""
    rates, codes = rates_of([scale]), places_from_leaves([scale], leaves)
    walk = np.array(records, dtype=np.int64)
    low, high = extents(codes, walk, np.array([0, len(walk)]), rates)
    return price_class(low[0], high[0], rates) / SCALE


@pytest.mark.parametrize("kind", [NODE, CLIMB])
@given(case=cases(max_quasi=1), data=st.data())
@settings(max_examples=50)
def test_nodes_cost_their_leaves(kind, case, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_TABLED", 256 if kind == NODE else 0)
        scale = node_costs(case.local.hierarchies[0], case.local.leaves[:, 0])
    assert scale.kind == kind
    records = data.draw(st.lists(st.integers(0, case.local.n - 1), min_size=1, unique=True))
    expected = naive.node_cost([case.rows[i][0] for i in records], case.paths[0])
    assert paid(scale, case.local.leaves, records) == pytest.approx(float(expected), abs=1e-8)


@given(case=cases(max_quasi=1), data=st.data())
@settings(max_examples=50)
def test_sets_cost_the_values_present(case, data):
    scale = set_costs(case.local.hierarchies[0], case.local.leaves[:, 0])
    assert scale.kind == SET
    records = data.draw(st.lists(st.integers(0, case.local.n - 1), min_size=1, unique=True))
    values = {case.rows[i][0] for i in records}
    share = 0 if len(values) == 1 else min(len(values) / len(case.paths[0]), 1)
    assert paid(scale, case.local.leaves, records) == pytest.approx(share, abs=1e-8)


TENS = Hierarchy.from_paths("q", [[leaf, "*"] for leaf in ("0", "7", "20", "33", "100")])


@given(
    codes=st.lists(st.integers(0, 5), min_size=1, max_size=8),
    grid=st.sampled_from([None, Decimal("0.5"), Decimal(5), Decimal(30)]),
    data=st.data(),
)
@settings(max_examples=80)
def test_ranges_cost_their_width_on_the_grid(codes, grid, data):
    leaves = np.array(codes, dtype=np.int32)[:, None]
    scale = range_costs(TENS, leaves[:, 0], grid)
    assert scale.kind == RANGE
    records = data.draw(st.lists(st.integers(0, len(codes) - 1), min_size=1, unique=True))
    inside = sorted({codes[i] for i in records})
    if len(inside) == 1:
        expected = 0.0
    elif inside[-1] == 5:  # a missing cell
        expected = 1.0
    else:
        step = float(grid or 0)
        low, high = float(TENS.leaves[inside[0]]), float(TENS.leaves[inside[-1]])
        low, high = (low // step * step, -(-high // step) * step) if step else (low, high)
        expected = (min(high, 100) - max(low, 0)) / 100
    assert paid(scale, leaves, records) == pytest.approx(expected, abs=1e-8)


@given(case=cases(recode="span"), data=st.data())
@settings(max_examples=60)
def test_all_ways_to_price_a_class_agree(case, data):
    local = case.local
    order = data.draw(st.permutations(range(local.n)))
    cut = data.draw(st.integers(1, local.n))
    d = local.codes.shape[1]
    low, high = np.empty((2, d), dtype=np.int64)
    open_class(low, high, local.codes[order[0]], local.rates)
    for i in order[1:cut]:
        ahead = price_with_record(low, high, local.codes[i], local.rates)
        widen_class(low, high, local.codes[i], local.rates)
        assert price_class(low, high, local.rates) == ahead
    other_low, other_high = np.empty((2, d), dtype=np.int64)
    open_class(other_low, other_high, local.codes[order[-1]], local.rates)
    together = price_union(low, high, other_low, other_high, local.rates)
    widen_class(low, high, local.codes[order[-1]], local.rates)
    assert price_class(low, high, local.rates) == together
