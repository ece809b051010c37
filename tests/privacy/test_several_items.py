"""What several releases of baskets keep together, against the definition and against the attacker himself."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_several as naive
from shoal.data import Baskets
from shoal.privacy import ItemsetAnonymity, KmAnonymity, LmDiversity
from shoal.privacy.several import JointItems, LinkedItems
from shoal.release import Forms

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
def several(draw):
    """A few baskets, and two or three releases of them by global rules; some records are missing."""
    baskets = draw(st.lists(st.sets(st.sampled_from(ITEMS)), min_size=2, max_size=7))
    releases = []
    for _ in range(draw(st.integers(2, 3))):
        rule = draw(st.sampled_from(PARTITIONS))
        rows = sorted(draw(st.sets(st.integers(0, len(baskets) - 1), min_size=1)))
        releases.append({row: [frozenset(f) for f in rule if f & baskets[row]] for row in rows})
    return baskets, releases


def held(release, values):
    forms = list(dict.fromkeys(form for row in release.values() for form in row))
    sets = [
        np.array(sorted(values.index(item) for item in form if item in values), dtype=np.int32)
        for form in forms
    ]
    start = np.cumsum([0, *(len(row) for row in release.values())])
    items = np.array([forms.index(form) for row in release.values() for form in row], dtype=np.int32)
    return LinkedItems(np.array(list(release)), start, items, Forms.of_sets([None] * len(forms), sets))


def side_by_side(baskets, releases):
    data = Baskets.of("items", baskets)
    return JointItems(data, tuple(held(release, data.values) for release in releases))


@given(several(), st.integers(1, 3), st.integers(1, 2))
def test_every_item_is_judged_with_its_labels_in_all_releases(case, k, m):
    baskets, releases = case
    items = side_by_side(baskets, releases)
    for place, release in enumerate(releases):
        seen = items.published(place)
        if not len(seen.items):
            continue
        assert bool(KmAnonymity(k, m).check(seen)) == naive.keeps_km(releases, place, baskets, k, m)
        assert len(seen.start) == len(release) + 1


@given(several(), st.integers(2, 3), st.integers(1, 2))
def test_a_yes_leaves_the_attacker_among_k(case, k, m):
    baskets, releases = case
    items = side_by_side(baskets, releases)
    for place, release in enumerate(releases):
        seen = items.published(place)
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
    assert KmAnonymity(2, 1).check(items.published(0))
    assert not KmAnonymity(3, 1).check(items.published(0))
    assert KmAnonymity(4, 1).check(side_by_side(baskets, releases[:1]).published(0))


@pytest.mark.parametrize(("listed", "kept"), [([["a"]], False), ([["a", "b"]], False), ([["d"]], True)])
def test_listed_itemsets_are_known_by_all_labels_that_stand_for_them(listed, kept):
    baskets = [{"a"}, {"b"}, {"b"}, {"d"}, {"d"}]
    rules = [[{"a", "b"}, {"d"}], [{"a"}, {"b"}, {"d"}]]
    releases = [
        {row: [frozenset(f) for f in rule if f & basket] for row, basket in enumerate(baskets)}
        for rule in rules
    ]
    seen = side_by_side(baskets, releases).published(0)
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
    whole, both = whole.published(0, secret), both.published(0, secret)
    assert LmDiversity(4, 1).check(whole)
    assert not LmDiversity(4, 1).check(both)
    assert LmDiversity(2, 1).check(both)
