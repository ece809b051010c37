"""What a job leaves in its folder beside its result: JSON files for the page, zip files to take away.

The result of a job is what its command prints with `--json`; the page shows more. None of that holds an identifier but
the sample, which shows the data as they came.
"""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from shoal.errors import ShoalError
from shoal.stopping import in_one_piece
from shoal.web.server.job_spec import RELEASE, TOML

if TYPE_CHECKING:
    from shoal.publish.release import Front, MixedFront, Release
    from shoal.report.facts import Audit
    from shoal.report.sections import Section
    from shoal.web.server.job_spec import Task

__all__ = [
    "ARCHIVES",
    "COMPARED",
    "FIGURES",
    "FRONT",
    "PREVIEW",
    "PREVIEWS",
    "REPORT",
    "RISK",
    "SAMPLE",
    "audit_listener",
    "earlier_files",
    "pack",
    "show_figures",
    "show_front",
    "show_release",
    "show_sample",
]

RISK, COMPARED, FRONT = "risk.private", "compare.private", "front.private"
"""Folders with pages that must not be published."""

SAMPLE, FIGURES, REPORT, PREVIEW, PREVIEWS = (
    "sample.json",
    "figures.json",
    "told.json",
    "preview.json",
    "previews.json",
)
"""What a job leaves for the page, each in its folder and only where a page will show it.

sample.json   : of `propose`, the first records: parts with name, columns, rows, more
figures.json  : of `risk`, `pareto`, `compare` and `run`, by their ids: section, title, sentence, words, figure, table
told.json     : of `run` and a picked point, what its report says: headline, attacker, judges, verdict, limits, notes,
                tiles, tables
preview.json  : of the same, some records before and after, as `shoal run --preview --json` prints them
previews.json : of `pareto`, `points`: the same by the place of a point, where of very many points some have none; and
                `start`: the place of the point that a run takes, where that is not told by k
"""


# what one record has at all points together: 60 points of 30 columns, fewer of more
_CELLS, _USUAL = 1800, 30


def show_sample(task: "Task", data: str | Path, settings: Mapping[str, Any] | None = None) -> None:
    """Leave the first records of the data, before anything else is found out; whoever reads all tells what is wrong."""
    if task.shown is None:
        return
    from shoal.publish.study.propose.look import look

    with suppress(ShoalError):
        task.leave(SAMPLE, look(data, settings=settings).as_dict())


def show_front(task: "Task", front: "Front | MixedFront") -> None:
    """Leave the plot of a front, and for each of its points, or for some, what the data would look like there."""
    if task.shown is None:
        return
    from shoal.algorithms import METHODS
    from shoal.publish.release import previews
    from shoal.report.sections import front_sections

    columns = max(front.dataset.source.frame.width, _USUAL)
    found = previews(front, most=max(_CELLS // columns, 2), progress=task.progress)
    points = {str(place): one.as_dict() for place, one in found.items()}
    task.leave(PREVIEWS, {"start": front.usual, "points": points})
    mixed = not METHODS[front.method["name"]].fronts  # it trades losses, at one claim
    _leave_figures(task, front_sections(front.as_dict()["front"], mixed=mixed))


def show_figures(task: "Task", kind: Literal["risk", "compare"], facts: Mapping[str, Any]) -> None:
    """Leave the plots of the page on risk, or of the page of a comparison."""
    if task.shown is None:
        return
    task.progress("drawing")
    from shoal.report.sections import compare_sections, risk_sections

    _leave_figures(task, risk_sections(facts) if kind == "risk" else compare_sections(facts))


def audit_listener(task: "Task") -> "Callable[[Audit], None] | None":
    """A listener that leaves the plots and the words of the audit; None where nobody will look."""
    if task.shown is None:
        return None

    def heard(audit: "Audit") -> None:
        from shoal.report.pages import page_words
        from shoal.report.sections import audit_sections

        task.leave(REPORT, page_words(audit))
        _leave_figures(task, audit_sections(audit))

    return heard


def show_release(task: "Task", release: "Release") -> None:
    """Leave some records of a release, before and after."""
    if task.shown is not None:
        task.leave(PREVIEW, release.preview().as_dict())


def _leave_figures(task: "Task", sections: "list[Section]") -> None:
    from shoal.report.sections import figures_of

    task.leave(FIGURES, figures_of(sections))


ARCHIVES: Mapping[str, str] = {
    "release": "release.zip",
    "private": "private.zip",
    "configuration": "configuration.zip",
}
"""What can be fetched of a job, by the name of its file."""

_OUTPUTS = (RELEASE, f"{RELEASE}.private", RISK, COMPARED, FRONT)
_READING = ("verify", "attack")  # kinds that look at a release and make none


def pack(kind: str, work: Path, folder: Path) -> None:
    """Write the zip files of a job whose data are in `work` into its folder."""
    made = [name for name in _OUTPUTS if (work / name).is_dir() and kind not in _READING]
    _zipped(folder / ARCHIVES["release"], work, [name for name in made if name == RELEASE])
    _zipped(folder / ARCHIVES["private"], work, [name for name in made if name.endswith(".private")])
    if (work / TOML).is_file():
        _zipped(folder / ARCHIVES["configuration"], work, [TOML, *_hierarchy_files(work)])


def earlier_files(work: Path, kind: str) -> Iterator[Path]:
    """The files of an earlier job that a job of this kind goes on with: data, configuration, hierarchies.

    `verify` and `attack` take what the earlier job made as well.
    """
    for path in _files(work):
        if kind in _READING or path.parts[0] not in _OUTPUTS:
            yield path


def _hierarchy_files(work: Path) -> list[str]:
    """The hierarchy files that a configuration names, as far as they lie beside it."""
    with (work / TOML).open("rb") as file:
        raw = tomllib.load(file)
    columns, tree = raw.get("columns", {}), raw.get("tree", {})
    given = [spec.get("hierarchy") for spec in columns.values() if isinstance(spec, dict)]
    given += tree.get("hierarchies", {}).values()
    names = [spec.get("file") if isinstance(spec, dict) else spec for spec in given]
    return [
        name for name in dict.fromkeys(names) if isinstance(name, str) and Path(name) in set(_files(work))
    ]


def _zipped(target: Path, work: Path, names: list[str]) -> None:
    """Pack files and folders; without any there is no zip."""
    if not names:
        return
    with in_one_piece(target) as part, ZipFile(part, "w", ZIP_DEFLATED, compresslevel=1) as parcel:
        for path in _files(work):
            if path.parts[0] in names or path.as_posix() in names:
                parcel.write(work / path, path.as_posix())


def _files(work: Path) -> list[Path]:
    """Every plain file below a folder, relative to it; links are left out."""
    found = [
        Path(place, name).relative_to(work)
        for place, _, names in os.walk(work)
        for name in names
        if not Path(place, name).is_symlink()
    ]
    return sorted(found)
