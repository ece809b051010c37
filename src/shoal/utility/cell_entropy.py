"""Non-uniform entropy: how many bits of the original values a release does not tell."""

import numpy as np

from shoal.data.counting import times
from shoal.data.types import F8, I4, I8
from shoal.hierarchy import Hierarchies
from shoal.release import Forms, Recoded

__all__ = ["entropy", "records_inside"]


def entropy(recoded: Recoded, hierarchies: Hierarchies, leaves: I4, counts: I8 | None = None) -> float:
    """Non-uniform entropy, as a share of what is lost when nothing is told.

    A cell costs -log2(records with its original value / records whose original value it may stand for): the bits that
    are missing to tell which value it was, for a reader who knows how frequent each is. A suppressed cell may stand for
    every record's value. The sum over all cells is divided by what it would be with all records suppressed, so it goes
    from 0 to 1; where all records are equal there is nothing to tell, and it is 0.

    Parameters
    ----------
    recoded, hierarchies
        The release and its hierarchies.
    leaves
        int32[N, d], the original records as leaf codes.
    counts
        int64[N], how many records each of these stands for; None when each is one.

    References
    ----------
    .. [1] Gionis, Tassa. k-Anonymization with minimal loss of information. TKDE 21(2), 2009.
    """
    whole = lost = 0.0
    for j, (name, forms) in enumerate(zip(recoded.names, recoded.forms, strict=True)):
        held = times(leaves[:, j], counts, hierarchies[name].size + 1)
        unknown = float(held @ _bits(recoded.records / np.maximum(held, 1)))
        cells = times(recoded.codes[:, j], recoded.counts, len(forms.labels))
        told = float(cells @ _bits(recoded.records / np.maximum(records_inside(forms, held), 1)))
        whole, lost = whole + unknown, lost + unknown - told
    return min(max(lost / whole, 0.0), 1.0) if whole else 0.0


def records_inside(forms: Forms, held: I8) -> I8:
    """How many records have an original value that each form may stand for; `held` counts them by leaf code."""
    before = np.r_[0, np.cumsum(held[forms.leaves])]
    return np.asarray(before[forms.start[1:]] - before[forms.start[:-1]], dtype=np.int64)


def _bits(ratio: F8) -> F8:
    return np.asarray(np.log2(ratio), dtype=np.float64)
