"""Figures of a comparison: a line per maker over a number that was swept, or a bar per maker at one point."""

from collections.abc import Mapping, Sequence
from typing import Any

from plotly import graph_objects as go

from shoal.report.figures import blank, chart, log_ticks, safe
from shoal.report.words import number

__all__ = ["Line", "across", "lines_of", "makers_over"]

# Okabe and Ito's colours; dashes and marks tell the lines apart without colour.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#8a6d00", "#1f2d3a", "#7f8c97")
_MARKS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross", "pentagon")
_DASHES = ("solid", "dash", "dot", "dashdot")

Row = Mapping[str, Any]
Line = Sequence[tuple[float, float | None]]
"""Points of one maker; None is a hole."""


def across(facts: Mapping[str, Any]) -> list[str]:
    """The numbers that take several values, in the order they were asked for."""
    return [name for name, numbers in facts["swept"].items() if len(numbers) > 1]


def lines_of(facts: Mapping[str, Any], measure: str, over: str) -> dict[str, Line]:
    """A measure of each maker over a swept number; other numbers are those of the point that counts."""
    at = {name: value for name, value in facts["at"].items() if name != over}
    rows = [row for row in facts["points"] if all(row[name] == value for name, value in at.items())]
    return {
        maker: [(row[over], row.get(measure)) for row in rows if row["maker"] == maker]
        for maker in facts["makers"]
    }


def makers_over(
    lines: Mapping[str, Line], over: str, title: str, *, share: bool = False, logarithmic: bool = False
) -> go.Figure:
    """Draw a line per maker, broken where a point is a hole."""
    traces = [
        go.Scatter(
            name=safe(maker),
            x=[x for x, _ in line],
            y=[y for _, y in line],
            mode="lines+markers",
            line={"color": _COLOURS[i % len(_COLOURS)], "width": 2, "dash": _DASHES[i % len(_DASHES)]},
            marker={"size": 8, "symbol": _MARKS[i % len(_MARKS)]},
            hovertemplate=f"{over} = %{{x}}<br>%{{customdata}}<extra>%{{fullData.name}}</extra>",
            customdata=[number(y) for _, y in line],
        )
        for i, (maker, line) in enumerate(lines.items())
    ]
    figure = blank(traces, "", height=400)
    figure.update_layout(showlegend=len(lines) > 1)
    xs = sorted({x for line in lines.values() for x, _ in line})
    figure.update_xaxes(title_text=over, **_x_axis(xs))
    figure.update_yaxes(title_text=title, **_y_axis(share, logarithmic))
    return figure


def makers_at(values: Mapping[str, float], title: str) -> go.Figure:
    """Draw a bar per maker."""
    return chart({title: list(values.values())}, list(values), title)


def _x_axis(xs: Sequence[float]) -> dict[str, Any]:
    """A log scale where the numbers span more than a tenfold; else one as it is."""
    if xs and xs[0] >= 1 and xs[-1] >= 10 * xs[0]:
        return {"type": "log", **log_ticks([int(x) for x in xs])}
    return {"tickvals": list(xs)} if len(xs) <= 12 else {}


def _y_axis(share: bool, logarithmic: bool) -> dict[str, Any]:
    if logarithmic:
        return {"type": "log", "dtick": 1}
    return {"rangemode": "tozero", **({"tickformat": ".0%"} if share else {})}
