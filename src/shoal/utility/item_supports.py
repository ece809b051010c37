"""How many people hold an item: what a release of baskets allows to be said for certain."""

import numpy as np

from shoal.data.lists import owners
from shoal.data.types import I8
from shoal.release import Bitmaps, RecodedBaskets

__all__ = ["generalized_supports", "voted_supports"]


def generalized_supports(release: RecodedBaskets, sizes: I8, width: int) -> tuple[I8, I8]:
    """For each of `width` items, how many records hold it for certain, and how many at most.

    A published item that stands for one item alone is held for certain. Whoever publishes one that stands for it and
    for others may hold it, and so may every suppressed record and every record that an item was left out of.

    Parameters
    ----------
    release
        Generalized baskets.
    sizes
        int64[forms]: how many items each form may stand for; see `form_sizes`.
    """
    forms = release.forms
    rows = np.bincount(release.items, minlength=len(forms.labels))
    owner = owners(forms.start)
    alone = (sizes[owner] == 1) & (np.diff(forms.start)[owner] == 1)
    certain = np.bincount(forms.leaves, weights=rows[owner] * alone, minlength=width)
    possible = np.bincount(forms.leaves, weights=rows[owner], minlength=width)
    unseen = release.records - len(release.rows) + release.suppressed
    return certain.astype(np.int64), np.minimum(possible + unseen, release.records).astype(np.int64)


def voted_supports(release: Bitmaps, width: int) -> tuple[I8, I8]:
    """The same of baskets by vote: an item that is not uncertain in a row is as it stands there."""
    shown = owners(release.start) * width + release.items
    doubted = owners(release.maybe_start) * width + release.maybe
    certain = np.bincount(np.setdiff1d(shown, doubted) % width, minlength=width)
    return certain, np.bincount(np.union1d(shown, doubted) % width, minlength=width)
