"""Releases made anew from other sensitive values, for the attacker who knows the method."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.algorithms import METHODS
from shoal.attacks.replaying import Replay
from shoal.data.types import I4, I8
from shoal.errors import ShoalError
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.making import rehearse
from shoal.publish.protocols import Dataset
from shoal.publish.table.dataset import TableData
from shoal.release import Bitmaps, Claim, Recoded, Result

__all__ = ["again_by", "replay_of", "tries_for"]

Data = TableData | BasketData
Again = Callable[[Any], Result[Any]]

_CELLS = 5_000  # of data that are made anew
_FEWEST, _MOST, _WORK = 200, 2_000, 1_000_000
_ASKED = {"l", "t", "beta", "disclosure", "alpha"}


def again_by(method: Mapping[str, Any]) -> Again | None:
    """What makes a release of other data by a method as the manifest states it; None where no maker has that name."""
    name, options = method.get("name"), method.get("parameters")
    if not isinstance(name, str) or name not in METHODS or not isinstance(options, Mapping):
        return None
    if {"dataset", "method"} & set(options):  # no maker has these: a manifest that somebody wrote by hand
        return None
    return partial(rehearse, method=name, **options)


def replay_of(dataset: Any, claim: Claim, method: Mapping[str, Any]) -> Replay | None:
    """A release of small data that can be made anew; None where sensitive values do not steer the maker."""
    again = again_by(method)
    if not isinstance(dataset, Data) or again is None or not _steered(dataset, claim, method):
        return None
    joint = np.stack([column.codes for column in dataset.table.role("sensitive")], axis=1)
    cells, values = np.unique(joint, axis=0, return_inverse=True)
    values = values.reshape(-1).astype(np.int64)

    def made(spread: I8) -> tuple[list[Hashable], I8] | None:
        try:
            release = again(_with(dataset, cells[spread])).release
        except ShoalError:
            return None
        return _rows(release), release.rows

    def shown(spread: I8) -> Hashable:
        found = made(spread)
        return (
            None
            if found is None
            else frozenset(Counter(zip(found[0], spread[found[1]].tolist(), strict=True)).items())
        )

    true = made(values)
    if true is None:
        return None
    place: dict[Hashable, int] = {}
    of = np.full(dataset.records, -1, dtype=np.int64)
    of[true[1]] = [place.setdefault(row, len(place)) for row in true[0]]
    return Replay(values, of, shown)


def tries_for(dataset: Dataset) -> int:
    """How often a release may be made anew, so that it takes some seconds."""
    return int(np.clip(_WORK // max(dataset.cells, 1), _FEWEST, _MOST))


def _steered(dataset: Data, claim: Claim, method: Mapping[str, Any]) -> bool:
    """Whether sensitive values of single persons steer the maker, and the data are small."""
    asks = _ASKED & {key for part in claim.parts for key in part.as_dict()}
    single = dataset.table.persons is None and dataset.table.counts is None
    there = bool(asks) and bool(dataset.table.role("sensitive"))
    return there and single and dataset.cells <= _CELLS and not _by_chance(method)


def _by_chance(method: Mapping[str, Any]) -> bool:
    """Whether chance decides which label goes where: there is nothing to learn, or too much to try."""
    options = method["parameters"]
    blocks = options.get("minimal", True) and options.get("graph", "auto") in ("auto", "blocks")
    return method["name"] == "nonreciprocal" and not blocks


def _with(dataset: Data, cells: I4) -> Data:
    """The same data, with other sensitive values."""
    other = {column.name: cells[:, j] for j, column in enumerate(dataset.table.role("sensitive"))}
    columns = tuple(
        replace(column, codes=other[column.name]) if column.name in other else column
        for column in dataset.table.columns
    )
    return replace(dataset, table=replace(dataset.table, columns=columns))


def _rows(release: Recoded | Bitmaps) -> list[Hashable]:
    """What each row publishes, without its sensitive values."""
    if isinstance(release, Bitmaps):
        said = (_lists(release.start, release.items), _lists(release.maybe_start, release.maybe))
        return list(zip(*said, release.errors.tolist(), strict=True))
    meant = [_lists(form.start, form.leaves) for form in release.forms]
    return [tuple(meant[j][code] for j, code in enumerate(row)) for row in release.codes.tolist()]


def _lists(start: I8, items: Any) -> list[Hashable]:
    return [frozenset(items[a:b].tolist()) for a, b in pairwise(start.tolist())]
