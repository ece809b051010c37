import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import itemset_cases
import naive_itemsets as naive
from shoal.algorithms.itemsets.item_unions import apply_groups
from shoal.data import Baskets, Column, Table
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.release import Recoded
from shoal.utility.queries import Query, are, counts, estimates, workload

ITEMS = itemset_cases.ITEMS
AGES = Hierarchy.from_paths(
    "age", [["20", "2x", "*"], ["21", "2x", "*"], ["30", "3x", "*"], ["31", "3x", "*"]]
)


@given(
    st.lists(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=4), min_size=1, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.sets(st.sampled_from(ITEMS), min_size=1, max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_estimates_are_expectations_over_all_worlds(lists, grouping, asked):
    baskets = Baskets.of("items", lists)
    groups = [[item for item, g in zip(ITEMS, grouping, strict=True) if g == number] for number in range(3)]
    release = apply_groups(baskets, [group for group in groups if group])
    expected = sum(naive.chance(row, asked) for row in itemset_cases.published(release, baskets))
    assert estimates([Query(tuple(asked))], release, baskets) == pytest.approx([float(expected)])
    assert counts([Query(tuple(asked))], baskets) == [naive.support(lists, asked)]


def test_untouched_baskets_answer_exactly():
    baskets = Baskets.of("items", [["a", "b"], ["a"], ["b", "c"], ["a", "b", "c"]])
    asked = workload(baskets, seed=3, queries=20)
    assert are(asked, baskets, itemset_cases.untouched(baskets)) == 0


def test_a_member_is_one_of_n():
    baskets = Baskets.of("items", [["a"], ["b"]])
    release = apply_groups(baskets, [["a", "b"]])
    assert estimates([Query(("a",))], release, baskets) == pytest.approx([2 * 2 / 3])
    assert estimates([Query(("a",))], release, baskets, meaning="member") == pytest.approx([2 * 1 / 2])
    with pytest.raises(InputError, match="meaning"):
        estimates([Query(("a",))], release, baskets, meaning="guess")


@pytest.mark.parametrize("size", [63, 64, 1024, 5000])
def test_large_sets_do_not_overflow(size):
    baskets = Baskets.of("items", [["a"]])
    release = apply_groups(baskets, [["a"]])
    assert estimates([Query(("a",))], release, baskets, sizes=np.array([size])) == pytest.approx([0.5])


def mixed():
    table = Table((Column.of("age", "quasi", ["20", "21", "30", None]),))
    baskets = Baskets.of("items", [["a"], ["a", "b"], ["b"], ["a"]])
    leaves = AGES.encode(table.columns[0])[:, None]
    cells = Recoded.of_levels(("age",), {"age": AGES}, leaves, [1], np.arange(4))
    return table, baskets, cells


def test_cells_and_items_are_asked_together():
    table, baskets, cells = mixed()
    query = Query(("a",), {"age": ("20", "30")})
    release = apply_groups(baskets, [["a", "b"]])
    assert counts([query], baskets, table) == [1]
    found = estimates([query], release, baskets, cells=cells, hierarchies={"age": AGES})
    # 2x holds 20: half of it, and two of three worlds hold a; 3x likewise; the missing cell is the root: 2 of 4
    assert found == pytest.approx([3 * (1 / 2) * (2 / 3) + (1 / 2) * (2 / 3)])
    error = are([query], baskets, release, table=table, cells=cells, hierarchies={"age": AGES})
    assert error == pytest.approx(abs(1 - found[0]))


def test_cells_alone():
    table, _, cells = mixed()
    query = Query((), {"age": ("21",)})
    assert counts([query], table=table) == [1]
    assert estimates([query], cells=cells, hierarchies={"age": AGES}) == pytest.approx([0.5 + 0.5 + 0.25])


def test_a_workload_is_drawn_from_records_and_repeats():
    table, baskets, _ = mixed()
    asked = workload(baskets, table, seed=1, queries=30, items=1, values=1)
    assert asked == workload(baskets, table, seed=1, queries=30, items=1, values=1)
    assert asked != workload(baskets, table, seed=2, queries=30, items=1, values=1)
    assert len(asked) == 30
    assert (counts(asked, baskets, table) >= 1).all()
    assert workload(baskets, seed=1, items=3) == ()


def test_queries_are_saved_and_edited():
    _, baskets, _ = mixed()
    asked = workload(baskets, seed=1, items=1, queries=3)
    text = json.dumps([query.as_dict() for query in asked])
    assert tuple(Query.from_dict(said) for said in json.loads(text)) == asked
    for wrong in ({"items": "ab"}, {"items": [1]}, {"where": []}, {"where": {"age": "20"}}):
        with pytest.raises(InputError, match="query"):
            Query.from_dict(wrong)


def test_what_nobody_has_is_divided_by_one():
    baskets = Baskets.of("items", [["a"], ["b"]])
    release = apply_groups(baskets, [["a", "b"]])
    both = Query(("a", "b"))
    assert are([both], baskets, release) == pytest.approx(2 * 1 / 3)
    assert are([Query(("unknown",))], baskets, release) == 0


def test_bad_queries_are_told():
    table, baskets, cells = mixed()
    with pytest.raises(InputError, match="no query"):
        are([], baskets, itemset_cases.untouched(baskets))
    with pytest.raises(InputError, match="no table is given"):
        counts([Query((), {"age": ("20",)})], baskets)
    with pytest.raises(InputError, match="no column 'zip'"):
        counts([Query((), {"zip": ("20",)})], baskets, table)
    with pytest.raises(InputError, match="not among the released"):
        estimates([Query((), {"zip": ("20",)})], cells=cells, hierarchies={"age": AGES})
    with pytest.raises(InputError, match="no baskets are given"):
        estimates([Query(("a",))], cells=cells, hierarchies={"age": AGES})
