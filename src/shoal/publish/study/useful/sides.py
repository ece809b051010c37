"""The three sides of a test: originals and a release of them to learn from, other originals to test on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data import Baskets
from shoal.data.types import I4, I8
from shoal.errors import InputError
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.protocols import Dataset
from shoal.publish.study.useful.features import (
    F4,
    cell_features,
    common_items,
    drawn_items,
    held_items,
    item_features,
    labels,
)
from shoal.publish.study.useful.reading import other_originals, read_originals, read_release
from shoal.publish.table.dataset import TableData
from shoal.release import Recoded
from shoal.utility.column_cells import Cells

__all__ = ["Side", "Sides", "columns_beside_items", "features_of", "sides_of"]

Side = tuple[I8, I4]
"""Rows whose target is known, and the target's value as a number 0, 1, 2, ..."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Which rows are learned from and tested on; `classes` is how many values the target has."""

    originals: Side
    learned: Side
    tested: Side
    classes: int


def sides_of(
    train: Dataset, release: Any, held: Dataset, target: str, most: tuple[int, int], rng: np.random.Generator
) -> Sides:
    """The rows of each side whose target is told for certain; at most so many to learn from and to test on."""
    before = [cells for cells in read_originals(columns_beside_items(train)) if cells.name == target]
    after, others = _released(release, before), other_originals(columns_beside_items(held), before)
    found = [
        _few(labels(cells), limit, rng)
        for (cells,), limit in ((before, most[0]), (after, most[0]), (others, most[1]))
    ]
    known = np.unique(np.concatenate([values for _, values in found]))
    first, second, third = ((rows, np.searchsorted(known, y).astype(np.int32)) for rows, y in found)
    return Sides(first, second, third, len(known))


def _few(found: I4, most: int, rng: np.random.Generator) -> Side:
    """The rows whose label is known, at most so many, and their labels."""
    rows = np.flatnonzero(found >= 0)
    if len(rows) > most:
        rows = np.sort(rng.choice(rows, size=most, replace=False))
    return rows, found[rows]


def features_of(
    train: Dataset,
    release: Any,
    held: Dataset,
    target: str,
    sides: Sides,
    rng: np.random.Generator,
) -> tuple[F4, F4, F4]:
    """The features of all three sides."""
    before = [cells for cells in read_originals(columns_beside_items(train)) if cells.name != target]
    columns = before, _released(release, before), other_originals(columns_beside_items(held), before)
    rows = sides.originals[0], sides.learned[0], sides.tested[0]
    cells = [
        cell_features([one.some(some) for one in side], len(some), rng)
        for side, some in zip(columns, rows, strict=True)
    ]
    baskets, theirs = _baskets(train), _baskets(held)
    if baskets is None or theirs is None:
        return cells[0], cells[1], cells[2]
    width, found = len(baskets.values), drawn_items(getattr(release, "baskets", release), rng)
    items = common_items(found, width)
    sets = held_items(baskets.start, baskets.items), found, held_items(theirs.start, theirs.items)
    sizes = baskets.n, len(_rows(release)), theirs.n
    both = [
        np.hstack([one, item_features(basket, items, width, some, size)])
        for one, basket, size, some in zip(cells, sets, sizes, rows, strict=True)
    ]
    return both[0], both[1], both[2]


def _released(release: Any, originals: Sequence[Cells]) -> list[Cells]:
    """The columns beside the items, as released."""
    table = getattr(release, "table", release)
    if isinstance(table, Recoded):
        return read_release(table, originals)
    return [cells.some(_rows(release)) for cells in originals]


def _rows(release: Any) -> I8:
    """The original record behind each released one."""
    rows: I8 = getattr(release, "table", release).rows
    return rows


def columns_beside_items(dataset: Any) -> TableData:
    """The columns of a dataset that are no items."""
    match dataset:
        case TableData():
            return dataset
        case MixedData():
            return dataset.people
        case BasketData():
            return TableData(dataset.source, dataset.table, {}, dataset.given, dataset.allow)
        case _:
            raise InputError(
                "target: models are trained on tables and baskets, not on record trees; leave the target out"
            )


def _baskets(dataset: Any) -> Baskets | None:
    return dataset.baskets if isinstance(dataset, BasketData | MixedData) else None
