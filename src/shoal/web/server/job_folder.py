"""The folder of a job: what is asked, what it may read, what it leaves for the page and what can be taken away.

The server writes a spec as one file into the folder, the worker reads it. A configuration may be a stranger's: whatever
it names must lie in the folder, or be allowed.

The result of a job is what its command prints with `--json`; the page shows more. None of that holds an identifier but
the sample, which shows the data as they came.
"""

import json
import os
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from shoal.base.errors import InputError
from shoal.base.progress import Progress
from shoal.base.stopping import atomic_write
from shoal.jobs.options import job_option

if TYPE_CHECKING:
    from shoal.anonymization.front import Front, MixedFront
    from shoal.io.config import Config
    from shoal.report.facts import Audit
    from shoal.report.parts import Section

__all__ = [
    "ARCHIVES",
    "COMPARED",
    "FIGURES",
    "FRONT",
    "PREVIEW",
    "PREVIEWS",
    "RELEASE",
    "REPORT",
    "RESULT",
    "RISK",
    "SAMPLE",
    "SPEC",
    "TOML",
    "WORK",
    "Allowed",
    "JobSpec",
    "Task",
    "audit_listener",
    "inner_path",
    "list_files_to_reuse",
    "pack",
    "sanitize_name",
    "show_figures",
    "show_front",
    "write_facts",
]

SPEC, RESULT, WORK = "order.json", "result.json", "work"
"""Of a job's folder: what is asked, the facts that were found, and the folder with the data."""

TOML, RELEASE = "shoal.toml", "release"
"""Of the folder with the data: the configuration, and the release that is made or looked at."""


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


@dataclass(frozen=True, slots=True)
class Allowed:
    """What jobs may read beside what was sent to the server: whoever starts it decides.

    databases : whether a configuration may name a database
    folders   : directories of this machine whose files a configuration may name
    """

    databases: bool = False
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job: its kind, its configuration in the shape of shoal.toml (None: the file that was sent), its options.

    `shown` is whether a page will show it: then it leaves more than its result.
    """

    kind: str
    configuration: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    allowed: Allowed = field(default_factory=Allowed)
    shown: bool = True

    def write(self, folder: Path) -> None:
        """Write it into the job's folder."""
        (folder / SPEC).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "JobSpec":
        """Read it from the job's folder."""
        facts = json.loads((folder / SPEC).read_text(encoding="utf-8"))
        allowed = Allowed(facts["allowed"]["databases"], tuple(facts["allowed"]["folders"]))
        return cls(facts["kind"], facts["configuration"], facts["options"], allowed, facts["shown"])


_OUTSIDE = "configuration: a path leads out of the job's folder; send the file, and name it as it is called in the job"


def _find_paths(thing: Any) -> Iterator[Path]:
    """Every path in a configuration, at any depth."""
    if isinstance(thing, Path):
        yield thing
    elif is_dataclass(thing) and not isinstance(thing, type):
        for item in fields(thing):
            yield from _find_paths(getattr(thing, item.name))
    elif isinstance(thing, Mapping):
        for inner in thing.values():
            yield from _find_paths(inner)
    elif isinstance(thing, list | tuple):
        for inner in thing:
            yield from _find_paths(inner)


@dataclass(frozen=True, slots=True)
class Task:
    """A job that is under way: what is asked, where its data are, who is told how far it is.

    `shown` is where it leaves what a page shows beside the result; None where no page will.
    """

    spec: JobSpec
    folder: Path
    progress: Progress
    shown: Path | None = None

    def options(self) -> dict[str, Any]:
        """The options that were given; files and other sources are those that the job may read, or it ends here."""
        return {
            name: self._allowed(job_option(self.spec.kind, name).takes, value)
            for name, value in self.spec.options.items()
            if value is not None
        }

    def _allowed(self, takes: str, value: Any) -> Any:
        if takes == "source":
            return self.source(value)
        if takes == "file" or (takes == "size" and isinstance(value, str)):
            return self.file(Path(value))
        return [self.file(Path(name)) for name in value] if takes == "files" else value

    def check(self, config: "Config") -> None:
        """Refuse a configuration that names a file elsewhere, or a database that is not allowed.

        Every path of the configuration is looked at, wherever it stands in it.
        """
        if config.data.url is not None:
            self._require_databases()
        for path in _find_paths(config):
            self.file(path)

    def source(self, given: str) -> str | Path:
        """Data as an option names them: a file or folder inside the job's, or a database."""
        if "://" in given:
            self._require_databases()
            return given
        return self.file(Path(given))

    def file(self, path: Path) -> Path:
        """A path inside the job's folder, or inside one that is allowed; links are followed first."""
        try:
            real_path = (self.folder / path).resolve()
        except (OSError, ValueError, RuntimeError):  # a loop of links, a zero in the name
            raise InputError(_OUTSIDE) from None
        homes = [self.folder, *map(Path, self.spec.allowed.folders)]
        if not any(real_path.is_relative_to(home.resolve()) for home in homes):
            raise InputError(_OUTSIDE)
        return real_path

    def _require_databases(self) -> None:
        if not self.spec.allowed.databases:
            raise InputError(
                "configuration: it names a database, which this server was not started for; send the data as a file"
            )

    @property
    def out(self) -> Path:
        """Where a release goes."""
        return self.folder / RELEASE

    def config(self) -> Path:
        """The configuration as a file, after a look at where its paths lead."""
        from shoal.io.config import load  # heavy, and the server imports this module
        from shoal.io.settings import format_toml

        path = self.folder / TOML
        if self.spec.configuration is not None:
            path.unlink(missing_ok=True)  # it may be an earlier job's as well
            path.write_text(format_toml(self.spec.configuration), encoding="utf-8")
        self.check(load(path))
        return path

    def leave(self, name: str, facts: Callable[[], Mapping[str, Any]]) -> None:
        """Leave a JSON file for the page, where one will look."""
        if self.shown is not None:
            write_facts(self.shown / name, facts())


def write_facts(path: Path, facts: Mapping[str, Any]) -> None:
    """Write facts as JSON; the file is there as a whole or not at all."""
    with atomic_write(path) as part:
        part.write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")


# what one record has at all points together: 60 points of 30 columns, fewer of more
_CELLS, _USUAL = 1800, 30


def show_front(task: Task, front: "Front | MixedFront") -> None:
    """Leave the plot of a front, and for each of its points, or for some, what the data would look like there."""
    if task.shown is None:
        return
    from shoal.algorithms import METHODS
    from shoal.anonymization.front import preview_points
    from shoal.report.parts import front_sections

    columns = max(front.dataset.source.frame.width, _USUAL)
    preview_of_point = preview_points(front, most=max(_CELLS // columns, 2), progress=task.progress)
    points = {str(index): preview.as_dict() for index, preview in preview_of_point.items()}
    task.leave(PREVIEWS, lambda: {"start": front.default_index, "points": points})
    mixed = not METHODS[front.method["name"]].fronts  # it trades losses, at one claim
    _leave_figures(task, front_sections(front.as_dict()["front"], mixed=mixed))


def show_figures(task: Task, kind: Literal["risk", "compare"], facts: Mapping[str, Any]) -> None:
    """Leave the plots of the page on risk, or of the page of a comparison."""
    if task.shown is None:
        return
    task.progress("drawing")
    from shoal.report import compare, risk

    _leave_figures(task, list((risk if kind == "risk" else compare).sections(facts)))


def audit_listener(task: Task) -> "Callable[[Audit], None] | None":
    """A listener that leaves the plots and the words of the audit; None where nobody will look."""
    if task.shown is None:
        return None

    def heard(audit: "Audit") -> None:
        from shoal.report.pages import audit_sections, page_words

        task.leave(REPORT, lambda: page_words(audit))
        _leave_figures(task, audit_sections(audit))

    return heard


def _leave_figures(task: Task, sections: "list[Section]") -> None:
    from shoal.report.parts import figures_of

    task.leave(FIGURES, lambda: figures_of(sections))


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
    outputs = [name for name in _OUTPUTS if (work / name).is_dir() and kind not in _READING]
    _write_zip(folder / ARCHIVES["release"], work, [name for name in outputs if name == RELEASE])
    _write_zip(folder / ARCHIVES["private"], work, [name for name in outputs if name.endswith(".private")])
    if (work / TOML).is_file():
        _write_zip(folder / ARCHIVES["configuration"], work, [TOML, *_hierarchy_files(work)])


def list_files_to_reuse(work: Path, kind: str) -> Iterator[Path]:
    """The files of an earlier job that a job of this kind goes on with: data, configuration, hierarchies.

    `verify` and `attack` take what the earlier job made as well.
    """
    for path in _list_files(work):
        if kind in _READING or path.parts[0] not in _OUTPUTS:
            yield path


def _hierarchy_files(work: Path) -> list[str]:
    """The hierarchy files that a configuration names, as far as they lie beside it."""
    with (work / TOML).open("rb") as file:
        raw = tomllib.load(file)
    columns, tree = raw.get("columns", {}), raw.get("tree", {})
    specs = [spec.get("hierarchy") for spec in columns.values() if isinstance(spec, dict)]
    specs += tree.get("hierarchies", {}).values()
    names = [spec.get("file") if isinstance(spec, dict) else spec for spec in specs]
    return [
        name
        for name in dict.fromkeys(names)
        if isinstance(name, str) and Path(name) in set(_list_files(work))
    ]


def _write_zip(target: Path, work: Path, names: list[str]) -> None:
    """Pack files and folders; without any there is no zip."""
    if not names:
        return
    with atomic_write(target) as part, ZipFile(part, "w", ZIP_DEFLATED, compresslevel=1) as parcel:
        for path in _list_files(work):
            if path.parts[0] in names or path.as_posix() in names:
                parcel.write(work / path, path.as_posix())


def _list_files(work: Path) -> list[Path]:
    """Every plain file below a folder, relative to it; links are left out."""
    paths = [
        Path(directory, name).relative_to(work)
        for directory, _, names in os.walk(work)
        for name in names
        if not Path(directory, name).is_symlink()
    ]
    return sorted(paths)


_LONGEST = 120  # bytes
_DEEPEST = 8
_STRANGE = re.compile(r'[<>:"|?*&\']')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def sanitize_name(name: str) -> str:
    r"""The last part of a path, without signs that steer a terminal, a page or a file system.

    >>> sanitize_name("../../etc/passwd"), sanitize_name("C:\\data\\people.csv")
    ('passwd', 'people.csv')
    >>> sanitize_name("<b>.csv"), sanitize_name("nul")
    ('_b_.csv', '_nul')
    """
    last_part = re.split(r"[/\\]", name)[-1]
    visible_text = "".join(sign for sign in last_part if _is_visible(sign))
    clean_name = _STRANGE.sub("_", unicodedata.normalize("NFC", visible_text)).strip(". ")
    if not clean_name:
        return "data"
    if _RESERVED.fullmatch(clean_name):
        clean_name = f"_{clean_name}"
    return _shorten_name(clean_name)


def inner_path(text: str) -> PurePosixPath:
    """A path inside a folder, each part of it a harmless name.

    Raises
    ------
    InputError
        It leads out of the folder, or holds a name that could do harm.
    """
    parts = text.split("/")
    if len(parts) > _DEEPEST or any(part != sanitize_name(part) or not part for part in parts):
        raise InputError(
            "files: a name is not a plain path inside the job's folder; write it as people.csv or hierarchies/job.csv"
        )
    return PurePosixPath(*parts)


def _is_visible(sign: str) -> bool:
    """Whether a sign is one that people see: no control, no direction mark, no half of a sign; a blank is one."""
    return sign == " " or unicodedata.category(sign)[0] in "LMNPS"


def _shorten_name(name: str) -> str:
    """Cut the middle out of a long name: its suffixes say how it is read."""
    if len(name.encode()) <= _LONGEST:
        return name
    suffix = "".join(PurePosixPath(name).suffixes[-2:])
    if len(suffix.encode()) > _LONGEST // 4:
        suffix = ""
    stem = name.removesuffix(suffix).encode()[: _LONGEST - len(suffix.encode())].decode(errors="ignore")
    return f"{stem.rstrip('. ')}{suffix}" if stem.rstrip(". ") else "data"
