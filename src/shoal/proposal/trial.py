"""Classes of look-alikes as a method might make them, to see before any release what would be refused of it.

No method is run, for its kernels may still have to be compiled: people are halved where they differ most, until no half
would have k of them.
"""

from collections.abc import Mapping

import numpy as np

from shoal.base.errors import InputError, ShoalError
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8, is_group_start
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import build
from shoal.privacy import KAnonymity
from shoal.proposal.profile import ColumnProfile
from shoal.proposal.proposal import ColumnProposal
from shoal.release import PublishedValues, Recoded
from shoal.risks.dependencies import rank_values
from shoal.shapes.guards import find_refused_columns, guard_telling

__all__ = ["_halve_classes", "find_telling_columns_in_trial"]

_PEOPLE, _CELLS = 20_000, 200_000  # who are looked at, and their cells


def find_telling_columns_in_trial(
    columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile], k: int, persons: I4 | None
) -> tuple[str, ...]:
    """The sensitive columns for which a release of what is proposed would be refused; none where it would not be.

    `persons` says whose each row is, where people have several.
    """
    quasi = [
        seen[name]
        for name, entry in columns.items()
        if entry.role == "quasi" and name in seen and seen[name].whole
    ]
    secret = [
        entry
        for name, entry in columns.items()
        if entry.role == "sensitive" and name in seen and seen[name].whole
    ]
    if not quasi or not secret:
        return ()
    n = min(len(entry.codes) for entry in quasi)
    most = min(_PEOPLE, _CELLS // len(quasi))
    rows = np.arange(min(n, most)) if persons is None else np.unique(persons[:most], return_index=True)[1]
    if len(rows) < 2 * k:
        return ()
    quasi_columns = [Column(entry.name, "quasi", (*entry.values, None), entry.codes[rows]) for entry in quasi]
    secret_columns = [
        published_column
        for entry in secret
        if (published_column := _published_column(entry, seen[entry.name], rows)) is not None
    ]
    places = np.stack([rank_values(column.values)[column.codes] for column in quasi_columns], axis=1)
    kind = _halve_classes(places, k)
    class_count = int(kind.max()) + 1
    forms = PublishedValues(
        tuple(map(str, range(class_count))),
        np.arange(class_count + 1),
        np.arange(class_count, dtype=np.int32),
    )
    release = Recoded(("class",), (forms,), kind[:, None].astype(np.int32), np.arange(len(rows)), len(rows))
    leaves = np.stack([column.codes for column in quasi_columns], axis=1)
    table = Table((*quasi_columns, *secret_columns))
    for column in secret_columns:
        try:
            guard_telling(column, table, leaves)
        except InputError:
            return (column.name,)
    refused = find_refused_columns(table, leaves, release, secret_columns, KAnonymity(k))
    return () if refused is None else refused.columns


def _published_column(one: ColumnProposal, seen: ColumnProfile, rows: I8) -> Column | None:
    """A sensitive column as it is published; None where nobody can tell."""
    if one.level is None or one.hierarchy is None:
        return Column(one.name, "sensitive", (*seen.values, None), seen.codes[rows])
    try:
        spec = one.hierarchy
        tree = spec if isinstance(spec, Hierarchy) else build(one.name, spec, seen.values)
    except ShoalError:
        return None
    places = tree.look_up((*seen.values, None))[seen.codes[rows]]
    return Column(one.name, "sensitive", tuple(tree.labels[one.level]), tree.up[places, one.level])


def _halve_classes(places: I8, k: int) -> I8:
    """The class of each person: all are cut between two values near the middle of the column in which they differ most.

    Both parts must have k people; where no column can be cut so, it is a class. `places` is int64[n, d], the place of
    each one's value in the order of its column.

    >>> _halve_classes(np.array([[0], [5], [1], [6]]), 2).tolist()
    [0, 1, 0, 1]
    """
    n, wide = len(places), np.maximum(places.max(axis=0), 1)
    kind = np.zeros(n, dtype=np.int64)
    while True:
        size = np.bincount(kind)
        widest, upper = np.zeros(len(size)), np.zeros(n, dtype=bool)
        for column, all_of_it in zip(places.T, wide, strict=True):
            order = np.lexsort((column, kind))
            class_of, value, start = kind[order], column[order], np.cumsum(size) - size
            rank = np.arange(n) - start[class_of]
            between = np.flatnonzero(
                is_group_start(class_of, value) & (rank >= k) & (size[class_of] - rank >= k)
            )
            near = between[
                np.lexsort((np.abs(2 * rank[between] - size[class_of[between]]), class_of[between]))
            ]
            cut = near[is_group_start(class_of[near])]
            spread = (value[start + size - 1] - value[start]) / all_of_it
            cut = cut[spread[class_of[cut]] > widest[class_of[cut]]]
            widest[class_of[cut]] = spread[class_of[cut]]
            first = np.full(len(size), -1)
            first[class_of[cut]] = rank[cut]
            inside = first[class_of] >= 0
            upper[order[inside]] = (rank >= first[class_of])[inside]
        if not widest.any():
            return kind
        kind = np.unique(2 * kind + upper, return_inverse=True)[1].reshape(-1).astype(np.int64)
