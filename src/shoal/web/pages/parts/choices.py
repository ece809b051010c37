"""A plot whose points can be chosen: by a click, or from a list by keyboard and screen reader."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from html import escape
from typing import Any

from shoal.web.pages.parts.plots import plot, recoloured
from shoal.web.pages.parts.words import markup

__all__ = ["choices"]

_RING = {"size": 19, "symbol": "circle-open", "color": "#d55e00", "line": {"width": 3}}


def choices(
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
