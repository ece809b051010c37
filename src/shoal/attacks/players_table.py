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
    by_own_row,
    draw_people,
    inference_players,
    play_all,
    uniform_guess,
)
from shoal.attacks.players_register import from_outside, in_population, in_register
from shoal.attacks.players_singling_out import lowest_labels, singling_out
from shoal.attacks.result import Outcome
from shoal.attacks.view_table import (
    ClassValues,
    Dependency,
    Linkage,
    PublishedColumn,
    Register,
    TableView,
    class_values,
    fitting_classes,
    link_records,
)
from shoal.data.arrays import F8, I8, chunk_rows, concatenate_ranges, persons_per_code
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
    stated = [part.as_dict() for part in claim.parts]
    return play_all(TABLE_PLAYERS, _TableGame(looked, stated))


@dataclass(frozen=True, slots=True)
class _TableGame:
    """What was looked at, and what is claimed."""

    looked: Linkage
    claims: Sequence[Mapping[str, Any]]

    def claimed(self, *models: str) -> Mapping[str, Any] | None:
        """The numbers of the first of some claims that the release makes."""
        return next((claim for claim in self.claims if claim["model"] in models), None)

    @property
    def bound(self) -> float | None:
        """The highest chance of finding somebody's row: 1 / k, or 1 / l, for l different values need l records.

        None where the claim does not cover whoever knows all quasi-identifiers of somebody in the data.
        """
        if self.claimed(_SUBSETS) is not None:
            return None
        diverse = self.claimed("l-diversity") or {"l": 1}
        alike = max(int(diverse["l"]), *(int(claim.get("k") or 1) for claim in self.claims))
        return 1 / alike if alike > 1 or self.outside is None else None

    @property
    def outside(self) -> float | None:
        """The highest chance of telling whose a row is for whoever has a population; None where none is claimed."""
        mapped, share = self.claimed("k-map"), self.claimed("delta-presence")
        bounds = [1 / mapped["k_map"]] if mapped is not None else []
        return min(bounds + ([share["presence"][1]] if share is not None else []), default=None)

    def by_person(self, chances: F8) -> Chances:
        """The highest chance of each person; `chances` are of records."""
        view = self.looked.view
        return Chances(view.highest_by_person(self.looked.records, chances), view.people)


def _all_quasi_identifiers(game: _TableGame) -> Chances:
    return game.by_person(uniform_guess(game.looked.persons, game.looked.fits))


def _say_all_quasi_identifiers(game: _TableGame) -> str:
    one_row = game.looked.view.persons is None
    whose = "row is that person's" if one_row else "of the persons with such rows it is"
    return f"whoever knows all quasi-identifiers of a person guesses which {whose}"


def _own_class(game: _TableGame) -> Chances | None:
    """The most that quasi-identifiers can tell: the rows of a class are equal, so nobody tells them apart by these."""
    looked, view = game.looked, game.looked.view
    return game.by_person(by_own_row(view.of_record[looked.records], view.people_per_class))


def _known_columns(game: _TableGame, *, shown: bool = False) -> Chances | None:
    """Whoever knows one of the sets of columns that may be known; of all sets the one that tells most of a person.

    With `shown` those rows count alone, of all that fit, that are blank in the fewest of these columns.
    """
    claim, looked = game.claimed(_SUBSETS), game.looked
    if claim is None:
        return None
    sets = _sets(claim["subsets"], looked.view)
    classes = max(len(np.unique(looked.view.forms[:, list(one)], axis=0)) for one in sets)
    view, most = looked.view, max(_PAIRS // (classes * len(sets)), 1)
    people = np.unique(view.person[looked.records])
    records = looked.records[np.isin(view.person[looked.records], people[:: -(-len(people) // most)])]
    chances = np.zeros(len(records))
    for one in sets:
        seen = view.seen_in(one)
        found = _found_by_shown(seen, records) if shown else _found_by_fit(seen, records)
        chances = np.maximum(chances, found)
    return Chances(view.highest_by_person(records, chances), view.people)


def _sets(subsets: Any, view: TableView) -> list[tuple[int, ...]]:
    """The sets of columns that the claim speaks of, by their numbers."""
    d = view.values.shape[1]
    if isinstance(subsets, int):
        return list(combinations(range(d), min(subsets, d)))
    return [tuple(view.names.index(name) for name in one) for one in subsets]


def _found_by_fit(view: TableView, records: I8) -> F8:
    looked = link_records(view, records)
    return uniform_guess(looked.persons, looked.fits)


def _found_by_shown(view: TableView, records: I8) -> F8:
    """Of the rows that fit, those that show most; the own one is among them or not."""
    blank = np.zeros(len(view.labels), dtype=np.int64)
    for j, cover in enumerate(view.covers):
        blank += np.asarray(cover.all(axis=1), dtype=np.int64)[view.labels[:, j]]
    found = np.zeros(len(records))
    for some, who, which in fitting_classes(view, records):
        wide = some.stop - some.start
        least = np.full(wide, len(view.covers) + 1)
        np.minimum.at(least, who, blank[which])
        best = blank[which] == least[who]
        rows = np.bincount(who[best], weights=view.size[which[best]], minlength=wide)
        mine = view.of_record[records[some]]
        own = np.zeros(wide, dtype=bool)
        own[who[best & (which == mine[who])]] = True
        found[some] = uniform_guess(rows, own)
    return found


def _say_known_columns(game: _TableGame) -> str:
    claim = game.claimed(_SUBSETS)
    known = claim["subsets"] if claim is not None else 0
    which = (
        f"any {known} quasi-identifiers" if isinstance(known, int) else "a listed set of quasi-identifiers"
    )
    return f"whoever knows {which} of a person, the most revealing ones,"


def _several_rows(game: _TableGame) -> Chances | None:
    looked = game.looked
    if looked.view.persons is None:
        return None
    return game.by_person(np.where(looked.fits, looked.mine / np.maximum(looked.crowd, 1), 0.0))


def _linked_rows(game: _TableGame) -> Chances | None:
    """The most that quasi-identifiers of all rows tell where rows are linked: persons with equal rows are as likely."""
    if game.claimed(_LINKED) is None:
        return None
    view = game.looked.view
    rows: dict[int, list[int]] = {}
    for person, of in zip(view.person.tolist(), view.of_record.tolist(), strict=True):
        if of >= 0:
            rows.setdefault(person, []).append(of)
    alike = Counter(tuple(sorted(found)) for found in rows.values())
    chance = {person: 1 / alike[tuple(sorted(found))] for person, found in rows.items()}
    return game.by_person(
        np.array([chance.get(one, 0.0) for one in view.person[game.looked.records].tolist()])
    )


def _one_more_column(game: _TableGame, columns: Sequence[PublishedColumn]) -> Chances | None:
    looked = game.looked
    if not columns:
        return None
    chances = np.zeros(len(looked.records))
    for column in columns:
        known = np.where(column.original[looked.records] >= 0, looked.same[column.name], looked.crowd)
        mine = np.where(column.original[looked.records] >= 0, looked.own[column.name], looked.mine)
        chances = np.maximum(chances, np.where(looked.fits & (known > 0), mine / np.maximum(known, 1), 0.0))
    return game.by_person(np.minimum(chances, 1.0))


def _say_one_more_column(columns: Sequence[PublishedColumn], kind: str) -> str:
    which = (
        f"the {kind} column"
        if len(columns) == 1
        else f"the {kind} column that reveals most about that person"
    )
    return f"whoever knows all quasi-identifiers of a person and {which} guesses which row belongs to that person"


def _columns_that_follow(game: _TableGame) -> Chances | None:
    """The most that quasi-identifiers tell by rules: rows of the own class that show what is expected of a person."""
    rules, records = game.looked.view.rules, game.looked.records
    if not rules:
        return None
    chances = np.zeros(len(records))
    for some in (*((rule,) for rule in rules), rules):  # one rule, or all of them
        chances = np.maximum(chances, uniform_guess(_showing(game.looked.view, some, records)))
    return game.by_person(chances)


def _showing(view: TableView, rules: Sequence[Dependency], records: I8) -> I8:
    """How many persons have rows in a record's class that show what rules expect; 0 where the record breaks one."""
    right, rows = view.of_record >= 0, np.flatnonzero(view.of_record >= 0)
    for rule in rules:
        right, rows = right & rule.kept, rows[rule.shows[rows]]
    exact, wide = ([rule for rule in rules if (rule.width == 1) is one] for one in (True, False))
    keys = [view.of_record, *(rule.shown for rule in exact)]
    asked = [view.of_record, *(rule.low for rule in exact)]
    lines = np.stack(
        [np.concatenate([key[rows], low[records]]) for key, low in zip(keys, asked, strict=True)], axis=1
    )
    line = np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1)
    of_row, of_record = line[: len(rows)], line[len(rows) :]
    if wide:
        persons = _within_all(view, wide, rows, of_row, records, of_record)
    else:
        persons = persons_per_code(of_row, view.person[rows], width=int(line.max(initial=-1)) + 1)[of_record]
    return np.where(right[records], persons, 0)


def _within_all(
    view: TableView, rules: Sequence[Dependency], rows: I8, of_row: I8, records: I8, of_record: I8
) -> I8:
    """For each record, how many persons have rows of the same number that show what each of some rules expects.

    `of_row` and `of_record` number the rows and the records. Rows within the window of the first rule stand together.
    """
    first, *others = rules
    values = np.unique(first.shown[rows])
    place = of_row * (len(values) + 1) + np.searchsorted(values, first.shown[rows])
    order = np.argsort(place, kind="stable")
    rows, place = rows[order], place[order]
    start, stop = (
        np.searchsorted(
            place, of_record * (len(values) + 1) + np.searchsorted(values, first.low[records] + more)
        )
        for more in (0, first.width)
    )
    found = np.zeros(len(records), dtype=np.int64)
    for a, b in chunk_rows(stop - start, _BLOCK):
        size = stop[a:b] - start[a:b]
        who, row = np.repeat(np.arange(b - a), size), rows[concatenate_ranges(start[a:b], size)]
        fits = np.ones(len(row), dtype=bool)
        for rule in others:
            fits &= rule.expects(rule.shown[row], rule.low[records[a + who]])
        found[a:b] = persons_per_code(
            who[fits], None if view.persons is None else view.person[row[fits]], width=b - a
        )
    return found


def _lowest_labels(game: _TableGame) -> Chances | None:
    view = game.looked.view
    return lowest_labels(view, game.looked.records, view.parts) if view.parts else None


def _beside_register(
    game: _TableGame, play: Callable[[TableView, Register, I8], Chances | None]
) -> Chances | None:
    view = game.looked.view
    return None if view.register is None else play(view, view.register, game.looked.records)


def _in_population(game: _TableGame) -> Chances | None:
    return None if game.claimed("delta-presence") is None else _beside_register(game, in_population)


def _say_singling_out(game: _TableGame) -> str:
    view = game.looked.view
    sees = "nothing but the release" + ("" if view.public is None else " and public people")
    narrow = ", and knows that labels are as narrow as possible," if view.parts else ""
    return (
        f"whoever sees {sees}{narrow} describes people by a class and a part of one label, so that each "
        "description should fit one person only"
    )


def _by_own_class(weigh: Weigh, game: _TableGame) -> Chances | None:
    """Whoever finds nobody, but reads sensitive values off the own class; the worst column counts."""
    looked, view = game.looked, game.looked.view
    if not view.sensitive or not len(view.forms):
        return None
    chances = np.zeros(len(looked.records))
    for column in view.sensitive:
        v = class_values(view, column, looked.records)
        place = np.searchsorted(looked.records, v.records)
        found = weigh(v.count / np.maximum(v.persons, 1), v.everywhere / max(v.everybody, 1))
        chances[place] = np.maximum(chances[place], found)
    return game.by_person(chances)


Weighing = tuple[F8, F8]
"""For each record, the chance of its sensitive value, and the highest one that the claim allows."""


def _l_diversity(claim: Mapping[str, Any], v: ClassValues) -> Weighing:
    kind, l = claim["diversity"], int(claim["l"])
    if kind != "recursive":
        equal = 1 / np.maximum(v.different, 1) if kind == "distinct" else np.exp(-v.entropy)
        return np.where(v.count > 0, equal, 0.0), np.full(len(v.records), 1 / l)
    highest = float(claim["c"]) / (1 + float(claim["c"]))
    return v.count / v.entries, np.full(len(v.records), highest)


def _say_l_diversity(game: _TableGame) -> str:
    claim = game.claimed("l-diversity")
    return f"whoever finds a person's class {_BY_KIND[(claim or {'diversity': 'distinct'})['diversity']]}"


_BY_KIND = {
    "distinct": "guesses the sensitive value, each different one there being equally likely",
    "entropy": "takes the shares of the sensitive values there as their chances; the geometric mean over the class "
    "counts",
    "recursive": "takes the share of that person's sensitive value there as its chance",
}


def _t_closeness(claim: Mapping[str, Any], v: ClassValues) -> Weighing:
    # Moving mass to a value costs 1 per unit; between neighbours of an order 1 / (values - 1).
    widest = 1 if claim["distance"] == "equal" else max(v.values - 1, 1)
    shares = v.count / v.entries - v.everywhere / v.all_entries
    return np.maximum(shares, 0.0), np.full(len(v.records), min(float(claim["t"]) * widest, 1.0))


def _beta_likeness(claim: Mapping[str, Any], v: ClassValues) -> Weighing:
    prior = v.everywhere / v.everybody
    gain = np.full(len(v.records), float(claim["beta"]))
    if claim["likeness"] == "enhanced":
        gain = np.minimum(gain, -np.log(np.maximum(prior, 1e-300)))
    return v.count / v.persons, np.minimum(prior * (1 + gain), 1.0)


def _delta_disclosure(claim: Mapping[str, Any], v: ClassValues) -> Weighing:
    factor = exp(float(claim["disclosure"]))
    return v.count / v.persons, np.minimum(factor * v.everywhere / v.everybody, 1.0)


def _alpha_k(claim: Mapping[str, Any], v: ClassValues) -> Weighing:
    return v.count / v.persons, np.full(len(v.records), float(claim["alpha"]))


def _within(
    game: _TableGame, model: str, weigh: Callable[[Mapping[str, Any], ClassValues], Weighing]
) -> Chances | None:
    """Whoever finds a class and reads sensitive values off it; of several columns, the one nearest to its bound."""
    claim, looked, view = game.claimed(model), game.looked, game.looked.view
    if claim is None:
        return None
    people = np.unique(view.person[looked.records])
    chances, bounds = np.zeros(len(people)), np.full(len(people), np.inf)
    for column in view.sensitive:
        if column.name not in (claim.get("columns") or (column.name,)):
            continue
        values = class_values(view, column, looked.records)
        _take_nearer(
            chances, bounds, np.searchsorted(people, view.person[values.records]), *weigh(claim, values)
        )
    told = np.isfinite(bounds)
    if not told.any():
        return None
    bounds = np.where(told, bounds, float(bounds[told].max()))
    return Chances(chances, view.people, bounds=bounds)


def _take_nearer(chances: F8, bounds: F8, who: I8, found: F8, allowed: F8) -> None:
    """Keep for each person what is furthest above, or least below, its bound."""
    over = np.where(np.isfinite(bounds), chances - bounds, -np.inf)
    order = np.argsort(found - allowed, kind="stable")  # the last one of each person stays
    worst = np.full(len(chances), -1)
    worst[who[order]] = order
    some = np.flatnonzero(worst >= 0)
    some = some[(found - allowed)[worst[some]] > over[some]]
    chances[some], bounds[some] = found[worst[some]], allowed[worst[some]]


def _within_claim(
    name: str,
    model: str,
    weigh: Callable[[Mapping[str, Any], ClassValues], Weighing],
    sentence: str | Callable[[_TableGame], str],
) -> Player[_TableGame]:
    return Player(name, sentence, partial(_within, model=model, weigh=weigh), lambda game: 1.0)


_FINDS = "whoever finds the rows that look like a person's own"
_SHARE = "whoever finds a person's class takes the share of that person's sensitive value there as its chance"
_EACH = f"{_SHARE}; the claim allows each value a chance of its own, and the highest is shown"
_EVERYBODY = "whoever knows the quasi-identifiers of everybody, and"
_POPULATION = "whoever has all people of a population, and knows of nobody whether they are in the data,"

_SUBSETS = "k-anonymity of known subsets"
_LINKED = "k-anonymity of linked rows"

TABLE_PLAYERS: tuple[Player[_TableGame], ...] = (
    Player(
        "all-quasi-identifiers",
        _say_all_quasi_identifiers,
        _all_quasi_identifiers,
        lambda game: game.bound,
    ),
    Player(
        "own-class",
        f"{_EVERYBODY} so can tell which rows look like a person's own, guesses among these",
        _own_class,
        lambda game: game.bound,
    ),
    Player(
        "linked-rows",
        "whoever knows all quasi-identifiers of every row of a person guesses which pseudonym with such rows is "
        "that person's",
        _linked_rows,
        lambda game: game.bound,
    ),
    Player(
        "known-columns",
        lambda game: f"{_say_known_columns(game)} guesses among the rows that fit",
        _known_columns,
        lambda game: 1 / int((game.claimed(_SUBSETS) or {"k": 1})["k"]),
    ),
    Player(
        "shown-columns",
        lambda game: (
            f"{_say_known_columns(game)} guesses among those rows that fit and have the fewest blanks there"
        ),
        partial(_known_columns, shown=True),
    ),
    Player(
        "from-outside",
        f"{_POPULATION} guesses which of them a row belongs to",
        partial(_beside_register, play=from_outside),
        lambda game: game.outside,
    ),
    Player(
        "in-population",
        f"{_POPULATION} takes the share of look-alikes in the data as the chance that a person is",
        _in_population,
        lambda game: (game.claimed("delta-presence") or {"presence": (0, 1)})["presence"][1],
    ),
    _within_claim("value-within-l", "l-diversity", _l_diversity, _say_l_diversity),
    _within_claim(
        "value-within-t",
        "t-closeness",
        _t_closeness,
        "whoever finds a person's class thinks that person's sensitive value that much more likely than the whole "
        "release suggests",
    ),
    _within_claim("value-within-beta", "beta-likeness", _beta_likeness, _EACH),
    _within_claim("value-within-delta", "delta-disclosure privacy", _delta_disclosure, _EACH),
    _within_claim("value-within-alpha", "(alpha,k)-anonymity", _alpha_k, _SHARE),
    Player(
        "several-rows",
        "whoever knows all quasi-identifiers of every row of a person guesses a row; any row of that person will do",
        _several_rows,
    ),
    Player(
        "plain-column",
        lambda game: _say_one_more_column(game.looked.view.plain, "plain"),
        lambda game: _one_more_column(game, game.looked.view.plain),
    ),
    Player(
        "sensitive-column",
        lambda game: _say_one_more_column(game.looked.view.sensitive, "sensitive"),
        lambda game: _one_more_column(game, game.looked.view.sensitive),
    ),
    Player(
        "columns-that-follow",
        lambda game: (
            f"{_EVERYBODY} what follows from them in other published columns, guesses among the rows that look like a "
            "person's own and show it"
        ),
        _columns_that_follow,
    ),
    Player(
        "lowest-labels",
        "whoever knows that labels are as narrow as possible concludes that several parts of each label are in "
        "use, and describes whoever is alone in one part",
        _lowest_labels,
    ),
    Player("singling-out", _say_singling_out, lambda game: singling_out(game.looked.view)),
    Player(
        "in-register",
        "whoever has a register of people, among them everybody of the data, concludes who is certainly in the data",
        partial(_beside_register, play=in_register),
    ),
    *inference_players(
        _by_own_class,
        f"{_FINDS} learns a sensitive value for certain, because everybody there has the same one",
        f"{_FINDS} thinks that person's sensitive value that much more likely than the whole release suggests",
        f"{_FINDS} takes the share of people there who have that person's sensitive value as its chance",
    ),
)
"""The attackers of a table: those inside a claim first."""
