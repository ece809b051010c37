"""Trees into one order: equal siblings merged, nodes in preorder, classes with ancestors first.

start   : int64[n + 1]   record i holds the nodes start[i] .. start[i + 1] - 1
parents : int32[N]       place of the parent within the record, -1 under the root; parents come first
"""

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.data.lists import owners, take
from shoal.data.types import B1, I4, I8
from shoal.errors import InputError

__all__ = ["CHUNK", "ancestry", "class_order", "ordered", "preorder", "standing_above"]


CHUNK = 1 << 16
"""How many records are put in order at once, so that what it takes stays small."""

_MOST = 2_000  # classes: any two of them are looked at together


def class_order(names: Sequence[str], kinds: I4, start: I8, parents: I4) -> list[int]:
    """Order classes so that ancestors come first; of classes that may come next, the first by name.

    `kinds` holds the class of each node. Classes of one name that stands twice on a path, or above and
    below another, have no order: such trees are refused.
    """
    return ordered(names, standing_above(names, kinds, start, parents))


def standing_above(names: Sequence[str], kinds: I4, start: I8, parents: I4, before: int = 0) -> B1:
    """For each two classes, whether the first stands above the second somewhere; `before` records were seen already."""
    if len(names) > _MOST:
        raise InputError(
            f"trees: {len(names)} different fields, more than {_MOST}; drop those that nobody needs, or leave them out"
        )
    above = np.zeros((len(names), len(names)), dtype=bool)
    for at in range(0, len(start) - 1, CHUNK):
        for low, high in ancestry(start[at : at + CHUNK + 1], parents):
            twice = np.flatnonzero(kinds[low] == kinds[high])
            if len(twice):
                raise _class_twice(names, kinds, start, parents, int(low[twice[0]]), before)
            above.reshape(-1)[np.unique(kinds[high].astype(np.int64) * len(names) + kinds[low])] = True
    return above


def ordered(names: Sequence[str], above: B1) -> list[int]:
    """The order of classes of which some stand above others; of those that may come next, the first."""
    waiting = above.sum(axis=0)  # for so many classes above it
    order: list[int] = []
    while len(order) < len(names):
        place = int(np.argmax(waiting == 0))
        if waiting[place]:
            stuck = ", ".join(f"'{names[place]}'" for place in np.flatnonzero(waiting > 0).tolist())
            raise InputError(
                f"trees: of the fields {stuck} each is above another in some records and below it in others; "
                "let values of one class always be above those of the other"
            )
        waiting -= above[place]
        waiting[place] = -1
        order.append(place)
    return order


def preorder(start: I8, items: I4, parents: I4, width: int) -> tuple[I8, I4, I4]:
    """Merge equal siblings and put the nodes of some records in preorder, siblings by rising item.

    `start` bounds the records within all `items` and `parents`; items are below `width`. Returns how many
    nodes each record keeps, their items, and their parents.
    """
    base = int(start[0])
    inside = slice(base, int(start[-1]))
    records = owners(start)
    over = np.where(parents[inside] < 0, -1, parents[inside] + (start[:-1] - base)[records])
    codes = items[inside].astype(np.int64)
    group = np.empty(len(codes), dtype=np.int64)  # the merged node each node became
    levels: list[tuple[I8, I8, I8]] = []
    made = 0
    for nodes in _levels(over):
        key = (group[over[nodes]] if levels else records[nodes]) * width + codes[nodes]
        kept, place = np.unique(key, return_inverse=True)
        group[nodes] = made + place
        levels.append((np.arange(made, made + len(kept)), kept // width, kept % width))
        made += len(kept)
    return _placed(levels, made, len(start) - 1)


def _placed(levels: list[tuple[I8, I8, I8]], made: int, records: int) -> tuple[I8, I4, I4]:
    """Lay merged nodes out; by level: their numbers, their parents' (on the first level: record), their items."""
    size = np.ones(made, dtype=np.int64)
    for numbers, over, _ in reversed(levels[1:]):
        size += np.bincount(over, weights=size[numbers], minlength=made).astype(np.int64)
    counts = np.zeros(records, dtype=np.int64)
    spot, top = np.empty(made, dtype=np.int64), np.empty(made, dtype=np.int64)
    items, parents = np.empty(made, dtype=np.int32), np.empty(made, dtype=np.int32)
    for depth, (numbers, over, codes) in enumerate(levels):
        before = np.cumsum(size[numbers]) - size[numbers]
        first = np.r_[True, over[1:] != over[:-1]]
        ahead = before - before[first][np.cumsum(first) - 1]  # sizes of the smaller siblings
        if depth:
            top[numbers] = top[over]
            spot[numbers] = spot[over] + 1 + ahead
            parents[spot[numbers]] = spot[over] - top[over]
        else:
            counts = np.bincount(over, weights=size[numbers], minlength=records).astype(np.int64)
            top[numbers] = (np.cumsum(counts) - counts)[over]
            spot[numbers] = top[numbers] + ahead
            parents[spot[numbers]] = -1
        items[spot[numbers]] = codes
    return counts, items, parents


def _levels(over: I8) -> Iterator[I8]:
    """The nodes by depth; `over` is each node's parent, -1 under the root."""
    order = np.argsort(over, kind="stable")
    children = np.searchsorted(over[order], np.arange(-1, len(over) + 1))  # of node i from [i + 1] to [i + 2]
    nodes = order[: children[1]]
    while len(nodes):
        yield nodes
        nodes = take(children, order, nodes + 1)[1]


def ancestry(start: I8, parents: I4) -> Iterator[tuple[I8, I8]]:
    """The nodes of some records with each of their proper ancestors: with parents, then grandparents, and so on."""
    base = np.repeat(start[:-1], np.diff(start))
    low = start[0] + np.flatnonzero(parents[start[0] : start[-1]] >= 0)
    high = base[low - start[0]] + parents[low]
    while len(low):
        yield low, high
        further = parents[high] >= 0
        low, high = low[further], high[further]
        high = base[high - start[0]] + parents[high]


def _class_twice(
    names: Sequence[str], kinds: I4, start: I8, parents: I4, node: int, before: int
) -> InputError:
    record = int(np.searchsorted(start, node, side="right"))
    path = []
    place = node - int(start[record - 1])
    while place >= 0:
        at = int(start[record - 1]) + place
        path.append(names[kinds[at]])
        place = int(parents[at])
    shown = " > ".join(reversed(path))
    return InputError(
        f"trees: record {before + record}: a field occurs twice on the path {shown}; give each step of a path a field "
        "of its own"
    )
