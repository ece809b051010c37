"""What baskets publish: generalized items, or bits that may be flipped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.release.table import Forms, Sensitive

__all__ = ["Bitmaps", "PublishedBaskets", "PublishedBits", "RecodedBaskets"]


@dataclass(frozen=True, slots=True, repr=False)
class RecodedBaskets(Discreet):
    """Baskets whose items were generalized: along a hierarchy, or to sets of items.

    forms      : the published items; a label is a hierarchy value, None a set written as the list of its members;
                 the leaves of a form are item codes of the data's vocabulary
    start      : int64[kept + 1]; row i publishes items[start[i] : start[i + 1]]
    items      : int32, places in `forms`, ascending and without repeats within a row
    rows       : int64[kept]: the original record of each row; ascending until the release is shuffled
    records    : how many records came in
    suppressed : how many item occurrences were left out of kept records
    rule       : what turns new records into the same form, as plain JSON data; empty where there is none
    """

    forms: Forms
    start: I8
    items: I4
    rows: I8
    records: int
    suppressed: int = 0
    rule: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Bitmaps(Discreet):
    """Baskets published by vote: items as they stand, those that may be wrong, and how many at most are.

    start, items         : int64[n + 1], int32 item codes of what row i publishes
    maybe_start, maybe   : likewise the items that are uncertain (published or not)
    errors               : int32[n]; a possible world flips at most so many of the uncertain items
    rows                 : int64[n]: the original record whose label (if any) row i carries; private
    """

    values: tuple[str, ...]
    start: I8
    items: I4
    maybe_start: I8
    maybe: I4
    errors: I4
    rows: I8
    records: int


@dataclass(frozen=True, slots=True, repr=False)
class PublishedBaskets(Discreet):
    """Released baskets as a judge of k^m and l^m sees them.

    start, items : row i holds the numbers items[start[i] : start[i + 1]]; equal numbers are equal leaf sets
    sensitive    : the numbers that are sensitive items
    covers       : by item as text, the numbers whose leaf sets hold it; needed by claims that name items
    """

    start: I8
    items: I8
    sensitive: frozenset[int] = field(default_factory=frozenset)
    covers: Mapping[str, frozenset[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class PublishedBits(Discreet):
    """Released baskets as a judge of nonreciprocal recoding sees them, beside the originals they came from.

    Item numbers of originals and release are of one vocabulary. Without originals nothing can be judged.
    """

    start: I8
    items: I8
    maybe_start: I8
    maybe: I8
    errors: I8
    label: Sensitive | None = None
    original_start: I8 | None = None
    original_items: I8 | None = None
    original_label: Sensitive | None = None
