"""The claim about nodes, against its definition written out slowly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.privacy import background_knowledge
from shoal.privacy.background_knowledge import facts, weigh_node_sets
from shoal.privacy.trees import KMNAnonymity

MOST = 1 << 30


def _judged(records, k, m, n, exempt=None, negations=(), l=None):
    told = facts(Trees.of(records, repeats=True), exempt, negations, n > 0, nodes=True)
    broken, scales = weigh_node_sets(told, k, m, n, l, MOST)
    assert not scales.unseen
    return [place + 1 for place in broken[told.of].nonzero()[0].tolist()], scales.least


def _small(records):
    return sum(len(naive.nodes(one)[0]) > 7 for one in records) == 0


@given(
    strategies.trees(max_records=6).filter(_small), st.integers(1, 4), st.integers(1, 4), st.integers(0, 3)
)
@settings(max_examples=80)
def test_agrees_with_the_definition_of_knowledge_of_nodes(records, k, m, n):
    wrong, least = naive.broken_by_nodes(records, k, m, n)
    assert _judged(records, k, m, n) == (wrong, least)
    if any(records):
        verdict = KMNAnonymity(k, m, n, repeats="keep").check(Trees.of(records, repeats=True))
        assert list(verdict.witnesses) == sorted({*wrong, *naive.broken(records, k, m, n)})


@given(
    strategies.trees(max_records=5).filter(_small),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from("ABC"),
    st.sampled_from([(), ("D",), ("C", "D")]),
    st.sampled_from([None, 2, 3]),
)
@settings(max_examples=80)
def test_agrees_with_the_definition_of_secrets_and_absences(records, k, m, n, secret, negations, l):
    negations = tuple(name for name in negations if name != secret)
    wrong, _ = naive.broken_by_nodes(records, k, m, n, secret, negations, l)
    assert _judged(records, k, m, n, secret, negations, l)[0] == wrong


@given(strategies.trees(), st.integers(2, 3), st.integers(1, 3), st.integers(0, 1))
@settings(max_examples=60)
def test_for_one_relation_at_most_knowledge_of_nodes_covers_that_of_values(records, k, m, n):
    if any(records) and not _judged(records, k, m, n)[0]:
        assert not naive.broken(records, k, m, n)


AB, AC, ABC = ("A", "a", ("B", "b")), ("A", "a", ("C", "c")), ("A", "a", ("B", "b"), ("C", "c"))


@pytest.mark.parametrize(
    ("records", "values", "nodes"),
    [
        ([[ABC], [AB, AC]], True, False),  # who knows b and c below one a tells them apart; values are alike
        ([[AB, AC], [AB, ("C", "c"), ("A", "a")], [("A", "a"), ("B", "b"), AC]], False, True),
    ],
)
def test_with_two_relations_neither_claim_follows_from_the_other(records, values, nodes):
    m, n = 3, 2
    assert (not naive.broken(records, 2, m, n)) == values
    assert (not naive.broken_by_nodes(records, 2, m, n)[0]) == nodes
    trees = Trees.of(records, repeats=True)
    assert bool(KMNAnonymity(2, m, n).check(trees.merged())) == values
    assert not KMNAnonymity(1, 1, 0).check(trees)  # it says nothing of whoever counts equal siblings
    assert not KMNAnonymity(2, m, n, repeats="keep").check(trees)


def test_a_release_of_one_that_counts_is_read_back_as_such_and_promises_more():
    keep, merge = KMNAnonymity(2, 2, 1, repeats="keep"), KMNAnonymity(2, 2, 1)
    assert KMNAnonymity(**keep.numbers()) == keep
    assert "repeats" not in merge.numbers()
    assert keep.implies(merge)
    assert not merge.implies(keep)
    with pytest.raises(InputError, match="repeats"):
        KMNAnonymity(2, 2, 1, repeats="both")


def test_says_that_too_many_sets_of_nodes_were_not_looked_at(monkeypatch):
    trees = Trees.of([[("A", "a"), ("A", "a"), ("B", "b")]] * 3, repeats=True)
    monkeypatch.setattr(background_knowledge, "_MOST_NODES", 1)
    verdict = KMNAnonymity(2, 2, 1, repeats="keep").check(trees)
    assert not verdict
    assert not verdict.judged
