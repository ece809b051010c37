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
from shoal.risks.dependencies import order_of
from shoal.shapes.guards import find_refused, guard_telling

__all__ = ["halved_classes", "told_apart_by"]

_PEOPLE, _CELLS = 20_000, 200_000  # who are looked at, and their cells


def told_apart_by(
    columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile], k: int, persons: I4 | None
) -> tuple[str, ...]:
    """The sensitive columns for which a release of what is proposed would be refused; none where it would not be.

    `persons` says whose each row is, where people have several.
    """
    quasi = [
        seen[name]
        for name, one in columns.items()
        if one.role == "quasi" and name in seen and seen[name].whole
    ]
    secret = [
        one for name, one in columns.items() if one.role == "sensitive" and name in seen and seen[name].whole
    ]
    if not quasi or not secret:
        return ()
    n = min(len(one.codes) for one in quasi)
    most = min(_PEOPLE, _CELLS // len(quasi))
    rows = np.arange(min(n, most)) if persons is None else np.unique(persons[:most], return_index=True)[1]
    if len(rows) < 2 * k:
        return ()
    known = [Column(one.name, "quasi", (*one.values, None), one.codes[rows]) for one in quasi]
    shown = [found for one in secret if (found := _published(one, seen[one.name], rows)) is not None]
    places = np.stack([order_of(column.values)[column.codes] for column in known], axis=1)
    kind = halved_classes(places, k)
    many = int(kind.max()) + 1
    forms = PublishedValues(
        tuple(map(str, range(many))), np.arange(many + 1), np.arange(many, dtype=np.int32)
    )
    release = Recoded(("class",), (forms,), kind[:, None].astype(np.int32), np.arange(len(rows)), len(rows))
    leaves = np.stack([column.codes for column in known], axis=1)
    table = Table((*known, *shown))
    for column in shown:
        try:
            guard_telling(column, table, leaves)
        except InputError:
            return (column.name,)
    refused = find_refused(table, leaves, release, shown, KAnonymity(k))
    return () if refused is None else refused.columns


def _published(one: ColumnProposal, seen: ColumnProfile, rows: I8) -> Column | None:
    """A sensitive column as it is published; None where nobody can tell."""
    if one.level is None or one.hierarchy is None:
        return Column(one.name, "sensitive", (*seen.values, None), seen.codes[rows])
    try:
        made = one.hierarchy
        tree = made if isinstance(made, Hierarchy) else build(one.name, made, seen.values)
    except ShoalError:
        return None
    places = tree.look_up((*seen.values, None))[seen.codes[rows]]
    return Column(one.name, "sensitive", tuple(tree.labels[one.level]), tree.up[places, one.level])


def halved_classes(places: I8, k: int) -> I8:
    """The class of each person: all are cut between two values near the middle of the column in which they differ most.

    Both parts must have k people; where no column can be cut so, it is a class. `places` is int64[n, d], the place of
    each one's value in the order of its column.

    >>> halved_classes(np.array([[0], [5], [1], [6]]), 2).tolist()
    [0, 1, 0, 1]
    """
    n, wide = len(places), np.maximum(places.max(axis=0), 1)
    kind = np.zeros(n, dtype=np.int64)
    while True:
        size = np.bincount(kind)
        widest, upper = np.zeros(len(size)), np.zeros(n, dtype=bool)
        for column, all_of_it in zip(places.T, wide, strict=True):
            order = np.lexsort((column, kind))
            of, value, start = kind[order], column[order], np.cumsum(size) - size
            rank = np.arange(n) - start[of]
            between = np.flatnonzero(is_group_start(of, value) & (rank >= k) & (size[of] - rank >= k))
            near = between[np.lexsort((np.abs(2 * rank[between] - size[of[between]]), of[between]))]
            cut = near[is_group_start(of[near])]
            spread = (value[start + size - 1] - value[start]) / all_of_it
            cut = cut[spread[of[cut]] > widest[of[cut]]]
            widest[of[cut]] = spread[of[cut]]
            first = np.full(len(size), -1)
            first[of[cut]] = rank[cut]
            inside = first[of] >= 0
            upper[order[inside]] = (rank >= first[of])[inside]
        if not widest.any():
            return kind
        kind = np.unique(2 * kind + upper, return_inverse=True)[1].reshape(-1).astype(np.int64)
