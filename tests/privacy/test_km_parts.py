"""The judge of baskets in parts says what the judge of all of them says."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.lists import take
from shoal.engines.shuffle import Shuffle
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.privacy.support_counting import check_basket_parts
from shoal.release import PublishedBaskets

rows = st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=5).flatmap(
    lambda kinds: st.lists(st.sampled_from([*kinds, []]), max_size=16)
)
claims = st.builds(KmAnonymity, st.integers(1, 4), st.integers(1, 4)) | st.builds(
    LmDiversity, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)
)


def published(lists, sensitive):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    items = np.array([item for row in lists for item in row], dtype=np.int64)
    return PublishedBaskets(start, items, sensitive)


def taken(whole, part):
    """A task must find its records by itself, so it is handed the whole."""
    start, items = take(whole.start, whole.items, np.array(part, dtype=np.int64))
    return PublishedBaskets(start, items, whole.sensitive)


def judged(claim, whole, cuts, seed, items=7):
    n = len(whole.start) - 1
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < n}), n]
    parts = [tuple(range(first, last)) for first, last in pairwise(bounds)]
    return check_basket_parts(claim, parts, partial(taken, whole), items, whole.sensitive, Shuffle(seed).map)


@settings(max_examples=200, deadline=None)
@given(
    rows,
    st.frozensets(st.integers(0, 6), max_size=2),
    claims,
    st.lists(st.integers(1, 15), max_size=4),
    st.sampled_from([1, 5, 1 << 22]),
    st.integers(0, 2**32),
)
def test_the_verdict_is_that_of_the_whole(lists, sensitive, claim, cuts, at_once, seed):
    whole = published(lists, sensitive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.privacy.support_counting._AT_ONCE", at_once)
        assert judged(claim, whole, cuts, seed).as_dict() == claim.check(whole).as_dict()


def test_many_items_are_told_apart():
    whole = published([[item, 89] for item in range(80)] * 2 + [[80, 89]], frozenset([89]))
    for claim in (KmAnonymity(2, 2), LmDiversity(1, 1, 2)):
        verdict = judged(claim, whole, [70, 90], 0, items=90)
        assert verdict.witnesses == (161,)
        assert verdict.as_dict() == claim.check(whole).as_dict()


def test_too_much_to_count_is_not_judged(monkeypatch):
    monkeypatch.setattr("shoal.privacy.support_counting.MOST", 3)
    whole = published([[1, 2, 3], [1, 2], [1, 2, 3]], frozenset())
    verdict = judged(KmAnonymity(1, 2), whole, [1], 0)
    assert not verdict.judged
    assert "lower m" in verdict.sentence
