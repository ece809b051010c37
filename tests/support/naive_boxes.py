"""Slow twins of what is said of boxes, from the definitions; nothing here may import shoal.

A box is one node per column, given as a level for each column and the nodes of a row on these levels.

rows   : tuples of values
levels : by column, for every level {value: (node, price)}
"""

from itertools import product


def boxes(rows, levels):
    """Every box that holds a row: {(levels, nodes): (price, rows in it)}."""
    found = {}
    for vector in product(*(range(len(column)) for column in levels)):
        for i, row in enumerate(rows):
            cells = [column[level][value] for column, level, value in zip(levels, vector, row, strict=True)]
            box = (vector, tuple(node for node, _ in cells))
            found.setdefault(box, (sum(price for _, price in cells), []))[1].append(i)
    return found


def pays(rows, placed, levels, k):
    """For each row what it pays in its cheapest box, and how many rows to place are in any box that costs it this.

    `placed` has a number for each row: what it has paid, None where it is to be placed.
    """
    least = {}
    for (vector, _), (price, inside) in boxes(rows, levels).items():
        free = [i for i in inside if placed[i] is None]
        paid = sorted((placed[i] for i in inside if placed[i] is not None), reverse=True)
        missing = max(k - len(free), 0)
        if not free or len(paid) < missing:
            continue
        each = price if missing == 0 else (k * price - sum(paid[:missing])) // len(free)
        for i in free:
            least[i] = min(least.get(i, (each, vector, len(free))), (each, vector, len(free)))
    return least


def partitions(items, k):
    """All ways to part the items into sets of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for chosen in product((False, True), repeat=len(rest)):
        own = [first, *(i for i, taken in zip(rest, chosen, strict=True) if taken)]
        if len(own) >= k:
            others = [i for i, taken in zip(rest, chosen, strict=True) if not taken]
            for parts in partitions(others, k):
                yield [own, *parts]


def least_loss(rows, levels, k):
    """The sum that all rows pay at least, whatever the classes; None where there are fewer than k rows."""
    every = boxes(rows, levels).values()

    def price(own):
        return min(price for price, inside in every if set(own) <= set(inside))

    sums = [sum(len(own) * price(own) for own in parts) for parts in partitions(list(range(len(rows))), k)]
    return min(sums, default=None)
