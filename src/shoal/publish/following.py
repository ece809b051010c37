"""What follows from what: published columns that whoever knows quasi-identifiers knows too, or that tell these.

Whoever knows a person's quasi-identifiers knows a published column of that person too where a rule leads from one to
the other. A rule is looked for in the data, in up to three quasi-identifiers and up to three published columns:

- *equal values*: people who share them share the column too. Each person is guessed from the others (a guess from the
  person's own cell would always be right), and the share of wrong guesses that is avoided is Goodman and Kruskal's
  lambda;
- *parts of a value* that anybody can read off it (the month of a date, the beginning of a code) take the place of
  values that nobody shares;
- *neighbours*: the column keeps its value over intervals of an ordered quasi-identifier, as a region does over zip
  codes;
- *sums*: numbers, or years of dates, that add up to one number or the next, as visit year less age is the birth year.

What could be chance is no rule: the same cells, dealt out anew at random, must be guessed far worse.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, islice, product

import numpy as np

from shoal.attacks.view_table import Dependency
from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8, times
from shoal.discreet import Discreet
from shoal.publish.association import (
    FEW,
    Guess,
    among_equal,
    amounts_of,
    is_rule,
    lambda_of,
    neighbours,
    numbers_of,
    order_of,
    parts_of,
    spelled,
)
from shoal.utility import class_ids

__all__ = ["SURE", "Link", "follows", "links", "sure_of"]

SURE = 0.8
"""The share of wrong guesses that a rule avoids."""

_SURELY = 0.95  # likewise of a sensitive column: it may well go along with quasi-identifiers
_PEOPLE = 4_000  # in whom rules of several columns, or of parts of values, are looked for
_SETS = 1_500  # sets of columns that are tried
_UNSHARED = 0.05  # of the people hold a value that nobody else holds


@dataclass(frozen=True, slots=True, repr=False)
class Link(Discreet):
    """Published columns that are bound to quasi-identifiers by a rule.

    known : the quasi-identifiers
    shown : the published columns
    tells : whether `shown` together tell the one in `known`; else the one in `shown` follows from `known` together
    terms : of a sum, every column and its sign; the sum is `least` or one `step` more
    """

    known: tuple[str, ...]
    shown: tuple[str, ...]
    tells: bool = False
    terms: tuple[tuple[str, int], ...] = ()
    least: float = 0.0
    step: float = 1.0

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
            return Dependency(codes, codes, every, every, exact=True)
        known, shown = (
            sum((_steps(table.column(name), sign, self.step) for name, sign in self.terms if name in part))
            for part in (self.known, self.shown)
        )
        low = np.round(self.least / self.step) - known
        told, wanted = (np.nan_to_num(one).astype(np.int64) for one in (shown, low))
        return Dependency(told, wanted, np.isfinite(shown), np.isfinite(low), exact=False)


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
        shared = times(leaf, table.counts)[leaf] > 1
        counts = None if table.counts is None else table.counts[shared]
        if lambda_of(cells[shared], leaf[shared], counts) < sure:
            continue
        together = np.flatnonzero(shared)[np.argsort(leaf[shared], kind="stable")][:_PEOPLE]
        plainly = column.role != "sensitive" and 2 * shared.sum() >= len(shared)
        if plainly or is_rule(among_equal(leaf[together]), cells[together].astype(np.int64), sure):
            return quasi.name
    return None


def links(table: Table, leaves: I4, columns: Sequence[Column]) -> list[Link]:
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
    return [*found, *_tellers(known, columns, some), *_sums(table, columns, some, by)]


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
    bound: list[set[str]] = []
    sizes = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))
    sets = chain.from_iterable(
        product(combinations(quasi, many), combinations(open_columns, more)) for many, more in sizes
    )
    for known, published in islice(sets, _SETS):
        names = (*known, *(column.name for column in published))
        if any(one <= set(names) for one in bound):
            continue
        link = _sum(amounts, known, published)
        if link is not None:
            bound.append(set(names))
            yield link


def _sum(amounts: dict[str, F8], known: tuple[str, ...], published: tuple[Column, ...]) -> Link | None:
    """The signs with which some columns add up to one number or the next."""
    shown = tuple(column.name for column in published)
    names, sure = (*shown, *known), sure_of(published)
    there = np.isfinite(np.stack([amounts[name] for name in names])).all(axis=0)
    if there.sum() < FEW:
        return None
    numbers = {name: amounts[name][there] for name in names}
    step = max(_step(one) for one in numbers.values())
    for more in product((1, -1), repeat=len(names) - 1):
        signs = dict(zip(names, (1, *more), strict=True))
        blind, _ = _window([signs[name] * numbers[name] for name in shown], step)
        right, least = _window([signs[name] * numbers[name] for name in names], step)
        wrong = 1 - blind
        if wrong * there.sum() >= FEW and right >= _SURELY and right - blind >= sure * wrong:
            return Link(known, shown, terms=tuple(signs.items()), least=least, step=step)
    return None


def _window(numbers: Sequence[F8], step: float) -> tuple[float, float]:
    """The highest share of sums that are some number or the next, and that number."""
    sums, many = np.unique(sum(np.round(one / step) for one in numbers), return_counts=True)
    next_one = np.r_[(np.diff(sums) == 1) * many[1:], 0]
    best = int((many + next_one).argmax())
    return float((many + next_one)[best] / many.sum()), float(sums[best] * step)


def _amounts(column: Column, rows: I8) -> F8 | None:
    there, of = np.unique(column.codes[rows], return_inverse=True)
    read = numbers_of([column.values[code] for code in there.tolist()])
    return None if read is None else read[of.reshape(-1)]


def _steps(column: Column, sign: int, step: float) -> F8:
    """A column as so many steps each; what is no number is nan."""
    return sign * np.round(amounts_of(column.values) / step)[column.codes]


def _step(numbers: F8) -> float:
    """The last place to which numbers are given: 1, 0.1, 0.01 or 0.001."""
    return next((step for step in (1.0, 0.1, 0.01) if _whole(numbers / step).all()), 0.001)


def _whole(numbers: F8) -> B1:
    return np.asarray(np.abs(numbers - np.round(numbers)) < 1e-6)
