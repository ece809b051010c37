"""What is refused before any work: claims that say nothing, plain columns that give people away."""

import numpy as np

from shoal.data import Column
from shoal.errors import InputError
from shoal.publish.dataset import Dataset

__all__ = ["guard"]


def guard(dataset: Dataset, *, l: int | None = None, t: float | None = None) -> None:
    """Refuse what no release of `dataset` could honestly claim or safely carry."""
    if not dataset.table.quasi:
        raise InputError(
            "columns: no quasi-identifier, so a claim would be empty; give at least one column role quasi"
        )
    if (l is not None or t is not None) and not dataset.table.role("sensitive"):
        raise InputError(
            "guarantee: l and t speak of a sensitive column, and there is none; give one that role"
        )
    for column in dataset.table.role("plain"):
        if column.name not in dataset.allow:
            _guard_plain(column, dataset)


def _guard_plain(column: Column, dataset: Dataset) -> None:
    """A plain column is published as it is: it must neither single people out nor undo a generalization."""
    n, distinct = len(column.codes), len(np.unique(column.codes))
    if n > 1 and distinct > n / 2:
        raise InputError(
            f"column '{column.name}': {distinct} different values in {n} records single people out; make it quasi "
            "or identifier, or set allow = true to publish it knowingly"
        )
    for j, quasi in enumerate(dataset.table.quasi):
        if _refines(column, dataset.leaves[:, j]):
            raise InputError(
                f"column '{column.name}': its value tells the value of quasi-identifier '{quasi.name}'; make it "
                "quasi or identifier, or set allow = true to publish it knowingly"
            )


def _refines(column: Column, leaves: np.ndarray[tuple[int], np.dtype[np.int32]]) -> bool:
    """Whether equal cells of `column` always go with equal values of a quasi-identifier that varies."""
    values = len(np.unique(leaves))
    if values < 2:
        return False
    pairs = column.codes.astype(np.int64) * (int(leaves.max()) + 1) + leaves
    return len(np.unique(pairs)) == len(np.unique(column.codes))
