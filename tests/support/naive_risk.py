"""Slow twins of the risk before anything is done, written from the definitions alone; exact arithmetic where it can be.

rows    : one tuple of values per row
persons : whom each row belongs to
"""

from fractions import Fraction
from itertools import combinations
from math import comb, prod


def part(row, some):
    return tuple(row[j] for j in some)


def sets(columns, size=None):
    """Every set of columns, small ones first."""
    for many in range(1, (columns if size is None else size) + 1):
        yield from combinations(range(columns), many)


def distinction(rows, some):
    return Fraction(len({part(row, some) for row in rows}), len(rows))


def separation(rows, some):
    pairs = list(combinations(rows, 2))
    return Fraction(sum(part(a, some) != part(b, some) for a, b in pairs), len(pairs)) if pairs else 0


def crowd(rows, persons, i, some):
    """How many persons have a row that looks like row i in some columns."""
    return len(
        {who for row, who in zip(rows, persons, strict=True) if part(row, some) == part(rows[i], some)}
    )


def found(rows, persons, choices, k):
    """The persons for whom one of the sets of columns leaves fewer than k."""
    return {
        persons[i] for i in range(len(rows)) if any(crowd(rows, persons, i, some) < k for some in choices)
    }


def minimal(rows, persons, i, size):
    """The sets of at most `size` columns that single row i out, and of which no part does."""
    columns = len(rows[0])
    alone = [set(some) for some in sets(columns, size) if crowd(rows, persons, i, some) == 1]
    return [tuple(sorted(some)) for some in alone if not any(less < some for less in alone)]


def suda(rows, persons, i, size):
    """The score of row i: for each minimal set of s columns, the product of (c - j) over j = s .. the largest size."""
    columns = len(rows[0])
    largest = min(size, columns - 1)
    return sum(
        prod(columns - j for j in range(len(some), largest + 1)) for some in minimal(rows, persons, i, size)
    )


def zayatz(sizes, population):
    """Uniques of the population, each probability a count of samples."""
    n = sum(sizes)
    if 1 not in sizes:
        return Fraction(0)

    def one(size):
        return Fraction(size * comb(population - size, n - 1), comb(population, n))

    alone = sizes.count(1)
    return alone * Fraction(alone * one(1), sum(one(size) for size in sizes)) / n


def expected_risk(size, fraction, terms=20_000):
    """The mean of 1 / h where h people of a class were there before each stayed with the chance `fraction`."""
    chance, total = fraction**size, 0.0
    for h in range(size, size + terms):
        total += chance / h
        chance *= (1 - fraction) * h / (h - size + 1)
    return total


def least(records, m):
    """For each record the fewest that hold some choice of at most m of its things; a record is (class, set)."""
    found = []
    for kind, own in records:
        crowds = [
            sum(other == kind and set(some) <= things for other, things in records)
            for size in range(m + 1)
            for some in combinations(sorted(own), size)
        ]
        found.append(min(crowds))
    return found


def fits(rows, weights):
    """For each row, how many rows fit it and the sum of their weights; None fits every value."""
    found = []
    for row in rows:
        own = [
            all(a is None or b is None or a == b for a, b in zip(row, other, strict=True)) for other in rows
        ]
        found.append((sum(own), sum(weight for weight, fit in zip(weights, own, strict=True) if fit)))
    return found
