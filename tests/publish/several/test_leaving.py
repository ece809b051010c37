"""Who is left out beside earlier releases, so that whoever is missing is missing among enough others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_several as naive
from shoal.privacy import AlphaKAnonymity, Every, KAnonymity, LDiversity, TCloseness
from shoal.privacy.several import Held
from shoal.publish.several.leaving import earlier_cells, left_out
from shoal.release import Sensitive


def left(now, earlier, k):
    """The people of `now` who are left out, and whom even that does not help."""
    who = np.array(sorted(now))
    parts = [Held(KAnonymity(k), np.array(list(r)), np.array(list(r.values()))) for r in earlier]
    cells = earlier_cells(who, parts)
    out, bad = left_out(who, Held(KAnonymity(k), who, cells), parts, np.random.default_rng(1))
    return set(who[out].tolist()), set(bad.tolist())


@pytest.mark.parametrize(
    ("stay", "gone", "many"),
    [(7, 0, 0), (12, 1, 4), (12, 4, 1), (12, 5, 0), (6, 1, 6), (8, 1, 8), (9, 1, 4), (10, 5, 0)],
)
def test_as_few_as_possible_of_one_class(stay, gone, many):
    out, bad = left(range(stay), [dict.fromkeys(range(stay + gone), 0)], 5)
    assert len(out) == many
    assert not bad


def test_new_people_are_a_class_of_their_own():
    first = dict.fromkeys(range(6), 0)
    assert left(range(9), [first], 3) == (set(), set())
    assert left(range(8), [first], 3) == ({6, 7}, set())


@given(st.lists(st.dictionaries(st.integers(0, 8), st.integers(0, 1), min_size=1), min_size=1, max_size=2),
       st.sets(st.integers(0, 10), min_size=1), st.integers(2, 3))  # fmt: skip
def test_who_stays_can_be_published_in_the_earlier_classes(earlier, now, k):
    out, bad = left(now, earlier, k)
    stay = now - out
    labels = {p: tuple(release.get(p) for release in earlier) for p in stay}
    assert bad == naive.few([*earlier, labels], [k] * (len(earlier) + 1))


def test_where_all_are_left_out_the_earlier_releases_alone_are_looked_at():
    """Every claim about values is weighed on classes, and a release without records has none."""
    ill = Sensitive(np.arange(6) % 2, ("flu", "gout"))
    who, cells = np.arange(6), np.arange(6) // 2
    for claim in (AlphaKAnonymity(0.6, 4), Every((KAnonymity(4), TCloseness(0.5, "ordered"))), LDiversity(3)):
        now = Held(claim, who, cells, {"ill": ill})
        out, bad = left_out(who, now, [Held(KAnonymity(2), who, cells)], np.random.default_rng(1))
        assert out.all()
        assert not len(bad)
