"""Knowing what a person of a table with baskets does not have, beside all quasi-identifiers and m items."""

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.attacks.absences import ruled_out
from shoal.attacks.board import ABSENCES, PAIRS, Absent
from shoal.attacks.drawing import drawn
from shoal.data.lists import take
from shoal.data.types import F8, I8

__all__ = ["left_over"]


def left_over(absent: Absent, records: I8, rows: Sequence[I8], rng: np.random.Generator) -> Iterator[F8]:
    """For 1, 2, .. absences, the chance of each of some people; nothing where no row shows anything for certain.

    Parameters
    ----------
    absent
        What people may be known not to have.
    records
        Those who are played; fewer of them are where that takes too long.
    rows
        For each of them, the rows that fit what else is known; none where the record was suppressed.
    rng
        Who is drawn.
    """
    if not len(absent.shown[1]):
        return
    sizes = np.array([len(some) for some in rows], dtype=np.int64)
    place = drawn(len(records), int(PAIRS / max(float(sizes.mean()), 1.0)), rng)
    who = np.repeat(np.arange(len(place)), sizes[place])
    row = np.concatenate([rows[one] for one in place.tolist()])
    has = take(*absent.has, records[place])
    for left in ruled_out(who, row, absent.shown, has, absent.width, ABSENCES):
        yield np.where(left > 0, 1 / np.maximum(left, 1), 0.0)
