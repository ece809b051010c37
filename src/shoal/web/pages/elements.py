"""What pages are made of: headings, notices, figures, tables, records before and after, plots, controls.

Headings are headings and paragraphs are paragraphs. A table is one piece of HTML, for thousands of cells as elements of
their own would be slow. What people fill in are plain controls of the browser; each has the sentence that says what it
is in full, which may take several lines, so the labels that float inside a box are not used.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from html import escape
from itertools import groupby
from math import isfinite
from typing import Any, Literal

from nicegui import ui

from shoal.report.words import SHAPE_WORDS, percent
from shoal.web.pages.project import Project
from shoal.web.server.job_folder import FIGURES

__all__ = [
    "PACE",
    "VALUE",
    "Mood",
    "cards",
    "choose_point",
    "draw_figure",
    "draw_figures",
    "draw_table",
    "empty_state",
    "expandable",
    "figures_of",
    "grid",
    "group",
    "heading",
    "losses_html",
    "markup",
    "notice",
    "number",
    "options_html",
    "pairs_html",
    "paragraph",
    "redraw_on_change",
    "select",
    "sending",
    "text",
    "tick",
    "tiles",
]


def heading(text: str, level: int = 2) -> ui.element:
    """A heading; the screen's own is the only one of level 1."""
    return markup(f"<h{level}>{escape(text)}</h{level}>")


def paragraph(text: str, kind: str = "") -> ui.element:
    """A paragraph; `kind` is `lead`, `note` or nothing."""
    return markup(f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>")


def markup(html: str, tag: str = "div") -> ui.html:
    """HTML of our own making: whoever calls this has escaped what comes from elsewhere."""
    return ui.html(html, sanitize=False, tag=tag)


@contextmanager
def expandable(title: str) -> Iterator[ui.element]:
    """What most people need not see: it opens with a click."""
    with ui.element("details") as details:
        with ui.element("summary"):
            ui.label(title)
        yield details


Mood = Literal["good", "care", "bad"]


def notice(mood: Mood, text: str, more: Sequence[str] = ()) -> ui.element:
    """A box with a sentence, and further ones as a list; a screen reader is told at once where it is bad."""
    listed = "".join(f"<li>{escape(one)}</li>" for one in more)
    role = "alert" if mood == "bad" else "note"
    inner = f"<p>{escape(text)}</p>" + (f"<ul>{listed}</ul>" if listed else "")
    return markup(f'<div class="said {mood}" role="{role}">{inner}</div>')


def empty_state(text: str, action: str, on_click: Callable[[], object], *, off: bool = False) -> None:
    """What is shown where nothing is there yet: a sentence and the one thing to do; `off` is whether it must wait."""
    with ui.element("div").classes("empty"):
        markup(f"<p>{escape(text)}</p>")
        ui.button(action, on_click=on_click).props("unelevated").set_enabled(not off)


def sending(button: str) -> str:
    """What shows how much of a file is sent, which page.js fills in; `button` is the class of its cancel."""
    return f"""
<div id="sending" class="box working" hidden aria-live="polite"><span id="sending-what">Sending ...</span>
<progress id="sending-bar" max="1" value="0" aria-label="how much is sent"></progress>
<button type="button" class="{button}" data-stop-sending>Cancel</button></div>
<p id="sending-said" class="said bad" role="alert" hidden></p>
"""


def tiles(facts: Iterable[tuple[str, str, str]]) -> ui.element:
    """Figures side by side: the name of each, the figure, what it means."""
    inner = "".join(
        f'<div><dt>{escape(name)}</dt><dd class="big">{escape(figure)}</dd><dd class="small">{escape(words)}</dd></div>'
        for name, figure, words in facts
    )
    return markup(f'<dl class="tiles">{inner}</dl>')


def grid(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str,
    numbers: Collection[int] = (),
    changed: Collection[tuple[int, int]] = (),
) -> ui.element:
    """A table that scrolls sideways where it is wide.

    Parameters
    ----------
    head, rows
        What it says; every cell is escaped here.
    caption
        What it is: a screen reader tells it first.
    numbers
        The columns that hold numbers, counted from 0.
    changed
        The cells that are marked, by row and column.
    """

    def cell(row: int, place: int, text: str) -> str:
        kinds = " ".join(
            name for name, so in (("n", place in numbers), ("changed", (row, place) in changed)) if so
        )
        return f'<td class="{kinds}">{escape(text)}</td>' if kinds else f"<td>{escape(text)}</td>"

    top = "".join(
        f'<th scope="col"{" class=n" if place in numbers else ""}>{escape(name)}</th>'
        for place, name in enumerate(head)
    )
    body = "".join(
        f"<tr>{''.join(cell(row, place, text) for place, text in enumerate(cells))}</tr>"
        for row, cells in enumerate(rows)
    )
    return markup(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="sheet">'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_GONE = "left out"
_LONG = 40  # signs of a cell
_MOST = 30  # columns that stand side by side


def pairs_html(preview: Mapping[str, Any]) -> str:
    """Some records: under each column that changes anywhere, its cell before and its cell after; all are escaped."""
    columns, rows = preview["columns"][:_MOST], preview["rows"]
    whole = SHAPE_WORDS[preview["shape"]].nested  # one column, the record itself
    both = [(row["before"], row["after"]) for row in rows if row["after"] is not None]
    changes = [whole or any(old[at] != new[at] for old, new in both) for at in range(len(columns))]
    top = "".join(
        f'<th scope="colgroup" colspan="2">{escape(name)}</th>'
        if changed
        else f'<th scope="col" rowspan="2">{escape(name)}</th>'
        for name, changed in zip(columns, changes, strict=True)
    )
    below = '<th scope="col" class="was">before</th><th scope="col">after</th>' * sum(changes)
    body = "".join(_row(row, changes) for row in rows)
    said = f"{len(rows)} of {preview['records']:,} records, spread over the data, before and after"
    more = len(preview["columns"]) - len(columns)
    note = f'<p class="note">{more:,} more columns are not shown here.</p>' if more > 0 else ""
    kind = " trees" if whole else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{said}"><table class="sheet pairs{kind}">'
        f'<caption>{said}</caption><thead><tr><th scope="col" rowspan="2" class="n">record</th>{top}</tr>'
        f"<tr>{below}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )


def losses_html(preview: Mapping[str, Any]) -> str:
    """What each column, item or field loses, as bars with their numbers; every name is escaped here."""
    part = preview["part"]
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="n">{percent(share)}</td>'
        f'<td class="bar" aria-hidden="true"><i style="width:{100 * min(max(share, 0), 1):.1f}%"></i></td></tr>'
        for name, share in list(preview["loss_by"].items())[: 2 * _MOST]
    )
    said = f"What each {part} loses" if part != "item" else "The items that lose most"
    head = f'<tr><th scope="col">{part}</th><th scope="col" class="n">loss</th><td></td></tr>'
    return (
        f'<div class="scroll"><table class="sheet lost"><caption>{said}: 0% is nothing, 100% everything</caption>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div>"
    )


def _row(row: Mapping[str, Any], changes: Sequence[bool]) -> str:
    gone = row["after"] is None
    cells = [
        _two(before, None if gone else row["after"][place], changed, gone)
        for place, (before, changed) in enumerate(zip(row["before"], changes, strict=False))
    ]
    kind = ' class="gone"' if gone else ""
    left_out = f' <span class="tag">{_GONE}</span>' if gone else ""
    return f'<tr{kind}><th scope="row" class="n">{row["record"]:,}{left_out}</th>{"".join(cells)}</tr>'


def _two(before: str | None, after: str | None, changed: bool, gone: bool) -> str:
    if not changed:
        return f"<td>{_cell(before)}</td>"
    if gone:
        return f'<td class="was">{_cell(before)}</td><td>{_GONE}</td>'
    mark = ' class="changed"' if before != after else ""
    return f'<td class="was">{_cell(before)}</td><td{mark}>{_cell(after)}</td>'


def _cell(text: str | None) -> str:
    """A cell; a long one is cut to the eye, and whole for a screen reader and under the mouse."""
    if text is None:
        return "–"
    if len(text) <= _LONG:
        return escape(text)
    return f'<div class="long" title="{escape(text)}">{escape(text)}</div>'


PACE = 0.3
"""Seconds between two looks."""


def redraw_on_change(draw: Callable[[], None], state: Callable[[], object]) -> None:
    """Draw, and draw again whenever `state` is another than it was."""
    shown = ui.refreshable(draw)
    seen = [state()]
    shown()

    def look() -> None:
        now = state()
        if now != seen[0]:
            seen[0] = now
            shown.refresh()

    ui.timer(PACE, look)


VALUE = "(event) => emit(event.target.value)"
"""The handler of a page that tells what stands in a control."""
_CHECKED = "(event) => emit(event.target.checked)"
_PAUSE = 0.25  # seconds between two changes that are told while somebody types


def cards(
    name: str,
    legend: str,
    offered: Mapping[str, tuple[str, str]],
    value: str | None,
    on_change: Callable[[str], object],
) -> None:
    """One of a few, each a card with its sentence and an example."""
    with ui.element("fieldset").classes("cards"):
        group(legend)
        for key, (sentence, example) in offered.items():
            with ui.element("label").classes("card"):
                one = _control("input", type="radio", name=name, value=key, checked=key == value)
                one.on("change", lambda event: on_change(str(event.args)), js_handler=VALUE)
                _worded(one, sentence, example)


def group(legend: str) -> None:
    """The name of the controls in a fieldset."""
    ui.html(escape(legend), sanitize=False, tag="legend")


def number(
    sentence: str,
    value: float | None,
    on_change: Callable[[float | None], object],
    *,
    least: float | None = None,
    most: float | None = None,
    whole: bool = True,
    about: str = "",
    placeholder: str = "",
) -> ui.element:
    """A number; None is told where nothing, or no number, stands there."""
    kind = {"type": "number", "step": "1" if whole else "any", "inputmode": "numeric" if whole else "decimal"}
    box = _asked(sentence, about, "input", **kind, min=least, max=most, placeholder=placeholder, begins=value)
    _typed(box, lambda said: on_change(_number(said, whole)))
    return box


def text(
    sentence: str,
    value: str,
    on_change: Callable[[str], object],
    *,
    about: str = "",
    placeholder: str = "",
) -> ui.element:
    """A line of text."""
    box = _asked(
        sentence, about, "input", type="text", placeholder=placeholder, autocomplete="off", begins=value
    )
    _typed(box, lambda said: on_change(str(said)))
    return box


def select(
    sentence: str,
    offered: Mapping[str, str],
    value: str,
    on_change: Callable[[str], object],
    *,
    about: str = "",
    apart: tuple[str, Mapping[str, str]] = ("", {}),
) -> ui.element:
    """One of several words, each with what it means; those `apart` stand below a heading of their own."""
    heading, others = apart
    with _asked(sentence, about, "select") as box:
        _options(offered, value)
        if others:
            group = ui.element("optgroup")
            _set(group, label=heading)
            with group:
                _options(others, value)
    box.on("change", lambda event: on_change(str(event.args)), js_handler=VALUE)
    return box


def options_html(offered: Iterable[tuple[object, str]], chosen: object) -> str:
    """The lines of a list as HTML: of each its value, and what it says, which is escaped here."""
    return "".join(
        f'<option value="{value}"{" selected" if value == chosen else ""}>{escape(words)}</option>'
        for value, words in offered
    )


def _options(offered: Mapping[str, str], value: str) -> None:
    """The lines of a list that one is chosen from."""
    for key, words in offered.items():
        one = ui.html(escape(words), sanitize=False, tag="option")
        _set(one, value=key, selected=key == value)


def tick(
    sentence: str,
    value: bool,
    on_change: Callable[[bool], object],
    *,
    about: str = "",
    off: bool = False,
) -> ui.element:
    """Yes or no; `off` is whether it cannot be ticked."""
    with ui.element("label").classes("tick") as label:
        box = _control("input", type="checkbox", checked=value and not off, disabled=off)
        box.on("change", lambda event: on_change(bool(event.args)), js_handler=_CHECKED)
        _worded(box, sentence, about)
    return label


def _asked(sentence: str, about: str, tag: str, **facts: object) -> ui.element:
    """A control below its label, and below what is said about it."""
    with ui.element("div").classes("ask"):
        label = ui.html(escape(sentence), sanitize=False, tag="label")
        beside = ui.html(escape(about), sanitize=False, tag="span") if about else None
        box = _control(tag, **facts)
    label.props["for"] = box.html_id
    if beside is not None:
        _set(box, **{"aria-describedby": beside.html_id})
    return box


def _control(tag: str, *, begins: object = None, **facts: object) -> ui.element:
    """A control of the browser.

    What it `begins` with is an attribute (^): as a property it would come back whenever something near is drawn again.
    """
    made = ui.element(tag)
    _set(made, **facts, **({} if begins is None else {"^value": str(begins)}))
    return made


def _set(element: ui.element, **facts: object) -> None:
    """Set what is neither None nor False; whatever signs a text has are its own."""
    for key, value in facts.items():
        if value is not None and value is not False:
            element.props[key] = value


def _typed(box: ui.element, heard: Callable[[Any], object]) -> None:
    """Listen while somebody types, now and then, and once more when the field is left: nothing that stands is lost."""
    box.on("input", lambda event: heard(event.args), js_handler=VALUE, throttle=_PAUSE, leading_events=False)
    box.on("change", lambda event: heard(event.args), js_handler=VALUE)


def _worded(box: ui.element, sentence: str, about: str) -> None:
    """Beside a box to tick: its sentence is its name, what is said about it is told after that."""
    with ui.element("span"):
        name = ui.html(escape(sentence), sanitize=False, tag="b")
        _set(box, **{"aria-labelledby": name.html_id})
        if about:
            beside = ui.html(escape(about), sanitize=False, tag="small")
            _set(box, **{"aria-describedby": beside.html_id})


def _number(said: Any, whole: bool) -> float | None:
    """What stands in a field for numbers.

    >>> [_number(said, True) for said in ("5", "", "2.5", "x", None, "inf", "1e400")]
    [5, None, 2.5, None, None, None, None]
    """
    try:
        found = float(said)
    except (TypeError, ValueError):
        return None
    if not isfinite(found):
        return None
    return int(found) if whole and found.is_integer() else found


# Plots of the figures that a job left, in the page's colours: to read with their numbers, or to choose from.

_INK = "#77848f"  # readable on white and on the dark page alike
_LINE = "rgba(128, 144, 158, .3)"


def _plot(
    figure: Mapping[str, Any], words: str, on_click: Callable[[int, int], object] | None = None
) -> "ui.plotly":  # NiceGUI's own element imports the package plotly: not before a figure is drawn
    """Draw a figure, `words` for whoever does not see it; the trace and the point that are clicked go to `on_click`."""
    drawn = ui.plotly(_recoloured(figure)).classes("w-full")
    drawn.props["role"], drawn.props["aria-label"] = "img", words
    if on_click is not None:
        clicked = on_click

        def heard(event: Any) -> None:
            point = event.args["points"][0]
            clicked(int(point["curveNumber"]), int(point.get("pointIndex", point.get("pointNumber", 0))))

        drawn.on("plotly_click", heard)
    return drawn


def _recoloured(figure: Mapping[str, Any]) -> dict[str, Any]:
    """The figure without a background, text and lines in grey that can be read on light and dark."""
    made = deepcopy(dict(figure))
    layout = made.setdefault("layout", {})
    layout.update(paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", autosize=True)
    layout["font"] = {**layout.get("font", {}), "color": _INK}
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")) and isinstance(axis, dict):
            axis.update(gridcolor=_LINE, linecolor=_LINE, zerolinecolor=_LINE, tickfont={"color": _INK})
    made["config"] = {"displayModeBar": False, "responsive": True}
    return made


_RING = {"size": 19, "symbol": "circle-open", "color": "#d55e00", "line": {"width": 3}}


def choose_point(
    figure: Mapping[str, Any],
    words: str,
    points: Sequence[tuple[int, int, str]],
    chosen: int | None,
    choose: Callable[[int], None],
) -> None:
    """Draw a plot and a list of the same points.

    Parameters
    ----------
    figure, words
        The plot, and what it shows.
    points
        Of each that can be chosen: the number of its trace, of the point in it, and what the list says.
    chosen
        The place of the one that is chosen at first.
    choose
        Called with the place of a point when it is chosen.
    """
    state = {"chosen": chosen}

    def taken(place: int) -> None:
        state["chosen"] = place
        drawn.update_figure(_recoloured(_ringed(figure, points[place])))
        listed.set_content(_list(points, place))
        choose(place)

    def clicked(trace: int, point: int) -> None:
        for place, (one, other, _) in enumerate(points):
            if (one, other) == (trace, point):
                taken(place)

    def picked(event: Any) -> None:
        place = int(event.args) if str(event.args).isdigit() else -1
        if 0 <= place < len(points):
            taken(place)

    first = figure if chosen is None else _ringed(figure, points[chosen])
    drawn = _plot(first, words, clicked)
    listed = markup(_list(points, chosen))
    listed.on("change", picked, js_handler=VALUE)


def _ringed(figure: Mapping[str, Any], point: tuple[int, int, str]) -> dict[str, Any]:
    """The figure with a ring around a point."""
    made = deepcopy(dict(figure))
    trace = made["data"][point[0]]
    ring = {
        "type": "scatter",
        "mode": "markers",
        "x": [trace["x"][point[1]]],
        "y": [trace["y"][point[1]]],
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
        "marker": _RING,
    }
    made["data"] = [*made["data"], ring]
    return made


def _list(points: Sequence[tuple[int, int, str]], chosen: int | None) -> str:
    empty = '<option value="" selected disabled>choose one</option>' if chosen is None else ""
    options = options_html(enumerate(said for _, _, said in points), chosen)
    return (
        '<label class="choice">Choose a point <select class="role" aria-label="Choose a point">'
        f"{empty}{options}</select></label>"
    )


_TALL = 300  # pixels, where a figure does not say


def figures_of(project: Project, step: str) -> dict[str, Any]:
    """The figures that the job of a screen left, by their ids; none where it left none."""
    try:
        return dict(project.result(step, FIGURES))
    except LookupError:
        return {}


def draw_figures(figures: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw figures: section by section, each figure with the table of its numbers below it."""
    for (title, sentence), group in groupby(
        figures.values(), key=lambda one: (one["section"], one["sentence"])
    ):
        heading(title)
        paragraph(sentence, "note")
        for one in group:
            if one["title"] != title:
                markup(f'<h3 class="apart">{escape(one["title"])}</h3>')
            draw_figure(one)


def draw_figure(one: Mapping[str, Any]) -> None:
    """Draw one figure, and its numbers as a table for whoever wants them."""
    tall = one["figure"].get("layout", {}).get("height", _TALL)
    _plot(one["figure"], one["words"]).style(f"min-height: {tall:g}px")  # nothing moves once it is drawn
    with expandable("The numbers"):
        draw_table(one["table"])


def draw_table(facts: Mapping[str, Any] | None) -> None:
    """A table as reports write it; nothing where there is none."""
    if facts is not None:
        rows = [[str(cell) for cell in row] for row in facts["rows"]]
        grid(list(facts["head"]), rows, caption=facts["caption"], numbers=set(facts["numeric"]))
