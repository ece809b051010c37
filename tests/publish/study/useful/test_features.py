import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Baskets
from shoal.publish.study.useful.features import (
    cell_features,
    common_items,
    drawn_items,
    drawn_values,
    held_items,
    item_features,
    labels,
)
from shoal.release import Forms, RecodedBaskets
from useful_cases import cells_of, columns

RNG = np.random.default_rng


@given(st.integers(1, 8).flatmap(columns), st.integers(0, 9))
def test_a_value_is_drawn_from_those_that_the_cell_stands_for(case, seed):
    cells, sets, _ = case
    for value, one in zip(drawn_values(cells, RNG(seed)).tolist(), sets, strict=True):
        real = one - {None}
        assert value in (real or range(cells.size))


@given(st.integers(1, 8).flatmap(columns))
def test_labels_are_told_only_where_there_is_no_doubt(case):
    cells, sets, _ = case
    wanted = [next(iter(one)) if len(one) == 1 and None not in one else -1 for one in sets]
    assert labels(cells).tolist() == wanted


def test_all_values_of_a_group_are_equally_likely():
    cells = cells_of("a", [{1, 3}] * 4000, 4)
    times = np.bincount(drawn_values(cells, RNG(1)), minlength=4)
    assert times[0] == times[2] == 0
    assert abs(times[1] - 2000) < 200


def test_originals_and_release_live_in_one_space():
    numbers = cells_of("age", [{0}, {2}, {None}], 3, numbers=[10, 20, 40], ordered=True)
    dates = cells_of("day", [{2}, {0}, {1}], 3, ordered=True)
    names = cells_of("job", [{0}, {1}, {2}], 3, group=[0, 0, 1])
    found = cell_features([numbers, dates, names], 3, RNG(0))
    assert found[:2].tolist() == [[10, 2, 1, 0], [40, 0, 1, 0]]
    assert found[2, 1:].tolist() == [1, 0, 1]
    released = [cells_of("job", [{0, 1}, {0, 1, 2}], 3, group=[0, 0, 1])]
    assert cell_features(released, 2, RNG(0)).shape == (2, 2)
    assert cell_features(released, 2, RNG(0))[0].tolist() == [1, 0]  # both values are of one group
    assert cell_features([], 2, RNG(0)).shape == (2, 0)


def test_a_generalized_item_is_one_of_its_members():
    baskets = Baskets.of("items", [["a", "b"], ["c"], ["d"]])
    forms = Forms.of_sets([None, "d"], [np.array([0, 1, 2], dtype=np.int32), np.array([3], dtype=np.int32)])
    release = RecodedBaskets(
        forms, np.array([0, 1, 2, 3]), np.array([0, 0, 1], dtype=np.int32), np.arange(3), 3
    )
    record, item = drawn_items(release, RNG(0))
    assert record.tolist() == [0, 1, 2]
    assert set(item[:2].tolist()) <= {0, 1, 2}
    assert item[2] == 3
    held = held_items(baskets.start, baskets.items)
    assert item_features(held, np.array([1, 3]), 4, np.arange(3), 3).tolist() == [[1, 0], [0, 0], [0, 1]]
    assert item_features(held, np.array([1, 3]), 4, np.array([2]), 3).tolist() == [[0, 1]]


def test_the_items_that_most_records_hold_are_taken():
    baskets = Baskets.of("items", [["a", "b"], ["b", "c"], ["c"], ["c"]])
    assert common_items(held_items(baskets.start, baskets.items), 3, most=2).tolist() == [1, 2]
