"""The losses against their slow twins; bounds, laws and edge cases."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_losses as naive
from shoal.hierarchy import Hierarchy
from shoal.release import Forms, Recoded
from shoal.utility import (
    aecs,
    c_avg,
    ce,
    dm,
    dm_star,
    glm,
    glm_geometric,
    height,
    il,
    loss_by_column,
    losses,
    ncp,
    precision,
)

ALWAYS = {"glm", "glm-geometric", "ncp", "il", "dm", "aecs"}


def same(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-12)


# --- random releases --------------------------------------------------------------------------------------


@st.composite
def hierarchies(draw, name, **flags):
    """A tree of 1 to 6 leaves, up to 3 levels under the root; nodes may have one child."""
    size = draw(st.integers(1, 6))
    groups, paths = list(range(size)), [[str(3 * leaf * leaf)] for leaf in range(size)]
    for level in range(1, draw(st.integers(0, 3)) + 1):
        merged = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
        groups = [merged[group] for group in groups]
        for path, group in zip(paths, groups, strict=True):
            path.append(f"level {level} group {group}")
    if size > 1 or draw(st.booleans()):
        paths = [[*path, "*"] for path in paths]
    return Hierarchy.from_paths(name, paths, **flags)


@st.composite
def local(draw, tree):
    """Forms that are any sets of leaves, one of them under two labels; the root takes missing cells."""
    leaf = st.integers(0, tree.size - 1)
    sets = draw(st.lists(st.frozensets(leaf, min_size=1), min_size=1, max_size=4))
    sets = [*sets, sets[0], frozenset(range(tree.size + 1))]
    start = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    leaves = np.array([code for form in sets for code in sorted(form)], dtype=np.int32)
    return Forms(tuple(f"form {f}" for f in range(len(sets))), start, leaves)


@st.composite
def releases(draw, *, full_domain):
    """A release, and what the slow twins need to know of it."""
    names = [f"q{j}" for j in range(draw(st.integers(1, 3)))]
    trees = {name: draw(hierarchies(name, ordered=draw(st.booleans()))) for name in names}
    n = draw(st.integers(1, 8))
    rows = np.array(sorted(draw(st.sets(st.integers(0, n - 1)))), dtype=np.int64)
    if full_domain:
        leaves = np.array(
            [[draw(st.integers(0, trees[name].size)) for name in names] for _ in range(n)], dtype=np.int32
        )
        levels = [draw(st.integers(0, trees[name].height)) for name in names]
        recoded = Recoded.of_levels(names, trees, leaves, levels, rows)
    else:
        leaves, levels = None, None
        forms = tuple(draw(local(trees[name])) for name in names)
        codes = [[draw(st.integers(0, len(f.labels) - 1)) for f in forms] for _ in rows]
        shaped = np.array(codes, dtype=np.int32).reshape(len(rows), len(names))
        recoded = Recoded(tuple(names), forms, shaped, rows, n)
    return SimpleNamespace(
        recoded=recoded,
        trees=trees,
        leaves=leaves,
        levels=levels,
        cells=cells_of(recoded),
        domains=[list(range(trees[name].size)) for name in names],
        numbers=[_numbers(trees[name]) for name in names],
        weights=draw(st.lists(st.integers(1, 5), min_size=len(names), max_size=len(names))),
        target=np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))),
    )


def cells_of(recoded):
    cells = [None] * recoded.records
    for row, codes in zip(recoded.rows.tolist(), recoded.codes.tolist(), strict=True):
        cells[row] = tuple(
            frozenset(f.leaves[f.start[c] : f.start[c + 1]].tolist())
            for f, c in zip(recoded.forms, codes, strict=True)
        )
    return cells


def _numbers(tree):
    return {c: int(leaf) for c, leaf in enumerate(tree.leaves)} if tree.ordered and tree.size > 1 else None


# --- against the twins ------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_cell_losses_agree_with_their_definitions(case):
    recoded, trees = case.recoded, case.trees
    weights = dict(zip(recoded.names, case.weights, strict=True))
    assert glm(recoded, trees) == same(naive.glm(case.cells, case.domains))
    assert glm_geometric(recoded, trees) == same(naive.glm_geometric(case.cells, case.domains))
    assert ncp(recoded, trees, weights) == same(
        naive.ncp(case.cells, case.domains, case.numbers, case.weights)
    )
    assert il(recoded, trees) == same(naive.il(case.cells, case.domains, case.numbers))
    columns = loss_by_column(recoded, trees)
    assert list(columns) == list(recoded.names)
    assert list(columns.values()) == [same(loss) for loss in naive.by_column(case.cells, case.domains)]


@settings(max_examples=80, deadline=None)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_class_losses_agree_with_their_definitions(case):
    recoded = case.recoded
    assert dm(recoded) == naive.dm(case.cells)
    assert aecs(recoded) == same(naive.aecs(case.cells))
    assert ce(recoded, case.target) == same(naive.ce(case.cells, case.target.tolist()))
    expected = naive.c_avg(case.cells, 3) if len(recoded.rows) else inf
    assert c_avg(recoded, 3) == same(expected)


@settings(max_examples=60, deadline=None)
@given(releases(full_domain=True))
def test_level_losses_agree_with_their_definitions(case):
    heights = [case.trees[name].height for name in case.recoded.names]
    assert precision(case.recoded, case.trees) == same(naive.precision(case.cells, case.levels, heights))
    assert height(case.recoded) == sum(case.levels)
    whole = Recoded.of_levels(
        case.recoded.names, case.trees, case.leaves, case.levels, np.arange(case.recoded.records)
    )
    assert dm_star(case.recoded, case.trees, case.leaves) == naive.dm(cells_of(whole))


@settings(max_examples=60, deadline=None)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_losses_holds_what_can_be_computed(case):
    recoded, trees = case.recoded, case.trees
    bare = losses(recoded, trees)
    full = losses(recoded, trees, k=2, target=case.target, leaves=case.leaves)
    by_levels = {"precision", "height"} if case.levels is not None else set()
    none_gone = {"dm-star"} if recoded.suppressed == 0 else set()
    assert set(bare) == ALWAYS | by_levels | none_gone
    known = {"dm-star"} if case.levels is not None else none_gone
    assert set(full) == ALWAYS | by_levels | known | {"ce"} | ({"c_avg"} if len(recoded.rows) else set())
    assert full["glm"] == glm(recoded, trees)
    assert full["glm-geometric"] == glm_geometric(recoded, trees)
    assert full["ncp"] == ncp(recoded, trees)
    assert full["il"] == il(recoded, trees)
    assert full["dm"] == dm(recoded)
    assert full["aecs"] == aecs(recoded)
    assert full["ce"] == ce(recoded, case.target)
    assert full.get("c_avg", inf) == c_avg(recoded, 2)


# --- laws -------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(releases(full_domain=True))
def test_bounds(case):
    names, trees, everyone = case.recoded.names, case.trees, np.arange(case.recoded.records)
    known = np.minimum(case.leaves, [trees[name].size - 1 for name in names]).astype(np.int32)
    untouched = losses(Recoded.of_levels(names, trees, known, [0] * len(names), everyone), trees)
    for name in ("glm", "glm-geometric", "ncp", "il", "precision", "height"):
        assert untouched[name] == 0
    gone = losses(Recoded.of_levels(names, trees, known, [0] * len(names), everyone[:0]), trees)
    for name in ("glm", "glm-geometric", "ncp", "precision"):
        assert gone[name] == same(1)
    assert gone["il"] == len(names)
    assert gone["dm"] == len(everyone) ** 2
    tops = [trees[name].height for name in names]
    rooted = losses(Recoded.of_levels(names, trees, known, tops, everyone), trees)
    if min(trees[name].size for name in names) > 1:
        for name in ("glm", "glm-geometric", "ncp", "precision"):
            assert rooted[name] == same(1)
    assert rooted["dm"] == len(everyone) ** 2
    assert rooted["aecs"] == len(everyone)


@settings(max_examples=60, deadline=None)
@given(releases(full_domain=True), st.data())
def test_one_level_more_never_costs_less_without_suppression(case, data):
    names, everyone = case.recoded.names, np.arange(case.recoded.records)
    j = data.draw(st.integers(0, len(names) - 1))
    up = list(case.levels)
    up[j] = min(up[j] + 1, case.trees[names[j]].height)
    low = losses(Recoded.of_levels(names, case.trees, case.leaves, case.levels, everyone), case.trees)
    high = losses(Recoded.of_levels(names, case.trees, case.leaves, up, everyone), case.trees)
    assert all(high[name] >= low[name] - 1e-12 for name in low)
    assert high["glm-geometric"] <= high["glm"] + 1e-12


def test_a_hierarchy_of_one_leaf_loses_nothing_but_suppressed_records():
    trees = {"q": Hierarchy.from_paths("q", [["only", "*"]])}
    leaves = np.zeros((4, 1), dtype=np.int32)
    kept = Recoded.of_levels(["q"], trees, leaves, [1], np.arange(4))
    assert (glm(kept, trees), ncp(kept, trees), il(kept, trees)) == (0, 0, 0)
    one_gone = Recoded.of_levels(["q"], trees, leaves, [1], np.arange(3))
    assert (glm(one_gone, trees), ncp(one_gone, trees), il(one_gone, trees)) == (0.25, 0.25, 0.25)


def test_a_missing_cell_that_no_leaf_covers_costs_the_root():
    trees = {"q": Hierarchy.from_paths("q", [["1", "*"], ["2", "*"], ["9", "*"]], ordered=True)}
    leaves = np.array([[0], [3]], dtype=np.int32)
    recoded = Recoded.of_levels(["q"], trees, leaves, [0], np.arange(2))
    assert (glm(recoded, trees), ncp(recoded, trees), il(recoded, trees)) == (0.5, 0.5, 0.5)


def test_ranges_count_for_ordered_numbers_only():
    paths = [["1", "low", "*"], ["2", "low", "*"], ["11", "high", "*"]]
    leaves = np.array([[0], [1], [2]], dtype=np.int32)

    def at_level_one(tree):
        return ncp(Recoded.of_levels(["q"], {"q": tree}, leaves, [1], np.arange(3)), {"q": tree})

    assert at_level_one(Hierarchy.from_paths("q", paths, ordered=True)) == same(2 * (1 / 10) / 3)
    assert at_level_one(Hierarchy.from_paths("q", paths)) == same(2 * (2 / 3) / 3)
    dated = [["2020-01", *paths[0][1:]], ["2020-02", *paths[1][1:]], ["2021-01", *paths[2][1:]]]
    assert at_level_one(Hierarchy.from_paths("q", dated, ordered=True)) == same(2 * (2 / 3) / 3)
    endless = [["1", *paths[0][1:]], ["2", *paths[1][1:]], ["inf", *paths[2][1:]]]
    assert at_level_one(Hierarchy.from_paths("q", endless, ordered=True)) == same(2 * (2 / 3) / 3)


def test_equal_leaf_sets_are_one_class_whatever_their_labels():
    tree = Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])
    forms = Forms(("a|b", "b|a"), np.array([0, 2, 4]), np.array([0, 1, 0, 1], dtype=np.int32))
    recoded = Recoded(("q",), (forms,), np.array([[0], [1]], dtype=np.int32), np.arange(2), 2)
    assert losses(recoded, {"q": tree}, k=2)["c_avg"] == 1


def test_no_records_lose_nothing():
    trees = {"q": Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])}
    empty = Recoded.of_levels(["q"], trees, np.empty((0, 1), dtype=np.int32), [1], np.arange(0))
    found = losses(empty, trees, k=2, target=np.empty(0, dtype=np.int64))
    assert {name: loss for name, loss in found.items() if loss} == {"height": 1}
