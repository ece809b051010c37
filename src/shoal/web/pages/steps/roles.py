"""What each column is, as it was proposed, with why; another role is a click."""

from collections.abc import Mapping
from html import escape
from typing import Any

from nicegui import background_tasks, ui

from shoal.web.pages.frame import onward
from shoal.web.pages.parts.said import said
from shoal.web.pages.parts.words import markup
from shoal.web.pages.parts.working import watched
from shoal.web.pages.project import Project

__all__ = ["ROLES", "show"]

ROLES = {
    "identifier": "names a person: never leaves",
    "quasi": "others may know it: made coarser",
    "sensitive": "nobody should learn it: published",
    "items": "a basket of items",
    "plain": "harmless: published as it is",
    "drop": "left out",
}
"""The roles, each as one says it."""

_OF_TREES = ("identifier", "quasi", "sensitive", "drop")


def show(project: Project) -> None:
    """Draw the screen."""

    def done() -> None:
        found = project.proposal
        looks = [f"{one['name']}: {one['look']}" for one in found["columns"] if one["look"]]
        if looks:
            said("care", "Look at these before you publish anything:", looks)
        markup(_table(found, project.roles))
        onward(project, "roles")

    def chosen(event: Any) -> None:
        found = project.proposal["columns"]
        column, role = event.args.get("column"), event.args.get("role")
        if isinstance(column, int) and 0 <= column < len(found) and role in ROLES:
            _state(project, found[column]["name"], role)

    ui.on("shoal-role", chosen)
    watched(project, "propose", begin=project.propose, again="Propose again", done=done)


def _state(project: Project, column: str, role: str) -> None:
    """Have the data looked at again with this role stated; a look that is under way is of no use any more."""
    job = project.job("propose")
    if job is not None and not job.over:
        background_tasks.create(project.server.jobs.cancel(job))
    project.roles[column] = role
    project.propose()


def _table(found: Mapping[str, Any], stated: Mapping[str, str]) -> str:
    offered = _OF_TREES if found["shape"] == "trees" else tuple(ROLES)
    rows = "".join(
        _row(number, one, offered, found["records"], stated) for number, one in enumerate(found["columns"])
    )
    what = "field" if found["shape"] == "trees" else "column"
    head = "".join(
        f'<th scope="col">{name}</th>' for name in (what, "role", "why", "values", "people it singles out")
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="the role of each {what}"><table class="grid wide">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(
    number: int, one: Mapping[str, Any], offered: tuple[str, ...], records: int, stated: Mapping[str, str]
) -> str:
    name = escape(one["name"])
    options = "".join(
        f'<option value="{role}"{" selected" if role == one["role"] else ""}>{role}: {ROLES[role]}</option>'
        for role in offered
    )
    chosen = f'<select class="role" data-role="{number}" aria-label="role of {name}">{options}</select>'
    why = "you said so" if one["name"] in stated and stated[one["name"]] == one["role"] else one["why"]
    missing = f", missing in {one['missing']:,}" if one["missing"] else ""
    return (
        f'<tr><th scope="row">{name}</th><td>{chosen}</td><td>{escape(why)}</td>'
        f"<td>{escape(one['type'])}, {one['distinct']:,} different{missing}</td><td>{_singled(one, records)}</td></tr>"
    )


def _singled(one: Mapping[str, Any], records: int) -> str:
    if one["role"] == "items":
        return ""
    alone = f"{one['alone']:,} of {records:,} by itself"
    beside = f"; {one['together']:.0%} with {escape(' and '.join(one['with']))}" if one["with"] else ""
    return alone + beside
