"""What is said of the parameters of methods is what the methods take."""

import re
from fractions import Fraction
from math import nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from knob_cases import NUMBERS, dataset
from shoal.algorithms import METHODS, methods_for
from shoal.algorithms.derive_knobs import _dump_knobs, derive_knobs
from shoal.algorithms.knobs import (
    KNOBS,
    Knob,
    knobs,
    list_common_knobs,
    list_fitting_methods,
    pick_fitting_options,
    suppression_limit,
)
from shoal.base.errors import InputError, ShoalError

DOCS = Path(__file__).parents[2] / "docs"
EVERY = [pytest.param(name, knob, id=f"{name}-{knob.name}") for name in METHODS for knob in knobs(name)]


def test_the_file_is_what_the_methods_say_and_is_read_as_it_was_written():
    assert {name: knobs(name) for name in METHODS} == {name: derive_knobs(name) for name in METHODS}
    assert KNOBS.read_text(encoding="utf-8") == _dump_knobs(), "run python -m shoal.algorithms.derive_knobs"


@pytest.mark.parametrize(("name", "knob"), EVERY)
def test_each_one_says_what_it_does_and_takes_and_is_documented_with_its_method(name, knob):
    assert re.fullmatch(r"[A-Za-z\"].*\.", knob.about)
    assert "`" not in knob.about
    assert knob.takes
    if "word" in knob.kinds:
        assert knob.default is None or knob.default in knob.words
    page = (DOCS / "reference" / "methods" / f"{name}.md").read_text(encoding="utf-8")
    assert f"`{knob.name}`" in page


def refused(name, knob, value):
    """What the method says to a value; it must say something."""
    shape = METHODS[name].shape
    with pytest.raises(ShoalError) as caught:
        shoal.anonymize(dataset(shape, name), method=name, **{**NUMBERS[name], knob.name: value})
    return str(caught.value)


@pytest.mark.parametrize(("name", "knob"), [case for case in EVERY if case.values[1].words])
def test_the_words_are_those_that_the_method_knows(name, knob):
    said = refused(name, knob, "nonsense")
    assert all(word in said for word in knob.words)


@pytest.mark.parametrize(("name", "knob"), [case for case in EVERY if case.values[1].least is not None])
def test_the_range_is_the_methods(name, knob):
    refused(name, knob, knob.least - 1)
    if knob.most is not None:
        refused(name, knob, knob.most if knob.below else knob.most + 0.5)


def test_what_people_type_is_read_as_the_configuration_has_it():
    delta = Knob("delta", ("number", "word"), "knee", "", ("knee",), 0, 1)
    assert (delta.read("knee"), delta.read(" 0.25 ")) == ("knee", 0.25)
    assert Knob("utility", ("list",), None, "").read('[["milk", "bread"]]') == [["milk", "bread"]]
    assert Knob("target", ("text",), None, "").read("age") == "age"
    with pytest.raises(InputError, match="delta: this cannot be read; give a number from 0 to 1, or knee"):
        delta.read("secret")
    with pytest.raises(InputError, match="cannot be read"):  # a typed line is one value
        Knob("g", ("whole",), 2, "").read("2\nnext = 3")


# Methods and parameters that fit a configuration.


def asking(**guarantee):
    return {"columns": {"age": "quasi", "ill": "sensitive"}, "guarantee": guarantee}


def test_methods_are_those_that_keep_what_is_asked_for_and_all_where_that_makes_no_sense():
    kept = [one.name for one in list_fitting_methods("table", asking(k=5, l=2))]
    assert kept == ["optimal", "mstk", "mondrian", "kmember", "boxes", "column-cut", "mdav"]
    assert list_fitting_methods("table", asking(k=0)) == methods_for("table")


def test_without_a_method_what_all_of_them_have_can_be_set():
    assert [knob.name for knob in list_common_knobs(methods_for("table"))] == ["suppress"]
    assert list_common_knobs([]) == []


@pytest.mark.parametrize(
    ("method", "kept"),
    [
        ({"name": "optimal", "suppress": 0.1, "rule": "paper"}, {"name": "optimal", "suppress": 0.1}),
        ({"name": "incognito", "suppress": 0.1}, {"suppress": 0.1}),
        ({"name": "", "rule": "paper"}, {}),
        ({"name": "mstk", "rule": "paper"}, {"name": "mstk", "rule": "paper"}),
    ],
)
def test_of_a_method_that_stays_which_fits(method, kept):
    assert pick_fitting_options(list_fitting_methods("table", asking(k=5, t=0.2)), method) == kept


@given(st.integers(0, 999), st.integers(0, 10**9))
def test_a_share_is_read_as_it_was_written(thousandths, whole):
    assert suppression_limit("test", thousandths / 1000, whole) == int(Fraction(thousandths, 1000) * whole)


@pytest.mark.parametrize("wrong", [-0.1, 1, 1.5, nan])
def test_what_is_no_share_is_refused(wrong):
    with pytest.raises(
        InputError, match=r"^test: suppress=.*; give a share of item occurrences from 0 to below 1$"
    ):
        suppression_limit("test", wrong, 10, "item occurrences")
