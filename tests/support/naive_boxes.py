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


def least_loss_by_core(rows, levels, is_core, k, sets):
    """What all rows pay at least, whatever nodes they are published as; None where there are fewer than k rows.

    At least k rows show the same in the core and in each of some `sets` of columns, by their places; who is left out
    pays for all roots.
    """
    core = [j for j, one in enumerate(is_core) if one]
    labels = []
    for row in rows:
        cells = [[one[value] for one in column] for column, value in zip(levels, row, strict=True)]
        vectors = [list(enumerate(nodes)) for nodes in cells]
        published = [
            (tuple((level, node) for level, (node, _) in vector), sum(price for _, (_, price) in vector))
            for vector in product(*vectors)
        ]
        labels.append(sorted(published, key=lambda one: one[1]))
    roots = max(price for some in labels for _, price in some)

    def keeps(shown):
        for known in sets:
            seen = [tuple(label[j] for j in (*core, *known)) for label in shown]
            if any(seen.count(one) < k for one in seen):
                return False
        return len(shown) >= k

    best = [None if len(rows) < k else len(rows) * roots]

    def publish(i, shown, paid):
        if best[0] is None or paid >= best[0]:
            return
        if i == len(rows):
            if keeps(shown):
                best[0] = paid
            return
        for label, price in labels[i]:
            publish(i + 1, [*shown, label], paid + price)
        publish(i + 1, shown, paid + roots)

    publish(0, [], 0.0)
    return best[0]
