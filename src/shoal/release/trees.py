"""What record trees publish."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.data import Trees
from shoal.data.types import I4, I8
from shoal.discreet import Discreet

__all__ = ["RecodedTrees"]


@dataclass(frozen=True, slots=True, repr=False)
class RecodedTrees(Discreet):
    """Record trees as a maker recoded them; a judge sees `trees` alone.

    trees      : the published trees; a value is the label of a hierarchy's node, a sensitive one the value itself
    spans      : int32[values, 2]: the published value stands for leaf codes lo .. hi-1 of its class's hierarchy;
                 (-1, -1) where it is sensitive
    rows       : int64[kept], the original record of each published one; the others are suppressed
    records    : how many records came in
    suppressed : how many values were left out of kept records; a value counts once per record
    rule       : what turns new records into the same form, as plain JSON data; empty for local recodings
    """

    trees: Trees
    spans: I4
    rows: I8
    records: int
    suppressed: int = 0
    rule: Mapping[str, Any] = field(default_factory=dict)
