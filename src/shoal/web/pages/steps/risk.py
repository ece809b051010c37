"""How exposed people are before anything is done: who is found by what, and which columns single them out."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from shoal.jobs.options import job_option
from shoal.privacy import GUARANTEE
from shoal.report import risk as told
from shoal.report.words import sentence
from shoal.web.pages import elements
from shoal.web.pages.elements import (
    draw_figures,
    empty_state,
    expandable,
    figures_of,
    grid,
    heading,
    notice,
    paragraph,
    tiles,
)
from shoal.web.pages.frame import navigation, watch_job
from shoal.web.pages.project import Project

__all__ = ["show"]

Facts = Mapping[str, Any]


_APART = [
    *((section, "*") for section in ("method", "release", "audit")),
    *(("guarantee", key) for key in GUARANTEE if key not in ("k", "m", "n")),
]
"""What is decided about the release says nothing of the risk before it."""


def show(project: Project) -> None:
    """Draw the screen."""
    asked: dict[str, Any] = {}

    def begin() -> None:
        given = {key: value for key, value in asked.items() if value is not None}
        project.begin("risk", given, apart=_APART)

    words = "The risk was not measured yet. Measuring changes nothing and takes seconds to a minute."
    nothing = partial(empty_state, words, "Measure the risk", begin)

    def done() -> None:
        facts = project.result("risk")
        tiles(told.tiles(facts))
        _told(facts)
        draw_figures(figures_of(project, "risk"))
        _which(facts)
        _population(facts, asked, begin)

    watch_job(project, "risk", begin=begin, again="Measure it again", done=done, nothing=nothing)
    navigation(project, "risk")


def _told(facts: Facts) -> None:
    """What the figures mean."""
    kept = [
        text
        for name, text in told.sentences(facts)
        if name != "people" and (name != "population" or _compared(facts))
    ]
    lines = list(map(sentence, kept))
    notice("care" if any(row["alone"] for row in facts["found"]) else "good", "What this means:", lines)


def _which(facts: Facts) -> None:
    """Which columns or fields single people out, and by how much."""
    if fields_ := told.field_rows(facts):
        heading("Which fields give people away")
        paragraph("The first gives the most away: one value of it is often nobody else's.", "note")
        head = ["Field", "Values", "Unique", f"Among fewer than {facts['k']} look-alikes"]
        grid(head, _texts(fields_), caption="What one value of each field reveals", numbers={1, 2, 3})
    if columns := told.column_rows(facts):
        with expandable("What each column reveals, in numbers"):
            head = [
                "Column",
                "Values",
                "Values per person",
                "Pairs that differ",
                "Unique by it",
                "Share in singling out",
            ]
            grid(head, _texts(columns), caption="The first gives the most away", numbers={1, 2, 3, 4, 5})
    if minimal := told.minimal_rows(facts):
        with expandable("The smallest sets of columns that single people out"):
            head = ["Columns", "People", "Share"]
            caption = "Leave out any one of them, and these people are no longer unique"
            grid(head, _texts(minimal), caption=caption, numbers={1, 2})


def _compared(facts: Facts) -> bool:
    """Whether it was said how many people there are beyond the data."""
    return bool(facts.get("population"))


def _population(facts: Facts, asked: dict[str, Any], begin: Any) -> None:
    """How many people there are beyond the data: it says how unique these are among them."""
    if "prosecutor" not in facts:
        return

    def heard(many: float | None) -> None:
        asked["population"] = many

    with expandable("More: attackers who do not know who is in the data"):
        elements.number(
            "How many people are there in all, of whom these are a part?",
            facts["population"]["size"] if _compared(facts) else None,
            heard,
            least=job_option("risk", "population").least,
            about="All inhabitants, for instance. shoal then says how many of these people are unique among them.",
        )
        ui.button("Measure it again", on_click=begin).props("outline").classes("q-mt-md")


def _texts(rows: Any) -> list[list[str]]:
    return [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
