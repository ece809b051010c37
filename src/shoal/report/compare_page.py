"""The page of a comparison: what each maker loses, how long it takes, how exposed people are after it, what to take."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plotly import graph_objects as go

from shoal.report import compare_figures as figures
from shoal.report import compare_useful as useful
from shoal.report.pages import offline_page
from shoal.report.parts import Plot, Table
from shoal.report.words import NONE, label, number, percent, sentence
from shoal.utility import LOSSES

__all__ = ["compare_figure", "compare_html", "sections"]

Facts = Mapping[str, Any]
Section = tuple[str, str, list[Plot]]

_RISK = {
    "table": "somebody who knows all quasi-identifiers of a person",
    "mixed": "somebody who knows all quasi-identifiers of a person and no item",
    "baskets": "somebody who knows a person's whole basket, which is more than the claim allows,",
    "trees": "somebody who knows a person's whole record, which is more than the claim allows,",
}
_SHARES = ("risk_average", "risk_highest", "below_k")
_HEADS = {
    "cpu_seconds": "CPU seconds",
    "wall_seconds": "Wall seconds",
    "risk_average": "Average risk",
    "risk_highest": "Highest risk",
    "below_k": "Share below k",
    "suppressed_items": "Items suppressed",
}


def compare_figure(facts: Facts, measure: str | None = None, over: str | None = None) -> go.Figure:
    """One measure of every maker: over a swept number, or side by side where there is one point."""
    name = measure or facts["loss"] or "cpu_seconds"
    swept = figures.across(facts)
    over = over or (swept[0] if swept else None)
    if over is None or over not in swept:
        values = {row["maker"]: row[name] for row in _at(facts) if row.get(name) is not None}
        return figures.makers_at(values, _titled(name))
    lines = figures.lines_of(facts, name, over) | useful.beside(facts, name, over)
    return figures.makers_over(
        lines,
        over,
        _titled(name),
        share=_is_share(name),
        logarithmic=name.endswith("seconds"),
        zero=name not in useful.of_models(facts),  # scores lie between guessing and the originals
    )


def compare_html(facts: Facts) -> str:
    """The page as one offline html file; it shows figures of the originals."""
    taken = facts["recommendation"]
    return offline_page(
        "compare.html",
        facts["shoal"],
        headline=_headline(facts),
        advice=sentence(taken["sentence"]),
        floor=sentence(facts["floor"]["sentence"]) if facts.get("floor") else "",
        tiles=list(_tiles(facts)),
        notes=[sentence(note) for note in facts["notes"]],
        left_out=[(label(name), sentence(why)) for name, why in facts["left_out"].items()],
        sections=list(sections(facts)),
        holes=_holes(facts),
        points=_points(facts),
    )


def _headline(facts: Facts) -> str:
    maker, at = facts["recommendation"]["maker"], facts["at"]
    where = f" at {_told(at)}" if at else ""
    return f"Use {label(maker)}{where}" if maker else f"No maker made a release{where}"


def _told(numbers: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {number(value)}" for name, value in numbers.items())


def _tiles(facts: Facts) -> Iterator[tuple[str, str, str]]:
    points = facts["points"]
    made = sum(row["status"] == "made" for row in points)
    of = f"a sample of {number(facts['records'])}" if facts["sample"] else "all of them"
    yield "Records", number(facts["sample"] or facts["records"]), of
    yield "Makers", number(len(facts["makers"])), ", ".join(map(label, facts["makers"]))
    yield "Releases made and judged", number(made), f"of {number(len(points))} points"
    yield "Holes", number(len(points) - made), "points without a release" if made < len(points) else "none"


def sections(facts: Facts) -> Iterator[Section]:
    """The plots, each group with what it means."""
    loss, swept = facts["loss"], figures.across(facts)
    sides: list[str | None] = [*swept] or [None]
    if loss is not None:
        beside = " Where several numbers were swept, the others are as above." if len(swept) > 1 else ""
        about = f"{LOSSES[loss].words} Lower is better; a gap means that no release was made there.{beside}"
        yield "What each maker loses", about, [_plot(facts, loss, over) for over in sides]
    over = sides[0]
    scale = " The scale is logarithmic." if swept else ""
    about = f"CPU seconds for making and judging one release on this machine.{scale}"
    yield "How long it takes", about, [_plot(facts, "cpu_seconds", over)]
    if any(row.get("risk_average") is not None for row in facts["points"]):
        about = (
            f"The chance that {_RISK[facts['shape']]} picks the right record, on average over the people, "
            "and for the person who is worst off. Lower is safer."
        )
        yield "Risk after", about, [_plot(facts, name, over) for name in ("risk_average", "risk_highest")]
    yield from _for_analysts(facts, over)
    others = [_plot(facts, name, over) for name in _others(facts)]
    if others:
        yield "Further figures", "What else was measured of each release.", others


def _for_analysts(facts: Facts, over: str | None) -> Iterator[Section]:
    """What can still be learned from the releases."""
    models = [_plot(facts, name, over) for name in useful.of_models(facts)]
    if models:
        about = (
            "Models were trained on each release and tested on original records that are not in it; beside them the "
            "same models trained on the originals, and always guessing the majority. Higher is better."
        )
        yield "What models learn", about, models
    names = [n for n in useful.ANALYSTS if any(row.get(n) is not None for row in facts["points"])]
    if names:
        about = (
            "How far off counts asked of a release are, as a share of the true count; how much associations of two "
            "columns changed, on average and at most; and how wide the interval is in which a mean must lie, as a "
            "share of its column's range. Lower is better."
        )
        yield "What analysts get", about, [_plot(facts, name, over) for name in names]


def _others(facts: Facts) -> list[str]:
    """Figures that this page knows nothing of: whoever adds a measure finds it here."""
    known = {
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
    known |= {*useful.ANALYSTS, *useful.of_models(facts)}
    names = (name for row in rows for name in row if name not in known and not useful.is_beside(name))
    found = dict.fromkeys(names)
    return [name for name in found if any(isinstance(row.get(name), int | float) for row in rows)]


def _plot(facts: Facts, name: str, over: str | None) -> Plot:
    figure = compare_figure(facts, name, over)
    id = f"{name}-{over or 'makers'}"
    if over is None:
        rows = [(label(row["maker"]), _shown(name, row.get(name))) for row in _at(facts)]
        table = Table(_titled(name), ("Maker", _titled(name)), rows, (1,))
        return Plot.of(id, figure, f"Bar chart of {_titled(name)} for each maker.", table, _titled(name))
    lines = figures.lines_of(facts, name, over) | useful.beside(facts, name, over)
    xs = sorted({x for line in lines.values() for x, _ in line})
    cells = [(label(maker), *(_shown(name, dict(line).get(x)) for x in xs)) for maker, line in lines.items()]
    head = ("Maker", *(f"{over} = {number(x)}" for x in xs))
    table = Table(f"{_titled(name)} over {over}", head, cells, tuple(range(1, len(head))))
    alt = f"Line chart of {_titled(name)} over {over}, a line for each of {len(lines)} makers."
    return Plot.of(id, figure, alt, table, f"{_titled(name)} over {over}")


def _holes(facts: Facts) -> Table:
    rows = [
        (label(row["maker"]), _told(_numbers(facts, row)), label(row["status"]), label(_why(row)))
        for row in facts["points"]
        if row["status"] != "made"
    ]
    return Table("Points without a release", ("Maker", "At", "Status", "Why"), rows)


def _why(row: Mapping[str, Any]) -> str:
    """The sentence of a hole, which need not name its maker again."""
    return str(row["message"]).removeprefix(f"{row['maker']}: ")


def _points(facts: Facts) -> Table:
    """Every release with its main figures; results.csv has all of them."""
    names = [
        *([facts["loss"]] if facts["loss"] else []),
        "suppressed",
        "suppressed_items",
        "classes",
        *_SHARES,
        "cpu_seconds",
    ]
    made = [row for row in facts["points"] if row["status"] == "made"]
    held = [name for name in names if any(row.get(name) for row in made)]
    numbers = list(facts["swept"])
    rows = [
        (
            label(row["maker"]),
            *(number(row[name]) for name in numbers),
            *(_shown(n, row.get(n)) for n in held),
        )
        for row in made
    ]
    head = ("Maker", *numbers, *(_titled(name) for name in held))
    return Table("Every release that was made", head, rows, tuple(range(1, len(head))))


def _at(facts: Facts) -> Sequence[Mapping[str, Any]]:
    """The rows of the point that counts."""
    return [row for row in facts["points"] if all(row[name] == at for name, at in facts["at"].items())]


def _numbers(facts: Facts, row: Mapping[str, Any]) -> dict[str, Any]:
    swept = {name: row[name] for name in facts["swept"]}
    return swept or ({"k": row["k"]} if row.get("k") is not None else {})


def _is_share(name: str) -> bool:
    return name in _SHARES or (name in LOSSES and LOSSES[name].headline)


def _titled(name: str) -> str:
    """What a column is called on the page."""
    if name in LOSSES:
        return f"Loss ({name})" if LOSSES[name].headline else name
    return useful.titled(name) or _HEADS.get(name, label(name).replace("_", " ").capitalize())


def _shown(name: str, value: Any) -> str:
    if value is None:
        return NONE
    return percent(value) if _is_share(name) else number(value)
