from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from claiming import claimed
from shoal.algorithms.trees.miracle import miracle
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Trees
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.truth import truth_of_trees

TREES = strategies.hierarchies()


@given(
    strategies.trees(min_records=2),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.1, 1.0]),
)
@settings(max_examples=60)
def test_every_tree_is_published_k_times_and_true(records, k, m, n, climit, threshold):
    trees = Trees.of(records)
    try:
        result = claimed(miracle, trees, TREES, k=k, m=m, n=n, climit=climit, threshold=threshold)
    except InfeasibleError:
        return
    release = result.release
    assert result.claim.check(release.trees)
    assert min(Counter(release.trees.nested()).values()) >= k
    leaves = Nodes.of("test", trees, TREES).span[Nodes.of("test", trees, TREES).leaf, 0]
    assert truth_of_trees(trees, leaves.astype(np.int32), release.trees, release.spans, release.rows)
    nodes = sum(len(naive.paths(one)) for one in records)
    assert release.suppressed == nodes - len(release.trees.items)
    assert not release.rule


def test_what_finds_no_partner_is_left_out_and_counted():
    trees = Trees.of([[("A", "a0", ("B", "b0")), ("D", "d0")], [("A", "a0", ("B", "b1"))]])
    release = claimed(miracle, trees, TREES, k=2).release
    assert list(release.trees.nested()) == [(("A", "a0", ("B", "B01")),)] * 2
    assert release.suppressed == 1


def test_secrets_stay_with_their_record_and_are_not_matched():
    trees = Trees.of([[("A", "a0", ("ill", "flu"))], [("A", "a0", ("ill", "gout"))]], "ill")
    release = claimed(miracle, trees, TREES, k=2).release
    assert list(release.trees.nested()) == [(("A", "a0"), ("ill", "flu")), (("A", "a0"), ("ill", "gout"))]
    assert release.suppressed == 0


def test_it_says_what_it_did():
    trace = claimed(miracle, Trees.of([[("A", "a0")]] * 5), TREES, k=2).trace
    assert trace == {"clusters": 2, "left_over": 1}


def test_trees_with_nothing_in_common():
    with pytest.raises(InfeasibleError, match="no cluster keeps a value"):
        claimed(miracle, Trees.of([[("A", "a0")], [("D", "d0")]]), TREES, k=2)


@pytest.mark.parametrize("options", [{"climit": 0}, {"climit": True}, {"threshold": 2}, {"threshold": True}])
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises(InputError, match=next(iter(options))):
        claimed(miracle, Trees.of([[("A", "a0")]] * 2), TREES, k=2, **options)
