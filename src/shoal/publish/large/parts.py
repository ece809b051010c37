"""Records in parts: the private folder they lie in, their losses as sums, and their way through the door."""

import os
import weakref
from collections import Counter
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
from shoal.release import Verdict
from shoal.report.facts import Audit
from shoal.stopping import undone
from shoal.utility import LOSSES, BasketCase, TreeCase, VoteCase

__all__ = [
    "LossSums",
    "PartWriting",
    "Room",
    "list_hashes",
    "other_records",
    "random_numbers",
    "together",
    "tree_hashes",
]


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


def random_numbers(n: int) -> U8:
    """So many numbers, uint64[n]: randomness that protects is the operating system's alone."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)


# --- records as random numbers: equal ones have equal numbers, so whole releases are compared by their sums

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


# --- what all releases have in common that are written part by part


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


_BY = {
    "ncp": "items",
    "er": "records",
    "ul": "records",
    "ncp-published": "shown",
    "rpd": "records",
    "rpd-original": "records",
}
"""The losses that are means, and what each is a mean over."""


@dataclass(frozen=True, slots=True)
class LossSums:
    """Losses of some records, as sums that can be added.

    losses : by name, the sum that a loss is the mean of; of these, `public` anybody can compute
    over   : how many items (of trees: nodes), records and published items these are sums over
    """

    losses: Counter[str]
    public: frozenset[str]
    over: Counter[str]

    @classmethod
    def of(cls, case: BasketCase | VoteCase | TreeCase, **counts: int) -> "LossSums":
        """What one part loses; `counts` are how many items, records and published items it has."""
        over = Counter(counts)
        ways = {name: LOSSES[name].ways[case.shape] for name in _BY if case.shape in LOSSES[name].ways}
        found = {name: way.price(case) for name, way in ways.items() if way.needs <= case.has}
        losses = Counter({name: loss * over[_BY[name]] for name, loss in found.items() if loss is not None})
        seen = case.public().has
        return cls(losses, frozenset(name for name in losses if ways[name].needs <= seen), over)

    def __add__(self, other: "LossSums") -> "LossSums":
        losses = Counter(self.losses)
        losses.update(other.losses)  # which keeps what sums up to nothing
        return LossSums(losses, self.public | other.public, self.over + other.over)

    def means(self, *, public: bool) -> dict[str, float]:
        """The losses by name."""
        names = [name for name in self.losses if name in self.public or not public]
        return {name: self.losses[name] / max(self.over[_BY[name]], 1) for name in names}


def together(said: list[Verdict], sentence: str) -> Verdict:
    """The verdicts on all parts as one; records are not numbered through."""
    wrong = [one for one in said if not one]
    if wrong:
        broken = sum(one.broken for one in wrong)
        return Verdict(False, f"in {len(wrong)} parts: {wrong[0].sentence}", True, broken)
    return Verdict(True, sentence)
