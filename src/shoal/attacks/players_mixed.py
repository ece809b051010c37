"""The attackers of a released table with baskets: all quasi-identifiers, and some items of the basket."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import comb

import numpy as np

from shoal.attacks.background import check_fits
from shoal.attacks.engine import (
    Chances,
    Game,
    Player,
    absence_players,
    count_after_absences,
    draw_people,
    no_bound,
    play_all,
)
from shoal.attacks.players_table import play_table
from shoal.attacks.result import Outcome
from shoal.attacks.view_items import MixedView
from shoal.attacks.view_table import Dependency, find_fitting_classes
from shoal.data.arrays import B1, I4, I8, row_of_entry, take_rows
from shoal.release import Claim

__all__ = ["MIXED_PLAYERS", "play_mixed"]

_ENTRIES = 1_000_000_000  # published items that are compared with what is known: some seconds
_PEOPLE = 5_000  # who are played at most, for each takes a little time
_CHOICES = 2_000  # choices of items per person; of more, so many are drawn


def play_mixed(
    view: MixedView,
    claim: Claim,
    *,
    crowd: I8 | None = None,
    most: int | None = None,
    rng: np.random.Generator | None = None,
) -> Iterator[Outcome]:
    """Play every attacker of a table with baskets that these data and this claim have a place for; see `play_table`.

    `crowd`, int64[rows], is how few rows of its class share some m forms with each row, where somebody counted that.
    `rng` also draws which items are known where there are very many choices.
    """
    of_table = play_table(view.table, claim, most=most, rng=rng)
    own_names = {player.name for player in MIXED_PLAYERS}
    yield from (outcome for outcome in of_table if outcome.name not in own_names)
    claim_facts = next(part.as_dict() for part in claim.parts if "m" in part.as_dict())
    records = draw_people(len(view.table.own), min(_count_affordable_people(view), most or _PEOPLE), rng)
    rng = rng or np.random.default_rng()
    game = _MixedGame(view=view, claim=claim_facts, rng=rng, crowd=crowd, records=records)
    yield from play_all(MIXED_PLAYERS, game)


def _count_affordable_people(view: MixedView) -> int:
    """How many people can be played in some seconds, by the rows that fit a few of them."""
    sample = draw_people(len(view.table.own), 64)
    crowd = sum(
        int(view.table.size[class_ids].sum()) for _, _, class_ids in find_fitting_classes(view.table, sample)
    ) / max(len(sample), 1)
    per_row = len(view.entries) / max(len(view.shown) - 1, 1)
    per_person = max(len(view.items) / max(len(view.table.own), 1), 1)
    return max(min(int(_ENTRIES / max(crowd * per_row * per_person, 1)), _PEOPLE), 100)


Turn = tuple[float, float]
"""The chance of one person, and the highest that it may be where not every choice of items was tried."""


@dataclass(frozen=True, kw_only=True)
class _MixedGame(Game):
    """The same; `records` are played, and `rng` also draws which items are known."""

    view: MixedView
    rng: np.random.Generator
    records: I8

    @cached_property
    def turns(self) -> tuple[dict[str, Chances], list[I8]]:
        """What each attacker reaches who has a turn against each person, and the rows that fit m items of each."""
        reached = {
            name: np.zeros((2, len(self.records))) for name, (place, _) in _TURNS.items() if place(self)
        }
        rows = [np.zeros(0, dtype=np.int64)] * len(self.records)
        for place, person in self.persons(self.records):
            rows[place] = self.fitting(person)
            for name, figures in reached.items():
                figures[:, place] = _TURNS[name][1](self, person)
        return {
            name: Chances(chances, self.everybody, None if (chances == top).all() else top)
            for name, (chances, top) in reached.items()
        }, rows

    @cached_property
    def rows_after_absences(self) -> Mapping[bool, tuple[I8, list[I8]]]:
        """The same of whoever knows all quasi-identifiers and m items."""
        rows = self.turns[1]
        sizes = np.array([len(person_rows) for person_rows in rows], dtype=np.int64)

        def fitting(place: I8) -> tuple[I8, I8]:
            person = np.repeat(np.arange(len(place)), sizes[place])
            return person, np.concatenate([rows[index] for index in place.tolist()])

        return {
            kind == "groups": count_after_absences(absent, self.records, sizes, fitting, self.rng)
            for kind, absent in self.view.absent.items()
        }

    @property
    def m(self) -> int:
        return self.number("m")

    @cached_property
    def secret(self) -> B1:
        """bool[items]: the sensitive items."""
        mask = np.zeros(self.view.covers.shape[1], dtype=bool)
        mask[list(self.view.sensitive)] = True
        return mask

    @property
    def exempts(self) -> bool:
        """Whether the claim counts only items that are not sensitive."""
        return "l" in self.claim

    @property
    def kind(self) -> str:
        """The items that the claim counts, in words."""
        return "items that are not sensitive" if self.exempts else "items"

    def rows_by_item(self, person: "_MixedPerson") -> B1:
        """bool[items, rows]: which rows fit each item of the person that the claim counts."""
        rows_with_item = person.rows_with_item
        return rows_with_item[~self.secret[person.basket]] if self.exempts else rows_with_item

    def entries(self, person: "_MixedPerson") -> I4:
        """What the person's own row publishes of its basket, as far as the claim counts it."""
        entries = person.entries
        if self.exempts:
            entries = entries[~self.view.covers[entries][:, self.secret].any(axis=1)]
        return entries

    def fitting(self, person: "_MixedPerson") -> I8:
        """The rows that fit the person's quasi-identifiers and those m items that leave fewest."""
        held = self.rows_by_item(person)
        picked, _ = _choose_rarest(held, self.m, self.rng)
        return person.rows[held[picked].all(axis=0)]

    def persons(self, records: I8) -> Iterator[tuple[int, "_MixedPerson"]]:
        """Those of some records that were not suppressed, each with the rows that fit its quasi-identifiers."""
        view, table = self.view, self.view.table
        begin, by_class = view.rows
        for block, record_index, class_id in find_fitting_classes(table, records):
            cuts = np.searchsorted(record_index, np.arange(block.stop - block.start + 1))
            for index, record in enumerate(records[block].tolist()):
                own_row = int(table.own[record])
                fits = class_id[cuts[index] : cuts[index + 1]]
                if own_row < 0 or table.of_row[own_row] not in fits:
                    continue
                rows = np.concatenate([by_class[begin[c] : begin[c + 1]] for c in fits.tolist()])
                yield block.start + index, _MixedPerson(view, record, own_row, rows)


@dataclass(frozen=True)
class _MixedPerson:
    """A record, its own released row, and all rows that fit its quasi-identifiers."""

    view: MixedView
    record: int
    own: int
    rows: I8

    @cached_property
    def basket(self) -> I4:
        """The items of the record that its own row publishes in some form; the others help nobody."""
        items = self.view.items[self.view.start[self.record] : self.view.start[self.record + 1]]
        return items[self.view.covers[self.entries][:, items].any(axis=0)]

    @property
    def entries(self) -> I4:
        """What the record's own row publishes of its basket."""
        return self.view.entries[self.view.shown[self.own] : self.view.shown[self.own + 1]]

    @cached_property
    def rows_with_item(self) -> B1:
        """bool[items, rows]: which rows publish something that stands for each item of the basket."""
        start, entries = take_rows(self.view.shown, self.view.entries, self.rows)
        mask = np.zeros((len(self.basket), len(self.rows)), dtype=bool)
        item, entry = np.nonzero(self.view.covers[entries][:, self.basket].T)
        mask[item, row_of_entry(start)[entry]] = True
        return mask


def _play_some_items(game: _MixedGame, person: _MixedPerson, more: int = 0) -> Turn:
    """Whoever also knows the m items that the claim counts, or some more, that leave fewest rows."""
    fewest, least = _count_fewest_rows(game.rows_by_item(person), game.m + more, game.rng)
    return 1 / fewest, 1 / least


def _play_sensitive_item(game: _MixedGame, person: _MixedPerson) -> Turn:
    item_fits = person.rows_with_item[game.secret[person.basket]]
    chance = 1 / _count_fewest_rows(item_fits, 1, game.rng)[0]
    return chance, chance


def _play_whole_basket(game: _MixedGame, person: _MixedPerson) -> Turn:
    chance = 1 / int(person.rows_with_item.all(axis=0).sum())
    return chance, chance


def _count_fewest_rows(held: B1, many: int, rng: np.random.Generator) -> tuple[int, int]:
    """The fewest rows that hold some `many` of the items, and a number that it cannot be below.

    `held` is bool[items, rows]. All choices are tried, or a random part of very many; then both numbers may differ.

    >>> held = np.array([[True, True, True, False], [True, False, True, True], [True, True, False, True]])
    >>> _count_fewest_rows(held, 2, np.random.default_rng(1)), _count_fewest_rows(held, 3, np.random.default_rng(1))
    ((2, 2), (1, 1))
    """
    choice, least = _choose_rarest(held, many, rng)
    return int(held[choice].all(axis=0).sum()), least


def _choose_rarest(held: B1, many: int, rng: np.random.Generator) -> tuple[list[int], int]:
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
    row_counts = [int(held[list(choice)].all(axis=0).sum()) for choice in choices]
    best = int(np.argmin(row_counts))
    return list(choices[best]), row_counts[best] if least is None else least


def _play_record_size(game: _MixedGame, person: _MixedPerson) -> Turn:
    view = game.view
    size = int(view.start[person.record + 1] - view.start[person.record])
    fewest, most = view.sizes
    fits = fewest[person.rows] <= size
    if not view.left_out:
        fits &= size <= most[person.rows]
    if not fits[person.rows == person.own].all():
        return 0.0, 0.0
    fewest_fitting, least = _count_fewest_rows(game.rows_by_item(person)[:, fits], game.m, game.rng)
    return 1 / fewest_fitting, 1 / least


def _play_own_class_m_items(game: _MixedGame, person: _MixedPerson) -> Turn:
    _, entry_fits = _select_own_class(game, person)
    fewest, least = _count_fewest_rows(entry_fits, game.m, game.rng)
    return 1 / fewest, 1 / least


def _select_own_class(game: _MixedGame, person: _MixedPerson) -> tuple[B1, B1]:
    """The rows that look like the person's own by their table, and which of them publish the same items.

    Returns
    -------
    alike : bool[rows]
        Those of the rows that fit.
    held : bool[entries, alike]
        For each item as the person's own row publishes it, if the claim counts it.
    """
    view, entries = game.view, game.entries(person)
    is_alike = view.table.of_row[person.rows] == view.table.of_row[person.own]
    start, published = take_rows(view.shown, view.entries, person.rows[is_alike])
    entry_fits = np.zeros((len(entries), int(is_alike.sum())), dtype=bool)
    entry, position = np.nonzero(entries[:, None] == published[None, :])
    entry_fits[entry, row_of_entry(start)[position]] = True
    return is_alike, entry_fits


def _play_columns_that_follow(game: _MixedGame, person: _MixedPerson) -> Turn:
    """The most that quasi-identifiers and up to m items tell by rules: rows of the own class that show all of it."""
    is_alike, entry_fits = _select_own_class(game, person)
    rows = person.rows[is_alike]
    lines = np.concatenate([entry_fits, _find_rows_by_items(game, person, rows, entry_fits)])
    rule_fits = [_shows_expected(rule, person, rows) for rule in game.view.rules]
    kept_rules = [line for line in rule_fits if line[rows == person.own].all()]  # a person may break a rule
    none = np.ones(len(rows), dtype=bool)
    chances = []
    # No rule of quasi-identifiers, one, or all.
    for mask in (none, *kept_rules, np.logical_and.reduce([none, *kept_rules])):
        fewest, least = _count_fewest_rows(lines[:, mask], game.m, game.rng)
        chances.append((1 / fewest, 1 / least))
    success, most = np.max(chances, axis=0).tolist()
    return success, most


def _shows_expected(rule: tuple[Dependency, Dependency], person: _MixedPerson, rows: I8) -> B1:
    """Which rows show what a rule of quasi-identifiers expects of a person."""
    of_records, of_rows = rule
    shows = of_rows.shows[rows] & of_records.known[person.record]
    return np.asarray(shows & of_rows.expects(of_rows.shown[rows], of_records.low[person.record]))


def _find_rows_by_items(game: _MixedGame, person: _MixedPerson, rows: I8, held: B1) -> B1:
    """For each item of a person that tells a column, and each form of it: which rows have that form and show it.

    `held` says which of the rows publish each entry of the person's own one that the claim counts.
    """
    view = game.view
    if view.follows is None:
        return held[:0]
    own_items = slice(view.start[person.record], view.start[person.record + 1])
    items, list_of_item = view.items[own_items], view.follows[0][own_items]
    open_items = (list_of_item >= 0) & ~(game.secret[items] & game.exempts)
    item, entry = np.nonzero(view.covers[game.entries(person)][:, items[open_items]].T)
    fitting = held[entry] & check_fits(view.showing, list_of_item[open_items][item][:, None], rows[None, :])
    return np.asarray(fitting[fitting[:, rows == person.own].all(axis=1)])


def _play_sensitive_items_within_l(game: _MixedGame, person: _MixedPerson) -> Turn:
    """The highest share of a sensitive item of the person among rows of the class with up to m of its other items."""
    is_alike, entry_fits = _select_own_class(game, person)
    secret_fits = person.rows_with_item[game.secret[person.basket]][:, is_alike]
    if not len(secret_fits):
        return 0.0, 0.0
    choices = [choice for size in range(game.m + 1) for choice in combinations(range(len(entry_fits)), size)]
    tried = choices
    if len(choices) > _CHOICES:
        tried = [choices[index] for index in game.rng.choice(len(choices), _CHOICES, replace=False)]
    fitting = (np.logical_and.reduce(entry_fits[list(choice)]) for choice in tried)
    highest = max(float((secret_fits & rows).sum(axis=1).max() / rows.sum()) for rows in fitting)
    return highest, highest if tried is choices else 1.0


_TURNS: dict[str, tuple[Callable[[_MixedGame], bool], Callable[[_MixedGame, _MixedPerson], Turn]]] = {
    "m-items": (lambda game: True, _play_some_items),
    "own-class-m-items": (lambda game: game.crowd is None, _play_own_class_m_items),
    "sensitive-items-within-l": (lambda game: game.exempts, _play_sensitive_items_within_l),
    "one-more-item": (lambda game: True, partial(_play_some_items, more=1)),
    "sensitive-item": (lambda game: bool(game.view.sensitive), _play_sensitive_item),
    "whole-basket": (lambda game: True, _play_whole_basket),
    "record-size": (lambda game: True, _play_record_size),
    "columns-that-follow": (
        lambda game: bool(game.view.table.rules) or game.view.follows is not None,
        _play_columns_that_follow,
    ),
}
"""Who has a turn against one person at a time: whether a game has a place for the attacker, and the turn."""


def _make_turn_player(
    name: str,
    sentence: str | Callable[[_MixedGame], str],
    bound: Callable[[_MixedGame], float | None] = no_bound,
) -> Player[_MixedGame]:
    return Player(name, sentence, lambda game: game.turns[0].get(name), bound)


def _absence_sentence(what: str, game: _MixedGame) -> str:
    return f"{_KNOWS}, any {game.m} {game.kind} and {what} {_GUESSES}"


_KNOWS = "anyone who knows all quasi-identifiers of a person"
_ALIKE = "anyone who knows the quasi-identifiers of everybody, and so can tell which rows look like a person's own,"
_GUESSES = "guesses which row belongs to that person"

MIXED_PLAYERS: tuple[Player[_MixedGame], ...] = (
    _make_turn_player(
        "m-items",
        lambda game: f"{_KNOWS} and any {game.m} {game.kind} {_GUESSES}",
        lambda game: 1 / game.number("k"),
    ),
    Player(
        "own-class-m-items",
        lambda game: (
            f"{_ALIKE} and in which form any {game.m} {game.kind} were published, guesses among these"
        ),
        lambda game: game.by_crowd or game.turns[0].get("own-class-m-items"),
        lambda game: 1 / game.number("k"),
    ),
    _make_turn_player(
        "sensitive-items-within-l",
        lambda game: (
            f"{_KNOWS} and any {game.m} {game.kind} takes as the chance of each sensitive item of that person the "
            "share of rows that hold it"
        ),
        lambda game: 1 / game.number("l"),
    ),
    _make_turn_player("one-more-item", lambda game: f"{_KNOWS} and any {game.m + 1} {game.kind} {_GUESSES}"),
    _make_turn_player("sensitive-item", f"{_KNOWS} and any one sensitive item {_GUESSES}"),
    _make_turn_player("whole-basket", f"{_KNOWS} and the whole basket {_GUESSES}"),
    _make_turn_player(
        "record-size",
        lambda game: f"{_KNOWS}, any {game.m} {game.kind} and how many items the basket has {_GUESSES}",
    ),
    _make_turn_player(
        "columns-that-follow",
        lambda game: (
            f"{_ALIKE} in which form any {game.m} {game.kind} were published, and what follows from all these in other "
            "published columns, guesses among the rows that show it"
        ),
    ),
    *absence_players("item", _absence_sentence),
)
"""The attackers of a table with baskets, beside or instead of those of its table: those inside a claim first."""
