"""Released trees as their judges see them: by what values stand for, from their folder or beside originals."""

from dataclasses import replace

import numpy as np
import pytest

from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.io.config import check
from shoal.privacy import KMNAnonymity
from shoal.release import Verdict
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.trees import verification
from shoal.shapes.trees.data import TreeData, TreeSource
from shoal.shapes.trees.verification import (
    Judge,
    TreeVerification,
    _find_representatives,
    _unify_values,
    code_leaves,
    spans_of,
    tree_truth,
)

VERIFICATION = TreeVerification()

ILLS = Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["cough", "lung", "*"], ["gout", "joint", "*"]])
HIERARCHIES = {"ill": ILLS}
ORIGINAL = Trees.of(
    [[("ill", "flu", ("drug", "tea"))], [("ill", "gout", ("drug", "rest"))], [("ill", "cough")]],
    sensitive="drug",
)


def test_values_of_the_same_leaves_have_one_name():
    shown = Trees.of(
        [[("ill", "gout")], [("ill", "joint")], [("ill", "lung")], [("ill", "odd"), ("ward", "joint")]]
    )
    assert sorted(_find_representatives(shown, HIERARCHIES)) == sorted(
        [("ill", "gout"), ("ill", "gout"), ("ill", "lung"), ("ill", "odd"), ("ward", "joint")]
    )
    same = _unify_values(shown, HIERARCHIES)
    assert sorted(same.values) == ["gout", "joint", "lung", "odd"]
    assert same.same(
        Trees.of(
            [[("ill", "gout")], [("ill", "gout")], [("ill", "lung")], [("ill", "odd"), ("ward", "joint")]]
        )
    )
    plain = Trees.of([[("ill", "gout")], [("ill", "lung")]])
    assert _unify_values(plain, HIERARCHIES) is plain


def test_leaves_and_spans_of_values():
    place = dict(zip(ORIGINAL.values, code_leaves(ORIGINAL, HIERARCHIES).tolist(), strict=True))
    assert {place[ill] for ill in ("flu", "cough", "gout")} == {0, 1, 2}
    assert place["tea"] == place["rest"] == -1
    shown = Trees.of([[("ill", "lung", ("drug", "tea"))], [("ill", "odd")], [("ward", "north")]])
    spans = dict(zip(shown.values, map(tuple, spans_of(shown, ORIGINAL, HIERARCHIES).tolist()), strict=True))
    assert spans["lung"] == ILLS.places["lung"]
    assert spans["odd"] == (0, 0)
    assert spans["tea"] == spans["north"] == (-1, -1)
    by_name = spans_of(shown, ORIGINAL, {**HIERARCHIES, "drug": ILLS})
    assert by_name[shown.values.index("tea")].tolist() == [
        -1,
        -1,
    ]  # secrets are compared as text, hierarchy or not


def test_no_value_at_all():
    assert spans_of(Trees.of([[]]), ORIGINAL, HIERARCHIES).shape == (0, 2)


@pytest.mark.parametrize(
    ("shown", "true"),
    [
        ([("ill", "joint", ("drug", "rest"))], True),
        ([("ill", "*")], True),
        ([("drug", "rest")], True),
        ([("ill", "lung")], False),
        ([("ill", "strange")], False),
        ([("ill", "joint", ("drug", "tea"))], False),
        ([("ward", "A")], False),
    ],
)
def test_every_path_is_true_of_its_original(shown, true):
    said = tree_truth(Trees.of([[("ill", "lung")], shown]), ORIGINAL, HIERARCHIES, np.array([2, 1]))
    assert bool(said) is true, said.sentence


class Counting:
    """A claim that counts how often it is asked."""

    def __init__(self):
        self.asked = []

    def check(self, trees):
        self.asked.append(trees)
        return Verdict(len(self.asked) == 1, f"answer {len(self.asked)}")


def test_the_same_trees_are_judged_once():
    """But never another release, or another claim: an answer is only remembered for what it was given for."""
    judge, claim = Judge(HIERARCHIES), Counting()
    ones, twins, others = (Trees.of([[("ill", ill)]]) for ill in ("flu", "flu", "gout"))
    assert judge.check(claim, ones).sentence == "answer 1"
    assert judge.check(claim, twins).sentence == "answer 1"
    assert judge.check(claim, others).sentence == "answer 2"
    assert judge.check(Counting(), others).sentence == "answer 1"
    assert judge.check(claim, ones).sentence == "answer 3"


def test_a_judge_goes_by_what_labels_mean():
    trees = Trees.of([[("ill", "gout")], [("ill", "joint")]])
    assert Judge(HIERARCHIES).check(KMNAnonymity(2, 1, 0), trees)
    assert not Judge({}).check(KMNAnonymity(2, 1, 0), trees)


# From their folder or beside originals: each must be able to be one of theirs.

WARDS = Hierarchy.from_paths("ward", [["A", "north", "*"], ["B", "north", "*"], ["C", "south", "*"]])
ONE = np.zeros(1, dtype=np.int32)
CLAIM = KMNAnonymity(2, 1, 0)
NODES = {"nodes": "tree"}
WARDED = Trees.of(
    [[("ward", "A", ("ill", "flu"))], [("ward", "B", ("ill", "gout"))], [("ward", "C")], [("ward", "C")]],
    "ill",
)
DATA = TreeData(TreeSource(), WARDED, {"ward": WARDS})


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "ward.csv").write_text("A;north;*\nB;north;*\nC;south;*\n")
    tree = {"sensitive": "ill", "hierarchies": {"ward": "ward.csv"}}
    return check({"data": {"path": "x.ndjson"}, "tree": tree}, folder=tmp_path)


def test_what_is_known(settings):
    assert VERIFICATION.make_context(NODES, None, None) == JudgingContext(NODES, {})
    assert list(VERIFICATION.make_context(NODES, settings, None).hierarchies) == ["ward"]
    beside = VERIFICATION.make_context(NODES, settings, DATA)
    assert beside.hierarchies is DATA.hierarchies
    assert beside.originals is DATA


def test_trees_are_seen_by_their_meaning():
    shown = Trees.of([[("ward", "south")], [("ward", "C")], []])
    seen = VERIFICATION.view_for_judge(shown, VERIFICATION.make_context(NODES, None, DATA), CLAIM)
    assert len(seen.values) == 1
    assert VERIFICATION.view_for_judge(shown, JudgingContext(NODES), CLAIM) is shown
    assert VERIFICATION.count_classes(seen, JudgingContext(NODES)) == 2
    assert VERIFICATION.count_classes(shown, JudgingContext(NODES)) == 3
    under = Trees.of([[("a", "1", ("b", "2"))], [("a", "1"), ("b", "2")]])
    assert VERIFICATION.count_classes(under, JudgingContext(NODES)) == 2


def test_fields_and_values_of_the_configuration(settings):
    known = VERIFICATION.make_context(NODES, settings, None)
    assert (
        VERIFICATION.find_unexpected(Trees.of([[("ward", "north", ("ill", "x"))]]), known, settings) is None
    )
    said = VERIFICATION.find_unexpected(Trees.of([[("ward", "north"), ("name", "Ann")]]), known, settings)
    assert said == "field 'name' is not among those that the configuration publishes"
    odd = Trees.of([[("ward", "north"), ("ward", "x")], [("ward", "y")]])
    said = VERIFICATION.find_unexpected(odd, known, settings)
    assert said == "2 values stand for nothing in the hierarchies of the configuration"
    assert VERIFICATION.find_unexpected(odd, JudgingContext(NODES), settings) is None


COVERED = [
    ([[("ward", "north")], [("ward", "north")], [("ward", "south")]], True),
    ([[("ward", "C")], [("ward", "south")], []], True),
    ([[("ward", "north", ("ill", "gout"))], [("ill", "flu")]], True),
    ([[("ward", "C")], [("ward", "C")], [("ward", "C")]], False),
    ([[("ward", "A", ("ill", "gout"))]], False),
    ([[("ward", "A"), ("ill", "gout")]], False),
    ([[("ward", "x")]], False),
    ([[]] * 4, True),
    ([[]] * 5, False),
]


@pytest.mark.parametrize(("shown", "fits"), COVERED)
def test_trees_that_originals_can_have_given(shown, fits):
    assert (
        bool(VERIFICATION.judge_provenance(Trees.of(shown), VERIFICATION.make_context(NODES, None, DATA), 0))
        is fits
    )


def test_how_many_trees_are_compared(monkeypatch):
    """Every value is there often enough, but no original shows both; so it is known where trees are compared."""
    shown, known = Trees.of([[("ward", "A"), ("ill", "gout")]]), VERIFICATION.make_context(NODES, None, DATA)
    monkeypatch.setattr(verification, "_MOST_PAIRS", 3)  # one different tree, beside three
    assert not VERIFICATION.judge_provenance(shown, known, 0)
    monkeypatch.setattr(verification, "_MOST_PAIRS", 2)
    said = VERIFICATION.judge_provenance(shown, known, 0)
    assert said
    assert "no published value or relation is in more records" in said.sentence


def test_where_comparing_trees_ends(monkeypatch):
    """At two to the 18 pairs of different trees, which are compared; of one tree more, none is."""
    monkeypatch.setattr(verification, "provenance_of_trees", lambda *given: Verdict(True, "enough"))
    compared = []

    def none_fits(*given):
        compared.append(len(given[-1]))
        return np.zeros(len(given[-1]), dtype=bool)

    monkeypatch.setattr(verification, "find_true_pairs", none_fits)
    for many, fits in ((512, False), (513, True)):
        different = iter([np.arange(512), np.arange(many)])
        monkeypatch.setattr(
            verification, "_number_distinct_trees", lambda trees, of=different: (ONE, next(of))
        )
        assert (
            bool(VERIFICATION.judge_provenance(WARDED, VERIFICATION.make_context(NODES, None, DATA), 0))
            is fits
        )
    assert compared == [1 << 18]


def test_trees_that_are_true_of_the_named_originals():
    known = VERIFICATION.make_context(NODES, None, DATA)
    shown = Trees.of([[("ward", "south")], [("ward", "north", ("ill", "flu"))]])
    for rows, true in (([2, 0], True), ([3, 0], True), ([2, 1], False), ([0, 2], False)):
        assert bool(VERIFICATION.judge_rows(shown, replace(known, rows=np.array(rows)), CLAIM, 0)) is true


def test_one_record_of_each_different_tree():
    of, first = verification._number_distinct_trees(
        Trees.of([[("a", "1")], [], [("a", "1")], [("a", "2")], []])
    )
    assert of.tolist() == [0, 1, 0, 2, 1]
    assert first.tolist() == [0, 1, 3]
