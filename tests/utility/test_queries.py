from itertools import chain, combinations

import numpy as np
import numpy.testing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import itemset_cases
import mixed_cases
import naive_itemsets as naive
from naive_useful import expected_count
from shoal.algorithms.itemsets.pcta import apply_groups
from shoal.algorithms.mixed.bound import bound
from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Mixed, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import make_claim
from shoal.release import Recoded
from shoal.utility import BasketCase, MixedCase, TableCase, case_losses
from shoal.utility.columns import Cells, single_leaf_forms
from shoal.utility.queries import (
    Query,
    _estimate_matches,
    _estimate_query_counts,
    are,
    count_matches,
    draw_mixed_workload,
    draw_queries,
    draw_workload,
    mixed_are,
    read_workload,
    table_are,
    workload_text,
)
from shoal.utility.table import ncp
from useful_cases import cells_of, columns

ITEMS = itemset_cases.ITEMS
AGES = Hierarchy.from_paths(
    "age", [["20", "2x", "*"], ["21", "2x", "*"], ["30", "3x", "*"], ["31", "3x", "*"]]
)


@given(
    st.lists(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=4), min_size=1, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.sets(st.sampled_from(ITEMS), min_size=1, max_size=3),
)
@settings(max_examples=60)
def test_estimates_are_expectations_over_all_worlds(lists, grouping, asked):
    baskets = Baskets.of("items", lists)
    united = [[item for item, g in zip(ITEMS, grouping, strict=True) if g == number] for number in range(3)]
    release = apply_groups(baskets, [group for group in united if group])
    expected = sum(naive.chance(row, asked) for row in itemset_cases.published(release, baskets))
    assert _estimate_matches([Query(tuple(asked))], release, baskets) == pytest.approx([float(expected)])
    assert count_matches([Query(tuple(asked))], baskets) == [naive.support(lists, asked)]


def test_untouched_baskets_answer_exactly():
    baskets = Baskets.of("items", [["a", "b"], ["a"], ["b", "c"], ["a", "b", "c"]])
    asked = draw_workload(baskets, seed=3, queries=20)
    assert are(asked, baskets, itemset_cases.untouched(baskets)) == 0


def test_a_member_is_one_of_n():
    baskets = Baskets.of("items", [["a"], ["b"]])
    release = apply_groups(baskets, [["a", "b"]])
    assert _estimate_matches([Query(("a",))], release, baskets) == pytest.approx([2 * 2 / 3])
    assert _estimate_matches([Query(("a",))], release, baskets, meaning="member") == pytest.approx(
        [2 * 1 / 2]
    )
    with pytest.raises(InputError, match="meaning"):
        _estimate_matches([Query(("a",))], release, baskets, meaning="guess")


@pytest.mark.parametrize("size", [63, 64, 1024, 5000])
def test_large_sets_do_not_overflow(size):
    baskets = Baskets.of("items", [["a"]])
    release = apply_groups(baskets, [["a"]])
    assert _estimate_matches([Query(("a",))], release, baskets, sizes=np.array([size])) == pytest.approx(
        [0.5]
    )


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
    assert count_matches([query], baskets, table) == [1]
    found = _estimate_matches([query], release, baskets, cells=cells, hierarchies={"age": AGES})
    # 2x holds 20: half of it, and two of three worlds hold a; 3x likewise; the missing cell is the root: 2 of 4
    assert found == pytest.approx([3 * (1 / 2) * (2 / 3) + (1 / 2) * (2 / 3)])
    error = are([query], baskets, release, table=table, cells=cells, hierarchies={"age": AGES})
    assert error == pytest.approx(abs(1 - found[0]))


def test_cells_alone():
    table, _, cells = mixed()
    query = Query((), {"age": ("21",)})
    assert count_matches([query], table=table) == [1]
    assert _estimate_matches([query], cells=cells, hierarchies={"age": AGES}) == pytest.approx(
        [0.5 + 0.5 + 0.25]
    )


def test_a_workload_is_drawn_from_records_and_repeats():
    table, baskets, _ = mixed()
    asked = draw_workload(baskets, table, seed=1, queries=30, items=1, values=1)
    assert asked == draw_workload(baskets, table, seed=1, queries=30, items=1, values=1)
    assert asked != draw_workload(baskets, table, seed=2, queries=30, items=1, values=1)
    assert len(asked) == 30
    assert (count_matches(asked, baskets, table) >= 1).all()
    assert draw_workload(baskets, seed=1, items=3) == ()


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
        count_matches([Query((), {"age": ("20",)})], baskets)
    with pytest.raises(InputError, match="no column 'zip'"):
        count_matches([Query((), {"zip": ("20",)})], baskets, table)
    with pytest.raises(InputError, match="not among the released"):
        _estimate_matches([Query((), {"zip": ("20",)})], cells=cells, hierarchies={"age": AGES})
    with pytest.raises(InputError, match="no baskets are given"):
        _estimate_matches([Query(("a",))], cells=cells, hierarchies={"age": AGES})


@st.composite
def asked(draw):
    rows = draw(st.integers(1, 5))
    pair = [draw(columns(rows, name)) for name in "ab"]
    queries = []
    for _ in range(draw(st.integers(1, 3))):
        query = []
        for j in sorted(draw(st.sets(st.integers(0, 1), min_size=1))):
            low = draw(st.integers(0, pair[j][0].size - 1))
            query.append((j, low, draw(st.integers(low + 1, pair[j][0].size))))
        queries.append(tuple(query))
    return [one[0] for one in pair], list(zip(*(one[1] for one in pair), strict=True)), queries


@given(asked())
def test_counts_are_the_mean_over_possible_worlds(case):
    cells, rows, queries = case
    wanted = [expected_count(rows, {j: set(range(low, high)) for j, low, high in query}) for query in queries]
    npt.assert_allclose(_estimate_query_counts(queries, cells), wanted)


@given(st.data(), st.integers(0, 5))
def test_somebody_fits_each_query_drawn(data, seed):
    rows = data.draw(st.integers(1, 6))
    cells = []
    for name in "ab":
        size = data.draw(st.integers(1, 9))
        leaves = data.draw(st.lists(st.integers(0, size - 1), min_size=rows, max_size=rows))
        cells.append(originals(name, leaves, size))
    drawn = draw_queries(cells, seed=seed, queries=20)
    assert len(drawn) == 20
    assert (_estimate_query_counts(drawn, cells) >= 1).all()
    assert drawn == draw_queries(cells, seed=seed, queries=20)


def originals(name, leaves, size):
    """Codes of originals are leaves, those of missing cells the number of leaves."""
    forms = single_leaf_forms([str(leaf) for leaf in range(size)], size)
    return Cells(
        name,
        np.array(leaves, dtype=np.int32),
        forms,
        forms.labels[:-1],
        np.arange(size, dtype=np.int32),
        ordered=True,
    )


def test_missing_cells_are_never_asked_for():
    cells = [originals("a", [2, 2, 2], 2), originals("b", [0, 1, 1], 2)]
    drawn = draw_queries(cells, seed=1, queries=30)
    assert {j for query in drawn for j, _, _ in query} == {1}
    assert draw_queries([cells[0]], seed=1, queries=30) == []


def test_an_untouched_table_errs_in_nothing_and_a_hidden_one_does():
    cells = [originals("a", [0, 1, 2, 3] * 5, 4)]
    queries = draw_queries(cells, seed=0, queries=50)
    assert table_are(queries, cells, cells).mean == 0
    hidden = [cells_of("a", [set(range(4))] * 20, 4)]
    even = [((0, 1, 2),)]
    assert table_are(even, cells, hidden).mean == 0  # five of twenty, as it is
    uneven = [originals("a", [0] * 20, 4)]
    assert table_are([((0, 0, 1),)], uneven, hidden).mean == pytest.approx(15 / 20)


def test_small_counts_are_taken_for_the_sanity_bound():
    cells = [originals("a", [0] * 1 + [1] * 3999, 2)]
    nobody = [cells[0].some(np.arange(1, 4000))]
    found = table_are([((0, 0, 1),)], cells, nobody)
    assert (found.bound, found.mean) == (4.0, 0.25)


def test_no_query_is_refused():
    with pytest.raises(InputError, match="no query is given"):
        table_are([], [], [])


# Losses of a table with baskets against sums over possible worlds, and workloads that come back as they went.


def released(case, k=2, **options):
    mixed, trees, items = case
    return bound(
        mixed,
        trees,
        item_hierarchy=items,
        claim=make_claim("mixed", k=k),
        delta=1,
        rng=np.random.default_rng(3),
        **options,
    ).release


def subsets(members):
    parts = chain.from_iterable(combinations(members, size) for size in range(1, len(members) + 1))
    return list(map(set, parts))


def expected(query, recoded, mixed, trees):
    """The expected count: leaves of a cell and non-empty subsets of an item are equally likely, all independent."""
    total = 0.0
    values = mixed.baskets.values
    wanted = set(query.items)
    for row, forms in enumerate(mixed_cases.baskets(recoded)):
        chance = 1.0
        for j, name in enumerate(recoded.table.names):
            if name in query.where:
                form = recoded.table.codes[row, j]
                cells = recoded.table.forms[j]
                leaves = cells.leaves[cells.start[form] : cells.start[form + 1]]
                texts = [trees[name].leaves[leaf] for leaf in leaves if leaf < trees[name].size]
                chance *= sum(text in query.where[name] for text in texts) / max(len(texts), 1)
        worlds = [set()]
        for form in forms:
            worlds = [world | part for world in worlds for part in subsets({values[code] for code in form})]
        total += chance * sum(wanted <= world for world in worlds) / len(worlds)
    return total


def actual(query, mixed):
    cells = {column.name: column.cells() for column in mixed.table.quasi}
    return sum(
        set(query.items) <= {mixed.baskets.values[code] for code in mixed.baskets.basket(row)}
        and all(cells[name][row] in wanted for name, wanted in query.where.items())
        for row in range(mixed.n)
    )


@settings(max_examples=25)
@given(mixed_cases.cases(min_rows=2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 9))
def test_queries_are_answered_by_possible_worlds(case, values, items, seed):
    mixed, trees, _ = case
    recoded = released(case, items="pcta")
    asked = draw_mixed_workload(mixed, seed=seed, queries=3, values=values, items=items)
    assume(asked)
    off = [
        abs(actual(query, mixed) - expected(query, recoded, mixed, trees)) / actual(query, mixed)
        for query in asked
    ]
    assert mixed_are(asked, recoded, mixed, trees) == pytest.approx(np.mean(off))
    assert all(len(query.items) == items for query in asked)
    assert all(len(query.where) == min(values, len(mixed.table.quasi)) for query in asked)


@settings(max_examples=15)
@given(mixed_cases.cases(min_rows=2))
def test_all_losses_lie_side_by_side(case):
    mixed, trees, items = case
    recoded = released(case)
    found = case_losses(whole(recoded, mixed, trees, items))
    alone = case_losses(BasketCase(recoded.baskets, mixed.baskets, items))
    assert found["table-ncp"] == ncp(recoded.table, trees)
    assert found["items-ncp"] == alone["ncp"]
    assert found["items-ncp-published"] == alone["ncp-published"]
    assert found["ncp"] == (found["table-ncp"] + found["items-ncp"]) / 2
    assert next(iter(found)) == "ncp"
    assert found["ul"] == alone["ul"]
    assert 0 <= found["ncp"] <= 1
    assert 0 <= found["ul"] <= 1 + 1e-12
    assert ("are" in found) == bool(draw_mixed_workload(mixed, seed=0))
    public = case_losses(whole(recoded, mixed, trees, items).public())
    told = {"table-ncp", "items-ncp-published"} | (set() if recoded.baskets.suppressed else {"ul"})
    table = set(case_losses(TableCase(recoded.table, trees).public())) - {"ncp"}
    assert public == {name: found[name] for name in told | table}


def whole(recoded, mixed, trees, items=None):
    """A release beside all that its owner knows."""
    weights = {column.name: column.weight for column in mixed.table.quasi}
    leaves = np.stack([trees[column.name].encode(column) for column in mixed.table.quasi], axis=1)
    table = TableCase(recoded.table, trees, weights, leaves=leaves)
    return MixedCase(recoded, mixed, table, BasketCase(recoded.baskets, mixed.baskets, items))


def weighed():
    ages = Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]], public=False)
    sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    columns = (Column.of("age", "quasi", ["1", "2"], 3.0), Column.of("sex", "quasi", ["f", "f"]))
    mixed = Mixed(Table(columns), Baskets.of("items", [["a"], ["a", "b"]]))
    return mixed, {"age": ages, "sex": sex}, None


def test_columns_weigh_what_they_are_told():
    mixed, trees, _ = weighed()
    assert case_losses(whole(released(weighed()), mixed, trees))["table-ncp"] == 0.75


def test_what_counts_built_leaves_is_not_public():
    mixed, trees, _ = weighed()
    built = {"dm", "dm-star", "aecs"}
    told = case_losses(whole(released(weighed()), mixed, trees).public())
    assert set(told) == {"ul", "items-ncp-published"} | built
    tree = Hierarchy.from_paths("items", [["a", "*"], ["b", "*"]], public=False)
    told = case_losses(whole(released((mixed, trees, tree)), mixed, trees, tree).public())
    assert set(told) == built


def test_items_left_out_count_as_anything_unless_they_are_exempt():
    tree = {"age": Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]])}
    table = Table((Column.of("age", "quasi", ["1", "1", "2", "2"]),))
    mixed = Mixed(table, Baskets.of("items", [["a"], [], ["s"], ["s"]], ["s"]))
    recoded = bound(
        mixed, tree, claim=make_claim("mixed", k=2, l=2), delta=0, rng=np.random.default_rng(3)
    ).release
    assert recoded.baskets.suppressed == 3
    exempt = mixed.baskets.sensitive
    assert case_losses(BasketCase(recoded.baskets, mixed.baskets, exempt=exempt))["ul"] == 1 / 4
    assert case_losses(BasketCase(recoded.baskets, mixed.baskets))["ul"] == 3 / 4


def test_workloads_are_seeded_saved_and_edited():
    mixed, _, _ = weighed()
    drawn = draw_mixed_workload(mixed, seed=4, queries=5)
    assert drawn == draw_mixed_workload(mixed, seed=4, queries=5)
    assert read_workload(workload_text(drawn)) == drawn
    edited = workload_text(drawn).replace('"age": ["2"]', '"age": ["1", "2"]', 1)
    assert read_workload(edited)[0].where["age"] == ("1", "2")
    assert read_workload(workload_text(())) == ()
    assert read_workload(workload_text([Query(("é",))])) == (Query(("é",)),)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        *((text, "not a JSON list of queries") for text in ("", "{}", "[" * 5000)),
        ('[{"items": []}, 1]', "entry 2 is not a query"),
        *(
            (f"[{query}]", "query: give items as a list of texts")
            for query in (
                '{"items": 3}',
                '{"items": "ab"}',
                '{"items": [1]}',
                '{"where": []}',
                '{"where": {"age": "20"}}',
            )
        ),
    ],
)
def test_what_is_no_workload_is_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        read_workload(wrong)
