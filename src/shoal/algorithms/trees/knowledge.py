"""Background knowledge of a cut: how many records fit each piece, and which relations are given up for the rest.

A piece of knowledge is a set of values, rising, and a mask of relations among them: bit b(b-1)/2 + a (a < b places
in the set) says that the first of the two stands above the second. Answers are remembered: they depend on the values
alone, whatever else a cut holds, as long as nothing is disassociated.

Structure repair gives up relations so that no knowledge fits too few records. The paper disassociates one pair of
values a ~> b at a time (`scope="pair"`), in all records. That leaves a fingerprint: a record whose b hangs where no
other b hangs had an a above it. `scope="class"` detaches b for good: it stands under the root in every record, and
where other values stand below b, so does its whole field. Then every published record that holds the attacker's
values, and shows the relations that were kept, could have come from a record with all the relations that the attacker
knows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from math import comb

import numpy as np

from shoal.algorithms.trees._kernels.record_bits import empty, loosen, part, recall, remember
from shoal.algorithms.trees.record_index import Question
from shoal.algorithms.trees.search_space import Space, Synopsis
from shoal.data.arrays import B1, F8, I8
from shoal.errors import InfeasibleError

__all__ = [
    "Knowledge",
    "KnowledgeCounter",
    "Repaired",
    "associate",
    "attach",
    "detach",
    "disassociate",
    "pairs_of",
]


_KEY = 2**62
_ENOUGH = 1 << 21  # sets looked at together
_MOST = 1 << 24  # sets that are listed at all
_SPARE = 2  # times k records: a set of more than two values is counted so far, and no further


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Pieces of knowledge, and how many records fit them.

    values : int64[Q, m]   nodes, rising, negated ones behind; -1 behind the last
    mask   : int64[Q]
    held   : int64[Q]      of more than two values, 2 k or more may stand for any larger number
    often  : int64[Q]      how many of these records share one secret, at most; 0 where nobody asks
    """

    values: I8
    mask: I8
    held: I8
    often: I8

    @classmethod
    def none(cls, m: int) -> "Knowledge":
        """Return an `Asked` without any piece of knowledge."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(np.zeros((0, m), dtype=np.int64), nothing, nothing, nothing)

    def where(self, chosen: B1) -> "Knowledge":
        """Return only the chosen pieces of knowledge."""
        return Knowledge(self.values[chosen], self.mask[chosen], self.held[chosen], self.often[chosen])

    def __add__(self, other: "Knowledge") -> "Knowledge":
        return Knowledge(
            np.concatenate([self.values, other.values]),
            np.concatenate([self.mask, other.mask]),
            np.concatenate([self.held, other.held]),
            np.concatenate([self.often, other.often]),
        )

    def without(self, node: int, negated: int) -> "Knowledge":
        """The pieces of knowledge that hold neither a node nor its absence."""
        return self.where(~((self.values == node) | (self.values == negated)).any(axis=1))


@dataclass
class KnowledgeCounter:
    """Asks a space about cuts, for one claim.

    k, m, n, l : the claim's numbers; l = 0 where no diversity is asked for
    denied     : the fields whose absence can be known, as the trees number them
    """

    space: Space
    k: int
    m: int
    n: int
    l: int
    denied: tuple[int, ...]
    memory: dict[int, I8] = field(init=False, default_factory=dict)
    known: dict[int, int] = field(init=False, default_factory=dict)

    def broken(self, cut: Synopsis, new: tuple[int, ...]) -> Knowledge:
        """Knowledge that holds one of the `new` values of a cut and fits too few records, or too similar ones.

        Larger sets are not asked for a relation that is too rare by itself.
        """
        everything, possible = self.everything(cut)
        fresh = np.isin(everything % len(self.space.values.names), new)
        found = Knowledge.none(self.m)
        v = len(cut.nodes)
        for size in range(1, min(self.m, len(everything)) + 1):
            for places, mask in self.knowledge(size, v, fresh, possible):
                asked = self.ask(cut, everything, places, mask)
                found += asked.where(self.wrong(asked))
            if size == 2:
                rare = found.values[(found.mask == 1) & (found.values[:, 2:] < 0).all(axis=1)]
                spot = np.searchsorted(cut.nodes, rare[:, :2])
                possible[spot[:, 0], spot[:, 1]] = False
        return found

    def everything(self, cut: Synopsis) -> tuple[I8, B1]:
        """What can be known of a cut: its values, then those that can be denied; and which pairs share a path."""
        denied = np.isin(self.space.values.kind[cut.nodes], self.denied)
        known = np.r_[cut.nodes, cut.nodes[denied] + len(self.space.values.names)]
        possible = np.zeros((len(known), len(known)), dtype=bool)
        high, low = np.divmod(cut.relations()[1], max(len(cut.nodes), 1))
        possible[high, low] = True
        return known, possible

    def wrong(self, asked: Knowledge) -> B1:
        """Whether too few records fit, or too many of them share a secret."""
        rare = (asked.held > 0) & (asked.held < self.k)
        return rare | (asked.often * self.l > asked.held)

    def knowledge(self, size: int, v: int, fresh: B1, possible: B1) -> Iterator[tuple[I8, I8]]:
        """Sets of `size` values with a fresh one, as places, each with every allowed mask of possible relations.

        If none of the values of a set is negated, it is known already that k records hold them. Mostly all sets come
        at once.
        """
        pairs = pairs_of(size)
        found: list[tuple[I8, I8]] = []
        for places in _sets(size, fresh):
            can = np.zeros(len(places), dtype=np.int64)
            for bit, (a, b) in enumerate(pairs):
                can |= possible[places[:, a], places[:, b]].astype(np.int64) << bit
            for mask in _masks(len(pairs), self.n):
                chosen = (can & mask) == mask
                if mask == 0 and not self.l:
                    chosen &= places[:, -1] >= v
                if chosen.any():
                    found.append((places[chosen], np.full(int(chosen.sum()), mask, dtype=np.int64)))
            if sum(len(mask) for _, mask in found) > _ENOUGH:
                yield _joined(found)
                found = []
        if found:
            yield _joined(found)

    def ask(
        self,
        cut: Synopsis,
        everything: I8,
        places: I8,
        mask: I8,
        *,
        anew: bool = False,
        enough: int | None = None,
    ) -> Knowledge:
        """Count the records that fit; `anew` neither recalls nor remembers, for trees whose relations were cut.

        What has `enough` records is counted no further; None means: as far as other cuts may need to know it.
        """
        size = places.shape[1]
        base = 2 * len(self.space.values.names) + 1
        values = everything[places]
        short = not anew and base**size << len(pairs_of(size)) < _KEY
        told = np.full(len(places), -1, dtype=np.int64)
        if short:
            key = _key(values, mask, base)
            told = recall(self.memory.setdefault(size, empty()), key)
            new = np.flatnonzero(told < 0)
            told[new[self._nobody(values[new], mask[new], base)]] = 0
        missing = told < 0
        if missing.any():
            told[missing] = self._count(cut, everything, places[missing], mask[missing], enough)
            if short:
                held = self.known.get(size, 0)
                self.memory[size] = remember(self.memory[size], held, key[missing], told[missing])
                self.known[size] = held + int(missing.sum())
        wide = np.full((len(values), self.m), -1, dtype=np.int64)
        wide[:, :size] = values
        return Knowledge(wide, mask, told & 0xFFFFFFFF, told >> 32)

    def _nobody(self, values: I8, mask: I8, base: int) -> B1:
        """Whether it is remembered that nobody fits a piece of knowledge without one of its values."""
        size = values.shape[1]
        found = np.zeros(len(values), dtype=bool)
        if size - 1 in self.memory:
            for place, fewer in enumerate(_masks_without(size)):
                on = np.flatnonzero((fewer[mask] >= 0) & ~found)
                key = _key(np.delete(values[on], place, axis=1), fewer[mask[on]], base)
                found[on] = recall(self.memory[size - 1], key) == 0
        return found

    def _count(self, cut: Synopsis, everything: I8, places: I8, mask: I8, enough: int | None) -> I8:
        """How many records fit, and, shifted by 32 bits, how many of them share one secret at most."""
        v = len(cut.nodes)
        where, codes = cut.relations()
        asked = np.full((len(places), places.shape[1] + self.n), -1, dtype=np.int64)
        width = np.zeros(len(places), dtype=np.int64)
        bare = np.ones(places.shape, dtype=bool)
        each = np.arange(len(places))
        for bit, (a, b) in enumerate(pairs_of(places.shape[1])):
            on = each[(mask >> bit) & 1 == 1]
            asked[on, width[on]] = places[on, a] * v + places[on, b]
            width[on] += 1
            bare[on, a] = bare[on, b] = False
        spot = np.full(v * v, -1, dtype=np.int32)  # by relation its number among those asked for
        spot[asked[asked >= 0]] = 0
        relations = np.flatnonzero(spot == 0)
        spot[relations] = np.arange(len(relations))
        asked[asked >= 0] = spot[asked[asked >= 0]]
        for place in range(places.shape[1]):  # a value in a relation need not be asked for again
            on = each[bare[:, place]]
            asked[on, width[on]] = -2 - everything[places[on, place]]
            width[on] += 1
        shown = spot[codes] >= 0
        order = np.argsort(where[shown], kind="stable")
        ends = np.searchsorted(where[shown][order], np.arange(len(cut.up) + 1))
        shows = spot[codes[shown][order]]
        wide = asked[:, : int(width.max(initial=1))].astype(np.int32)
        question = Question(cut.spot, ends, shows, len(relations), wide)
        if not self.l:
            usual = _SPARE * self.k if places.shape[1] > 2 else self.space.n + 1
            return self.space.records.fit(cut.shown, question, usual if enough is None else enough)
        held, often = self.space.records.fit_with_secrets(cut.shown, question)
        return held | (often << 32)


def _masks(bits: int, n: int) -> Iterator[int]:
    """Every mask of at most n of so many bits."""
    for number in range(min(n, bits) + 1):
        for some in combinations(range(bits), number):
            yield sum(1 << bit for bit in some)


def pairs_of(size: int) -> list[tuple[int, int]]:
    """The pairs of places of a set, in the order of the bits of a mask."""
    return [(a, b) for b in range(size) for a in range(b)]


@lru_cache(maxsize=8)
def _masks_without(size: int) -> I8:
    """For each place of a set every mask as it is without the place: int64[size, masks]; -1 if it is in a relation."""
    pairs = pairs_of(size)
    masks = np.arange(1 << len(pairs))
    fewer = np.zeros((size, len(masks)), dtype=np.int64)
    for place in range(size):
        kept = 0
        for bit, pair in enumerate(pairs):
            on = (masks >> bit) & 1
            if place in pair:
                fewer[place, on == 1] = -1
            else:
                fewer[place] |= on << kept
                kept += 1
    return fewer


def _key(values: I8, mask: I8, base: int) -> I8:
    """One number for each piece of knowledge of this many values."""
    key = np.zeros(len(values), dtype=np.int64)
    for column in values.T:
        key = key * base + column
    return (key << len(pairs_of(values.shape[1]))) | mask


def _joined(found: list[tuple[I8, I8]]) -> tuple[I8, I8]:
    return np.concatenate([places for places, _ in found]), np.concatenate([mask for _, mask in found])


def _sets(size: int, fresh: B1) -> Iterator[I8]:
    """Every set of `size` places that holds a fresh one, rising within a set, in parts."""
    new, old = np.flatnonzero(fresh), np.flatnonzero(~fresh)
    for number in range(1, min(size, len(new)) + 1):
        if size - number <= len(old):
            left = new[_combinations(len(new), number)]
            right = old[_combinations(len(old), size - number)]
            step = max(1, _ENOUGH // len(right))
            for at in range(0, len(left), step):
                some = left[at : at + step]
                both = [np.repeat(some, len(right), axis=0), np.tile(right, (len(some), 1))]
                yield np.sort(np.concatenate(both, axis=1), axis=1)


@lru_cache(maxsize=64)
def _combinations(n: int, size: int) -> I8:
    number = comb(n, size)
    if number > _MOST:
        raise InfeasibleError(
            f"trees: {n} published values make {number} sets of {size}, too many to check; lower m"
        )
    each = chain.from_iterable(combinations(range(n), size))
    return np.fromiter(each, np.int64, number * size).reshape(number, size)


@dataclass(frozen=True, slots=True)
class Repaired:
    """A cut whose relations are safe, and what was given up for it.

    loose : values that stand under the root, alone (scope "class")
    cut_relations : pairs (a, b) in the order in which they were disassociated (scope "pair")
    """

    tree: Synopsis
    loose: tuple[int, ...] = ()
    cut_relations: tuple[tuple[int, int], ...] = field(default=())

    @property
    def given_up(self) -> int:
        """How many values were detached, or relations disassociated."""
        return len(self.loose) + len(self.cut_relations)


def detach(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge) -> Repaired:
    """Detach values until no broken knowledge keeps all its relations; the rarest relation's lower end is detached.

    Nothing else can break: relations of detached values are gone in all records, the others are as they were.
    """
    ends = _relations(asking, cut, broken)
    if not len(ends):
        return Repaired(cut)
    held = _supports(asking, cut)
    rarity = _of(ends, held, np.inf)
    together = _together(asking, cut, held)
    loose = np.zeros(len(cut.nodes) + 1, dtype=bool)  # the last one stands for no value
    alive = np.ones(len(ends), dtype=bool)
    while alive.any():
        place = np.flatnonzero(alive)[rarity[alive].argmin() // ends.shape[1]]
        low = ends[place, rarity[place].argmin(), 1]
        loose[:-1] |= together == together[low]
        alive &= ~loose[ends].any(axis=(1, 2))
    return _loosened(cut, _without_fingerprints(asking, cut, held, loose)[:-1])


def attach(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge, found: Repaired) -> Repaired:
    """Attach again what `detach` need not have detached, the commonest first."""
    ends = _relations(asking, cut, broken)
    held = _supports(asking, cut)
    together = _together(asking, cut, held)
    loose = np.r_[np.isin(cut.nodes, found.loose), False]
    common = np.bincount(together, held.sum(axis=0))
    for group in sorted(set(together[loose[:-1]].tolist()), key=lambda group: (-common[group], group)):
        fewer = _without_fingerprints(asking, cut, held, loose & np.r_[together != group, False])
        if fewer[ends].any(axis=(1, 2)).all():
            loose = fewer
    return _loosened(cut, loose[:-1])


def _without_fingerprints(asking: KnowledgeCounter, cut: Synopsis, held: I8, loose: B1) -> B1:
    """The detached values, and with a field that is detached what stands below it here and elsewhere there.

    Such a value would hang in the place of what stood over the field, where no other of its field hangs: so one sees
    that it stood below a value that was detached. Most data have every field in one place, and nothing is added.
    """
    kind = asking.space.values.kind[cut.nodes]
    over, tangled = np.unique(kind[np.asarray(held.any(axis=1))]), asking.space.tangled
    while True:
        gone = over[np.isin(over, kind[loose[:-1]])]  # such fields are detached as a whole
        more = loose | np.r_[np.asarray(tangled[gone].any(axis=0))[kind], False]
        if (more == loose).all():
            return loose
        loose = more


def _together(asking: KnowledgeCounter, cut: Synopsis, held: I8) -> I8:
    """By value a number, one for all that are detached together: a whole field, if something stands below it."""
    kind = asking.space.values.kind[cut.nodes].astype(np.int64)
    over = np.isin(kind, kind[held.any(axis=1)])
    return np.where(over, kind, len(asking.space.trees.classes) + np.arange(len(kind)))


def _loosened(cut: Synopsis, loose: B1) -> Repaired:
    return Repaired(cut.rehung(loosen(cut.up, cut.ends, loose)), tuple(cut.nodes[loose].tolist()))


def disassociate(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge) -> Repaired:
    """Disassociate pairs (Definition 2) until nothing is broken, each for knowledge that was counted as the tree is.

    That is Algorithm 3: what is broken gives up its rarest relation. A disassociated a ~> b changes few relations of
    b. So knowledge without one of these needs no new count, and only what has one is counted anew, once nothing else
    is left: in few rounds. The knowledge with the rarest relation comes first.
    """
    if not len(broken.mask):
        return Repaired(cut)
    given_up: list[tuple[int, int]] = []
    first = now = _supports(asking, cut)
    ends = _relations(asking, cut, broken)
    while len(ends):
        more = list(_to_give_up(ends, now, first > 0))
        given_up += more
        tree = _parted(cut, given_up)
        was, now = now, _supports(asking, tree, now, [low for _, low in more])
        ends = _broken(asking, cut, ends, tree, first, was, now)
    return _told(cut, tree, given_up)


def associate(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge, found: Repaired) -> Repaired:
    """Put back relations that `disassociate` gave up, the last one first, each if nothing is broken with it."""
    given_up = [(int(a), int(b)) for a, b in np.searchsorted(cut.nodes, found.cut_relations).reshape(-1, 2)]
    first = _supports(asking, cut)
    ends = _relations(asking, cut, broken)
    best = _parted(cut, given_up)
    for relation in tuple(reversed(given_up)):
        fewer = [other for other in given_up if other != relation]
        tree = _parted(cut, fewer)
        if not len(_broken(asking, cut, ends, tree, first, first, _supports(asking, tree))):
            given_up, best = fewer, tree
    return _told(cut, best, given_up)


def _parted(cut: Synopsis, given_up: Sequence[tuple[int, int]]) -> Synopsis:
    """The tree of a cut once relations, as places in it, are disassociated in their order."""
    rule = np.full((len(cut.nodes), len(cut.nodes)), -1, dtype=np.int32)
    for number, (high, low) in enumerate(given_up):
        rule[high, low] = number
    return cut.rehung(part(cut.up, cut.ends, rule))


def _told(cut: Synopsis, tree: Synopsis, given_up: Sequence[tuple[int, int]]) -> Repaired:
    return Repaired(
        tree, cut_relations=tuple((int(cut.nodes[high]), int(cut.nodes[low])) for high, low in given_up)
    )


def _broken(
    asking: KnowledgeCounter, cut: Synopsis, ends: I8, tree: Synopsis, first: I8, was: I8, now: I8
) -> I8:
    """The relations of what is broken in a tree: of `ends`, what was broken and lost nothing, and what is new.

    `first` are the supports in the cut, `was` those in the tree that `ends` are about, `now` those in this one.
    """
    still = ends[(_of(ends, was, 0) == _of(ends, now, 0)).all(axis=1)]
    new = _relations(asking, cut, _newly_broken(asking, cut, tree, first, was, now))
    return np.concatenate([still, new])


def _to_give_up(ends: I8, held: I8, below: B1) -> Iterator[tuple[int, int]]:
    """The rarest relation of each broken knowledge, as long as none of its relations may have changed.

    Of equally rare ones that with the higher field above comes first: it takes most of the others along. Where a ~> b
    is disassociated, b leaves a and what stands between them, and what stands below b stays where it is: so relations
    x ~> b change with x = a or x below a (`below` says which may be), and b ~> x with any x.
    """
    ends = np.unique(ends, axis=0)  # ties fall alike, however the knowledge was listed
    v = len(held)
    rarity = _of(ends, held, np.inf) * v + ends[:, :, 0]
    codes = np.where(ends[:, :, 0] < 0, v * v, ends[:, :, 0] * v + ends[:, :, 1])
    best = codes[np.arange(len(ends)), rarity.argmin(axis=1)].tolist()
    order = np.argsort(rarity.min(axis=1), kind="stable")
    changed = np.zeros(v * v + 1, dtype=bool)  # the last one stands for no relation
    over = changed[:-1].reshape(v, v)
    for row, own in zip(order.tolist(), codes[order], strict=True):
        if not changed[own].any():
            high, low = divmod(best[row], v)
            over[below[high], low] = over[high, low] = over[low] = True
            yield high, low


def _newly_broken(
    asking: KnowledgeCounter, cut: Synopsis, tree: Synopsis, first: I8, was: I8, now: I8
) -> Knowledge:
    """Broken knowledge of a tree whose relations were cut: it has a relation that fewer records show than before."""
    v = len(cut.nodes)
    everything, possible = asking.everything(tree)
    lost = first - now
    anew = (now > 0) & (now < was)
    fresh = np.zeros(len(everything), dtype=bool)
    fresh[:v] = anew.any(axis=0)
    found = Knowledge.none(asking.m)
    for size in range(2, min(asking.m, len(everything)) + 1):
        for places, mask in asking.knowledge(size, v, fresh, possible):
            fewer, hit = np.zeros(len(mask), dtype=np.int64), np.zeros(len(mask), dtype=bool)
            for bit, (a, b) in enumerate(pairs_of(size)):
                on = np.flatnonzero((mask >> bit) & 1)
                fewer[on] += lost[places[on, a], places[on, b]]
                hit[on] |= anew[places[on, a], places[on, b]]
            places, mask, fewer = places[hit], mask[hit], fewer[hit]
            if not asking.l:  # what had enough records still has
                tight = asking.ask(cut, everything, places, mask).held - fewer < asking.k
                places, mask = places[tight], mask[tight]
            asked = asking.ask(tree, everything, places, mask, anew=True, enough=asking.k)
            found += asked.where(asking.wrong(asked))
    return found


def _supports(
    asking: KnowledgeCounter, tree: Synopsis, was: I8 | None = None, moved: Sequence[int] = ()
) -> I8:
    """How many records show each relation: int64[v, v]; if this `was` known, only those of moved values are counted."""
    v = len(tree.nodes)
    high, low = np.divmod(np.unique(tree.relations()[1]), max(v, 1))
    held = np.zeros((v, v), dtype=np.int64)
    if was is not None:
        held[:] = was
        held[moved, :] = held[:, moved] = 0
        anew = np.isin(high, moved) | np.isin(low, moved)
        high, low = high[anew], low[anew]
    pairs, one = np.stack([high, low], axis=1), np.ones(len(high), dtype=np.int64)
    held[high, low] = asking.ask(tree, tree.nodes, pairs, one, anew=tree.changed).held
    return held


def _relations(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge) -> I8:
    """For each piece of knowledge, its relations, as places in the cut: int64[Q, n, 2], -1 behind the last."""
    found = np.full((len(broken.mask), max(asking.n, 1), 2), -1, dtype=np.int64)
    width = np.zeros(len(broken.mask), dtype=np.int64)
    for bit, (a, b) in enumerate(pairs_of(asking.m)):
        on = np.flatnonzero((broken.mask >> bit) & 1)
        found[on, width[on]] = np.searchsorted(cut.nodes, broken.values[on][:, [a, b]])
        width[on] += 1
    return found


def _of(ends: I8, held: I8, nothing: float) -> F8:
    """How many records show each relation, by place in `ends`; `nothing` where there is none."""
    return np.where(ends[:, :, 0] < 0, nothing, held[ends[:, :, 0], ends[:, :, 1]])
