"""Configurations that strangers wrote: whatever they name must lie in the job's folder, or be allowed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.config import Config
from shoal.web.order import Allowed

__all__ = ["Bounds"]


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
