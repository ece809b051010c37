import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import strategies
from shoal.privacy.truth import truth, unchanged
from shoal.release import Forms, Recoded

ABC = Forms(("a", "b or c", "any"), np.array([0, 1, 3, 7]), np.array([0, 1, 2, 0, 1, 2, 3], dtype=np.int32))


def judged(leaves, codes, rows):
    return truth(
        {"q": np.array(leaves, dtype=np.int32)},
        {"q": (ABC, np.array(codes, dtype=np.int32))},
        np.array(rows, dtype=np.int64),
    )


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_agrees_with_the_definition(data):
    sets = data.draw(st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1, max_size=4))
    leaves = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=8))
    rows = data.draw(st.lists(st.integers(0, len(leaves) - 1), min_size=1, unique=True))
    codes = [data.draw(st.integers(0, len(sets) - 1)) for _ in rows]
    start = np.r_[0, np.cumsum([len(one) for one in sets])]
    inside = np.array([leaf for one in sets for leaf in sorted(one)], dtype=np.int32)
    verdict = truth(
        {"q": np.array(leaves, dtype=np.int32)},
        {"q": (Forms(("",) * len(sets), start, inside), np.array(codes, dtype=np.int32))},
        np.array(rows),
    )
    expected = naive.untrue(leaves, sets, codes, rows)
    assert list(verdict.witnesses) == expected
    assert bool(verdict) == (not expected)


@given(strategies.cases(), st.data())
@settings(max_examples=60, deadline=None)
def test_a_lattice_node_is_true_until_one_cell_is_not(case, data):
    table, trees = case
    leaves = np.stack([trees[c.name].encode(c) for c in table.quasi], axis=1)
    levels = [data.draw(st.integers(0, trees[c.name].height)) for c in table.quasi]
    made = Recoded.of_levels([c.name for c in table.quasi], trees, leaves, levels, np.arange(table.n))
    original = {name: leaves[:, j] for j, name in enumerate(made.names)}
    released = {name: (made.forms[j], made.codes[:, j]) for j, name in enumerate(made.names)}
    assert truth(original, released, made.rows)
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
        verdict = truth(original, released | {made.names[j]: (forms, codes)}, made.rows)
        assert verdict.witnesses == (row + 1,)


def test_rows_say_which_record_is_behind():
    assert judged([0, 1, 2], [1, 0], [2, 0])
    assert judged([0, 1, 2], [1, 0], [0, 2]).witnesses == (1, 2)


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
    any_first = Forms(("any", "a"), np.array([0, 3, 4]), np.array([0, 1, 2, 0], dtype=np.int32))
    leaves = np.array([-1, -1, 2], dtype=np.int32)
    codes = np.array([0, 1, 0], dtype=np.int32)
    assert truth({"q": leaves}, {"q": (any_first, codes)}, np.arange(3)).witnesses == (1, 2)


def test_a_missing_cell_is_covered_only_where_the_form_says_so():
    assert judged([3], [2], [0])  # the root stands for D = 3, the missing cell
    assert not judged([3], [1], [0])


def test_every_column_counts():
    leaves = np.array([0, 1], dtype=np.int32)
    good, bad = np.array([0, 1], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    verdict = truth({"p": leaves, "q": leaves}, {"p": (ABC, good), "q": (ABC, bad)}, np.arange(2))
    assert verdict.witnesses == (2,)
    assert verdict.sentence == "published forms that do not cover the original value: column 'q': 1"


def test_nothing_to_compare_is_a_no():
    leaves = {"q": np.array([0], dtype=np.int32)}
    codes = np.array([0], dtype=np.int32)
    assert not truth({}, {}, np.arange(1))
    assert not truth(leaves, {}, np.arange(1))
    assert not truth(leaves, {"other": (ABC, codes)}, np.arange(1))
    assert not truth(leaves, {"q": (ABC, codes[:0])}, np.arange(0))
    assert not truth(leaves, {"q": (ABC, codes)}, np.arange(0))


def test_unchanged():
    assert unchanged("s", ["flu", None], ["flu", None])
    verdict = unchanged("s", ["flu", None, "gout"], ["flu", "", "hiv"])
    assert verdict.witnesses == (2, 3)
    assert verdict.sentence == "column 's': 2 cells were changed"
    assert not unchanged("s", ["flu"], [])
