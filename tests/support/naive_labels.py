"""Slow twins of what narrow labels tell, world by world; nothing here may import shoal.

A label is a list of parts, each a list of leaves; `says` is "two", "all" or "ends".
"""

from itertools import chain, combinations, combinations_with_replacement, product
from math import log2, prod


def possible(world, parts, says):
    """Whether rows with these leaves are written as this label."""
    inhabited = [any(leaf in part for leaf in world) for part in parts]
    if says == "two":
        return sum(inhabited) >= 2
    return all(inhabited) if says == "all" else inhabited[0] and inhabited[-1]


def worlds(parts, says, s):
    """How many ways there are to fill a label with s rows, rows not told apart."""
    leaves = [leaf for part in parts for leaf in part]
    return sum(possible(world, parts, says) for world in combinations_with_replacement(leaves, s))


def bits(parts, says, s, share):
    """What the label tells, with `share` of each leaf."""
    leaves = [leaf for part in parts for leaf in part]
    whole = sum(share[leaf] for leaf in leaves)
    chance = sum(
        prod(share[leaf] / whole for leaf in world)
        for world in product(leaves, repeat=s)
        if possible(world, parts, says)
    )
    return -log2(chance) if chance > 0 else float("inf")


def alone(world, parts):
    """The places of those who are alone: all others are together in one other part."""
    where = [next(p for p, part in enumerate(parts) if leaf in part) for leaf in world]
    found = []
    for i, part in enumerate(where):
        others = {other for j, other in enumerate(where) if j != i}
        if len(others) == 1 and part not in others:
            found.append(i)
    return found


def one_in(parts, says, s, share, some, free=()):
    """How likely exactly one of s rows is in `some` leaves, where rows are written as this label.

    Rows with one of the leaves `free` make the label wide whoever else is there; `says` None is a label of any rows.
    """
    leaves = [leaf for part in parts for leaf in part] + list(free)
    whole = sum(share[leaf] for leaf in leaves)
    chances = [0.0, 0.0]
    for world in product(leaves, repeat=s):
        if says is None or any(leaf in free for leaf in world) or possible(world, parts, says):
            chances[sum(leaf in some for leaf in world) == 1] += prod(share[leaf] / whole for leaf in world)
    return chances[1] / sum(chances)


def in_box(classes, share, box):
    """How likely nobody, and exactly one, of the rows of some classes is in a box.

    A class is its labels, each a list of leaves, and its rows, which follow the shares of each column.
    """
    nobody, one = 1.0, 0.0
    for labels, rows in classes:
        inside = prod(
            sum(share[j][leaf] for leaf in label if leaf in box[j]) / sum(share[j][leaf] for leaf in label)
            for j, label in enumerate(labels)
        )
        for _ in range(rows):
            nobody, one = nobody * (1 - inside), one * (1 - inside) + nobody * inside
    return nobody, one


def worlds_of_cut(parts, s):
    """How many ways there are to give s rows some leaves each, rows not told apart, so that two parts are inhabited."""
    leaves = [leaf for part in parts for leaf in part]
    sets = list(chain.from_iterable(combinations(leaves, size) for size in range(1, len(leaves) + 1)))
    worlds = combinations_with_replacement(sets, s)
    return sum(possible({leaf for row in world for leaf in row}, parts, "two") for world in worlds)


def alone_in_cut(rows, parts):
    """The places of those who alone hold something outside a part that is inhabited."""
    found = set()
    for part in parts:
        if any(leaf in part for row in rows for leaf in row):
            outside = [i for i, row in enumerate(rows) if any(leaf not in part for leaf in row)]
            if len(outside) == 1 and len(rows) > 1:
                found.add(outside[0])
    return found
