"""Engines: what reads records that do not fit in memory, and what runs tasks over their parts.

An engine sees a table as a lazy frame of narwhals. It copies its records to files of parquet, wherever they come from;
from there all data are parts, and an engine no more than a scheduler. Workers of a cluster import this, and nothing of
the cluster's own.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import narwhals as nw
import polars as pl

from shoal.base.errors import InputError, ShoalError, message_and_exit_code

__all__ = [
    "COUNT",
    "Engine",
    "Frame",
    "Mapper",
    "Repeats",
    "TooManyError",
    "cores",
    "in_threads",
    "in_turn",
    "is_readable",
    "run_task",
    "version",
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


class TooManyError(Exception):
    """There are more different rows than an answer may hold."""


class Repeats(NamedTuple):
    """How many records share an identifier with another one, and how many have none."""

    shared: int
    missing: int


class Engine(Protocol):
    """What reads frames of one kind, and runs tasks over parts."""

    def collected(self, frame: Frame) -> pl.DataFrame:
        """A frame that is small."""

    def total(self, frame: Frame) -> int:
        """How many records there are."""

    def repeats(self, frame: Frame, column: str) -> Repeats:
        """How often an identifier repeats; blanks do not tell two of them apart."""

    def copy_records(self, frame: Frame, folder: Path) -> Frame:
        """The same records as a frame of polars, in files of their own in a private `folder` to be."""

    @property
    def map(self) -> Mapper:
        """What runs tasks over parts."""

    def find_shared_place(self, beside: Path | None) -> Path | None:
        """Where parts may lie so that tasks see them: beside this path; None is wherever the system has its own."""


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
