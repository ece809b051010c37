import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.algorithms.trees._kernels.clusters import adopt_trees, assign_clusters
from shoal.data import Trees
from shoal.hierarchy.nodes import Nodes

K = 2


def clustered(records, climit, threshold):
    trees, hierarchies = Trees.of(records), strategies.hierarchies()
    nodes = Nodes.of("test", trees, hierarchies)
    width = (nodes.span[:, 1] - nodes.span[:, 0]).astype(np.int32)
    of = (
        trees.start.copy(),  # as the method hands them over: for other kinds of arrays a kernel is compiled anew
        nodes.leaf[trees.items],
        trees.parents.copy(),
        np.ascontiguousarray(nodes.up),
        np.ascontiguousarray(nodes.kind),
        width,
        (width - 1) / 2,
    )
    found = assign_clusters(np.arange(trees.n), *of, K, climit, threshold, np.zeros(1, dtype=np.int64))
    return trees, nodes, of, found


def tree_of(cluster, begins, sizes, values, parents, nodes, trees):
    """The tree of a cluster, as paths of nodes."""
    told = []
    for at in range(begins[cluster], begins[cluster] + sizes[cluster]):
        over = parents[at]
        node = int(values[at])
        told.append(
            (*(told[over] if over >= 0 else ()), (trees.classes[nodes.kind[node]], *nodes.span[node]))
        )
    return told


def over_all(told, one):
    """Whether every path of a cluster's tree lies over a path of a record."""

    def lies(path, held):
        return len(path) == len(held) and all(
            kind == label[0] and lo <= strategies.VALUES[kind].index(label[1]) < hi
            for (kind, lo, hi), label in zip(path, held, strict=True)
        )

    return all(any(lies(path, held) for held in naive.paths(one)) for path in told)


@given(strategies.trees(min_records=2), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=50)
def test_a_cluster_tree_generalizes_its_members(records, climit, threshold):
    trees, nodes, of, found = clustered(records, climit, threshold)
    cluster, members, begins, values, parents, sizes = found
    assert np.bincount(cluster, minlength=len(members)).tolist() == members.tolist()
    assert members.max() <= K
    assert (members < K).sum() <= climit
    whole = np.flatnonzero(members >= K)
    if len(whole):
        adopt_trees(np.flatnonzero(members[cluster] < K), *of, whole, begins, values, parents, sizes, cluster)
        assert np.bincount(cluster, minlength=len(members))[whole].min() >= K
    for place, one in enumerate(records):
        told = tree_of(cluster[place], begins, sizes, values, parents, nodes, trees)
        assert over_all(told, one)


def test_equal_trees_lose_nothing_and_close_at_k():
    record = (("A", "a0", ("B", "b1")), ("D", "d2"))
    trees, nodes, _, found = clustered([record] * 5, 3, 0.0)
    cluster, members, begins, values, parents, sizes = found
    assert members.tolist() == [2, 2, 1]
    for c in range(3):
        assert len(tree_of(c, begins, sizes, values, parents, nodes, trees)) == 3
    assert cluster.tolist() == [0, 0, 1, 1, 2]


def test_the_cheapest_pair_is_matched_first():
    # a0 with a0, not with a1, although a1 comes first in the other tree's order of siblings
    records = [(("A", "a0", ("B", "b0")),), (("A", "a0", ("B", "b0")), ("A", "a1", ("B", "b0")))]
    trees, nodes, _, found = clustered(records, 1, 1.0)
    cluster, _, begins, values, parents, sizes = found
    assert tree_of(cluster[0], begins, sizes, values, parents, nodes, trees) == [
        (("A", 0, 1),),
        (("A", 0, 1), ("B", 0, 1)),
    ]


def test_threshold_opens_and_climit_forbids():
    records = [(("A", "a0"),), (("A", "a2"),), (("A", "a0"),)]
    assert clustered(records, 2, 0.5)[3][0].tolist() == [0, 1, 0]
    assert clustered(records, 1, 0.5)[3][0].tolist() == [0, 0, 1]
    assert clustered(records, 2, 1.0)[3][0].tolist() == [0, 0, 1]
