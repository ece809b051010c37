"""One data set on its way through the screens: where it comes from, what was decided, which jobs were begun.

It lives in the server, so that a page that is loaded again, or a second tab, shows the same. Whoever changes it counts
`changes` up, and every page that shows it looks at that.
"""

import csv
import hashlib
import io
import json
import re
import secrets
import tomllib
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from shutil import copyfileobj, rmtree
from typing import Any

from shoal.base.errors import ExtraError, InputError
from shoal.base.stopping import atomic_write
from shoal.io.settings import (
    drop_dangling_names,
    role_of,
    role_signature,
    set_column_keys,
    set_hierarchy,
    set_key,
    split_password,
)
from shoal.privacy.attackers import drop_protections, settle_known_columns
from shoal.web.pages.saved import SavedProject
from shoal.web.server.job_folder import RESULT, SAMPLE, WORK, JobSpec, sanitize_name
from shoal.web.server.jobs import Job
from shoal.web.server.workspace import Server, Upload

__all__ = [
    "DataSource",
    "Project",
    "Projects",
    "rename_twins",
    "source_from_database",
    "source_from_path",
    "source_from_uploads",
]


@dataclass(frozen=True, slots=True)
class DataSource:
    """Where data come from, in the words of a job.

    name     : what people call it
    data     : what `init` is given: a path in the job's folder, a path of this machine, or a database's URL
    files    : by their paths in the job's folder, the files that were sent
    folders  : directories of this machine that the jobs may read
    password : of the database; it goes to the jobs and is written nowhere
    uploads  : the numbers of the files that were sent
    """

    name: str
    data: str
    files: Mapping[str, Path] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    password: str | None = field(default=None, repr=False)
    uploads: tuple[str, ...] = ()

    @property
    def is_url(self) -> bool:
        """Whether it is a database."""
        return "://" in self.data


def source_from_uploads(uploads: list[Upload], *, folder: bool) -> DataSource:
    """Data that were sent: one file, or several that are the tables of one data set.

    Raises
    ------
    InputError
        There is none, one is a configuration, or two have the same name.
    """
    if not uploads:
        raise InputError("nothing was sent: choose a file with data in it")
    if any(upload.name.lower().endswith(".toml") for upload in uploads):
        raise InputError(
            "a shoal.toml is not data: send only the data and decide on the page, or use shoal run with the shoal.toml"
        )
    if not folder:
        [upload] = uploads
        return DataSource(upload.name, upload.name, {upload.name: upload.path}, uploads=(upload.id,))
    files = {f"data/{upload.name}": upload.path for upload in uploads}
    if len(files) < len(uploads):
        raise InputError("two files have the same name: give each table a name of its own")
    return DataSource(f"{len(files)} tables", "data", files, uploads=tuple(upload.id for upload in uploads))


def source_from_path(text: str) -> DataSource:
    """A file or folder of this machine; it is read where it is.

    Raises
    ------
    InputError
        There is nothing of that name, or it cannot be read.
    """
    path = Path((text or "").strip()).expanduser()
    if not text or not path.is_absolute():
        raise InputError("path: give it whole, from the root of this machine on")
    try:
        real_path = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise InputError("path: there is no such file or folder, or it cannot be read") from None
    return DataSource(sanitize_name(real_path.name), str(real_path), folders=(str(real_path),))


def source_from_database(url: str, password: str = "") -> DataSource:
    """A database; its password is kept out of everything that is written.

    Raises
    ------
    InputError
        It is no URL.
    """
    if find_spec("sqlalchemy") is None:
        raise ExtraError.of("database", "SQLAlchemy", "sql")
    from sqlalchemy.exc import ArgumentError

    try:
        bare_url, url_password = split_password((url or "").strip())
    except (ArgumentError, ValueError):
        raise InputError("database: give its URL, such as postgresql://user@host/name") from None
    name = sanitize_name(bare_url.partition("?")[0].rpartition("/")[2] or "database")
    return DataSource(name, bare_url, password=password or url_password)


_TWINS = re.compile(
    r"(?P<file>[^/]+), line (?P<line>\d+): columns \d+ and (?P<twin>\d+) have the same name; give every"
)
_MOST_TWINS = 50
_HEAD = 2**20  # bytes of a file in which its header is looked for
_DELIMITERS = (",", ";", "\t", "|")


def rename_twins(path: Path, line: int, twin: int) -> str | None:
    """Give a column of a text file another name in its header, which stands in a line; tell it in words.

    None where the file is none whose header is seen, as one that is packed.
    """
    with path.open("rb") as file:
        lines = file.read(_HEAD).split(b"\n", line)
    if len(lines) <= line or b"\0" in lines[line - 1]:
        return None
    header = lines[line - 1].decode("latin-1")  # whatever its encoding: each byte comes back as it is
    delimiter = max(_DELIMITERS, key=lambda sign: len(next(csv.reader([header], delimiter=sign), [])))
    names = next(csv.reader([header.rstrip("\r")], delimiter=delimiter), [])
    if not 0 < twin <= len(names):
        return None
    name = names[twin - 1]
    names[twin - 1] = next(
        fresh for number in count(2) if (fresh := f"{name.strip()} ({number})") not in names
    )
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="\r" if header.endswith("\r") else "").writerow(
        names
    )
    start = sum(len(before) + 1 for before in lines[: line - 1])
    with path.open("rb") as file, atomic_write(path) as part, part.open("wb") as target:
        target.write(file.read(start) + written.getvalue().encode("latin-1"))
        file.seek(start + len(lines[line - 1]))
        copyfileobj(file, target)
    shown = [text.encode("latin-1").decode("utf-8", errors="replace") for text in (name, names[twin - 1])]
    return f"two columns are called {shown[0]}: the second one, column {twin}, is {shown[1]} here"


class Project:
    """A data set and all that was decided about it.

    configuration : in the shape of shoal.toml; None until the data were looked at
    roles         : by column, what somebody said that it is, other than what was proposed
    reading       : keys of [data] that somebody stated: where the table stands in its file, how cells are written
    hierarchies   : by their paths in a job's folder, the files that somebody edited or sent
    edited        : by column or field, the hierarchy that somebody edited, as a configuration names it
    settled       : the columns, or "*" for the file, that somebody decided to take as they are proposed
    accepted      : what nobody decided about and somebody lets go out as it was proposed, and why it was asked
    kept          : what screens keep from visit to visit, by their names
    taken_back    : what was decided and fits the data no longer, in words
    renamed       : which columns got another name, for theirs stood twice, in words
    begun         : every job of it
    gone          : whether it was removed, in another tab maybe
    changes       : goes up with every change, of a job too where a page should draw itself again
    """

    def __init__(self, server: Server, source: DataSource) -> None:
        self.id = secrets.token_hex(8)
        self.source = source
        self.configuration: dict[str, Any] | None = None
        self.roles: dict[str, str] = {}
        self.reading: dict[str, Any] = {}
        self.hierarchies: dict[str, Path] = {}
        self.edited: dict[str, Any] = {}
        self.settled: set[str] = set()
        self.accepted: dict[str, str] = {}
        self.kept: dict[str, Any] = {}
        self.changes = 0
        self.gone = False
        self.server = server
        self.begun: list[Job] = []
        self._looked: Job | None = None
        self._fitting: tuple[dict[str, str], dict[str, Any]] = {}, {}
        self._own: dict[tuple[str, str], Any] = {}
        self._restored: dict[str, dict[str, Any]] = {}
        self.renamed: list[str] = []
        self._of_columns: dict[tuple[str, str], dict[str, Any]] = {}
        self._jobs: dict[str, tuple[Job, str, Collection[tuple[str, str]]]] = {}
        self._results: dict[tuple[str, str], Any] = {}
        self.taken_back: list[str] = []
        self._digests: dict[Path, tuple[tuple[int, int], str]] = {}

    @property
    def folder(self) -> Path:
        """A private folder for what is edited here."""
        return self.server.workspace.part(f"project-{self.id}")

    @property
    def shape(self) -> str:
        """The shape of the data as it was proposed."""
        return str(self.proposal["shape"])

    @property
    def proposal(self) -> dict[str, Any]:
        """What `init --json` prints of the data, as they were looked at last.

        Raises
        ------
        LookupError
            They were not looked at yet.
        """
        self._take_proposal()
        if self._looked is None:
            raise LookupError("proposal")
        return dict(self._read(self._looked, RESULT))

    @property
    def undecided(self) -> dict[str, str]:
        """What still needs a decision, and why: a role, a hierarchy or a key that somebody gives a column is one."""
        questions: Mapping[str, str] = self.proposal["undecided"]
        decided = {*self.roles, *self.edited, *self.settled}
        return {name: reason for name, reason in questions.items() if name not in decided}

    @property
    def may_publish(self) -> bool:
        """Whether all is decided, or somebody lets the rest go out as it was proposed."""
        return self.undecided.items() <= self.accepted.items()

    @property
    def sample(self) -> list[dict[str, Any]]:
        """The first records of the data, by table; empty where they cannot be had."""
        self._take_proposal()
        try:
            return list(self._read(self._looked, SAMPLE)["parts"]) if self._looked else []
        except LookupError:
            return []

    @property
    def ready(self) -> bool:
        """Whether the data were looked at, so that there is a configuration to go on with; not while they are again."""
        self._take_proposal()
        return self.configuration is not None and self.job_state("propose")[1]

    @property
    def is_refused(self) -> bool:
        """Whether its data could not be read from the first."""
        job = self.job("propose")
        return self.configuration is None and job is not None and job.state in ("failed", "cancelled")

    def collect_decisions(self, *, values: bool = True) -> SavedProject:
        """All that was decided, to be kept in a file.

        Hierarchies that were edited by hand list values of the data; without `values` they are left out.
        """
        edited = {
            column: spec for column, spec in self.edited.items() if values or not self._is_edited_file(spec)
        }
        sections = ("guarantee", "method", "release", "audit")
        return SavedProject(
            name=self.source.name,
            files=[Path(name).name for name in self.source.files] or [self.source.name],
            decided={name: self.section(name) for name in sections if self.section(name)},
            roles=dict(self.roles),
            reading=dict(self.reading),
            own=[[*key, value] for key, value in self._own.items() if key[0] in ("data", "tree")],
            columns=[[*key, value] for key, value in self._of_columns.items()],
            edited=edited,
            hierarchies={
                name: path.read_text(encoding="utf-8") for name, path in self.hierarchies.items() if values
            },
            settled=sorted(self.settled),
        )

    def _is_edited_file(self, spec: Any) -> bool:
        return (spec.get("file") if isinstance(spec, dict) else spec) in self.hierarchies

    def restore(self, saved: SavedProject) -> None:
        """Take what was decided before; it is applied to the data when they are looked at."""
        self.roles, self.reading = dict(saved.roles), dict(saved.reading)
        self._own = {(section, key): value for section, key, value in saved.own}
        self._of_columns = {(column, role): dict(keys) for column, role, keys in saved.columns}
        self.edited, self.settled = deepcopy(saved.edited), set(saved.settled)
        for number, (name, text) in enumerate(saved.hierarchies.items()):
            path = self.folder / f"opened-{number}.csv"
            path.write_text(text, encoding="utf-8", newline="\n")
            self.hierarchies[name] = path
        self._restored = deepcopy(saved.decided)

    def propose(self) -> Job:
        """Have the data looked at, with the roles and the way to read them that somebody stated."""
        preset = (self.section("release") or self._restored.get("release", {})).get("preset")
        options = {"roles": dict(self.roles), "settings": dict(self.reading), "preset": preset}
        return self.begin(
            "propose", {"data": self.source.data, **{key: value for key, value in options.items() if value}}
        )

    def begin(
        self,
        kind: str,
        options: Mapping[str, Any] | None = None,
        step: str | None = None,
        apart: Collection[tuple[str, str]] = (),
        trying: Mapping[tuple[str, str], Any] | None = None,
    ) -> Job:
        """Begin a job with what is decided now.

        Parameters
        ----------
        kind, options
            As the command of that kind takes them.
        step
            The screen that it is for; a kind may serve several.
        apart
            What of the configuration it does not depend on, by section and key; the key * is all of a section.
        trying
            What is tried and not decided yet, by section and key.

        Raises
        ------
        InputError
            The project was removed, or its data are being looked at.
        """
        is_proposal = kind == "propose"
        if kind != "run":  # nothing else depends on whether somebody has decided
            apart = {*apart, ("undecided", "*")}
        if self.gone:
            raise InputError("this data set was removed; begin again with your file")
        if not is_proposal and not self.ready:
            raise InputError("the data are being looked at again; wait until that is done")
        earlier_job = None if is_proposal else self._looked
        allowed = replace(
            self.server.allowed,
            databases=self.server.allowed.databases or self.source.is_url,
            folders=(*self.server.allowed.folders, *self.source.folders),
        )
        configuration = deepcopy(self.configuration or {})
        for (section, key), value in (trying or {}).items():
            set_key(configuration, section, key, value)
        spec = JobSpec(kind, None if is_proposal else configuration, dict(options or {}), allowed)
        files = self.source.files if is_proposal else self.hierarchies
        job = self.server.jobs.submit(spec, files, after=earlier_job, password=self.source.password)
        self.begun.append(job)
        self._jobs[step or kind] = (job, self._fingerprint(apart), apart)
        self.changed()
        return job

    def job(self, step: str) -> Job | None:
        """The last job of a screen."""
        entry = self._jobs.get(step)
        return None if entry is None else entry[0]

    def job_state(self, step: str) -> tuple[Job | None, bool]:
        """The last job of a screen, and whether it is over: what a page draws changes with them."""
        job = self.job(step)
        return job, job is not None and job.over

    def is_stale(self, step: str) -> bool:
        """Whether something was decided otherwise after the job of a screen was begun."""
        entry = self._jobs.get(step)
        return entry is not None and step != "propose" and entry[1] != self._fingerprint(entry[2])

    def result(self, step: str, file: str = RESULT) -> Any:
        """What the job of a screen found, as its command prints it with `--json`, or another of its JSON files.

        Raises
        ------
        LookupError
            There is no such job, it is not done, or it left no such file.
        """
        job = self.job(step)
        if job is None or job.state != "done":
            raise LookupError(step)
        return self._read(job, file)

    def keep(self, step: str) -> None:
        """Let the job of a screen stand: what was just decided changes nothing of what it found."""
        if step in self._jobs:
            job, _, apart = self._jobs[step]
            self._jobs[step] = (job, self._fingerprint(apart), apart)

    def section(self, name: str) -> dict[str, Any]:
        """A section of the configuration as it is now; empty where nothing of it is decided."""
        return dict((self.configuration or {}).get(name, {}))

    def decide(self, section: str, key: str, value: Any) -> None:
        """Set one key of the configuration; None takes it out."""
        assert self.configuration is not None
        self._own[section, key] = value
        set_key(self.configuration, section, key, value)
        self.changed()

    def follow(self, preset: str | None) -> None:
        """Have the data looked at again by the rules of a preset, or of none; the guarantee is proposed anew."""
        assert self.configuration is not None
        self.decide("release", "preset", preset)
        self.configuration.pop("guarantee", None)
        self.propose()

    def specify(self, column: str, key: str, value: Any) -> None:
        """Set one key of a column beside its role; None takes it out. It is of no use under another role."""
        assert self.configuration is not None
        column_role = (column, role_of(self.configuration, column))
        self._of_columns.setdefault(column_role, {})[key] = value
        set_column_keys(self.configuration, column, self._of_columns[column_role])
        self.settle(column)

    def settle(self, name: str) -> None:
        """Take note that somebody decided about a column, or "*" for the file, as it is proposed."""
        self.settled.add(name)
        self._list_undecided()
        self.changed()

    def publish(self, *, allow_empty: bool = False) -> Job:
        """Begin to make the release; what nobody decided about goes out only where somebody accepted that.

        With `allow_empty` it may tell nothing.
        """
        accepted = {"as_proposed": bool(self.undecided) and self.may_publish, "allow_empty": allow_empty}
        return self.begin("run", {name: True for name, is_accepted in accepted.items() if is_accepted})

    def state_hierarchy(self, column: str, spec: Any) -> None:
        """Let the configuration name this hierarchy for a column or field that takes one; None takes it out."""
        assert self.configuration is not None
        set_hierarchy(self.configuration, column, spec)
        self._list_undecided()
        self.changed()

    def _list_undecided(self) -> None:
        """Let the configuration name what still needs a decision, and nothing else."""
        assert self.configuration is not None
        self.configuration.pop("undecided", None)
        if undecided := self.undecided:
            self.configuration["undecided"] = undecided

    def changed(self) -> None:
        """Let every page that shows this project draw itself again."""
        self.changes += 1

    def _take_proposal(self) -> None:
        """Go on with what was proposed, once: what was decided before about guarantee and method stays.

        Where roles or ways to read do not fit the data, the ones before stand.
        """
        job = self.job("propose")
        if job is None or not job.over or job is self._looked:
            return
        if job.state != "done":
            if self._looked is None and self._rename_twins(job):
                return
            if self._looked is not None:  # before, nothing was read yet, and something has to be corrected
                self.roles, self.reading = (dict(part) for part in self._fitting)
            return
        self._looked, self._fitting = job, (dict(self.roles), dict(self.reading))
        fresh = tomllib.loads((job.folder / WORK / "shoal.toml").read_text(encoding="utf-8"))
        if self.source.folders:  # a path of this machine: the configuration must run from anywhere
            fresh["data"]["path"] = self.source.data
        previous = self.configuration or self._restored
        is_same_shape = bool(self._restored) or (
            bool(previous) and role_signature(previous) == role_signature(fresh)
        )
        self._restored = {}
        self.configuration = fresh | {
            section: previous[section]
            for section in ("guarantee", "method", "release", "audit")
            if section in previous and (is_same_shape or section in ("release", "audit"))
        }
        for (section, key), value in list(self._own.items()):
            if section in ("data", "tree") and section in self.configuration:
                self.decide(section, key, value)
        for (column, role), keys in self._of_columns.items():
            if role_of(self.configuration, column) == role:
                set_column_keys(self.configuration, column, keys)
        for column, spec in self.edited.items():
            set_hierarchy(self.configuration, column, deepcopy(spec))
        self._list_undecided()
        self.taken_back = [
            *settle_known_columns(self.configuration),
            *drop_protections(self.shape, self.configuration),
            *drop_dangling_names(self.configuration),
        ]
        self.changed()

    def _rename_twins(self, job: Job) -> bool:
        """Give the second of two columns of one name another one, in the file that was sent, and look again."""
        said = _TWINS.search(job.sentence or "")
        paths = [path for path in self.source.files.values() if said and path.name == said["file"]]
        if said is None or not paths or len(self.renamed) >= _MOST_TWINS:
            return False
        renamed = rename_twins(paths[0], int(said["line"]), int(said["twin"]))
        if renamed is None:
            return False
        self.renamed.append(renamed)
        self.propose()
        return True

    def _read(self, job: Job, file: str) -> Any:
        """A JSON file of a job, read once."""
        key = (job.id, file)
        if key not in self._results:
            path = job.folder / file
            if not path.is_file():
                raise LookupError(file)
            self._results[key] = json.loads(path.read_text(encoding="utf-8"))
        return self._results[key]

    def _fingerprint(self, apart: Collection[tuple[str, str]] = ()) -> str:
        """A short form of all that a job depends on."""
        sections = {
            section: {key: value for key, value in inner.items() if (section, key) not in apart}
            for section, inner in (self.configuration or {}).items()
            if (section, "*") not in apart
        }
        sections = {section: inner for section, inner in sections.items() if inner}
        edited = {name: self._digest(path) for name, path in self.hierarchies.items()}
        text = json.dumps([sections, edited], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def _digest(self, path: Path) -> str:
        """What a file holds, in short; pages ask several times a second, so it is read only where it was written."""
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        if self._digests.get(path, (None, ""))[0] != stamp:
            self._digests[path] = (stamp, hashlib.sha256(path.read_bytes()).hexdigest())
        return self._digests[path][1]


class Projects:
    """The projects of a server, the newest first."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._there: dict[str, Project] = {}

    def __iter__(self) -> Iterator[Project]:
        return iter(reversed(list(self._there.values())))

    def get(self, number: str) -> Project | None:
        """The project of a number."""
        return self._there.get(number)

    def add(self, source: DataSource, saved: SavedProject | None = None) -> Project:
        """Begin with data that somebody gave, or go on with what was saved: they are looked at at once."""
        project = Project(self.server, source)
        if saved is not None:
            project.restore(saved)
        project.propose()
        self._there[project.id] = project
        return project

    async def remove(self, project: Project) -> None:
        """Forget a project and its jobs, and remove all files of them."""
        self._there.pop(project.id, None)
        project.gone = True
        for job in project.begun:
            await self.server.jobs.remove(job)
        for number in project.source.uploads:
            self.server.uploads.remove(number)
        rmtree(project.folder, ignore_errors=True)
