"""Figures drawn as SVG: every number is in its place, every text is text, every size can be read."""

import re
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from shoal.report import figures
from shoal.report.compare import compare_figure
from shoal.report.svg import COLOURS, draw_svg, plain_text, text_width
from shoal.report.trees import Row, outline

POINTS = [{"k": 2, "loss": 0.1, "levels": {"zip": 1}}, {"k": 50, "loss": 0.4, "bound": 0.3, "suppressed": 2}]
BELOW = {"below": {"2": 0.5, "5": 0.75, "10": 1, "20": 1}}
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
COUNTS = st.integers(0, 10**9)


def drawn(figure):
    """The drawing as a tree; whatever is no XML fails here, and so would a label that closes a tag."""
    return etree.fromstring(f"<div>{draw_svg(figure, 'what it shows')}</div>")


def shares(tree, path, name):
    """The values of an attribute that are shares of the width."""
    return [float(text.removesuffix("%")) for text in tree.xpath(f"{path}/@{name}")]


def texts(tree, kind=""):
    return [
        "".join(text.itertext())
        for text in tree.iter("text")
        if not kind or kind in (text.get("class") or "").split()
    ]


FIGURES = [
    figures.class_sizes_figure({1: 2, 5: 3, 400: 1}, 5),
    figures.class_sizes_figure({}, 1),
    figures.column_losses_figure({"zip": 0.3, "age": 1.0}),
    figures.marginal_figure("zip", [str(place) for place in range(30)], list(range(30))),
    figures.marginal_figure("zip", [], []),
    figures.marginal_figure("zip", ["a"], [0]),
    figures.before_after("zip", ["a", None], [1, 2], [2, 1.5]),
    figures.series_figure({"one": [1, 2], "two": [2, 3]}, [1, 2.5], "size"),
    figures.series_figure({"one": [0, 0]}, [1, 1], "size"),
    figures.series_figure({"one": [1, 2]}, ["a", "b"], "size"),
    figures.chances({"one": [0.5], "two": [1.0]}, ["a" * 40], "share", "Who"),
    figures.class_shares_figure(BELOW, BELOW),
    figures.front(POINTS, picked=3),
    figures.front([]),
    outline([Row(0, "*", "general"), Row(1, "lung", "published", "5 records"), Row(1, "… 2 more", "folded")]),
    outline([]),
]


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_drawn_with_a_text_for_those_who_do_not_see_it(figure):
    tree = drawn(figure)
    (plot,) = tree.xpath("svg[@class='plot']")
    assert (plot.get("role"), plot.get("aria-label")) == ("img", "what it shows")
    assert "nan" not in etree.tostring(tree).decode()
    assert not tree.xpath(".//script | .//a | .//@href | .//@*[starts-with(name(), 'on')]")


@pytest.mark.parametrize("figure", FIGURES)
def test_colours_are_the_style_sheets_so_that_dark_pages_and_paper_have_their_own(figure):
    assert not re.search(r"#[0-9a-f]{3}|rgb", draw_svg(figure, ""))


def test_the_style_sheet_has_every_colour():
    style = files("shoal.report").joinpath("templates/style.css").read_text()
    assert all(f".{name} {{ color:" in style for name in COLOURS.values())


@settings(max_examples=60)
@given(st.lists(st.tuples(LABELS, COUNTS), min_size=1, max_size=30))
def test_bars_are_as_long_as_their_numbers_and_tell_them(rows):
    tree = drawn(figures.marginal_figure("a", [text for text, _ in rows], [count for _, count in rows]))
    shown = figures.fold_rows(rows)
    longest = max(count for _, count in shown)
    widths = shares(tree, ".//rect", "width")
    assert len(widths) == len(shown)
    for width, (_, count) in zip(widths, shown, strict=True):
        if longest:
            assert width / max(widths) == pytest.approx(count / longest, abs=0.001)
        else:
            assert width == 0
    assert texts(tree, "value") == [figures.number(count) for _, count in shown]
    titles = ["".join(title.itertext()) for title in tree.iter("title")]
    for title, (text, count) in zip(titles, shown, strict=True):
        assert title == f"{figures.label(text)}, {figures.number(count)} records".strip()


@settings(max_examples=60)
@given(st.lists(LABELS, min_size=1, max_size=8))
def test_a_label_is_shown_as_it_is(labels):
    tree = drawn(figures.marginal_figure("a", labels, [1] * len(labels)))
    assert texts(tree, "end") == [figures.shorten_label(figures.label(text)) for text in labels]


def test_hostile_labels_are_text(attacks):
    for figure in (
        figures.marginal_figure(attacks[0], attacks, [1, 2, 3, 4]),
        figures.before_after(attacks[1], attacks, [1, 2, 3, 4], [1, 2, 3, 4]),
        figures.series_figure({text: [1.0, 2.0] for text in attacks}, [1, 2], attacks[2]),
        figures.front([{"k": 2, "loss": 0.1, "levels": dict.fromkeys(attacks, 1)}]),
        outline([Row(0, text, "published", text) for text in attacks]),
    ):
        tree = drawn(figure)
        assert {node.tag for node in tree.iter()} <= {
            *("div", "svg", "g", "rect", "text", "tspan", "title", "line", "circle", "path", "span")
        }
    assert draw_svg(figures.front([]), '"><script>').count("<script>") == 0


def test_the_line_of_a_front_steps_where_the_next_point_begins_to_serve():
    (path,) = drawn(figures.front([{"k": 1, "loss": 0.0}, {"k": 10, "loss": 1.0}])).xpath(".//svg/path/@d")
    (x1, y1), (x2, y2), (x3, y3) = [tuple(map(float, pair.split(","))) for pair in path[1:].split()]
    assert (x1, x2) == (x1, x1)
    assert (y2, y2) == (y2, y3)
    assert x3 > x1
    assert y2 < y1


def test_points_on_a_log_scale_stand_by_their_powers():
    points = [{"k": k, "loss": 0.5} for k in (1, 10, 100)]
    places = shares(drawn(figures.front(points)), ".//circle", "cx")
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.02)


def test_a_point_that_is_not_proven_is_hollow():
    hollow = drawn(figures.front(POINTS)).xpath(".//circle[contains(@class, 'of-paper')]/../title/text()")
    assert hollow == [
        "k = 50, loss 0.4, 2 records suppressed, not proven to be the least: 0.3 is not ruled out"
    ]


def test_a_line_breaks_where_no_release_was_made():
    rows = [
        {"maker": "boxes", "k": k, "ncp": loss} for k, loss in ((2, 0.1), (5, None), (10, 0.3), (20, 0.4))
    ]
    facts = {
        "swept": {"k": [2, 5, 10, 20]},
        "at": {"k": 2},
        "points": rows,
        "makers": ["boxes"],
        "loss": "ncp",
    }
    tree = drawn(compare_figure(facts))
    (path,) = tree.xpath(".//svg/path[@class='line blue']/@d")
    assert path.count("M") == 1
    assert len(tree.xpath(".//circle[@cx]")) == 3


def test_ticks_never_meet_at_any_width():
    """Of words that would touch, the later ones are hidden where a figure is narrow, middling or wide."""
    tree = drawn(figures.class_sizes_figure(dict.fromkeys(range(5, 24), 1), 5))
    ticks = [
        text for text in tree.iter("text") if "mid" in (text.get("class") or "").split() and text.get("x")
    ]
    for name, width in (("s", 190), ("m", 330), ("w", 620)):
        shown = [
            (float(text.get("x").removesuffix("%")) / 100 * width, text_width(text.text))
            for text in ticks
            if name not in text.get("class").split() and "said" not in text.get("class")
        ]
        ends = [(place - wide / 2, place + wide / 2) for place, wide in shown]
        assert all(one[1] < other[0] for one, other in pairwise(ends))
        assert len(shown) > 3


def test_long_values_have_room_at_the_right():
    few, many = (draw_svg(figures.marginal_figure("a", ["x"], [count]), "") for count in (1, 10**12))
    right_few, right_many = (
        float(re.search(r"padding:\d+px (\d+)px", text).group(1)) for text in (few, many)
    )
    assert right_many > right_few + 60


def test_a_drawing_that_is_taller_than_a_page_is_printed_smaller():
    tall = outline([Row(0, f"value {place}", "published") for place in range(60)])
    height, printed = re.search(r"height:(\d+)px;.*--printed:([0-9.]+)", draw_svg(tall, "")).groups()
    assert int(height) * float(printed) <= 861
    assert "--printed" not in draw_svg(outline([Row(0, "a", "published")]), "")


def test_bars_of_a_figure_of_several_say_whose_they_are():
    tree = drawn(figures.before_after("a", ["x"], [1], [2]))
    assert ["".join(title.itertext()) for title in tree.iter("title")] == ["x, 1 before", "x, 2 after"]
    assert ["".join(name.itertext()).strip() for name in tree.xpath("div/span")] == ["before", "after"]


def test_text_loses_only_what_was_meant_for_plotly():
    assert plain_text(figures.escape_label("<b>&amp; $x")) == "<b>&amp; $x"
    assert plain_text("one<br><span style='x'>two</span>") == "one\ntwo"
