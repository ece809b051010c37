"""Released trees as their judges see them: by what values stand for, and each beside its original."""

import numpy as np
import pytest

from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.privacy import KMNAnonymity
from shoal.publish.shapes.trees.verification import (
    Judge,
    alike,
    leaves_of,
    representatives,
    spans_of,
    tree_truth,
)
from shoal.release import Verdict

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
    assert sorted(representatives(shown, HIERARCHIES)) == sorted(
        [("ill", "gout"), ("ill", "gout"), ("ill", "lung"), ("ill", "odd"), ("ward", "joint")]
    )
    same = alike(shown, HIERARCHIES)
    assert sorted(same.values) == ["gout", "joint", "lung", "odd"]
    assert same.same(
        Trees.of(
            [[("ill", "gout")], [("ill", "gout")], [("ill", "lung")], [("ill", "odd"), ("ward", "joint")]]
        )
    )
    plain = Trees.of([[("ill", "gout")], [("ill", "lung")]])
    assert alike(plain, HIERARCHIES) is plain


def test_leaves_and_spans_of_values():
    place = dict(zip(ORIGINAL.values, leaves_of(ORIGINAL, HIERARCHIES).tolist(), strict=True))
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
