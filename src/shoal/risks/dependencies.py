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
    "among_equal",
    "amounts_of",
    "find_dependencies",
    "find_sums",
    "follows",
    "is_rule",
    "item_rules",
    "lambda_of",
    "neighbours",
    "numbers_of",
    "order_of",
    "parts_of",
    "rows_left",
    "spelled",
    "sure_of",
]


# --- how well cells are guessed from what is known (also from what anybody can read off a value without the data, such
# as the month of a date or the beginning of a code), and whether that is a rule or chance

FEW = 10
"""Wrong guesses; fewer of them may be chance."""

_CELLS = 8  # of a table of counts for each record, at most
_DEALT, _BEYOND = 20, 5.0  # times that cells are dealt out anew; deviations that a rule lies beyond them

Guess = Callable[[I8], tuple[float, float, float]]
"""From cells: how many are guessed right, how many without knowing anything, and how many are guessed at all."""


def lambda_of(told: object, given: object, counts: I8 | None = None) -> float:
    """Goodman and Kruskal's lambda: the share of wrong guesses of `told` that knowing `given` avoids.

    >>> lambda_of([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    >>> lambda_of([0, 0, 1, 1], [5, 7, 5, 7])
    0.0
    """
    given, told = (_packed(np.asarray(codes)) for codes in (given, told))
    if not len(told):
        return 0.0
    width = int(told.max()) + 1
    pairs = given * width + told
    if (int(given.max()) + 1) * width <= _CELLS * len(told):
        best = count_codes(pairs, counts, (int(given.max()) + 1) * width).reshape(-1, width).max(axis=1)
    else:
        pairs, place = np.unique(pairs, return_inverse=True)
        best = np.zeros(int(given.max()) + 1, dtype=np.int64)
        np.maximum.at(best, pairs // width, count_codes(place, counts))
    held = count_codes(told, counts)
    blind, all_of_them = int(held.max()), int(held.sum())
    return float((best.sum() - blind) / (all_of_them - blind)) if blind < all_of_them else 0.0


def _packed(codes: NDArray[np.integer]) -> I8:
    """Codes as numbers from 0 that are not much larger than there are."""
    if len(codes) and (codes.min() < 0 or codes.max() > _CELLS * len(codes)):
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return np.asarray(codes, dtype=np.int64)


def is_rule(guess: Guess, codes: I8, sure: float) -> bool:
    """Whether cells are guessed right so often that it is a rule, and far more often than by chance."""
    right, blind, all_of_them = guess(codes)
    if all_of_them - blind < FEW / 2 or right - blind < sure * (all_of_them - blind):
        return False
    deal = np.random.default_rng(1)
    dealt = np.array([guess(deal.permutation(codes))[0] for _ in range(_DEALT)])
    return bool(right >= dealt.mean() + _BEYOND * max(float(dealt.std()), 1.0))


def among_equal(groups: I4 | I8) -> Guess:
    """Guess each person's cell from the others in the same group; whoever is alone in one is not guessed."""
    _, group = np.unique(groups, return_inverse=True)
    group = group.reshape(-1).astype(np.int64)
    shared = np.bincount(group)[group] > 1

    def guess(codes: I8) -> tuple[float, float, float]:
        there = codes[shared]
        if not len(there):
            return 0.0, 0.0, 0.0
        first, second = _two_most(group[shared], there)
        right = first * ((first - 1 > second) + 0.5 * (first - 1 == second))
        return float(right.sum()), float(np.bincount(there).max()), float(len(there))

    return guess


def _two_most(groups: I8, codes: I8) -> tuple[I8, I8]:
    """How many rows of each group have its most frequent code, and how many the next one."""
    many, width = int(groups.max()) + 1, int(codes.max()) + 1
    pairs = groups * width + codes
    if many * width <= _CELLS * len(groups):
        table = np.bincount(pairs, minlength=many * width).reshape(many, width)
        first, best = table.max(axis=1), table.argmax(axis=1)
        table[np.arange(many), best] = 0
        return first, table.max(axis=1)
    pairs, counts = np.unique(pairs, return_counts=True)
    of = pairs // width
    order = np.lexsort((counts, of))
    of, counts = of[order], counts[order]
    last = np.r_[of[1:] != of[:-1], True]
    below = np.where(np.r_[False, of[1:] == of[:-1]], np.r_[0, counts[:-1]], 0)
    return counts[last], below[last]


def neighbours(order: I8, groups: I8 | None = None) -> Guess:
    """Guess each person's cell from the next below and above in an order, of the same group where groups are given."""
    beside = np.zeros(len(order), dtype=np.int64) if groups is None else groups
    line = np.lexsort((order, beside))
    near = np.diff(beside[line]) == 0
    below, above = np.r_[False, near], np.r_[near, False]

    def guess(codes: I8) -> tuple[float, float, float]:
        cells = codes[line]
        equal = cells[1:] == cells[:-1]
        like_below, like_above = np.r_[False, equal] & below, np.r_[equal, False] & above
        right = (like_below + 0.0 + like_above) / np.maximum(below + 0 + above, 1)
        there = below | above
        return float(right.sum()), float(np.bincount(cells).max()), float(there.sum())

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


def spelled(text: str | None) -> str:
    """A spelling that is equal where a part of a value and a published cell say the same: `05` and `5` do.

    >>> spelled("05") == spelled("5.0") == spelled(" 5"), spelled("0"), spelled(None)
    (True, '0', '')
    """
    plain = normalize_value(text or "")
    return plain.lstrip("0") or plain[-1:]


def parts_of(values: Sequence[str | None]) -> list[list[str]]:
    """For each way of reading a part off values, the parts of all of them; what cannot be read is empty.

    >>> found = parts_of(["1990-05-17", "1971-12-01"])
    >>> ["5", "12"] in found, ["199", "197"] in found, ["fri", "sat"] in found
    (True, True, False)
    """
    texts = [(value or "").strip() for value in values]
    found = [[text[:many] for text in texts] for many in range(1, _LETTERS + 1)]
    found += [[text[-many:] for text in texts] for many in range(1, _LETTERS + 1)]
    words = [_WORD.findall(text) for text in texts]
    found += [[some[at] if some else "" for some in words] for at in (0, -1)]
    found.append([str(len(text)) for text in texts])
    days = _days(texts)
    if days is not None:
        found += [["" if day is None else part(day) for day in days] for part in _OF_DATES]
    amounts = None if days is not None else numbers_of(values)
    if amounts is not None:
        found += [_floored(amounts, breadth) for breadth in _BREADTHS]
        found += [_floored(amounts % breadth, 1) for breadth in (2, 10)]
    return found


def numbers_of(values: Sequence[str | None]) -> F8 | None:
    """The values as numbers, of dates the year; nan where one is missing, None where they are no numbers.

    >>> numbers_of(["31", None, "-2.5"]), numbers_of(["1990-05-17"]), numbers_of(["01069", "99999"])
    (array([31. ,  nan, -2.5]), array([1990.]), None)
    """
    texts = [(value or "").strip() for value in values]
    present = [text for text in texts if text]
    if not present:
        return None
    read = np.array([_number(text) for text in texts])
    if np.isfinite(read).sum() >= _MOST * len(present) and not are_codes(present):
        return read
    days = _days(texts)
    return None if days is None else np.array([np.nan if day is None else float(day.year) for day in days])


def amounts_of(values: Sequence[str | None]) -> F8:
    """The values as numbers, of dates the year, also where few of them are: what some people showed to be numbers.

    >>> amounts_of(["31", "about 40", "unknown"]), amounts_of(["1990-05-17", "in May"])
    (array([31., nan, nan]), array([1990.,   nan]))
    """
    read = numbers_of(values)
    if read is not None:
        return read
    texts = [(value or "").strip() for value in values]
    ways = (
        np.array([np.nan if day is None else float(day.year) for day in days])
        for days in ([read_date(text, format) for text in texts] for format in (None, *FORMATS))
    )
    return max(
        (np.array([_number(text) for text in texts]), *ways), key=lambda way: int(np.isfinite(way).sum())
    )


def order_of(values: Sequence[str | None]) -> I8:
    """The place of each value in the order of its numbers, of its dates, or of the alphabet.

    >>> order_of(["10", "9", "100"]).tolist(), order_of(["1.2.2020", "3.1.2020"]).tolist()
    ([1, 0, 2], [1, 0])
    """
    texts = [(value or "").strip() for value in values]
    days = _days(texts)
    keys: Sequence[object]
    if days is not None:
        keys = [day or datetime.min for day in days]
    else:
        read = numbers_of(values)
        keys = (
            [normalize_value(text) for text in texts]
            if read is None
            else np.nan_to_num(read, nan=-np.inf).tolist()
        )
    place = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64)


def _number(text: str) -> float:
    try:
        read = float(text)
    except ValueError:
        return np.nan
    return read if abs(read) < 1e15 else np.nan


def _floored(amounts: F8, breadth: int) -> list[str]:
    lower = np.floor(amounts / breadth) * breadth
    return ["" if np.isnan(one) else str(int(one)) for one in lower]


def _days(texts: Sequence[str]) -> list[datetime | None] | None:
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
            place = [quasi.name for quasi in table.quasi].index(self.known[0])
            codes = (leaves[:, place] if self.tells else column).astype(np.int64)
            every = np.ones(len(codes), dtype=bool)
            return Dependency(codes, codes, every, every)
        known, shown = (
            sum((self._steps(table.column(name), sign) for name, sign in self.terms if name in part))
            for part in (self.known, self.shown)
        )
        low = np.round(self.least / self.step) - known
        told, wanted = (np.nan_to_num(one).astype(np.int64) for one in (shown, low))
        return Dependency(told, wanted, np.isfinite(shown), np.isfinite(low), self.width)

    def _steps(self, column: Column, sign: int) -> F8:
        """A column as so many steps each; what is no number is nan."""
        amounts = amounts_of(column.values)
        return sign * np.round((_logs(amounts) if self.logs else amounts) / self.step)[column.codes]


def sure_of(columns: Iterable[Column]) -> float:
    """How sure a rule of some published columns must be."""
    return _SURELY if any(column.role == "sensitive" for column in columns) else SURE


def follows(column: Column, table: Table, leaves: I4) -> str | None:
    """The one quasi-identifier whose equal values a column follows from.

    Where most people share their value with others, those are looked at as they are; few of many could be alike by
    chance. Sensitive columns of few people could be too.
    """
    sure, rows = sure_of([column]), _one_each(table)
    cells = column.codes[rows]
    for j, quasi in enumerate(table.quasi):
        leaf = leaves[rows, j]
        shared = count_codes(leaf, table.counts)[leaf] > 1
        counts = None if table.counts is None else table.counts[shared]
        if lambda_of(cells[shared], leaf[shared], counts) < sure:
            continue
        together = np.flatnonzero(shared)[np.argsort(leaf[shared], kind="stable")][:_PEOPLE]
        plainly = column.role != "sensitive" and 2 * shared.sum() >= len(shared)
        if plainly or is_rule(among_equal(leaf[together]), cells[together].astype(np.int64), sure):
            return quasi.name
    return None


def find_dependencies(table: Table, leaves: I4, columns: Sequence[Column]) -> list[Link]:
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
    """
    columns = [column for column in columns if (column.codes != column.codes[:1]).any()]
    if not columns or not table.n:
        return []
    some = _people(table)
    known = [
        _QuasiIdentifier(column, leaves[some, j], column.codes[some]) for j, column in enumerate(table.quasi)
    ]
    by = dict(_sources(table, leaves, known, columns, some))
    found = [Link(by[column.name], (column.name,)) for column in columns if column.name in by]
    sums = (link for link in _sums(table, columns, some, by) if link.sure)
    return [*found, *_tellers(known, columns, some), *sums]


def find_sums(table: Table, columns: Sequence[Column]) -> list[Link]:
    """Sums of published columns and quasi-identifiers that many people keep, whether they are rules or not."""
    return list(_sums(table, columns, _people(table), ())) if table.n else []


def _people(table: Table) -> I8:
    """Rows of some people in random order."""
    return np.random.default_rng(0).permutation(_one_each(table))[:_PEOPLE]


def _one_each(table: Table) -> I8:
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
        alone = np.bincount(self.leaf)[self.leaf] == 1
        return int(alone.sum()) >= max(_UNSHARED * len(alone), 2)

    @cached_property
    def _present(self) -> tuple[list[str | None], I8]:
        there, of = np.unique(self.codes, return_inverse=True)
        return [self.column.values[code] for code in there.tolist()], of.reshape(-1)

    @cached_property
    def parts(self) -> list[tuple[list[str], I8]]:
        """What can be read off the values that few share: the different parts, and that of each person."""
        if not self.scattered:
            return []
        values, of = self._present
        found = []
        for part in parts_of(values):
            words = list(dict.fromkeys(part))
            if 1 < len(words) < len(values):
                place = {word: code for code, word in enumerate(words)}
                found.append((words, np.array([place[word] for word in part], dtype=np.int64)[of]))
        return found

    @cached_property
    def orders(self) -> list[I8]:
        """The places of values that few share, in the hierarchy and by what they say."""
        values, of = self._present
        return [self.leaf.astype(np.int64), order_of(values)[of]] if self.scattered else []

    @cached_property
    def coarse(self) -> list[I8]:
        """What is known of each person in codes that several share: values, else parts of them."""
        few = [part for words, part in self.parts if len(words) <= len(self.leaf) / 10]
        return few[:_PARTS] if self.scattered and few else [self.leaf.astype(np.int64)]


_PARTS = 8  # of one column that are combined with those of another


def _sources(
    table: Table, leaves: I4, known: Sequence[_QuasiIdentifier], columns: Sequence[Column], some: I8
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns that follow, each with the quasi-identifiers that it follows from, as few as possible."""
    left = []
    for column in columns:
        name = follows(column, table, leaves) or _one_source(known, column, column.codes[some])
        if name:
            yield column.name, (name,)
        else:
            left.append(column)
    for names, guess in islice(_together(known), _SETS if left else 0):
        for column in list(left):
            if is_rule(guess, column.codes[some].astype(np.int64), sure_of([column])):
                left.remove(column)
                yield column.name, names


def _one_source(known: Sequence[_QuasiIdentifier], column: Column, cells: I4) -> str | None:
    """The quasi-identifier from parts of whose values, or from whose order, a column follows."""
    codes, sure = cells.astype(np.int64), sure_of([column])
    for one in known:
        equal = (among_equal(part) for _, part in one.parts)
        near = (neighbours(order) for order in one.orders)
        if _reads(one, column, codes, sure) or any(
            is_rule(guess, codes, sure) for guess in chain(equal, near)
        ):
            return one.column.name
    return None


def _together(known: Sequence[_QuasiIdentifier]) -> Iterator[tuple[tuple[str, ...], Guess]]:
    """Ways of guessing from two or three quasi-identifiers."""
    for pair in combinations(known, 2):
        names = tuple(one.column.name for one in pair)
        for both in product(*(one.coarse for one in pair)):
            yield names, among_equal(class_ids(both))
        for one, other in (pair, pair[::-1]):
            for order, codes in product(other.orders, [] if one.scattered else one.coarse):
                yield names, neighbours(order, codes)
    for several in combinations(known, 3):
        yield (
            tuple(one.column.name for one in several),
            among_equal(class_ids([one.leaf for one in several])),
        )


def _tellers(known: Sequence[_QuasiIdentifier], columns: Sequence[Column], some: I8) -> list[Link]:
    """Published columns that tell a quasi-identifier together; one that tells it alone is refused beforehand."""
    told: dict[str, Link] = {}
    sets = chain(combinations(columns, 2), combinations(columns, 3))
    for several in islice(sets, _SETS // max(len(known), 1)):
        given = among_equal(class_ids([column.codes[some] for column in several]))
        for one in known:
            if one.column.name not in told and is_rule(given, one.leaf.astype(np.int64), sure_of(several)):
                names = tuple(column.name for column in several)
                told[one.column.name] = Link((one.column.name,), names, tells=True)
    return list(told.values())


def _reads(known: _QuasiIdentifier, column: Column, codes: I8, sure: float) -> bool:
    """Whether the published cell is itself a part of the known value."""
    place = {spelled(value): code for code, value in enumerate(column.values)}
    blind = int(np.bincount(codes).max())
    if len(codes) - blind < FEW / 2:
        return False
    for words, part in known.parts:
        expected = np.array([place.get(spelled(word), -1) if word else -1 for word in words])[part]
        if (expected == codes).sum() - blind >= sure * (len(codes) - blind):
            return True
    return False


def _sums(table: Table, columns: Sequence[Column], some: I8, done: Container[str]) -> Iterator[Link]:
    """Numbers that add up, at least one of which is known and one published."""
    amounts: dict[str, F8] = {}
    for column in (*table.quasi, *columns):
        read = _amounts(column, some)
        if read is not None and column.name not in done:
            amounts[column.name] = read
    open_columns = [column for column in columns if column.name in amounts]
    quasi = [column.name for column in table.quasi if column.name in amounts]
    sizes = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))
    sets = chain.from_iterable(
        product(combinations(quasi, many), combinations(open_columns, more)) for many, more in sizes
    )
    numbers = _CodedAmounts(amounts)
    bound: list[tuple[set[str], float]] = []
    for known, published in islice(sets, _SETS):
        names = {*known, *(column.name for column in published)}
        within = min((blind for one, blind in bound if one <= names), default=1.0)
        found = _sum(numbers, known, published) if within > 0 else None
        if found is not None and found[1] < within / 2:  # what fewer columns do not show already
            link, blind = found
            bound.append((names, 0.0 if link.sure and link.width <= _NEXT else blind))
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
        self._step = {name: _step(one[np.isfinite(one)]) for name, one in amounts.items()}
        self._spread = {name: _is_spread(one) for name, one in amounts.items()}
        self._counted: dict[tuple[str, float], F8] = {}

    def step(self, names: Sequence[str]) -> float:
        """The coarsest last place of some columns."""
        return max(self._step[name] for name in names)

    def counted(self, names: Sequence[str], step: float, most: int | None = None) -> F8:
        """Columns in steps, float64[columns, people], of those who have all; `_LOG_STEP` asks for logarithms."""
        cells = np.stack([self._one(name, step)[:most] for name in names])
        return np.asarray(cells[:, np.isfinite(cells).all(axis=0)])

    def _one(self, name: str, step: float) -> F8:
        if (name, step) not in self._counted:
            amounts = _logs(self._amounts[name]) if step == _LOG_STEP else self._amounts[name]
            self._counted[name, step] = np.round(amounts / step)
        return self._counted[name, step]

    def are_spread(self, names: Sequence[str]) -> bool:
        """Whether all of some columns are above zero and differ by so much that logarithms say more."""
        return all(self._spread[name] for name in names)


def _logs(amounts: F8) -> F8:
    """Logarithms; of what has none, nan."""
    return np.log(np.where(amounts > 0, amounts, np.nan))


_TIMES = 1.5  # as large is a number, at least, for which its logarithm is looked at, as another


def _is_spread(amounts: F8) -> bool:
    there = amounts[np.isfinite(amounts)]
    if not len(there) or (there > 0).mean() < _SURELY:
        return False
    low, high = np.quantile(there[there > 0], [0.1, 0.9])
    return bool(high >= _TIMES * low)


def _sum(
    numbers: _CodedAmounts, known: tuple[str, ...], published: tuple[Column, ...]
) -> tuple[Link, float] | None:
    """The signs with which some columns, or their logarithms, add up; the share of people whom chance gives as much."""
    shown = tuple(column.name for column in published)
    names, sure = (*shown, *known), sure_of(published)
    ways = [(numbers.step(names), False)]
    if len(names) <= _FACTORS and numbers.are_spread(names):
        ways.append((_LOG_STEP, True))
    best: tuple[Link, float] | None = None
    for step, logs in ways:
        for signs in _likely_signs(numbers.counted(names, step, _SCREENED), len(shown)):
            signed = numbers.counted(names, step) * signs[:, None]
            if signed.shape[1] < FEW:
                continue
            window = _window(signed[: len(shown)].sum(axis=0), signed.sum(axis=0), sure)
            if window is None or (
                best is not None and (best[0].sure, -best[1]) >= (window.sure, -window.blind)
            ):
                continue
            terms = tuple(zip(names, signs.tolist(), strict=True))
            form = (window.least * step, step, window.width, logs, window.sure)
            best = Link(known, shown, False, terms, *form), window.blind
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


def _window(shown: F8, sums: F8, sure: float) -> _Window | None:
    """The narrowest window of sums that is a rule, or else one that many keep; None where neither is."""
    n, shown, sums = len(sums), np.sort(shown), np.sort(sums)
    for share in _SHARES:
        least, width = _narrowest(sums, share)
        right, blind = _most_within(sums, width), _most_within(shown, width)
        wrong = 1 - blind
        narrow = width <= _NEXT or (blind <= _BROAD and _is_beyond(right, blind, n))
        if wrong * n >= FEW and right - blind >= sure * wrong and narrow:
            return _Window(least, width, blind, sure=True)
    least, width = _narrowest(sums, _MANY)
    right, blind = _most_within(sums, width), _most_within(shown, width)
    if (1 - blind) * n >= FEW and blind <= right / 2 and _is_beyond(right, blind, n):
        return _Window(least, width, blind, sure=False)
    return None


def _likely_signs(cells: F8, shown: int) -> Iterator[F8]:
    """The signs with which sums of a few people lie so close together that all people are worth looking at."""
    ways = np.array([(1, *more) for more in product((1, -1), repeat=len(cells) - 1)])
    if not cells.shape[1]:
        return
    sums, alone = np.sort(ways @ cells, axis=1), np.sort(ways[:, :shown] @ cells[:shown], axis=1)
    for signs, total, published in zip(ways, sums, alone, strict=True):
        _, width = _narrowest(total, _MANY - 0.05)
        if _most_within(published, width) <= _BROAD + 0.1 or _narrowest(total, _SURELY - 0.03)[1] <= _NEXT:
            yield signs


def _is_beyond(right: float, blind: float, n: int) -> bool:
    """Whether so many people more keep a window than chance puts there."""
    return bool((right - blind) * n >= _BEYOND * max((blind * (1 - blind) * n) ** 0.5, 1.0))


def _narrowest(numbers: F8, share: float) -> tuple[float, int]:
    """Of rising whole numbers, the narrowest window that holds such a share: its lowest number, and its width."""
    many = max(int(np.ceil(share * len(numbers) - 1e-9)), 1)
    spans = numbers[many - 1 :] - numbers[: len(numbers) - many + 1]
    first = int(spans.argmin())
    return float(numbers[first]), int(spans[first]) + 1


def _most_within(numbers: F8, width: int) -> float:
    """Of rising whole numbers, the largest share that lies in a window of a width."""
    ends = np.searchsorted(numbers, numbers + (width - 1), side="right")
    return float((ends - np.arange(len(numbers))).max() / len(numbers))


def _amounts(column: Column, rows: I8) -> F8 | None:
    there, of = np.unique(column.codes[rows], return_inverse=True)
    read = numbers_of([column.values[code] for code in there.tolist()])
    return None if read is None else read[of.reshape(-1)]


def _step(numbers: F8) -> float:
    """The last place to which numbers are given: 1, 0.1, 0.01 or 0.001."""
    return next((step for step in (1.0, 0.1, 0.01) if _whole(numbers / step).all()), 0.001)


def _whole(numbers: F8) -> B1:
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


def item_rules(baskets: Baskets, columns: Sequence[Column], secret: Sequence[int] = ()) -> list[ItemRule]:
    """The columns that follow from an item; nobody knows those items that are `secret`."""
    person = row_of_entry(baskets.start)
    open_items = ~np.isin(baskets.items, np.asarray(secret, dtype=np.int64))
    person, items = person[open_items], baskets.items[open_items].astype(np.int64)
    rules = (_rule(column, person, items, len(baskets.values)) for column in columns)
    return [rule for rule in rules if len(rule.items)]


def _rule(column: Column, person: I8, items: I8, width: int) -> ItemRule:
    values, n, sure = len(column.values), len(column.codes), sure_of([column])
    people, held = np.bincount(column.codes, minlength=values), np.bincount(items, minlength=width)
    pairs, both = np.unique(items * values + column.codes[person], return_counts=True)
    item, value = pairs // values, pairs % values
    one = (_gain(both, held[item], people[value], n) >= sure) & (held[item] > 1)
    chance = np.where(one, _chance(both, held[item], people[value], n), 1.0)
    most = 2 * both > people[value]  # the values whose holders hold the item, as far as one guesses
    with_it = np.bincount(item[most], both[most], width).astype(np.int64)
    of_them = np.bincount(item[most], people[value[most]], width).astype(np.int64)
    wrong, blind = held - with_it + of_them - with_it, np.minimum(held, n - held)
    several = (blind > 1) & (blind - wrong >= sure * blind) & (of_them < n)
    by_set = np.where(several, _chance(with_it, held, of_them, n), 1.0)
    limit = _limit(np.concatenate([chance, by_set]), len(pairs) + width)
    many = held >= _least_held(np.unique(item[one]), held, people, n, sure)
    found = (((chance <= limit) | many[item]) & one) | (((by_set <= limit) & several)[item] & most)
    return ItemRule(column, item[found], value[found])


def _least_held(telling: I8, held: I8, people: I8, n: int, sure: float) -> int:
    """How many people must hold an item so that, of the items so common that seem to tell, few do so by chance."""
    sizes, of = np.unique(held, return_inverse=True)
    base = people[None, :] / n
    needed = np.ceil(sizes[:, None] * (base + sure * (1 - base)) - 1e-9).astype(np.int64)
    wide = np.broadcast_to(sizes[:, None], needed.shape)
    alike = _chance(needed, wide, np.broadcast_to(people[None, :], needed.shape), n).sum(axis=1)
    for place in np.flatnonzero(sizes > 1):
        among = int((held[telling] >= sizes[place]).sum())
        by_chance = float(np.minimum(alike, 1.0)[of[held >= sizes[place]]].sum())
        if among >= _SEVERAL and by_chance <= _SHARE * among:
            return int(sizes[place])
    return n + 1


def _gain(both: I8, held: I8, people: I8, n: int) -> F8:
    """The share of wrong guesses that knowing an item avoids, of one value of a column."""
    base = people / n
    return np.asarray((both / held - base) / np.maximum(1 - base, 1 / (2 * n)))


def _chance(both: I8, held: I8, people: I8, n: int) -> F8:
    """At most how likely so many of the holders of an item have a value by chance: a hypergeometric tail."""
    more = np.minimum(held, people) - both + 1
    logs = _choose(people, both) + _choose(n - people, held - both) - _choose(np.full_like(held, n), held)
    return np.asarray(np.minimum(more * np.exp(logs), 1.0))


def _choose(n: I8, k: I8) -> F8:
    """The logarithm of n over k."""
    log = scipy.special.gammaln
    return np.asarray(np.where((k >= 0) & (k <= n), log(n + 1.0) - log(k + 1.0) - log(n - k + 1.0), -np.inf))


def _limit(chances: F8, tried: int) -> float:
    """The highest chance that is still taken for a rule."""
    line = np.sort(chances)
    under = line <= _CHANCE * np.arange(1, len(line) + 1) / max(tried, 1)
    return float(line[under][-1]) if under.any() else -1.0


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
        kept = np.isin(forms.leaves, item)
        pairs = np.unique(
            np.stack([forms.leaves[kept], self.sets[row_of_entry(forms.start)[kept]]], axis=1), axis=0
        )
        first, last = (np.searchsorted(pairs[:, 0], item, side=side) for side in ("left", "right"))
        place = np.repeat(np.arange(len(item)), last - first)
        own = pairs[concatenate_ranges(first, last - first), 1].astype(np.int64)
        width = len(self.sets)
        there = np.isin(row[place] * width + own, self.row * width + self.form)
        return place[there], own[there]

    def alike(self, rules: Sequence[ItemRule], kind: I8, value: I8, told: I8, item: I8, own: I8) -> I8:
        """How many rows of a row's kind publish the form of a telling item and one of the values that it tells."""
        if len(rules) != 1:
            return _times(value[self.row], self.form, value[told], own)
        (rule,) = rules
        codes, width = rule.column.codes[self.release.rows].astype(np.int64), len(rule.column.values)
        first, last = (np.searchsorted(rule.items, item, side=side) for side in ("left", "right"))
        place = np.repeat(np.arange(len(item)), last - first)
        asked = kind[told][place] * width + rule.values[concatenate_ranges(first, last - first)]
        many = _times(kind[self.row] * width + codes[self.row], self.form, asked, own[place])
        return np.bincount(place, many, len(item)).astype(np.int64)


def rows_left(
    rules: Sequence[ItemRule], held: ItemSources, kind: I8, m: int, secret: Sequence[int] = ()
) -> I8:
    """For each released row, the fewest rows that whoever knows up to m items of its person is left with.

    `kind` numbers the rows by what else is known; without a rule, items are looked at beside that alone. Of further
    items one is looked at, where pairs are not too many. Where no item tells a column rightly, all rows are left.
    """
    release, rows = held.release, held.release.rows
    least = np.full(len(rows), len(rows) + 1, dtype=np.int64)
    for some in _subsets(rules, len(held.baskets.values)):
        told, item = _told(some, held.baskets, rows, secret)
        place, own = held.own_forms(told, item)
        told, item = told[place], item[place]
        value = class_ids([kind, *(rule.column.codes[rows] for rule in some)])
        np.minimum.at(least, told, held.alike(some, kind, value, told, item, own))
        if m > 1:
            np.minimum.at(least, *_with_another(value, held.row, held.form, told, own, release.start))
    return least


def _subsets(rules: Sequence[ItemRule], width: int) -> list[tuple[ItemRule, ...]]:
    """Each rule alone, and all those together that some item makes known together; none where there is none."""
    if not rules:
        return [()]
    of = np.stack([np.isin(np.arange(width), rule.items) for rule in rules])
    found: set[tuple[int, ...]] = {(place,) for place in range(len(rules))}
    found |= {tuple(np.flatnonzero(line).tolist()) for line in np.unique(of.T, axis=0) if line.any()}
    return [tuple(rules[place] for place in some) for some in sorted(found)]


def _told(rules: Sequence[ItemRule], baskets: Baskets, rows: I8, secret: Sequence[int]) -> tuple[I8, I8]:
    """Released rows, and known items of their persons that tell all columns of some rules rightly."""
    size = baskets.start[rows + 1] - baskets.start[rows]
    row = np.repeat(np.arange(len(rows)), size)
    item = baskets.items[concatenate_ranges(baskets.start[rows], size)].astype(np.int64)
    right = ~np.isin(item, np.asarray(secret, dtype=np.int64))
    for rule in rules:
        right &= rule.expected(item, rule.column.codes[rows[row]].astype(np.int64))
    return row[right], item[right]


def _with_another(value: I8, row: I8, form: I8, told: I8, own: I8, start: I8) -> tuple[I8, I8]:
    """How many rows with the same values publish the form of a telling item and one more form of the row."""
    telling = np.isin(form, own)
    size = np.diff(start)[row[telling]]
    if not len(told) or size.sum() > _PAIRS:
        return told[:0], told[:0]
    beside = form[concatenate_ranges(start[row[telling]], size)]
    of, one = np.repeat(row[telling], size), np.repeat(form[telling], size)
    width = int(form.max(initial=0)) + 1
    line = np.isin(of * width + one, told * width + own)
    pair = one * width + beside
    return of[line], _times(value[of], pair, value[of[line]], pair[line])


def _times(first: I8, second: I8, asked: I8, beside: I8) -> I8:
    """How often two numbers stand together, for each pair that is asked for."""
    both = class_ids([np.concatenate([first, asked]), np.concatenate([second, beside])])
    counts = np.bincount(both[: len(first)], minlength=int(both.max(initial=-1)) + 1)
    return np.asarray(counts[both[len(first) :]])
