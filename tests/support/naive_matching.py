"""Slow twin of the chance that a row of a class is matched with its person by a column, written from the definition."""

from fractions import Fraction
from itertools import pairwise


def chance(i, kind, people, likely):
    """p(c_i | X_i) / sum of p(c_i | X_j) over the people j of the class of i; `people` says how many each row is."""
    rows = [j for j in range(len(kind)) if kind[j] == kind[i]]
    return likely(i, i) / sum(people[j] * likely(i, j) for j in rows)


def by_table(i, kind, known, shown, people, one, mixed):
    """The chance of row i where p is a share among rows with equal known codes, mixed with the share among all.

    The person of row i is left out of the first share. `one` are the rows that are counted, one for each person.
    """
    every = sum(people[j] for j in one)
    share = Fraction(sum(people[j] for j in one if shown[j] == shown[i]), every)

    def likely(i, j):
        alike = [m for m in one if known[m] == known[j]]
        all_of_them = sum(people[m] for m in alike) - (known[i] == known[j])
        both = sum(people[m] for m in alike if shown[m] == shown[i]) - (known[i] == known[j])
        return (both + mixed * share) / (all_of_them + mixed)

    return chance(i, kind, people, likely)


def by_sum(i, kind, low, shown, edges_of_sums, edges_alone, mixed):
    """Where p is that of the sum shown - low, by intervals of equal density, mixed with that of the number shown."""
    n = len(shown)

    def interval(edges, number):
        return next(((a, b) for a, b in pairwise(edges) if a <= number < b), None)  # None: nobody has it

    def density(edges, numbers, number):
        found = interval(edges, number)
        if found is None:
            return Fraction(0)
        return Fraction(sum(found[0] <= other < found[1] for other in numbers), found[1] - found[0])

    alone = density(edges_alone, shown, shown[i]) / n
    others = [shown[m] - low[m] for m in range(n) if m != i]

    def likely(i, j):
        return (1 - mixed) * density(edges_of_sums, others, shown[i] - low[j]) / (n - 1) + mixed * alone

    return chance(i, kind, [1] * n, likely)
