from dataclasses import replace

import pytest
from plotly.offline import get_plotlyjs

from seen import words
from shoal.report.facts import ModelScore, Prediction, Useful
from shoal.report.pages import Audit, audit_html
from shoal.report.useful import sections
from shoal.utility.columns import Association, StatisticInterval
from shoal.utility.queries import QueryErrors


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
    assert sections(None) == sections(Useful()) == []


def test_names_cannot_break_out_of_the_page(audit: Audit, useful: Useful, attacks: tuple[str, ...]):
    for text in attacks[:2]:
        hostile = replace(
            useful,
            prediction=replace(useful.prediction, target=text),
            associations=[Association(text, text, "cramers-v", 0.4, 0.1)],
            groups=[StatisticInterval(text, text, 1.0, 2.0, 1.0)],
            sentences={"prediction": text},
            notes=[text],
        )
        page = audit_html(replace(audit, useful=hostile)).replace(get_plotlyjs(), "")
        assert text not in page
