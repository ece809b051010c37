"""Classes of look-alikes as a method might make them, to see before any release what would be refused of it.

No method is run, for its kernels may still have to be compiled. Classes are made in two ways: people are halved where
they differ most, until no half would have k of them; and some of them are put into clusters of k. What would be refused
of either is told. Of wide tables fewer columns and sets of them are looked at, counted in operations and not by a
clock, so that the answer is the same twice.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from shoal.base.errors import InputError, ShoalError
from shoal.data import Column, Table
from shoal.data.arrays import F8, I4, I8, is_group_start
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import build
from shoal.privacy import KAnonymity
from shoal.proposal.profile import ColumnProfile
from shoal.proposal.proposal import ColumnProposal
from shoal.release import PublishedValues, Recoded
from shoal.risks.dependencies import find_dependencies, find_sums, rank_values
from shoal.shapes.guards import find_refused_columns, guard_telling

__all__ = ["_halve_classes", "find_telling_columns_in_trial"]

_PEOPLE, _CELLS = 20_000, 200_000  # who are looked at, and their cells
_PART, _PARTS = 250, 10  # people of a part that is put into clusters, at least, and such parts
_SETS, _GUESSES = 1_500, 6_000  # sets of columns that are tried; sets times sensitive columns
_MEASURED = 1_000  # quasi-identifiers times sensitive columns, up to which each is measured beside each
_LEAST_SETS, _LEAST_MEASURED = 60, 25
_PARTS_OF_VALUES = 8  # that are looked at, of most columns


def find_telling_columns_in_trial(
    columns: Mapping[str, ColumnProposal],
    seen: Mapping[str, ColumnProfile],
    k: int,
    persons: I4 | None,
    asked: Collection[str],
) -> tuple[tuple[str, ...], int]:
    """Those of some sensitive columns for which a release of what is proposed would be refused; and the guesses made.

    `persons` says whose each row is, where people have several; `asked` are the names of the columns.
    """
    quasi = [
        seen[name]
        for name, entry in columns.items()
        if entry.role == "quasi" and name in seen and seen[name].whole
    ]
    secret = [
        entry
        for name, entry in columns.items()
        if entry.role == "sensitive" and name in asked and name in seen and seen[name].whole
    ]
    if not quasi or not secret:
        return (), 0
    n = min(len(entry.codes) for entry in quasi)
    most = min(_PEOPLE, _CELLS // len(quasi))
    rows = np.arange(min(n, most)) if persons is None else np.unique(persons[:most], return_index=True)[1]
    if len(rows) < 2 * k:
        return (), 0
    quasi_columns = [Column(entry.name, "quasi", (*entry.values, None), entry.codes[rows]) for entry in quasi]
    secret_columns = [
        published_column
        for entry in secret
        if (published_column := _published_column(entry, seen[entry.name], rows)) is not None
    ]
    places = np.stack([rank_values(column.values)[column.codes] for column in quasi_columns], axis=1)
    leaves = np.stack([column.codes for column in quasi_columns], axis=1)
    table = Table((*quasi_columns, *secret_columns))
    if telling := tuple(column.name for column in secret_columns if _tells_quasi(column, table, leaves)):
        return telling, len(secret_columns)
    sets = _count_sets(len(secret_columns))
    work = len(secret_columns) * (sets + _PARTS_OF_VALUES * len(quasi_columns))
    rules = find_dependencies(table, leaves, secret_columns, sets)
    sums = find_sums(table, secret_columns, sets)
    names = [column.name for column in quasi_columns]
    near = _nearest_columns(
        places, secret_columns, {names.index(name) for rule in rules for name in rule.known}
    )
    known = {quasi_columns[j].name for j in near}
    sums = [link for link in sums if known.issuperset(link.known)]
    seen_table = Table((*(quasi_columns[j] for j in near), *secret_columns))
    for class_of_row in (_halve_classes(places, k), _cluster_some(places, k)):
        release = _release_classes(class_of_row)
        refused = find_refused_columns(
            seen_table, leaves[:, near], release, secret_columns, KAnonymity(k), rules, sums
        )
        if refused:
            return refused, work
    return (), work


def _tells_quasi(column: Column, table: Table, leaves: I4) -> bool:
    try:
        guard_telling(column, table, leaves)
    except InputError:
        return True
    return False


def _count_sets(secret: int) -> int:
    """How many sets of columns are tried beside so many sensitive columns."""
    return int(np.clip(_GUESSES // max(secret, 1), _LEAST_SETS, _SETS))


def _nearest_columns(places: I8, secret: Sequence[Column], needed: Collection[int]) -> list[int]:
    """The quasi-identifiers beside which sensitive columns are measured: of many those that go along with one most.

    `needed` are there anyway. How far they go along is the correlation of places in the order of values.
    """
    many = places.shape[1]
    if many * len(secret) <= _MEASURED or many <= _LEAST_MEASURED:
        return list(range(many))
    orders = np.stack([rank_values(column.values)[column.codes] for column in secret], axis=1)
    known, shown = (_standardize(columns.astype(np.float64)) for columns in (places, orders))
    nearness = np.abs(known.T @ shown).max(axis=1)
    nearest = np.argsort(-nearness, kind="stable")[: max(_LEAST_MEASURED, _MEASURED // len(secret))]
    return sorted({*nearest.tolist(), *needed})


def _standardize(columns: F8) -> F8:
    """Columns with mean 0 and length 1; those of one value are 0."""
    centred = columns - columns.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(centred / np.where(length > 0, length, 1))


def _release_classes(class_of_row: I8) -> Recoded:
    """A release that tells classes apart and nothing else; who is in none, -1, is left out."""
    rows = np.flatnonzero(class_of_row >= 0)
    class_count = int(class_of_row.max()) + 1
    forms = PublishedValues(
        tuple(map(str, range(class_count))),
        np.arange(class_count + 1),
        np.arange(class_count, dtype=np.int32),
    )
    codes = class_of_row[rows, None].astype(np.int32)
    return Recoded(("class",), (forms,), codes, rows, len(class_of_row))


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


def _cluster_some(places: I8, k: int) -> I8:
    """The cluster of some people, as `kmember` makes them, -1 of the others: of whole parts that were halved before."""
    part_of_row = _halve_classes(places, max(_PART, 2 * k))
    parts = np.random.default_rng(0).permutation(int(part_of_row.max()) + 1)[:_PARTS]
    shares = places / np.maximum(places.max(axis=0), 1)
    cluster_of_row = np.full(len(places), -1, dtype=np.int64)
    cluster_count = 0
    for part in parts.tolist():
        rows = np.flatnonzero(part_of_row == part)
        cluster_of_row[rows] = cluster_count + _grow_clusters(shares[rows], k)
        cluster_count = int(cluster_of_row.max()) + 1
    return cluster_of_row


def _grow_clusters(shares: F8, k: int) -> I8:
    """The cluster of each person: one far from the last begins it, and k - 1 join it who widen it least.

    Fewer than k who are left join the last one. `shares` is float64[n, d], each one's place from 0 to 1.

    >>> _grow_clusters(np.array([[0.0], [0.9], [0.1], [1.0]]), 2).tolist()
    [1, 0, 1, 0]
    """
    cluster_of_row = np.zeros(len(shares), dtype=np.int64)
    left, seed = np.arange(len(shares)), 0
    cluster_count = max(len(shares) // k, 1)
    for cluster in range(cluster_count):
        seed = int(left[np.abs(shares[left] - shares[seed]).sum(axis=1).argmax()])
        low, high, joined = shares[seed], shares[seed], seed
        for _ in range(k - 1):
            cluster_of_row[joined] = cluster
            left = left[left != joined]
            if not len(left):
                break
            widened = np.maximum(shares[left], high) - np.minimum(shares[left], low)
            joined = int(left[widened.sum(axis=1).argmin()])
            low, high = np.minimum(low, shares[joined]), np.maximum(high, shares[joined])
        cluster_of_row[joined] = cluster
        left = left[left != joined]
    cluster_of_row[left] = cluster_count - 1
    return cluster_of_row


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
