"""Truth of a table: each original value lies inside its published form."""

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.data.lists import owners
from shoal.data.types import B1, I4, I8
from shoal.privacy.lookalikes import ruling
from shoal.release import Forms, Verdict

__all__ = ["truth", "unchanged"]


def truth(
    original: Mapping[str, I4],
    released: Mapping[str, tuple[Forms, I4]],
    rows: I8,
) -> Verdict:
    """Judge whether every published form covers the original value behind it.

    Parameters
    ----------
    original
        For each column, int32[N]: the leaf code of every original record.
    released
        For each column, its forms and int32[n]: the form of every released record.
    rows
        int64[n], the original record behind each released one: distinct, from 0 to N-1.

    Returns
    -------
    Verdict
        Witnesses are released records with a cell that is not true. Nothing to compare is a no.
    """
    if not released or original.keys() != released.keys():
        return Verdict(False, "the original and the released columns are not the same, so nothing is proven")
    if not len(rows):
        return Verdict(False, "the release holds no record, so nothing is proven")
    for name, (_, codes) in released.items():
        if len(codes) != len(rows):
            return Verdict(False, f"column '{name}': {len(codes)} cells are given for {len(rows)} records")
    strange = _strange(rows, min(len(leaves) for leaves in original.values()))
    if strange.any():
        return ruling(strange, f"{strange.sum()} records do not come from one original record each", {})
    false = {name: ~_covered(original[name][rows], *released[name]) for name in released}
    wrong = [f"column '{name}': {cells.sum()}" for name, cells in false.items() if cells.any()]
    if wrong:
        sentence = f"published forms that do not cover the original value: {'; '.join(wrong)}"
    else:
        sentence = f"all {len(rows)} records are true: every published form covers its original value"
    return ruling(np.logical_or.reduce(list(false.values())), sentence, {})


def unchanged(name: str, original: Sequence[str | None], released: Sequence[str | None]) -> Verdict:
    """Judge whether a column that is published as it is still is: `original` has the kept records only."""
    if len(original) != len(released):
        return Verdict(False, f"column '{name}': {len(released)} cells are given for {len(original)} records")
    pairs = zip(original, released, strict=True)
    differs = np.fromiter((a != b for a, b in pairs), dtype=bool, count=len(original))
    if differs.any():
        return ruling(differs, f"column '{name}': {differs.sum()} cells were changed", {})
    return ruling(differs, f"column '{name}': all {len(original)} cells are unchanged", {})


def _strange(rows: I8, records: int) -> B1:
    """Rows that name no original record, or one that another row names too."""
    outside = (rows < 0) | (rows >= records)
    uses = np.bincount(np.where(outside, 0, rows), weights=~outside, minlength=1)
    return np.asarray(outside | (uses[np.where(outside, 0, rows)] > 1), dtype=bool)


def _covered(leaf: I4, forms: Forms, form: I4) -> B1:
    """For each row, whether the leaf is among its form's; (form, leaf) pairs are compared as single numbers."""
    width = max(int(forms.leaves.max(initial=0)), int(leaf.max(initial=0))) + 1
    inside = owners(forms.start) * width + forms.leaves
    # A form that does not exist makes a number outside all others; a negative leaf would not.
    return np.asarray((leaf >= 0) & np.isin(form.astype(np.int64) * width + leaf, inside), dtype=bool)
