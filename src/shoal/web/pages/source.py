"""Where data come from: files that were sent, a path of this machine, a database."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from shoal.errors import ExtraError, InputError
from shoal.io.settings import split_password
from shoal.web.server.uploads import Upload, harmless

__all__ = ["DataSource", "from_database", "from_path", "from_uploads"]


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


def from_uploads(uploads: list[Upload], *, folder: bool) -> DataSource:
    """Data that were sent: one file, or several that are the tables of one data set.

    Raises
    ------
    InputError
        There is none, one is a configuration, or two have the same name.
    """
    if not uploads:
        raise InputError("nothing was sent: choose a file with data in it")
    if any(one.name.lower().endswith(".toml") for one in uploads):
        raise InputError(
            "a shoal.toml is no data: send the data alone and decide on the page, or use shoal run with the shoal.toml"
        )
    if not folder:
        [one] = uploads
        return DataSource(one.name, one.name, {one.name: one.path}, uploads=(one.id,))
    files = {f"data/{one.name}": one.path for one in uploads}
    if len(files) < len(uploads):
        raise InputError("two files have the same name: give each table a name of its own")
    return DataSource(f"{len(files)} tables", "data", files, uploads=tuple(one.id for one in uploads))


def from_path(text: str) -> DataSource:
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
        there = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise InputError("path: there is no such file or folder, or it cannot be read") from None
    return DataSource(harmless(there.name), str(there), folders=(str(there),))


def from_database(url: str, password: str = "") -> DataSource:
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
        bare, inside = split_password((url or "").strip())
    except (ArgumentError, ValueError):
        raise InputError("database: give its URL, such as postgresql://user@host/name") from None
    name = harmless(bare.partition("?")[0].rpartition("/")[2] or "database")
    return DataSource(name, bare, password=password or inside)
