"""What several releases of a table keep together, against the definition worked out slowly."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_several as naive
from shoal.data import Baskets
from shoal.privacy import (
    AllOf,
    ItemsetAnonymity,
    KAnonymity,
    KmAnonymity,
    LDiversity,
    LmDiversity,
    TCloseness,
)
from shoal.privacy.several import (
    _MISSING,
    JointItems,
    LinkedItems,
    LinkedRelease,
    _joint_view,
    find_exposed_people,
    judge_jointly,
    label_people,
)
from shoal.release import PublishedValues, Sensitive

VALUES = ("flu", "gout", "HIV")
PEOPLE = st.integers(2, 9)


@st.composite
def several(draw):
    """Two or three releases of a few people, of whom some are missing here or there, and everybody's value."""
    n = draw(PEOPLE)
    one = st.dictionaries(st.integers(0, n - 1), st.integers(0, 2), min_size=1)
    releases = draw(st.lists(one, min_size=2, max_size=3))
    values = draw(st.lists(st.sampled_from([*VALUES, None]), min_size=n, max_size=n))
    return releases, values


def linked(release, values, claim):
    who = np.array(list(release))
    codes = np.array([-1 if values[p] is None else VALUES.index(values[p]) for p in release])
    return LinkedRelease(claim, who, np.array(list(release.values())), {"ill": Sensitive(codes, VALUES)})


@given(several(), st.integers(1, 4), st.integers(1, 3))
def test_each_release_is_judged_beside_all_others(case, k, l):
    releases, values = case
    claim = AllOf((KAnonymity(k), LDiversity(l)))
    found = judge_jointly([linked(release, values, claim) for release in releases])
    for place, said in enumerate(found.verdicts):
        assert bool(said) == (naive.keeps_k(releases, place, k) and naive.keeps_l(releases, place, values, l))
    assert bool(found) == all(found.verdicts)
    assert (found.few == 0) == bool(found)


def test_a_held_release_shows_no_cell():
    shown = repr(linked({7654: 1}, ["gout"] * 7655, KAnonymity(2)))
    assert "who=1" in shown
    assert "gout" not in shown
    assert "7654" not in shown


@given(several(), st.integers(1, 4))
def test_figures(case, k):
    releases, values = case
    parts = [linked(release, values, KAnonymity(k)) for release in releases]
    found = judge_jointly(parts)
    few = naive.few(releases, [k] * len(releases))
    assert found.figures() == {
        "people": len({p for release in releases for p in release}),
        "few": len(few),
        "alone": len(naive.alone(releases)),
        "smallest": min(len(naive.shared(releases, p)) for release in releases for p in release),
        "missing": len(naive.missing(releases)),
        "changed": len(naive.changed(releases, values)),
        "told": len(naive.told(releases, values)),
    }
    assert set(find_exposed_people(parts).tolist()) == few


@given(several(), st.integers(2, 3))
def test_a_yes_leaves_the_attack_without_a_value(case, l):
    """Whoever intersects classes, whoever's rows they are, is left with at least l values."""
    releases, values = case
    if judge_jointly([linked(release, values, LDiversity(l)) for release in releases]):
        for release in releases:
            for p in release:
                assert len(set.intersection(*naive.left_values(releases, values, p)) - {None}) >= l


@given(several(), st.integers(1, 4))
def test_one_more_release_never_helps(case, k):
    releases, values = case
    parts = [linked(release, values, KAnonymity(k)) for release in releases]
    if judge_jointly(parts):
        assert (
            judge_jointly(parts[:-1]) if len(parts) > 2 else parts[0].claim.check(_joint_view(parts[:1], 0))
        )


def test_closeness_compares_with_the_release_itself():
    values = ["flu", "gout"] * 4
    alike, cut = {p: 0 for p in range(8)}, {p: p % 2 for p in range(8)}
    found = judge_jointly([linked(alike, values, TCloseness(0.2)), linked(alike, values, TCloseness(0.2))])
    assert found
    assert not judge_jointly([linked(alike, values, TCloseness(0.2)), linked(cut, values, KAnonymity(2))])


def test_persons_are_counted_not_rows():
    who, kinds = np.arange(6), np.array([0, 0, 0, 1, 1, 1])
    rows = LinkedRelease(KAnonymity(3), who, kinds)
    persons = LinkedRelease(KAnonymity(3), who, kinds, persons=np.array([0, 0, 1, 2, 3, 4]))
    assert judge_jointly([rows, rows])
    assert judge_jointly([persons, persons]).verdicts[0].witnesses == (1, 2, 3)


@pytest.mark.parametrize(("person", "label"), [(0, 0), (1, 1), (2, 0), (5, _MISSING)])
def test_of_several_rows_all_classes_are_shown(person, label):
    who, kinds = np.array([0, 1, 0, 2, 2]), np.array([7, 7, 8, 8, 7])
    assert label_people(np.array([person]), who, kinds).tolist() == [label]


# What several releases of baskets keep together, against the definition and against the attacker himself.

ITEMS = "abcd"
PARTITIONS = [
    [{"a"}, {"b"}, {"c"}, {"d"}],
    [{"a", "b"}, {"c"}, {"d"}],
    [{"a", "b"}, {"c", "d"}],
    [{"a", "c"}, {"b", "d"}],
    [{"a"}, {"b", "c", "d"}],
    [{"a", "b", "c", "d"}],
    [{"a", "b"}],  # the others are left out
]


@st.composite
def several_baskets(draw):
    """A few baskets, and two or three releases of them by global rules; some records are missing."""
    baskets = draw(st.lists(st.sets(st.sampled_from(ITEMS)), min_size=2, max_size=7))
    releases = []
    for _ in range(draw(st.integers(2, 3))):
        rule = draw(st.sampled_from(PARTITIONS))
        rows = sorted(draw(st.sets(st.integers(0, len(baskets) - 1), min_size=1)))
        releases.append({row: [frozenset(f) for f in rule if f & baskets[row]] for row in rows})
    return baskets, releases


def linked_items(release, values):
    forms = list(dict.fromkeys(form for row in release.values() for form in row))
    sets = [
        np.array(sorted(values.index(item) for item in form if item in values), dtype=np.int32)
        for form in forms
    ]
    start = np.cumsum([0, *(len(row) for row in release.values())])
    items = np.array([forms.index(form) for row in release.values() for form in row], dtype=np.int32)
    return LinkedItems(
        np.array(list(release)), start, items, PublishedValues.of_sets([None] * len(forms), sets)
    )


def side_by_side(baskets, releases):
    data = Baskets.of("items", baskets)
    return JointItems(data, tuple(linked_items(release, data.values) for release in releases))


@given(several_baskets(), st.integers(1, 3), st.integers(1, 2))
def test_every_item_is_judged_with_its_labels_in_all_releases(case, k, m):
    baskets, releases = case
    items = side_by_side(baskets, releases)
    for place, release in enumerate(releases):
        seen = items.view_release(place)
        if not len(seen.items):
            continue
        assert bool(KmAnonymity(k, m).check(seen)) == naive.keeps_km(releases, place, baskets, k, m)
        assert len(seen.start) == len(release) + 1


@given(several_baskets(), st.integers(2, 3), st.integers(1, 2))
def test_a_yes_leaves_the_attacker_among_k(case, k, m):
    baskets, releases = case
    items = side_by_side(baskets, releases)
    for place, release in enumerate(releases):
        seen = items.view_release(place)
        if not len(seen.items) or not KmAnonymity(k, m).check(seen):
            continue
        for record in release:
            shown = [item for item in baskets[record] if any(item in form for form in release[record])]
            for known in (some for size in range(1, m + 1) for some in combinations(shown, size)):
                assert len(naive.candidates(releases, baskets, record, known)) >= k


def test_two_generalizations_that_cross_show_the_item():
    """{a, b} in one release and {a, c} in the other: whoever has both labels for one item has a."""
    baskets = [{"a"}, {"a"}, {"b"}, {"b"}, {"c"}, {"c"}, {"d"}, {"d"}]
    rules = [[{"a", "b"}, {"c", "d"}], [{"a", "c"}, {"b", "d"}]]
    releases = [
        {row: [frozenset(f) for f in rule if f & basket] for row, basket in enumerate(baskets)}
        for rule in rules
    ]
    items = side_by_side(baskets, releases)
    assert KmAnonymity(2, 1).check(items.view_release(0))
    assert not KmAnonymity(3, 1).check(items.view_release(0))
    assert KmAnonymity(4, 1).check(side_by_side(baskets, releases[:1]).view_release(0))


@pytest.mark.parametrize(("listed", "kept"), [([["a"]], False), ([["a", "b"]], False), ([["d"]], True)])
def test_listed_itemsets_are_known_by_all_labels_that_stand_for_them(listed, kept):
    baskets = [{"a"}, {"b"}, {"b"}, {"d"}, {"d"}]
    rules = [[{"a", "b"}, {"d"}], [{"a"}, {"b"}, {"d"}]]
    releases = [
        {row: [frozenset(f) for f in rule if f & basket] for row, basket in enumerate(baskets)}
        for rule in rules
    ]
    seen = side_by_side(baskets, releases).view_release(0)
    assert bool(ItemsetAnonymity(2, listed).check(seen)) is kept


def test_sensitive_items_stay_sensitive():
    baskets = [{"a", "d"}, {"a"}, {"b"}, {"b"}]
    rules = [[{"a", "b"}, {"d"}], [{"a"}, {"b"}, {"d"}]]
    releases = [
        {row: [frozenset(f) for f in rule if f & basket] for row, basket in enumerate(baskets)}
        for rule in rules
    ]
    whole, both = side_by_side(baskets, releases[:1]), side_by_side(baskets, releases)
    secret = frozenset([whole.baskets.values.index("d")])
    whole, both = whole.view_release(0, secret), both.view_release(0, secret)
    assert LmDiversity(4, 1).check(whole)
    assert not LmDiversity(4, 1).check(both)
    assert LmDiversity(2, 1).check(both)
