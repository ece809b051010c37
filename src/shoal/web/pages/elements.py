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
    "details_section",
    "draw_figure",
    "draw_figures",
    "draw_table",
    "empty_state",
    "figures_of_step",
    "grid",
    "group",
    "heading",
    "lazy_section",
    "link_button",
    "losses_html",
    "markup",
    "notice",
    "number",
    "options_html",
    "pairs_html",
    "paragraph",
    "redraw_on_change",
    "select",
    "text",
    "tick_box",
    "tiles",
    "upload_progress_html",
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
def details_section(title: str) -> Iterator[ui.element]:
    """What most people need not see: it opens with a click."""
    with ui.element("details") as details:
        with ui.element("summary"):
            ui.label(title)
        yield details


def lazy_section(title: str, draw: Callable[[], object]) -> None:
    """What most people need not see, and what is drawn only once it is opened: a plot needs its place to be seen."""
    drawn: list[bool] = []
    with details_section(title) as details:
        inside = ui.element("div")

    def open_section() -> None:
        if not drawn:
            drawn.append(True)
            with inside:
                draw()

    details.on("toggle", open_section, js_handler="(event) => { if (event.target.open) emit(); }")


Mood = Literal["good", "care", "bad"]


def notice(mood: Mood, text: str, more: Sequence[str] = ()) -> ui.element:
    """A box with a sentence, and further ones as a list; a screen reader is told at once where it is bad."""
    items_html = "".join(f"<li>{escape(sentence)}</li>" for sentence in more)
    role = "alert" if mood == "bad" else "note"
    inner = f"<p>{escape(text)}</p>" + (f"<ul>{items_html}</ul>" if items_html else "")
    return markup(f'<div class="said {mood}" role="{role}">{inner}</div>')


def empty_state(text: str, action: str, on_click: Callable[[], object] | str, *, off: bool = False) -> None:
    """What is shown where nothing is there yet: a sentence and the one thing to do, or the address where one does it.

    `off` is whether it must wait.
    """
    with ui.element("div").classes("empty"):
        markup(f"<p>{escape(text)}</p>")
        if isinstance(on_click, str):
            link_button(action, on_click)
        else:
            ui.button(action, on_click=on_click).props("unelevated").set_enabled(not off)


def link_button(words: str, target: str, props: str = "unelevated") -> None:
    """A link that is drawn as a button.

    The browser follows it by itself: a click counts while the server is busy, and before the page is connected.
    """
    ui.button(words).props(props).props["href"] = target


def upload_progress_html(button: str) -> str:
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
            name
            for name, applies in (("n", place in numbers), ("changed", (row, place) in changed))
            if applies
        )
        return f'<td class="{kinds}">{escape(text)}</td>' if kinds else f"<td>{escape(text)}</td>"

    top = "".join(
        f'<th scope="col"{" class=n" if index in numbers else ""}>{escape(name)}</th>'
        for index, name in enumerate(head)
    )
    body = "".join(
        f"<tr>{''.join(cell(row, index, text) for index, text in enumerate(cells))}</tr>"
        for row, cells in enumerate(rows)
    )
    return markup(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="sheet">'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_GONE = "left out"
_LONG = 40  # signs of a cell
_MOST = 30  # columns that stand side by side


def pairs_html(preview: Mapping[str, Any], most: int | None = None) -> str:
    """Some records: under each column that changes anywhere, its cell before and its cell after; all are escaped.

    Of them at most so many are shown, spread over all.
    """
    columns, rows = preview["columns"][:_MOST], preview["rows"]
    if most is not None and len(rows) > most:
        rows = [rows[index * len(rows) // most] for index in range(most)]
    nested = SHAPE_WORDS[preview["shape"]].nested  # one column, the record itself
    pairs = [(row["before"], row["after"]) for row in rows if row["after"] is not None]
    changes = [
        nested or any(before[index] != after[index] for before, after in pairs)
        for index in range(len(columns))
    ]
    top = "".join(
        f'<th scope="colgroup" colspan="2">{escape(name)}</th>'
        if changed
        else f'<th scope="col" rowspan="2">{escape(name)}</th>'
        for name, changed in zip(columns, changes, strict=True)
    )
    below = '<th scope="col" class="was">before</th><th scope="col">after</th>' * sum(changes)
    body = "".join(_pair_row_html(row, changes) for row in rows)
    caption = f"{len(rows)} of {preview['records']:,} records, spread over the data, before and after"
    hidden_count = len(preview["columns"]) - len(columns)
    note = (
        f'<p class="note">{hidden_count:,} more columns are not shown here.</p>' if hidden_count > 0 else ""
    )
    kind = " trees" if nested else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table class="sheet pairs{kind}">'
        f'<caption>{caption}</caption><thead><tr><th scope="col" rowspan="2" class="n">record</th>{top}</tr>'
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
    caption = f"What each {part} loses" if part != "item" else "The items that lose most"
    head = f'<tr><th scope="col">{part}</th><th scope="col" class="n">loss</th><td></td></tr>'
    return (
        f'<div class="scroll"><table class="sheet lost"><caption>{caption}: 0% is nothing, 100% everything</caption>'
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div>"
    )


def _pair_row_html(row: Mapping[str, Any], changes: Sequence[bool]) -> str:
    is_left_out = row["after"] is None
    cells = [
        _pair_cells_html(before, None if is_left_out else row["after"][index], changed, is_left_out)
        for index, (before, changed) in enumerate(zip(row["before"], changes, strict=False))
    ]
    kind = ' class="gone"' if is_left_out else ""
    left_out = f' <span class="tag">{_GONE}</span>' if is_left_out else ""
    return f'<tr{kind}><th scope="row" class="n">{row["record"]:,}{left_out}</th>{"".join(cells)}</tr>'


def _pair_cells_html(before: str | None, after: str | None, changed: bool, gone: bool) -> str:
    if not changed:
        return f"<td>{_cell_html(before)}</td>"
    if gone:
        return f'<td class="was">{_cell_html(before)}</td><td>{_GONE}</td>'
    mark = ' class="changed"' if before != after else ""
    return f'<td class="was">{_cell_html(before)}</td><td{mark}>{_cell_html(after)}</td>'


def _cell_html(text: str | None) -> str:
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
    view = ui.refreshable(draw)
    last_state = [state()]
    view()

    def look() -> None:
        now = state()
        if now != last_state[0]:
            last_state[0] = now
            view.refresh()

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
                control = _create_control("input", type="radio", name=name, value=key, checked=key == value)
                control.on("change", lambda event: on_change(str(event.args)), js_handler=VALUE)
                _describe_control(control, sentence, example)


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
    box = _add_control(
        sentence, about, "input", **kind, min=least, max=most, placeholder=placeholder, begins=value
    )
    _listen_for_input(box, lambda said: on_change(_parse_number(said, whole)))
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
    box = _add_control(
        sentence, about, "input", type="text", placeholder=placeholder, autocomplete="off", begins=value
    )
    _listen_for_input(box, lambda said: on_change(str(said)))
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
    group_heading, apart_options = apart
    with _add_control(sentence, about, "select") as box:
        _add_options(offered, value)
        if apart_options:
            optgroup = ui.element("optgroup")
            _set_props(optgroup, label=group_heading)
            with optgroup:
                _add_options(apart_options, value)
    box.on("change", lambda event: on_change(str(event.args)), js_handler=VALUE)
    return box


def options_html(offered: Iterable[tuple[object, str]], chosen: object) -> str:
    """The lines of a list as HTML: of each its value, and what it says, which is escaped here."""
    return "".join(
        f'<option value="{value}"{" selected" if value == chosen else ""}>{escape(words)}</option>'
        for value, words in offered
    )


def _add_options(offered: Mapping[str, str], value: str) -> None:
    """The lines of a list that one is chosen from."""
    for key, words in offered.items():
        option = ui.html(escape(words), sanitize=False, tag="option")
        _set_props(option, value=key, selected=key == value)


def tick_box(
    sentence: str,
    value: bool,
    on_change: Callable[[bool], object],
    *,
    about: str = "",
    off: bool = False,
) -> ui.element:
    """Yes or no; `off` is whether it cannot be ticked."""
    with ui.element("label").classes("tick") as label:
        box = _create_control("input", type="checkbox", checked=value and not off, disabled=off)
        box.on("change", lambda event: on_change(bool(event.args)), js_handler=_CHECKED)
        _describe_control(box, sentence, about)
    return label


def _add_control(sentence: str, about: str, tag: str, **facts: object) -> ui.element:
    """A control below its label, and below what is said about it."""
    with ui.element("div").classes("ask"):
        label = ui.html(escape(sentence), sanitize=False, tag="label")
        description = ui.html(escape(about), sanitize=False, tag="span") if about else None
        box = _create_control(tag, **facts)
    label.props["for"] = box.html_id
    if description is not None:
        _set_props(box, **{"aria-describedby": description.html_id})
    return box


def _create_control(tag: str, *, begins: object = None, **facts: object) -> ui.element:
    """A control of the browser.

    What it `begins` with is an attribute (^): as a property it would come back whenever something near is drawn again.
    """
    element = ui.element(tag)
    _set_props(element, **facts, **({} if begins is None else {"^value": str(begins)}))
    return element


def _set_props(element: ui.element, **facts: object) -> None:
    """Set what is neither None nor False; whatever signs a text has are its own."""
    for key, value in facts.items():
        if value is not None and value is not False:
            element.props[key] = value


def _listen_for_input(box: ui.element, heard: Callable[[Any], object]) -> None:
    """Listen while somebody types, now and then, and once more when the field is left: nothing that stands is lost."""
    box.on("input", lambda event: heard(event.args), js_handler=VALUE, throttle=_PAUSE, leading_events=False)
    box.on("change", lambda event: heard(event.args), js_handler=VALUE)


def _describe_control(box: ui.element, sentence: str, about: str) -> None:
    """Beside a box to tick: its sentence is its name, what is said about it is told after that."""
    with ui.element("span"):
        name = ui.html(escape(sentence), sanitize=False, tag="b")
        _set_props(box, **{"aria-labelledby": name.html_id})
        if about:
            description = ui.html(escape(about), sanitize=False, tag="small")
            _set_props(box, **{"aria-describedby": description.html_id})


def _parse_number(said: Any, whole: bool) -> float | None:
    """What stands in a field for numbers.

    >>> [_parse_number(said, True) for said in ("5", "", "2.5", "x", None, "inf", "1e400")]
    [5, None, 2.5, None, None, None, None]
    """
    try:
        value = float(said)
    except (TypeError, ValueError):
        return None
    if not isfinite(value):
        return None
    return int(value) if whole and value.is_integer() else value


# Plots of the figures that a job left, in the page's colours: to read with their numbers, or to choose from.

_INK = "#77848f"  # readable on white and on the dark page alike
_LINE = "rgba(128, 144, 158, .3)"


def _draw_plot(
    figure: Mapping[str, Any], words: str, on_click: Callable[[int, int], object] | None = None
) -> "ui.plotly":  # NiceGUI's own element imports the package plotly: not before a figure is drawn
    """Draw a figure, `words` for whoever does not see it; the trace and the point that are clicked go to `on_click`."""
    plot = ui.plotly(_recolour_figure(figure)).classes("w-full")
    plot.props["role"], plot.props["aria-label"] = "img", words
    if on_click is not None:
        callback = on_click

        def heard(event: Any) -> None:
            point = event.args["points"][0]
            callback(int(point["curveNumber"]), int(point.get("pointIndex", point.get("pointNumber", 0))))

        plot.on("plotly_click", heard)
    return plot


def _recolour_figure(figure: Mapping[str, Any]) -> dict[str, Any]:
    """The figure without a background, text and lines in grey that can be read on light and dark."""
    figure_copy = deepcopy(dict(figure))
    layout = figure_copy.setdefault("layout", {})
    layout.update(paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", autosize=True)
    layout["font"] = {**layout.get("font", {}), "color": _INK}
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")) and isinstance(axis, dict):
            axis.update(gridcolor=_LINE, linecolor=_LINE, zerolinecolor=_LINE, tickfont={"color": _INK})
    figure_copy["config"] = {"displayModeBar": False, "responsive": True}
    return figure_copy


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
        plot.update_figure(_recolour_figure(_ring_point(figure, points[place])))
        point_list.set_content(_points_html(points, place))
        choose(place)

    def clicked(trace: int, point: int) -> None:
        for index, (trace_number, point_number, _) in enumerate(points):
            if (trace_number, point_number) == (trace, point):
                taken(index)

    def picked(event: Any) -> None:
        index = int(event.args) if str(event.args).isdigit() else -1
        if 0 <= index < len(points):
            taken(index)

    first_figure = figure if chosen is None else _ring_point(figure, points[chosen])
    plot = _draw_plot(first_figure, words, clicked)
    point_list = markup(_points_html(points, chosen))
    point_list.on("change", picked, js_handler=VALUE)


def _ring_point(figure: Mapping[str, Any], point: tuple[int, int, str]) -> dict[str, Any]:
    """The figure with a ring around a point."""
    figure_copy = deepcopy(dict(figure))
    trace = figure_copy["data"][point[0]]
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
    figure_copy["data"] = [*figure_copy["data"], ring]
    return figure_copy


def _points_html(points: Sequence[tuple[int, int, str]], chosen: int | None) -> str:
    empty = '<option value="" selected disabled>choose one</option>' if chosen is None else ""
    options = options_html(enumerate(words for _, _, words in points), chosen)
    return (
        '<label class="choice">Choose a point <select class="role" aria-label="Choose a point">'
        f"{empty}{options}</select></label>"
    )


_TALL = 300  # pixels, where a figure does not say


def figures_of_step(project: Project, step: str) -> dict[str, Any]:
    """The figures that the job of a screen left, by their ids; none where it left none."""
    try:
        return dict(project.result(step, FIGURES))
    except LookupError:
        return {}


def draw_figures(figures: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw figures: section by section, each figure with the table of its numbers below it."""
    for (title, sentence), section_figures in groupby(
        figures.values(), key=lambda one: (one["section"], one["sentence"])
    ):
        heading(title)
        paragraph(sentence, "note")
        for figure in section_figures:
            if figure["title"] != title:
                markup(f'<h3 class="apart">{escape(figure["title"])}</h3>')
            draw_figure(figure)


def draw_figure(one: Mapping[str, Any]) -> None:
    """Draw one figure, and its numbers as a table for whoever wants them."""
    tall = one["figure"].get("layout", {}).get("height", _TALL)
    _draw_plot(one["figure"], one["words"]).style(f"min-height: {tall:g}px")  # nothing moves once it is drawn
    with details_section("The numbers"):
        draw_table(one["table"])


def draw_table(facts: Mapping[str, Any] | None) -> None:
    """A table as reports write it; nothing where there is none."""
    if facts is not None:
        rows = [[str(cell) for cell in row] for row in facts["rows"]]
        grid(list(facts["head"]), rows, caption=facts["caption"], numbers=set(facts["numeric"]))
