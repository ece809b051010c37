"""Attackers who know whole baskets, against baskets published by vote."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.attacks.attribute_disclosure import one_of_many
from shoal.attacks.background import Lists
from shoal.attacks.engine import Chances, Player, draw_people, play_all
from shoal.attacks.result import Outcome
from shoal.attacks.view_votes import VoteView, best_guesses, matchable, nearest
from shoal.data.arrays import F8, I8, owners, take
from shoal.release import Claim

__all__ = ["VOTE_PLAYERS", "VoteView", "play_votes"]

_ASKED = 400  # people whose neighbours' rows are known
_LEAST = 30  # of them at least
_MESSAGES = 2_000_000  # possible matches looked at for all of them
_INSIDE = 150  # people asked about by insiders, one by one
_FAR = 20  # times k people for each one who is known at a time, so that they do not help each other


def play_votes(
    view: VoteView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play every attacker that baskets published by vote and this claim have a place for; see `play_table`."""
    stated = claim.as_dict()
    l = int(stated["l"]) if "l" in stated else None
    game = _VoteGame(view, int(stated["k"]), l, int(stated.get("insiders", 0)), most, rng)
    return play_all(VOTE_PLAYERS, game)


@dataclass(frozen=True)
class _VoteGame:
    """One release, what it claims, and who is played."""

    view: VoteView
    k: int
    l: int | None
    insiders: int
    most: int | None
    rng: np.random.Generator | None

    @property
    def everybody(self) -> int:
        return len(self.view.own)

    def some(self, cheap: int) -> I8:
        return draw_people(self.everybody, cheap if self.most is None else min(cheap, self.most), self.rng)

    @property
    def one_in_k(self) -> float:
        return 1 / self.k

    @cached_property
    def holders(self) -> tuple[I8, int]:
        """Those played of the people who have a label, and how many have one."""
        having = np.flatnonzero((self.view.labels[1] if self.view.labels else self.view.own[:0]) >= 0)
        most = len(having) if self.most is None else self.most
        return having[draw_people(len(having), most, self.rng)], len(having)

    @cached_property
    def shares(self) -> "_Shares | None":
        return _Shares.on(self)


def _whole_basket(game: _VoteGame) -> Chances | None:
    fits = game.view.fits
    if fits is None:
        return None
    people = game.some(game.everybody)
    return Chances(_even(game, people, fits.sums()), game.everybody)


def _every_basket(game: _VoteGame) -> Chances | None:
    fits, counts = game.view.fits, game.view.counts
    if fits is None or counts is None:
        return None
    people = game.some(game.everybody)
    return Chances(_even(game, people, fits.sums(counts)), game.everybody)


def _even(game: _VoteGame, people: I8, rows: I8) -> F8:
    """An even guess among the rows that may be a person's."""
    assert game.view.fits is not None
    left = rows[game.view.fits.baskets.of[people]]
    return np.where((game.view.own[people] >= 0) & (left > 0), 1 / np.maximum(left, 1), 0.0)


def _columns_that_follow(game: _VoteGame) -> Chances | None:
    view, fits, on_rows = game.view, game.view.fits, game.view.labels_of_rows
    if not view.expected or fits is None or on_rows is None:
        return None
    people = game.some(game.everybody)
    kind = fits.baskets.of[people]
    rows = fits.sums(view.counts)[kind]
    alike: dict[frozenset[int], list[int]] = {}
    for place, person in enumerate(people.tolist()):
        if person in view.expected:
            alike.setdefault(view.expected[person], []).append(place)
    for labels, places in alike.items():
        rows[places] = on_rows[kind[places]][:, sorted(labels)].sum(axis=1)
    chances = np.where((view.own[people] >= 0) & (rows > 0), 1 / np.maximum(rows, 1), 0.0)
    return Chances(chances, game.everybody)


def _insiders(game: _VoteGame) -> Chances | None:
    view, possible = game.view, game.view.possible
    if not game.insiders or possible is None or view.fits is None:
        return None
    people = game.some(_INSIDE)
    rows = np.zeros(len(people), dtype=np.int64)
    for place, known in enumerate(nearest(*possible, people, game.insiders)):
        counts, left = matchable(view.fits, view.own, known[known >= 0])
        rows[place] = view.fits.sums(counts, left)[view.fits.baskets.of[people[place]]]
    return Chances(1 / np.maximum(rows, 1), game.everybody)


def _known_neighbours(game: _VoteGame) -> Chances | None:
    view, possible = game.view, game.view.possible
    if possible is None:
        return None
    known = game.insiders + 1
    step = max(1, game.everybody // (_FAR * game.k * known))
    people = game.some(min(_ASKED, max(_LEAST, step * _MESSAGES // max(len(possible[0][1]), 1))))
    order = (game.rng or np.random.default_rng()).permutation(people)
    chances = np.zeros(len(people))
    for at in range(0, len(order), step):
        asked = order[at : at + step]
        chances[np.searchsorted(people, asked)] = _guessed(view, possible, asked, known)
    return Chances(chances, game.everybody)


def _guessed(view: VoteView, possible: tuple[Lists, Lists], asked: I8, known: int) -> F8:
    """The best guesses at the rows of some people, where the rows of people near them are known."""
    near = np.setdiff1d(nearest(*possible, asked, known), np.r_[-1, asked])
    person, row = owners(possible[0][0]), possible[0][1]
    left = ~np.isin(person, near) & ~np.isin(row, view.own[near])
    return best_guesses(person[left], row[left], asked, view.own)


@dataclass(frozen=True)
class _Shares:
    """The labels on the rows that may be a person's, to whoever knows all baskets.

    people    : int64, those played, all of whom have a label
    holders   : how many people have a label
    share     : float64, the share of rows with the person's own label
    different : int64, how many different labels there are
    prior     : float64, the share of all rows with the person's own label
    """

    people: I8
    holders: int
    share: F8
    different: I8
    prior: F8

    @classmethod
    def on(cls, game: _VoteGame) -> "_Shares | None":
        fits, counts, labels = game.view.fits, game.view.counts, game.view.labels
        found = game.view.labels_of_rows
        people, holders = game.holders
        if fits is None or counts is None or labels is None or found is None or not holders:
            return None
        shown, mine = labels
        kind = fits.baskets.of[people]
        own = np.asarray(found[kind, mine[people] + 1]).ravel()
        every = np.bincount(shown[shown >= 0], minlength=found.shape[1] - 1)
        return cls(
            people,
            holders,
            own / np.maximum(fits.sums(counts)[kind], 1),
            np.diff(found[:, 1:].indptr)[kind].astype(np.int64),
            every[mine[people]] / max(len(shown), 1),
        )


def _by_shares(chance: Callable[[_Shares], F8]) -> Callable[[_VoteGame], Chances | None]:
    """Whoever is told a label by its share of the rows that may be a person's."""

    def play(game: _VoteGame) -> Chances | None:
        return None if game.shares is None else Chances(chance(game.shares), game.shares.holders)

    return play


def _label_within_l(game: _VoteGame) -> Chances | None:
    return None if game.l is None else _by_shares(lambda shares: 1 / np.maximum(shares.different, 1))(game)


def _prediction(game: _VoteGame) -> Chances | None:
    view, (people, holders) = game.view, game.holders
    if view.labels is None or not holders:
        return None
    published = view.published
    assert published.original_start is not None
    assert published.original_items is not None
    baskets = take(published.original_start, published.original_items.astype(np.int64), people)
    width = 1 + max(int(part.max(initial=-1)) for part in (published.items, published.original_items))
    own = view.labels[1][people]
    chances = one_of_many((published.start, published.items), view.labels[0], baskets, own, width)
    return Chances(chances, holders)


_ONE, _ALL = "whoever knows the whole basket of a person", "whoever knows the whole baskets of everybody"


def _others(many: int, one: str, several: str) -> str:
    return one if many == 1 else several.format(many)


VOTE_PLAYERS: tuple[Player[_VoteGame], ...] = (
    Player(
        "whole-basket",
        lambda game: f"{_ONE} guesses which row belongs to that person",
        _whole_basket,
        lambda game: game.one_in_k,
    ),
    Player(
        "every-basket",
        lambda game: f"{_ALL} guesses which row belongs to a person",
        _every_basket,
        lambda game: game.one_in_k,
    ),
    Player(
        "insiders",
        lambda game: (
            f"{_ALL}, and the rows of {_others(game.insiders, 'one other person', '{} others')}, guesses which row "
            "belongs to a person"
        ),
        _insiders,
        lambda game: game.one_in_k,
    ),
    Player(
        "label-within-l",
        lambda game: (
            f"{_ALL} guesses a person's label, each different one on the rows that may be that person's being "
            "equally likely"
        ),
        _label_within_l,
        lambda game: 1 / (game.l or 1),
    ),
    Player(
        "known-neighbours",
        lambda game: (
            f"{_ALL}, and the row of "
            f"{_others(game.insiders + 1, 'the nearest other person', 'the {} nearest others')}, makes the best guess"
        ),
        _known_neighbours,
    ),
    Player(
        "columns-that-follow",
        lambda game: (
            f"{_ONE if game.view.counts is None else _ALL}, and what follows from a person's items in the label, "
            "guesses which row belongs to that person"
        ),
        _columns_that_follow,
    ),
    Player(
        "homogeneity",
        lambda game: f"{_ALL} learns a label for certain, because all rows that may be a person's have it",
        _by_shares(lambda shares: (shares.share >= 1 - 1e-9).astype(np.float64)),
    ),
    Player(
        "skewness",
        lambda game: f"{_ALL} thinks a person's label that much more likely than the whole release suggests",
        _by_shares(lambda shares: np.maximum(shares.share - shares.prior, 0.0)),
    ),
    Player(
        "inference",
        lambda game: (
            f"{_ALL} takes the share of a person's label among the rows that may be that person's as its chance"
        ),
        _by_shares(lambda shares: shares.share),
    ),
    Player(
        "prediction",
        lambda game: f"{_ONE} learns from the release which items go with which label",
        _prediction,
    ),
)
"""The attackers of baskets published by vote: those inside a claim first."""
