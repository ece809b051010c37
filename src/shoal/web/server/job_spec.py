"""What a job is asked for, and what it may read.

The server writes a spec as one file into the job's folder, the worker reads it. A configuration may be a stranger's:
whatever it names must lie in the job's folder, or be allowed.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.config import Config

__all__ = [
    "FIGURES",
    "PREVIEW",
    "PREVIEWS",
    "REPORT",
    "RESULT",
    "SAMPLE",
    "SPEC",
    "WORK",
    "Allowed",
    "Bounds",
    "JobSpec",
]

# What a job is asked for, as one file in its folder: the server writes it, the worker reads it.

SPEC, RESULT, WORK = "order.json", "result.json", "work"
"""Of a job's folder: what is asked, the facts that were found, and the folder with the data."""

SAMPLE, FIGURES, REPORT, PREVIEW, PREVIEWS = (
    "sample.json",
    "figures.json",
    "told.json",
    "preview.json",
    "previews.json",
)
"""What a job leaves for the page, see `shoal.web.server.artifacts`.

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
        said = json.loads((folder / SPEC).read_text(encoding="utf-8"))
        allowed = Allowed(said["allowed"]["databases"], tuple(said["allowed"]["folders"]))
        return cls(said["kind"], said["configuration"], said["options"], allowed, said["shown"])


# Configurations that strangers wrote: whatever they name must lie in the job's folder, or be allowed.


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a job in `folder` may read."""

    folder: Path
    allowed: Allowed

    def check(self, config: Config) -> None:
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
