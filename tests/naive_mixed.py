"""Slow twins for tables with baskets, from the definitions; nothing of shoal is imported.

quasi   : one tuple a record
baskets : one set a record
"""

from itertools import combinations


def subsets(basket, m):
    """Every subset of at most m items, the empty one too."""
    return [frozenset(part) for size in range(m + 1) for part in combinations(sorted(basket), size)]


def group(quasi, baskets, record, known):
    """Def. 1 for one I: the records with the same quasi-identifiers that hold all of I."""
    return [q for q in range(len(quasi)) if quasi[q] == quasi[record] and known <= baskets[q]]


def kkm(quasi, baskets, k, m):
    """Records, from 1, some of whose groups are smaller than k; and the smallest group of all."""
    sizes = [
        min(len(group(quasi, baskets, record, known)) for known in subsets(baskets[record], m))
        for record in range(len(quasi))
    ]
    return [record + 1 for record, size in enumerate(sizes) if size < k], min(sizes)


def klm(quasi, baskets, sensitive, k, l, m):
    """Records, from 1, that break (k,l^m)-diversity: in a group too small, or one that tells too much."""
    hidden = [basket & sensitive for basket in baskets]
    seen = [basket - sensitive for basket in baskets]
    broken = []
    for record in range(len(quasi)):
        groups = [group(quasi, seen, record, known) for known in subsets(seen[record], m)]
        if any(len(rows) < k or l * likeliest(rows, hidden) > len(rows) for rows in groups):
            broken.append(record + 1)
    return broken


def likeliest(rows, hidden):
    """How many of the rows share the most common combination of sensitive items."""
    parts = {part for row in rows for part in subsets(hidden[row], len(hidden[row])) if part}
    return max((sum(part <= hidden[row] for row in rows) for part in parts), default=0)


def any_m_values(quasi, baskets, k, m):
    """The weaker reading: any at most m values of columns and items together are shared by k records."""
    values = [
        frozenset({(place, cell) for place, cell in enumerate(row)} | {("item", item) for item in basket})
        for row, basket in zip(quasi, baskets, strict=True)
    ]
    return all(
        sum(known <= other for other in values) >= k for own in values for known in _parts(own, m) if known
    )


def _parts(values, m):
    return [frozenset(part) for size in range(m + 1) for part in combinations(sorted(values, key=repr), size)]
