"""Minimal sets and SUDA scores against their slow twin."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_risk as naive
from shoal.utility import column_sets as module
from shoal.utility.column_sets import column_sets
from shoal.utility.special_uniques import matches_right, special_uniques

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4, st.integers(0, 6)), min_size=1, max_size=10)


def agrees(special, rows, persons, size):
    columns = len(rows[0])
    minimal = [naive.minimal(rows, persons, i, size) for i in range(len(rows))]
    assert special.score.tolist() == [naive.suda(rows, persons, i, size) for i in range(len(rows))]
    holders = {
        some: {persons[i] for i in range(len(rows)) if some in minimal[i]}
        for some in chain.from_iterable(minimal)
    }
    assert special.people == {some: len(who) for some, who in holders.items()}
    distinct = {(rows[i], persons[i]): minimal[i] for i in range(len(rows))}
    assert special.records == Counter(len(some) for found in distinct.values() for some in found)
    largest = min(size, columns - 1)
    worth = {s: np.prod([float(columns - j) for j in range(s, largest + 1)]) for s in range(1, columns + 1)}
    total = sum(worth[len(some)] for found in distinct.values() for some in found)
    for j, share in enumerate(special.contribution):
        own = sum(worth[len(some)] for found in distinct.values() for some in found if j in some)
        assert share == pytest.approx(own / total if total else 0)


@settings(max_examples=120, deadline=None)
@given(ROWS)
def test_agrees_with_the_definitions(drawn):
    rows, persons = [row[:-1] for row in drawn], [row[-1] for row in drawn]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    agrees(special_uniques(column_sets(columns), 4), rows, list(range(len(rows))), 4)
    agrees(special_uniques(column_sets(columns, np.array(persons)), 4), rows, persons, 4)


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_large_sets_may_be_left_out(drawn):
    rows = [row[:-1] for row in drawn]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW", 3)
        patch.setattr(module, "_SIZE", 2)
        agrees(special_uniques(column_sets(columns), 4), rows, list(range(len(rows))), 2)


def test_scores_by_hand():
    """Four columns: a set of one scores 3!, one of two 2!, as SUDA with all sizes does."""
    rows = [(0, 0, 0, 0), (0, 0, 0, 1), (1, 0, 0, 0), (1, 1, 0, 1), (1, 1, 0, 1)]
    special = special_uniques(column_sets([np.array(column) for column in zip(*rows, strict=True)]), 4)
    assert special.score.tolist() == [2.0, 4.0, 4.0, 0.0, 0.0]
    assert special.people == {(0, 1): 1, (0, 3): 3, (1, 3): 1}


def test_chance_of_a_right_match_by_hand():
    """Skinner and Elliot: 3 uniques and 2 pairs in a tenth of the population."""
    sizes = np.array([1, 1, 1, 2, 2, 7])
    assert matches_right(sizes, 0.1) == pytest.approx(0.3 / (0.3 + 4 * 0.9))
    assert matches_right(np.array([2, 3]), 0.1) is None
    assert matches_right(sizes, 1.0) == 1
