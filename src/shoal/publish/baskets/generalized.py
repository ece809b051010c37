"""Baskets whose items were generalized: how they are written, seen by judges, and checked for truth."""

from dataclasses import replace

import polars as pl

from shoal.data import Baskets
from shoal.data.lists import take
from shoal.data.types import I8
from shoal.hierarchy import Hierarchy
from shoal.io.list_cells import Entry, read_lists, write_lists
from shoal.privacy.truth_baskets import truth_baskets
from shoal.publish.baskets.judging import forms_of
from shoal.release import RecodedBaskets, Verdict

__all__ = ["item_cells", "item_truth", "reordered"]


def item_cells(name: str, release: RecodedBaskets, values: tuple[str, ...]) -> pl.Series:
    """The released lists: a hierarchy value is its name, a set of items the list of its members."""
    forms = release.forms
    entries: list[Entry] = [
        label if label is not None else tuple(values[leaf] for leaf in forms.leaves[a:b])
        for label, a, b in zip(forms.labels, forms.start[:-1], forms.start[1:], strict=True)
    ]
    return write_lists(name, release.start, release.items, entries)


def item_truth(
    cells: pl.Series, baskets: Baskets, tree: Hierarchy | None, rows: I8, suppressed: int
) -> Verdict:
    """Check released lists against the baskets they stem from."""
    start, items, entries = read_lists(cells)
    forms = forms_of(entries, baskets.values, tree)
    return truth_baskets((baskets.start, baskets.items), (start, items), forms, rows, suppressed=suppressed)


def reordered(release: RecodedBaskets, order: I8) -> RecodedBaskets:
    """The same baskets, rows in another order, and each row's items in the forms' order."""
    start, items = take(release.start, release.items, order)
    return replace(release, start=start, items=items, rows=release.rows[order])
