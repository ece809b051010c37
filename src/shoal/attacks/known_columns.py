"""Attackers who know all quasi-identifiers of a person and some other columns: how many rows fit what they know."""

from collections.abc import Sequence

import numpy as np

from shoal.attacks.view_table import TableView, find_fitting_classes
from shoal.data.arrays import I8

__all__ = ["count_candidates"]


def count_candidates(view: TableView, records: I8, columns: Sequence[int]) -> I8:
    """int64[records]: how many released rows have labels that stand for a record's values in some columns.

    >>> values = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> covers = (np.array([[True, True]]), np.array([[True, False], [False, True]]))
    >>> view = TableView(values, covers, np.array([[0, 0], [0, 1], [0, 1]], dtype=np.int32), np.arange(3))
    >>> count_candidates(view, np.arange(3), [0, 1]).tolist(), count_candidates(view, np.arange(3), [0]).tolist()
    ([1, 2, 2], [3, 3, 3])
    """
    seen = view.restrict_to(columns)
    candidates = np.zeros(len(records), dtype=np.int64)
    for block, record_index, class_ids in find_fitting_classes(seen, records):
        sums = np.bincount(
            record_index, weights=seen.size[class_ids], minlength=len(candidates[block])
        )  # exact: no table has 2^53 rows
        candidates[block] = sums.astype(np.int64)
    return candidates
