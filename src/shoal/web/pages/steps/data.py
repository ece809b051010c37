"""What the data are: what they were taken for, and their first records.

Where the table stands in its file and how its cells are written: found by itself, and here to be corrected.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from shoal.base.errors import InputError
from shoal.io.formats import format_of
from shoal.report.words import SHAPE_WORDS
from shoal.web.pages import elements
from shoal.web.pages.elements import (
    details_section,
    grid,
    heading,
    notice,
    paragraph,
    redraw_on_change,
    tiles,
)
from shoal.web.pages.frame import TOP, navigation, watch_job
from shoal.web.pages.grouping import name_buttons
from shoal.web.pages.project import Project

__all__ = ["show"]


_ROWS = ("header", "skip", "last")
_CELLS = ("missing", "decimal", "thousands", "dates")
_KEYS = {
    "xlsx": ("sheet", *_ROWS, "values"),
    "csv": _ROWS,
    "json": ("records",),
    "labelled": ("values", "codebook"),
}
"""By how a file is read, the keys that say where its table stands; how cells are written is asked of each."""


def _has_reading_options(project: Project) -> bool:
    """Whether it is one file of a kind in which a table can stand in several ways."""
    return not project.source.is_url and _reader_name(project) in _KEYS


def _ask_how_to_read(project: Project) -> None:
    """Ask for what was found and may be wrong; the file is read again when somebody says so."""
    values: dict[str, Any] = {**project.section("data"), **project.reading}
    answers: dict[str, Any] = {}

    paragraph("What was found in your file. Correct what is wrong, and have it read again.", "note")
    with ui.element("div").classes("asks beside"):
        for key in (*_KEYS[_reader_name(project)], *_CELLS):
            sentence, about, _ = _ASKED[key]
            heard = partial(answers.__setitem__, key)
            if isinstance(about, str):
                elements.text(f"{sentence} ({key})", _value_to_text(values.get(key)), heard, about=about)
            else:
                usual = next(iter(about))
                elements.select(f"{sentence} ({key})", about, str(values.get(key, usual)), heard)

    @ui.refreshable
    def trouble(why: str = "") -> None:
        if why:
            notice("bad", why)

    def again() -> None:
        try:
            settings = {key: _ASKED[key][2](value) for key, value in answers.items()}
        except InputError as error:
            trouble.refresh(str(error))
            return
        project.reading |= {key: value for key, value in settings.items() if value is not None}
        for key in (key for key, value in settings.items() if value is None):
            project.reading.pop(key, None)
        project.propose()

    trouble()
    ui.button("Read it again", on_click=again).props("outline").classes("q-mt-sm")


def _reader_name(project: Project) -> str:
    format = format_of(project.source.name)
    return "" if format is None else format.reader


def _value_to_text(value: Any) -> str:
    """A value of [data] in a line of text."""
    if isinstance(value, list):
        return ", ".join(str(entry) for entry in value if entry != "")
    return "" if value is None else str(value)


def _parse_rows(text: str) -> int | list[int] | None:
    """A number of a row, or several with commas between them; None where there is none.

    >>> _parse_rows("3"), _parse_rows("3, 4"), _parse_rows(" ")
    (3, [3, 4], None)

    Raises
    ------
    InputError
        It is no number.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise InputError("rows are counted: give a whole number, or several with commas between them")
    numbers = [int(part) for part in parts]
    return numbers[0] if len(numbers) == 1 else numbers or None


def _parse_missing(text: str) -> list[str]:
    """What stands for no value, an empty cell among it.

    >>> _parse_missing("NA, -99 ,")
    ['', 'NA', '-99']
    """
    return ["", *(part.strip() for part in text.split(",") if part.strip())]


def _text_or_none(text: str) -> str | None:
    return text.strip() or None


_ASKED: dict[str, tuple[str, str | dict[str, str], Callable[[str], Any]]] = {
    "sheet": ("Sheet", "its name; empty takes the first", _text_or_none),
    "header": (
        "Row with the names of the columns",
        "1 is the first row of the file; 3, 4 where names stand in two rows",
        _parse_rows,
    ),
    "skip": (
        "Rows that are not records",
        "4 leaves out the first four rows of the file; 9, 12 only these two",
        _parse_rows,
    ),
    "last": (
        "Last row of the table",
        "everything below it, such as totals and notes, is left out",
        _parse_rows,
    ),
    "records": (
        "Where the records are",
        "the names of the fields that hold the list, such as data.items",
        _text_or_none,
    ),
    "missing": (
        "What stands for no value",
        "with commas between them; an empty cell always does",
        _parse_missing,
    ),
    "values": ("What cells are", {"labels": "labels: Male", "codes": "codes: 1"}, _text_or_none),
    "codebook": (
        "Where the codes come from",
        {
            "": "not said",
            "public": "public: a questionnaire",
            "built": "built: a program numbered the rows' values",
        },
        _text_or_none,
    ),
    "decimal": ("Sign before decimals", {".": "point: 12.50", ",": "comma: 12,50"}, _text_or_none),
    "thousands": (
        "Sign between thousands",
        {"": "none", ",": "comma: 1,234", ".": "point: 1.234", " ": "blank: 1 234", "'": "apostrophe: 1'234"},
        lambda text: text or None,
    ),
    "dates": (
        "Dates that can be read in two ways",
        {
            "": "not said",
            "day first": "day first: 3/12 is in December",
            "month first": "month first: 3/12 is in March",
        },
        _text_or_none,
    ),
}
"""Of each key: what it is, what is said about it or the words to choose from, and what reads what was typed."""


_EQUAL_BRANCHES = (
    "A record tree shows which values a person has and what belongs to what, not how often: equal branches of a "
    "person become one."
)
_MOST = 5  # tables of which records are shown


def show(project: Project) -> None:
    """Draw the screen."""

    def done() -> None:
        proposal = project.proposal
        words = SHAPE_WORDS[proposal["shape"]]
        columns = proposal["columns"]
        tiles(
            [
                ("taken for", words.name, words.about),
                ("records", f"{proposal['records']:,}", words.records),
                (
                    f"{words.holder}s",
                    f"{len(columns):,}",
                    f"{sum(column['role'] in ('quasi', 'items') for column in columns)} of them others may know",
                ),
            ]
        )
        if project.renamed:
            notice(
                "care",
                "Columns were given another name, for theirs stood twice. Rename them in your own file, too, before "
                "you use it with shoal run:",
                project.renamed,
            )
        if proposal["notes"]:
            notice("care", "Look at this first:", list(map(name_buttons, proposal["notes"])))
        if words.nested:
            paragraph(_EQUAL_BRANCHES, "note")
        _draw_sample(project)
        if _has_reading_options(project):
            with details_section("How the file is read"):
                _ask_how_to_read(project)
        navigation(project, "data")

    watch_job(project, "propose", begin=project.propose, again="Look at the data again", done=done)
    redraw_on_change(lambda: _offer_retry(project), lambda: _is_lost(project))


def _is_lost(project: Project) -> bool:
    job, is_over = project.job_state("propose")
    return job is not None and is_over and job.state != "done"


def _offer_retry(project: Project) -> None:
    if _is_lost(project):
        if _has_reading_options(project):
            heading("How the file is read")
            _ask_how_to_read(project)
        ui.link("Choose another file", TOP).classes("q-mt-md block")


def _draw_sample(project: Project) -> None:
    """The first records, as they came."""
    parts = project.sample
    if parts:
        heading("The first records")
        paragraph("They are shown only here and are not stored.", "note")
    for part in parts[:_MOST]:
        count_words = f"the first {len(part['rows'])} records" if part["more"] else "all records"
        caption = f"{part['name']}, {count_words}"
        grid(part["columns"], [[cell or "" for cell in row] for row in part["rows"]], caption=caption)
    if len(parts) > _MOST:
        paragraph(f"And {len(parts) - _MOST} more tables.", "note")
