"""The losses against their slow twins; bounds, laws and edge cases."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_losses as naive
from shoal.hierarchy import Hierarchy
from shoal.release import PublishedValues, Recoded
from shoal.utility import _table_losses, class_of_rows, loss_by_column
from shoal.utility.table import (
    aecs,
    c_avg,
    ce,
    dm,
    dm_star,
    entropy,
    glm,
    glm_geometric,
    height,
    il,
    il_numeric,
    ncp,
    precision,
)

ALWAYS = {"glm", "glm-geometric", "ncp", "il", "il-numeric", "dm", "aecs"}


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
    """Forms that are any sets of leaves, one of them under two labels, the root, and ranges that may go beyond."""
    leaf = st.integers(0, tree.size - 1)
    sets = draw(st.lists(st.frozensets(leaf, min_size=1), min_size=1, max_size=4))
    sets = [*sets, sets[0], frozenset(range(tree.size + 1))]
    labels = [f"form {f}" for f in range(len(sets))]
    for low, high in draw(st.lists(st.tuples(st.integers(-5, 75), st.integers(0, 80)), max_size=3)):
        inside = [code for code, leaf in enumerate(tree.leaves) if low <= int(leaf) <= high]
        if inside:
            sets.append(frozenset(inside))
            labels.append(f"[{low}, {high}]")
    return PublishedValues.of_sets(labels, [np.array(sorted(form), dtype=np.int32) for form in sets])


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
        ranges=ranges_of(recoded, trees),
        domains=[list(range(trees[name].size)) for name in names],
        numbers=[_numbers(trees[name]) for name in names],
        weights=draw(st.lists(st.integers(1, 5), min_size=len(names), max_size=len(names))),
        target=np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))),
    )


def labels_of(recoded):
    """What each record shows, None where it is left out: readers tell classes apart by labels."""
    shown = [None] * recoded.records
    for row, codes in zip(recoded.rows.tolist(), recoded.codes.tolist(), strict=True):
        shown[row] = tuple(form.labels[code] for form, code in zip(recoded.forms, codes, strict=True))
    return shown


def cells_of(recoded):
    cells = [None] * recoded.records
    for row, codes in zip(recoded.rows.tolist(), recoded.codes.tolist(), strict=True):
        cells[row] = tuple(
            frozenset(f.leaves[f.start[c] : f.start[c + 1]].tolist())
            for f, c in zip(recoded.forms, codes, strict=True)
        )
    return cells


def ranges_of(recoded, trees):
    """By record and column the ends of a cell written as a range: where leaves are several numbers in order."""
    ranges, numbers = [None] * recoded.records, {name: _numbers(tree) for name, tree in trees.items()}
    for row, codes in zip(recoded.rows.tolist(), recoded.codes.tolist(), strict=True):
        labels = [f.labels[c] for f, c in zip(recoded.forms, codes, strict=True)]
        ranges[row] = [
            tuple(map(int, label[1:-1].split(", "))) if label[0] == "[" and numbers[name] else None
            for name, label in zip(recoded.names, labels, strict=True)
        ]
    return ranges


def _numbers(tree):
    leaves = [int(leaf) for leaf in tree.leaves]
    return dict(enumerate(leaves)) if len(leaves) > 1 and leaves == sorted(leaves) else None


# --- against the twins ------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_cell_losses_agree_with_their_definitions(case):
    recoded, trees = case.recoded, case.trees
    weights = dict(zip(recoded.names, case.weights, strict=True))
    assert glm(recoded, trees) == same(naive.glm(case.cells, case.domains))
    assert glm_geometric(recoded, trees) == same(naive.glm_geometric(case.cells, case.domains))
    assert ncp(recoded, trees, weights) == same(
        naive.ncp(case.cells, case.ranges, case.domains, case.numbers, case.weights)
    )
    assert il(recoded, trees) == same(naive.il(case.cells, case.ranges, case.domains, case.numbers))
    assert il_numeric(recoded, trees) == same(
        naive.il_numeric(case.cells, case.ranges, case.domains, case.numbers)
    )
    columns = loss_by_column(recoded, trees)
    assert list(columns) == list(recoded.names)
    assert list(columns.values()) == [same(loss) for loss in naive.by_column(case.cells, case.domains)]


@settings(max_examples=80)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_class_losses_agree_with_their_definitions(case):
    n, classes = case.recoded.records, class_of_rows(case.recoded)
    sizes = np.bincount(classes)
    shown = labels_of(case.recoded)
    assert dm(sizes, n) == naive.dm(shown)
    assert aecs(sizes, n) == same(naive.aecs(shown))
    assert ce(case.recoded, classes, case.target) == same(naive.ce(shown, case.target.tolist()))
    expected = naive.c_avg(shown, 3) if len(case.recoded.rows) else inf
    assert c_avg(sizes, n, 3) == same(expected)


@settings(max_examples=60)
@given(releases(full_domain=True))
def test_level_losses_agree_with_their_definitions(case):
    heights = [case.trees[name].height for name in case.recoded.names]
    assert precision(case.recoded, case.trees) == same(naive.precision(case.cells, case.levels, heights))
    assert height(case.recoded) == sum(case.levels)
    whole = Recoded.of_levels(
        case.recoded.names, case.trees, case.leaves, case.levels, np.arange(case.recoded.records)
    )
    assert dm_star(case.recoded, case.trees, case.leaves) == naive.dm(cells_of(whole))


@settings(max_examples=60)
@given(st.booleans().flatmap(lambda full: releases(full_domain=full)))
def test_losses_holds_what_can_be_computed(case):
    recoded, trees = case.recoded, case.trees
    bare = _table_losses(recoded, trees)
    full = _table_losses(recoded, trees, k=2, target=case.target, leaves=case.leaves)
    by_levels = {"precision", "height"} if case.levels is not None else set()
    none_gone = {"dm-star"} if recoded.suppressed == 0 else set()
    assert set(bare) == ALWAYS | by_levels | none_gone
    known = {"dm-star", "entropy"} if case.levels is not None else none_gone
    assert set(full) == ALWAYS | by_levels | known | {"ce"} | ({"c_avg"} if len(recoded.rows) else set())
    assert full["glm"] == glm(recoded, trees)
    assert full["glm-geometric"] == glm_geometric(recoded, trees)
    assert full["ncp"] == ncp(recoded, trees)
    assert full["il"] == il(recoded, trees)
    classes = class_of_rows(recoded)
    sizes = np.bincount(classes)
    assert full["dm"] == dm(sizes, recoded.records)
    assert full["aecs"] == aecs(sizes, recoded.records)
    assert full["ce"] == ce(recoded, classes, case.target)
    assert full.get("c_avg", inf) == c_avg(sizes, recoded.records, 2)
    assert next(iter(full)) == next(iter(bare)) == "ncp"


@settings(max_examples=80)
@given(releases(full_domain=True), st.data())
def test_entropy_agrees_with_its_definition(case, data):
    recoded, trees, leaves = case.recoded, case.trees, case.leaves
    assert entropy(recoded, trees, leaves) == same(naive.entropy(case.cells, leaves.tolist()))
    forms, codes = [], []
    for j, name in enumerate(recoded.names):  # each row a set of its own, so nothing is recoded alike
        whole = st.frozensets(st.integers(0, trees[name].size))
        sets = [data.draw(whole) | {int(leaves[row, j])} for row in recoded.rows]
        forms.append(
            PublishedValues.of_sets([""] * len(sets), [np.array(sorted(s), dtype=np.int32) for s in sets])
        )
        codes.append(np.arange(len(sets), dtype=np.int32))
    local = Recoded(recoded.names, tuple(forms), np.stack(codes, axis=1), recoded.rows, recoded.records)
    assert entropy(local, trees, leaves) == same(naive.entropy(cells_of(local), leaves.tolist()))


# --- laws -------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(releases(full_domain=True))
def test_bounds(case):
    names, trees, everyone = case.recoded.names, case.trees, np.arange(case.recoded.records)
    known = np.minimum(case.leaves, [trees[name].size - 1 for name in names]).astype(np.int32)
    untouched = _table_losses(
        Recoded.of_levels(names, trees, known, [0] * len(names), everyone), trees, leaves=known
    )
    for name in ("glm", "glm-geometric", "ncp", "il", "entropy", "precision", "height"):
        assert untouched[name] == 0
    gone = _table_losses(
        Recoded.of_levels(names, trees, known, [0] * len(names), everyone[:0]), trees, leaves=known
    )
    assert gone["entropy"] == same(
        len(np.unique(known, axis=0)) > 1
    )  # where all are equal nothing is to be told
    for name in ("glm", "glm-geometric", "ncp", "precision"):
        assert gone[name] == same(1)
    assert gone["il"] == len(names)
    assert gone["dm"] == len(everyone) ** 2
    tops = [trees[name].height for name in names]
    rooted = _table_losses(Recoded.of_levels(names, trees, known, tops, everyone), trees, leaves=known)
    assert rooted["entropy"] == same(len(np.unique(known, axis=0)) > 1)
    if min(trees[name].size for name in names) > 1:
        for name in ("glm", "glm-geometric", "ncp", "precision"):
            assert rooted[name] == same(1)
    assert rooted["dm"] == len(everyone) ** 2
    assert rooted["aecs"] == len(everyone)


@settings(max_examples=60)
@given(releases(full_domain=True), st.data())
def test_one_level_more_never_costs_less_without_suppression(case, data):
    names, everyone = case.recoded.names, np.arange(case.recoded.records)
    j = data.draw(st.integers(0, len(names) - 1))
    up = list(case.levels)
    up[j] = min(up[j] + 1, case.trees[names[j]].height)
    low, high = (
        _table_losses(
            Recoded.of_levels(names, case.trees, case.leaves, levels, everyone),
            case.trees,
            leaves=case.leaves,
        )
        for levels in (case.levels, up)
    )
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
    assert (glm(recoded, trees), ncp(recoded, trees), il(recoded, trees)) == (0.5, 0.5, same(1 / 3))


def test_written_ranges_cost_their_width_and_nodes_their_leaves():
    tree = Hierarchy.from_paths("q", [["1", "[1, 2]", "*"], ["2", "[1, 2]", "*"], ["11", "high", "*"]])

    def pays(label, leaves):
        forms = PublishedValues.of_sets([label], [np.array(leaves, dtype=np.int32)])
        recoded = Recoded(("q",), (forms,), np.zeros((1, 1), dtype=np.int32), np.arange(1), 1)
        return ncp(recoded, {"q": tree}), il(recoded, {"q": tree}), il_numeric(recoded, {"q": tree})

    assert pays("[2, 11]", [1, 2]) == (same(9 / 10), same(9 / 10), same(9 / 10))
    assert pays("[0, 5]", [0, 1]) == (same(4 / 10), same(4 / 10), same(4 / 10))  # the domain begins at 1
    assert pays("[-9, 99]", [0, 1, 2]) == (1, 1, 1)
    assert pays("[1, 2]", [0, 1]) == (same(2 / 3), same(1 / 3), same(1 / 10))  # a node, whatever it is called
    assert pays('["1", "11"]', [0, 2]) == (same(2 / 3), same(1 / 3), 1)
    assert pays("2", [1]) == (0, 0, 0)


def test_ranges_over_names_count_leaves():
    tree = Hierarchy.from_paths("q", [["01", "*"], ["02", "*"], ["11", "*"]])
    forms = PublishedValues.of_sets(["[1, 2]"], [np.array([0, 1], dtype=np.int32)])
    recoded = Recoded(("q",), (forms,), np.zeros((1, 1), dtype=np.int32), np.arange(1), 1)
    assert ncp(recoded, {"q": tree}) == same(2 / 3)


def test_labels_that_readers_tell_apart_are_classes_of_their_own():
    tree = Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])
    forms = PublishedValues(("a|b", "b|a"), np.array([0, 2, 4]), np.array([0, 1, 0, 1], dtype=np.int32))
    recoded = Recoded(("q",), (forms,), np.array([[0], [1]], dtype=np.int32), np.arange(2), 2)
    assert _table_losses(recoded, {"q": tree}, k=2)["c_avg"] == 0.5


def test_no_records_lose_nothing():
    trees = {"q": Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])}
    empty = Recoded.of_levels(["q"], trees, np.empty((0, 1), dtype=np.int32), [1], np.arange(0))
    found = _table_losses(empty, trees, k=2, target=np.empty(0, dtype=np.int64))
    assert {name: loss for name, loss in found.items() if loss} == {"height": 1}
