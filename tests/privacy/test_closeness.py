import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import strategies
from claim_cases import distances
from shoal.errors import InputError
from shoal.privacy import TCloseness
from shoal.release import Published, Sensitive

SALARIES = [3, 4, 5, 6, 7, 8, 9, 10, 11]


def release(cells, quasi):
    texts = [None if cell is None else str(cell) for cell in cells]
    values = tuple(sorted({text for text in texts if text is not None}))
    codes = np.array([-1 if text is None else values.index(text) for text in texts])
    return Published({"q": np.array(quasi)}, {"salary": Sensitive(codes, values)})


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@given(strategies.published(max_rows=9, min_sensitive=1), st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 1]))
@settings(max_examples=60, deadline=None)
def test_agrees_with_the_least_work(distance, published, t):
    verdict = TCloseness(t, distance).check(published)
    expected = distances(published, distance)
    assert verdict.reached["t"] == pytest.approx(expected.max(), abs=1e-9)
    assert list(verdict.witnesses) == (np.flatnonzero(expected > t + 1e-8) + 1).tolist()
    assert bool(verdict) == (not verdict.witnesses)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), min_size=1, max_size=30))
@settings(max_examples=100, deadline=None)
def test_the_crossing_of_many_ordered_values(rows):
    quasi, cells = zip(*rows, strict=True)
    every = sorted(set(cells))
    furthest = 0.0
    for members in naive.classes(quasi):
        inside = [cells[place] for place in members]
        gaps = [
            abs(sum(c <= value for c in inside) / len(inside) - sum(c <= value for c in cells) / len(cells))
            for value in every
        ]
        furthest = max(furthest, sum(gaps) / max(len(every) - 1, 1))
    verdict = TCloseness(1, "ordered").check(release(cells, quasi))
    assert verdict.reached["t"] == pytest.approx(furthest, abs=1e-9)


def test_the_salaries_of_li_et_al():
    # Li, Li, Venkatasubramanian 2007, Sec. 4: {3k, 4k, 5k} is 0.375 and {6k, 8k, 11k} 0.167 from 3k .. 11k
    published = release(SALARIES, [0, 0, 0, 1, 2, 1, 2, 2, 1])
    first, second = TCloseness(0.3749, "ordered"), TCloseness(0.375, "ordered")
    assert first.check(published).witnesses == (1, 2, 3)
    assert second.check(published)
    assert TCloseness(0.1667, "ordered").check(published).witnesses == (1, 2, 3, 5, 7, 8)
    assert TCloseness(0.1666, "ordered").check(published).witnesses == tuple(range(1, 10))


def test_numbers_stand_in_order_of_number_and_equal_numbers_are_one():
    # as text 10 stands before 9; the class {9} is a neighbour of {10}, not two places away
    published = release([8, 9, 10, "10.0"], [0, 1, 1, 1])
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_words_stand_in_order_of_text():
    published = release(["low", "mid", "top"], [0, 1, 1])
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_empty_cells_as_frequent_as_elsewhere_tell_nothing():
    published = release([1, None, 2, 1, None, 2], [0, 0, 0, 1, 1, 1])
    assert TCloseness(0, "equal").check(published)
    assert TCloseness(0, "ordered").check(published)


def test_empty_cells_stand_at_the_end_that_is_further():
    # class {empty} against {empty, 1, 1, 1}: the order empty, 1, 2 or 1, 2, empty
    published = release([None, 1, 1, 2], [0, 1, 1, 1])
    before = (3 / 4 + 1 / 4) / 2
    behind = (2 / 4 + 3 / 4) / 2
    assert TCloseness(1, "ordered").check(published).reached["t"] == pytest.approx(max(before, behind))


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_nothing_but_empty_cells_or_one_value_is_at_distance_0(distance):
    assert TCloseness(0, distance).check(release([None, None], [0, 1]))
    assert TCloseness(0, distance).check(release([5, 5], [0, 1]))


def test_exactly_t_passes():
    # a is 0.4 of one class, 0.2 of the other, 0.3 of the whole; 0.4 - 0.3 exceeds 0.1 in floating point
    published = release(["a"] * 4 + ["b"] * 6 + ["a"] * 2 + ["b"] * 8, [0] * 10 + [1] * 10)
    assert 0.4 - 0.3 > 0.1
    assert TCloseness(0.1).check(published)
    assert not TCloseness(0.0999).check(published)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"t": -0.1}, "t=-0.1: t must be a number from 0 to 1"),
        ({"t": 1.5}, "t must be a number from 0 to 1"),
        ({"t": True}, "t must be a number from 0 to 1"),
        ({"t": float("nan")}, "t must be a number from 0 to 1"),
        ({"t": 0.1, "distance": "far"}, "distance must be one of equal, ordered"),
    ],
)
def test_numbers_are_checked(arguments, message):
    with pytest.raises(InputError, match=message):
        TCloseness(**arguments)
