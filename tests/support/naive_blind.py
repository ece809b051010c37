"""A slow twin of cutting by public shares, from the definition; nothing here may import shoal.

A box is a pair of ends per column, over leaves 0 .. size - 1. Whatever decides about it is passed by `decide`: the
number of people in it, the box, and what is public.
"""

from math import comb, log2


def left_out(n, q, k):
    """How many of n people are expected in a piece of the share q while fewer than k are."""
    return sum(i * comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(min(k, n + 1)))


def pieces_of(low, high, apart, anywhere, alone):
    """All ways to cut a run: each a list of inner ends."""
    inner = range(low + 1, high)
    most = max((apart[x] for x in inner), default=0)
    if anywhere and most < alone:
        return [[x] for x in inner]
    first = [x for x in inner if apart[x] == most]
    return [[x] for x in first] if anywhere else [first] if first else []


def shares_in(low, high, column, share, people, prior):
    """The share of each leaf of a run among people in the box, where few public ones lean on the whole."""
    whole = sum(share[low:high])
    own = [share[x] / whole for x in range(low, high)]
    if people is None:
        return own
    inside = [person[column] for person in people if low <= person[column] < high]
    return [(inside.count(low + i) + prior * q) / (len(inside) + prior) for i, q in enumerate(own)]


def best_cut(n, box, public, policy):
    """The column and inner ends that are cut; None where no cut gains anything. No record is looked at."""
    share, apart, people, sizes = public

    def wide(j, leaves):
        return 0.0 if leaves <= 1 else leaves / sizes[j]

    whole = sum(policy["price"][j] * wide(j, high - low) for j, (low, high) in enumerate(box))
    best = (0.0, None)
    for j, (low, high) in enumerate(box):
        q = shares_in(low, high, j, share[j], people, policy["prior"])
        for ends in pieces_of(low, high, apart[j], policy["anywhere"], policy["alone"]):
            gain = bits = 0.0
            for a, b in zip([low, *ends], [*ends, high], strict=True):
                part = sum(q[a - low : b - low])
                costs = whole + policy["price"][j] * (wide(j, b - a) - wide(j, high - low))
                gain += n * part * (whole - costs)
                gain -= policy["fear"] * left_out(n, part, policy["k"]) * (1 - costs)
                bits -= part * log2(part) if part > 0 else 0.0
            score = gain / max(bits, 1e-3) ** policy["spread"] if gain > 0 else 0.0
            if score > best[0] * (1 + 1e-9):
                best = (score, (j, ends))
    return best[1]


def regions(rows, who, public, policy):
    """The box of each row, None where it is left out."""
    found = [None] * len(rows)

    def visit(box, inside, people):
        heads = len({who[i] for i in inside})
        if heads < policy["k"]:
            return
        cut = best_cut(heads, box, (*public[:2], people, public[3]), policy)
        if cut is None:
            for i in inside:
                found[i] = box
            return
        j, ends = cut
        low, high = box[j]
        for a, b in zip([low, *ends], [*ends, high], strict=True):
            piece = [i for i in inside if a <= rows[i][j] < b]
            left = None if people is None else [one for one in people if a <= one[j] < b]
            visit((*box[:j], (a, b), *box[j + 1 :]), piece, left)

    visit(tuple((0, size) for size in public[3]), list(range(len(rows))), public[2])
    return found
