"""m-invariance: everybody keeps, from release to release, the set of sensitive values of their class (Xiao, Tao)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import ceil

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from shoal.algorithms.knobs import suppression_limit
from shoal.algorithms.local.column_prices import lost_leaves, shares_of
from shoal.algorithms.local.local_table import LocalTable, Partition
from shoal.base.errors import InfeasibleError
from shoal.base.progress import Progress, no_progress
from shoal.data import Table
from shoal.data.arrays import F8, I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, Recoded, Result

__all__ = ["Signature", "invariant"]

Signature = frozenset[int]
"""The sensitive values of a class, as codes."""

_TRIES = 5  # draws of who completes whose signature, where no order along a column places everybody
_LABELS = 4_000  # labels looked at for one class before it counts as one that has none of its own
_SECONDS = 60.0
_NEIGHBOURS = 40  # classes of the same signature with which one that has no label is cut anew

_Key = tuple[int, ...]
_Class = tuple[I8, list[int]]
"""The people of a class, and the level of its label in each column."""


def invariant(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    k: int,
    m: int,
    values: I8,
    signatures: Sequence[Signature | None],
    suppress: float = 0.0,
    classes: I8 | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in classes that hold at least `m` sensitive values, each equally often.

    Parameters
    ----------
    table, hierarchies, claim
        The data, a hierarchy for each quasi-identifier, and what the release states.
    k, m
        The fewest people, and the fewest sensitive values, of a class.
    values
        int64[n], the sensitive value of each record; -1 where it is missing.
    signatures
        For each record the values of its person's class in earlier releases, or None where the person is new.
    suppress
        The share of records that may be left out; as few as possible are.
    classes
        int64[n], the class of each record where classes are made already, and labels alone are asked for.
    rng
        Draws who completes whose signature, and who is left out; by default the operating system does.

    Raises
    ------
    InfeasibleError
        Too many signatures cannot be completed; the message counts them.

    Notes
    -----
    *Guarantee.* A class is a set of values S with |S| >= m, c people for each of them, c |S| >= k, and S is the
    signature of everybody in it who has one. Whatever is published then stays the same if the values of S are
    exchanged, in any way, among all people of signature S in all releases; so nobody's value is more likely than 1/m.

    *Complexity.* One integer program over signatures and values, whose size does not depend on the number of records;
    then O(d n log n) for each level of halving.

    *Departures.* The paper asks for each value once in a class. Classes with the same labels are one class to whoever
    reads a release, and k may exceed the number of values: so each value stands equally often. No counterfeits: where
    a signature cannot be completed, people are left out. Labels are nodes of hierarchies, and classes of
    different signatures must not be written alike, so some labels are coarser than their class needs.

    *Randomness.* New people are drawn, as are those who are left out.

    References
    ----------
    .. [1] Xiao, Tao. m-invariance: towards privacy preserving re-publication of dynamic datasets. SIGMOD 2007.
    """
    rng = np.random.default_rng() if rng is None else rng
    n, allowed = len(values), suppression_limit("m-invariance", suppress, len(values))
    progress("completing signatures")
    plan = _SignaturePlan.of(values, signatures, k, m)
    if n - plan.placed > allowed:
        raise InfeasibleError(_short(plan, n, allowed, m))
    local = LocalTable.of("m-invariance", table, hierarchies, recode="hierarchy", grid=None, mix=False, k=k)
    at = np.empty(n, dtype=np.int64)
    at[local.rows] = np.arange(n)
    labels = _Labels.of(local, shares_of(table))
    best: list[_Class] = []
    progress("forming classes")
    along = [labels.leaves[at, j].astype(np.float64) for j in range(len(labels.trees))]
    for trial, place in enumerate([*along, *(rng.random(n) for _ in range(_TRIES))]):
        if trial >= len(along) and _people(best) == plan.placed:
            break
        drawn = [
            (number, people)
            for number, bucket in enumerate(plan.drawn(place, rng).values())
            for people in _halved(at[bucket], k, labels)
        ]
        parts = drawn if classes is None else _as_given(values, classes, at)
        best = max(
            best, _Writing(labels, k, rng).of(parts), key=lambda made: (_people(made), -labels.cost(made))
        )
    left = n - _people(best)
    if left > allowed or not best:
        raise InfeasibleError(
            f"m-invariance: {left} of {n} records are in classes whose labels no other class may have, and cannot be "
            "written so; give hierarchies with more levels, or allow them to be left out with "
            f"suppress = {ceil(1e4 * left / n) / 1e4:g} in [method]"
        )
    records = np.sort(np.concatenate([people for people, _ in best]))  # as `local` numbers them
    class_of = np.empty(n, dtype=np.int64)
    for place, (people, _) in enumerate(best):
        class_of[people] = place
    levels = np.array([levels for _, levels in best], dtype=np.int64)
    return local.keeping(records).release(Partition.of(class_of[records]), claim, levels)


def _as_given(values: I8, classes: I8, at: I8) -> list[tuple[int, I8]]:
    """Classes that are made already: the number of the signature, and the people by value."""
    seen: dict[bytes, int] = {}
    found = []
    for one in np.unique(classes):
        people = np.flatnonzero(classes == one)
        people = people[np.argsort(values[people], kind="stable")]
        own = np.unique(values[people])
        found.append((seen.setdefault(own.tobytes(), len(seen)), at[people].reshape(len(own), -1)))
    return found


def _people(classes: Sequence[_Class]) -> int:
    return sum(len(people) for people, _ in classes)


def _short(plan: "_SignaturePlan", n: int, allowed: int, m: int) -> str:
    """Why too many people cannot be in the release."""
    known, new = plan.short
    why = [
        f"{known} people who are in earlier releases, because nobody has the values that would complete the set of "
        "values of their earlier classes"
        if known
        else "",
        f"{new} new people, because too few others have other values to make sets of {m}" if new else "",
    ]
    left = n - plan.placed
    return (
        f"m-invariance: {left} of {n} records cannot be published: {' and '.join(filter(None, why))}; allow them to be "
        f"left out with suppress = {ceil(1e4 * left / n) / 1e4:g} in [method], "
        f"where {allowed} may be now, or ask for a smaller l"
    )


@dataclass(frozen=True)
class _SignaturePlan:
    """How many people of each value go into each signature, so that as few as possible are left out.

    known : for each signature and value, the records of people who have that signature already
    new   : for each value, the records of new people
    each  : for each signature that is published, how many people of each of its values
    lost  : people who can be in no class: their value is missing or not in their signature, or that is too small
    """

    known: Mapping[Signature, Mapping[int, list[int]]]
    new: Mapping[int, list[int]]
    each: Mapping[Signature, int]
    lost: int

    @classmethod
    def of(cls, values: I8, signatures: Sequence[Signature | None], k: int, m: int) -> "_SignaturePlan":
        known: dict[Signature, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        new: dict[int, list[int]] = defaultdict(list)
        lost = 0
        for record, (value, own) in enumerate(zip(values.tolist(), signatures, strict=True)):
            if value < 0 or (own is not None and (value not in own or len(own) < m)):
                lost += own is not None
            elif own is None:
                new[value].append(record)
            else:
                known[own][value].append(record)
        many = {own: {value: len(people) for value, people in held.items()} for own, held in known.items()}
        each = _completed(many, {value: len(people) for value, people in new.items()}, k, m)
        return cls(known, new, each, lost)

    @property
    def placed(self) -> int:
        """How many people are in the release."""
        return sum(len(own) * many for own, many in self.each.items())

    @property
    def short(self) -> tuple[int, int]:
        """How many people of earlier releases, and how many new ones, are left out."""
        there = sum(len(people) for held in self.known.values() for people in held.values())
        stay = sum(
            min(len(people), self.each.get(own, 0))
            for own, held in self.known.items()
            for people in held.values()
        )
        new = sum(map(len, self.new.values()))
        return self.lost + there - stay, new - (self.placed - stay)

    def drawn(self, place: F8, rng: np.random.Generator) -> dict[Signature, I8]:
        """For each signature its records, one row for each value; who completes it stands near its other people.

        `place` is where each record stands along a line. Signatures are filled from one end of it to the other, each by
        the mean place of the people whom it alone can take; of equal places it is drawn who comes first.
        """
        pool = {
            value: sorted(rng.permutation(people).tolist(), key=lambda record: place[record])
            for value, people in self.new.items()
        }
        users: dict[int, int] = defaultdict(int)
        for own in self.each:
            for value in own:
                users[value] += 1
        middle = {own: self._middle(own, place, users) for own in self.each}
        found = {}
        for own, many in sorted(self.each.items(), key=lambda one: middle[one[0]]):
            rows = []
            for value in sorted(own):
                stay = rng.permutation(np.array(self.known.get(own, {}).get(value, ()), dtype=np.int64))[
                    :many
                ]
                lacking = many - len(stay)
                taken, pool[value] = pool.get(value, [])[:lacking], pool.get(value, [])[lacking:]
                rows.append([*stay.tolist(), *taken])
            found[own] = np.array(rows, dtype=np.int64)
        return found

    def _middle(self, own: Signature, place: F8, users: Mapping[int, int]) -> float:
        """Where the people of a signature stand who have it already, or whose value few other signatures have."""
        known = [record for people in self.known.get(own, {}).values() for record in people]
        rare = min(own, key=lambda value: (users[value], value))
        return float(place[known or self.new.get(rare) or [0]].mean())


def _completed(
    known: Mapping[Signature, Mapping[int, int]], new: Mapping[int, int], k: int, m: int
) -> dict[Signature, int]:
    """How many people of each of its values every signature gets; nobody can place more people.

    Variables: for each known signature S, c(S) people of each value, and whether S is used at all; and for new
    signatures, of which there are too many to list, families of `times` people for each value: g signatures in which
    value v stands in u(v) <= g of them can be made, each of at least s values, exactly where the u(v) sum to s g or
    more (deal the values out in turn).
    """
    owns, kinds = list(known), sorted(new)
    most = ceil(k / m)
    families = [times for times in range(1, 2 * most) if max(m, ceil(k / times)) <= len(kinds)]
    total = sum(new.values()) + sum(sum(held.values()) for held in known.values())
    if not owns and not families:
        return {}
    rows: list[dict[int, float]] = []
    low: list[float] = []
    first_used = len(owns)
    first_stay = 2 * len(owns)
    stay_at: dict[tuple[int, int], int] = {}
    for place, own in enumerate(owns):
        for value in sorted(own):
            if known[own].get(value):
                stay_at[place, value] = first_stay + len(stay_at)
    first_new = first_stay + len(stay_at)
    width = 2 + len(kinds)  # of one family: g, whether it is used at all, and u for each value
    size = first_new + width * len(families)
    upper, gain, fine = np.full(size, float(total)), np.zeros(size), np.zeros(size)
    demand: dict[int, dict[int, float]] = defaultdict(dict)  # for each value, what new people it takes
    for place, own in enumerate(owns):
        upper[first_used + place] = 1
        upper[place] = total // len(own)
        gain[place] = len(own)
        rows += [{place: len(own), first_used + place: -k}, {first_used + place: upper[place], place: -1}]
        low += [0, 0]
        for value in own:
            demand[value][place] = 1
            if (place, value) in stay_at:
                stay = stay_at[place, value]
                upper[stay] = known[own][value]
                demand[value][stay] = -1
                rows.append({place: 1, stay: -1})
                low.append(0)
    for number, times in enumerate(families):
        g = first_new + width * number
        upper[g + 1], fine[g], fine[g + 1] = 1, 1, -float(total)
        rows.append({g + 1: total, g: -1})
        low.append(0)
        enough: dict[int, float] = {g: -max(m, ceil(k / times))}
        for at, value in enumerate(kinds, start=2):
            upper[g + at] = new[value] // times
            gain[g + at] = times
            fine[g + at] = -times if owns else 0
            demand[value][g + at] = times
            rows.append({g: 1, g + at: -1})
            low.append(0)
            enough[g + at] = 1
        rows.append(enough)
        low.append(0)
    for value, taken in demand.items():
        rows.append({at: -share for at, share in taken.items()})
        low.append(-float(new.get(value, 0)))
    solved = _solve(rows, low, upper, gain)
    rows.append({at: share for at, share in enumerate(gain.tolist()) if share})
    low.append(float(gain @ solved))
    if families and solved[first_new:].any():
        # Known signatures before new ones, and few of these: the fewer there are, the more labels has each. But
        # smaller sets before larger ones, for their classes are finer.
        solved = _solve(rows, low, upper, fine)
    each: dict[Signature, int] = defaultdict(int)
    for place, own in enumerate(owns):
        if solved[place]:
            each[own] += int(solved[place])
    for number, times in enumerate(families):
        g = first_new + width * number
        for own in _dealt(int(solved[g]), dict(zip(kinds, solved[g + 2 : g + width].tolist(), strict=True))):
            each[own] += times
    return dict(each)


def _solve(rows: Sequence[Mapping[int, float]], low: Sequence[float], upper: F8, gain: F8) -> F8:
    """The best whole numbers from 0 to `upper` with rows >= low; 0 throughout is always allowed."""
    where = [(number, at, share) for number, row in enumerate(rows) for at, share in row.items()]
    number, at, share = zip(*where, strict=True)
    matrix = csr_matrix((share, (number, at)), shape=(len(rows), len(upper)))
    found = milp(
        -gain,
        constraints=LinearConstraint(matrix, lb=np.array(low, dtype=float)),
        bounds=Bounds(0, upper),
        integrality=np.ones(len(upper)),
        options={"time_limit": _SECONDS, "mip_rel_gap": 0.0},
    )
    return np.zeros(len(upper)) if found.x is None else np.rint(found.x)


def _dealt(groups: int, many: Mapping[int, float]) -> Iterator[Signature]:
    """So many sets, in which each value stands so many times in all.

    >>> [sorted(own) for own in _dealt(3, {0: 3, 1: 2, 2: 1})]
    [[0, 1], [0, 1], [0, 2]]
    """
    turns = [value for value, times in many.items() for _ in range(int(times))]
    for first in range(groups):
        yield frozenset(turns[first::groups])


def _halved(people: I8, k: int, labels: "_Labels") -> Iterator[I8]:
    """A bucket, int64[values, c], in classes with equally many people of every value, halved while both have k."""
    half = people.shape[1] // 2
    if half < ceil(k / len(people)):
        yield people
        return
    ways = [_cut(people, j, half, labels) for j in labels.by_price(people)]
    for part in min(ways, key=lambda parts: sum(part.size * labels.price(part) for part in parts)):
        yield from _halved(part, k, labels)


def _cut(people: I8, column: int, at: int, labels: "_Labels") -> tuple[I8, I8]:
    """Two parts of a class along a column, with so many people of every value in the first."""
    order = np.argsort(labels.leaves[people, column], axis=1, kind="stable")
    ordered = np.take_along_axis(people, order, axis=1)
    return ordered[:, :at], ordered[:, at:]


@dataclass
class _Writing:
    """Classes in labels that no two signatures share."""

    labels: "_Labels"
    k: int
    rng: np.random.Generator

    def of(self, classes: Sequence[tuple[int, I8]]) -> list[_Class]:
        """The classes, each with the levels of its labels; whoever has no label that is free is not among them.

        Of classes that would be written alike, the signature with most people stays; the others take the cheapest
        labels above theirs that no other signature has. A class that finds none is cut anew, with another of its
        signature.
        """
        lowest = [self.labels.lowest(people) for _, people in classes]
        crowd: dict[_Key, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for (number, people), levels in zip(classes, lowest, strict=True):
            crowd[self.labels.key(people, levels)][number] += people.size
        taken = {key: max(held, key=lambda number: (held[number], -number)) for key, held in crowd.items()}
        found: dict[int, list[_Class]] = defaultdict(list)
        stuck: list[tuple[int, I8]] = []
        for number, people in classes:
            free = self.labels.free(people, taken, number)
            if free is None:
                stuck.append((number, people))
            else:
                found[number].append((people, free))
        for number, people in stuck:
            self._anew(people, found[number], taken, number)
        return [(people.reshape(-1), levels) for held in found.values() for people, levels in held]

    def _anew(self, people: I8, others: list[_Class], taken: dict[_Key, int], number: int) -> None:
        """Put a class without a label among the others of its signature, if two of them can be cut in another way."""
        fewest = ceil(self.k / len(people))
        for place in self.rng.permutation(len(others))[:_NEIGHBOURS].tolist():
            both = np.concatenate([people, others[place][0]], axis=1)
            c = both.shape[1]
            for at in {at for at in (fewest, c // 2, c - fewest) if fewest <= at <= c - fewest}:
                for column in self.labels.by_price(both):
                    parts = _cut(both, column, at, self.labels)
                    levels = [self.labels.free(part, taken, number) for part in parts]
                    if levels[0] is not None and levels[1] is not None:
                        others[place] = parts[0], levels[0]
                        others.append((parts[1], levels[1]))
                        return


@dataclass(frozen=True)
class _Labels:
    """The labels of classes: nodes of hierarchies.

    leaves : int32[n, d]  the leaf code of each record
    prices : for each column, float64[levels, leaves + 1]: what the node above each leaf loses, weighted
    """

    leaves: I4
    trees: tuple[Hierarchy, ...]
    prices: tuple[F8, ...]

    @classmethod
    def of(cls, local: LocalTable, shares: F8) -> "_Labels":
        trees = local.hierarchies
        lost = [lost_leaves(tree, np.arange(tree.size + 1, dtype=np.int32)) for tree in trees]
        prices = (share * own / tree.size for share, own, tree in zip(shares, lost, trees, strict=True))
        return cls(local.leaves, trees, tuple(prices))

    def lowest(self, people: I8) -> list[int]:
        """The level of the lowest node over a class, in every column."""
        inside = self.leaves[people.reshape(-1)]
        low, high = inside.min(axis=0), inside.max(axis=0)
        return [
            int((tree.up[a] != tree.up[b]).sum())
            for tree, a, b in zip(self.trees, low.tolist(), high.tolist(), strict=True)
        ]

    def _losses(self, people: I8) -> list[float]:
        first = self.leaves[people.reshape(-1)[0]].tolist()
        return [
            float(self.prices[j][level, leaf])
            for j, (level, leaf) in enumerate(zip(self.lowest(people), first, strict=True))
        ]

    def cost(self, classes: Sequence[_Class]) -> float:
        """What classes lose in all."""
        return sum(
            float(self.prices[j][level, self.leaves[people[0], j]]) * len(people)
            for people, levels in classes
            for j, level in enumerate(levels)
        )

    def price(self, people: I8) -> float:
        """What a class loses per record."""
        return sum(self._losses(people))

    def by_price(self, people: I8) -> list[int]:
        """The columns in which a class differs."""
        return [j for j, lost in enumerate(self._losses(people)) if lost] or [0]

    def free(self, people: I8, taken: dict[_Key, int], own: int) -> list[int] | None:
        """The levels of the cheapest labels over a class that no other signature has; they are its own then."""
        for levels in self._above(people):
            if taken.setdefault(self.key(people, levels), own) == own:
                return levels
        return None

    def key(self, people: I8, levels: Sequence[int]) -> _Key:
        """What the labels of a class stand for."""
        leaves = self.leaves[people.flat[0]].tolist()
        return tuple(
            int(end)
            for tree, leaf, level in zip(self.trees, leaves, levels, strict=True)
            for end in tree.spans[level][tree.up[leaf, level]]
        )

    def _above(self, people: I8) -> Iterator[list[int]]:
        """The labels of a class, and coarser ones, the cheapest first."""
        leaves, levels = self.leaves[people.flat[0]].tolist(), self.lowest(people)
        heap, seen = [(0.0, tuple(levels))], {tuple(levels)}
        for _ in range(_LABELS):
            if not heap:
                return
            _, now = heappop(heap)
            yield list(now)
            for j, level in enumerate(now):
                if level < self.trees[j].height:
                    more = (*now[:j], level + 1, *now[j + 1 :])
                    if more not in seen:
                        seen.add(more)
                        price = sum(float(self.prices[i][at, leaves[i]]) for i, at in enumerate(more))
                        heappush(heap, (price, more))
