"""Counting and mapping of tables, written once for every engine as expressions of narwhals' lazy frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl

from shoal.engines import COUNT, Engine, Frame, Lookup

__all__ = ["Rule", "columns_of", "mapped", "replaced", "tallied", "without"]

_ROOM = 2**62


@dataclass(frozen=True, slots=True)
class Rule:
    """What becomes of each value of a column.

    column : the column that is looked up
    old    : the values that occur, as the column holds them, null not among them
    new    : what each becomes; None is an empty cell
    null   : what a missing value becomes
    """

    column: str
    old: pl.Series
    new: Sequence[str | None]
    null: str | None


def tallied(frame: Frame, by: Sequence[str]) -> Frame:
    """The different rows of some columns, each with how many records have it."""
    return frame.group_by(*by).agg(nw.len().alias(COUNT))


def mapped(engine: Engine, frame: Frame, rules: Mapping[str, Rule]) -> Frame:
    """The frame with one more column for each rule, called by the rule's key."""
    lookups = {}
    for name, rule in rules.items():
        labels = sorted({label for label in (*rule.new, rule.null) if label is not None})
        lookups[name] = Lookup(rule.column, rule.old, rule.new, rule.null, engine.label_type(labels))
    return engine.looked_up(frame, lookups)


def without(engine: Engine, frame: Frame, rules: Mapping[str, Rule], gone: pl.DataFrame) -> Frame:
    """The frame without the records whose labels, by the names of the rules, are together a row of `gone`.

    Labels are numbered, and the numbers of a row packed into few whole ones, which every engine compares alike.
    """
    if not gone.height:
        return frame
    digits: dict[str, Lookup] = {}
    theirs: dict[str, Any] = {}
    ours: dict[str, pl.Expr] = {}
    key, width = "", _ROOM
    for name, rule in rules.items():
        number = {label: i for i, label in enumerate(dict.fromkeys((*rule.new, rule.null)))}
        if width * len(number) >= _ROOM:
            key, width = f"shoal key {len(theirs)}", 1
            theirs[key], ours[key] = nw.lit(0, nw.Int64), pl.lit(0, pl.Int64)
        digit = {label: i * width for label, i in number.items()}
        new = [digit[label] for label in rule.new]
        held = f"shoal digit {len(digits)}"
        digits[held] = Lookup(rule.column, rule.old, new, digit[rule.null], nw.Int64())
        theirs[key] = theirs[key] + nw.col(held)
        ours[key] = ours[key] + _digits(name, digit)
        width *= len(number)
    small = gone.select(expr.alias(key) for key, expr in ours.items()).unique()
    found = engine.looked_up(frame, digits)
    numbered = found.with_columns(expr.alias(key) for key, expr in theirs.items()).drop(*digits)
    return engine.without(numbered, list(theirs), small)


def columns_of(frame: Frame) -> dict[str, Any]:
    """The columns and their types, without running anything."""
    return dict(frame.collect_schema())


def replaced(lookup: Lookup) -> Any:
    """A lookup as an expression, for engines that hold the values of a column in an expression with ease."""
    cell, kind = nw.col(lookup.column), lookup.kind
    old, new = lookup.old.to_list(), list(lookup.new)
    known = cell.replace_strict(old, new, default=None, return_dtype=kind) if old else None
    if lookup.null is None:
        return nw.lit(None, kind) if known is None else known
    empty = nw.lit(lookup.null).cast(kind)
    return empty if known is None else nw.when(cell.is_null()).then(empty).otherwise(known)


def _digits(name: str, digit: Mapping[str | None, int]) -> pl.Expr:
    """The numbers of a column's labels."""
    labels = [label for label in digit if label is not None]
    known = pl.col(name).replace_strict(
        labels, [digit[label] for label in labels], default=None, return_dtype=pl.Int64
    )
    return known.fill_null(digit[None]) if None in digit else known
