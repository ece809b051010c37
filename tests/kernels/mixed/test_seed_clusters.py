"""Clusters around seeds, as the paper words them."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mixed_cases
import naive_mixed
from shoal.algorithms.mixed.mixed_records import Records
from shoal.kernels.local.class_prices import CLIMB, Rates, both
from shoal.kernels.local.merge_classes import extents
from shoal.kernels.mixed.seed_clusters import gather


def records_of(mixed, trees, items, recode="hierarchy"):
    return Records.of("bound", mixed, trees, items, k=1, exempt=False, recode=recode, grid=None)


def rows_and_columns(records, mixed, trees):
    """The records in the makers' order as tuples of texts, and each column's paths."""
    cells = [column.cells() for column in mixed.table.quasi]
    rows = [tuple(column[row] for column in cells) for row in records.local.rows]
    paths = [
        [
            [tree.labels[level][tree.up[leaf, level]] for level in range(tree.height + 1)]
            for leaf in range(tree.size)
        ]
        for tree in (trees[column.name] for column in mixed.table.quasi)
    ]
    return rows, paths


@settings(max_examples=60, deadline=None)
@given(mixed_cases.cases(), st.integers(1, 4), st.integers(0, 99))
def test_clusters_are_the_papers(case, k, seed):
    assume(case[0].n >= k)
    assert_the_papers(case, k, seed)


@settings(max_examples=8, deadline=None)
@given(mixed_cases.cases(min_rows=36, max_rows=40), st.integers(1, 2), st.integers(0, 99))
def test_many_clusters_are_too(case, k, seed):
    assert_the_papers(case, k, seed)  # those left close up more than once


def assert_the_papers(case, k, seed):
    mixed, trees, items = case
    records = records_of(mixed, trees, items)
    draws = np.random.default_rng(seed).random(mixed.n // k)
    found = gather(records.local.codes, draws, k, records.local.rates, np.zeros(1, dtype=np.int64))
    expected = naive_mixed.cluster(*rows_and_columns(records, mixed, trees), draws, k)
    assert [np.flatnonzero(found == c).tolist() for c in range(len(expected))] == list(map(sorted, expected))


@settings(max_examples=20, deadline=None)
@given(mixed_cases.cases(min_rows=2), st.booleans())
def test_what_lies_beside_a_seed_is_what_pairs_pay(case, span):
    mixed, trees, items = case
    local = records_of(mixed, trees, items, "span" if span else "hierarchy").local
    climbing = as_climbs(local.rates, trees.values(), local) if not span else local.rates
    low, high = extents(local.codes, np.arange(local.n), np.arange(local.n + 1), local.rates)
    for k in (2, 3):
        for rates in (local.rates, climbing):
            if local.n < k:
                continue
            found = gather(local.codes, np.zeros(local.n // k), k, rates, np.zeros(1, dtype=np.int64))
            pay = [both(low[0], high[0], low[i], high[i], local.rates) for i in range(1, local.n)]
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
    return Rates(kind, at, rates.size, rates.root, np.array(heights), rates.gone, np.concatenate(tables))
