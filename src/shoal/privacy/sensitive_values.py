"""Sensitive values by class: what l-diversity and t-closeness count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.types import I8
from shoal.privacy.lookalikes import empty, group
from shoal.release import Published, Sensitive, Verdict

__all__ = ["Tally", "absent", "cells", "chosen", "tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many persons of a class have a value: one entry for each pair that occurs.

    of    : int64[pairs]  the class
    value : int64[pairs]  the value
    count : int64[pairs]  the persons; distinct ones where rows name them, else rows
    """

    of: I8
    value: I8
    count: I8


def tally(of: I8, values: I8, persons: I8 | None) -> Tally:
    """Count the persons of every class with every value; negative values are left out."""
    rows = np.flatnonzero(values >= 0)
    if persons is not None:
        _, heads = group((of[rows], values[rows], persons[rows]))
        rows = rows[heads]
    pair, heads = group((of[rows], values[rows]))
    return Tally(of[rows][heads], values[rows][heads], np.bincount(pair, minlength=len(heads)))


def cells(column: Sensitive) -> I8:
    """Codes that are equal exactly where texts are; an empty cell, None or no text at all, is -1."""
    first = {text: code for code, text in reversed(list(enumerate(column.values)))}
    place = [first[text] if text else -1 for text in column.values]
    return np.array([*place, -1], dtype=np.int64)[np.maximum(column.codes, -1)]


def absent(published: Published, columns: Sequence[str]) -> Verdict | None:
    """Say no to an empty claim, and to one about sensitive columns that are not there."""
    vacuous = empty(published)
    if vacuous is not None:
        return vacuous
    if not published.sensitive:
        return Verdict(False, "no sensitive column is given, so the claim is empty")
    for name in columns:
        if name not in published.sensitive:
            return Verdict(
                False, f"column '{name}' is not among the sensitive ones, so it cannot be judged", False
            )
    return None


def chosen(published: Published, columns: Sequence[str]) -> Iterator[tuple[str, Sensitive]]:
    """Yield the sensitive columns a claim is about: those named, or all."""
    for name in columns or published.sensitive:
        yield name, published.sensitive[name]
