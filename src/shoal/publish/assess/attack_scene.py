"""A release beside its originals: what was published, and whose row is whose."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.background import read_label
from shoal.data import Trees
from shoal.data.arrays import I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.read.cells import factorize, text
from shoal.io.write.folders import private_of
from shoal.io.write.groups import NO_GROUPS, Groups, read_items
from shoal.publish.draft import Dataset, Draft, centres_of
from shoal.publish.manifests import (
    ChangedError,
    centres_in,
    changed_file,
    claim_of_config,
    claim_stated_in,
    read_manifest,
)
from shoal.publish.recoding import read_recoding
from shoal.publish.shapes.base import SHAPES
from shoal.publish.shapes.baskets.data import BasketData
from shoal.publish.shapes.table.data import TableData
from shoal.publish.shapes.trees.data import TreeData
from shoal.publish.writing import ROWS, data_file, groups_beside, outline, read_data, read_rows
from shoal.release import Claim, Forms

__all__ = ["Scene", "WrongError", "open_scene", "rows_by_rule", "rows_of", "scene_of"]


@dataclass(frozen=True, slots=True, repr=False)
class Scene(Discreet):
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
    left_out = draft.dataset.counts(draft.result.release)["suppressed_items"]
    row_of = rows_of(draft.rows, draft.dataset.records)
    seen = (draft.dataset, draft.frame, draft.claim, row_of, left_out)
    centres = centres_of(draft.result.release)
    return Scene(*seen, method=draft.method, groups=draft.groups, centres=centres)


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
    rows = read_rows(private_of(folder.resolve()))
    try:
        claim = claim_stated_in(manifest, config)
        file = data_file(folder, SHAPES[claim.shape].files)
        frame = read_data(folder, SHAPES[claim.shape].files, manifest["columns"])
        groups = groups_beside(folder, manifest["columns"])
    except InputError as error:  # of the folder's own files
        raise WrongError(str(error)) from None
    _require_same(frame, manifest, originals, rows)
    if rows is not None and isinstance(originals, TableData):
        originals = originals.made_of(np.sort(rows))  # labels that are built are made of who is released
    changed = changed_file(manifest, folder, file)
    known, why = _whose(folder, originals, frame, claim, rows, groups)
    found = (originals, frame, claim, known, manifest["suppressed_items"])
    return Scene(*found, changed, why, manifest["method"], groups, centres=centres_in(manifest))


def _require_same(frame: Any, manifest: Mapping[str, Any], originals: Dataset, rows: I8 | None) -> None:
    """Refuse data that the manifest does not speak of, and rows that name no originals."""
    columns, records = outline(frame)
    if columns != list(manifest["columns"]):
        raise WrongError("the data's columns are not those of manifest.json")
    if manifest["records_in"] != originals.records:
        raise WrongError(
            f"the release states {manifest['records_in']} originals, but there are {originals.records}"
        )
    if rows is None:
        return
    inside = (rows >= 0) & (rows < originals.records)
    if not len(rows) == records == len(np.unique(rows)) or not inside.all():
        raise WrongError(f"{ROWS} does not name one original record for each released row")


def _whose(
    folder: Path, originals: Dataset, frame: Any, claim: Claim, rows: I8 | None, groups: Groups
) -> tuple[I8 | None, str]:
    """Whose row is whose by the rows that were kept, or by the rule; else a sentence on what it would need."""
    if rows is not None:
        return rows_of(rows, originals.records), ""
    found = rows_by_rule(private_of(folder.resolve()), originals, frame, claim, groups)
    return found, "" if found is not None else _NEEDS


_NEEDS = (
    f"it is not known which row is whose: the private folder beside the release has no {ROWS} and no recoding.json "
    "with one rule for all records; run again with rows = true in [release], or read about attackers in the audit "
    "of that run"
)


def rows_of(rows: I8, records: int) -> I8:
    """For each record its row, from the record of each row."""
    found = np.full(records, -1, dtype=np.int64)
    found[rows] = np.arange(len(rows))
    return found


# Whose row is whose by the rule of a release: every record is recoded anew, and its row is one that equals it.

_RULE = "recoding.json"


class WrongError(InputError):
    """The folder is no release of these originals, or was tampered with so that nothing can be played."""


def rows_by_rule(
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
    expected, released = keys
    strange = Counter(released) - Counter(expected)
    if strange:
        raise WrongError(
            f"{strange.total()} released rows are not what the rule in {_RULE} makes of any original; one of both was "
            "changed"
        )
    place: dict[Hashable, int] = {}
    for row, key in enumerate(released):
        place.setdefault(key, row)
    return np.array([place.get(key, -1) for key in expected], dtype=np.int64)


Keys = tuple[Sequence[Hashable], Sequence[Hashable]]
"""What the rule makes of each record, and what each released row is: equal where they are equal."""


def _table_keys(
    data: TableData, rule: Mapping[str, Any], frame: pl.DataFrame, claim: Claim, groups: Groups
) -> Keys | None:
    """By leaf sets, so that it does not matter how a label was worded; suppressed records equal no row.

    Hierarchies that are built are made of whoever was not left out: the rule tells which values the others alone hold.
    """
    left = rule.get("left_values")  # what 0.2 wrote does not tell them: its hierarchies were made of all
    if left:
        named = data.without_values(left) if isinstance(left, dict) else None
        if named is None:
            return None
        data = named
    made = data.recode(rule, claim, 0.0).release
    whole = np.argsort(made.rows)
    ours, theirs = list[list[Hashable]](), list[list[Hashable]]()
    for j, name in enumerate(made.names):
        ours.append(_meant(made.forms[j], made.codes[whole, j].tolist()))
        labels, codes = factorize(text(frame[name]))
        sets = [read_label(label, data.hierarchies[name]).astype(np.int32).tobytes() for label in labels]
        theirs.append([sets[code] for code in codes.tolist()])
    for column in data.table.columns:
        if column.role != "quasi":
            ours.append([column.values[code] for code in column.codes.tolist()])
            theirs.append(text(frame[column.name]).to_list())
    return list(zip(*ours, strict=True)), list(zip(*theirs, strict=True))


def _meant(forms: Forms, codes: list[int]) -> list[Hashable]:
    sets = [forms.leaves[a:b].tobytes() for a, b in zip(forms.start[:-1], forms.start[1:], strict=True)]
    return [sets[code] for code in codes]


def _basket_keys(
    data: BasketData, rule: Mapping[str, Any], frame: pl.DataFrame, claim: Claim, groups: Groups
) -> Keys:
    named, result = data.without_traces(data.recode(rule, claim, 0.0))
    if len(result.release.rows) != data.records:
        return [], []
    expected = named.assemble(result.release)[np.argsort(result.release.rows)]
    ours = named.groups(result.release)
    return _lists(expected, ours), _lists(frame.select(expected.columns), groups)


def _lists(frame: pl.DataFrame, groups: Groups) -> Sequence[Hashable]:
    """Each row as the set of what it publishes, and the cells beside it."""
    start, items, entries = read_items(frame["items"], groups)
    meant = [entry if isinstance(entry, str) else frozenset(entry) for entry in entries]
    sets = [frozenset(meant[code] for code in items[a:b].tolist()) for a, b in pairwise(start.tolist())]
    beside = [text(frame[name]).to_list() for name in frame.columns if name != "items"]
    return list(zip(sets, *beside, strict=True))


def _tree_keys(data: TreeData, rule: Mapping[str, Any], frame: Trees, claim: Claim, groups: Groups) -> Keys:
    made = data.recode(rule, claim, 0.0).release
    trees = made.trees.take(np.argsort(made.rows))
    known: dict[Hashable, int] = {}
    return list(_forms(trees, known)), list(_forms(frame, known))


def _forms(trees: Trees, known: dict[Hashable, int]) -> Iterator[Hashable]:
    """Each tree as the numbers of what stands under its root, whatever the order; equal siblings stay apart.

    A number stands for a value with all that is below it; `known` numbers them, and grows.
    """
    for first, last in pairwise(trees.start.tolist()):
        below: list[list[int]] = [[] for _ in range(last - first + 1)]  # the last one is the root
        for place in range(last - 1, first - 1, -1):  # what is below stands behind
            item = trees.items[place]
            label = trees.classes[trees.kinds[item]], trees.values[item]
            form = label, tuple(sorted(below[place - first]))
            below[trees.parents[place]].append(known.setdefault(form, len(known)))
        yield tuple(sorted(below[-1]))


_KEYS: dict[str, Callable[..., Keys | None]] = {
    "table": _table_keys,
    "baskets": _basket_keys,
    "trees": _tree_keys,
}
"""A table with baskets is recoded class by class, and has no rule."""
