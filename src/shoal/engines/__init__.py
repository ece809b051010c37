"""Engines: where records that do not fit in memory are counted, mapped, staged and written.

An engine sees a table as a lazy frame of narwhals and answers with small things: counts, samples, digests. What is
counted and mapped is written once, in `frames`; an engine only knows how its frames are run and where files are.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import narwhals as nw
import polars as pl

from shoal.errors import InputError

__all__ = [
    "COUNT",
    "ORDER",
    "Engine",
    "Frame",
    "Lookup",
    "Mapper",
    "Repeats",
    "TooManyError",
    "Writer",
    "cores",
    "in_threads",
    "in_turn",
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


class Lookup(NamedTuple):
    """What the values of a column become.

    column : the column that is looked up
    old    : its values, null not among them
    new    : what each becomes
    null   : what a missing value becomes
    kind   : the type of what they become
    """

    column: str
    old: pl.Series
    new: Sequence[Any]
    null: Any
    kind: Any


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

    def coded(self, frame: Frame, values: Mapping[str, pl.Series]) -> Frame:
        """The same frame, text columns whose values are all known held as this engine holds them best."""

    def label_type(self, labels: Sequence[str]) -> Any:
        """The type of a column of labels."""

    def looked_up(self, frame: Frame, lookups: Mapping[str, Lookup]) -> Frame:
        """The frame with one more column for each lookup, called by its key."""

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

    def stage(
        self, frame: Frame, folder: Path, records: int, form: Callable[[pl.DataFrame], pl.DataFrame]
    ) -> None:
        """Write a frame once, privately, with a random `ORDER`; `form` says what of a batch is written, and how."""

    def staged(self, folder: Path) -> Frame:
        """What was staged."""

    def write(
        self,
        folder: Path,
        columns: Mapping[str, str],
        place: Path,
        writer: Writer,
        seen: Callable[[pl.DataFrame], int],
    ) -> int:
        """Write staged columns under their public names to `place`, in random order; the sum of what `seen` says."""

    def opened(self, place: Path, format: str) -> Frame:
        """What was written, as anybody reads it: cells of csv as text, an empty one null."""

    def summed(self, frame: Frame, seen: Callable[[pl.DataFrame], int]) -> int:
        """The sum, modulo 2^64, of what `seen` says of all batches of a frame."""
