"""Plots of the figures that a job left, in the page's colours: to read with their numbers, or to choose from."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from html import escape
from itertools import groupby
from typing import Any

from nicegui import ui

from shoal.web.pages.elements import expandable, grid, heading, markup, paragraph
from shoal.web.pages.project import Project
from shoal.web.server.artifacts import FIGURES

__all__ = ["choose_point", "draw_figure", "draw_figures", "draw_table", "figures_of"]


_INK = "#77848f"  # readable on white and on the dark page alike
_LINE = "rgba(128, 144, 158, .3)"


def plot(
    figure: Mapping[str, Any], words: str, on_click: Callable[[int, int], object] | None = None
) -> "ui.plotly":  # NiceGUI's own element imports the package plotly: not before a figure is drawn
    """Draw a figure.

    Parameters
    ----------
    figure
        Its `data` and `layout`, as plotly writes them to JSON.
    words
        What it shows, for whoever does not see it.
    on_click
        Called with the number of the trace and of the point that was clicked.
    """
    drawn = ui.plotly(recoloured(figure)).classes("w-full")
    drawn.props["role"], drawn.props["aria-label"] = "img", words
    if on_click is not None:
        clicked = on_click
        drawn.on(
            "plotly_click",
            lambda event: clicked(int(event.args["points"][0]["curveNumber"]), _index(event.args)),
        )
    return drawn


def recoloured(figure: Mapping[str, Any]) -> dict[str, Any]:
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


def _index(said: Mapping[str, Any]) -> int:
    point = said["points"][0]
    return int(point.get("pointIndex", point.get("pointNumber", 0)))


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
        drawn.update_figure(recoloured(_ringed(figure, points[place])))
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
    drawn = plot(first, words, clicked)
    listed = markup(_list(points, chosen))
    listed.on("change", picked, js_handler="(event) => emit(event.target.value)")


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
    options = "".join(
        f'<option value="{place}"{" selected" if place == chosen else ""}>{escape(said)}</option>'
        for place, (_, _, said) in enumerate(points)
    )
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
    plot(one["figure"], one["words"]).style(f"min-height: {tall:g}px")  # nothing moves once it is drawn
    with expandable("The numbers"):
        draw_table(one["table"])


def draw_table(facts: Mapping[str, Any] | None) -> None:
    """A table as reports write it; nothing where there is none."""
    if facts is not None:
        rows = [[str(cell) for cell in row] for row in facts["rows"]]
        grid(list(facts["head"]), rows, caption=facts["caption"], numbers=set(facts["numeric"]))
