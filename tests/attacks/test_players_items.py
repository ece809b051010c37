"""Attackers who know some items, beside their slow twins and against every method of generalized baskets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import itemset_cases
import naive_attacks_items as naive
from item_attack_cases import item_view, near, plain_items
from shoal.algorithms import METHODS
from shoal.attacks import background
from shoal.attacks.players_facts import play_items
from shoal.attacks.view_items import ItemView
from shoal.base.errors import InfeasibleError
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.privacy import ItemsetAnonymity, KmAnonymity, LmDiversity

law = settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
every_maker = pytest.mark.parametrize("name", itemset_cases.MAKERS)
DIVERSE = [name for name in itemset_cases.MAKERS if "l^m-diversity" in METHODS[name].claims]


def played(view, claim, **options):
    """What each attacker reached, by name."""
    return {found.name: found for found in play_items(view, claim, **options)}


def made(name, baskets, tree, **options):
    """The release of a method, or a discarded example where there is none."""
    assume(not baskets.sensitive.issuperset(baskets.items.tolist()))  # else there is nothing to publish
    try:
        return itemset_cases.make(METHODS[name].load(), baskets, tree, **options)
    except InfeasibleError:
        assume(False)


@every_maker
@law
@given(itemset_cases.cases(), st.integers(2, 3), st.integers(1, 2), st.sampled_from([0.0, 0.4]))
def test_finding_is_what_the_twin_finds_and_stays_within_the_bound(name, case, k, m, share):
    baskets, tree = case
    result = made(name, baskets, tree, k=k, m=m, suppress=share)
    view = item_view(baskets, result.release, tree)
    plain = plain_items(view)
    found = played(view, KmAnonymity(k, m))
    assert near(found["m-items"], naive.finding(*plain, m))
    assert found["m-items"].inside
    assert found["m-items"].bound == 1 / k
    assert found["m-items"].kept
    assert near(found["one-more-item"], naive.finding(*plain, m + 1))
    assert near(found["whole-basket"], naive.finding(*plain, len(itemset_cases.ITEMS)))
    also = naive.of_size(plain[0], baskets.values, view.left_out)
    assert near(found["record-size"], naive.finding(*plain, m, also=also))


@every_maker
@law
@given(itemset_cases.cases(), st.integers(2, 3))
def test_absences_help_and_never_more_than_the_best_choice_of_all(name, case, k):
    baskets, tree = case
    view = item_view(baskets, made(name, baskets, tree, k=k, m=1).release, tree)
    plain = plain_items(view)
    found = played(view, KmAnonymity(k, 1))
    below = found["m-items"].chances
    things = {"items": [{item} for item in itemset_cases.ITEMS]}
    sets = {frozenset(entry) for entry in view.entries if isinstance(entry, tuple)}
    labels = {label for level in tree.labels[1:-1] for label in level}
    things["groups"] = [*sets, *({*tree.leaves[slice(*tree.places[label])]} for label in labels)]
    for kind, some in things.items():
        if f"absent-{kind}-1" not in found:
            continue
        best = naive.one_absence(*plain, 1, [thing for thing in some if thing])
        assert (found[f"absent-{kind}-1"].chances <= np.maximum(best, below) + 1e-9).all()
        for many in (1, 2, 3, 4):
            assert (found[f"absent-{kind}-{many}"].chances >= below - 1e-9).all()
            below = found[f"absent-{kind}-{many}"].chances
        below = found["m-items"].chances


@pytest.mark.parametrize("name", DIVERSE)
@law
@given(itemset_cases.cases(sensitive=True), st.integers(1, 3), st.integers(2, 3), st.integers(1, 2))
def test_telling_is_what_the_twin_tells_and_stays_within_the_bound(name, case, k, l, m):
    baskets, tree = case
    result = made(name, baskets, tree, k=k, l=l, m=m)
    view = item_view(baskets, result.release, tree, exempt=True)
    sensitive = {baskets.values[code] for code in baskets.sensitive}
    found = played(view, LmDiversity(l, m, k))
    assert near(found["m-items"], naive.finding(*plain_items(view), m, sensitive))
    assert found["m-items"].kept is (None if k == 1 else True)
    shares = [
        max(both)
        for both in zip(
            naive.telling(*plain_items(view), m, sensitive),
            naive.telling_by_forms(*plain_items(view), m, sensitive),
            strict=True,
        )
    ]
    assert bool(shares) == ("inference" in found)
    if shares:
        within = found["sensitive-items-within-l"]
        assert near(within, shares)
        assert within.inside
        assert within.people == len(shares)
        assert near(found["inference"], shares)
        assert near(found["homogeneity"], [float(share == 1) for share in shares])
        assert (found["skewness"].chances <= found["inference"].chances + 1e-9).all()
        assert ((found["prediction"].chances > 0) & (found["prediction"].chances < 1)).all()
        assert within.kept


@law
@given(
    itemset_cases.cases(),
    st.lists(st.sets(st.sampled_from(itemset_cases.ITEMS), min_size=1), min_size=1, max_size=3),
)
def test_listed_items_are_what_the_twin_finds_and_stay_within_the_bound(case, itemsets):
    baskets, tree = case
    listed = tuple(
        sorted({tuple(sorted(itemset.intersection(baskets.values))) for itemset in itemsets} - {()})
    )
    assume(listed)
    view = item_view(baskets, made("coat", baskets, tree, k=2, privacy=listed).release, tree)
    found = played(view, ItemsetAnonymity(2, listed))
    assert near(found["listed-items"], naive.listed(*plain_items(view), listed))
    assert found["listed-items"].kept
    assert "m-items" not in found


BASKETS = [["bread", "milk"], ["bread", "beer"], ["bread", "milk", "beer"], ["milk"]]
FLAT = Hierarchy.from_paths("items", [[item, "*"] for item in ("bread", "milk", "beer")])


def test_an_attacker_sees_a_broken_release():
    """Untouched baskets that claim what they do not keep: the attacker inside the claim is above its bound."""
    baskets = Baskets.of("items", BASKETS)
    found = played(item_view(baskets, itemset_cases.untouched(baskets), FLAT), KmAnonymity(2, 2))
    assert found["m-items"].kept is False
    assert found["m-items"].chances.tolist() == [0.5, 0.5, 1.0, 1 / 3]


def test_a_row_that_shows_a_group_several_times_is_ruled_out_once():
    """Whoever lacks both groups knows that of the two rows, not of the one with three items of a group."""
    tree = Hierarchy.from_paths("items", [[item, "ABC" if item in "abc" else "DE", "*"] for item in "abcde"])
    baskets = Baskets.of("items", [[], ["a", "b", "c"], ["d"], ["d"]])
    found = played(item_view(baskets, itemset_cases.untouched(baskets), tree), KmAnonymity(1, 1))
    assert found["absent-groups-1"].chances[0] == 1 / 2


def test_nobody_is_found_whose_row_was_suppressed():
    baskets = Baskets.of("items", [*BASKETS, ["milk"]])
    whole = itemset_cases.untouched(baskets)
    view = item_view(baskets, whole, FLAT)
    gone = type(view)(
        baskets, view.start[:-1], view.items[:-1], view.entries, FLAT, np.array([0, 1, 2, 3, -1])
    )
    assert all(found.chances[-1] == 0 for found in play_items(gone, KmAnonymity(2, 2)))


def test_fewer_people_are_played_and_it_is_told():
    baskets = Baskets.of("items", BASKETS * 30)
    view = item_view(baskets, itemset_cases.untouched(baskets), FLAT)
    found = played(view, KmAnonymity(2, 2), most=40, rng=np.random.default_rng(1))
    assert (found["m-items"].played, found["m-items"].people) == (40, 120)
    assert found["m-items"].low < found["m-items"].success < found["m-items"].high


def test_of_very_many_items_the_rarest_are_combined_and_the_rest_is_told():
    """A basket of 120 items has too many pairs: the highest chance that any choice may have is told beside it."""
    rare = [
        [f"i{n:03}" for n in range(120)],
        *[[f"i{n:03}" for n in range(60 * (j % 2), 120)] for j in range(9)],
    ]
    baskets = Baskets.of("items", rare)
    tree = Hierarchy.from_paths("items", [[item, "*"] for item in baskets.values])
    found = played(item_view(baskets, itemset_cases.untouched(baskets), tree), KmAnonymity(2, 2))["m-items"]
    assert found.most is not None
    assert found.high >= found.success == found.low


def test_of_very_many_items_what_is_told_may_be_certain_by_choices_that_nobody_looked_at(monkeypatch):
    monkeypatch.setattr(background, "_EACH", 1)
    baskets = Baskets.of("items", [["a", "b", "c", "x"], ["a"], ["a", "b"], ["a", "c"]], sensitive=["x"])
    tree = Hierarchy.from_paths("items", [[item, "*"] for item in baskets.values])
    found = played(
        item_view(baskets, itemset_cases.untouched(baskets), tree, exempt=True), LmDiversity(2, 2, 1)
    )
    assert (found["homogeneity"].success, found["homogeneity"].high) == (1, 1)  # b and c, who are rare
    few = played(
        item_view(baskets, itemset_cases.untouched(baskets), tree, exempt=True), LmDiversity(2, 1, 1)
    )
    assert (few["homogeneity"].low, few["homogeneity"].high) == (0, 1)
    assert (few["inference"].low, few["inference"].high) == (0.5, 1)


# Whoever knows published forms, held against counting by hand.

ENTRIES = ("a", "b", "ab", ("b", "c"), "c")
HIERARCHY = Hierarchy.from_paths("items", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
LEAF = {"a": "a", "b": "b", "ab": "a", ("b", "c"): "b", "c": "c"}


def _view(rows, own, **more):
    shown = [sorted(ENTRIES.index(entry) for entry in row) for row in rows]
    originals = [[] if row is None else sorted({LEAF[entry] for entry in rows[row]}) for row in own]
    return ItemView(
        Baskets.of("items", originals, more.pop("sensitive", ())),
        np.cumsum([0, *map(len, shown)]).astype(np.int64),
        np.array([code for row in shown for code in row], dtype=np.int32),
        ENTRIES,
        HIERARCHY,
        np.array([-1 if row is None else row for row in own], dtype=np.int64),
        **more,
    )


def _fewest(mine, rows, m):
    """How many rows publish some up to m of the same forms, where these are fewest."""
    choices = [known for size in range(m + 1) for known in combinations(sorted(mine, key=str), size)]
    return min(sum(set(known) <= row for row in rows) for known in choices)


@given(st.lists(st.frozensets(st.sampled_from(ENTRIES)), min_size=1, max_size=6), st.integers(1, 3))
def test_items_in_published_form_fit_rows_that_publish_the_same(rows, m):
    own = [*range(len(rows)), None]
    found = played(_view(rows, own), KmAnonymity(2, m))["m-published-items"]
    expected = [1 / _fewest(mine, rows, m) for mine in rows]
    assert found.chances.tolist() == pytest.approx([*expected, 0.0])
    assert (found.inside, found.bound) == (True, 0.5)


def test_a_form_of_its_own_tells_a_sensitive_item():
    """Both who hold c publish a as "ab": whoever knows the item sees four rows, whoever knows the form those two."""
    rows = [frozenset(["ab", "c"]), frozenset(["ab", "c"]), frozenset(["a"]), frozenset(["a"])]
    view = _view(rows, [0, 1, 2, 3], sensitive=["c"], exempt=True)
    found = played(view, LmDiversity(2, 1, 2))
    assert found["inference"].chances.tolist() == [1.0, 1.0]
    assert found["homogeneity"].certain == 2
    assert found["sensitive-items-within-l"].kept is False
    fitting = naive.telling(*plain_items(view), 1, {"c"})
    assert fitting == [0.5, 0.5]
    listed = played(view, ItemsetAnonymity(2, (("a",),)))  # such a claim goes by items, and grants no form
    assert listed["inference"].chances.tolist() == fitting


@given(st.lists(st.frozensets(st.sampled_from(ENTRIES)), min_size=1, max_size=6), st.integers(1, 2))
def test_what_is_told_is_what_items_or_forms_tell_and_never_less(rows, m):
    view = _view(rows, [*range(len(rows)), None], sensitive=["c"], exempt=True)
    found = played(view, LmDiversity(2, m, 1))
    by_items = naive.telling(*plain_items(view), m, {"c"})
    by_forms = naive.telling_by_forms(*plain_items(view), m, {"c"})
    assert bool(by_items) == ("inference" in found)
    if by_items:
        assert near(found["inference"], [max(both) for both in zip(by_items, by_forms, strict=True)])


def test_a_claim_without_m_has_no_such_attacker():
    claim = ItemsetAnonymity(2, (("a",),))
    assert "m-published-items" not in played(_view([frozenset(["a"])] * 2, [0, 1]), claim)
