"""Baskets whose items were generalized: how they are written, seen by judges, and checked for truth."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.data import Baskets
from shoal.data.lists import owners, take
from shoal.data.types import F8, I8
from shoal.hierarchy import Hierarchy
from shoal.io.read.cells import text
from shoal.io.write.json_text import Entry, read_lists, write_lists
from shoal.privacy import unchanged
from shoal.privacy.truth import truth_of_baskets
from shoal.publish.shapes.baskets.judging import forms_of
from shoal.release import Forms, RecodedBaskets, Verdict

if TYPE_CHECKING:
    from shoal.publish.shapes.baskets.dataset import BasketData

__all__ = ["basket_truth", "item_cells", "item_truth", "item_weights", "reordered"]


def item_cells(name: str, release: RecodedBaskets, values: tuple[str, ...]) -> pl.Series:
    """The released lists: a hierarchy value is its name, a set of items the list of its members."""
    forms = release.forms
    entries: list[Entry] = [
        label if label is not None else tuple(values[leaf] for leaf in forms.leaves[a:b])
        for label, a, b in zip(forms.labels, forms.start[:-1], forms.start[1:], strict=True)
    ]
    return write_lists(name, release.start, release.items, entries)


def item_weights(baskets: Baskets, method: Mapping[str, Any]) -> F8 | None:
    """The weights that the maker's parameters give items, 1 for the others; None where they give none."""
    given = method["parameters"].get("weights")
    return None if given is None else np.array([float(given.get(item, 1)) for item in baskets.values])


def item_truth(
    cells: pl.Series,
    baskets: Baskets,
    hierarchy: Hierarchy | None,
    rows: I8,
    suppressed: int,
    exempt: frozenset[int],
) -> Verdict:
    """Check released lists against the baskets they stem from, row i against basket rows[i].

    Items that the claim exempts are published as they are, so no wider form stands for one of them.
    """
    start, items, entries = read_lists(cells)
    forms = _without(forms_of(entries, baskets.values, hierarchy), exempt)
    original = (baskets.start, baskets.items)
    return truth_of_baskets(original, (start, items), forms, rows, suppressed=suppressed)


def basket_truth(
    frame: pl.DataFrame, data: "BasketData", rows: I8, suppressed: int, exempt: frozenset[int]
) -> Verdict:
    """Check released items, and the columns beside them, against the records that they stem from."""
    said = item_truth(frame["items"], data.baskets, data.hierarchy, rows, suppressed, exempt)
    for column in data.table.columns:
        if said:
            original = [column.values[code] for code in column.codes[rows]]
            said = unchanged(column.name, original, text(frame[column.name]).to_list())
    return said


def _without(forms: Forms, exempt: frozenset[int]) -> Forms:
    """The same forms, those of several items standing for no exempt one."""
    own = owners(forms.start)
    kept = ~np.isin(forms.leaves, list(exempt)) | (np.diff(forms.start)[own] == 1)
    start = np.r_[0, np.cumsum(np.bincount(own[kept], minlength=len(forms.labels)))]
    return Forms(forms.labels, start.astype(np.int64), forms.leaves[kept])


def reordered(release: RecodedBaskets, order: I8) -> RecodedBaskets:
    """The same baskets, rows in another order, and each row's items in the forms' order."""
    start, items = take(release.start, release.items, order)
    return replace(release, start=start, items=items, rows=release.rows[order])
