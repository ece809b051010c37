"""Whether originals hold what released trees show often enough, compared with counting one record after the other."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.data import Trees
from shoal.privacy import provenance as module
from shoal.privacy.provenance import provenance_of_trees

UP = {
    (kind, value): (kind, f"{kind}01" if place < 2 else f"{kind}2")
    for kind, values in strategies.VALUES.items()
    for place, value in enumerate(values)
}


def above(label):
    """The published labels that stand for an original one; D has no hierarchy."""
    return [label] if label[0] == "D" else [label, UP[label], (label[0], "*")]


def shown(record):
    """Values and relations of a released record."""
    return naive.labels(record) | naive.relations(record)


def may_show(record):
    """Values and relations that a record released from this one may show."""
    values = {over for label in naive.labels(record) for over in above(label)}
    pairs = {(a, b) for high, low in naive.relations(record) for a in above(high) for b in above(low)}
    return values | pairs


def enough(released, originals):
    """From the definition: nothing is in more released records than originals may show it."""
    there = Counter(one for record in originals for one in may_show(record))
    counted = Counter(one for record in released for one in shown(record))
    return all(number <= there[one] for one, number in counted.items())


@settings(max_examples=200, deadline=None)
@given(strategies.trees(max_records=5), strategies.trees(max_records=5), st.integers(0, 2), st.booleans())
def test_agrees_with_counting(originals, others, level, same):
    steps = [{}, UP, {label: (label[0], "*") for label in UP}][level]
    rule = {label: steps.get(label, label) if label[0] != "D" else label for label in UP}
    released = [naive.generalize(one, rule) for one in (originals if same else others)]
    hierarchies = {name: tree for name, tree in strategies.hierarchies().items() if name != "D"}
    said = provenance_of_trees(Trees.of(released), Trees.of(originals), hierarchies)
    assert bool(said) == enough(released, originals)


def test_a_relation_is_not_mistaken_for_another():
    """Both originals hold all four values, but only one of them a0 above b0."""
    one, other = ("A", "a0", ("B", "b0")), ("A", "a1", ("B", "b1"))
    originals = [[one, other], [("A", "a0"), ("B", "b0"), other]]
    hierarchies = strategies.hierarchies()
    assert provenance_of_trees(Trees.of([[other], [one, other]]), Trees.of(originals), hierarchies)
    assert not provenance_of_trees(Trees.of([[one, other]] * 2), Trees.of(originals), hierarchies)


def test_a_label_that_stands_for_nothing_is_over_nobody():
    originals = Trees.of([[("A", "a0")]])
    assert provenance_of_trees(Trees.of([[("A", "A01")]]), originals, strategies.hierarchies())
    assert not provenance_of_trees(Trees.of([[("A", "A99")]]), originals, strategies.hierarchies())


@pytest.mark.parametrize("chunk", [1, 2])
def test_portions_say_the_same(monkeypatch, chunk):
    monkeypatch.setattr(module, "CHUNK", chunk)
    originals = [[("A", "a0", ("B", "b0"))], [("A", "a1")], [("A", "a2", ("B", "b0"))]]
    hierarchies = strategies.hierarchies()
    both = [[("A", "*", ("B", "b0"))]]
    assert provenance_of_trees(Trees.of(both * 2), Trees.of(originals), hierarchies)
    assert not provenance_of_trees(Trees.of(both * 3), Trees.of(originals), hierarchies)
    assert not provenance_of_trees(
        Trees.of([[("A", "A01", ("B", "b0"))]] * 2), Trees.of(originals), hierarchies
    )
