"""Background knowledge: facts of a person, the rows that fit each as bits, and which choice of a few tells most.

Facts are values, or items, and relations of two values. They are true of the person, and the person's own row shows
them: whatever was left out of a row does not help to find it.

bits : uint64[facts + 1, words]   bit r of a line says that row r fits the fact; every row fits the last line, so that
                                  the number -1 stands for "nothing more is known"
keys : int64[..., width]          facts that are known together, -1 where there are fewer; at least one wide
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from shoal.data.arrays import B1, I8, U8, concatenate_ranges, owners_by_size, prefix_sums, row_of_entry
from shoal.hierarchy import Hierarchy

__all__ = [
    "Absences",
    "Background",
    "BestChoice",
    "Entry",
    "Lists",
    "Secrets",
    "affordable",
    "all_of",
    "bits_of",
    "covering",
    "everything",
    "fewest",
    "fits",
    "groups",
    "how_many",
    "leaves_under",
    "most_telling",
    "pairs",
    "read_label",
    "stack_padded",
    "transpose",
    "union_bits",
]

_EACH = 5_000  # choices that are looked at for each person
_ENTRIES = 1 << 18  # choices that are looked at together
_WORDS = 3 << 27  # words of bits that one attacker looks at
_LEAST = 200  # people who are played at least


@dataclass(frozen=True, slots=True)
class Background:
    """What can be known of each person.

    start, facts : the values of person i are facts[start[i] : start[i + 1]], from the rarest to the commonest
    bits         : the rows that fit each fact, as in `row_bits`
    square       : int64[people], related[square[i] + p * values + q], p < q, is the relation of the values p and q of
                   person i, which has so many `values`: a fact, -1 where there is none
    beside       : int64[people], a fact that is known of each person in any case, -1 where there is none
    base         : int64, beside `facts`, where nodes are known and not values: facts of one base b are nodes alike, and
                   whoever knows two of them knows the facts b and b + 1, "at least one" and "at least two", and so on
    """

    start: I8
    facts: I8
    bits: U8
    square: I8 | None = None
    related: I8 | None = None
    beside: I8 | None = None
    base: I8 | None = None

    @property
    def sizes(self) -> I8:
        """How many values of each person can be known."""
        return np.diff(self.start)

    def with_lines(self, lines: U8) -> "Background":
        """The same knowledge, with lines of more facts behind its own."""
        return replace(self, bits=np.concatenate([self.bits[:-1], lines, self.bits[-1:]]))


@dataclass(frozen=True, slots=True)
class Absences:
    """What people may be known not to have.

    shown : for each row, the things (numbers below `width`) that it shows for certain
    has   : for each person, the things that the person has
    """

    shown: "Lists"
    has: "Lists"
    width: int


@dataclass(frozen=True, slots=True)
class Secrets:
    """Who has something sensitive.

    told   : what else can be known of each person; nothing of it is sensitive
    person : int64, ascending: a person who has something sensitive, once for each such thing
    fact   : int64, the line of `told.bits` that says which rows show it for certain
    """

    told: Background
    person: I8
    fact: I8


@dataclass(frozen=True, slots=True)
class BestChoice:
    """The best choice for each of some people.

    rows  : int64[some], how many rows fit it
    keys  : int64[some, width], the facts, -1 where there are fewer
    whole : bool[some], whether every choice was looked at; else only those of the person's rarest values
    """

    rows: I8
    keys: I8
    whole: B1


def affordable(told: Background, m: int, n: int = 0) -> int:
    """How many people can be played in a few seconds by whoever knows m values and n relations."""
    if not len(told.sizes):
        return 0
    each = np.array([comb(min(size, _widest(m)), min(m, size)) for size in told.sizes.tolist()], dtype=float)
    price = float(each.mean()) * len(_patterns(m, n)) * (m + n + 1) * told.bits.shape[1]
    return max(int(_WORDS / max(price, 1.0)), _LEAST)


def fewest(told: Background, people: I8, m: int, n: int = 0) -> BestChoice:
    """For each of some people, the choice of m values and n relations among them that the fewest rows fit.

    Whoever has fewer is known whole. Fewer facts never leave fewer rows, so smaller choices are not looked at.
    """
    rows = np.full(len(people), int(np.bitwise_count(told.bits[-1]).sum()), dtype=np.int64)
    keys = np.full((len(people), m + n + 1), -1, dtype=np.int64)
    for place, choices in _choices(told, people, m, n):
        counts = how_many(told.bits, choices)
        best = counts.argmin(axis=1)
        line = np.arange(len(place))
        better = counts[line, best] <= rows[place]
        rows[place[better]] = counts[line, best][better]
        keys[place[better]] = choices[line, best][better]
    return BestChoice(rows, keys, _all_looked_at(told, people, m))


def most_telling(told: Background, people: I8, secrets: I8, m: int, n: int = 0) -> tuple[BestChoice, I8]:
    """For each of some people, the choice that gives most of a secret away, and how many rows that fit it have it.

    `secrets` is int64[some], a fact of each of these people. All choices of up to m values and n relations are looked
    at, for the share of rows that have a secret may rise or fall with each.
    """
    everybody = int(np.bitwise_count(told.bits[-1]).sum())
    rows = np.full(len(people), everybody, dtype=np.int64)
    having = how_many(told.bits, secrets[:, None])
    keys = np.full((len(people), m + n + 1), -1, dtype=np.int64)
    for size, links in ((size, links) for size in range(m + 1) for links in range(n + 1)):
        if links > comb(size, 2):
            continue
        for place, choices in _choices(told, people, size, links, exactly=True):
            counts = how_many(told.bits, choices)
            wanted = np.broadcast_to(secrets[place][:, None, None], (*choices.shape[:2], 1))
            both = how_many(told.bits, np.concatenate([choices, wanted], axis=2))
            share = np.where(counts > 0, both / np.maximum(counts, 1), 0.0)
            best, line = share.argmax(axis=1), np.arange(len(place))
            better = share[line, best] > having[place] / np.maximum(rows[place], 1)
            at, best, line = place[better], best[better], line[better]
            rows[at], having[at] = counts[line, best], both[line, best]
            keys[at] = -1
            keys[at, : choices.shape[2]] = choices[line, best]
    return BestChoice(rows, keys, _all_looked_at(told, people, m)), having


def everything(told: Background, people: I8) -> I8:
    """All that can be known of each of some people, as keys: values, relations, and what is known beside them."""
    sizes = told.sizes[people]
    keys = np.full((len(people), int(sizes.max(initial=0)) + 1), -1, dtype=np.int64)
    line = owners_by_size(sizes)
    keys[line, concatenate_ranges(np.zeros_like(sizes), sizes)] = told.facts[
        concatenate_ranges(told.start[people], sizes)
    ]
    if told.beside is not None:
        keys[:, -1] = told.beside[people]
    if told.square is None or told.related is None:
        return keys
    cells = sizes**2
    link = told.related[concatenate_ranges(told.square[people], cells)]
    line = owners_by_size(cells)[link >= 0]  # of most pairs of values there is nothing to know
    many = np.bincount(line, minlength=len(people))
    more = np.full((len(people), int(many.max(initial=0))), -1, dtype=np.int64)
    more[line, concatenate_ranges(np.zeros_like(many), many)] = link[link >= 0]
    return np.concatenate([keys, more], axis=1)


def _all_looked_at(told: Background, people: I8, m: int) -> B1:
    return np.asarray(told.sizes[people] <= _widest(m))


def _widest(m: int) -> int:
    """How many values of a person are combined, the rarest, so that the choices stay few."""
    size = m
    while comb(size + 1, m) <= _EACH and size < _EACH:
        size += 1
    return size


def _patterns(m: int, n: int) -> list[tuple[tuple[int, int], ...]]:
    """The pairs of m values of which relations may be known; of pairs that have none, nothing is."""
    every = list(combinations(range(m), 2))
    return list(combinations(every, min(n, len(every))))


def _choices(
    told: Background, people: I8, m: int, n: int, *, exactly: bool = False
) -> Iterator[tuple[I8, I8]]:
    """Places of people who have equally many values, and their choices: int64[some, choices, m + n + 1].

    Whoever has fewer than m values is known whole, or left out where `exactly` m are wanted.
    """
    sizes = np.minimum(told.sizes[people], _widest(m))
    for size in np.unique(sizes).tolist():
        place = np.flatnonzero(sizes == size)
        if size < m and exactly:
            continue
        all_picks = list(combinations(range(size), min(m, size)))
        picks = np.array(all_picks, dtype=np.int64).reshape(len(all_picks), min(m, size))
        patterns = _patterns(min(m, size), n)
        step = max(1, _ENTRIES // max(len(picks), 1))
        for at in range(0, len(place), step):
            some = place[at : at + step]
            for pattern in patterns:
                yield some, _keys(told, people[some], picks, pattern, m + n + 1)


def _keys(told: Background, people: I8, picks: I8, pattern: tuple[tuple[int, int], ...], width: int) -> I8:
    """The facts of every choice `picks` of each person's values, with relations of those in `pattern`."""
    keys = np.full((len(people), len(picks), width), -1, dtype=np.int64)
    facts = told.facts if told.base is None else told.base
    for column, pick in enumerate(picks.T):
        keys[:, :, column] = facts[told.start[people][:, None] + pick]
    if told.base is not None:
        bases = keys[:, :, : picks.shape[1]].copy()
        for column in range(1, picks.shape[1]):
            keys[:, :, column] += (bases[:, :, :column] == bases[:, :, column : column + 1]).sum(axis=2)
    if told.square is not None and told.related is not None:
        own = told.sizes[people]
        for column, (p, q) in enumerate(pattern, picks.shape[1]):
            cell = told.square[people][:, None] + picks[:, p] * own[:, None] + picks[:, q]
            keys[:, :, column] = told.related[cell]
    if told.beside is not None:
        keys[:, :, -1] = told.beside[people][:, None]
    return keys


_FULL = 1 << 62
_WORDS_AT_ONCE = 1 << 20  # words of bits that are looked at together
_NARROW, _KEYS = 16, 1 << 15  # words of bits of one fact, and keys that are then looked at together


def bits_of(rows: I8, facts: I8, many: int, n: int) -> U8:
    """Bits of `many` facts, of which `facts[i]` is true of row `rows[i]`, without the last line.

    >>> bits_of(np.array([0, 2, 65]), np.array([1, 1, 0]), 2, 70).tolist()
    [[0, 2], [5, 0]]
    """
    words = max(-(-n // 64), 1)
    out = np.zeros(many * words * 8, dtype=np.uint8)
    keys = np.unique(facts.astype(np.int64) * (words * 64) + rows)
    if len(keys):
        byte = keys >> 3
        first = np.flatnonzero(np.r_[True, byte[1:] != byte[:-1]])
        out[byte[first]] = np.bitwise_or.reduceat((1 << (keys & 7)).astype(np.uint8), first)
    return out.reshape(many, words * 8).view(np.uint64)


def stack_padded(parts: list[U8], n: int) -> U8:
    """Lines of several kinds of facts, and the last line."""
    return np.concatenate([*parts, bits_of(np.arange(n), np.zeros(n, dtype=np.int64), 1, n)])


def union_bits(bits: U8, start: I8, lines: I8) -> U8:
    """For each list of lines, the rows that fit at least one of them."""
    out = np.zeros((len(start) - 1, bits.shape[1]), dtype=np.uint64)
    full = np.flatnonzero(np.diff(start))
    step = max(1, _WORDS_AT_ONCE // bits.shape[1])
    for at in range(0, len(full), step):
        some = full[at : at + step]
        low, high = int(start[some[0]]), int(start[some[-1] + 1])
        out[some] = np.bitwise_or.reduceat(bits[lines[low:high]], start[some] - low, axis=0)
    return out


def all_of(bits: U8, keys: I8) -> U8:
    """The rows that fit all facts of each key, as bits."""
    found: U8 = bits[np.full(len(keys), -1)]
    for column in keys.T:
        found &= bits[column]
    return found


def how_many(bits: U8, keys: I8) -> I8:
    """How many rows fit all facts of each key: int64[...], keys being int64[..., width]."""
    flat = keys.reshape(-1, keys.shape[-1])
    if bits.shape[1] <= _NARROW:  # counting equal keys again is quicker than sorting them
        every = [_by_word(bits, flat[at : at + _KEYS]) for at in range(0, len(flat), _KEYS)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *every]).reshape(keys.shape[:-1])
    kinds, of = _distinct(flat, len(bits))
    step = max(1, _WORDS_AT_ONCE // bits.shape[1])
    counts = [
        np.bitwise_count(all_of(bits, kinds[at : at + step])).sum(axis=1) for at in range(0, len(kinds), step)
    ]
    found = np.concatenate([np.zeros(0, dtype=np.int64), *counts]).astype(np.int64)
    return np.asarray(found[of].reshape(keys.shape[:-1]))


def _by_word(bits: U8, keys: I8) -> I8:
    """How many rows fit all facts of each key, 64 rows of all keys at a time: so few bits of a fact stay at hand."""
    columns = [column for column in np.ascontiguousarray(keys.T) if (column >= 0).any()]
    found = np.zeros(len(keys), dtype=np.int64)
    for line in np.ascontiguousarray(bits.T):
        word = np.full(len(keys), line[-1])
        for column in columns:
            word &= line[column]
        found += np.bitwise_count(word)
    return found


def fits(bits: U8, facts: I8, rows: I8) -> B1:
    """Whether each row fits the fact beside it."""
    byte = bits.view(np.uint8)[facts, rows >> 3]
    return np.asarray(byte >> (rows & 7).astype(np.uint8) & 1, dtype=bool)


def pairs(bits: U8, keys: I8) -> Iterator[tuple[I8, I8]]:
    """Every key, by its place, with every row that fits all of it; in parts, keys ascending."""
    step = max(1, _WORDS_AT_ONCE // 8 // bits.shape[1])
    for at in range(0, len(keys), step):
        found = all_of(bits, keys[at : at + step])
        place, row = np.nonzero(np.unpackbits(found.view(np.uint8), axis=1, bitorder="little"))
        yield place + at, row


def _distinct(keys: I8, facts: int) -> tuple[I8, I8]:
    """The different keys, and the place of each key among them."""
    packed, span = np.zeros(len(keys), dtype=np.int64), 1
    for column in keys.T:
        if (
            span * (facts + 1) >= _FULL
        ):  # sorting is what takes long: as many columns as fit are sorted at once
            packed = np.unique(packed, return_inverse=True)[1].astype(np.int64)
            span = len(keys)
        packed, span = packed * (facts + 1) + column + 1, span * (facts + 1)
    _, first, of = np.unique(packed, return_index=True, return_inverse=True)
    return keys[first], of.astype(np.int64)


# What published words stand for, read from hierarchies anew: an attack that shares a judge's code proves little.

Entry = str | tuple[str, ...]
"""A published word: a value, a label over values, or the list of the values it may stand for."""

Lists = tuple[I8, I8]
"""Ragged lists: where each starts, and their numbers."""


def covering(entries: tuple[Entry, ...], values: tuple[str, ...], hierarchy: Hierarchy | None) -> Lists:
    """For each value, the entries that may stand for it.

    >>> tree = Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "gout", "*"]])
    >>> start, found = covering(("*", "lung", ("gout", "flu")), ("flu", "gout", "pox"), tree)
    >>> start.tolist(), found.tolist()
    ([0, 3, 5, 5], [0, 1, 2, 0, 2])
    """
    place = {value: code for code, value in enumerate(values)}
    meant = [[place[word] for word in leaves_under(entry, hierarchy) if word in place] for entry in entries]
    codes = np.array([code for codes in meant for code in codes], dtype=np.int64)
    sizes = np.array([len(codes) for codes in meant], dtype=np.int64)
    return transpose((prefix_sums(sizes), codes), len(values))


def leaves_under(entry: Entry, hierarchy: Hierarchy | None) -> tuple[str, ...]:
    """The values that an entry may stand for: those on whose way to the root it lies; a strange word only itself."""
    if isinstance(entry, tuple):
        return tuple(dict.fromkeys(leaf for word in entry for leaf in leaves_under(word, hierarchy)))
    below = None if hierarchy is None else _below(entry, hierarchy)
    if hierarchy is None or below is None:
        return (entry,)
    return tuple(hierarchy.leaves[leaf] for leaf in below.tolist())


def read_label(label: str | None, hierarchy: Hierarchy) -> I8:
    """The codes of the leaves that a published cell of a table may stand for, as anybody reads it.

    A label of the hierarchy, a list of values, a range of numbers, or a mask; the root also stands for a missing cell
    that no leaf covers, which has the code D. An empty cell is the leaf of missing cells.

    >>> ages = Hierarchy.from_paths("age", [["31", "*"], ["40", "*"], ["45", "*"]])
    >>> [read_label(one, ages).tolist() for one in ("*", "40", "[40, 45]", ">= 40", '["31", "45"]', "4*", None)]
    [[0, 1, 2, 3], [1], [1, 2], [1, 2], [0, 2], [1, 2], []]
    """
    if label is None:
        return np.array([] if hierarchy.missing is None else [hierarchy.missing], dtype=np.int64)
    below = _below(label, hierarchy)
    if below is not None:
        return np.append(below, hierarchy.size) if label == hierarchy.root else below
    meant = _meant(label)
    return np.array([code for code, leaf in enumerate(hierarchy.leaves) if meant(leaf)], dtype=np.int64)


def _below(label: str, hierarchy: Hierarchy) -> I8 | None:
    """The leaves on whose way to the root a label lies; None where it lies on none."""
    place = _places(hierarchy).get(label)
    return None if place is None else np.flatnonzero(hierarchy.up[: hierarchy.size, place[0]] == place[1])


@lru_cache(maxsize=64)
def _places(hierarchy: Hierarchy) -> dict[str, tuple[int, int]]:
    """For each label over a leaf, its lowest level and its place there."""
    found: dict[str, tuple[int, int]] = {}
    for level, labels in enumerate(hierarchy.labels):
        for node in np.unique(hierarchy.up[: hierarchy.size, level]).tolist():
            found.setdefault(labels[node], (level, node))
    return found


_RANGE = re.compile(r"\[([^\s,]+), ([^\s,]+)([\])])")
_HALF = re.compile(r"(>=|<=|<) (\S+)")


def _meant(label: str) -> Callable[[str], bool]:
    """Whether a label outside the hierarchy, read as a list, a range or a mask, holds a value."""
    if label.startswith('["'):
        return _listed(label).__contains__
    if (ends := _RANGE.fullmatch(label)) is not None:
        return _between(_number(ends[1]), _number(ends[2]), closed=ends[3] == "]")
    if (half := _HALF.fullmatch(label)) is not None:
        low, high = (half[2], "Infinity") if half[1] == ">=" else ("-Infinity", half[2])
        return _between(_number(low), _number(high), closed=half[1] != "<")
    shown = label.strip("*")
    if shown == label or not shown:
        return lambda leaf: False
    agrees = str.startswith if label.endswith("*") else str.endswith
    return lambda leaf: len(leaf) > len(shown) and agrees(leaf, shown)


def _listed(label: str) -> frozenset[str]:
    try:
        values = json.loads(label)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(value for value in values if isinstance(value, str))


def _between(low: Decimal | None, high: Decimal | None, *, closed: bool) -> Callable[[str], bool]:
    def inside(leaf: str) -> bool:
        value = _number(leaf)
        if low is None or high is None or value is None:
            return False
        return low <= value <= high and (closed or value < high)

    return inside


def _number(text: str) -> Decimal | None:
    """A text as a number; None where it is none."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return None if found.is_nan() else found


def groups(values: tuple[str, ...], hierarchy: Hierarchy | None) -> tuple[str | None, ...]:
    """For each value the next label above it; None where nothing stands above it but all values, or nothing is known.

    >>> groups(("flu", "gout"), Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "gout", "*"]]))
    ('lung', None)
    """
    if hierarchy is None:
        return (None,) * len(values)
    place = {leaf: code for code, leaf in enumerate(hierarchy.leaves)}
    return tuple(_above(place.get(value), hierarchy) for value in values)


def _above(leaf: int | None, hierarchy: Hierarchy) -> str | None:
    if leaf is None:
        return None
    way = [labels[hierarchy.up[leaf, level]] for level, labels in enumerate(hierarchy.labels)]
    return next((label for label in way if label not in (way[0], way[-1])), None)


def transpose(lists: Lists, width: int) -> Lists:
    """Lists of numbers below `width` the other way round: for each number, the lists that hold it, ascending.

    >>> start, rows = transpose((np.array([0, 2, 3]), np.array([1, 0, 1])), 3)
    >>> start.tolist(), rows.tolist()
    ([0, 1, 3, 3], [0, 0, 1])
    """
    start, numbers = lists
    order = np.argsort(numbers, kind="stable")
    return prefix_sums(np.bincount(numbers, minlength=width)), row_of_entry(start)[order]
