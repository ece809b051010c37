"""A process of the pool: it is sent the data once, then point after point, and answers each with its row."""

import os
import pickle
import sys
import threading
import warnings
from queue import SimpleQueue
from typing import Any, BinaryIO

from shoal.errors import ShoalWarning
from shoal.stopping import end

__all__ = ["work"]


def work() -> None:
    """Answer on standard output what comes on standard input, until that ends; then this process does, at once."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever prints must not disturb the answers
    asked: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_hear, args=[asked], daemon=True).start()
    warnings.simplefilter("ignore", ShoalWarning)  # they were told when the data was read
    from shoal.kernels.ahead import compile_listed
    from shoal.publish.study.compare.making import row_of
    from shoal.publish.study.compare.packing import unpacked

    originals, warm = unpacked(*asked.get()), set[str]()
    while True:
        point = asked.get()
        if point.maker not in warm:  # compiling and loading kernels is no part of a maker's time
            compile_listed(point.maker)
            warm.add(point.maker)
        _send(True, answers)  # from now on its time counts
        _send(row_of(originals, point), answers)


def _send(thing: object, answers: BinaryIO) -> None:
    pickle.dump(thing, answers)
    answers.flush()


def _hear(asked: SimpleQueue[Any]) -> None:
    try:
        while True:
            asked.put(pickle.load(sys.stdin.buffer))
    except (EOFError, OSError, pickle.UnpicklingError):
        end(0)
