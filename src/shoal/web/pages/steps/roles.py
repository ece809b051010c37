"""What each column is, as it was proposed, with why; another role is a click."""

from collections.abc import Mapping
from html import escape
from typing import Any

from nicegui import background_tasks, ui

from shoal.web.pages.frame import onward
from shoal.web.pages.parts import fields
from shoal.web.pages.parts.again import drawn_again
from shoal.web.pages.parts.said import said
from shoal.web.pages.parts.words import markup, more
from shoal.web.pages.parts.working import ended_badly, working
from shoal.web.pages.project import Project
from shoal.web.pages.steps.column_more import column_more

__all__ = ["ROLES", "show"]

ROLES = {
    "identifier": ("names a person", "It is never published: a name, a patient number, an email address."),
    "quasi": ("others may know it", "It is made coarser until people look alike: age, town, sex, job."),
    "sensitive": (
        "nobody should learn it",
        "It is published, but must not be tied to a person: a diagnosis, an income.",
    ),
    "items": ("a basket", "Several items of a person in one cell: what was bought, prescribed, visited."),
    "plain": (
        "harmless",
        "It is published as it is; shoal refuses that where it would tell who somebody is.",
    ),
    "drop": ("left out", "It is not published. It says nothing about who is who."),
}
"""The roles: in three words, and in a sentence."""

_LOOKS = 8  # columns that are named to look at
_MANY = 30  # columns beyond which one is searched for
_OF_TREES = ("identifier", "quasi", "sensitive", "drop")


def show(project: Project) -> None:
    """Draw the screen."""
    searched = [""]

    def draw() -> None:
        job = project.job("propose")
        assert job is not None
        if not job.over:
            working(project, job)
        elif job.state != "done":
            ended_badly(job)
        found = project.proposal
        looks = [f"{one['name']}: {one['look']}" for one in found["columns"] if one["look"]]
        if looks:
            rest = [f"and {len(looks) - _LOOKS} more"] if len(looks) > _LOOKS else []
            said("care", "Look at these before you publish anything:", [*looks[:_LOOKS], *rest])
        if project.taken_back:
            said("care", "These fit your data no longer, and were taken back:", project.taken_back)
        markup(_table(found, project.roles, searched[0]))
        with more("What the roles mean"):
            markup(_meanings())
        if job.over:
            column_more(project)
        onward(project, "roles", ready=job.over)

    def chosen(event: Any) -> None:
        found = project.proposal["columns"]
        column, role = event.args.get("column"), event.args.get("role")
        if isinstance(column, int) and 0 <= column < len(found) and role in ROLES:
            _state(project, found[column]["name"], role)

    def search(text: str) -> None:
        searched[0] = text

    ui.on("shoal-role", chosen)
    if len(project.proposal["columns"]) > _MANY:
        fields.text("Show only names that hold", "", search)
    drawn_again(draw, lambda: (job := project.job("propose"), job is not None and job.over, searched[0]))


def _state(project: Project, column: str, role: str) -> None:
    """Have the data looked at again with this role stated; a look that is under way is of no use any more."""
    job = project.job("propose")
    if job is not None and not job.over:
        background_tasks.create(project.server.jobs.cancel(job))
    project.roles[column] = role
    project.propose()


def _table(found: Mapping[str, Any], stated: Mapping[str, str], searched: str = "") -> str:
    offered = _OF_TREES if found["shape"] == "trees" else tuple(ROLES)
    rows = "".join(
        _row(number, one, offered, found["records"], stated)
        for number, one in enumerate(found["columns"])
        if searched.strip().casefold() in one["name"].casefold()
    )
    what = "field" if found["shape"] == "trees" else "column"
    head = "".join(
        f'<th scope="col">{name}</th>' for name in (what, "role", "why", "values", "people it singles out")
    )
    region = f'class="scroll" tabindex="0" role="region" aria-label="the role of each {what}"'
    return (
        f'<div {region}><table class="sheet wide stacked">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _meanings() -> str:
    listed = "".join(
        f"<li><b>{words} ({role})</b>: {sentence}</li>" for role, (words, sentence) in ROLES.items()
    )
    return f"<ul>{listed}</ul>"


def _row(
    number: int, one: Mapping[str, Any], offered: tuple[str, ...], records: int, stated: Mapping[str, str]
) -> str:
    name, now = escape(one["name"]), stated.get(one["name"], one["role"])
    options = "".join(
        f'<option value="{role}"{" selected" if role == now else ""}>{ROLES[role][0]} ({role})</option>'
        for role in offered
    )
    chosen = f'<select class="role" data-role="{number}" aria-label="role of {name}">{options}</select>'
    missing = f", missing in {one['missing']:,}" if one["missing"] else ""
    return (
        f'<tr><th scope="row">{name}</th><td>{chosen}</td><td data-label="why">{escape(one["why"])}</td>'
        f'<td data-label="values">{escape(one["type"])}, {one["distinct"]:,} different{missing}</td>'
        f'<td data-label="singles out">{_singled(one, records)}</td></tr>'
    )


def _singled(one: Mapping[str, Any], records: int) -> str:
    if one["role"] == "items":
        return ""
    alone = f"{one['alone']:,} of {records:,} by itself"
    beside = f"; {one['together']:.0%} with {escape(' and '.join(one['with']))}" if one["with"] else ""
    return alone + beside
