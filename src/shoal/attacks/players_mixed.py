"""The attackers of a released table with baskets: all quasi-identifiers, and some items of the basket."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from shoal.attacks import players_table
from shoal.attacks.background import Lists, bits_of, fits
from shoal.attacks.engine import ABSENCES, Absences, chances_by_absences, draw_people
from shoal.attacks.result import Outcome
from shoal.attacks.view_table import Dependency, TableView, fitting_classes
from shoal.data.lists import owners, take
from shoal.data.types import B1, I4, I8, U8
from shoal.discreet import Discreet
from shoal.release import Claim

__all__ = ["ABSENT", "MIXED_PLAYERS", "MixedView", "play_mixed"]

_ENTRIES = 1_000_000_000  # published items that are compared with what is known: some seconds
_PEOPLE = 5_000  # who are played at most, for each takes a little time
_CHOICES = 2_000  # choices of items per person; of more, so many are drawn


@dataclass(frozen=True, repr=False)
class MixedView(Discreet):
    """A released table with baskets beside its originals.

    table          : the part that is a table
    start, items   : int64[n + 1], int32: the items of each record
    shown, entries : int64[rows + 1], int32: what each released row publishes of its basket
    covers         : bool[entries, items]: whether a published item stands for an item
    sensitive      : the items that are sensitive
    left_out       : whether items were left out of released rows
    absent         : the items, and the groups of items, that people may be known not to have, by that word
    follows        : what follows from items in other published columns, as somebody found out: for each item of each
                     record the place of a list, -1 where nothing does; and the lists, of the rows that show it
    """

    table: TableView
    start: I8
    items: I4
    shown: I8
    entries: I4
    covers: B1
    sensitive: frozenset[int] = frozenset()
    left_out: bool = False
    absent: Mapping[str, Absences] = field(default_factory=dict)
    follows: tuple[I8, Lists] | None = None

    @cached_property
    def rows(self) -> tuple[I8, I8]:
        """The released rows of each class: where each class begins, and the rows, class by class."""
        order = np.argsort(self.table.of_row, kind="stable")
        return np.r_[0, np.cumsum(self.table.size)], order

    @cached_property
    def sizes(self) -> tuple[I8, I8]:
        """For each released row, how many items its basket has at least and at most."""
        width = np.r_[0, np.cumsum(self.covers.sum(axis=1)[self.entries])]
        return np.diff(self.shown), width[self.shown[1:]] - width[self.shown[:-1]]

    @cached_property
    def showing(self) -> U8:
        """For each list of `follows`, its rows as bits."""
        start, rows = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        if self.follows is not None:
            start, rows = self.follows[1]
        return bits_of(rows, owners(start), len(start) - 1, len(self.shown) - 1)

    @cached_property
    def rules(self) -> list[tuple[Dependency, Dependency]]:
        """What follows from quasi-identifiers, by record, and the same by released row."""
        there = np.flatnonzero(self.table.own >= 0)
        record = np.zeros(len(self.shown) - 1, dtype=np.int64)
        record[self.table.own[there]] = there
        return [(rule, rule.some(record)) for rule in self.table.rules]


def play_mixed(
    seat: MixedView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play every attacker of a table with baskets that these data and this claim have a place for.

    Parameters
    ----------
    seat
        The release beside its originals.
    claim
        What the release claims; attackers inside it get their bounds from it.
    most
        How many people are played at most, drawn evenly; None means as many as some seconds allow.
    rng
        Who is drawn, and which items where there are very many choices; None means randomness of the operating system.
    """
    of_table = players_table.play_table(seat.table, claim, most=most, rng=rng)
    yield from (found for found in of_table if found.name not in MIXED_PLAYERS)
    stated = next(part.as_dict() for part in claim.parts if "m" in part.as_dict())
    game = _MixedGame(seat, stated, rng or np.random.default_rng())
    records = draw_people(len(seat.table.own), min(_affordable(seat), most or _PEOPLE), rng)
    turns = {
        name: (play, words)
        for name, (tell, play) in MIXED_PLAYERS.items()
        if (words := tell(game)) is not None
    }
    found = {name: np.zeros((2, len(records))) for name in turns}
    fitting_rows = [np.zeros(0, dtype=np.int64)] * len(records)
    for place, person in game.persons(records):
        fitting_rows[place] = game.fitting(person)
        for name, (play, _) in turns.items():
            found[name][:, place] = play(game, person)
    for name, (_, (sentence, bound)) in turns.items():
        chances, top = found[name]
        upper = None if (chances == top).all() else top
        yield Outcome(name, bound is not None, bound, chances, len(seat.table.own), sentence, most=upper)
    yield from _absences(game, records, fitting_rows)


def _absences(game: "_MixedGame", records: I8, rows: list[I8]) -> Iterator[Outcome]:
    """Play whoever also knows what a person does not have; `rows` fit what else is known of each of the records."""
    for kind, absent in game.seat.absent.items():
        for many, chances in enumerate(chances_by_absences(absent, records, rows, game.rng), 1):
            sentence = (
                f"{_KNOWS}, any {game.m} {game.kind} and {_LACKING[kind, many > 1].format(many)} {_GUESSES}"
            )
            everybody = len(game.seat.table.own)
            yield Outcome(f"absent-{kind}-{many}", False, None, chances, everybody, sentence)


def _affordable(seat: MixedView) -> int:
    """How many people can be played in some seconds, by the rows that fit a few of them."""
    few = draw_people(len(seat.table.own), 64)
    crowd = sum(int(seat.table.size[which].sum()) for _, _, which in fitting_classes(seat.table, few)) / max(
        len(few), 1
    )
    per_row = len(seat.entries) / max(len(seat.shown) - 1, 1)
    per_person = max(len(seat.items) / max(len(seat.table.own), 1), 1)
    return max(min(int(_ENTRIES / max(crowd * per_row * per_person, 1)), _PEOPLE), 100)


Turn = tuple[float, float]
"""The chance of one person, and the highest that it may be where not every choice of items was tried."""


@dataclass(frozen=True)
class _MixedGame:
    """The release, what is claimed of it, and how choices are drawn."""

    seat: MixedView
    claim: Mapping[str, Any]
    rng: np.random.Generator

    @property
    def k(self) -> int:
        return int(self.claim["k"])

    @property
    def m(self) -> int:
        return int(self.claim["m"])

    @cached_property
    def secret(self) -> B1:
        """bool[items]: the sensitive items."""
        found = np.zeros(self.seat.covers.shape[1], dtype=bool)
        found[list(self.seat.sensitive)] = True
        return found

    @property
    def exempts(self) -> bool:
        """Whether the claim counts only items that are not sensitive."""
        return "l" in self.claim

    @property
    def kind(self) -> str:
        """The items that the claim counts, in words."""
        return "items that are not sensitive" if self.exempts else "items"

    def counted(self, person: "_MixedPerson") -> B1:
        """bool[items, rows]: which rows fit each item of the person that the claim counts."""
        return person.held[~self.secret[person.basket]] if self.exempts else person.held

    def entries(self, person: "_MixedPerson") -> I4:
        """What the person's own row publishes of its basket, as far as the claim counts it."""
        entries = person.entries
        if self.exempts:
            entries = entries[~self.seat.covers[entries][:, self.secret].any(axis=1)]
        return entries

    def fitting(self, person: "_MixedPerson") -> I8:
        """The rows that fit the person's quasi-identifiers and those m items that leave fewest."""
        held = self.counted(person)
        picked, _ = _rarest(held, self.m, self.rng)
        return person.rows[held[picked].all(axis=0)]

    def persons(self, records: I8) -> Iterator[tuple[int, "_MixedPerson"]]:
        """Those of some records that were not suppressed, each with the rows that fit its quasi-identifiers."""
        seat, table = self.seat, self.seat.table
        begin, by_class = seat.rows
        for some, who, which in fitting_classes(table, records):
            cuts = np.searchsorted(who, np.arange(some.stop - some.start + 1))
            for place, record in enumerate(records[some].tolist()):
                own = int(table.own[record])
                fits = which[cuts[place] : cuts[place + 1]]
                if own < 0 or table.of_row[own] not in fits:
                    continue
                rows = np.concatenate([by_class[begin[c] : begin[c + 1]] for c in fits.tolist()])
                yield some.start + place, _MixedPerson(seat, record, own, rows)


@dataclass(frozen=True)
class _MixedPerson:
    """A record, its own released row, and all rows that fit its quasi-identifiers."""

    seat: MixedView
    record: int
    own: int
    rows: I8

    @cached_property
    def basket(self) -> I4:
        """The items of the record that its own row publishes in some form; the others help nobody."""
        items = self.seat.items[self.seat.start[self.record] : self.seat.start[self.record + 1]]
        return items[self.seat.covers[self.entries][:, items].any(axis=0)]

    @property
    def entries(self) -> I4:
        """What the record's own row publishes of its basket."""
        return self.seat.entries[self.seat.shown[self.own] : self.seat.shown[self.own + 1]]

    @cached_property
    def held(self) -> B1:
        """bool[items, rows]: which rows publish something that stands for each item of the basket."""
        start, entries = take(self.seat.shown, self.seat.entries, self.rows)
        held = np.zeros((len(self.basket), len(self.rows)), dtype=bool)
        item, entry = np.nonzero(self.seat.covers[entries][:, self.basket].T)
        held[item, owners(start)[entry]] = True
        return held


def _m_items(game: _MixedGame, person: _MixedPerson) -> Turn:
    return _some_items(game, person, game.m)


def _one_more_item(game: _MixedGame, person: _MixedPerson) -> Turn:
    return _some_items(game, person, game.m + 1)


def _some_items(game: _MixedGame, person: _MixedPerson, many: int) -> Turn:
    """Whoever also knows the items that the claim counts, up to `many` of them, that leave fewest rows."""
    fewest, least = fewest_rows(game.counted(person), many, game.rng)
    return 1 / fewest, 1 / least


def _sensitive_item(game: _MixedGame, person: _MixedPerson) -> Turn:
    held = person.held[game.secret[person.basket]]
    chance = 1 / fewest_rows(held, 1, game.rng)[0]
    return chance, chance


def _whole_basket(game: _MixedGame, person: _MixedPerson) -> Turn:
    chance = 1 / int(person.held.all(axis=0).sum())
    return chance, chance


def fewest_rows(held: B1, many: int, rng: np.random.Generator) -> tuple[int, int]:
    """The fewest rows that hold some `many` of the items, and a number that it cannot be below.

    `held` is bool[items, rows]. All choices are tried, or a random part of very many; then both numbers may differ.

    >>> held = np.array([[True, True, True, False], [True, False, True, True], [True, True, False, True]])
    >>> fewest_rows(held, 2, np.random.default_rng(1)), fewest_rows(held, 3, np.random.default_rng(1))
    ((2, 2), (1, 1))
    """
    picked, least = _rarest(held, many, rng)
    return int(held[picked].all(axis=0).sum()), least


def _rarest(held: B1, many: int, rng: np.random.Generator) -> tuple[list[int], int]:
    """The choice of up to `many` items that the fewest rows hold, and a number that no choice can be below."""
    items = len(held)
    least = None
    if items <= many:
        choices = [tuple(range(items))]
    elif many == 1:
        choices = [(int(held.sum(axis=1).argmin()),)]
    elif many == 2:
        numbers = held.astype(np.float32)
        choices = [divmod(int((numbers @ numbers.T).argmin()), items)]
    elif comb(items, many) <= _CHOICES:
        choices = list(combinations(range(items), many))
    else:
        choices = [tuple(rng.choice(items, many, replace=False)) for _ in range(_CHOICES)]
        least = int(held.all(axis=0).sum())
    left = [int(held[list(some)].all(axis=0).sum()) for some in choices]
    best = int(np.argmin(left))
    return list(choices[best]), left[best] if least is None else least


def _record_size(game: _MixedGame, person: _MixedPerson) -> Turn:
    seat = game.seat
    size = int(seat.start[person.record + 1] - seat.start[person.record])
    fewest, most = seat.sizes
    fits = fewest[person.rows] <= size
    if not seat.left_out:
        fits &= size <= most[person.rows]
    if not fits[person.rows == person.own].all():
        return 0.0, 0.0
    left, least = fewest_rows(game.counted(person)[:, fits], game.m, game.rng)
    return 1 / left, 1 / least


def _own_class_m_items(game: _MixedGame, person: _MixedPerson) -> Turn:
    _, held = _own_class(game, person)
    fewest, least = fewest_rows(held, game.m, game.rng)
    return 1 / fewest, 1 / least


def _own_class(game: _MixedGame, person: _MixedPerson) -> tuple[B1, B1]:
    """The rows that look like the person's own by their table, and which of them publish the same items.

    Returns
    -------
    alike : bool[rows]
        Those of the rows that fit.
    held : bool[entries, alike]
        For each item as the person's own row publishes it, if the claim counts it.
    """
    seat, entries = game.seat, game.entries(person)
    alike = seat.table.of_row[person.rows] == seat.table.of_row[person.own]
    start, shown = take(seat.shown, seat.entries, person.rows[alike])
    held = np.zeros((len(entries), int(alike.sum())), dtype=bool)
    entry, place = np.nonzero(entries[:, None] == shown[None, :])
    held[entry, owners(start)[place]] = True
    return alike, held


def _columns_that_follow(game: _MixedGame, person: _MixedPerson) -> Turn:
    """The most that quasi-identifiers and up to m items tell by rules: rows of the own class that show all of it."""
    alike, held = _own_class(game, person)
    rows = person.rows[alike]
    lines = np.concatenate([held, _told_by_items(game, person, rows, held)])
    shown = [_expected(rule, person, rows) for rule in game.seat.rules]
    right = [line for line in shown if line[rows == person.own].all()]  # a person may break a rule
    none = np.ones(len(rows), dtype=bool)
    chances = []
    for some in (
        none,
        *right,
        np.logical_and.reduce([none, *right]),
    ):  # no rule of quasi-identifiers, one, or all
        fewest, least = fewest_rows(lines[:, some], game.m, game.rng)
        chances.append((1 / fewest, 1 / least))
    success, most = np.max(chances, axis=0).tolist()
    return success, most


def _expected(rule: tuple[Dependency, Dependency], person: _MixedPerson, rows: I8) -> B1:
    """Which rows show what a rule of quasi-identifiers expects of a person."""
    of_records, of_rows = rule
    over = of_rows.shown[rows] - of_records.low[person.record]
    shows = of_rows.shows[rows] & of_records.known[person.record]
    return np.asarray(shows & (over >= 0) & (over <= (not of_records.exact)))


def _told_by_items(game: _MixedGame, person: _MixedPerson, rows: I8, held: B1) -> B1:
    """For each item of a person that tells a column, and each form of it: which rows have that form and show it.

    `held` says which of the rows publish each entry of the person's own one that the claim counts.
    """
    seat = game.seat
    if seat.follows is None:
        return held[:0]
    mine = slice(seat.start[person.record], seat.start[person.record + 1])
    items, place = seat.items[mine], seat.follows[0][mine]
    open_items = (place >= 0) & ~(game.secret[items] & game.exempts)
    item, entry = np.nonzero(seat.covers[game.entries(person)][:, items[open_items]].T)
    found = held[entry] & fits(seat.showing, place[open_items][item][:, None], rows[None, :])
    return np.asarray(found[found[:, rows == person.own].all(axis=1)])


def _sensitive_items_within_l(game: _MixedGame, person: _MixedPerson) -> Turn:
    """The highest share of a sensitive item of the person among rows of the class with up to m of its other items."""
    alike, held = _own_class(game, person)
    hidden = person.held[game.secret[person.basket]][:, alike]
    if not len(hidden):
        return 0.0, 0.0
    choices = [some for size in range(game.m + 1) for some in combinations(range(len(held)), size)]
    tried = choices
    if len(choices) > _CHOICES:
        tried = [choices[place] for place in game.rng.choice(len(choices), _CHOICES, replace=False)]
    highest = max(_share(hidden, np.logical_and.reduce(held[list(some)])) for some in tried)
    return highest, highest if tried is choices else 1.0


def _share(hidden: B1, rows: B1) -> float:
    return float((hidden & rows).sum(axis=1).max() / rows.sum())


Words = tuple[str, float | None]
"""What an attacker does, and the highest chance that the claim allows, None beyond it."""


def _say_m_items(game: _MixedGame) -> Words | None:
    return f"{_KNOWS} and any {game.m} {game.kind} {_GUESSES}", 1 / game.k


def _say_own_class(game: _MixedGame) -> Words | None:
    return (
        f"{_ALIKE} and in which form any {game.m} {game.kind} were published, guesses among these",
        1 / game.k,
    )


def _say_follows(game: _MixedGame) -> Words | None:
    if not game.seat.table.rules and game.seat.follows is None:
        return None
    return (
        f"{_ALIKE} in which form any {game.m} {game.kind} were published, and what follows from all these in other "
        "published columns, guesses among the rows that show it",
        None,
    )


def _say_within_l(game: _MixedGame) -> Words | None:
    if not game.exempts:
        return None
    shares = "gives each sensitive item of that person the share of rows that hold it"
    return f"{_KNOWS} and any {game.m} {game.kind} {shares}", 1 / int(game.claim["l"])


def _say_one_more(game: _MixedGame) -> Words | None:
    return f"{_KNOWS} and any {game.m + 1} {game.kind} {_GUESSES}", None


def _say_sensitive(game: _MixedGame) -> Words | None:
    return (f"{_KNOWS} and any one sensitive item {_GUESSES}", None) if game.seat.sensitive else None


def _say_whole(game: _MixedGame) -> Words | None:
    return f"{_KNOWS} and the whole basket {_GUESSES}", None


def _say_size(game: _MixedGame) -> Words | None:
    return f"{_KNOWS}, any {game.m} {game.kind} and how many items the basket has {_GUESSES}", None


_KNOWS = "whoever knows all quasi-identifiers of a person"
_ALIKE = (
    "whoever knows the quasi-identifiers of everybody, and so may tell which rows look like a person's own,"
)
_GUESSES = "guesses which row is that person's"
_LACKING = {
    ("items", False): "an item that the person does not have",
    ("items", True): "{} items that the person does not have",
    ("groups", False): "a group of items of which the person has none",
    ("groups", True): "{} groups of items of which the person has none",
}

ABSENT = tuple(f"absent-{kind}-{many}" for kind in ("items", "groups") for many in range(1, ABSENCES + 1))
"""The attackers who also know what a person does not have, by name."""

MIXED_PLAYERS: dict[
    str, tuple[Callable[[_MixedGame], Words | None], Callable[[_MixedGame, _MixedPerson], Turn]]
] = {
    "m-items": (_say_m_items, _m_items),
    "own-class-m-items": (_say_own_class, _own_class_m_items),
    "sensitive-items-within-l": (_say_within_l, _sensitive_items_within_l),
    "one-more-item": (_say_one_more, _one_more_item),
    "sensitive-item": (_say_sensitive, _sensitive_item),
    "whole-basket": (_say_whole, _whole_basket),
    "record-size": (_say_size, _record_size),
    "columns-that-follow": (_say_follows, _columns_that_follow),
}
"""The attackers of a table with baskets, beside or instead of its table's: what each does, and a turn."""
