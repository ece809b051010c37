import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees
import strategies_trees
from shoal.data import Trees
from shoal.privacy.truth import true_pairs, truth_of_trees

LEAVES = {value: place for values in strategies_trees.VALUES.values() for place, value in enumerate(values)}


def judged(originals, published, rows=None, spans=None):
    """Judge trees whose published values are original ones, or "*" for all three leaves of a class."""
    original, released = Trees.of(originals), Trees.of(published)
    leaves = np.array([LEAVES[value] for value in original.values], dtype=np.int32)
    if spans is None:
        spans = [(0, 3) if value == "*" else (LEAVES[value], LEAVES[value] + 1) for value in released.values]
    rows = np.arange(released.n) if rows is None else np.array(rows)
    return truth_of_trees(original, leaves, released, np.array(spans, dtype=np.int32).reshape(-1, 2), rows)


def said(original, path):
    """From the definition: some original path holds labels that the published ones stand for, in their order."""

    def within(rest, left):
        if not left:
            return True
        return any(
            (kind, value) == left[0] or (kind, "*") == left[0]
            if len(left) == 1
            else ((kind, value) == left[0] or (kind, "*") == left[0]) and within(rest[place + 1 :], left[1:])
            for place, (kind, value) in enumerate(rest)
        )

    return any(within(held, path) for held in naive_trees.paths(original))


@given(strategies_trees.trees(), strategies_trees.trees(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_agrees_with_the_definition(originals, others, stars):
    published = [others[place % len(others)] if stars else one for place, one in enumerate(originals)]
    if stars:
        up = {
            (kind, value): (kind, "*" if place else value)
            for kind, values in strategies_trees.VALUES.items()
            for place, value in enumerate(values)
        }
        published = [naive_trees.generalize(one, up) for one in published]
    verdict = judged(originals, published)
    expected = [
        place + 1
        for place, (one, out) in enumerate(zip(originals, published, strict=True))
        if not all(said(one, path) for path in naive_trees.paths(out))
    ]
    assert list(verdict.witnesses) == expected
    assert bool(verdict) == (not expected)


def test_a_relation_that_was_never_there_is_a_lie():
    separate = [("A", "a0"), ("B", "b0")]
    together = [("A", "a0", ("B", "b0"))]
    assert judged([together], [separate])
    assert judged([separate], [together]).witnesses == (1,)


def test_a_chain_must_lie_over_one_path():
    original = [("A", "a0", ("B", "b0")), ("A", "a1", ("B", "b1", ("C", "c0")))]
    assert judged([original], [[("A", "a1", ("C", "c0"))]])
    assert not judged([original], [[("A", "a0", ("B", "*", ("C", "c0")))]])
    assert judged([original], [[("A", "*", ("B", "*", ("C", "c0")))]])


@pytest.mark.parametrize("size", ["_CELLS", "CHUNK"])
@pytest.mark.parametrize("number", [1, 5])
def test_small_blocks_say_the_same(monkeypatch, size, number):
    originals = [[("A", "a0", ("B", "b0"))], [("A", "a1")], [("C", "c0")]] * 4
    monkeypatch.setattr(f"shoal.privacy.truth.{size}", number)
    assert judged(originals, originals)
    assert judged(originals, originals[1:] + originals[:1]).broken == 12
    other = [*originals[:8], originals[0], *originals[9:]]
    assert judged(originals, other).witnesses == (9,)


@given(strategies_trees.trees(max_records=4), strategies_trees.trees(max_records=4))
@settings(max_examples=50, deadline=None)
def test_pairs_are_judged_one_by_one(originals, published):
    original, released = Trees.of(originals), Trees.of(published)
    leaves = np.array([LEAVES[value] for value in original.values], dtype=np.int32)
    spans = np.array([(LEAVES[value], LEAVES[value] + 1) for value in released.values], dtype=np.int32)
    record, row = (pairs.ravel() for pairs in np.indices((len(published), len(originals))))
    found = true_pairs(original, leaves, released, spans.reshape(-1, 2), record, row)
    assert found.tolist() == [
        all(said(one, path) for path in naive_trees.paths(out)) for out in published for one in originals
    ]
    assert not len(true_pairs(original, leaves, released, spans.reshape(-1, 2), record[:0], row[:0]))


def test_sensitive_values_are_compared_as_text():
    original = [[("A", "a0", ("ill", "flu"))]]
    trees = Trees.of(original)
    leaves = np.array([0, -1], dtype=np.int32)
    spans = np.array([[0, 3], [-1, -1]], dtype=np.int32)
    rows = np.arange(1)
    assert truth_of_trees(trees, leaves, Trees.of([[("A", "*"), ("ill", "flu")]]), spans, rows)
    assert not truth_of_trees(trees, leaves, Trees.of([[("A", "*"), ("ill", "gout")]]), spans, rows)


@pytest.mark.parametrize("rows", [[0, 0], [0, 2], [-1, 0], [0]])
def test_records_come_from_one_original_each(rows):
    records = [[("A", "a0")], [("A", "a0")]]
    assert not judged(records, records, rows=rows)


def test_nothing_shows_nothing():
    assert "holds no record" in judged([[("A", "a0")]], []).sentence
