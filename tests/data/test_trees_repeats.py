"""Trees that keep equal siblings apart."""

from hypothesis import given
from hypothesis import strategies as st

import strategies_trees as strategies
from shoal.data import Trees


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
