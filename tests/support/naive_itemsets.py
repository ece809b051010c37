"""Slow twins for baskets, written from the definitions; nothing here may import shoal.

A basket is a set of anything that compares; a generalized item is a frozenset of the items it may stand for.
"""

from fractions import Fraction
from itertools import combinations, product


def support(baskets, itemset):
    """How many baskets hold all of an itemset."""
    return sum(set(itemset) <= set(basket) for basket in baskets)


def occurring(baskets, m, without=()):
    """Every itemset of 1 to m items that some basket holds, items of `without` left out."""
    found = set()
    for basket in baskets:
        open_items = sorted(set(basket) - set(without))
        for size in range(1, m + 1):
            found |= set(combinations(open_items, size))
    return found


def anonymity(baskets, m):
    """The largest k for which the baskets are k^m-anonymous."""
    return min(support(baskets, itemset) for itemset in occurring(baskets, m))


def rare(baskets, k, m):
    """The row numbers, from 1, of baskets that hold an itemset of up to m items that is in fewer than k."""
    bad = [itemset for itemset in occurring(baskets, m) if support(baskets, itemset) < k]
    return holding(baskets, bad)


def holding(baskets, itemsets):
    """The row numbers, from 1, of baskets that hold one of the itemsets."""
    return [row for row, basket in enumerate(baskets, 1) if any(set(j) <= set(basket) for j in itemsets)]


def diversity(baskets, m, sensitive):
    """The largest l for which the baskets are l^m-diverse: any set of sensitive items, given up to m others."""
    ratios = [
        Fraction(support(baskets, known), support(baskets, (*known, *secret)))
        for known in [(), *occurring(baskets, m, without=sensitive)]
        for size in range(1, len(sensitive) + 1)
        for secret in combinations(sorted(sensitive), size)
        if support(baskets, (*known, *secret))
    ]
    return min(ratios, default=None)


def exposed(baskets, k, l, m, sensitive):
    """The row numbers of baskets that share up to m open items with too few, or with too many of one secret."""
    bad = [
        known
        for known in [(), *occurring(baskets, m, without=sensitive)]
        if support(baskets, known) < k
        or any(l * support(baskets, (*known, secret)) > support(baskets, known) for secret in sensitive)
    ]
    return holding(baskets, bad)


def unprotected(baskets, k, itemset, stands_for):
    """The row numbers of baskets that match a part of `itemset` which 1 to k-1 baskets match."""
    matches = [{item for item in itemset if any(item in stands_for[g] for g in basket)} for basket in baskets]
    parts = [set(part) for size in range(1, len(itemset) + 1) for part in combinations(sorted(itemset), size)]
    bad = [part for part in parts if 0 < sum(part <= held for held in matches) < k]
    return [row for row, held in enumerate(matches, 1) if any(part <= held for part in bad)]


def truthful(original, released):
    """Whether every original item lies in a published one, and every published one holds an original item."""
    return all(
        all(any(item in form for form in forms) for item in basket)
        and all(any(item in form for item in basket) for form in forms)
        for basket, forms in zip(original, released, strict=True)
    )


def guesses(members):
    """Every non-empty subset of a generalized item: what it may stand for."""
    members = sorted(members)
    return [set(part) for size in range(1, len(members) + 1) for part in combinations(members, size)]


def chance(forms, items):
    """The probability that a record published as `forms` holds all `items`, all its worlds being equally likely."""
    worlds = [set().union(*world) for world in product(*(guesses(form) for form in forms))]
    return Fraction(sum(set(items) <= world for world in worlds), len(worlds))


def ncp(sizes_by_row, domain, suppressed=0):
    """Mean over item occurrences of 0 for an item that is itself, else the share of the domain; suppressed 1."""
    paid = [Fraction(0) if size == 1 else Fraction(size, domain) for row in sizes_by_row for size in row]
    paid += [Fraction(1)] * suppressed
    return sum(paid) / len(paid) if paid else Fraction(0)


def utility_loss(sizes_by_row, weights_by_row):
    """UL of the relational-transaction paper, in exact numbers."""
    total = Fraction(0)
    for sizes, weights in zip(sizes_by_row, weights_by_row, strict=True):
        if sizes:
            paid = sum((2**size - 1) * Fraction(weight) for size, weight in zip(sizes, weights, strict=True))
            total += paid / (2 ** sum(sizes) - 1)
    return total / len(sizes_by_row) if sizes_by_row else total


def constraint_loss(sizes_by_row, weights_by_row, domain, suppressed=0):
    """UL of COAT, in exact numbers."""
    paid = sum(
        (2**size - 1) * Fraction(weight)
        for sizes, weights in zip(sizes_by_row, weights_by_row, strict=True)
        for size, weight in zip(sizes, weights, strict=True)
        if size > 1
    )
    return (Fraction(paid) / (2**domain - 1) + suppressed) / max(len(sizes_by_row), 1)


def cuts(parents):
    """Every cut of a tree, given each node's parent (None: the root), as a map from leaf to node."""
    children = {}
    for node, parent in parents.items():
        children.setdefault(parent, []).append(node)

    def below(node):
        if node not in children:
            return [{node: node}]
        leaves = [leaf for child in children[node] for leaf in below(child)[0]]
        kept = [
            {leaf: target for part in parts for leaf, target in part.items()}
            for parts in product(*(below(child) for child in children[node]))
        ]
        return [{leaf: node for leaf in leaves}, *kept]

    (root,) = children[None]
    return below(root)
