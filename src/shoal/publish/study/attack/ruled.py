"""Whose row is whose by the rule of a release: every record is recoded anew, and its row is one that equals it."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Trees
from shoal.data.types import I8
from shoal.errors import InputError
from shoal.io.cells import text
from shoal.io.list_cells import read_lists
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.protocols import Dataset
from shoal.publish.recoding import read_recoding
from shoal.publish.table.dataset import TableData
from shoal.publish.table.judging import resolve
from shoal.publish.trees.dataset import TreeData
from shoal.release import Claim, Forms

__all__ = ["WrongError", "ruled_rows"]

_RULE = "recoding.json"


class WrongError(InputError):
    """The folder is no release of these originals, or was tampered with so that nothing can be played."""


def ruled_rows(private: Path, originals: Dataset, frame: Any, claim: Claim) -> I8 | None:
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
        keys = _KEYS[claim.shape](originals, rule, frame, claim) if claim.shape in _KEYS else None
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


def _table_keys(data: TableData, rule: Mapping[str, Any], frame: pl.DataFrame, claim: Claim) -> Keys | None:
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
        forms, codes = resolve(text(frame[name]), data.hierarchies[name])
        theirs.append(_meant(forms, codes.tolist()))
    for column in data.table.columns:
        if column.role != "quasi":
            ours.append([column.values[code] for code in column.codes.tolist()])
            theirs.append(text(frame[column.name]).to_list())
    return list(zip(*ours, strict=True)), list(zip(*theirs, strict=True))


def _meant(forms: Forms, codes: list[int]) -> list[Hashable]:
    sets = [forms.leaves[a:b].tobytes() for a, b in zip(forms.start[:-1], forms.start[1:], strict=True)]
    return [sets[code] for code in codes]


def _basket_keys(data: BasketData, rule: Mapping[str, Any], frame: pl.DataFrame, claim: Claim) -> Keys:
    named, result = data.without_traces(data.recode(rule, claim, 0.0))
    if len(result.release.rows) != data.records:
        return [], []
    expected = named.assemble(result.release)[np.argsort(result.release.rows)]
    return _lists(expected), _lists(frame.select(expected.columns))


def _lists(frame: pl.DataFrame) -> Sequence[Hashable]:
    """Each row as the set of what it publishes, and the cells beside it."""
    start, items, entries = read_lists(frame["items"])
    meant = [entry if isinstance(entry, str) else frozenset(entry) for entry in entries]
    sets = [frozenset(meant[code] for code in items[a:b].tolist()) for a, b in pairwise(start.tolist())]
    beside = [text(frame[name]).to_list() for name in frame.columns if name != "items"]
    return list(zip(sets, *beside, strict=True))


def _tree_keys(data: TreeData, rule: Mapping[str, Any], frame: Trees, claim: Claim) -> Keys:
    made = data.recode(rule, claim, 0.0).release
    trees = made.trees.take(np.argsort(made.rows))
    return list(_paths(trees)), list(_paths(frame))


def _paths(trees: Trees) -> Iterator[Hashable]:
    """Each tree as the set of its paths: no two siblings are equal, so it is the tree."""
    for first, last in pairwise(trees.start.tolist()):
        found: list[tuple[tuple[str, str], ...]] = []
        for item, parent in zip(
            trees.items[first:last].tolist(), trees.parents[first:last].tolist(), strict=True
        ):
            above = () if parent < 0 else found[parent]
            found.append((*above, (trees.classes[trees.kinds[item]], trees.values[item])))
        yield frozenset(found)


_KEYS: dict[str, Callable[..., Keys | None]] = {
    "table": _table_keys,
    "baskets": _basket_keys,
    "trees": _tree_keys,
}
"""A table with baskets is recoded class by class, and has no rule."""
