"""A job as a screen shows it: not begun, under way with its share, its time left and a cancel, failed, done."""

from collections.abc import Callable

from nicegui import background_tasks, ui

from shoal.web.pages.elements import PACE, notice, paragraph, redraw_on_change
from shoal.web.pages.project import Project
from shoal.web.server.jobs import Job

__all__ = ["show_failure", "show_progress", "watch_job"]


def watch_job(
    project: Project,
    step: str,
    *,
    begin: Callable[[], object],
    again: str,
    done: Callable[[], None],
    nothing: Callable[[], None] | None = None,
) -> None:
    """Show the job of a screen, whatever it is at, and draw it again when that changes.

    Parameters
    ----------
    project, step
        Whose job.
    begin
        Begins it, or begins it again.
    again
        What the button says that begins it again.
    done
        Draws what a job that is done has found.
    nothing
        Draws what is there before anything was begun; without it the job is begun at once.
    """
    if project.job(step) is None and nothing is None:
        begin()

    def draw() -> None:
        job = project.job(step)
        if job is None:
            if nothing is not None:
                nothing()
        elif not job.over:
            show_progress(project, job)
        elif job.state == "done":
            _notes(job)
            if project.is_stale(step):
                notice("care", "You have changed something since this was made.")
                ui.button(again, on_click=begin).props("outline").classes("q-mt-sm")
            done()
        else:
            show_failure(job)
            ui.button(again, on_click=begin).props("unelevated").classes("q-mt-md")

    def state() -> tuple[Job | None, bool, bool]:
        job = project.job(step)
        return job, job is not None and job.over, project.is_stale(step)

    redraw_on_change(draw, state)


def show_progress(project: Project, job: Job) -> None:
    """A job under way: what it is at, its share, its time left, and a cancel."""
    jobs = project.server.jobs
    with ui.element("div").classes("box working").props("aria-live=polite"):
        what = ui.label().classes("text-weight-medium")
        bar = ui.element("progress").props('max=1 aria-label="how much is done"')
        left = ui.label().classes("note")

        def look() -> None:
            facts = job.as_dict()
            what.set_text(_at(facts["state"], facts["what"]))
            share = facts["share"]
            if share is None:
                bar.props(remove="value")
            else:
                bar.props(f"value={share:.3f}")
            left.set_text(_time(facts["seconds"], facts["left"]))

        look()
        ui.timer(PACE, look)
        ui.button("Cancel", on_click=lambda: background_tasks.create(jobs.cancel(job))).props("outline")


def show_failure(job: Job) -> None:
    """What is said of a job that failed or was cancelled."""
    if job.state == "cancelled":
        paragraph("This was cancelled. Nothing is left of it.")
    else:
        notice("bad", _sentence(job.sentence or "it did not work"))


def _notes(job: Job) -> None:
    if job.notes:
        notice("care", "Know this before you publish anything:", [_sentence(note) for note in job.notes])


def _sentence(text: str) -> str:
    """A message as a sentence; one that begins with the name of a file or column keeps it as it is.

    >>> _sentence("nothing was sent"), _sentence("people.csv: no records")
    ('Nothing was sent.', 'people.csv: no records.')
    """
    first = text if text.split(" ", 1)[0].endswith(":") else f"{text[:1].upper()}{text[1:]}"
    return first if first.endswith(".") else f"{first}."


def _at(state: str, what: str) -> str:
    if state == "waiting":
        return "Waiting for its turn ..."
    return f"{what[:1].upper()}{what[1:]} ..." if what else "Starting ..."


def _time(seconds: float, left: float | None) -> str:
    gone = f"{_long(seconds)} so far"
    return gone if left is None or seconds < 1 else f"{gone}, about {_long(left)} left for this step"


def _long(seconds: float) -> str:
    """How long something takes, as one says it.

    >>> _long(3.2), _long(75), _long(4000)
    ('3 s', '1 min 15 s', '1 h 6 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
