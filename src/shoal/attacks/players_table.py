"""The attackers of a released table: whoever knows all quasi-identifiers, and whoever knows a little more."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import exp
from typing import Any

import numpy as np

from shoal.attacks.engine import (
    Chances,
    Player,
    Weigh,
    draw_people,
    guess_by_own_row,
    inference_players,
    play_all,
    uniform_guess,
)
from shoal.attacks.players_register import play_from_outside, play_in_population, play_in_register
from shoal.attacks.players_singling_out import play_lowest_labels, play_singling_out
from shoal.attacks.result import Outcome
from shoal.attacks.view_table import (
    ClassValues,
    Dependency,
    Linkage,
    PublishedColumn,
    Register,
    TableView,
    count_class_values,
    find_fitting_classes,
    link_records,
)
from shoal.data.arrays import F8, I8, chunk_rows, concatenate_ranges, persons_per_code
from shoal.data.spelling import normalize_value
from shoal.release import Claim

__all__ = ["TABLE_PLAYERS", "play_table"]

_PAIRS = 400_000_000  # records times classes that are compared: a few seconds
_BLOCK = 1 << 22  # pairs of a record and a row that are compared at once


def play_table(
    view: TableView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play every attacker of a table that these data and this claim have a place for.

    Parameters
    ----------
    view
        The release beside its originals.
    claim
        What the release claims; attackers inside it get their bounds from it.
    most
        How many people are played at most, drawn evenly; None means as many as a few seconds allow.
    rng
        Who is drawn; None means randomness of the operating system.
    """
    cheap = _PAIRS // max(len(view.labels), 1)
    people = draw_people(view.people, cheap if most is None else min(most, cheap), rng)
    looked = link_records(view, view.records_of(people))
    claim_facts = [part.as_dict() for part in claim.parts]
    return play_all(TABLE_PLAYERS, _TableGame(looked, claim_facts))


@dataclass(frozen=True, slots=True)
class _TableGame:
    """What was looked at, and what is claimed."""

    looked: Linkage
    claims: Sequence[Mapping[str, Any]]

    def claim_numbers(self, *models: str) -> Mapping[str, Any] | None:
        """The numbers of the first of some claims that the release makes."""
        return next((claim for claim in self.claims if claim["model"] in models), None)

    @property
    def highest_allowed(self) -> float | None:
        """The highest chance of finding somebody's row: 1 / k, or 1 / l, for l different values need l records.

        None where the claim does not cover whoever knows all quasi-identifiers of somebody in the data.
        """
        if self.claim_numbers(_SUBSETS) is not None:
            return None
        diverse = self.claim_numbers("l-diversity") or {"l": 1}
        least_alike = max(int(diverse["l"]), *(int(claim.get("k") or 1) for claim in self.claims))
        return 1 / least_alike if least_alike > 1 or self.outside is None else None

    @property
    def outside(self) -> float | None:
        """The highest chance of telling whose a row is for whoever has a population; None where none is claimed."""
        mapped, share = self.claim_numbers("k-map"), self.claim_numbers("delta-presence")
        bounds = [1 / mapped["k_map"]] if mapped is not None else []
        return min(bounds + ([share["presence"][1]] if share is not None else []), default=None)

    def by_person(self, chances: F8) -> Chances:
        """The highest chance of each person; `chances` are of records."""
        view = self.looked.view
        return Chances(view.highest_by_person(self.looked.records, chances), view.people)


def _play_all_quasi_identifiers(game: _TableGame) -> Chances:
    return game.by_person(uniform_guess(game.looked.persons, game.looked.fits))


def _say_all_quasi_identifiers(game: _TableGame) -> str:
    one_row = game.looked.view.persons is None
    target = "row is that person's" if one_row else "of the persons with such rows it is"
    return f"anyone who knows all quasi-identifiers of a person guesses which {target}"


def _play_own_class(game: _TableGame) -> Chances | None:
    """The most that quasi-identifiers can tell: the rows of a class are equal, so nobody tells them apart by these."""
    looked, view = game.looked, game.looked.view
    return game.by_person(guess_by_own_row(view.of_record[looked.records], view.people_per_class))


def _play_known_columns(game: _TableGame, *, shown: bool = False) -> Chances | None:
    """Whoever knows one of the sets of columns that may be known; of all sets the one that tells most of a person.

    With `shown` those rows count alone, of all that fit, that are blank in the fewest of these columns.
    """
    claim, looked = game.claim_numbers(_SUBSETS), game.looked
    if claim is None:
        return None
    sets = _list_sets(claim["subsets"], looked.view)
    classes = max(len(np.unique(looked.view.forms[:, list(column_set)], axis=0)) for column_set in sets)
    view, most = looked.view, max(_PAIRS // (classes * len(sets)), 1)
    people = np.unique(view.person[looked.records])
    records = looked.records[np.isin(view.person[looked.records], people[:: -(-len(people) // most)])]
    chances = np.zeros(len(records))
    for column_set in sets:
        narrowed = view.restrict_to(column_set)
        guesses = _guess_by_shown(narrowed, records) if shown else _guess_by_fit(narrowed, records)
        chances = np.maximum(chances, guesses)
    return Chances(view.highest_by_person(records, chances), view.people)


def _list_sets(subsets: Any, view: TableView) -> list[tuple[int, ...]]:
    """The sets of columns that the claim speaks of, by their numbers."""
    d = view.values.shape[1]
    if isinstance(subsets, int):
        return list(combinations(range(d), min(subsets, d)))
    return [tuple(view.names.index(name) for name in names) for names in subsets]


def _guess_by_fit(view: TableView, records: I8) -> F8:
    looked = link_records(view, records)
    return uniform_guess(looked.persons, looked.fits)


def _guess_by_shown(view: TableView, records: I8) -> F8:
    """Of the rows that fit, those that show most; the own one is among them or not."""
    blank = np.zeros(len(view.labels), dtype=np.int64)
    for j, cover in enumerate(view.covers):
        blank += np.asarray(cover.all(axis=1), dtype=np.int64)[view.labels[:, j]]
    guesses = np.zeros(len(records))
    for block, record_index, class_ids in find_fitting_classes(view, records):
        wide = block.stop - block.start
        least = np.full(wide, len(view.covers) + 1)
        np.minimum.at(least, record_index, blank[class_ids])
        is_best = blank[class_ids] == least[record_index]
        rows = np.bincount(record_index[is_best], weights=view.size[class_ids[is_best]], minlength=wide)
        own_class = view.of_record[records[block]]
        own_fits = np.zeros(wide, dtype=bool)
        own_fits[record_index[is_best & (class_ids == own_class[record_index])]] = True
        guesses[block] = uniform_guess(rows, own_fits)
    return guesses


def _say_known_columns(game: _TableGame) -> str:
    claim = game.claim_numbers(_SUBSETS)
    subsets = claim["subsets"] if claim is not None else 0
    phrase = (
        f"any {subsets} quasi-identifiers"
        if isinstance(subsets, int)
        else "a listed set of quasi-identifiers"
    )
    return f"anyone who knows {phrase} of a person, the most revealing ones,"


def _play_several_rows(game: _TableGame) -> Chances | None:
    looked = game.looked
    if looked.view.persons is None:
        return None
    return game.by_person(np.where(looked.fits, looked.mine / np.maximum(looked.crowd, 1), 0.0))


def _play_linked_rows(game: _TableGame) -> Chances | None:
    """The most that quasi-identifiers of all rows tell where rows are linked: persons with equal rows are as likely."""
    if game.claim_numbers(_LINKED) is None:
        return None
    view = game.looked.view
    rows: dict[int, list[int]] = {}
    for person, class_id in zip(view.person.tolist(), view.of_record.tolist(), strict=True):
        if class_id >= 0:
            rows.setdefault(person, []).append(class_id)
    person_counts = Counter(tuple(sorted(classes)) for classes in rows.values())
    chance = {person: 1 / person_counts[tuple(sorted(classes))] for person, classes in rows.items()}
    return game.by_person(
        np.array([chance.get(person_id, 0.0) for person_id in view.person[game.looked.records].tolist()])
    )


def _play_one_more_column(game: _TableGame, columns: Sequence[PublishedColumn]) -> Chances | None:
    looked = game.looked
    if not columns:
        return None
    chances = np.zeros(len(looked.records))
    for column in columns:
        fitting = np.where(column.original[looked.records] >= 0, looked.same[column.name], looked.crowd)
        own_rows = np.where(column.original[looked.records] >= 0, looked.own[column.name], looked.mine)
        chances = np.maximum(
            chances, np.where(looked.fits & (fitting > 0), own_rows / np.maximum(fitting, 1), 0.0)
        )
    return game.by_person(np.minimum(chances, 1.0))


def _say_one_more_column(columns: Sequence[PublishedColumn], kind: str) -> str:
    phrase = (
        f"the {kind} column"
        if len(columns) == 1
        else f"the {kind} column that reveals most about that person"
    )
    return f"anyone who knows all quasi-identifiers of a person and {phrase} guesses which row belongs to that person"


def _play_columns_that_follow(game: _TableGame) -> Chances | None:
    """The most that quasi-identifiers tell by rules: rows of the own class that show what is expected of a person."""
    rules, records = game.looked.view.rules, game.looked.records
    if not rules:
        return None
    chances = np.zeros(len(records))
    for subset in (*((rule,) for rule in rules), rules):  # one rule, or all of them
        chances = np.maximum(chances, uniform_guess(_count_showing(game.looked.view, subset, records)))
    return game.by_person(chances)


def _count_showing(view: TableView, rules: Sequence[Dependency], records: I8) -> I8:
    """How many persons have rows in a record's class that show what rules expect; 0 where the record breaks one."""
    keeps_rules, rows = view.of_record >= 0, np.flatnonzero(view.of_record >= 0)
    for rule in rules:
        keeps_rules, rows = keeps_rules & rule.is_kept, rows[rule.shows[rows]]
    exact, wide = ([rule for rule in rules if (rule.width == 1) is is_exact] for is_exact in (True, False))
    keys = [view.of_record, *(rule.shown for rule in exact)]
    expected = [view.of_record, *(rule.low for rule in exact)]
    lines = np.stack(
        [np.concatenate([key[rows], low[records]]) for key, low in zip(keys, expected, strict=True)], axis=1
    )
    line = np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1)
    of_row, of_record = line[: len(rows)], line[len(rows) :]
    if wide:
        persons = _count_within_all(view, wide, rows, of_row, records, of_record)
    else:
        persons = persons_per_code(of_row, view.person[rows], width=int(line.max(initial=-1)) + 1)[of_record]
    return np.where(keeps_rules[records], persons, 0)


def _count_within_all(
    view: TableView, rules: Sequence[Dependency], rows: I8, of_row: I8, records: I8, of_record: I8
) -> I8:
    """For each record, how many persons have rows of the same number that show what each of some rules expects.

    `of_row` and `of_record` number the rows and the records. Rows within the window of the first rule stand together.
    """
    first, *other_rules = rules
    values = np.unique(first.shown[rows])
    position = of_row * (len(values) + 1) + np.searchsorted(values, first.shown[rows])
    order = np.argsort(position, kind="stable")
    rows, position = rows[order], position[order]
    start, stop = (
        np.searchsorted(
            position, of_record * (len(values) + 1) + np.searchsorted(values, first.low[records] + offset)
        )
        for offset in (0, first.width)
    )
    counts = np.zeros(len(records), dtype=np.int64)
    for a, b in chunk_rows(stop - start, _BLOCK):
        size = stop[a:b] - start[a:b]
        record_index, row = np.repeat(np.arange(b - a), size), rows[concatenate_ranges(start[a:b], size)]
        fits = np.ones(len(row), dtype=bool)
        for rule in other_rules:
            fits &= rule.expects(rule.shown[row], rule.low[records[a + record_index]])
        counts[a:b] = persons_per_code(
            record_index[fits], None if view.persons is None else view.person[row[fits]], width=b - a
        )
    return counts


def _play_lowest_labels(game: _TableGame) -> Chances | None:
    view = game.looked.view
    return play_lowest_labels(view, game.looked.records, view.parts) if view.parts else None


def _play_with_register(
    game: _TableGame, play: Callable[[TableView, Register, I8], Chances | None]
) -> Chances | None:
    view = game.looked.view
    return None if view.register is None else play(view, view.register, game.looked.records)


def _play_in_population(game: _TableGame) -> Chances | None:
    return (
        None
        if game.claim_numbers("delta-presence") is None
        else _play_with_register(game, play_in_population)
    )


def _say_singling_out(game: _TableGame) -> str:
    view = game.looked.view
    sees = "nothing but the release" + ("" if view.public is None else " and public people")
    narrow = ", and knows that labels are as narrow as possible," if view.parts else ""
    return (
        f"anyone who sees {sees}{narrow} describes people by a class and a part of one label, so that each "
        "description should fit one person only"
    )


def _play_by_own_class(weigh: Weigh, game: _TableGame) -> Chances | None:
    """Whoever finds nobody, but reads sensitive values off the own class; the worst column counts."""
    looked, view = game.looked, game.looked.view
    if not view.sensitive or not len(view.forms):
        return None
    chances = np.zeros(len(looked.records))
    for column in view.sensitive:
        v = count_class_values(view, column, looked.records)
        position = np.searchsorted(looked.records, v.records)
        weights = weigh(v.count / np.maximum(v.persons, 1), v.everywhere / max(v.everybody, 1))
        chances[position] = np.maximum(chances[position], weights)
    return game.by_person(chances)


_Weighing = tuple[F8, F8]
"""For each record, the chance of its sensitive value, and the highest one that the claim allows."""


def _weigh_l_diversity(claim: Mapping[str, Any], v: ClassValues) -> _Weighing:
    kind, l = claim["diversity"], int(claim["l"])
    if kind != "recursive":
        equal = 1 / np.maximum(v.different, 1) if kind == "distinct" else np.exp(-v.entropy)
        return np.where(v.count > 0, equal, 0.0), np.full(len(v.records), 1 / l)
    highest = float(claim["c"]) / (1 + float(claim["c"]))
    return v.count / v.entries, np.full(len(v.records), highest)


def _say_l_diversity(game: _TableGame) -> str:
    claim = game.claim_numbers("l-diversity")
    return f"anyone who finds a person's class {_BY_KIND[(claim or {'diversity': 'distinct'})['diversity']]}"


_BY_KIND = {
    "distinct": "guesses the sensitive value, each different one there being equally likely",
    "entropy": "takes the shares of the sensitive values there as their chances; the geometric mean over the class "
    "counts",
    "recursive": "takes the share of that person's sensitive value there as its chance",
}


def _weigh_t_closeness(claim: Mapping[str, Any], v: ClassValues) -> _Weighing:
    # Moving mass to a value costs 1 per unit; between neighbours of an order 1 / (values - 1).
    widest = 1 if claim["distance"] == "equal" else max(v.values - 1, 1)
    shares = v.count / v.entries - v.everywhere / v.all_entries
    return np.maximum(shares, 0.0), np.full(len(v.records), min(float(claim["t"]) * widest, 1.0))


def _weigh_beta_likeness(claim: Mapping[str, Any], v: ClassValues) -> _Weighing:
    prior = v.everywhere / v.everybody
    gain = np.full(len(v.records), float(claim["beta"]))
    if claim["likeness"] == "enhanced":
        gain = np.minimum(gain, -np.log(np.maximum(prior, 1e-300)))
    return v.count / v.persons, np.minimum(prior * (1 + gain), 1.0)


def _weigh_delta_disclosure(claim: Mapping[str, Any], v: ClassValues) -> _Weighing:
    factor = exp(float(claim["disclosure"]))
    return v.count / v.persons, np.minimum(factor * v.everywhere / v.everybody, 1.0)


def _weigh_alpha_k(claim: Mapping[str, Any], v: ClassValues) -> _Weighing:
    return v.count / v.persons, np.full(len(v.records), float(claim["alpha"]))


def _play_within(
    game: _TableGame, model: str, weigh: Callable[[Mapping[str, Any], ClassValues], _Weighing]
) -> Chances | None:
    """Whoever finds a class and reads sensitive values off it; of several columns, the one nearest to its bound."""
    claim, looked, view = game.claim_numbers(model), game.looked, game.looked.view
    if claim is None:
        return None
    people = np.unique(view.person[looked.records])
    chances, bounds = np.zeros(len(people)), np.full(len(people), np.inf)
    for column in _columns_of_claim(view, claim):
        values = count_class_values(view, column, looked.records)
        _take_nearer(
            chances, bounds, np.searchsorted(people, view.person[values.records]), *weigh(claim, values)
        )
    has_bound = np.isfinite(bounds)
    if not has_bound.any():
        return None
    bounds = np.where(has_bound, bounds, float(bounds[has_bound].max()))
    return Chances(chances, view.people, bounds=bounds)


def _columns_of_claim(view: TableView, claim: Mapping[str, Any]) -> Iterator[PublishedColumn]:
    """The sensitive columns that a claim is about; of those with hidden values only whether a value is one."""
    hidden = claim.get("hidden")
    for column in view.sensitive:
        if hidden is not None and column.name in hidden:
            yield column.only_whether({normalize_value(value) for value in hidden[column.name]})
        elif hidden is None and column.name in (claim.get("columns") or (column.name,)):
            yield column


def _take_nearer(chances: F8, bounds: F8, who: I8, found: F8, allowed: F8) -> None:
    """Keep for each person what is furthest above, or least below, its bound."""
    excess = np.where(np.isfinite(bounds), chances - bounds, -np.inf)
    order = np.argsort(found - allowed, kind="stable")  # the last one of each person stays
    worst = np.full(len(chances), -1)
    worst[who[order]] = order
    indices = np.flatnonzero(worst >= 0)
    indices = indices[(found - allowed)[worst[indices]] > excess[indices]]
    chances[indices], bounds[indices] = found[worst[indices]], allowed[worst[indices]]


def _make_claim_player(
    name: str,
    model: str,
    weigh: Callable[[Mapping[str, Any], ClassValues], _Weighing],
    sentence: str | Callable[[_TableGame], str],
) -> Player[_TableGame]:
    return Player(name, sentence, partial(_play_within, model=model, weigh=weigh), lambda game: 1.0)


_FINDS = "anyone who finds the rows that look like a person's own"
_SHARE = (
    "anyone who finds a person's class takes the share of that person's sensitive value there as its chance"
)
_EACH = f"{_SHARE}; the claim allows each value a chance of its own, and the highest is shown"
_EVERYBODY = "anyone who knows the quasi-identifiers of everybody, and"
_POPULATION = "anyone who has all people of a population, and knows of nobody whether they are in the data,"

_SUBSETS = "k-anonymity of known subsets"
_LINKED = "k-anonymity of linked rows"

TABLE_PLAYERS: tuple[Player[_TableGame], ...] = (
    Player(
        "all-quasi-identifiers",
        _say_all_quasi_identifiers,
        _play_all_quasi_identifiers,
        lambda game: game.highest_allowed,
    ),
    Player(
        "own-class",
        f"{_EVERYBODY} so can tell which rows look like a person's own, guesses among these",
        _play_own_class,
        lambda game: game.highest_allowed,
    ),
    Player(
        "linked-rows",
        "anyone who knows all quasi-identifiers of every row of a person guesses which pseudonym with such rows is "
        "that person's",
        _play_linked_rows,
        lambda game: game.highest_allowed,
    ),
    Player(
        "known-columns",
        lambda game: f"{_say_known_columns(game)} guesses among the rows that fit",
        _play_known_columns,
        lambda game: 1 / int((game.claim_numbers(_SUBSETS) or {"k": 1})["k"]),
    ),
    Player(
        "shown-columns",
        lambda game: (
            f"{_say_known_columns(game)} guesses among those rows that fit and have the fewest blanks there"
        ),
        partial(_play_known_columns, shown=True),
    ),
    Player(
        "from-outside",
        f"{_POPULATION} guesses which of them a row belongs to",
        partial(_play_with_register, play=play_from_outside),
        lambda game: game.outside,
    ),
    Player(
        "in-population",
        f"{_POPULATION} takes the share of look-alikes in the data as the chance that a person is",
        _play_in_population,
        lambda game: (game.claim_numbers("delta-presence") or {"presence": (0, 1)})["presence"][1],
    ),
    _make_claim_player("value-within-l", "l-diversity", _weigh_l_diversity, _say_l_diversity),
    _make_claim_player(
        "value-within-t",
        "t-closeness",
        _weigh_t_closeness,
        "anyone who finds a person's class thinks that person's sensitive value that much more likely than the whole "
        "release suggests",
    ),
    _make_claim_player("value-within-beta", "beta-likeness", _weigh_beta_likeness, _EACH),
    _make_claim_player("value-within-delta", "delta-disclosure privacy", _weigh_delta_disclosure, _EACH),
    _make_claim_player("value-within-alpha", "(alpha,k)-anonymity", _weigh_alpha_k, _SHARE),
    _make_claim_player(
        "hidden-value-within-alpha",
        "hidden values",
        _weigh_alpha_k,
        "anyone who finds a person's class takes the share of people there with any hidden value as that "
        "person's chance "
        "of having one",
    ),
    Player(
        "several-rows",
        "anyone who knows all quasi-identifiers of every row of a person guesses a row; any row of that person will do",
        _play_several_rows,
    ),
    Player(
        "plain-column",
        lambda game: _say_one_more_column(game.looked.view.plain, "plain"),
        lambda game: _play_one_more_column(game, game.looked.view.plain),
    ),
    Player(
        "sensitive-column",
        lambda game: _say_one_more_column(game.looked.view.sensitive, "sensitive"),
        lambda game: _play_one_more_column(game, game.looked.view.sensitive),
    ),
    Player(
        "columns-that-follow",
        lambda game: (
            f"{_EVERYBODY} what follows from them in other published columns, guesses among the rows that look like a "
            "person's own and show it"
        ),
        _play_columns_that_follow,
    ),
    Player(
        "lowest-labels",
        "anyone who knows that labels are as narrow as possible concludes that several parts of each label are in "
        "use, and describes anyone who is alone in one part",
        _play_lowest_labels,
    ),
    Player("singling-out", _say_singling_out, lambda game: play_singling_out(game.looked.view)),
    Player(
        "in-register",
        "anyone who has a register of people, among them everybody of the data, concludes who is certainly in the data",
        partial(_play_with_register, play=play_in_register),
    ),
    *inference_players(
        _play_by_own_class,
        f"{_FINDS} learns a sensitive value for certain, because everybody there has the same one",
        f"{_FINDS} thinks that person's sensitive value that much more likely than the whole release suggests",
        f"{_FINDS} takes the share of people there who have that person's sensitive value as its chance",
    ),
)
"""The attackers of a table: those inside a claim first."""
