"""The plots that a job left for the page, under their headings, each with its numbers to read."""

from collections.abc import Collection, Mapping
from html import escape
from itertools import groupby
from typing import Any

from shoal.web.order import FIGURES
from shoal.web.pages.parts.grids import grid
from shoal.web.pages.parts.plots import plot
from shoal.web.pages.parts.words import heading, markup, more, paragraph
from shoal.web.pages.project import Project

__all__ = ["drawn", "left"]


_TALL = 300  # pixels, where a figure does not say


def left(project: Project, step: str) -> dict[str, Any]:
    """The figures that the job of a screen left, by their ids; none where it left none."""
    try:
        return dict(project.result(step, FIGURES))
    except LookupError:
        return {}


def drawn(figures: Mapping[str, Mapping[str, Any]], without: Collection[str] = ()) -> None:
    """Draw figures: section by section, each figure with the table of its numbers below it."""
    shown = [one for name, one in figures.items() if name not in without]
    for (title, sentence), group in groupby(shown, key=lambda one: (one["section"], one["sentence"])):
        heading(title)
        paragraph(sentence, "note")
        for one in group:
            if one["title"] != title:
                markup(f'<h3 class="apart">{escape(one["title"])}</h3>')
            tall = one["figure"].get("layout", {}).get("height", _TALL)
            plot(one["figure"], one["words"]).style(
                f"min-height: {tall:g}px"
            )  # nothing moves once it is drawn
            with more("The numbers"):
                table(one["table"])


def table(said: Mapping[str, Any]) -> None:
    """A table as reports write it."""
    rows = [[str(cell) for cell in row] for row in said["rows"]]
    grid(list(said["head"]), rows, caption=said["caption"], numbers=set(said["numeric"]))
