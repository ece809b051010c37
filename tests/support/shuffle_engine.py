"""An engine that leans on nothing: what is right on it does not depend on the order of records, parts or answers."""

import pickle
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from shoal.engines import Form, Frame, Seen, Writer
from shoal.engines.local import Local

_AGAIN = 0.3  # of the tasks run a second time, as where a machine of a cluster was lost
Part = TypeVar("Part")
Answer = TypeVar("Answer")


class Shuffle(Local):
    """An engine for tests: tasks, parts and answers are pickled, tasks run in random order and some of them twice.

    Frames come in batches of random sizes and in random order, and what is asked of a batch is pickled too. What is
    right on this engine leans neither on the order of records, parts or answers, nor on what a process has in memory,
    nor on a task running once.

    Parameters
    ----------
    seed
        What is drawn; None draws anew each time.
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

    def stage(self, frame: Frame, folder: Path, records: int, form: Form) -> None:
        """Stage as another process would; a stage that was begun before is begun anew."""
        form = pickle.loads(pickle.dumps(form))
        super().stage(frame, folder, records, form)
        shutil.rmtree(folder)
        super().stage(frame, folder, records, form)

    def write(self, folder: Path, columns: Mapping[str, str], place: Path, writer: Writer, seen: Seen) -> int:
        """Write by copies of all that is given."""
        return super().write(folder, columns, place, *pickle.loads(pickle.dumps((writer, seen))))

    def summed(self, frame: Frame, seen: Seen) -> int:
        """Sum by a copy of what is asked."""
        return super().summed(frame, pickle.loads(pickle.dumps(seen)))

    def _batches(self, frame: Frame, size: int) -> Iterator[pl.DataFrame]:
        whole = pl.concat(list(super()._batches(frame, size)))
        cuts = sorted(self._rng.integers(0, whole.height + 1, size=3).tolist())
        parts = [whole[a:b] for a, b in pairwise([0, *cuts, whole.height])]
        for at in self._rng.permutation(len(parts)):
            yield parts[at]


def _run(sent: bytes) -> bytes:
    """Run a task as another process would: with copies of all it is given."""
    task, part = pickle.loads(sent)
    return pickle.dumps(task(part))
