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
    details_section,
    draw_figures,
    empty_state,
    figures_of_step,
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
    *(("guarantee", key) for key in GUARANTEE if key not in ("k", "m", "n", "known_at_once")),
]
"""What is decided about the release says nothing of the risk before it."""


def show(project: Project) -> None:
    """Draw the screen."""
    answers: dict[str, Any] = {}

    def begin() -> None:
        options = {key: value for key, value in answers.items() if value is not None}
        project.begin("risk", options, apart=_APART)

    words = "The risk was not measured yet. Measuring changes nothing and takes seconds to a minute."
    nothing = partial(empty_state, words, "Measure the risk", begin)

    def done() -> None:
        facts = project.result("risk")
        tiles(told.headline_tiles(facts))
        _draw_meaning(facts)
        draw_figures(figures_of_step(project, "risk"))
        _draw_columns(facts)
        _ask_population(facts, answers, begin)

    watch_job(project, "risk", begin=begin, again="Measure it again", done=done, nothing=nothing)
    navigation(project, "risk")


def _draw_meaning(facts: Facts) -> None:
    """What the figures mean."""
    texts = [
        text
        for name, text in told.sentences(facts)
        if name != "people" and (name != "population" or _has_population(facts))
    ]
    lines = list(map(sentence, texts))
    notice("care" if any(row["alone"] for row in facts["found"]) else "good", "What this means:", lines)


def _draw_columns(facts: Facts) -> None:
    """Which columns or fields single people out, and by how much."""
    if field_rows := told.field_rows(facts):
        heading("Which fields give people away")
        paragraph("The first gives the most away: one value of it is often nobody else's.", "note")
        head = ["Field", "Values", "Unique", f"Among fewer than {facts['k']} look-alikes"]
        grid(
            head, _rows_to_text(field_rows), caption="What one value of each field reveals", numbers={1, 2, 3}
        )
    if columns := told.column_rows(facts):
        with details_section("What each column reveals, in numbers"):
            head = [
                "Column",
                "Values",
                "Values per person",
                "Pairs that differ",
                "Unique by it",
                "Share in singling out",
            ]
            grid(
                head, _rows_to_text(columns), caption="The first gives the most away", numbers={1, 2, 3, 4, 5}
            )
    if minimal := told.minimal_rows(facts):
        with details_section("The smallest sets of columns that single people out"):
            head = ["Columns", "People", "Share"]
            caption = "Leave out any one of them, and these people are no longer unique"
            grid(head, _rows_to_text(minimal), caption=caption, numbers={1, 2})


def _has_population(facts: Facts) -> bool:
    """Whether it was said how many people there are beyond the data."""
    return bool(facts.get("population"))


def _ask_population(facts: Facts, asked: dict[str, Any], begin: Any) -> None:
    """How many people there are beyond the data: it says how unique these are among them."""
    if "prosecutor" not in facts:
        return

    def heard(many: float | None) -> None:
        asked["population"] = many

    with details_section("More: attackers who do not know who is in the data"):
        elements.number(
            "How many people are there in all, of whom these are a part?",
            facts["population"]["size"] if _has_population(facts) else None,
            heard,
            least=job_option("risk", "population").least,
            about="All inhabitants, for instance. shoal then says how many of these people are unique among them.",
        )
        ui.button("Measure it again", on_click=begin).props("outline").classes("q-mt-md")


def _rows_to_text(rows: Any) -> list[list[str]]:
    return [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
