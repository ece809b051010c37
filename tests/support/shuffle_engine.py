"""An engine that leans on nothing: what is right on it does not depend on the order of records, parts or answers."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import narwhals as nw
import numpy as np
import polars as pl

from shoal.engines import Frame
from shoal.engines.local import Local

_AGAIN = 0.3  # of the tasks run a second time, as where a machine of a cluster was lost
Part = TypeVar("Part")
Answer = TypeVar("Answer")


class Shuffle(Local):
    """An engine for tests: tasks, parts and answers are pickled, tasks run in random order and some of them twice.

    Frames come in batches of random sizes and in random order. What is right on this engine leans neither on the
    order of records, parts or answers, nor on what a process has in memory, nor on a task running once.

    Parameters
    ----------
    seed
        What is drawn; None draws anew each time.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def map(self, task: Callable[[Part], Answer], parts: Sequence[Part], /) -> Iterator[Answer]:
        """Yield one answer per part, in random order; of a task that ran twice, either answer."""
        sent = [pickle.dumps((task, part)) for part in parts]
        for at in self._rng.permutation(len(sent)):
            answers = [_run(sent[at]) for _ in range(1 + (self._rng.random() < _AGAIN))]
            yield pickle.loads(answers[self._rng.integers(len(answers))])

    def copy_records(self, frame: Frame, folder: Path) -> Frame:
        """Copy them in another order."""
        super().copy_records(frame, folder)
        (place,) = folder.iterdir()
        whole = pl.read_parquet(place)
        place.unlink()
        for number, piece in enumerate(self._cut(whole)):
            piece.write_parquet(folder / f"{number}.parquet")
        return nw.from_native(pl.scan_parquet(sorted(folder.iterdir())))

    def _batches(self, frame: Frame, size: int) -> Iterator[pl.DataFrame]:
        yield from self._cut(pl.concat(list(super()._batches(frame, size))))

    def _cut(self, whole: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Batches of random sizes in random order."""
        cuts = sorted(self._rng.integers(0, whole.height + 1, size=3).tolist())
        parts = [whole[a:b] for a, b in pairwise([0, *cuts, whole.height])]
        for at in self._rng.permutation(len(parts)):
            yield parts[at]


def _run(sent: bytes) -> bytes:
    """Run a task as another process would: with copies of all it is given."""
    task, part = pickle.loads(sent)
    return pickle.dumps(task(part))
