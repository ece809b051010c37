"""Blank: leave single cells out, so that whoever knows some columns of a person finds k rows that look the same."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Annotated

import numpy as np

from shoal.algorithms.cells.argus_count import blank_by_argus
from shoal.algorithms.cells.blanking import Blanked, Known, blank_in_rounds, price
from shoal.algorithms.cells.fewest_cells import SMALL, fewest_cells
from shoal.algorithms.constraint import refusal
from shoal.algorithms.knobs import OneOf, Share, allowance
from shoal.data import Column, Table
from shoal.data.arrays import I4, I8
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.naming import hint, offered
from shoal.privacy import SubsetAnonymity
from shoal.progress import Progress, silent
from shoal.release import Claim, Forms, Recoded, Result

__all__ = ["blank"]

COUNTS = ("alike", "argus")
Count = Annotated[str, OneOf(COUNTS)]
_WIDEST = 62  # columns: a mask of them is one number


def blank(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    levels: int | Mapping[str, int] = 0,
    count: Count = "alike",
    progress: Progress = silent,
) -> Result[Recoded]:
    """Publish `table` as it is, but for few cells that are left blank.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier. Of columns that are important few cells are left out.
    claim
        k-anonymity of known subsets, and nothing else.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. It is used only where a record would lose all of
        its cells, or would stand among too few rows that have lost them.
    levels
        The level of its hierarchy at which a column is published where it is not blank: one number for all columns, or
        one for each that is named. 0 is as it came.
    count
        What is counted: with `alike` rows that look the same in the columns that are known; with `argus` rows that fit
        as mu-Argus and sdcMicro count them, which promises nothing and is never published.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells how many cells were left out, what a floor under that is, and whether fewer would not do.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records.
    InputError
        A set of columns names one that is no quasi-identifier, or a level is none of its hierarchy.

    Notes
    -----
    *Guarantee.* In every set of columns that may be known at least k rows look the same, a blank being a value of its
    own; that implies the claim, in which a row also fits where it is blank and another is not. The claim alone would be
    kept by k rows that are blank in all columns, however much the others tell: so the method does not rest on it.

    *Method.* A row that is equal to fewer than k in some sets must lose a cell of each of them. In rounds, all such
    rows lose the cheapest columns that meet all of these sets; of equally cheap ones those that more rows need, so that
    blanks meet. Then cells are shown again, column by column, as far as everybody keeps k. Tables of up to 40 cells are
    searched for the fewest cells by branch and bound. What every row must lose by itself is a floor for all.

    *Complexity.* O(n) for each set of columns and round, and some ten rounds; 2^d choices of columns for each kind of
    row, or those of few columns where there are many.

    *Departures.* None: no paper has this method. Of several rows of one person only one is counted, so somewhat more
    cells are left out than must be.

    *Randomness.* None.

    References
    ----------
    .. [1] Hundepool et al. Statistical Disclosure Control. Wiley 2012, on local suppression.

    Examples
    --------
    >>> from shoal.hierarchy import Hierarchy
    >>> towns = ["Rome", "Rome", "Rome", "Oslo", "Bonn"]
    >>> flat = Hierarchy.from_paths("town", [[town, "*"] for town in ("Bonn", "Oslo", "Rome")])
    >>> people = Table((Column.of("town", "quasi", towns),))
    >>> release = blank(people, {"town": flat}, SubsetAnonymity(2, 1)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['Rome', 'Rome', 'Rome', None, None]
    """
    if not isinstance(claim, SubsetAnonymity):
        raise refusal("blank", claim)
    if count not in COUNTS:
        raise InputError(f"blank: count must be one of {', '.join(COUNTS)}{hint(count, COUNTS)}", value=count)
    allowed = allowance("blank", suppress, table.n)
    columns = table.quasi
    forms, codes = _at_levels(columns, hierarchies, levels)
    people = table.n if table.persons is None else len(np.unique(table.persons))
    if claim.k > people:
        word = "records" if table.persons is None else "persons"
        raise InfeasibleError(f"blank: k={claim.k} but the table has {people} {word}; lower k or add {word}")
    order = np.lexsort(codes.T[::-1])  # so that the order of records decides nothing
    cells = codes[order]
    known = Known(
        _sets(claim, [column.name for column in columns]),
        claim.k,
        np.array([column.importance for column in columns]),
        _one_each(table.persons, order),
    )
    progress("leaving cells out")
    made, exact = (
        _fewest(cells, known, allowed) if count == "alike" else (blank_by_argus(cells, known), False)
    )
    return Result(
        _written(made, order, forms, columns), claim, trace=_trace(cells, made, known, exact, table, count)
    )


def _fewest(cells: I4, known: Known, allowed: int) -> tuple[Blanked, bool]:
    """Few cells to leave out, and whether fewer would not do."""
    found = blank_in_rounds(cells, known, allowed)
    best = fewest_cells(cells, known, found, allowed) if cells.size <= SMALL else None
    return (found, False) if best is None else (best, True)


def _at_levels(
    columns: Sequence[Column], hierarchies: Hierarchies, levels: int | Mapping[str, int]
) -> tuple[list[Forms], I4]:
    """What every column may publish, the blank first, and the cells in it; an empty cell is blank from the start."""
    if not columns:
        raise InputError("blank: the table has no quasi-identifiers; give at least one column the role quasi")
    if len(columns) > _WIDEST:
        raise InputError(f"blank: {len(columns)} quasi-identifiers are too many; it takes up to {_WIDEST}")
    names = [column.name for column in columns]
    if not isinstance(levels, int):
        for name in levels:
            if name not in names:
                raise InputError(f"blank: levels: no quasi-identifier '{name}'; {offered(name, names)}")
    forms, codes = [], []
    for column in columns:
        if column.name not in hierarchies:
            raise InputError(f"blank: column '{column.name}' has no hierarchy; give one")
        hierarchy = hierarchies[column.name]
        level = levels if isinstance(levels, int) else levels.get(column.name, 0)
        if not 0 <= level <= hierarchy.height:
            raise InputError(
                f"blank: column '{column.name}': level {level} is not in its hierarchy, which has levels 0 to "
                f"{hierarchy.height}"
            )
        made, cells = _column(column, hierarchy, level)
        forms.append(made)
        codes.append(cells)
    return forms, np.stack(codes, axis=1).astype(np.int32)


def _column(column: Column, hierarchy: Hierarchy, level: int) -> tuple[Forms, I8]:
    leaves = hierarchy.encode(column)
    nodes = Forms.of_level(hierarchy, level)
    everything = np.arange(hierarchy.size + 1, dtype=np.int32)
    sets = [nodes.leaves[a:b] for a, b in zip(nodes.start[:-1], nodes.start[1:], strict=True)]
    gone = leaves == hierarchy.size
    if hierarchy.missing is not None:
        gone |= leaves == hierarchy.missing
    codes = np.where(gone, 0, hierarchy.up[leaves, level] + 1)
    return Forms.of_sets([None, *nodes.labels], [everything, *sets]), codes.astype(np.int64)


def _sets(claim: SubsetAnonymity, names: Sequence[str]) -> list[tuple[int, ...]]:
    """The sets of columns that may be known, as numbers, without those that are a part of another."""
    if isinstance(claim.subsets, int):
        return list(combinations(range(len(names)), min(claim.subsets, len(names))))
    for name in (name for one in claim.subsets for name in one):
        if name not in names:
            raise InputError(f"subsets: no quasi-identifier '{name}'; {offered(name, names)}")
    sets = {frozenset(names.index(name) for name in one) for one in claim.subsets}
    return sorted(tuple(sorted(one)) for one in sets if not any(one < other for other in sets))


def _one_each(persons: I8 | None, order: I8) -> I8:
    """1 for one row of each person, 0 for the others: k of these rows are k persons."""
    if persons is None:
        return np.ones(len(order), dtype=np.int64)
    weight = np.zeros(len(order), dtype=np.int64)
    weight[np.unique(persons[order], return_index=True)[1]] = 1
    return weight


def _written(made: Blanked, order: I8, forms: Sequence[Forms], columns: Sequence[Column]) -> Recoded:
    """The cells in the order of the records."""
    back = np.argsort(order)
    rows = np.flatnonzero(made.kept[back])
    names = tuple(column.name for column in columns)
    return Recoded(names, tuple(forms), made.codes[back][rows], rows, len(order))


def _trace(
    before: I4, made: Blanked, known: Known, exact: bool, table: Table, count: str
) -> dict[str, object]:
    """How many cells were left out, and what is known about fewer."""
    gone = (before > 0) & (made.codes == 0) & made.kept[:, None]
    found: dict[str, object] = {"blanked cells": int(gone.sum()), "left out": int((~made.kept).sum())}
    if count == "argus" or table.persons is not None:
        return found
    paid = price(before, made.codes, made.kept, known.importance)
    found |= {"cost": paid, "floor": made.floor, "exact": exact or paid <= made.floor}
    return found | ({"times the floor": round(paid / made.floor, 3)} if made.floor else {})
