"""Methods of tables on fragments: the union keeps every claim, and no order of answers changes it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies
from fragment_cases import attempt, fragmented
from shoal.algorithms.constraint import Constraint, OverallCounts
from shoal.algorithms.fragments import cut_boxes, first_splits, options_of_whole, shared_grid
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.engines import in_threads
from shoal.hierarchy import Hierarchy
from shoal.privacy import make_claim
from shuffle_engine import Shuffle
from table_cases import make, seen, true, written

CHOSEN = ["mstk", "mondrian", "kmember"]
CLAIMS = [
    {},
    {"l": 2, "diversity": "distinct"},
    {"l": 2, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive"},
    {"t": 0.3, "distance": "equal"},
    {"t": 0.3, "distance": "ordered"},
    {"beta": 1.0, "likeness": "basic"},
    {"beta": 2.0, "likeness": "enhanced"},
    {"disclosure": 1.0},
    {"alpha": 0.6},
    {"alpha": 0.6, "hidden": {"s0": ["flu"]}},
]
law = settings(max_examples=12, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
every_method = pytest.mark.parametrize("name", CHOSEN)


def inputs(case):
    return {"table": case[0], "hierarchies": case[1]}


@every_method
@pytest.mark.parametrize("asked", CLAIMS, ids=str)
@given(
    case=strategies.cases(min_rows=4, max_rows=30, max_quasi=2, min_sensitive=1)
    | strategies.cases(min_rows=6, max_rows=30, max_quasi=2, min_sensitive=1, persons=True),
    k=st.integers(1, 3),
    size=st.integers(1, 12),
    suppress=st.sampled_from([0.0, 0.0, 0.3]),
)
@law
def test_the_union_keeps_the_claim_and_the_truth(name, asked, case, k, size, suppress):
    table, trees = case
    made = attempt(name, inputs(case), {"k": k, **asked}, size, suppress=suppress)
    assert made.claim.check(seen(made.release, table))
    assert true(made.release, table, trees)
    assert made.release.suppressed <= int(suppress * table.n)
    assert made.release.rows.tolist() == sorted(set(made.release.rows.tolist()))


@every_method
@given(
    case=strategies.cases(min_rows=6, max_rows=30, max_quasi=2, min_sensitive=1),
    size=st.integers(2, 12),
    asked=st.sampled_from(CLAIMS),
    recode=st.sampled_from(["hierarchy", "span"]),
    seed=st.integers(0, 9),
)
@settings(law, max_examples=15)
def test_neither_order_nor_threads_change_the_release(name, case, size, asked, recode, seed):
    options = {"suppress": 0.2, "recode": recode}
    numbers = {"k": 2, **asked}
    one = attempt(name, inputs(case), numbers, size, **options)
    for mapper in (in_threads(3), Shuffle(seed).map):
        other = fragmented(name, inputs(case), numbers, size, mapper=mapper, **options)
        assert other.release.rows.tolist() == one.release.rows.tolist()
        assert other.release.codes.tolist() == one.release.codes.tolist()
        assert [form.labels for form in other.release.forms] == [form.labels for form in one.release.forms]
        assert other.trace == one.trace


@every_method
@given(
    case=strategies.cases(min_rows=6, max_rows=30, max_quasi=2, min_sensitive=1, missing=False),
    size=st.integers(2, 12),
    asked=st.sampled_from(CLAIMS),
    data=st.data(),
)
@law
def test_the_order_of_the_file_decides_nothing(name, case, size, asked, data):
    table, trees = case
    order = np.array(data.draw(st.permutations(range(table.n))))
    moved = table.some(order)
    first = attempt(name, inputs(case), {"k": 2, **asked}, size)
    second = fragmented(name, inputs((moved, trees)), {"k": 2, **asked}, size)
    assert written(first.release, table) == written(second.release, moved)


@every_method
@given(
    case=strategies.cases(min_rows=2, max_rows=12, min_sensitive=1),
    asked=st.sampled_from(CLAIMS),
    data=st.data(),
)
@law
def test_where_one_fragment_holds_all_it_is_the_plain_method(name, case, asked, data):
    table, trees = case
    numbers = {"k": 2, **asked}
    made = attempt(name, inputs(case), numbers, table.n)
    assert written(made.release, table) == written(make(name, table, trees, **numbers).release, table)


@given(
    case=strategies.cases(min_rows=1, max_rows=40) | strategies.cases(min_rows=1, max_rows=40, persons=True),
    size=st.integers(1, 12),
    mix=st.booleans(),
)
@settings(max_examples=100)
def test_splits_hold_every_record_once_and_no_more_than_their_size(case, size, mix):
    """Rows of a person stay together, so that persons are counted once; then a part may be larger."""
    table, trees = case
    parts = first_splits("test", table, trees, size, mix=mix)
    assert sorted(np.concatenate(parts).tolist()) == list(range(table.n))
    assert all(map(len, parts))
    if table.persons is None:
        assert max(map(len, parts)) <= size
    else:
        held = [set(table.persons[rows].tolist()) for rows in parts]
        assert sum(map(len, held)) == len(set(table.persons.tolist()))


def ages(values, built=False):
    table = Table((Column.of("age", "quasi", [str(value) for value in values]),))
    paths = [[str(v), f"{v // 10}*", "*"] for v in sorted(set(values))]
    return table, {"age": Hierarchy.from_paths("age", paths, public=not built)}


def test_splits_lie_between_the_children_of_a_node():
    table, trees = ages([*range(20, 26), *range(30, 40)])
    parts = first_splits("test", table, trees, 10, mix=False)
    tens = [{table.columns[0].values[code][0] for code in table.columns[0].codes[rows]} for rows in parts]
    assert tens == [{"2"}, {"3"}]  # 6 and 10 records, though 8 and 8 were more even


def test_ends_of_ranges_lie_on_one_grid_for_all_fragments():
    table, trees = ages(range(20, 60), built=True)
    labels = {
        size: fragmented("mondrian", inputs((table, trees)), {"k": 3}, size, recode="span")
        .release.forms[0]
        .labels
        for size in (8, 80)
    }
    steps = {
        size: {int(end) % 5 for label in found if label[0] == "[" for end in label[1:-1].split(",")}
        for size, found in labels.items()
    }
    assert steps == {8: {0}, 80: {0}}


def test_what_no_release_keeps_is_refused_as_in_one_piece():
    table = Table(
        (Column.of("age", "quasi", list("aabb") * 3), Column.of("ill", "sensitive", ["flu"] * 11 + ["gout"]))
    )
    trees = {"age": Hierarchy.from_paths("age", [["a", "*"], ["b", "*"]])}
    with pytest.raises(InfeasibleError, match="l=3 but column 'ill' allows at most 2"):
        fragmented("mondrian", inputs((table, trees)), {"k": 2, "l": 3}, 4)
    with pytest.raises(InfeasibleError, match="k=50 but the table has 12 records"):
        fragmented("mondrian", inputs((table, trees)), {"k": 50}, 4)
    with pytest.raises(InputError, match="suppress=2"):
        fragmented("mondrian", inputs((table, trees)), {"k": 2}, 4, suppress=2)


def test_fragments_that_cannot_keep_the_claim_are_joined():
    cells = ["flu"] * 8 + ["gout"] * 8
    table = Table((Column.of("age", "quasi", list("abcdefgh") * 2), Column.of("ill", "sensitive", cells)))
    moved = table.some(np.argsort(table.columns[0].codes, kind="stable"))
    paths = [[leaf, "*"] for leaf in "abcdefgh"]
    trees = {"age": Hierarchy.from_paths("age", paths)}
    alone = Column.of("ill", "sensitive", ["flu", "flu", "gout", "gout"] * 4)
    apart = Table((moved.columns[0], alone))  # a, a: flu; b, b: gout; ...
    made = fragmented("mondrian", {"table": apart, "hierarchies": trees}, {"k": 2, "l": 2}, 1)
    assert made.trace["fragments"] < 8
    assert made.claim.check(seen(made.release, apart))
    assert fragmented("mondrian", {"table": moved, "hierarchies": trees}, {"k": 2}, 1).trace["fragments"] == 4


# --- boxes of the space


def slow_box(cuts, row):
    """The box of one record: down from the root, cut by cut."""
    cut = 0
    while cuts.column[cut] >= 0:
        cut = cut + 1 if row[cuts.column[cut]] <= cuts.last[cut] else cuts.right[cut]
    return cuts.last[cut]


@given(
    case=strategies.cases(min_rows=2, max_rows=40, max_quasi=3),
    size=st.integers(1, 9),
    random=st.randoms(use_true_random=False),
)
def test_boxes_divide_the_space_and_are_small(case, size, random):
    table, hierarchies = case
    cuts = cut_boxes("mondrian", table, hierarchies, size)
    leaves = np.stack([hierarchies[column.name].encode(column) for column in table.quasi], axis=1)
    boxes = cuts.boxes_of(leaves)
    assert boxes.tolist() == [slow_box(cuts, row) for row in leaves.tolist()]
    assert set(boxes.tolist()) == set(range(cuts.boxes))
    for box in range(cuts.boxes):
        own = leaves[boxes == box]
        assert len(own) <= size or (own == own[0]).all()
    tops = [hierarchies[column.name].size for column in table.quasi]
    anywhere = np.array([[random.randint(0, top) for top in tops] for _ in range(20)], dtype=np.int32)
    assert cuts.boxes_of(anywhere).tolist() == [slow_box(cuts, row) for row in anywhere.tolist()]


@given(
    case=strategies.cases(min_rows=2, max_rows=40, max_quasi=2, min_sensitive=1),
    asked=st.sampled_from(CLAIMS[:-1]),
)
def test_counts_of_values_tell_what_all_records_tell(case, asked):
    table, hierarchies = case
    claim = make_claim("table", k=2, **asked)
    rows, options = np.arange(table.n), {"recode": "span"}
    constraint = Constraint.of("mstk", claim, table)
    method_table = table.in_one_spelling()
    expected = shared_grid("mstk", table, {"hierarchies": hierarchies}, rows, options, claim.crowd)
    outline = Table(tuple(replace(column, codes=column.codes[:0]) for column in table.columns))
    counts = [np.bincount(column.codes, minlength=len(column.values)) for column in table.columns]
    told = options_of_whole("mstk", hierarchies, claim, outline, counts, options)
    assert told.get("grid", {}) == expected.get("grid", {})
    assert ("whole" in told) == constraint.sensitive
    if constraint.sensitive:
        whole = OverallCounts.of(method_table, rows, constraint)
        for name in ("names", "what", "words", "sizes", "empties"):
            assert getattr(told["whole"], name) == getattr(whole, name)
        for name in ("share", "low", "high"):
            assert getattr(told["whole"], name).tolist() == getattr(whole, name).tolist()
        assert [one.tolist() for one in told["whole"].numbers] == [one.tolist() for one in whole.numbers]
