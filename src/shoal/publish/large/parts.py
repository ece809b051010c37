"""Records in parts: the private folder they lie in, and what is counted of them, as sums."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.data import Role
from shoal.data.arrays import I4, I8, U8, hash_u64
from shoal.engines import Frame
from shoal.io.config import ColumnSpec
from shoal.io.read.source import Source
from shoal.parts.folder import PrivateFolder
from shoal.release import Claim, Result, Verdict
from shoal.report.facts import CutRelation
from shoal.shapes.in_memory import counts_of
from shoal.utility import LOSSES, BasketCase, TreeCase, VoteCase, sort_losses

__all__ = [
    "MOST_TUPLES",
    "BasketCounts",
    "DistinctCounter",
    "InParts",
    "LossSums",
    "PartCounts",
    "TableOrigin",
    "columns_of_method",
    "joint_verdict",
    "list_hashes",
]


# --- records as random numbers: equal ones have equal numbers, so whole releases are compared by their sums

_ODD = np.uint64(0x9E3779B97F4A7C15)
_LESS = np.uint64(0x94D049BB133111EB)


def list_hashes(start: I8, items: I4 | I8, key: int) -> U8:
    """A number for each list, equal for equal lists: uint64[n]; row i holds items[start[i] : start[i + 1]]."""
    size = np.diff(start)
    place = np.arange(len(items)) - np.repeat(start[:-1], size)
    mixed = hash_u64(items.astype(np.uint64) * _ODD + place.astype(np.uint64) * _LESS + np.uint64(key))
    sums = np.r_[np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)]
    return hash_u64(sums[start[1:]] - sums[start[:-1]] + size.astype(np.uint64) * _ODD)


@dataclass(frozen=True, slots=True)
class DistinctCounter:
    """The different ones of many hashes, which may come in parts; its length is their number.

    Some may stand in two runs, each rising and at most half as long as the one before it. So each hash is sorted as
    often as the number of runs grew, not for every part that comes.
    """

    runs: tuple[U8, ...] = ()

    @classmethod
    def of(cls, hashes: U8) -> "DistinctCounter":
        """Those of one part."""
        return cls((np.unique(hashes),))

    def __add__(self, other: "DistinctCounter") -> "DistinctCounter":
        runs = sorted((*self.runs, *other.runs), key=len, reverse=True)
        joined: list[U8] = []
        for run in runs:
            joined.append(run)
            while len(joined) > 1 and 2 * len(joined[-1]) > len(joined[-2]):
                joined[-2:] = [np.union1d(*joined[-2:])]
        return DistinctCounter(tuple(joined))

    def __len__(self) -> int:
        return (
            len(self.runs[0]) if len(self.runs) == 1 else len(np.unique(np.concatenate([*self.runs, _NONE])))
        )


_NONE = np.zeros(0, dtype=np.uint64)


# --- data whose records lie in parts

Answer = TypeVar("Answer")


@dataclass(frozen=True, repr=False)
class InParts:
    """What data have in common whose records lie in parts, apart from memory.

    parts : the records; of what memory has, these data hold names and codes alone
    held  : how many items, or nodes, the records have together
    room  : the private folder of the parts; it goes with the dataset
    """

    in_memory: ClassVar[bool] = False
    shape: ClassVar[str]

    parts: Any = field(kw_only=True)
    held: int = field(kw_only=True)
    room: PrivateFolder = field(kw_only=True)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and parts there are, no item and no value."""
        return {"shape": self.shape, **self.parts.facts()}

    @property
    def records(self) -> int:
        """How many records there are."""
        found: int = self.parts.n
        return found

    @property
    def cells(self) -> int:
        """How many items, or nodes, a method looks at."""
        return self.held

    @property
    def buckets(self) -> int:
        """In how many pieces records are shuffled."""
        return len(self.parts.parts)

    def over(self, task: Callable[[Path], Answer]) -> Iterator[Answer]:
        """What a task says of each part."""
        answers: Iterator[Answer] = self.parts.map(task, self.parts.parts)
        return answers

    def count_release(self, release: Any) -> "PartCounts":
        """Count the records, before and after."""
        raise NotImplementedError

    @cached_property
    def key(self) -> int:
        """A random number that records are hashed with."""
        return int.from_bytes(os.urandom(8))

    @cached_property
    def _counts(self) -> "list[tuple[Any, PartCounts]]":
        return []  # of each release what was counted; a number such as id(release) may be another's later

    def count_once(self, release: Any) -> Any:
        """What is counted of the records (`PartCounts`), once for each release."""
        for known, counts in self._counts:
            if known is release:
                return counts
        found = self.count_release(release)
        self._counts.append((release, found))
        return found

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[Any]:
        """Refuse: a stored recoding is applied to records in memory."""
        raise InputError(
            "recoding: the records are too many to be held in memory; recode them in several files"
        )

    def size(self, release: Any) -> int:
        """Say none: records are shuffled when they are written."""
        return 0

    def shuffle_rows(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same: records are shuffled when they are written."""
        return result

    def counts(self, release: Any) -> dict[str, int]:
        """Records in and out, none of them left out; the classes are the different records published."""
        classes = len(self.count_once(release).kinds)
        return counts_of(self.records, self.records, classes, int(release.outline.suppressed))

    def losses_by_column(self, result: Result[Any], losses: Mapping[str, float]) -> dict[str, float | None]:
        """Nothing: of so many records only the loss of all columns together is counted."""
        return {}

    def losses(self, result: Result[Any], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """The losses that are means; what is mined or asked of all records at once is not told of so many."""
        found = self.count_once(result.release).sums.means(public=public)
        return sort_losses(found, method["parameters"].get("loss"))


# --- what is counted of each part, for pages, manifest and door


@dataclass(frozen=True, slots=True)
class PartCounts:
    """Counts of some records; parts are added.

    facts : what pages of the shape tell, as a named tuple: `TreeCounts`, or `BasketCounts`
    sums  : what they lose
    kinds : the different released records, as hashes
    """

    facts: Any
    sums: "LossSums"
    kinds: DistinctCounter

    def __add__(self, other: "PartCounts") -> "PartCounts":
        """The counts of both."""
        facts = type(self.facts)(*map(_plus, self.facts, other.facts))
        return PartCounts(facts, self.sums + other.sums, self.kinds + other.kinds)


class BasketCounts(NamedTuple):
    """Counts of some baskets, before and after.

    before, after : for each original item, and for each published one, how many records hold it
    lengths : for each number of published items, how many records have it
    flips   : of baskets by vote what `flips_by_item` tells
    """

    before: I8
    after: Any
    lengths: Counter[int]
    flips: tuple[I8, I8, I8] | None = None


def _plus(one: Any, other: Any) -> Any:
    match one:
        case None:
            return None
        case tuple():
            return tuple(map(_plus, one, other))
        case CutRelation():
            return replace(one, records=one.records + other.records)
        case _:
            return one + other


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


def joint_verdict(said: list[Verdict], sentence: str) -> Verdict:
    """The verdicts on all parts as one; records are not numbered through."""
    wrong = [one for one in said if not one]
    if wrong:
        broken = sum(one.broken for one in wrong)
        return Verdict(False, f"in {len(wrong)} parts: {wrong[0].sentence}", True, broken)
    return Verdict(True, sentence)


# --- Where a large table is read, and what a method sees of it.

MOST_TUPLES = 5_000_000
"""Different tuples that are held: about a gigabyte."""


class TupleSource(Source):
    """Different rows, which stand for records that are not in memory."""

    __slots__ = ()

    def like(self, frame: pl.DataFrame) -> Any:
        """Released records are too many to hand over."""
        raise InputError("release: too large to be held in memory; save it, and read what was written")


@dataclass(frozen=True, slots=True, repr=False)
class TableOrigin(SafeRepr):
    """What a large table is, and where it is read.

    frame   : the records, with every column that is looked at or published
    name    : what messages call it
    missing : texts that stand for a missing cell
    records : how many there are
    columns : of every published column, in input order, what its owner says of it
    dropped : the columns that came in and are not published
    roles   : the roles of all columns that came in and were not dropped
    allow   : columns that are published whatever they tell
    person  : the column that says whom a record belongs to; None where every record is a person
    counted : what that column tells: persons, or households where a claim counts these
    """

    frame: Frame
    name: str
    missing: tuple[str, ...]
    records: int
    columns: Mapping[str, ColumnSpec]
    dropped: tuple[str, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    allow: frozenset[str] = frozenset()
    person: str | None = None
    counted: str = "persons"

    def __getstate__(self) -> list[Any]:
        """Leave out the records: tasks read parts."""
        return [None if own.name == "frame" else getattr(self, own.name) for own in fields(self)]


def columns_of_method(roles: Mapping[str, str], claim: Claim | None, target: str | None) -> list[str]:
    """What a method must see: quasi-identifiers, sensitive columns that the claim speaks of, what a loss predicts."""
    known = [name for name, role in roles.items() if role == "quasi"]
    told = [] if claim is None else [name for name in claim.sees(roles) if roles[name] == "sensitive"]
    return list(dict.fromkeys([*known, *told, *(name for name in roles if name == target)]))
