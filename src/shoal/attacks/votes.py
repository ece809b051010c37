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

from shoal.attacks.background import Lists, iterate_pairs, pack_bits, stack_padded, transpose
from shoal.attacks.engine import (
    Chances,
    Game,
    Player,
    Weigh,
    draw_people,
    inference_players,
    play_all,
    predict_label,
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
    sum_rows,
    take_rows,
)
from shoal.data.spelling import normalize_value
from shoal.release import Claim, PublishedBits, Sensitive

__all__ = [
    "VOTE_PLAYERS",
    "VoteView",
    "_find_fitting_baskets",
    "_find_matchable_fits",
    "_find_nearest_people",
    "_guess_best_rows",
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
        kind_of_key: dict[object, int] = {}
        kinds = np.array([kind_of_key.setdefault(key, len(kind_of_key)) for key in keys], dtype=np.int64)
        heads = np.zeros(len(kind_of_key), dtype=np.int64)
        heads[kinds[::-1]] = np.arange(len(kinds))[::-1]
        return cls(kinds, heads, np.bincount(kinds, minlength=len(kind_of_key)))


@dataclass(frozen=True, slots=True)
class BasketFits:
    """Every kind of basket with every kind of row that it fits, by basket."""

    baskets: EqualKinds
    rows: EqualKinds
    basket: I8
    row: I8

    def sums(self, which: B1 | None = None, count: I8 | None = None) -> I8:
        """For each kind of basket, how many rows it fits; `which` fits count, and how many rows of each kind."""
        selected = slice(None) if which is None else which
        weights = (self.rows.count if count is None else count)[self.row[selected]]
        counts = np.bincount(self.basket[selected], weights=weights, minlength=len(self.baskets.count))
        return counts.astype(np.int64)


def _find_fitting_baskets(published: PublishedBits) -> BasketFits | None:
    """Find every fit; None where there are too many to hold. The originals must be given."""
    assert published.original_start is not None
    assert published.original_items is not None
    original_lists = published.original_start, published.original_items.astype(np.int64)
    published_lists, maybe = (published.start, published.items), (published.maybe_start, published.maybe)
    baskets = EqualKinds.by(_lists_as_bytes(*original_lists))
    rows = EqualKinds.by(
        zip(
            _lists_as_bytes(*published_lists), _lists_as_bytes(*maybe), published.errors.tolist(), strict=True
        )
    )
    width = 1 + max(int(part[1].max(initial=-1)) for part in (original_lists, published_lists, maybe))
    basket_lists = distinct_lists(*take_rows(*original_lists, baskets.heads), width)
    listed = distinct_lists(*take_rows(*published_lists, rows.heads), width)
    look = _FitSearch(basket_lists, row_of_entry(basket_lists[0]) * width + basket_lists[1], listed, width)
    fit_parts, fit_count = [], 0
    doubts = distinct_lists(*take_rows(*maybe, rows.heads), width)
    may = distinct_lists(*_merge_lists(listed, doubts), width)
    certain_lists = _subtract_lists(listed, doubts, width)
    lines = pack_bits(row_of_entry(may[0]), may[1], width, len(rows.heads))
    for basket, row in iterate_pairs(
        stack_padded([lines], len(rows.heads)), _sort_rarest_items(look.baskets, lines)
    ):
        keep = look.fit(basket, row, may, certain_lists, published.errors[rows.heads])
        fit_parts.append((basket[keep], row[keep]))
        fit_count += int(keep.sum())
        if fit_count > _MOST:
            return None
    none = np.zeros(0, dtype=np.int64)
    basket, row = (np.concatenate(part) for part in zip((none, none), *fit_parts, strict=True))
    return BasketFits(baskets, rows, basket, row)


def _find_matchable_fits(fits: BasketFits, own: I8, known: I8) -> tuple[B1, I8]:
    """Which fits lie in some matching of people and rows, one to one, and how many rows of each kind are not known.

    `own` (int64[people]) is the true matching; `known` are people of whom it is known. Along a fit and back along the
    true matching one can exchange rows: a fit lies in a matching exactly if exchanges lead back to where they began,
    which they never do from whoever is known.
    """
    people, kind_count = len(fits.baskets.count), len(fits.rows.count)
    is_unknown = np.ones(len(own), dtype=bool)
    is_unknown[known] = False
    kind, row = fits.baskets.of[is_unknown], fits.rows.of[own[is_unknown]]
    true_keys = np.unique(row * people + kind)
    tail = np.r_[fits.basket, people + true_keys // people]
    head = np.r_[people + fits.row, true_keys % people]
    size = people + kind_count
    graph = scipy.sparse.csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(size, size))
    _, part = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    return part[fits.basket] == part[people + fits.row], np.bincount(row, minlength=kind_count)


@dataclass(frozen=True, slots=True)
class _FitSearch:
    """Baskets, as lists and as numbers `basket * width + item`, and what rows list, ready to be compared."""

    baskets: Lists
    keys: I8
    rows: Lists
    width: int

    def fit(self, basket: I8, row: I8, may: Lists, certain: Lists, errors: I8) -> B1:
        """Which pairs fit."""
        size, listed = np.diff(self.baskets[0])[basket], np.diff(self.rows[0])[row]
        keep = np.abs(size - listed) <= errors[row]
        keep[keep] = self._count_common(basket[keep], row[keep], certain) == np.diff(certain[0])[row[keep]]
        differing = size[keep] + listed[keep] - 2 * self._count_common(basket[keep], row[keep], self.rows)
        keep[keep] = differing <= errors[row[keep]]
        large = np.flatnonzero(keep & (size > _RARE))  # of the others every item was looked up
        keep[large] = self._count_common(basket[large], row[large], may) == size[large]
        return np.asarray(keep)

    def _count_common(self, basket: I8, row: I8, lists: Lists) -> I8:
        """How many items each basket shares with the list of the row beside it."""
        start, items = take_rows(*lists, row)
        keys = np.repeat(basket, np.diff(start)) * self.width + items
        return sum_rows(start, index_of(self.keys, keys) >= 0)


def _lists_as_bytes(start: I8, items: I8) -> Iterable[bytes]:
    """Each list as bytes, its numbers ascending and once."""
    return (np.unique(items[a:b]).tobytes() for a, b in pairwise(start.tolist()))


def _merge_lists(one: Lists, other: Lists) -> Lists:
    """For each row, what is in one list and what is in the other."""
    row, items = np.r_[row_of_entry(one[0]), row_of_entry(other[0])], np.r_[one[1], other[1]]
    order = np.argsort(row, kind="stable")
    return one[0] + other[0], items[order]


def _subtract_lists(lists: Lists, other: Lists, width: int) -> Lists:
    """What is in each list and not in the other one beside it."""
    keys = np.setdiff1d(row_of_entry(lists[0]) * width + lists[1], row_of_entry(other[0]) * width + other[1])
    return prefix_sums(np.bincount(keys // width, minlength=len(lists[0]) - 1)), keys % width


def _sort_rarest_items(baskets: Lists, lines: U8) -> I8:
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


def _guess_best_rows(person: I8, row: I8, asked: I8, own: I8) -> F8:
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
    >>> _guess_best_rows(person, row, np.array([0, 1, 2]), np.array([0, 1, 2])).tolist()
    [1.0, 1.0, 1.0]
    """
    probabilities = _match_probabilities(person, row)
    is_asked = np.isin(person, asked)
    asked_person, asked_row, chance = person[is_asked], row[is_asked], probabilities[is_asked]
    best_chance = np.zeros(int(max(asked.max(initial=-1), asked_person.max(initial=-1))) + 1)
    np.maximum.at(best_chance, asked_person, chance)
    is_best = chance >= best_chance[asked_person] * (1 - _EQUAL)
    guess_counts = np.bincount(asked_person[is_best], minlength=len(best_chance))
    is_right = (
        np.bincount(asked_person[is_best & (asked_row == own[asked_person])], minlength=len(best_chance)) > 0
    )
    return np.where(is_right[asked], 1 / np.maximum(guess_counts[asked], 1), 0.0)


def _find_nearest_people(rows: Lists, people: Lists, asked: I8, many: int) -> I8:
    """int64[asked, many]: those people who may have most of the rows that each asked person may have; -1: nobody.

    `rows` are for each person the rows that may be theirs, `people` for each row those whose it may be.
    """
    neighbours = np.full((len(asked), many), -1, dtype=np.int64)
    for index, asked_person in enumerate(asked.tolist()):
        possible_rows = rows[1][rows[0][asked_person] : rows[0][asked_person + 1]]
        names, shared = np.unique(take_rows(*people, possible_rows)[1], return_counts=True)
        shared, names = shared[names != asked_person], names[names != asked_person]
        close = names[np.argsort(-shared, kind="stable")][:many]
        neighbours[index, : len(close)] = close
    return neighbours


def _match_probabilities(person: I8, row: I8) -> F8:
    """For each possible match, roughly the share of matchings that it is part of."""
    _, person = np.unique(person, return_inverse=True)
    _, row = np.unique(row, return_inverse=True)
    to_row = np.ones(len(person))
    to_person = np.ones(len(person))
    for _ in range(_ROUNDS):
        to_row = np.sqrt(to_row * _invert_other_messages(person, to_person))
        to_person = np.sqrt(to_person * _invert_other_messages(row, to_row))
    total = np.bincount(person, weights=to_person)
    return np.asarray(to_person / total[person])


def _invert_other_messages(of: I8, told: F8) -> F8:
    """One over what all others of the same person, or row, are told."""
    other_messages = np.bincount(of, weights=told)[of] - told
    return np.asarray(1 / np.clip(other_messages, _TINY, 1 / _TINY))


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
        has_fit = self.fits.sums()[self.fits.baskets.of] > 0  # only whether there is one counts
        return replace(self, own=np.where(has_fit, 0, -1))

    @cached_property
    def fits(self) -> BasketFits | None:
        """Which rows fit which baskets; None where there are too many."""
        return _find_fitting_baskets(self.published)

    @cached_property
    def counts(self) -> B1 | None:
        """Which fits may be true, to whoever knows all baskets; None where that cannot be told."""
        is_complete = np.array_equal(np.sort(self.own), np.arange(len(self.published.errors)))
        return (
            _find_matchable_fits(self.fits, self.own, self.own[:0])[0]
            if self.fits is not None and is_complete
            else None
        )

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
        row_labels, person_labels = self.published.label, self.published.original_label
        if row_labels is None or person_labels is None:
            return None
        number: dict[str, int] = {}
        return _number_labels(row_labels, number), _number_labels(person_labels, number)

    @cached_property
    def labels_of_rows(self) -> "scipy.sparse.csr_array | None":
        """For each kind of basket, how many rows that may be its person's have no label, the first, and so on.

        Rows may be a person's to whoever knows all baskets, or where that cannot be told, the one basket.
        """
        if self.fits is None or self.labels is None:
            return None
        fits, row_labels = self.fits, self.labels[0]
        width = 2 + max(int(part.max(initial=-1)) for part in self.labels)
        on_rows = _count_matrix(fits.rows.of, row_labels + 1, (len(fits.rows.count), width))
        selected = slice(None) if self.counts is None else self.counts
        size = len(fits.baskets.count), len(fits.rows.count)
        return (_count_matrix(fits.basket[selected], fits.row[selected], size) @ on_rows).tocsr()

    @cached_property
    def label_guesses(self) -> dict[int, frozenset[int]]:
        """The labels, from 1, and 0 for none, that a person's items tell where they tell the person's own."""
        if self.follows is None or self.labels is None:
            return {}
        list_of_item, (start, rows) = self.follows
        row_labels, person_labels = self.labels
        tells = [frozenset((row_labels[rows[a:b]] + 1).tolist()) for a, b in pairwise(start.tolist())]
        assert self.published.original_start is not None
        labels_of_person: dict[int, frozenset[int]] = {}
        for person, list_id in zip(
            row_of_entry(self.published.original_start)[list_of_item >= 0].tolist(),
            list_of_item[list_of_item >= 0].tolist(),
            strict=True,
        ):
            if person_labels[person] + 1 in tells[list_id]:
                labels_of_person[person] = labels_of_person.get(person, tells[list_id]) & tells[list_id]
        return labels_of_person


def _count_matrix(row: I8, column: I8, shape: tuple[int, int]) -> "scipy.sparse.csr_array":
    """How often each row and column stand together."""
    matrix = scipy.sparse.csr_array((np.ones(len(row), dtype=np.int64), (row, column)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _number_labels(label: Sensitive, number: dict[str, int]) -> I8:
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


def _play_whole_basket(game: _VoteGame) -> Chances | None:
    return None if game.view.fits is None else _guess_among_fits(game, game.view.fits, None)


def _play_every_basket(game: _VoteGame) -> Chances | None:
    fits, counts = game.view.fits, game.view.counts
    return None if fits is None or counts is None else _guess_among_fits(game, fits, counts)


def _guess_among_fits(game: _VoteGame, fits: BasketFits, counts: B1 | None) -> Chances:
    people = game.some(game.everybody)
    return game.even(people, fits.sums(counts)[fits.baskets.of[people]])


def _play_columns_that_follow(game: _VoteGame) -> Chances | None:
    view, fits, on_rows = game.view, game.view.fits, game.view.labels_of_rows
    if not view.label_guesses or fits is None or on_rows is None:
        return None
    people = game.some(game.everybody)
    kind = fits.baskets.of[people]
    rows = fits.sums(view.counts)[kind]
    people_by_labels: dict[frozenset[int], list[int]] = {}
    for index, person in enumerate(people.tolist()):
        if person in view.label_guesses:
            people_by_labels.setdefault(view.label_guesses[person], []).append(index)
    for labels, indices in people_by_labels.items():
        rows[indices] = on_rows[kind[indices]][:, sorted(labels)].sum(axis=1)
    return game.even(people, rows)


def _play_insiders(game: _VoteGame) -> Chances | None:
    view, candidates = game.view, game.view.possible
    if not game.insiders or candidates is None or view.fits is None:
        return None
    people = game.some(_INSIDE)
    rows = np.zeros(len(people), dtype=np.int64)
    for index, known_people in enumerate(_find_nearest_people(*candidates, people, game.insiders)):
        counts, row_counts = _find_matchable_fits(view.fits, view.own, known_people[known_people >= 0])
        rows[index] = view.fits.sums(counts, row_counts)[view.fits.baskets.of[people[index]]]
    return game.even(people, rows)


def _play_known_neighbours(game: _VoteGame) -> Chances | None:
    view, candidates = game.view, game.view.possible
    if candidates is None:
        return None
    neighbour_count = game.insiders + 1
    step = max(1, game.everybody // (_FAR * game.number("k") * neighbour_count))
    people = game.some(min(_ASKED, max(_LEAST, step * _MESSAGES // max(len(candidates[0][1]), 1))))
    order = (game.rng or np.random.default_rng()).permutation(people)
    chances = np.zeros(len(people))
    for begin in range(0, len(order), step):
        asked_people = order[begin : begin + step]
        chances[np.searchsorted(people, asked_people)] = _guess_rows(
            view, candidates, asked_people, neighbour_count
        )
    return Chances(chances, game.everybody)


def _guess_rows(view: VoteView, possible: tuple[Lists, Lists], asked: I8, known: int) -> F8:
    """The best guesses at the rows of some people, where the rows of people near them are known."""
    near_people = np.setdiff1d(_find_nearest_people(*possible, asked, known), np.r_[-1, asked])
    person, row = row_of_entry(possible[0][0]), possible[0][1]
    is_open = ~np.isin(person, near_people) & ~np.isin(row, view.own[near_people])
    return _guess_best_rows(person[is_open], row[is_open], asked, view.own)


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
        label_counts = game.view.labels_of_rows
        people, holders = game.holders
        if fits is None or counts is None or labels is None or label_counts is None or not holders:
            return None
        row_labels, person_labels = labels
        kind = fits.baskets.of[people]
        own_counts = np.asarray(label_counts[kind, person_labels[people] + 1]).ravel()
        label_totals = np.bincount(row_labels[row_labels >= 0], minlength=label_counts.shape[1] - 1)
        return cls(
            people,
            holders,
            own_counts / np.maximum(fits.sums(counts)[kind], 1),
            np.diff(label_counts[:, 1:].indptr)[kind].astype(np.int64),
            label_totals[person_labels[people]] / max(len(row_labels), 1),
        )


def _play_inference(weigh: Weigh, game: _VoteGame) -> Chances | None:
    """Whoever is told a label by its share of the rows that may be a person's."""
    shares = game.shares
    return None if shares is None else Chances(weigh(shares.share, shares.prior), shares.holders)


def _play_label_within_l(game: _VoteGame) -> Chances | None:
    shares = game.shares
    if shares is None or "l" not in game.claim:
        return None
    return Chances(1 / np.maximum(shares.different, 1), shares.holders)


def _play_prediction(game: _VoteGame) -> Chances | None:
    view, (people, holders) = game.view, game.holders
    if view.labels is None or not holders:
        return None
    published = view.published
    assert published.original_start is not None
    assert published.original_items is not None
    baskets = take_rows(published.original_start, published.original_items.astype(np.int64), people)
    width = 1 + max(int(part.max(initial=-1)) for part in (published.items, published.original_items))
    own_labels = view.labels[1][people]
    chances = predict_label((published.start, published.items), view.labels[0], baskets, own_labels, width)
    return Chances(chances, holders)


_ONE, _ALL = (
    "anyone who knows the whole basket of a person",
    "anyone who knows the whole baskets of everybody",
)


def _count_phrase(many: int, one: str, several: str) -> str:
    return one if many == 1 else several.format(many)


VOTE_PLAYERS: tuple[Player[_VoteGame], ...] = (
    Player(
        "whole-basket",
        f"{_ONE} guesses which row belongs to that person",
        _play_whole_basket,
        lambda game: game.one_in_k,
    ),
    Player(
        "every-basket",
        f"{_ALL} guesses which row belongs to a person",
        _play_every_basket,
        lambda game: game.one_in_k,
    ),
    Player(
        "insiders",
        lambda game: (
            f"{_ALL}, and the rows of {_count_phrase(game.insiders, 'one other person', '{} others')}, guesses "
            "which row "
            "belongs to a person"
        ),
        _play_insiders,
        lambda game: game.one_in_k,
    ),
    Player(
        "label-within-l",
        f"{_ALL} guesses a person's label, each different one on the rows that may be that person's being equally "
        "likely",
        _play_label_within_l,
        lambda game: 1 / game.number("l"),
    ),
    Player(
        "known-neighbours",
        lambda game: (
            f"{_ALL}, and the row of "
            f"{_count_phrase(game.insiders + 1, 'the nearest other person', 'the {} nearest others')}, makes "
            "the best guess"
        ),
        _play_known_neighbours,
    ),
    Player(
        "columns-that-follow",
        lambda game: (
            f"{_ONE if game.view.counts is None else _ALL}, and what follows from a person's items in the label, "
            "guesses which row belongs to that person"
        ),
        _play_columns_that_follow,
    ),
    *inference_players(
        _play_inference,
        f"{_ALL} learns a label for certain, because all rows that may be a person's have it",
        f"{_ALL} thinks a person's label that much more likely than the whole release suggests",
        f"{_ALL} takes the share of a person's label among the rows that may be that person's as its chance",
    ),
    Player(
        "prediction",
        f"{_ONE} learns from the release which items go with which label",
        _play_prediction,
    ),
)
"""The attackers of baskets published by vote: those inside a claim first."""
