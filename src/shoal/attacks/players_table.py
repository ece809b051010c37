"""The attackers of a released table: whoever knows all quasi-identifiers, and whoever knows a little more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from shoal.attacks.engine import draw_people
from shoal.attacks.result import Outcome
from shoal.attacks.view_table import (
    ClassValues,
    Dependency,
    Linkage,
    PairCounts,
    PublishedColumn,
    TableView,
    class_values,
    link_records,
)
from shoal.data.types import F8, I8
from shoal.release import Claim

__all__ = ["TABLE_PLAYERS", "play_table"]

_PAIRS = 400_000_000  # records times classes that are compared: a few seconds


def play_table(
    seat: TableView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play every attacker of a table that these data and this claim have a place for.

    Parameters
    ----------
    seat
        The release beside its originals.
    claim
        What the release claims; attackers inside it get their bounds from it.
    most
        How many people are played at most, drawn evenly; None means as many as a few seconds allow.
    rng
        Who is drawn; None means randomness of the operating system.
    """
    cheap = _PAIRS // max(len(seat.labels), 1)
    people = draw_people(seat.people, cheap if most is None else min(most, cheap), rng)
    looked = link_records(seat, seat.records_of(people))
    stated = [part.as_dict() for part in claim.parts]
    for name, play in TABLE_PLAYERS.items():
        found = play(_TableGame(name, looked, stated))
        if found is not None:
            yield found


@dataclass(frozen=True, slots=True)
class _TableGame:
    """One attacker's turn: what was looked at, and what is claimed."""

    name: str
    looked: Linkage
    claims: Sequence[Mapping[str, Any]]

    def claimed(self, *models: str) -> Mapping[str, Any] | None:
        """The numbers of the first of some claims that the release makes."""
        return next((claim for claim in self.claims if claim["model"] in models), None)

    @property
    def bound(self) -> float:
        """The highest chance of finding somebody's row: 1 / k, or 1 / l, for l different values need l records."""
        diverse = self.claimed("l-diversity") or {"l": 1}
        return 1 / max(int(diverse["l"]), *(int(claim.get("k") or 1) for claim in self.claims))

    def beyond(self, chances: F8, sentence: str) -> Outcome:
        """An attacker beyond the claim; `chances` are of records."""
        found = self.looked.by_person(chances)
        return Outcome(self.name, False, None, found, self.looked.seat.people, sentence)


def _all_quasi_identifiers(game: _TableGame) -> Outcome | None:
    looked = game.looked
    chances = looked.by_person(np.where(looked.fits, 1 / np.maximum(looked.persons, 1), 0.0))
    whose = "row is that person's" if looked.seat.persons is None else "of the persons with such rows it is"
    sentence = f"whoever knows all quasi-identifiers of a person guesses which {whose}"
    return Outcome(game.name, True, game.bound, chances, looked.seat.people, sentence)


def _own_class(game: _TableGame) -> Outcome | None:
    """The most that quasi-identifiers can tell: the rows of a class are equal, so nobody tells them apart by these."""
    looked, seat = game.looked, game.looked.seat
    of = seat.of_record[looked.records]
    pairs = np.unique(np.stack([seat.of_record, seat.person], axis=1)[seat.of_record >= 0], axis=0)
    persons = np.bincount(pairs[:, 0], minlength=len(seat.labels)) if seat.persons is not None else seat.size
    chances = looked.by_person(np.where(of >= 0, 1 / np.maximum(persons, 1)[of], 0.0))
    sentence = (
        "whoever knows the quasi-identifiers of everybody, and so may tell which rows look like a person's own, "
        "guesses among these"
    )
    return Outcome(game.name, True, game.bound, chances, seat.people, sentence)


def _several_rows(game: _TableGame) -> Outcome | None:
    looked = game.looked
    if looked.seat.persons is None:
        return None
    chances = np.where(looked.fits, looked.mine / np.maximum(looked.crowd, 1), 0.0)
    return game.beyond(
        chances,
        "whoever knows all quasi-identifiers of every row of a person guesses a row; any row of that person will do",
    )


def _plain_column(game: _TableGame) -> Outcome | None:
    return _one_more_column(game, game.looked.seat.plain, "plain")


def _sensitive_column(game: _TableGame) -> Outcome | None:
    return _one_more_column(game, game.looked.seat.sensitive, "sensitive")


def _one_more_column(game: _TableGame, columns: Sequence[PublishedColumn], kind: str) -> Outcome | None:
    looked = game.looked
    if not columns:
        return None
    chances = np.zeros(len(looked.records))
    for column in columns:
        known = np.where(column.original[looked.records] >= 0, looked.same[column.name], looked.crowd)
        mine = np.where(column.original[looked.records] >= 0, looked.own[column.name], looked.mine)
        chances = np.maximum(chances, np.where(looked.fits & (known > 0), mine / np.maximum(known, 1), 0.0))
    which = f"the {kind} column" if len(columns) == 1 else f"the {kind} column that tells most of that person"
    return game.beyond(
        np.minimum(chances, 1.0),
        f"whoever knows all quasi-identifiers of a person and {which} guesses which row is that person's",
    )


def _columns_that_follow(game: _TableGame) -> Outcome | None:
    """The most that quasi-identifiers tell by rules: rows of the own class that show what is expected of a person."""
    rules, records = game.looked.seat.rules, game.looked.records
    if not rules:
        return None
    chances = np.zeros(len(records))
    for some in (*((rule,) for rule in rules), rules):  # one rule, or all of them
        left = _showing(game.looked.seat, some, records)
        chances = np.maximum(chances, np.where(left > 0, 1 / np.maximum(left, 1), 0.0))
    sentence = (
        "whoever knows the quasi-identifiers of everybody, and what follows from them in other published columns, "
        "guesses among the rows that look like a person's own and show it"
    )
    return game.beyond(chances, sentence)


def _showing(seat: TableView, rules: Sequence[Dependency], records: I8) -> I8:
    """How many persons have rows in a record's class that show what rules expect; 0 where the record breaks one."""
    right, place = seat.of_record >= 0, np.flatnonzero(seat.of_record >= 0)
    for rule in rules:
        right, place = right & rule.kept, place[rule.shows[place]]
    keys = [seat.of_record[place]]
    for rule in rules:
        less = np.zeros(len(place), dtype=np.int64)
        if not rule.exact:  # whoever expects the number before it expects this one as well
            less = np.repeat([0, 1], len(place))
            keys, place = [np.tile(key, 2) for key in keys], np.tile(place, 2)
        keys.append(rule.shown[place] - less)
    asked = [seat.of_record[records], *(rule.low[records] for rule in rules)]
    lines = np.stack([np.concatenate(pair) for pair in zip(keys, asked, strict=True)], axis=1)
    line = np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1)
    pairs = np.unique(np.stack([line[: len(place)], seat.person[place]], axis=1), axis=0)
    persons = np.bincount(pairs[:, 0], minlength=int(line.max(initial=-1)) + 1)
    return np.where(right[records], persons[line[len(place) :]], 0)


def _homogeneity(game: _TableGame) -> Outcome | None:
    return _by_own_class(
        game,
        lambda share, prior: (share >= 1 - 1e-9).astype(np.float64),
        f"{_FINDS} is told a sensitive value for certain, because all rows there have the same one",
    )


def _skewness(game: _TableGame) -> Outcome | None:
    return _by_own_class(
        game,
        lambda share, prior: np.maximum(share - prior, 0.0),
        f"{_FINDS} gives that person's sensitive value so much more chance than the whole release gives it",
    )


def _inference(game: _TableGame) -> Outcome | None:
    return _by_own_class(
        game,
        lambda share, prior: share,
        f"{_FINDS} gives that person's sensitive value the share that it has among the rows there",
    )


_FINDS = "whoever finds the rows that look like a person's own by their quasi-identifiers"


def _by_own_class(game: _TableGame, chance: Callable[[F8, F8], F8], sentence: str) -> Outcome | None:
    """Whoever finds nobody, but reads sensitive values off the own class; the worst column counts."""
    looked, seat = game.looked, game.looked.seat
    if not seat.sensitive or not len(seat.forms):
        return None
    chances, own = np.zeros(len(looked.records)), seat.of_record[looked.records]
    for column in seat.sensitive:
        value = column.original[looked.records]
        share = PairCounts(seat.of_row, column.released)(own, value) / np.maximum(seat.size[own], 1)
        times = np.bincount(column.released + 1, minlength=int(column.original.max(initial=-1)) + 2)[
            value + 1
        ]
        found = np.where((own >= 0) & (value >= 0), chance(share, times / len(seat.forms)), 0.0)
        chances = np.maximum(chances, found)
    return game.beyond(chances, sentence)


def _value_within_l(game: _TableGame) -> Outcome | None:
    claim = game.claimed("l-diversity")
    if claim is None:
        return None
    found, kind, l = "whoever finds a person's class", claim["diversity"], int(claim["l"])
    if kind == "distinct":
        sentence = f"{found} guesses the sensitive value evenly among the different ones there"
        return _within(
            game, claim, sentence, lambda v: (1 / np.maximum(v.different, 1), np.full(len(v.records), 1 / l))
        )
    if kind == "entropy":
        sentence = (
            f"{found} gives the sensitive values their shares there; the geometric mean over the class counts"
        )
        return _within(game, claim, sentence, lambda v: (np.exp(-v.entropy), np.full(len(v.records), 1 / l)))
    highest = float(claim["c"]) / (1 + float(claim["c"]))
    sentence = f"{found} gives that person's sensitive value its share there"
    return _within(game, claim, sentence, lambda v: (v.count / v.entries, np.full(len(v.records), highest)))


def _value_within_t(game: _TableGame) -> Outcome | None:
    claim = game.claimed("t-closeness")
    if claim is None:
        return None

    def gain(v: ClassValues) -> tuple[F8, F8]:
        # Moving mass to a value costs 1 per unit; between neighbours of an order 1 / (values - 1).
        widest = 1 if claim["distance"] == "equal" else max(v.values - 1, 1)
        shares = v.count / v.entries - v.everywhere / v.all_entries
        return np.maximum(shares, 0.0), np.full(len(v.records), min(float(claim["t"]) * widest, 1.0))

    return _within(
        game,
        claim,
        "whoever finds a person's class gives that person's sensitive value so much more chance than the whole release "
        "gives it",
        gain,
    )


def _value_within_beta(game: _TableGame) -> Outcome | None:
    claim = game.claimed("beta-likeness")
    if claim is None:
        return None

    def likeness(v: ClassValues) -> tuple[F8, F8]:
        prior = v.everywhere / v.everybody
        gain = np.full(len(v.records), float(claim["beta"]))
        if claim["likeness"] == "enhanced":
            gain = np.minimum(gain, -np.log(np.maximum(prior, 1e-300)))
        return v.count / v.persons, np.minimum(prior * (1 + gain), 1.0)

    return _within(game, claim, _EACH, likeness)


def _value_within_delta(game: _TableGame) -> Outcome | None:
    claim = game.claimed("delta-disclosure privacy")
    if claim is None:
        return None
    factor = exp(float(claim["disclosure"]))
    return _within(
        game,
        claim,
        _EACH,
        lambda v: (v.count / v.persons, np.minimum(factor * v.everywhere / v.everybody, 1.0)),
    )


def _value_within_alpha(game: _TableGame) -> Outcome | None:
    claim = game.claimed("(alpha,k)-anonymity")
    if claim is None:
        return None
    return _within(
        game, claim, _SHARE, lambda v: (v.count / v.persons, np.full(len(v.records), float(claim["alpha"])))
    )


_SHARE = "whoever finds a person's class gives that person's sensitive value its share there"
_EACH = f"{_SHARE}; the claim allows each value a chance of its own, and the highest of them is told"


def _within(
    game: _TableGame, claim: Mapping[str, Any], sentence: str, weigh: Callable[[ClassValues], tuple[F8, F8]]
) -> Outcome | None:
    """Whoever finds a class and reads sensitive values off it; of several columns, the one nearest to its bound."""
    looked, seat = game.looked, game.looked.seat
    people = np.unique(seat.person[looked.records])
    chances, bounds = np.zeros(len(people)), np.full(len(people), np.inf)
    for column in seat.sensitive:
        if column.name not in (claim.get("columns") or (column.name,)):
            continue
        values = class_values(seat, column, looked.records)
        _take_nearer(chances, bounds, np.searchsorted(people, seat.person[values.records]), *weigh(values))
    told = np.isfinite(bounds)
    if not told.any():
        return None
    highest = float(bounds[told].max())
    bounds = np.where(told, bounds, highest)
    return Outcome(game.name, True, highest, chances, seat.people, sentence, bounds)


def _take_nearer(chances: F8, bounds: F8, who: I8, found: F8, allowed: F8) -> None:
    """Keep for each person what is furthest above, or least below, its bound."""
    over = np.where(np.isfinite(bounds), chances - bounds, -np.inf)
    order = np.argsort(found - allowed, kind="stable")  # the last one of each person stays
    worst = np.full(len(chances), -1)
    worst[who[order]] = order
    some = np.flatnonzero(worst >= 0)
    some = some[(found - allowed)[worst[some]] > over[some]]
    chances[some], bounds[some] = found[worst[some]], allowed[worst[some]]


TABLE_PLAYERS: dict[str, Callable[[_TableGame], Outcome | None]] = {
    "all-quasi-identifiers": _all_quasi_identifiers,
    "own-class": _own_class,
    "value-within-l": _value_within_l,
    "value-within-t": _value_within_t,
    "value-within-beta": _value_within_beta,
    "value-within-delta": _value_within_delta,
    "value-within-alpha": _value_within_alpha,
    "several-rows": _several_rows,
    "plain-column": _plain_column,
    "sensitive-column": _sensitive_column,
    "columns-that-follow": _columns_that_follow,
    "homogeneity": _homogeneity,
    "skewness": _skewness,
    "inference": _inference,
}
"""The attackers of a table, by name: those inside a claim first. A player says None where there is nothing to play."""
