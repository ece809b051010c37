"""The trade-off as it is drawn and read out."""

from shoal.report.audit_facts import Tradeoff
from shoal.report.pieces import tradeoff_figure, tradeoff_plot

POINTS = [
    {"table-ncp": 0.1, "ul": 0.9, "classes": 1_200, "merges": 0},
    {"table-ncp": 0.4, "ul": 0.5, "classes": 30, "merges": 1_170},
]


def test_every_point_is_drawn_and_the_released_one_ringed():
    drawn = tradeoff_figure(POINTS, (0.3, 0.55))
    line, ring = drawn.data
    assert (list(line.x), list(line.y)) == ([0.1, 0.4], [0.9, 0.5])
    assert "1,200 classes after 0 merges" in line.customdata[0][0]
    assert (ring.x[0], ring.y[0]) == (0.3, 0.55)
    assert len(tradeoff_figure(POINTS).data) == 1


def test_the_numbers_are_there_for_those_who_see_no_picture():
    shown = tradeoff_plot(Tradeoff(POINTS, 0.1, 0.9))
    assert shown.table.rows == [("0.1", "0.9", "1,200"), ("0.4", "0.5", "30")]
    assert "from 0.1 to 0.4" in shown.alt
    assert "from 0.9 to 0.5" in shown.alt


def test_nothing_traced_is_nothing_drawn():
    assert tradeoff_plot(None) is None
    assert tradeoff_plot(Tradeoff([], 0.1, 0.9)) is None
