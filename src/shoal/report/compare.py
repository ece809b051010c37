"""The page of a comparison: what each method loses, how long it takes, how exposed people are after it, what to take.

A figure has a line per method over a number that was swept, or a bar per method at one point.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from shoal.report.figures import Figure, axis, empty_figure, escape_label, log_ticks, series_figure
from shoal.report.pages import offline_page
from shoal.report.parts import Plot, Section, ShownTable
from shoal.report.words import NONE, SHAPE_WORDS, label, number, percent, sentence
from shoal.utility import LOSSES

__all__ = ["columns_table", "compare_figure", "compare_html", "labels_table", "sections"]

# Okabe and Ito's colours; dashes and marks tell the lines apart without colour.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#8a6d00", "#1f2d3a", "#7f8c97")
_MARKS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross", "pentagon")
_DASHES = ("solid", "dash", "dot", "dashdot")
_MARGIN = 0.05  # of a tenfold, above and below a log scale
_TICKS = 12  # numbers that stand side by side below a figure

Facts = Mapping[str, Any]
Line = Sequence[tuple[float, float | None]]
"""Points of one method; None is a hole."""

_ANALYSTS = {
    "table_are": "Error of counts",
    "association_change": "Change of associations",
    "association_worst": "Largest change of an association",
    "mean_width": "Width of means",
}
"""Figures of tables, and what they are called."""
_MAJORITY = "majority_accuracy"
_SCORES = {"_accuracy": "Accuracy", "_auc": "AUC"}
_SHARES = ("risk_average", "risk_highest", "below_k")
_LABELS = {
    "label_bits": "Bits a cell reveals beyond its label",
    "label_alone": "People alone in a part of a label",
    "singled_out": "Best descriptions that fit one person",
    "singled_out_others": "The same descriptions, of others",
    "singled_out_blind": "Descriptions made blindly",
}
"""What labels tell beyond themselves, of tables."""
_BESIDE = ("singled_out", "singled_out_others", "singled_out_blind")
_HEADS = {
    "cpu_seconds": "CPU seconds",
    "wall_seconds": "Wall seconds",
    "risk_average": "Average risk",
    "risk_highest": "Highest risk",
    "below_k": "Share below k",
    "suppressed_items": "Items suppressed",
    **_LABELS,
}


def _swept_names(facts: Facts) -> list[str]:
    """The numbers that take several values, those of most values first."""
    swept = {name: len(numbers) for name, numbers in facts["swept"].items() if len(numbers) > 1}
    return sorted(swept, key=lambda name: -swept[name])


def _lines_of(facts: Facts, measure: str, over: str) -> dict[str, Line]:
    """A measure of each method over a swept number; other numbers are those of the point that counts."""
    fixed_values = {name: value for name, value in facts["at"].items() if name != over}
    rows = _rows_with_values(facts, fixed_values)
    return {
        method: [(row[over], row.get(measure)) for row in rows if row["maker"] == method]
        for method in facts["makers"]
    }


def _x_axis(xs: Sequence[float]) -> dict[str, Any]:
    """A log scale where the numbers span a tenfold or more; each number has its tick where they are few."""
    tick_layout = {"tickvals": list(xs), "ticktext": [number(x) for x in xs]} if len(xs) <= _TICKS else {}
    if xs and xs[0] >= 1 and xs[-1] >= 10 * xs[0]:
        return {"type": "log", **(tick_layout or log_ticks([int(x) for x in xs]))}
    return tick_layout


def _y_axis(ys: Sequence[float], *, share: bool, logarithmic: bool, zero: bool) -> dict[str, Any]:
    if logarithmic and ys and min(ys) > 0:
        powers = range(floor(log10(min(ys))), ceil(log10(max(ys))) + 1)
        steps = [step * 10.0**power for power in powers for step in (1, 2, 5)]
        low, high = max(step for step in steps if step <= min(ys)), min(s for s in steps if s >= max(ys))
        ticks = [step for step in steps if low <= step <= high]
        ends = [log10(low) - _MARGIN, log10(high) + _MARGIN]
        return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks], "range": ends}
    return {"rangemode": "tozero" if zero else "normal", **({"tickformat": ".0%"} if share else {})}


def _model_scores(facts: Facts) -> list[str]:
    """The scores of models that learned from the releases."""
    names = dict.fromkeys(name for row in facts["points"] for name in row)
    return [name for name in names if f"{name}_originals" in names]


def _lines_with_references(facts: Facts, name: str, over: str) -> dict[str, Line]:
    """The lines of a figure: one per method, and what a score is held against, which is the same for every method.

    That is the same model on the originals, and guessing the majority.
    """
    lines = _lines_of(facts, name, over)
    against = {"on the originals": f"{name}_originals"}
    if name.endswith("_accuracy"):
        against["the majority"] = _MAJORITY
    for words, reference in against.items():
        reference_points = {
            x: y for line in _lines_of(facts, reference, over).values() for x, y in line if y is not None
        }
        lines |= {words: sorted(reference_points.items())} if reference_points else {}
    return lines


def _score_title(name: str) -> str | None:
    """What a figure is called; None where this page does not know it.

    >>> _score_title("logistic_auc"), _score_title("table_are"), _score_title("ncp")
    ('AUC (logistic)', 'Error of counts', None)
    """
    for end, score_words in _SCORES.items():
        if name.endswith(end):
            return f"{score_words} ({name.removesuffix(end)})"
    return _ANALYSTS.get(name)


def compare_figure(facts: Facts, measure: str | None = None, over: str | None = None) -> Figure:
    """One measure of every method: a line over a swept number, broken at holes, or a bar where there is one point."""
    name = measure or facts["loss"] or "cpu_seconds"
    title, swept = _column_title(name), _swept_names(facts)
    over = over or (swept[0] if swept else None)
    if over is None or over not in swept:
        values = {row["maker"]: row[name] for row in _rows_at_point(facts) if row.get(name) is not None}
        return series_figure({title: list(values.values())}, list(values), title)
    lines = _lines_with_references(facts, name, over)
    traces = [
        {
            "type": "scatter",
            "name": escape_label(method),
            "x": [x for x, _ in line],
            "y": [y for _, y in line],
            "mode": "lines+markers",
            "line": {"color": _COLOURS[i % len(_COLOURS)], "width": 2, "dash": _DASHES[i % len(_DASHES)]},
            "marker": {"size": 8, "symbol": _MARKS[i % len(_MARKS)]},
            "hovertemplate": f"{over} = %{{x}}<br>%{{customdata}}<extra>%{{fullData.name}}</extra>",
            "customdata": [number(y) for _, y in line],
        }
        for i, (method, line) in enumerate(lines.items())
    ]
    xs = sorted({x for line in lines.values() for x, _ in line})
    ys = [y for line in lines.values() for _, y in line if y is not None]
    zero = name not in _model_scores(facts)  # scores lie between guessing and the originals
    y = _y_axis(ys, share=_is_share(name), logarithmic=name.endswith("seconds"), zero=zero)
    if name in _BESIDE:  # two figures that are read side by side
        y |= {"range": [0, 1.05]}
    x = axis(over, **_x_axis(xs))
    return empty_figure(traces, "", 400, x=x, y=axis(title, **y), showlegend=len(lines) > 1)


def compare_html(facts: Facts) -> str:
    """The page as one offline html file; it shows figures of the originals."""
    recommendation = facts["recommendation"]
    return offline_page(
        "compare.html",
        facts["shoal"],
        headline=_headline(facts),
        advice=sentence(recommendation["sentence"]),
        floor=sentence(facts["floor"]["sentence"]),
        tiles=list(_tiles(facts)),
        notes=[sentence(note) for note in facts["notes"]],
        left_out=[(label(name), sentence(reason)) for name, reason in facts["left_out"].items()],
        sections=list(sections(facts)),
        holes=_holes_table(facts),
        points=_points_table(facts),
        columns=columns_table(facts),
    )


def columns_table(facts: Facts) -> ShownTable:
    """What each method left of every column that came in, and of counts of items, at the point that counts."""
    made_rows = [row for row in _rows_at_point(facts) if row["status"] == "made"]
    names = dict.fromkeys(name for row in made_rows for name in row["columns"])
    rows = [
        (label(name), *(_remaining_words(row["columns"].get(name)) for row in made_rows)) for name in names
    ]
    for name, words in _COUNTS.items():
        if any(row.get(name) is not None for row in made_rows) and facts["shape"] != "table":
            words = words.replace("pairs", "items with values") if facts["shape"] == "mixed" else words
            rows.append((words, *(f"off {percent(row.get(name))}" for row in made_rows)))
    point_words = f" at {_numbers_text(facts['at'])}" if facts["at"] else ""
    head = ("column", *(label(row["maker"]) for row in made_rows))
    return ShownTable(f"What every column loses{point_words}", head, rows)


_COUNTS = {"are-items": "(counts of items)", "are": "(counts of pairs)"}
"""Of baskets: a small loss says little of what they are good for."""


def _remaining_words(lost: float | None) -> str:
    """What became of a column, in a word."""
    if lost is None:
        return "left out"
    if lost >= 1:
        return "nothing left"
    return percent(lost) if lost else "kept"


def _headline(facts: Facts) -> str:
    method, point = facts["recommendation"]["maker"], facts["at"]
    point_words = f" at {_numbers_text(point)}" if point else ""
    return f"Use {label(method)}{point_words}" if method else f"No method made a release{point_words}"


def _numbers_text(numbers: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {number(value)}" for name, value in numbers.items())


def _tiles(facts: Facts) -> Iterator[tuple[str, str, str]]:
    points = facts["points"]
    made_count = sum(row["status"] == "made" for row in points)
    sample_words = f"a sample of {number(facts['records'])}" if facts["sample"] else "all of them"
    yield "Records", number(facts["sample"] or facts["records"]), sample_words
    yield "Methods", number(len(facts["makers"])), ", ".join(map(label, facts["makers"]))
    yield "Releases made and judged", number(made_count), f"of {number(len(points))} points"
    yield (
        "Holes",
        number(len(points) - made_count),
        "points without a release" if made_count < len(points) else "none",
    )


def sections(facts: Facts) -> Iterator[Section]:
    """The plots, each group with what it means."""
    loss, swept = facts["loss"], _swept_names(facts)
    sides: list[str | None] = [*swept] or [None]
    if loss is not None:
        sweep_note = " Where several numbers were swept, the others are as above." if len(swept) > 1 else ""
        about = (
            f"{LOSSES[loss].words} Lower is better; a gap means that no release was made there.{sweep_note}"
        )
        yield Section(
            "What each method loses", about, [_plot(facts, loss, swept_number) for swept_number in sides]
        )
    swept_number = sides[0]
    scale = " The scale is logarithmic." if swept else ""
    about = f"CPU seconds for making and judging one release on this machine.{scale}"
    yield Section("How long it takes", about, [_plot(facts, "cpu_seconds", swept_number)])
    if any(row.get("risk_average") is not None for row in facts["points"]):
        about = (
            f"The chance that {SHAPE_WORDS[facts['shape']].known} picks the right record, on average over the people, "
            "and for the person who is worst off. Lower is safer."
        )
        yield Section(
            "Risk after",
            about,
            [_plot(facts, name, swept_number) for name in ("risk_average", "risk_highest")],
        )
    label_names = [name for name in _LABELS if any(row.get(name) is not None for row in facts["points"])]
    if label_names:
        yield Section(
            "What narrow labels reveal",
            _LABELS_ABOUT,
            [_plot(facts, name, swept_number) for name in label_names],
        )
    yield from _analyst_sections(facts, swept_number)
    other_plots = [_plot(facts, name, swept_number) for name in _unknown_figures(facts)]
    if other_plots:
        yield Section("Further figures", "What else was measured of each release.", other_plots)


_LABELS_ABOUT = (
    "Labels that are as narrow as possible show that several parts of each are in use; no claim about k covers that. "
    "This is what a coarse cell reveals beyond its label, how many people are alone in a part of one, and how many of "
    "the hundred descriptions of which an attacker is most sure fit exactly one person: beside it the same "
    "descriptions of other people, or without any what guessing blindly reaches. Lower is safer; narrow labels buy a "
    "small loss at this price."
)


def labels_table(facts: Facts) -> ShownTable:
    """What the labels of each method tell beyond themselves, at the point that counts; without rows where none do."""
    labelled_rows = [row for row in _rows_at_point(facts) if row.get("label_bits") is not None]
    names = [name for name in _LABELS if any(row.get(name) is not None for row in labelled_rows)]
    rows = [
        (label(row["maker"]), *(_format_figure(name, row.get(name)) for name in names))
        for row in labelled_rows
    ]
    point_words = f" at {_numbers_text(facts['at'])}" if facts["at"] else ""
    head = ("method", *(_LABELS[name] for name in names))
    return ShownTable(f"What narrow labels reveal{point_words}", head, rows, tuple(range(1, len(head))))


def _analyst_sections(facts: Facts, over: str | None) -> Iterator[Section]:
    """What can still be learned from the releases."""
    models = [_plot(facts, name, over) for name in _model_scores(facts)]
    if models:
        about = (
            "Models were trained on each release and tested on original records that are not in it; beside them the "
            "same models trained on the originals, and always guessing the majority. Higher is better."
        )
        yield Section("What models learn", about, models)
    names = [n for n in _ANALYSTS if any(row.get(n) is not None for row in facts["points"])]
    if names:
        about = (
            "How far off counts asked of a release are, as a share of the true count; how much associations of two "
            "columns changed, on average and at most; and how wide the interval is in which a mean must lie, as a "
            "share of its column's range. Lower is better."
        )
        yield Section("What analysts get", about, [_plot(facts, name, over) for name in names])


def _unknown_figures(facts: Facts) -> list[str]:
    """Figures that this page knows nothing of: whoever adds a measure finds it here."""
    known_names = {
        *facts["numbers"],
        *_SHARES,
        *LOSSES,
        *_HEADS,
        "maker",
        "status",
        "message",
        "judged",
        "suppressed",
        "classes",
    }
    rows = facts["points"]
    known_names |= {*_ANALYSTS, *_model_scores(facts), _MAJORITY}
    names = (
        name for row in rows for name in row if name not in known_names and not name.endswith("_originals")
    )
    other_names = dict.fromkeys(names)
    return [name for name in other_names if any(isinstance(row.get(name), int | float) for row in rows)]


def _plot(facts: Facts, name: str, over: str | None) -> Plot:
    figure = compare_figure(facts, name, over)
    id = f"{name}-{over or 'methods'}"
    if over is None:
        rows = [(label(row["maker"]), _format_figure(name, row.get(name))) for row in _rows_at_point(facts)]
        table = ShownTable(_column_title(name), ("Method", _column_title(name)), rows, (1,))
        return Plot.of(
            id, figure, f"Bar chart of {_column_title(name)} for each method.", table, _column_title(name)
        )
    lines = _lines_with_references(facts, name, over)
    xs = sorted({x for line in lines.values() for x, _ in line})
    cells = [
        (label(method), *(_format_figure(name, dict(line).get(x)) for x in xs))
        for method, line in lines.items()
    ]
    head = ("Method", *(f"{over} = {number(x)}" for x in xs))
    table = ShownTable(f"{_column_title(name)} over {over}", head, cells, tuple(range(1, len(head))))
    alt = f"Line chart of {_column_title(name)} over {over}, a line for each of {len(lines)} methods."
    return Plot.of(id, figure, alt, table, f"{_column_title(name)} over {over}")


def _holes_table(facts: Facts) -> ShownTable:
    rows = [
        (
            label(row["maker"]),
            _numbers_text(_row_numbers(facts, row)),
            label(row["status"]),
            label(str(row["message"]).removeprefix(f"{row['maker']}: ")),  # it need not name its method again
        )
        for row in facts["points"]
        if row["status"] != "made"
    ]
    return ShownTable("Points without a release", ("Method", "At", "Status", "Why"), rows)


def _points_table(facts: Facts) -> ShownTable:
    """Every release with its main figures; results.csv has all of them."""
    names = [
        *([facts["loss"]] if facts["loss"] else []),
        "suppressed",
        "suppressed_items",
        "classes",
        *_SHARES,
        *_LABELS,
        "cpu_seconds",
    ]
    made_rows = [row for row in facts["points"] if row["status"] == "made"]
    shown_names = [name for name in names if any(row.get(name) for row in made_rows)]
    numbers = list(facts["swept"])
    rows = [
        (
            label(row["maker"]),
            *(number(row[name]) for name in numbers),
            *(_format_figure(n, row.get(n)) for n in shown_names),
        )
        for row in made_rows
    ]
    times = facts["floor"]["times"]
    if times:  # it is known at one point alone
        counts = _rows_at_point(facts)
        floor_factors = [
            f"{times[row['maker']]:.2f}" if row in counts and row["maker"] in times else ""
            for row in made_rows
        ]
        rows = [(*row, factor) for row, factor in zip(rows, floor_factors, strict=True)]
    head = (
        "Method",
        *numbers,
        *(_column_title(name) for name in shown_names),
        *(["Times the floor"] if times else []),
    )
    return ShownTable("Every release that was made", head, rows, tuple(range(1, len(head))))


def _rows_at_point(facts: Facts) -> Sequence[Mapping[str, Any]]:
    """The rows of the point that counts."""
    return _rows_with_values(facts, facts["at"])


def _rows_with_values(facts: Facts, at: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows at which numbers have these values."""
    return [row for row in facts["points"] if all(row[name] == value for name, value in at.items())]


def _row_numbers(facts: Facts, row: Mapping[str, Any]) -> dict[str, Any]:
    swept = {name: row[name] for name in facts["swept"]}
    return swept or ({"k": row["k"]} if row.get("k") is not None else {})


def _is_share(name: str) -> bool:
    if name in _LABELS:
        return name != "label_bits"
    return name in _SHARES or (name in LOSSES and LOSSES[name].headline)


def _column_title(name: str) -> str:
    """What a column is called on the page."""
    if name in LOSSES:
        return f"Loss ({name})" if LOSSES[name].headline else name
    return _score_title(name) or _HEADS.get(name, label(name).replace("_", " ").capitalize())


def _format_figure(name: str, value: Any) -> str:
    if value is None:
        return NONE
    return percent(value) if _is_share(name) else number(value)
