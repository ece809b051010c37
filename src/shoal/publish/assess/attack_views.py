"""What attackers take of a release and its originals: numbers that are equal where values are, and what fits what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms import METHODS
from shoal.attacks.background import covering, leaves_under, read_label
from shoal.attacks.players_labels import label_parts
from shoal.attacks.view_items import ItemView, MixedView
from shoal.attacks.view_table import LabelParts, PublishedColumn, Register, TableView
from shoal.attacks.view_trees import TreeView
from shoal.attacks.view_votes import VoteView
from shoal.data import Baskets, Column, Table, Trees
from shoal.data.arrays import B1, I4, I8, owners
from shoal.data.spelling import alike
from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy
from shoal.io.read.cells import factorize, text
from shoal.io.write.groups import read_items
from shoal.io.write.json_text import read_lists
from shoal.publish.assess.attack_scene import Scene
from shoal.publish.following import item_rules, links
from shoal.publish.hierarchies import hierarchy_over, is_built
from shoal.publish.shapes.baskets.data import BasketData
from shoal.publish.shapes.mixed import MixedData
from shoal.publish.shapes.table.data import TableData
from shoal.publish.shapes.trees.data import TreeData
from shoal.release import PublishedBits, Sensitive
from shoal.utility import class_ids

__all__ = [
    "item_view",
    "leaves_of_others",
    "mixed_view",
    "table_view",
    "tree_view",
    "vote_view",
]


def table_view(
    data: TableData,
    frame: pl.DataFrame,
    row_of: I8,
    method: Mapping[str, Any] | None = None,
    *,
    rules: bool = True,
    blanks: bool = False,
    centres: Mapping[str, str] | None = None,
) -> TableView:
    """A released table beside its originals; the `method` tells whether labels are as narrow as possible.

    `rules` that bind other columns to quasi-identifiers are sought. With `blanks` an empty cell stands for any value.
    Of columns that `centres` names attackers are told the range of every class, which is more than its mean tells.
    """
    table = data.table
    bound = links(table, data.leaves, _beside_quasi(table)) if rules else ()
    read = [
        _class_ranges(data, frame, row_of, j)
        if column.name in (centres or {})
        else _labels(frame[column.name], data.hierarchies[column.name], blanks)
        for j, column in enumerate(table.quasi)
    ]
    forms, covers, labels = zip(*read, strict=True)
    labelled = [column.name for column in table.quasi if column.name not in (centres or {})]
    parts = tuple(_parts(data, table, labels, covers, method, labelled)) if method and labelled else ()
    return TableView(
        data.leaves,
        covers,
        np.stack(forms, axis=1),
        row_of,
        table.persons,
        tuple(_published_column(column, frame[column.name]) for column in table.role("plain")),
        tuple(_published_column(column, frame[column.name]) for column in table.role("sensitive")),
        tuple(link.marks(table, data.leaves) for link in bound),
        parts,
        leaves_of_others(data, data.public),
        register=_register(data, labels, covers, parts, labelled),
        names=tuple(column.name for column in table.quasi),
    )


def leaves_of_others(data: TableData, people: Table | None) -> I4 | None:
    """Other people as leaf codes; -1 where the hierarchy has no such value."""
    if people is None:
        return None
    columns = [(column.name, people.column(column.name)) for column in data.table.quasi]
    codes = [data.hierarchies[name].look_up(column.values)[column.codes] for name, column in columns]
    return np.stack(codes, axis=1).astype(np.int32)


def _parts(
    data: TableData,
    table: Table,
    labels: Sequence[Sequence[str | None]],
    covers: Sequence[B1],
    method: Mapping[str, Any],
    labelled: Sequence[str],
) -> Iterator[LabelParts]:
    """Of each column the parts of its labels, where a method makes each label as narrow as it can.

    A mean has no parts: nobody need have the lowest or the highest value that it may stand for.
    """
    found = METHODS.get(method["name"])
    if found is None or found.public or not (found.theme.local or found.shape == "mixed"):
        return
    for column, texts, cover in zip(table.quasi, labels, covers, strict=True):
        hierarchy = data.hierarchies[column.name]
        if column.name not in labelled:
            yield _no_parts(cover)
            continue
        exact = hierarchy.public and not method["parameters"].get("grid")  # else ends lie on a grid
        yield label_parts(texts, cover, hierarchy, exact=exact)


def _no_parts(cover: B1) -> LabelParts:
    """Labels of which nobody knows whether their parts are inhabited."""
    return LabelParts(cover.astype(np.int64) - 1, np.zeros(len(cover), dtype=np.int64))


def _register(
    data: TableData,
    labels: Sequence[Sequence[str | None]],
    covers: Sequence[B1],
    parts: Sequence[LabelParts],
    labelled: Sequence[str],
) -> Register | None:
    """The people of a population as attackers see them; None where none are given, or people may have several rows."""
    if data.public is None or data.table.persons is not None:
        return None
    values, wider, theirs = [], [], []
    for j, column in enumerate(data.table.quasi):
        tree, people = data.hierarchies[column.name], data.public.column(column.name)
        codes = tree.look_up(people.values)
        new = np.flatnonzero((codes < 0) | ((codes >= tree.domain) & (codes < tree.size)))
        codes[new] = tree.size + 1 + np.arange(len(new))
        values.append(codes[people.codes])
        strangers = [str(people.values[code]) for code in new.tolist()]
        part = parts[j] if parts else _no_parts(covers[j])
        said = labels[j] if column.name in labelled else None
        more = _beyond(data, column.name, strangers, said, covers[j], part)
        wider.append(np.concatenate([covers[j], more >= 0], axis=1))
        theirs.append(replace(part, part=np.concatenate([part.part, more - 1], axis=1)))
    return Register(np.stack(values, axis=1), tuple(wider), tuple(theirs) if parts else ())


def _beyond(
    data: TableData,
    name: str,
    strangers: Sequence[str],
    labels: Sequence[str | None] | None,
    covers: B1,
    parts: LabelParts,
) -> I8:
    """Under labels, the part from 1 in which values lie that nobody of the data has; -1 outside, 0 where it is unknown.

    A hierarchy from a file knows them, or nobody of the data can have them. One that is made of values is made of these
    as well; where a label then stands for something else, it may stand for any of them. Where `labels` tell nothing of
    what they stand for, as means do, it is all that lies in their range.
    """
    found = np.full((len(covers), len(strangers)), -1, dtype=np.int64)
    tree, rule = data.hierarchies[name], data.rules.get(name)
    if not strangers or not is_built(rule):
        return found
    own = tree.leaves[: tree.domain]
    try:
        wide = hierarchy_over(Column.of(name, "quasi", [*own, *strangers]), rule, data.source.missing)
    except ShoalError:  # no rule fits both: nobody knows what labels mean for the others
        return np.zeros_like(found)
    here, there = wide.look_up(own), wide.look_up(strangers)
    if labels is None:
        meant = np.zeros((len(covers), wide.size + 1), dtype=bool)
        for f, inside in enumerate(covers[:, : tree.domain]):
            meant[f, here[inside].min(initial=wide.size) : here[inside].max(initial=-1) + 1] = True
        cut = _no_parts(meant).part
    else:
        meant = _covers(labels, wide)
        cut = label_parts(labels, meant, wide, exact=False).part
    for f in range(len(covers)):
        if not np.array_equal(meant[f, here], covers[f, : tree.domain]):
            found[f] = 0
            continue
        inside = np.flatnonzero(covers[f, : tree.domain])
        pairs = np.unique(np.stack([cut[f, here[inside]], parts.part[f, inside]], axis=1), axis=0)
        same = dict(pairs.tolist())
        alone = len(same) == len(pairs) and len({*same.values()}) == len(pairs)
        top = int(parts.part[f].max(initial=0)) + 1
        for i in np.flatnonzero(meant[f, there]).tolist():
            found[f, i] = same.setdefault(int(cut[f, there[i]]), top + i) + 1 if alone else 0
    return found


def _labels(cells: pl.Series, hierarchy: Hierarchy, blanks: bool) -> tuple[I4, B1, tuple[str | None, ...]]:
    """The label of each row, two wordings being two, whether each label stands for each leaf, and the labels."""
    labels, codes = factorize(text(cells))
    return codes.astype(np.int32), _covers(labels, hierarchy, blanks), labels


def _class_ranges(
    data: TableData, frame: pl.DataFrame, row_of: I8, j: int
) -> tuple[I4, B1, tuple[str | None, ...]]:
    """The class of each row, and from its lowest to its highest original the leaves of column j that it holds."""
    names = [column.name for column in data.table.quasi]
    of = class_ids([factorize(text(frame[name]))[1].astype(np.int64) for name in names])
    there = np.flatnonzero(row_of >= 0)
    many, own = int(of.max(initial=-1)) + 1, data.leaves[there, j]
    low, high = np.full(many, data.hierarchies[names[j]].size + 1), np.full(many, -1)
    np.minimum.at(low, of[row_of[there]], own)
    np.maximum.at(high, of[row_of[there]], own)
    leaf = np.arange(data.hierarchies[names[j]].size + 1)
    labels: list[str | None] = [None] * many
    for row, cell in zip(of.tolist(), text(frame[names[j]]), strict=True):
        labels[row] = cell
    return of.astype(np.int32), (leaf >= low[:, None]) & (leaf <= high[:, None]), tuple(labels)


def _covers(labels: Sequence[str | None], hierarchy: Hierarchy, blanks: bool = False) -> B1:
    covers = np.zeros((len(labels), hierarchy.size + 1), dtype=bool)
    for form, label in enumerate(labels):
        covers[form, slice(None) if blanks and label is None else read_label(label, hierarchy)] = True
    return covers


def _beside_quasi(table: Table) -> list[Column]:
    """All columns that are published as they are, whether their owner thought of what they tell or not."""
    return [column for column in table.columns if column.role in ("plain", "sensitive")]


def mixed_view(data: MixedData, scene: Scene, row_of: I8, *, rules: bool = True) -> MixedView:
    """A released table with baskets beside its originals; `rules` that bind columns to items are sought."""
    baskets, frame, left_out = data.baskets, scene.frame, scene.left_out > 0
    start, entries, words = read_items(frame[baskets.name], scene.groups)
    of_value, entry = covering(words, baskets.values, data.hierarchy)
    covers = np.zeros((len(words), len(baskets.values)), dtype=bool)
    covers[entry, owners(of_value)] = True
    table = table_view(data.people, frame, row_of, scene.method or None, rules=rules)
    shown = (start, entries, covers)
    items = ItemView(baskets, start, entries, words, data.hierarchy, row_of, scene.claim.exempts, left_out)
    absent = {"items": items.absent(generalized=False), "groups": items.absent(generalized=True)}
    follows = _following_from_items(baskets, _beside_quasi(data.people.table), scene) if rules else None
    return MixedView(
        table, baskets.start, baskets.items, *shown, baskets.sensitive, left_out, absent, follows
    )


def item_view(data: BasketData, scene: Scene, row_of: I8, *, rules: bool = True) -> ItemView:
    """Released baskets of generalized items beside their originals; likewise."""
    start, items, entries = read_items(scene.frame["items"], scene.groups)
    shown = (start, items, entries, data.hierarchy)
    follows = _following_from_items(data.baskets, data.table.columns, scene) if rules else None
    return ItemView(data.baskets, *shown, row_of, scene.claim.exempts, scene.left_out > 0, follows)


def _following_from_items(
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


def vote_view(data: BasketData, scene: Scene, row_of: I8, *, rules: bool = True) -> VoteView:
    """Baskets published by vote beside their originals; likewise."""
    baskets, frame = data.baskets, scene.frame
    place = {value: code for code, value in enumerate(baskets.values)}
    listed, maybe = (_item_numbers(frame[name], place) for name in ("items", "uncertain"))
    errors = frame["errors"].cast(pl.Int64).to_numpy().astype(np.int64)
    _, original_label, label = next(
        sensitive_columns(data, frame), ("", None, None)
    )  # votes have one at most
    original = (baskets.start, baskets.items.astype(np.int64))
    bits = PublishedBits(*listed, *maybe, errors, label, *original, original_label)
    follows = _following_from_items(baskets, data.table.role("sensitive"), scene) if rules else None
    return VoteView(bits, row_of, follows)


def sensitive_columns(data: Any, frame: Any) -> Iterator[tuple[str, Sensitive, Sensitive]]:
    """The sensitive columns beside the items, of the originals and of the released rows; trees have none."""
    table: Table | None = getattr(getattr(data, "people", data), "table", None)
    for column in () if table is None else table.role("sensitive"):
        words, codes = factorize(text(frame[column.name]))
        yield column.name, _spelled(column.values, column.codes), _spelled(words, codes)


def _item_numbers(cells: pl.Series, place: dict[str, int]) -> tuple[I8, I8]:
    """The items that each row lists, as ascending numbers; one that nobody has gets a number of its own."""
    start, items, entries = read_lists(cells)
    numbers = np.array([place.setdefault(str(entry), len(place)) for entry in entries], dtype=np.int64)
    found = numbers[items] if len(items) else items.astype(np.int64)
    return start, found[np.lexsort((found, owners(start)))]


def _spelled(values: Sequence[str | None], codes: I4) -> Sensitive:
    """Labels, each with its number; -1 where there is none."""
    known = [value for value in values if value is not None]
    numbers = iter(range(len(known)))
    place = np.array([-1 if value is None else next(numbers) for value in values], dtype=np.int64)
    return Sensitive(place[codes] if len(place) else codes.astype(np.int64), tuple(known))


def tree_view(data: TreeData, scene: Scene, row_of: I8) -> TreeView:
    """Released record trees beside their originals."""
    trees, shown = data.trees, scene.frame
    named: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}  # claims count what a value stands for
    pairs = []
    for kind, value in zip(shown.kinds.tolist(), shown.values, strict=True):
        name = shown.classes[kind]
        leaves = frozenset(leaves_under(value, data.hierarchies.get(name)))
        pairs.append(named.setdefault((name, leaves), (name, value)))
    known = {pair: code for code, pair in enumerate(dict.fromkeys(pairs))}
    items = np.array([known[pair] for pair in pairs], dtype=np.int32)[shown.items]
    released = Trees.build(list(known), shown.start, items, shown.parents, repeats=shown.repeats)
    return TreeView(trees, released, data.hierarchies, row_of, trees.sensitive, tuple(data.negations))


def _published_column(column: Column, cells: pl.Series) -> PublishedColumn:
    """A column as numbers that are equal where values are, however they are spelled; an empty cell is -1."""
    place: dict[str, int] = {}

    def numbers(values: tuple[str | None, ...]) -> I8:
        spelled = [alike(value or "") for value in values]
        return np.array(
            [place.setdefault(word, len(place)) if word else -1 for word in spelled], dtype=np.int64
        )

    own = numbers(column.values)[column.codes]
    words, codes = factorize(text(cells))
    return PublishedColumn(column.name, own, numbers(words)[codes] if len(words) else codes.astype(np.int64))
