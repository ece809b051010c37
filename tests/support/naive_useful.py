"""Slow twins of what says how useful a release is, from the definitions: every possible world, every pair of records.

A cell is the list of leaves that it stands for; None among them is the missing value.
"""

from itertools import product
from math import inf, sqrt


def spread(cells, group):
    """By record, the chance of each group; a cell that tells nothing is spread over all leaves."""
    found = []
    for cell in cells:
        real = [leaf for leaf in cell if leaf is not None] or list(range(len(group)))
        found.append([sum(group[leaf] == g for leaf in real) / len(real) for g in range(max(group) + 1)])
    return found


def table_of(a, b):
    """The expected number of records in each pair of groups."""
    return [
        [sum(x[i] * y[j] for x, y in zip(a, b, strict=True)) for j in range(len(b[0]))]
        for i in range(len(a[0]))
    ]


def cramers_v(table):
    """Bergsma's formula, step by step."""
    rows = [row for row in table if sum(row) > 0]
    columns = [column for column in zip(*rows, strict=True) if sum(column) > 0] if rows else []
    rows = [list(row) for row in zip(*columns, strict=True)] if columns else []
    n = sum(map(sum, rows))
    if len(rows) < 2 or len(columns) < 2 or n <= 1:
        return 0.0
    chi = sum(
        (cell - sum(row) * sum(column) / n) ** 2 / (sum(row) * sum(column) / n)
        for row in rows
        for cell, column in zip(row, columns, strict=True)
    )
    r, c = len(rows), len(columns)
    phi = max(0.0, chi / n - (r - 1) * (c - 1) / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return min(1.0, sqrt(phi / least)) if least > 0 else 0.0


def expected_count(rows, query):
    """The mean over all possible worlds of how many rows fit; `query` gives the wanted leaves by column."""
    total = 0.0
    for row in rows:
        choices = [[leaf for leaf in cell if leaf is not None] or [None] for cell in row]
        worlds = list(product(*choices))
        total += sum(all(world[j] in wanted for j, wanted in query.items()) for world in worlds) / len(worlds)
    return total


def extremes(cells, left_out, numbers, statistic):
    """The least and the largest value of a statistic over all possible worlds with at least one number."""
    choices = [[None if leaf is None else numbers[leaf] for leaf in cell] for cell in cells]
    choices += [[*numbers, None]] * left_out
    low, high = inf, -inf
    for world in product(*choices):
        known = sorted(number for number in world if number is not None)
        if known:
            low, high = min(low, statistic(known)), max(high, statistic(known))
    return low, high


def auc(scores, positive):
    """The share of pairs, one positive and one not, that the scores put in the right order; ties are half."""
    pairs = [
        (s, t)
        for s, p in zip(scores, positive, strict=True)
        if p
        for t, q in zip(scores, positive, strict=True)
        if not q
    ]
    return sum(1.0 if s > t else 0.5 if s == t else 0.0 for s, t in pairs) / len(pairs)
