"""Databases in: the rows of one table, or record trees along foreign keys. Nothing is written to a database.

Of a file of DuckDB, tables, columns and keys are told as SQLAlchemy's inspector tells them. It may hold views that read
other files; it is opened without access to anything beside it, and for reading only.
"""

import logging
import os
from collections.abc import Container, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from shoal.base.errors import ExtraError, InputError
from shoal.base.naming import suggest_name
from shoal.data import Trees
from shoal.io.config import TreeSpec
from shoal.io.read.source import Source, refuse_nested
from shoal.io.read.tree_tables import Key, join_tables, keys_of
from shoal.io.settings import PASSWORD

__all__ = ["read_database", "read_rows", "read_schema", "url_of_file"]


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
        rows = self.connection.execute(query, [schema or "main", table]).fetchall()
        return [{"name": name} for (name,) in rows]

    def get_foreign_keys(self, table: str) -> list[dict[str, Any]]:
        """The foreign keys of a table."""
        query = (
            "SELECT constraint_column_names, referenced_table, referenced_column_names FROM duckdb_constraints() "
            "WHERE schema_name = 'main' AND table_name = ? AND constraint_type = 'FOREIGN KEY'"
        )
        rows = self.connection.execute(query, [table]).fetchall()
        return [
            {
                "constrained_columns": columns,
                "referred_table": referred_table,
                "referred_columns": referred_columns,
            }
            for columns, referred_table, referred_columns in rows
        ]

    def rows(self, table: str, columns: Sequence[str], schema: str | None, most: int | None) -> pl.DataFrame:
        """The rows of a table, or so many of them."""
        cells = ", ".join(map(_quote_name, columns))
        qualified_name = f"{_quote_name(schema or 'main')}.{_quote_name(table)}"
        limit = "" if most is None else f" LIMIT {int(most)}"
        relation = self.connection.sql(f"SELECT {cells} FROM {qualified_name}{limit}")
        frame = pl.from_arrow(relation.to_arrow_table())
        assert isinstance(frame, pl.DataFrame)
        return frame


@contextmanager
def _open_duckdb(url: str, where: str) -> Iterator[DuckFile]:
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


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_OURS = "shoal"  # the logger of our connections alone


@dataclass(frozen=True, slots=True)
class _Database:
    """An open database: SQLAlchemy's engine and address, its name for messages, and what tells its tables.

    A file of DuckDB has neither engine nor address: its inspector reads rows as well.
    """

    engine: Any
    address: Any
    where: str
    inspector: Any


def read_rows(
    url: str,
    table: str,
    columns: Sequence[str] | None = None,
    *,
    missing: tuple[str, ...] = ("",),
    nested: Container[str] = (),
    most: int | None = None,
) -> Source:
    """Read the rows of one table or view.

    Parameters
    ----------
    url : str
        As SQLAlchemy takes it, such as `sqlite:///people.db` or `postgresql://user@host/name`.
    table : str
        Its name, with its schema and a dot before it where that is not the default one.
    columns : sequence of str, optional
        The columns to read; by default all.
    missing : tuple of str
        Texts that stand for a missing cell.
    nested : collection of str
        Columns whose cells may be lists.
    most : int, optional
        So many rows are enough, whichever they are; by default all are read.

    Raises
    ------
    InputError
        The database cannot be reached, or has no such table or column. No message holds the login.
    ExtraError
        The packages are not there.
    """
    with _open_database(url) as database:
        schema, _, name = table.rpartition(".")
        inspector = database.inspector
        ways = (inspector.get_table_names, inspector.get_view_names)
        table_names = sorted(table_name for names in ways for table_name in names(schema=schema or None))
        if name not in table_names:
            raise InputError(f"{database.where}: no table '{table}'; {suggest_name(table, table_names)}")
        column_names = [column["name"] for column in inspector.get_columns(name, schema=schema or None)]
        for column in columns or ():
            if column not in column_names:
                raise InputError(
                    f"{database.where}, table '{table}': no column '{column}'; {suggest_name(column, column_names)}"
                )
        frame = _read_table_rows(database, name, columns or column_names, schema or None, most)
        if not frame.height:
            raise InputError(f"{database.where}, table '{table}': no records; give at least one")
        refuse_nested(frame, f"{database.where}, table '{table}'", nested)
        return Source(frame, "polars", f"table '{table}'", missing)


def read_database(url: str, spec: TreeSpec, missing: Sequence[str]) -> Trees:
    """Read record trees from the tables of a database.

    Parameters
    ----------
    url : str
        As SQLAlchemy takes it, such as `sqlite:///people.db` or `postgresql://user:password@host/name`.
    spec : TreeSpec
        How to read them; without its `keys` the database's own foreign keys are followed.
    missing : sequence of str
        Texts that stand for an absent value.

    Raises
    ------
    InputError
        The database cannot be reached, has no such table, or its keys make no trees. No message holds the login.
    ExtraError
        The packages are not there.
    """
    with _open_database(url) as database:
        tables, foreign_keys = _inspect_schema(database.inspector)
        if spec.person is None:
            raise InputError(
                f"{database.where}: name the table of persons in tree.person; there are {', '.join(tables)}"
            )
        keys = keys_of(database.where, spec.keys, tables) if spec.keys else foreign_keys

        def load(table: str, columns: Sequence[str]) -> pl.DataFrame:
            for name in columns:
                if name not in tables[table]:
                    raise InputError(
                        f"{database.where}: table '{table}' has no column '{name}', which a key names; correct "
                        "tree.keys"
                    )
            return _read_table_rows(database, table, tables[table])

        return join_tables(database.where, spec, keys, tables, load, missing)


def read_schema(url: str) -> tuple[dict[str, list[str]], list[Key]]:
    """The columns of every table of a database, and the foreign keys among them.

    Raises
    ------
    InputError
        The database cannot be reached. No message holds the login.
    ExtraError
        The packages are not there.
    """
    with _open_database(url) as database:
        return _inspect_schema(database.inspector)


@contextmanager
def _open_database(url: str) -> Iterator[_Database]:
    """Open a database for reading; what goes wrong is told without the login."""
    if url.startswith("duckdb:"):
        label = f"database {Path(url).name}"
        with _open_duckdb(url, label) as file:
            yield _Database(None, None, label, file)
        return
    try:
        import sqlalchemy
        from sqlalchemy import exc
    except ImportError:
        raise ExtraError.of("data.url", "SQLAlchemy", "sql") from None
    try:
        address = sqlalchemy.engine.make_url(url)
    except (exc.ArgumentError, ValueError):  # a port that is no number is a ValueError
        raise InputError(
            "data.url: not a database URL; write it as dialect://user:password@host/name"
        ) from None
    label = _database_label(address)
    if address.username and address.password is None and os.environ.get(PASSWORD):
        address = address.set(password=os.environ[PASSWORD])
    if address.get_backend_name() == "postgresql" and "+" not in address.drivername:
        address = address.set(drivername="postgresql+psycopg")
    if address.get_backend_name() == "sqlite" and not Path(address.database or "").is_file():
        raise InputError(
            f"{label}: not found; check the path in data.url"
        )  # SQLite would make a new, empty file
    try:
        engine = sqlalchemy.create_engine(address, logging_name=_OURS, hide_parameters=True)
    except (ImportError, exc.NoSuchModuleError):
        raise _driver_error(address, label) from None
    logging.getLogger(f"sqlalchemy.engine.Engine.{_OURS}").setLevel(logging.WARNING)  # else it may log rows
    try:
        yield _Database(engine, address, label, sqlalchemy.inspect(engine))
    except (exc.SQLAlchemyError, UnicodeError):  # a host's name that none can have is a UnicodeError
        raise InputError(f"{label}: cannot be reached or read; check host, name, login and rights") from None
    finally:
        engine.dispose()


def _driver_error(address: Any, where: str) -> ExtraError:
    """Our extra brings drivers of two databases; whoever has another knows which driver it takes."""
    backend = address.get_backend_name()
    if backend in ("sqlite", "postgresql"):
        return ExtraError.of(where, f"a driver for {backend}", "sql")
    return ExtraError(
        f"{where}: there is no driver for it; install one that SQLAlchemy knows for this database"
    )


def _database_label(address: Any) -> str:
    """A database's name for messages: never the user, never the password."""
    if address.get_backend_name() == "sqlite":
        return f"database {Path(address.database or '').name or 'in memory'}"
    host = f"{address.host or 'localhost'}{f':{address.port}' if address.port else ''}"
    return f"database {address.get_backend_name()}://{host}/{address.database or ''}"


def _inspect_schema(inspector: Any) -> tuple[dict[str, list[str]], list[Key]]:
    """The columns of every table, and the foreign keys among them."""
    tables = {
        table: [column["name"] for column in inspector.get_columns(table)]
        for table in inspector.get_table_names()
    }
    keys = [
        Key(
            table, tuple(key["constrained_columns"]), key["referred_table"], _referred_columns(inspector, key)
        )
        for table in tables
        for key in inspector.get_foreign_keys(table)
        if key["referred_table"] in tables
    ]
    return tables, keys


def _referred_columns(inspector: Any, key: Any) -> tuple[str, ...]:
    """The columns that a key refers to; SQLite may leave them to the primary key."""
    return tuple(
        key["referred_columns"] or inspector.get_pk_constraint(key["referred_table"])["constrained_columns"]
    )


def _read_table_rows(
    found: _Database,
    table: str,
    columns: Sequence[str],
    schema: str | None = None,
    most: int | None = None,
) -> pl.DataFrame:
    """All rows of a table, or some: by ADBC where its driver is there and reads them, else by SQLAlchemy."""
    if isinstance(found.inspector, DuckFile):
        return found.inspector.rows(table, columns, schema, most)
    quote = found.engine.dialect.identifier_preparer.quote_identifier
    name = quote(table) if schema is None else f"{quote(schema)}.{quote(table)}"
    untyped_columns = _find_untyped_columns(found, table, schema)
    cells = [
        f"CAST({quote(column)} AS TEXT) AS {quote(column)}" if column in untyped_columns else quote(column)
        for column in columns
    ]
    query = (
        f"SELECT {', '.join(cells)} FROM {name}" if most is None else _limit_query(found, name, cells, most)
    )
    frame = _read_by_adbc(found.address, query)
    if frame is not None:
        return frame
    with found.engine.connect() as connection:
        return pl.read_database(query, connection, infer_schema_length=None)


def _limit_query(found: _Database, name: str, cells: Sequence[str], most: int) -> str:
    """A query for so many rows, as this database writes it."""
    import sqlalchemy as sa

    query: Any = sa.select(*map(sa.literal_column, cells)).select_from(sa.text(name)).limit(most)
    return str(query.compile(found.engine, compile_kwargs={"literal_binds": True}))


def _find_untyped_columns(found: _Database, table: str, schema: str | None) -> set[str]:
    """Columns of types that no frame has, such as intervals: PostgreSQL writes them as text itself."""
    import sqlalchemy as sa

    if found.address.get_backend_name() != "postgresql":
        return set()
    numbers = (sa.Integer, sa.Numeric, sa.Float, sa.Boolean)
    usual = (*numbers, sa.String, sa.LargeBinary, sa.Date, sa.DateTime, sa.Time, sa.ARRAY)
    columns = sa.inspect(found.engine).get_columns(table, schema=schema)
    return {column["name"] for column in columns if not isinstance(column["type"], usual)}


def _read_by_adbc(address: Any, query: str) -> pl.DataFrame | None:
    """What a query finds, column by column and not row by row; None without the driver, or where it fails."""
    try:
        failure: type[Exception] = import_module("adbc_driver_manager").Error
    except ImportError:
        return None
    try:
        connection = _connect_adbc(address)
        if connection is None:
            return None
        with closing(connection):
            return pl.DataFrame(
                [_strip_extension_type(column) for column in pl.read_database(query, connection)]
            )
    except (failure, pl.exceptions.PolarsError):
        return None


def _strip_extension_type(column: pl.Series) -> pl.Series:
    """A column without Arrow's extension types: PostgreSQL's exact numbers come as text of one."""
    if isinstance(column.dtype, pl.BaseExtension):
        stored = column.ext.storage()
        return stored.str.replace(r"\.0+$", "") if stored.dtype == pl.String else stored
    return column


def _connect_adbc(address: Any) -> Any:
    """A connection that hands over columns, not rows; None without the driver."""
    backend = address.get_backend_name()
    try:
        if backend == "sqlite":
            uri = f"file:{Path(address.database).resolve()}?mode=ro"
            return import_module("adbc_driver_sqlite.dbapi").connect(uri)
        if backend == "postgresql":
            uri = address.set(drivername="postgresql").render_as_string(hide_password=False)
            return import_module("adbc_driver_postgresql.dbapi").connect(uri)
    except ImportError:
        pass
    return None
