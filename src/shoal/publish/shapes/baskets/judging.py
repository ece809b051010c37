"""From released item lists to what the judges of baskets see."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.spelling import alike
from shoal.data.types import I4, I8
from shoal.engines.parts import Mapper
from shoal.hierarchy import Hierarchy
from shoal.io.read.parts import open_arrays
from shoal.io.write.json_text import Entry, read_lists
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.privacy.support_counting import check_basket_parts
from shoal.release import Forms, PublishedBaskets, Verdict

__all__ = ["forms_of", "judge_parts", "meaning", "meanings", "published_baskets"]


def published_baskets(
    cells: pl.Series, hierarchy: Hierarchy | None, sensitive: frozenset[str]
) -> PublishedBaskets:
    """See released lists as numbers that are equal where the published items stand for the same leaves.

    A sensitive item is one in every spelling: whoever reads it learns the same.
    """
    start, items, entries = read_lists(cells)
    numbers, secret = meanings(entries, hierarchy, sensitive)
    found = numbers[items] if len(items) else items.astype(np.int64)
    return PublishedBaskets(start, found, secret, _covers(entries, numbers, hierarchy))


def meanings(
    entries: Sequence[Entry], hierarchy: Hierarchy | None, sensitive: frozenset[str] = frozenset()
) -> tuple[I8, frozenset[int]]:
    """A number for each entry, equal where entries stand for the same leaves, and those of the sensitive items."""
    spelled = {alike(item): item for item in sorted(sensitive)}
    keys = [meaning(_unmasked(entry, spelled, hierarchy), hierarchy) for entry in entries]
    known = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    numbers = np.array([known[key] for key in keys], dtype=np.int64)
    # A sensitive item that was left out everywhere is still one: it gets a number that no row holds.
    return numbers, frozenset(
        known.setdefault(meaning(item, hierarchy), len(known)) for item in spelled.values()
    )


def judge_parts(
    claim: KmAnonymity | LmDiversity,
    parts: Sequence[Path],
    entries: Sequence[Entry],
    hierarchy: Hierarchy | None,
    sensitive: frozenset[str],
    mapper: Mapper,
) -> Verdict:
    """Judge baskets that lie in folders with the arrays start and items, places in `entries`."""
    numbers, secret = meanings(entries, hierarchy, sensitive)
    width = max([-1, *numbers.tolist(), *secret]) + 1
    return check_basket_parts(claim, parts, partial(_opened, numbers), width, secret, mapper)


def _opened(numbers: I8, part: Path) -> PublishedBaskets:
    start, items = open_arrays(part, "start", "items")
    return PublishedBaskets(start, numbers[items])


def _unmasked(entry: Entry, spelled: dict[str, str], hierarchy: Hierarchy | None) -> Entry:
    """The sensitive item that an entry spells, or the entry itself; a value that covers several items spells none."""
    word = entry[0] if isinstance(entry, tuple) and len(entry) == 1 else entry
    if not spelled or not isinstance(word, str):
        return entry
    if hierarchy is not None and len(_words(word, hierarchy)) > 1:
        return entry
    return spelled.get(alike(word), entry)


def _covers(
    entries: tuple[Entry, ...], numbers: I8, hierarchy: Hierarchy | None
) -> dict[str, frozenset[int]]:
    """For each item, the numbers of the published items that may stand for it."""
    found: dict[str, set[int]] = {}
    for entry, number in zip(entries, numbers.tolist(), strict=True):
        for item in _words(entry, hierarchy):
            found.setdefault(item, set()).add(number)
    return {item: frozenset(held) for item, held in found.items()}


def _words(entry: Entry, hierarchy: Hierarchy | None) -> tuple[str, ...]:
    if isinstance(entry, tuple):
        return entry
    if hierarchy is not None and entry in hierarchy.places:
        low, high = hierarchy.places[entry]
        return hierarchy.leaves[low:high]
    return (entry,)


def meaning(entry: Entry, hierarchy: Hierarchy | None) -> tuple[object, ...]:
    """What an entry stands for: an interval of leaves, or a set of items; an unknown word only for itself."""
    if isinstance(entry, tuple):
        return ("set", frozenset(entry)) if len(entry) > 1 else meaning(entry[0], hierarchy)
    if hierarchy is not None and entry in hierarchy.places:
        return ("span", *hierarchy.places[entry])
    return ("word", entry)


def forms_of(entries: tuple[Entry, ...], values: tuple[str, ...], hierarchy: Hierarchy | None) -> Forms:
    """The items of the data that each published entry stands for; an unknown word stands for none."""
    place = {value: code for code, value in enumerate(values)}
    order = None if hierarchy is None else hierarchy.look_up(values)
    members = [_members(entry, place, order, hierarchy) for entry in entries]
    start = np.cumsum([0, *map(len, members)], dtype=np.int64)
    leaves = np.concatenate(members) if members else np.empty(0, dtype=np.int32)
    labels = tuple(entry if isinstance(entry, str) else None for entry in entries)
    return Forms(labels, start, leaves.astype(np.int32))


def _members(entry: Entry, place: dict[str, int], order: I4 | None, hierarchy: Hierarchy | None) -> I4:
    if isinstance(entry, str) and hierarchy is not None and order is not None and entry in hierarchy.places:
        low, high = hierarchy.places[entry]
        return np.flatnonzero((order >= low) & (order < high)).astype(np.int32)
    words = (entry,) if isinstance(entry, str) else entry
    return np.array(sorted(place[word] for word in words if word in place), dtype=np.int32)
