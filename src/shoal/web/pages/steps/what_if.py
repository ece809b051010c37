"""What would be lost if a column were left out, or made coarser: tried by a job, taken by a click."""

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

from nicegui import background_tasks, ui

from shoal.base.naming import RECODED
from shoal.io.settings import role_of
from shoal.report.words import percent
from shoal.web.pages.elements import (
    details_section,
    empty_state,
    heading,
    markup,
    paragraph,
    redraw_on_change,
)
from shoal.web.pages.frame import show_progress, watch_job
from shoal.web.pages.project import Project

__all__ = ["draw_what_if"]

Facts = Mapping[str, Any]

_STEP = "prices"
_SHAPES = ("table", "mixed")
_WORTH = 0.01  # of the detail: changes that bring less are folded away


def draw_what_if(project: Project) -> None:
    """Draw the section; nothing where fewer than two columns could be left out."""
    columns = project.section("columns")
    quasi = [name for name in columns if role_of({"columns": columns}, name) in RECODED]
    if project.shape not in _SHAPES or len(quasi) < 2:
        return

    def begin() -> None:
        project.begin("prices", step=_STEP, apart={("release", "*"), ("audit", "*")})

    def nothing() -> None:
        empty_state(
            "Each column that others may know costs detail in all others. Releases are tried without each of them; "
            "none is kept.",
            "Try it",
            begin,
        )

    def draw() -> None:
        job = project.job("propose")
        if job is not None and not job.over:
            show_progress(project, job)
        elif project.ready:
            done = partial(_draw_prices, project)
            watch_job(project, _STEP, begin=begin, again="Try it again", done=done, nothing=nothing)

    heading("What if a column were left out?")
    redraw_on_change(draw, lambda: project.job_state("propose"))


def _draw_prices(project: Project) -> None:
    facts = project.result(_STEP)
    words = "What the other columns lose with the change, and without it; 0% is nothing, 100% everything."
    if facts["sample"] is not None:
        words += f" Estimated on {facts['sample']:,} of {facts['records']:,} records."
    if all(price["change"] == "left out" for price in facts["prices"]):
        words += " To try a column coarser, group its values by a button under Hierarchies first."
    paragraph(words, "note")
    worth: list[Facts] = []
    rest: list[Facts] = []
    for price in facts["prices"]:
        (worth if price["gain"] >= _WORTH else rest).append(price)
    listed = ui.refreshable(partial(_draw_rows, project, worth))
    if worth:
        listed()
        ui.timer(0.3, partial(_refresh_when_taken, project, listed, [_list_taken(project, facts)], facts))
    else:
        paragraph("No single change would bring the others more than a hundredth of their detail.")
    if rest:
        with details_section("Changes that bring little or nothing"):
            _draw_rows(project, rest)
    if facts["untried"]:
        paragraph(f"Not tried, for time was too short: {', '.join(facts['untried'])}.", "note")


def _list_taken(project: Project, facts: Facts) -> list[bool]:
    return [_is_taken(project, price) for price in facts["prices"]]


def _refresh_when_taken(project: Project, listed: Any, seen: list[list[bool]], facts: Facts) -> None:
    """Draw the rows again when a change was taken, here or on another page."""
    now = _list_taken(project, facts)
    if now != seen[0]:
        seen[0] = now
        listed.refresh()


def _draw_rows(project: Project, prices: list[Facts]) -> None:
    with ui.element("div").classes("changes").props("role=list"):
        for price in prices:
            with ui.element("div").classes("change").props("role=listitem"):
                markup(f"<b>{_change_html(price)}</b><span>{escape(_gain_words(price))}</span>")
                if _is_taken(project, price):
                    markup('<span class="mark">taken</span>', "span").props("role=status")
                    continue
                is_left_out = price["change"] == "left out"
                button = ui.button(
                    "Leave it out" if is_left_out else "Make it coarser",
                    on_click=partial(_take, project, price),
                ).props("outline no-caps")
                words = "Leave out" if is_left_out else "Make coarser:"
                button.props["aria-label"] = f"{words} {price['name']}"


def _change_html(price: Facts) -> str:
    name = escape(price["name"])
    return (
        f"Without {name}"
        if price["change"] == "left out"
        else f"{name} never finer than level {price['level']}"
    )


def _gain_words(price: Facts) -> str:
    """What a change brings, in words.

    >>> _gain_words({"before": 0.5, "after": 0.25, "suppressed": 3})
    'The other columns lose 25% instead of 50%, and 3 records are left out.'
    """
    left_out = f", and {price['suppressed']:,} records are left out" if price["suppressed"] else ""
    if price["before"] is None:
        return f"A release can be made: the other columns lose {percent(price['after'])}{left_out}."
    return (
        f"The other columns lose {percent(price['after'])} instead of {percent(price['before'])}{left_out}."
    )


def _is_taken(project: Project, price: Facts) -> bool:
    spec = project.section("columns").get(price["name"], "drop")
    role = spec if isinstance(spec, str) else spec["role"]
    level = 0 if isinstance(spec, str) else spec.get("level", 0)
    if price["change"] == "left out":
        return role not in RECODED
    return role in RECODED and level >= price["level"]


def _take(project: Project, price: Facts) -> None:
    """Decide for a change; where a column is left out, the data are looked at again without it."""
    if price["change"] == "coarser":
        project.specify(price["name"], "level", price["level"])
        return
    job = project.job("propose")
    if job is not None and not job.over:
        background_tasks.create(project.server.jobs.cancel(job))
    project.roles[price["name"]] = "drop"
    project.propose()
