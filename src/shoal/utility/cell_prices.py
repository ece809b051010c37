"""What one cell costs in each published form, by the loss that asks; and a column's mean of that."""

from collections.abc import Callable

import numpy as np

from shoal.data.counting import times
from shoal.data.types import F8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import numbers_of, read_range
from shoal.release import Forms, Recoded

__all__ = ["Price", "by_column", "information", "leaf_share", "penalty", "width"]

Price = Callable[[Forms, Hierarchy], F8]


def by_column(recoded: Recoded, hierarchies: Hierarchies, price: Price) -> F8:
    """For each column, the mean over all records of what each pays for its form; a suppressed record pays 1."""
    means = np.empty(len(recoded.names))
    for j, (name, forms) in enumerate(zip(recoded.names, recoded.forms, strict=True)):
        prices = price(forms, hierarchies[name])
        paid = times(recoded.codes[:, j], recoded.counts, len(prices)) @ prices
        means[j] = (paid + recoded.suppressed) / max(recoded.records, 1)
    return means


def leaf_share(forms: Forms, hierarchy: Hierarchy) -> F8:
    """(leaves-1)/(D-1); 0 where D = 1, as a form of one leaf has leaves-1 = 0."""
    return (forms.counts(hierarchy.domain) - 1) / max(hierarchy.domain - 1, 1)


def penalty(forms: Forms, hierarchy: Hierarchy) -> F8:
    """0 for a leaf, range/domain for a written range, leaves/D for any other form."""
    counts = forms.counts(hierarchy.domain)
    return _but_ranges(np.where(counts > 1, counts / hierarchy.domain, 0.0), forms, hierarchy)


def information(forms: Forms, hierarchy: Hierarchy) -> F8:
    """range/domain for a written range, (leaves-1)/D for any other form."""
    return _but_ranges((forms.counts(hierarchy.domain) - 1) / hierarchy.domain, forms, hierarchy)


def width(forms: Forms, hierarchy: Hierarchy) -> F8:
    """range/domain for any form of a column of numbers, nodes of the hierarchy too; (leaves-1)/D for names.

    The range of a node goes from the smallest to the largest number below it.
    """
    numbers = numbers_of(hierarchy)
    if numbers is None or len(forms.leaves) == 0:
        return information(forms, hierarchy)
    value = np.array([np.nan if known is None else float(known) for known in (*numbers, None)])
    inside = value[np.minimum(forms.leaves, len(numbers))]  # what stands for missing cells is no number
    low, high = (pick.reduceat(inside, forms.start[:-1]) for pick in (np.fmin, np.fmax))
    domain = np.nanmax(value) - np.nanmin(value)
    return _but_ranges(np.nan_to_num((high - low) / (domain or 1.0)), forms, hierarchy)


def _but_ranges(prices: F8, forms: Forms, hierarchy: Hierarchy) -> F8:
    """Put range/domain in the place of the prices of forms that are written as ranges and are no nodes.

    The range ends where the domain does: ends on a grid may lie beyond.
    """
    known = [value for value in numbers_of(hierarchy) or () if value is not None]
    if not known or known[0] == known[-1]:
        return prices
    bottom, top = known[0], known[-1]
    for form, label in enumerate(forms.labels):
        ends = None if label is None or label in hierarchy.places else read_range(label)
        if ends is not None:
            prices[form] = float((min(ends[1], top) - max(ends[0], bottom)) / (top - bottom))
    return prices
