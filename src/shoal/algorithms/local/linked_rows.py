"""Persons whose rows can be linked, as records of a wider table: classes of records are then classes of persons.

Persons with as many rows are one table: a person is a record, and has the columns of the first row, of the second and
so on, the rows being sorted. Records that are written alike are then persons whose rows are, so a method that keeps
k-anonymity of this table keeps that of linked rows. A number of rows that fewer than k persons have tells who they are;
rows are left out so that each number of rows is that of k persons.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from shoal.algorithms.knobs import allowance
from shoal.algorithms.local.local_table import CENTRES
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8, prefix_sums
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies
from shoal.privacy import KAnonymity, LinkedAnonymity
from shoal.release import Claim, Forms, Recoded, Result

__all__ = ["fewest_left_out", "keeps_linked"]

Local = TypeVar("Local", bound=Callable[..., Result[Recoded]])


def keeps_linked(make: Local) -> Local:
    """Let a method of local recoding that keeps k-anonymity keep that of linked rows as well."""
    name = make.__name__

    @wraps(make)
    def kept(table: Table, hierarchies: Hierarchies, claim: Claim, **options: Any) -> Result[Recoded]:
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
        sheets = _sheets(name, table.persons, leaves, claim.k, options.pop("suppress", 0.0))
        made = []
        for rows, share in sheets:
            wide, trees = _wide(table, hierarchies, rows)
            part = make(wide, trees, KAnonymity(claim.k), suppress=share, **options).release
            made.append((rows[part.rows], part))
        return Result(_joined(table, made), claim, trace={"numbers of rows": len(made)})

    return cast(Local, kept)


def fewest_left_out(persons: I8, k: int) -> I8:
    """How many rows each person keeps, so that each number of rows is that of `k` persons and the fewest are left out.

    `persons` is int64[n], how many rows each person has; at least `k` persons are needed. Who keeps none is not in the
    release, and may be one alone.

    >>> fewest_left_out(np.array([5, 5, 2, 1, 2, 2]), 2).tolist()
    [5, 5, 2, 0, 2, 2]
    >>> fewest_left_out(np.array([5, 4, 2, 1, 1, 1]), 2).tolist()
    [4, 4, 1, 1, 1, 1]
    """
    numbers, of, many = np.unique(np.r_[0, persons], return_inverse=True, return_counts=True)
    behind = np.cumsum(many)
    most = len(numbers)
    cost, best = np.full(most + 1, np.inf), np.zeros(most + 1, dtype=np.int64)
    cost[0] = 0
    rows = prefix_sums(many * numbers)
    for end in range(1, most + 1):
        first = np.arange(end)
        people = behind[end - 1] - np.r_[0, behind][first]
        lost = rows[end] - rows[first] - people * numbers[first]
        total = np.where((people >= k) | (first == 0), cost[first] + lost, np.inf)
        best[end] = int(total.argmin())
        cost[end] = total[best[end]]
    kept, end = np.empty(most, dtype=np.int64), most
    while end:
        kept[best[end] : end] = numbers[best[end]]
        end = int(best[end])
    return np.asarray(kept[of[1:]])


def _sheets(method: str, persons: I8, leaves: I4, k: int, suppress: Any) -> list[tuple[I8, float]]:
    """By number of rows, int64[persons, rows] of sorted records, and the share of these persons that may be left out.

    Raises
    ------
    InfeasibleError
        There are fewer than k persons, or more rows must be left out than may be.
    """
    n, whose = len(persons), np.unique(persons, return_inverse=True)[1]
    size = np.bincount(whose)
    allowed = allowance(method, suppress, n)
    if k > len(size):
        raise InfeasibleError(
            f"{method}: k={k} but the table has {len(size)} persons; lower k or add persons"
        )
    keep = fewest_left_out(size, k)
    left = int((size - keep).sum())
    if left > allowed:
        share = -(-left * 1000 // n) / 1000
        raise InfeasibleError(
            f"{method}: rows can be linked, and each number of rows must be that of k={k} persons, so {left} of "
            f"{n} rows must be left out; allow it with suppress = {share:g}, or lower k"
        )
    order = np.lexsort((*leaves.T[::-1], whose))
    start = prefix_sums(size)
    rest = (allowed - left) / max(n - left, 1)
    found = []
    for rows in np.unique(keep[keep > 0]):
        some = np.flatnonzero(keep == rows)
        # of more rows those are taken that stand evenly among all, so that none of them is favoured
        steps = (np.arange(rows) * 2 + 1) * size[some][:, None] // (2 * rows)
        found.append((order[start[some][:, None] + steps].astype(np.int64), rest))
    return found


def _wide(table: Table, hierarchies: Hierarchies, rows: I8) -> tuple[Table, Hierarchies]:
    """Persons as records with the quasi-identifiers of each of their rows, and the hierarchies of these columns."""
    columns: list[Column] = []
    trees = {}
    for place in range(rows.shape[1]):
        for column in table.quasi:
            own = f"{place}\0{column.name}"
            columns.append(replace(column.some(rows[:, place]), name=own))
            trees[own] = hierarchies[column.name]
    return Table(tuple(columns)), trees


def _joined(table: Table, made: list[tuple[I8, Recoded]]) -> Recoded:
    """The releases of persons as one of their rows: labels of one text are one form."""
    names = [column.name for column in table.quasi]
    forms, codes = [], []
    for j in range(len(names)):
        place: dict[str | None, int] = {}
        sets: list[I4] = []
        cells = []
        for _, part in made:
            columns = []
            for wide in range(j, len(part.forms), len(names)):
                form = part.forms[wide]
                number = np.empty(len(form.labels), dtype=np.int32)
                for at, label in enumerate(form.labels):
                    if label not in place:
                        place[label] = len(sets)
                        sets.append(form.leaves[form.start[at] : form.start[at + 1]])
                    number[at] = place[label]
                columns.append(number[part.codes[:, wide]])
            cells.append(np.stack(columns, axis=1).reshape(-1))
        forms.append(Forms.of_sets(list(place), sets))
        codes.append(np.concatenate(cells))
    rows = np.concatenate([rows.reshape(-1) for rows, _ in made])
    order = np.argsort(rows)
    return Recoded(
        tuple(names), tuple(forms), np.stack(codes, axis=1)[order].astype(np.int32), rows[order], table.n
    )
