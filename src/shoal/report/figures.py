"""Every figure, drawn once for the report, the notebook and the web page.

A figure is plain data, `data` and `layout` as plotly.js takes them; the package plotly is only needed where somebody
wants its own object (`to_plotly_figure`), for it takes longer to load and to check a figure than a page takes to write.

Labels are data and may be hostile. plotly reads some html in any text it draws, so every label is escaped, is
placed by number and never stands in a template; axes show a cut label, hover the whole one.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from shoal.report.words import label, number, percent, shorten_label

__all__ = [
    "BANDS",
    "Figure",
    "axis",
    "before_after",
    "chances",
    "class_shares_figure",
    "class_sizes_figure",
    "column_losses_figure",
    "empty_figure",
    "escape_label",
    "fold_rows",
    "front",
    "is_proven",
    "log_ticks",
    "marginal_figure",
    "ring_trace",
    "risk_bands",
    "series_figure",
    "size_bins",
    "span",
    "to_plotly_figure",
]

Figure = dict[str, Any]
"""A figure as plain data."""

# Okabe and Ito's blue and vermilion, and a grey that stays apart from both in black and white.
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#aab4bd"
INK, MUTED, LINE = "#1f2d3a", "#5a6875", "#e2e7eb"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
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
_TEMPLATE = {
    "layout": {
        "font": {"family": _FONT, "size": 13, "color": INK},
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
}


def class_sizes_figure(sizes: Mapping[int, int], k: int) -> Figure:
    """Draw how many classes there are of each size; what stands left of the mark breaks the claim."""
    bins = size_bins(sizes, k)
    records = sum(size * count for size, count in sizes.items())
    spans = [span(lo, hi) for lo, hi, *_ in bins]
    bars = {
        "type": "bar",
        "x": list(range(len(bins))),
        "y": [classes for _, _, classes, _ in bins],
        "marker": {"color": [BLUE if lo >= k else ORANGE for lo, *_ in bins]},
        "customdata": [
            [size, number(classes), number(record_count), percent(record_count / records if records else 0)]
            for size, (_, _, classes, record_count) in zip(spans, bins, strict=True)
        ],
        "hovertemplate": "size %{customdata[0]}<br>%{customdata[1]} classes<br>"
        "%{customdata[2]} records (%{customdata[3]})<extra></extra>",
    }
    has_few = max((classes for _, _, classes, _ in bins), default=0) < 6
    steps = {"dtick": 1} if has_few else {"nticks": 6}  # or a tick would stand for half a class
    figure = empty_figure(
        [bars],
        "Class sizes",
        340,
        x=axis("records in the class", showgrid=False, tickvals=list(range(len(bins))), ticktext=spans),
        y=axis("classes", tickformat=",d", rangemode="tozero", **steps),
    )
    if k > 1:  # the first bin is what lies below k
        line = {"color": ORANGE, "width": 2, "dash": "dash"}
        ends = {"x0": 0.5, "x1": 0.5, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
        mark = {"x": 0.5, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
        figure["layout"]["shapes"] = [{"type": "line", **ends, "line": line}]
        figure["layout"]["annotations"] = [
            {**mark, "text": f"k = {number(k)}", "font": {"color": ORANGE, "size": 13}}
        ]
    return figure


def column_losses_figure(losses: Mapping[str, float]) -> Figure:
    """Draw each column's loss, the heaviest on top."""
    rows = sorted(losses.items(), key=lambda row: -row[1])
    ticks = {
        "showticklabels": True,
        "tickvals": [0, 0.5, 1],
        "range": [0, 1.12 * max([1.0, *losses.values()])],
    }
    return _bars(
        [name for name, _ in rows],
        [("loss", [loss for _, loss in rows], BLUE)],
        number,
        title="Loss of each column",
        x=axis("loss (0 = nothing lost)", showgrid=True, **ticks),
    )


def marginal_figure(name: str, labels: Sequence[str | None], counts: Sequence[float]) -> Figure:
    """Draw how often each label of a column occurs: the twenty most frequent, in the order given."""
    rows = fold_rows(list(zip(labels, counts, strict=True)))
    colours = [BLUE] * (len(rows) - 1) + [GREY] if len(rows) < len(labels) else BLUE
    series = [("records", [row[1] for row in rows], colours)]
    return _bars([row[0] for row in rows], series, number, title=escape_label(name), x=axis("records"))


def before_after(
    name: str, labels: Sequence[str | None], before: Sequence[float], after: Sequence[float]
) -> Figure:
    """Draw how often each label of a column occurs in the originals and in the release."""
    rows = fold_rows(list(zip(labels, before, after, strict=True)))
    series = [("before", [row[1] for row in rows], GREY), ("after", [row[2] for row in rows], BLUE)]
    return _bars([row[0] for row in rows], series, number, title=escape_label(name), x=axis("records"))


def series_figure(
    series: Mapping[str, Sequence[float]],
    x: Sequence[str | float],
    x_title: str,
    write: Callable[[float], str] = number,
    colours: Sequence[str] = (BLUE, ORANGE, GREY, INK, MUTED),
) -> Figure:
    """Draw series of numbers: as lines over numbers, as lying bars over words with each number written beside it."""
    bar_series = [
        (escape_label(name), list(numbers), colours[i % len(colours)])
        for i, (name, numbers) in enumerate(series.items())
    ]
    if all(isinstance(position, int | float) for position in x) and len(x) > 1:
        lines = [
            {
                "type": "scatter",
                "name": name,
                "x": list(x),
                "y": y,
                "mode": "lines+markers",
                "line": {"color": colour},
            }
            for name, y, colour in bar_series
        ]
        return empty_figure(
            lines,
            "",
            340,
            x=axis(escape_label(x_title)),
            y={"rangemode": "tozero"},
            showlegend=len(series) > 1,
        )
    return _bars([str(position) for position in x], bar_series, write, x=axis(escape_label(x_title)))


def chances(series: Mapping[str, Sequence[float]], words: Sequence[str], x_title: str, title: str) -> Figure:
    """Draw two series of shares over words of our own, which need not be cut."""
    figure = series_figure(series, words, x_title, percent, (ORANGE, GREY))
    layout = figure["layout"]
    layout["title"], layout["xaxis"]["range"] = {"text": title}, [0, 1.12]
    layout["yaxis"]["ticktext"] = list(words)
    return figure


def class_shares_figure(before: Mapping[str, Any], after: Mapping[str, Any]) -> Figure:
    """Draw the share of records by the size of the class they hide in, in the originals and the release."""
    bars = [
        {
            "type": "bar",
            "name": name,
            "x": list(range(len(BANDS))),
            "y": shares,
            "marker": {"color": colour},
            "text": [percent(share) for share in shares],
            "textfont": {"size": 11},
            "textposition": "outside",
            "cliponaxis": False,
            "constraintext": "none",
            "textangle": 0,
            "hovertemplate": "%{text} of the records<extra>%{fullData.name}</extra>",
        }
        for name, shares, colour in (
            ("before", risk_bands(before), GREY),
            ("after", risk_bands(after), BLUE),
        )
    ]
    sizes = [span(lo, None if hi is None else hi - 1) for lo, hi in BANDS]
    return empty_figure(
        bars,
        "How large the classes of the records are",
        360,
        x=axis(
            "records that look the same", showgrid=False, tickvals=list(range(len(BANDS))), ticktext=sizes
        ),
        y=axis("share of records", tickformat=".0%", range=[0, 1.08]),
        showlegend=True,
        bargap=0.16,
        bargroupgap=0.04,
    )


def front(points: Sequence[Mapping[str, Any]], picked: int | None = None) -> Figure:
    """Draw the least loss for every k, and the point that serves `picked`.

    The line is the answer to "what does at least this k cost": it steps, because the cheapest point with
    k' >= k serves every k down to the next point. Points a search could not prove are hollow.
    """
    rows = sorted(points, key=lambda point: (point["k"], point["loss"]))
    sure = [is_proven(point) for point in rows]
    line = {
        "type": "scatter",
        "x": [point["k"] for point in rows],
        "y": [point["loss"] for point in rows],
        "mode": "lines+markers",
        "line": {"shape": "vh", "color": BLUE, "width": 2},
        "marker": {
            "size": 9,
            "color": [BLUE if yes else "white" for yes in sure],
            "line": {"color": BLUE, "width": 2},
        },
        "customdata": [[_hover(point)] for point in rows],
        "hovertemplate": "%{customdata[0]}<extra></extra>",
    }
    sufficient = [point for point in rows if picked is not None and point["k"] >= picked]
    best = min(sufficient, key=lambda point: (point["loss"], point["k"]), default=None)
    return empty_figure(
        [line] if best is None else [line, ring_trace(best["k"], best["loss"], "bottom right")],
        "The least loss for every k, with one level per column",
        420,
        x=axis("k (log scale)", type="log", **log_ticks([point["k"] for point in rows])),
        y=axis("loss", rangemode="tozero"),
    )


def is_proven(point: Mapping[str, Any]) -> bool:
    """Whether a front point is known to be the least: the search's lower bound has met its loss.

    >>> is_proven({"k": 5, "loss": 0.3}), is_proven({"k": 5, "loss": 0.3, "bound": 0.2})
    (True, False)
    """
    loss = float(point["loss"])
    return bool(point.get("proven", float(point.get("bound", loss)) >= loss * (1 - 1e-9)))


def fold_rows(rows: Sequence[tuple[Any, ...]], most: int = 20) -> list[tuple[Any, ...]]:
    """Keep the `most` rows with the largest numbers, in the order given, and sum the others into one row.

    >>> fold_rows([("a", 5), ("b", 1), ("c", 2), ("d", 1)], most=2)
    [('a', 5), ('c', 2), ('2 others', 2)]
    """
    if len(rows) <= most + 1:
        return list(rows)
    heavy = set(sorted(range(len(rows)), key=lambda place: (-max(rows[place][1:]), place))[:most])
    other_rows = [row for index, row in enumerate(rows) if index not in heavy]
    sums = (sum(column) for column in zip(*(row[1:] for row in other_rows), strict=True))
    return [row for index, row in enumerate(rows) if index in heavy] + [
        (f"{number(len(other_rows))} others", *sums)
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
    for lo, next_start in pairwise([*starts, max(top, starts[-1]) + 1]):
        sizes_in_bin = [(size, count) for size, count in sizes.items() if lo <= size < next_start]
        bins.append(
            (lo, next_start - 1, sum(c for _, c in sizes_in_bin), sum(s * c for s, c in sizes_in_bin))
        )
    return bins


def risk_bands(facts: Mapping[str, Any]) -> list[float]:
    """Return the share of records in each of `BANDS`, from the shares below each size.

    >>> risk_bands({"below": {"2": 0.5, "5": 0.75, "10": 1, "20": 1}})
    [0.5, 0.25, 0.25, 0.0, 0.0]
    """
    share_below = {int(size): float(share) for size, share in facts.get("below", {}).items()}
    ends = [0.0, *(share_below.get(hi, 0.0) if hi is not None else 1.0 for _, hi in BANDS)]
    return [max(0.0, b - a) for a, b in pairwise(ends)] if share_below else [0.0] * len(BANDS)


def span(lo: int, hi: int | None) -> str:
    """Write the sizes from `lo` to `hi`, or from `lo` on."""
    if hi is None:
        return f"{number(lo)}+"
    return number(lo) if lo == hi else f"{number(lo)}–{number(hi)}"


def empty_figure(
    traces: Sequence[Mapping[str, Any]],
    title: str,
    height: int,
    *,
    x: Mapping[str, Any] | None = None,
    y: Mapping[str, Any] | None = None,
    **layout: Any,
) -> Figure:
    """A figure in the house's style: its traces, its axes, and what else its layout says."""
    axes = {
        name: dict(axis_facts) for name, axis_facts in (("xaxis", x), ("yaxis", y)) if axis_facts is not None
    }
    style = {"template": _TEMPLATE, "title": {"text": title}, "height": height}
    return {"data": list(traces), "layout": {**style, **axes, **layout}}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis under a title."""
    return {"title": {"text": title}, **more}


def ring_trace(x: float, y: float, place: str) -> dict[str, Any]:
    """A trace that rings the point that was released, its word at that place beside it."""
    return {
        "type": "scatter",
        "x": [x],
        "y": [y],
        "mode": "markers+text",
        "hoverinfo": "skip",
        "cliponaxis": False,
        "text": [" released"],
        "textposition": place,
        "textfont": {"color": ORANGE, "size": 13},
        "marker": {"size": 17, "symbol": "circle-open", "color": ORANGE, "line": {"width": 3}},
    }


def to_plotly_figure(figure: Figure) -> Any:
    """The figure as an object of the package plotly, which a notebook shows and others can change."""
    from plotly.graph_objects import Figure as Drawn  # loading it takes longer than to write a page

    return Drawn(figure)


def _bars(
    labels: Sequence[str | None],
    series: Sequence[tuple[str, Sequence[float], str | Sequence[str]]],
    write: Callable[[float], str],
    *,
    title: str = "",
    x: Mapping[str, Any],
) -> Figure:
    """Draw lying bars, one row per label from the top, with its number beside each bar."""
    shown_labels = [label(text) for text in labels]
    rows = list(range(len(shown_labels)))
    bars = [
        {
            "type": "bar",
            "name": name,
            "orientation": "h",
            "y": rows,
            "x": list(numbers),
            "marker": {"color": colour},
            "text": [write(item) for item in numbers],
            "textposition": "outside",
            "textfont": {"size": 12, "color": MUTED},
            "cliponaxis": False,
            "constraintext": "none",
            "textangle": 0,
            "customdata": [[escape_label(text)] for text in shown_labels],
            "hovertemplate": "%{customdata[0]}<br>%{text} %{fullData.name}<extra></extra>",
        }
        for name, numbers, colour in series
    ]
    ticks = {"tickvals": rows, "ticktext": [escape_label(shorten_label(text)) for text in shown_labels]}
    return empty_figure(
        bars,
        title,
        84 + (14 + 12 * len(series)) * max(1, len(rows)),
        x={"rangemode": "tozero", "showticklabels": False, "showgrid": False, **x},
        y={**ticks, "range": [len(rows) - 0.45, -0.55], "showgrid": False},
        showlegend=len(series) > 1,
        bargroupgap=0.06,
        margin={"r": 56},
    )


def _hover(point: Mapping[str, Any]) -> str:
    levels = [
        f"{escape_label(name)}: level {number(level)}" for name, level in point.get("levels", {}).items()
    ]
    facts = [f"k = {number(point['k'])}", f"loss {number(point['loss'])}"]
    if "suppressed" in point:
        facts.append(f"{number(point['suppressed'])} records suppressed")
    if not is_proven(point):
        least = f": {number(point['bound'])} is not ruled out" if "bound" in point else ""
        facts.append(f"not proven to be the least{least}")
    return "<br>".join([*facts, *levels])


def log_ticks(values: Sequence[int]) -> dict[str, Any]:
    """Whole ticks 1, 2, 5, 10, ... over the values: plotly's own log ticks repeat digits."""
    top = max(values, default=1)
    steps = (1, 2, 5) if top < 1000 else (1,)
    ticks = [step * 10**power for power in range(13) for step in steps if step * 10**power <= 10 * top]
    return {"tickvals": ticks, "ticktext": [number(tick) for tick in ticks]}


def escape_label(text: str | None) -> str:
    """Escape a label: plotly shows entities as the signs they stand for, and would read $...$ as a formula."""
    return html.escape(label(text), quote=False).replace("$", "&#36;")
