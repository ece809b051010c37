"""Truth of generalized baskets: every published item stands for something in the record, and nothing is lost."""

from collections.abc import Iterator

import numpy as np

from shoal.data.lists import owners, take
from shoal.data.types import B1, I4, I8
from shoal.release import Forms, Verdict

__all__ = ["truth_baskets"]

_PAIRS = 1 << 23  # pairs of a row and an item held at once


def truth_baskets(
    original: tuple[I8, I4],
    released: tuple[I8, I4],
    forms: Forms,
    rows: I8,
    *,
    suppressed: int = 0,
) -> Verdict:
    """Check released baskets against the records they stem from.

    A generalized item is read as "any non-empty subset of its leaves": each published form must cover an item of
    its record, and each item of the record must be covered, but for as many occurrences as were suppressed.

    Parameters
    ----------
    original, released
        (start, items): baskets of item codes, and of places in `forms`; the leaves of `forms` are item codes.
    forms
        What is published, and the items each form stands for.
    rows
        int64[released]: the original record of each released row.
    suppressed
        How many item occurrences the release says it left out.
    """
    start, items = released
    if len(rows) != len(start) - 1 or len(np.unique(rows)) != len(rows):
        return Verdict(False, "there are not as many released baskets as records they come from")
    if rows.min(initial=0) < 0 or rows.max(initial=-1) >= len(original[0]) - 1:
        return Verdict(False, "released baskets come from records that are not there")
    width = np.diff(forms.start)[items]
    base = int(max(original[1].max(initial=0), forms.leaves.max(initial=0))) + 1
    held = np.sort(owners(original[0]) * base + original[1])
    covers, found = np.zeros(len(items), dtype=bool), 0
    for low, high in _blocks(start, width):
        some = slice(start[low], start[high])
        pair_start, leaf = take(forms.start, forms.leaves, items[some])
        pair_item = owners(pair_start) + some.start
        pair_row = rows[low:high][owners(start[low : high + 1])][pair_item - some.start]
        known = pair_row * base + leaf
        present = _among(known, held)
        covers[pair_item[present]] = True
        found += len(np.unique(known[present]))
    if not covers.all():
        bad = np.unique(owners(start)[~covers])
        return _no("publish an item that stands for no item of their record", bad)
    lost = int(np.diff(original[0])[rows].sum()) - found
    if lost != suppressed:
        return Verdict(
            False, f"{lost} items of kept records are not published, but the release states {suppressed}"
        )
    return Verdict(
        True,
        "every published item stands for an item of its record, and the release states how many items it left out",
    )


def _blocks(start: I8, width: I8) -> Iterator[tuple[int, int]]:
    """Rows low .. high-1 whose published items stand for few enough items together to be held at once."""
    ends = np.r_[0, np.cumsum(width)][start]
    low = 0
    while low < len(start) - 1:
        high = max(low + 1, int(np.searchsorted(ends, ends[low] + _PAIRS, side="right")) - 1)
        yield low, high
        low = high


def _among(some: I8, known: I8) -> B1:
    """Which of some numbers are among those known, which ascend."""
    if not len(known):
        return np.zeros(len(some), dtype=bool)
    return np.asarray(known[np.minimum(np.searchsorted(known, some), len(known) - 1)] == some)


def _no(what: str, bad: I8) -> Verdict:
    return Verdict(False, f"{len(bad)} records {what}", True, len(bad), tuple(int(r) + 1 for r in bad[:100]))
