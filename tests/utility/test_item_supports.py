import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data import Baskets
from shoal.release import Bitmaps, Forms, RecodedBaskets
from shoal.utility.item_supports import generalized_supports, voted_supports

ITEMS = "abcd"


@st.composite
def releases(draw):
    """Baskets, and a release of some of them in which items stand for groups or are left out."""
    lists = draw(st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=6))
    group = {item: draw(st.integers(0, 3)) for item in ITEMS}
    gone = draw(st.sets(st.sampled_from(ITEMS), max_size=1))
    kept = [row for row in range(len(lists)) if draw(st.booleans())]
    names = sorted({g for item, g in group.items() if item not in gone})
    members = [[i for i, item in enumerate(ITEMS) if item not in gone and group[item] == g] for g in names]
    rows = [sorted({names.index(group[item]) for item in lists[row] - gone}) for row in kept]
    release = RecodedBaskets(
        Forms.of_sets([None] * len(names), [np.array(m, dtype=np.int32) for m in members]),
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        np.array([form for row in rows for form in row], dtype=np.int32),
        np.array(kept, dtype=np.int64),
        len(lists),
        sum(len(lists[row] & gone) for row in kept),
    )
    return lists, release, rows, members


@given(releases())
def test_true_supports_lie_between(case):
    lists, release, rows, members = case
    sizes = np.diff(release.forms.start)
    certain, possible = generalized_supports(release, sizes, len(ITEMS))
    for code, item in enumerate(ITEMS):
        assert certain[code] <= sum(item in one for one in lists) <= possible[code]
        assert certain[code] == sum(any(members[form] == [code] for form in row) for row in rows)
    assert (possible <= len(lists)).all()


def test_a_form_that_may_be_an_item_nobody_has_is_not_certain():
    forms = Forms.of_sets(["fruit"], [np.array([0], dtype=np.int32)])
    release = RecodedBaskets(forms, np.array([0, 1]), np.array([0], dtype=np.int32), np.array([0]), 1)
    assert generalized_supports(release, np.array([1]), 1)[0].tolist() == [1]
    assert generalized_supports(release, np.array([3]), 1)[0].tolist() == [0]


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3))),
        min_size=1,
        max_size=5,
    )
)
@settings(deadline=None)
def test_votes_are_certain_where_nothing_is_uncertain(rows):
    shown = [sorted(one) for one, _, _ in rows]
    doubted = [sorted(two) for _, two, _ in rows]
    true = [one ^ (flips & two) for one, two, flips in rows]  # a possible world flips some uncertain items
    release = Bitmaps(
        tuple(ITEMS),
        np.cumsum([0, *map(len, shown)], dtype=np.int64),
        np.array([i for row in shown for i in row], dtype=np.int32),
        np.cumsum([0, *map(len, doubted)], dtype=np.int64),
        np.array([i for row in doubted for i in row], dtype=np.int32),
        np.array([len(row) for row in doubted], dtype=np.int32),
        np.arange(len(rows)),
        len(rows),
    )
    certain, possible = voted_supports(release, 4)
    for item in range(4):
        assert certain[item] <= sum(item in one for one in true) <= possible[item]
        assert certain[item] == sum(item in one and item not in two for one, two, _ in rows)


def test_untouched_baskets_tell_exactly():
    baskets = Baskets.of("items", [["a", "b"], ["a"]])
    forms = Forms.of_sets(["a", "b"], [np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)])
    release = RecodedBaskets(forms, baskets.start, baskets.items, np.arange(2), 2)
    low, high = generalized_supports(release, np.array([1, 1]), 2)
    assert low.tolist() == high.tolist() == [2, 1]
