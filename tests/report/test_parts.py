from dataclasses import replace

import pytest

from seen import words
from shoal.report import Audit
from shoal.report.facts import AttributeRisk, IdentityRisk, ModelScore, Prediction, Tradeoff, Useful
from shoal.report.figures import to_plotly_figure
from shoal.report.pages import audit_html
from shoal.report.parts import (
    attribute_risks_table,
    identity_risks_table,
    times_table,
    tradeoff_figure,
    tradeoff_plot,
    useful_sections,
)
from shoal.utility.columns import Association, StatisticInterval
from shoal.utility.queries import QueryErrors

ITEMS = IdentityRisk("any 2 items", 0.2, {"highest": 1, "average": 0.5, "above": 0.75}, {"highest": 0.2})
ILL = AttributeRisk(
    "ill",
    {"l": 1.0, "entropy": 1.0, "t": 0.9, "given_away": 0.8},
    {"l": 3.0, "entropy": 2.5, "t": 0.25, "given_away": 0.0},
)


def test_three_attackers_are_told_for_each_thing_that_may_be_known():
    assert [row[1:] for row in identity_risks_table([ITEMS]).rows] == [
        ("prosecutor, for the person found most easily", "100%", "20%"),
        ("prosecutor, share of people with a chance above 20%", "75%", "–"),
        ("journalist, for the person found most easily", "at most 100%", "at most 20%"),
        ("marketer, share of people matched rightly", "50%", "–"),
    ]


def test_a_journalist_is_told_exactly_where_the_population_is_known(audit: Audit):
    outside = replace(ITEMS, before={**ITEMS.before, "outside": 0.5}, after={**ITEMS.after, "outside": 0.025})
    assert identity_risks_table([outside]).rows[2][1:] == (
        "journalist, for the person found most easily",
        "50%",
        "2.5%",
    )
    seen = words(audit_html(replace(audit, exposed=[outside], population=83_000_000)))
    assert "as if the data were drawn at random from 83,000,000 people" in seen
    assert "how many people the data were drawn from" in words(audit_html(replace(audit, exposed=[ITEMS])))


def test_what_was_not_counted_is_told(audit: Audit):
    why = "the chances were not counted: there are too many"
    assert "The chances were not counted: there are too many." in words(
        audit_html(replace(audit, uncounted=[why]))
    )


def test_what_look_alikes_have_in_common_is_told_beside_the_column():
    few = replace(ILL, known="any 2 items", before={"l": 1.0}, after={"l": 2.0})
    ((named, *_),) = attribute_risks_table([few]).rows
    assert named == "ill (known: any 2 items)"


def test_what_is_reached_is_told_whatever_was_asked_for():
    assert [row[2:] for row in attribute_risks_table([ILL]).rows] == [
        ("1", "3"),
        ("1", "2.5"),
        ("0.9", "0.25"),
        ("80%", "0%"),
    ]


def test_the_audit_has_them_where_they_are_known(audit: Audit):
    seen = words(
        audit_html(replace(audit, exposed=[ITEMS], learned=[ILL], times={"reading": 1.24, "judging": 0.001}))
    )
    for fact in (
        "any 2 items marketer, share of people matched rightly 50% –",
        "What look-alikes reveal about sensitive columns",
        "reading 1.2 s judging <0.1 s",
    ):
        assert fact in seen
    none = words(audit_html(audit))
    assert "look-alikes reveal" not in none
    assert "Time of each step" not in none
    assert times_table({}).rows == []


# The trade-off as it is drawn and read out.

POINTS = [
    {"table-ncp": 0.1, "ul": 0.9, "classes": 1_200, "merges": 0},
    {"table-ncp": 0.4, "ul": 0.5, "classes": 30, "merges": 1_170},
]


def test_every_point_is_drawn_and_the_released_one_ringed():
    drawn = to_plotly_figure(tradeoff_figure(POINTS, (0.3, 0.55)))
    line, ring = drawn.data
    assert (list(line.x), list(line.y)) == ([0.1, 0.4], [0.9, 0.5])
    assert "1,200 classes after 0 merges" in line.customdata[0][0]
    assert (ring.x[0], ring.y[0]) == (0.3, 0.55)
    assert len(tradeoff_figure(POINTS)["data"]) == 1


def test_the_numbers_are_there_for_those_who_see_no_picture():
    shown = tradeoff_plot(Tradeoff(POINTS, 0.1, 0.9))
    assert shown.table.rows == [("0.1", "0.9", "1,200"), ("0.4", "0.5", "30")]
    assert "from 0.1 to 0.4" in shown.alt
    assert "from 0.9 to 0.5" in shown.alt


def test_nothing_traced_is_nothing_drawn():
    assert tradeoff_plot(None) is None
    assert tradeoff_plot(Tradeoff([], 0.1, 0.9)) is None


# What a release is good for.


@pytest.fixture
def useful() -> Useful:
    scores = [ModelScore("logistic", 0.81, 0.82, 0.85, 0.88), ModelScore("boosted", 0.8, 0.83, 0.84, 0.89)]
    return Useful(
        prediction=Prediction("salary", 2, 700, 690, 300, 0.75, scores),
        associations=[Association("age", "sex", "cramers-v", 0.4, 0.1)],
        pairs=1,
        mean_change=0.3,
        queries=QueryErrors(500, 0.12, 0.05, 1.25),
        numbers=[StatisticInterval("age", "mean", 34.25, 43.0, 38.4)],
        groups=[StatisticInterval("sex", "female", 10.0, 30.0, 22.0)],
        sentences={"prediction": "Models do well.", "queries": "Counts are off by 12%."},
        notes=["associations were measured on 100 records"],
    )


def test_the_audit_shows_every_part(audit: Audit, useful: Useful):
    seen = words(audit_html(replace(audit, useful=useful)))
    for fact in (
        "What the release is good for",
        "Associations were measured on 100 records.",
        "Predicting salary Models do well.",
        "700 rows to learn from. 300 other records were predicted.",
        "logistic regression 81% 82% 0.85 0.88",
        "always guessing 75% 75% 0.5 0.5",
        "age and sex Cramér's V 0.4 0.1",
        "Counts are off by 12%.",
        "a true count below 1.25 is taken for 1.25",
        "age mean 34.2 43 38.4",
        "sex female 10 30 22",
    ):
        assert fact in seen


def test_what_was_not_measured_is_not_shown(audit: Audit):
    assert "What the release is good for" not in words(audit_html(audit))
    assert "What the release is good for" not in words(audit_html(replace(audit, useful=Useful())))
    assert useful_sections(None) == useful_sections(Useful()) == []
