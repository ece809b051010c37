"""What the screens of attacker, method and comparison decide, without a browser."""

import pytest

pytest.importorskip("nicegui", reason="the extra web is not installed")

from shoal.algorithms import METHODS
from shoal.algorithms.knobs import Knob
from shoal.web.pages.steps.attacker import (
    GuaranteeForm,
    _split_methods,
    _value_to_text,
    find_methods,
    keep_method,
)
from shoal.web.pages.steps.compare import ComparisonForm

COLUMNS = {"age": "quasi", "ill": "sensitive"}


class Stub:
    """As much of a project as these screens ask for."""

    def __init__(self, shape="table", **sections):
        self.shape = shape
        self.configuration = {"columns": COLUMNS, "guarantee": {"k": 5}, **sections}
        self.proposal = {"records": 100}
        self.changes = 0

    def section(self, name):
        return dict(self.configuration.get(name, {}))

    def changed(self):
        self.changes += 1


def test_a_choice_sets_the_guarantee():
    project = Stub()
    asked = GuaranteeForm(project)
    assert (asked.attacker, asked.numbers, asked.protections) == ("columns", {"k": 5}, set())
    asked.say("k", 7)
    asked.protections.add("l")
    asked.settle()
    assert project.configuration["guarantee"] == {"k": 7, "l": 2}
    assert (asked.wrong, project.changes) == (None, 1)


@pytest.mark.parametrize(
    ("value", "told"), [(1, "give a k of at least 2"), (2.5, "whole number"), (None, "missing")]
)
def test_numbers_that_make_no_sense_change_nothing(value, told):
    project = Stub()
    asked = GuaranteeForm(project)
    asked.say("k", value)
    asked.settle()
    assert project.configuration["guarantee"] == {"k": 5}
    assert told in asked.wrong
    asked.say("k", 3)
    asked.settle()
    assert asked.wrong is None


def test_known_columns_and_how_many_at_once_are_asked_for_together():
    project = Stub(columns={"age": "quasi", "visits": "known"}, guarantee={"k": 5, "known_at_once": 1})
    asked = GuaranteeForm(project)
    assert asked.attacker == "known columns"
    asked.say("known_at_once", 2)
    asked.settle()
    assert project.configuration["guarantee"] == {"k": 5, "known_at_once": 2}
    asked.say("known_at_once", 1.5)
    asked.settle()
    assert "known_at_once" in asked.wrong
    assert [method.name for method in find_methods(project)] == ["core"]


def test_where_groups_must_not_overlap_only_methods_with_such_groups_are_offered():
    project = Stub(release={"tables": True}, method={"name": "mondrian"})
    assert {method.name for method in find_methods(project)} == {
        name for name, method in METHODS.items() if method.is_disjoint
    }
    keep_method(project, project.configuration["method"])
    assert "method" not in project.configuration


def test_another_attacker_keeps_the_numbers_of_the_first():
    project = Stub("baskets", guarantee={"k": 4, "m": 3})
    asked = GuaranteeForm(project)
    asked.attacker = "basket"
    asked.settle()
    assert project.configuration["guarantee"] == {"k": 4}
    asked.attacker = "items"
    asked.settle()
    assert project.configuration["guarantee"] == {"k": 4, "m": 3}


def test_a_maker_that_cannot_keep_it_any_more_is_taken_out():
    project = Stub(method={"name": "incognito", "suppress": 0.1})
    asked = GuaranteeForm(project)
    asked.protections.add("t")
    asked.settle()
    assert project.configuration["method"] == {"suppress": 0.1}


def test_insiders_of_the_method_become_part_of_the_guarantee():
    project = Stub("baskets", method={"name": "nonreciprocal", "insiders": 2})
    asked = GuaranteeForm(project)
    assert asked.attacker == "insiders"
    asked.say("insiders", 3)
    asked.settle()
    assert project.configuration["guarantee"] == {"k": 5, "insiders": 3}
    assert project.configuration["method"] == {"name": "nonreciprocal"}


def test_a_guarantee_of_a_hand_is_left_alone():
    asked = GuaranteeForm(Stub(guarantee={"l": 3}))
    assert asked.attacker is None
    assert asked.kind is None


def test_another_maker_keeps_the_parameters_that_it_has():
    project = Stub(method={"name": "mstk", "suppress": 0.1, "rule": "paper"})
    keep_method(project, {**project.configuration["method"], "name": "optimal"})
    assert project.configuration["method"] == {"name": "optimal", "suppress": 0.1}
    keep_method(project, {"name": "", "rule": "paper"})
    assert "method" not in project.configuration


def test_one_method_per_kind_of_data_is_offered_first_and_every_other_below():
    usual, others = _split_methods(list(METHODS.values()))
    assert list(usual) == ["", *(name for name in METHODS if name in {"boxes", "pcta", "bound", "gcs"})]
    assert set(usual) | set(others) == {"", *METHODS}
    assert not set(usual) & set(others)


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), ("knee", "knee"), (0.5, "0.5"), ({"age": 5}, "{ age = 5 }")]
)
def test_a_parameter_is_written_as_it_is_read(value, shown):
    assert _value_to_text(value) == shown
    if value is not None:
        assert Knob("x", ("number", "word", "table"), None, "", ("knee",)).read(shown) == value


def test_a_comparison_begins_with_what_fits():
    wanted = ComparisonForm(Stub(guarantee={"k": 7}))
    assert wanted.methods == {"optimal", "incognito", "mstk", "mondrian", "kmember", "boxes"}
    assert wanted.options(["mstk", "optimal", "pareto"]) == {
        "methods": ["mstk", "optimal"],
        "sweeps": {"k": "2, 5, 7, 10, 20"},
        "seconds": 60.0,
    }


def test_of_many_records_a_sample_is_compared():
    project = Stub()
    project.proposal = {"records": 30_000}
    assert ComparisonForm(project).options([])["sample"] == 5_000


def test_a_guarantee_without_k_is_compared_at_itself():
    assert "sweeps" not in ComparisonForm(Stub(guarantee={"l": 3})).options([])
