"""Every figure, drawn once for the report, the notebook and the web page.

Labels are data and may be hostile. plotly reads some html in any text it draws, so every label is escaped, is
placed by number and never stands in a template; axes show a cut label, hover the whole one.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from plotly import graph_objects as go

from shoal.report.words import label, number, percent, short

__all__ = [
    "BANDS",
    "before_after",
    "blank",
    "chart",
    "class_sizes",
    "fold",
    "front",
    "log_ticks",
    "loss_by_column",
    "marginal",
    "proven",
    "risk",
    "risk_bands",
    "safe",
    "size_bins",
    "span",
]

# Okabe and Ito's blue and vermilion, and a grey that stays apart from both in black and white.
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#aab4bd"
INK, MUTED, LINE = "#1f2d3a", "#5a6875", "#e2e7eb"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
BANDS = ((1, 2), (2, 5), (5, 10), (10, 20), (20, None))

_AXIS = {
    "gridcolor": LINE,
    "linecolor": LINE,
    "zeroline": False,
    "automargin": True,
    "fixedrange": True,
    "title": {"font": {"size": 13, "color": MUTED}, "standoff": 12},
    "tickfont": {"size": 12, "color": INK},
    "ticklabelstandoff": 5,
}
_TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": FONT, "size": 13, "color": INK},
        "title": {"x": 0, "xref": "paper", "xanchor": "left", "font": {"size": 16}},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "margin": {"l": 8, "r": 24, "t": 48, "b": 8},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "bargap": 0.28,
        "dragmode": False,
        "showlegend": False,
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        "hoverlabel": {"bgcolor": "white", "bordercolor": MUTED, "font": {"color": INK}, "align": "left"},
        "separators": ".,",
    }
)


def class_sizes(sizes: Mapping[int, int], k: int) -> go.Figure:
    """Draw how many classes there are of each size; what stands left of the mark breaks the claim."""
    bins = size_bins(sizes, k)
    records = sum(size * count for size, count in sizes.items())
    bars = go.Bar(
        x=list(range(len(bins))),
        y=[classes for _, _, classes, _ in bins],
        marker_color=[BLUE if lo >= k else ORANGE for lo, *_ in bins],
        customdata=[
            [span(lo, hi), number(classes), number(inside), percent(inside / records if records else 0)]
            for lo, hi, classes, inside in bins
        ],
        hovertemplate="size %{customdata[0]}<br>%{customdata[1]} classes<br>"
        "%{customdata[2]} records (%{customdata[3]})<extra></extra>",
    )
    figure = blank(bars, "Class sizes", height=340)
    ticks = {"tickvals": list(range(len(bins))), "ticktext": [span(lo, hi) for lo, hi, *_ in bins]}
    figure.update_xaxes(title_text="records in the class", showgrid=False, **ticks)
    few = max((classes for _, _, classes, _ in bins), default=0) < 6
    steps = {"dtick": 1} if few else {"nticks": 6}  # or a tick would stand for half a class
    figure.update_yaxes(title_text="classes", tickformat=",d", rangemode="tozero", **steps)
    if k > 1:  # the first bin is what lies below k
        figure.add_vline(x=0.5, line={"color": ORANGE, "width": 2, "dash": "dash"})
        figure.add_annotation(
            x=0.5, y=1, yref="paper", yanchor="bottom", showarrow=False, text=f"k = {number(k)}",
            font={"color": ORANGE, "size": 13},
        )  # fmt: skip
    return figure


def loss_by_column(losses: Mapping[str, float]) -> go.Figure:
    """Draw each column's loss, the heaviest on top."""
    rows = sorted(losses.items(), key=lambda row: -row[1])
    figure = _bars([name for name, _ in rows], [("loss", [loss for _, loss in rows], BLUE)], number)
    figure.update_layout(title_text="Loss of each column")
    figure.update_xaxes(
        title_text="loss (0 = nothing lost)",
        showgrid=True,
        showticklabels=True,
        tickvals=[0, 0.5, 1],
        range=[0, 1.12 * max([1.0, *losses.values()])],
    )
    return figure


def marginal(name: str, labels: Sequence[str | None], counts: Sequence[float]) -> go.Figure:
    """Draw how often each label of a column occurs: the twenty most frequent, in the order given."""
    rows = fold(list(zip(labels, counts, strict=True)))
    figure = _bars([row[0] for row in rows], [("records", [row[1] for row in rows], BLUE)], number)
    if len(rows) < len(labels):
        figure.update_traces(marker_color=[BLUE] * (len(rows) - 1) + [GREY])
    figure.update_layout(title_text=safe(name))
    figure.update_xaxes(title_text="records")
    return figure


def before_after(
    name: str, labels: Sequence[str | None], before: Sequence[float], after: Sequence[float]
) -> go.Figure:
    """Draw how often each label of a column occurs in the originals and in the release."""
    rows = fold(list(zip(labels, before, after, strict=True)))
    series = [("before", [row[1] for row in rows], GREY), ("after", [row[2] for row in rows], BLUE)]
    figure = _bars([row[0] for row in rows], series, number)
    figure.update_layout(title_text=safe(name))
    figure.update_xaxes(title_text="records")
    return figure


def chart(
    series: Mapping[str, Sequence[float]],
    x: Sequence[str | float],
    x_title: str,
    write: Callable[[float], str] = number,
) -> go.Figure:
    """Draw series of numbers: as lines over numbers, as lying bars over words with each number written beside it."""
    colours = [BLUE, ORANGE, GREY, INK, MUTED]
    if all(isinstance(place, int | float) for place in x) and len(x) > 1:
        lines = [
            go.Scatter(name=safe(name), x=list(x), y=list(numbers), mode="lines+markers",
                       line={"color": colours[i % len(colours)]})
            for i, (name, numbers) in enumerate(series.items())
        ]  # fmt: skip
        figure = blank(lines, "", height=340)
        figure.update_layout(showlegend=len(series) > 1)
        figure.update_yaxes(rangemode="tozero")
    else:
        rows = [
            (safe(name), list(numbers), colours[i % len(colours)])
            for i, (name, numbers) in enumerate(series.items())
        ]
        figure = _bars([str(place) for place in x], rows, write)
    figure.update_xaxes(title_text=safe(x_title))
    return figure


def risk(before: Mapping[str, Any], after: Mapping[str, Any]) -> go.Figure:
    """Draw the share of records by the size of the class they hide in, in the originals and the release."""
    bars = [
        go.Bar(
            name=name,
            x=list(range(len(BANDS))),
            y=shares,
            marker_color=colour,
            text=[percent(share) for share in shares],
            textfont={"size": 11},
            textposition="outside",
            cliponaxis=False,
            constraintext="none",
            textangle=0,
            hovertemplate="%{text} of the records<extra>%{fullData.name}</extra>",
        )
        for name, shares, colour in (
            ("before", risk_bands(before), GREY),
            ("after", risk_bands(after), BLUE),
        )
    ]
    figure = blank(bars, "How large the classes of the records are", height=360)
    ticks = {"tickvals": list(range(len(BANDS))), "ticktext": [span(lo, _last(hi)) for lo, hi in BANDS]}
    figure.update_layout(showlegend=True, bargap=0.16, bargroupgap=0.04)
    figure.update_xaxes(title_text="records that look the same", showgrid=False, **ticks)
    figure.update_yaxes(title_text="share of records", tickformat=".0%", range=[0, 1.08])
    return figure


def front(points: Sequence[Mapping[str, Any]], picked: int | None = None) -> go.Figure:
    """Draw the least loss for every k, and the point that serves `picked`.

    The line is the answer to "what does at least this k cost": it steps, because the cheapest point with
    k' >= k serves every k down to the next point. Points a search could not prove are hollow.
    """
    rows = sorted(points, key=lambda point: (point["k"], point["loss"]))
    sure = [proven(point) for point in rows]
    line = go.Scatter(
        x=[point["k"] for point in rows],
        y=[point["loss"] for point in rows],
        mode="lines+markers",
        line={"shape": "vh", "color": BLUE, "width": 2},
        marker={"size": 9, "color": [BLUE if yes else "white" for yes in sure],
                "line": {"color": BLUE, "width": 2}},
        customdata=[[_hover(point)] for point in rows],
        hovertemplate="%{customdata[0]}<extra></extra>",
    )  # fmt: skip
    figure = blank(line, "The least loss for every k", height=420)
    figure.update_xaxes(title_text="k (log scale)", type="log", **log_ticks([p["k"] for p in rows]))
    figure.update_yaxes(title_text="loss", rangemode="tozero")
    _mark(figure, rows, picked)
    return figure


def proven(point: Mapping[str, Any]) -> bool:
    """Whether a front point is known to be the least: the search's lower bound has met its loss.

    >>> proven({"k": 5, "loss": 0.3}), proven({"k": 5, "loss": 0.3, "bound": 0.2})
    (True, False)
    """
    loss = float(point["loss"])
    return bool(point.get("proven", float(point.get("bound", loss)) >= loss * (1 - 1e-9)))


def fold(rows: Sequence[tuple[Any, ...]], most: int = 20) -> list[tuple[Any, ...]]:
    """Keep the `most` rows with the largest numbers, in the order given, and sum the others into one row.

    >>> fold([("a", 5), ("b", 1), ("c", 2), ("d", 1)], most=2)
    [('a', 5), ('c', 2), ('2 others', 2)]
    """
    if len(rows) <= most + 1:
        return list(rows)
    heavy = set(sorted(range(len(rows)), key=lambda place: (-max(rows[place][1:]), place))[:most])
    rest = [row for place, row in enumerate(rows) if place not in heavy]
    sums = (sum(column) for column in zip(*(row[1:] for row in rest), strict=True))
    return [row for place, row in enumerate(rows) if place in heavy] + [
        (f"{number(len(rest))} others", *sums)
    ]


def size_bins(sizes: Mapping[int, int], k: int) -> list[tuple[int, int, int, int]]:
    """Group class sizes as (from, to, classes, records): one size a bin while few, else 1-2-5 steps.

    One bin always stands for the sizes below k, so that its emptiness can be seen.

    >>> size_bins({5: 2, 7: 1}, 5)
    [(1, 4, 0, 0), (5, 5, 2, 10), (6, 6, 0, 0), (7, 7, 1, 7)]
    """
    top = max([k, *sizes])
    grid = (
        range(k, top + 1) if top - k < 20 else (step * 10**power for power in range(13) for step in (1, 2, 5))
    )
    starts = sorted({1, k} | {start for start in grid if k < start <= top})
    bins = []
    for lo, after in pairwise([*starts, max(top, starts[-1]) + 1]):
        inside = [(size, count) for size, count in sizes.items() if lo <= size < after]
        bins.append((lo, after - 1, sum(c for _, c in inside), sum(s * c for s, c in inside)))
    return bins


def risk_bands(facts: Mapping[str, Any]) -> list[float]:
    """Return the share of records in each of `BANDS`, from the shares below each size.

    >>> risk_bands({"below": {"2": 0.5, "5": 0.75, "10": 1, "20": 1}})
    [0.5, 0.25, 0.25, 0.0, 0.0]
    """
    below = {int(size): float(share) for size, share in facts.get("below", {}).items()}
    ends = [0.0, *(below.get(hi, 0.0) if hi is not None else 1.0 for _, hi in BANDS)]
    return [max(0.0, b - a) for a, b in pairwise(ends)] if below else [0.0] * len(BANDS)


def span(lo: int, hi: int | None) -> str:
    """Write the sizes from `lo` to `hi`, or from `lo` on."""
    if hi is None:
        return f"{number(lo)}+"
    return number(lo) if lo == hi else f"{number(lo)}–{number(hi)}"


def blank(traces: Any, title: str, height: int) -> go.Figure:
    """A figure in the house's style."""
    return go.Figure(traces, layout={"template": _TEMPLATE, "title": {"text": title}, "height": height})


def _bars(
    labels: Sequence[str | None], series: Sequence[tuple[str, Sequence[float], str]], write: Any
) -> go.Figure:
    """Draw lying bars, one row per label from the top, with its number beside each bar."""
    shown = [label(text) for text in labels]
    rows = list(range(len(shown)))
    bars = [
        go.Bar(
            name=name,
            orientation="h",
            y=rows,
            x=list(numbers),
            marker_color=colour,
            text=[write(item) for item in numbers],
            textposition="outside",
            textfont={"size": 12, "color": MUTED},
            cliponaxis=False,
            constraintext="none",
            textangle=0,
            customdata=[[safe(text)] for text in shown],
            hovertemplate="%{customdata[0]}<br>%{text} %{fullData.name}<extra></extra>",
        )
        for name, numbers, colour in series
    ]
    height = 84 + (14 + 12 * len(series)) * max(1, len(rows))
    figure = blank(bars, "", height=height)
    figure.update_layout(showlegend=len(series) > 1, bargroupgap=0.06, margin={"r": 56})
    figure.update_xaxes(rangemode="tozero", showticklabels=False, showgrid=False)
    figure.update_yaxes(
        tickvals=rows, ticktext=[safe(short(text)) for text in shown], range=[len(rows) - 0.45, -0.55],
        showgrid=False,
    )  # fmt: skip
    return figure


def _mark(figure: go.Figure, rows: Sequence[Mapping[str, Any]], picked: int | None) -> None:
    """Ring the cheapest point with k' >= picked."""
    serving = [point for point in rows if picked is not None and point["k"] >= picked]
    if not serving:
        return
    point = min(serving, key=lambda point: (point["loss"], point["k"]))
    figure.add_scatter(
        x=[point["k"]], y=[point["loss"]], mode="markers+text", hoverinfo="skip", cliponaxis=False,
        text=[" released"], textposition="bottom right", textfont={"color": ORANGE, "size": 13},
        marker={"size": 17, "symbol": "circle-open", "color": ORANGE, "line": {"width": 3}},
    )  # fmt: skip


def _hover(point: Mapping[str, Any]) -> str:
    levels = [f"{safe(name)}: level {number(level)}" for name, level in point.get("levels", {}).items()]
    facts = [f"k = {number(point['k'])}", f"loss {number(point['loss'])}"]
    if "suppressed" in point:
        facts.append(f"{number(point['suppressed'])} records suppressed")
    if not proven(point):
        least = f": {number(point['bound'])} is not ruled out" if "bound" in point else ""
        facts.append(f"not proven to be the least{least}")
    return "<br>".join([*facts, *levels])


def log_ticks(values: Sequence[int]) -> dict[str, Any]:
    """Whole ticks 1, 2, 5, 10, ... over the values: plotly's own log ticks repeat digits."""
    top = max(values, default=1)
    steps = (1, 2, 5) if top < 1000 else (1,)
    ticks = [step * 10**power for power in range(13) for step in steps if step * 10**power <= 10 * top]
    return {"tickvals": ticks, "ticktext": [number(tick) for tick in ticks]}


def _last(end: int | None) -> int | None:
    return None if end is None else end - 1


def safe(text: str | None) -> str:
    """Escape a label: plotly shows entities as the signs they stand for, and would read $...$ as a formula."""
    return html.escape(label(text), quote=False).replace("$", "&#36;")
