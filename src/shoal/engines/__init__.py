"""Engines: where records that do not fit in memory are counted, mapped, staged and written.

An engine sees a table as a lazy frame of narwhals and answers with small things: counts, samples, digests. What is
counted and mapped is written once, here; an engine only knows how its frames are run and where files are.

Frames that polars does not run, such as relations of DuckDB, are counted where they are and taken over in batches.
Workers of a cluster form batches of records, write their lines and look at them; they import this, and nothing of the
cluster's own, and batches come and go as Arrow's.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import narwhals as nw
import numpy as np
import polars as pl

from shoal.base.errors import InputError, ShoalError, message_and_exit_code

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "COUNT",
    "ORDER",
    "Engine",
    "Form",
    "Frame",
    "Mapper",
    "Repeats",
    "Seen",
    "TooManyError",
    "ValueRule",
    "Writer",
    "arrow",
    "cores",
    "form_batches",
    "in_threads",
    "in_turn",
    "is_readable",
    "run_task",
    "sum_batches",
    "version",
    "write_batches",
]


Part = TypeVar("Part")
Answer = TypeVar("Answer")


class Mapper(Protocol):
    """A function that calls a task once for each part and gives one answer per part, in whatever order.

    A *part* is whatever a task can be given: mostly the path of a private file with some of the records. A *task* is a
    function that can be pickled; it reads its part where it lies, and returns something small or writes a file beside
    it. It may have run more than once for a part; one of its answers is given. So answers say which part they belong to
    where that matters, or they are merged so that their order does not matter.
    """

    def __call__(self, task: Callable[[Part], Answer], parts: Sequence[Part], /) -> Iterator[Answer]:
        """Yield the answers."""


def cores() -> int:
    """How many threads or processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_turn(task: Callable[[Part], Answer], parts: Sequence[Part], /) -> Iterator[Answer]:
    """Call the task for one part after the other.

    >>> list(in_turn(len, ["one", "three"]))
    [3, 5]
    """
    return map(task, parts)


def in_threads(number: int) -> Mapper:
    """Return a mapper that works on up to `number` parts at once: kernels let other threads run.

    The first part goes alone: what it compiles, threads would else compile side by side, which Python 3.11 does not
    always bear. No more than twice as many answers are held as there are threads. The first error ends the work.

    >>> list(in_threads(2)(len, ["one", "three"]))
    [3, 5]
    """
    if number < 1:
        raise InputError("engines: work needs at least one thread")
    if number == 1:
        return in_turn

    def mapped(task: Callable[[Part], Answer], parts: Sequence[Part], /) -> Iterator[Answer]:
        begun: deque[Future[Answer]] = deque()
        yield from map(task, parts[:1])
        with ThreadPoolExecutor(number) as pool:
            try:
                for part in parts[1:]:
                    if len(begun) == 2 * number:
                        yield begun.popleft().result()
                    begun.append(pool.submit(task, part))
                while begun:
                    yield begun.popleft().result()
            finally:
                for future in begun:
                    future.cancel()

    return mapped


Frame = nw.LazyFrame[Any]
"""A table that is not in memory."""

Form = Callable[[pl.DataFrame], pl.DataFrame]
"""What says which cells of a batch are staged, and how they are written."""

Seen = Callable[[pl.DataFrame], int]
"""What sees a batch that is written, and says a number of it."""

COUNT = "shoal count"
"""The column of a tally that says how many records each of its rows stands for."""

ORDER = "shoal order"
"""The column of staged records that puts them in a random order, drawn from the operating system."""


class TooManyError(Exception):
    """There are more different rows than an answer may hold."""


class Repeats(NamedTuple):
    """How many records share an identifier with another one, and how many have none."""

    shared: int
    missing: int


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


class Writer(Protocol):
    """How released records are written in one format; it travels to wherever records are written."""

    @property
    def format(self) -> str:
        """Csv, parquet or ndjson."""

    def form(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The cells as they are written, a column each."""

    def lines(self, frame: pl.DataFrame, *, header: bool) -> bytes:
        """A piece of a text file."""

    def whole(self, pieces: Iterator[pl.DataFrame], path: Path) -> None:
        """Write pieces as one file."""


class Engine(Protocol):
    """What runs lazy frames of one kind."""

    name: str

    def collected(self, frame: Frame) -> pl.DataFrame:
        """A frame that is small."""

    def map_columns(self, frame: Frame, rules: Mapping[str, ValueRule]) -> Frame:
        """The frame with one more column for each rule, called by the rule's key.

        Its text columns, whose values the rules know, are held as this engine holds them best.
        """

    def tally(self, frame: Frame, by: Sequence[str], limit: int, records: int) -> pl.DataFrame:
        """The different rows of columns `by`, and in `COUNT` how many of all `records` have each.

        Raises
        ------
        TooManyError
            There are more than `limit`; no more were collected.
        """

    def total(self, frame: Frame) -> int:
        """How many records there are."""

    def sample(self, frame: Frame, records: int, total: int) -> pl.DataFrame:
        """About so many records of all, spread over the whole."""

    def repeats(self, frame: Frame, column: str) -> Repeats:
        """How often an identifier repeats; blanks do not tell two of them apart."""

    def copy_records(self, frame: Frame, folder: Path) -> Frame:
        """The same records as a frame of polars; if need be in files of their own, in a private `folder` to be."""

    def stage(self, frame: Frame, folder: Path, records: int, form: Form) -> None:
        """Write a frame once, privately, with a random `ORDER`."""

    def staged(self, folder: Path) -> Frame:
        """What was staged."""

    def write(self, folder: Path, columns: Mapping[str, str], place: Path, writer: Writer, seen: Seen) -> int:
        """Write staged columns under their public names to `place`, in random order; the sum of what `seen` says."""

    def opened(self, place: Path, format: str) -> Frame:
        """What was written, as anybody reads it: cells of csv as text, an empty one null."""

    @property
    def map(self) -> Mapper:
        """What runs tasks over parts."""

    def find_shared_place(self, beside: Path | None) -> Path | None:
        """Where parts may lie so that tasks see them: beside this path; None is wherever the system has its own."""

    def summed(self, frame: Frame, seen: Seen) -> int:
        """The sum, modulo 2^64, of what `seen` says of all batches of a frame."""


Batches = Iterator["pa.RecordBatch"]
_WRAP = 2**64


def form_batches(form: Form, batches: Batches) -> Batches:
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


def sum_batches(seen: Seen, batches: Batches) -> Batches:
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


def is_readable(path: Path, text: str) -> bool:
    """Whether this process sees a file that holds just this text."""
    try:
        return path.read_text() == text
    except OSError:
        return False


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
