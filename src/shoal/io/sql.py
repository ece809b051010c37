"""Record trees from a relational database: its foreign keys say who belongs to whom. Nothing is written to it."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data import Forest
from shoal.errors import ExtraError, InputError
from shoal.io.tree_tables import Key, keys_of, plant

__all__ = ["read_database"]


def read_database(
    url: str,
    person: str | None,
    keys: Mapping[str, str],
    drop: Sequence[str],
    heads: Mapping[str, str],
    missing: Sequence[str],
    sensitive: str | None,
) -> Forest:
    """Read record trees from the tables of a database.

    Parameters
    ----------
    url : str
        As SQLAlchemy takes it, such as `sqlite:///people.db` or `postgresql://user:password@host/name`.
    person, keys, drop, heads, missing, sensitive
        As `TreeSpec` has them; without `keys` the database's own foreign keys are followed.

    Raises
    ------
    InputError
        The database cannot be reached, has no such table, or its keys make no trees. No message holds the login.
    ExtraError
        The packages are not there.
    """
    try:
        import sqlalchemy
        from sqlalchemy import exc
    except ImportError:
        raise ExtraError("reading a database needs SQLAlchemy; install shoal[sql]") from None
    try:
        address = sqlalchemy.engine.make_url(url)
    except exc.ArgumentError:
        raise InputError(
            "data.url: not a database URL; write it as dialect://user:password@host/name"
        ) from None
    where = _where(address)
    if address.get_backend_name() == "postgresql" and "+" not in address.drivername:
        address = address.set(drivername="postgresql+psycopg")
    _require_file(address, where)
    try:
        engine = sqlalchemy.create_engine(address)
    except (ImportError, exc.NoSuchModuleError):
        raise ExtraError(f"{where}: no driver for this database; install shoal[sql]") from None
    try:
        tables, own = _schema(sqlalchemy.inspect(engine))
        if person is None:
            raise InputError(
                f"{where}: name the table of persons in tree.person; there are {', '.join(tables)}"
            )
        given = keys_of(where, keys, tables) if keys else own

        def load(table: str, columns: Sequence[str]) -> pl.DataFrame:
            for name in columns:
                if name not in tables[table]:
                    raise InputError(f"{where}: table '{table}' has no column '{name}', which a key names")
            return _rows(engine, address, table, tables[table])

        return plant(where, person, given, tables, load, drop, heads, missing, sensitive)
    except exc.SQLAlchemyError:
        raise InputError(f"{where}: cannot be reached or read; check host, name, login and rights") from None
    finally:
        engine.dispose()


def _where(address: Any) -> str:
    """A database's name for messages: never the user, never the password."""
    if address.get_backend_name() == "sqlite":
        return f"database {Path(address.database or '').name or 'in memory'}"
    host = f"{address.host or 'localhost'}{f':{address.port}' if address.port else ''}"
    return f"database {address.get_backend_name()}://{host}/{address.database or ''}"


def _require_file(address: Any, where: str) -> None:
    """SQLite would make a new, empty file of a name that it does not find."""
    if address.get_backend_name() == "sqlite" and not Path(address.database or "").is_file():
        raise InputError(f"{where}: not found; check the path in data.url")


def _schema(inspector: Any) -> tuple[dict[str, list[str]], list[Key]]:
    """The columns of every table, and the foreign keys among them."""
    tables = {
        table: [column["name"] for column in inspector.get_columns(table)]
        for table in inspector.get_table_names()
    }
    keys = [
        Key(table, tuple(key["constrained_columns"]), key["referred_table"], _referred(inspector, key))
        for table in tables
        for key in inspector.get_foreign_keys(table)
        if key["referred_table"] in tables
    ]
    return tables, keys


def _referred(inspector: Any, key: Any) -> tuple[str, ...]:
    """The columns that a key refers to; SQLite may leave them to the primary key."""
    return tuple(
        key["referred_columns"] or inspector.get_pk_constraint(key["referred_table"])["constrained_columns"]
    )


def _rows(engine: Any, address: Any, table: str, columns: Sequence[str]) -> pl.DataFrame:
    """All rows of a table: by ADBC where its driver is there, else by SQLAlchemy."""
    quote = engine.dialect.identifier_preparer.quote_identifier
    query = f"SELECT {', '.join(map(quote, columns))} FROM {quote(table)}"
    connection = _adbc(address)
    if connection is not None:
        with closing(connection):
            return pl.DataFrame([_plain(column) for column in pl.read_database(query, connection)])
    with engine.connect() as connection:
        return pl.read_database(query, connection, infer_schema_length=None)


def _plain(column: pl.Series) -> pl.Series:
    """A column without Arrow's extension types: PostgreSQL's exact numbers come as text of one."""
    if isinstance(column.dtype, pl.BaseExtension):
        stored = column.ext.storage()
        return stored.str.replace(r"\.0+$", "") if stored.dtype == pl.String else stored
    return column


def _adbc(address: Any) -> Any:
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
