import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_trees
import strategies
import strategies_trees
from shoal.data import Trees
from shoal.privacy.truth import (
    find_true_pairs,
    judge_unchanged,
    judge_unchanged_codes,
    truth_of_baskets,
    truth_of_table,
    truth_of_trees,
)
from shoal.release import PublishedValues, Recoded

ABC = PublishedValues(
    ("a", "b or c", "any"), np.array([0, 1, 3, 7]), np.array([0, 1, 2, 0, 1, 2, 3], dtype=np.int32)
)


def judged(leaves, codes, rows):
    return truth_of_table(
        {"q": np.array(leaves, dtype=np.int32)},
        {"q": (ABC, np.array(codes, dtype=np.int32))},
        np.array(rows, dtype=np.int64),
    )


@given(st.data())
@settings(max_examples=200)
def test_agrees_with_the_definition(data):
    sets = data.draw(st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1, max_size=4))
    leaves = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=8))
    rows = data.draw(st.lists(st.integers(0, len(leaves) - 1), min_size=1, unique=True))
    codes = [data.draw(st.integers(0, len(sets) - 1)) for _ in rows]
    start = np.r_[0, np.cumsum([len(one) for one in sets])]
    inside = np.array([leaf for one in sets for leaf in sorted(one)], dtype=np.int32)
    verdict = truth_of_table(
        {"q": np.array(leaves, dtype=np.int32)},
        {"q": (PublishedValues(("",) * len(sets), start, inside), np.array(codes, dtype=np.int32))},
        np.array(rows),
    )
    expected = naive.untrue(leaves, sets, codes, rows)
    assert list(verdict.witnesses) == expected
    assert bool(verdict) == (not expected)


@given(strategies.cases(), st.data())
@settings(max_examples=60)
def test_a_lattice_node_is_true_until_one_cell_is_not(case, data):
    table, trees = case
    leaves = np.stack([trees[c.name].encode(c) for c in table.quasi], axis=1)
    levels = [data.draw(st.integers(0, trees[c.name].height)) for c in table.quasi]
    made = Recoded.of_levels([c.name for c in table.quasi], trees, leaves, levels, np.arange(table.n))
    original = {name: leaves[:, j] for j, name in enumerate(made.names)}
    released = {name: (made.forms[j], made.codes[:, j]) for j, name in enumerate(made.names)}
    assert truth_of_table(original, released, made.rows)
    row, j = data.draw(st.integers(0, table.n - 1)), data.draw(st.integers(0, len(levels) - 1))
    forms = made.forms[j]
    other = [
        form
        for form in range(len(forms.labels))
        if leaves[row, j] not in forms.leaves[forms.start[form] : forms.start[form + 1]]
    ]
    if other:
        codes = made.codes[:, j].copy()
        codes[row] = other[0]
        verdict = truth_of_table(original, released | {made.names[j]: (forms, codes)}, made.rows)
        assert verdict.witnesses == (row + 1,)


@pytest.mark.parametrize(
    ("rows", "witnesses"), [([0, 0, 1], (1, 2)), ([0, 3, 1], (2,)), ([-1, 0, 1], (1,)), ([5, 5, 0], (1, 2))]
)
def test_rows_are_distinct_and_in_range(rows, witnesses):
    verdict = judged([0, 1, 2], [2, 2, 2], rows)
    assert not verdict
    assert verdict.witnesses == witnesses


@pytest.mark.parametrize("codes", [[3, 2], [-1, 2]])
def test_a_form_that_does_not_exist_covers_nothing(codes):
    assert judged([0, 1], codes, [0, 1]).witnesses == (1,)


def test_a_record_without_a_leaf_is_not_true():
    any_first = PublishedValues(("any", "a"), np.array([0, 3, 4]), np.array([0, 1, 2, 0], dtype=np.int32))
    leaves = np.array([-1, -1, 2], dtype=np.int32)
    codes = np.array([0, 1, 0], dtype=np.int32)
    assert truth_of_table({"q": leaves}, {"q": (any_first, codes)}, np.arange(3)).witnesses == (1, 2)


def test_every_column_counts():
    leaves = np.array([0, 1], dtype=np.int32)
    good, bad = np.array([0, 1], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    verdict = truth_of_table({"p": leaves, "q": leaves}, {"p": (ABC, good), "q": (ABC, bad)}, np.arange(2))
    assert verdict.witnesses == (2,)
    assert verdict.sentence == "published forms that do not cover the original value: column 'q': 1"


def test_nothing_to_compare_is_a_no():
    leaves = {"q": np.array([0], dtype=np.int32)}
    codes = np.array([0], dtype=np.int32)
    assert not truth_of_table({}, {}, np.arange(1))
    assert not truth_of_table(leaves, {}, np.arange(1))
    assert not truth_of_table(leaves, {"other": (ABC, codes)}, np.arange(1))
    assert not truth_of_table(leaves, {"q": (ABC, codes[:0])}, np.arange(0))
    assert not truth_of_table(leaves, {"q": (ABC, codes)}, np.arange(0))


def test_unchanged():
    assert judge_unchanged("s", ["flu", None], ["flu", None])
    verdict = judge_unchanged("s", ["flu", None, "gout"], ["flu", "", "hiv"])
    assert verdict.witnesses == (2, 3)
    assert verdict.sentence == "column 's': 2 cells were changed"
    assert not judge_unchanged("s", ["flu"], [])


words = st.lists(st.sampled_from(["flu", "gout", "", None]), min_size=1, max_size=4)
columns = words.flatmap(
    lambda values: st.tuples(st.just(values), st.lists(st.integers(0, len(values) - 1), max_size=6))
)


@given(columns, columns)
def test_cells_in_codes_are_unchanged_where_the_cells_are(original, released):
    """Values may stand twice, or be held by nobody: a cell is what its code stands for."""
    own, shown = ([values[code] for code in codes] for values, codes in (original, released))
    said = judge_unchanged_codes(
        "s", *((values, np.array(codes, int)) for values, codes in (original, released))
    )
    broken = [row + 1 for row, (a, b) in enumerate(zip(own, shown, strict=False)) if a != b]
    assert bool(said) is (own == shown)
    assert list(said.witnesses) == (broken if len(own) == len(shown) else [])


# Truth of generalized baskets, against its definition.

ITEMS = range(5)


def csr(rows, dtype=np.int32):
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return start, np.array([item for row in rows for item in row], dtype=dtype)


def forms(baskets):
    start, leaves = csr([sorted(members) for members in baskets])
    return PublishedValues(tuple(str(i) for i in range(len(baskets))), start, leaves)


def by_definition(lists, released, baskets, rows):
    """Each form meets its record; how many items of the record no form covers."""
    meets, lost = True, 0
    for row, published in zip(rows, released, strict=True):
        covered = set().union(*(baskets[form] for form in published)) if published else set()
        meets &= all(baskets[form] & lists[row] for form in published)
        lost += len(lists[row] - covered)
    return meets, lost


@settings(max_examples=150)
@given(data=st.data())
def test_baskets_agree_with_the_definition(data):
    lists = data.draw(st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=5))
    baskets = data.draw(st.lists(st.sets(st.sampled_from(ITEMS), min_size=1), min_size=1, max_size=4))
    rows = data.draw(st.permutations(range(len(lists))))[: data.draw(st.integers(1, len(lists)))]
    released = [sorted(data.draw(st.sets(st.integers(0, len(baskets) - 1)))) for _ in rows]
    told = data.draw(st.integers(0, 3))
    meets, lost = by_definition(lists, released, baskets, rows)
    original = csr([sorted(basket) for basket in lists])
    verdict = truth_of_baskets(original, csr(released), forms(baskets), np.array(rows), suppressed=told)
    assert bool(verdict) == (meets and lost == told)
    if not meets:
        assert verdict.witnesses


@pytest.mark.parametrize("wide", [1, 40], ids=["forms of few items", "forms of many"])
@pytest.mark.parametrize("others", [0, 40], ids=["items in few forms", "in many"])
def test_it_does_not_matter_from_which_side_pairs_are_walked(wide, others):
    baskets = [{0, *range(5, 5 + wide)}, {1}, *({0, 100 + form} for form in range(others))]
    judged = (csr([[0, 1], [0, 2]]), forms(baskets), np.arange(2))
    for published, lost in (([[0, 1], [0]], 1), ([[0], [0]], 2), ([[0, 0, 1], [0]], 1)):
        assert truth_of_baskets(judged[0], csr(published), *judged[1:], suppressed=lost)
        assert not truth_of_baskets(judged[0], csr(published), *judged[1:], suppressed=lost + 1)
    assert truth_of_baskets(judged[0], csr([[0, 1], [0, 1]]), *judged[1:], suppressed=1).witnesses == (2,)


def test_blocks_of_rows_change_nothing(monkeypatch):
    original, published = csr([[0, 1], [2], [3, 4]]), csr([[0], [1], [0, 1]])
    baskets = forms([{0, 1, 3}, {2, 4}])
    for pairs in (1, 4, 1 << 23):
        monkeypatch.setattr("shoal.privacy.truth._PAIRS", pairs)
        assert truth_of_baskets(original, published, baskets, np.arange(3))


@pytest.mark.parametrize("row", [-1, 1])
def test_a_record_that_is_not_there_is_refused(row):
    """An empty basket publishes no item that could be false; the record it names must still exist."""
    assert truth_of_baskets(csr([[0]]), csr([[]]), forms([{0}]), np.array([0]), suppressed=1)
    assert not truth_of_baskets(csr([[0]]), csr([[]]), forms([{0}]), np.array([row]), suppressed=1)


def test_a_record_behind_two_rows_is_refused():
    original, published = csr([[0]]), csr([[0], [0]])
    assert not truth_of_baskets(original, published, forms([{0}]), np.array([0, 0]))


LEAVES = {value: place for values in strategies_trees.VALUES.values() for place, value in enumerate(values)}


def judged_trees(originals, published, rows=None, spans=None):
    """Judge trees whose published values are original ones, or "*" for all three leaves of a class."""
    original, released = Trees.of(originals), Trees.of(published)
    leaves = np.array([LEAVES[value] for value in original.values], dtype=np.int32)
    if spans is None:
        spans = [(0, 3) if value == "*" else (LEAVES[value], LEAVES[value] + 1) for value in released.values]
    rows = np.arange(released.n) if rows is None else np.array(rows)
    return truth_of_trees(original, leaves, released, np.array(spans, dtype=np.int32).reshape(-1, 2), rows)


def said(original, path):
    """From the definition: some original path holds labels that the published ones stand for, in their order."""

    def within(rest, left):
        if not left:
            return True
        return any(
            (kind, value) == left[0] or (kind, "*") == left[0]
            if len(left) == 1
            else ((kind, value) == left[0] or (kind, "*") == left[0]) and within(rest[place + 1 :], left[1:])
            for place, (kind, value) in enumerate(rest)
        )

    return any(within(held, path) for held in naive_trees.paths(original))


@given(strategies_trees.trees(), strategies_trees.trees(), st.booleans())
@settings(max_examples=150)
def test_trees_agree_with_the_definition(originals, others, stars):
    published = [others[place % len(others)] if stars else one for place, one in enumerate(originals)]
    if stars:
        up = {
            (kind, value): (kind, "*" if place else value)
            for kind, values in strategies_trees.VALUES.items()
            for place, value in enumerate(values)
        }
        published = [naive_trees.generalize(one, up) for one in published]
    verdict = judged_trees(originals, published)
    expected = [
        place + 1
        for place, (one, out) in enumerate(zip(originals, published, strict=True))
        if not all(said(one, path) for path in naive_trees.paths(out))
    ]
    assert list(verdict.witnesses) == expected
    assert bool(verdict) == (not expected)


def test_a_chain_must_lie_over_one_path():
    original = [("A", "a0", ("B", "b0")), ("A", "a1", ("B", "b1", ("C", "c0")))]
    assert judged_trees([original], [[("A", "a1", ("C", "c0"))]])
    assert not judged_trees([original], [[("A", "a0", ("B", "*", ("C", "c0")))]])
    assert judged_trees([original], [[("A", "*", ("B", "*", ("C", "c0")))]])


@pytest.mark.parametrize("size", ["_CELLS", "CHUNK"])
@pytest.mark.parametrize("number", [1, 5])
def test_small_blocks_say_the_same(monkeypatch, size, number):
    originals = [[("A", "a0", ("B", "b0"))], [("A", "a1")], [("C", "c0")]] * 4
    monkeypatch.setattr(f"shoal.privacy.truth.{size}", number)
    assert judged_trees(originals, originals)
    assert judged_trees(originals, originals[1:] + originals[:1]).broken == 12
    other = [*originals[:8], originals[0], *originals[9:]]
    assert judged_trees(originals, other).witnesses == (9,)


@given(strategies_trees.trees(max_records=4), strategies_trees.trees(max_records=4))
@settings(max_examples=50)
def test_pairs_are_judged_one_by_one(originals, published):
    original, released = Trees.of(originals), Trees.of(published)
    leaves = np.array([LEAVES[value] for value in original.values], dtype=np.int32)
    spans = np.array([(LEAVES[value], LEAVES[value] + 1) for value in released.values], dtype=np.int32)
    record, row = (pairs.ravel() for pairs in np.indices((len(published), len(originals))))
    found = find_true_pairs(original, leaves, released, spans.reshape(-1, 2), record, row)
    assert found.tolist() == [
        all(said(one, path) for path in naive_trees.paths(out)) for out in published for one in originals
    ]
    assert not len(find_true_pairs(original, leaves, released, spans.reshape(-1, 2), record[:0], row[:0]))


def test_sensitive_values_are_compared_as_text():
    original = [[("A", "a0", ("ill", "flu"))]]
    trees = Trees.of(original)
    leaves = np.array([0, -1], dtype=np.int32)
    spans = np.array([[0, 3], [-1, -1]], dtype=np.int32)
    rows = np.arange(1)
    assert truth_of_trees(trees, leaves, Trees.of([[("A", "*"), ("ill", "flu")]]), spans, rows)
    assert not truth_of_trees(trees, leaves, Trees.of([[("A", "*"), ("ill", "gout")]]), spans, rows)


@pytest.mark.parametrize("rows", [[0, 0], [0, 2], [-1, 0], [0]])
def test_records_come_from_one_original_each(rows):
    records = [[("A", "a0")], [("A", "a0")]]
    assert not judged_trees(records, records, rows=rows)


def test_nothing_shows_nothing():
    assert "holds no record" in judged_trees([[("A", "a0")]], []).sentence
