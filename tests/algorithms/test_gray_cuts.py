"""Keys by which baskets are cut into runs of their Gray order."""

from functools import partial

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.gray_cuts import find_bare_baskets, find_borders, gray_keys, number_runs
from shoal.algorithms.ring.basket_order import gray_order
from shoal.data import Baskets
from strategies import several


@given(rows=st.lists(st.frozensets(st.integers(0, 99), max_size=12), max_size=30), data=st.data())
@settings(max_examples=80)
def test_keys_are_in_gray_order(rows, data):
    every = {f"{item:02}" for item in range(data.draw(st.sampled_from([1, 2, 100, 300])))}
    baskets = Baskets.of("i", [{f"{item:02}" for item in row} & every for row in rows], every)
    rank = np.array(data.draw(st.permutations(range(len(baskets.values)))), dtype=np.int64)
    keys = gray_keys(baskets, rank)
    assert (np.diff(keys[gray_order(baskets, rank)].astype(object)) >= 0).all()
    short = [
        row for row in range(baskets.n) if len(baskets.basket(row)) < 63 // len(baskets.values).bit_length()
    ]
    for a in short:
        for b in short:
            assert (keys[a] == keys[b]) == (baskets.basket(a).tolist() == baskets.basket(b).tolist())


@given(
    keys=st.integers(1, 400).flatmap(partial(several, tuple(range(6)))),
    parts=st.integers(1, 8),
    seed=st.integers(0, 9),
)
@settings(max_examples=100)
def test_equal_keys_are_spread_over_the_parts_that_they_fill(keys, parts, seed):
    keys = np.array(keys, dtype=np.uint64)
    draws = np.random.default_rng(seed).integers(0, 2**63, len(keys)).astype(np.uint64)
    of = number_runs(keys, find_borders(keys, parts), draws)
    assert ((0 <= of) & (of < parts)).all()
    order = np.lexsort((keys, of))
    assert (np.diff(keys[order].astype(np.int64)) >= 0).all()


@given(rows=st.lists(st.frozensets(st.integers(0, 5)), max_size=20), opens=st.frozensets(st.integers(0, 5)))
def test_bare_baskets_hold_no_item_that_may_be_generalized(rows, opens):
    baskets = Baskets.of("i", [map(str, row) for row in rows], map(str, range(6)))
    mask = np.isin(np.arange(6), list(opens))
    assert find_bare_baskets(baskets, mask).tolist() == [not row & opens for row in rows]
