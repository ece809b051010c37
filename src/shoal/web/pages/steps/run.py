"""Make the release: what will be done in words, how far it is, a cancel."""

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from nicegui import ui

from shoal.errors import InputError
from shoal.io.settings import toml_words
from shoal.privacy.attackers import claim_in_words
from shoal.web.pages.elements import empty_state, expandable, markup, notice, redraw_on_change
from shoal.web.pages.frame import address, navigation
from shoal.web.pages.project import Project
from shoal.web.pages.working import watch_job

__all__ = ["show"]


_SEVERAL = {
    "identifier": "that name people",
    "quasi": "that others may know",
    "sensitive": "that nobody should learn",
    "items": "with baskets",
    "plain": "published as they are",
    "drop": "left out",
}
"""Columns of each role, as one counts them."""


def show(project: Project) -> None:
    """Draw the screen."""

    def begin() -> None:
        project.begin("run")

    def nothing() -> None:
        empty_state(
            "All is decided. Making the release takes from seconds to minutes.", "Make the release", begin
        )

    def done() -> None:
        notice("good", "The release is made, and its judge says yes.")
        with ui.element("div").classes("row q-mt-md"):
            ui.button("See the result", on_click=lambda: ui.navigate.to(address(project, "result"))).props(
                "unelevated"
            )
            ui.button("Make it again", on_click=begin).props("outline")

    redraw_on_change(lambda: _decided(project), lambda: project.changes)
    watch_job(project, "run", begin=begin, again="Make the release", done=done, nothing=nothing)
    navigation(project, "run", ready=False)


def _decided(project: Project) -> None:
    """What was decided, in words, and as the configuration says it."""
    configuration = project.configuration
    assert configuration is not None
    lines = [f"{name}: {words}" for name, words in _words(project, configuration)]
    markup(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>")
    with expandable("All that is decided, as shoal.toml says it"):
        markup(f"<pre tabindex=0>{escape(toml_words(configuration))}</pre>")


def _words(project: Project, configuration: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Data", f"{project.given.name}, {project.proposal['records']:,} records"
    yield "Columns", _roles(project)
    try:
        yield "Promise", claim_in_words(project.shape, configuration).attacker
    except InputError as error:
        yield "Promise", str(error)
    allowed = [
        name
        for name, one in configuration.get("columns", {}).items()
        if isinstance(one, dict) and one.get("allow")
    ]
    if allowed:
        yield "Published though shoal would refuse it, because you allow it", ", ".join(allowed)
    yield "Made", f"by {configuration.get('method', {}).get('name', 'the maker that shoal chooses')}"


def _roles(project: Project) -> str:
    counts = Counter(str(one["role"]) for one in project.proposal["columns"])
    return ", ".join(f"{counts[role]} {words}" for role, words in _SEVERAL.items() if counts[role])
