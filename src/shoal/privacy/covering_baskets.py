"""Whether released baskets can stem from given originals, when nobody knows any more which row from which record."""

import numpy as np

from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.privacy.lookalikes import ruling
from shoal.release import Forms, Verdict

__all__ = ["covering_baskets"]


def covering_baskets(original: tuple[I8, I4], released: tuple[I8, I4], forms: Forms) -> Verdict:
    """Judge that every published item is in at most as many records as originals hold one of what it stands for.

    It is what must hold, not all: which row comes from which original only the data holder knows.

    Parameters
    ----------
    original, released
        Baskets as (start, items): of items, and of forms.
    forms
        The items that each form stands for; one that stands for none is in too many records.
    """
    start, items = released
    short = np.zeros(len(forms.labels), dtype=bool)
    record, by_item = owners(original[0]), np.argsort(original[1], kind="stable")
    width = max(int(original[1].max(initial=-1)), int(forms.leaves.max(initial=-1))) + 1
    ends = np.searchsorted(original[1][by_item], np.arange(width + 1))
    times = np.bincount(items, minlength=len(short))
    for form in np.flatnonzero(times):
        members = forms.leaves[forms.start[form] : forms.start[form + 1]]
        holders = [record[by_item[ends[item] : ends[item + 1]]] for item in members]
        short[form] = times[form] > len(np.unique(np.concatenate([record[:0], *holders])))
    broken = np.zeros(len(start) - 1, dtype=bool)
    broken[owners(start)[short[items]]] = True
    if broken.any():
        return ruling(broken, f"{broken.sum()} released records hold items of too few originals", {})
    return Verdict(True, "every published item fits enough originals")
