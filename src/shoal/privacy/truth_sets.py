"""Truth of generalized baskets: every published item stands for something in the record, and nothing is lost."""

import numpy as np
from numpy.typing import NDArray

from shoal.release import Forms, Verdict

__all__ = ["truth_sets"]


def truth_sets(
    original: tuple[NDArray[np.int64], NDArray[np.int32]],
    released: tuple[NDArray[np.int64], NDArray[np.int32]],
    forms: Forms,
    rows: NDArray[np.int64],
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
        return Verdict(False, "the released baskets are not as many as the records they stem from")
    row = np.repeat(np.arange(len(rows)), np.diff(start))
    width = np.diff(forms.start)[items]
    pair_row, pair_form = np.repeat(row, width), np.repeat(np.arange(len(items)), width)
    leaf = forms.leaves[_ranges(forms.start[items], width)]
    present = _member(original, rows, pair_row, leaf)
    covers = np.bincount(pair_form[present], minlength=len(items)) > 0
    if not covers.all():
        bad = np.unique(row[~covers])
        return _no("publish an item that stands for nothing in their record", bad)
    held = int(np.diff(original[0])[rows].sum())
    found = len(np.unique(pair_row[present] * (int(leaf.max(initial=0)) + 1) + leaf[present]))
    if held - found != suppressed:
        said = (
            f"{held - found} items of kept records are not published, and the release speaks of {suppressed}"
        )
        return Verdict(False, said)
    return Verdict(True, "every published item stands for one of its record's, and none is lost untold")


def _no(what: str, bad: NDArray[np.int64]) -> Verdict:
    return Verdict(False, f"{len(bad)} records {what}", True, len(bad), tuple(int(r) + 1 for r in bad[:100]))


def _ranges(starts: NDArray[np.int64], widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers starts[i] .. starts[i] + widths[i] - 1, one run behind the other."""
    ends = np.cumsum(widths)
    runs: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        starts - (ends - widths), widths
    )
    return runs


def _member(
    baskets: tuple[NDArray[np.int64], NDArray[np.int32]],
    rows: NDArray[np.int64],
    pair_row: NDArray[np.int64],
    leaf: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Whether the record behind pair_row[i] holds item leaf[i]."""
    start, items = baskets
    base = int(max(items.max(initial=0), leaf.max(initial=0))) + 1
    held = np.repeat(np.arange(len(start) - 1), np.diff(start)) * base + items
    return np.isin(rows[pair_row] * base + leaf, held)
