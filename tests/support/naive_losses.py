"""Slow twins of the table losses and of risk, written from the definitions alone.

cells   : one entry a record, in input order: a tuple of frozensets of leaves, or None when suppressed
domains : one list a column: the leaves of its whole hierarchy
ranges  : as `cells`, with the ends (low, high) of a cell written as a range, else None
numbers : one dict a column, leaf -> number, or None where the column is no number

A leaf outside the domain stands for a missing cell and counts as nothing. All arithmetic is exact.
"""

from collections import Counter
from fractions import Fraction
from math import log2, prod


def _mean(values):
    return sum(values, Fraction(0)) / len(values)


def _leaves(cell, domain):
    return sum(leaf in cell for leaf in domain)


def _range(ends, numbers):
    bottom, top = min(numbers.values()), max(numbers.values())
    return Fraction(min(ends[1], top) - max(ends[0], bottom), top - bottom)


def by_column(cells, domains):
    def cost(record, j):
        if record is None:
            return Fraction(1)
        if len(domains[j]) == 1:
            return Fraction(0)
        return Fraction(_leaves(record[j], domains[j]) - 1, len(domains[j]) - 1)

    return [_mean([cost(record, j) for record in cells]) for j in range(len(domains))]


def glm(cells, domains):
    return _mean(by_column(cells, domains))


def glm_geometric(cells, domains):
    return float(prod(1 + loss for loss in by_column(cells, domains))) ** (1 / len(domains)) - 1


def ncp(cells, ranges, domains, numbers, weights):
    def cost(record, ends, j):
        if record is None:
            return Fraction(1)
        if ends[j] is not None:
            return _range(ends[j], numbers[j])
        leaves = _leaves(record[j], domains[j])
        return Fraction(0) if leaves == 1 else Fraction(leaves, len(domains[j]))

    whole = sum(map(Fraction, weights))
    paid = [
        [Fraction(w) / whole * cost(record, ends, j) for j, w in enumerate(weights)]
        for record, ends in zip(cells, ranges, strict=True)
    ]
    return _mean([sum(record) for record in paid])


def il(cells, ranges, domains, numbers):
    def cost(record, ends, j):
        if record is None:
            return Fraction(1)
        if ends[j] is not None:
            return _range(ends[j], numbers[j])
        return Fraction(_leaves(record[j], domains[j]) - 1, len(domains[j]))

    paired = list(zip(cells, ranges, strict=True))
    return _mean([sum(cost(record, ends, j) for j in range(len(domains))) for record, ends in paired])


def il_numeric(cells, ranges, domains, numbers):
    def cost(record, ends, j):
        if record is None:
            return Fraction(1)
        if ends[j] is not None:
            return _range(ends[j], numbers[j])
        if numbers[j]:
            inside = [numbers[j][leaf] for leaf in record[j] if leaf in numbers[j]]
            return _range((min(inside), max(inside)), numbers[j])
        return Fraction(_leaves(record[j], domains[j]) - 1, len(domains[j]))

    paired = list(zip(cells, ranges, strict=True))
    return _mean([sum(cost(record, ends, j) for j in range(len(domains))) for record, ends in paired])


def entropy(cells, originals):
    """By cell -log2(records with its original value / records whose original value it may stand for), of the most."""
    n, lost, whole = len(cells), 0.0, 0.0
    for record, original in zip(cells, originals, strict=True):
        for j, value in enumerate(original):
            held = sum(other[j] == value for other in originals)
            inside = n if record is None else sum(other[j] in record[j] for other in originals)
            lost, whole = lost - log2(held / inside), whole - log2(held / n)
    return lost / whole if whole else 0.0


def precision(cells, levels, heights):
    def cost(record, level, height):
        if record is None:
            return Fraction(1)
        return Fraction(level, height) if height else Fraction(0)

    steps = list(zip(levels, heights, strict=True))
    return _mean([_mean([cost(record, level, height) for record in cells]) for level, height in steps])


def dm(cells):
    """Each kept record pays the number of records like it, each suppressed one pays N."""
    return sum(len(cells) if record is None else cells.count(record) for record in cells)


def aecs(cells):
    kept = {record for record in cells if record is not None}
    return Fraction(len(cells), len(kept) + (None in cells))


def c_avg(cells, k):
    return Fraction(len(cells), len({record for record in cells if record is not None}) * k)


def ce(cells, target):
    """A record is wrong when it is suppressed or is not of the majority; ties have one winner."""
    right = 0
    for kept in {record for record in cells if record is not None}:
        inside = Counter(label for record, label in zip(cells, target, strict=True) if record == kept)
        right += max(inside.values())
    return Fraction(len(cells) - right, len(cells))


def risk(classes, persons, thresholds):
    """Facts about the persons, each seen in the class where fewest others are."""
    people = {name: {who for c, who in zip(classes, persons, strict=True) if c == name} for name in classes}
    sizes = sorted(len(inside) for inside in people.values())
    seen = [min(len(inside) for inside in people.values() if who in inside) for who in sorted(set(persons))]
    middle = (sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]) / 2
    return {
        "records": len(seen),
        "classes": len(sizes),
        "unique": seen.count(1),
        "below": {str(t): float(Fraction(sum(size < t for size in seen), len(seen))) for t in thresholds},
        "highest": float(max(Fraction(1, size) for size in seen)),
        "average": float(_mean([Fraction(1, size) for size in seen])),
        "smallest": sizes[0],
        "median": middle,
    }
