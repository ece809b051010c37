import gc
from collections import Counter
from itertools import combinations, pairwise

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.runtime import _nrt_python as counters

import naive_itemsets as naive
from shoal._kernels import njit
from shoal.algorithms.itemsets._kernels import supports as support
from shoal.algorithms.itemsets._kernels.supports import find_needed_rows
from shoal.algorithms.itemsets.item_cuts import unite_baskets

rows = st.lists(st.lists(st.integers(0, 6), max_size=6, unique=True).map(sorted), min_size=1, max_size=9)


@njit
def walk(baskets, held, size, k, l, first, last, alive, kill, found):
    """All itemsets the walk yields; with `kill`, the first item of each dies at once."""
    itemset, n = np.empty(size, dtype=np.int32), 0
    state = support.start_walk(baskets, held, size, l, first, len(alive))
    while True:
        many = support.find_next_rare(baskets, held, k, l, last, alive, itemset, state)
        if many < 0:
            return n
        for i in range(size):
            found[n, i] = itemset[i]
        found[n, size] = many
        n += 1
        if kill:
            alive[itemset[0]] = False


def baskets_of(lists, width=7, secrets=0):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return unite_baskets(start, np.array([a for row in lists for a in row], dtype=np.int32), width, secrets)


def rare(baskets, size, k, l=0, form=None, alive=None, kill=False, bounds=None):
    width = baskets.width
    form = np.arange(width, dtype=np.int32) if form is None else np.array(form, dtype=np.int32)
    alive = np.ones(width, dtype=np.bool_) if alive is None else alive
    found = np.empty((500, size + 1), dtype=np.int32)
    first, last = bounds or (0, width)
    n = walk(
        baskets, support.publish_items(baskets, form, width), size, k, l, first, last, alive, kill, found
    )
    return [(tuple(row[:size].tolist()), int(row[size])) for row in found[:n]]


@given(rows, st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=60)
def test_exactly_the_rare_itemsets_are_met_each_once(lists, k, size):
    found = rare(baskets_of(lists), size, k)
    assert len({itemset for itemset, _ in found}) == len(found)
    expected = {
        (itemset, naive.support(lists, itemset))
        for row in lists
        for itemset in combinations(row, size)
        if naive.support(lists, itemset) < k
    }
    assert set(found) == expected


@given(rows, st.integers(1, 3), st.integers(2, 3), st.integers(1, 2))
@settings(max_examples=60)
def test_crowded_itemsets_are_met_too(lists, k, l, size):
    """Items 5 and 6 are secrets."""
    held = [[item for item in row if item < 5] for row in lists]
    expected = {
        itemset
        for row in held
        for itemset in combinations(row, size)
        if naive.support(lists, itemset) < k
        or any(l * naive.support(lists, (*itemset, s)) > naive.support(lists, itemset) for s in (5, 6))
    }
    baskets = baskets_of(lists, width=5, secrets=2)
    assert {itemset for itemset, _ in rare(baskets, size, k, l)} == expected


@given(rows, st.lists(st.integers(-1, 6), min_size=7, max_size=7), st.integers(1, 3))
@settings(max_examples=40)
def test_items_count_in_the_form_they_are_published_in(lists, form, size):
    shown = [sorted({form[item] for item in row} - {-1}) for row in lists]
    expected = {
        (itemset, naive.support(shown, itemset))
        for row in shown
        for itemset in combinations(row, size)
        if naive.support(shown, itemset) < 3
    }
    assert set(rare(baskets_of(lists), size, 3, form=form)) == expected


@given(rows, st.integers(2, 3))
@settings(max_examples=40)
def test_ranges_of_first_items_make_up_the_whole(lists, size):
    baskets = baskets_of(lists)
    parts = rare(baskets, size, 3, bounds=(0, 2)) + rare(baskets, size, 3, bounds=(2, 7))
    assert parts == rare(baskets, size, 3)


@given(rows, st.integers(1, 3))
@settings(max_examples=40)
def test_the_dead_are_passed_over(lists, size):
    alive = np.ones(7, dtype=np.bool_)
    alive[[1, 4]] = False
    expected = [hit for hit in rare(baskets_of(lists), size, 3) if not {1, 4} & set(hit[0])]
    assert rare(baskets_of(lists), size, 3, alive=alive) == expected
    firsts = [itemset[0] for itemset, _ in rare(baskets_of(lists), size, 3, kill=True)]
    assert len(firsts) == len(set(firsts))


@given(rows)
@settings(max_examples=40)
def test_equal_rows_share_a_number(lists):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    items = np.array([a for row in lists for a in row], dtype=np.int32)
    of, heads = support.number_distinct_rows(start, items)
    assert [lists[head] for head in heads[of]] == lists
    assert len(heads) == len({tuple(row) for row in lists})


@pytest.mark.parametrize("n", [0, 1, 2, 9, 50, 500])
def test_rows_of_any_length_are_sorted(n):
    rng = np.random.default_rng(n)
    form = rng.permutation(max(n, 1)).astype(np.int32)
    held = support.publish_items(baskets_of([list(range(n))], width=max(n, 1)), form, max(n, 1))
    assert held.items.tolist() == list(range(n))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Python frees what it no longer needs")
def test_a_walk_holds_no_memory_when_it_has_ended():
    baskets = baskets_of([[0, 1, 2], [1, 2, 3], [4]])
    rare(baskets, 2, 3)
    counters.memsys_enable_stats()
    try:
        begun, ended = counters.memsys_get_stats_mi_alloc(), counters.memsys_get_stats_mi_free()
        for _ in range(5):
            assert rare(baskets, 2, 3)
        gc.collect()
        begun, ended = (
            counters.memsys_get_stats_mi_alloc() - begun,
            counters.memsys_get_stats_mi_free() - ended,
        )
    finally:
        counters.memsys_disable_stats()
    assert 0 < begun <= ended


# Needed baskets keep every support below k.


def marked(start, items, weight, width, size, k, most, cut=None):
    """The rows that are needed, looked at in one go or in two."""
    table = np.full(1024, -1, dtype=np.int64), np.zeros(1024, dtype=np.int64), 0
    bounds = [0, len(weight)] if cut is None else [0, cut, len(weight)]
    found = []
    for first, last in pairwise(bounds):
        begins = start[first : last + 1] - start[first]
        some = items[start[first] : start[last]]
        kept, *table = find_needed_rows(begins, some, weight[first:last], width, size, k, most, *table)
        found.append(kept)
    return np.concatenate(found)


baskets_drawn = st.lists(
    st.lists(st.integers(0, 6), max_size=6, unique=True).map(sorted), min_size=1, max_size=30
)


def supports(lists, weight, size):
    found = Counter()
    for row, many in zip(lists, weight, strict=True):
        for one in range(1, size + 1):
            found.update({itemset: many for itemset in combinations(row, one)})
    return found


@given(
    baskets_drawn,
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(st.integers(1, 3), min_size=30, max_size=30),
    st.sampled_from([1 << 10, 1 << 20]),
    st.integers(0, 30),
)
def test_supports_below_k_stay_and_others_stay_at_least_k(lists, size, k, weight, most, cut):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    items = np.array([item for row in lists for item in row], dtype=np.int32)
    weight = weight[: len(lists)]
    kept = marked(start, items, np.array(weight, dtype=np.int64), 7, size, k, most, min(cut, len(lists)))
    some = [row for row, keep in zip(lists, kept, strict=True) if keep]
    whole = supports(lists, weight, size)
    left = supports(some, [many for many, keep in zip(weight, kept, strict=True) if keep], size)
    for itemset, many in whole.items():
        assert left[itemset] == many if many < k else left[itemset] >= k


def test_of_many_equal_baskets_few_are_needed():
    start = np.arange(0, 202, 2)
    kept = marked(
        start, np.tile(np.array([0, 1], dtype=np.int32), 100), np.ones(100, dtype=np.int64), 2, 2, 5, 1 << 10
    )
    assert kept.sum() == 5


def test_a_full_table_keeps_what_it_cannot_count():
    many = 3000
    start = np.arange(2 * many + 1)
    items = np.tile(np.arange(many, dtype=np.int32), 2)
    kept = marked(start, items, np.ones(2 * many, dtype=np.int64), many, 1, 1, 1024)
    assert kept[:many].all()
    assert many - 512 == kept[many:].sum()
