import json
import re
from dataclasses import replace

import pytest

from seen import words
from shoal.privacy import (
    GUARANTEE,
    AllOf,
    KAnonymity,
    KMap,
    LDiversity,
    LmDiversity,
    Nonreciprocal,
    claim_from_dict,
)
from shoal.report import Report
from shoal.report.pages import (
    Audit,
    _judge_needs,
    _judgements,
    _settings_table,
    audit_html,
    audit_sections,
    page_words,
    report_html,
)
from shoal.report.parts import figures_of, front_sections
from shoal.report.words import NUMBERS


def told(report: Report, **more: object) -> Report:
    return replace(report, manifest={**report.manifest, **more})


def test_the_certificate_says_what_it_is_of_and_who_says_what(report: Report):
    seen = words(
        report_html(
            told(report, title="Stays", controller="The Trust", reason="one contract", date="2026-11-16")
        )
    )
    for fact in (
        "Stays, 16 November 2026 In age and zip, every record looks the same",
        "This report belongs to a table with 4 columns: 1,234 records, released on 16 November 2026 with shoal 1.2.3.",
        "Anyone who published it says so; nobody has checked it.",
        "Who is responsible for the data The Trust",
        "Why so many people must look alike, and not fewer one contract",
        "The person responsible for this release signs on behalf of The Trust. Name Function Place and date Signature",
    ):
        assert fact in seen


def test_what_nobody_said_is_not_there(report: Report):
    seen = words(report_html(report))
    assert "Anyone who published it says so" not in seen
    assert "sha256" not in seen
    assert "The person responsible for this release signs here." in seen


def test_the_files_are_known_by_their_digests(report: Report):
    seen = words(report_html(told(report, sha256={"data/a.csv": "ab" * 32, "data/b.csv": "cd" * 32})))
    assert f"data/a.csv {'ab' * 32} data/b.csv {'cd' * 32}" in seen
    assert "The data were read back from the files below, and judged as written. done" in seen


@pytest.mark.parametrize(
    ("claim", "state", "found"),
    [
        (KAnonymity(5), "broken", {"k-anonymity": "not kept"}),
        (KAnonymity(5), "unjudged", {"k-anonymity": "not judged"}),
        (
            AllOf((KAnonymity(5), LDiversity(2))),
            "holds",
            {"k-anonymity": "kept", "l-diversity": "kept", "truth": "kept"},
        ),
        (Nonreciprocal(5), "holds", {"nonreciprocal k-anonymity": "kept"}),  # a vote is true of no one record
    ],
)
def test_each_part_of_a_claim_has_its_judge_and_what_that_judge_found(report: Report, claim, state, found):
    rows = _judgements(report.manifest, claim, {"state": state}).rows
    assert [(row[0], row[2]) for row in rows] == [*found.items()]


@pytest.mark.parametrize(
    ("claim", "needed"),
    [
        (KAnonymity(5).as_dict(), ""),
        (KAnonymity(5).as_dict() | {"counts": "persons"}, "rows"),
        (Nonreciprocal(5).as_dict(), "originals"),
        (LmDiversity(2, 1, k=2).as_dict(), "secrets"),
        (KMap(5).as_dict(), "population"),
    ],
)
def test_whoever_needs_more_than_the_files_is_told_so(report: Report, claim: dict[str, object], needed: str):
    found = told(report, claim=claim)
    assert _judge_needs(found.manifest, claim_from_dict(claim)) == needed
    seen = words(report_html(found))
    assert ("--against ORIGINAL" in seen) is (needed in ("rows", "originals"))
    assert ("--config shoal.toml" in seen) is (needed != "")
    assert ("needs nothing but the published files" in seen) is (needed == "")


def test_every_parameter_has_a_sentence(report: Report):
    method = {"name": "optimal", "parameters": {"k": 5, "suppress": 0.01, "loss": "glm"}}
    found = replace(told(report, method=method), settings={"loss": "What is to be least."})
    rows = _settings_table(found.manifest, found.settings).rows
    assert rows[1:] == [("suppress", "0.01", NUMBERS["suppress"]), ("loss", "glm", "What is to be least.")]
    assert set(GUARANTEE) <= set(NUMBERS)


def test_a_release_that_tells_no_loss_has_no_section_of_it(report: Report):
    page = report_html(replace(told(report, loss={}), loss_by_column={}))
    assert "What it cost" not in words(page)


# The plots of the pages for whoever shows them elsewhere: the same figures under the same headings.


def test_an_audit_gives_the_plots_of_its_page(audit: Audit):
    found = figures_of(audit_sections(audit))
    page = audit_html(audit)
    drawn = dict(re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', page, re.S))
    assert set(drawn) <= set(found)
    for name, text in drawn.items():
        figure = found[name]["figure"]
        assert figure["data"] == json.loads(text)["data"]
        assert figure["layout"]["paper_bgcolor"] == figure["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert found["column-0"]["title"] == "age"
    assert found["risk-figure"]["section"] == "Risk, before and after"
    assert found["column-0"]["table"]["rows"][0] == ("[20, 30)", "640", "634")
    assert all(one["words"] and one["sentence"] for one in found.values())


def test_of_very_many_columns_some_are_drawn(audit: Audit):
    wide = {f"c{i}": [("x", 1.0, 1.0)] for i in range(200)}
    losses = {name: 1 / (i + 1) for i, name in enumerate(reversed(wide))}
    report = replace(audit.report, loss_by_column=losses)
    found = figures_of(audit_sections(replace(audit, report=report, before_after=wide)))
    assert sum(name.startswith("column-") for name in found) == 40
    assert "the first 40 of 200" in found["column-0"]["sentence"]
    assert len(found["loss-figure"]["table"]["rows"]) == 40
    assert found["loss-figure"]["table"]["rows"][0][0] == "c199"
    assert len(json.dumps(found)) < 1_000_000


def test_a_front_to_choose_from_has_no_point_taken(audit: Audit):
    (front,) = figures_of(front_sections(audit.front or ())).values()
    assert len(front["figure"]["data"]) == 1
    assert front["figure"]["data"][0]["x"] == [2, 7, 900]
    points = [
        {"table-ncp": 0.1, "ul": 0.5, "classes": 3, "merges": 1},
        {"table-ncp": 0.2, "ul": 0.4, "classes": 2, "merges": 2},
    ]
    (mixed,) = figures_of(front_sections(points, mixed=True)).values()
    assert mixed["figure"]["data"][0]["y"] == [0.5, 0.4]
    assert front_sections([]) == []


def test_words_are_those_of_the_pages(audit: Audit):
    said = page_words(audit)
    assert said["headline"] == "In age and zip, every record looks the same as at least 4 others."
    assert said["verdict"]["state"] == "holds"
    assert said["judges"] == ["k-anonymity"]
    assert said["attacker"].startswith("Anyone who knows all quasi-identifiers")
    assert said["tables"]["losses"]["rows"][0][:2] == ("ncp", "18%")
    assert ["Smallest class", "7", "the claim asks for 5"] in said["tiles"]
    assert any("Several releases" in line for line in said["limits"])
    assert json.loads(json.dumps(said)) is not None
