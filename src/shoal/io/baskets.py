"""Baskets in: an items column of texts or lists, or a FIMI file, as sparse codes."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data import Sets
from shoal.errors import InputError
from shoal.io.source import Source
from shoal.io.tables import cleaned, text

__all__ = ["fimi", "sets_of"]


def sets_of(
    source: Source, name: str, *, separator: str | None = None, sensitive: Iterable[str] = ()
) -> Sets:
    """One basket a record from the items column `name`; repeats collapse, an empty cell is an empty basket.

    A cell is a list, or text: a JSON list where every cell starts with a bracket and no `separator` is given, else
    items with `separator` (blanks by default) between them. Items are text, stripped; empty ones do not count.

    Raises
    ------
    InputError
        There is no such column, or its cells are no baskets.

    Examples
    --------
    >>> sets = sets_of(Source(pl.DataFrame({"icd": ["E11 I10", "", "I10 E11 I10"]})), "icd")
    >>> sets.values, sets.start.tolist(), sets.items.tolist()
    (('E11', 'I10'), [0, 2, 2, 4], [0, 1, 0, 1])
    """
    if name not in source.frame.columns:
        raise InputError(f"{source.name}: no column '{name}'; there are {', '.join(source.frame.columns)}")
    lists = _lists(source, name, separator)
    held = (
        pl.DataFrame({"row": np.arange(len(lists)), "item": lists})
        .explode("item", empty_as_null=True)
        .with_columns(pl.col("item").str.strip_chars())
        .filter(pl.col("item").is_not_null() & (pl.col("item") != ""))
        .unique()
    )
    secret = sorted(set(sensitive))
    values = pl.concat([held["item"], pl.Series(secret, dtype=pl.String)]).unique().sort()
    coded = held.with_columns(pl.col("item").cast(pl.Enum(values)).to_physical()).sort("row", "item")
    counts = np.bincount(coded["row"].to_numpy(), minlength=len(lists))
    return Sets(
        name,
        tuple(values),
        np.r_[0, np.cumsum(counts)].astype(np.int64),
        coded["item"].to_numpy().astype(np.int32),
        frozenset(int(place) for place in np.searchsorted(values.to_numpy(), secret)),
    )


def _lists(source: Source, name: str, separator: str | None) -> pl.Series:
    """The column as lists of texts."""
    cells = source.frame[name]
    if isinstance(cells.dtype, pl.List | pl.Array):
        if cells.explode(empty_as_null=True).dtype.is_nested():
            raise InputError(
                f"{source.name}, column '{name}': lists of lists are no baskets; give lists of items"
            )
        return cells.cast(pl.List(pl.String))
    texts = cleaned(text(cells), source.missing)
    if separator is None and (texts.drop_nulls().str.starts_with("[")).all() and texts.drop_nulls().len():
        return _json_lists(texts, source.name, name)
    if separator == "":
        raise InputError(f"column '{name}': the separator is empty; give the sign that stands between items")
    if separator is None or separator.isspace():
        return texts.str.extract_all(r"\S+")
    return texts.str.split(separator)


def _json_lists(texts: pl.Series, source: str, name: str) -> pl.Series:
    try:
        return texts.str.json_decode(pl.List(pl.String))
    except pl.exceptions.PolarsError:
        raise InputError(
            f"{source}, column '{name}': a cell is no JSON list of items; write one, or give a separator"
        ) from None


def fimi(path: Path, name: str) -> pl.DataFrame:
    """Read a FIMI file: one basket a line, item numbers with blanks between; one column `items` of texts.

    Raises
    ------
    InputError
        A line holds something else than whole numbers and blanks; the message names the line.
    """
    lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    frame = pl.DataFrame({"items": pl.Series(lines, dtype=pl.String).str.strip_chars()})
    wrong = ~frame["items"].str.contains(r"^[0-9]*([ \t]+[0-9]+)*$")
    if wrong.any():
        line = (wrong.arg_max() or 0) + 1
        raise InputError(f"{name}, line {line}: not whole numbers with blanks between, as a .dat file holds")
    return frame
