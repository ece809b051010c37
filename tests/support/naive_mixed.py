"""Slow twins for tables with baskets, from the definitions; nothing of shoal is imported.

quasi   : one tuple a record
baskets : one set a record
"""

from itertools import combinations


def subsets(basket, m):
    """Every subset of at most m items, the empty one too."""
    return [frozenset(part) for size in range(m + 1) for part in combinations(sorted(basket), size)]


def group(quasi, baskets, record, known):
    """Def. 1 for one I: the records with the same quasi-identifiers that hold all of I."""
    return [q for q in range(len(quasi)) if quasi[q] == quasi[record] and known <= baskets[q]]


def kkm(quasi, baskets, k, m):
    """Records, from 1, some of whose groups are smaller than k; and the smallest group of all."""
    sizes = [
        min(len(group(quasi, baskets, record, known)) for known in subsets(baskets[record], m))
        for record in range(len(quasi))
    ]
    return [record + 1 for record, size in enumerate(sizes) if size < k], min(sizes)


def klm(quasi, baskets, sensitive, k, l, m):
    """Records, from 1, that break (k,l^m)-diversity: in a group too small, or one that tells too much."""
    hidden = [basket & sensitive for basket in baskets]
    seen = [basket - sensitive for basket in baskets]
    broken = []
    for record in range(len(quasi)):
        groups = [group(quasi, seen, record, known) for known in subsets(seen[record], m)]
        if any(len(rows) < k or l * likeliest(rows, hidden) > len(rows) for rows in groups):
            broken.append(record + 1)
    return broken


def likeliest(rows, hidden):
    """How many of the rows share the most common combination of sensitive items."""
    parts = {part for row in rows for part in subsets(hidden[row], len(hidden[row])) if part}
    return max((sum(part <= hidden[row] for row in rows) for part in parts), default=0)


def any_m_values(quasi, baskets, k, m):
    """The weaker reading: any at most m values of columns and items together are shared by k records."""
    values = [
        frozenset({(place, cell) for place, cell in enumerate(row)} | {("item", item) for item in basket})
        for row, basket in zip(quasi, baskets, strict=True)
    ]
    return all(
        sum(known <= other for other in values) >= k for own in values for known in _parts(own, m) if known
    )


def _parts(values, m):
    return [frozenset(part) for size in range(m + 1) for part in combinations(sorted(values, key=repr), size)]


def price(rows, columns):
    """What each record of a cluster pays: NCP of the closest common nodes in units of 2^-30, columns alike.

    `columns` are lists of paths, leaf first; a row holds leaves, None where a cell is missing.
    """
    total = 0
    for j, paths in enumerate(columns):
        values = {row[j] for row in rows}
        if None in values:
            leaves = len(paths)
        else:
            own = [path for path in paths if path[0] in values]
            level = next(level for level in range(len(paths[0])) if len({path[level] for path in own}) == 1)
            leaves = sum(path[level] == own[0][level] for path in paths)
        total += round(1 / len(columns) * leaves / len(paths) * 2**30) if leaves > 1 else 0
    return total


def cluster(rows, columns, draws, k):
    """Cluster of Poulis et al.: k records each around drawn seeds, the rest where they fit; lists of places."""
    left, found = list(range(len(rows))), []
    while len(left) >= k:
        seed = left.pop(int(draws[len(found)] * len(left)))
        near = sorted(left, key=lambda place: (price([rows[seed], rows[place]], columns), place))[: k - 1]
        found.append([seed, *near])
        left = [place for place in left if place not in near]
    for place in left:
        costs = [price([rows[i] for i in [*members, place]], columns) for members in found]
        found[costs.index(min(costs))].append(place)
    return found


def btd(one, other):
    """Bit-vector transaction distance of two baskets."""
    return (len(one ^ other) + 1) / (len(one & other) + 1) * len(one | other)


def merge(rows, baskets, columns, clusters, rule, budget, k, loss="ncp"):
    """Merge clusters (lists of places, none published alike) step by step, everything recomputed every time.

    Returns the pairs merged, by first member of each cluster as it was at first, and the totals by `loss`.
    """
    live = {number: list(members) for number, members in enumerate(clusters)}
    steps, totals, tried = [], [_total(rows, columns, live, loss)], set()

    def pays(*numbers):
        return price([rows[i] for number in numbers for i in live[number]], columns)

    def loses(*numbers):
        """What these clusters lose as one; of equal sizes the price decides."""
        size = sum(len(live[number]) for number in numbers)
        return (0 if loss == "ncp" else size, pays(*numbers))

    def lacks(number):
        return 0 < sum(bool(baskets[i]) for i in live[number]) < k

    def far(one, other):
        return max(btd(baskets[i], baskets[j]) for i in live[one] for j in live[other])

    while len(live) > 1:
        wanting = [number for number in live if lacks(number) and number not in tried]
        seed = min(wanting or live, key=lambda number: (loses(number), number))
        others = [number for number in live if number != seed]
        by_r = sorted(others, key=lambda o: (loses(seed, o), o))
        by_t = sorted(
            others,
            key=lambda o: (max(far(seed, o), far(seed, seed), far(o, o)), far(seed, o), loses(seed, o), o),
        )
        by_rt = sorted(others, key=lambda o: (by_r.index(o) + by_t.index(o), by_r.index(o), o))
        order = {"r": by_r if wanting else by_r[:1], "t": by_t, "rt": by_rt}[rule]
        fit = [o for o in order if _total(rows, columns, _united(live, seed, o), loss) <= budget]
        if not fit and not wanting:
            break
        tried = tried - {seed} if fit else tried | {seed}
        partner, before = (fit[0] if fit else None), len(steps)
        while partner is not None:
            live = _united(live, seed, partner)
            steps.append((seed, partner))
            totals.append(_total(rows, columns, live, loss))
            alike = [o for o in live if o != seed and pays(seed, o) == pays(seed) == pays(o)]
            partner = alike[0] if alike else None
        if totals[-1] > budget:
            return steps[:before], totals[: before + 1]
    return steps, totals


def _united(live, seed, other):
    found = {number: members for number, members in live.items() if number != other}
    return found | {seed: live[seed] + live[other]}


def _total(rows, columns, live, loss):
    """What all lose: by price, by the squares of their sizes, or by one in so many clusters."""
    if loss == "dm":
        return sum(len(members) ** 2 for members in live.values())
    if loss == "c_avg":
        return 2**40 // len(live)
    return sum(len(members) * price([rows[i] for i in members], columns) for members in live.values())
