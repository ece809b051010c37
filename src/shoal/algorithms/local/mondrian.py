"""Mondrian, which halves classes (LeFevre et al.), and k-member clustering (Byun et al.); both also of linked rows."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from shoal.algorithms._kernels import ClassConstraint, ClassTally
from shoal.algorithms.constraint import OverallCounts, keeps_average, refuse_crowd
from shoal.algorithms.knobs import Share, suppression_limit
from shoal.algorithms.local._kernels.clustering import exchange_records, grow_clusters, halve
from shoal.algorithms.local.column_prices import price_order
from shoal.algorithms.local.local_table import (
    CENTRES,
    Grid,
    LocalTable,
    Partition,
    TableRecode,
    prepare_classes,
)
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, Tell, no_progress, poll_kernel, scale_share, start_step
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8, prefix_sums
from shoal.hierarchy import Hierarchies
from shoal.privacy import KAnonymity, LinkedAnonymity
from shoal.release import Claim, PublishedValues, Recoded, Result

__all__ = ["_choose_row_counts", "cluster_records", "halve_classes", "kmember", "mondrian"]


# Persons whose rows can be linked, as records of a wider table: classes of records are then classes of persons.
#
# Persons with as many rows are one table: a person is a record, and has the columns of the first row, of the second and
# so on, the rows being sorted. Records that are written alike are then persons whose rows are, so a method that keeps
# k-anonymity of this table keeps that of linked rows. A number of rows that fewer than k persons have tells who they
# are; rows are left out so that each number of rows is that of k persons.

Local = TypeVar("Local", bound=Callable[..., Result[Recoded]])


def _keeps_linked(make: Local) -> Local:
    """Let a method of local recoding that keeps k-anonymity keep that of linked rows as well."""
    name = make.__name__

    @wraps(make)
    def keep_linked(table: Table, hierarchies: Hierarchies, claim: Claim, **options: Any) -> Result[Recoded]:
        if not isinstance(claim, LinkedAnonymity):
            return make(table, hierarchies, claim, **options)
        if table.persons is None:
            raise InputError(
                f"{name}: it is not known whom each row belongs to; name one column as the person"
            )
        if options.get("recode") in CENTRES:
            raise InputError(
                f"{name}: recode = {options['recode']} is not made of rows that can be linked; take another recode, or "
                "make the pseudonym an identifier"
            )
        leaves = np.stack([hierarchies[column.name].encode(column) for column in table.quasi], axis=1)
        sheets = _group_by_row_count(name, table.persons, leaves, claim.k, options.pop("suppress", 0.0))
        releases = []
        for rows, share in sheets:
            wide_table, trees = _widen_table(table, hierarchies, rows)
            sheet = make(wide_table, trees, KAnonymity(claim.k), suppress=share, **options).release
            releases.append((rows[sheet.rows], sheet))
        return Result(_join_releases(table, releases), claim, trace={"numbers of rows": len(releases)})

    return cast(Local, keep_linked)


def _choose_row_counts(persons: I8, k: int) -> I8:
    """How many rows each person keeps, so that each number of rows is that of `k` persons and the fewest are left out.

    `persons` is int64[n], how many rows each person has; at least `k` persons are needed. Who keeps none is not in the
    release, and may be one alone.

    >>> _choose_row_counts(np.array([5, 5, 2, 1, 2, 2]), 2).tolist()
    [5, 5, 2, 0, 2, 2]
    >>> _choose_row_counts(np.array([5, 4, 2, 1, 1, 1]), 2).tolist()
    [4, 4, 1, 1, 1, 1]
    """
    order = np.argsort(persons, kind="stable")
    kept_order, numbers = _thin_equal_numbers(persons[order], 5 * k)
    size, rows = len(numbers), prefix_sums(numbers)
    # Groups are neighbours among people in rising order, of fewer than 2k each; who is left out comes first.
    cost, best = rows.astype(np.float64), np.zeros(size + 1, dtype=np.int64)
    for end in range(k, size + 1):
        starts = np.arange(max(end - 2 * k + 1, 0), end - k + 1)
        total = cost[starts] + rows[end] - rows[starts] - (end - starts) * numbers[starts]
        cheapest = int(total.argmin())
        if total[cheapest] <= cost[end]:
            cost[end], best[end] = total[cheapest], starts[cheapest] + 1  # 0: all before are left out
    kept_numbers, end = np.zeros(size, dtype=np.int64), size
    while end and best[end]:
        first = int(best[end]) - 1
        kept_numbers[first:end] = numbers[first]
        end = first
    row_counts = persons.copy()  # those who were thinned out keep all their rows
    row_counts[order[kept_order]] = kept_numbers
    return row_counts


def _thin_equal_numbers(numbers: I8, limit: int) -> tuple[I8, I8]:
    """The places of rising numbers, and these, without what is in the middle of more than `limit` equal ones.

    People of one number who are far from both ends of it stand together, so that fewer of them make the same choice.
    """
    start = np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]])
    count = np.diff(np.r_[start, len(numbers)])
    rank = np.arange(len(numbers)) - np.repeat(start, count)
    of_all = np.repeat(count, count)
    stays = np.flatnonzero((of_all <= limit) | (rank < limit // 2) | (rank >= of_all - (limit - limit // 2)))
    return stays, numbers[stays]


def _group_by_row_count(
    method: str, persons: I8, leaves: I4, k: int, suppress: Any
) -> list[tuple[I8, float]]:
    """By number of rows, int64[persons, rows] of sorted records, and the share of these persons that may be left out.

    Raises
    ------
    InfeasibleError
        There are fewer than k persons, or more rows must be left out than may be.
    """
    n, person_of_row = len(persons), np.unique(persons, return_inverse=True)[1]
    size = np.bincount(person_of_row)
    allowed = suppression_limit(method, suppress, n)
    refuse_crowd(method, k, len(size), "persons")
    rows_to_keep = _choose_row_counts(size, k)
    left_out_count = int((size - rows_to_keep).sum())
    if left_out_count > allowed:
        share = -(-left_out_count * 1000 // n) / 1000
        raise InfeasibleError(
            f"{method}: rows can be linked, and each number of rows must be that of k={k} persons, so "
            f"{left_out_count} of "
            f"{n} rows must be left out; allow it with suppress = {share:g}, or lower k"
        )
    order = np.lexsort((*leaves.T[::-1], person_of_row))
    start = prefix_sums(size)
    remaining_share = (allowed - left_out_count) / max(n - left_out_count, 1)
    sheets = []
    for rows in np.unique(rows_to_keep[rows_to_keep > 0]):
        persons_with_rows = np.flatnonzero(rows_to_keep == rows)
        # of more rows those are taken that stand evenly among all, so that none of them is favoured
        steps = (np.arange(rows) * 2 + 1) * size[persons_with_rows][:, None] // (2 * rows)
        sheets.append((order[start[persons_with_rows][:, None] + steps].astype(np.int64), remaining_share))
    return sheets


def _widen_table(table: Table, hierarchies: Hierarchies, rows: I8) -> tuple[Table, Hierarchies]:
    """Persons as records with the quasi-identifiers of each of their rows, and the hierarchies of these columns."""
    columns: list[Column] = []
    trees = {}
    for row_number in range(rows.shape[1]):
        for column in table.quasi:
            name = f"{row_number}\0{column.name}"
            columns.append(replace(column.some(rows[:, row_number]), name=name))
            trees[name] = hierarchies[column.name]
    return Table(tuple(columns)), trees


def _join_releases(table: Table, made: list[tuple[I8, Recoded]]) -> Recoded:
    """The releases of persons as one of their rows: labels of one text are one form."""
    names = [column.name for column in table.quasi]
    forms, codes = [], []
    for j in range(len(names)):
        code_of_label: dict[str | None, int] = {}
        sets: list[I4] = []
        cells = []
        for _, sheet in made:
            columns = []
            for column_index in range(j, len(sheet.forms), len(names)):
                form = sheet.forms[column_index]
                code_of_form = np.empty(len(form.labels), dtype=np.int32)
                for index, label in enumerate(form.labels):
                    if label not in code_of_label:
                        code_of_label[label] = len(sets)
                        sets.append(form.leaves[form.start[index] : form.start[index + 1]])
                    code_of_form[index] = code_of_label[label]
                columns.append(code_of_form[sheet.codes[:, column_index]])
            cells.append(np.stack(columns, axis=1).reshape(-1))
        forms.append(PublishedValues.of_sets(list(code_of_label), sets))
        codes.append(np.concatenate(cells))
    rows = np.concatenate([rows.reshape(-1) for rows, _ in made])
    order = np.argsort(rows)
    return Recoded(
        tuple(names), tuple(forms), np.stack(codes, axis=1)[order].astype(np.int32), rows[order], table.n
    )


@keeps_average
@_keeps_linked
def mondrian(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: TableRecode = "hierarchy",
    grid: Grid = None,
    strict: bool = True,
    whole: OverallCounts | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in classes made by halving it as long as both halves keep the claim.

    Parameters
    ----------
    table, hierarchies, claim, suppress, recode, grid, whole, progress
        As in `mstk`.
    strict
        Whether equal values stay together. A strict cut lies between two values, as near to the median as it can. If
        the class is published as a node, these are values of two children of the node; otherwise they are any two
        neighbours in order. A relaxed cut lies at the median, and records that are equal there go to both sides.

    Returns
    -------
    Result[Recoded]
        The trace tells how many classes were merged at the end.

    Raises
    ------
    InfeasibleError, InputError, HierarchyError
        As in `mstk`.

    Notes
    -----
    *Guarantee.* The claim holds by construction: all records together keep it, and a class is cut only where both sides
    keep it. Where persons have several rows, classes that are written alike are one class, which is checked again and,
    if needed, merged with others.

    *Complexity.* O(n log n) for each level of halving; there are about log2(n/k) levels.

    *Departures.* The column to cut is the one in which the class costs most (`ncp`, weighted), where the paper takes
    the widest normalized range. If that column allows no cut, the next one is tried. The paper's strict cut is at the
    median of an order; along a hierarchy it is between children, because a cut inside a child gains nothing.

    *Randomness.* None.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Table((Column.of("age", "quasi", ["21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> release = mondrian(ages, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(2), recode="span").release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['[21, 26]', '[21, 26]', '[33, 37]', '[33, 37]']
    """
    local, ask, tally = prepare_classes(
        "mondrian", table, hierarchies, claim, suppress=suppress, recode=recode, grid=grid, whole=whole
    )
    classes = halve_classes(local, ask, tally, start_step(progress, "halving classes"), strict=strict)
    return local.publish(classes, ask, tally, claim, strict=strict)


def halve_classes(
    local: LocalTable, ask: ClassConstraint, tally: ClassTally | None, tell: Tell, *, strict: bool = True
) -> Partition:
    """Classes made by halving one of all records as long as both halves keep what is asked."""
    begin = np.cumsum([0, *(len(scale.joint) for scale in local.scales)])[:-1].astype(np.int64)
    joint = np.concatenate([scale.joint for scale in local.scales])
    done = np.zeros(1, dtype=np.int64)
    with poll_kernel(tell, lambda: done[0] / local.n):
        return Partition(*halve(local.codes, local.rates, begin, joint, strict, ask, tally, done))


_NEAR, _ROUNDS = 6, 4  # classes with which a record is exchanged, and turns that each record has
WORK = 1 << 33  # records times distinct tuples times columns looked at: some twenty seconds


@keeps_average
@_keeps_linked
def kmember(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    recode: TableRecode = "hierarchy",
    grid: Grid = None,
    whole: OverallCounts | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in clusters of k records, each grown by the record that makes it cost least.

    Parameters
    ----------
    table, hierarchies, claim, suppress, recode, grid, whole, progress
        As in `mstk`.

    Returns
    -------
    Result[Recoded]
        The trace tells in how many blocks the records were clustered; 1 means that the whole search was done.

    Raises
    ------
    InfeasibleError, InputError, HierarchyError
        As in `mstk`.

    Notes
    -----
    *Guarantee.* k holds by construction. A cluster that breaks the claim, or holds fewer than k persons, is merged with
    the cluster where that adds least loss, until there is no such cluster.

    *Method.* Clusters are grown one after the other, so that the last ones take what is left. Then records change
    places with those of near clusters, or leave clusters of more than k, as long as that costs less.

    *Complexity.* O(n m d) for m distinct tuples of d columns: for every record taken, the search looks at all that are
    left. Beyond `WORK` the tuples are clustered in blocks of neighbours along `price_order`: the cost grows with n.

    *Departures.* The first cluster starts with the record furthest from the smallest record by code, not from a random
    one. Distance and loss are the penalty `ncp`, weighted, instead of the height of the common subtree. The furthest
    record is the one that would cost most in one class with the last start. In a tie the smaller record is taken.

    *Randomness.* None.

    References
    ----------
    .. [1] Byun, Kamra, Bertino, Li. Efficient k-anonymization using clustering techniques. DASFAA 2007.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Table((Column.of("age", "quasi", ["21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> release = kmember(ages, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(2)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['2*', '2*', '3*', '3*']
    """
    local, ask, tally = prepare_classes(
        "kmember", table, hierarchies, claim, suppress=suppress, recode=recode, grid=grid, whole=whole
    )
    classes, blocks = cluster_records(local, ask.k, start_step(progress, "clustering"))
    classes = exchange_neighbours(local, classes, ask.k, start_step(progress, "exchanging records"))
    return local.publish(classes, ask, tally, claim, blocks=blocks)


def cluster_records(local: LocalTable, k: int, tell: Tell) -> tuple[Partition, int]:
    """Clusters of k records, each grown by the record that makes it cost least; and in how many blocks they are."""
    blocks = _form_blocks(local, k)
    cluster_of_record = np.empty(local.n, dtype=np.int64)
    cluster_count = 0
    for done, tuples in enumerate(blocks):
        tell_block = scale_share(tell, done / len(blocks), (done + 1) / len(blocks))
        cluster_count += _cluster_block(local, tuples, k, cluster_of_record, cluster_count, tell_block)
    return Partition.of(cluster_of_record), len(blocks)


def exchange_neighbours(local: LocalTable, classes: Partition, k: int, tell: Tell) -> Partition:
    """The same number of classes, between which records were exchanged as long as that cost less, and time allowed."""
    rounds = min(_ROUNDS, WORK // 4 // max(local.n * len(classes) * len(local.names), 1))
    if k == 1 or len(classes) == 1 or not rounds:
        return classes
    done = np.zeros(1, dtype=np.int64)
    with poll_kernel(tell, lambda: done[0] / (local.n * rounds)):
        walk, starts = exchange_records(
            local.codes, classes.walk, classes.starts, k, _NEAR, rounds, local.rates, done
        )
    return Partition(walk, starts).sort_classes()


def _form_blocks(local: LocalTable, k: int) -> list[I8]:
    """The distinct tuples, all together or in blocks along the price order, each of at least k records."""
    m = len(local.first)
    block_count = -(-local.n * m * len(local.names) // WORK)
    if block_count == 1:
        return [np.arange(m)]
    line = price_order(local.scales, local.tuples)
    cumulative_counts = np.cumsum(local.counts[line])
    block_size = max(local.n // block_count, 2 * k)
    ends = np.unique(np.searchsorted(cumulative_counts, np.arange(1, local.n // block_size) * block_size) + 1)
    return [np.sort(block) for block in np.split(line, ends) if len(block)]


def _cluster_block(local: LocalTable, tuples: I8, k: int, number: I8, base: int, tell: Tell) -> int:
    """Number the clusters of these tuples' records from `base`; return how many there are."""
    next_record, counts_left = local.first[tuples].copy(), local.counts[tuples].copy()
    total = int(counts_left.sum())
    # Each record looks at all that are left.
    with poll_kernel(tell, lambda: 1 - (int(counts_left.sum()) / total) ** 2):
        unit_of_part, cluster_of_part, part_sizes = grow_clusters(
            local.codes, next_record.copy(), counts_left, k, local.rates
        )
    for u, c, copies in zip(
        unit_of_part.tolist(), cluster_of_part.tolist(), part_sizes.tolist(), strict=True
    ):
        number[next_record[u] : next_record[u] + copies] = base + c
        next_record[u] += copies
    return int(cluster_of_part.max()) + 1
