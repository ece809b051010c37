"""m-invariance by trying everything, from its definition: for very small tables."""

from itertools import combinations, product


def signatures_over(values, m):
    """Every set of at least m of the values."""
    kinds = sorted(set(values))
    return [frozenset(some) for size in range(m, len(kinds) + 1) for some in combinations(kinds, size)]


def even(people, values, own, k):
    """Whether some people are a class of a signature: each of its values equally often, and k of them."""
    many = {value: sum(values[person] == value for person in people) for value in own}
    return sum(many.values()) == len(people) >= k and len(set(many.values())) == 1


def assignments(values, known, k, m):
    """Every way to give people a signature, or None to those who are left out, in which each bucket is even."""
    anywhere = {own for own in known if own is not None} | set(signatures_over(values, m))
    choices = [
        [None, *(own for own in anywhere if value in own and len(own) >= m and earlier in (None, own))]
        for value, earlier in zip(values, known, strict=True)
    ]
    for given in product(*choices):
        buckets = {own: [i for i, one in enumerate(given) if one == own] for own in given if own is not None}
        if all(even(people, values, own, k) for own, people in buckets.items()):
            yield given, buckets


def most_placed(values, known, k, m):
    """How many people an m-invariant release can hold, labels aside."""
    return max(sum(one is not None for one in given) for given, _ in assignments(values, known, k, m))


def partitions(people):
    """Every partition of some people into classes."""
    if not people:
        yield []
        return
    first, rest = people[0], people[1:]
    for parts in partitions(rest):
        yield [[first], *parts]
        for at in range(len(parts)):
            yield [*parts[:at], [first, *parts[at]], *parts[at + 1 :]]


def exists(values, known, boxes, k, m):
    """Whether all people can be released: `boxes` gives every set of labels that a class may have."""
    for given, buckets in assignments(values, known, k, m):
        if None not in given and _labelled(list(buckets.items()), values, boxes, k, {}):
            return True
    return False


def _labelled(buckets, values, boxes, k, taken):
    if not buckets:
        return True
    (own, people), *rest = buckets
    for parts in partitions(people):
        if all(even(part, values, own, k) for part in parts):
            for chosen in product(*(boxes(part) for part in parts)):
                if all(taken.get(box, own) == own for box in chosen):
                    if _labelled(rest, values, boxes, k, {**taken, **dict.fromkeys(chosen, own)}):
                        return True
    return False
