"""Slow twins of the lattice methods, from the definitions; imports nothing of shoal.

A table is `rows` (tuples of cells, None missing) over `columns`: one list of paths a column, leaf first, root last.
"""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product


def forms(column, level):
    """Each cell's published form on a level: the set of leaves it stands for, None among the root's."""
    names = [path[level] for path in column]
    whole = frozenset(path[0] for path in column) | {None}
    of = {None: whole}
    for path in column:
        leaves = frozenset(p[0] for p, name in zip(column, names, strict=True) if name == path[level])
        of[path[0]] = whole if path[level] == path[-1] else leaves
    return of


def nodes(columns):
    return list(product(*(range(len(column[0])) for column in columns)))


def tuples(rows, columns, levels):
    of = [forms(column, level) for column, level in zip(columns, levels, strict=True)]
    return [tuple(f[cell] for f, cell in zip(of, row, strict=True)) for row in rows]


def groups(rows, columns, levels):
    found = defaultdict(list)
    for i, form in enumerate(tuples(rows, columns, levels)):
        found[form].append(i)
    return found


def kept_at(rows, columns, levels, k, persons=None):
    """The records in classes of at least k people."""
    persons = persons or list(range(len(rows)))
    keep = [m for m in groups(rows, columns, levels).values() if len({persons[i] for i in m}) >= k]
    return sorted(i for members in keep for i in members)


def loss_of(name, rows, columns, levels, kept, *, k=1, weights=None, target=None):
    """A loss of design section 5 with the records outside `kept` suppressed."""
    n, d, gone = len(rows), len(columns), len(rows) - len(kept)
    published = tuples(rows, columns, levels)
    sizes = Counter(published[i] for i in kept)
    everyone = Counter(published)
    weights = weights or [1] * d

    def share(j, i):
        size, count = len(columns[j]), len(published[i][j] - {None})
        if name == "ncp":
            return Fraction(0) if count == 1 else Fraction(count, size)
        if name == "il":
            return Fraction(count - 1, size)
        return Fraction(0) if size == 1 else Fraction(count - 1, size - 1)

    by_column = [Fraction(sum(share(j, i) for i in kept) + gone) / n for j in range(d)]
    if name == "glm":
        return float(sum(by_column) / d)
    if name == "il":
        return float(sum(by_column))
    if name == "entropy":
        return entropy(rows, [published[i] if i in kept else None for i in range(n)])
    if name == "glm-geometric":
        return math.prod(1 + float(x) for x in by_column) ** (1 / d) - 1
    if name == "ncp":
        return float(
            sum(Fraction(w) * x for w, x in zip(weights, by_column, strict=True))
            / sum(map(Fraction, weights))
        )
    if name == "precision":
        steps = [Fraction(level, max(len(c[0]) - 1, 1)) for level, c in zip(levels, columns, strict=True)]
        return float(sum(((n - gone) * step + gone) / n for step in steps) / d)
    if name == "height":
        return float(sum(levels))
    if name == "dm":
        return float(sum(size * size for size in sizes.values()) + n * gone)
    if name == "dm-star":
        return float(sum(size * size for size in everyone.values()))
    if name == "aecs":
        return n / (len(sizes) + (gone > 0))
    if name == "c_avg":
        return n / (len(sizes) * k)
    votes = defaultdict(Counter)
    for i in kept:
        votes[published[i]][target[i]] += 1
    return (sum(v.total() - max(v.values()) for v in votes.values()) + gone) / n


def entropy(rows, published):
    """Bits missing to tell each cell's value, of those missing where nothing is told; None is suppressed."""
    n, d = len(rows), len(rows[0])
    lost = whole = 0.0
    for i, row in enumerate(rows):
        for j in range(d):
            same = sum(other[j] == row[j] for other in rows)
            inside = n if published[i] is None else sum(other[j] in published[i][j] for other in rows)
            lost -= math.log2(same / inside)
            whole -= math.log2(same / n)
    return lost / whole if whole else 0.0


def candidates(name, rows, columns, allowed, *, persons=None, per_node=False, **kwargs):
    """Every (levels, k, loss, suppressed) within the allowance; with per_node one k a node, the largest."""
    most = len(set(persons)) if persons else len(rows)
    found = []
    for levels in nodes(columns):
        served = []
        for k in range(1, most + 1):
            kept = kept_at(rows, columns, levels, k, persons)
            if len(rows) - len(kept) <= allowed:
                cost = loss_of(name, rows, columns, levels, kept, k=k, **kwargs)
                served.append((levels, k, round(cost, 12), len(rows) - len(kept)))
        found += served[-1:] if per_node else served
    return found


def front(points):
    """Undominated points by rising k; of equal (k, loss) the smallest level vector."""
    best = {}
    for point in points:
        key = (point[1], point[2])
        if key not in best or point[0] < best[key][0]:
            best[key] = point
    return sorted(
        (
            p
            for p in best.values()
            if not any(q[1] >= p[1] and q[2] <= p[2] and (q[1], q[2]) != (p[1], p[2]) for q in best.values())
        ),
        key=lambda p: p[1],
    )


def diverse(values, l, kind, c, persons):
    """Whether a class's sensitive `values` (None empty) are l-diverse, whatever the empty cells hide."""
    known = [v for v in values if v is not None]
    if persons is None:
        counts = Counter(known)
    else:
        counts = Counter(
            v for v, _ in {(v, p) for v, p in zip(values, persons, strict=True) if v is not None}
        )
    if not counts:
        return False
    ranked = sorted(counts.values(), reverse=True)
    ranked[0] += len(values) - len(known)
    if kind == "distinct":
        good = len(ranked) >= l
    elif kind == "entropy":
        total = sum(ranked)
        good = math.exp(-sum(r / total * math.log(r / total) for r in ranked)) >= l * (1 - 1e-9)
    else:
        good = len(ranked) >= l and ranked[0] < c * sum(ranked[l - 1 :]) - 1e-9
    if persons is None:
        return good
    unsure = {p for v, p in zip(values, persons, strict=True) if v is None}
    having = Counter(v for v, _ in {(v, p) for v, p in zip(values, persons, strict=True) if p not in unsure})
    return good and len(set(persons)) - len(unsure) - max(having.values(), default=0) >= l - 1


def distance_of(part, whole, part_persons, whole_persons, distance):
    """The earth mover's distance of two lists of values; the worse end for empty cells in an order."""

    def shares(values, persons):
        pairs = list(zip(values, persons, strict=True))
        counts = Counter(v for v, _ in (set(pairs) if whole_persons is not None else pairs))
        return {v: Fraction(c, counts.total()) for v, c in counts.items()}

    if whole_persons is None:
        p, q = shares(part, part), shares(whole, whole)
    else:
        p, q = shares(part, part_persons), shares(whole, whole_persons)
    if distance == "equal":
        return float(sum(abs(p.get(v, 0) - q.get(v, 0)) for v in q) / 2)
    known = sorted(v for v in q if v is not None)
    empty = [None] if None in q else []

    def along(order):
        if len(order) == 1:
            return 0.0
        gaps = [sum(p.get(v, 0) - q.get(v, 0) for v in order[: i + 1]) for i in range(len(order))]
        return float(sum(map(abs, gaps)) / (len(order) - 1))

    return max(along(empty + known), along(known + empty))


def kept_diverse(
    case_rows,
    columns,
    levels,
    k,
    label,
    *,
    l=None,
    t=None,
    kind="distinct",
    c=3.0,
    distance="equal",
    persons=None,
):
    """The records left when classes below k or l go, and then, until none is left, those further than t."""
    found = list(groups(case_rows, columns, levels).values())

    def of(values, members):
        return None if values is None else [values[i] for i in members]

    found = [m for m in found if len(set(of(persons, m) or m)) >= k]
    if l is not None:
        found = [m for m in found if diverse(of(label, m), l, kind, c, of(persons, m))]
    while t is not None:
        whole = [i for m in found for i in m]
        near = [
            m
            for m in found
            if distance_of(of(label, m), of(label, whole), of(persons, m), of(persons, whole), distance)
            <= t + 1e-9
        ]
        if len(near) == len(found):
            break
        found = near
    return sorted(i for m in found for i in m)
