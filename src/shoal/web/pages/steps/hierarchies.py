"""How values may become coarser: one column's tree at a time, to look at and to edit."""

from html import escape
from typing import Any

from nicegui import ui

from shoal.web.job import Job
from shoal.web.pages.frame import address, onward
from shoal.web.pages.hierarchies.desk import Desk
from shoal.web.pages.hierarchies.desks import COUNT, Desks
from shoal.web.pages.hierarchies.editor import editor
from shoal.web.pages.hierarchies.taking import Taking
from shoal.web.pages.parts.again import PACE
from shoal.web.pages.parts.said import empty, said
from shoal.web.pages.parts.words import markup
from shoal.web.pages.parts.working import ended_badly, working
from shoal.web.pages.project import Project

__all__ = ["show"]

_CHOSEN = "hierarchies: column"


def show(project: Project) -> None:
    """Draw the screen."""
    desks = Desks.of(project)
    taking = Taking(project.server.uploads)
    if desks.outdated:
        desks.begin()

    @ui.refreshable
    def shown() -> None:
        job = project.job(COUNT)
        if job is not None and not job.over and not desks.is_recounted:
            working(project, job)
        elif job is not None and job.state in ("failed", "cancelled"):
            _not_counted(job, desks)
        else:
            desks.read()
            _columns(desks, taking)

    seen: list[object] = []

    def look() -> None:
        job = project.job(COUNT)
        now = (job, job is not None and job.over)
        if seen and seen != [now]:
            if desks.is_recounted and job is not None and job.state in ("waiting", "running", "done"):
                desks.read()  # the tree stays on the screen, its numbers change
            else:
                shown.refresh()
        seen[:] = [now]

    shown()
    look()
    ui.timer(PACE, look)
    onward(project, "hierarchies")


def _not_counted(job: Job, desks: Desks) -> None:
    ended_badly(job)
    ui.button("Count people", on_click=desks.begin).props("unelevated").classes("q-mt-md")


def _columns(desks: Desks, taking: Taking) -> None:
    """The choice of a column, and the tree of the chosen one."""
    project = desks.project
    for column, sentence in desks.faults.items():
        said("bad", f"{column}: {sentence}.")
    if not desks.there:
        empty(
            "No column has a hierarchy: nothing of these data is made coarser.",
            "Look at the roles",
            lambda: ui.navigate.to(address(project, "roles")),
        )
        return
    chosen = project.kept.get(_CHOSEN)
    if chosen not in desks.there:
        chosen = next(iter(desks.there))

    @ui.refreshable
    def edited(column: str) -> None:
        editor(desks, desks.there[column], taking, lambda: select.set_content(_options(desks, column)))

    def choose(event: Any) -> None:
        columns = list(desks.there)
        if isinstance(event.args, int) and 0 <= event.args < len(columns):
            project.kept[_CHOSEN] = columns[event.args]
            edited.refresh(columns[event.args])

    with ui.element("div").classes("tree-choice"):
        what = "Field" if "tree" in (project.configuration or {}) else "Column"
        markup(f'<label for="tree-column">{what}</label>')
        select = markup(_options(desks, chosen), "select").classes("entry").props("id=tree-column")
        select.on("change", choose, js_handler="(event) => emit(Number(event.target.value))")
    edited(chosen)


def _options(desks: Desks, chosen: str) -> str:
    return "".join(
        f'<option value="{number}"{" selected" if column == chosen else ""}>{escape(_line(desk))}</option>'
        for number, (column, desk) in enumerate(desks.there.items())
    )


def _line(desk: Desk) -> str:
    """A column in a few words."""
    count = desk.tree.height - 1
    between = f"{count} {'level' if count == 1 else 'levels'} of groups" if count else "no groups yet"
    values = f"{desk.tree.size:,} {'value' if desk.tree.size == 1 else 'values'}"
    return f"{desk.column}: {values}, {between}{', edited' if desk.is_edited else ''}"
