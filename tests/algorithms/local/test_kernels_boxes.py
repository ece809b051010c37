from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_boxes
from local_cases import axes_and_levels, cases
from shoal.algorithms.local._kernels.boxes import NONE, cheapest_boxes
from shoal.algorithms.local.boxes import Axis, _boxes_at_node, _build_ladder

NO_END = 1 << 62


def ladder_case(case):
    """The axes of a table, and the same as plain numbers."""
    axes, levels = axes_and_levels(case, case.local.leaves)
    rows = list(zip(*(axis.of.tolist() for axis in axes), strict=True))
    return axes, levels, rows


def sweep(axes, placed, k, limit=NO_END, most=NO_END):
    """What the kernel finds for every row, equal rows to place as one tuple."""
    packed, ladder = _build_ladder(axes)
    free = np.array([paid is None for paid in placed])
    tuples, of, counts = np.unique(packed[free], return_inverse=True, return_counts=True)
    paid = np.array([paid for paid in placed if paid is not None], dtype=np.int64)
    falling = np.argsort(-paid, kind="stable")
    others = np.stack([packed[~free][falling], np.ones_like(paid), paid[falling]])
    done = np.zeros(1, dtype=np.int64)
    found = cheapest_boxes(tuples, counts, others, k, limit, ladder, most, done)
    return (
        dict(
            zip(np.flatnonzero(free).tolist(), zip(*(part[of] for part in found), strict=True), strict=True)
        ),
        ladder,
        done,
    )


def axis_of(n):
    """n values on three levels."""
    places = np.stack([np.arange(n), np.arange(n) // 2 * 2, np.zeros(n)]).astype(np.int64)
    return Axis(np.arange(n), places, np.array([[0], [1], [n]]) * np.ones(n, dtype=np.int64))


@given(case=cases(min_rows=2), k=st.integers(1, 4), data=st.data())
@settings(max_examples=80)
def test_every_tuple_learns_the_box_that_it_pays_least_in(case, k, data):
    axes, levels, rows = ladder_case(case)
    amount = st.one_of(st.none(), st.integers(0, 1 << 30))
    placed = data.draw(
        st.lists(amount, min_size=len(rows), max_size=len(rows)).filter(lambda all_: None in all_)
    )
    wanted = naive_boxes.pays(rows, placed, levels, k)
    found, ladder, _ = sweep(axes, placed, k)
    for i, (pays, node, holds) in found.items():
        if i not in wanted:
            assert pays == NONE
            continue
        level = tuple((node // ladder.stride % (ladder.top + 1)).tolist())
        each, vector, free = wanted[i]
        assert (pays, level) == (each, vector)  # of equal ones the smaller vector
        assert holds == free


def stretched(axis, times):
    """The same axis with every value so many times as large, so that packed tuples need more bits."""
    places = np.zeros((len(axis.places), axis.places.shape[1] * times), dtype=np.int64)
    prices = np.zeros_like(places)
    places[:, ::times], prices[:, ::times] = axis.places * times, axis.prices
    return Axis(axis.of * times, places, prices)


@given(data=st.data(), k=st.integers(2, 5), columns=st.integers(2, 4))
@settings(max_examples=60)
def test_long_tuples_learn_what_short_ones_do(data, k, columns):
    rows = data.draw(
        st.lists(st.tuples(*[st.integers(0, 7)] * columns), min_size=6, max_size=40).map(np.array)
    )
    placed = [
        None,
        *data.draw(
            st.lists(st.one_of(st.none(), st.integers(0, 40)), min_size=len(rows) - 1, max_size=len(rows) - 1)
        ),
    ]
    axes = [replace(axis_of(8), of=column) for column in rows.T]
    short, _, _ = sweep(axes, placed, k)
    long, _, _ = sweep([stretched(axis, 1 << 11) for axis in axes], placed, k)
    assert long == short


@given(case=cases(min_rows=2), k=st.integers(1, 3), limit=st.integers(0, 1 << 30))
@settings(max_examples=60)
def test_a_limit_hides_nothing_that_costs_less(case, k, limit):
    axes, _, rows = ladder_case(case)
    everything, _, _ = sweep(axes, [None] * len(rows), k)
    limited, _, _ = sweep(axes, [None] * len(rows), k, limit)
    for i in everything:
        assert limited[i] == everything[i] if everything[i][0] <= limit else limited[i][0] > limit


@given(case=cases(min_rows=2))
@settings(max_examples=20)
def test_boxes_of_a_node_have_their_rows_and_prices(case):
    axes, levels, rows = ladder_case(case)
    packed, ladder = _build_ladder(axes)
    every = naive_boxes.boxes(rows, levels)
    for vector in {vector for vector, _ in every}:
        node = np.full(len(packed), int(np.array(vector) @ ladder.stride))
        boxes, prices = _boxes_at_node(packed, node, ladder)
        for price, inside in (found for (levels_, _), found in every.items() if levels_ == vector):
            assert np.flatnonzero(boxes == boxes[inside[0]]).tolist() == inside
            assert set(prices[inside].tolist()) == {price}


def test_a_sweep_stops_when_it_has_taken_too_much():
    axes = [axis_of(8) for _ in range(3)]
    _, _, done = sweep(axes, [None] * 8, 3)
    _, _, stopped = sweep(axes, [None] * 8, 3, most=20)
    assert 20 < stopped[0] < done[0]
