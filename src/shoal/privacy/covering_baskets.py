"""Whether released baskets can stem from given originals, when nobody knows any more which row from which record."""

from itertools import pairwise

import numpy as np
import scipy  # its parts come when they are used

from shoal.data.lists import owners
from shoal.data.types import B1, I4, I8
from shoal.privacy.lookalikes import ruling
from shoal.release import Forms, Verdict

__all__ = ["basket_fits", "covering_baskets"]

_MOST_CELLS = 1 << 24  # released baskets compared with original ones

Baskets = tuple[I8, I4]
"""Where each basket starts, and what is in it."""


def covering_baskets(original: Baskets, released: Baskets, forms: Forms) -> Verdict:
    """Judge that every published item is in at most as many records as originals hold one of what it stands for.

    It is what must hold, not all: which row comes from which original only the data holder knows.

    Parameters
    ----------
    original, released
        Baskets of items, and of forms.
    forms
        The items that each form stands for; one that stands for none is in too many records.
    """
    start, items = released
    short = np.zeros(len(forms.labels), dtype=bool)
    record, by_item = owners(original[0]), np.argsort(original[1], kind="stable")
    width = max(int(original[1].max(initial=-1)), int(forms.leaves.max(initial=-1))) + 1
    ends = np.searchsorted(original[1][by_item], np.arange(width + 1))
    same = forms.sets()  # of forms that stand for the same, all records count together
    held = np.unique(owners(start) * max(len(short), 1) + same[items])
    times = np.bincount(held % max(len(short), 1), minlength=len(short))
    for form in np.flatnonzero(np.bincount(items, minlength=len(short))):
        members = forms.leaves[forms.start[form] : forms.start[form + 1]]
        holders = [record[by_item[ends[item] : ends[item + 1]]] for item in members]
        short[form] = times[same[form]] > len(np.unique(np.concatenate([record[:0], *holders])))
    broken = np.zeros(len(start) - 1, dtype=bool)
    broken[owners(start)[short[items]]] = True
    if broken.any():
        return ruling(broken, f"{broken.sum()} released records hold items of too few originals", {})
    return Verdict(True, "every published item fits enough originals")


def basket_fits(
    original: Baskets, released: Baskets, forms: Forms, *, whole: bool
) -> tuple[I4, I4, B1] | None:
    """Which released basket can stem from which original: each published item stands for one that the original holds.

    Where nothing was left out (`whole`), each item of the original must be published as well.

    Returns
    -------
    For each row and for each original its number among the different ones, and bool[rows, originals] which fit; None
    when there are too many to compare.
    """
    same = forms.sets()
    ours, rows = _different(released[0], same[released[1]] if len(released[1]) else released[1])
    theirs, originals = _different(*original)
    if len(rows) * len(originals) > _MOST_CELLS:
        return None
    width = max(int(original[1].max(initial=0)), int(forms.leaves.max(initial=0))) + 1
    first = np.unique(same, return_index=True)[1]  # one form of each leaf set, in the order of `sets`
    covers = _matrix([forms.leaves[forms.start[form] : forms.start[form + 1]] for form in first], width)
    shown, held = _matrix(rows, max(len(first), 1)), _matrix(originals, width)
    if not len(first):
        covers = scipy.sparse.csr_array((1, width), dtype=np.int32)
    found = (shown @ _ones(held @ covers.T).T).toarray() == np.diff(shown.indptr)[:, None]
    if whole:
        found &= (_ones(shown @ covers) @ held.T).toarray() == np.diff(held.indptr)[None, :]
    return ours, theirs, np.asarray(found, dtype=bool)


def _different(start: I8, items: I8 | I4) -> tuple[I4, list[I8]]:
    """Each basket's number among the different ones, and these, each without repeats."""
    seen: dict[bytes, int] = {}
    cells = np.asarray(items, dtype=np.int64)
    keys = (np.unique(cells[a:b]).tobytes() for a, b in pairwise(start.tolist()))
    of = np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int32)
    return of, [np.frombuffer(key, dtype=np.int64) for key in seen]


def _matrix(rows: list[I8] | list[I4], width: int) -> "scipy.sparse.csr_array":
    """Lists of numbers as a 0/1 matrix."""
    start = np.cumsum([0, *map(len, rows)])
    items = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    return scipy.sparse.csr_array(
        (np.ones(len(items), dtype=np.int32), items, start), shape=(len(rows), width)
    )


def _ones(found: "scipy.sparse.csr_array") -> "scipy.sparse.csr_array":
    """The same matrix, 1 wherever it is not 0."""
    ones = scipy.sparse.csr_array(found)
    ones.data[:] = 1
    return ones
