"""Plots from the plotly figures that a job left, in the page's colours, light and dark alike."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from nicegui import ui

__all__ = ["plot", "recoloured"]

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
