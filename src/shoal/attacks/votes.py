"""Baskets published by vote: which rows may be a person's, to whoever knows that basket or all baskets.

A basket fits a row if flipping at most `errors` of the row's uncertain items turns what the row lists into it. To
whoever knows all baskets, a row that fits may only be a person's if the others can still be matched one to one.
Equal baskets are one kind, and so are equal rows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy  # its parts come when they are used

from shoal.attacks.background import Lists, bits_of, pairs, stack_padded, transpose
from shoal.attacks.engine import (
    Chances,
    Game,
    Player,
    Weigh,
    draw_people,
    inference_players,
    one_of_many,
    play_all,
)
from shoal.attacks.result import Outcome
from shoal.attacks.view_items import distinct_lists
from shoal.base.discreet import SafeRepr
from shoal.data.arrays import (
    B1,
    F8,
    I8,
    U8,
    concatenate_ranges,
    index_of,
    prefix_sums,
    row_of_entry,
    sums,
    take_rows,
)
from shoal.data.spelling import normalize_value
from shoal.release import Claim, PublishedBits, Sensitive

__all__ = [
    "VOTE_PLAYERS",
    "VoteView",
    "best_guesses",
    "fitting_baskets",
    "matchable",
    "nearest",
    "play_votes",
]

_RARE = 16  # items of a basket that are looked up as bits
_MOST = 20_000_000  # fits that are held


@dataclass(frozen=True, slots=True)
class EqualKinds:
    """Equal things as one: the kind of each, one of each kind, and how many there are."""

    of: I8
    heads: I8
    count: I8

    @classmethod
    def by(cls, keys: Iterable[object]) -> "EqualKinds":
        """Equal keys are one kind."""
        seen: dict[object, int] = {}
        of = np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int64)
        heads = np.zeros(len(seen), dtype=np.int64)
        heads[of[::-1]] = np.arange(len(of))[::-1]
        return cls(of, heads, np.bincount(of, minlength=len(seen)))


@dataclass(frozen=True, slots=True)
class BasketFits:
    """Every kind of basket with every kind of row that it fits, by basket."""

    baskets: EqualKinds
    rows: EqualKinds
    basket: I8
    row: I8

    def sums(self, which: B1 | None = None, count: I8 | None = None) -> I8:
        """For each kind of basket, how many rows it fits; `which` fits count, and how many rows of each kind."""
        some = slice(None) if which is None else which
        weights = (self.rows.count if count is None else count)[self.row[some]]
        counts = np.bincount(self.basket[some], weights=weights, minlength=len(self.baskets.count))
        return counts.astype(np.int64)


def fitting_baskets(published: PublishedBits) -> BasketFits | None:
    """Find every fit; None where there are too many to hold. The originals must be given."""
    assert published.original_start is not None
    assert published.original_items is not None
    held = published.original_start, published.original_items.astype(np.int64)
    shown, maybe = (published.start, published.items), (published.maybe_start, published.maybe)
    baskets = EqualKinds.by(_texts(*held))
    rows = EqualKinds.by(zip(_texts(*shown), _texts(*maybe), published.errors.tolist(), strict=True))
    width = 1 + max(int(part[1].max(initial=-1)) for part in (held, shown, maybe))
    mine = distinct_lists(*take_rows(*held, baskets.heads), width)
    listed = distinct_lists(*take_rows(*shown, rows.heads), width)
    look = _Looking(mine, row_of_entry(mine[0]) * width + mine[1], listed, width)
    found, many = [], 0
    doubts = distinct_lists(*take_rows(*maybe, rows.heads), width)
    may = distinct_lists(*_both(listed, doubts), width)
    certain = _without(listed, doubts, width)
    lines = bits_of(row_of_entry(may[0]), may[1], width, len(rows.heads))
    for basket, row in pairs(stack_padded([lines], len(rows.heads)), _rarest(look.baskets, lines)):
        keep = look.fit(basket, row, may, certain, published.errors[rows.heads])
        found.append((basket[keep], row[keep]))
        many += int(keep.sum())
        if many > _MOST:
            return None
    none = np.zeros(0, dtype=np.int64)
    basket, row = (np.concatenate(part) for part in zip((none, none), *found, strict=True))
    return BasketFits(baskets, rows, basket, row)


def matchable(fits: BasketFits, own: I8, known: I8) -> tuple[B1, I8]:
    """Which fits lie in some matching of people and rows, one to one, and how many rows of each kind are not known.

    `own` (int64[people]) is the true matching; `known` are people of whom it is known. Along a fit and back along the
    true matching one can exchange rows: a fit lies in a matching exactly if exchanges lead back to where they began,
    which they never do from whoever is known.
    """
    people, many = len(fits.baskets.count), len(fits.rows.count)
    left = np.ones(len(own), dtype=bool)
    left[known] = False
    kind, row = fits.baskets.of[left], fits.rows.of[own[left]]
    true = np.unique(row * people + kind)
    tail = np.r_[fits.basket, people + true // people]
    head = np.r_[people + fits.row, true % people]
    size = people + many
    graph = scipy.sparse.csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(size, size))
    _, part = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    return part[fits.basket] == part[people + fits.row], np.bincount(row, minlength=many)


@dataclass(frozen=True, slots=True)
class _Looking:
    """Baskets, as lists and as numbers `basket * width + item`, and what rows list, ready to be compared."""

    baskets: Lists
    keys: I8
    rows: Lists
    width: int

    def fit(self, basket: I8, row: I8, may: Lists, certain: Lists, errors: I8) -> B1:
        """Which pairs fit."""
        size, listed = np.diff(self.baskets[0])[basket], np.diff(self.rows[0])[row]
        keep = np.abs(size - listed) <= errors[row]
        keep[keep] = self._common(basket[keep], row[keep], certain) == np.diff(certain[0])[row[keep]]
        differing = size[keep] + listed[keep] - 2 * self._common(basket[keep], row[keep], self.rows)
        keep[keep] = differing <= errors[row[keep]]
        large = np.flatnonzero(keep & (size > _RARE))  # of the others every item was looked up
        keep[large] = self._common(basket[large], row[large], may) == size[large]
        return np.asarray(keep)

    def _common(self, basket: I8, row: I8, lists: Lists) -> I8:
        """How many items each basket shares with the list of the row beside it."""
        start, items = take_rows(*lists, row)
        keys = np.repeat(basket, np.diff(start)) * self.width + items
        return sums(start, index_of(self.keys, keys) >= 0)


def _texts(start: I8, items: I8) -> Iterable[bytes]:
    """Each list as bytes, its numbers ascending and once."""
    return (np.unique(items[a:b]).tobytes() for a, b in pairwise(start.tolist()))


def _both(one: Lists, other: Lists) -> Lists:
    """For each row, what is in one list and what is in the other."""
    row, items = np.r_[row_of_entry(one[0]), row_of_entry(other[0])], np.r_[one[1], other[1]]
    order = np.argsort(row, kind="stable")
    return one[0] + other[0], items[order]


def _without(lists: Lists, other: Lists, width: int) -> Lists:
    """What is in each list and not in the other one beside it."""
    keys = np.setdiff1d(row_of_entry(lists[0]) * width + lists[1], row_of_entry(other[0]) * width + other[1])
    return prefix_sums(np.bincount(keys // width, minlength=len(lists[0]) - 1)), keys % width


def _rarest(baskets: Lists, lines: U8) -> I8:
    """Each basket's items, those that the fewest rows may hold first, as keys; of large ones only the first."""
    often = np.bitwise_count(lines).sum(axis=1, dtype=np.int64)
    start, items = baskets
    order = np.lexsort((often[items], row_of_entry(start)))
    sizes = np.minimum(np.diff(start), _RARE)
    keys = np.full((len(sizes), max(int(sizes.max(initial=0)), 1)), -1, dtype=np.int64)
    line = np.repeat(np.arange(len(sizes)), sizes)
    keys[line, concatenate_ranges(np.zeros_like(sizes), sizes)] = items[order][
        concatenate_ranges(start[:-1], sizes)
    ]
    return keys


_ROUNDS = 80
_TINY = 1e-9
_EQUAL = 1e-6


def best_guesses(person: I8, row: I8, asked: I8, own: I8) -> F8:
    """The chance that the best guess at each asked person's row is right: 1 over the number of equally good guesses.

    It is the guess of whoever knows all baskets and whose rows some are: to such an attacker all matchings of people
    and rows, one to one, are equally likely. How many of them give a person a certain row is a permanent, which nobody
    can compute; messages between people and rows approximate it (Bethe's permanent), and are exact where the graph of
    possible matches has no cycles.

    Parameters
    ----------
    person, row
        Every person with every row that may be theirs; whoever is known is left out, and so is the known row.
    asked
        The people asked about.
    own
        int64[people], the true row of everybody.

    >>> person, row = np.array([0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2])
    >>> best_guesses(person, row, np.array([0, 1, 2]), np.array([0, 1, 2])).tolist()
    [1.0, 1.0, 1.0]
    """
    likely = _likely(person, row)
    mine = np.isin(person, asked)
    who, where, chance = person[mine], row[mine], likely[mine]
    best = np.zeros(int(max(asked.max(initial=-1), who.max(initial=-1))) + 1)
    np.maximum.at(best, who, chance)
    good = chance >= best[who] * (1 - _EQUAL)
    many = np.bincount(who[good], minlength=len(best))
    right = np.bincount(who[good & (where == own[who])], minlength=len(best)) > 0
    return np.where(right[asked], 1 / np.maximum(many[asked], 1), 0.0)


def nearest(rows: Lists, people: Lists, asked: I8, many: int) -> I8:
    """int64[asked, many]: those people who may have most of the rows that each asked person may have; -1: nobody.

    `rows` are for each person the rows that may be theirs, `people` for each row those whose it may be.
    """
    found = np.full((len(asked), many), -1, dtype=np.int64)
    for place, one in enumerate(asked.tolist()):
        mine = rows[1][rows[0][one] : rows[0][one + 1]]
        names, shared = np.unique(take_rows(*people, mine)[1], return_counts=True)
        shared, names = shared[names != one], names[names != one]
        close = names[np.argsort(-shared, kind="stable")][:many]
        found[place, : len(close)] = close
    return found


def _likely(person: I8, row: I8) -> F8:
    """For each possible match, roughly the share of matchings that it is part of."""
    _, person = np.unique(person, return_inverse=True)
    _, row = np.unique(row, return_inverse=True)
    to_row = np.ones(len(person))
    to_person = np.ones(len(person))
    for _ in range(_ROUNDS):
        to_row = np.sqrt(to_row * _others(person, to_person))
        to_person = np.sqrt(to_person * _others(row, to_row))
    total = np.bincount(person, weights=to_person)
    return np.asarray(to_person / total[person])


def _others(of: I8, told: F8) -> F8:
    """One over what all others of the same person, or row, are told."""
    rest = np.bincount(of, weights=told)[of] - told
    return np.asarray(1 / np.clip(rest, _TINY, 1 / _TINY))


_EDGES = 1_000_000  # pairs of a person and a row that may be that person's


@dataclass(frozen=True, repr=False)
class VoteView(SafeRepr):
    """Baskets published by vote beside their originals.

    published : rows and originals, and their labels
    own       : int64[people], the released row of each person
    follows   : what follows from items in the label, as somebody found out: for each item of each person the place of a
                list, -1 where nothing does; and the lists, of the rows that show it
    """

    published: PublishedBits
    own: I8
    follows: tuple[I8, Lists] | None = None

    def as_if_inside(self, inside: "VoteView", rng: np.random.Generator) -> "VoteView":
        """The same people, who are not in the release, each with a row that fits; see `TableView.as_if_inside`."""
        if self.fits is None:
            return replace(self, own=np.full(len(self.own), -1))
        found = self.fits.sums()[self.fits.baskets.of] > 0  # only whether there is one counts
        return replace(self, own=np.where(found, 0, -1))

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
        start, rows = take_rows(*by_kind, fits.row[counts][kinds[1]])
        of_kind = start[kinds[0]], rows
        rows_of = take_rows(*of_kind, fits.baskets.of)
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
            row_of_entry(self.published.original_start)[of >= 0].tolist(), of[of >= 0].tolist(), strict=True
        ):
            if mine[person] + 1 in tells[place]:
                found[person] = found.get(person, tells[place]) & tells[place]
        return found


def _matrix(row: I8, column: I8, shape: tuple[int, int]) -> "scipy.sparse.csr_array":
    """How often each row and column stand together."""
    found = scipy.sparse.csr_array((np.ones(len(row), dtype=np.int64), (row, column)), shape=shape)
    found.sum_duplicates()
    return found


def _numbered(label: Sensitive, number: dict[str, int]) -> I8:
    """Labels as numbers, one for all spellings of a label; -1 where there is none."""
    codes = [number.setdefault(normalize_value(value), len(number)) for value in label.values]
    return np.array([*codes, -1], dtype=np.int64)[label.codes]


# --- attackers ----------------------------------------------------------------------------------------------


_ASKED = 400  # people whose neighbours' rows are known
_LEAST = 30  # of them at least
_MESSAGES = 2_000_000  # possible matches looked at for all of them
_INSIDE = 150  # people asked about by insiders, one by one
_FAR = 20  # times k people for each one who is known at a time, so that they do not help each other


def play_votes(
    view: VoteView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play every attacker that baskets published by vote and this claim have a place for; see `play_table`."""
    return play_all(VOTE_PLAYERS, _VoteGame(view, claim.as_dict(), most, rng))


@dataclass(frozen=True)
class _VoteGame(Game):
    view: VoteView

    @property
    def insiders(self) -> int:
        """How many people the claim allows to be insiders."""
        return int(self.claim.get("insiders", 0))

    @property
    def one_in_k(self) -> float:
        return 1 / self.number("k")

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
    return None if game.view.fits is None else _among_fits(game, game.view.fits, None)


def _every_basket(game: _VoteGame) -> Chances | None:
    fits, counts = game.view.fits, game.view.counts
    return None if fits is None or counts is None else _among_fits(game, fits, counts)


def _among_fits(game: _VoteGame, fits: BasketFits, counts: B1 | None) -> Chances:
    people = game.some(game.everybody)
    return game.even(people, fits.sums(counts)[fits.baskets.of[people]])


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
    for labels, some in alike.items():
        rows[some] = on_rows[kind[some]][:, sorted(labels)].sum(axis=1)
    return game.even(people, rows)


def _insiders(game: _VoteGame) -> Chances | None:
    view, possible = game.view, game.view.possible
    if not game.insiders or possible is None or view.fits is None:
        return None
    people = game.some(_INSIDE)
    rows = np.zeros(len(people), dtype=np.int64)
    for place, known in enumerate(nearest(*possible, people, game.insiders)):
        counts, left = matchable(view.fits, view.own, known[known >= 0])
        rows[place] = view.fits.sums(counts, left)[view.fits.baskets.of[people[place]]]
    return game.even(people, rows)


def _known_neighbours(game: _VoteGame) -> Chances | None:
    view, possible = game.view, game.view.possible
    if possible is None:
        return None
    known = game.insiders + 1
    step = max(1, game.everybody // (_FAR * game.number("k") * known))
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
    person, row = row_of_entry(possible[0][0]), possible[0][1]
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


def _told(weigh: Weigh, game: _VoteGame) -> Chances | None:
    """Whoever is told a label by its share of the rows that may be a person's."""
    found = game.shares
    return None if found is None else Chances(weigh(found.share, found.prior), found.holders)


def _label_within_l(game: _VoteGame) -> Chances | None:
    found = game.shares
    if found is None or "l" not in game.claim:
        return None
    return Chances(1 / np.maximum(found.different, 1), found.holders)


def _prediction(game: _VoteGame) -> Chances | None:
    view, (people, holders) = game.view, game.holders
    if view.labels is None or not holders:
        return None
    published = view.published
    assert published.original_start is not None
    assert published.original_items is not None
    baskets = take_rows(published.original_start, published.original_items.astype(np.int64), people)
    width = 1 + max(int(part.max(initial=-1)) for part in (published.items, published.original_items))
    own = view.labels[1][people]
    chances = one_of_many((published.start, published.items), view.labels[0], baskets, own, width)
    return Chances(chances, holders)


_ONE, _ALL = "whoever knows the whole basket of a person", "whoever knows the whole baskets of everybody"


def _several(many: int, one: str, several: str) -> str:
    return one if many == 1 else several.format(many)


VOTE_PLAYERS: tuple[Player[_VoteGame], ...] = (
    Player(
        "whole-basket",
        f"{_ONE} guesses which row belongs to that person",
        _whole_basket,
        lambda game: game.one_in_k,
    ),
    Player(
        "every-basket",
        f"{_ALL} guesses which row belongs to a person",
        _every_basket,
        lambda game: game.one_in_k,
    ),
    Player(
        "insiders",
        lambda game: (
            f"{_ALL}, and the rows of {_several(game.insiders, 'one other person', '{} others')}, guesses which row "
            "belongs to a person"
        ),
        _insiders,
        lambda game: game.one_in_k,
    ),
    Player(
        "label-within-l",
        f"{_ALL} guesses a person's label, each different one on the rows that may be that person's being equally "
        "likely",
        _label_within_l,
        lambda game: 1 / game.number("l"),
    ),
    Player(
        "known-neighbours",
        lambda game: (
            f"{_ALL}, and the row of "
            f"{_several(game.insiders + 1, 'the nearest other person', 'the {} nearest others')}, makes the best guess"
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
    *inference_players(
        _told,
        f"{_ALL} learns a label for certain, because all rows that may be a person's have it",
        f"{_ALL} thinks a person's label that much more likely than the whole release suggests",
        f"{_ALL} takes the share of a person's label among the rows that may be that person's as its chance",
    ),
    Player(
        "prediction",
        f"{_ONE} learns from the release which items go with which label",
        _prediction,
    ),
)
"""The attackers of baskets published by vote: those inside a claim first."""
