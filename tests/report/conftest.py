"""Facts of one ordinary release, and labels that try to break out of a page."""

from dataclasses import replace

import pytest

from shoal.privacy.claim import SEVERAL_RELEASES
from shoal.report import Audit, Report

HOSTILE = (
    '</script><script>document.title="owned"</script>',
    '<b>bold</b> & <a href="https://evil.example/">x</a>',
    "%{x} $y$ {{ 7 * 7 }} \u202egnp.exe \ud800",
    "<!--<script>",
)


@pytest.fixture
def attacks() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture
def report() -> Report:
    return Report(
        manifest={
            "shoal": "1.2.3",
            "shape": "table",
            "columns": {"name": "identifier", "age": "quasi", "zip": "quasi", "disease": "sensitive"},
            "claim": {
                "model": "k-anonymity",
                "k": 5,
                "attacker": "anyone who knows all quasi-identifiers",
                "not_covered": [SEVERAL_RELEASES],
            },
            "judged": True,
            "method": {"name": "optimal", "parameters": {"suppress": 0.01}},
            "records_in": 1250,
            "records_out": 1234,
            "suppressed": 16,
            "loss": {"ncp": 0.18, "glm": 0.2147, "dm": 98765.0},
            "classes": 3,
        },
        verdict={
            "holds": True,
            "judged": True,
            "sentence": "every class has at least k=5 records",
            "broken": 0,
            "witnesses": [],
            "reached": {"k": 7},
        },
        sizes={7: 2, 1220: 1},
        loss_by_column={"age": 0.31, "zip": 0.12},
        marginals={
            "disease": [("Flu", 1000), (None, 234)],
            "age": [("[20, 30)", 634), ("[30, 40)", 600)],
            "zip": [("12**", 1234)],
        },
    )


@pytest.fixture
def audit(report: Report) -> Audit:
    return Audit(
        report=report,
        losses={"ce": 0.19},
        before_after={"age": [("[20, 30)", 640.0, 634.0), ("[30, 40)", 610.0, 600.0)]},
        risk_before={"records": 1250, "unique": 321, "below": {"2": 0.2568, "5": 0.5, "10": 0.7, "20": 0.9}},
        risk_after={"records": 1234, "unique": 0, "below": {"2": 0, "5": 0, "10": 0.0113, "20": 0.0113}, "odd": 4},
        front=[
            {"levels": {"age": 1, "zip": 0}, "k": 2, "loss": 0.1, "suppressed": 3},
            {"levels": {"age": 1, "zip": 2}, "k": 7, "loss": 0.2147, "suppressed": 16},
            {"levels": {"age": 2, "zip": 2}, "k": 900, "loss": 0.9, "suppressed": 0, "bound": 0.5},
        ],
        rules={"levels": {"age": 1, "zip": 2}, "heights": {"age": 4, "zip": 2}, "examples": {"zip": ["12**"]},
               "suppressed": 16},
        trace={"lattice": 17920, "evaluated": 2402},
    )  # fmt: skip


@pytest.fixture
def hostile(audit: Audit) -> Audit:
    """The same, every name and label replaced by one that attacks."""
    report = audit.report
    names = dict(zip(HOSTILE, ("quasi", "quasi", "sensitive", "plain"), strict=True))
    counts = [(label, 10) for label in (*HOSTILE, None, "")]
    facts = replace(
        report,
        manifest={
            **report.manifest,
            "columns": names,
            "method": {"name": HOSTILE[0], HOSTILE[1]: HOSTILE[2]},
        },
        verdict={**report.verdict, "sentence": HOSTILE[0]},
        loss_by_column=dict.fromkeys(HOSTILE, 0.5),
        marginals=dict.fromkeys(HOSTILE, counts),
    )
    return replace(
        audit,
        report=facts,
        before_after={name: [(label, 9.0, 10.0) for label, _ in counts] for name in HOSTILE},
        front=[{"levels": dict.fromkeys(HOSTILE, 1), "k": 5, "loss": 0.1}],
        rules={"levels": dict.fromkeys(HOSTILE, 1), "examples": dict.fromkeys(HOSTILE, HOSTILE)},
        trace={HOSTILE[0]: HOSTILE[1]},
    )
