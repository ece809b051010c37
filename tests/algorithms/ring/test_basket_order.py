import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_votes
from shoal.algorithms.ring._kernels.bitmaps import hops, randomness
from shoal.algorithms.ring.basket_order import (
    DIGITS,
    _cut_segments,
    band_order,
    gray_order,
    gray_tsp_order,
    rank_digits,
)
from shoal.base.errors import InputError
from shoal.data import Baskets

few = settings(max_examples=60)
lists = st.lists(st.frozensets(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=12)


def numbers(baskets, rank=None):
    """Each basket as a set of digits."""
    return [
        {int(item if rank is None else rank[item]) for item in baskets.basket(record)}
        for record in range(baskets.n)
    ]


@given(lists, st.sampled_from([None, *DIGITS]))
@few
def test_records_are_sorted_by_gray_rank(rows, digits):
    baskets = Baskets.of("i", rows)
    rank = None if digits is None else rank_digits(baskets, digits)
    order = gray_order(baskets, rank)
    ranks = [naive_votes.gray_rank(basket, len(baskets.values)) for basket in numbers(baskets, rank)]
    assert sorted(order.tolist()) == list(range(baskets.n))
    assert [ranks[i] for i in order] == sorted(ranks)


@given(lists, st.randoms())
@few
def test_equal_baskets_follow_a_given_order(rows, random):
    baskets = Baskets.of("i", [*rows, *rows])
    first = np.array(random.sample(range(baskets.n), baskets.n))
    order = gray_order(baskets, None, first)
    place = {record: at for at, record in enumerate(first.tolist())}
    found = [(tuple(baskets.basket(i).tolist()), place[i]) for i in order.tolist()]
    for (basket, at), (after, later) in itertools.pairwise(found):
        assert basket != after or at < later


def test_items_that_divide_evenly_come_first():
    baskets = Baskets.of("i", [["a", "b"], ["a", "b"], ["a"], ["a", "c"]])
    assert rank_digits(baskets).tolist() == [2, 0, 1]  # b is in half of the records, c in one, a in all
    assert rank_digits(baskets, "frequent").tolist() == [0, 1, 2]
    assert rank_digits(baskets, "rare").tolist() == [2, 1, 0]


def test_the_digits_make_the_order():
    baskets = Baskets.of("i", [["a"], ["a", "b"], ["b"], [], ["b", "c"], ["b", "c", "d"]])
    for digits in DIGITS:
        order = gray_tsp_order(baskets, randomness(np.random.default_rng(1)), tsp="none", digits=digits)
        assert order.tolist() == gray_order(baskets, rank_digits(baskets, digits)).tolist()


@given(lists, st.sampled_from(["greedy", "genetic", "none"]), st.integers(2, 6))
@few
def test_orders_hold_everybody_and_segments_keep_their_ends(rows, tsp, segment):
    baskets = Baskets.of("i", rows)
    plain = gray_tsp_order(baskets, randomness(np.random.default_rng(1)), tsp="none")
    order = gray_tsp_order(baskets, randomness(np.random.default_rng(1)), tsp=tsp, segment=segment)
    assert sorted(order.tolist()) == list(range(baskets.n))
    assert {order[0], order[-1]} == {plain[0], plain[-1]}
    if tsp == "none":
        assert (order == plain).all()


def test_reordering_shortens_the_hops():
    random = np.random.default_rng(0)
    baskets = Baskets.of("i", [[str(i) for i in np.flatnonzero(random.random(30) < 0.3)] for _ in range(400)])
    gray = hops(baskets.start, baskets.items, gray_order(baskets)).sum()
    for tsp in ("greedy", "genetic"):
        order = gray_tsp_order(baskets, randomness(None), tsp=tsp, segment=100)
        assert hops(baskets.start, baskets.items, order).sum() < 0.8 * gray


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 8), st.integers(0, 4))
@few
def test_any_number_of_records_is_cut_in_segments(gaps, least, more):
    starts = _cut_segments(np.array(gaps), least, least + more)
    sizes = np.diff(starts)
    assert starts[0] == 0
    assert starts[-1] == len(gaps)
    assert sizes.max() <= least + more
    parts = -(-len(gaps) // (least + more))
    assert sizes.min() >= min(least, len(gaps) // parts)


def test_a_band_matrix_brings_common_items_together():
    rows = [["a", "b"], ["x", "y"], ["b", "c"], ["y", "z"], ["c", "d"], ["z"]]
    order = band_order(Baskets.of("i", rows)).tolist()
    assert sorted(order) == list(range(6))
    halves = [{i % 2 for i in order[:3]}, {i % 2 for i in order[3:]}]
    assert all(len(half) == 1 for half in halves)  # the two kinds of baskets are not mixed


def test_a_band_matrix_of_too_many_pairs_is_refused():
    start = np.arange(20_001)
    baskets = Baskets("i", ("a",), start, np.zeros(20_000, dtype=np.int32))
    with pytest.raises(InputError, match="400000000 pairs of records share items"):
        band_order(baskets)
