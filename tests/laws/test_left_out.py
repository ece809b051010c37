"""What is published is a function of the released people alone: twins give the same public folder, byte for byte.

Twins are two data sets that differ only in people who are left out. Anything of the public folder that differs, a
label, a bound, a count, a code, a type or a mark in the report, tells of somebody who was promised to be left out.
"""

import random
from collections import Counter

import pytest

import twin_cases
from shoal.algorithms import METHODS
from twin_cases import BESIDE, COLUMNS, FORMATS, INPUTS, LEVELLED

LEAVING = [name for name, method in METHODS.items() if method.shape == "table"]
EACH, SOAKED, BESIDE_SOAKED = 3, 20, 10
"""How many pairs of twins are compared for each method, in the first tier and in the soak; and for what is beside."""
TRIES = 6
"""How many data sets are drawn for every pair that is wanted: of some everybody is kept, or other people are."""


def require_no_trace(method, wanted, room, numbers, **given):
    """So many pairs of twins of a method are the same; returns how many were found."""
    counts = Counter()
    for number in numbers:
        if counts["same"] == wanted:
            break
        case = twin_cases.draw_case(random.Random(f"{method} {number}"), method, **given)
        found, odd = twin_cases.compared(case, number, room)
        assert not odd, (number, odd, case)
        counts[found] += 1
    return counts["same"]


def test_every_method_that_leaves_people_out_is_tried():
    assert set(LEAVING) == set(twin_cases.OPTIONS)


@pytest.mark.parametrize("method", LEAVING)
def test_whoever_is_left_out_leaves_no_trace(method, tmp_path):
    assert require_no_trace(method, EACH, tmp_path, range(TRIES * EACH))


@pytest.mark.soak
@pytest.mark.parametrize("method", LEAVING)
def test_whoever_is_left_out_leaves_no_trace_in_many(method, tmp_path):
    assert require_no_trace(method, SOAKED, tmp_path, range(1000, 1000 + TRIES * SOAKED))


@pytest.mark.parametrize("kind", COLUMNS)
def test_no_kind_of_column_keeps_a_trace(kind, tmp_path):
    """Of quasi-identifiers, and of sensitive columns at a level where there are any; with the report."""
    fixed = {"s": None if COLUMNS[kind][1] is None else kind, "p": None}
    given = {"kinds": (kind,), "fixed": fixed, "floors": frozenset(), "beside": frozenset(), "pages": True}
    given |= {"options": {"suppress": 0.4}, "claim": {"k": twin_cases.K}}
    assert require_no_trace("optimal", 1, tmp_path, range(10), **given)


@pytest.mark.parametrize("kind", LEVELLED)
def test_no_least_level_keeps_a_trace(kind, tmp_path):
    given = {
        "kinds": (kind, "words in a file"),
        "floors": frozenset({"q0"}),
        "beside": frozenset(),
        "claim": {"k": 3},
    }
    assert require_no_trace("kmember", 1, tmp_path, range(20), options={"suppress": 0.4}, **given)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("came", INPUTS)
def test_no_format_keeps_a_trace(came, format, tmp_path):
    given = {
        "came": came,
        "format": format,
        "kinds": ("groups of words", "numbers in a file"),
        "claim": {"k": 3},
    }
    given |= {"beside": frozenset(), "floors": frozenset(), "options": {"suppress": 0.4}}
    assert require_no_trace("boxes", 1, tmp_path, range(20), **given)


def twins_beside(beside):
    """What is drawn of people with this beside their columns."""
    claim = {"k": 3} | ({"of": "households"} if beside == "of households" else {})
    return {
        "kinds": ("dates", "numbers in a file"),
        "beside": frozenset({beside}),
        "options": {"suppress": 0.4},
        "claim": claim,
        "floors": frozenset(),
    }


@pytest.mark.parametrize("beside", BESIDE)
def test_nothing_beside_the_columns_keeps_a_trace(beside, tmp_path):
    assert require_no_trace("mondrian", 1, tmp_path, range(40), pages=True, **twins_beside(beside))


@pytest.mark.soak
@pytest.mark.parametrize("beside", BESIDE)
def test_nothing_beside_the_columns_keeps_a_trace_in_many(beside, tmp_path):
    numbers = range(1000, 1000 + 20 * BESIDE_SOAKED)
    assert require_no_trace("mondrian", BESIDE_SOAKED, tmp_path, numbers, pages=True, **twins_beside(beside))
