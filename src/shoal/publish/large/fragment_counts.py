"""What is counted of each fragment of baskets for pages, manifest and door; fragments are added."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import polars as pl

from shoal.data.types import I8, U8
from shoal.io.write.json_text import read_lists
from shoal.publish.baskets.audit import item_words
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.large.basket_counts import Sums
from shoal.release import Bitmaps, Result
from shoal.utility.votes import flips_by_item

__all__ = ["FragmentCounts", "added", "counted", "digested"]


@dataclass(frozen=True, slots=True)
class FragmentCounts:
    """Counts of some records.

    before, after : for each original item, and for each published one in words, how many records hold it
    lengths : for each number of published items, how many records have it
    sums    : what they lose
    flips   : of baskets by vote what `flips_by_item` tells
    kinds   : uint64, a hash of each different list of published items
    digest  : the sum of the hashes of all released records, modulo 2^64
    """

    before: I8
    after: Counter[str]
    lengths: Counter[int]
    sums: Sums
    flips: tuple[I8, I8, I8] | None
    kinds: U8
    digest: int


def counted(data: BasketData, cells: pl.DataFrame, result: Result[Any], key: int) -> FragmentCounts:
    """Count the records of one fragment; `key` is a random number that hashes are made with."""
    release = result.release
    start, items, entries = read_lists(cells["items"])
    sizes, times = np.unique(np.diff(start), return_counts=True)
    held = np.bincount(items, minlength=len(entries)).tolist()
    return FragmentCounts(
        np.bincount(data.baskets.items, minlength=len(data.baskets.values)),
        Counter(dict(zip(item_words(entries), held, strict=True))),
        Counter(dict(zip(sizes.tolist(), times.tolist(), strict=True))),
        Sums.of(
            data.case(result, {"parameters": {}}),
            items=len(data.baskets.items),
            records=release.records,
            shown=len(release.items),
        ),
        flips_by_item(release, data.baskets) if isinstance(release, Bitmaps) else None,
        cells["items"].hash(key).unique().to_numpy(),
        digested(cells, key),
    )


def digested(cells: pl.DataFrame, key: int) -> int:
    """A number that is equal for equal records, whatever their order."""
    texts = cells.select(pl.all().cast(pl.String).replace("", None))
    return int(texts.hash_rows(key).to_numpy().sum(dtype=np.uint64))


def added(parts: Iterable[FragmentCounts]) -> FragmentCounts:
    """The counts of all fragments."""
    return reduce(_both, parts)


def _both(one: FragmentCounts, other: FragmentCounts) -> FragmentCounts:
    flips = None
    if one.flips is not None and other.flips is not None:
        held, lost, more = (a + b for a, b in zip(one.flips, other.flips, strict=True))
        flips = held, lost, more
    return FragmentCounts(
        one.before + other.before,
        one.after + other.after,
        one.lengths + other.lengths,
        one.sums + other.sums,
        flips,
        np.union1d(one.kinds, other.kinds),
        (one.digest + other.digest) % 2**64,
    )
