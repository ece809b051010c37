"""A release beside its originals: what was published, whose row is whose, and what attackers see of both.

What they see are numbers that are equal where values are, and what fits what.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms import METHODS
from shoal.attacks.background import find_covering_entries, leaves_under, read_label
from shoal.attacks.players_singling_out import label_parts
from shoal.attacks.view_items import ItemView, MixedView
from shoal.attacks.view_table import LabelParts, PublishedColumn, Register, TableView
from shoal.attacks.view_trees import TreeView
from shoal.attacks.votes import VoteView
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError, ShoalError
from shoal.base.naming import RECODED
from shoal.data import Baskets, Column, Table, Trees
from shoal.data.arrays import B1, I4, I8, row_of_entry
from shoal.data.spelling import normalize_value
from shoal.hierarchy import Hierarchy
from shoal.io.codebooks import codebooks_of
from shoal.io.config import Config
from shoal.io.read.cells import cell_texts, factorize
from shoal.io.write.folders import private_folder
from shoal.io.write.groups import NO_GROUPS, Groups, read_items
from shoal.io.write.json_text import read_lists
from shoal.publish.draft import Draft
from shoal.publish.files import FormerFormatError, data_file, frame_shape, read_data, read_release_groups
from shoal.publish.manifests import (
    ChangedError,
    centres_in,
    claim_stated_in,
    describe_changed_file,
    read_manifest,
)
from shoal.publish.row_map import ROWS, read_rows
from shoal.release import Claim, PublishedBits, Sensitive, centres_of
from shoal.risks.dependencies import find_dependencies, find_item_rules
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.configured_claim import claim_of_config
from shoal.shapes.dataset import Dataset
from shoal.shapes.hierarchies import hierarchy_over, is_built
from shoal.shapes.mixed import MixedData
from shoal.shapes.recoding import read_recoding
from shoal.shapes.registry import SHAPES
from shoal.shapes.table.data import TableData
from shoal.shapes.trees.data import TreeData
from shoal.utility import class_ids

__all__ = [
    "Scene",
    "View",
    "WrongError",
    "open_scene",
    "scene_of",
    "sensitive_columns",
    "table_view",
    "view_of",
]


@dataclass(frozen=True, slots=True, repr=False)
class Scene(SafeRepr):
    """A release beside its originals.

    dataset  : the originals
    frame    : what was published; of record trees the trees
    claim    : what the release claims
    row_of   : int64[records]: the released row of each record, or one that equals it; -1 where it was suppressed. None
               where nobody knows whose row is whose
    left_out : how many items were left out of released rows
    changed  : a sentence where the data are not those that were judged; None where they are
    why      : where nobody knows whose row is whose, what it would need
    method   : the method and its options
    groups   : by the short name that rows have, the items of each group
    others   : a control group, of people who are not in the release; None where there is none
    centres  : by column of a table, "mean" or "median" where its numbers are that of a class
    """

    dataset: Dataset
    frame: Any
    claim: Claim
    row_of: I8 | None
    left_out: int = 0
    changed: str | None = None
    why: str = ""
    method: Mapping[str, Any] = field(default_factory=dict)
    groups: Groups = field(default_factory=dict)
    others: Dataset | None = None
    centres: Mapping[str, str] = field(default_factory=dict)


def scene_of(draft: Draft) -> Scene:
    """A release that is still in memory: it knows whose row is whose."""
    suppressed_items = draft.dataset.counts(draft.result.release)["suppressed_items"]
    row_of = _rows_of(draft.rows, draft.dataset.records)
    scene_facts = (draft.dataset.by_core(), draft.frame, draft.claim, row_of, suppressed_items)
    centres = centres_of(draft.result.release)
    return Scene(*scene_facts, method=draft.method, groups=draft.groups, centres=centres)


def open_scene(folder: Path, originals: Dataset, config: Config) -> Scene:
    """A release folder beside its originals; its private folder may tell whose row is whose.

    Raises
    ------
    InputError
        The folder is no release at all.
    WrongError
        It was tampered with, or is a release of other originals.
    """
    claim_of_config(config)  # a guarantee that makes no sense is a fault of the configuration
    try:
        manifest = read_manifest(folder)
    except ChangedError as error:
        raise WrongError(str(error)) from None
    rows = read_rows(private_folder(folder.resolve()))
    try:
        claim = claim_stated_in(manifest, config)
        file = data_file(folder, SHAPES[claim.shape].files)
        frame = read_data(folder, SHAPES[claim.shape].files, manifest["columns"], codebooks_of(manifest))
        groups = read_release_groups(folder, manifest["columns"])
    except FormerFormatError:
        raise
    except InputError as error:  # of the folder's own files
        raise WrongError(str(error)) from None
    _require_same(frame, manifest, originals, rows)
    if rows is not None:
        originals = originals.made_of(np.sort(rows))  # labels that are built are made of who is released
    change = describe_changed_file(manifest, folder, file)
    if rows is not None:
        row_of: I8 | None = _rows_of(rows, originals.records)
    else:
        row_of = _rows_by_rule(private_folder(folder.resolve()), originals, frame, claim, groups)
    scene_facts = (originals.by_core(), frame, claim, row_of, manifest["suppressed_items"])
    reason = _NEEDS if row_of is None else ""
    return Scene(*scene_facts, change, reason, manifest["method"], groups, centres=centres_in(manifest))


def _require_same(frame: Any, manifest: Mapping[str, Any], originals: Dataset, rows: I8 | None) -> None:
    """Refuse data that the manifest does not speak of, and rows that name no originals."""
    columns, records = frame_shape(frame)
    if columns != list(manifest["columns"]):
        raise WrongError("the data's columns are not those of manifest.json")
    if manifest["records_in"] != originals.records:
        raise WrongError(
            f"the release states {manifest['records_in']} originals, but there are {originals.records}"
        )
    if rows is None:
        return
    is_valid = (rows >= 0) & (rows < originals.records)
    if not len(rows) == records == len(np.unique(rows)) or not is_valid.all():
        raise WrongError(f"{ROWS} does not name one original record for each released row")


_NEEDS = (
    f"it is not known which row is whose: the private folder beside the release has no {ROWS} and no recoding.json "
    "with one rule for all records; run again with rows = true in [release], or read about attackers in the audit "
    "of that run"
)


def _rows_of(rows: I8, records: int) -> I8:
    """For each record its row, from the record of each row."""
    row_of_record = np.full(records, -1, dtype=np.int64)
    row_of_record[rows] = np.arange(len(rows))
    return row_of_record


# Whose row is whose by the rule of a release: every record is recoded anew, and its row is one that equals it.

_RULE = "recoding.json"


class WrongError(InputError):
    """The folder is no release of these originals, or was tampered with so that nothing can be played."""


def _rows_by_rule(
    private: Path, originals: Dataset, frame: Any, claim: Claim, groups: Groups = NO_GROUPS
) -> I8 | None:
    """For each record the first released row that equals what the rule makes of it, -1 where there is none.

    None where the private folder holds no rule for all records.

    Raises
    ------
    WrongError
        Some rows are none that the rule makes of these records.
    """
    if not (private / _RULE).is_file():
        return None
    try:
        rule = read_recoding(private / _RULE, claim.shape)
        keys = _KEYS[claim.shape](originals, rule, frame, claim, groups) if claim.shape in _KEYS else None
    except InputError:  # a local recoding has no rule, and a damaged one is none
        return None
    if keys is None:
        return None
    expected_keys, released_keys = keys
    strange = Counter(released_keys) - Counter(expected_keys)
    if strange:
        raise WrongError(
            f"{strange.total()} released rows are not what the rule in {_RULE} makes of any original; one of both was "
            "changed"
        )
    first_row: dict[Hashable, int] = {}
    for row, key in enumerate(released_keys):
        first_row.setdefault(key, row)
    return np.array([first_row.get(key, -1) for key in expected_keys], dtype=np.int64)


Keys = tuple[Sequence[Hashable], Sequence[Hashable]]
"""What the rule makes of each record, and what each released row is: equal where they are equal."""


def _table_keys(
    data: TableData, rule: Mapping[str, Any], frame: pl.DataFrame, claim: Claim, groups: Groups
) -> Keys | None:
    """By leaf sets, so that it does not matter how a label was worded; suppressed records equal no row.

    Hierarchies that are built are made of whoever was not left out: the rule tells which values the others alone hold.
    """
    left_values = rule.get(
        "left_values"
    )  # what 0.2 wrote does not tell them: its hierarchies were made of all
    if left_values:
        relabelled = data.without_values(left_values) if isinstance(left_values, dict) else None
        if relabelled is None:
            return None
        data = relabelled
    remade = data.recode(rule, claim, 0.0).release
    record_order = np.argsort(remade.rows)
    ours, theirs = list[list[Hashable]](), list[list[Hashable]]()
    for j, name in enumerate(remade.names):
        forms = [remade.forms[j].leaves[a:b].tobytes() for a, b in pairwise(remade.forms[j].start.tolist())]
        ours.append([forms[code] for code in remade.codes[record_order, j].tolist()])
        labels, codes = factorize(cell_texts(frame[name]))
        sets = [read_label(label, data.hierarchies[name]).astype(np.int32).tobytes() for label in labels]
        theirs.append([sets[code] for code in codes.tolist()])
    for column in data.table.columns:
        if column.role not in RECODED:
            ours.append([column.values[code] for code in column.codes.tolist()])
            theirs.append(cell_texts(frame[column.name]).to_list())
    return list(zip(*ours, strict=True)), list(zip(*theirs, strict=True))


def _basket_keys(
    data: BasketData, rule: Mapping[str, Any], frame: pl.DataFrame, claim: Claim, groups: Groups
) -> Keys:
    relabelled, result = data.without_traces(data.recode(rule, claim, 0.0))
    if len(result.release.rows) != data.records:
        return [], []
    expected_frame = relabelled.assemble(result.release)[np.argsort(result.release.rows)]
    ours = relabelled.groups(result.release)
    return _basket_row_keys(expected_frame, ours), _basket_row_keys(
        frame.select(expected_frame.columns), groups
    )


def _basket_row_keys(frame: pl.DataFrame, groups: Groups) -> Sequence[Hashable]:
    """Each row as the set of what it publishes, and the cells beside it."""
    start, items, entries = read_items(frame["items"], groups)
    entry_sets = [entry if isinstance(entry, str) else frozenset(entry) for entry in entries]
    sets = [frozenset(entry_sets[code] for code in items[a:b].tolist()) for a, b in pairwise(start.tolist())]
    other_cells = [cell_texts(frame[name]).to_list() for name in frame.columns if name != "items"]
    return list(zip(sets, *other_cells, strict=True))


def _tree_keys(data: TreeData, rule: Mapping[str, Any], frame: Trees, claim: Claim, groups: Groups) -> Keys:
    remade = data.recode(rule, claim, 0.0).release
    trees = remade.trees.take(np.argsort(remade.rows))
    number_of_form: dict[Hashable, int] = {}
    return list(_tree_forms(trees, number_of_form)), list(_tree_forms(frame, number_of_form))


def _tree_forms(trees: Trees, known: dict[Hashable, int]) -> Iterator[Hashable]:
    """Each tree as the numbers of what stands under its root, whatever the order; equal siblings stay apart.

    A number stands for a value with all that is below it; `known` numbers them, and grows.
    """
    for tree_start, tree_end in pairwise(trees.start.tolist()):
        child_forms: list[list[int]] = [
            [] for _ in range(tree_end - tree_start + 1)
        ]  # the last one is the root
        for node in range(tree_end - 1, tree_start - 1, -1):  # what is below stands behind
            item = trees.items[node]
            label = trees.classes[trees.kinds[item]], trees.values[item]
            form = label, tuple(sorted(child_forms[node - tree_start]))
            child_forms[trees.parents[node]].append(known.setdefault(form, len(known)))
        yield tuple(sorted(child_forms[-1]))


_KEYS: dict[str, Callable[..., Keys | None]] = {
    "table": _table_keys,
    "baskets": _basket_keys,
    "trees": _tree_keys,
}
"""A table with baskets is recoded class by class, and has no rule."""


View = TableView | MixedView | ItemView | VoteView | TreeView


def view_of(scene: Scene, row_of: I8, *, rules: bool = True) -> View:
    """The release as attackers of its shape see it; `rules` are sought."""
    data: Any = scene.dataset
    match scene.dataset.shape:
        case "table":
            other_data: Any = scene.others
            view = table_view(
                data,
                scene.frame,
                row_of,
                scene.method or None,
                rules=rules,
                blanks=scene.claim.blanks,
                centres=scene.centres,
            )
            return (
                view
                if other_data is None
                else replace(view, others=_leaves_of_others(data, other_data.table))
            )
        case "mixed":
            return _mixed_view(data, scene, row_of, rules=rules)
        case "trees":
            return _tree_view(data, scene, row_of)
        case _ if scene.claim.votes:
            return _vote_view(data, scene, row_of, rules=rules)
        case _:
            return _item_view(data, scene, row_of, rules=rules)


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
    data = data.by_core()
    table = data.table
    dependencies = find_dependencies(table, data.leaves, _unrecoded_columns(table)) if rules else ()
    label_columns = [
        _class_ranges(data, frame, row_of, j)
        if column.name in (centres or {})
        else _read_label_column(frame, column.name, data.hierarchies[column.name], blanks)
        for j, column in enumerate(table.quasi)
    ]
    forms, covers, labels = zip(*label_columns, strict=True)
    labelled_names = [column.name for column in table.quasi if column.name not in (centres or {})]
    parts = (
        tuple(_label_parts_by_column(data, table, labels, covers, method, labelled_names))
        if method and labelled_names
        else ()
    )
    return TableView(
        data.leaves,
        covers,
        np.stack(forms, axis=1),
        row_of,
        table.persons,
        tuple(_published_column(column, frame[column.name]) for column in table.role("plain")),
        tuple(_published_column(column, frame[column.name]) for column in table.role("sensitive")),
        tuple(link.marks(table, data.leaves) for link in dependencies),
        parts,
        _leaves_of_others(data, data.public),
        register=_register(data, labels, covers, parts, labelled_names),
        names=tuple(column.name for column in table.quasi),
    )


def _leaves_of_others(data: TableData, people: Table | None) -> I4 | None:
    """Other people as leaf codes; -1 where the hierarchy has no such value."""
    if people is None:
        return None
    columns = [(column.name, people.column(column.name)) for column in data.table.quasi]
    codes = [data.hierarchies[name].look_up(column.values)[column.codes] for name, column in columns]
    return np.stack(codes, axis=1).astype(np.int32)


def _label_parts_by_column(
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
    method_entry = METHODS.get(method["name"])
    if (
        method_entry is None
        or method_entry.public
        or not (method_entry.theme.local or method_entry.shape == "mixed")
    ):
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
        column_labels = labels[j] if column.name in labelled else None
        stranger_parts = _locate_strangers(data, column.name, strangers, column_labels, covers[j], part)
        wider.append(np.concatenate([covers[j], stranger_parts >= 0], axis=1))
        theirs.append(replace(part, part=np.concatenate([part.part, stranger_parts - 1], axis=1)))
    return Register(np.stack(values, axis=1), tuple(wider), tuple(theirs) if parts else ())


def _locate_strangers(
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
    part_of_stranger = np.full((len(covers), len(strangers)), -1, dtype=np.int64)
    tree, rule = data.hierarchies[name], data.rules.get(name)
    if not strangers or not is_built(rule):
        return part_of_stranger
    known_values = tree.leaves[: tree.domain]
    try:
        wide = hierarchy_over(
            Column.of(name, "quasi", [*known_values, *strangers]), rule, data.source.missing
        )
    except ShoalError:  # no rule fits both: nobody knows what labels mean for the others
        return np.zeros_like(part_of_stranger)
    known_leaves, stranger_leaves = wide.look_up(known_values), wide.look_up(strangers)
    if labels is None:
        wide_covers = np.zeros((len(covers), wide.size + 1), dtype=bool)
        for f, covered in enumerate(covers[:, : tree.domain]):
            wide_covers[
                f, known_leaves[covered].min(initial=wide.size) : known_leaves[covered].max(initial=-1) + 1
            ] = True
        wide_parts = _no_parts(wide_covers).part
    else:
        wide_covers = _label_covers(labels, wide)
        wide_parts = label_parts(labels, wide_covers, wide, exact=False).part
    for f in range(len(covers)):
        if not np.array_equal(wide_covers[f, known_leaves], covers[f, : tree.domain]):
            part_of_stranger[f] = 0
            continue
        covered = np.flatnonzero(covers[f, : tree.domain])
        pairs = np.unique(
            np.stack([wide_parts[f, known_leaves[covered]], parts.part[f, covered]], axis=1), axis=0
        )
        part_of_wide_part = dict(pairs.tolist())
        is_one_to_one = len(part_of_wide_part) == len(pairs) and len({*part_of_wide_part.values()}) == len(
            pairs
        )
        top = int(parts.part[f].max(initial=0)) + 1
        for i in np.flatnonzero(wide_covers[f, stranger_leaves]).tolist():
            part_of_stranger[f, i] = (
                part_of_wide_part.setdefault(int(wide_parts[f, stranger_leaves[i]]), top + i) + 1
                if is_one_to_one
                else 0
            )
    return part_of_stranger


def _read_label_column(
    frame: pl.DataFrame, name: str, hierarchy: Hierarchy, blanks: bool
) -> tuple[I4, B1, tuple[str | None, ...]]:
    """The label of each row, two wordings being two, whether each label stands for each leaf, and the labels."""
    labels, codes = factorize(cell_texts(frame[name]))
    return codes.astype(np.int32), _label_covers(labels, hierarchy, blanks), labels


def _class_ranges(
    data: TableData, frame: pl.DataFrame, row_of: I8, j: int
) -> tuple[I4, B1, tuple[str | None, ...]]:
    """The class of each row, and from its lowest to its highest original the leaves of column j that it holds."""
    names = [column.name for column in data.table.quasi]
    class_of_row = class_ids([factorize(cell_texts(frame[name]))[1].astype(np.int64) for name in names])
    published_records = np.flatnonzero(row_of >= 0)
    class_count, leaf_of_record = int(class_of_row.max(initial=-1)) + 1, data.leaves[published_records, j]
    low, high = np.full(class_count, data.hierarchies[names[j]].size + 1), np.full(class_count, -1)
    np.minimum.at(low, class_of_row[row_of[published_records]], leaf_of_record)
    np.maximum.at(high, class_of_row[row_of[published_records]], leaf_of_record)
    leaf = np.arange(data.hierarchies[names[j]].size + 1)
    labels: list[str | None] = [None] * class_count
    for row, cell in zip(class_of_row.tolist(), cell_texts(frame[names[j]]), strict=True):
        labels[row] = cell
    return class_of_row.astype(np.int32), (leaf >= low[:, None]) & (leaf <= high[:, None]), tuple(labels)


def _label_covers(labels: Sequence[str | None], hierarchy: Hierarchy, blanks: bool = False) -> B1:
    covers = np.zeros((len(labels), hierarchy.size + 1), dtype=bool)
    for form, label in enumerate(labels):
        covers[form, slice(None) if blanks and label is None else read_label(label, hierarchy)] = True
    return covers


def _unrecoded_columns(table: Table) -> list[Column]:
    """All columns that are published as they are, whether their owner thought of what they tell or not."""
    return [column for column in table.columns if column.role in ("plain", "sensitive")]


def _mixed_view(data: MixedData, scene: Scene, row_of: I8, *, rules: bool) -> MixedView:
    """A released table with baskets beside its originals; `rules` that bind columns to items are sought."""
    baskets, frame, has_suppressed = data.baskets, scene.frame, scene.left_out > 0
    start, entries, words = read_items(frame[baskets.name], scene.groups)
    of_value, entry = find_covering_entries(words, baskets.values, data.hierarchy)
    covers = np.zeros((len(words), len(baskets.values)), dtype=bool)
    covers[entry, row_of_entry(of_value)] = True
    table = table_view(data.people, frame, row_of, scene.method or None, rules=rules)
    published_items = (start, entries, covers)
    items = ItemView(
        baskets, start, entries, words, data.hierarchy, row_of, scene.claim.exempts, has_suppressed
    )
    absent = {"items": items.absent(generalized=False), "groups": items.absent(generalized=True)}
    follows = _following_from_items(baskets, _unrecoded_columns(data.people.table), scene) if rules else None
    return MixedView(
        table,
        baskets.start,
        baskets.items,
        *published_items,
        baskets.sensitive,
        has_suppressed,
        absent,
        follows,
    )


def _item_view(data: BasketData, scene: Scene, row_of: I8, *, rules: bool) -> ItemView:
    """Released baskets of generalized items beside their originals; likewise."""
    start, items, entries = read_items(scene.frame["items"], scene.groups)
    published_items = (start, items, entries, data.hierarchy)
    follows = _following_from_items(data.baskets, data.table.columns, scene) if rules else None
    return ItemView(data.baskets, *published_items, row_of, scene.claim.exempts, scene.left_out > 0, follows)


def _following_from_items(
    baskets: Baskets, columns: Sequence[Column], scene: Scene
) -> tuple[I8, tuple[I8, I8]] | None:
    """What follows from each item of each person in other columns, and which rows show it; None where nothing does."""
    rules = find_item_rules(baskets, columns, sorted(baskets.sensitive) if scene.claim.exempts else [])
    if not rules:
        return None
    person, item = row_of_entry(baskets.start), baskets.items.astype(np.int64)
    is_expected = [rule.expected(item, rule.column.codes[person].astype(np.int64)) for rule in rules]
    implied_entries = np.flatnonzero(np.logical_or.reduce(is_expected))
    kinds, line = np.unique(
        np.stack([item, *is_expected], axis=1)[implied_entries].astype(np.int64), axis=0, return_inverse=True
    )
    line_of_entry = np.full(len(item), -1, dtype=np.int64)
    line_of_entry[implied_entries] = line.reshape(-1)
    values = [_code_released_cells(rule.column, scene.frame[rule.column.name]) for rule in rules]
    lists = []
    for item_code, *rule_flags in kinds.tolist():
        rows = np.ones(scene.frame.height, dtype=bool)
        for rule, released_codes, is_implied in zip(rules, values, rule_flags, strict=True):
            if is_implied:
                rows &= np.isin(released_codes, rule.values[rule.items == item_code])
        lists.append(np.flatnonzero(rows))
    return line_of_entry, (np.cumsum([0, *map(len, lists)], dtype=np.int64), np.concatenate(lists))


def _code_released_cells(column: Column, cells: pl.Series) -> I8:
    """Released cells in the codes of the original column; -1 where it has no such value."""
    code_of_value = {value: code for code, value in enumerate(column.values)}
    words, codes = factorize(cell_texts(cells))
    return np.array([code_of_value.get(released_value, -1) for released_value in words], dtype=np.int64)[
        codes
    ]


def _vote_view(data: BasketData, scene: Scene, row_of: I8, *, rules: bool) -> VoteView:
    """Baskets published by vote beside their originals; likewise."""
    baskets, frame = data.baskets, scene.frame
    code_of_value = {value: code for code, value in enumerate(baskets.values)}
    listed_items, maybe = (_item_numbers(frame[name], code_of_value) for name in ("items", "uncertain"))
    errors = frame["errors"].cast(pl.Int64).to_numpy().astype(np.int64)
    _, original_label, label = next(
        sensitive_columns(data, frame), ("", None, None)
    )  # votes have one at most
    original = (baskets.start, baskets.items.astype(np.int64))
    bits = PublishedBits(*listed_items, *maybe, errors, label, *original, original_label)
    follows = _following_from_items(baskets, data.table.role("sensitive"), scene) if rules else None
    return VoteView(bits, row_of, follows)


def sensitive_columns(data: Any, frame: Any) -> Iterator[tuple[str, Sensitive, Sensitive]]:
    """The sensitive columns beside the items, of the originals and of the released rows; trees have none."""
    table: Table | None = getattr(getattr(data, "people", data), "table", None)
    for column in () if table is None else table.role("sensitive"):
        words, codes = factorize(cell_texts(frame[column.name]))
        yield column.name, _number_values(column.values, column.codes), _number_values(words, codes)


def _item_numbers(cells: pl.Series, place: dict[str, int]) -> tuple[I8, I8]:
    """The items that each row lists, as ascending numbers; one that nobody has gets a number of its own."""
    start, items, entries = read_lists(cells)
    numbers = np.array([place.setdefault(str(entry), len(place)) for entry in entries], dtype=np.int64)
    item_numbers = numbers[items] if len(items) else items.astype(np.int64)
    return start, item_numbers[np.lexsort((item_numbers, row_of_entry(start)))]


def _number_values(values: Sequence[str | None], codes: I4) -> Sensitive:
    """Labels, each with its number; -1 where there is none."""
    known_values = [value for value in values if value is not None]
    numbers = iter(range(len(known_values)))
    number_of_code = np.array([-1 if value is None else next(numbers) for value in values], dtype=np.int64)
    return Sensitive(
        number_of_code[codes] if len(number_of_code) else codes.astype(np.int64), tuple(known_values)
    )


def _tree_view(data: TreeData, scene: Scene, row_of: I8) -> TreeView:
    """Released record trees beside their originals."""
    trees, released_frame = data.trees, scene.frame
    pair_by_meaning: dict[
        tuple[str, frozenset[str]], tuple[str, str]
    ] = {}  # claims count what a value stands for
    pairs = []
    for kind, value in zip(released_frame.kinds.tolist(), released_frame.values, strict=True):
        name = released_frame.classes[kind]
        leaves = frozenset(leaves_under(value, data.hierarchies.get(name)))
        pairs.append(pair_by_meaning.setdefault((name, leaves), (name, value)))
    code_of_pair = {pair: code for code, pair in enumerate(dict.fromkeys(pairs))}
    items = np.array([code_of_pair[pair] for pair in pairs], dtype=np.int32)[released_frame.items]
    released_trees = Trees.build(
        list(code_of_pair),
        released_frame.start,
        items,
        released_frame.parents,
        repeats=released_frame.repeats,
    )
    return TreeView(trees, released_trees, data.hierarchies, row_of, trees.sensitive, tuple(data.negations))


def _published_column(column: Column, cells: pl.Series) -> PublishedColumn:
    """A column as numbers that are equal where values are, however they are spelled; an empty cell is -1."""
    number_of_spelling: dict[str, int] = {}

    def numbers(values: tuple[str | None, ...]) -> I8:
        spellings = [normalize_value(value or "") for value in values]
        return np.array(
            [
                number_of_spelling.setdefault(spelling, len(number_of_spelling)) if spelling else -1
                for spelling in spellings
            ],
            dtype=np.int64,
        )

    original_numbers = numbers(column.values)[column.codes]
    words, codes = factorize(cell_texts(cells))
    released_numbers = numbers(words)[codes] if len(words) else codes.astype(np.int64)
    return PublishedColumn(column.name, original_numbers, released_numbers, tuple(number_of_spelling))
