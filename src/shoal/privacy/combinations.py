"""Every set of values that some record holds, in batches of bounded size.

A set is listed by its rarest value, so that all the records that hold it meet in one batch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np

from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.privacy.knowledge import Facts

__all__ = ["Batch", "batches", "count_sets", "largest_batch", "nothing_known"]


_BATCH = 1 << 19  # sets held at once, but for a single value that makes more
_ALL = 1 << 31
_WORD = 62  # relations in one word of a mask


@dataclass(frozen=True, slots=True)
class Batch:
    """For each row, a set of values, a record that holds it, and which of the values share a path there.

    values : by place in the set, the number of the value
    masks  : words of bits, one bit per pair of places; no words where relations are left out
    record : the distinct record
    """

    values: tuple[I4, ...]
    masks: tuple[I8, ...]
    record: I4


def nothing_known(told: Facts) -> Batch:
    """The empty set of values, which every distinct record holds."""
    return Batch((), (), np.arange(len(told.weight), dtype=np.int32))


def count_sets(told: Facts, size: int) -> int:
    """How many sets of `size` values the distinct records hold, each counted once per record."""
    counts = np.bincount(np.diff(told.start), minlength=1)
    return sum(int(count) * comb(values, size) for values, count in enumerate(counts))


def largest_batch(told: Facts, size: int) -> int:
    """How many sets of `size` values have one and the same rarest value, at most: they are held at once."""
    if not len(told.items):
        return 0
    record = owners(told.start)
    behind = told.start[record + 1] - np.arange(len(record)) - 1
    made = np.array([float(comb(rest, size - 1)) for rest in range(int(behind.max()) + 1)])[behind]
    return int(np.bincount(told.items, weights=made).max())


def batches(
    told: Facts, size: int, related: bool, first: int = 0, last: int | None = None
) -> Iterator[Batch]:
    """List every set of `size` values of every distinct record; equal sets never stand in two batches.

    Only sets whose rarest value has a number of `first` .. `last`-1 are listed.
    """
    record = owners(told.start).astype(np.int32)
    behind = (told.start[record + 1] - np.arange(len(record)) - 1).astype(
        np.int32
    )  # commoner values beside it
    made = np.array([comb(rest, size - 1) for rest in range(int(behind.max(initial=0)) + 1)])[behind]
    spots = np.argsort(told.items, kind="stable")
    rarest = told.items[spots]
    spots = spots[(made[spots] > 0) & (rarest >= first) & (rarest < (_ALL if last is None else last))]
    edges = np.flatnonzero(np.diff(told.items[spots], prepend=-1, append=-1))
    total = np.r_[0, np.cumsum(made[spots])][edges]
    del made  # as large as the data
    at = 0
    while at < len(edges) - 1:
        after = max(at + 1, int(np.searchsorted(total, total[at] + _BATCH, side="right")) - 1)
        yield _batch(told, size, related, spots[edges[at] : edges[after]], record, behind)
        at = after


def _batch(told: Facts, size: int, related: bool, spots: I8, record: I4, behind: I4) -> Batch:
    """The sets whose rarest value stands at one of the `spots` of `told.items`."""
    parts = []
    for rest in np.unique(behind[spots]).tolist():
        some = spots[behind[spots] == rest]
        steps = _steps(rest, size)
        places = (some[:, None] + steps[:, None, :]).reshape(size, -1)
        whose = np.repeat(record[some], steps.shape[1])
        masks = _masks(told, places, whose) if related else ()
        parts.append((*told.items[places], *masks, whose))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Batch(tuple(columns[:size]), tuple(columns[size:-1]), columns[-1])


def _steps(rest: int, size: int) -> I8:
    """From a value to the others of each set: 0, then every choice of size - 1 of the `rest` behind it; by column."""
    number = comb(rest, size - 1)
    others = chain.from_iterable(combinations(range(1, rest + 1), size - 1))
    steps = np.zeros((size, number), dtype=np.int64)
    steps[1:] = np.fromiter(others, np.int64, number * (size - 1)).reshape(number, size - 1).T
    return steps


def _masks(told: Facts, places: I8, whose: I4) -> tuple[I8, ...]:
    """For each set, which pairs of its values share a path; an absent value shares none."""
    pairs = list(combinations(places - told.start[whose], 2))
    own, base = told.own[whose], told.square[whose]
    masks = [np.zeros(len(whose), dtype=np.int64) for _ in range(0, len(pairs), _WORD)]
    for bit, (p, q) in enumerate(pairs):
        there = (
            slice(None) if len(told.items) == told.own.sum() else q < own
        )  # absences stand behind, and q behind p
        masks[bit // _WORD][there] |= told.related[(base + p * own + q)[there]].astype(np.int64) << (
            bit % _WORD
        )
    return tuple(masks)
