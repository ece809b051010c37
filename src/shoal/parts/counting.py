"""The different rows of records in parts: each part counts its own, and the counts are added."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from shoal.data.arrays import I4, I8
from shoal.engines import Mapper, TooManyError
from shoal.parts.records import Parts
from shoal.privacy.equivalence_class import number_groups

__all__ = ["count_codes"]

_WAITING = 1 << 21  # rows that wait to be added, at least: each of them is sorted as often as they double


def count_codes(parts: Parts, columns: Sequence[int], limit: int, mapper: Mapper) -> tuple[I4, I8]:
    """Count the different rows of some columns of codes.

    Returns
    -------
    rows : int32[m, columns]
        They, in an order that tells nothing of the records'.
    counts : int64[m]
        How many records have each.

    Raises
    ------
    TooManyError
        There are more than `limit`.
    """
    answers = [(np.empty((0, len(columns)), dtype=np.int32), np.empty(0, dtype=np.int64))]
    waiting = 0
    for answer in mapper(partial(_count_part, parts, tuple(columns)), range(len(parts))):
        answers.append(answer)
        waiting += len(answer[1])
        if waiting > max(_WAITING, len(answers[0][1])):
            answers, waiting = [_add_counts(answers, limit)], 0
    return _add_counts(answers, limit)


def _count_part(parts: Parts, columns: tuple[int, ...], number: int) -> tuple[I4, I8]:
    """The task: the different rows of one part, and how many records have each."""
    codes = parts.read(number)
    group, heads = number_groups([codes[:, column] for column in columns])
    return codes[heads][:, list(columns)], np.bincount(group, minlength=len(heads))


def _add_counts(answers: Sequence[tuple[I4, I8]], limit: int) -> tuple[I4, I8]:
    rows = np.concatenate([rows for rows, _ in answers])
    counts = np.concatenate([counts for _, counts in answers])
    group, heads = number_groups(tuple(rows.T))
    if len(heads) > limit:
        raise TooManyError
    sums = np.bincount(group, weights=counts, minlength=len(heads)).astype(np.int64)
    return rows[heads], sums
