"""From originals and released cells to what attackers take: numbers that are equal where values are."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.attacks.item_seat import ItemSeat
from shoal.attacks.mixed import MixedSeat
from shoal.attacks.table_seat import Beside, TableSeat
from shoal.attacks.tree_seat import TreeSeat
from shoal.attacks.whole import VoteSeat
from shoal.data import Baskets, Column, Table
from shoal.data.lists import owners
from shoal.data.spelling import alike
from shoal.data.types import I8
from shoal.io.cells import factorize, text
from shoal.io.list_cells import read_lists
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.baskets.judging import forms_of
from shoal.publish.baskets.vote_cells import published_bits
from shoal.publish.following import links
from shoal.publish.following_items import item_rules
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.study.attack.scene import Scene
from shoal.publish.table.dataset import TableData
from shoal.publish.table.verifying import fits_of
from shoal.publish.trees.dataset import TreeData
from shoal.publish.trees.judging import alike as alike_values

__all__ = ["item_seat", "mixed_seat", "table_seat", "tree_seat", "vote_seat"]


def table_seat(data: TableData, frame: pl.DataFrame, row_of: I8) -> TableSeat:
    """A released table beside its originals."""
    table = data.table
    fits = fits_of(frame, Table(table.quasi), data.hierarchies)
    forms, values, covers = zip(*fits, strict=True)
    return TableSeat(
        np.stack(values, axis=1),
        covers,
        np.stack(forms, axis=1),
        row_of,
        table.persons,
        tuple(_beside(column, frame[column.name]) for column in table.role("plain")),
        tuple(_beside(column, frame[column.name]) for column in table.role("sensitive")),
        tuple(link.marks(table, data.leaves) for link in links(table, data.leaves, _beside_quasi(table))),
    )


def _beside_quasi(table: Table) -> list[Column]:
    """All columns that are published as they are, whether their owner thought of what they tell or not."""
    return [column for column in table.columns if column.role in ("plain", "sensitive")]


def mixed_seat(data: MixedData, scene: Scene, row_of: I8) -> MixedSeat:
    """A released table with baskets beside its originals."""
    baskets, frame, left_out = data.baskets, scene.frame, scene.left_out > 0
    start, entries, words = read_lists(frame[baskets.name])
    forms = forms_of(words, baskets.values, data.hierarchy)
    covers = np.zeros((len(words), len(baskets.values)), dtype=bool)
    covers[owners(forms.start), forms.leaves] = True
    table = table_seat(data.people, frame, row_of)
    shown = (start, entries, covers)
    items = ItemSeat(baskets, start, entries, words, data.hierarchy, row_of, scene.claim.exempts, left_out)
    absent = {"items": items.absent(generalized=False), "groups": items.absent(generalized=True)}
    follows = _told_by_items(baskets, _beside_quasi(data.people.table), scene)
    return MixedSeat(
        table, baskets.start, baskets.items, *shown, baskets.sensitive, left_out, absent, follows
    )


def item_seat(data: BasketData, scene: Scene, row_of: I8) -> ItemSeat:
    """Released baskets of generalized items beside their originals."""
    start, items, entries = read_lists(scene.frame["items"])
    shown = (start, items, entries, data.hierarchy)
    follows = _told_by_items(data.baskets, data.table.columns, scene)
    return ItemSeat(data.baskets, *shown, row_of, scene.claim.exempts, scene.left_out > 0, follows)


def _told_by_items(
    baskets: Baskets, columns: Sequence[Column], scene: Scene
) -> tuple[I8, tuple[I8, I8]] | None:
    """What follows from each item of each person in other columns, and which rows show it; None where nothing does."""
    rules = item_rules(baskets, columns, sorted(baskets.sensitive) if scene.claim.exempts else [])
    if not rules:
        return None
    person, item = owners(baskets.start), baskets.items.astype(np.int64)
    right = [rule.expected(item, rule.column.codes[person].astype(np.int64)) for rule in rules]
    told = np.flatnonzero(np.logical_or.reduce(right))
    kinds, line = np.unique(
        np.stack([item, *right], axis=1)[told].astype(np.int64), axis=0, return_inverse=True
    )
    of = np.full(len(item), -1, dtype=np.int64)
    of[told] = line.reshape(-1)
    values = [_codes(rule.column, scene.frame[rule.column.name]) for rule in rules]
    lists = []
    for one, *which in kinds.tolist():
        rows = np.ones(scene.frame.height, dtype=bool)
        for rule, shown, there in zip(rules, values, which, strict=True):
            if there:
                rows &= np.isin(shown, rule.values[rule.items == one])
        lists.append(np.flatnonzero(rows))
    return of, (np.cumsum([0, *map(len, lists)], dtype=np.int64), np.concatenate(lists))


def _codes(column: Column, cells: pl.Series) -> I8:
    """Released cells in the codes of the original column; -1 where it has no such value."""
    place = {value: code for code, value in enumerate(column.values)}
    words, codes = factorize(text(cells))
    return np.array([place.get(word, -1) for word in words], dtype=np.int64)[codes]


def vote_seat(data: BasketData, scene: Scene, row_of: I8) -> VoteSeat:
    """Baskets published by vote beside their originals."""
    label = None if data.label is None else data.label.name
    follows = _told_by_items(data.baskets, data.table.role("sensitive"), scene)
    return VoteSeat(published_bits(scene.frame, data.baskets, data.label, label), row_of, follows)


def tree_seat(data: TreeData, scene: Scene, row_of: I8) -> TreeSeat:
    """Released record trees beside their originals."""
    trees = data.trees
    released = alike_values(scene.frame, data.hierarchies)
    return TreeSeat(trees, released, data.hierarchies, row_of, trees.sensitive, tuple(data.negations))


def _beside(column: Column, cells: pl.Series) -> Beside:
    """A column as numbers that are equal where values are, however they are spelled; an empty cell is -1."""
    place: dict[str, int] = {}

    def numbers(values: tuple[str | None, ...]) -> I8:
        spelled = [alike(value or "") for value in values]
        return np.array(
            [place.setdefault(word, len(place)) if word else -1 for word in spelled], dtype=np.int64
        )

    own = numbers(column.values)[column.codes]
    words, codes = factorize(text(cells))
    return Beside(column.name, own, numbers(words)[codes] if len(words) else codes.astype(np.int64))
