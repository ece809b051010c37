"""What a node gives, against plain counting; small enough to run without the JIT."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms._kernels import TupleLayout, generalize_column, merge_tuples
from shoal.algorithms.lattice._kernels import (
    AECS,
    CE,
    DM,
    DM_STAR,
    HEIGHT,
    Extras,
    Prices,
    find_reaches,
    list_k_steps,
    node_classes,
    note_cheapest,
    quantize_loss,
    sweep_lattice,
)

NONE = np.empty(0, dtype=np.int64)
LAYOUT = TupleLayout(np.array([0]), np.array([0]), np.array([63]), np.array([[0]]), np.arange(64))


def prices(kind, n):
    return Prices(
        kind, n, 1, np.zeros(64, dtype=np.int64), np.zeros((1, 1), dtype=np.int64), np.array([1]), np.ones(1)
    )


def rungs(sizes, heads, errors, allowed, kind):
    table = (np.arange(len(sizes))[None, :], np.array(sizes), np.array(heads), np.array(errors))
    found = list_k_steps(table, np.array([0]), allowed, LAYOUT, prices(kind, sum(sizes)))
    return [tuple(x) for x in zip(*(column.tolist() for column in found), strict=True)]


def plain(sizes, heads, errors, kind, k):
    """Suppressed records and loss at k."""
    n, gone = sum(sizes), sum(s for s, h in zip(sizes, heads, strict=True) if h < k)
    kept = [(s, e) for s, h, e in zip(sizes, heads, errors, strict=True) if h >= k]
    loss = {
        HEIGHT: 0.0,
        DM: sum(s * s for s, _ in kept) + n * gone,
        DM_STAR: sum(s * s for s in sizes),
        AECS: n / max(len(kept) + (gone > 0), 1),
        CE: (sum(e for _, e in kept) + gone) / n,
    }[kind]
    return gone, float(loss)


@pytest.mark.parametrize("kind", [HEIGHT, DM, DM_STAR, AECS, CE])
@given(
    classes=st.lists(
        st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 8)), min_size=1, max_size=12
    ),
    share=st.sampled_from([0.0, 0.1, 0.4, 0.9]),
)
@settings(max_examples=25)
def test_a_rung_for_every_head_count_within_the_allowance(kind, classes, share):
    sizes = [size for size, _, _ in classes]
    heads = [min(size, head) for size, head, _ in classes]  # no more people than records
    errors = [min(size - 1, error) for size, _, error in classes]
    allowed = int(share * sum(sizes))
    expected = []
    for k in sorted(set(heads)):
        gone, loss = plain(sizes, heads, errors, kind, k)
        if gone <= allowed:
            expected.append((k, gone, loss))
    assert rungs(sizes, heads, errors, allowed, kind) == [(k, g, pytest.approx(c)) for k, g, c in expected]


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20
    ),
    persons=st.booleans(),
    target=st.booleans(),
)
@settings(max_examples=40)
def test_classes_count_records_persons_and_errors(rows, persons, target):
    """Bits 0-1 are the quasi-identifier, 2-3 the person, 4-5 the label."""
    tuples = Counter(rows)
    words = np.array([[q | p << 2 | t << 4 for q, p, t in tuples]], dtype=np.int64)
    counts = np.array(list(tuples.values()))
    extras = Extras(np.array([3]), np.array([15]) if persons else NONE, np.array([51]) if target else NONE)
    united, sizes, heads, errors = node_classes(words, counts, extras)
    for c, quasi in enumerate(united[0].tolist()):
        mine = [row for row in rows if row[0] == quasi]
        assert sizes[c] == len(mine)
        assert heads[c] == (len({p for _, p, _ in mine}) if persons else len(mine))
        if target:
            assert errors[c] == len(mine) - max(Counter(t for _, _, t in mine).values())
    assert sorted(united[0].tolist()) == sorted({q for q, _, _ in rows})


def test_tuples_that_are_classes_pass_through():
    words, counts = np.array([[1, 2]]), np.array([3, 4])
    assert node_classes(words, counts, Extras(NONE, NONE, NONE))[1].tolist() == [3, 4]


def test_ticks_tie_what_is_equal_but_for_rounding():
    assert quantize_loss(0.1 + 0.2) == quantize_loss(0.3)
    assert quantize_loss(0.3) < quantize_loss(0.300000000002)


# The whole lattice in one pass, against every node on its own; also with tuples too wide for one word.

NOTHING = np.empty(0, dtype=np.int64)
HEIGHTS, STRIDE = np.array([2, 1]), np.array([2, 1])
PLACES = np.array([0, 1, 2, 3, 0, 0, 2, 2, 0, 0, 0, 0])


def layout(wide):
    word = np.array([0, 1 if wide else 0])
    return TupleLayout(
        word, np.array([0, 0 if wide else 2]), np.array([3, 3]), np.array([[0, 4, 8], [0, 8, 8]]), PLACES
    )


def packed(rows, wide):
    a, b = np.array(rows, dtype=np.int64).T
    return np.stack([a, b]) if wide else (a | b << 2)[None, :]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=14),
    allowed=st.integers(0, 4),
    per_node=st.booleans(),
)
@settings(max_examples=12)
def test_finds_the_cheapest_node_of_every_k(wide, order, rows, allowed, per_node):
    n, where = len(rows), layout(wide)
    cost, total = np.zeros(12, dtype=np.int64), np.zeros((2, 3), dtype=np.int64)
    prices = Prices(DM, n, 1, cost, total, np.array([1, 1]), np.full(2, 0.5))
    extras = Extras(NOTHING, NOTHING, NOTHING)
    allowed = min(allowed, n - 1)
    words, counts = packed(rows, wide), np.ones(n, dtype=np.int64)
    expected = np.full(n + 1, np.inf), np.full(n + 1, np.iinfo(np.int64).max), np.zeros(n + 1, dtype=np.int64)
    for node in range(6):
        levels = node // STRIDE % (HEIGHTS + 1)
        table, tally = words.copy(), counts.copy()
        for j in range(2):
            generalize_column(table, j, levels[j], where)
        m = merge_tuples(table, tally)
        classed = node_classes(np.ascontiguousarray(table[:, :m]), tally[:m], extras)
        rungs = list_k_steps(classed, levels, allowed, where, prices)
        note_cheapest(rungs, len(rungs[0]) - 1 if per_node else 0, node, *expected)
    m = merge_tuples(words, counts)
    bottom = np.ascontiguousarray(words[:, :m]), counts[:m].copy()
    shape = HEIGHTS, STRIDE, np.array(order)
    found = sweep_lattice(
        *bottom, shape, where, extras, prices, allowed, per_node, np.zeros(1, dtype=np.int64)
    )
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.tolist() == theirs.tolist()


# How far nodes reach, against plain counting of their classes.

ROWS = 5


@st.composite
def counted(draw):
    tuples = draw(st.lists(st.tuples(*[st.integers(0, 6)] * ROWS), min_size=1, max_size=9))
    counts = draw(st.lists(st.integers(1, 4), min_size=len(tuples), max_size=len(tuples)))
    node = st.lists(st.integers(-1, ROWS - 1), min_size=4, max_size=4)
    nodes = draw(st.lists(node, min_size=1, max_size=8))
    return tuples, counts, draw(st.sampled_from([nodes, sorted(nodes)]))


def plain_reach(tuples, counts, node, allowed):
    """The largest k whose classes below k hold at most `allowed` records."""
    sizes = Counter()
    for values, count in zip(tuples, counts, strict=True):
        sizes[tuple(values[row] for row in node if row >= 0)] += count
    served = [k for k in range(max(sizes.values()) + 1) if sum(s for s in sizes.values() if s < k) <= allowed]
    return max(served)


@given(case=counted(), allowed=st.integers(0, 5))
@settings(max_examples=150)
def test_every_node_reaches_what_its_classes_allow(case, allowed):
    tuples, counts, nodes = case
    allowed = min(allowed, sum(counts) - 1)  # somebody stays
    codes = np.array(tuples, dtype=np.int32).T.copy()
    width = codes.max(axis=1).astype(np.int64) + 1
    found = find_reaches(codes, width, np.array(counts), np.array(nodes), allowed)
    assert found.tolist() == [plain_reach(tuples, counts, node, allowed) for node in nodes]
