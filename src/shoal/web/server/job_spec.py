"""What a job is asked for, what it may read, and the job while it is under way.

The server writes a spec as one file into the job's folder, the worker reads it. A configuration may be a stranger's:
whatever it names must lie in the job's folder, or be allowed.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.progress import Progress
from shoal.publish.options import job_option
from shoal.stopping import in_one_piece

if TYPE_CHECKING:
    from shoal.io.config import Config

__all__ = ["RELEASE", "RESULT", "SPEC", "TOML", "WORK", "Allowed", "Bounds", "JobSpec", "Task"]

SPEC, RESULT, WORK = "order.json", "result.json", "work"
"""Of a job's folder: what is asked, the facts that were found, and the folder with the data."""

TOML, RELEASE = "shoal.toml", "release"
"""Of the folder with the data: the configuration, and the release that is made or looked at."""


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
        said = json.loads((folder / SPEC).read_text(encoding="utf-8"))
        allowed = Allowed(said["allowed"]["databases"], tuple(said["allowed"]["folders"]))
        return cls(said["kind"], said["configuration"], said["options"], allowed, said["shown"])


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a job in `folder` may read."""

    folder: Path
    allowed: Allowed

    def check(self, config: "Config") -> None:
        """Refuse a configuration that names a file elsewhere, or a database that is not allowed.

        Every path of the configuration is looked at, wherever it stands in it.
        """
        if config.data.url is not None:
            self._require_databases()
        for path in _paths(config):
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
            whole = (self.folder / path).resolve()
        except (OSError, ValueError, RuntimeError):  # a loop of links, a zero in the name
            raise InputError(_OUTSIDE) from None
        homes = [self.folder, *map(Path, self.allowed.folders)]
        if not any(whole.is_relative_to(home.resolve()) for home in homes):
            raise InputError(_OUTSIDE)
        return whole

    def _require_databases(self) -> None:
        if not self.allowed.databases:
            raise InputError(
                "configuration: it names a database, which this server was not started for; send the data as a file"
            )


_OUTSIDE = "configuration: a path leads out of the job's folder; send the file, and name it as it is called in the job"


def _paths(thing: Any) -> Iterator[Path]:
    """Every path in a configuration, at any depth."""
    if isinstance(thing, Path):
        yield thing
    elif is_dataclass(thing) and not isinstance(thing, type):
        for one in fields(thing):
            yield from _paths(getattr(thing, one.name))
    elif isinstance(thing, Mapping):
        for inner in thing.values():
            yield from _paths(inner)
    elif isinstance(thing, list | tuple):
        for inner in thing:
            yield from _paths(inner)


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
            return self.bounds.source(value)
        if takes == "file" or (takes == "size" and isinstance(value, str)):
            return self.bounds.file(Path(value))
        return [self.bounds.file(Path(name)) for name in value] if takes == "files" else value

    @property
    def bounds(self) -> Bounds:
        """What it may read."""
        return Bounds(self.folder, self.spec.allowed)

    @property
    def out(self) -> Path:
        """Where a release goes."""
        return self.folder / RELEASE

    def config(self) -> Path:
        """The configuration as a file, after a look at where its paths lead."""
        from shoal.io.config import load  # heavy, and the server imports this module
        from shoal.io.settings import toml_words

        path = self.folder / TOML
        if self.spec.configuration is not None:
            path.unlink(missing_ok=True)  # it may be an earlier job's as well
            path.write_text(toml_words(self.spec.configuration), encoding="utf-8")
        self.bounds.check(load(path))
        return path

    def leave(self, name: str, facts: Mapping[str, Any]) -> None:
        """Leave a JSON file for the page."""
        assert self.shown is not None
        with in_one_piece(self.shown / name) as part:
            part.write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")
