"""What record trees publish."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Forest

__all__ = ["RecodedForest"]


@dataclass(frozen=True, slots=True)
class RecodedForest:
    """Record trees as a maker recoded them; a judge sees `trees` alone.

    trees      : the published trees; a value is the label of a hierarchy's node, a sensitive one the value itself
    spans      : int32[values, 2]: the published value stands for leaf codes lo .. hi-1 of its class's hierarchy;
                 (-1, -1) where it is sensitive
    rows       : int64[kept], the original record of each published one; the others are suppressed
    records    : how many records came in
    suppressed : how many values were left out of kept records; a value counts once a record
    rule       : what turns new records into the same form, as plain JSON data; empty for local recodings
    """

    trees: Forest
    spans: NDArray[np.int32]
    rows: NDArray[np.int64]
    records: int
    suppressed: int = 0
    rule: Mapping[str, Any] = field(default_factory=dict)
