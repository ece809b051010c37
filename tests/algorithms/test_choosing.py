"""Makers and parameters that fit a configuration."""

import pytest

from shoal.algorithms import fitting
from shoal.algorithms.choosing import common_knobs, fitting_makers, fitting_method, serving, strange_to


def asking(**guarantee):
    return {"columns": {"age": "quasi", "ill": "sensitive"}, "guarantee": guarantee}


def test_makers_are_those_that_keep_what_is_asked_for():
    assert [one.name for one in fitting_makers("table", asking(k=5, l=2))] == [
        "optimal",
        "mstk",
        "mondrian",
        "kmember",
        "boxes",
    ]


def test_all_makers_fit_what_makes_no_sense():
    assert fitting_makers("table", asking(k=0)) == fitting("table")


def test_without_a_maker_what_all_of_them_have_can_be_set():
    assert [knob.name for knob in common_knobs(fitting("table"))] == ["suppress"]
    assert common_knobs([]) == []


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
    assert fitting_method(fitting_makers("table", asking(k=5, t=0.2)), method) == kept


def test_what_a_maker_does_not_have_is_strange_to_it():
    said = {"name": "mstk", "suppress": 0.1, "rule": "paper"}
    assert strange_to("mstk", said) == []
    assert strange_to("optimal", said) == ["rule"]


def test_the_cheapest_point_that_reaches_k_serves():
    front = [{"k": 1}, {"k": 4}, {"k": 9}]
    assert [serving(front, k) for k in (1, 2, 4, 5, 10)] == [0, 1, 1, 2, 2]
