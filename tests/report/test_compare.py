"""The page of a comparison."""

import re

from shoal.report.compare import columns_table, compare_figure, compare_html
from shoal.report.figures import to_plotly_figure


def row(maker, k, m=2, ncp=0.1, status="made", message=""):
    found = {"maker": maker, "k": k, "m": m, "status": status, "message": message, "judged": status == "made"}
    if status != "made":
        return found
    return {
        **found,
        "ncp": ncp,
        "cpu_seconds": 0.5,
        "risk_average": 0.1,
        "risk_highest": 0.5,
        "below_k": 0.0,
        "classes": 9,
        "columns": {"items": ncp, "id": None},
        "are-items": 20.0,
        "are": 0.5,
    }


def facts(points, swept, **more):
    return {
        "shoal": "1",
        "shape": "baskets",
        "records": 100,
        "sample": None,
        "makers": ["apriori", "pcta"],
        "swept": swept,
        "numbers": ["k", "m"],
        "at": {name: numbers[0] for name, numbers in swept.items()},
        "loss": "ncp",
        "recommendation": {"maker": "pcta", "sentence": "use pcta"},
        "left_out": {},
        "notes": [],
        "floor": {"ncp": None, "sentence": "no floor is known", "times": {}},
        "points": points,
        **more,
    }


SWEPT = facts(
    [
        row("apriori", 2, ncp=0.3),
        row("pcta", 2),
        row("apriori", 5, ncp=0.5),
        row("pcta", 5, status="not possible", message="pcta: <b>no</b>"),
    ],
    {"k": [2, 5]},
)


def test_the_page_is_private_and_needs_no_network():
    page = compare_html(SWEPT)
    assert "Private: do not publish" in page
    assert "default-src 'none'" in page
    assert "Use pcta at k = 2" in page
    assert not re.search(r"<(script|img|iframe)[^>]* src=|<link", page.partition("<script>")[0])


def test_holes_stand_in_a_table_and_break_the_line():
    page = compare_html(SWEPT)
    assert "<td>&lt;b&gt;no&lt;/b&gt;</td>" in page
    assert "<b>no</b>" not in page
    figure = to_plotly_figure(compare_figure(SWEPT))
    assert [list(trace.y) for trace in figure.data] == [[0.3, 0.5], [0.1, None]]


def test_a_figure_per_swept_number_holds_the_others():
    both = facts(
        [row(maker, k, m) for k in (2, 5) for m in (1, 2) for maker in ("apriori", "pcta")],
        {"k": [2, 5], "m": [1, 2]},
    )
    assert [list(trace.x) for trace in to_plotly_figure(compare_figure(both, over="m")).data] == [
        [1, 2],
        [1, 2],
    ]
    page = compare_html(both)
    assert 'id="ncp-k"' in page
    assert 'id="ncp-m"' in page


def test_one_point_is_bars():
    one = facts([row("apriori", 5, ncp=0.3), row("pcta", 5, status="crashed", message="no")], {})
    figure = to_plotly_figure(compare_figure(one))
    assert figure.data[0].type == "bar"
    assert list(figure.data[0].x) == [0.3]
    assert "Use pcta" in compare_html(one)


def test_a_comparison_without_a_release_has_a_page():
    none = facts(
        [row("apriori", 5, status="crashed", message="no")],
        {"k": [5]},
        loss=None,
        recommendation={"maker": None, "sentence": "no method made a release"},
    )
    assert "No method made a release at k = 5" in compare_html(none)


def test_a_figure_that_nobody_knows_is_drawn():
    more = facts([{**row("apriori", 2), "fairness": 0.7}, row("pcta", 2)], {"k": [2]})
    assert "Further figures" in compare_html(more)
    assert 'id="fairness-methods"' in compare_html(more)
    assert "Further figures" not in compare_html(SWEPT)


def test_a_time_axis_has_ticks_however_near_the_times_are():
    near = facts(
        [{**row(maker, k), "cpu_seconds": 0.3 + k / 100} for k in (2, 5) for maker in ("apriori", "pcta")],
        {"k": [2, 5]},
    )
    axis = to_plotly_figure(compare_figure(near, "cpu_seconds")).layout.yaxis
    assert list(axis.ticktext) == ["0.2", "0.5"]
    assert axis.range[0] < -0.69 < -0.31 < axis.range[1]


def test_scores_of_models_stand_beside_those_of_the_originals():
    scores = {"logistic_accuracy": 0.8, "logistic_accuracy_originals": 0.9, "majority_accuracy": 0.7}
    learned = facts(
        [{**row(maker, k), **scores} for k in (2, 5) for maker in ("apriori", "pcta")], {"k": [2, 5]}
    )
    lines = to_plotly_figure(compare_figure(learned, "logistic_accuracy")).data
    assert [line.name for line in lines] == ["apriori", "pcta", "on the originals", "the majority"]
    assert [list(line.y) for line in lines[1:]] == [[0.8, 0.8], [0.9, 0.9], [0.7, 0.7]]
    page = compare_html(learned)
    assert "What models learn" in page
    assert "Further figures" not in page


def test_what_is_left_of_every_column_stands_beside_each_method():
    rows = [row("apriori", 2, ncp=1.0), row("pcta", 2, ncp=0.25) | {"columns": {"items": 0.0, "id": None}}]
    left = columns_table(facts(rows, {"k": [2]}))
    assert left.head == ("column", "apriori", "pcta")
    assert left.rows == [
        ("items", "nothing left", "kept"),
        ("id", "left out", "left out"),
        ("(counts of items)", "off 2000%", "off 2000%"),
        ("(counts of pairs)", "off 50%", "off 50%"),
    ]
    assert "off 2000%" in compare_html(facts(rows, {"k": [2]}))
