"""DuckDB's files in: tables, columns and keys as SQLAlchemy's inspector tells them, and rows.

A file may hold views that read other files; it is opened without access to anything beside it, and for reading only.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import ExtraError, InputError

__all__ = ["DuckFile", "open_duckdb", "url_of_file"]

_SQLITE, _DUCK = b"SQLite format 3\0", b"DUCK"
_SHUT = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
}


def url_of_file(path: Path) -> str:
    """The URL of a database that is a file; its first bytes say of which kind, whatever its ending is.

    Raises
    ------
    InputError
        It is not there, or neither SQLite's nor DuckDB's.
    """
    if not path.is_file():
        raise InputError(f"{path.name}: not found in {path.parent.resolve()}; check the path")
    with path.open("rb") as file:
        head = file.read(16)
    if "?" in str(path.resolve()):
        raise InputError(f"{path.name}: the path of a database must hold no question mark; rename it")
    if head == _SQLITE:
        return f"sqlite:///{path.resolve()}"
    if head[8:12] == _DUCK:
        return f"duckdb:///{path.resolve()}"
    raise InputError(f"{path.name}: neither a SQLite nor a DuckDB database; give it the ending of what it is")


class DuckFile:
    """An open file, with what is asked of SQLAlchemy's inspector."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def get_table_names(self, schema: str | None = None) -> list[str]:
        """The tables of a schema."""
        return self._names(schema, "BASE TABLE")

    def get_view_names(self, schema: str | None = None) -> list[str]:
        """The views of a schema."""
        return self._names(schema, "VIEW")

    def _names(self, schema: str | None, kind: str) -> list[str]:
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = ? ORDER BY 1"
        return [name for (name,) in self.connection.execute(query, [schema or "main", kind]).fetchall()]

    def get_columns(self, table: str, schema: str | None = None) -> list[dict[str, str]]:
        """The columns of a table or view, in their order."""
        query = (
            "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? "
            "ORDER BY ordinal_position"
        )
        found = self.connection.execute(query, [schema or "main", table]).fetchall()
        return [{"name": name} for (name,) in found]

    def get_foreign_keys(self, table: str) -> list[dict[str, Any]]:
        """The foreign keys of a table."""
        query = (
            "SELECT constraint_column_names, referenced_table, referenced_column_names FROM duckdb_constraints() "
            "WHERE schema_name = 'main' AND table_name = ? AND constraint_type = 'FOREIGN KEY'"
        )
        found = self.connection.execute(query, [table]).fetchall()
        return [
            {"constrained_columns": mine, "referred_table": other, "referred_columns": theirs}
            for mine, other, theirs in found
        ]

    def rows(self, table: str, columns: Sequence[str], schema: str | None, most: int | None) -> pl.DataFrame:
        """The rows of a table, or so many of them."""
        cells = ", ".join(map(_quoted, columns))
        place = f"{_quoted(schema or 'main')}.{_quoted(table)}"
        limit = "" if most is None else f" LIMIT {int(most)}"
        found = self.connection.sql(f"SELECT {cells} FROM {place}{limit}")  # noqa: S608, every name is quoted
        frame = pl.from_arrow(found.to_arrow_table())
        assert isinstance(frame, pl.DataFrame)
        return frame


@contextmanager
def open_duckdb(url: str, where: str) -> Iterator[DuckFile]:
    """Open a file for reading.

    Raises
    ------
    InputError
        It is not there, or cannot be read.
    ExtraError
        The packages are not there.
    """
    path = Path(url.partition(":///")[2])
    if not path.is_file():
        raise InputError(f"{where}: not found; check the path in data.url")
    try:
        duckdb = import_module("duckdb")
        import_module("pyarrow")
    except ImportError:
        raise ExtraError(
            f"{where}: DuckDB's files need the packages duckdb and pyarrow; install them"
        ) from None
    try:
        with closing(duckdb.connect(str(path), read_only=True, config=_SHUT)) as connection:
            yield DuckFile(connection)
    except duckdb.Error:
        raise InputError(
            f"{where}: cannot be read; check that it is a DuckDB database of this version"
        ) from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
