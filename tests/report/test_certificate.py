from dataclasses import replace

import pytest

from seen import words
from shoal.privacy import GUARANTEE, Every, KAnonymity, LDiversity, Nonreciprocal, claim_from_dict
from shoal.report import Report, certificate
from shoal.report.pages import report_html
from shoal.report.words import NUMBERS

HOLDS = {"state": "holds"}


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
        "Whoever published it says so; nobody has checked it.",
        "Who is responsible for the data The Trust",
        "Why so many people must look alike, and not fewer one contract",
        "Whoever is responsible for this release on behalf of The Trust signs here. Name Function Place and date "
        "Signature",
    ):
        assert fact in seen


def test_what_nobody_said_is_not_there(report: Report):
    seen = words(report_html(report))
    assert "Whoever published it says so" not in seen
    assert "sha256" not in seen
    assert "Whoever is responsible for this release signs here." in seen


def test_the_files_are_known_by_their_digests(report: Report):
    seen = words(report_html(told(report, sha256={"data/a.csv": "ab" * 32, "data/b.csv": "cd" * 32})))
    assert f"data/a.csv {'ab' * 32} data/b.csv {'cd' * 32}" in seen
    assert "The data were read back from the files below, and judged as written. done" in seen


@pytest.mark.parametrize(("state", "found"), [("broken", "not kept"), ("unjudged", "not judged")])
def test_no_judge_is_said_to_have_agreed_that_did_not(report: Report, state: str, found: str):
    rows = certificate.judgements(report.manifest, KAnonymity(5), {"state": state}).rows
    assert [(row[0], row[2]) for row in rows] == [("k-anonymity", found)]


def test_each_part_of_a_claim_has_its_judge(report: Report):
    both = Every((KAnonymity(5), LDiversity(2)))
    rows = certificate.judgements(report.manifest, both, HOLDS).rows
    assert [row[0] for row in rows] == ["k-anonymity", "l-diversity", "truth"]


@pytest.mark.parametrize(
    ("claim", "alone"),
    [
        (KAnonymity(5).as_dict(), True),
        (KAnonymity(5).as_dict() | {"counts": "persons"}, False),
        (Nonreciprocal(5).as_dict(), False),
    ],
)
def test_whoever_needs_the_originals_is_told_so(report: Report, claim: dict[str, object], alone: bool):
    found = told(report, claim=claim)
    assert certificate.needs_files_only(found.manifest, claim_from_dict(claim)) is alone
    assert ("--against ORIGINAL" in words(report_html(found))) is not alone


def test_every_parameter_has_a_sentence(report: Report):
    method = {"name": "optimal", "parameters": {"k": 5, "suppress": 0.01, "loss": "glm"}}
    found = replace(told(report, method=method), settings={"loss": "What is to be least."})
    rows = certificate.settings(found.manifest, found.settings).rows
    assert rows[1:] == [("suppress", "0.01", NUMBERS["suppress"]), ("loss", "glm", "What is to be least.")]
    assert set(GUARANTEE) <= set(NUMBERS)


def test_a_release_that_tells_no_loss_has_no_section_of_it(report: Report):
    page = report_html(replace(told(report, loss={}), loss_by_column={}))
    assert "What it cost" not in words(page)


def test_rows_by_vote_are_not_said_to_be_true_of_a_record(report: Report):
    rows = certificate.judgements(report.manifest, Nonreciprocal(5), HOLDS).rows
    assert [row[0] for row in rows] == ["nonreciprocal k-anonymity"]
