"""The engine that plays attackers: what one is, who is drawn, and how likely people are found, or something is told.

A fact is an item, a value, a relation, or that something is lacking; the rows that fit some facts are their
intersection. Views (`view_items`, `view_trees`) say what a fact is; tables and baskets by vote count rows their own way
and share players, drawing and results.

Some attackers find nobody, but are told something sensitive: the rows that fit what they know tell it, or a naive Bayes
guess that is learned from the release alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Generic, Self, TypeVar

import numpy as np

from shoal.attacks.background import (
    Absences,
    Background,
    BestChoice,
    Lists,
    Secrets,
    choose_fewest_rows,
    choose_most_telling,
    count_affordable_people,
    count_rows_with_facts,
    iterate_pairs,
    list_all_facts,
    transpose,
)
from shoal.attacks.result import Control, Outcome
from shoal.attacks.view_items import FactView
from shoal.data.arrays import B1, F8, I8, U8, index_of, prefix_sums, row_of_entry, take_rows

__all__ = [
    "_ABSENCES",
    "_PAIRS",
    "AttributeDisclosure",
    "Chances",
    "FactGame",
    "Game",
    "Player",
    "Weigh",
    "_predict_secret",
    "_rule_out",
    "absence_players",
    "count_after_absences",
    "draw_people",
    "guess_by_own_row",
    "inference_players",
    "no_bound",
    "play_all",
    "predict_label",
    "uniform_guess",
    "weigh_by_share",
]

G = TypeVar("G", contravariant=True)
AnyGame = TypeVar("AnyGame")


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely an attacker is right about each person who was played; see `Outcome` for the fields.

    people  : how many there are, of whom those played were drawn
    figures : what else came of it, by name
    control : the same beside a control that the attacker brings itself
    """

    chances: F8
    people: int
    most: F8 | None = None
    bounds: F8 | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    control: Control | None = None


def no_bound(game: object) -> None:
    """Return None, the bound of attackers whom no claim covers."""


@dataclass(frozen=True, slots=True)
class Player(Generic[G]):
    """One attacker of a kind of game.

    name     : plain words joined by hyphens
    sentence : what the attacker knows and wants, in every game or in this one
    play     : how likely people are found; None where this game has no place for the attacker
    bound    : the highest chance that the claim of this game allows; None beyond it
    """

    name: str
    sentence: str | Callable[[G], str]
    play: Callable[[G], Chances | None]
    bound: Callable[[G], float | None] = no_bound


def play_all(players: Iterable[Player[AnyGame]], game: AnyGame) -> Iterator[Outcome]:
    """Play every attacker that a game has a place for."""
    for player in players:
        chances = player.play(game)
        if chances is None:
            continue
        bound = player.bound(game)
        if bound is not None and chances.bounds is not None:
            bound = float(chances.bounds.max())  # the claim allows some people more than others
        sentence = player.sentence if isinstance(player.sentence, str) else player.sentence(game)
        summary = player.name, bound is not None, bound, chances.chances, chances.people, sentence
        yield Outcome(*summary, chances.bounds, chances.most, chances.figures, chances.control)


_ABSENCES = 4
"""How many things a person may be known not to have."""

_PAIRS = 500_000
"""How many pairs of a person and a row are looked at one by one."""


def absence_players(thing: str, sentence: Callable[[str, Any], str]) -> Iterator[Player["Game"]]:
    """Whoever also knows things, or groups of things, that the person does not have; the `sentence` takes what."""
    single = "an item" if thing == "item" else f"a {thing}"
    for generalized in (False, True):
        for count in range(1, _ABSENCES + 1):
            phrase = f"{single if count == 1 else f'{count} {thing}s'} that the person does not have"
            if generalized:
                groups = "a group" if count == 1 else f"{count} groups"
                phrase = f"{groups} of {thing}s of which the person has none"
            yield Player(
                f"absent-{'groups' if generalized else f'{thing}s'}-{count}",
                partial(sentence, phrase),
                partial(Game.absences, many=count, generalized=generalized),
            )


@dataclass(frozen=True)
class Game:
    """Attackers against one release.

    view  : the release beside its originals
    claim : what it claims, as the manifest holds it
    most  : how many people are played at most; None means as many as a few seconds allow
    rng   : who is drawn; None means randomness of the operating system
    crowd : int64[rows], how few rows publish some of what the claim allows to be known as each row does, where somebody
            counted that for all rows
    """

    view: Any
    claim: Mapping[str, Any]
    most: int | None = None
    rng: np.random.Generator | None = None
    crowd: I8 | None = None

    @property
    def everybody(self) -> int:
        """How many people there are."""
        return len(self.view.own)

    def some(self, cheap: int) -> I8:
        """The people who are played where `cheap` of them can be."""
        return draw_people(self.everybody, cheap if self.most is None else min(cheap, self.most), self.rng)

    def number(self, key: str) -> int:
        """A number of the claim."""
        return int(self.claim[key])

    def even(self, people: I8, rows: I8) -> Chances:
        """An even guess of these people among so many rows; nobody is found whose row was suppressed."""
        return Chances(uniform_guess(rows, self.view.own[people] >= 0), self.everybody)

    @property
    def by_crowd(self) -> Chances | None:
        """An even guess among the rows that were counted for all rows; None where nobody counted."""
        if self.crowd is None:
            return None
        return Chances(guess_by_own_row(self.view.own, self.crowd), self.everybody)

    def absences(self, many: int, *, generalized: bool) -> Chances | None:
        """Play whoever also knows `many` things, or groups of things, that the person does not have."""
        people, remaining = self.rows_after_absences[generalized]
        return self.even(people, remaining[many - 1]) if remaining else None

    @cached_property
    def rows_after_absences(self) -> Mapping[bool, tuple[I8, list[I8]]]:
        """The people who are played, and how many rows fit them where 1, 2, .. absences are known, groups or not."""
        return {}


@dataclass(frozen=True)
class FactGame(Game):
    """Attackers who know a few facts of a person.

    m, n : how many values of a person, and relations among them, the claim allows to be known
    """

    view: FactView
    m: int = 0
    n: int = 0

    @cached_property
    def form_game(self) -> Self:
        """The game of whoever knows the forms in which what a person has was published."""
        return replace(self, view=self.view.as_published)

    @cached_property
    def disclosure(self) -> "AttributeDisclosure | None":
        """What its rows tell of sensitive values."""
        return AttributeDisclosure.on(self)

    @property
    def attacker_text(self) -> str:
        """Whoever knows as much as the claim allows."""
        return f"anyone who knows {self.view.knowledge(self.m, self.n)}"

    def inside(self) -> Chances:
        """Play whoever knows as much as the claim allows."""
        return self._make_chances(self.view.claim_background, *self._best_choice)

    def knowing(self, m: int, n: int = 0, told: Background | None = None) -> Chances:
        """Play whoever knows the m values and n relations of a person that leave fewest rows; of `told`, if given."""
        told = self.view.claim_background if told is None else told
        people = self.some(count_affordable_people(told, m, n))
        return self._make_chances(told, people, choose_fewest_rows(told, people, m, n))

    def knowing_beside(self, *besides: tuple[U8, I8]) -> Chances:
        """Play whoever knows as much as the claim allows, and one fact more: the one that leaves fewest rows.

        A fact is the rows that fit each of its values, as bits, and int64[people], the value of each person.
        """
        background = self.view.claim_background
        people = self.some(count_affordable_people(background, self.m, self.n) // len(besides))
        highest = self._make_chances(
            background, people, choose_fewest_rows(background, people, self.m, self.n)
        )
        for lines, value in besides:
            extended = replace(background.with_lines(lines), beside=value + len(background.bits) - 1)
            candidate = self._make_chances(
                extended, people, choose_fewest_rows(extended, people, self.m, self.n)
            )
            most = (
                None
                if candidate.most is None or highest.most is None
                else np.maximum(highest.most, candidate.most)
            )
            highest = replace(highest, chances=np.maximum(highest.chances, candidate.chances), most=most)
        return highest

    def knowing_all(self) -> Chances:
        """Play whoever knows all of a person that a row can show."""
        background = self.view.claim_background
        people = self.some(self.everybody)
        return self.even(people, count_rows_with_facts(background.bits, list_all_facts(background, people)))

    def one_identity(self) -> Chances:
        """Play whoever also knows that one of the rows that fit is somebody else's."""
        people, choice = self._best_choice
        return self.even(people, np.maximum(choice.rows - 1, 1))

    @cached_property
    def _best_choice(self) -> tuple[I8, BestChoice]:
        background = self.view.claim_background
        people = self.some(count_affordable_people(background, self.m, self.n))
        return people, choose_fewest_rows(background, people, self.m, self.n)

    @cached_property
    def rows_after_absences(self) -> Mapping[bool, tuple[I8, list[I8]]]:
        """The same of whoever knows as much as the claim allows."""
        people, choice = self._best_choice

        def fitting(place: I8) -> Lists:
            parts = list(iterate_pairs(self.view.claim_background.bits, choice.keys[place]))
            person, row = (np.concatenate(part) for part in zip(*parts, strict=True))
            return person, row

        return {
            generalized: count_after_absences(
                self.view.absent(generalized=generalized), people, choice.rows, fitting, self.rng
            )
            for generalized in (False, True)
        }

    def _make_chances(self, told: Background, people: I8, picked: BestChoice) -> Chances:
        chances = self.even(people, picked.rows)
        if picked.whole.all():
            return chances
        least = np.minimum(count_rows_with_facts(told.bits, list_all_facts(told, people)), picked.rows)
        return replace(chances, most=self.even(people, np.where(picked.whole, picked.rows, least)).chances)


def count_after_absences(
    absent: Absences,
    people: I8,
    rows: I8,
    fitting: Callable[[I8], Lists],
    rng: np.random.Generator | None,
) -> tuple[I8, list[I8]]:
    """Some people, and how many rows still fit each where 1, 2, .. absences are known; nothing where no row shows any.

    Parameters
    ----------
    absent
        What people may be known not to have.
    people, rows
        Those who are played, fewer of them where that takes too long; and how many rows fit what else is known.
    fitting
        By their places among `people`, some of them from 0, each with every row that fits.
    rng
        Who is drawn.
    """
    if not len(absent.shown[1]):
        return people, []
    mean = rows.sum() / max(len(rows), 1)
    place = draw_people(len(people), int(_PAIRS / max(float(mean), 1.0)), rng)
    has = take_rows(*absent.has, people[place])
    return people[place], list(_rule_out(*fitting(place), absent.shown, has, absent.width, _ABSENCES))


def _rule_out(place: I8, row: I8, shown: Lists, has: Lists, width: int, many: int) -> Iterator[I8]:
    """For 1, 2, .. `many` absences, how many rows still fit each person: those that show one for certain do not.

    The absences are picked one after the other; each is the one, of what the person lacks, that rules out most of the
    rows that are left.

    Parameters
    ----------
    place, row
        Every person, by a number from 0, with every row that fits what else is known.
    shown
        For each row, the things (numbers below `width`) that it shows for certain.
    has
        For each person, the things that the person has.
    width
        How many things there are.
    many
        How many absences are known at last.

    >>> place, row = np.array([0, 0, 0]), np.array([0, 1, 2])
    >>> shown, has = (np.array([0, 1, 2, 3]), np.array([0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> [left.tolist() for left in _rule_out(place, row, shown, has, 2, 2)]
    [[1], [1]]
    """
    people = len(has[0]) - 1
    width = max(width, 1)
    own_keys = np.unique(row_of_entry(has[0]) * width + has[1])
    start, shown_thing = take_rows(*shown, row)
    pair = row_of_entry(start)  # of a person and a row, with each thing that the row shows
    keys = place[pair] * width + shown_thing
    telling = index_of(own_keys, keys) < 0
    pair, keys = pair[telling], keys[telling]
    remaining = np.ones(len(place), dtype=bool)
    for _ in range(many):
        is_ruled_out = index_of(_find_most_telling(keys[remaining[pair]], width), keys) >= 0
        remaining[pair[is_ruled_out]] = False
        yield np.bincount(place[remaining], minlength=people)


def _find_most_telling(keys: I8, width: int) -> I8:
    """For each person, of the things that rows show the most frequent one, as a key; of ties the smallest."""
    distinct_keys, counts = np.unique(keys, return_counts=True)
    order = np.lexsort((distinct_keys, -counts, distinct_keys // width))
    person = distinct_keys[order] // width
    is_first = np.r_[True, person[1:] != person[:-1]][: len(person)]
    return np.sort(distinct_keys[order][is_first])


def uniform_guess(rows: I8, there: B1 | bool = True) -> F8:
    """For each person an even guess among so many rows; 0 where the own one is not `there`, or none is.

    >>> uniform_guess(np.array([4, 2, 0]), np.array([True, False, True])).tolist()
    [0.25, 0.0, 0.0]
    """
    return np.where(there & (rows > 0), 1 / np.maximum(rows, 1), 0.0)


def guess_by_own_row(own: I8, crowd: I8) -> F8:
    """For each person an even guess among as many rows as are like the person's own; 0 where it was suppressed.

    >>> guess_by_own_row(np.array([1, -1, 0]), np.array([4, 2])).tolist()
    [0.5, 0.0, 0.25]
    """
    return np.where(own >= 0, 1 / np.append(crowd, 1)[own], 0.0)


def draw_people(people: int, most: int, rng: np.random.Generator | None = None) -> I8:
    """Everybody's number where there are at most `most` people, else so many, drawn evenly and without repeats.

    Parameters
    ----------
    people
        How many there are.
    most
        How many are played at most; at least 1 is.
    rng
        None means randomness of the operating system.

    Returns
    -------
    int64, ascending.

    >>> draw_people(4, 9).tolist(), len(draw_people(100, 7))
    ([0, 1, 2, 3], 7)
    """
    if people <= max(most, 1):
        return np.arange(people, dtype=np.int64)
    sample = (rng or np.random.default_rng()).choice(people, size=max(most, 1), replace=False)
    return np.sort(sample).astype(np.int64)


# --- attribute disclosure -----------------------------------------------------------------------------------

Weigh = Callable[[F8, F8], F8]
"""The chance that is given to a value, by the share of rows that have it, and by the share of all rows."""


def weigh_by_share(share: F8, prior: F8) -> F8:
    """The share of rows that have a value, as its chance."""
    return share


_WEIGHTS: Mapping[str, Weigh] = {
    "homogeneity": lambda share, prior: (share >= 1 - 1e-9).astype(np.float64),
    "skewness": lambda share, prior: np.maximum(share - prior, 0.0),
    "inference": weigh_by_share,
}


def inference_players(
    tell: Callable[[Weigh, AnyGame], Chances | None], *sentences: str | Callable[[AnyGame], str]
) -> Iterator[Player[AnyGame]]:
    """Whoever finds nobody, but is told something sensitive: for certain, more than all rows tell, or by its share."""
    for (name, weigh), sentence in zip(_WEIGHTS.items(), sentences, strict=True):
        yield Player(name, sentence, partial(tell, weigh))


@dataclass(frozen=True)
class AttributeDisclosure:
    """What rows give away of those people who have something sensitive.

    holders : int64, the people who have something sensitive and are played
    people  : how many have
    of      : int64, for each sensitive thing of theirs, its owner's place among `holders`
    fact    : int64, the thing
    share   : float64, the highest share of rows that have it, of those that fit what is known
    prior   : float64, the share of all rows that have it
    whole   : bool, whether every choice of what is known was looked at
    """

    secrets: Secrets
    holders: I8
    people: int
    of: I8
    fact: I8
    share: F8
    prior: F8
    whole: B1

    @classmethod
    def on(cls, game: FactGame) -> "AttributeDisclosure | None":
        """Look for what the claim's attackers can be told; None where nothing sensitive is shown."""
        secrets = game.view.secrets
        if secrets is None:
            return None
        background, everyone = secrets.told, np.unique(secrets.person)
        cheap = count_affordable_people(background, game.m, game.n) // 2
        most = cheap if game.most is None else min(cheap, game.most)
        holders = everyone[draw_people(len(everyone), most, game.rng)]
        is_played = np.isin(secrets.person, holders)
        person, fact = secrets.person[is_played], secrets.fact[is_played]
        share, is_complete = _max_shares(game, background, person, fact)
        by_form = game.view.secrets_by_form if "m" in game.claim else None
        if by_form is not None:  # the claim covers whoever knows forms, too
            share_by_form, complete_by_form = _max_shares(game, by_form.told, person, by_form.fact[is_played])
            share, is_complete = np.maximum(share, share_by_form), is_complete & complete_by_form
        prior = count_rows_with_facts(background.bits, fact[:, None]) / max(
            int(np.bitwise_count(background.bits[-1]).sum()), 1
        )
        holder_index = np.searchsorted(holders, person)
        return cls(secrets, holders, len(everyone), holder_index, fact, share, prior, is_complete)

    def play_by_share(self, weigh: Weigh) -> Chances:
        """Play whoever gives it a chance by the share of rows that have it; of choices not looked at, it may be all."""
        highest = np.where(self.whole, self.share, 1.0)
        most = None if self.whole.all() else self._highest(weigh(highest, self.prior))
        return Chances(self._highest(weigh(self.share, self.prior)), self.people, most)

    def play_predictor(self) -> Chances:
        """Play whoever learns from the release which rows have it, and knows all else of a person."""
        background, n = self.secrets.told, int(np.bitwise_count(self.secrets.told.bits[-1]).sum())
        open_facts = np.unique(background.facts)
        kinds, secret = np.unique(self.fact, return_inverse=True)
        learned, having = (
            _unpack_rows(background.bits[open_facts], n),
            _unpack_rows(background.bits[kinds], n),
        )
        start, facts = take_rows(background.start, background.facts, self.holders[self.of])
        people = start, np.searchsorted(open_facts, facts)
        chances = _predict_secret(
            transpose(learned, n), having, people, secret.astype(np.int64), len(open_facts)
        )
        return Chances(self._highest(chances), self.people)

    def _highest(self, chances: F8) -> F8:
        """For each holder, the chance of the thing that is told best."""
        highest = np.zeros(len(self.holders))
        np.maximum.at(highest, self.of, chances)
        return highest


def _max_shares(game: FactGame, told: Background, person: I8, fact: I8) -> tuple[F8, B1]:
    """The highest share of rows that have each sensitive thing, and whether every choice was looked at."""
    choice, having = choose_most_telling(told, person, fact, game.m, game.n)
    is_published = game.view.own[person] >= 0
    return np.where(is_published, having / np.maximum(choice.rows, 1), 0.0), choice.whole


def _unpack_rows(bits: U8, n: int) -> Lists:
    """For each line, the rows that fit it."""
    line, row = np.nonzero(np.unpackbits(bits.view(np.uint8), axis=1, count=n, bitorder="little"))
    return prefix_sums(np.bincount(line, minlength=len(bits))), row


def _predict_secret(rows: Lists, having: Lists, people: Lists, secrets: I8, width: int) -> F8:
    """How likely each person has the secret beside it, to whoever learns from the release who has it.

    Parameters
    ----------
    rows
        For each released row, the facts (numbers below `width`) that it fits.
    having
        For each secret, the rows that have it.
    people
        For each person, the facts that are known.
    secrets
        int64[people], the secret that is asked about.

    Notes
    -----
    Facts count as independent given the secret. Half a row is added to every count, so that no chance is 0 or 1.

    >>> rows, people = (np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> having = np.array([0, 2]), np.array([0, 1])
    >>> _predict_secret(rows, having, people, np.array([0]), 2).round(2).tolist()
    [0.96]
    """
    n, chances = len(rows[0]) - 1, np.zeros(len(secrets))
    fact_counts = np.bincount(rows[1], minlength=width)
    for secret in np.unique(secrets).tolist():
        secret_rows = having[1][having[0][secret] : having[0][secret + 1]]
        with_it = np.bincount(take_rows(*rows, secret_rows)[1], minlength=width)
        present, absent = (
            _learn_weights(with_it, len(secret_rows), n),
            _learn_weights(fact_counts - with_it, n - len(secret_rows), n),
        )
        people_asked = np.flatnonzero(secrets == secret)
        odds = _log_likelihoods(people, people_asked, *present) - _log_likelihoods(
            people, people_asked, *absent
        )
        chances[people_asked] = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return chances


def predict_label(rows: Lists, label: I8, people: Lists, own: I8, width: int) -> F8:
    """How likely each person's own label (int64[people]) is, to whoever learns labels from the release.

    `label` is int64[rows], -1 where a row has none; the rest is as in `_predict_secret`.

    >>> rows, people = (np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> predict_label(rows, np.array([0, 0, 1, 1]), people, np.array([0]), 2).round(2).tolist()
    [0.96]
    """
    n, person_index = len(rows[0]) - 1, np.arange(len(own))
    labels = np.unique(label[label >= 0])
    logs = np.empty((len(labels), len(own)))
    for line, value in enumerate(labels.tolist()):
        label_rows = np.flatnonzero(label == value)
        counts = np.bincount(take_rows(*rows, label_rows)[1], minlength=width)
        logs[line] = _log_likelihoods(people, person_index, *_learn_weights(counts, len(label_rows), n))
    if not len(labels):
        return np.zeros(len(own))
    logs = np.exp(logs - logs.max(axis=0))
    label_index = np.searchsorted(labels, own)
    is_learned = (label_index < len(labels)) & (labels[np.minimum(label_index, len(labels) - 1)] == own)
    share = logs[np.minimum(label_index, len(labels) - 1), person_index] / logs.sum(axis=0)
    return np.where(is_learned, share, 0.0)


def _learn_weights(counts: I8, some: int, n: int) -> tuple[float, F8]:
    """What some of n rows weigh where no fact is known, and what each fact adds to it; logarithms."""
    share = (counts + 0.5) / (some + 1)
    return float(np.log((some + 0.5) / (n + 1)) + np.log1p(-share).sum()), np.log(share) - np.log1p(-share)


def _log_likelihoods(people: Lists, asked: I8, nothing: float, facts: F8) -> F8:
    start, known_facts = take_rows(*people, asked)
    return np.asarray(
        nothing + np.bincount(row_of_entry(start), weights=facts[known_facts], minlength=len(asked))
    )
