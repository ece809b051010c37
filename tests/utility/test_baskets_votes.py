import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_votes
from shoal.algorithms.ring.nonreciprocal import nonreciprocal
from shoal.base.errors import InputError
from shoal.data import Baskets
from shoal.privacy import make_claim
from shoal.utility import VoteCase, case_losses
from shoal.utility.baskets import _draw_item_queries, er, er_by_frequency, qe

few = settings(max_examples=50)
rows = st.lists(st.frozensets(st.sampled_from("abcde"), max_size=5), min_size=1, max_size=12)


def baskets_of(start, items):
    return [set(items[a:b].tolist()) for a, b in itertools.pairwise(start)]


@given(rows, st.data())
@few
def test_losses_agree_with_their_definitions(rows, data):
    baskets = Baskets.of("i", [*rows, {"a"}])
    release = nonreciprocal(
        baskets, claim=make_claim("baskets", k=data.draw(st.integers(1, baskets.n)))
    ).release
    originals, shown = baskets_of(baskets.start, baskets.items), baskets_of(release.start, release.items)
    published = [(items, (), 0) for items in shown]
    assert er(release, baskets) == pytest.approx(naive_votes.error_rate(originals, published, release.rows))
    queries = _draw_item_queries(baskets, data.draw(st.integers(1, len(baskets.values))), 20)
    for absent in (False, True):
        expected = naive_votes.query_error(originals, shown, queries.tolist(), absent)
        assert qe(release, baskets, queries, absent=absent) == pytest.approx(expected)


@given(rows)
@few
def test_bands_add_up_to_all_flips(rows):
    baskets = Baskets.of("i", [*rows, {"a"}])
    release = nonreciprocal(baskets, claim=make_claim("baskets", k=min(3, baskets.n))).release
    bands = er_by_frequency(release, baskets)
    originals, shown = baskets_of(baskets.start, baskets.items), baskets_of(release.start, release.items)
    pairs = [(originals[own], items) for own, items in zip(release.rows, shown, strict=True)]
    assert sum(band.lost for band in bands) == sum(len(own - items) for own, items in pairs)
    assert sum(band.added for band in bands) == sum(len(items - own) for own, items in pairs)
    assert sum(band.held for band in bands) == len(baskets.items)
    assert sum(band.items for band in bands) == len(baskets.values)
    assert all(band.er == (band.lost + band.added) / band.held for band in bands)


def test_what_is_untouched_loses_nothing():
    baskets = Baskets.of("i", [["a", "b"], ["c"], []])
    release = nonreciprocal(baskets, claim=make_claim("baskets", k=1)).release
    assert case_losses(VoteCase(release, baskets)) == {"er": 0, "are-items": 0, "qe": 0, "qe-absent": 0}


def test_workloads_repeat_and_hold_different_items():
    baskets = Baskets.of("i", [[str(i) for i in range(9)]])
    queries = _draw_item_queries(baskets, 4)
    assert queries.shape == (500, 4)
    assert (queries == _draw_item_queries(baskets, 4)).all()
    assert all(len(set(query)) == 4 for query in queries.tolist())
    assert (queries != _draw_item_queries(baskets, 4, rng=np.random.default_rng(1))).any()
    with pytest.raises(InputError, match="queries of 10 items, and there are 9"):
        _draw_item_queries(baskets, 10)


def test_no_items_at_all():
    baskets = Baskets.of("i", [[], []])
    release = nonreciprocal(baskets, claim=make_claim("baskets", k=2)).release
    assert er(release, baskets) == 0
    assert case_losses(VoteCase(release, baskets)) == {"er": 0, "qe": 0, "qe-absent": 0}


def test_the_headline_is_a_share_where_the_rate_of_the_paper_is_none():
    baskets = Baskets.of("i", [["a"], ["b", "c", "d"]])
    release = nonreciprocal(baskets, claim=make_claim("baskets", k=1)).release
    swapped = replace(release, rows=release.rows[::-1].copy())  # each row tells of the other record
    assert er(swapped, baskets) == pytest.approx((4 + 4 / 3) / 2)
    assert case_losses(VoteCase(swapped, baskets))["er"] == 1
    assert not case_losses(VoteCase(swapped, baskets).public())
