"""Attackers who know whole baskets, against baskets published by vote."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy  # its parts come when they are used

from shoal.attacks.attribute_disclosure import one_of_many
from shoal.attacks.background import Lists, transpose
from shoal.attacks.engine import draw_people
from shoal.attacks.result import Outcome
from shoal.attacks.view_votes import BasketFits, best_guesses, fitting_baskets, matchable, nearest
from shoal.data.lists import owners, take
from shoal.data.spelling import alike
from shoal.data.types import B1, F8, I8
from shoal.discreet import Discreet
from shoal.release import Claim, PublishedBits, Sensitive

__all__ = ["VOTE_PLAYERS", "VoteView", "play_votes"]

_EDGES = 1_000_000  # pairs of a person and a row that may be that person's
_ASKED = 400  # people whose neighbours' rows are known
_LEAST = 30  # of them at least
_MESSAGES = 2_000_000  # possible matches looked at for all of them
_INSIDE = 150  # people asked about by insiders, one by one
_FAR = 20  # times k people for each one who is known at a time, so that they do not help each other


@dataclass(frozen=True, repr=False)
class VoteView(Discreet):
    """Baskets published by vote beside their originals.

    published : rows and originals, and their labels
    own       : int64[people], the released row of each person
    follows   : what follows from items in the label, as somebody found out: for each item of each person the place of a
                list, -1 where nothing does; and the lists, of the rows that show it
    """

    published: PublishedBits
    own: I8
    follows: tuple[I8, Lists] | None = None

    @cached_property
    def fits(self) -> BasketFits | None:
        """Which rows fit which baskets; None where there are too many."""
        return fitting_baskets(self.published)

    @cached_property
    def counts(self) -> B1 | None:
        """Which fits may be true, to whoever knows all baskets; None where that cannot be told."""
        whole = np.array_equal(np.sort(self.own), np.arange(len(self.published.errors)))
        return matchable(self.fits, self.own, self.own[:0])[0] if self.fits is not None and whole else None

    @cached_property
    def possible(self) -> tuple[Lists, Lists] | None:
        """For each person the rows that may be theirs, and for each row the people; None where they are too many."""
        fits, counts = self.fits, self.counts
        if fits is None or counts is None or int((fits.sums(counts) * fits.baskets.count).sum()) > _EDGES:
            return None
        by_kind = transpose((np.arange(len(fits.rows.of) + 1), fits.rows.of), len(fits.rows.count))
        kinds = transpose((np.arange(int(counts.sum()) + 1), fits.basket[counts]), len(fits.baskets.count))
        start, rows = take(*by_kind, fits.row[counts][kinds[1]])
        of_kind = start[kinds[0]], rows
        rows_of = take(*of_kind, fits.baskets.of)
        return rows_of, transpose(rows_of, len(self.own))

    @cached_property
    def labels(self) -> tuple[I8, I8] | None:
        """The labels of rows and of people as numbers, one for all spellings of a label; None where there are none."""
        shown, mine = self.published.label, self.published.original_label
        if shown is None or mine is None:
            return None
        number: dict[str, int] = {}
        return _numbered(shown, number), _numbered(mine, number)

    @cached_property
    def labels_of_rows(self) -> "scipy.sparse.csr_array | None":
        """For each kind of basket, how many rows that may be its person's have no label, the first, and so on.

        Rows may be a person's to whoever knows all baskets, or where that cannot be told, the one basket.
        """
        if self.fits is None or self.labels is None:
            return None
        fits, shown = self.fits, self.labels[0]
        width = 2 + max(int(part.max(initial=-1)) for part in self.labels)
        on_rows = _matrix(fits.rows.of, shown + 1, (len(fits.rows.count), width))
        some = slice(None) if self.counts is None else self.counts
        size = len(fits.baskets.count), len(fits.rows.count)
        return (_matrix(fits.basket[some], fits.row[some], size) @ on_rows).tocsr()

    @cached_property
    def expected(self) -> dict[int, frozenset[int]]:
        """The labels, from 1, and 0 for none, that a person's items tell where they tell the person's own."""
        if self.follows is None or self.labels is None:
            return {}
        of, (start, rows) = self.follows
        shown, mine = self.labels
        tells = [frozenset((shown[rows[a:b]] + 1).tolist()) for a, b in pairwise(start.tolist())]
        assert self.published.original_start is not None
        found: dict[int, frozenset[int]] = {}
        for person, place in zip(
            owners(self.published.original_start)[of >= 0].tolist(), of[of >= 0].tolist(), strict=True
        ):
            if mine[person] + 1 in tells[place]:
                found[person] = found.get(person, tells[place]) & tells[place]
        return found


def play_votes(
    seat: VoteView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play every attacker of baskets published by vote that these data and this claim have a place for.

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
    stated = claim.as_dict()
    l = int(stated["l"]) if "l" in stated else None
    game = _VoteGame(seat, int(stated["k"]), l, int(stated.get("insiders", 0)), most, rng)
    for name, play in VOTE_PLAYERS.items():
        found = play(game, name)
        if found is not None:
            yield found


@dataclass(frozen=True)
class _VoteGame:
    """One release, what it claims, and who is played."""

    seat: VoteView
    k: int
    l: int | None
    insiders: int
    most: int | None
    rng: np.random.Generator | None

    @property
    def everybody(self) -> int:
        return len(self.seat.own)

    def some(self, cheap: int) -> I8:
        return draw_people(self.everybody, cheap if self.most is None else min(cheap, self.most), self.rng)

    def found(self, name: str, people: I8, chances: F8, sentence: str, bound: float | None = None) -> Outcome:
        return Outcome(name, bound is not None, bound, chances, self.everybody, sentence)

    @cached_property
    def shares(self) -> "_Shares | None":
        return _Shares.on(self)


def _whole_basket(game: _VoteGame, name: str) -> Outcome | None:
    fits = game.seat.fits
    if fits is None:
        return None
    people = game.some(game.everybody)
    sentence = "whoever knows the whole basket of a person guesses which row is that person's"
    return game.found(name, people, _even(game, people, fits.sums()), sentence, 1 / game.k)


def _every_basket(game: _VoteGame, name: str) -> Outcome | None:
    fits, counts = game.seat.fits, game.seat.counts
    if fits is None or counts is None:
        return None
    people = game.some(game.everybody)
    sentence = "whoever knows the whole baskets of everybody guesses which row is a person's"
    return game.found(name, people, _even(game, people, fits.sums(counts)), sentence, 1 / game.k)


def _even(game: _VoteGame, people: I8, rows: I8) -> F8:
    """An even guess among the rows that may be a person's."""
    assert game.seat.fits is not None
    left = rows[game.seat.fits.baskets.of[people]]
    return np.where((game.seat.own[people] >= 0) & (left > 0), 1 / np.maximum(left, 1), 0.0)


def _columns_that_follow(game: _VoteGame, name: str) -> Outcome | None:
    seat, fits, on_rows = game.seat, game.seat.fits, game.seat.labels_of_rows
    if not seat.expected or fits is None or on_rows is None:
        return None
    people = game.some(game.everybody)
    kind = fits.baskets.of[people]
    rows = fits.sums(seat.counts)[kind]
    alike: dict[frozenset[int], list[int]] = {}
    for place, person in enumerate(people.tolist()):
        if person in seat.expected:
            alike.setdefault(seat.expected[person], []).append(place)
    for labels, places in alike.items():
        rows[places] = on_rows[kind[places]][:, sorted(labels)].sum(axis=1)
    known = _ALL if seat.counts is not None else "whoever knows the whole basket of a person"
    sentence = (
        f"{known}, and what follows from a person's items in the label, guesses which row is that person's"
    )
    chances = np.where((seat.own[people] >= 0) & (rows > 0), 1 / np.maximum(rows, 1), 0.0)
    return game.found(name, people, chances, sentence)


def _insiders(game: _VoteGame, name: str) -> Outcome | None:
    seat, possible = game.seat, game.seat.possible
    if not game.insiders or possible is None or seat.fits is None:
        return None
    people = game.some(_INSIDE)
    rows = np.zeros(len(people), dtype=np.int64)
    for place, known in enumerate(nearest(*possible, people, game.insiders)):
        counts, left = matchable(seat.fits, seat.own, known[known >= 0])
        rows[place] = seat.fits.sums(counts, left)[seat.fits.baskets.of[people[place]]]
    many = "one other person" if game.insiders == 1 else f"{game.insiders} others"
    sentence = f"whoever knows the whole baskets of everybody, and the rows of {many}, guesses which row is a person's"
    return game.found(name, people, 1 / np.maximum(rows, 1), sentence, 1 / game.k)


def _known_neighbours(game: _VoteGame, name: str) -> Outcome | None:
    seat, possible = game.seat, game.seat.possible
    if possible is None:
        return None
    known = game.insiders + 1
    step = max(1, game.everybody // (_FAR * game.k * known))
    people = game.some(min(_ASKED, max(_LEAST, step * _MESSAGES // max(len(possible[0][1]), 1))))
    order = (game.rng or np.random.default_rng()).permutation(people)
    chances = np.zeros(len(people))
    for at in range(0, len(order), step):
        asked = order[at : at + step]
        chances[np.searchsorted(people, asked)] = _guessed(seat, possible, asked, known)
    many = "the nearest other person" if known == 1 else f"the {known} nearest others"
    sentence = f"whoever knows the whole baskets of everybody, and the row of {many}, makes the best guess"
    return game.found(name, people, chances, sentence)


def _guessed(seat: VoteView, possible: tuple[Lists, Lists], asked: I8, known: int) -> F8:
    """The best guesses at the rows of some people, where the rows of people near them are known."""
    near = np.setdiff1d(nearest(*possible, asked, known), np.r_[-1, asked])
    person, row = owners(possible[0][0]), possible[0][1]
    left = ~np.isin(person, near) & ~np.isin(row, seat.own[near])
    return best_guesses(person[left], row[left], asked, seat.own)


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
        fits, counts, labels = game.seat.fits, game.seat.counts, game.seat.labels
        found = game.seat.labels_of_rows
        if fits is None or counts is None or labels is None or found is None or not (labels[1] >= 0).any():
            return None
        shown, mine = labels
        having = np.flatnonzero(mine >= 0)
        people = having[draw_people(len(having), len(having) if game.most is None else game.most, game.rng)]
        kind = fits.baskets.of[people]
        own = np.asarray(found[kind, mine[people] + 1]).ravel()
        every = np.bincount(shown[shown >= 0], minlength=found.shape[1] - 1)
        return cls(
            people,
            len(having),
            own / np.maximum(fits.sums(counts)[kind], 1),
            np.diff(found[:, 1:].indptr)[kind].astype(np.int64),
            every[mine[people]] / max(len(shown), 1),
        )

    def played(self, name: str, chances: F8, sentence: str, bound: float | None = None) -> Outcome:
        return Outcome(name, bound is not None, bound, chances, self.holders, sentence)


_ALL = "whoever knows the whole baskets of everybody"


def _label_within_l(game: _VoteGame, name: str) -> Outcome | None:
    shares = game.shares
    if game.l is None or shares is None:
        return None
    sentence = (
        f"{_ALL} guesses a person's label evenly among the different ones on rows that may be that person's"
    )
    return shares.played(name, 1 / np.maximum(shares.different, 1), sentence, 1 / game.l)


def _homogeneity(game: _VoteGame, name: str) -> Outcome | None:
    shares = game.shares
    sentence = f"{_ALL} is told a label for certain, because all rows that may be a person's have it"
    return (
        None
        if shares is None
        else shares.played(name, (shares.share >= 1 - 1e-9).astype(np.float64), sentence)
    )


def _skewness(game: _VoteGame, name: str) -> Outcome | None:
    shares = game.shares
    sentence = f"{_ALL} gives a person's label so much more chance than the whole release gives it"
    if shares is None:
        return None
    return shares.played(name, np.maximum(shares.share - shares.prior, 0.0), sentence)


def _inference(game: _VoteGame, name: str) -> Outcome | None:
    shares = game.shares
    sentence = f"{_ALL} gives a person's label its share of the rows that may be that person's"
    return None if shares is None else shares.played(name, shares.share, sentence)


def _prediction(game: _VoteGame, name: str) -> Outcome | None:
    seat, shares = game.seat, game.shares
    if shares is None or seat.labels is None:
        return None
    published = seat.published
    assert published.original_start is not None
    assert published.original_items is not None
    baskets = take(published.original_start, published.original_items.astype(np.int64), shares.people)
    width = 1 + max(int(part.max(initial=-1)) for part in (published.items, published.original_items))
    own = seat.labels[1][shares.people]
    chances = one_of_many((published.start, published.items), seat.labels[0], baskets, own, width)
    sentence = (
        "whoever knows the whole basket of a person learns from the release which items go with which label"
    )
    return shares.played(name, chances, sentence)


def _matrix(row: I8, column: I8, shape: tuple[int, int]) -> "scipy.sparse.csr_array":
    """How often each row and column stand together."""
    found = scipy.sparse.csr_array((np.ones(len(row), dtype=np.int64), (row, column)), shape=shape)
    found.sum_duplicates()
    return found


def _numbered(label: Sensitive, number: dict[str, int]) -> I8:
    """Labels as numbers, one for all spellings of a label; -1 where there is none."""
    codes = [number.setdefault(alike(value), len(number)) for value in label.values]
    return np.array([*codes, -1], dtype=np.int64)[label.codes]


VOTE_PLAYERS: dict[str, Callable[[_VoteGame, str], Outcome | None]] = {
    "whole-basket": _whole_basket,
    "every-basket": _every_basket,
    "insiders": _insiders,
    "label-within-l": _label_within_l,
    "known-neighbours": _known_neighbours,
    "columns-that-follow": _columns_that_follow,
    "homogeneity": _homogeneity,
    "skewness": _skewness,
    "inference": _inference,
    "prediction": _prediction,
}
"""The attackers of baskets published by vote, by name: those inside a claim first. None: there is nothing to play."""
