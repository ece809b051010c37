"""The addresses of the pages, and the first screen: where data are given, and what is under way."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from nicegui import app, background_tasks, ui

from shoal.base.errors import InputError, ShoalError
from shoal.web.pages.elements import (
    Mood,
    details_section,
    heading,
    markup,
    notice,
    upload_progress_html,
)
from shoal.web.pages.frame import STEPS, TOP, address, format_sentence, page_frame
from shoal.web.pages.project import (
    DataSource,
    Project,
    Projects,
    source_from_database,
    source_from_path,
    source_from_uploads,
)
from shoal.web.pages.saved import ENDING, SavedProject, read_saved
from shoal.web.server.workspace import Server, Upload

__all__ = ["_draw_start", "add_pages"]


_HERE = Path(__file__).parent
# seconds: a browser that draws many plots on a busy machine is silent for a while, and is not gone
_PATIENCE = 30.0


_PLACES = {step: (one.screen or f"{step}.show").split(".") for step, one in STEPS.items()}
_SCREENS: dict[str, Callable[[Project], None]] = {
    step: getattr(import_module(f"shoal.web.pages.steps.{module}"), function)
    for step, (module, function) in _PLACES.items()
}


def add_pages(whole: FastAPI, server: Server, end: Callable[[], None] | None = None) -> None:
    """Let an application show the pages of a server; where `end` ends it, the first page has a button for that."""
    projects = Projects(server)
    style = (_HERE / "look.css").read_text(encoding="utf-8")
    scripts = (_HERE / "page.js").read_text(encoding="utf-8")

    def dress_page() -> None:
        ui.add_css(style)
        ui.add_head_html(f"<script>{scripts}</script>")
        ui.colors(primary="#0072b2", negative="#a3190f", warning="#7a4b00", positive="#00664f")

    @ui.page("/")
    def show_start() -> None:
        dress_page()
        _draw_start(projects, end)

    @ui.page("/project/{number}/{step}")
    def show_step(number: str, step: str) -> None:
        dress_page()
        _draw_step(projects.get(number), step)

    @whole.get("/alive", status_code=204, include_in_schema=False)
    def alive() -> None:
        """Tell an open page that its server is there."""

    def show_crash(error: Exception) -> None:
        dress_page()
        with page_frame("Something went wrong", "What you have decided is still there."):
            notice("bad", f"This is a bug in shoal ({type(error).__name__}): go back, or report it.")
            ui.link("To the start", TOP)

    app.on_page_exception(show_crash)
    app.on_exception(_notify_error)
    if not os.environ.get("SHOAL_DEBUG"):
        for name in ("nicegui", "uvicorn.error"):  # a traceback may hold cells
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    ui.run_with(
        whole,
        title="shoal",
        dark=None,
        language="en-US",
        show_welcome_message=False,
        reconnect_timeout=_PATIENCE,
    )


def _draw_step(project: Project | None, step: str) -> None:
    """Draw the screen of a step, or lead to the first one that has not been done."""
    if project is None or step not in STEPS:
        _draw_lost()
    elif not project.ready and step != "data" and (step != "roles" or project.configuration is None):
        ui.navigate.to(address(project, "data"))
    else:
        entry = STEPS[step]
        with page_frame(entry.title, entry.lead, project, step):
            _SCREENS[step](project)


def _draw_lost() -> None:
    """Draw the screen of data that are not there any more."""
    with page_frame("This session has ended", "The data set was removed, or the server was started again."):
        notice(
            "care",
            "shoal keeps nothing when it ends: choose your file again, and before it the project that you saved. A "
            "shoal.toml and releases that you have downloaded are where you put them.",
        )
        ui.link("Choose your file again", TOP)


def _notify_error(error: Exception) -> None:
    """Say on the page that a click did not work."""
    with suppress(RuntimeError):  # nobody looks any more
        fault = f"this did not work ({type(error).__name__}): a bug in shoal; please report it"
        ui.notify(str(error) if isinstance(error, ShoalError) else fault, type="negative")


_ZONE = """
<label class="empty drop"><b>Choose a file</b>, or drop it here
<input class="hidden-input" type="file" multiple data-send="file" aria-label="Choose a file">
<p class="note">csv, tsv, txt, Excel (xlsx), parquet, json, ndjson, jsonl, xml, SPSS (sav, zsav, por), Stata (dta), SAS
(sas7bdat, xpt), SQLite (db, sqlite, sqlite3), DuckDB or FIMI's dat; all but databases also as .gz. Several files are
several tables of one data set. A project that you saved (.shoal) is opened here, too.</p></label>
"""
_EXAMPLE = "patients.csv"


def _draw_start(projects: Projects, end: Callable[[], None] | None = None) -> None:
    """Draw the first screen."""
    lead = (
        "Publish data about people so that nobody can be told apart from others. Begin with your file: shoal looks "
        "at it, proposes what to do, and shows what that costs. Nothing leaves this machine."
    )
    with page_frame("What do you want to publish?", lead):
        error_box = ui.element("div")
        opened: list[SavedProject] = []

        def tell(mood: Mood, words: str, more: Sequence[str] = ()) -> None:
            error_box.clear()
            with error_box:
                notice(mood, words, more)

        def attempt(make: Any, *facts: Any) -> None:
            error_box.clear()
            try:
                source = make(*facts)
                if source is not None:
                    saved = opened[0] if opened else None
                    ui.navigate.to(address(projects.add(source, saved), "data"))
            except InputError as error:
                tell("bad", format_sentence(str(error)))

        def receive(event: Any) -> None:
            ui.run_javascript('document.getElementById("sending")?.setAttribute("hidden", "")')
            attempt(_take_uploads, projects, event.args, opened)
            if opened and not error_box.default_slot.children:
                files = ", ".join(opened[0].files)
                tell(
                    "good",
                    f"The project {opened[0].name} is open. Now choose its data, which are not in it: {files}.",
                )

        async def try_example() -> None:
            upload = await _store_example(projects)
            attempt(partial(source_from_uploads, folder=False), [upload])

        markup(_ZONE + upload_progress_html("q-btn"))
        ui.on("shoal-sent", receive)
        ui.button("Try it with example data", on_click=try_example).props("flat").classes("q-mt-sm")
        with details_section("Or take what is on this machine already, or in a database"):
            _draw_other_sources(attempt)
        _draw_projects(projects)
        if end is not None:
            _draw_end(end)


def _draw_end(end: Callable[[], None]) -> None:
    """A button that ends the server, and asks once more: what was sent and made is removed then."""

    def ask() -> None:
        question.clear()
        with question:
            notice("care", "What was sent and made is removed. Projects and releases that you saved stay.")
            ui.button("End shoal now", on_click=end).props("unelevated").classes("q-mt-sm")

    heading("When you are done")
    ui.button("End shoal", on_click=ask).props("outline")
    question = ui.element("div").props("aria-live=polite")


def _draw_other_sources(attempt: Any) -> None:
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
    form.on("submit.prevent", lambda: attempt(source_from_path, path.value))
    with ui.element("form").classes("box") as form:
        heading("A database", 3)
        with ui.element("div").classes("row"):
            url = ui.input("URL", placeholder="postgresql://user@host/name").props("dense outlined")
            url.classes("col")
            password = ui.input("Password", password=True)
            password.props("dense outlined autocomplete=off")
            ui.button("Look at it").props("unelevated type=submit")
    form.on("submit.prevent", lambda: attempt(source_from_database, url.value, password.value))


def _draw_projects(projects: Projects) -> None:
    """The projects of this server, to go on with or to remove."""

    @ui.refreshable
    def listed() -> None:
        project_list = [project for project in projects if not project.is_refused]
        if project_list:
            heading("What you have begun")
        for project in project_list:
            with ui.element("div").classes("row"):
                ui.link(project.source.name, address(project, "data"))
                button = ui.button("Remove", on_click=lambda _, one=project: remove(one)).props("flat dense")
                button.props["aria-label"] = f"Remove {project.source.name}"

    def remove(project: Project) -> None:
        background_tasks.create(projects.remove(project))
        ui.timer(0.1, listed.refresh, once=True)

    listed()


def _take_uploads(
    projects: Projects, said_: Mapping[str, Any], opened: list[SavedProject]
) -> DataSource | None:
    """The data that a page has sent; a project among them is opened, and None where it comes without data.

    Raises
    ------
    InputError
        The files are refused, and nothing of them is kept.
    """
    ids = said_.get("ids")
    uploads = [projects.server.uploads.get(str(item)) for item in ids] if isinstance(ids, list) else []
    known_uploads = [item for item in uploads if item is not None]
    saved_uploads = [upload for upload in known_uploads if upload.name.lower().endswith(ENDING)]
    data_uploads = [upload for upload in known_uploads if upload not in saved_uploads]
    try:
        for upload in saved_uploads:
            opened[:] = [read_saved(upload.path)]
        if saved_uploads and not data_uploads:
            return None
        return source_from_uploads(data_uploads, folder=bool(said_.get("folder")) or len(data_uploads) > 1)
    except InputError:
        saved_uploads = known_uploads
        raise
    finally:
        for upload in saved_uploads:
            projects.server.uploads.remove(upload.id)


async def _store_example(projects: Projects) -> Upload:
    """Invented hospital stays, as if somebody had sent them."""
    from shoal.jobs.demo.example import (
        example_table,
    )  # of all jobs, the server imports this one alone, and only here

    async def chunks() -> AsyncIterator[bytes]:
        yield await asyncio.to_thread(example_table)

    return await projects.server.uploads.store(_EXAMPLE, chunks())
