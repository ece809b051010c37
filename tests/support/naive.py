"""Slow twins, written from the definitions; nothing here may import shoal.

A row of quasi-identifiers is a tuple of anything that compares; a missing cell is None.
"""

from collections import Counter, defaultdict
from itertools import combinations, product
from math import log

from scipy.optimize import linprog


def classes(rows):
    """The classes of equal rows, as lists of row places."""
    found = defaultdict(list)
    for place, row in enumerate(rows):
        found[row].append(place)
    return list(found.values())


def unfit(rows, k, sets, persons=None):
    """The rows, from 1, that too few fit in some set of columns; None is a blank cell.

    A row fits another where each of its cells is blank, or the other's is not and both are equal.
    """
    persons = range(len(rows)) if persons is None else persons
    return [
        place + 1
        for place, x in enumerate(rows)
        if any(
            len(
                {
                    who
                    for who, y in zip(persons, rows, strict=True)
                    if all(y[c] is None or (x[c] is not None and y[c] == x[c]) for c in known)
                }
            )
            < k
            for known in sets
        )
    ]


def found_by_core(core, known, k, m, follows=(), persons=None):
    """The rows, from 1, of which too few persons show the core and some m known columns, with what follows from them.

    `core` and `known` are rows of cells; `follows` holds sets of places of known columns, and one that follows.
    """
    persons = range(len(core)) if persons is None else persons
    columns = range(len(known[0]))
    bad = set()
    for size in range(min(m, len(columns)) + 1):
        for picked in combinations(columns, size):
            closed = set(picked)
            while more := {told for source, told in follows if source <= closed} - closed:
                closed |= more
            show = [(row, {c: shown[c] for c in closed}) for row, shown in zip(core, known, strict=True)]
            for place, mine in enumerate(show):
                alike = {who for who, theirs in zip(persons, show, strict=True) if theirs == mine}
                if len(alike) < k:
                    bad.add(place + 1)
    return sorted(bad)


def groups_by_core(core, known, m, follows=()):
    """By set of m known columns, closed under rules of places, the group of each row: a number for equal tuples."""
    for picked in combinations(range(len(known[0])), min(m, len(known[0]))):
        closed = set(picked)
        while more := {told for source, told in follows if source <= closed} - closed:
            closed |= more
        tuples = [
            (row, tuple(shown[c] for c in sorted(closed))) for row, shown in zip(core, known, strict=True)
        ]
        number = {}
        yield [number.setdefault(group, len(number)) for group in tuples]


def anonymity(rows, persons=None):
    """The largest k for which the rows are k-anonymous."""
    persons = range(len(rows)) if persons is None else persons
    return min(len({persons[place] for place in members}) for members in classes(rows))


def under(rows, k, persons=None):
    """The row numbers, from 1, of rows in classes of fewer than k persons."""
    persons = range(len(rows)) if persons is None else persons
    small = [members for members in classes(rows) if len({persons[place] for place in members}) < k]
    return sorted(place + 1 for members in small for place in members)


def diverse(cells, l, kind, c=3.0, persons=None):
    """Whether one class is l-diverse, whatever its missing cells hide.

    Every way to fill them in is tried, with values of the class and with new ones. With persons, a value
    counts the persons who have it, and at least l - 1 persons must lack any one value.
    """
    persons = range(len(cells)) if persons is None else persons
    known = sorted({cell for cell in cells if cell is not None})
    gaps = [place for place, cell in enumerate(cells) if cell is None]
    if not known:
        return False
    if kind == "distinct" and len(known) < l:
        return False
    for filling in product([*known, *range(len(gaps))], repeat=len(gaps)):
        filled = list(cells)
        for place, value in zip(gaps, filling, strict=True):
            filled[place] = value
        having = Counter(value for _, value in set(zip(persons, filled, strict=True)))
        counts = sorted(having.values(), reverse=True)
        if not _diverse(counts, l, kind, c) or len(set(persons)) - counts[0] < l - 1:
            return False
    return True


def _diverse(counts, l, kind, c):
    if kind == "distinct":
        return len(counts) >= l
    if kind == "entropy":
        shares = [count / sum(counts) for count in counts]
        return -sum(share * log(share) for share in shares) >= log(l) - 1e-9
    return counts[0] < c * sum(counts[l - 1 :]) - 1e-9


def shares(cells, persons=None):
    """The share of each value: of rows, or of the persons who have it."""
    persons = range(len(cells)) if persons is None else persons
    having = Counter(value for _, value in set(zip(persons, cells, strict=True)))
    return {value: count / having.total() for value, count in having.items()}


def closeness(members, cells, distance, persons=None):
    """The earth mover's distance between one class (its row places) and all rows.

    Cells without a place in an order stand before or behind all others, whichever is further.
    """
    persons = list(range(len(cells))) if persons is None else persons
    part = shares([cells[place] for place in members], [persons[place] for place in members])
    whole = shares(cells, persons)
    if distance == "equal":
        return transport(part, whole, lambda a, b: float(a != b))
    known = sorted(value for value in whole if value is not None)
    orders = [[None, *known], [*known, None]] if None in whole else [known]
    return max(_along(part, whole, order) for order in orders)


def _along(part, whole, order):
    place = {value: rank for rank, value in enumerate(order)}
    return transport(part, whole, lambda a, b: abs(place[a] - place[b]) / max(len(order) - 1, 1))


def transport(part, whole, ground):
    """The least work that turns one distribution into the other, as a linear program over all flows."""
    pairs = [(a, b) for a in part for b in whole]
    out = [[float(a == value) for a, _ in pairs] for value in part]
    into = [[float(b == value) for _, b in pairs] for value in list(whole)[1:]]  # the last follows
    given = [*part.values(), *list(whole.values())[1:]]
    return linprog([ground(a, b) for a, b in pairs], A_eq=out + into, b_eq=given).fun


def untrue(leaves, forms, codes, rows):
    """The released rows, from 1, whose form (a set of leaves) does not hold the original leaf."""
    return [place + 1 for place, row in enumerate(rows) if leaves[row] not in forms[codes[place]]]
