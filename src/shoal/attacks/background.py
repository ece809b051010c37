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

from shoal.data.arrays import B1, I8, U8, concatenate_ranges, prefix_sums, row_of_entry, rows_by_size
from shoal.hierarchy import Hierarchy

__all__ = [
    "Absences",
    "Background",
    "BestChoice",
    "Entry",
    "Lists",
    "Secrets",
    "_intersect_bits",
    "check_fits",
    "choose_fewest_rows",
    "choose_most_telling",
    "count_affordable_people",
    "count_rows_with_facts",
    "find_covering_entries",
    "iterate_pairs",
    "leaves_under",
    "list_all_facts",
    "next_labels",
    "pack_bits",
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


def count_affordable_people(told: Background, m: int, n: int = 0) -> int:
    """How many people can be played in a few seconds by whoever knows m values and n relations."""
    if not len(told.sizes):
        return 0
    choice_counts = np.array(
        [comb(min(size, _max_combined_values(m)), min(m, size)) for size in told.sizes.tolist()], dtype=float
    )
    price = float(choice_counts.mean()) * len(_relation_patterns(m, n)) * (m + n + 1) * told.bits.shape[1]
    return max(int(_WORDS / max(price, 1.0)), _LEAST)


def choose_fewest_rows(told: Background, people: I8, m: int, n: int = 0) -> BestChoice:
    """For each of some people, the choice of m values and n relations among them that the fewest rows fit.

    Whoever has fewer is known whole. Fewer facts never leave fewer rows, so smaller choices are not looked at.
    """
    rows = np.full(len(people), int(np.bitwise_count(told.bits[-1]).sum()), dtype=np.int64)
    keys = np.full((len(people), m + n + 1), -1, dtype=np.int64)
    for indices, choices in _iterate_choices(told, people, m, n):
        counts = count_rows_with_facts(told.bits, choices)
        best_choice = counts.argmin(axis=1)
        line = np.arange(len(indices))
        is_better = counts[line, best_choice] <= rows[indices]
        rows[indices[is_better]] = counts[line, best_choice][is_better]
        keys[indices[is_better]] = choices[line, best_choice][is_better]
    return BestChoice(rows, keys, _are_all_examined(told, people, m))


def choose_most_telling(
    told: Background, people: I8, secrets: I8, m: int, n: int = 0
) -> tuple[BestChoice, I8]:
    """For each of some people, the choice that gives most of a secret away, and how many rows that fit it have it.

    `secrets` is int64[some], a fact of each of these people. All choices of up to m values and n relations are looked
    at, for the share of rows that have a secret may rise or fall with each.
    """
    row_count = int(np.bitwise_count(told.bits[-1]).sum())
    rows = np.full(len(people), row_count, dtype=np.int64)
    having = count_rows_with_facts(told.bits, secrets[:, None])
    keys = np.full((len(people), m + n + 1), -1, dtype=np.int64)
    for size, links in ((size, links) for size in range(m + 1) for links in range(n + 1)):
        if links > comb(size, 2):
            continue
        for indices, choices in _iterate_choices(told, people, size, links, exactly=True):
            counts = count_rows_with_facts(told.bits, choices)
            secret_keys = np.broadcast_to(secrets[indices][:, None, None], (*choices.shape[:2], 1))
            joint_counts = count_rows_with_facts(told.bits, np.concatenate([choices, secret_keys], axis=2))
            share = np.where(counts > 0, joint_counts / np.maximum(counts, 1), 0.0)
            best_choice, line = share.argmax(axis=1), np.arange(len(indices))
            is_better = share[line, best_choice] > having[indices] / np.maximum(rows[indices], 1)
            improved, best_choice, line = indices[is_better], best_choice[is_better], line[is_better]
            rows[improved], having[improved] = counts[line, best_choice], joint_counts[line, best_choice]
            keys[improved] = -1
            keys[improved, : choices.shape[2]] = choices[line, best_choice]
    return BestChoice(rows, keys, _are_all_examined(told, people, m)), having


def list_all_facts(told: Background, people: I8) -> I8:
    """All that can be known of each of some people, as keys: values, relations, and what is known beside them."""
    sizes = told.sizes[people]
    keys = np.full((len(people), int(sizes.max(initial=0)) + 1), -1, dtype=np.int64)
    line = rows_by_size(sizes)
    keys[line, concatenate_ranges(np.zeros_like(sizes), sizes)] = told.facts[
        concatenate_ranges(told.start[people], sizes)
    ]
    if told.beside is not None:
        keys[:, -1] = told.beside[people]
    if told.square is None or told.related is None:
        return keys
    cells = sizes**2
    link = told.related[concatenate_ranges(told.square[people], cells)]
    line = rows_by_size(cells)[link >= 0]  # of most pairs of values there is nothing to know
    link_counts = np.bincount(line, minlength=len(people))
    link_keys = np.full((len(people), int(link_counts.max(initial=0))), -1, dtype=np.int64)
    link_keys[line, concatenate_ranges(np.zeros_like(link_counts), link_counts)] = link[link >= 0]
    return np.concatenate([keys, link_keys], axis=1)


def _are_all_examined(told: Background, people: I8, m: int) -> B1:
    return np.asarray(told.sizes[people] <= _max_combined_values(m))


def _max_combined_values(m: int) -> int:
    """How many values of a person are combined, the rarest, so that the choices stay few."""
    size = m
    while comb(size + 1, m) <= _EACH and size < _EACH:
        size += 1
    return size


def _relation_patterns(m: int, n: int) -> list[tuple[tuple[int, int], ...]]:
    """The pairs of m values of which relations may be known; of pairs that have none, nothing is."""
    all_pairs = list(combinations(range(m), 2))
    return list(combinations(all_pairs, min(n, len(all_pairs))))


def _iterate_choices(
    told: Background, people: I8, m: int, n: int, *, exactly: bool = False
) -> Iterator[tuple[I8, I8]]:
    """Places of people who have equally many values, and their choices: int64[some, choices, m + n + 1].

    Whoever has fewer than m values is known whole, or left out where `exactly` m are wanted.
    """
    sizes = np.minimum(told.sizes[people], _max_combined_values(m))
    for size in np.unique(sizes).tolist():
        indices = np.flatnonzero(sizes == size)
        if size < m and exactly:
            continue
        all_picks = list(combinations(range(size), min(m, size)))
        picks = np.array(all_picks, dtype=np.int64).reshape(len(all_picks), min(m, size))
        patterns = _relation_patterns(min(m, size), n)
        step = max(1, _ENTRIES // max(len(picks), 1))
        for begin in range(0, len(indices), step):
            chunk = indices[begin : begin + step]
            for pattern in patterns:
                yield chunk, _choice_keys(told, people[chunk], picks, pattern, m + n + 1)


def _choice_keys(
    told: Background, people: I8, picks: I8, pattern: tuple[tuple[int, int], ...], width: int
) -> I8:
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
        value_counts = told.sizes[people]
        for column, (p, q) in enumerate(pattern, picks.shape[1]):
            cell = told.square[people][:, None] + picks[:, p] * value_counts[:, None] + picks[:, q]
            keys[:, :, column] = told.related[cell]
    if told.beside is not None:
        keys[:, :, -1] = told.beside[people][:, None]
    return keys


_FULL = 1 << 62
_WORDS_AT_ONCE = 1 << 20  # words of bits that are looked at together
_NARROW, _KEYS = 16, 1 << 15  # words of bits of one fact, and keys that are then looked at together


def pack_bits(rows: I8, facts: I8, many: int, n: int) -> U8:
    """Bits of `many` facts, of which `facts[i]` is true of row `rows[i]`, without the last line.

    >>> pack_bits(np.array([0, 2, 65]), np.array([1, 1, 0]), 2, 70).tolist()
    [[0, 2], [5, 0]]
    """
    words = max(-(-n // 64), 1)
    packed = np.zeros(many * words * 8, dtype=np.uint8)
    keys = np.unique(facts.astype(np.int64) * (words * 64) + rows)
    if len(keys):
        byte = keys >> 3
        first = np.flatnonzero(np.r_[True, byte[1:] != byte[:-1]])
        packed[byte[first]] = np.bitwise_or.reduceat((1 << (keys & 7)).astype(np.uint8), first)
    return packed.reshape(many, words * 8).view(np.uint64)


def stack_padded(parts: list[U8], n: int) -> U8:
    """Lines of several kinds of facts, and the last line."""
    return np.concatenate([*parts, pack_bits(np.arange(n), np.zeros(n, dtype=np.int64), 1, n)])


def union_bits(bits: U8, start: I8, lines: I8) -> U8:
    """For each list of lines, the rows that fit at least one of them."""
    union = np.zeros((len(start) - 1, bits.shape[1]), dtype=np.uint64)
    full = np.flatnonzero(np.diff(start))
    step = max(1, _WORDS_AT_ONCE // bits.shape[1])
    for begin in range(0, len(full), step):
        chunk = full[begin : begin + step]
        low, high = int(start[chunk[0]]), int(start[chunk[-1] + 1])
        union[chunk] = np.bitwise_or.reduceat(bits[lines[low:high]], start[chunk] - low, axis=0)
    return union


def _intersect_bits(bits: U8, keys: I8) -> U8:
    """The rows that fit all facts of each key, as bits."""
    fitting: U8 = bits[np.full(len(keys), -1)]
    for column in keys.T:
        fitting &= bits[column]
    return fitting


def count_rows_with_facts(bits: U8, keys: I8) -> I8:
    """How many rows fit all facts of each key: int64[...], keys being int64[..., width]."""
    flat = keys.reshape(-1, keys.shape[-1])
    if bits.shape[1] <= _NARROW:  # counting equal keys again is quicker than sorting them
        parts = [_count_by_word(bits, flat[begin : begin + _KEYS]) for begin in range(0, len(flat), _KEYS)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).reshape(keys.shape[:-1])
    kinds, kind_of_key = _unique_keys(flat, len(bits))
    step = max(1, _WORDS_AT_ONCE // bits.shape[1])
    counts = [
        np.bitwise_count(_intersect_bits(bits, kinds[begin : begin + step])).sum(axis=1)
        for begin in range(0, len(kinds), step)
    ]
    kind_counts = np.concatenate([np.zeros(0, dtype=np.int64), *counts]).astype(np.int64)
    return np.asarray(kind_counts[kind_of_key].reshape(keys.shape[:-1]))


def _count_by_word(bits: U8, keys: I8) -> I8:
    """How many rows fit all facts of each key, 64 rows of all keys at a time: so few bits of a fact stay at hand."""
    columns = [column for column in np.ascontiguousarray(keys.T) if (column >= 0).any()]
    counts = np.zeros(len(keys), dtype=np.int64)
    for line in np.ascontiguousarray(bits.T):
        word = np.full(len(keys), line[-1])
        for column in columns:
            word &= line[column]
        counts += np.bitwise_count(word)
    return counts


def check_fits(bits: U8, facts: I8, rows: I8) -> B1:
    """Whether each row fits the fact beside it."""
    byte = bits.view(np.uint8)[facts, rows >> 3]
    return np.asarray(byte >> (rows & 7).astype(np.uint8) & 1, dtype=bool)


def iterate_pairs(bits: U8, keys: I8) -> Iterator[tuple[I8, I8]]:
    """Every key, by its place, with every row that fits all of it; in parts, keys ascending."""
    step = max(1, _WORDS_AT_ONCE // 8 // bits.shape[1])
    for begin in range(0, len(keys), step):
        fitting = _intersect_bits(bits, keys[begin : begin + step])
        index, row = np.nonzero(np.unpackbits(fitting.view(np.uint8), axis=1, bitorder="little"))
        yield index + begin, row


def _unique_keys(keys: I8, facts: int) -> tuple[I8, I8]:
    """The different keys, and the place of each key among them."""
    packed, span = np.zeros(len(keys), dtype=np.int64), 1
    for column in keys.T:
        # Sorting is what takes long: as many columns as fit are sorted at once.
        if span * (facts + 1) >= _FULL:
            packed = np.unique(packed, return_inverse=True)[1].astype(np.int64)
            span = len(keys)
        packed, span = packed * (facts + 1) + column + 1, span * (facts + 1)
    _, first, key_index = np.unique(packed, return_index=True, return_inverse=True)
    return keys[first], key_index.astype(np.int64)


# What published words stand for, read from hierarchies anew: an attack that shares a judge's code proves little.

Entry = str | tuple[str, ...]
"""A published word: a value, a label over values, or the list of the values it may stand for."""

Lists = tuple[I8, I8]
"""Ragged lists: where each starts, and their numbers."""


def find_covering_entries(
    entries: tuple[Entry, ...], values: tuple[str, ...], hierarchy: Hierarchy | None
) -> Lists:
    """For each value, the entries that may stand for it.

    >>> tree = Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "gout", "*"]])
    >>> start, found = find_covering_entries(("*", "lung", ("gout", "flu")), ("flu", "gout", "pox"), tree)
    >>> start.tolist(), found.tolist()
    ([0, 3, 5, 5], [0, 1, 2, 0, 2])
    """
    code_of_value = {value: code for code, value in enumerate(values)}
    codes_of_entry = [
        [code_of_value[word] for word in leaves_under(entry, hierarchy) if word in code_of_value]
        for entry in entries
    ]
    codes = np.array([code for codes in codes_of_entry for code in codes], dtype=np.int64)
    sizes = np.array([len(codes) for codes in codes_of_entry], dtype=np.int64)
    return transpose((prefix_sums(sizes), codes), len(values))


def leaves_under(entry: Entry, hierarchy: Hierarchy | None) -> tuple[str, ...]:
    """The values that an entry may stand for: those on whose way to the root it lies; a strange word only itself."""
    if isinstance(entry, tuple):
        return tuple(dict.fromkeys(leaf for word in entry for leaf in leaves_under(word, hierarchy)))
    leaf_codes = None if hierarchy is None else _leaves_below(entry, hierarchy)
    if hierarchy is None or leaf_codes is None:
        return (entry,)
    return tuple(hierarchy.leaves[leaf] for leaf in leaf_codes.tolist())


def read_label(label: str | None, hierarchy: Hierarchy) -> I8:
    """The codes of the leaves that a published cell of a table may stand for, as anybody reads it.

    A label of the hierarchy, a list of values, a range of numbers, or a mask; the root also stands for a missing cell
    that no leaf covers, which has the code D, and so does what ends in "or missing". An empty cell is the leaf of
    missing cells.

    >>> ages = Hierarchy.from_paths("age", [["31", "*"], ["40", "*"], ["45", "*"]])
    >>> [read_label(one, ages).tolist() for one in ("*", "40", "[40, 45]", ">= 40", '["31", "45"]', "4*", None)]
    [[0, 1, 2, 3], [1], [1, 2], [1, 2], [0, 2], [1, 2], []]
    >>> read_label("40 or missing", ages).tolist()
    [1, 3]
    """
    if label is None:
        return np.array([] if hierarchy.missing is None else [hierarchy.missing], dtype=np.int64)
    leaf_codes = _leaves_below(label, hierarchy)
    if leaf_codes is not None:
        return np.append(leaf_codes, hierarchy.size) if label == hierarchy.root else leaf_codes
    if label == "missing" and hierarchy.missing is None:
        return np.array([hierarchy.size], dtype=np.int64)
    other_label = label.removesuffix(" or missing")
    if other_label != label and hierarchy.missing is None:
        return np.append(read_label(other_label, hierarchy), hierarchy.size)
    is_covered = _make_value_test(label)
    return np.array([code for code, leaf in enumerate(hierarchy.leaves) if is_covered(leaf)], dtype=np.int64)


def _leaves_below(label: str, hierarchy: Hierarchy) -> I8 | None:
    """The leaves on whose way to the root a label lies; None where it lies on none."""
    position = _label_positions(hierarchy).get(label)
    return (
        None
        if position is None
        else np.flatnonzero(hierarchy.up[: hierarchy.size, position[0]] == position[1])
    )


@lru_cache(maxsize=64)
def _label_positions(hierarchy: Hierarchy) -> dict[str, tuple[int, int]]:
    """For each label over a leaf, its lowest level and its place there."""
    positions: dict[str, tuple[int, int]] = {}
    for level, labels in enumerate(hierarchy.labels):
        for node in np.unique(hierarchy.up[: hierarchy.size, level]).tolist():
            positions.setdefault(labels[node], (level, node))
    return positions


_RANGE = re.compile(r"\[([^\s,]+), ([^\s,]+)([\])])")
_HALF = re.compile(r"(>=|<=|<) (\S+)")


def _make_value_test(label: str) -> Callable[[str], bool]:
    """Whether a label outside the hierarchy, read as a list, a range or a mask, holds a value."""
    if label.startswith('["'):
        return _parse_list(label).__contains__
    if (ends := _RANGE.fullmatch(label)) is not None:
        return _make_range_test(_parse_number(ends[1]), _parse_number(ends[2]), closed=ends[3] == "]")
    if (bound := _HALF.fullmatch(label)) is not None:
        low, high = (bound[2], "Infinity") if bound[1] == ">=" else ("-Infinity", bound[2])
        return _make_range_test(_parse_number(low), _parse_number(high), closed=bound[1] != "<")
    visible = label.strip("*")
    if visible == label or not visible:
        return lambda leaf: False
    agrees = str.startswith if label.endswith("*") else str.endswith
    return lambda leaf: len(leaf) > len(visible) and agrees(leaf, visible)


def _parse_list(label: str) -> frozenset[str]:
    try:
        values = json.loads(label)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(value for value in values if isinstance(value, str))


def _make_range_test(low: Decimal | None, high: Decimal | None, *, closed: bool) -> Callable[[str], bool]:
    def inside(leaf: str) -> bool:
        value = _parse_number(leaf)
        if low is None or high is None or value is None:
            return False
        return low <= value <= high and (closed or value < high)

    return inside


def _parse_number(text: str) -> Decimal | None:
    """A text as a number; None where it is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return None if number.is_nan() else number


def next_labels(values: tuple[str, ...], hierarchy: Hierarchy | None) -> tuple[str | None, ...]:
    """For each value the next label above it; None where nothing stands above it but all values, or nothing is known.

    >>> next_labels(("flu", "gout"), Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "gout", "*"]]))
    ('lung', None)
    """
    if hierarchy is None:
        return (None,) * len(values)
    code_of_leaf = {leaf: code for code, leaf in enumerate(hierarchy.leaves)}
    return tuple(_next_label_above(code_of_leaf.get(value), hierarchy) for value in values)


def _next_label_above(leaf: int | None, hierarchy: Hierarchy) -> str | None:
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
