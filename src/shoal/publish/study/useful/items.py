"""How many people hold the most frequent items, and what a release tells of that for certain."""

from typing import Any

import numpy as np

from shoal.publish.baskets.dataset import BasketData
from shoal.publish.mixed.dataset import MixedData
from shoal.release import Bitmaps, RecodedBaskets
from shoal.utility.intervals import Between
from shoal.utility.item_losses import form_sizes
from shoal.utility.item_supports import generalized_supports, voted_supports

__all__ = ["supports_of"]

_SHOWN = 12


def supports_of(dataset: Any, release: Any) -> list[Between]:
    """The supports of the items that most originals hold, the most frequent first; none without baskets in memory."""
    if not isinstance(dataset, BasketData | MixedData):
        return []
    baskets, found = dataset.baskets, getattr(release, "baskets", release)
    if not isinstance(found, Bitmaps | RecodedBaskets):
        return []  # the records are not in memory
    width = len(baskets.values)
    true = np.bincount(baskets.items, minlength=width)
    if isinstance(found, Bitmaps):
        low, high = voted_supports(found, width)
    else:
        low, high = generalized_supports(found, form_sizes(found.forms, dataset.hierarchy), width)
    order = np.argsort(-true, kind="stable")[:_SHOWN].tolist()
    return [
        Between(baskets.name, baskets.values[item], float(low[item]), float(high[item]), float(true[item]))
        for item in order
        if true[item]
    ]
