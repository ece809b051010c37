"""Slow twins of the attackers of baskets and trees, from their definitions; they import nothing of shoal.

A basket is a set of items, a published row a list of sets: what each published item may stand for. A tree is a tuple of
nodes (class, value, *children). `own[p]` is the row of person p, None where it was suppressed.
"""

from itertools import chain, combinations, permutations

import naive_trees


def subsets(things, most, least=0):
    """Every choice of `least` to `most` things."""
    return chain.from_iterable(combinations(things, size) for size in range(least, most + 1))


def covers(row, item):
    """Whether a row may hold an item."""
    return any(item in form for form in row)


def known_items(basket, row, unknown=()):
    """The items of a person that the own row shows in some form, and that can be known."""
    return sorted(item for item in basket if item not in unknown and covers(row, item))


def finding(baskets, rows, own, m, unknown=(), also=lambda person, row: True):
    """For each person, the chance of whoever knows the m items that leave fewest rows, and what `also` tells."""
    found = []
    for person, basket in enumerate(baskets):
        if own[person] is None:
            found.append(0.0)
            continue
        items = known_items(basket, rows[own[person]], unknown)
        left = [
            [r for r, row in enumerate(rows) if all(covers(row, item) for item in some) and also(person, row)]
            for some in subsets(items, m)
        ]
        assert all(own[person] in fitting for fitting in left)
        found.append(1 / min(map(len, left)))
    return found


def of_size(baskets, every, left_out):
    """Whether a row may be of a basket with so many items; `every` are all items there are."""

    def may(person, row):
        largest = sum(covers(row, item) for item in every)
        size = len(baskets[person])
        return len({frozenset(form) for form in row}) <= size and (left_out or size <= largest)

    return may


def one_absence(baskets, rows, own, m, things, unknown=()):
    """For each person, the best chance of whoever knows m items, and one of `things` (sets of items) to be absent."""
    found = []
    for person, basket in enumerate(baskets):
        lacked = [thing for thing in things if not thing & basket]
        chances = [0.0] if own[person] is None else []
        for thing in lacked if own[person] is not None else ():

            def silent(_, row, thing=thing):
                return not any(form <= thing for form in row)

            chances += finding([basket], rows, [own[person]], m, unknown, silent)
        found.append(max(chances, default=finding([basket], rows, [own[person]], m, unknown)[0]))
    return found


def telling(baskets, rows, own, m, sensitive):
    """For each person who has a sensitive item, the highest share of rows with one of them, of those that fit."""
    found = []
    for person, basket in enumerate(baskets):
        mine = [item for item in basket if item in sensitive and any({item} in row for row in rows)]
        if not mine:
            continue
        shares = [0.0]
        for some in (
            subsets(known_items(basket, rows[own[person]], sensitive), m) if own[person] is not None else ()
        ):
            fitting = [row for row in rows if all(covers(row, item) for item in some)]
            shares += [sum({item} in row for row in fitting) / len(fitting) for item in mine]
        found.append(max(shares))
    return found


def telling_by_forms(baskets, rows, own, m, sensitive):
    """The same of whoever knows forms of the own row that are no sensitive item, and the rows that publish them."""
    found = []
    for person, basket in enumerate(baskets):
        mine = [item for item in basket if item in sensitive and any({item} in row for row in rows)]
        if not mine:
            continue
        forms = [] if own[person] is None else {frozenset(form) for form in rows[own[person]]}
        shares = [0.0]
        for some in subsets([form for form in forms if form not in [{one} for one in sensitive]], m):
            fitting = [row for row in rows if all(form in row for form in some)]
            shares += [sum({item} in row for row in fitting) / len(fitting) for item in mine if forms]
        found.append(max(shares))
    return found


def listed(baskets, rows, own, itemsets):
    """For each person, the chance of whoever knows those items that stand in one of the listed sets."""
    found = []
    for person, basket in enumerate(baskets):
        left = [len(rows)]
        for itemset in itemsets if own[person] is not None else ():
            items = known_items(basket & set(itemset), rows[own[person]])
            left.append(sum(all(covers(row, item) for item in items) for row in rows))
        found.append(0.0 if own[person] is None else 1 / min(left))
    return found


def fits(basket, row):
    """Whether a basket fits a row by vote (items, uncertain, errors)."""
    items, maybe, errors = row
    wrong = set(basket) ^ set(items)
    return wrong <= set(maybe) and len(wrong) <= errors


def possible(baskets, rows, known=()):
    """For each person not `known` (pairs of a person and a row), the rows of some matching of all others."""
    people = [person for person in range(len(baskets)) if person not in {who for who, _ in known}]
    free = [row for row in range(len(rows)) if row not in {row for _, row in known}]
    found = {person: set() for person in people}
    for order in permutations(free):
        if all(fits(baskets[person], rows[row]) for person, row in zip(people, order, strict=True)):
            for person, row in zip(people, order, strict=True):
                found[person].add(row)
    return found


def nodes(tree, above=()):
    """Every node of a tree as (class, value) with all nodes above it."""
    for kind, value, *children in tree:
        yield (kind, value), above
        yield from nodes(children, (*above, (kind, value)))


def facts(tree, hidden=None):
    """The values of a tree, and its pairs of values of which one stands above the other."""
    found = [
        (node, [one for one in above if one[0] != hidden]) for node, above in nodes(tree) if node[0] != hidden
    ]
    return {node for node, _ in found}, {(one, node) for node, above in found for one in above}


def knowledge_of_trees(tree, mine, rows, m, n, stands, hidden):
    """The rows that fit each choice of m values and n relations of a person that the own row `mine` shows."""
    shown = [facts(row, hidden) for row in rows]
    values, links = facts(tree, hidden)
    every = range(len(rows))
    value = {one: {r for r in every if any(stands(a, one) for a in shown[r][0])} for one in values}
    link = {
        (high, low): {r for r in every if any(stands(a, high) and stands(b, low) for a, b in shown[r][1])}
        for high, low in links
    }
    for some in subsets(sorted(one for one in values if mine in value[one]), m):
        among = sorted(pair for pair in links if set(pair) <= set(some) and mine in link[pair])
        for relations in subsets(among, n):
            told = [*(value[one] for one in some), *(link[pair] for pair in relations)]
            yield set(every).intersection(*told)


def finding_trees(trees, rows, own, m, n, stands, hidden=None, also=lambda person, row: True):
    """For each person, the chance of whoever knows the m values and n relations that leave fewest rows."""
    found = []
    for person, tree in enumerate(trees):
        if own[person] is None:
            found.append(0.0)
            continue
        extra = {row for row in range(len(rows)) if also(person, row)}
        fitting = [left & extra for left in knowledge_of_trees(tree, own[person], rows, m, n, stands, hidden)]
        assert all(own[person] in left for left in fitting)
        found.append(1 / min(map(len, fitting)))
    return found


def telling_trees(trees, rows, own, m, n, stands, hidden, known=None):
    """For each person who has a value of the hidden class, the highest share of rows with it, of those that fit.

    What is known stands in `known`, by person; by default that is the person's tree.
    """
    secrets = [{value for (kind, value), _ in nodes(row) if kind == hidden} for row in rows]
    found = []
    for person, tree in enumerate(trees):
        mine = {value for (kind, value), _ in nodes(tree) if kind == hidden} & set().union(*secrets)
        if not mine:
            continue
        shares = [0.0]
        if own[person] is not None:
            tree = tree if known is None else known[person]
            for left in knowledge_of_trees(tree, own[person], rows, m, n, stands, hidden):
                shares += [sum(secret in secrets[row] for row in left) / len(left) for secret in mine]
        found.append(max(shares))
    return found


def _open_nodes(tree, hidden):
    """Nodes that can be known, and which stands above which; equal ones stay apart."""
    held, above = naive_trees.nodes(tree)
    spot = {place: at for at, place in enumerate(p for p, label in enumerate(held) if label[0] != hidden)}
    return [held[place] for place in spot], {(spot[a], spot[b]) for a, b in above if a in spot and b in spot}


def finding_nodes(trees, rows, own, m, n, stands, hidden=None):
    """For each person, the highest chance, and the highest share of a secret, of whoever knows m nodes, n relations.

    A row fits where an injective map takes the known nodes to its own, each to one that may stand for it, and keeps the
    relations; what the person's own row does not fit is not known of it. People without a secret have the share 0.
    """
    shown = [_open_nodes(row, hidden) for row in rows]
    secrets = [{value for (kind, value), _ in nodes(row) if kind == hidden} for row in rows]
    found, met = [], {}
    for person, tree in enumerate(trees):
        mine = {value for (kind, value), _ in nodes(tree) if kind == hidden}
        chance = share = 0.0
        for known, some in [((), ()), *naive_trees.node_knowledge(*_open_nodes(tree, hidden), m, n)]:
            if (known, some) not in met:
                met[known, some] = [
                    row
                    for row, one in enumerate(shown)
                    if naive_trees.fits_by_nodes(*one, known, some, stands)
                ]
            left = met[known, some]
            if own[person] in left:
                chance = max(chance, 1 / len(left))
                often = [sum(secret in secrets[row] for row in left) for secret in mine]
                share = max([share, *(many / len(left) for many in often)])
        found.append((chance, share))
    return found


def telling_trees_by_forms(trees, rows, own, m, n, hidden):
    """The same of whoever knows values and relations of the own row, in the form that was published."""
    shown = [() if row is None else rows[row] for row in own]
    return telling_trees(trees, rows, own, m, n, lambda label, value: label == value, hidden, shown)


def labels_that_follow(baskets, possible, labels, on_rows, tells):
    """For each person, one in as many possible rows as show a label that every item expects that tells it rightly."""
    found = []
    for person, basket in enumerate(baskets):
        right = [tells[item] for item in basket if labels[person] in tells.get(item, ())]
        found.append(1 / sum(all(on_rows[row] in told for told in right) for row in possible[person]))
    return found
