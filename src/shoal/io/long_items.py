"""Baskets for a table: from a long table joined by a key, or from several items columns made one."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from shoal.data import Baskets
from shoal.data.lists import owners
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.cells import cleaned, text
from shoal.io.headers import no_column
from shoal.io.persons import named
from shoal.io.source import Source

__all__ = ["joined", "prefixed", "prefixed_hierarchy"]

_ROOT = "*"


def joined(
    people: Source, key: str, entries: Source, owner: str, item: str, *, sensitive: Iterable[str] = ()
) -> Baskets:
    """One basket per row of `people`, from a long table that has one row per item.

    Keys are compared as text without blanks. A person whom no entry names has an empty basket, and so has one whose
    entries name no item; an item that stands twice for a person is one.

    Parameters
    ----------
    people, key
        The table, and its column that names the person.
    entries, owner, item
        The long table, its column that names a person by `key`, and its column of items; the baskets bear
        the name of the latter.
    sensitive
        Items that must not be linked to anybody.

    Raises
    ------
    InputError
        A column is not there, a key is missing or stands twice among the people, or entries name nobody.

    Examples
    --------
    >>> people = Source(pl.DataFrame({"id": [7, 8, 9]}))
    >>> visits = Source(pl.DataFrame({"who": ["9", "7", "9"], "code": ["flu", "flu", "gout"]}))
    >>> baskets = joined(people, "id", visits, "who", "code")
    >>> baskets.values, baskets.start.tolist(), baskets.items.tolist()
    (('flu', 'gout'), [0, 1, 1, 3], [0, 0, 1])
    """
    keys = _keys(people, key)
    rows = pl.DataFrame({"key": keys, "row": np.arange(len(keys))})
    long = pl.DataFrame({"key": named(_cells(entries, owner)), "item": _cells(entries, item)})
    long = long.join(rows, on="key", how="left", maintain_order="left")
    _refuse_strangers(entries, owner, people, long)
    held = long.drop_nulls("item").select("row", "item").unique()
    secret = sorted(set(sensitive))
    values = pl.concat([held["item"], pl.Series(secret, dtype=pl.String)]).unique().sort()
    coded = held.with_columns(pl.col("item").cast(pl.Enum(values)).to_physical()).sort("row", "item")
    counts = np.bincount(coded["row"].to_numpy(), minlength=len(keys))
    place = {value: code for code, value in enumerate(values)}
    return Baskets(
        item,
        tuple(values),
        np.r_[0, np.cumsum(counts)].astype(np.int64),
        coded["item"].to_numpy().astype(np.int32),
        frozenset(place[value] for value in secret),
    )


def prefixed(columns: Sequence[Baskets], name: str = "items") -> Baskets:
    """Make several items columns one, every item preceded by its column's name and a dot.

    References
    ----------
    .. [1] Poulis et al. Anonymizing data with relational and transaction attributes. ECML PKDD 2013, footnote 1.

    Raises
    ------
    InputError
        There is no column, or the columns differ in length or share a name.

    Examples
    --------
    >>> one = prefixed([Baskets.of("icd", [["E11"], []]), Baskets.of("drug", [["E11"], ["A10"]])])
    >>> one.values, one.start.tolist(), one.items.tolist()
    (('drug.A10', 'drug.E11', 'icd.E11'), [0, 2, 3], [1, 2, 0])
    """
    if not columns or len({column.n for column in columns}) > 1:
        raise InputError(
            f"items: {len(columns)} columns of different lengths; give at least one column, all of the same length"
        )
    if len({column.name for column in columns}) < len(columns):
        raise InputError("items: two columns have the same name; rename one")
    words = [f"{column.name}.{value}" for column in columns for value in column.values]
    values = sorted(words)
    place = {value: code for code, value in enumerate(values)}
    code = np.array([place[word] for word in words], dtype=np.int32)
    first = np.cumsum([0, *(len(column.values) for column in columns)])
    row = np.concatenate([owners(column.start) for column in columns])
    items = np.concatenate([code[base + column.items] for base, column in zip(first, columns, strict=False)])
    start = np.stack([column.start for column in columns]).sum(axis=0)
    secret = frozenset(
        int(code[base + item])
        for base, column in zip(first, columns, strict=False)
        for item in column.sensitive
    )
    return Baskets(name, tuple(values), start, items[np.lexsort((items, row))], secret)


def prefixed_hierarchy(hierarchies: Mapping[str, Hierarchy], name: str = "items") -> Hierarchy:
    """The hierarchy of `prefixed` columns: each column's under a root of its own, all of them under `*`.

    >>> icd = Hierarchy.from_paths("icd", [["E10", "E1", "any"], ["E11", "E1", "any"]])
    >>> prefixed_hierarchy({"icd": icd}).labels
    (('icd.E10', 'icd.E11', '*'), ('icd.E1', '*'), ('icd.any', '*'), ('*',))
    """
    height = max(hierarchy.height for hierarchy in hierarchies.values())
    paths = [
        [
            f"{column}.{hierarchy.labels[max(level, 0)][hierarchy.up[leaf, max(level, 0)]]}"
            for level in _levels(hierarchy, height)
        ]
        for column, hierarchy in hierarchies.items()
        for leaf in range(hierarchy.size)
    ]
    public = all(hierarchy.public for hierarchy in hierarchies.values())
    return Hierarchy.from_paths(name, [[*path, _ROOT] for path in paths], public=public)


def _levels(hierarchy: Hierarchy, height: int) -> list[int]:
    """The levels of a tree, its leaves repeated until it is as high as the highest."""
    return [0] * (height - hierarchy.height) + list(range(hierarchy.height + 1))


def _cells(source: Source, name: str) -> pl.Series:
    if name not in source.frame.columns:
        raise no_column(source, name, [name])
    return cleaned(text(source.frame[name]), source.missing)


def _keys(people: Source, key: str) -> pl.Series:
    keys = named(_cells(people, key))
    gone = int(keys.null_count())
    if gone:
        raise InputError(
            f"{people.name}, column '{key}': {gone} record(s) have no key; give every person one"
        )
    twice = int(keys.is_duplicated().sum())
    if twice:
        raise InputError(
            f"{people.name}, column '{key}': {twice} records share a key; give every person one row and one key"
        )
    return keys


def _refuse_strangers(entries: Source, owner: str, people: Source, long: pl.DataFrame) -> None:
    lost = long["row"].is_null()
    if lost.any():
        row = (lost.arg_max() or 0) + 1
        raise InputError(
            f"{entries.name}, column '{owner}': {lost.sum()} of {len(lost)} entries, first in row {row}, name a key "
            f"that nobody in {people.name} has; add these persons or leave the entries out",
            value=tuple(long["key"].filter(lost).unique().sort().to_list()),
        )
