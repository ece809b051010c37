"""What the workers of a cluster do with batches of records: form them, write their lines, look at them.

Workers import this, and nothing of the cluster's own; batches come and go as Arrow's.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from shoal.engines import ORDER, Writer
from shoal.errors import ShoalError, told

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["answered", "arrow", "formed", "lines", "looked_at", "version"]

Part = TypeVar("Part")
Batches = Iterator["pa.RecordBatch"]

_WRAP = 2**64


def formed(form: Callable[[pl.DataFrame], pl.DataFrame], batches: Batches) -> Batches:
    """Batches as they are staged, each record with a random number from the operating system."""
    for batch in batches:
        made = form(_frame(batch))
        order = np.frombuffer(os.urandom(8 * made.height), dtype=np.int64)
        yield from arrow(made.with_columns(pl.Series(ORDER, order))).to_batches()


def lines(writer: Writer, columns: Mapping[str, str], batches: Batches) -> Batches:
    """The text of each batch without its last line end; that of the first one begins with the header."""
    first = True
    for batch in batches:
        if batch.num_rows:
            public = _frame(batch).select(pl.col(own).alias(name) for own, name in columns.items())
            text = writer.lines(public, header=first).removesuffix(b"\n").decode()
            yield from arrow(pl.DataFrame({"value": [text]})).to_batches()
            first = False


def looked_at(seen: Callable[[pl.DataFrame], int], batches: Batches) -> Batches:
    """The sum of what `seen` says of all batches, as a whole number with a sign."""
    found = sum(seen(_frame(batch)) for batch in batches) % _WRAP
    yield from arrow(pl.DataFrame({"sum": [found - _WRAP if found >= _WRAP // 2 else found]})).to_batches()


def answered(task: Callable[[Part], Any], part: Part) -> tuple[Any, ShoalError | None]:
    """Run a task; what it says of wrong data is an answer too, and of any other error no cell gets into a log."""
    try:
        return task(part), None
    except ShoalError as error:
        return None, error
    except Exception as error:
        raise RuntimeError(told(error)[0]) from None


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
