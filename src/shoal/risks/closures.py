"""What follows from known columns: whoever knows some of them knows others, too.

A column follows from the quasi-identifiers by the rules that the guards use (`dependencies`), and from other known
columns where it is a copy of one, coarser than one, or a sum, difference, ratio or logarithm of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from shoal.data import Column, Table
from shoal.data.arrays import F8, I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.privacy.core import Rule
from shoal.risks.dependencies import (
    FEW,
    SURE,
    Link,
    find_dependencies,
    find_sums,
    goodman_kruskal_lambda,
)

__all__ = ["find_closures", "tells_column"]

_ONE_ORDER = 0.995  # of a rank correlation: numbers that are the same but for rounding
_FEW_VALUES = 8
_NEXT, _NEAR = 2, 0.02
_SHARED = 5  # people with one value
_LEAST_GROUPS = 3  # of a level at which two columns are copies: two groups may be alike in who has no value


def find_closures(table: Table, leaves: I4, hierarchies: Hierarchies) -> tuple[Rule, ...]:
    """The rules by which known columns follow from the core, and from other known columns.

    Parameters
    ----------
    table
        The records.
    leaves
        int32[n, d], their leaf codes in each quasi-identifier and known column.
    hierarchies
        What the columns' values are collected into.
    """
    known = [column for column in table.quasi if column.role == "known"]
    if not known or not table.n:
        return ()
    leaf_of = {column.name: leaves[:, j] for j, column in enumerate(table.quasi)}
    found = dict.fromkeys(
        (
            *_rules_from_core(table, leaves, known),
            *_rules_of_pairs(known, leaf_of, hierarchies),
            *_rules_of_sums(table, leaves, known),
        )
    )
    smallest = [
        rule
        for rule in found
        if not any(other[1] == rule[1] and set(other[0]) < set(rule[0]) for other in found)
    ]
    return tuple(smallest)


def _rules_from_core(table: Table, leaves: I4, known: Sequence[Column]) -> Iterator[Rule]:
    """Columns that follow from the quasi-identifiers alone, or from these and other known columns."""
    is_core = np.array([column.role == "quasi" for column in table.quasi])
    core = replace(table, columns=table.core)
    asked = [replace(column, role="plain") for column in known]
    for link in find_dependencies(core, leaves[:, is_core], asked):
        if not link.tells:
            yield from _rules_of_link(link, {column.name for column in known})


def _rules_of_link(link: Link, known: set[str]) -> Iterator[Rule]:
    """What follows by a rule: each known column of a sum from all others, or one column from the quasi-identifiers."""
    columns = [name for name in dict.fromkeys((*link.known, *link.shown)) if name in known]
    shown = columns if link.terms else [name for name in link.shown if name in known]
    for name in shown:
        yield tuple(sorted(other for other in columns if other != name)), name


def _rules_of_pairs(
    known: Sequence[Column], leaf_of: dict[str, I4], hierarchies: Hierarchies
) -> Iterator[Rule]:
    """Columns that are copies of another one, at any level, or coarser than it."""
    for one in known:
        for other in known:
            if one is other:
                continue
            if tells_column(leaf_of[one.name], leaf_of[other.name]) or _are_copies(
                hierarchies[one.name], leaf_of[one.name], hierarchies[other.name], leaf_of[other.name]
            ):
                yield (one.name,), other.name


def tells_column(given: I4, told: I4) -> bool:
    """Whether one column tells nearly all of another; only values that several people have are evidence of it.

    Of two people with one income both may be of one household, and so live in one town.
    """
    is_shared = np.bincount(given)[given] >= _SHARED
    if 2 * is_shared.sum() < len(given):
        return False
    given, told = given[is_shared], told[is_shared]
    counts = np.bincount(told) if len(told) else np.zeros(1, dtype=np.int64)
    others = int(counts.sum() - counts.max())
    return others >= FEW and goodman_kruskal_lambda(told, given) >= SURE


def _are_copies(one: Hierarchy, leaf: I4, other: Hierarchy, other_leaf: I4) -> bool:
    """Whether two columns divide all records into the same groups, at any of their levels, or into the same order.

    Groups of one record each are equal by chance, so most records must share theirs.
    """
    if one.ordered and other.ordered and _is_one_order(leaf, one, other_leaf, other):
        return True
    partitions = [_partition_sizes(one.up[leaf, level]) for level in range(one.height)]
    others = [_partition_sizes(other.up[other_leaf, level]) for level in range(other.height)]
    for groups, sizes in partitions:
        if len(sizes) < _LEAST_GROUPS or 2 * sizes[sizes > 1].sum() < len(leaf):
            continue
        for other_groups, other_sizes in others:
            if np.array_equal(sizes, other_sizes):
                pairs = groups * len(sizes) + other_groups
                if len(np.unique(pairs)) == len(sizes):
                    return True
    return False


def _is_one_order(leaf: I4, one: Hierarchy, other_leaf: I4, other: Hierarchy) -> bool:
    """Whether two columns of numbers rise or fall together, in those who have both."""
    has_both = (leaf < one.size) & (other_leaf < other.size)
    for codes, hierarchy in ((leaf, one), (other_leaf, other)):
        if hierarchy.missing is not None:
            has_both &= codes != hierarchy.missing
    ranks = [_mean_ranks(codes[has_both]) for codes in (leaf, other_leaf)]
    if has_both.sum() < FEW or any(rank.std() == 0 for rank in ranks):
        return False
    first, second = ((rank - rank.mean()) / rank.std() for rank in ranks)
    return bool(abs(float((first * second).mean())) >= _ONE_ORDER)


def _mean_ranks(codes: I4) -> F8:
    """The rank of each record; of equal ones the mean of theirs."""
    counts = np.bincount(codes) if len(codes) else np.zeros(0, dtype=np.int64)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[codes], dtype=np.float64)


def _partition_sizes(nodes: I4) -> tuple[I8, I8]:
    """The group of each record, and the sizes of all groups in rising order."""
    _, groups, sizes = np.unique(nodes, return_inverse=True, return_counts=True)
    return groups.reshape(-1).astype(np.int64), np.sort(sizes).astype(np.int64)


def _rules_of_sums(table: Table, leaves: I4, known: Sequence[Column]) -> Iterator[Rule]:
    """Known columns of numbers, or their logarithms, that add up; of few values, sums may come about by chance."""
    names = {column.name for column in known}
    various = [column for column in known if len(np.unique(column.codes)) > _FEW_VALUES]
    for j, column in enumerate(various):
        later = [replace(other, role="plain") for other in various[j + 1 :]]
        if later:
            alone = replace(table, columns=(replace(column, role="quasi"),))
            for link in find_sums(alone, later):
                if link.sure and _is_narrow(link):
                    yield from _rules_of_link(link, names)


def _is_narrow(link: Link) -> bool:
    """Whether a sum is one number or the next, and a product one within hundredths: wider ones tell no value."""
    return link.width * link.step <= _NEAR if link.logs else link.width <= _NEXT
