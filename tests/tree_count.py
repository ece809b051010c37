"""All that anybody can know of record trees, counted: from the definitions of the paper (TKDE 27(8), 2015) alone.

What can be known of a record is a set of facts: a value it has, a value it lacks, a value that stands above another. A
record is counted for each set of its facts that an attacker may hold; Definition 1 asks that no count lies
below k. It may import nothing of shoal.
"""

from collections import Counter, defaultdict
from itertools import chain, combinations, product


def facts(record, lacking=()):
    """All that is true of a record: ("has", value), ("over", value, value), and ("lacks", value) of those given."""
    found = set()

    def walk(node, above):
        here = (node[0], node[1])
        found.add(("has", here))
        found.update(("over", high, here) for high in above)
        for child in node[2:]:
            walk(child, (*above, here))

    for top in record:
        walk(top, ())
    return found | {("lacks", value) for value in lacking if ("has", value) not in found}


def pieces(known, m, n):
    """Every set of at most m values and n relations among them, the empty one first."""
    values = sorted(fact for fact in known if fact[0] != "over")
    relations = sorted(fact for fact in known if fact[0] == "over")
    for size in range(min(m, len(values)) + 1):
        for some in combinations(values, size):
            has = {fact[1] for fact in some if fact[0] == "has"}
            among = [fact for fact in relations if fact[1] in has and fact[2] in has]
            for links in chain.from_iterable(combinations(among, count) for count in range(n + 1)):
                yield frozenset(some + links)


def exposed(records, k, m, n, *, secret=None, l=None, negations=()):
    """The numbers, from 1, of the records of which something can be known that breaks the claim."""
    values = {fact[1] for record in records for fact in facts(record) if fact[0] == "has"}
    absent = [value for value in values if value[0] in negations]
    fitting = defaultdict(list)
    for place, record in enumerate(records):
        told = {fact for fact in facts(record, absent) if all(end[0] != secret for end in fact[1:])}
        for piece in pieces(told, m, n):
            fitting[piece].append(place)
    held = [
        {fact[1] for fact in facts(record) if fact[0] == "has" and fact[1][0] == secret} for record in records
    ]
    broken = set()
    for piece, places in fitting.items():
        few = piece and len(places) < k
        secrets = Counter(value for place in places for value in held[place])
        alike = l is not None and any(count * l > len(places) for count in secrets.values())
        if few or alike:
            broken.update(places)
    return tuple(place + 1 for place in sorted(broken))


def branches(record):
    """Every path from below the root to a node."""
    found = set()

    def walk(node, above):
        path = (*above, (node[0], node[1]))
        found.add(path)
        for child in node[2:]:
            walk(child, path)

    for top in record:
        walk(top, ())
    return found


def is_true(record, original, covers):
    """Whether each published path can be laid over a path of the original, values in between left out."""

    def over(path, whole):
        rest = iter(whole)
        return all(any(covers(value, leaf) for leaf in rest) for value in path)

    return all(any(over(path, whole) for whole in branches(original)) for path in branches(record))


def disassociated(paths, above, below):
    """Definition 2 in every path of a record: b goes beside a, what hung below b hangs below what stood over b."""

    def fits(end, value):
        return value[0] == end if isinstance(end, str) else value == tuple(end)

    found = set()
    for path in paths:
        a = next((i for i, value in enumerate(path) if fits(above, value)), None)
        b = next((i for i, value in enumerate(path) if fits(below, value)), None)
        if a is None or b is None or a >= b:
            found.add(path)
        else:
            found |= {(*path[:a], path[b]), (*path[:b], *path[b + 1 :])}
    return found


def origin(paths, rule, chains, values):
    """The largest record that a rule publishes within these paths: it holds whatever an original of them can hold.

    Disassociations work path by path, so every path that leaves nothing else may have been there, all at once too.
    `chains` are the sequences of classes that paths of originals have, `values` the published ones by class.
    """
    found = set()
    for chain_ in sorted(chains, key=len):
        for path in product(*(values.get(kind, ()) for kind in chain_)):
            if path[:-1] and path[:-1] not in found:
                continue
            left = {path}
            for above, below in rule["disassociations"]:
                left = disassociated(left, above, below)
            if left <= paths:
                found.add(path)
    return found


def least_plausible(records, release, covers, m, n):
    """Of all that can be known of an original, at the level of the cut, the fewest published records it may be."""
    cut = [(kind, label) for kind, labels in release.rule["cut"].items() for label in labels or ()]
    lifted = [
        {tuple(value for leaf in path for value in cut if covers(value, leaf)) for path in branches(record)}
        - {()}
        for record in records
    ]
    shown = [branches(tree) for tree in release.trees.nested()]
    chains = {tuple(kind for kind, _ in path) for paths in lifted for path in paths}
    values = defaultdict(set)
    for kind, label in (value for paths in shown for path in paths for value in path):
        values[kind].add((kind, label))
    told = [facts(grown(origin(paths, release.rule, chains, values))) for paths in shown]
    known = {piece for paths in lifted for piece in pieces(facts(grown(paths)), m, n) if piece}
    return min((sum(piece <= one for one in told) for piece in known), default=len(records))


def grown(paths):
    """The record that paths stand for, with all their beginnings."""

    def below(path):
        heads = {
            other[: len(path) + 1] for other in paths if len(other) > len(path) and other[: len(path)] == path
        }
        return tuple((*head[-1], *below(head)) for head in sorted(heads))

    return below(())


def holds_class(records, kind):
    """Whether some record has a value of a class."""
    return any(value[0] == kind for record in records for path in branches(record) for value in path)
