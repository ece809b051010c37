"""Fragments of baskets on their way out: the cells of each are written aside, read back, and judged where they lie.

That the union of all fragments keeps the claim which each of them keeps is proved in docs/fragments.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.data import Table
from shoal.discreet import Discreet
from shoal.engines.parts import Mapper
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import fanout
from shoal.io.read.source import Source
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.baskets.vote_cells import published_bits
from shoal.publish.large.fragment_counts import FragmentCounts, counted
from shoal.release import Bitmaps, Result, Verdict
from shoal.stopping import in_one_piece

if TYPE_CHECKING:
    from shoal.algorithms.fragments.basket_files import BasketFragments

__all__ = ["StagedFragment", "staged_fragments"]


@dataclass(frozen=True, slots=True, repr=False)
class StagedFragment(Discreet):
    """A fragment as it will be published.

    number     : which of the fragments it is
    path       : a private parquet file of its released cells, in an order that tells whose they are
    records    : how many records it has
    suppressed : how many items were left out of them
    claim, truth : what the judges say of the file
    counts     : what is counted of it for pages, manifest and door
    """

    number: int
    path: Path
    records: int
    suppressed: int
    claim: Verdict
    truth: Verdict
    counts: FragmentCounts

    def facts(self) -> dict[str, object]:
        """What may be shown: counts and verdicts."""
        return {"records": self.records, "claim": self.claim.word, "truth": self.truth.word}


def staged_fragments(
    found: "BasketFragments",
    hierarchy: Hierarchy | None,
    folder: Path,
    key: int,
    mapper: Mapper,
    allow: frozenset[str] = frozenset(),
) -> Iterator[StagedFragment]:
    """Write the released cells of every fragment to a private file below `folder`, and judge each file.

    Parameters
    ----------
    found
        What `in_basket_files` returned.
    hierarchy
        Of the items, where the maker used one.
    folder
        A private folder, which goes when the door closes.
    key
        A random number that records are hashed with.
    mapper
        What runs the tasks; answers come in its order.
    allow
        Columns to publish whatever they tell.

    Raises
    ------
    InputError
        The label follows from an item and leaves somebody of a fragment too few look-alikes.
    """
    return mapper(partial(_staged, found, hierarchy, allow, folder, key), range(len(found.lots)))


def _staged(
    found: "BasketFragments",
    hierarchy: Hierarchy | None,
    allow: frozenset[str],
    folder: Path,
    key: int,
    number: int,
) -> StagedFragment:
    """The task: one fragment."""
    originals, result = found.open(number)
    data = _bound(originals, hierarchy, allow)
    data.guard_released(result)
    path = folder / f"{number:06}.parquet"
    with in_one_piece(path) as aside:
        data.assemble(result.release).write_parquet(aside)
    cells = pl.read_parquet(path)
    return StagedFragment(
        number,
        path,
        cells.height,
        getattr(result.release, "suppressed", 0),
        _claimed(data, cells, result),
        data.truth(cells, result),
        counted(data, cells, result, key),
    )


def _bound(originals: dict[str, Any], hierarchy: Hierarchy | None, allow: frozenset[str]) -> BasketData:
    """The originals of a fragment as the door knows baskets."""
    baskets, label = originals["baskets"], originals.get("label")
    labels = () if label is None else (label,)
    frame = pl.DataFrame([pl.Series(column.name, column.cells(), dtype=pl.String) for column in labels])
    return BasketData(
        Source(frame),
        baskets,
        Table(labels),
        hierarchy or fanout(baskets.name, 2, baskets.values),
        {column.name: "sensitive" for column in labels},
        allow,
    )


def _claimed(data: BasketData, cells: pl.DataFrame, result: Result[Any]) -> Verdict:
    """What the judge says; baskets by vote are judged by the maker's proof, which needs no possible worlds."""
    if not isinstance(result.release, Bitmaps):
        return data.judge(cells, result)
    assert isinstance(result.claim, Nonreciprocal)
    label = data.label
    seen = published_bits(cells, data.baskets, label, None if label is None else label.name)
    return result.claim.prove(seen, np.asarray(result.proof))
