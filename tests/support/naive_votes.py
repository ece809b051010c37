"""Slow twins for baskets published by vote, written from the definitions; nothing here may import shoal.

A basket is a set of items; a published row is (items, uncertain, errors) of two sets and a number; an
assignment is a list: the row of each original.
"""

from itertools import combinations, permutations


def fits(basket, row):
    """Whether a basket is a possible world of a row: some flips of uncertain items, at most `errors`, give it."""
    items, uncertain, errors = row
    for size in range(errors + 1):
        for flips in combinations(sorted(uncertain), size):
            if set(items) ^ set(flips) == set(basket):
                return True
    return False


def matchings(lists, rows):
    """Every way to give each original a row of its own that it fits."""
    fit = [[fits(basket, row) for row in rows] for basket in lists]
    return [p for p in permutations(range(len(rows))) if all(fit[i][j] for i, j in enumerate(p))]


def possible(lists, rows):
    """By original, the rows that it has in some matching."""
    found = matchings(lists, rows)
    return [{p[i] for p in found} for i in range(len(lists))]


def anonymity(lists, rows):
    """The fewest possible rows of any original and possible originals of any row; 0 where nothing fits."""
    ways = possible(lists, rows)
    owners = [sum(j in way for way in ways) for j in range(len(rows))]
    return min([*map(len, ways), *owners])


def diversity(lists, rows, labels):
    """The fewest different labels on the possible rows of any original; None is no label."""
    return min(len({labels[j] for j in way} - {None}) for way in possible(lists, rows))


def unravelled(lists, rows, labels, insiders):
    """The least k and l left to anybody, whatever the truth is, once `insiders` true matches are known."""
    found = matchings(lists, rows)
    k = l = len(rows)
    if not found:
        return 0, 0
    for truth in found:
        for known in combinations(range(len(rows)), insiders):
            left = [p for p in found if all(p[i] == truth[i] for i in known)]
            for i in set(range(len(rows))) - set(known):
                ways = {p[i] for p in left}
                k, l = min(k, len(ways)), min(l, len({labels[j] for j in ways} - {None}))
    return k, l


def vote(lists):
    """What a row publishes for these preimages: the majority of each item (a tie is absent), doubt, errors."""
    everything = set().union(*lists)
    items = {x for x in everything if 2 * sum(x in basket for basket in lists) > len(lists)}
    doubt = {x for x in everything if not all(x in basket for basket in lists)}
    return items, doubt, max(len(items ^ set(basket)) for basket in lists)


def gray_rank(basket, width):
    """The place of a bitmap in the reflected binary code; item 0 is the most significant bit."""
    rank = bit = 0
    for item in range(width):
        bit ^= item in basket
        rank = 2 * rank + bit
    return rank


def hops(lists):
    """The Hamming distances from each basket to the next, the last to the first."""
    return [len(set(a) ^ set(b)) for a, b in zip(lists, [*lists[1:], *lists[:1]], strict=True)]


def shortest_path(distance):
    """The least length of a path through all places from the first to the last."""
    n = len(distance)
    if n < 3:
        return sum(distance[i][i + 1] for i in range(n - 1))
    return min(
        sum(distance[a][b] for a, b in zip((0, *inner), (*inner, n - 1), strict=True))
        for inner in permutations(range(1, n - 1))
    )


def cheapest_cut(costs, n, least, most):
    """The least sum of breakpoint costs over all ways to cut n places in segments; costs[j] is between j-1 and j."""
    best = {0: 0}
    for i in range(1, n + 1):
        options = [best[j] + (costs[j] if j else 0) for j in range(i) if j in best and least <= i - j <= most]
        if options:
            best[i] = min(options)
    return best.get(n)


def spaced(labels, distance):
    """Whether equal labels stand at least `distance` apart around the circle."""
    n = len(labels)
    return all(
        labels[i] != labels[(i + step) % n] for i in range(n) for step in range(1, distance) if step % n
    )


def error_rate(lists, rows, owner):
    """The mean over rows of flipped items per item of the record that the row stems from."""
    ratios = [
        len(set(row[0]) ^ set(lists[o])) / max(len(lists[o]), 1) for row, o in zip(rows, owner, strict=True)
    ]
    return sum(ratios) / len(ratios)


def query_error(lists, published, queries, absent):
    """The mean over queries of the difference in counts, by the number of records."""

    def count(baskets, query):
        return sum(not set(query) & set(s) if absent else set(query) <= set(s) for s in baskets)

    return sum(abs(count(lists, q) - count(published, q)) for q in queries) / len(queries) / len(lists)
