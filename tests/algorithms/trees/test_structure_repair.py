"""What giving up a relation gives away, for who knows the recoding."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
import tree_cases
from claiming import claimed
from shoal.algorithms.trees.gcs import gcs
from shoal.algorithms.trees.recoding import apply_tree_recoding
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.privacy.trees import KMNAnonymity


def leaf(name, *values):
    """A hierarchy of leaves that nothing generalizes but the root."""
    return Hierarchy.from_paths(name, [[value, "*"] if len(values) > 1 else [value] for value in values])


def knowing(records, rule, m=2, n=1, schema=(("hospital",), ("ill",), ("hospital", "ill"))):
    same = {label: label for one in records for label in naive.labels(one)}
    return naive.anonymity_for_who_knows_the_recoding(records, same, rule["disassociations"], m, n, schema)


def test_one_level_down_a_class_is_not_enough():
    # a~>b is in r1 alone. Detached from class A only, b hangs below c1 beside an a: nobody else's b does
    r1 = [("C1", "c1", ("A", "a", ("B", "b")))]
    others = [[("C1", "c1", ("A", "a")), ("C1", "c2", ("B", "b"))]] * 5
    third = [[("C1", "c1", ("B", "b"))]] * 5
    records = [r1, *others, *third]
    schema = (("C1",), ("A",), ("B",), ("C1", "A"), ("C1", "B"), ("A", "B"), ("C1", "A", "B"))
    ladders = {"C1": leaf("C1", "c1", "c2"), "A": leaf("A", "a"), "B": leaf("B", "b")}
    cut = {"C1": ["c1", "c2"], "A": ["a"], "B": ["b"]}
    trees = Trees.of(records)
    once = {"cut": cut, "disassociations": [["A", ["B", "b"]]]}
    assert KMNAnonymity(2, 2, 1).check(apply_tree_recoding("test", trees, ladders, once).trees)
    assert knowing(records, once, schema=schema) == 1
    fully = {"cut": cut, "disassociations": [["C1", ["B", "b"]], ["A", ["B", "b"]]]}
    assert KMNAnonymity(2, 2, 1).check(apply_tree_recoding("test", trees, ladders, fully).trees)
    assert knowing(records, fully, schema=schema) >= 2


@pytest.mark.parametrize("scope", ["class", "pair"])
def test_a_disassociation_that_makes_another_relation_rare(scope):
    # k=2, m=2, n=1: removing a~>c, which is rare, takes b~>c along in r1 and makes it rare
    records = [[("A", "a", ("B", "b", ("C", "c")))], [("A", "a", ("B", "b")), ("B", "b", ("C", "c"))]]
    ladders = {name: leaf(name, name.lower()) for name in "ABC"}
    trees = Trees.of(records)
    once = {"cut": {name: [name.lower()] for name in "ABC"}, "disassociations": [[["A", "a"], ["C", "c"]]]}
    assert not KMNAnonymity(2, 2, 1).check(apply_tree_recoding("test", trees, ladders, once).trees)
    result = claimed(gcs, trees, ladders, k=2, m=2, n=1, scope=scope)
    assert result.claim.check(result.release.trees)
    assert result.release.rule["disassociations"]


def relations_first_broken(records, rules, up, k, m, n):
    """For each disassociation, whether it was of the rarest relation of something broken when its turn came."""
    for place, (high, low) in enumerate(rules):
        told = naive.facts([naive.recode(one, up, rules[:place]) for one in records])
        shown = Counter(pair for _, related in told for pair in related)
        pair = (tuple(high), tuple(low))
        yield any(
            pair in some
            and shown[pair] == min(shown[other] for other in some)
            and len(naive.matching(told, items, some)) < k
            for known, related in told
            for items, some in naive.knowledge(known, related, m, n)
        )


@given(tree_cases.tangles(), st.integers(2, 3), st.integers(2, 3), st.integers(1, 2))
@settings(max_examples=30)
def test_a_relation_is_given_up_only_for_what_is_broken_then(records, k, m, n):
    trees, ladders = Trees.of(records), strategies.hierarchies()
    result = claimed(gcs, trees, ladders, k=k, m=m, n=n, scope="pair", put_back=False, patience=20)
    rule = result.release.rule
    records = list(trees.nested())
    up = tree_cases.up_of(records, rule, ladders)
    assert all(relations_first_broken(records, rule["disassociations"], up, k, m, n))
    assert len(rule["disassociations"]) == result.trace["disassociated"]


@pytest.mark.parametrize("scope", ["class", "pair"])
@given(records=tree_cases.tangles(), k=st.integers(2, 3), m=st.integers(2, 3), n=st.integers(1, 2))
@settings(max_examples=15)
def test_what_is_put_back_was_not_needed(scope, records, k, m, n):
    trees, ladders = Trees.of(records), strategies.hierarchies()
    rules = []
    for put_back in (False, True):
        result = claimed(gcs, trees, ladders, k=k, m=m, n=n, scope=scope, put_back=put_back, patience=20)
        assert naive.anonymity(list(result.release.trees.nested()), m, n) >= k
        rules.append(result.release.rule)
    assert rules[0]["cut"] == rules[1]["cut"]
    assert all(relation in rules[0]["disassociations"] for relation in rules[1]["disassociations"])
