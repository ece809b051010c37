"""Look at a release, or at what a maker made, without letting anything out."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.data.types import I8
from shoal.publish.draft import Draft
from shoal.publish.protocols import Dataset
from shoal.publish.shapes import SHAPES
from shoal.publish.study.preview.result import Pair, Preview
from shoal.release import Result

__all__ = ["ROWS", "preview", "preview_of", "spread"]

ROWS = 20
"""How many records are shown."""


def preview(draft: Draft, *, rows: int = ROWS) -> Preview:
    """Some records of a judged release before and after, with all that is lost."""
    return preview_of(draft.dataset, draft.result, draft.method, draft.loss, draft.claimed, rows=rows)


def preview_of(
    dataset: Dataset,
    result: Result[Any],
    method: Mapping[str, Any],
    loss: Mapping[str, float],
    claim: Mapping[str, Any],
    *,
    rows: int = ROWS,
) -> Preview:
    """The same of whatever a maker made; nobody has judged it, so nothing of it may leave."""
    shape = SHAPES[dataset.shape]
    release = result.release
    kept: I8 = np.asarray(getattr(release, "table", release).rows)
    records = spread(dataset.records, rows)
    place = _places(kept, records)
    after = shape.released_cells(dataset, result, place[place >= 0])
    columns = tuple(after)
    before = shape.original_cells(dataset, columns, records)
    released = zip(*after.values(), strict=True)
    pairs = [
        Pair(int(record) + 1, cells, next(released) if at >= 0 else None)
        for record, at, cells in zip(records, place, zip(*before.values(), strict=True), strict=True)
    ]
    part, lost = shape.loss_by(dataset, result)
    counts = (dataset.records, dataset.records - len(kept))
    rule = getattr(release, "rule", {})
    chosen = {"levels": rule["levels"]} if "levels" in rule else {}
    return Preview(dataset.shape, method, claim, chosen, columns, pairs, *counts, loss, part, lost)


def spread(many: int, some: int) -> I8:
    """The numbers of `some` records that lie evenly over all of them, the first and the last among them.

    >>> spread(7, 3).tolist(), spread(2, 3).tolist()
    ([0, 3, 6], [0, 1])
    """
    if many <= some:
        return np.arange(many)
    return np.linspace(0, many - 1, some).round().astype(np.int64)


def _places(kept: I8, records: I8) -> I8:
    """Where each record stands among those that are kept; -1 where it does not."""
    order = np.argsort(kept, kind="stable")
    at = np.minimum(np.searchsorted(kept[order], records), len(kept) - 1)
    if not len(kept):
        return np.full(len(records), -1)
    return np.where(kept[order[at]] == records, order[at], -1)
