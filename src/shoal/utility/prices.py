"""What one cell costs in each published form, by the loss that asks; and a column's mean of that."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Forms, Recoded

__all__ = ["Price", "by_column", "information", "leaf_share", "penalty"]

Price = Callable[[Forms, Hierarchy], NDArray[np.float64]]


def by_column(recoded: Recoded, trees: Hierarchies, price: Price) -> NDArray[np.float64]:
    """By column, the mean over all records of what each pays for its form; a suppressed record pays 1."""
    means = np.empty(len(recoded.names))
    for j, (name, forms) in enumerate(zip(recoded.names, recoded.forms, strict=True)):
        prices = price(forms, trees[name])
        paid = np.bincount(recoded.codes[:, j], minlength=len(prices)) @ prices
        means[j] = (paid + recoded.suppressed) / max(recoded.records, 1)
    return means


def leaf_share(forms: Forms, tree: Hierarchy) -> NDArray[np.float64]:
    """(leaves-1)/(D-1); 0 where D = 1, as a form of one leaf has leaves-1 = 0."""
    return (forms.counts(tree.size) - 1) / max(tree.size - 1, 1)


def penalty(forms: Forms, tree: Hierarchy) -> NDArray[np.float64]:
    """0 for a leaf, else range/domain for numbers and leaves/D for the others."""
    counts, ranges = forms.counts(tree.size), _ranges(forms, tree)
    return np.where(counts > 1, counts / tree.size if ranges is None else ranges, 0.0)


def information(forms: Forms, tree: Hierarchy) -> NDArray[np.float64]:
    """range/domain for numbers, (leaves-1)/D for the others."""
    ranges = _ranges(forms, tree)
    return (forms.counts(tree.size) - 1) / tree.size if ranges is None else ranges


def _ranges(forms: Forms, tree: Hierarchy) -> NDArray[np.float64] | None:
    """Each form's largest minus smallest number over the domain's; None where leaves are no numbers."""
    numbers = _numbers(tree)
    if numbers is None:
        return None
    under = np.r_[numbers, np.nan][forms.leaves]  # code D, a missing cell, is no number: passed over
    top, bottom = np.fmax.reduceat(under, forms.start[:-1]), np.fmin.reduceat(under, forms.start[:-1])
    return np.asarray((top - bottom) / np.ptp(numbers), dtype=np.float64)


def _numbers(tree: Hierarchy) -> NDArray[np.float64] | None:
    """The leaves of an ordered hierarchy as numbers, if they all are and span a domain."""
    if not tree.ordered:
        return None
    try:
        numbers = np.array([float(leaf) for leaf in tree.leaves])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() and np.ptp(numbers) > 0 else None
