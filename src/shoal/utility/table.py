"""Losses of a released table (discernibility, ncp, precision and so on), from their definitions: 0 is untouched.

N : records that came in        S : records suppressed        d : quasi-identifiers
D : leaves of a column's whole hierarchy        l, h : a column's level and its hierarchy's height

Losses of cells (`glm`, `glm_geometric`, `ncp`, `il`, `precision`) charge a suppressed record 1 in every
column. Losses of classes (`dm`, `dm_star`, `aecs`, `c_avg`, `ce`) only look at which records are alike.
A table without records loses nothing.
"""

from collections.abc import Callable, Mapping
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from shoal.base.errors import InputError
from shoal.data.arrays import F8, I4, I8, count_codes, sum_rows
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import numbers_of, read_range, without_missing
from shoal.release import PublishedValues, Recoded
from shoal.utility.classes import class_ids, class_of_rows

__all__ = [
    "Price",
    "aecs",
    "are_levels_visible",
    "c_avg",
    "ce",
    "dm",
    "dm_star",
    "entropy",
    "glm",
    "glm_geometric",
    "height",
    "il",
    "il_numeric",
    "loss_by_column",
    "mean_prices",
    "ncp",
    "ncp_by_column",
    "precision",
    "sse",
    "width",
]


def loss_by_column(recoded: Recoded, hierarchies: Hierarchies) -> dict[str, float]:
    """`glm` of each column alone, suppressed records counting 1.

    A report that is published shows only columns whose hierarchy is `public`.
    """
    return dict(zip(recoded.names, mean_prices(recoded, hierarchies, _leaf_share).tolist(), strict=True))


def glm(recoded: Recoded, hierarchies: Hierarchies) -> float:
    """General loss: mean over columns of the mean over records of (leaves-1)/(D-1); suppressed 1.

    From 0 (every cell a leaf) to 1 (every cell a root, or suppressed). A hierarchy with D = 1 has nothing
    to lose: its kept cells cost 0 by convention.

    References
    ----------
    .. [1] Iyengar. Transforming data to satisfy privacy constraints. KDD 2002.
    """
    return float(mean_prices(recoded, hierarchies, _leaf_share).mean())


def glm_geometric(recoded: Recoded, hierarchies: Hierarchies) -> float:
    """General loss with a geometric mean: prod_j(1 + loss_j)^(1/d) - 1, loss_j being column j's `glm`.

    From 0 to 1, never above `glm`: one column lost wholly weighs less than the same loss spread out.
    """
    means = mean_prices(recoded, hierarchies, _leaf_share)
    return float(np.prod(1 + means) ** (1 / len(means)) - 1)


def ncp(recoded: Recoded, hierarchies: Hierarchies, weights: Mapping[str, float] | None = None) -> float:
    """Normalized certainty penalty: weighted mean of 0 for a leaf, else leaves/D or range/domain.

    A suppressed record counts 1. Missing cells that a label stands for beside others are one leaf more. The range
    counts where a form is written as one, `[20, 34]`, and is no node of the hierarchy: its upper minus its lower end,
    within the domain, over the same for all of the hierarchy's numbers.

    Parameters
    ----------
    recoded, trees
        The release and its hierarchies.
    weights
        For each column, not negative, not all 0, scaled here to sum 1; None weighs all columns alike.

    Raises
    ------
    InputError
        A column has no weight, or the weights cannot be scaled to sum 1.

    References
    ----------
    .. [1] Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006.
    """
    return float(_scale_weights(recoded.names, weights) @ mean_prices(recoded, hierarchies, penalty))


def ncp_by_column(recoded: Recoded, hierarchies: Hierarchies) -> dict[str, float]:
    """`ncp` of each column alone, suppressed records counting 1; their weighted mean is `ncp`."""
    return dict(zip(recoded.names, mean_prices(recoded, hierarchies, penalty).tolist(), strict=True))


def il(recoded: Recoded, hierarchies: Hierarchies) -> float:
    """Information loss of the MST paper: mean over records of the sum over columns; suppressed 1 a column.

    A cell costs (leaves-1)/D, or range/domain where it is written as a range. From 0 to d: it is a sum, not a mean.

    References
    ----------
    .. [1] Ramana, Kumari. Achieving k-anonymity using Minimum Spanning Tree based Partitioning. Eq. 6-9.
    """
    return float(mean_prices(recoded, hierarchies, information).sum())


def il_numeric(recoded: Recoded, hierarchies: Hierarchies) -> float:
    """`il` with columns of numbers by Equation 6 wherever they are: range/domain, also of a node of the hierarchy.

    The range of a node goes from the smallest to the largest number below it, the domain over all numbers of the
    hierarchy. Columns of names, and codes such as 01069, cost (leaves-1)/D.

    References
    ----------
    .. [1] Ramana, Kumari. Achieving k-anonymity using Minimum Spanning Tree based Partitioning. Eq. 6-9.
    """
    return float(mean_prices(recoded, hierarchies, width).sum())


def precision(recoded: Recoded, hierarchies: Hierarchies) -> float:
    """How far up the columns stand: mean_j((N-S) l_j/h_j + S)/N, from 0 to 1. Full-domain recodings only.

    A hierarchy of one level (h = 0) has nothing to climb: its kept cells cost 0.
    Sweeney's Prec is 1 minus this loss.

    Raises
    ------
    InputError
        The recoding is local: it has no level vector.

    References
    ----------
    .. [1] Sweeney. Achieving k-anonymity privacy protection using generalization and suppression. 2002.
    """
    levels, n, suppressed = _require_levels(recoded), recoded.records, recoded.suppressed
    climbed = np.array([levels[name] / max(hierarchies[name].height, 1) for name in recoded.names])
    return float(np.mean(((n - suppressed) * climbed + suppressed) / max(n, 1)))


def height(recoded: Recoded) -> float:
    """The sum of the levels, sum l_j: the node's height in the lattice. Full-domain recodings only.

    Raises
    ------
    InputError
        The recoding is local: it has no level vector.
    """
    levels = _require_levels(recoded)
    return float(sum(levels[name] for name in recoded.names))


def dm(sizes: I8, records: int) -> float:
    """Discernibility: the sum of squares of the kept classes' `sizes`, plus N, the `records`, for each suppressed one.

    References
    ----------
    .. [1] Bayardo, Agrawal. Data privacy through optimal k-anonymization. ICDE 2005.
    """
    return float(sizes @ sizes + records * (records - int(sizes.sum())))


def dm_star(
    recoded: Recoded, hierarchies: Hierarchies, leaves: I4 | None = None, counts: I8 | None = None
) -> float:
    """Discernibility over all classes: the sum of squares, suppressed records in the classes they would form.

    Parameters
    ----------
    recoded, trees
        The release and its hierarchies.
    leaves
        int32[N, d], the original records as leaf codes; needed only when records are suppressed.
    counts
        int64[N], how many records each of these stands for; None when each is one.

    Raises
    ------
    InputError
        Records are suppressed and their classes cannot be known: no `leaves`, or a local recoding.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006 (its C_DM).
    """
    if recoded.suppressed:
        recoded = _restore_suppressed(recoded, hierarchies, leaves, counts)
    return dm(count_codes(class_of_rows(recoded), recoded.counts), recoded.records)


def aecs(sizes: I8, records: int) -> float:
    """Average class size, N/(kept classes + [S > 0]): all suppressed records count as one class more."""
    return records / max(len(sizes) + (int(sizes.sum()) < records), 1)


def c_avg(sizes: I8, records: int, k: int) -> float:
    """Normalized average class size, N/(classes k): 1 when every class has exactly k; inf without classes.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.
    """
    return records / (len(sizes) * k) if len(sizes) else inf


def ce(recoded: Recoded, classes: I8, target: NDArray[np.integer]) -> float:
    """Classification error: the share of records that do not bear their class's most frequent target.

    (sum over classes of (size - majority) + S)/N, suppressed records being errors. `classes` is the class of each
    released row; `target` is int[N], equal numbers where the target column of the originals is equal.

    References
    ----------
    .. [1] Iyengar. Transforming data to satisfy privacy constraints. KDD 2002.
    """
    n = recoded.records
    if recoded.counts is None and len(target) != n:
        raise InputError(f"ce: {len(target)} target values for {n} records; give one per record")
    pair_of_row = class_ids([classes, target[recoded.rows]])
    pair_counts = count_codes(pair_of_row, recoded.counts)
    class_of = np.zeros(len(pair_counts), dtype=np.int64)
    class_of[pair_of_row] = classes
    majority = np.zeros(len(np.bincount(classes)), dtype=np.int64)
    np.maximum.at(majority, class_of, pair_counts)
    return (n - int(majority.sum())) / max(n, 1)


def _restore_suppressed(
    recoded: Recoded, hierarchies: Hierarchies, leaves: I4 | None, counts: I8 | None
) -> Recoded:
    """The same recoding with every record kept."""
    if leaves is None or "levels" not in recoded.rule:
        raise InputError(
            f"dm-star: {recoded.suppressed} suppressed record(s) whose classes are not known; give the original leaf "
            "codes, and use it with full-domain recodings only"
        )
    levels = [recoded.rule["levels"][name] for name in recoded.names]
    return Recoded.of_levels(recoded.names, hierarchies, leaves, levels, np.arange(len(leaves)), counts)


def sse(recoded: Recoded, hierarchies: Hierarchies, leaves: I4) -> float | None:
    """SSE/SST of microaggregation: how much of the spread of numbers lies within classes, each column standardized.

    The squares of what published means or medians differ by from the originals, over the squares of what the mean of
    all records differs by, each column divided by its variance; a suppressed record counts as the mean of all. Papers
    print it in percent. None where no column is published as means. `leaves` is int32[N, d], the originals.

    References
    ----------
    .. [1] Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control.
       TKDE 14(1), 2002.
    """
    ratios = []
    for j, (name, forms) in enumerate(zip(recoded.names, recoded.forms, strict=True)):
        numbers = numbers_of(hierarchies[name])
        if not forms.centre or numbers is None:
            continue
        value = np.array([np.nan if number is None else float(number) for number in (*numbers, None)])[
            leaves[:, j]
        ]
        published = np.full(len(value), value.mean())
        published[recoded.rows] = np.array([float(label or "nan") for label in forms.labels])[
            recoded.codes[:, j]
        ]
        ratios.append(((value - published) ** 2).sum() / (((value - value.mean()) ** 2).sum() or 1.0))
    return float(np.mean(ratios)) if ratios else None


# --- weights and levels -----------------------------------------------------------------------------------------------


def _scale_weights(names: tuple[str, ...], weights: Mapping[str, float] | None) -> F8:
    """The weights in column order, summing to 1."""
    if weights is None:
        return np.full(len(names), 1 / len(names))
    missing = [name for name in names if name not in weights]
    if missing:
        raise InputError(f"ncp: no weight for column '{missing[0]}'; give every quasi-identifier one")
    raw_weights = np.array([float(weights[name]) for name in names])
    if not isfinite(raw_weights.sum()) or raw_weights.min() < 0 or raw_weights.sum() == 0:
        raise InputError("ncp: the weights must be numbers, none below 0 and not all 0")
    return np.asarray(raw_weights / raw_weights.sum(), dtype=np.float64)


def _require_levels(recoded: Recoded) -> Mapping[str, int]:
    if "levels" not in recoded.rule:
        raise InputError(
            "loss: a local recoding has no levels; use glm or ncp instead of precision or height"
        )
    levels: Mapping[str, int] = recoded.rule["levels"]
    return levels


def are_levels_visible(recoded: Recoded, hierarchies: Hierarchies) -> bool:
    """Whether the released forms of each column are nodes of one level only: readers then see the level."""
    levels = _require_levels(recoded)
    return all(
        _is_one_level(hierarchies[name], levels[name], forms, np.flatnonzero(recoded.cells[j]))
        for j, (name, forms) in enumerate(zip(recoded.names, recoded.forms, strict=True))
    )


def _is_one_level(hierarchy: Hierarchy, level: int, forms: PublishedValues, used: I8) -> bool:
    low = forms.leaves[forms.start[used]]
    high = np.minimum(forms.leaves[forms.start[used + 1] - 1] + 1, hierarchy.size)
    spans = np.stack([low, high], axis=1)
    if level < hierarchy.height:  # the root stands for missing cells on every level, so it shows none
        spans = spans[high - low < hierarchy.size]
    neighbours = [neighbour for neighbour in (level - 1, level + 1) if 0 <= neighbour <= hierarchy.height]
    return not any(
        np.array_equal(hierarchy.spans[neighbour][hierarchy.up[spans[:, 0], neighbour]], spans)
        for neighbour in neighbours
    )


# --- entropy ----------------------------------------------------------------------------------------------------------


def entropy(recoded: Recoded, hierarchies: Hierarchies, leaves: I4, counts: I8 | None = None) -> float:
    """Non-uniform entropy, as a share of what is lost when nothing is told.

    A cell costs -log2(records with its original value / records whose original value it may stand for): the bits that
    are missing to tell which value it was, for a reader who knows how frequent each is. A suppressed cell may stand for
    every record's value. The sum over all cells is divided by what it would be with all records suppressed, so it goes
    from 0 to 1; where all records are equal there is nothing to tell, and it is 0.

    Parameters
    ----------
    recoded, hierarchies
        The release and its hierarchies.
    leaves
        int32[N, d], the original records as leaf codes.
    counts
        int64[N], how many records each of these stands for; None when each is one.

    References
    ----------
    .. [1] Gionis, Tassa. k-Anonymization with minimal loss of information. TKDE 21(2), 2009.
    """
    total_bits = lost_bits = 0.0
    for j, (name, forms) in enumerate(zip(recoded.names, recoded.forms, strict=True)):
        value_counts = count_codes(leaves[:, j], counts, hierarchies[name].size + 1)
        unknown_bits = float(value_counts @ _bits(recoded.records / np.maximum(value_counts, 1)))
        told_bits = float(
            recoded.cells[j]
            @ _bits(recoded.records / np.maximum(_count_records_inside(forms, value_counts), 1))
        )
        total_bits, lost_bits = total_bits + unknown_bits, lost_bits + unknown_bits - told_bits
    return min(max(lost_bits / total_bits, 0.0), 1.0) if total_bits else 0.0


def _count_records_inside(forms: PublishedValues, held: I8) -> I8:
    """How many records have an original value that each form may stand for; `held` counts them by leaf code."""
    return sum_rows(forms.start, held[forms.leaves])


def _bits(ratio: F8) -> F8:
    return np.asarray(np.log2(ratio), dtype=np.float64)


# --- what one cell costs in each published form -----------------------------------------------------------------------

Price = Callable[[PublishedValues, Hierarchy], F8]


def mean_prices(recoded: Recoded, hierarchies: Hierarchies, price: Price) -> F8:
    """For each column, the mean over all records of what each pays for its form; a suppressed record pays 1."""
    means = np.empty(len(recoded.names))
    for j, (name, forms) in enumerate(zip(recoded.names, recoded.forms, strict=True)):
        prices = price(forms, hierarchies[name])
        paid = recoded.cells[j] @ prices
        means[j] = (paid + recoded.suppressed) / max(recoded.records, 1)
    return means


def _leaf_share(forms: PublishedValues, hierarchy: Hierarchy) -> F8:
    """(leaves-1)/(D-1); 0 where D = 1, as a form of one leaf has leaves-1 = 0."""
    return (_count_values(forms, hierarchy) - 1) / max(hierarchy.domain - 1, 1)


def penalty(forms: PublishedValues, hierarchy: Hierarchy) -> F8:
    """0 for a leaf, range/domain for a written range and for a mean's class, leaves/D for any other form."""
    if forms.centre:
        return width(forms, hierarchy)
    counts = _count_values(forms, hierarchy)
    return _price_ranges(np.where(counts > 1, counts / hierarchy.domain, 0.0), forms, hierarchy)


def information(forms: PublishedValues, hierarchy: Hierarchy) -> F8:
    """range/domain for a written range and for a mean's class, (leaves-1)/D for any other form."""
    if forms.centre and numbers_of(hierarchy) is not None:
        return width(forms, hierarchy)
    return _price_ranges((_count_values(forms, hierarchy) - 1) / hierarchy.domain, forms, hierarchy)


def _count_values(forms: PublishedValues, hierarchy: Hierarchy) -> I8:
    """How many leaves each form stands for; missing cells are one leaf more beside some leaves, but not beside all.

    What stands for missing cells alone tells as much as a leaf.
    """
    counts = forms.counts(hierarchy.domain)
    has_missing = sum_rows(forms.start, forms.leaves >= hierarchy.size) > 0
    return np.asarray(counts + (has_missing & (counts < hierarchy.domain)), dtype=np.int64)


def width(forms: PublishedValues, hierarchy: Hierarchy) -> F8:
    """range/domain for any form of a column of numbers, nodes of the hierarchy too; (leaves-1)/D for names.

    The range of a node goes from the smallest to the largest number below it.
    """
    numbers = numbers_of(hierarchy)
    if numbers is None or len(forms.leaves) == 0:
        return information(forms, hierarchy)
    value = np.array([np.nan if number is None else float(number) for number in (*numbers, None)])
    inside = value[np.minimum(forms.leaves, len(numbers))]  # what stands for missing cells is no number
    low, high = (pick.reduceat(inside, forms.start[:-1]) for pick in (np.fmin, np.fmax))
    domain = np.nanmax(value) - np.nanmin(value)
    return _price_ranges(np.nan_to_num((high - low) / (domain or 1.0)), forms, hierarchy)


def _price_ranges(prices: F8, forms: PublishedValues, hierarchy: Hierarchy) -> F8:
    """Put range/domain in the place of the prices of forms that are written as ranges and are no nodes.

    The range ends where the domain does: ends on a grid may lie beyond.
    """
    numbers = [value for value in numbers_of(hierarchy) or () if value is not None]
    if not numbers or numbers[0] == numbers[-1]:
        return prices
    bottom, top = numbers[0], numbers[-1]
    for form, label in enumerate(forms.labels):
        if label is None or label in hierarchy.places:
            continue
        range_label = without_missing(label)
        ends = read_range(range_label)
        if ends is not None:
            share = float((min(ends[1], top) - max(ends[0], bottom)) / (top - bottom))
            prices[form] = min(share + (range_label != label) / hierarchy.domain, 1.0)
    return prices
