import re
from dataclasses import replace

import pytest
from lxml import html

from seen import words
from shoal.report import pages
from shoal.report.facts import (
    Chart,
    Cut,
    CutRelation,
    Example,
    ModelScore,
    Prediction,
    PublishedRelation,
    TreeAudit,
    TreeReport,
    Useful,
)
from shoal.report.pages import Audit, Report, audit_html, report_html
from shoal.utility.columns import Association, StatisticInterval


def test_report_tells_the_facts(report: Report):
    seen = words(report_html(report))
    for fact in (
        "In age and zip, every record looks the same as at least 4 others.",
        "Anyone who knows all quasi-identifiers of a person cannot tell",
        "Several releases about the same people: together they may show what each of them hides.",
        "Judged: the claim is kept Every class has at least k=5 records.",
        "Records released 1,234 of 1,250; 16 suppressed (1.3%)",
        "Smallest class 7 the claim asks for 5",
        "Loss (ncp) 18% of the detail is lost",
        "ncp 18% The share of the detail that is lost",
        "glm 0.215 How many other values a cell may stand for",
        "dm 98,765",
        "Flu 1,000 81%",
        "(missing) 234 19%",
        "1,000–1,220 1 1,220 98.9%",
        "age 0.31",
        "optimal suppress 0.01",
        "shoal verify DIR",
        "zip quasi",
        "name identifier: names a person left out",
        "shoal 1.2.3",
    ):
        assert fact in seen
    for untold in ("Rehearsal", "Private"):
        assert untold not in seen


def test_audit_tells_the_facts(audit: Audit):
    seen = words(audit_html(audit))
    for fact in (
        "Private: do not publish",
        "Records that are the only one of their kind 321 0",
        "Records in classes smaller than 2 25.7% 0%",
        "odd – 4",
        "[20, 30) 640 634",
        "7 0.215 16 age 1, zip 2 yes",
        "900 0.9 0 age 2, zip 2 no",
        "A hollow point was not proven",
        "age 1 of 4 –",
        "zip 2 of 2 12**",
        "suppressed 16",
        "ce 0.19 The share of records whose target differs",
        "dm 98,765",
        "lattice 17,920",
    ):
        assert fact in seen
    assert "Think about this before you publish" not in seen


def test_every_printed_page_of_the_audit_says_that_it_is_private(audit: Audit):
    """On paper pages come apart: each has its number, and those of the audit their banner."""
    report, private = report_html(audit.report), audit_html(audit)
    assert all("counter(page)" in page for page in (report, private))
    assert '@top-center { content: "Private: do not publish"' in private
    assert "@top-center" not in report


def test_a_rehearsal_says_so(audit: Audit):
    report = replace(audit.report, manifest={**audit.report.manifest, "rehearsal": True})
    for page in (report_html(report), audit_html(replace(audit, report=report))):
        assert "Rehearsal: this was made with a fixed seed; do not publish it" in words(page)


@pytest.mark.parametrize(
    ("verdict", "headline"),
    [
        ({"judged": True, "holds": False}, "This release does not keep its claim"),
        ({"judged": False, "holds": False}, "Nobody has judged this claim yet"),
        ({"judged": False, "holds": True}, "Nobody has judged this claim yet"),
        ({}, "Nobody has judged this claim yet"),
    ],
)
def test_a_claim_that_was_not_upheld_is_never_the_headline(report: Report, verdict, headline):
    page = report_html(replace(report, verdict=verdict))
    assert html.fromstring(page).findtext(".//h1") == headline
    assert "The claim: In age and zip" in words(page)


def test_both_pages_need_no_network_and_no_script(audit: Audit):
    for page in (report_html(audit.report), audit_html(audit)):
        assert not re.search(r"https?:|//\w|@import|url\(|fetch\(|XMLHttp|import\(", page)
        tree = html.fromstring(page)
        assert not tree.xpath(
            "//@src | //@href | //@action | //link | //iframe | //object | //embed | //base | //script"
            " | //@*[starts-with(name(), 'on')]"
        )
        (policy,) = tree.xpath("//meta[@http-equiv]/@content")
        assert policy.startswith("default-src 'none'; style-src")
        assert "script-src" not in policy


def test_hostile_labels_are_text_and_nothing_else(hostile: Audit, attacks):
    """In every section of both pages, those of trees and of what a release is good for as well."""
    one, two, three, four = attacks
    cut = Cut(one, ["root", *attacks], [-1, 0, 0, 0, 0], [None, 1, 2, 3, 4])
    tree = ((one, two, (three, four)),)
    shown = replace(hostile.report, trees=TreeReport([PublishedRelation(one, two, 1, 1)], [cut]))
    useful = Useful(
        Prediction(one, 2, 700, 690, 300, 0.75, [ModelScore("logistic", 0.8, 0.8, 0.8, 0.8)]),
        [Association(two, three, "cramers-v", 0.4, 0.1)],
        groups=[StatisticInterval(one, two, 1.0, 2.0, 1.0)],
        sentences={"prediction": one},
        notes=[two],
    )
    cut_relations = [CutRelation((one, two), three, 1)]
    kept = TreeAudit(cut_relations, [cut], [Example(tree, tree)], ruled=True)
    for page in (report_html(shown), audit_html(replace(hostile, report=shown, trees=kept, useful=useful))):
        tree = html.fromstring(page)
        assert not tree.xpath("//script")
        assert not tree.xpath("//b[text()='bold'] | //a | //comment()")
        assert "\u202e" not in page
        page.encode("utf-8")
        assert one in words(page)
        assert "{{ 7 * 7 }}" in words(page)


def test_figures_can_be_read_without_eyes(audit: Audit):
    for page in (report_html(audit.report), audit_html(audit)):
        tree = html.fromstring(page)
        plots = tree.xpath("//figure/svg")
        assert plots
        for plot in plots:
            assert plot.get("role") == "img"
            assert len(plot.get("aria-label")) > 20
            assert plot.getparent().xpath(".//details//table/caption")
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids))
        assert [len(tree.xpath(f"//{tag}")) for tag in ("h1", "main", "header")] == [1, 1, 1]
        assert all(tree.xpath("//table/caption/text()"))


def test_columns_stand_in_the_order_of_the_manifest(report: Report):
    tree = html.fromstring(report_html(report))
    assert tree.xpath("//figcaption/h3/text()") == ["age", "zip", "disease"]


def test_nothing_known_is_no_crash():
    empty = Report({"claim": {"model": "k-anonymity", "k": 2}}, {}, {}, {}, {})
    assert "Nobody has judged this claim yet" in words(report_html(empty))
    seen = words(audit_html(Audit(empty, {}, {}, {}, {})))
    assert "Private" in seen
    assert "choices of k" not in seen
    assert "Risk" not in seen


def test_one_class_one_record():
    tiny = Report(
        {"claim": {"model": "k-anonymity", "k": 1}, "records_in": 1},
        {},
        {1: 1},
        {"a": 0.0},
        {"a": [("x", 1)]},
    )
    assert "1 1 1 100%" in words(report_html(tiny))


def test_thirty_columns_of_a_thousand_labels(report: Report):
    counts = [(f"label {place}", place + 1) for place in range(1000)]
    wide = replace(
        report,
        loss_by_column={f"column {j}": j / 30 for j in range(30)},
        marginals={f"column {j}": counts for j in range(30)},
    )
    page = report_html(wide)
    assert page.count('<svg class="plot"') == 32
    assert len(page) < 500_000
    assert "980 others" in words(page)


def test_charts_and_claims_of_other_shapes_are_shown_in_their_own_words():
    chart = Chart(
        "Error by frequency",
        "Rare items are wrong more often.",
        [1, 10, 100],
        {"error rate": [0.5, 0.2, 0.1]},
        "records",
    )
    bars = Chart("By <b>word</b>", "Bars.", ["</script>", "b"], {"before": [1.0, 2.0], "after": [2.0, 1.0]})
    manifest = {
        "shape": "baskets",
        "claim": {"model": "k^m-anonymity", "k": 5, "m": 2},
        "columns": {"items": "items"},
        "records_in": 10,
        "records_out": 10,
    }
    verdict = {"judged": True, "holds": True, "sentence": "it holds", "reached": {"k": 5}}
    report = Report(manifest, verdict, {}, {}, {"items": [("milk", 3)]}, (chart,))
    page = report_html(report)
    assert "<h1>Anyone who knows up to 2 items of a person cannot tell" in page
    assert "Error by frequency" in page
    assert "How many records look the same" not in page
    audit = Audit(report, {}, {}, {}, {}, charts=(bars,))
    assert audit.as_dict()["charts"][0]["series"] == {"before": [1.0, 2.0], "after": [2.0, 1.0]}
    shown = audit_html(audit)
    assert "By &lt;b&gt;word&lt;/b&gt;" in shown
    assert html.fromstring(shown).xpath("//figure[@id='chart-0' or @id='chart-1']/svg")


def test_the_tile_tells_the_headline_or_nothing(audit: Audit):
    """A built hierarchy keeps the headline in: the public page then has no tile, never one of another loss."""
    kept = replace(audit.report, manifest={**audit.report.manifest, "loss": {"dm": 2.3e8, "aecs": 3.0}})
    told = replace(audit, report=kept, losses={"il": 0.5, "ncp": 0.18, "glm": 0.2})
    assert "of the detail is lost" not in words(report_html(kept))
    assert "Loss (" not in words(report_html(kept))
    assert "Loss (ncp) 18% of the detail is lost" in words(audit_html(told))


def test_the_makers_own_loss_follows_the_headline(audit: Audit):
    method = {"name": "optimal", "parameters": {"loss": "dm"}}
    facts = replace(audit.report, manifest={**audit.report.manifest, "method": method})
    page = words(audit_html(replace(audit, report=facts)))
    assert page.index("ncp 18%") < page.index("dm 98,765") < page.index("glm 0.215") < page.index("ce 0.19")


def test_what_lies_beyond_the_claim_has_a_place_of_its_own(audit: Audit):
    assert "If somebody knows more" not in words(audit_html(audit))
    seen = words(
        audit_html(replace(audit, beyond={"records with fewer than 5 look-alikes if all is known": 12}))
    )
    assert "If somebody knows more" in seen
    assert "records with fewer than 5 look-alikes if all is known 12" in seen


def test_templates_are_compiled_once_where_they_can_be_kept(tmp_path):
    def filled(folder):
        kept = pages._TemplateCache(str(folder))
        return pages._ENV.overlay(bytecode_cache=kept).get_template("style.css").render()

    first = filled(tmp_path)
    (kept,) = tmp_path.iterdir()
    before = kept.stat().st_mtime_ns
    assert filled(tmp_path) == first
    assert kept.stat().st_mtime_ns == before
    assert filled(tmp_path / "nowhere") == first
