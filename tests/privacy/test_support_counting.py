"""How counting is divided into rounds: nothing left out or counted twice, no round too large, no more than needed."""

from functools import partial
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_cases import baskets as published
from shoal.data import Trees
from shoal.data.arrays import take_rows
from shoal.privacy import KmAnonymity, KMNAnonymity, LmDiversity
from shoal.privacy import support_counting as module
from shoal.privacy.support_counting import AttackerKnowledge, check_basket_parts, check_tree_parts
from shoal.privacy.trees import REPEATS
from shoal.release import PublishedBaskets
from shuffle_engine import Shuffle
from strategies_trees import trees


def sets_in(portion, values):
    """The sets of a portion: numbers rise from the rarest value."""
    return [
        some
        for some in combinations(range(values), portion.size)
        if portion.first <= min(some) < portion.last
    ]


@pytest.mark.parametrize("at_once", [1, 7, 25, 40, 105, 10_000])
@pytest.mark.parametrize("secrets", [False, True])
@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("related", [False, True])
def test_rounds_hold_every_set_once(monkeypatch, at_once, secrets, negated, related):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    values, longest, asked = 5, 3, AttackerKnowledge(4, related, negated, secrets, 1000)
    width, most = (2 * values, 4) if negated else (values, longest)
    rounds = list(module._rounds(asked, values, longest))
    portions = [portion for portions in rounds for portion in portions]
    assert [portion for portion in portions if not portion.size] == portions[: int(secrets)]
    listed = [some for portion in portions if portion.size for some in sets_in(portion, width)]
    every = [some for size in range(1, most + 1) for some in combinations(range(width), size)]
    assert sorted(listed) == sorted(every)
    for some in rounds:
        rows = [
            len(sets_in(one, width)) * (2 ** comb(one.size, 2) if related else 1) for one in some if one.size
        ]
        single = len(some) == 1 and some[0].last - some[0].first == 1
        assert sum(rows) <= at_once or single
    everything = sum(2 ** comb(len(some), 2) if related else 1 for some in every)
    assert (len(rounds) == 1) is (everything <= at_once)


# The judge of baskets in parts says what the judge of all of them says.

rows = st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=5).flatmap(
    lambda kinds: st.lists(st.sampled_from([*kinds, []]), max_size=16)
)
basket_claims = st.builds(KmAnonymity, st.integers(1, 4), st.integers(1, 4)) | st.builds(
    LmDiversity, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)
)


def taken_baskets(whole, part):
    """A task must find its records by itself, so it is handed the whole."""
    start, items = take_rows(whole.start, whole.items, np.array(part, dtype=np.int64))
    return PublishedBaskets(start, items, whole.sensitive)


def judged_baskets(claim, whole, cuts, seed, items=7):
    n = len(whole.start) - 1
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < n}), n]
    parts = [tuple(range(first, last)) for first, last in pairwise(bounds)]
    return check_basket_parts(
        claim, parts, partial(taken_baskets, whole), items, whole.sensitive, Shuffle(seed).map
    )


@settings(max_examples=200)
@given(
    rows,
    st.frozensets(st.integers(0, 6), max_size=2),
    basket_claims,
    st.lists(st.integers(1, 15), max_size=4),
    st.sampled_from([1, 5, 1 << 22]),
    st.integers(0, 2**32),
)
def test_the_verdict_on_baskets_is_that_of_the_whole(lists, sensitive, claim, cuts, at_once, seed):
    whole = published(lists, sensitive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.privacy.support_counting._AT_ONCE", at_once)
        assert judged_baskets(claim, whole, cuts, seed).as_dict() == claim.check(whole).as_dict()


@pytest.mark.parametrize(
    ("lists", "claim"),
    [
        ([[1, 9], [9]], LmDiversity(1, 1, 3)),  # whoever knows nothing finds two
        ([[1, 9], [3, 4, 9], [3, 4]], LmDiversity(1, 2)),  # one item tells most, not two
    ],
)
def test_all_that_can_be_known_is_weighed(lists, claim):
    whole = published(lists, [9])
    assert judged_baskets(claim, whole, [1], 0, items=10).as_dict() == claim.check(whole).as_dict()


def test_many_items_are_told_apart():
    whole = published([[item, 89] for item in range(80)] * 2 + [[80, 89]], frozenset([89]))
    for claim in (KmAnonymity(2, 2), LmDiversity(1, 1, 2)):
        verdict = judged_baskets(claim, whole, [70, 90], 0, items=90)
        assert verdict.witnesses == (161,)
        assert verdict.as_dict() == claim.check(whole).as_dict()


def test_too_many_baskets_to_count_are_not_judged(monkeypatch):
    monkeypatch.setattr("shoal.privacy.support_counting.MOST", 3)
    whole = published([[1, 2, 3], [1, 2], [1, 2, 3]], frozenset())
    verdict = judged_baskets(KmAnonymity(1, 2), whole, [1], 0)
    assert not verdict.judged
    assert "lower m" in verdict.sentence


# The judge of record trees in parts says what the judge of all of them says.


def taken_trees(whole, rows):
    """A task must find its records by itself, so it is handed the whole."""
    return whole.take(np.array(rows, dtype=np.int64))


def judged_trees(claim, whole, cuts, seed):
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < whole.n}), whole.n]
    parts = [tuple(range(first, last)) for first, last in pairwise(bounds)]
    return check_tree_parts(
        claim, taken_trees(whole, ()), parts, partial(taken_trees, whole), Shuffle(seed).map
    )


tree_claims = st.builds(
    KMNAnonymity,
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 2),
    st.none(),
    st.sampled_from([None, "D"]),
    st.sampled_from([(), ("A",), ("B", "C")]),
    st.sampled_from(REPEATS),
) | st.builds(
    KMNAnonymity,
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(1, 3),
    st.just("D"),
    repeats=st.sampled_from(REPEATS),
)


@settings(max_examples=150)
@given(
    trees(min_records=1, max_records=14),
    st.sampled_from([False, False, False, True]),
    tree_claims,
    st.lists(st.integers(1, 13), max_size=4),
    st.sampled_from([1, 7, 1 << 22]),
    st.integers(0, 2**32),
)
def test_the_verdict_on_trees_is_that_of_the_whole(records, repeats, claim, cuts, at_once, seed):
    whole = Trees.of(records, repeats=claim.counts_nodes or repeats)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.privacy.support_counting._AT_ONCE", at_once)
        assert judged_trees(claim, whole, cuts, seed).as_dict() == claim.check(whole).as_dict()


def test_witnesses_are_numbered_through_all_parts():
    whole = Trees.of([[("A", "x")]] * 5 + [[("A", "y")]] + [[("A", "x")]] * 4)
    verdict = judged_trees(KMNAnonymity(2, 1, 0), whole, [3, 5], 0)
    assert (verdict.broken, verdict.witnesses) == (1, (6,))


def test_what_records_of_one_part_show_is_counted_in_all_others():
    """The second record shows more relations than may be known; what the first shows fits it as well."""
    whole = Trees.of(
        [[("A", "x", ("B", "y")), ("C", "z")], [("A", "x", ("B", "y", ("C", "z")))]], repeats=True
    )
    claim = KMNAnonymity(2, 3, 2, repeats="keep")
    verdict = judged_trees(claim, whole, [1], 0)
    assert (verdict.broken, verdict.witnesses) == (1, (2,))
    assert verdict.as_dict() == claim.check(whole).as_dict()


def test_too_many_trees_to_count_are_not_judged(monkeypatch):
    monkeypatch.setattr("shoal.privacy.support_counting.MOST_SETS", 3)
    whole = Trees.of([[("A", "x", ("B", "y")), ("C", "z")], [("A", "x")]] * 2)
    verdict = judged_trees(KMNAnonymity(2, 2, 1), whole, [2], 0)
    assert not verdict.judged
    assert "sets of 1 values" in verdict.sentence
