"""The sensitive values of each class: what claims about them count."""

from dataclasses import dataclass

import numpy as np

from shoal.data.counting import times
from shoal.data.spelling import alike
from shoal.data.types import F8, I8
from shoal.privacy.lookalikes import Classes, group
from shoal.release import Sensitive

__all__ = ["Tally", "cells", "shares", "tally"]


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


def tally(of: I8, values: I8, persons: I8 | None, counts: I8 | None = None) -> Tally:
    """Count the persons of every class with every value; negative values are left out."""
    rows = np.flatnonzero(values >= 0)
    if persons is not None:
        _, heads = group((of[rows], values[rows], persons[rows]))
        rows = rows[heads]
    pair, heads = group((of[rows], values[rows]))
    many = times(pair, None if counts is None else counts[rows], len(heads))
    return Tally(of[rows][heads], values[rows][heads], many)


def cells(column: Sensitive) -> I8:
    """Codes that are equal exactly where values are, however spelled; an empty cell, None or only blanks, is -1."""
    spelled = [alike(text or "") for text in column.values]
    first = {text: code for code, text in reversed(list(enumerate(spelled)))}
    place = [first[text] if text else -1 for text in spelled]
    return np.array([*place, -1], dtype=np.int64)[np.maximum(column.codes, -1)]


def shares(groups: Classes, column: Sensitive) -> tuple[Tally, F8, F8]:
    """Count the values of a sensitive column, an empty cell being a value like any other, and compare with the whole.

    Returns
    -------
    counted : Tally
        The persons with each value in each class, for each pair that occurs.
    inside : float64[pairs]
        The same as a share of the persons of the class.
    whole : float64[values]
        The share of each value among all persons; 0 where it does not occur.
    """
    values = cells(column) + 1
    counted = tally(groups.of, values, groups.persons, groups.counts)
    everywhere = tally(np.zeros_like(values), values, groups.persons, groups.counts)
    everybody = int(groups.size.sum()) if groups.persons is None else len(np.unique(groups.persons))
    whole = np.zeros(int(values.max(initial=0)) + 1)
    whole[everywhere.value] = everywhere.count / everybody
    return counted, counted.count / groups.size[counted.of], whole
