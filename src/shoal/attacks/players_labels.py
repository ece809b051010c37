"""Whoever knows that labels are as narrow as possible concludes from a label that several parts of it are inhabited.

A class of s rows is written as the lowest node over its values: then at least two children of the node are inhabited.
As a set: then every value of it is. As a range: then both of its ends are. No claim about k covers this.

Items and values of trees are written as nodes of a cut, which is no higher than it must be: then at least two children
of a node are inhabited somewhere among the rows that show it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import comb, inf, log2

import numpy as np

from shoal.attacks.background import Entry, leaves_under
from shoal.attacks.engine import Chances
from shoal.attacks.view_table import ALL, ENDS, TWO, LabelParts, TableView
from shoal.data.arrays import B1, F8, I8
from shoal.hierarchy import Hierarchy

__all__ = ["children_of", "label_parts", "lowest_cut", "lowest_labels", "worlds_of", "worlds_of_cut"]

_FEW = 5  # possible worlds that one can list


def worlds_of(says: int, sizes: I8, s: int) -> int:
    """In how many ways s rows can take the leaves of a label, rows not told apart.

    >>> worlds_of(TWO, np.array([1, 1]), 2), worlds_of(TWO, np.array([2, 1]), 2), worlds_of(ALL, np.array([1, 1, 1]), 4)
    (1, 2, 3)
    >>> worlds_of(ENDS, np.array([1, 3, 1]), 3)
    5
    """
    leaves = int(sizes.sum())
    if says == TWO:
        return comb(s + leaves - 1, s) - sum(comb(s + size - 1, s) for size in sizes.tolist())
    if says == ALL:
        return comb(s - 1, len(sizes) - 1)
    return comb(s + leaves - 3, s - 2)


def _bits(says: int, shares: F8, s: int) -> float:
    """What the label says, in bits: minus the logarithm of its chance where s rows follow the shares of its parts."""
    if says == TWO:
        chance = 1.0 - float((shares**s).sum())
    elif says == ENDS:
        low, high = float(shares[0]), float(shares[-1])
        chance = 1.0 - (1 - low) ** s - (1 - high) ** s + max(1 - low - high, 0.0) ** s
    else:
        ways = np.zeros(s + 1)  # the chance, up to s!, that so many rows inhabit all parts so far
        ways[0] = 1.0
        for share in shares.tolist():
            steps = np.cumprod(np.r_[1.0, np.full(s, share) / np.arange(1, s + 1)])
            steps[0] = 0.0
            ways = np.convolve(ways, steps)[: s + 1]
        chance = float(ways[s]) * float(np.prod(np.arange(1.0, s + 1)))
    return -log2(chance) if chance > 0 else inf


def lowest_labels(view: TableView, records: I8, parts: tuple[LabelParts, ...]) -> Chances:
    """Look at every class and column whose label has several parts.

    Parameters
    ----------
    view
        The release beside its originals.
    records
        The records of the people who are played.
    parts
        The labels of each column.

    Returns
    -------
    Chances
        1 for whoever is alone outside the part of a label that holds all others of the class: that there is one such
        person describes nobody else. Of the figures, `labels` is how many pairs of a class and a column have a label of
        several parts, `one world` and `few worlds` how many of them leave one way, and two to five, to fill them;
        `bits` is what a cell says beyond its label, on average over the cells of these labels, where rows follow the
        shares of all records.
    """
    kept = np.flatnonzero(view.of_record >= 0)
    of, alone = view.of_record[kept], np.zeros(len(view.own), dtype=bool)
    pairs, cells, one, few, bits = 0, 0, 0, 0, 0.0
    known: dict[tuple[int, int, int], tuple[int, float]] = {}
    for j, column in enumerate(parts):
        leaf = view.values[kept, j]
        spread = np.bincount(view.values[:, j], minlength=column.part.shape[1]).astype(np.float64)
        form = view.labels[:, j]
        several = (column.part >= 0).any(axis=1) & (column.part.max(axis=1) > 0)
        part = column.part[form[of], leaf]
        width = int(column.part.max(initial=0)) + 1
        unsure = np.bincount(of[part < 0], minlength=len(form)) > 0  # a missing cell makes a label wide, too
        looked = several[form[of]] & ~unsure[of]
        times = np.bincount(of[looked] * width + part[looked], minlength=len(form) * width).reshape(-1, width)
        largest, most = times.argmax(axis=1), times.max(axis=1)
        sizes = times.sum(axis=1)
        lonely = (sizes > 1) & (most == sizes - 1)
        alone[kept[looked & lonely[of] & ((part != largest[of]) | (sizes[of] == 2))]] = True
        for c in np.flatnonzero(several[form] & (sizes > 0)).tolist():
            f, s = int(form[c]), int(sizes[c])
            if (j, f, s) not in known:
                inside = column.part[f] >= 0
                leaves = np.bincount(column.part[f][inside])
                shares = np.bincount(column.part[f][inside], weights=spread[inside])
                says = int(column.says[f])
                known[j, f, s] = worlds_of(says, leaves, s), _bits(says, shares / shares.sum(), s)
            worlds, told = known[j, f, s]
            pairs, cells, bits = pairs + 1, cells + s, bits + told
            one, few = one + (worlds == 1), few + (1 < worlds <= _FEW)
    people = np.unique(view.person[records])
    found = np.zeros(view.people)
    np.maximum.at(found, view.person, alone.astype(np.float64))
    figures = {"labels": pairs, "one world": one, "few worlds": few, "bits": bits / max(cells, 1)}
    return Chances(found[people], view.people, figures=figures)


def label_parts(labels: Sequence[str | None], covers: B1, hierarchy: Hierarchy, *, exact: bool) -> LabelParts:
    """The parts of some labels: the children of a node, the values of a set, the ends of a range that are `exact`.

    Parameters
    ----------
    labels
        What is written.
    covers
        bool[forms, leaves + 1]: whether each stands for each leaf; the last is a missing cell that no leaf covers.
    """
    part = np.where(covers, 0, -1).astype(np.int64)
    part[:, -1] = -1
    says = np.full(len(labels), TWO, dtype=np.int64)
    nodes = {label for level in hierarchy.labels for label in level}
    for f, label in enumerate(labels):
        leaves = np.flatnonzero(covers[f, :-1])
        if len(leaves) < 2:
            continue
        if label in nodes:
            ways = hierarchy.up[leaves]
            level = int(np.flatnonzero((ways == ways[0]).all(axis=0))[0]) - 1
            part[f, leaves] = np.unique(ways[:, level], return_inverse=True)[1].reshape(-1)
        elif label is not None and label.startswith('["'):
            part[f, leaves], says[f] = np.arange(len(leaves)), ALL
        elif exact:
            part[f, leaves], says[f] = 1, ENDS
            part[f, leaves[0]], part[f, leaves[-1]] = 0, 2 if len(leaves) > 2 else 1
    return LabelParts(part, says)


def children_of(entry: Entry, hierarchy: Hierarchy | None) -> list[list[str]]:
    """What a published item or value stands for, by the children of its node; of a set every item by itself.

    >>> fruit = Hierarchy.from_paths("item", [["fig", "fruit", "*"], ["pear", "fruit", "*"], ["nut", "dry", "*"]])
    >>> children_of("*", fruit), children_of("fig", fruit), children_of(("fig", "nut"), None)
    ([['fig', 'pear'], ['nut']], [['fig']], [['fig'], ['nut']])
    """
    leaves = leaves_under(entry, hierarchy)
    if hierarchy is None or not isinstance(entry, str) or len(leaves) < 2:
        return [[leaf] for leaf in leaves]
    ways = hierarchy.up[hierarchy.look_up(leaves)]
    level = int(np.flatnonzero((ways == ways[0]).all(axis=0))[0]) - 1
    found = defaultdict[int, list[str]](list)
    for leaf, node in zip(leaves, ways[:, level].tolist(), strict=True):
        found[node].append(leaf)
    return list(found.values())


def worlds_of_cut(sizes: Sequence[int], s: int) -> float:
    """In how many ways s rows can hold leaves of a label, each at least one, so that two of its parts are inhabited.

    >>> worlds_of_cut([1, 1], 1), worlds_of_cut([1, 1], 2), worlds_of_cut([40, 1], 3)
    (1, 4, inf)
    """
    if sum(sizes) > _FEW or s > _FEW:  # more than anybody lists
        return inf
    return comb(s + 2 ** sum(sizes) - 2, s) - sum(comb(s + 2**size - 2, s) for size in sizes)


def lowest_cut(
    labels: Mapping[int, Sequence[Sequence[int]]], people: Iterable[tuple[Iterable[int], Iterable[int]]]
) -> Chances | None:
    """The same of items, or values of trees: of one label a row may hold several values.

    Parameters
    ----------
    labels
        For each label, by its number, its parts, each as the numbers of its values.
    people
        For each person the labels of the own row, none where it was suppressed, and the values that the person has.

    Returns
    -------
    Chances
        1 for whoever alone of all rows with a label holds something outside one of its parts. The figures are those of
        `lowest_labels`; rows follow the shares of those who hold only one part. None where no label has two parts.
    """
    part_of = {
        label: {value: part for part, values in enumerate(parts) for value in values}
        for label, parts in labels.items()
        if len(parts) > 1
    }
    if not part_of:
        return None
    rows = defaultdict[int, list[tuple[int, frozenset[int]]]](list)
    everybody = 0
    for person, (shown, values) in enumerate(people):
        everybody, held = person + 1, set(values)
        for label in part_of.keys() & set(shown):
            if inside := frozenset(part_of[label][value] for value in held & part_of[label].keys()):
                rows[label].append((person, inside))
    alone, one, few, pairs, cells, bits = np.zeros(everybody), 0, 0, 0, 0, 0.0
    for label, found in rows.items():
        s, inhabited = len(found), frozenset[int]().union(*(inside for _, inside in found))
        if len(inhabited) < 2:
            continue
        for part in inhabited:
            outside = [person for person, inside in found if inside - {part}]
            if len(outside) == 1 and s > 1:
                alone[outside[0]] = 1.0
        only = [sum(inside == {part} for _, inside in found) / s for part in inhabited]
        worlds = worlds_of_cut([len(part) for part in labels[label]], s)
        one, few = one + (worlds == 1), few + (1 < worlds <= _FEW)
        pairs, cells, bits = pairs + 1, cells + s, bits - log2(1 - sum(share**s for share in only))
    figures = {"labels": pairs, "one world": one, "few worlds": few, "bits": bits / max(cells, 1)}
    return Chances(alone, everybody, figures=figures)
