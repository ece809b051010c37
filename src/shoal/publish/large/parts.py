"""Records in parts: the private folder they lie in, their losses as sums, and their way through the door."""

import os
import weakref
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np

from shoal.data import Trees
from shoal.data.types import I4, I8, U8
from shoal.errors import RefusedError
from shoal.publish.draft import Draft
from shoal.report.facts import Audit
from shoal.stopping import undone

__all__ = ["PartWriting", "Room", "list_hashes", "other_records", "random_numbers", "tree_hashes"]

# A private folder for parts of the data, which goes with whoever holds it.


class Room:
    """A folder that nobody else can look into; it is removed when the object goes, or the program ends or is ended."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="shoal-"))
        gone = partial(rmtree, self.path, ignore_errors=True)
        held = ExitStack()
        held.callback(gone)
        held.enter_context(undone(gone))
        weakref.finalize(self, held.close)

    def __repr__(self) -> str:
        return "<Room>"


# Randomness that protects: from the operating system alone.


def random_numbers(n: int) -> U8:
    """So many random numbers: uint64[n]."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)


# Records as random numbers: equal ones have equal numbers, so whole releases are compared by their sums.

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MORE = np.uint64(0xBF58476D1CE4E5B9)
_LESS = np.uint64(0x94D049BB133111EB)


def tree_hashes(trees: Trees, key: int) -> U8:
    """A number for each tree, equal for equal trees: uint64[n]."""
    return _hashed(trees.start, trees.items, trees.parents + 2, key)


def list_hashes(start: I8, items: I4 | I8, key: int) -> U8:
    """A number for each list, equal for equal lists: uint64[n]; row i holds items[start[i] : start[i + 1]]."""
    return _hashed(start, items, np.zeros(len(items), dtype=np.int32), key)


def _hashed(start: I8, items: I4 | I8, beside: I4, key: int) -> U8:
    size = np.diff(start)
    place = np.arange(len(items)) - np.repeat(start[:-1], size)
    node = items.astype(np.uint64) * _ODD + beside.astype(np.uint64) * _MORE
    mixed = _mixed(node + place.astype(np.uint64) * _LESS + np.uint64(key))
    sums = np.r_[np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)]
    return _mixed(sums[start[1:]] - sums[start[:-1]] + size.astype(np.uint64) * _ODD)


def _mixed(numbers: U8) -> U8:
    """Let every bit depend on every other."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _MORE
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _LESS
    return numbers ^ (numbers >> np.uint64(31))


# What all releases have in common that are written part by part: where they lie, and what is told of them.


@dataclass(frozen=True)
class PartWriting:
    """What the door asks of records that are not in memory, but for writing and judging them.

    place : the public file
    stage : a private folder; it goes when the door closes
    """

    draft: Draft
    place: Path
    stage: Path

    def audit(self) -> Audit:
        """The facts of the report and the audit, from counts alone."""
        found = self.draft.dataset.audit(self.draft)
        return replace(found, report=replace(found.report, manifest=self.manifest()))

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        data: Any = self.draft.dataset
        return {**self.draft.manifest, "notes": data.notes(self._release)}

    @property
    def _release(self) -> Any:
        return self.draft.result.release


def other_records() -> RefusedError:
    """Why a file is refused that does not hold what was staged."""
    return RefusedError(
        "refused: the data reads back with other records than were staged; nothing was written"
    )
