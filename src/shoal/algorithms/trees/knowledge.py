"""Background knowledge of a cut: how many records fit each piece, and which relations are given up for the rest.

A piece of knowledge is a set of values, rising, and a mask of relations among them: bit b(b-1)/2 + a (a < b places
in the set) says that the first of the two stands above the second. Pieces grow from their relations, one place at a
time: relations are few, sets of values without any are listed apart, and what nobody fits is not grown. So what a cut
costs depends on what is known of it, not on all sets of its values. Answers are remembered: they depend on the values
alone, whatever else a cut holds, as long as nothing is disassociated.

Structure repair gives up relations so that no knowledge fits too few records: by disassociating pairs of values, as the
paper does, or by detaching values for good, which leaves no fingerprint (see *Scope* of `gcs`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np

from shoal.algorithms.trees._kernels.record_bits import (
    disassociate_paths,
    drop_relation,
    empty_memory,
    recall_values,
    remember_values,
)
from shoal.algorithms.trees.record_index import Question
from shoal.algorithms.trees.search_space import Space, Synopsis
from shoal.base.errors import InfeasibleError
from shoal.data.arrays import B1, F8, I8, concatenate_ranges

__all__ = ["Knowledge", "KnowledgeCounter", "Repaired", "associate", "attach", "detach", "disassociate"]

# The pieces that somebody can have of a cut.

_ENOUGH = 1 << 21  # pieces looked at together
_MOST = 1 << 24  # pieces, or sets, that are held at all


class Pieces(NamedTuple):
    """Pieces of knowledge, all of equally many places.

    places : int64[Q, size]
    mask   : int64[Q]
    ends   : int64[Q, n, 2]   the places of each relation, the upper one first; -1 behind the last
    last   : int64[Q]         the turn of the place that was added last, -1: none was
    """

    places: I8
    mask: I8
    ends: I8
    last: I8

    def where(self, chosen: B1) -> "Pieces":
        """Only the chosen ones."""
        return Pieces(*(column[chosen] for column in self))


class Growth:
    """Lists the pieces with relations, by their size, from those of the size before that are to grow.

    Parameters
    ----------
    n
        The largest number of relations of a piece.
    fresh
        By place, whether a piece may begin with any relations if this place is added to them.
    related
        The possible relations: int64[R, 2]. The upper place is the lower number.
    new
        By relation, whether a piece may begin with it and any others.
    """

    def __init__(self, n: int, fresh: B1, related: I8, new: B1) -> None:
        self.n, self.size = n, 0
        self._turns = np.r_[np.flatnonzero(fresh), np.flatnonzero(~fresh)]  # new items come first
        self._fresh, self._new = int(fresh.sum()), int(new.sum())
        self._related = np.concatenate([related[new], related[~new]])
        self._growing: list[Pieces] = []

    def give_up(self, gone: I8) -> None:
        """Begin no more pieces with these relations."""
        width = len(self._turns)
        stay = ~np.isin(self._related[:, 0] * width + self._related[:, 1], gone[:, 0] * width + gone[:, 1])
        self._new, self._related = int(stay[: self._new].sum()), self._related[stay]

    def grow(self, some: Pieces) -> None:
        """Let these be part of larger pieces."""
        self._growing.append(some)
        piece_count = sum(len(pieces.mask) for pieces in self._growing)
        if piece_count > _MOST:
            raise InfeasibleError(
                f"trees: there are more than {_MOST} sets of {self.size} values with relations, too many to check; "
                "lower m or n"
            )

    def larger(self) -> Iterator[Pieces]:
        """All pieces with one more place, mostly at once."""
        self.size += 1
        before, self._growing = self._growing, []
        return _batch_pieces(chain(self._begin(), *map(self._add_places, before)))

    def _begin(self) -> Iterator[Pieces]:
        """Relations between all places of a piece; or between all but one, which is fresh."""
        for number in range(1, min(self.n, comb(self.size, 2)) + 1):
            for ends, places in self._relation_sets(0, self._new, number, self.size):
                yield self._make_pieces(places, ends, np.full(len(ends), -1))
            for ends, places in self._relation_sets(self._new, len(self._related), number, self.size - 1):
                turn = np.tile(np.arange(self._fresh), len(ends))
                yield self._add_place(places, ends, turn, np.full(len(ends), self._fresh))

    def _add_places(self, some: Pieces) -> Iterator[Pieces]:
        """Each piece with each place whose turn comes later, in parts."""
        step = max(1, _ENOUGH // len(self._turns))
        for offset in range(0, len(some.mask), step):
            part = Pieces(*(column[offset : offset + step] for column in some))
            first_turn = part.last + 1
            turn_count = len(self._turns) - first_turn
            turn = concatenate_ranges(first_turn, turn_count)
            yield self._add_place(part.places, part.ends, turn, turn_count)

    def _add_place(self, places: I8, ends: I8, turn: I8, turn_count: I8) -> Pieces:
        """Each set of places with one more, that of each of its turns, unless it is there already."""
        set_of_row, new_place = np.repeat(np.arange(len(places)), turn_count), self._turns[turn]
        is_new = (places[set_of_row] != new_place[:, None]).all(axis=1)
        set_of_row = set_of_row[is_new]
        extended = np.concatenate([places[set_of_row], new_place[is_new, None]], axis=1)
        return self._make_pieces(np.sort(extended, axis=1), ends[set_of_row], turn[is_new])

    def _make_pieces(self, places: I8, ends: I8, last: I8) -> Pieces:
        """Write relations as bits as well, and leave room for as many as there can be."""
        all_ends = np.full((len(ends), self.n, 2), -1, dtype=np.int64)
        all_ends[:, : ends.shape[1]] = ends
        mask = np.zeros(len(ends), dtype=np.int64)
        for upper_place, lower_place in np.moveaxis(all_ends, 0, -1):
            upper = (places < upper_place[:, None]).sum(axis=1)  # where the place stands in the set
            lower = (places < lower_place[:, None]).sum(axis=1)
            mask |= np.where(upper_place < 0, 0, 1 << (lower * (lower - 1) // 2 + upper))
        return Pieces(places, mask, all_ends, last)

    def _relation_sets(self, first: int, end: int, number: int, size: int) -> Iterator[tuple[I8, I8]]:
        """Sets of so many relations that stand between exactly `size` places, with these places, in parts.

        The first relation is one of `first` to `end`-1; the others come behind it.
        """
        if first == end or size < 2:
            return
        parts: Iterable[I8] = [np.arange(first, end)[:, None]]
        for _ in range(number - 1):
            parts = (
                extended
                for relation_sets in parts
                for extended in _add_relation(relation_sets, self._related, size)
            )
        for relation_sets in parts:
            ends = self._related[relation_sets]
            places, is_first = _sort_places(ends)
            has_size = is_first.sum(axis=1) == size
            if has_size.any():
                yield ends[has_size], places[has_size][is_first[has_size]].reshape(-1, size)


def _add_relation(some: I8, related: I8, size: int) -> Iterator[I8]:
    """Each set of relations with each that comes behind them, if they have at most `size` places, in parts."""
    step = max(1, _ENOUGH // max(len(related), 1))
    for offset in range(0, len(some), step):
        part = some[offset : offset + step]
        first_later = part[:, -1] + 1
        later_count = len(related) - first_later
        later = concatenate_ranges(first_later, later_count)
        extended = np.concatenate([np.repeat(part, later_count, axis=0), later[:, None]], axis=1)
        _, is_first = _sort_places(related[extended])
        yield extended[is_first.sum(axis=1) <= size]


def _sort_places(ends: I8) -> tuple[I8, B1]:
    """The places of each set of relations, rising, and whether each is the first of equal ones."""
    places = np.sort(ends.reshape(len(ends), 2 * ends.shape[1]), axis=1)
    return places, np.diff(places, axis=1, prepend=-1) > 0


def _batch_pieces(parts: Iterator[Pieces]) -> Iterator[Pieces]:
    batch: list[Pieces] = []
    piece_count = 0
    for pieces in parts:
        batch.append(pieces)
        piece_count += len(pieces.mask)
        if piece_count > _ENOUGH:
            yield Pieces(*map(np.concatenate, zip(*batch, strict=True)))
            batch, piece_count = [], 0
    if piece_count:
        yield Pieces(*map(np.concatenate, zip(*batch, strict=True)))


def _list_fresh_sets(size: int, fresh: B1) -> Iterator[I8]:
    """Every set of `size` places that holds a fresh one, rising within a set, in parts."""
    new, old = np.flatnonzero(fresh), np.flatnonzero(~fresh)
    for number in range(1, min(size, len(new)) + 1):
        if size - number <= len(old):
            new_sets = new[_list_combinations(len(new), number)]
            old_sets = old[_list_combinations(len(old), size - number)]
            step = max(1, _ENOUGH // len(old_sets))
            for offset in range(0, len(new_sets), step):
                chunk = new_sets[offset : offset + step]
                columns = [np.repeat(chunk, len(old_sets), axis=0), np.tile(old_sets, (len(chunk), 1))]
                yield np.sort(np.concatenate(columns, axis=1), axis=1)


@lru_cache(maxsize=64)
def _list_combinations(n: int, size: int) -> I8:
    number = comb(n, size)
    if number > _MOST:
        raise InfeasibleError(
            f"trees: {n} published values make {number} sets of {size}, too many to check; lower m"
        )
    each = chain.from_iterable(combinations(range(n), size))
    return np.fromiter(each, np.int64, number * size).reshape(number, size)


def _list_pairs(size: int) -> list[tuple[int, int]]:
    """The pairs of places of a set, in the order of the bits of a mask."""
    return [(a, b) for b in range(size) for a in range(b)]


@lru_cache(maxsize=8)
def _mask_numbers(size: int, n: int) -> I8:
    """By mask its number among those of at most n relations, -1 for all others."""
    bits = len(_list_pairs(size))
    few = [
        sum(1 << bit for bit in subset)
        for number in range(n + 1)
        for subset in combinations(range(bits), number)
    ]
    numbers = np.full(1 << bits, -1, dtype=np.int64)
    numbers[few] = np.arange(len(few))
    return numbers


@lru_cache(maxsize=8)
def _masks_without(size: int) -> I8:
    """For each place of a set every mask as it is without the place: int64[size, masks]; -1 if it is in a relation."""
    pairs = _list_pairs(size)
    masks = np.arange(1 << len(pairs))
    fewer = np.zeros((size, len(masks)), dtype=np.int64)
    for position in range(size):
        shift = 0
        for bit, pair in enumerate(pairs):
            on = (masks >> bit) & 1
            if position in pair:
                fewer[position, on == 1] = -1
            else:
                fewer[position] |= on << shift
                shift += 1
    return fewer


# How many records fit them.

_KEY = 2**62
_WIDE = 7  # values of a set whose masks are listed
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
        """No piece of knowledge."""
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

    def find_broken(self, cut: Synopsis, new: tuple[int, ...]) -> Knowledge:
        """Knowledge that holds one of the `new` values of a cut and fits too few records, or too similar ones.

        Larger sets are not asked for a relation that is too rare by itself, nor is more asked of knowledge that is
        broken: giving up one of its relations mends both.
        """
        everything, related = self.list_knowable(cut)
        fresh = np.isin(everything % len(self.space.values.names), new)
        broken = Knowledge.none(self.m)
        growth = Growth(self.n, fresh, related, fresh[related[:, 0]] | fresh[related[:, 1]])
        for size in range(1, min(self.m, len(everything)) + 1):
            for places in self._list_single_sets(size, len(cut.nodes), fresh):
                candidates = self.ask(cut, everything, places, np.zeros(len(places), dtype=np.int64))
                broken += candidates.where(self.is_broken(candidates))
            for pieces in growth.larger():
                candidates = self.ask(cut, everything, pieces.places, pieces.mask)
                wrong = self.is_broken(candidates)
                broken += candidates.where(wrong)
                if size < self.m:
                    growth.grow(pieces.where(~wrong & (candidates.held > 0)))
            if size == 2:
                rare = broken.values[(broken.mask == 1) & (broken.values[:, 2:] < 0).all(axis=1)]
                growth.give_up(np.searchsorted(cut.nodes, rare[:, :2]))
        return broken

    def _list_single_sets(self, size: int, v: int, fresh: B1) -> Iterator[I8]:
        """Sets of values without relations; if none of them is negated, it is known already that k records hold it."""
        if self.l or len(fresh) > v:
            for places in _list_fresh_sets(size, fresh):
                yield places if self.l else places[places[:, -1] >= v]

    def list_knowable(self, cut: Synopsis) -> tuple[I8, I8]:
        """What can be known of a cut: its values, then those that can be denied; and which of them share a path."""
        denied = np.isin(self.space.values.kind[cut.nodes], self.denied)
        values = np.r_[cut.nodes, cut.nodes[denied] + len(self.space.values.names)]
        related = np.stack(np.divmod(np.unique(cut.relations()[1]), max(len(cut.nodes), 1)), axis=1)
        return values, related[related[:, 0] < related[:, 1]]

    def is_broken(self, asked: Knowledge) -> B1:
        """Whether too few records fit, or too many of them share a secret."""
        rare = (asked.held > 0) & (asked.held < self.k)
        return rare | (asked.often * self.l > asked.held)

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
        values = everything[places]
        has_key = size <= _WIDE and self._key_base**size * self._masks(size) < _KEY
        is_remembered = has_key and not anew
        counts = np.full(len(places), -1, dtype=np.int64)
        if is_remembered:
            key = self._key(values, mask)
            counts = recall_values(self.memory.setdefault(size, empty_memory()), key)
            new = np.flatnonzero(counts < 0)
            counts[new[self._is_known_empty(values[new], mask[new])]] = 0
        missing = counts < 0
        if missing.any():
            counts[missing] = self._count(cut, everything, places[missing], mask[missing], enough)
            if is_remembered:
                known_count = self.known.get(size, 0)
                self.memory[size] = remember_values(
                    self.memory[size], known_count, key[missing], counts[missing]
                )
                self.known[size] = known_count + int(missing.sum())
        all_values = np.full((len(values), self.m), -1, dtype=np.int64)
        all_values[:, :size] = values
        return Knowledge(all_values, mask, held=counts & 0xFFFFFFFF, often=counts >> 32)

    def _is_known_empty(self, values: I8, mask: I8) -> B1:
        """Whether it is remembered that nobody fits a piece of knowledge without one of its values."""
        size = values.shape[1]
        is_empty = np.zeros(len(values), dtype=bool)
        if size - 1 in self.memory:
            for position, fewer in enumerate(_masks_without(size)):
                on = np.flatnonzero((fewer[mask] >= 0) & ~is_empty)
                key = self._key(np.delete(values[on], position, axis=1), fewer[mask[on]])
                is_empty[on] = recall_values(self.memory[size - 1], key) == 0
        return is_empty

    @property
    def _key_base(self) -> int:
        return (2 if self.denied else 1) * len(self.space.values.names) + 1

    def _masks(self, size: int) -> int:
        """How many masks a set of so many values can have."""
        return sum(comb(comb(size, 2), number) for number in range(self.n + 1))

    def _key(self, values: I8, mask: I8) -> I8:
        """One number for each piece of knowledge of this many values."""
        size = values.shape[1]
        key = np.zeros(len(values), dtype=np.int64)
        for column in values.T:
            key = key * self._key_base + column
        return key * self._masks(size) + _mask_numbers(size, self.n)[mask]

    def _count(self, cut: Synopsis, everything: I8, places: I8, mask: I8, enough: int | None) -> I8:
        """How many records fit, and, shifted by 32 bits, how many of them share one secret at most."""
        question = _write_question(cut, everything, places, mask, self.n)
        if self.l:
            fitting, often = self.space.records.fit_with_secrets(cut.shown, question)
            return fitting | (often << 32)
        if enough is None:
            enough = _SPARE * self.k if places.shape[1] > 2 else self.space.records.n + 1
        return self.space.records.fit(cut.shown, question, enough)


def _write_question(cut: Synopsis, everything: I8, places: I8, mask: I8, n: int) -> Question:
    """Write pieces of knowledge, of at most n relations, as queries: their relations, and values that have none.

    A relation implies its two values, so these are not asked for again.
    """
    v, (piece_count, size) = len(cut.nodes), places.shape
    terms = np.full((piece_count, size + n), -1, dtype=np.int64)  # a relation is upper * v + lower here
    term_count = np.zeros(piece_count, dtype=np.int64)
    is_unrelated = np.ones(places.shape, dtype=bool)
    for bit, (upper, lower) in enumerate(_list_pairs(size)):
        pieces = np.flatnonzero((mask >> bit) & 1)
        terms[pieces, term_count[pieces]] = places[pieces, upper] * v + places[pieces, lower]
        term_count[pieces] += 1
        is_unrelated[pieces, upper] = is_unrelated[pieces, lower] = False

    is_relation = terms >= 0
    is_needed = np.zeros(v * v, dtype=bool)
    is_needed[terms[is_relation]] = True
    relation_count = int(is_needed.sum())
    number_of_relation = np.full(v * v, -1, dtype=np.int32)
    number_of_relation[is_needed] = np.arange(relation_count)
    terms[is_relation] = number_of_relation[terms[is_relation]]

    for position in range(size):
        pieces = np.flatnonzero(is_unrelated[:, position])
        terms[pieces, term_count[pieces]] = -2 - everything[places[pieces, position]]
        term_count[pieces] += 1
    queries = terms[:, : int(term_count.max(initial=1))].astype(np.int32)

    path, relation = cut.relations()
    shows_needed = is_needed[relation]
    path, relation = path[shows_needed], relation[shows_needed]
    by_path = np.argsort(path, kind="stable")
    ends = np.searchsorted(path[by_path], np.arange(len(cut.up) + 1))
    return Question(cut.spot, ends, number_of_relation[relation[by_path]], relation_count, queries)


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
    def repair_count(self) -> int:
        """How many values were detached, or relations disassociated."""
        return len(self.loose) + len(self.cut_relations)


def detach(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge) -> Repaired:
    """Detach values until no broken knowledge keeps all its relations; the rarest relation's lower end is detached.

    Nothing else can break: relations of detached values are gone in all records, the others are as they were.
    """
    # Sorted, so that ties fall alike however the knowledge was listed.
    ends = np.unique(_find_relations(asking, cut, broken), axis=0)
    if not len(ends):
        return Repaired(cut)
    supports = _count_supports(asking, cut)
    support_of_relation = _look_up_supports(ends, supports, np.inf)
    groups = _detachment_groups(asking, cut, supports)
    loose = np.zeros(len(cut.nodes) + 1, dtype=bool)  # the last one stands for no value
    is_whole = np.ones(len(ends), dtype=bool)  # whether a piece of knowledge keeps all its relations
    while is_whole.any():
        piece_and_relation = support_of_relation[is_whole].argmin()
        piece = np.flatnonzero(is_whole)[piece_and_relation // ends.shape[1]]
        lower_end = ends[piece, support_of_relation[piece].argmin(), 1]
        loose[:-1] |= groups == groups[lower_end]
        is_whole &= ~loose[ends].any(axis=(1, 2))
    return _detach_values(cut, _extend_detached(asking, cut, supports, loose)[:-1])


def attach(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge, found: Repaired) -> Repaired:
    """Attach again what `detach` need not have detached, the commonest first."""
    ends = _find_relations(asking, cut, broken)
    supports = _count_supports(asking, cut)
    groups = _detachment_groups(asking, cut, supports)
    loose = np.r_[np.isin(cut.nodes, found.loose), False]
    common = np.bincount(groups, supports.sum(axis=0))
    for group in sorted(set(groups[loose[:-1]].tolist()), key=lambda group: (-common[group], group)):
        fewer = _extend_detached(asking, cut, supports, loose & np.r_[groups != group, False])
        if fewer[ends].any(axis=(1, 2)).all():
            loose = fewer
    return _detach_values(cut, loose[:-1])


def _extend_detached(asking: KnowledgeCounter, cut: Synopsis, held: I8, loose: B1) -> B1:
    """The detached values, and with a field that is detached what stands below it here and elsewhere there.

    Such a value would hang in the place of what stood over the field, where no other of its field hangs: so one sees
    that it stood below a value that was detached. Most data have every field in one place, and nothing is added.
    """
    kind = asking.space.values.kind[cut.nodes]
    over, tangled = np.unique(kind[np.asarray(held.any(axis=1))]), asking.space.is_above_sometimes
    while True:
        gone = over[np.isin(over, kind[loose[:-1]])]  # such fields are detached as a whole
        extended = loose | np.r_[np.asarray(tangled[gone].any(axis=0))[kind], False]
        if (extended == loose).all():
            return loose
        loose = extended


def _detachment_groups(asking: KnowledgeCounter, cut: Synopsis, held: I8) -> I8:
    """By value a number, one for all that are detached together: a whole field, if something stands below it."""
    kind = asking.space.values.kind[cut.nodes].astype(np.int64)
    over = np.isin(kind, kind[held.any(axis=1)])
    return np.where(over, kind, len(asking.space.trees.classes) + np.arange(len(kind)))


def _detach_values(cut: Synopsis, loose: B1) -> Repaired:
    return Repaired(cut.rehung(drop_relation(cut.up, cut.ends, loose)), tuple(cut.nodes[loose].tolist()))


def disassociate(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge) -> Repaired:
    """Disassociate pairs (Definition 2) until nothing is broken, each for knowledge that was counted as the tree is.

    That is Algorithm 3: what is broken gives up its rarest relation. A disassociated a ~> b changes few relations of
    b. So knowledge without one of these needs no new count, and only what has one is counted anew, once nothing else
    is left: in few rounds. The knowledge with the rarest relation comes first.
    """
    if not len(broken.mask):
        return Repaired(cut)
    given_up: list[tuple[int, int]] = []
    first = current = _count_supports(asking, cut)
    ends = _find_relations(asking, cut, broken)
    while len(ends):
        relations = list(_choose_relations(ends, current, first > 0))
        given_up += relations
        tree = _disassociate_pairs(cut, given_up)
        previous, current = current, _count_supports(asking, tree, current, [low for _, low in relations])
        ends = _update_broken(asking, cut, ends, tree, first, previous, current)
    return _describe_repair(cut, tree, given_up)


def associate(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge, found: Repaired) -> Repaired:
    """Put back relations that `disassociate` gave up, the last one first, each if nothing is broken with it."""
    given_up = [(int(a), int(b)) for a, b in np.searchsorted(cut.nodes, found.cut_relations).reshape(-1, 2)]
    first = _count_supports(asking, cut)
    ends = _find_relations(asking, cut, broken)
    best = _disassociate_pairs(cut, given_up)
    for relation in tuple(reversed(given_up)):
        fewer = [pair for pair in given_up if pair != relation]
        tree = _disassociate_pairs(cut, fewer)
        if not len(_update_broken(asking, cut, ends, tree, first, first, _count_supports(asking, tree))):
            given_up, best = fewer, tree
    return _describe_repair(cut, best, given_up)


def _disassociate_pairs(cut: Synopsis, given_up: Sequence[tuple[int, int]]) -> Synopsis:
    """The tree of a cut once relations, as places in it, are disassociated in their order."""
    rule = np.full((len(cut.nodes), len(cut.nodes)), -1, dtype=np.int32)
    for number, (high, low) in enumerate(given_up):
        rule[high, low] = number
    return cut.rehung(disassociate_paths(cut.up, cut.ends, rule))


def _describe_repair(cut: Synopsis, tree: Synopsis, given_up: Sequence[tuple[int, int]]) -> Repaired:
    return Repaired(
        tree, cut_relations=tuple((int(cut.nodes[high]), int(cut.nodes[low])) for high, low in given_up)
    )


def _update_broken(
    asking: KnowledgeCounter, cut: Synopsis, ends: I8, tree: Synopsis, first: I8, was: I8, now: I8
) -> I8:
    """The relations of what is broken in a tree: of `ends`, what was broken and lost nothing, and what is new.

    `first` are the supports in the cut, `was` those in the tree that `ends` are about, `now` those in this one.
    """
    still = ends[(_look_up_supports(ends, was, 0) == _look_up_supports(ends, now, 0)).all(axis=1)]
    new = _find_relations(asking, cut, _find_newly_broken(asking, cut, tree, first, was, now))
    return np.concatenate([still, new])


def _choose_relations(ends: I8, held: I8, below: B1) -> Iterator[tuple[int, int]]:
    """The rarest relation of each broken knowledge, as long as none of its relations may have changed.

    Of equally rare ones that with the higher field above comes first: it takes most of the others along. Where a ~> b
    is disassociated, b leaves a and what stands between them, and what stands below b stays where it is: so relations
    x ~> b change with x = a or x below a (`below` says which may be), and b ~> x with any x.
    """
    ends = np.unique(ends, axis=0)  # ties fall alike, however the knowledge was listed
    v = len(held)
    rarity = _look_up_supports(ends, held, np.inf) * v + ends[:, :, 0]
    codes = np.where(ends[:, :, 0] < 0, v * v, ends[:, :, 0] * v + ends[:, :, 1])
    best = codes[np.arange(len(ends)), rarity.argmin(axis=1)].tolist()
    order = np.argsort(rarity.min(axis=1), kind="stable")
    changed = np.zeros(v * v + 1, dtype=bool)  # the last one stands for no relation
    over = changed[:-1].reshape(v, v)
    for row, row_codes in zip(order.tolist(), codes[order], strict=True):
        if not changed[row_codes].any():
            high, low = divmod(best[row], v)
            over[below[high], low] = over[high, low] = over[low] = True
            yield high, low


def _find_newly_broken(
    asking: KnowledgeCounter, cut: Synopsis, tree: Synopsis, first: I8, was: I8, now: I8
) -> Knowledge:
    """Broken knowledge of a tree whose relations were cut: it has a relation that fewer records show than before."""
    everything, related = asking.list_knowable(tree)
    lost = np.pad(first - now, (0, 1))  # no relation has lost none
    anew = (now > 0) & (now < was)
    growth = Growth(asking.n, np.zeros(len(everything), dtype=bool), related, anew[*related.T])
    broken = Knowledge.none(asking.m)
    for size in range(1, min(asking.m, len(everything)) + 1):
        for pieces in growth.larger():
            tight = np.ones(len(pieces.mask), dtype=bool)
            grows = tight
            if not asking.l:  # what had enough records still has
                fitting = asking.ask(cut, everything, pieces.places, pieces.mask).held
                tight = fitting - lost[pieces.ends[:, :, 0], pieces.ends[:, :, 1]].sum(axis=1) < asking.k
                grows = fitting > 0
            candidates = asking.ask(
                tree, everything, pieces.places[tight], pieces.mask[tight], anew=True, enough=asking.k
            )
            wrong = asking.is_broken(candidates)
            broken += candidates.where(wrong)
            grows[np.flatnonzero(tight)[wrong | (candidates.held == 0)]] = False
            if size < asking.m:
                growth.grow(pieces.where(grows))
    return broken


def _count_supports(
    asking: KnowledgeCounter, tree: Synopsis, was: I8 | None = None, moved: Sequence[int] = ()
) -> I8:
    """How many records show each relation: int64[v, v]; if this `was` known, only those of moved values are counted."""
    v = len(tree.nodes)
    high, low = np.divmod(np.unique(tree.relations()[1]), max(v, 1))
    supports = np.zeros((v, v), dtype=np.int64)
    if was is not None:
        supports[:] = was
        supports[moved, :] = supports[:, moved] = 0
        anew = np.isin(high, moved) | np.isin(low, moved)
        high, low = high[anew], low[anew]
    pairs, mask = np.stack([high, low], axis=1), np.ones(len(high), dtype=np.int64)
    supports[high, low] = asking.ask(tree, tree.nodes, pairs, mask, anew=tree.changed).held
    return supports


def _find_relations(asking: KnowledgeCounter, cut: Synopsis, broken: Knowledge) -> I8:
    """For each piece of knowledge, its relations, as places in the cut: int64[Q, n, 2], -1 behind the last."""
    ends = np.full((len(broken.mask), max(asking.n, 1), 2), -1, dtype=np.int64)
    width = np.zeros(len(broken.mask), dtype=np.int64)
    for bit, (a, b) in enumerate(_list_pairs(asking.m)):
        on = np.flatnonzero((broken.mask >> bit) & 1)
        ends[on, width[on]] = np.searchsorted(cut.nodes, broken.values[on][:, [a, b]])
        width[on] += 1
    return ends


def _look_up_supports(ends: I8, held: I8, nothing: float) -> F8:
    """How many records show each relation, by place in `ends`; `nothing` where there is none."""
    return np.where(ends[:, :, 0] < 0, nothing, held[ends[:, :, 0], ends[:, :, 1]])
