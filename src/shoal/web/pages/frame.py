"""What is around every screen: the name, the way with its steps, where to go next, and the job that it waits for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from nicegui import background_tasks, ui

from shoal import __version__
from shoal.web.pages.elements import (
    PACE,
    heading,
    link_button,
    markup,
    notice,
    paragraph,
    redraw_on_change,
)
from shoal.web.pages.grouping import name_buttons
from shoal.web.pages.project import Project
from shoal.web.pages.saved import ENDING
from shoal.web.server.jobs import Job

__all__ = [
    "FIRST",
    "STEPS",
    "TOP",
    "Step",
    "address",
    "format_sentence",
    "navigation",
    "page_frame",
    "show_failure",
    "show_progress",
    "watch_job",
]

FIRST = "data"
TOP = "../../"
"""Where every address begins. From each screen, and from the first one, this leads to the top; an address with a slash
in front would get the guard's door before it, which is for what a screen loads and not for where it leads."""
_FISH = (
    '<svg viewBox="0 0 44 24" aria-hidden="true"><path d="M2 6q7-6 13 0l4-3v6l-4-3q-6 6-13 0zM14 17q7-6 13 0l4-3v6'
    'l-4-3q-6 6-13 0zM25 6q7-6 13 0l4-3v6l-4-3q-6 6-13 0z"/></svg>'
)


@dataclass(frozen=True, slots=True)
class Step:
    """One screen: what it is called in the way, its heading, and a sentence under it.

    back   : of a screen beside the way, which nobody has to pass: the step that it leads back to
    screen : the module of `steps` and its function that draw it; by default the module of the step's name, and `show`
    """

    name: str
    title: str
    lead: str
    back: str = ""
    screen: str = ""


STEPS: dict[str, Step] = {
    "data": Step("Data", "Your data", "What shoal found in them. Nothing of it leaves this machine."),
    "roles": Step(
        "Roles",
        "What is each column?",
        "What others may know about somebody is made coarser; what names people is never published.",
    ),
    "hierarchies": Step(
        "Hierarchies",
        "How may values become coarser?",
        "Values are collected into groups, and groups into larger ones. Each person's value is published as it is, or "
        "as a group it belongs to.",
    ),
    "attacker": Step(
        "Attacker",
        "Who might look for somebody?",
        "Say what others may know about a person in the data. From that follows what the release promises.",
    ),
    "risk": Step(
        "Risk",
        "How exposed are these people now?",
        "Before anything is done: who could be found in the data as they are, and by what.",
    ),
    "tradeoff": Step(
        "Trade-off",
        "What does each choice cost?",
        "More protection costs more detail. See how much, and what your data would look like.",
    ),
    "run": Step(
        "Run",
        "Make the release",
        "It is made, judged as written, and only then given to you.",
        screen="release.show_run",
    ),
    "result": Step(
        "Result",
        "Your release",
        "What was promised, what it cost, and what you may hand on.",
        screen="release.show_result",
    ),
    "compare": Step(
        "Compare",
        "Which method loses least?",
        "Several methods can promise the same. Try them on these data, side by side; nothing of it is published.",
        back="tradeoff",
    ),
}
"""The screens by their names in addresses, in the order of the way."""


def address(project: Project, step: str) -> str:
    """Where a screen of a project is."""
    return f"{TOP}project/{project.id}/{step}"


@contextmanager
def page_frame(title: str, lead: str, project: Project | None = None, step: str = FIRST) -> Iterator[None]:
    """A screen with its heading and a sentence; what is drawn inside is its own."""
    ui.page_title(f"{title} - shoal")
    with ui.element("div").classes("whole"):
        markup('<a class="skip" href="#main">Skip to the content</a>')
        with ui.element("header"):
            name = "" if project is None else f"<span>{escape(project.source.name)}</span>"
            with ui.element("div").classes("top"):
                markup(f'<p class="brand">{_FISH}<a href="{TOP}">shoal</a>{name}</p>')
                if project is not None:
                    _draw_save(project)
            if project is not None:
                redraw_on_change(lambda: _draw_steps(project, step), lambda: project.ready)
        with ui.element("div").props('id=main tabindex="-1"'):
            heading(title, 1)
            paragraph(lead, "lead")
            yield
        markup(
            f"<footer><p>shoal {__version__}. This page is served by this machine to itself: nothing is sent anywhere, "
            "and everything is removed when the server stops.</p></footer>"
        )


def _draw_save(project: Project) -> None:
    """A button that saves the project as one file; it asks where the file would hold values of the data."""

    def save(values: bool) -> None:
        question.clear()
        stem = project.source.name.partition(".")[0] or "shoal"
        text = project.collect_decisions(values=values).text()
        ui.download.content(text, f"{stem}{ENDING}", "application/json")

    def ask() -> None:
        question.clear()
        if not project.hierarchies:
            save(values=False)
            return
        with question, ui.element("div").classes("said care").props("role=note"):
            paragraph(
                "Hierarchies that you edited list values of your data. No records are saved in any case."
            )
            with ui.element("div").classes("row"):
                _add_save_button("Save with these values", lambda: save(values=True))
                _add_save_button("Save without these hierarchies", lambda: save(values=False))

    button = _add_save_button("Save the project", ask)
    button.props["title"] = "Your decisions, without any record: to go on another day or elsewhere"
    question = ui.element("div").classes("save-question").props("aria-live=polite")


def _add_save_button(name: str, act: Callable[[], object]) -> ui.element:
    return markup(name, "button").classes("small-button").props("type=button").on("click", act)


def navigation(project: Project, step: str, *, ready: bool = True) -> None:
    """Back to the step before, on to the next one."""
    step_names = [name for name, entry in STEPS.items() if not entry.back]
    previous_step = STEPS[step].back or dict(pairwise(reversed(step_names))).get(step)
    next_step = dict(pairwise(step_names)).get(step) if ready else None
    with ui.element("nav").classes("go").props('aria-label="back and next"'):
        if previous_step:
            link_button(f"Back: {STEPS[previous_step].name}", address(project, previous_step), "flat")
        ui.element("span").classes("grow")
        if next_step:
            link_button(f"Next: {STEPS[next_step].name}", address(project, next_step))


def _draw_steps(project: Project, step: str) -> None:
    def one(name: str, found: Step) -> str:
        words = found.name
        if name == step:
            inner = f'<a href="{address(project, name)}" aria-current="step">{words}</a>'
        elif name == FIRST or project.ready:
            inner = f'<a href="{address(project, name)}">{words}</a>'
        else:
            inner = f'<span class="later" aria-disabled="true">{words}</span>'
        return f"<li>{inner}</li>"

    # a screen beside the way is reached from the step that it leads back to
    items_html = "".join(one(name, entry) for name, entry in STEPS.items() if not entry.back or name == step)
    markup(f'<nav class="steps" aria-label="the way"><ol>{items_html}</ol></nav>')


def watch_job(
    project: Project,
    step: str,
    *,
    begin: Callable[[], object],
    again: str,
    done: Callable[[], None],
    nothing: Callable[[], object] | None = None,
    may_begin: Callable[[], bool] = lambda: True,
    failed: Callable[[Job], None] = lambda job: None,
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
    may_begin
        Whether the job may be begun now; the buttons wait for it.
    failed
        Draws what else can be done about a job that failed.
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
            if job.notes:
                notice(
                    "care",
                    "Know this before you publish anything:",
                    [format_sentence(note) for note in job.notes],
                )
            if project.is_stale(step):
                notice("care", "You have changed something since this was made.")
                ui.button(again, on_click=begin).props("outline").classes("q-mt-sm").set_enabled(may_begin())
            done()
        else:
            show_failure(job)
            failed(job)
            ui.button(again, on_click=begin).props("unelevated").classes("q-mt-md").set_enabled(may_begin())

    redraw_on_change(draw, lambda: (project.job_state(step), project.is_stale(step), may_begin()))


def show_progress(project: Project, job: Job) -> None:
    """A job under way: what it is at, its share, its time left, and a cancel."""
    jobs = project.server.jobs
    with ui.element("div").classes("box working").props("aria-live=polite"):
        state_label = ui.label().classes("text-weight-medium")
        bar = ui.element("progress").props('max=1 aria-label="how much is done"')
        time_label = ui.label().classes("note")

        def look() -> None:
            facts = job.as_dict()
            state_label.set_text(_progress_words(facts["state"], facts["what"]))
            share = facts["share"]
            if share is None:
                bar.props(remove="value")
            else:
                bar.props(f"value={share:.3f}")
            elapsed, remaining = facts["seconds"], facts["left"]
            estimate = (
                ""
                if remaining is None or elapsed < 1
                else f", about {_format_duration(remaining)} left for this step"
            )
            time_label.set_text(f"{_format_duration(elapsed)} so far{estimate}")

        look()
        ui.timer(PACE, look)
        ui.button("Cancel", on_click=lambda: background_tasks.create(jobs.cancel(job))).props("outline")


def show_failure(job: Job) -> None:
    """What is said of a job that failed or was cancelled."""
    if job.state == "cancelled":
        paragraph("This was cancelled. Nothing is left of it.")
    else:
        notice("bad", format_sentence(job.sentence or "it did not work"))


def format_sentence(text: str) -> str:
    """A message as a sentence; one that begins with the name of a file or column keeps it as it is.

    >>> format_sentence("nothing was sent"), format_sentence("people.csv: no records")
    ('Nothing was sent.', 'people.csv: no records.')
    """
    text = name_buttons(text)
    sentence = text if text.split(" ", 1)[0].endswith(":") else f"{text[:1].upper()}{text[1:]}"
    return sentence if sentence.endswith(".") else f"{sentence}."


def _progress_words(state: str, what: str) -> str:
    if state == "waiting":
        return "Waiting for its turn ..."
    return f"{what[:1].upper()}{what[1:]} ..." if what else "Starting ..."


def _format_duration(seconds: float) -> str:
    """How long something takes, as one says it.

    >>> _format_duration(3.2), _format_duration(75), _format_duration(4000)
    ('3 s', '1 min 15 s', '1 h 6 min')
    """
    total_seconds = round(seconds)
    if total_seconds < 60:
        return f"{total_seconds} s"
    if total_seconds < 3600:
        return f"{total_seconds // 60} min {total_seconds % 60} s"
    return f"{total_seconds // 3600} h {total_seconds % 3600 // 60} min"
