"""Records before and after as HTML: the same record in one line, and nothing in a cell is obeyed."""

from pathlib import Path

import pytest
from lxml import html

import shoal.web.pages

pytest.importorskip("nicegui", reason="the extra web is not installed")

from shoal.web.pages.elements import _points_html, _ring_point, losses_html, pairs_html

PREVIEW = {
    "shape": "table",
    "records": 1000,
    "columns": ["age", "<b>ill</b>"],
    "rows": [
        {"record": 1, "before": ["31", "flu"], "after": ["[30, 40)", "flu"]},
        {"record": 1000, "before": ["99", None], "after": None},
    ],
    "part": "column",
    "loss_by": {"age": 0.25, "<b>ill</b>": 0.0},
}


def rows(text):
    table = html.fragment_fromstring(text, create_parent=True).xpath(".//tbody/tr")
    return [["".join(cell.itertext()).strip() for cell in row] for row in table]


def test_a_column_that_changes_has_two_cells_and_others_one():
    text = pairs_html(PREVIEW)
    assert rows(text) == [["1", "31", "[30, 40)", "flu"], ["1,000 left out", "99", "left out", "–"]]
    tree = html.fragment_fromstring(text, create_parent=True)
    assert [th.text for th in tree.xpath(".//thead/tr[2]/th")] == ["before", "after"]
    assert tree.xpath(".//td[@class='changed']/text()") == ["[30, 40)"]
    assert "2 of 1,000 records" in text


def test_names_and_cells_are_escaped():
    hostile = {**PREVIEW, "rows": [{"record": 1, "before": ["<script>", "x"], "after": ['"><i>', "x"]}]}
    for text in (pairs_html(hostile), losses_html(hostile)):
        assert "<script>" not in text
        assert "<b>" not in text
        assert "<i>" not in text
    assert _points_html([(0, 0, "<b>")], None).count("<b>") == 0


def test_a_tree_always_has_both_sides():
    same = {"record": 7, "before": ["nation: Italy"], "after": ["nation: Italy"]}
    text = pairs_html({**PREVIEW, "shape": "trees", "columns": ["record"], "rows": [same]})
    assert rows(text) == [["7", "nation: Italy", "nation: Italy"]]


def test_very_wide_records_are_cut():
    wide = {"record": 1, "before": ["x"] * 50, "after": ["y"] * 50}
    text = pairs_html({**PREVIEW, "columns": [f"c{i}" for i in range(50)], "rows": [wide]})
    assert len(rows(text)[0]) == 61
    assert "20 more columns are not shown" in text


def test_losses_are_bars_with_their_numbers():
    text = losses_html(PREVIEW)
    assert rows(text) == [["age", "25%", ""], ["<b>ill</b>", "0%", ""]]
    assert "width:25.0%" in text


def test_the_chosen_point_has_a_ring_and_the_figure_stays():
    figure = {"data": [{"x": [2, 5], "y": [0.1, 0.2]}], "layout": {}}
    ringed = _ring_point(figure, (0, 1, "k = 5"))
    assert (ringed["data"][1]["x"], ringed["data"][1]["y"]) == ([5], [0.2])
    assert len(figure["data"]) == 1
    assert 'value="0" selected' in _points_html([(0, 0, "a"), (0, 1, "b")], 0)


def test_long_cells_are_cut_to_the_eye_alone():
    long = 'a "quoted" group of values, ' * 5
    text = pairs_html({**PREVIEW, "rows": [{"record": 1, "before": ["31", "x"], "after": [long, "x"]}]})
    (cell,) = html.fragment_fromstring(text, create_parent=True).xpath(".//div[@class='long']")
    assert cell.get("title") == cell.text == long


# Text of others on the page.


def test_no_text_of_others_is_parsed_as_properties():
    """NiceGUI reads escapes in a string of properties, so a name with a backslash would break the page."""
    home = Path(shoal.web.pages.__file__).parent
    parsed = [
        f"{path.name}: {line.strip()}"
        for path in home.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if ".props(f" in line and "share:.3f" not in line
    ]
    assert parsed == []
