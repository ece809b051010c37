"""Counting and mapping of tables, written once for every engine as expressions of narwhals' lazy frames.

Frames that polars does not run, such as relations of DuckDB, are counted where they are and taken over in batches.
Workers of a cluster form batches of records, write their lines and look at them; they import this, and nothing of the
cluster's own, and batches come and go as Arrow's.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from shoal.engines import COUNT, ORDER, Engine, Frame, Lookup, TooManyError, Writer
from shoal.errors import ShoalError, message_and_exit_code

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ValueRule",
    "arrow",
    "count_rows",
    "foreign_tally",
    "form_batches",
    "is_foreign",
    "lookup_expression",
    "map_columns",
    "run_task",
    "stream_frame",
    "sum_batches",
    "version",
    "write_batches",
]


_BATCH = 500_000
Part = TypeVar("Part")
Batches = Iterator["pa.RecordBatch"]
_WRAP = 2**64


@dataclass(frozen=True, slots=True)
class ValueRule:
    """What becomes of each value of a column.

    column : the column that is looked up
    old    : the values that occur, as the column holds them, null not among them
    new    : what each becomes; None is an empty cell
    null   : what a missing value becomes
    """

    column: str
    old: pl.Series
    new: Sequence[str | None]
    null: str | None


def count_rows(frame: Frame, by: Sequence[str]) -> Frame:
    """The different rows of some columns, each with how many records have it."""
    return frame.group_by(*by).agg(nw.len().alias(COUNT))


def map_columns(engine: Engine, frame: Frame, rules: Mapping[str, ValueRule]) -> Frame:
    """The frame with one more column for each rule, called by the rule's key."""
    lookups = {}
    for name, rule in rules.items():
        labels = sorted({label for label in (*rule.new, rule.null) if label is not None})
        lookups[name] = Lookup(rule.column, rule.old, rule.new, rule.null, engine.label_type(labels))
    return engine.looked_up(frame, lookups)


def lookup_expression(lookup: Lookup) -> Any:
    """A lookup as an expression, for engines that hold the values of a column in an expression with ease."""
    cell, kind = nw.col(lookup.column), lookup.kind
    old, new = lookup.old.to_list(), list(lookup.new)
    known = cell.replace_strict(old, new, default=None, return_dtype=kind) if old else None
    if lookup.null is None:
        return nw.lit(None, kind) if known is None else known
    empty = nw.lit(lookup.null).cast(kind)
    return empty if known is None else nw.when(cell.is_null()).then(empty).otherwise(known)


def is_foreign(frame: Frame) -> bool:
    """Whether another library than polars runs a frame."""
    return not isinstance(frame.to_native(), pl.LazyFrame)


def foreign_tally(frame: Frame, by: Sequence[str], limit: int) -> pl.DataFrame:
    """Count equal rows where they are; those that were found are counted before any is collected.

    Raises
    ------
    TooManyError
        There are more than `limit`.
    """
    found = count_rows(frame, by)
    if int(found.select(nw.len()).collect("polars").item()) > limit:
        raise TooManyError
    tally: pl.DataFrame = found.collect("polars").to_native()
    return tally


def stream_frame(frame: Frame) -> pl.LazyFrame:
    """The records of a foreign frame for polars, a batch at a time where its library can hand them over so."""
    native: Any = frame.to_native()
    if not hasattr(native, "to_arrow_reader"):
        whole: pl.DataFrame = frame.collect("polars").to_native()
        return whole.lazy()
    first = frame.head(0).collect("polars").to_native()

    def batches(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for batch in native.to_arrow_reader(_BATCH):
            part = pl.from_arrow(batch)
            assert isinstance(part, pl.DataFrame)
            picked = part if with_columns is None else part.select(with_columns)
            yield picked if predicate is None else picked.filter(predicate)

    return register_io_source(batches, schema=first.schema)


def form_batches(form: Callable[[pl.DataFrame], pl.DataFrame], batches: Batches) -> Batches:
    """Batches as they are staged, each record with a random number from the operating system."""
    for batch in batches:
        made = form(_frame(batch))
        order = np.frombuffer(os.urandom(8 * made.height), dtype=np.int64)
        yield from arrow(made.with_columns(pl.Series(ORDER, order))).to_batches()


def write_batches(writer: Writer, columns: Mapping[str, str], batches: Batches) -> Batches:
    """The text of each batch without its last line end; that of the first one begins with the header."""
    first = True
    for batch in batches:
        if batch.num_rows:
            public = _frame(batch).select(pl.col(own).alias(name) for own, name in columns.items())
            text = writer.lines(public, header=first).removesuffix(b"\n").decode()
            yield from arrow(pl.DataFrame({"value": [text]})).to_batches()
            first = False


def sum_batches(seen: Callable[[pl.DataFrame], int], batches: Batches) -> Batches:
    """The sum of what `seen` says of all batches, as a whole number with a sign."""
    found = sum(seen(_frame(batch)) for batch in batches) % _WRAP
    yield from arrow(pl.DataFrame({"sum": [found - _WRAP if found >= _WRAP // 2 else found]})).to_batches()


def run_task(task: Callable[[Part], Any], part: Part) -> tuple[Any, ShoalError | None]:
    """Run a task; what it says of wrong data is an answer too, and of any other error no cell gets into a log."""
    try:
        return task(part), None
    except ShoalError as error:
        return None, error
    except Exception as error:
        raise RuntimeError(message_and_exit_code(error)[0]) from None


def version(_: object = None) -> str:
    """Which shoal this process has."""
    return str(import_module("shoal").__version__)


def arrow(frame: pl.DataFrame) -> Any:
    """The frame as an Arrow table of types that every version of Spark knows."""
    import pyarrow as pa

    table = frame.to_arrow()
    large = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}
    kinds = [pa.field(field.name, large.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(kinds))


def _frame(batch: "pa.RecordBatch") -> pl.DataFrame:
    frame = pl.from_arrow(batch)
    assert isinstance(frame, pl.DataFrame)
    return frame
