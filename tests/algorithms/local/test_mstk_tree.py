from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_local as naive
from local_cases import cases
from shoal.algorithms.local.local_table import LocalTable
from shoal.algorithms.local.mstk import spanning_tree
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy


def tree_of(local, **options):
    return spanning_tree(local.words, local.layout, local.hierarchies, **options)


def edges_of(tree):
    pairs = zip(tree.weight.tolist(), tree.edges.tolist(), strict=True)
    return [(Fraction(weight, tree.scale), a, b) for weight, (a, b) in pairs]


@given(case=cases(max_rows=10))
@settings(max_examples=120)
def test_the_tree_is_kruskal_s_with_smaller_pairs_first(case):
    tree = tree_of(case.local)
    assert tree.how == "lattice"
    assert edges_of(tree) == naive.kruskal(case.distinct(), case.paths)
    assert tree.total == pytest.approx(float(naive.prim(case.distinct(), case.paths)))


@given(case=cases(max_rows=10), work=st.integers(0, 40))
@settings(max_examples=80)
def test_a_tree_that_is_searched_for_is_the_same_and_a_bounded_one_is_bounded(case, work):
    tree, best = tree_of(case.local, work=work), tree_of(case.local)
    assert len(tree.edges) == len(best.edges)
    assert len(naive.components(len(best.edges) + 1, tree.edges.tolist())) == 1
    if tree.how == "bounded":
        assert 1 < tree.bound <= max(len(case.paths), 2)
        assert best.total - 1e-9 <= tree.total <= tree.bound * best.total + 1e-9
        rows = case.distinct()
        weights = [naive.hdist(rows[a], rows[b], case.paths) for a, b in tree.edges.tolist()]
        assert weights == [Fraction(weight, tree.scale) for weight in tree.weight.tolist()]
    else:
        assert (tree.edges == best.edges).all()
        assert (tree.weight == best.weight).all()


def many_columns(columns, rows, seed=0):
    random = np.random.default_rng(seed)
    cells = random.choice(list("abcd"), (columns, rows))
    table = Table(tuple(Column.of(f"q{j}", "quasi", cells[j].tolist()) for j in range(columns)))
    paths = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]
    trees = {f"q{j}": Hierarchy.from_paths(f"q{j}", paths) for j in range(columns)}
    return LocalTable.of("test", table, trees, recode="hierarchy", grid=None, mix=False)


def test_a_lattice_of_a_billion_nodes_takes_another_way_and_says_so():
    local = many_columns(20, 60)
    tree = tree_of(local, work=20_000)
    assert (tree.how, tree.bound) == ("search", 1)
    assert tree.nodes < 10_000
    bounded = tree_of(local, work=100)
    assert bounded.how == "bounded"
    assert tree.total <= bounded.total <= bounded.bound * tree.total


def test_more_tuples_than_one_word_holds():
    local = many_columns(40, 12)
    assert len(local.words) > 1
    cells = local.leaves.tolist()
    tree = tree_of(local, work=2_000)
    paths = [{0: [0, 0, 0], 1: [1, 0, 0], 2: [2, 1, 0], 3: [3, 1, 0]}] * 40
    assert tree.total == pytest.approx(float(naive.prim([tuple(row) for row in cells], paths)))


def test_one_tuple_has_no_edges():
    table = Table((Column.of("a", "quasi", ["x"] * 3),))
    trees = {"a": Hierarchy.from_paths("a", [["x", "*"]])}
    local = LocalTable.of("test", table, trees, recode="hierarchy", grid=None, mix=False)
    tree = tree_of(local)
    assert (len(tree.edges), tree.total) == (0, 0.0)
