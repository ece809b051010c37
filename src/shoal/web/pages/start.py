"""The first screen: where data are given, and what is under way."""

from collections.abc import Mapping
from typing import Any

from nicegui import background_tasks, ui

from shoal.errors import InputError
from shoal.web.pages.frame import address, framed
from shoal.web.pages.given import Given, from_database, from_path, from_uploads
from shoal.web.pages.parts.said import said
from shoal.web.pages.parts.words import heading, markup, more
from shoal.web.pages.project import Project
from shoal.web.pages.projects import Projects

__all__ = ["start"]

_ZONE = """
<label class="empty drop"><b>Choose a file</b>, or drop it here
<input class="hidden-input" type="file" multiple data-send="file" aria-label="Choose a file">
<p class="note">csv, Excel, parquet, json, ndjson, xml, or FIMI's dat, each also as .gz. Several files are several
tables of one data set.</p></label>
<div id="sending" class="box working" hidden aria-live="polite"><span id="sending-what">Sending ...</span>
<progress id="sending-bar" max="1" value="0" aria-label="how much is sent"></progress>
<button type="button" class="q-btn" data-stop-sending>Cancel</button></div>
<p id="sending-said" class="said bad" role="alert" hidden></p>
"""


def start(projects: Projects) -> None:
    """Draw the first screen."""
    lead = (
        "Publish data about people so that nobody can be told apart from others. Begin with your file: shoal looks "
        "at it, proposes what to do, and shows what that costs. Nothing leaves this machine."
    )
    with framed("What do you want to publish?", lead):
        wrong = ui.element("div")

        def take(given: Given) -> None:
            ui.navigate.to(address(projects.add(given), "data"))

        def attempt(make: Any, *facts: Any) -> None:
            wrong.clear()
            try:
                take(make(*facts))
            except InputError as error:
                with wrong:
                    said("bad", str(error))

        markup(_ZONE)
        ui.on("shoal-sent", lambda event: attempt(_sent, projects, event.args))
        with more("Or take what is on this machine already, or in a database"):
            _elsewhere(attempt)
        _under_way(projects)


def _elsewhere(attempt: Any) -> None:
    with ui.element("div").classes("box"):
        heading("A folder to send", 3)
        markup(
            '<p class="note">A folder of csv or parquet files, one for each table.</p><label>'
            '<input type="file" webkitdirectory data-send="folder" aria-label="Choose a folder"></label>'
        )
    with ui.element("form").classes("box") as form:
        heading("A file or folder of this machine", 3)
        with ui.element("div").classes("row"):
            path = ui.input("Path", placeholder="/data/people.csv").props("dense outlined").classes("col")
            ui.button("Look at it").props("unelevated type=submit")
    form.on("submit.prevent", lambda: attempt(from_path, path.value))
    with ui.element("form").classes("box") as form:
        heading("A database", 3)
        with ui.element("div").classes("row"):
            url = ui.input("URL", placeholder="postgresql://user@host/name").props("dense outlined")
            url.classes("col")
            password = ui.input("Password", password=True)
            password.props("dense outlined autocomplete=off")
            ui.button("Look at it").props("unelevated type=submit")
    form.on("submit.prevent", lambda: attempt(from_database, url.value, password.value))


def _under_way(projects: Projects) -> None:
    """The projects of this server, to go on with or to remove."""

    @ui.refreshable
    def listed() -> None:
        there = list(projects)
        if there:
            heading("What you have begun")
        for project in there:
            with ui.element("div").classes("row"):
                ui.link(project.given.name, address(project, "data"))
                button = ui.button("Remove", on_click=lambda _, one=project: remove(one)).props("flat dense")
                button.props["aria-label"] = f"Remove {project.given.name}"

    def remove(project: Project) -> None:
        background_tasks.create(projects.remove(project))
        ui.timer(0.1, listed.refresh, once=True)

    listed()


def _sent(projects: Projects, said_: Mapping[str, Any]) -> Given:
    """The uploads that a page tells of; whatever else it says is not believed."""
    ids = said_.get("ids")
    found = [projects.server.uploads.get(str(one)) for one in ids] if isinstance(ids, list) else []
    there = [one for one in found if one is not None]
    return from_uploads(there, folder=bool(said_.get("folder")) or len(there) > 1)
