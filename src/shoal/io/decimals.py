"""Numbers with a decimal comma as numbers with a decimal point, column by column."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from shoal.io.source import Source

__all__ = ["SIGNS", "point_pairs", "with_points"]

SIGNS = (".", ",")
"""What may stand before the decimals of a number."""

_NUMBER = r"^[+-]?(?:(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?|,[0-9]+)$"
_MATCH = re.compile(_NUMBER[1:-1])


def with_points(source: Source, columns: Iterable[str]) -> Source:
    """Write the numbers of these columns with points, where every cell is a number and some have a comma or thousands.

    >>> source = Source(pl.DataFrame({"cost": ["1.200,50", "7", ""], "note": ["1,5", "a", ""]}))
    >>> with_points(source, ["cost", "note"]).frame.rows()
    [('1200.50', '1,5'), ('7', 'a'), ('', '')]
    """
    changed = [
        _pointed(source.frame[name], source.missing)
        for name in columns
        if source.frame.schema.get(name) == pl.String
    ]
    frame = source.frame.with_columns([column for column in changed if column is not None])
    return replace(source, frame=frame)


def _pointed(cells: pl.Series, missing: Sequence[str]) -> pl.Series | None:
    """The column with points; None where its cells are no such numbers."""
    bare = cells.str.strip_chars()
    gone = (cells.is_in(["", *missing]) | cells.is_null()) | (bare == "")
    present = bare.filter(~gone)
    if not len(present) or not present.str.contains(_NUMBER).all() or not present.str.contains(r"[.,]").any():
        return None
    points = bare.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    return cells.zip_with(gone, points)


def point_pairs(pairs: Sequence[tuple[str, str]], kept: Iterable[str]) -> list[tuple[str, str]]:
    """The same for values of classes, given as (class, value); classes that are `kept` keep their spelling.

    >>> point_pairs([("cost", "1,5"), ("cost", "2"), ("note", "1,5"), ("note", "x")], ())
    [('cost', '1.5'), ('cost', '2'), ('note', '1,5'), ('note', 'x')]
    """
    values: dict[str, list[str]] = {}
    for kind, value in pairs:
        values.setdefault(kind, []).append(value)
    numeric = {
        kind
        for kind, found in values.items()
        if kind not in set(kept)
        and all(_MATCH.fullmatch(value.strip()) for value in found)
        and any("," in value or "." in value for value in found)
    }
    return [
        (kind, value.strip().replace(".", "").replace(",", ".") if kind in numeric else value)
        for kind, value in pairs
    ]
