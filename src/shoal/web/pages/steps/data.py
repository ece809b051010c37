"""What the data are: what they were taken for, and their first records."""

from nicegui import ui

from shoal.report.words import SHAPE_WORDS
from shoal.web.pages.elements import expandable, grid, heading, notice, paragraph, redraw_on_change, tiles
from shoal.web.pages.frame import TOP, navigation, watch_job
from shoal.web.pages.project import Project
from shoal.web.pages.steps.reading import ask_how_to_read, may_be_read_otherwise

__all__ = ["show"]

_EQUAL_BRANCHES = (
    "A record tree shows which values a person has and what belongs to what, not how often: equal branches of a "
    "person become one."
)
_MOST = 5  # tables of which records are shown


def show(project: Project) -> None:
    """Draw the screen."""

    def done() -> None:
        found = project.proposal
        words = SHAPE_WORDS[found["shape"]]
        columns = found["columns"]
        tiles(
            [
                ("taken for", words.name, words.about),
                ("records", f"{found['records']:,}", words.records),
                (
                    f"{words.holder}s",
                    f"{len(columns):,}",
                    f"{sum(one['role'] in ('quasi', 'items') for one in columns)} of them others may know",
                ),
            ]
        )
        if found["notes"]:
            notice("care", "Look at this first:", found["notes"])
        if words.nested:
            paragraph(_EQUAL_BRANCHES, "note")
        _sample(project)
        if may_be_read_otherwise(project):
            with expandable("How the file is read"):
                ask_how_to_read(project)
        navigation(project, "data")

    watch_job(project, "propose", begin=project.propose, again="Look at the data again", done=done)
    redraw_on_change(lambda: _another(project), lambda: _is_lost(project))


def _is_lost(project: Project) -> bool:
    job = project.job("propose")
    return job is not None and job.over and job.state != "done"


def _another(project: Project) -> None:
    if _is_lost(project):
        if may_be_read_otherwise(project):
            heading("How the file is read")
            ask_how_to_read(project)
        ui.link("Choose another file", TOP).classes("q-mt-md block")


def _sample(project: Project) -> None:
    """The first records, as they came."""
    parts = project.sample
    if parts:
        heading("The first records")
        paragraph("They stand on this page only; nothing of it is kept or sent.", "note")
    for part in parts[:_MOST]:
        which = f"the first {len(part['rows'])} records" if part["more"] else "all records"
        caption = f"{part['name']}, {which}"
        grid(part["columns"], [[cell or "" for cell in row] for row in part["rows"]], caption=caption)
    if len(parts) > _MOST:
        paragraph(f"And {len(parts) - _MOST} more tables.", "note")
