"""Who cannot be in a release beside earlier ones: too few of the people with whom they shared a class still are."""

from collections.abc import Sequence

import numpy as np

from shoal.data.types import B1, I8
from shoal.privacy.lookalikes import group
from shoal.privacy.several import Held, breaking, everybody_in, labels_of

__all__ = ["earlier_cells", "left_out"]


def earlier_cells(who: I8, earlier: Sequence[Held]) -> I8:
    """Numbers that are equal where earlier releases show the same of records' people: their joint classes."""
    return group([labels_of(who, held.who, held.kinds) for held in earlier])[0]


def left_out(who: I8, now: Held, earlier: Sequence[Held], rng: np.random.Generator) -> tuple[B1, I8]:
    """Which records are left out, and the people of whom even then too little is hidden.

    `now` is a release of all records whose classes are `earlier_cells`. Somebody who is in an earlier release and not
    in this one shows it by being missing. So people of one joint class who are missing must be as many as promised,
    or none; and so must those who stay. Where k is all that is promised, as few as possible are left out of a joint
    class; elsewhere all of it.
    """
    everybody, _ = everybody_in([who, *(held.who for held in earlier)])
    cell = earlier_cells(everybody, earlier)
    mine = cell[np.searchsorted(everybody, who)]
    crowd = max(held.claim.crowd for held in [now, *earlier])
    gone = np.bincount(cell[~np.isin(everybody, who)], minlength=int(cell.max(initial=0)) + 1)
    known = np.zeros(len(gone), dtype=bool)
    known[cell[np.isin(everybody, np.concatenate([held.who for held in earlier]))]] = True
    out = np.zeros(len(who), dtype=bool)
    for number in np.unique(mine).tolist():
        inside = np.flatnonzero(mine == number)
        many = _fewest(len(inside), int(gone[number]), crowd, bool(known[number]))
        out[rng.permutation(inside)[:many]] = True  # who is left out shall tell nothing
    while True:
        bad = breaking([*earlier, _some(now, ~out)])
        whole = np.isin(mine, cell[np.searchsorted(everybody, bad)]) & ~out
        if not len(bad) or not whole.any():
            return out, bad
        out |= whole


def _fewest(there: int, gone: int, crowd: int, known: bool) -> int:
    """How many of a joint class are left out, so that those who stay and those who are missing are enough, or none.

    >>> [_fewest(*case) for case in [(7, 0, 5, True), (12, 1, 5, True), (6, 1, 5, True), (3, 0, 5, False)]]
    [0, 4, 6, 3]
    """
    short = crowd - gone if known and 0 < gone < crowd else 0
    return short if there - short >= crowd else there


def _some(held: Held, rows: B1) -> Held:
    sensitive = {
        name: type(column)(column.codes[rows], column.values) for name, column in held.sensitive.items()
    }
    persons = None if held.persons is None else held.persons[rows]
    return Held(held.claim, held.who[rows], held.kinds[rows], sensitive, persons)
