"""Counting queries over released records, and how far their estimates are off: average relative error (ARE).

A `Query` asks how many records have given cells and hold given items, of baskets, of a table, or of both. On a release
it is answered by the sum over published records of the probability that the record satisfies it.

A `TableQuery` asks an analyst's columns (`columns.Cells`) for ranges: it is a list of (column, low, high), how many
records have a leaf code low .. high - 1 in each of these columns.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.data import Baskets, Mixed, Table
from shoal.data.arrays import F8, I8, prefix_sums, row_of_entry, sum_rows
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Recoded, RecodedBaskets, RecodedMixed
from shoal.utility.baskets import form_sizes
from shoal.utility.columns import Cells

__all__ = [
    "Query",
    "QueryErrors",
    "TableQuery",
    "_estimate_matches",
    "_estimate_query_counts",
    "are",
    "count_matches",
    "draw_mixed_workload",
    "draw_queries",
    "draw_workload",
    "mixed_are",
    "read_workload",
    "table_are",
    "workload_text",
]

_MEANINGS = ("subset", "member")


@dataclass(frozen=True, slots=True, repr=False)
class Query(SafeRepr):
    """Asks how many records hold all `items`, and in every column of `where` one of the given values."""

    items: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, to be saved and edited."""
        return {"items": list(self.items), "where": {name: list(cells) for name, cells in self.where.items()}}

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """Read what `as_dict` wrote."""
        items, conditions = said.get("items", []), said.get("where", {})
        texts = [items, *conditions.values()] if isinstance(conditions, dict) else [None]
        if not all(isinstance(t, list) and all(isinstance(cell, str) for cell in t) for t in texts):
            raise InputError("query: give items as a list of texts, and where as lists of texts by column")
        return cls(tuple(items), {name: tuple(cells) for name, cells in conditions.items()})


def draw_workload(
    baskets: Baskets | None = None,
    table: Table | None = None,
    *,
    seed: int,
    queries: int = 100,
    items: int = 2,
    values: int = 0,
) -> tuple[Query, ...]:
    """Draw queries from records, so that each is satisfied by at least one.

    Parameters
    ----------
    baskets, table
        The originals; either may be missing.
    seed
        The same seed draws the same queries. It protects nothing.
    queries, items, values
        How many queries, of how many items and cells of quasi-identifiers each.

    Returns
    -------
    tuple
        Empty where no record has so many items and cells.
    """
    rng = np.random.default_rng(seed)
    n = baskets.n if baskets is not None else table.n if table is not None else 0
    sizes = np.zeros(n, dtype=np.int64) if baskets is None else np.diff(baskets.start)
    is_known = np.zeros((n, 0), dtype=bool)
    if table is not None:
        is_known = np.stack(
            [np.array([v is not None for v in c.values])[c.codes] for c in table.quasi], axis=1
        )
    fit = np.flatnonzero((sizes >= items) & (is_known.sum(axis=1) >= values))
    if not len(fit):
        return ()
    drawn_queries = []
    for record in rng.choice(fit, size=queries):
        query_items: tuple[str, ...] = ()
        conditions: dict[str, tuple[str, ...]] = {}
        if baskets is not None and items:
            basket = rng.choice(baskets.basket(int(record)), size=items, replace=False)
            query_items = tuple(baskets.values[code] for code in np.sort(basket))
        if table is not None and values:
            for j in np.sort(rng.choice(np.flatnonzero(is_known[record]), size=values, replace=False)):
                column = table.quasi[j]
                conditions[column.name] = (str(column.values[column.codes[record]]),)
        drawn_queries.append(Query(query_items, conditions))
    return tuple(drawn_queries)


def are(
    queries: Collection[Query],
    baskets: Baskets | None = None,
    recoded: RecodedBaskets | None = None,
    *,
    table: Table | None = None,
    cells: Recoded | None = None,
    hierarchies: Hierarchies | None = None,
    sizes: I8 | None = None,
    meaning: str = "subset",
) -> float:
    """Average relative error: mean over queries of |actual - estimate| / actual.

    Parameters
    ----------
    queries
        At least one; see `draw_workload`. A query that no record satisfies is divided by 1.
    baskets, recoded, sizes, meaning
        Original and released baskets, how many items each form stands for, and how it is read; see `_estimate_matches`.
    table, cells, trees
        Original and released quasi-identifiers of the same records, in the same order, and their hierarchies.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.
    .. [2] Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction
       attributes. ECML PKDD 2013, Sec. 6.
    """
    if not queries:
        raise InputError("are: no query is given; draw a workload or list queries")
    actual = count_matches(queries, baskets, table)
    guess = _estimate_matches(
        queries, recoded, baskets, cells=cells, hierarchies=hierarchies, sizes=sizes, meaning=meaning
    )
    return float(np.mean(np.abs(actual - guess) / np.maximum(actual, 1)))


def count_matches(queries: Iterable[Query], baskets: Baskets | None = None, table: Table | None = None) -> F8:
    """How many original records satisfy each query; an unknown item or value satisfies nobody."""
    code_of_item = {} if baskets is None else {value: code for code, value in enumerate(baskets.values)}
    start, holders = (
        (None, None) if baskets is None else _rows_by_item(baskets.start, baskets.items, len(baskets.values))
    )
    n = baskets.n if baskets is not None else table.n if table is not None else 0
    totals = []
    for query in queries:
        hits = np.ones(n, dtype=bool)
        for item in query.items:
            has = np.zeros(n, dtype=bool)
            if start is not None and holders is not None and item in code_of_item:
                has[holders[start[code_of_item[item]] : start[code_of_item[item] + 1]]] = True
            hits &= has
        for name, allowed in query.where.items():
            if table is None:
                raise InputError(f"are: a query asks for column '{name}', and no table is given")
            column = table.column(name)
            hits &= np.array([value in allowed for value in column.values], dtype=bool)[column.codes]
        totals.append(float(hits.sum()))
    return np.array(totals)


def _estimate_matches(
    queries: Iterable[Query],
    recoded: RecodedBaskets | None = None,
    baskets: Baskets | None = None,
    *,
    cells: Recoded | None = None,
    hierarchies: Hierarchies | None = None,
    sizes: I8 | None = None,
    meaning: str = "subset",
) -> F8:
    """The expected number of released records that satisfy each query.

    A generalized cell is any of its leaves, all equally likely. A generalized item of n members is, with
    `meaning="subset"`, any non-empty subset of them, all equally likely: j given members are all in it with
    probability 2^(n-j) / (2^n - 1). With `meaning="member"` each is in it with probability 1/n, as some papers
    count; never set values of the two side by side. Cells and items are independent. `sizes` are the n of each
    form, by default the members it lists. What is suppressed satisfies nothing.
    """
    if meaning not in _MEANINGS:
        raise InputError(f"are: meaning={meaning!r}; {suggest_name(meaning, _MEANINGS, 'give one of')}")
    items = None if recoded is None or baskets is None else _Chances(recoded, baskets, sizes, meaning)
    n = len(recoded.rows) if recoded is not None else len(cells.rows) if cells is not None else 0
    totals = []
    for query in queries:
        chance = np.ones(n) if items is None else items.of(query.items)
        if items is None and query.items:
            raise InputError("are: a query asks for items, and no baskets are given")
        for name, allowed in query.where.items():
            chance = chance * _cell_shares(cells, hierarchies, name, allowed)
        totals.append(float(chance.sum()))
    return np.array(totals)


class _Chances:
    """The probability that each released record holds given items."""

    def __init__(self, recoded: RecodedBaskets, baskets: Baskets, sizes: I8 | None, meaning: str) -> None:
        forms = recoded.forms
        self._n, self._meaning = len(recoded.rows), meaning
        self._sizes = np.maximum(np.diff(forms.start) if sizes is None else sizes, 1).astype(np.float64)
        self._place = {value: code for code, value in enumerate(baskets.values)}
        self._start, self._rows = _rows_by_item(recoded.start, recoded.items, len(forms.labels))
        self._item_start, self._forms = _rows_by_item(forms.start, forms.leaves, len(baskets.values))

    def of(self, items: Collection[str]) -> F8:
        """For each record, the probability that it holds all of `items`."""
        chance, covered = np.ones(self._n), np.zeros(self._n, dtype=np.int64)
        items_in_form: dict[int, int] = {}
        for item in items:
            code = self._place.get(item)
            if code is not None:
                for form in self._forms[self._item_start[code] : self._item_start[code + 1]].tolist():
                    items_in_form[form] = items_in_form.get(form, 0) + 1
        for form, j in items_in_form.items():
            rows = self._rows[self._start[form] : self._start[form + 1]]
            n = self._sizes[form]
            chance[rows] *= np.exp2(-j) / -np.expm1(-np.log(2) * n) if self._meaning == "subset" else n**-j
            covered[rows] += j
        return np.where(covered == len(items), chance, 0.0)


def _rows_by_item(start: I8, items: NDArray[np.integer], width: int) -> tuple[I8, I8]:
    """For each item, the rows that hold it: offsets and rows."""
    row = row_of_entry(start)
    begin = prefix_sums(np.bincount(items, minlength=width))
    return begin, row[np.argsort(items, kind="stable")]


def _cell_shares(
    cells: Recoded | None, hierarchies: Hierarchies | None, name: str, wanted: Collection[str]
) -> F8:
    """For each released record, the share of its cell's leaves that a predicate allows."""
    if cells is None or hierarchies is None or name not in cells.names:
        raise InputError(f"are: a query asks for column '{name}', which is not among the released ones")
    j = cells.names.index(name)
    forms, leaves = cells.forms[j], hierarchies[name].look_up(tuple(wanted))
    width = np.maximum(forms.counts(hierarchies[name].size), 1)
    return np.asarray((sum_rows(forms.start, np.isin(forms.leaves, leaves)) / width)[cells.codes[:, j]])


def draw_mixed_workload(
    mixed: Mixed, *, seed: int, queries: int = 100, values: int = 2, items: int = 2
) -> tuple[Query, ...]:
    """Draw queries of `values` cells and `items` items from records, so that each is satisfied by at least one.

    At most as many cells are asked for as there are quasi-identifiers.
    """
    cells = min(values, len(mixed.table.quasi))
    return draw_workload(mixed.baskets, mixed.table, seed=seed, queries=queries, items=items, values=cells)


def mixed_are(
    queries: Collection[Query],
    recoded: RecodedMixed,
    mixed: Mixed,
    hierarchies: Hierarchies,
    items: Hierarchy | None = None,
) -> float:
    """Average relative error of counting queries over cells and items; see `queries.are`."""
    return are(
        queries,
        mixed.baskets,
        recoded.baskets,
        table=mixed.table,
        cells=recoded.table,
        hierarchies=hierarchies,
        sizes=form_sizes(recoded.baskets.forms, items),
    )


def workload_text(queries: Collection[Query]) -> str:
    """A workload as JSON, one query per line, to be saved and edited.

    >>> print(workload_text([Query(("flu", "gout"), {"age": ("30", "31")})]), end="")
    [
    {"items": ["flu", "gout"], "where": {"age": ["30", "31"]}}
    ]
    """
    lines = ",\n".join(json.dumps(query.as_dict(), ensure_ascii=False) for query in queries)
    return f"[\n{lines}\n]\n"


def read_workload(text: str) -> tuple[Query, ...]:
    """Read what `workload_text` wrote, perhaps edited.

    Raises
    ------
    InputError
        It is no list of queries; the message names the first that is none.
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        raise InputError("workload: it is not a JSON list of queries; write it as shoal does")
    for number, query in enumerate(entries):
        if not isinstance(query, dict):
            raise InputError(
                f"workload: entry {number + 1} is not a query; give an object with items and where"
            )
    return tuple(Query.from_dict(query) for query in entries)


# --- queries of an analyst's columns ----------------------------------------------------------------------------------

TableQuery = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, repr=False)
class QueryErrors(SafeRepr):
    """How far off counts are.

    queries : how many were asked
    mean    : the mean over queries of |true - estimate| / max(true, bound): the average relative error, ARE
    median  : the median of the same
    bound   : the sanity bound: a smaller true count is taken for this
    """

    queries: int
    mean: float
    median: float
    bound: float


def draw_queries(
    columns: Sequence[Cells], *, seed: int, queries: int = 500, most: int = 3
) -> list[TableQuery]:
    """Draw queries from original records, so that somebody fits each.

    A query asks for one to `most` columns, any equally likely. In a column whose values have an order it asks for a
    range around the record's value: half as many places to each side as a number drawn from 0 to a third of the
    column says. In other columns it asks for the value itself. A missing cell is never asked for.

    Parameters
    ----------
    columns
        The originals.
    seed
        The same seed draws the same queries. It protects nothing.
    """
    rng = np.random.default_rng(seed)
    n = len(columns[0].codes) if columns else 0
    drawn_queries: list[TableQuery] = []
    for _ in range(queries if n else 0):
        record = int(rng.integers(n))
        present_columns = [j for j, cells in enumerate(columns) if cells.codes[record] < cells.size]
        if not present_columns:
            continue
        column_count = int(rng.integers(1, min(most, len(present_columns)) + 1))
        ranges = []
        for j in np.sort(rng.choice(present_columns, size=column_count, replace=False)).tolist():
            leaf, size = int(columns[j].codes[record]), columns[j].size
            reach = int(rng.integers(0, size // 3 + 1)) // 2 if columns[j].ordered else 0
            ranges.append((j, max(0, leaf - reach), min(size, leaf + reach + 1)))
        drawn_queries.append(tuple(ranges))
    return drawn_queries


def _estimate_query_counts(queries: Sequence[TableQuery], columns: Sequence[Cells]) -> F8:
    """The expected number of rows that fit each query: a cell is any of its leaves, all equally likely.

    Columns are independent within a row. A missing cell fits nothing.
    """
    widths = [np.maximum(cells.counts(), 1) for cells in columns]
    totals = []
    for query in queries:
        chance = None
        for j, low, high in query:
            forms = columns[j].forms
            inside = sum_rows(forms.start, (forms.leaves >= low) & (forms.leaves < high))
            share = (inside / widths[j])[columns[j].codes]
            chance = share if chance is None else chance * share
        totals.append(0.0 if chance is None else float(chance.sum()))
    return np.array(totals)


def table_are(
    queries: Sequence[TableQuery], originals: Sequence[Cells], released: Sequence[Cells]
) -> QueryErrors:
    """How far off a release's counts are, as a share of the true ones.

    A true count below the sanity bound, one record in a thousand and at least one, is taken for the bound: or a few
    questions about almost nobody would decide the mean. What is suppressed fits nothing.

    Raises
    ------
    InputError
        There is no query.

    References
    ----------
    .. [1] Garofalakis, Kumar. Wavelet synopses for general error metrics. ACM TODS 30, 2005 (the sanity bound).
    .. [2] LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.
    """
    if not queries:
        raise InputError("are: no query is given; draw some from the originals")
    bound = max(1.0, len(originals[0].codes) / 1000)
    true_counts, guess = _estimate_query_counts(queries, originals), _estimate_query_counts(queries, released)
    errors = np.abs(true_counts - guess) / np.maximum(true_counts, bound)
    return QueryErrors(len(queries), float(errors.mean()), float(np.median(errors)), bound)
