"""The test engine: what a cluster does to tasks and answers, without a cluster."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

__all__ = ["Shuffle"]

_AGAIN = 0.3  # of the tasks run a second time, as where a machine of a cluster was lost

Part = TypeVar("Part")
Answer = TypeVar("Answer")


class Shuffle:
    """An engine for tests: tasks, parts and answers are pickled, tasks run in random order and some of them twice.

    What is right on this engine leans neither on the order of parts or answers, nor on what a process has in memory,
    nor on a task running once.

    Parameters
    ----------
    seed
        What is drawn; None draws anew each time.

    Examples
    --------
    >>> sorted(Shuffle().map(len, ["one", "three", ""]))
    [0, 3, 5]
    """

    name = "shuffle"

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def map(self, task: Callable[[Part], Answer], parts: Sequence[Part], /) -> Iterator[Answer]:
        """Yield one answer per part, in random order; of a task that ran twice, either answer."""
        sent = [pickle.dumps((task, part)) for part in parts]
        for at in self._rng.permutation(len(sent)):
            answers = [_run(sent[at]) for _ in range(1 + (self._rng.random() < _AGAIN))]
            yield pickle.loads(answers[self._rng.integers(len(answers))])


def _run(sent: bytes) -> bytes:
    """Run a task as another process would: with copies of all it is given."""
    task, part = pickle.loads(sent)
    return pickle.dumps(task(part))
