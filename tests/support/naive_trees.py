"""Slow twins for record trees, written from the definitions; nothing here may import shoal.

A record is a tuple of nodes under its root; a node is (class, value, *children). A label is (class, value).
A record is also the set of its paths from the root, each a tuple of labels.
"""

from itertools import chain, combinations, permutations
from operator import eq

ABSENT = "not"


def paths(record):
    """Every path from the root to a node, as tuples of labels: equal siblings are one."""
    found = set()
    stack = [(node, ()) for node in record]
    while stack:
        (kind, value, *children), before = stack.pop()
        path = (*before, (kind, value))
        found.add(path)
        stack += [(child, path) for child in children]
    return found


def record(found):
    """The record that a set of paths (with all their beginnings) stands for, siblings sorted."""

    def below(path):
        heads = sorted(p for p in found if len(p) == len(path) + 1 and p[:-1] == path)
        return tuple((*head[-1], *below(head)) for head in heads)

    return below(())


def labels(record):
    """The distinct values of a record, each with its class."""
    return {label for path in paths(record) for label in path}


def relations(record):
    """The pairs (ancestor, descendant) of values."""
    return {(path[i], path[j]) for path in paths(record) for j in range(len(path)) for i in range(j)}


def knowledge(known, related, m, n):
    """Every set of at most m of the values with every set of at most n of the relations among them."""
    for items in chain.from_iterable(combinations(sorted(known), size) for size in range(1, m + 1)):
        among = sorted(pair for pair in related if pair[0] in items and pair[1] in items)
        for some in chain.from_iterable(combinations(among, size) for size in range(min(n, len(among)) + 1)):
            yield frozenset(items), frozenset(some)


def facts(records, exempt=None, negations=()):
    """What can be known of each record: values (and absent ones, of some classes) and relations."""
    universe = {label for one in records for label in labels(one) if label[0] in negations}
    told = []
    for one in records:
        known = {label for label in labels(one) if label[0] != exempt}
        absent = {(ABSENT, label) for label in universe - known}
        related = {pair for pair in relations(one) if exempt not in (pair[0][0], pair[1][0])}
        told.append((known | absent, related))
    return told


def matching(told, items, some):
    """The records that fit a piece of knowledge."""
    return [place for place, (known, related) in enumerate(told) if items <= known and some <= related]


def anonymity(records, m, n, exempt=None, negations=()):
    """The smallest number of records that any knowledge of a record fits."""
    told = facts(records, exempt, negations)
    return min(
        len(matching(told, items, some))
        for known, related in told
        for items, some in knowledge(known, related, m, n)
    )


def broken(records, k, m, n, exempt=None, negations=(), l=None):
    """The record numbers, from 1, that fewer than k fit, or of whose fellows more than 1 in l share a secret."""
    told = facts(records, exempt, negations)
    secrets = [{label for label in labels(one) if label[0] == exempt} for one in records]
    wrong, met = set(), set()
    for known, related in told:
        for items, some in chain([(frozenset(), frozenset())], knowledge(known, related, m, n)):
            if (items, some) in met:
                continue
            met.add((items, some))
            fit = matching(told, items, some)
            often = max((sum(s in secrets[p] for p in fit) for p0 in fit for s in secrets[p0]), default=0)
            if (items and len(fit) < k) or (l is not None and often * l > len(fit)):
                wrong.update(place + 1 for place in fit)
    return sorted(wrong)


def nodes(record):
    """Every node of a record, equal ones apart: labels, and which of them stands above which, by place."""
    found, above = [], set()
    stack = [(node, ()) for node in record]
    while stack:
        (kind, value, *children), over = stack.pop()
        above |= {(place, len(found)) for place in over}
        stack += [(child, (*over, len(found))) for child in children]
        found.append((kind, value))
    return found, above


def fits_by_nodes(held, above, known, some, stands=eq):
    """Whether an injective map takes the known labels to nodes that have them and stand in the same relations.

    Labels of nodes may stand for others: `stands(label of the node, known label)`.
    """
    return any(
        all(stands(held[spot], label) for spot, label in zip(spots, known, strict=True))
        and all((spots[a], spots[b]) in above for a, b in some)
        for spots in permutations(range(len(held)), len(known))
    )


def node_knowledge(held, above, m, n):
    """Every choice of at most m nodes with every choice of at most n relations among them, by place in the choice."""
    for chosen in chain.from_iterable(combinations(range(len(held)), size) for size in range(1, m + 1)):
        among = [(chosen.index(a), chosen.index(b)) for a, b in sorted(above) if a in chosen and b in chosen]
        for some in chain.from_iterable(combinations(among, size) for size in range(min(n, len(among)) + 1)):
            yield tuple(held[place] for place in chosen), some


def broken_by_nodes(records, k, m, n, exempt=None, negations=(), l=None):
    """As `broken`, for whoever knows nodes: the records' numbers, and the smallest number that any knowledge fits."""
    universe = {label for one in records for label in labels(one) if label[0] in negations}
    told = []
    for one in records:
        held, above = nodes(one)
        shown = [place for place, label in enumerate(held) if label[0] != exempt]
        number = {place: at for at, place in enumerate(shown)}
        lacked = sorted((ABSENT, label) for label in universe - set(held))
        told.append(
            (
                [held[place] for place in shown] + lacked,
                {(number[a], number[b]) for a, b in above if a in number and b in number},
            )
        )
    secrets = [{label for label in labels(one) if label[0] == exempt} for one in records]
    wrong, least, met = set(), len(records), set()
    for held, above in told:
        for known, some in chain([((), ())], node_knowledge(held, above, m, n)):
            if (known, some) in met:
                continue
            met.add((known, some))
            fit = [place for place, one in enumerate(told) if fits_by_nodes(*one, known, some)]
            often = max((sum(s in secrets[p] for p in fit) for p0 in fit for s in secrets[p0]), default=0)
            if (known and len(fit) < k) or (l is not None and often * l > len(fit)):
                wrong.update(place + 1 for place in fit)
            if known:
                least = min(least, len(fit))
    return sorted(wrong), least


def is_true(one, original, covers):
    """Whether each published path can be laid over a path of the original, values in between left out."""

    def over(path, whole):
        rest = iter(whole)
        return all(any(covers(value, leaf) for leaf in rest) for value in path)

    return all(any(over(path, whole) for whole in paths(original)) for path in paths(one))


def generalize(one, up):
    """Replace every label; None drops the node, its children going to its parent."""
    return record({q for p in paths(one) if (q := tuple(up[label] for label in p if up[label] is not None))})


def disassociate(one, matches):
    """Definition 2: whichever label b stands below an a with matches(a, b) goes beside that a, in every path.

    The part below b joins b's parent. Where several a stand above b, the first that matches is taken; it is
    one rule at a time, so `matches` holds for one a (or one class of a) and one b.
    """
    done, todo = set(), list(paths(one))
    while todo:
        path = todo.pop()
        hit = [(i, j) for j in range(len(path)) for i in range(j) if matches(path[i], path[j])]
        if not hit:
            done |= {path[:size] for size in range(1, len(path) + 1)}
            continue
        i, j = hit[0]
        todo += [path[:j] + path[j + 1 :], (*path[:i], path[j])]
    return record(done - {()})


def recode(one, up, rules):
    """Generalize, then apply disassociations in their order; a rule's ends are labels, or names of classes."""

    def fits(end, label):
        return label[0] == end if isinstance(end, str) else label == tuple(end)

    found = generalize(one, up)
    for high, low in rules:
        found = disassociate(found, lambda a, b, high=high, low=low: fits(high, a) and fits(low, b))
    return found


def chains(schema, values):
    """Every path that an original could have had: along each chain of classes, any published label of each."""
    found = {()}
    for kinds in schema:
        some = {()}
        for kind in kinds:
            some = {(*path, (kind, value)) for path in some for value in values.get(kind, ())}
        found |= some
    return found - {()}


def inferred(published, rules, paths_that_may_be):
    """By pair of labels a path that an original of this record may have had, with one above the other.

    Such a path leaves nothing but paths of the published record once the rules are applied.
    """
    held = paths(published)
    found = {}
    for path in sorted(paths_that_may_be | held, key=len):
        begun = record({path[:size] for size in range(1, len(path) + 1)})
        if paths(recode(begun, {label: label for label in path}, rules)) <= held:
            for j in range(len(path)):
                for i in range(j):
                    found.setdefault((path[i], path[j]), path)
    return found


def anonymity_for_who_knows_the_recoding(originals, up, rules, m, n, schema):
    """Of all that can be known of an original, the least number of published records that may come from such a one.

    A record counts when an original is found that holds the knowledge and is published as this record.
    """
    projected = [generalize(one, up) for one in originals]
    published = [recode(one, up, rules) for one in originals]
    values = {}
    for one in projected:
        for kind, value in labels(one):
            values.setdefault(kind, set()).add(value)
    may_be = chains(schema, values)
    often = {out: published.count(out) for out in published}
    ways = {out: inferred(out, rules, may_be) for out in often}
    least, met = len(originals), set()
    for one in projected:
        for items, some in knowledge(labels(one), relations(one), m, n):
            if (items, some) in met:
                continue
            met.add((items, some))
            count = 0
            for out in often:
                if items <= labels(out) and all(pair in ways[out] for pair in some):
                    whole = paths(out) | {
                        way[:size]
                        for pair in some
                        for way in [ways[out][pair]]
                        for size in range(1, len(way) + 1)
                    }
                    imagined = record(whole)
                    assert some <= relations(imagined)
                    assert paths(
                        recode(imagined, {label: label for label in labels(imagined)}, rules)
                    ) == paths(out)
                    count += often[out]
            least = min(least, count)
    return least


def rpd(one, size):
    """Reverse path domain of a record: the mean over its leaves of 1 / prod(depth * size)."""
    found = paths(one)
    leaves = [path for path in found if not any(other[:-1] == path for other in found)]
    if not leaves:
        return 1.0
    total = 0.0
    for path in leaves:
        domain = 1.0
        for depth, label in enumerate(path, 1):
            domain *= depth * size[label]
        total += 1 / domain
    return total / len(leaves)


def subtrees(records, least):
    """Every set of paths, with all their beginnings, that at least so many records hold."""
    counts = {}
    for one in records:
        held = sorted(paths(one))
        for size in range(1, len(held) + 1):
            for some in combinations(held, size):
                chosen = set(some)
                if all(path[:-1] in chosen or len(path) == 1 for path in some):
                    counts[frozenset(some)] = counts.get(frozenset(some), 0) + 1
    return {some for some, count in counts.items() if count >= least}


def ncp(records, published, covers, price):
    """The mean over original nodes of their costs; `published` holds a record's release, None where suppressed."""
    costs = []
    for one, shown in zip(records, published, strict=True):
        held = set() if shown is None else paths(shown)
        told = {label for path in held for label in path}
        for path in paths(one):
            kept = [label for label in path if any(covers(value, label) for value in told)]
            over = [
                price(q[-1])
                for q in held
                if path[-1] in kept and len(q) == len(kept) and all(map(covers, q, kept))
            ]
            costs.append(min(over, default=1))
    return sum(costs) / len(costs) if costs else 0
