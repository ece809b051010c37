"""Sets of columns against their slow twin, for rows that are persons and for persons with several rows."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_risk as naive
from shoal.base.errors import InputError
from shoal.risks import column_sets as module
from shoal.risks.column_sets import (
    _largest_size,
    measure_column_sets,
    special_uniques,
    uniqueness_with_others,
)

ROWS = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.tuples(*[st.integers(0, 2)] * columns, st.integers(0, 5)), min_size=1, max_size=10
    )
)


def columns_of(rows):
    return [np.array(column) for column in zip(*rows, strict=True)]


def agrees(found, rows, persons, k, choices):
    assert [one.columns for one in found.sets] == choices
    for one in found.sets:
        some = one.columns
        assert one.distinction == pytest.approx(float(naive.distinction(rows, some)), rel=1e-12)
        assert one.separation == pytest.approx(float(naive.separation(rows, some)), rel=1e-12)
        assert one.unique == len(naive.found(rows, persons, [some], 2))
        assert one.fewer == len(naive.found(rows, persons, [some], k))
    for size, people in found.unique.items():
        up_to = [some for some in choices if len(some) <= size]
        assert people == len(naive.found(rows, persons, up_to, 2))
        assert found.fewer[size] == len(naive.found(rows, persons, up_to, k))
    assert found.persons == len(set(persons))


@settings(max_examples=120)
@given(ROWS, st.integers(2, 4))
def test_agrees_with_the_definitions(drawn, k):
    rows = [row[:-1] for row in drawn]
    choices = list(naive.sets(len(rows[0])))
    agrees(measure_column_sets(columns_of(rows), k=k), rows, list(range(len(rows))), k, choices)
    persons = [row[-1] for row in drawn]
    agrees(measure_column_sets(columns_of(rows), np.array(persons), k=k), rows, persons, k, choices)


@settings(max_examples=40)
@given(ROWS.filter(lambda rows: len(rows[0]) == 5))
def test_beyond_the_largest_size_only_the_whole_is_measured(drawn):
    rows = [row[:-1] for row in drawn]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW", 3)
        patch.setattr(module, "_SIZE", 2)
        found = measure_column_sets(columns_of(rows), k=3)
    assert found.size == 2
    choices = [some for some in naive.sets(4) if len(some) in (1, 2, 4)]
    agrees(found, rows, list(range(len(rows))), 3, choices)


@settings(max_examples=30)
@given(ROWS)
def test_sorting_and_counting_number_classes_alike(drawn):
    """Where a table of counts would be too large, rows are sorted."""
    columns = columns_of([row[:-1] for row in drawn])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SMALL", 0)
        patch.setattr(module, "_SPARE", 0)
        by_sorting = measure_column_sets(columns)
    assert by_sorting.sets == measure_column_sets(columns).sets


def test_the_size_is_bounded():
    """Sets times rows stay below the bound; a single column is always looked at."""
    assert _largest_size(9, 1_000_000) == 9
    assert _largest_size(10, 1000) == 4
    assert _largest_size(200, 10_000_000) == 1


def test_progress_rises_to_the_last_set():
    told = []
    measure_column_sets([np.array([0, 1])] * 3, progress=lambda what, share=None: told.append(share))
    assert told == [done / 7 for done in range(7)]


def test_no_columns_are_refused():
    with pytest.raises(InputError, match="no columns"):
        measure_column_sets([])


# Minimal sets and SUDA scores against their slow twin.

SPECIAL_ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4, st.integers(0, 6)), min_size=1, max_size=10)


def special_agrees(special, rows, persons, size):
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


@settings(max_examples=120)
@given(SPECIAL_ROWS)
def test_special_uniques_agree_with_the_definitions(drawn):
    rows, persons = [row[:-1] for row in drawn], [row[-1] for row in drawn]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    special_agrees(special_uniques(measure_column_sets(columns), 4), rows, list(range(len(rows))), 4)
    special_agrees(special_uniques(measure_column_sets(columns, np.array(persons)), 4), rows, persons, 4)


@settings(max_examples=40)
@given(SPECIAL_ROWS)
def test_large_sets_may_be_left_out(drawn):
    rows = [row[:-1] for row in drawn]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW", 3)
        patch.setattr(module, "_SIZE", 2)
        special_agrees(special_uniques(measure_column_sets(columns), 4), rows, list(range(len(rows))), 2)


def test_scores_by_hand():
    """Four columns: a set of one scores 3!, one of two 2!, as SUDA with all sizes does."""
    rows = [(0, 0, 0, 0), (0, 0, 0, 1), (1, 0, 0, 0), (1, 1, 0, 1), (1, 1, 0, 1)]
    special = special_uniques(
        measure_column_sets([np.array(column) for column in zip(*rows, strict=True)]), 4
    )
    assert special.score.tolist() == [2.0, 4.0, 4.0, 0.0, 0.0]
    assert special.people == {(0, 1): 1, (0, 3): 3, (1, 3): 1}


@settings(max_examples=120)
@given(ROWS.filter(lambda rows: len(rows[0]) > 2), st.booleans())
def test_the_best_columns_beside_each_single_out_most(drawn, sparse):
    rows = [row[:-1] for row in drawn]

    def alone(*columns):
        return len(naive.found(rows, list(range(len(rows))), [tuple(sorted(columns))], 2))

    with pytest.MonkeyPatch.context() as patch:
        if sparse:  # then rows are sorted
            patch.setattr(module, "_SMALL", 0)
            patch.setattr(module, "_SPARE", 0)
        found = uniqueness_with_others(dict(enumerate(columns_of(rows))))
    places = range(len(rows[0]))
    assert sorted(found) == list(places)
    for own, (others, share) in found.items():
        assert share * len(rows) == pytest.approx(alone(own, *others))
        pairs = {other: alone(own, other) for other in places if other != own}
        most = max([alone(own), *pairs.values()])
        assert bool(others) == (most > alone(own))
        if others:
            assert pairs[others[0]] == most
            assert alone(own, *others) == max(most, *(alone(own, others[0], third) for third in places))
