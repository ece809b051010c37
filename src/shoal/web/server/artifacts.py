"""What a job leaves in its folder beside its result: JSON files for the page, zip files to take away.

The result of a job is what its command prints with `--json`; the page shows more. None of that holds an identifier but
the sample, which shows the data as they came.
"""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

from shoal.errors import ShoalError
from shoal.stopping import in_one_piece
from shoal.web.server.job_spec import FIGURES, PREVIEW, PREVIEWS, REPORT, SAMPLE

if TYPE_CHECKING:
    from shoal.publish.fronts import Front, MixedFront
    from shoal.publish.release import Release
    from shoal.report.facts import Audit
    from shoal.report.sections import Section
    from shoal.web.server.handlers import Task

__all__ = [
    "ARCHIVES",
    "audit_listener",
    "earlier_files",
    "pack",
    "show_comparison",
    "show_front",
    "show_release",
    "show_risk",
    "show_sample",
]

# What a job leaves for the page beside its result: records to look at, figures, words. It runs in the job's process.
#
# The result of a job is what its command prints with `--json`; the page shows more. Each of these is a JSON file in the
# job's folder, named in `shoal.web.server.job_spec`, and is there only where the job is one of a page. None of them holds an
# identifier but the sample, which shows the data as they came.

_CELLS, _USUAL = (
    1800,
    30,
)  # what one record has at all points together: 60 points of 30 columns, fewer of more


def show_sample(task: "Task", data: str | Path) -> None:
    """Leave the first records of the data, before anything else is found out; whoever reads all tells what is wrong."""
    if task.shown is None:
        return
    from shoal.publish.study.propose.look import look

    with suppress(ShoalError):
        task.leave(SAMPLE, look(data).as_dict())


def show_front(task: "Task", front: "Front | MixedFront") -> None:
    """Leave the plot of a front, and for each of its points, or for some, what the data would look like there."""
    if task.shown is None:
        return
    from shoal.publish.fronts import previews
    from shoal.report.sections import front_sections

    columns = max(front.dataset.source.frame.width, _USUAL)
    found = previews(front, most=max(_CELLS // columns, 2), progress=task.progress)
    points = {str(place): one.as_dict() for place, one in found.items()}
    task.leave(PREVIEWS, {"start": front.usual, "points": points})
    mixed = front.dataset.shape == "mixed"
    _leave_figures(task, front_sections(front.as_dict()["front"], mixed=mixed))


def show_risk(task: "Task", facts: Mapping[str, Any]) -> None:
    """Leave the plots of the page on risk."""
    if task.shown is None:
        return
    task.progress("drawing")
    from shoal.report.sections import risk_sections

    _leave_figures(task, risk_sections(facts))


def show_comparison(task: "Task", facts: Mapping[str, Any]) -> None:
    """Leave the plots of the page of a comparison."""
    if task.shown is None:
        return
    task.progress("drawing")
    from shoal.report.sections import compare_sections

    _leave_figures(task, compare_sections(facts))


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


# What a job wrote as zip files: what may be published, what must not, and the configuration, each apart.

ARCHIVES: Mapping[str, str] = {
    "release": "release.zip",
    "private": "private.zip",
    "configuration": "configuration.zip",
}
"""What can be fetched of a job, by the name of its file."""

_OUTPUTS = ("release", "release.private", "risk.private", "compare.private", "front.private")
_READING = ("verify", "attack")  # kinds that look at a release and make none


def pack(kind: str, work: Path, folder: Path) -> None:
    """Write the zip files of a job whose data are in `work` into its folder."""
    made = [name for name in _OUTPUTS if (work / name).is_dir() and kind not in _READING]
    _zipped(folder / ARCHIVES["release"], work, [name for name in made if name == "release"])
    _zipped(folder / ARCHIVES["private"], work, [name for name in made if name.endswith(".private")])
    if (work / "shoal.toml").is_file():
        _zipped(folder / ARCHIVES["configuration"], work, ["shoal.toml", *_hierarchy_files(work)])


def earlier_files(work: Path, kind: str) -> Iterator[Path]:
    """The files of an earlier job that a job of this kind goes on with: data, configuration, hierarchies.

    `verify` and `attack` take what the earlier job made as well.
    """
    for path in _files(work):
        if kind in _READING or path.parts[0] not in _OUTPUTS:
            yield path


def _hierarchy_files(work: Path) -> list[str]:
    """The hierarchy files that a configuration names, as far as they lie beside it."""
    with (work / "shoal.toml").open("rb") as file:
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
