import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.report import figures
from shoal.report.figures import to_plotly_figure

SIZES = st.dictionaries(st.integers(1, 10**7), st.integers(1, 50), max_size=30)


@settings(max_examples=100)
@given(SIZES, st.integers(1, 5000))
def test_bins_hold_every_class_once(sizes, k):
    bins = figures.size_bins(sizes, k)
    assert sum(classes for *_, classes, _ in bins) == sum(sizes.values())
    assert sum(records for *_, records in bins) == sum(size * count for size, count in sizes.items())
    assert [lo for lo, *_ in bins[1:]] == [hi + 1 for _, hi, *_ in bins[:-1]]
    assert bins[0][0] == 1
    assert k in {lo for lo, *_ in bins}
    assert len(bins) <= 24


@settings(max_examples=50)
@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 99), st.integers(0, 99)), max_size=60))
def test_folding_keeps_the_sums_and_the_order(rows):
    kept = figures.fold_rows(rows)
    assert len(kept) <= 21
    for place in (1, 2):
        assert sum(row[place] for row in kept) == sum(row[place] for row in rows)
    heavy = kept if len(kept) == len(rows) else kept[:-1]
    order = iter(rows)
    assert all(row in order for row in heavy)


POINTS = [{"k": 2, "loss": 0.1, "levels": {"zip": 1}}, {"k": 5, "loss": 0.4, "bound": 0.3, "suppressed": 2}]
BELOW = {"below": {"2": 0.5, "5": 0.75, "10": 1, "20": 1}}


@pytest.mark.parametrize(
    "figure",
    [
        figures.class_sizes_figure({1: 2, 5: 3, 400: 1}, 5),
        figures.class_sizes_figure({}, 1),
        figures.column_losses_figure({"zip": 0.3, "age": 1.0}),
        figures.marginal_figure("zip", [str(place) for place in range(30)], list(range(30))),
        figures.before_after("zip", ["a", None], [1, 2], [2, 1.5]),
        figures.series_figure({"one": [1, 2], "two": [2, 3]}, [1, 2.5], "size"),
        figures.series_figure({"one": [1, 2]}, ["a", "b"], "size"),
        figures.chances({"one": [0.5], "two": [1.0]}, ["a" * 40], "share", "Who"),
        figures.class_shares_figure(BELOW, BELOW),
        figures.front(POINTS, picked=3),
        figures.front([]),
    ],
    ids=lambda figure: str(figure["layout"]["title"]["text"]),
)
def test_a_figure_is_what_plotly_makes_of_it(figure):
    """The package checks every key and value, and adds nothing: plain data draw the same."""
    assert json.loads(to_plotly_figure(figure).to_json(engine="json")) == figure


def test_sizes_below_k_stand_out():
    bars = to_plotly_figure(figures.class_sizes_figure({1: 2, 5: 3}, 5)).data[0]
    assert list(bars.y) == [2, 3]
    assert list(bars.marker.color) == [figures.ORANGE, figures.BLUE]


def test_k_is_marked_where_it_says_something():
    assert [
        note.text for note in to_plotly_figure(figures.class_sizes_figure({5: 1}, 5)).layout.annotations
    ] == ["k = 5"]
    assert not to_plotly_figure(figures.class_sizes_figure({5: 1}, 1)).layout.annotations


def test_risk_bands_are_shares_of_all():
    after = {"below": {"2": 0, "5": 0.1, "10": 0.1, "20": 0.4}}
    assert figures.risk_bands(after) == pytest.approx([0, 0.1, 0, 0.3, 0.6])
    before, then = to_plotly_figure(
        figures.class_shares_figure({"below": {"2": 1, "5": 1, "10": 1, "20": 1}}, after)
    ).data
    assert list(before.y) == [1, 0, 0, 0, 0]
    assert sum(then.y) == pytest.approx(1)


def test_front_steps_down_from_the_point_that_serves():
    points = [
        {"k": 9, "loss": 0.5, "bound": 0.4},
        {"k": 3, "loss": 0.2},
        {"k": 20, "loss": 0.7, "proven": False},
    ]
    line, mark = to_plotly_figure(figures.front(points, picked=4)).data
    assert list(line.x) == [3, 9, 20]
    assert line.line.shape == "vh"
    assert list(line.marker.color) == [figures.BLUE, "white", "white"]
    assert (mark.x, mark.y) == ((9,), (0.5,))
    assert len(to_plotly_figure(figures.front(points, picked=21)).data) == 1
    assert len(to_plotly_figure(figures.front(points)).data) == 1


def test_thousand_labels_become_twenty_and_the_others():
    bars = to_plotly_figure(
        figures.marginal_figure("zip", [str(place) for place in range(1000)], list(range(1000)))
    ).data[0]
    assert len(bars.y) == 21
    assert bars.customdata[-1][0] == "980 others"
    assert sum(bars.x) == sum(range(1000))
    assert bars.marker.color[-1] == figures.GREY


def test_labels_that_look_like_numbers_or_repeat_stay_apart():
    long = "x" * 40
    figure = to_plotly_figure(
        figures.marginal_figure("age", ["10", "10.0", f"{long}1", f"{long}2"], [1, 2, 3, 4])
    )
    assert list(figure.data[0].y) == [0, 1, 2, 3]
    assert figure.layout.yaxis.ticktext[:2] == ("10", "10.0")
    assert figure.data[0].customdata[3][0].endswith("2")


@pytest.mark.parametrize(
    "draw",
    [
        lambda labels: figures.marginal_figure(labels[0], labels, [1, 2, 3, 4]),
        lambda labels: figures.before_after(labels[1], labels, [1, 2, 3, 4], [1, 2, 3, 4]),
        lambda labels: figures.column_losses_figure(dict.fromkeys(labels, 0.1)),
        lambda labels: figures.front([{"k": 2, "loss": 0.1, "levels": dict.fromkeys(labels, 1)}]),
    ],
    ids=["marginal", "before_after", "loss_by_column", "front"],
)
def test_no_tag_of_a_label_reaches_plotly(draw, attacks):
    figure = draw(attacks)
    text = json.dumps(figure)
    assert "&lt;b&gt;bold" in text
    for tag in ("<b>", "<a ", "<script", "</script", "<!--"):
        assert tag not in text
    assert "%{x}" not in str(figure["data"][0]["hovertemplate"])
