"""Clusters around seeds, as the paper words them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mixed_cases
import naive_mixed
from mixed_cases import records_of, rows_and_columns
from shoal.algorithms._kernels import CLIMB, price_union
from shoal.algorithms.local._kernels.clustering import extents
from shoal.algorithms.mixed._kernels import (
    ClusterBaskets,
    chain_records,
    cluster_diameters,
    cluster_distances,
    cluster_records,
    form_clusters,
    subset_loss,
)


@settings(max_examples=60)
@given(mixed_cases.cases(), st.integers(1, 4), st.integers(0, 99))
def test_clusters_are_the_papers(case, k, seed):
    assume(case[0].n >= k)
    assert_the_papers(case, k, seed)


@settings(max_examples=8)
@given(mixed_cases.cases(min_rows=36, max_rows=40), st.integers(1, 2), st.integers(0, 99))
def test_many_clusters_are_too(case, k, seed):
    assert_the_papers(case, k, seed)  # those left close up more than once


def assert_the_papers(case, k, seed):
    mixed, trees, items = case
    records = records_of(mixed, trees, items)
    draws = np.random.default_rng(seed).random(mixed.n // k)
    found = form_clusters(records.local.codes, draws, k, records.local.rates, np.zeros(1, dtype=np.int64))
    expected = naive_mixed.cluster(*rows_and_columns(records, mixed, trees), draws, k)
    assert [np.flatnonzero(found == c).tolist() for c in range(len(expected))] == list(map(sorted, expected))


@settings(max_examples=20)
@given(mixed_cases.cases(min_rows=2), st.booleans())
def test_what_lies_beside_a_seed_is_what_pairs_pay(case, span):
    mixed, trees, items = case
    local = records_of(mixed, trees, items, recode="span" if span else "hierarchy").local
    climbing = as_climbs(local.rates, trees.values(), local) if not span else local.rates
    low, high = extents(local.codes, np.arange(local.n), np.arange(local.n + 1), local.rates)
    for k in (2, 3):
        for rates in (local.rates, climbing):
            if local.n < k:
                continue
            found = form_clusters(local.codes, np.zeros(local.n // k), k, rates, np.zeros(1, dtype=np.int64))
            pay = [price_union(low[0], high[0], low[i], high[i], local.rates) for i in range(1, local.n)]
            near = sorted(range(1, local.n), key=lambda i: (pay[i - 1], i))[: k - 1]
            assert (found[[0, *near]] == 0).all()


def as_climbs(rates, trees, local):
    """The same prices, every column climbed instead of looked up."""
    tables, heights = [], []
    for j, tree in enumerate(trees):
        nodes = tree.up[local.scales[j].leaf].T.astype(np.int64)
        wide = [np.diff(tree.spans[level], axis=1)[:, 0][nodes[level]] for level in range(len(nodes))]
        prices = [np.where(w > 1, np.rint(1 / len(local.scales) * w / tree.size * 2**30), 0) for w in wide]
        tables.append(np.r_[nodes.ravel(), np.concatenate(prices)].astype(np.int64))
        heights.append(tree.height)
    at = np.cumsum([0, *map(len, tables)])[:-1].astype(np.int64)
    kind = np.full(len(tables), CLIMB)
    return rates._replace(kind=kind, at=at, height=np.array(heights), table=np.concatenate(tables))


# Bit-vector transaction distance, pruned, against its definition; lists that stay sorted.

baskets = st.frozensets(st.integers(0, 9), max_size=7)


@st.composite
def clustered(draw):
    lists = draw(st.lists(baskets, min_size=1, max_size=14))
    of = draw(st.lists(st.integers(0, 3), min_size=len(lists), max_size=len(lists)))
    return lists, np.array(of)


def linked(lists, of):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    items = np.array([item for basket in lists for item in sorted(basket)], dtype=np.int32)
    order = np.argsort(-np.diff(start), kind="stable")
    return ClusterBaskets(start, items, *chain_records(of, order, 4))


@settings(max_examples=80)
@given(clustered())
def test_distances_agree_with_the_definition(case):
    lists, of = case
    found = linked(lists, of)
    held = [[basket for basket, c in zip(lists, of, strict=True) if c == number] for number in range(4)]
    for c in range(4):
        far = [max((naive_mixed.btd(a, b) for a in held[c] for b in held[o]), default=0) for o in range(4)]
        assert cluster_distances(found, c, np.arange(4)).tolist() == far
        assert cluster_diameters(found)[c] == far[c]


@settings(max_examples=30)
@given(clustered())
def test_members_stand_by_falling_size(case):
    lists, of = case
    found = linked(lists, of)
    for c in range(4):
        rows = cluster_records(found, c, int((of == c).sum()))
        assert sorted(rows) == np.flatnonzero(of == c).tolist()
        sizes = [len(lists[row]) for row in rows]
        assert sizes == sorted(sizes, reverse=True)


# Utility loss in floats against fractions, where powers of two overflow.


def loss(sizes):
    """One record of so many forms, each of its own size."""
    n = len(sizes)
    start, items, form = np.array([0, n]), np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)
    return subset_loss(start, items, form, np.array(sizes, dtype=np.int64), np.ones(n), n, n)


@pytest.mark.parametrize("big", [1, 63, 64, 1024, 5000])
@pytest.mark.parametrize("others", [[], [1], [2, 3], [1] * 60])
def test_large_forms_do_not_overflow(big, others):
    sizes = [big, *others]
    exact = Fraction(sum(2**size - 1 for size in sizes), 2 ** sum(sizes) - 1)
    assert loss(sizes) == pytest.approx(float(exact), rel=1e-12)


def test_items_of_one_form_count_once_and_what_is_left_out_loses_all():
    form, size = np.array([0, 0, 1, -1], dtype=np.int32), np.array([2, 2, 1, 0])
    start = np.array([0, 2, 2, 5, 6])
    items = np.array([0, 1, 0, 2, 3, 3], dtype=np.int32)
    # (a, b) alone; nothing; (a, b), c and a third item gone, which may be any of four; nothing left of one item
    found = subset_loss(start, items, form, size, np.ones(4), 2, 4)
    assert found == pytest.approx(1 + 0 + (3 + 1 + 15) / 127 + 1)


def test_forms_weigh_what_they_are_worth():
    form, size, worth = np.array([0, 0, 1], dtype=np.int32), np.array([2, 2, 1]), np.array([0.5, 0.5, 0.25])
    items = np.array([0, 1, 2], dtype=np.int32)
    assert subset_loss(np.array([0, 3]), items, form, size, worth, 2, 3) == pytest.approx((1.5 + 0.25) / 7)
