from itertools import combinations
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from claiming import claimed
from shoal.algorithms.trees.gcs import gcs
from shoal.algorithms.trees.miracle import miracle
from shoal.algorithms.trees.recoding import apply_tree_recoding
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.utility.subtree_mining import mining_loss

HEIGHT = 3  # leaves, groups, roots, and one root over all that stands for leaving out


def leaves_of(kind, label):
    """The leaves that a label of `strategies.hierarchies` stands for."""
    values = strategies.VALUES[kind]
    return {"*": values, f"{kind}01": values[:2]}.get(label, (label,))


def level_of(kind, label):
    return {1: 0, 2: 1, 3: 2}[len(leaves_of(kind, label))]


def raised(kind, label, level):
    """A label at a level; one that is higher stays. A group of one leaf is that leaf."""
    if level_of(kind, label) >= level:
        return label
    first = leaves_of(kind, label)[0]
    group = f"{kind}01" if first in strategies.VALUES[kind][:2] else first
    return group if level == 1 else "*"


def at_level(one, level):
    up = {(kind, label): (kind, raised(kind, label, level)) for kind, label in naive.labels(one)}
    return naive.generalize(one, up)


def covers(over, label):
    return over[0] == label[0] and set(leaves_of(*label)) <= set(leaves_of(*over))


def brute(before, after, rows, support):
    """ML2 and dML2 from their definitions."""
    least = max(1, ceil(support * len(before)))
    published = dict(zip(rows, after, strict=True))
    total = kept = 0
    distance = 0.0
    for level in range(HEIGHT):
        old = [at_level(one, level) for one in before]
        new = {row: at_level(one, level) for row, one in published.items()}
        found, again = naive.subtrees(old, least), naive.subtrees(list(new.values()), least)
        total += len(found)
        kept += len(found & again)
        for some in found:
            raise_ = sum(how_raised(path[-1], level, before, published) for path in some) / len(some)
            pairs = [pair for path in some for pair in ((path[i], path[-1]) for i in range(len(path) - 1))]
            gone = sum(how_gone(pair, old, new) for pair in pairs) / len(pairs) if pairs else 0
            distance += 0.5 * raise_ + 0.5 * gone
    return (1 - kept / total, distance / total) if total else (0, 0)


def how_raised(label, level, before, published):
    """The mean raise above the level of a label, over the records' values that it stands for."""
    steps = []
    for row, one in enumerate(before):
        for own in naive.labels(one):
            if covers(label, own):
                shown = naive.labels(published[row]) if row in published else ()
                over = [level_of(*other) for other in shown if covers(other, own)]
                steps.append(max(min(over, default=HEIGHT) - level, 0) / HEIGHT)
    return sum(steps) / len(steps)


def how_gone(pair, old, new):
    """Of the records that show a relation, the share that no longer shows one between labels that cover it."""
    having = [row for row, one in enumerate(old) if pair in naive.relations(one)]
    still = [
        row
        for row in having
        if row in new and any(covers(a, pair[0]) and covers(b, pair[1]) for a, b in naive.relations(new[row]))
    ]
    return 1 - len(still) / len(having)


@pytest.mark.parametrize("maker", [gcs, miracle])
@given(
    records=strategies.trees(min_records=3, max_records=7),
    k=st.integers(2, 3),
    support=st.sampled_from([0.3, 0.6]),
)
@settings(max_examples=20)
def test_agrees_with_the_definition(maker, records, k, support):
    trees, hierarchies = Trees.of(records), strategies.hierarchies()
    if max(len(naive.paths(one)) for one in records) > 9:
        return  # the twin lists every set of paths
    try:
        release = claimed(maker, trees, hierarchies, k=k).release
    except InfeasibleError:
        return
    mined = mining_loss(release, trees, Nodes.of("test", trees, hierarchies), support=support)
    ml2, dml2 = brute(records, list(release.trees.nested()), release.rows.tolist(), support)
    assert mined.ml2 == pytest.approx(ml2)
    assert mined.dml2 == pytest.approx(dml2)


TREE = {"A": Hierarchy.from_paths("A", [["a", "*"], ["b", "*"]])}
SAME = {"cut": {"A": ["a", "b"]}, "disassociations": []}


def test_untouched_data_lose_nothing():
    trees = Trees.of([[("A", "a")], [("A", "b")]] * 4)
    mined = mining_loss(apply_tree_recoding("test", trees, TREE, SAME), trees, Nodes.of("test", trees, TREE))
    assert (mined.ml2, mined.dml2, mined.subtrees, mined.preserved) == (0, 0, (3 - 1, 1), (2, 1))


def test_secrets_are_mined_as_they_are():
    trees = Trees.of([[("A", "a", ("ill", "flu"))]] * 4, "ill")
    mined = mining_loss(apply_tree_recoding("test", trees, TREE, SAME), trees, Nodes.of("test", trees, TREE))
    assert mined.subtrees == mined.preserved == (2, 2)


@pytest.mark.parametrize("support", [0, 1.5, True])
def test_a_support_that_makes_no_sense(support):
    trees = Trees.of([[("A", "a")]])
    with pytest.raises(InputError, match="share of the records"):
        mining_loss(
            apply_tree_recoding("test", trees, TREE, SAME),
            trees,
            Nodes.of("test", trees, TREE),
            support=support,
        )


def test_too_many_subtrees_are_refused():
    trees = Trees.of([[("A", "a"), ("A", "b")]] * 3)
    with pytest.raises(InputError, match="raise the support"):
        mining_loss(
            apply_tree_recoding("test", trees, TREE, SAME), trees, Nodes.of("test", trees, TREE), most=2
        )


def test_data_where_nothing_is_frequent_lose_nothing():
    values = [f"v{i}" for i in range(4)]
    hierarchies = {"A": Hierarchy.from_paths("A", [[value, "*"] for value in values])}
    trees = Trees.of([[], [], [], *([("A", value)] for value in values)])
    cut = {"cut": {"A": values}, "disassociations": []}
    mined = mining_loss(
        apply_tree_recoding("test", trees, hierarchies, cut),
        trees,
        Nodes.of("test", trees, hierarchies),
        support=0.9,
    )
    assert (mined.ml2, mined.dml2, mined.subtrees) == (0, 0, (0, 0))


def test_the_twin_counts_every_pair_of_paths():
    records = [(("A", "a0"), ("D", "d0"))] * 2
    assert len(naive.subtrees(records, 2)) == sum(1 for size in (1, 2) for _ in combinations(range(2), size))
