"""What the data are: what they were taken for, and their first records."""

from nicegui import ui

from shoal.web.pages.elements import grid, heading, notice, paragraph, redraw_on_change, tiles
from shoal.web.pages.frame import TOP, navigation
from shoal.web.pages.project import Project
from shoal.web.pages.working import watch_job

__all__ = ["show"]

_SHAPES = {
    "table": ("a table", "one record per person, a value in each column"),
    "baskets": ("baskets", "a set of items per person"),
    "mixed": ("a table with baskets", "values in columns, and a set of items, per person"),
    "trees": (
        "record trees",
        "values that stand below each other, such as visits and what was found in them",
    ),
}
"""The shapes of data as people call them."""


_READ = {
    "table": "rows",
    "baskets": "baskets",
    "mixed": "rows, each with a basket",
    "trees": "one tree per person",
}
_EQUAL_BRANCHES = (
    "A record tree tells which values a person has and what stands below what, not how often: branches of a person "
    "that are equal become one."
)
_MOST = 5  # tables of which records are shown


def show(project: Project) -> None:
    """Draw the screen."""

    def done() -> None:
        found = project.proposal
        words, meaning = _SHAPES[found["shape"]]
        columns = found["columns"]
        tiles(
            [
                ("taken for", words, meaning),
                ("records", f"{found['records']:,}", _READ[found["shape"]]),
                (
                    "columns" if found["shape"] != "trees" else "fields",
                    f"{len(columns):,}",
                    f"{sum(one['role'] in ('quasi', 'items') for one in columns)} of them others may know",
                ),
            ]
        )
        if found["notes"]:
            notice("care", "Look at this first:", found["notes"])
        if found["shape"] == "trees":
            paragraph(_EQUAL_BRANCHES, "note")
        _sample(project)
        navigation(project, "data")

    watch_job(project, "propose", begin=project.propose, again="Look at the data again", done=done)
    redraw_on_change(lambda: _another(project), lambda: _is_lost(project))


def _is_lost(project: Project) -> bool:
    job = project.job("propose")
    return job is not None and job.over and job.state != "done"


def _another(project: Project) -> None:
    if _is_lost(project):
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
