"""Whom a few items, values and relations find, against slow twins and against the judges of the same attacker."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_risk as naive
import naive_trees
import strategies_trees
from shoal.data import Baskets, Trees
from shoal.privacy import KKmAnonymity, KmAnonymity, KMNAnonymity
from shoal.release import Published, PublishedBaskets, PublishedMixed
from shoal.risks import look_alikes
from shoal.risks.look_alikes import equal_look_alikes, fewest_look_alikes, knowledge_fits

RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.sets(st.sampled_from("abcdef"), max_size=5)), min_size=1, max_size=9
)


def baskets_of(records):
    return Baskets.of("items", [sorted(items) for _, items in records])


@settings(max_examples=150)
@given(RECORDS)
def test_items_alone_and_beside_a_class(records):
    baskets, classes = baskets_of(records), np.array([kind for kind, _ in records])
    alone = [(0, items) for _, items in records]
    for m, (free, beside) in enumerate(
        zip(fewest_look_alikes(baskets), fewest_look_alikes(baskets, classes), strict=True), 1
    ):
        assert (free.knowledge.items, beside.knowledge.items) == (m, m)
        assert free.fewest.tolist() == naive.least(alone, m)
        assert beside.fewest.tolist() == naive.least(records, m)


@given(RECORDS, st.booleans())
def test_those_who_are_listed_are_those_who_are_counted(records, beside):
    baskets, kinds = baskets_of(records), np.array([kind for kind, _ in records])
    classes = kinds if beside else None
    for alike in fewest_look_alikes(baskets, classes, most=2):
        listed = knowledge_fits(baskets.start, baskets.items, alike.knowledge.items, classes, most=1 << 20)
        fewest = np.full(baskets.n, baskets.n)
        np.minimum.at(fewest, listed.record, np.bincount(listed.of)[listed.of])
        assert alike.fewest.tolist() == fewest.tolist()


@settings(max_examples=60)
@given(RECORDS.filter(lambda records: any(items for _, items in records)), st.integers(2, 5))
def test_the_judges_see_the_same_attackers(records, k):
    baskets, classes = baskets_of(records), np.array([kind for kind, _ in records])
    published = PublishedBaskets(baskets.start, baskets.items)
    mixed = PublishedMixed(Published({"q": classes}), published)
    for m, (free, beside) in enumerate(
        zip(fewest_look_alikes(baskets), fewest_look_alikes(baskets, classes), strict=True), 1
    ):
        assert int((free.fewest < k).sum()) - _empty(records, k) == KmAnonymity(k, m).check(published).broken
        assert int((beside.fewest < k).sum()) == KKmAnonymity(k, m).check(mixed).broken


def _empty(records, k):
    """Records without an item, which a judge of itemsets cannot see break, where all are fewer than k."""
    return sum(not items for _, items in records) if len(records) < k else 0


@settings(max_examples=80)
@given(strategies_trees.trees(), st.integers(2, 4))
def test_values_and_relations_as_judged(drawn, k):
    trees = Trees.of(drawn)
    for found in fewest_look_alikes(trees):
        if not len(trees.items):
            continue
        broken = set(
            naive_trees.broken(drawn, k, found.knowledge.items, found.knowledge.relations)
        )  # counted from 1
        few = {i for i, least in enumerate(found.fewest.tolist(), 1) if least < k and drawn[i - 1]}
        assert few == {i for i in broken if drawn[i - 1]}
        judged = KMNAnonymity(k, found.knowledge.items, found.knowledge.relations).check(trees)
        assert judged.broken == len(broken)


def test_nobody_knows_sensitive_values():
    drawn = [[("ward", "A", ("ill", "flu"))], [("ward", "A", ("ill", "gout"))], [("ward", "A")]]
    open_, hidden = Trees.of(drawn), Trees.of(drawn, sensitive="ill")
    assert [found.fewest.min() for found in fewest_look_alikes(open_)] == [1, 1, 1, 1, 1]
    assert [found.fewest.tolist() for found in fewest_look_alikes(hidden)] == [[3, 3, 3]] * 5
    assert equal_look_alikes(open_).fewest.tolist() == [1, 1, 1]
    assert equal_look_alikes(hidden).fewest.tolist() == [3, 3, 3]


def test_whole_records_by_hand():
    baskets = Baskets.of("items", [["a"], ["b", "a"], ["a"], [], ["a", "b"]])
    assert equal_look_alikes(baskets).fewest.tolist() == [2, 2, 2, 1, 2]
    assert equal_look_alikes(baskets, np.array([0, 0, 1, 1, 0])).fewest.tolist() == [1, 2, 1, 1, 2]


def without(nodes, secret, hidden=0):
    """Nodes in whatever order, those of a class left out: an inner one is still seen to be there."""
    found = []
    for kind, value, *children in nodes:
        if kind == secret:
            found += without(children, secret, hidden + 1)
        else:
            found.append((kind, value, hidden, tuple(without(children, secret))))
    return sorted(found)


@given(strategies_trees.trees(), st.sampled_from("ABCD"), st.booleans())
def test_whole_trees_are_those_of_the_definition(drawn, secret, repeats):
    """Whatever the sensitive values are, and in whatever order they put their siblings."""
    held = any(secret in str(record) for record in drawn)
    trees = Trees.of(drawn, sensitive=secret if held else None, repeats=repeats)
    known = [without(record, secret if held else None) for record in trees.nested()]
    assert equal_look_alikes(trees).fewest.tolist() == [known.count(one) for one in known]


def test_a_tree_is_more_than_its_values():
    """Both hold w and flu; in one flu stands below w."""
    trees = Trees.of([[("ward", "w", ("ill", "flu"))], [("ward", "w"), ("ill", "flu")]])
    assert equal_look_alikes(trees).fewest.tolist() == [1, 1]
    told = {
        (found.knowledge.items, found.knowledge.relations): found.fewest.tolist()
        for found in fewest_look_alikes(trees)
    }
    assert told == {(1, 0): [2, 2], (2, 0): [2, 2], (2, 1): [1, 2], (3, 0): [2, 2], (3, 1): [1, 2]}
    deep, wide = (("a", "1", ("b", "2", ("c", "3"))),), (("a", "1", ("b", "2"), ("c", "3")),)
    assert equal_look_alikes(Trees.of([deep, wide, deep])).fewest.tolist() == [2, 1, 2]


def test_too_many_choices_are_not_counted(monkeypatch):
    monkeypatch.setattr(look_alikes, "MOST_SETS", 3)
    found = list(fewest_look_alikes(Baskets.of("items", [["a", "b", "c"], ["a", "b", "c"]])))
    assert [one.fewest is None for one in found] == [True, True, True]
    monkeypatch.setattr(look_alikes, "MOST_SETS", 6)
    found = list(fewest_look_alikes(Baskets.of("items", [list("abcd"), list("abce")])))
    assert [one.fewest is None for one in found] == [True, True, True]


@pytest.mark.parametrize("n", [0, 1])
def test_few_records(n):
    baskets = Baskets.of("items", [["a"]] * n)
    assert [one.fewest.tolist() for one in fewest_look_alikes(baskets)] == [[1] * n] * 3
