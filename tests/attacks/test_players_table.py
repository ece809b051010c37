"""The attackers of a table, held against twins that play person by person."""

from collections import Counter
from dataclasses import replace
from math import isclose

import numpy as np
import pytest
from hypothesis import given

import naive_table_attacks as naive
from item_attack_cases import near
from shoal.attacks.players_table import TABLE_PLAYERS, play_table
from shoal.attacks.view_table import TWO, LabelParts, Register
from shoal.privacy import (
    AllOf,
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    HiddenValues,
    KAnonymity,
    LDiversity,
    LinkedAnonymity,
    SubsetAnonymity,
    TCloseness,
)
from shoal.privacy.equivalence_class import equivalence_classes
from shoal.release import Published, Sensitive
from shoal.risks.look_alikes import describe_classes
from table_attack_cases import LEAVES, TableGame, table_games


def _played(game, *claims):
    claim = claims[0] if len(claims) == 1 else AllOf(claims)
    return {found.name: found for found in play_table(game.view(), claim)}


@given(table_games())
def test_finding_rows_is_what_the_definitions_say(game):
    found = _played(game, KAnonymity(2))
    facts = game.records, game.rows, game.own, game.persons
    assert near(found["all-quasi-identifiers"], naive.all_quasi_identifiers(*facts))
    assert near(found["own-class"], naive.own_class(game.rows, game.own, game.persons))
    assert found["all-quasi-identifiers"].people == len(set(game.persons))
    view = (
        game.view()
    )  # an audit tells the same of people after the release as whoever guesses in their own class
    kept = view.of_record >= 0
    after = describe_classes(view.of_record[kept], view.persons[kept] if game.several else None)
    guessed = [chance for chance in found["own-class"].chances.tolist() if chance]
    assert after["records"] == len(guessed)
    assert after["highest"] == pytest.approx(max(guessed, default=0))
    assert after["average"] * len(guessed) == pytest.approx(sum(guessed))
    if game.several:
        assert near(found["several-rows"], naive.several_rows(*facts))
    else:
        assert "several-rows" not in found
    for name, columns in (("plain-column", game.plain), ("sensitive-column", game.sensitive)):
        if columns:
            assert near(found[name], naive.one_more_column(*facts, columns))
        else:
            assert name not in found


@given(table_games())
def test_values_are_told_as_the_definitions_say(game):
    found = _played(game, KAnonymity(2))
    if not game.sensitive:
        assert not {"homogeneity", "skewness", "inference"} & set(found)
        return
    facts = game.rows, game.own, game.persons, game.sensitive
    assert near(found["inference"], naive.told(*facts, lambda share, prior: share))
    assert near(found["homogeneity"], naive.told(*facts, lambda share, prior: share == 1))
    assert near(found["skewness"], naive.told(*facts, lambda share, prior: max(share - prior, 0)))


@given(table_games(rules=2))
def test_what_follows_is_used_as_the_definitions_say(game):
    found = _played(game, KAnonymity(2))
    if game.rules:
        assert near(
            found["columns-that-follow"],
            naive.columns_that_follow(game.rows, game.own, game.persons, game.rules),
        )
        assert not found["columns-that-follow"].inside
    else:
        assert "columns-that-follow" not in found


CLAIMS = [
    LDiversity(2),
    LDiversity(2, "entropy"),
    LDiversity(2, "recursive", 2.0),
    TCloseness(0.3),
    TCloseness(0.2, "ordered"),
    BetaLikeness(1.0),
    BetaLikeness(1.5, "enhanced"),
    DeltaDisclosure(1.0),
    AlphaKAnonymity(0.6, 2),
    HiddenValues(0.5, {"secret0": ["a", "c"]}),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.named)
@given(game=table_games(true=True))
def test_whoever_is_inside_a_claim_that_holds_stays_within_its_bound(claim, game):
    view = game.view()
    persons = view.persons
    whose = None
    if persons is not None:
        whose = np.empty(len(game.rows), dtype=np.int64)
        whose[view.own[view.own >= 0]] = persons[view.own >= 0]
    columns = {one.name: Sensitive(one.released, ("a", "b", "c")) for one in view.sensitive}
    seen = Published(
        {str(j): view.forms[:, j].astype(np.int64) for j in range(view.forms.shape[1])}, columns, whose
    )
    smallest = int(equivalence_classes(seen).size.min())
    both = claim if "k" in claim.numbers() else AllOf((KAnonymity(max(smallest, 1)), claim))
    if not both.check(seen):
        return
    for found in play_table(view, both):
        assert found.kept in (True, None), found.name


@given(table_games(several=False))
def test_values_of_a_class_are_what_the_definitions_say(game):
    if len(game.sensitive) != 1:
        return
    found = _played(
        game, *CLAIMS[:1], TCloseness(0.3), BetaLikeness(1.0), DeltaDisclosure(1.0), AlphaKAnonymity(0.6, 2)
    )
    original, released = game.sensitive[0]
    told = [i for i, row in enumerate(game.own) if row is not None and original[i] is not None]
    if not told:
        assert "value-within-l" not in found
        return
    for i in told:
        count, size, different, _ = naive.in_class(game.rows, game.own, released, i, original[i])
        prior = released.count(original[i]) / len(released)
        assert isclose(found["value-within-l"].chances[i], 1 / different)
        assert isclose(found["value-within-alpha"].chances[i], count / size)
        assert isclose(found["value-within-t"].chances[i], max(count / size - prior, 0), abs_tol=1e-12)
        assert isclose(found["value-within-beta"].bounds[i], min(2 * prior, 1))
        assert isclose(found["value-within-delta"].bounds[i], min(np.e * prior, 1))


@given(table_games(several=False))
def test_hidden_values_of_a_class_are_one_event(game):
    if len(game.sensitive) != 1:
        return
    original, released = game.sensitive[0]
    name = game.view().sensitive[0].name
    found = _played(game, HiddenValues(0.5, {name: ["a", "C"]})).get("hidden-value-within-alpha")
    has = [i for i, row in enumerate(game.own) if row is not None and original[i] in (None, 0, 2)]
    if not has:
        assert found is None
        return
    for i in has:
        look_alikes = [r for r, row in enumerate(game.rows) if row == game.rows[game.own[i]]]
        exposed = [r for r in look_alikes if released[r] in (None, 0, 2)]
        assert isclose(found.chances[i], len(exposed) / len(look_alikes))


@given(table_games(several=False))
def test_entropy_is_the_geometric_mean_of_the_class(game):
    if len(game.sensitive) != 1:
        return
    found = _played(game, LDiversity(2, "entropy")).get("value-within-l")
    original, released = game.sensitive[0]
    for i, row in enumerate(game.own):
        if row is not None and original[i] is not None:
            assert isclose(found.chances[i], naive.in_class(game.rows, game.own, released, i, original[i])[3])


def test_every_player_of_a_table_is_played_somewhere():
    several = TableGame([(0,)] * 4, [(frozenset([0, 1]),)] * 4, [0, 1, 2, 3], [0, 0, 1, 2], several=True)
    several.plain = several.sensitive = [([0, 1, 0, 1], [0, 1, 0, 1])]
    several.rules = [([0, 1, 0, 1], [0, 1, 0, 1], 1)]
    claims = [
        KAnonymity(2),
        LDiversity(2),
        TCloseness(0.5),
        BetaLikeness(2),
        DeltaDisclosure(1),
        DeltaPresence((0, 0.5)),
        AlphaKAnonymity(0.5, 2),
        HiddenValues(0.5, {"secret0": ["b"]}),
    ]
    covers = several.view().covers[0]
    nodes = LabelParts(
        np.where(covers, 0, -1).astype(np.int64), np.array([TWO])
    )  # one part: nothing is concluded
    view = several.view()
    view = replace(view, parts=(nodes,), register=Register(view.values, view.covers))
    some = [*play_table(view, SubsetAnonymity(2, 1)), *play_table(view, LinkedAnonymity(2))]
    assert {found.name for found in (*play_table(view, AllOf(tuple(claims))), *some)} == {
        one.name for one in TABLE_PLAYERS
    }


@given(table_games(several=False))
def test_whoever_knows_some_columns_guesses_among_the_rows_that_fit_in_them(game):
    found = _played(game, SubsetAnonymity(2, 1))
    everything = frozenset(range(LEAVES))
    by_fit, by_shown = [0.0] * len(game.own), [0.0] * len(game.own)
    for c in range(len(game.records[0])):
        for i, values in enumerate(game.records):
            fit = [r for r, row in enumerate(game.rows) if values[c] in row[c]]
            full = [r for r in fit if game.rows[r][c] != everything] or fit
            for chances, rows in ((by_fit, fit), (by_shown, full)):
                chances[i] = max(chances[i], 1 / len(rows) if game.own[i] in rows else 0.0)
    assert near(found["known-columns"], by_fit)
    assert near(found["shown-columns"], by_shown)
    assert (found["known-columns"].inside, found["known-columns"].bound) == (True, 0.5)
    assert not any(found[name].inside for name in ("shown-columns", "all-quasi-identifiers", "own-class"))


@given(table_games(several=True))
def test_whoever_knows_all_linked_rows_guesses_among_persons_with_the_same(game):
    found = _played(game, LinkedAnonymity(2))["linked-rows"]
    rows = {person: [] for person in game.persons}
    for person, own in zip(game.persons, game.own, strict=True):
        rows[person] += [] if own is None else [game.rows[own]]
    published = {person: Counter(own) for person, own in rows.items() if own}
    chances = [
        1 / sum(other == published[person] for other in published.values()) if person in published else 0.0
        for person in sorted(rows)
    ]
    assert found.chances.tolist() == pytest.approx(chances)
    assert (found.inside, found.bound) == (True, 0.5)


def test_the_bound_is_one_of_k_or_of_l_where_l_stands_alone():
    game = TableGame([(0,)] * 4, [(frozenset([0]),)] * 4, [0, 1, 2, 3], [0, 1, 2, 3])
    game.sensitive = [([0, 1, 2, 0], [0, 1, 2, 0])]
    assert _played(game, LDiversity(3))["all-quasi-identifiers"].bound == pytest.approx(1 / 3)
    assert _played(game, AllOf((KAnonymity(4), LDiversity(3))))["all-quasi-identifiers"].bound == 0.25


def test_a_class_of_fewer_than_claimed_is_above_the_bound():
    game = TableGame([(0,)] * 3, [(frozenset([0]),)] * 3, [0, 1, 2], [0, 1, 2])
    assert _played(game, KAnonymity(3))["all-quasi-identifiers"].kept is True
    assert _played(game, KAnonymity(4))["all-quasi-identifiers"].kept is False


def test_some_people_are_played_where_that_is_asked():
    n = 50
    game = TableGame(
        [(0,)] * n, [(frozenset([0]),)] * n, list(range(n)), [i // 2 for i in range(n)], several=True
    )
    for found in play_table(
        game.view(), KAnonymity(2), most=7
    ):  # nothing is coarse, so nobody can be singled out
        assert (found.played, found.people) == (7, 25)
        assert found.low < found.success < found.high


def test_a_column_that_a_claim_does_not_speak_of_is_not_held_against_it():
    game = TableGame([(0,)] * 2, [(frozenset([0]),)] * 2, [0, 1], [0, 1])
    game.sensitive = [([0, 1], [0, 1]), ([0, 0], [0, 0])]
    assert _played(game, LDiversity(2, columns=("secret0",)))["value-within-l"].kept is True
    assert _played(game, LDiversity(2))["value-within-l"].kept is False
