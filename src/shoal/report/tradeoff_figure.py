"""The trade-off of a table with baskets: what its cells lose against what its items lose."""

from collections.abc import Mapping, Sequence
from typing import Any

from plotly import graph_objects as go

from shoal.report.facts import Tradeoff
from shoal.report.figures import BLUE, ORANGE, blank
from shoal.report.parts import Plot, Table
from shoal.report.words import number

__all__ = ["figure", "open_plot", "plot"]


def figure(points: Sequence[Mapping[str, Any]], released: tuple[float, float] | None = None) -> go.Figure:
    """Draw releases by what their table loses and what their items lose; ring the one that was `released`."""
    line = go.Scatter(
        x=[point["table-ncp"] for point in points],
        y=[point["ul"] for point in points],
        mode="lines+markers",
        line={"color": BLUE, "width": 2},
        marker={"size": 9, "color": BLUE},
        customdata=[[_hover(point)] for point in points],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )
    drawn = blank(line, "What the table and what the items lose", height=420)
    drawn.update_xaxes(title_text="loss of the table (ncp)", rangemode="tozero")
    drawn.update_yaxes(title_text="loss of the items (ul)", rangemode="tozero")
    if released is not None:
        drawn.add_scatter(
            x=[released[0]], y=[released[1]], mode="markers+text", hoverinfo="skip", cliponaxis=False,
            text=[" released"], textposition="top right", textfont={"color": ORANGE, "size": 13},
            marker={"size": 17, "symbol": "circle-open", "color": ORANGE, "line": {"width": 3}},
        )  # fmt: skip
    return drawn


def plot(found: Tradeoff | None) -> Plot | None:
    """The trade-off on the audit; None where it was not traced."""
    return None if found is None else open_plot(found.points, (found.ncp, found.ul))


def open_plot(
    points: Sequence[Mapping[str, Any]], released: tuple[float, float] | None = None
) -> Plot | None:
    """The trade-off of these points; None without any."""
    if not points:
        return None
    rows = [(number(p["table-ncp"]), number(p["ul"]), number(p["classes"])) for p in points]
    first, last = rows[0], rows[-1]
    alt = (
        f"Line of {len(rows)} releases: as the table's loss grows from {first[0]} to {last[0]}, that of the items "
        f"falls from {first[1]} to {last[1]}."
    )
    table = Table(
        "The trade-off", ("Loss of the table (ncp)", "Loss of the items (ul)", "Classes"), rows, (0, 1, 2)
    )
    return Plot.of("tradeoff-figure", figure(points, released), alt, table)


def _hover(point: Mapping[str, Any]) -> str:
    return (
        f"table {number(point['table-ncp'])}, items {number(point['ul'])}<br>{number(point['classes'])} classes "
        f"after {number(point['merges'])} merges"
    )
