"""What the pages say of attackers."""

import pytest

from shoal.report.attack import attack_figure, attack_plot, describe_chances, sentences, summarize_attack
from shoal.report.figures import to_plotly_figure


def _found(**more):
    usual = {
        "name": "m-items",
        "inside": True,
        "bound": 0.2,
        "success": 0.1,
        "low": 0.1,
        "high": 0.1,
        "highest": 0.2,
        "certain": 0,
        "kept": True,
        "played": 50,
        "people": 50,
        "sentence": "anyone who knows",
    }
    return usual | more


def _facts(*attackers, **more):
    usual = {
        "holds": True,
        "failed": [],
        "attackers": list(attackers),
        "not_played": [],
        "wrong": None,
        "changed": None,
    }
    return usual | more


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (_found(), "right 10% of the time on average, 20% at most; the claim allows 20%"),
        (
            _found(inside=False, bound=None, certain=7, highest=1.0),
            "right 10% of the time on average, 100% at most; certain for 7 of 50 people",
        ),
        (
            _found(low=0.05, high=0.2, people=900),
            "right 10% of the time (5% to 20%) on average, 20% at most; the claim allows 20%; 50 of 900 people were "
            "tried",
        ),
        (_found(name="skewness", inside=False), "adds 10% on average, 20% at most"),
    ],
)
def test_chances_in_words(found, said):
    assert describe_chances(found) == said


def test_whether_it_holds_in_words():
    assert summarize_attack(_facts(_found())).startswith("yes: no attacker inside the claim")
    broken = _facts(_found(kept=False), holds=False, failed=["m-items"])
    assert summarize_attack(broken) == (
        "no: m-items is right more often than the claim allows; if the release is as shoal wrote it, this is a bug to "
        "report"
    )
    assert summarize_attack(broken | {"changed": "data.csv was changed"}).endswith(
        "allows; data.csv was changed"
    )
    assert summarize_attack(_facts(holds=False, wrong="it is another release")) == "no: it is another release"
    assert summarize_attack(_facts(holds=False)) == "not known: no attacker could be tried on this release"


def test_every_attacker_and_what_was_not_played_is_told():
    said = list(sentences(_facts(_found(), not_played=["it needs rows"])))
    assert [name for name, _ in said] == ["verdict", "m-items", "not tried"]
    assert said[1][1].startswith("anyone who knows: right")


def test_bounds_are_marked_for_attackers_inside_the_claim():
    facts = _facts(_found(), _found(name="record-size", inside=False, bound=None))
    marks = to_plotly_figure(attack_figure(facts)).data[2]
    assert list(marks.x) == [0.2]
    plot = attack_plot(facts)
    assert [row[:3] for row in plot.table.rows] == [
        ("m-items", "inside", "20%"),
        ("record-size", "beyond", "–"),
    ]


def test_nothing_is_drawn_where_nobody_was_played():
    assert attack_plot(_facts()) is None
    assert attack_plot(None) is None
