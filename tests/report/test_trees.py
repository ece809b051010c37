"""Record trees on the pages."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from browser_cases import draw_in_browser
from page_cases import BROWSER
from seen import words
from shoal.report import Audit, Report, figures
from shoal.report import trees as pages
from shoal.report.facts import Cut, CutRelation, Example, PublishedRelation, TreeAudit, TreeReport
from shoal.report.figures import to_plotly_figure
from shoal.report.pages import audit_html, report_html
from shoal.report.trees import _cut_relation_words, _cut_rows, _record_rows, outline

ILL = Cut(
    "ill",
    ["any", "lung", "flu", "cough", "gout", "scurvy"],
    [-1, 0, 1, 1, 0, 0],
    [None, 7, None, None, 3, None],
)
BEFORE = (("ward", "A", ("ill", "flu"), ("ill", "gout")),)
AFTER = (("ill", "gout"), ("ward", "A", ("ill", "lung")))


@pytest.fixture
def told(report: Report) -> Report:
    claim = {"model": "k^(m,n)-anonymity", "k": 3, "m": 2, "n": 1}
    manifest = {
        **report.manifest,
        "shape": "trees",
        "columns": {"nodes": "tree"},
        "claim": claim,
        "loss": {"rpd": 0.03},
    }
    seen = TreeReport([PublishedRelation("ward", "ill", 10, 7)], [ILL])
    return replace(
        report, manifest=manifest, sizes={}, loss_by_column={}, marginals={"ill": [("lung", 7)]}, trees=seen
    )


@pytest.fixture
def kept(told: Report) -> Audit:
    seen = TreeAudit([CutRelation("ward", ("ill", "gout"), 2)], [ILL], [Example(BEFORE, AFTER)], True)
    return Audit(
        told, {"rpd-original": 0.01, "ml2": 0.5, "dml2": 0.2}, {"ill": [("flu", 4, 3.5)]}, {}, {}, trees=seen
    )


def test_a_small_hierarchy_is_drawn_whole():
    rows = [(row.depth, row.text, row.mark, row.note) for row in _cut_rows(ILL)]
    assert rows == [
        (0, "any", "general", ""),
        (1, "lung", "published", "2 values, 7 records"),
        (2, "flu", "exact", ""),
        (2, "cough", "exact", ""),
        (1, "gout", "published", "3 records"),
        (1, "scurvy", "exact", ""),
    ]


def test_a_node_with_published_ones_above_and_below_is_published():
    both = Cut("ill", ["any", "lung", "flu"], [-1, 0, 1], [1, None, 2])
    assert [row.mark for row in _cut_rows(both)] == ["published", "general", "published"]


def test_a_class_that_is_left_out_says_so(told: Report):
    gone = Cut("ill", ["any", "flu", "gout"], [-1, 0, 0], [None] * 3)
    assert [row.mark for row in _cut_rows(gone)] == ["exact"] * 3
    page = report_html(replace(told, trees=TreeReport([], [gone])))
    assert "left out altogether" in words(page)
    assert "does not show what belongs to what" in words(page)


@st.composite
def cuts(draw):
    size = draw(st.integers(1, 120))
    up = [-1, *(draw(st.integers(max(0, place - 9), place - 1)) for place in range(1, size))]
    records = draw(
        st.lists(st.one_of(st.none(), st.none(), st.integers(0, 50)), min_size=size, max_size=size)
    )
    return Cut("c", [f"v{place}" for place in range(size)], up, records)


@settings(max_examples=60)
@given(cuts(), st.integers(1, 40))
def test_folding_hides_nothing_silently(cut, most):
    rows = _cut_rows(cut, most)
    shown = [row.place for row in rows if row.place is not None]
    assert len(set(shown)) == len(shown) <= most + 1
    assert shown[0] == 0
    assert all(cut.up[place] in shown for place in shown[1:])
    below = {place: [child for child in range(len(cut.up)) if cut.up[child] == place] for place in shown}
    assert sum(row.mark == "folded" for row in rows) == sum(
        0 < sum(child in shown for child in some) < len(some) for some in below.values()
    )
    for row in rows:
        if row.place is not None and below[row.place] and not set(below[row.place]) & set(shown):
            assert "values" in row.note


def test_two_hundred_leaves_fit():
    leaves = [f"leaf {place}" for place in range(200)]
    groups = [f"group {place}" for place in range(20)]
    cut = Cut(
        "drug",
        ["any", *groups, *leaves],
        [-1, *[0] * 20, *(1 + place // 10 for place in range(200))],
        [None] * 21 + list(range(200)),
    )
    rows = _cut_rows(cut)
    assert len(rows) < 60
    folded = sum(int(row.text.split()[1]) for row in rows if row.mark == "folded")
    noted = sum(int(row.note.split()[-2]) for row in rows if row.note.endswith("published"))
    drawn = sum(row.mark == "published" for row in rows)
    assert folded + noted + drawn == 200
    assert min(folded + noted, drawn) > 0
    assert "leaf 199" in {row.text for row in rows}


def test_outline_hangs_every_row_below_its_parent():
    lines, nodes = to_plotly_figure(outline(_cut_rows(ILL))).data
    assert list(nodes.x) == [0, 1, 2, 2, 1, 1]
    assert list(nodes.y) == [0, 1, 2, 3, 4, 5]
    assert list(lines.x[:4]) == [0, 0, 1, None]
    assert list(lines.y) == [0, 1, 1, None, 1, 2, 2, None, 1, 3, 3, None, 0, 4, 4, None, 0, 5, 5, None]
    assert list(nodes.marker.color[:3]) == ["white", figures.BLUE, "white"]
    assert list(nodes.marker.line.color[:3]) == [figures.BLUE, figures.BLUE, figures.GREY]


def test_labels_are_drawn_as_text(attacks):
    rows = _cut_rows(Cut("c", ["root", *attacks], [-1, 0, 0, 0, 0], [None, 1, 2, 3, 4]))
    drawn = json.dumps(outline(rows))
    for tag in ("<b>", "<a ", "<script", "</script", "<!--"):
        assert tag not in drawn


def test_what_changed_in_an_example_is_marked():
    rows = [(row.depth, row.text, row.mark, row.note) for row in _record_rows(AFTER, "published", BEFORE)]
    assert rows == [
        (0, "a person", "general", ""),
        (1, "gout", "changed", "ill"),  # hangs elsewhere
        (1, "A", "published", "ward"),
        (2, "lung", "changed", "ill"),  # more general
    ]
    assert {row.mark for row in _record_rows(BEFORE, "before")} == {"general", "before"}


def test_what_stands_below_a_generalized_value_is_not_changed():
    rows = _record_rows([("ward", "*", ("ill", "flu"))], "published", [("ward", "A", ("ill", "flu"))])
    assert [row.mark for row in rows[1:]] == ["changed", "published"]


@pytest.mark.parametrize(
    ("above", "below", "said"),
    [
        ("ward", "ill", "which ill belongs to which ward"),
        ("ward", ("ill", "flu"), "which ward the ill 'flu' belongs to"),
        (("ward", "A"), "ill", "which ill belongs to 'A'"),
        (("ward", "A"), ("ill", "flu"), "whether 'flu' belongs to 'A'"),
    ],
)
def test_cut_relations_in_words(above, below, said):
    assert _cut_relation_words(above, below) == said


def test_the_report_tells_what_the_release_tells(told: Report):
    seen = words(report_html(told))
    for fact in (
        "Anyone who knows up to 2 values of a person and up to 1 ancestor relation among these values finds at least 3",
        "Relations that the release shows; each node below counts once Relation Nodes Share ward over ill 7 of 10 70%",
        "4 values, published as 2",
        "lung published 2 7",
        "What is in the released fields",
        "smaller is better, and it is never 0",
        "Field ill",
    ):
        assert fact in seen
    for secret in ("were cut", "Invented", "Risk", "drawn in part"):
        assert secret not in seen


def test_the_audit_tells_more(kept: Audit):
    seen = words(audit_html(kept))
    for fact in (
        "Which relations were cut",
        "ward over 'gout' which ward the ill 'gout' belongs to 2",
        "Nobody has these records",
        "Example 1, before",
        "gout ill yes",
        "A ward no",
        "The fields, before and after",
        "compare rpd with it, not with 0",
        "0 is none, 1 all of them",
        "0 is not at all, 1 all are gone",
    ):
        assert fact in seen
    assert "Risk" not in seen


def test_the_audit_says_why_there_is_no_example(kept: Audit):
    assert kept.trees is not None
    local = replace(kept, trees=replace(kept.trees, cut_relations=[], examples=[], ruled=False))
    seen = words(audit_html(local))
    assert "There is no rule to show on an example" in seen
    assert "each cluster of records was recoded in its own way" in seen
    every = replace(kept, trees=replace(kept.trees, cut_relations=[], examples=[]))
    assert "every invented record was equal to a real one" in words(audit_html(every))
    assert "No relation was cut. " in words(audit_html(every))


def test_many_cut_relations_are_shown_in_part(kept: Audit):
    assert kept.trees is not None
    many = [CutRelation(("ward", str(place)), "ill", place) for place in range(90)]
    seen = words(audit_html(replace(kept, trees=replace(kept.trees, cut_relations=many))))
    assert "90 relations were cut; the ones that most originals had come first; 40 of them are shown" in seen
    assert "'89' over ill" in seen
    assert "'49' over ill" not in seen


def test_facts_of_trees_are_plain_json(kept: Audit):
    facts = kept.as_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["trees"]["cut_relations"] == [{"above": "ward", "below": ["ill", "gout"], "records": 2}]
    assert facts["report"]["trees"]["told"][0]["under"] == 7


def test_pages_of_trees_name_every_picture(kept: Audit):
    for page in (report_html(kept.report), audit_html(kept)):
        found = html.fromstring(page)
        ids = found.xpath("//@id")
        assert len(ids) == len(set(ids))
        for plot in found.xpath("//*[@data-figure]"):
            assert plot.get("data-figure") in ids
            assert len(plot.get("aria-label")) > 20


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on this machine")
def test_outlines_are_drawn_in_silence(kept: Audit, tmp_path: Path):
    page, said = draw_in_browser(audit_html(kept), tmp_path)
    assert said == ""
    texts = [
        [" ".join(text.text_content().split()) for text in plot.xpath(".//*[contains(@class, ' said')]")]
        for plot in page.xpath("//*[@class = 'plot']")[:3]
    ]
    assert texts[0][:2] == ["any", "lung 2 values, 7 records"]
    assert texts[1] == ["a person", "A ward", "flu ill", "gout ill"]
    assert texts[2] == ["a person", "gout ill", "A ward", "lung ill"]


def test_other_shapes_show_no_trees(audit: Audit):
    assert pages.report_parts(None) is None
    assert pages.audit_parts(None) is None
    assert "belongs to what" not in words(audit_html(audit))
