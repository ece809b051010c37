"""Counting and mapping of tables, written once for every engine as expressions of narwhals' lazy frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl

from shoal.engines import COUNT, Engine, Frame, Lookup

__all__ = ["Rule", "columns_of", "mapped", "replaced", "tallied"]


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
