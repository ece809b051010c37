import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.assess.prediction import (
    _basket_entries,
    _cell_features,
    _certain_values,
    _common_items,
    _draw_items,
    _draw_values,
    _item_features,
    _other_originals,
    read_originals,
    read_release,
    select_records,
)
from shoal.data import Baskets
from shoal.release import PublishedValues, RecodedBaskets
from useful_cases import cells_of, columns

CITY = [["Ulm", "south", "*"], ["Kiel", "north", "*"], ["Bonn", "west", "*"], ["Jena", "east", "*"]]


AGES = ["31", "47", None, "22", "58", "63", "35", "41", "29", "74"]
INCOMES = ["100", "50", "", "70", "60", "80", "90", "110", "120", "130"]


def data():
    frame = pl.DataFrame(
        {
            "age": AGES * 2,
            "city": ["Ulm", "Kiel", "Bonn", "Jena"] * 5,
            "income": INCOMES * 2,
            "ill": ["flu", "gout", "flu", "hiv"] * 5,
            "sex": ["1", "2"] * 10,
        }
    )
    hierarchies = {"age": {"ranges": [10, 20]}, "city": shoal.Hierarchy.from_paths("city", CITY)}
    roles = {"age": "quasi", "city": "quasi", "income": "sensitive", "ill": "sensitive", "sex": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies=hierarchies, allow=("income", "ill", "sex"))


def told(cells, row):
    """The leaves that a cell stands for, as text."""
    form = cells.codes[row]
    leaves = cells.forms.leaves[cells.forms.start[form] : cells.forms.start[form + 1]]
    return [cells.forms.labels[leaf] if len(leaves) == 1 else leaf for leaf in leaves]


def test_originals_stand_for_themselves():
    age, city, income, ill, sex = read_originals(data())
    assert (told(age, 0), told(age, 2), told(city, 1), told(ill, 3)) == (["31"], [], ["Kiel"], ["hiv"])
    assert (told(income, 1), told(income, 2)) == (["50"], [])
    assert (age.ordered, city.ordered, ill.ordered) == (True, False, False)
    assert sorted(age.numbers) == [22, 29, 31, 35, 41, 47, 58, 63, 74]
    assert sorted(income.numbers) == [50, 60, 70, 80, 90, 100, 110, 120, 130]
    assert ill.numbers is sex.numbers is None  # 1 and 2 are codes


def test_many_values_are_put_into_few_groups():
    age, city, income, ill, _ = read_originals(data(), most=2)
    assert city.names == ("Ulm to Kiel", "Bonn to Jena")  # no level between four groups and the root
    assert ill.names == ("flu", "all others")
    assert income.names == ("50 to 90", "100 to 130")
    assert income.groups[[income.forms.labels.index(v) for v in ("50", "90", "100")]].tolist() == [0, 0, 1]
    assert len(age.names) == 2
    assert read_originals(data(), most=5)[0].names == ("[20, 40)", "[40, 60)", "[60, 80)")


def test_a_release_is_read_by_the_same_groups():
    people = data()
    release = shoal.anonymize(people, k=3, method="optimal", seed=1).result.release
    before = read_originals(people)
    for old, new in zip(before, read_release(release, before), strict=True):
        assert (new.names, new.size) == (old.names, old.size)
        for row, origin in enumerate(release.rows):
            mine = old.codes[origin]
            form = new.codes[row]
            stands = new.forms.leaves[new.forms.start[form] : new.forms.start[form + 1]]
            assert mine in stands or (mine == old.size and not len(stands))


def test_other_records_have_the_same_groups():
    people = data()
    part = select_records(people, np.array([2, 1]))
    whole = read_originals(people)
    for old, new in zip(whole, _other_originals(part, whole), strict=True):
        assert new.codes.tolist() == old.codes[[2, 1]].tolist()


RNG = np.random.default_rng


@given(st.integers(1, 8).flatmap(columns), st.integers(0, 9))
def test_a_value_is_drawn_from_those_that_the_cell_stands_for(case, seed):
    cells, sets, _ = case
    for value, one in zip(_draw_values(cells, RNG(seed)).tolist(), sets, strict=True):
        real = one - {None}
        assert value in (real or range(cells.size))


@given(st.integers(1, 8).flatmap(columns))
def test_labels_are_told_only_where_there_is_no_doubt(case):
    cells, sets, _ = case
    wanted = [next(iter(one)) if len(one) == 1 and None not in one else -1 for one in sets]
    assert _certain_values(cells).tolist() == wanted


def test_all_values_of_a_group_are_equally_likely():
    cells = cells_of("a", [{1, 3}] * 4000, 4)
    times = np.bincount(_draw_values(cells, RNG(1)), minlength=4)
    assert times[0] == times[2] == 0
    assert abs(times[1] - 2000) < 200


def test_originals_and_release_live_in_one_space():
    numbers = cells_of("age", [{0}, {2}, {None}], 3, numbers=[10, 20, 40], ordered=True)
    dates = cells_of("day", [{2}, {0}, {1}], 3, ordered=True)
    names = cells_of("job", [{0}, {1}, {2}], 3, group=[0, 0, 1])
    found = _cell_features([numbers, dates, names], 3, RNG(0))
    assert found[:2].tolist() == [[10, 2, 1, 0], [40, 0, 1, 0]]
    assert found[2, 1:].tolist() == [1, 0, 1]
    released = [cells_of("job", [{0, 1}, {0, 1, 2}], 3, group=[0, 0, 1])]
    assert _cell_features(released, 2, RNG(0)).shape == (2, 2)
    assert _cell_features(released, 2, RNG(0))[0].tolist() == [1, 0]  # both values are of one group
    assert _cell_features([], 2, RNG(0)).shape == (2, 0)


def test_a_generalized_item_is_one_of_its_members():
    baskets = Baskets.of("items", [["a", "b"], ["c"], ["d"]])
    forms = PublishedValues.of_sets(
        [None, "d"], [np.array([0, 1, 2], dtype=np.int32), np.array([3], dtype=np.int32)]
    )
    release = RecodedBaskets(
        forms, np.array([0, 1, 2, 3]), np.array([0, 0, 1], dtype=np.int32), np.arange(3), 3
    )
    record, item = _draw_items(release, RNG(0))
    assert record.tolist() == [0, 1, 2]
    assert set(item[:2].tolist()) <= {0, 1, 2}
    assert item[2] == 3
    held = _basket_entries(baskets.start, baskets.items)
    assert _item_features(held, np.array([1, 3]), 4, np.arange(3), 3).tolist() == [[1, 0], [0, 0], [0, 1]]
    assert _item_features(held, np.array([1, 3]), 4, np.array([2]), 3).tolist() == [[0, 1]]


def test_the_items_that_most_records_hold_are_taken():
    baskets = Baskets.of("items", [["a", "b"], ["b", "c"], ["c"], ["c"]])
    assert _common_items(_basket_entries(baskets.start, baskets.items), 3, most=2).tolist() == [1, 2]
