"""Map a task over parts of the data: one after the other, or several at once.

A *part* is whatever a task can be given: mostly the path of a private file with some of the records. A *task* is a
function that can be pickled (a function of a module, or a `functools.partial` of one); it reads its part where it lies,
and returns something small or writes a file beside it. The algorithm owns how answers are merged.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

from shoal.errors import InputError

__all__ = ["Mapper", "cores", "in_threads", "in_turn"]

Part = TypeVar("Part")
Answer = TypeVar("Answer")


class Mapper(Protocol):
    """A function that calls a task once for each part and gives one answer per part, in whatever order.

    A task may have run more than once for a part; one of its answers is given. So answers say which part they belong to
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
