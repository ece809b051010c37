"""What follows from what: published columns that whoever knows quasi-identifiers or items knows too, or that tell them.

Whoever knows a person's quasi-identifiers knows a published column of that person too where a rule leads from one to
the other. A rule is looked for in the data, in up to three quasi-identifiers and up to three published columns:

- *equal values*: people who share them share the column too. Each person is guessed from the others (a guess from the
  person's own cell would always be right), and the share of wrong guesses that is avoided is Goodman and Kruskal's
  lambda;
- *parts of a value* that anybody can read off it (the month of a date, the beginning of a code) take the place of
  values that nobody shares;
- *neighbours*: the column keeps its value over intervals of an ordered quasi-identifier, as a region does over zip
  codes;
- *sums*: numbers, years of dates, or logarithms of numbers that add up to one number or to one of a few next to it:
  visit year less age is the birth year or the one after, somebody's first job begins 16 to 22 years after birth.

What could be chance is no rule: the same cells, dealt out anew at random, must be guessed far worse.

A column follows from an item where nearly all who hold the item have one value of the column, or one of those values
whose holders hold the item, and where that is no chance. Either dealing out values at random would hardly ever give
it, with the error rate of Benjamini and Hochberg among all pairs of an item and a value; or so many items tell the
column that dealing out values would make only a small part of them do so.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain, combinations, islice, product

import numpy as np
import scipy  # its parts come when they are used
from numpy.typing import NDArray

from shoal.attacks.view_table import Dependency
from shoal.base.discreet import SafeRepr
from shoal.data import Baskets, Column, Table
from shoal.data.arrays import B1, F8, I4, I8, concatenate_ranges, count_codes, row_of_entry
from shoal.data.spelling import normalize_value
from shoal.hierarchy.column_values import FORMATS, are_codes, date_formats, read_date
from shoal.release import RecodedBaskets
from shoal.utility import class_ids

__all__ = [
    "FEW",
    "SURE",
    "Guess",
    "ItemRule",
    "ItemSources",
    "Link",
    "_find_source",
    "_guess_from_equal",
    "_guess_from_neighbours",
    "_is_rule",
    "_list_value_parts",
    "_parse_amounts",
    "_parse_numbers",
    "_rule_threshold",
    "_spelling_key",
    "count_rows_left",
    "find_dependencies",
    "find_item_rules",
    "find_sums",
    "goodman_kruskal_lambda",
    "rank_values",
]


# --- how well cells are guessed from what is known (also from what anybody can read off a value without the data, such
# as the month of a date or the beginning of a code), and whether that is a rule or chance

FEW = 10
"""Wrong guesses; fewer of them may be chance."""

_CELLS = 8  # of a table of counts for each record, at most
_DEALT, _BEYOND = 20, 5.0  # times that cells are dealt out anew; deviations that a rule lies beyond them

Guess = Callable[[I8], tuple[float, float, float]]
"""From cells: how many are guessed right, how many without knowing anything, and how many are guessed at all."""


def goodman_kruskal_lambda(told: object, given: object, counts: I8 | None = None) -> float:
    """Goodman and Kruskal's lambda: the share of wrong guesses of `told` that knowing `given` avoids.

    >>> goodman_kruskal_lambda([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    >>> goodman_kruskal_lambda([0, 0, 1, 1], [5, 7, 5, 7])
    0.0
    """
    given, told = (_pack_codes(np.asarray(codes)) for codes in (given, told))
    if not len(told):
        return 0.0
    width = int(told.max()) + 1
    pairs = given * width + told
    if (int(given.max()) + 1) * width <= _CELLS * len(told):
        best_counts = (
            count_codes(pairs, counts, (int(given.max()) + 1) * width).reshape(-1, width).max(axis=1)
        )
    else:
        pairs, pair_index = np.unique(pairs, return_inverse=True)
        best_counts = np.zeros(int(given.max()) + 1, dtype=np.int64)
        np.maximum.at(best_counts, pairs // width, count_codes(pair_index, counts))
    value_counts = count_codes(told, counts)
    blind, all_of_them = int(value_counts.max()), int(value_counts.sum())
    return float((best_counts.sum() - blind) / (all_of_them - blind)) if blind < all_of_them else 0.0


def _pack_codes(codes: NDArray[np.integer]) -> I8:
    """Codes as numbers from 0 that are not much larger than there are."""
    if len(codes) and (codes.min() < 0 or codes.max() > _CELLS * len(codes)):
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return np.asarray(codes, dtype=np.int64)


def _is_rule(guess: Guess, codes: I8, sure: float) -> bool:
    """Whether cells are guessed right so often that it is a rule, and far more often than by chance."""
    hits, blind, all_of_them = guess(codes)
    if all_of_them - blind < FEW / 2 or hits - blind < sure * (all_of_them - blind):
        return False
    deal = np.random.default_rng(1)
    dealt_hits = np.array([guess(deal.permutation(codes))[0] for _ in range(_DEALT)])
    return bool(hits >= dealt_hits.mean() + _BEYOND * max(float(dealt_hits.std()), 1.0))


def _guess_from_equal(groups: I4 | I8) -> Guess:
    """Guess each person's cell from the others in the same group; whoever is alone in one is not guessed."""
    _, group = np.unique(groups, return_inverse=True)
    group = group.reshape(-1).astype(np.int64)
    shared = np.flatnonzero(np.bincount(group)[group] > 1)
    shared_groups = group[shared]

    def guess(codes: I8) -> tuple[float, float, float]:
        shared_codes = codes[shared]
        if not len(shared_codes):
            return 0.0, 0.0, 0.0
        first, second = _two_highest_counts(shared_groups, shared_codes)
        hits = first * ((first - 1 > second) + 0.5 * (first - 1 == second))
        return float(hits.sum()), float(np.bincount(shared_codes).max()), float(len(shared_codes))

    return guess


def _two_highest_counts(groups: I8, codes: I8) -> tuple[I8, I8]:
    """How many rows of each group have its most frequent code, and how many the next one."""
    group_count, width = int(groups.max()) + 1, int(codes.max()) + 1
    pairs = groups * width + codes
    if group_count * width <= _CELLS * len(groups):
        table = np.bincount(pairs, minlength=group_count * width).reshape(group_count, width)
        first, best = table.max(axis=1), table.argmax(axis=1)
        table[np.arange(group_count), best] = 0
        return first, table.max(axis=1)
    pairs, counts = np.unique(pairs, return_counts=True)
    group_of_pair = pairs // width
    order = np.lexsort((counts, group_of_pair))
    group_of_pair, counts = group_of_pair[order], counts[order]
    is_last = np.r_[group_of_pair[1:] != group_of_pair[:-1], True]
    next_counts = np.where(np.r_[False, group_of_pair[1:] == group_of_pair[:-1]], np.r_[0, counts[:-1]], 0)
    return counts[is_last], next_counts[is_last]


def _guess_from_neighbours(order: I8, groups: I8 | None = None) -> Guess:
    """Guess each person's cell from the next below and above in an order, of the same group where groups are given."""
    group_ids = np.zeros(len(order), dtype=np.int64) if groups is None else groups
    line = np.lexsort((order, group_ids))
    same_group = np.diff(group_ids[line]) == 0
    has_below, has_above = np.r_[False, same_group], np.r_[same_group, False]

    def guess(codes: I8) -> tuple[float, float, float]:
        cells = codes[line]
        equal = cells[1:] == cells[:-1]
        like_below, like_above = np.r_[False, equal] & has_below, np.r_[equal, False] & has_above
        hits = (like_below + 0.0 + like_above) / np.maximum(has_below + 0 + has_above, 1)
        has_neighbour = has_below | has_above
        return float(hits.sum()), float(np.bincount(cells).max()), float(has_neighbour.sum())

    return guess


_MOST = 0.9  # of the values are written so
_LETTERS = 5  # of the beginning and the end of a text
_BREADTHS = (2, 5, 10, 20, 25, 50, 100, 1000)
_WORD = re.compile(r"[^\W_]+")

_OF_DATES: tuple[Callable[[datetime], str], ...] = (
    lambda day: str(day.year),
    lambda day: str(day.month),
    lambda day: str(day.day),
    lambda day: f"{day.year}-{day.month:02d}",
    lambda day: f"{day.month:02d}-{day.day:02d}",
    lambda day: str((day.month + 2) // 3),
    lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    lambda day: str(day.isoweekday()),
    lambda day: str(day.isocalendar()[1]),
    lambda day: str(day.year // 10 * 10),
)


def _spelling_key(text: str | None) -> str:
    """A spelling that is equal where a part of a value and a published cell say the same: `05` and `5` do.

    >>> _spelling_key("05") == _spelling_key("5.0") == _spelling_key(" 5"), _spelling_key("0"), _spelling_key(None)
    (True, '0', '')
    """
    plain = normalize_value(text or "")
    return plain.lstrip("0") or plain[-1:]


def _list_value_parts(values: Sequence[str | None]) -> list[list[str]]:
    """For each way of reading a part off values, the parts of all of them; what cannot be read is empty.

    >>> found = _list_value_parts(["1990-05-17", "1971-12-01"])
    >>> ["5", "12"] in found, ["199", "197"] in found, ["fri", "sat"] in found
    (True, True, False)
    """
    texts = [(value or "").strip() for value in values]
    parts = [[text[:length] for text in texts] for length in range(1, _LETTERS + 1)]
    parts += [[text[-length:] for text in texts] for length in range(1, _LETTERS + 1)]
    words = [_WORD.findall(text) for text in texts]
    parts += [[row_words[position] if row_words else "" for row_words in words] for position in (0, -1)]
    parts.append([str(len(text)) for text in texts])
    days = _parse_days(texts)
    if days is not None:
        parts += [["" if day is None else part(day) for day in days] for part in _OF_DATES]
    amounts = None if days is not None else _parse_numbers(values)
    if amounts is not None:
        parts += [_floor_amounts(amounts, breadth) for breadth in _BREADTHS]
        parts += [_floor_amounts(amounts % breadth, 1) for breadth in (2, 10)]
    return parts


def _parse_numbers(values: Sequence[str | None]) -> F8 | None:
    """The values as numbers, of dates the year; nan where one is missing, None where they are no numbers.

    >>> _parse_numbers(["31", None, "-2.5"]), _parse_numbers(["1990-05-17"]), _parse_numbers(["01069", "99999"])
    (array([31. ,  nan, -2.5]), array([1990.]), None)
    """
    texts = [(value or "").strip() for value in values]
    present = [text for text in texts if text]
    if not present:
        return None
    numbers = np.array([_parse_number(text) for text in texts])
    if np.isfinite(numbers).sum() >= _MOST * len(present) and not are_codes(present):
        return numbers
    days = _parse_days(texts)
    return None if days is None else np.array([np.nan if day is None else float(day.year) for day in days])


def _parse_amounts(values: Sequence[str | None]) -> F8:
    """The values as numbers, of dates the year, also where few of them are: what some people showed to be numbers.

    >>> _parse_amounts(["31", "about 40", "unknown"]), _parse_amounts(["1990-05-17", "in May"])
    (array([31., nan, nan]), array([1990.,   nan]))
    """
    numbers = _parse_numbers(values)
    if numbers is not None:
        return numbers
    texts = [(value or "").strip() for value in values]
    ways = (
        np.array([np.nan if day is None else float(day.year) for day in days])
        for days in ([read_date(text, format) for text in texts] for format in (None, *FORMATS))
    )
    return max(
        (np.array([_parse_number(text) for text in texts]), *ways),
        key=lambda way: int(np.isfinite(way).sum()),
    )


def rank_values(values: Sequence[str | None]) -> I8:
    """The place of each value in the order of its numbers, of its dates, or of the alphabet.

    >>> rank_values(["10", "9", "100"]).tolist(), rank_values(["1.2.2020", "3.1.2020"]).tolist()
    ([1, 0, 2], [1, 0])
    """
    texts = [(value or "").strip() for value in values]
    days = _parse_days(texts)
    keys: Sequence[object]
    if days is not None:
        keys = [day or datetime.min for day in days]
    else:
        numbers = _parse_numbers(values)
        keys = (
            [normalize_value(text) for text in texts]
            if numbers is None
            else np.nan_to_num(numbers, nan=-np.inf).tolist()
        )
    rank_of_key = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([rank_of_key[key] for key in keys], dtype=np.int64)


def _parse_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return np.nan
    return number if abs(number) < 1e15 else np.nan


def _floor_amounts(amounts: F8, breadth: int) -> list[str]:
    lower = np.floor(amounts / breadth) * breadth
    return ["" if np.isnan(bound) else str(int(bound)) for bound in lower]


def _parse_days(texts: Sequence[str]) -> list[datetime | None] | None:
    """The values as dates; None where most are none."""
    formats = date_formats([text for text in texts if text], _MOST)
    return [read_date(text, formats[0]) for text in texts] if formats else None


# --- rules that bind published columns to quasi-identifiers

SURE = 0.8
"""The share of wrong guesses that a rule avoids."""

_SURELY = 0.95  # likewise of a sensitive column: it may well go along with quasi-identifiers
_PEOPLE = 4_000  # in whom rules of several columns, or of parts of values, are looked for
_SETS = 1_500  # sets of columns that are tried
_UNSHARED = 0.05  # of the people hold a value that nobody else holds


@dataclass(frozen=True, slots=True, repr=False)
class Link(SafeRepr):
    """Published columns that are bound to quasi-identifiers by a rule.

    known : the quasi-identifiers
    shown : the published columns
    tells : whether `shown` together tell the one in `known`; else the one in `shown` follows from `known` together
    terms : of a sum, every column and its sign
    least : the lowest number that the sum is, in the columns' own unit
    step  : the unit in which sums are counted
    width : how many numbers the sum may be: `least`, and so many less one further steps
    logs  : whether logarithms are summed
    sure  : whether nearly all people keep it; else only many do
    """

    known: tuple[str, ...]
    shown: tuple[str, ...]
    tells: bool = False
    terms: tuple[tuple[str, int], ...] = ()
    least: float = 0.0
    step: float = 1.0
    width: int = 2
    logs: bool = False
    sure: bool = True

    def facts(self) -> dict[str, object]:
        """What may be shown: names of columns."""
        return {"known": ", ".join(self.known), "shown": ", ".join(self.shown)}

    def marks(self, table: Table, leaves: I4) -> Dependency:
        """What the link shows in each record, and what of it whoever knows the record expects."""
        if not self.terms:
            column = table.column(self.shown[0]).codes
            index = [quasi.name for quasi in table.quasi].index(self.known[0])
            codes = (leaves[:, index] if self.tells else column).astype(np.int64)
            everyone = np.ones(len(codes), dtype=bool)
            return Dependency(codes, codes, everyone, everyone)
        known_steps, shown_steps = (
            sum((self._steps(table.column(name), sign) for name, sign in self.terms if name in part))
            for part in (self.known, self.shown)
        )
        low = np.round(self.least / self.step) - known_steps
        shown_codes, low_codes = (np.nan_to_num(steps).astype(np.int64) for steps in (shown_steps, low))
        return Dependency(shown_codes, low_codes, np.isfinite(shown_steps), np.isfinite(low), self.width)

    def _steps(self, column: Column, sign: int) -> F8:
        """A column as so many steps each; what is no number is nan."""
        amounts = _parse_amounts(column.values)
        return sign * np.round((_logarithms(amounts) if self.logs else amounts) / self.step)[column.codes]


def _rule_threshold(columns: Iterable[Column]) -> float:
    """How sure a rule of some published columns must be."""
    return _SURELY if any(column.role == "sensitive" for column in columns) else SURE


def _find_source(column: Column, table: Table, leaves: I4) -> str | None:
    """The one quasi-identifier whose equal values a column follows from.

    Where most people share their value with others, those are looked at as they are; few of many could be alike by
    chance. Sensitive columns of few people could be too.
    """
    threshold, rows = _rule_threshold([column]), _row_per_person(table)
    cells = column.codes[rows]
    for j, quasi in enumerate(table.quasi):
        leaf = leaves[rows, j]
        shared = count_codes(leaf, table.counts)[leaf] > 1
        counts = None if table.counts is None else table.counts[shared]
        if goodman_kruskal_lambda(cells[shared], leaf[shared], counts) < threshold:
            continue
        shared_rows = np.flatnonzero(shared)[np.argsort(leaf[shared], kind="stable")][:_PEOPLE]
        plainly = column.role != "sensitive" and 2 * shared.sum() >= len(shared)
        if plainly or _is_rule(
            _guess_from_equal(leaf[shared_rows]), cells[shared_rows].astype(np.int64), threshold
        ):
            return quasi.name
    return None


def find_dependencies(
    table: Table, leaves: I4, columns: Sequence[Column], set_limit: int | None = None
) -> list[Link]:
    """The rules that bind some published columns to quasi-identifiers.

    One quasi-identifier is asked in all people, what more is needed in 4,000 of them, and at most 1,500 sets of columns
    are tried, small ones first.

    Parameters
    ----------
    table
        The records.
    leaves
        int32[n, d], their leaf codes in each quasi-identifier.
    columns
        The published columns that are asked about, in table order.
    set_limit
        How many sets of columns are tried where it is a trial only.
    """
    limit = _SETS if set_limit is None else set_limit
    columns = [column for column in columns if (column.codes != column.codes[:1]).any()]
    if not columns or not table.n:
        return []
    people = _sample_people(table)
    quasi_identifiers = [
        _QuasiIdentifier(column, leaves[people, j], column.codes[people])
        for j, column in enumerate(table.quasi)
    ]
    sources = dict(_find_sources(table, leaves, quasi_identifiers, columns, people, limit))
    links = [Link(sources[column.name], (column.name,)) for column in columns if column.name in sources]
    sums = (link for link in _search_sums(table, columns, people, sources, limit) if link.sure)
    return [*links, *_find_tellers(quasi_identifiers, columns, people, limit), *sums]


def find_sums(table: Table, columns: Sequence[Column], set_limit: int | None = None) -> list[Link]:
    """Sums of published columns and quasi-identifiers that many people keep, whether they are rules or not."""
    limit = _SETS if set_limit is None else set_limit
    return list(_search_sums(table, columns, _sample_people(table), (), limit)) if table.n else []


def _sample_people(table: Table) -> I8:
    """Rows of some people in random order."""
    return np.random.default_rng(0).permutation(_row_per_person(table))[:_PEOPLE]


def _row_per_person(table: Table) -> I8:
    """One row of each person: several rows of one person are no evidence of a rule."""
    return np.arange(table.n) if table.persons is None else np.unique(table.persons, return_index=True)[1]


@dataclass(frozen=True)
class _QuasiIdentifier:
    """A quasi-identifier of some people."""

    column: Column
    leaf: I4
    codes: I4

    @cached_property
    def scattered(self) -> bool:
        """Whether many hold a value that nobody else among these people holds."""
        is_unique = np.bincount(self.leaf)[self.leaf] == 1
        return int(is_unique.sum()) >= max(_UNSHARED * len(is_unique), 2)

    @cached_property
    def _present(self) -> tuple[list[str | None], I8]:
        present, value_of_row = np.unique(self.codes, return_inverse=True)
        return [self.column.values[code] for code in present.tolist()], value_of_row.reshape(-1)

    @cached_property
    def parts(self) -> list[tuple[list[str], I8]]:
        """What can be read off the values that few share: the different parts, and that of each person."""
        if not self.scattered:
            return []
        values, value_of_row = self._present
        parts = []
        for part in _list_value_parts(values):
            words = list(dict.fromkeys(part))
            if 1 < len(words) < len(values):
                code_of_word = {word: code for code, word in enumerate(words)}
                parts.append(
                    (words, np.array([code_of_word[word] for word in part], dtype=np.int64)[value_of_row])
                )
        return parts

    @cached_property
    def part_spellings(self) -> list[tuple[list[str | None], I8]]:
        """The same parts as cells are compared with them; None where there is nothing to compare."""
        return [
            ([_spelling_key(word) if word else None for word in words], part) for words, part in self.parts
        ]

    @cached_property
    def guesses(self) -> list[Guess]:
        """Ways to guess from it alone: from parts of its values, or from their order."""
        equal_guesses = [_guess_from_equal(part) for _, part in self.parts]
        return [*equal_guesses, *(_guess_from_neighbours(order) for order in self.orders)]

    @cached_property
    def orders(self) -> list[I8]:
        """The places of values that few share, in the hierarchy and by what they say."""
        values, value_of_row = self._present
        return [self.leaf.astype(np.int64), rank_values(values)[value_of_row]] if self.scattered else []

    @cached_property
    def coarse(self) -> list[I8]:
        """What is known of each person in codes that several share: values, else parts of them."""
        coarse_parts = [part for words, part in self.parts if len(words) <= len(self.leaf) / 10]
        return coarse_parts[:_PARTS] if self.scattered and coarse_parts else [self.leaf.astype(np.int64)]


_PARTS = 8  # of one column that are combined with those of another


def _find_sources(
    table: Table,
    leaves: I4,
    known: Sequence[_QuasiIdentifier],
    columns: Sequence[Column],
    some: I8,
    set_limit: int,
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns that follow, each with the quasi-identifiers that it follows from, as few as possible."""
    open_columns = []
    for column in columns:
        name = _find_source(column, table, leaves) or _find_single_source(known, column, column.codes[some])
        if name:
            yield column.name, (name,)
        else:
            open_columns.append(column)
    for names, guess in islice(_combine_guesses(known), set_limit if open_columns else 0):
        for column in list(open_columns):
            if _is_rule(guess, column.codes[some].astype(np.int64), _rule_threshold([column])):
                open_columns.remove(column)
                yield column.name, names


def _find_single_source(known: Sequence[_QuasiIdentifier], column: Column, cells: I4) -> str | None:
    """The quasi-identifier from parts of whose values, or from whose order, a column follows."""
    codes, threshold = cells.astype(np.int64), _rule_threshold([column])
    code_of_cell = {_spelling_key(value): code for code, value in enumerate(column.values)}
    for quasi in known:
        if _is_value_part(quasi, code_of_cell, codes, threshold) or any(
            _is_rule(guess, codes, threshold) for guess in quasi.guesses
        ):
            return quasi.column.name
    return None


def _combine_guesses(known: Sequence[_QuasiIdentifier]) -> Iterator[tuple[tuple[str, ...], Guess]]:
    """Ways of guessing from two or three quasi-identifiers."""
    for pair in combinations(known, 2):
        names = tuple(quasi.column.name for quasi in pair)
        for parts in product(*(quasi.coarse for quasi in pair)):
            yield names, _guess_from_equal(class_ids(parts))
        for quasi, ordered_quasi in (pair, pair[::-1]):
            for order, codes in product(ordered_quasi.orders, [] if quasi.scattered else quasi.coarse):
                yield names, _guess_from_neighbours(order, codes)
    for several in combinations(known, 3):
        yield (
            tuple(quasi.column.name for quasi in several),
            _guess_from_equal(class_ids([quasi.leaf for quasi in several])),
        )


def _find_tellers(
    known: Sequence[_QuasiIdentifier], columns: Sequence[Column], some: I8, set_limit: int
) -> list[Link]:
    """Published columns that tell a quasi-identifier together; one that tells it alone is refused beforehand."""
    links: dict[str, Link] = {}
    sets = chain(combinations(columns, 2), combinations(columns, 3))
    for several in islice(sets, set_limit // max(len(known), 1)):
        guess = _guess_from_equal(class_ids([column.codes[some] for column in several]))
        for quasi in known:
            if quasi.column.name not in links and _is_rule(
                guess, quasi.leaf.astype(np.int64), _rule_threshold(several)
            ):
                names = tuple(column.name for column in several)
                links[quasi.column.name] = Link((quasi.column.name,), names, tells=True)
    return list(links.values())


def _is_value_part(known: _QuasiIdentifier, code_of_cell: Mapping[str, int], codes: I8, sure: float) -> bool:
    """Whether the published cell is itself a part of the known value; `code_of_cell` has the spelling of cells."""
    blind = int(np.bincount(codes).max())
    if len(codes) - blind < FEW / 2:
        return False
    for words, part in known.part_spellings:
        expected = np.array([-1 if word is None else code_of_cell.get(word, -1) for word in words])[part]
        if (expected == codes).sum() - blind >= sure * (len(codes) - blind):
            return True
    return False


def _search_sums(
    table: Table, columns: Sequence[Column], some: I8, done: Container[str], set_limit: int
) -> Iterator[Link]:
    """Numbers that add up, at least one of which is known and one published."""
    amounts: dict[str, F8] = {}
    for column in (*table.quasi, *columns):
        column_amounts = _column_amounts(column, some)
        if column_amounts is not None and column.name not in done:
            amounts[column.name] = column_amounts
    open_columns = [column for column in columns if column.name in amounts]
    quasi = [column.name for column in table.quasi if column.name in amounts]
    sizes = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))
    sets = chain.from_iterable(
        product(combinations(quasi, known_size), combinations(open_columns, published_size))
        for known_size, published_size in sizes
    )
    numbers = _CodedAmounts(amounts)
    bounds: list[tuple[set[str], float]] = []
    for known_names, published in islice(sets, set_limit):
        names = {*known_names, *(column.name for column in published)}
        blind_limit = min((blind for subset, blind in bounds if subset <= names), default=1.0)
        candidate = _fit_sum(numbers, known_names, published) if blind_limit > 0 else None
        if candidate is not None and candidate[1] < blind_limit / 2:  # what fewer columns do not show already
            link, blind = candidate
            bounds.append((names, 0.0 if link.sure and link.width <= _NEXT else blind))
            yield link


_NEXT = 2  # numbers: one, or the next
_LOG_STEP = 1e-4
_SCREENED = 500  # people in whom it is seen that most sums are none
_SHARES = (_SURELY, 0.99, 1.0)  # of the people who keep a rule
_MANY = 0.7  # of the people keep what is no rule
_BROAD = 0.5  # of the people have, without knowing anything, one of the numbers that a rule allows, at most


class _CodedAmounts:
    """Columns of numbers of some people, and their logarithms, each counted in steps."""

    def __init__(self, amounts: Mapping[str, F8]) -> None:
        self._amounts = amounts
        self._step = {name: _find_step(values[np.isfinite(values)]) for name, values in amounts.items()}
        self._spread = {name: _is_spread(values) for name, values in amounts.items()}
        self._counted: dict[tuple[str, float], F8] = {}

    def step(self, names: Sequence[str]) -> float:
        """The coarsest last place of some columns."""
        return max(self._step[name] for name in names)

    def counted(self, names: Sequence[str], step: float, most: int | None = None) -> F8:
        """Columns in steps, float64[columns, people], of those who have all; `_LOG_STEP` asks for logarithms."""
        cells = np.stack([self._column_steps(name, step)[:most] for name in names])
        return np.asarray(cells[:, np.isfinite(cells).all(axis=0)])

    def _column_steps(self, name: str, step: float) -> F8:
        if (name, step) not in self._counted:
            amounts = _logarithms(self._amounts[name]) if step == _LOG_STEP else self._amounts[name]
            self._counted[name, step] = np.round(amounts / step)
        return self._counted[name, step]

    def are_spread(self, names: Sequence[str]) -> bool:
        """Whether all of some columns are above zero and differ by so much that logarithms say more."""
        return all(self._spread[name] for name in names)


def _logarithms(amounts: F8) -> F8:
    """Logarithms; of what has none, nan."""
    return np.log(np.where(amounts > 0, amounts, np.nan))


_TIMES = 1.5  # as large is a number, at least, for which its logarithm is looked at, as another


def _is_spread(amounts: F8) -> bool:
    finite = amounts[np.isfinite(amounts)]
    if not len(finite) or (finite > 0).mean() < _SURELY:
        return False
    low, high = np.quantile(finite[finite > 0], [0.1, 0.9])
    return bool(high >= _TIMES * low)


def _fit_sum(
    numbers: _CodedAmounts, known: tuple[str, ...], published: tuple[Column, ...]
) -> tuple[Link, float] | None:
    """The signs with which some columns, or their logarithms, add up; the share of people whom chance gives as much."""
    shown_names = tuple(column.name for column in published)
    names, threshold = (*shown_names, *known), _rule_threshold(published)
    ways = [(numbers.step(names), False)]
    if len(names) <= _FACTORS and numbers.are_spread(names):
        ways.append((_LOG_STEP, True))
    best: tuple[Link, float] | None = None
    for step, logs in ways:
        for signs in _find_signs(numbers.counted(names, step, _SCREENED), len(shown_names)):
            signed = numbers.counted(names, step) * signs[:, None]
            if signed.shape[1] < FEW:
                continue
            window = _find_window(signed[: len(shown_names)].sum(axis=0), signed.sum(axis=0), threshold)
            if window is None or (
                best is not None and (best[0].sure, -best[1]) >= (window.sure, -window.blind)
            ):
                continue
            terms = tuple(zip(names, signs.tolist(), strict=True))
            form = (window.least * step, step, window.width, logs, window.sure)
            best = Link(known, shown_names, False, terms, *form), window.blind
        if best is not None and best[0].sure:
            break
    return best


_FACTORS = 3  # columns of a product, at most


@dataclass(frozen=True, slots=True)
class _Window:
    """The numbers next to each other that sums mostly are.

    least : the lowest of them
    width : how many they are
    blind : the share of people whose published numbers alone lie in a window of that width
    sure  : whether so many people keep it that it is a rule
    """

    least: float
    width: int
    blind: float
    sure: bool


def _find_window(shown: F8, sums: F8, sure: float) -> _Window | None:
    """The narrowest window of sums that is a rule, or else one that many keep; None where neither is."""
    n, shown, sums = len(sums), np.sort(shown), np.sort(sums)
    for share in _SHARES:
        least, width = _find_narrowest_window(sums, share)
        hit_share, blind = _max_window_share(sums, width), _max_window_share(shown, width)
        miss_share = 1 - blind
        narrow = width <= _NEXT or (blind <= _BROAD and _is_beyond(hit_share, blind, n))
        if miss_share * n >= FEW and hit_share - blind >= sure * miss_share and narrow:
            return _Window(least, width, blind, sure=True)
    least, width = _find_narrowest_window(sums, _MANY)
    hit_share, blind = _max_window_share(sums, width), _max_window_share(shown, width)
    if (1 - blind) * n >= FEW and blind <= hit_share / 2 and _is_beyond(hit_share, blind, n):
        return _Window(least, width, blind, sure=False)
    return None


def _find_signs(cells: F8, shown: int) -> Iterator[F8]:
    """The signs with which sums of a few people lie so close together that all people are worth looking at."""
    ways = np.array([(1, *other_signs) for other_signs in product((1, -1), repeat=len(cells) - 1)])
    if not cells.shape[1]:
        return
    sums, published_sums = np.sort(ways @ cells, axis=1), np.sort(ways[:, :shown] @ cells[:shown], axis=1)
    for signs, total, published in zip(ways, sums, published_sums, strict=True):
        _, width = _find_narrowest_window(total, _MANY - 0.05)
        if (
            _max_window_share(published, width) <= _BROAD + 0.1
            or _find_narrowest_window(total, _SURELY - 0.03)[1] <= _NEXT
        ):
            yield signs


def _is_beyond(right: float, blind: float, n: int) -> bool:
    """Whether so many people more keep a window than chance puts there."""
    return bool((right - blind) * n >= _BEYOND * max((blind * (1 - blind) * n) ** 0.5, 1.0))


def _find_narrowest_window(numbers: F8, share: float) -> tuple[float, int]:
    """Of rising whole numbers, the narrowest window that holds such a share: its lowest number, and its width."""
    count = max(int(np.ceil(share * len(numbers) - 1e-9)), 1)
    spans = numbers[count - 1 :] - numbers[: len(numbers) - count + 1]
    first = int(spans.argmin())
    return float(numbers[first]), int(spans[first]) + 1


def _max_window_share(numbers: F8, width: int) -> float:
    """Of rising whole numbers, the largest share that lies in a window of a width."""
    ends = np.searchsorted(numbers, numbers + (width - 1), side="right")
    return float((ends - np.arange(len(numbers))).max() / len(numbers))


def _column_amounts(column: Column, rows: I8) -> F8 | None:
    present, value_of_row = np.unique(column.codes[rows], return_inverse=True)
    numbers = _parse_numbers([column.values[code] for code in present.tolist()])
    return None if numbers is None else numbers[value_of_row.reshape(-1)]


def _find_step(numbers: F8) -> float:
    """The last place to which numbers are given: 1, 0.1, 0.01 or 0.001."""
    return next((step for step in (1.0, 0.1, 0.01) if _are_whole(numbers / step).all()), 0.001)


def _are_whole(numbers: F8) -> B1:
    return np.asarray(np.abs(numbers - np.round(numbers)) < 1e-6)


# --- rules that bind columns beside baskets to items

_CHANCE = 0.002  # of what is taken for a rule may be chance
_SEVERAL, _SHARE = 5, 0.05  # items that seem to tell; of so many, such a part may do so by chance
_PAIRS = 30_000_000  # pairs of items in rows that are counted


@dataclass(frozen=True, slots=True)
class ItemRule:
    """A column that follows from some items.

    items  : int64, ascending; one entry for each value that is expected with an item
    values : int64, the code of the value
    """

    column: Column
    items: I8
    values: I8

    def expected(self, items: I8, values: I8) -> B1:
        """Whether each value is one that the item beside it tells."""
        width = len(self.column.values)
        return np.isin(items * width + values, self.items * width + self.values)


def find_item_rules(
    baskets: Baskets, columns: Sequence[Column], secret: Sequence[int] = ()
) -> list[ItemRule]:
    """The columns that follow from an item; nobody knows those items that are `secret`."""
    person = row_of_entry(baskets.start)
    open_items = ~np.isin(baskets.items, np.asarray(secret, dtype=np.int64))
    person, items = person[open_items], baskets.items[open_items].astype(np.int64)
    rules = (_find_item_rule(column, person, items, len(baskets.values)) for column in columns)
    return [rule for rule in rules if len(rule.items)]


def _find_item_rule(column: Column, person: I8, items: I8, width: int) -> ItemRule:
    values, n, threshold = len(column.values), len(column.codes), _rule_threshold([column])
    people, holders = np.bincount(column.codes, minlength=values), np.bincount(items, minlength=width)
    pairs, pair_counts = np.unique(items * values + column.codes[person], return_counts=True)
    item, value = pairs // values, pairs % values
    is_candidate = (_gain(pair_counts, holders[item], people[value], n) >= threshold) & (holders[item] > 1)
    chance = np.where(is_candidate, _tail_probability(pair_counts, holders[item], people[value], n), 1.0)
    most = 2 * pair_counts > people[value]  # the values whose holders hold the item, as far as one guesses
    with_it = np.bincount(item[most], pair_counts[most], width).astype(np.int64)
    of_them = np.bincount(item[most], people[value[most]], width).astype(np.int64)
    misses, blind = holders - with_it + of_them - with_it, np.minimum(holders, n - holders)
    several = (blind > 1) & (blind - misses >= threshold * blind) & (of_them < n)
    by_set = np.where(several, _tail_probability(with_it, holders, of_them, n), 1.0)
    limit = _chance_limit(np.concatenate([chance, by_set]), len(pairs) + width)
    is_common = holders >= _min_holders(np.unique(item[is_candidate]), holders, people, n, threshold)
    mask = (((chance <= limit) | is_common[item]) & is_candidate) | (
        ((by_set <= limit) & several)[item] & most
    )
    return ItemRule(column, item[mask], value[mask])


def _min_holders(telling: I8, held: I8, people: I8, n: int, sure: float) -> int:
    """How many people must hold an item so that, of the items so common that seem to tell, few do so by chance."""
    sizes, size_index = np.unique(held, return_inverse=True)
    base = people[None, :] / n
    needed = np.ceil(sizes[:, None] * (base + sure * (1 - base)) - 1e-9).astype(np.int64)
    wide = np.broadcast_to(sizes[:, None], needed.shape)
    expected = _tail_probability(needed, wide, np.broadcast_to(people[None, :], needed.shape), n).sum(axis=1)
    for index in np.flatnonzero(sizes > 1):
        telling_count = int((held[telling] >= sizes[index]).sum())
        by_chance = float(np.minimum(expected, 1.0)[size_index[held >= sizes[index]]].sum())
        if telling_count >= _SEVERAL and by_chance <= _SHARE * telling_count:
            return int(sizes[index])
    return n + 1


def _gain(both: I8, held: I8, people: I8, n: int) -> F8:
    """The share of wrong guesses that knowing an item avoids, of one value of a column."""
    base = people / n
    return np.asarray((both / held - base) / np.maximum(1 - base, 1 / (2 * n)))


def _tail_probability(both: I8, held: I8, people: I8, n: int) -> F8:
    """At most how likely so many of the holders of an item have a value by chance: a hypergeometric tail."""
    term_count = np.minimum(held, people) - both + 1
    logs = (
        _log_binomial(people, both)
        + _log_binomial(n - people, held - both)
        - _log_binomial(np.full_like(held, n), held)
    )
    return np.asarray(np.minimum(term_count * np.exp(logs), 1.0))


def _log_binomial(n: I8, k: I8) -> F8:
    """The logarithm of n over k."""
    log = scipy.special.gammaln
    return np.asarray(np.where((k >= 0) & (k <= n), log(n + 1.0) - log(k + 1.0) - log(n - k + 1.0), -np.inf))


def _chance_limit(chances: F8, tried: int) -> float:
    """The highest chance that is still taken for a rule."""
    line = np.sort(chances)
    passes = line <= _CHANCE * np.arange(1, len(line) + 1) / max(tried, 1)
    return float(line[passes][-1]) if passes.any() else -1.0


@dataclass(frozen=True)
class ItemSources:
    """Released items beside the baskets that they stem from."""

    baskets: Baskets
    release: RecodedBaskets

    @cached_property
    def sets(self) -> I8:
        """For each form, a number that is equal where leaf sets are."""
        return self.release.forms.sets()

    @cached_property
    def form(self) -> I8:
        """The form of each published item."""
        return self.sets[self.release.items]

    @cached_property
    def row(self) -> I8:
        """The row of each published item."""
        return row_of_entry(self.release.start)

    def own_forms(self, row: I8, item: I8) -> tuple[I8, I8]:
        """In which form each row publishes an item of its person: the place among those given, and the form."""
        forms = self.release.forms
        mask = np.isin(forms.leaves, item)
        pairs = np.unique(
            np.stack([forms.leaves[mask], self.sets[row_of_entry(forms.start)[mask]]], axis=1), axis=0
        )
        first, last = (np.searchsorted(pairs[:, 0], item, side=side) for side in ("left", "right"))
        entry = np.repeat(np.arange(len(item)), last - first)
        form = pairs[concatenate_ranges(first, last - first), 1].astype(np.int64)
        width = len(self.sets)
        is_published = np.isin(row[entry] * width + form, self.row * width + self.form)
        return entry[is_published], form[is_published]

    def alike(self, rules: Sequence[ItemRule], kind: I8, value: I8, told: I8, item: I8, own: I8) -> I8:
        """How many rows of a row's kind publish the form of a telling item and one of the values that it tells."""
        if len(rules) != 1:
            return _count_pairs(value[self.row], self.form, value[told], own)
        (rule,) = rules
        codes, width = rule.column.codes[self.release.rows].astype(np.int64), len(rule.column.values)
        first, last = (np.searchsorted(rule.items, item, side=side) for side in ("left", "right"))
        entry = np.repeat(np.arange(len(item)), last - first)
        keys = kind[told][entry] * width + rule.values[concatenate_ranges(first, last - first)]
        counts = _count_pairs(kind[self.row] * width + codes[self.row], self.form, keys, own[entry])
        return np.bincount(entry, counts, len(item)).astype(np.int64)


def count_rows_left(
    rules: Sequence[ItemRule], held: ItemSources, kind: I8, m: int, secret: Sequence[int] = ()
) -> I8:
    """For each released row, the fewest rows that whoever knows up to m items of its person is left with.

    `kind` numbers the rows by what else is known; without a rule, items are looked at beside that alone. Of further
    items one is looked at, where pairs are not too many. Where no item tells a column rightly, all rows are left.
    """
    release, rows = held.release, held.release.rows
    least = np.full(len(rows), len(rows) + 1, dtype=np.int64)
    for subset in _rule_subsets(rules, len(held.baskets.values)):
        row, item = _find_telling_items(subset, held.baskets, rows, secret)
        index, form = held.own_forms(row, item)
        row, item = row[index], item[index]
        value = class_ids([kind, *(rule.column.codes[rows] for rule in subset)])
        np.minimum.at(least, row, held.alike(subset, kind, value, row, item, form))
        if m > 1:
            np.minimum.at(
                least, *_count_with_another_item(value, held.row, held.form, row, form, release.start)
            )
    return least


def _rule_subsets(rules: Sequence[ItemRule], width: int) -> list[tuple[ItemRule, ...]]:
    """Each rule alone, and all those together that some item makes known together; none where there is none."""
    if not rules:
        return [()]
    tells = np.stack([np.isin(np.arange(width), rule.items) for rule in rules])
    subsets: set[tuple[int, ...]] = {(index,) for index in range(len(rules))}
    subsets |= {tuple(np.flatnonzero(line).tolist()) for line in np.unique(tells.T, axis=0) if line.any()}
    return [tuple(rules[index] for index in subset) for subset in sorted(subsets)]


def _find_telling_items(
    rules: Sequence[ItemRule], baskets: Baskets, rows: I8, secret: Sequence[int]
) -> tuple[I8, I8]:
    """Released rows, and known items of their persons that tell all columns of some rules rightly."""
    size = baskets.start[rows + 1] - baskets.start[rows]
    row = np.repeat(np.arange(len(rows)), size)
    item = baskets.items[concatenate_ranges(baskets.start[rows], size)].astype(np.int64)
    mask = ~np.isin(item, np.asarray(secret, dtype=np.int64))
    for rule in rules:
        mask &= rule.expected(item, rule.column.codes[rows[row]].astype(np.int64))
    return row[mask], item[mask]


def _count_with_another_item(value: I8, row: I8, form: I8, told: I8, own: I8, start: I8) -> tuple[I8, I8]:
    """How many rows with the same values publish the form of a telling item and one more form of the row."""
    telling = np.isin(form, own)
    size = np.diff(start)[row[telling]]
    if not len(told) or size.sum() > _PAIRS:
        return told[:0], told[:0]
    other_form = form[concatenate_ranges(start[row[telling]], size)]
    entry_row, telling_form = np.repeat(row[telling], size), np.repeat(form[telling], size)
    width = int(form.max(initial=0)) + 1
    line = np.isin(entry_row * width + telling_form, told * width + own)
    pair = telling_form * width + other_form
    return entry_row[line], _count_pairs(value[entry_row], pair, value[entry_row[line]], pair[line])


def _count_pairs(first: I8, second: I8, asked: I8, beside: I8) -> I8:
    """How often two numbers stand together, for each pair that is asked for."""
    ids = class_ids([np.concatenate([first, asked]), np.concatenate([second, beside])])
    counts = np.bincount(ids[: len(first)], minlength=int(ids.max(initial=-1)) + 1)
    return np.asarray(counts[ids[len(first) :]])
