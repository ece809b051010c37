"""Make the release: what will be done in words, how far it is, a cancel."""

from collections.abc import Mapping
from html import escape
from typing import Any

from nicegui import ui

from shoal.io.toml_text import toml_words
from shoal.web.pages.frame import address, onward
from shoal.web.pages.parts.said import empty, said
from shoal.web.pages.parts.words import markup, more
from shoal.web.pages.parts.working import watched
from shoal.web.pages.project import Project

__all__ = ["show"]


def show(project: Project) -> None:
    """Draw the screen."""

    def begin() -> None:
        project.begin("run")

    def nothing() -> None:
        empty("All is decided. Making the release takes from seconds to minutes.", "Make the release", begin)

    def done() -> None:
        said("good", "The release is made, and its judge says yes.")
        with ui.element("div").classes("row q-mt-md"):
            ui.button("See the result", on_click=lambda: ui.navigate.to(address(project, "result"))).props(
                "unelevated"
            )
            ui.button("Make it again", on_click=begin).props("outline")

    assert project.configuration is not None
    _decided(project.configuration)
    watched(project, "run", begin=begin, again="Make the release", done=done, nothing=nothing)
    onward(project, "run", ready=False)


def _decided(configuration: Mapping[str, Any]) -> None:
    """What was decided, as the configuration says it."""
    with more("All that is decided, as shoal.toml says it"):
        markup(f"<pre tabindex=0>{escape(toml_words(configuration))}</pre>")
