"""Baskets in: an items column of texts or lists, or a FIMI file, as sparse codes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data import Baskets
from shoal.data.types import I8
from shoal.errors import InputError
from shoal.io.cells import cleaned, text
from shoal.io.headers import no_column
from shoal.io.persons import named
from shoal.io.source import Source

__all__ = ["baskets_of", "fimi", "fimi_lines", "grouped"]


def baskets_of(
    source: Source, name: str, *, separator: str | None = None, sensitive: Iterable[str] = ()
) -> Baskets:
    """One basket per record from the items column `name`; repeats collapse, an empty cell is an empty basket.

    A cell is a list, or text: a JSON list where every cell starts with a bracket and no `separator` is given, else
    items with `separator` (blanks by default) between them. Items are text, stripped; empty ones do not count.

    Raises
    ------
    InputError
        There is no such column, or its cells are no baskets.

    Examples
    --------
    >>> baskets = baskets_of(Source(pl.DataFrame({"icd": ["E11 I10", "", "I10 E11 I10"]})), "icd")
    >>> baskets.values, baskets.start.tolist(), baskets.items.tolist()
    (('E11', 'I10'), [0, 2, 2, 4], [0, 1, 0, 1])
    """
    return _sets(source, name, np.arange(source.frame.height), separator, sensitive)


def grouped(
    source: Source, name: str, person: str, *, separator: str | None = None, sensitive: Iterable[str] = ()
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
    >>> baskets, people = grouped(Source(bought), "what", "who")
    >>> baskets.values, baskets.start.tolist(), baskets.items.tolist(), people.frame.rows()
    (('ale', 'rum', 'tea'), [0, 2, 3], [1, 2, 0], [('bo', 'f'), ('al', 'm')])
    """
    for column in (name, person):
        _require(source, column)
    cells = named(cleaned(text(source.frame[person]), source.missing))
    if cells.null_count():
        row = (cells.is_null().arg_max() or 0) + 1
        raise InputError(
            f"{source.name}, column '{person}': {cells.null_count()} record(s), first record {row}, name no person; "
            "give every record a person or leave it out"
        )
    people = cells.unique(maintain_order=True)
    who = cells.cast(pl.Enum(people)).to_physical().cast(pl.Int64)
    beside = source.frame.drop(name)
    for column in beside.columns:
        if column != person and pl.DataFrame(
            [who.alias("who"), beside[column].alias("cell")]
        ).n_unique() > len(people):
            raise InputError(
                f"{source.name}, column '{column}': rows of one person differ; give every person one value or leave "
                "the column out"
            )
    first = who.arg_unique().sort()
    one = replace(source, frame=beside[first])
    return _sets(source, name, who.to_numpy(), separator, sensitive), one


def _sets(source: Source, name: str, who: I8, separator: str | None, sensitive: Iterable[str]) -> Baskets:
    """Code the items of each row as items of `who`, the record that the row belongs to."""
    _require(source, name)
    lists = _lists(source, name, separator)
    size = lists.list.len().fill_null(0).to_numpy()
    items = lists.filter(size > 0).explode(empty_as_null=True).str.strip_chars().replace("", None)
    secret = sorted(set(sensitive))
    values = pl.concat([items, pl.Series(secret, dtype=pl.String)]).drop_nulls().unique().sort()
    codes = items.cast(pl.Enum(values)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    width, n = max(len(values), 1), int(who.max(initial=-1)) + 1
    pairs = np.sort((np.repeat(who, size) * width + codes)[codes >= 0], kind="stable")
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    start = np.r_[0, np.cumsum(np.bincount(pairs // width, minlength=n))].astype(np.int64)
    places = np.searchsorted(values.to_numpy(), secret)
    return Baskets(name, tuple(values), start, (pairs % width).astype(np.int32), frozenset(places.tolist()))


def _require(source: Source, name: str) -> None:
    if name not in source.frame.columns:
        raise no_column(source, name, [name])


def _lists(source: Source, name: str, separator: str | None) -> pl.Series:
    """The column as lists of texts."""
    cells = source.frame[name]
    if isinstance(cells.dtype, pl.List | pl.Array):
        if cells.explode(empty_as_null=True).dtype.is_nested():
            raise InputError(
                f"{source.name}, column '{name}': a cell holds lists in a list; give lists of items"
            )
        return cells.cast(pl.List(pl.String))
    texts = cleaned(text(cells), source.missing)
    if separator is None and (texts.drop_nulls().str.starts_with("[")).all() and texts.drop_nulls().len():
        return _json_lists(texts, source.name, name)
    if separator == "":
        raise InputError(f"column '{name}': the separator is empty; give the sign that stands between items")
    if separator is None or separator.isspace():
        return (
            texts.str.replace_all(r"\s", " ") if texts.str.contains(r"[^\S ]").any() else texts
        ).str.split(" ")
    return texts.str.split(separator)


def _json_lists(texts: pl.Series, source: str, name: str) -> pl.Series:
    try:
        return texts.str.json_decode(pl.List(pl.String))
    except pl.exceptions.PolarsError:
        raise InputError(
            f"{source}, column '{name}': a cell is not a JSON list of items; write one, or give a separator"
        ) from None


def fimi(path: Path, name: str) -> pl.DataFrame:
    """Read a FIMI file: one basket per line, item numbers with blanks between; one column `items` of texts.

    Raises
    ------
    InputError
        A line holds something else than whole numbers and blanks; the message names the line.
    """
    lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return fimi_lines(lines, name)


def fimi_lines(lines: Sequence[str], name: str, before: int = 0) -> pl.DataFrame:
    """Some lines of a FIMI file as a column `items` of texts; so many lines stand before them."""
    frame = pl.DataFrame({"items": pl.Series(lines, dtype=pl.String).str.strip_chars()})
    wrong = ~frame["items"].str.contains(r"^[0-9]*([ \t]+[0-9]+)*$")
    if wrong.any():
        line = before + (wrong.arg_max() or 0) + 1
        raise InputError(
            f"{name}, line {line}: a .dat file holds whole numbers with blanks between them; correct the line"
        )
    return frame
