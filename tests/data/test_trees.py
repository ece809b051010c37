import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.base.errors import InputError
from shoal.data import Trees


@given(strategies.trees())
@settings(max_examples=100)
def test_equal_siblings_merge_and_nothing_else_changes(records):
    trees = Trees.of(records)
    assert [naive.paths(tree) for tree in trees.nested()] == [naive.paths(record) for record in records]
    for tree in trees.nested():
        assert len(naive.paths(tree)) == _nodes(tree)


@given(strategies.trees())
@settings(max_examples=100)
def test_equal_trees_are_equal_arrays_whatever_their_order(records):
    turned = Trees.of([tuple(map(_turned, reversed(record))) for record in records])
    trees = Trees.of(records)
    for name in ("classes", "values"):
        assert getattr(trees, name) == getattr(turned, name)
    for name in ("kinds", "start", "items", "parents"):
        assert np.array_equal(getattr(trees, name), getattr(turned, name))


@given(strategies.trees())
@settings(max_examples=50)
def test_ancestors_have_smaller_items_and_stand_before_their_descendants(records):
    trees = Trees.of(records)
    for record in range(trees.n):
        nodes = range(*trees.start[record : record + 2])
        for place, node in enumerate(nodes):
            parent = trees.parents[node]
            assert parent < place
            assert parent < 0 or trees.items[nodes[parent]] < trees.items[node]


def test_preorder_with_siblings_by_item():
    tree = [("b", "2"), ("b", "1", ("c", "y"), ("c", "x"))]
    trees = Trees.of([tree])
    assert trees.values == ("1", "2", "x", "y")
    assert trees.items.tolist() == [0, 2, 3, 1]
    assert trees.parents.tolist() == [-1, 0, 0, -1]


def test_a_value_in_two_classes_is_two_items():
    trees = Trees.of([[("work", "Bern"), ("home", "Bern")]])
    assert list(zip(trees.classes, trees.values, strict=True)) == [("home", "Bern"), ("work", "Bern")]
    assert len(trees.items) == 2


def test_records_without_nodes():
    trees = Trees.of([[], [("a", "1")], []])
    assert trees.start.tolist() == [0, 0, 1, 1]
    assert Trees.of([]).n == 0
    assert Trees.of([[], []]).n == 2


def test_a_class_twice_on_a_path_is_refused_with_its_path_and_no_value():
    with pytest.raises(InputError, match=r"record 2: a field occurs twice on the path a > b > a;") as caught:
        Trees.of([[("a", "secret")], [("a", "secret", ("b", "secret", ("a", "other")))]])
    assert "secret" not in str(caught.value)


def test_classes_above_each_other_are_refused():
    with pytest.raises(InputError, match="of the fields 'a', 'b' each is above"):
        Trees.of([[("a", "1", ("b", "2"))], [("b", "1", ("a", "2"))]])


def test_a_wide_and_a_deep_record():
    wide = [("a", str(i)) for i in range(5000)]
    deep = ("c199", "leaf")
    for level in reversed(range(199)):
        deep = (f"c{level:03}", "x", deep)
    trees = Trees.of([wide, [deep], [deep]])
    assert np.diff(trees.start).tolist() == [5000, 200, 200]
    assert trees.parents[5000:5200].tolist() == list(range(-1, 199))
    assert trees.tree(1) == (deep,)


def test_more_records_than_fit_in_a_chunk():
    trees = Trees.of([[("a", str(i % 7), ("b", "x"))] for i in range(70_000)])
    assert trees.tree(69_999) == (("a", str(69_999 % 7), ("b", "x")),)


def test_a_sensitive_class_must_occur():
    with pytest.raises(InputError, match="the sensitive field 'ill' does not occur; there are a"):
        Trees.of([[("a", "1")]], sensitive="ill")


def test_arrays_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        Trees.of([[("a", "1")]]).items[0] = 3


def _nodes(tree):
    return sum(1 + _nodes(node[2:]) for node in tree)


def _turned(node):
    return (*node[:2], *(_turned(child) for child in reversed(node[2:])))


# Trees that keep equal siblings apart.


def _shuffled(node, random):
    kind, value, *children = node
    below = [_shuffled(child, random) for child in children]
    random.shuffle(below)
    return (kind, value, *below)


def _sorted(nodes):
    return sorted((kind, value, *_sorted(children)) for kind, value, *children in nodes)


@given(strategies.trees(), st.randoms(use_true_random=False))
def test_the_order_in_which_siblings_came_leaves_no_trace_and_nothing_is_lost(records, random):
    other = []
    for one in records:
        nodes = [_shuffled(node, random) for node in one]
        random.shuffle(nodes)
        other.append(nodes)
    trees = Trees.of(records, repeats=True)
    assert trees.same(Trees.of(other, repeats=True))
    assert [_sorted(one) for one in trees.nested()] == [_sorted(one) for one in records]


@given(strategies.trees())
def test_merged_trees_are_those_of_the_paper(records):
    trees = Trees.of(records, repeats=True)
    assert trees.merged().same(Trees.of(records))
    assert not trees.merged().repeats
