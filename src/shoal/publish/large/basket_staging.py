"""A fragment of baskets: its released cells are written aside, read back, judged where they lie, and counted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.stopping import atomic_write
from shoal.data import Baskets, Column, Table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import fanout
from shoal.io.read.source import Source
from shoal.io.write.json_text import read_lists
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.publish.large.parts import BasketCounts, DistinctCounter, LossSums, PartCounts
from shoal.release import Result, Verdict
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.released_values import entry_words, histogram
from shoal.shapes.votes import VoteData, published_bits
from shoal.utility.baskets import count_flips

__all__ = ["StagedFragment", "stage_fragment"]


def _count_fragment(data: BasketData, cells: pl.DataFrame, result: Result[Any], key: int) -> PartCounts:
    """Count the records of one fragment; `key` is a random number that hashes are made with."""
    release = result.release
    start, items, entries = read_lists(cells["items"])
    held = np.bincount(items, minlength=len(entries)).tolist()
    return PartCounts(
        BasketCounts(
            np.bincount(data.baskets.items, minlength=len(data.baskets.values)),
            Counter(dict(zip(entry_words(entries), held, strict=True))),
            Counter(histogram(np.diff(start))),
            count_flips(release, data.baskets) if data.votes else None,
        ),
        LossSums.of(
            data.case(result, {"parameters": {}}),
            items=len(data.baskets.items),
            records=release.records,
            shown=len(release.items),
        ),
        DistinctCounter.of(cells["items"].hash(key).to_numpy()),
    )


@dataclass(frozen=True, slots=True, repr=False)
class StagedFragment(SafeRepr):
    """A fragment as it will be published.

    number     : which of the fragments it is
    path       : a private parquet file of its released cells, in an order that tells whose they are
    records    : how many records it has
    suppressed : how many items were left out of them
    untold     : how many records tell nothing
    claim, truth : what the judges say of the file
    counts     : what is counted of it for pages, manifest and door
    digest     : the sum of the hashes of its originals
    """

    number: int
    path: Path
    records: int
    suppressed: int
    untold: int
    claim: Verdict
    truth: Verdict
    counts: PartCounts
    digest: int

    def facts(self) -> dict[str, object]:
        """What may be shown: counts and verdicts."""
        return {"records": self.records, "claim": self.claim.word, "truth": self.truth.word}


def stage_fragment(
    number: int,
    path: Path,
    baskets: Baskets,
    labels: Sequence[Column],
    result: Result[Any],
    hierarchy: Hierarchy | None,
    allow: frozenset[str],
    key: int,
    digest: int,
) -> StagedFragment:
    """Write the released cells of a fragment to a private file, and judge that file.

    Parameters
    ----------
    number, path
        Which of the fragments it is, and the file.
    baskets, labels
        Its originals.
    result
        What a method made of them.
    hierarchy
        Of the items, where the method used one.
    allow
        Columns to publish whatever they tell.
    key, digest
        A random number that released records are hashed with, and the sum of the originals' hashes.

    Raises
    ------
    InputError
        The label follows from an item and leaves somebody of the fragment too few look-alikes.
    """
    data = _bound(baskets, labels, hierarchy, allow, result.claim.votes)
    data.guard_released(result)
    with atomic_write(path) as aside:
        data.assemble(result.release).write_parquet(aside)
    cells = pl.read_parquet(path)
    return StagedFragment(
        number,
        path,
        cells.height,
        getattr(result.release, "suppressed", 0),
        data.count_untold(result.release)[0],
        _claimed(data, cells, result),
        data.truth(cells, result),
        _count_fragment(data, cells, result, key),
        digest,
    )


def _bound(
    baskets: Baskets,
    labels: Sequence[Column],
    hierarchy: Hierarchy | None,
    allow: frozenset[str],
    votes: bool,
) -> BasketData:
    """The originals of a fragment as the door knows baskets."""
    frame = pl.DataFrame([pl.Series(column.name, column.cells(), dtype=pl.String) for column in labels])
    kind = VoteData if votes else BasketData
    return kind(
        Source(frame),
        baskets,
        Table(tuple(labels)),
        hierarchy or fanout(baskets.name, 2, baskets.values),
        {column.name: "sensitive" for column in labels},
        allow,
    )


def _claimed(data: BasketData, cells: pl.DataFrame, result: Result[Any]) -> Verdict:
    """What the judge says; baskets by vote are judged by the method's proof, which needs no possible worlds."""
    if not data.votes:
        return data.judge(cells, result)
    assert isinstance(result.claim, Nonreciprocal)
    label = data.label
    seen = published_bits(cells, data.baskets, label, None if label is None else label.name)
    return result.claim.prove(seen, np.asarray(result.proof))
