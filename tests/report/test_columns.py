"""What a certificate says of each column: only what the release shows, and of every form a word."""

from dataclasses import replace

import pytest

from page_cases import BROWSER
from shoal.io.pdf import print_page
from shoal.privacy.presets import find_preset
from shoal.report import Report
from shoal.report.columns import column_rows, name_forms, tabulate_columns
from shoal.report.facts import Cut, Levels, TreeReport
from shoal.report.pages import report_html


def with_labels(report: Report, *labels: str | None) -> Report:
    return replace(report, loss_by_column={}, marginals={"age": [(text, 9) for text in labels]})


@pytest.mark.parametrize(
    ("labels", "forms", "example"),
    [
        (("[20, 30)", "[30, 40)"), ["ranges"], "[20, 30)"),
        (("<20", "90+", "20 to 30", "40 or more"), ["ranges"], "<20"),
        (("8040*", "81***"), ["masked"], "8040*"),
        (("*",), ["nothing"], ""),
        (("[20, 30)", "*", None), ["ranges", "nothing"], "[20, 30)"),
        (("(group 1)", "milk"), ["unknown"], "(group 1)"),
        (("a*b", "back to work", "M&M*s"), ["unknown"], ""),
        ((), ["unknown"], ""),
        ((None,), ["blank"], ""),
    ],
)
def test_labels_say_what_a_column_is_published_as(report: Report, labels, forms, example):
    assert name_forms("age", with_labels(report, *labels)) == (forms, example)


def test_whether_words_are_values_or_groups_is_told_where_it_is_known(report: Report):
    words = with_labels(report, "care", "nurse")
    assert name_forms("age", words)[0] == ["unknown"]
    assert name_forms("age", replace(words, loss_by_column={"age": 0.0}))[0] == ["exact"]
    assert name_forms("age", replace(words, loss_by_column={"age": 0.1}))[0] == ["unknown"]
    declared = replace(words, levels=[Levels("age", 9, 2, [(0, 3, ["nurse"]), (1, 6, ["care"])])])
    assert name_forms("age", declared) == (["exact", "groups"], "care")
    cut = Cut("age", ["*", "care", "nurse", "craft", "mason"], [-1, 0, 1, 0, 3], [None, None, 4, 5, None])
    assert name_forms("age", replace(words, trees=TreeReport([], [cut]))) == (["exact", "groups"], "craft")


def test_every_column_stands_there_once(report: Report):
    columns = {**report.manifest["columns"], "<b>note</b>": "plain"}
    shown = replace(report, manifest={**report.manifest, "columns": columns})
    rows = list(column_rows(shown))
    assert [row[:2] for row in rows] == [
        ("age", "quasi"),
        ("zip", "quasi"),
        ("disease", "sensitive"),
        ("name", "identifier"),
        ("<b>note</b>", "plain"),
    ]
    assert [row[2] for row in rows] == ["ranges", "first characters", "as it is", "left out", "as it is"]
    page = report_html(shown)
    assert "&lt;b&gt;note&lt;/b&gt;" in page
    assert "<b>note</b>" not in page


def test_fields_of_record_trees_are_told_instead_of_their_nodes(report: Report):
    claim = {"model": "k^(m,n)-anonymity", "k": 5, "m": 2, "n": 1, "sensitive": "visits.ill"}
    manifest = {**report.manifest, "shape": "trees", "columns": {"nodes": "tree"}, "claim": claim}
    trees = replace(
        report, manifest=manifest, marginals={"born": [("[1930, 1940)", 5)], "visits.ill": [("flu", 5)]}
    )
    assert [(name, role, form) for name, role, form, _ in column_rows(trees)] == [
        ("born", "tree", "ranges"),
        ("visits.ill", "sensitive", "as it is"),
    ]
    assert tabulate_columns(trees).head[0] == "Field"


def many_columns(report: Report, count: int) -> Report:
    names = [f"measurement number {place}" for place in range(count)]
    columns = {name: ("quasi", "sensitive", "plain")[place % 3] for place, name in enumerate(names)}
    marginals = {name: [(f"[{place}, {place + 9})", 5)] for place in range(20) for name in names}
    return replace(report, manifest={**report.manifest, "columns": columns}, marginals=marginals)


def test_many_columns_are_told_by_what_they_have_in_common(report: Report):
    assert len(tabulate_columns(many_columns(report, 19)).rows) == 19
    rows = tabulate_columns(many_columns(report, 90)).rows
    assert [row[1].partition(":")[0] for row in rows] == ["quasi-identifier", "sensitive", "plain"]
    assert rows[0][0].startswith("measurement number 0, measurement number 3, ")
    assert tabulate_columns(many_columns(report, 300)).rows[0][0].endswith(" and 60 more")


def with_everything(report: Report, preset_name: str) -> Report:
    """All that a certificate can hold: a preset, what its owner says, notes, and as many columns as are listed."""
    preset = find_preset(preset_name)
    rules = [
        {
            "rule": r.name,
            "asks": r.asks,
            "source": r.source,
            "verdict": "kept",
            "found": "no column shows such a value",
        }
        for r in preset.rules
    ]
    stated = {
        "preset": {"name": preset_name, "title": preset.title, "limits": preset.limits, "rules": rules},
        "title": "Stays of 2025",
        "controller": "The Trust",
        "purpose": "Teaching",
        "recipient": "A university",
        "contact": "data@example.org",
        "reason": "The contract asks for it",
        "date": "2026-11-16",
        "sha256": {"data.csv": "ab" * 32},
    }
    full = many_columns(report, 19)
    return replace(full, manifest={**full.manifest, **stated})


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on this machine")
@pytest.mark.parametrize("preset", ["", "hipaa-safe-harbor", "ema-health-canada"])
def test_a_certificate_is_printed_on_four_pages_with_the_claim_beside_the_signature(
    report: Report, preset, tmp_path
):
    page = tmp_path / "report.html"
    page.write_text(report_html(with_everything(report, preset) if preset else report), encoding="utf-8")
    print_page(page, tmp_path / "report.pdf")
    assert 1 <= (tmp_path / "report.pdf").read_bytes().count(b"/Type /Page\n") <= 4
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        shown = browser.new_page()
        shown.goto(page.as_uri())
        shown.emulate_media(media="print")
        signed = shown.locator("section.signed")
        assert "every record looks the same as at least 4 others" in signed.inner_text()
        assert "Judged: the claim is kept" in signed.inner_text()
        assert signed.evaluate("e => getComputedStyle(e).breakInside") == "avoid"
        assert not shown.locator(".annex").is_visible()
        browser.close()
