"""When a table is opened as a large one, and how: counted by an engine, never read at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from shoal.engines import Engine, Frame, TooManyError
from shoal.engines.local import Local
from shoal.errors import InputError
from shoal.io.cells import REPEATED, table
from shoal.io.config import ColumnSpec, Config
from shoal.io.persons import refuse_shared
from shoal.io.roles import settled
from shoal.io.scan import scan
from shoal.io.source import Source, refuse_nested
from shoal.publish.expected import claim_stated
from shoal.publish.large.dataset import MOST_TUPLES, LargeTable, Origin, bound

__all__ = ["large_table", "open_large"]

_BY_COUNTS = ("optimal", "incognito", "pareto", "poka")
"""The makers that need no more of a table than how often each tuple occurs."""

_FEW_BYTES = 24 * 2**20  # of a file: a smaller one is read at once
_HEAD = 1000


def open_large(config: Config, guarantee: Mapping[str, Any]) -> LargeTable | None:
    """The table that a configuration names, if it is large and its maker can do with counts; else None."""
    if not _wanted(config):
        return None
    path = config.data.path
    assert path is not None
    frame = scan(path, delimiter=config.data.delimiter, encoding=config.data.encoding)
    if frame is None:
        return None
    return large_table(config, guarantee, nw.from_native(frame), Local(), path.name)


def _wanted(config: Config) -> bool:
    """Whether counts suffice: a table of rows that are persons, in a large file, for a maker that counts tuples."""
    path, data = config.data.path, config.data
    maker = config.method or ("optimal" if {"loss", "target"} & config.parameters.keys() else "")
    return (
        config.shape == "table"
        and maker in _BY_COUNTS
        and path is not None
        and data.person is None
        and data.decimal == "."
        and not config.rows
        and config.target is None
        and not any(spec.shared for spec in config.columns.values())
        and _size(path) >= _FEW_BYTES
    )


def _size(path: Path) -> int:
    """How many bytes a file holds; parquet packs them to about a tenth."""
    found = path.stat().st_size if path.is_file() else 0
    return 10 * found if path.suffix.lower() == ".parquet" else found


def large_table(
    config: Config, guarantee: Mapping[str, Any], frame: Frame, engine: Engine, name: str
) -> LargeTable:
    """Count what a maker must know of a table, and bind it to its hierarchies.

    Raises
    ------
    InputError
        A role, a hierarchy or an identifier is wrong, or nearly every record is different, so that there is nothing to
        count.
    """
    head: pl.DataFrame = frame.head(_HEAD).collect("polars").to_native()
    refuse_nested(head, name)
    config, first = settled(config, Source(head, "polars", name, config.data.missing))
    roles = {column: spec.role for column, spec in config.columns.items()}
    table(
        first, roles, weights={column: spec.weight for column, spec in config.columns.items()}
    )  # faults are told now
    _refuse_repeats(engine, frame, name, [column for column, role in roles.items() if role == "identifier"])
    columns = {
        column: config.columns[column] for column in first.frame.columns if roles[column] != "identifier"
    }
    clean, total = _clean(frame.select(*columns), columns), engine.total(frame)
    origin = Origin(engine, clean, name, config.data.missing, total, columns)
    tuples = _counted(origin, _looked_at(config, columns, guarantee))
    made = bound(origin, tuples)
    if not made.table.n:
        raise InputError(f"{name}: no records; give a table with at least one row")
    allow = frozenset(column for column, spec in columns.items() if spec.allow)
    return LargeTable(made.source, made.table, made.hierarchies, roles, allow, origin=origin, tuples=tuples)


def _clean(frame: Frame, columns: Mapping[str, ColumnSpec]) -> Frame:
    """Numbers that are no numbers are missing: engines disagree on whether they are equal."""
    kinds = frame.collect_schema()
    odd = [name for name, spec in columns.items() if spec.role == "quasi" and kinds[name].is_float()]
    return frame.with_columns(nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name) for name in odd)


def _looked_at(config: Config, columns: Mapping[str, ColumnSpec], guarantee: Mapping[str, Any]) -> list[str]:
    """What a maker must see: quasi-identifiers, sensitive columns that the claim speaks of, what a loss predicts."""
    claim = claim_stated(config, guarantee) if guarantee else None
    roles = {name: spec.role for name, spec in columns.items()}
    seen = [name for name, role in roles.items() if role == "quasi"]
    seen += [] if claim is None else [name for name in claim.sees(roles) if roles[name] == "sensitive"]
    predicted = [name for name in columns if name == config.parameters.get("target")]
    return list(dict.fromkeys([*seen, *predicted]))


def _counted(origin: Origin, names: list[str]) -> pl.DataFrame:
    if not names:
        raise InputError(
            "columns: no quasi-identifier, so a claim would be empty; give at least one column the role quasi"
        )
    try:
        return origin.tally(names)
    except TooManyError:
        raise InputError(
            f"{origin.name}: the columns that a maker looks at have more than {MOST_TUPLES:,} different rows, so that "
            "counting them is of no use; coarsen the columns with the most values before, or drop them"
        ) from None


def _refuse_repeats(engine: Engine, frame: Frame, name: str, identifiers: list[str]) -> None:
    for column in identifiers:
        found = engine.repeats(frame, column)
        refuse_shared(f"{name}, column '{column}'", found.shared, found.missing, REPEATED)
