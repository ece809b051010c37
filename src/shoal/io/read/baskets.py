"""Baskets in, as sparse codes: an items column of texts or lists, a FIMI file, a long table joined by a key.

Several items columns are made one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.data import Baskets
from shoal.data.arrays import I8, prefix_sums, row_of_entry
from shoal.hierarchy import Hierarchy
from shoal.io.read.cells import cell_texts, clean_cells, normalize_names, person_names, text_column
from shoal.io.read.source import Source, column_error

__all__ = [
    "group_baskets",
    "join_baskets",
    "parse_fimi_lines",
    "prefix_hierarchy",
    "prefix_items",
    "read_baskets",
    "read_fimi",
]


_ROOT = "*"


def read_baskets(
    source: Source,
    name: str,
    *,
    separator: str | None = None,
    sensitive: Iterable[str] = (),
    missing: Sequence[str] = (),
) -> Baskets:
    """One basket per record from the items column `name`; repeats collapse, an empty cell is an empty basket.

    A cell is a list, or text: a JSON list where every cell starts with a bracket and no `separator` is given, else
    items with `separator` (blanks by default) between them. Items are text, stripped; empty ones, and those that
    `missing` names, do not count: what means no value in other columns may be an item.

    Raises
    ------
    InputError
        There is no such column, or its cells are no baskets.

    Examples
    --------
    >>> baskets = read_baskets(Source(pl.DataFrame({"icd": ["E11 I10", "", "I10 E11 I10"]})), "icd")
    >>> baskets.values, baskets.start.tolist(), baskets.items.tolist()
    (('E11', 'I10'), [0, 2, 2, 4], [0, 1, 0, 1])
    """
    return _code_sets(source, name, np.arange(source.frame.height), separator, sensitive, missing)


def group_baskets(
    source: Source,
    name: str,
    person: str,
    *,
    separator: str | None = None,
    sensitive: Iterable[str] = (),
    missing: Sequence[str] = (),
) -> tuple[Baskets, Source]:
    """One basket per person, from a table in which a person may have many rows: one row per item, say.

    Returns the baskets, persons in order of appearance, and the columns beside the items, one row per person.

    Raises
    ------
    InputError
        There is no such column, a row names no person, or rows of one person differ beside their items.

    Examples
    --------
    >>> bought = pl.DataFrame({"who": ["bo", "al", "bo"], "what": ["tea", "ale", "rum"], "sex": ["f", "m", "f"]})
    >>> baskets, people = group_baskets(Source(bought), "what", "who")
    >>> baskets.values, baskets.start.tolist(), baskets.items.tolist(), people.frame.rows()
    (('ale', 'rum', 'tea'), [0, 2, 3], [1, 2, 0], [('bo', 'f'), ('al', 'm')])
    """
    _require_column(source, name)
    cells = person_names(source, person)
    people = cells.unique(maintain_order=True)
    person_codes = cells.cast(pl.Enum(people)).to_physical().cast(pl.Int64)
    other_columns = source.frame.drop(name)
    for column in other_columns.columns:
        if column != person and pl.DataFrame(
            [person_codes.alias("who"), other_columns[column].alias("cell")]
        ).n_unique() > len(people):
            raise InputError(
                f"{source.name}, column '{column}': rows of one person differ; give every person one value or leave "
                "the column out"
            )
    first_rows = person_codes.arg_unique().sort()
    people_source = replace(source, frame=other_columns).some(first_rows)
    return _code_sets(source, name, person_codes.to_numpy(), separator, sensitive, missing), people_source


def _code_sets(
    source: Source,
    name: str,
    who: I8,
    separator: str | None,
    sensitive: Iterable[str],
    missing: Sequence[str],
) -> Baskets:
    """Code the items of each row as items of `who`, the record that the row belongs to."""
    _require_column(source, name)
    lists = _item_lists(source, name, separator)
    size = lists.list.len().fill_null(0).to_numpy()
    items = clean_cells(lists.filter(size > 0).explode(empty_as_null=True).str.strip_chars(), missing)
    return _code_baskets(name, items, np.repeat(who, size), int(who.max(initial=-1)) + 1, sensitive)


def _code_baskets(name: str, items: pl.Series, who: I8, n: int, sensitive: Iterable[str]) -> Baskets:
    """Baskets of `n` records from items, null where there is none, and the record that each belongs to."""
    secret = sorted(set(sensitive))
    values = pl.concat([items, pl.Series(secret, dtype=pl.String)]).drop_nulls().unique().sort()
    codes = items.cast(pl.Enum(values)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    width = max(len(values), 1)
    pairs = np.sort((who * width + codes)[codes >= 0], kind="stable")
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    start = prefix_sums(np.bincount(pairs // width, minlength=n))
    sensitive_codes = np.searchsorted(values.to_numpy(), secret)
    return Baskets(
        name, tuple(values), start, (pairs % width).astype(np.int32), frozenset(sensitive_codes.tolist())
    )


def _require_column(source: Source, name: str) -> None:
    if name not in source.frame.columns:
        raise column_error(source, name, [name])


def _item_lists(source: Source, name: str, separator: str | None) -> pl.Series:
    """The column as lists of texts."""
    cells = source.frame[name]
    if isinstance(cells.dtype, pl.List | pl.Array):
        if cells.explode(empty_as_null=True).dtype.is_nested():
            raise InputError(
                f"{source.name}, column '{name}': a cell holds lists in a list; give lists of items"
            )
        return cells.cast(pl.List(pl.String))
    texts = clean_cells(cell_texts(cells), source.missing)
    if separator is None and (texts.drop_nulls().str.starts_with("[")).all() and texts.drop_nulls().len():
        return _parse_json_lists(texts, source.name, name)
    if separator == "":
        raise InputError(f"column '{name}': the separator is empty; give the sign that separates items")
    if separator is None or separator.isspace():
        return (
            texts.str.replace_all(r"\s", " ") if texts.str.contains(r"[^\S ]").any() else texts
        ).str.split(" ")
    return texts.str.split(separator)


def _parse_json_lists(texts: pl.Series, source: str, name: str) -> pl.Series:
    try:
        return texts.str.json_decode(pl.List(pl.String))
    except pl.exceptions.PolarsError:
        raise InputError(
            f"{source}, column '{name}': a cell is not a JSON list of items; write one, or give a separator"
        ) from None


def read_fimi(path: Path, name: str) -> pl.DataFrame:
    """Read a FIMI file: one basket per line, item numbers with blanks between; one column `items` of texts.

    Raises
    ------
    InputError
        A line holds something else than whole numbers and blanks; the message names the line.
    """
    lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return parse_fimi_lines(lines, name)


def parse_fimi_lines(lines: Sequence[str], name: str, before: int = 0) -> pl.DataFrame:
    """Some lines of a FIMI file as a column `items` of texts; so many lines stand before them."""
    frame = pl.DataFrame({"items": pl.Series(lines, dtype=pl.String).str.strip_chars()})
    is_invalid = ~frame["items"].str.contains(r"^[0-9]*([ \t]+[0-9]+)*$")
    if is_invalid.any():
        line = before + (is_invalid.arg_max() or 0) + 1
        raise InputError(
            f"{name}, line {line}: a .dat file holds whole numbers separated by blanks; correct the line"
        )
    return frame


def join_baskets(
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
    >>> baskets = join_baskets(people, "id", visits, "who", "code")
    >>> baskets.values, baskets.start.tolist(), baskets.items.tolist()
    (('flu', 'gout'), [0, 1, 1, 3], [0, 0, 1])
    """
    keys = _person_keys(people, key)
    rows = pl.DataFrame({"key": keys, "row": np.arange(len(keys))})
    entry_rows = pl.DataFrame(
        {"key": normalize_names(text_column(entries, owner)), "item": text_column(entries, item)}
    )
    entry_rows = entry_rows.join(rows, on="key", how="left", maintain_order="left")
    _refuse_strangers(entries, owner, people, entry_rows)
    return _code_baskets(item, entry_rows["item"], entry_rows["row"].to_numpy(), len(keys), sensitive)


def prefix_items(columns: Sequence[Baskets]) -> Baskets:
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
    >>> one = prefix_items([Baskets.of("icd", [["E11"], []]), Baskets.of("drug", [["E11"], ["A10"]])])
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
    code_of_value = {value: code for code, value in enumerate(values)}
    code = np.array([code_of_value[word] for word in words], dtype=np.int32)
    offsets = np.cumsum([0, *(len(column.values) for column in columns)])
    row = np.concatenate([row_of_entry(column.start) for column in columns])
    items = np.concatenate(
        [code[base + column.items] for base, column in zip(offsets, columns, strict=False)]
    )
    start = np.stack([column.start for column in columns]).sum(axis=0)
    secret = frozenset(
        int(code[base + item])
        for base, column in zip(offsets, columns, strict=False)
        for item in column.sensitive
    )
    return Baskets("items", tuple(values), start, items[np.lexsort((items, row))], secret)


def prefix_hierarchy(hierarchies: Mapping[str, Hierarchy]) -> Hierarchy:
    """The hierarchy of `prefixed` columns: each column's under a root of its own, all of them under `*`.

    >>> icd = Hierarchy.from_paths("icd", [["E10", "E1", "any"], ["E11", "E1", "any"]])
    >>> prefix_hierarchy({"icd": icd}).labels
    (('icd.E10', 'icd.E11', '*'), ('icd.E1', '*'), ('icd.any', '*'), ('*',))
    """
    height = max(
        hierarchy.height for hierarchy in hierarchies.values()
    )  # leaves repeat until all are as high
    paths = [
        [
            f"{column}.{hierarchy.labels[max(level, 0)][hierarchy.up[leaf, max(level, 0)]]}"
            for level in range(hierarchy.height - height, hierarchy.height + 1)
        ]
        for column, hierarchy in hierarchies.items()
        for leaf in range(hierarchy.size)
    ]
    public = all(hierarchy.public for hierarchy in hierarchies.values())
    return Hierarchy.from_paths("items", [[*path, _ROOT] for path in paths], public=public)


def _person_keys(people: Source, key: str) -> pl.Series:
    keys = normalize_names(text_column(people, key))
    missing_count = int(keys.null_count())
    if missing_count:
        raise InputError(
            f"{people.name}, column '{key}': {missing_count} record(s) have no key; give every person one"
        )
    repeated_count = int(keys.is_duplicated().sum())
    if repeated_count:
        raise InputError(
            f"{people.name}, column '{key}': {repeated_count} records share a key; give every person one row "
            "and one key"
        )
    return keys


def _refuse_strangers(entries: Source, owner: str, people: Source, long: pl.DataFrame) -> None:
    is_unmatched = long["row"].is_null()
    if is_unmatched.any():
        row = (is_unmatched.arg_max() or 0) + 1
        raise InputError(
            f"{entries.name}, column '{owner}': {is_unmatched.sum()} of {len(is_unmatched)} entries, first in "
            f"row {row}, name a key "
            f"that nobody in {people.name} has; add these persons or leave the entries out",
            value=tuple(long["key"].filter(is_unmatched).unique().sort().to_list()),
        )
