"""MDAV microaggregation (Domingo-Ferrer, Torra), and a second pass that exchanges records between groups."""

from typing import Annotated

import numpy as np
from scipy.spatial import KDTree

from shoal.algorithms.constraint import keeps_average
from shoal.algorithms.knobs import OneOf, Share
from shoal.algorithms.local.column_prices import shares_of
from shoal.algorithms.local.local_table import CENTRES, LocalTable, Partition, prepare_classes
from shoal.base.errors import InputError
from shoal.base.progress import Progress, Tell, no_progress, scale_share, start_step
from shoal.data import Table
from shoal.data.arrays import F8, I8
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.labels import numbers_of
from shoal.release import Claim, Recoded, Result

__all__ = ["_improve_groups", "_mdav_groups", "mdav"]

_DIGITS = 9  # squared distances that agree so far are equal: what differs is how floats were added
_NEAR = 8  # groups around a group, with which it exchanges records
_PASSES = 20
_LEAST = 1e-9  # what an exchange must gain


@keeps_average
def mdav(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: Annotated[str, OneOf(CENTRES)] = "mean",
    improve: bool = True,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish numbers as the means of groups of k to 2k - 1 similar records.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier; all of them must be columns of numbers.
    claim
        What every group must keep: k-anonymity, l-diversity, t-closeness and the like.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. A record is left out only where that lowers the
        loss ncp.
    recode
        What a group shares in each column: its "mean", or its "median".
    improve
        Whether records are exchanged between neighbouring groups while that brings them closer to their means. False
        leaves the groups as the paper makes them.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells how many exchanges there were.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records.
    InputError, HierarchyError
        A column holds no numbers or an empty cell, or an argument or a hierarchy is wrong.

    Notes
    -----
    *Guarantee.* Every group has k to 2k - 1 records. Where a person has several rows, groups of fewer than k persons
    are merged with another, and so are groups that break another part of the claim; they may be larger. A mean is
    rounded, half to even, to as many decimals as the column's values have. Groups with equal means are one class.

    *Complexity.* O(n^2 d / k) for the groups; the second pass looks at eight neighbours of every group, at most twenty
    times.

    *Departures.* Squared distances that agree in nine decimals are equal, and in a tie the smaller record by code is
    taken. Columns are weighted, if they have weights. The second pass is not in the paper.

    *Randomness.* None.

    References
    ----------
    .. [1] Domingo-Ferrer, Torra. Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data
       Mining and Knowledge Discovery 11(2), 2005.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy.rules import build
    >>> from shoal.privacy import KAnonymity
    >>> values = ["21", "24", "33", "38"]
    >>> ages = Table((Column.of("age", "quasi", values),))
    >>> release = mdav(ages, {"age": build("age", {"ranges": [10]}, values)}, KAnonymity(2)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['22', '22', '36', '36']
    """
    local, ask, tally = prepare_classes(
        "mdav", table, hierarchies, claim, suppress=suppress, recode=recode, recodes=CENTRES
    )
    for hierarchy in local.hierarchies:
        if numbers_of(hierarchy) is None:
            raise InputError(
                f"mdav: column '{hierarchy.name}' holds no numbers, so it has no {recode}; give it another role, or "
                f'take another method, such as mstk with recode = "{recode}"'
            )
    points, tell = _standardize_records(local, table), start_step(progress, "grouping")
    group_of_record = _mdav_groups(points, ask.k, scale_share(tell, 0, 0.8))
    exchange_count = (
        _improve_groups(points, group_of_record, ask.k, scale_share(tell, 0.8, 1)) if improve else 0
    )
    return local.publish(Partition.of(group_of_record), ask, tally, claim, exchanged=exchange_count)


def _standardize_records(local: LocalTable, table: Table) -> F8:
    """float64[n, d]: the records, each column with mean 0 and deviation 1 times the root of its weight."""
    points = np.empty(local.codes.shape)
    for j, hierarchy in enumerate(local.hierarchies):
        numbers = numbers_of(hierarchy) or ()
        values = np.array([np.nan if value is None else float(value) for value in (*numbers, None)])
        points[:, j] = values[local.leaves[:, j]]
    deviations = points.std(axis=0)
    root_weights = np.sqrt(shares_of(table) * len(local.hierarchies))
    return np.asarray((points - points.mean(axis=0)) / np.where(deviations > 0, deviations, 1) * root_weights)


def _mdav_groups(points: F8, k: int, tell: Tell = lambda share: None) -> I8:
    """The group of each point, by MDAV: two groups of k at opposite ends, again and again."""
    group_of_point, group_count = np.zeros(len(points), dtype=np.int64), 0
    remaining_rows = np.arange(len(points))
    while len(remaining_rows) >= 2 * k:
        remaining_points = points[remaining_rows]
        first = int(_squared_distances(remaining_points, remaining_points.mean(axis=0)).argmax())
        distances = _squared_distances(remaining_points, remaining_points[first])
        groups = [_find_nearest(distances, k)]
        if len(remaining_rows) >= 3 * k:
            distances[groups[0]] = -1
            other_distances = _squared_distances(remaining_points, remaining_points[int(distances.argmax())])
            other_distances[groups[0]] = np.inf
            groups.append(_find_nearest(other_distances, k))
        for group in groups:
            group_of_point[remaining_rows[group]] = group_count
            group_count += 1
        remaining_rows = np.delete(remaining_rows, np.concatenate(groups))
        tell(1 - (len(remaining_rows) / len(points)) ** 2)
    group_of_point[remaining_rows] = group_count
    return group_of_point


def _squared_distances(points: F8, point: F8) -> F8:
    return np.asarray(np.round(((points - point) ** 2).sum(axis=1), _DIGITS))


def _find_nearest(away: F8, k: int) -> I8:
    """The places of the k smallest numbers; of equal ones the first."""
    last = np.partition(away, k - 1)[k - 1]
    closer = np.flatnonzero(away < last)
    return np.concatenate([closer, np.flatnonzero(away == last)[: k - len(closer)]])


def _improve_groups(points: F8, number: I8, k: int, tell: Tell = lambda share: None) -> int:
    """Exchange points between neighbouring groups while that lowers the sum of squares; count how often.

    `number` is changed. A point changes its group alone where both then still have k to 2k - 1, else for another one.
    """
    groups = [np.flatnonzero(number == group) for group in range(int(number.max()) + 1)]
    if len(groups) < 2:
        return 0
    exchange_count = 0
    for turn in range(_PASSES):
        centres = np.array([points[group].mean(axis=0) for group in groups])
        nearest_groups = KDTree(centres).query(centres, min(_NEAR + 1, len(groups)))[1]
        count_before = exchange_count
        for group_id, neighbours in enumerate(nearest_groups.tolist()):
            for neighbour in neighbours:
                while neighbour != group_id and _exchange_points(
                    points, groups, centres, group_id, neighbour, k
                ):
                    exchange_count += 1
        tell((turn + 1) / _PASSES)
        if exchange_count == count_before:
            break
    for group, members in enumerate(groups):
        number[members] = group
    return exchange_count


def _exchange_points(points: F8, groups: list[I8], centres: F8, one: int, other: int, k: int) -> bool:
    """Do what lowers the sum of squares of two groups most: a point goes over, or two change places."""
    a, b = groups[one], groups[other]
    own_points, other_points = points[a], points[b]
    offset = centres[other] - centres[one]
    step = other_points[None, :, :] - own_points[:, None, :]
    change = 2 * step @ offset - (step**2).sum(axis=2) * (1 / len(a) + 1 / len(b))
    best, kind = change.min(), 0
    giving_changes = _changes_by_move(own_points, centres[one], centres[other], len(a), len(b), k)
    taking_changes = _changes_by_move(other_points, centres[other], centres[one], len(b), len(a), k)
    for move_kind, changes in ((1, giving_changes), (2, taking_changes)):
        if changes.min() < best:
            best, kind = changes.min(), move_kind
    if best > -_LEAST:
        return False
    own_index, other_index = np.unravel_index(int(change.argmin()), change.shape)
    if kind == 0:
        a, b = np.r_[np.delete(a, own_index), b[other_index]], np.r_[np.delete(b, other_index), a[own_index]]
    elif kind == 1:
        a, b = np.delete(a, giving_changes.argmin()), np.r_[b, a[giving_changes.argmin()]]
    else:
        a, b = np.r_[a, b[taking_changes.argmin()]], np.delete(b, taking_changes.argmin())
    for group_id, group in ((one, np.sort(a)), (other, np.sort(b))):
        groups[group_id], centres[group_id] = group, points[group].mean(axis=0)
    return True


def _changes_by_move(inside: F8, own: F8, new: F8, size: int, room: int, k: int) -> F8:
    """What the sum of squares changes by if each of the points goes to another group; infinite where it may not."""
    if size <= k or room >= 2 * k - 1:
        return np.full(len(inside), np.inf)
    return np.asarray(
        ((inside - new) ** 2).sum(axis=1) * room / (room + 1)
        - ((inside - own) ** 2).sum(axis=1) * size / (size - 1)
    )
