"""Records where a configuration says they are: in a file, or in a table of a database."""

from shoal.errors import InputError
from shoal.io.config import ColumnSpec, Config
from shoal.io.read import read
from shoal.io.roles import may_nest
from shoal.io.source import Source
from shoal.io.sql import read_rows

__all__ = ["entries_of", "records_of"]


def records_of(config: Config) -> Source:
    """The records; items columns that stand among them may hold lists, and what is dropped anything."""
    data = config.data
    nested = may_nest({name: spec.role for name, spec in config.columns.items()})
    if data.path is not None:
        return read(
            data.path, delimiter=data.delimiter, encoding=data.encoding, missing=data.missing, nested=nested
        )
    if data.table is None:
        raise InputError("configuration: [data] has a url and no table; name the one with the records")
    return read_rows(str(data.url), data.table, missing=data.missing, nested=nested)


def entries_of(config: Config, name: str, spec: ColumnSpec) -> Source:
    """The long table that holds the items of column `name`, one row per item."""
    data = config.data
    if spec.path is not None:
        return read(spec.path, delimiter=data.delimiter, encoding=data.encoding, missing=data.missing)
    if data.url is None:
        raise InputError(
            f"configuration: items column '{name}' names a table and [data] no url; give its file as path"
        )
    return read_rows(data.url, str(spec.table), [str(spec.key), str(spec.item)], missing=data.missing)
