"""The addresses of the pages."""

import logging
import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import ShoalError
from shoal.web.workspace import Server

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["add_pages"]

_HERE = Path(__file__).parent
_PATIENCE = (
    30.0  # seconds: a browser that draws many plots on a busy machine is silent for a while, and is not gone
)


def add_pages(whole: "FastAPI", server: Server) -> None:
    """Let an application show the pages of a server."""
    from nicegui import app, ui

    from shoal.web.pages.frame import TOP, address, framed
    from shoal.web.pages.parts.said import said
    from shoal.web.pages.projects import Projects
    from shoal.web.pages.start import start
    from shoal.web.pages.steps import STEPS

    projects = Projects(server)
    style = (_HERE / "look.css").read_text(encoding="utf-8")
    scripts = (_HERE / "page.js").read_text(encoding="utf-8")

    def dressed() -> None:
        ui.add_css(style)
        ui.add_head_html(f"<script>{scripts}</script>")
        ui.colors(primary="#0072b2", negative="#a3190f", warning="#7a4b00", positive="#00664f")

    @ui.page("/")
    def first() -> None:
        dressed()
        start(projects)

    @ui.page("/project/{number}/{step}")
    def screen(number: str, step: str) -> None:
        dressed()
        project = projects.get(number)
        if project is None or step not in STEPS:
            lost()
        elif not project.ready and step != "data" and (step != "roles" or project.configuration is None):
            ui.navigate.to(address(project, "data"))
        else:
            one = STEPS[step]
            with framed(one.title, one.lead, project, step):
                import_module(f"shoal.web.pages.steps.{step}").show(project)

    @whole.get("/alive", status_code=204, include_in_schema=False)
    def alive() -> None:
        """Tell an open page that its server is there."""

    def lost() -> None:
        with framed("This is not there", "The data set was removed, or the server was started again."):
            said("care", "Begin again with your file: shoal keeps nothing when it ends.")
            ui.link("To the start", TOP)

    def crashed(error: Exception) -> None:
        dressed()
        with framed("Something went wrong", "What you have decided is still there."):
            said("bad", f"This is a fault of shoal's ({type(error).__name__}): go back, or report it.")
            ui.link("To the start", TOP)

    def stumbled(error: Exception) -> None:
        with suppress(RuntimeError):  # nobody looks any more
            fault = f"this did not work ({type(error).__name__}): a fault of shoal's to report"
            ui.notify(str(error) if isinstance(error, ShoalError) else fault, type="negative")

    app.on_page_exception(crashed)
    app.on_exception(stumbled)
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
