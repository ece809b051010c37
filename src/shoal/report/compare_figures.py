"""Figures of a comparison: a line per maker over a number that was swept, or a bar per maker at one point."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from plotly import graph_objects as go

from shoal.report.figures import blank, chart, log_ticks, safe
from shoal.report.words import number

__all__ = ["Line", "across", "lines_of", "makers_at", "makers_over"]

# Okabe and Ito's colours; dashes and marks tell the lines apart without colour.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#8a6d00", "#1f2d3a", "#7f8c97")
_MARKS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross", "pentagon")
_DASHES = ("solid", "dash", "dot", "dashdot")
_MARGIN = 0.05  # of a tenfold, above and below a log scale
_TICKS = 12  # numbers that stand side by side below a figure

Line = Sequence[tuple[float, float | None]]
"""Points of one maker; None is a hole."""


def across(facts: Mapping[str, Any]) -> list[str]:
    """The numbers that take several values, those of most values first."""
    swept = {name: len(numbers) for name, numbers in facts["swept"].items() if len(numbers) > 1}
    return sorted(swept, key=lambda name: -swept[name])


def lines_of(facts: Mapping[str, Any], measure: str, over: str) -> dict[str, Line]:
    """A measure of each maker over a swept number; other numbers are those of the point that counts."""
    at = {name: value for name, value in facts["at"].items() if name != over}
    rows = [row for row in facts["points"] if all(row[name] == value for name, value in at.items())]
    return {
        maker: [(row[over], row.get(measure)) for row in rows if row["maker"] == maker]
        for maker in facts["makers"]
    }


def makers_over(
    lines: Mapping[str, Line],
    over: str,
    title: str,
    *,
    share: bool = False,
    logarithmic: bool = False,
    zero: bool = True,
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
    ys = [y for line in lines.values() for _, y in line if y is not None]
    figure.update_xaxes(title_text=over, **_x_axis(xs))
    figure.update_yaxes(title_text=title, **_y_axis(ys, share, logarithmic, zero))
    return figure


def makers_at(values: Mapping[str, float], title: str) -> go.Figure:
    """Draw a bar per maker."""
    return chart({title: list(values.values())}, list(values), title)


def _x_axis(xs: Sequence[float]) -> dict[str, Any]:
    """A log scale where the numbers span a tenfold or more; each number has its tick where they are few."""
    few = {"tickvals": list(xs), "ticktext": [number(x) for x in xs]} if len(xs) <= _TICKS else {}
    if xs and xs[0] >= 1 and xs[-1] >= 10 * xs[0]:
        return {"type": "log", **(few or log_ticks([int(x) for x in xs]))}
    return few


def _y_axis(ys: Sequence[float], share: bool, logarithmic: bool, zero: bool) -> dict[str, Any]:
    if logarithmic and ys and min(ys) > 0:
        powers = range(floor(log10(min(ys))), ceil(log10(max(ys))) + 1)
        steps = [step * 10.0**power for power in powers for step in (1, 2, 5)]
        low, high = max(step for step in steps if step <= min(ys)), min(s for s in steps if s >= max(ys))
        ticks = [step for step in steps if low <= step <= high]
        ends = [log10(low) - _MARGIN, log10(high) + _MARGIN]
        return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks], "range": ends}
    return {"rangemode": "tozero" if zero else "normal", **({"tickformat": ".0%"} if share else {})}
