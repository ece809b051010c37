"""Whether originals can have given a release: by a matching, compared with trying every one."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.data import Trees
from shoal.privacy import truth as module
from shoal.privacy.truth import (
    match_baskets,
    provenance_of_baskets,
    provenance_of_rows,
    provenance_of_trees,
)
from shoal.release import PublishedValues

FORMS = [{0}, {1}, {2}, {0, 1}, {0, 1, 2}, set()]
COVERS = np.array([[value in form for value in range(3)] for form in FORMS])
pairs = st.tuples(st.integers(0, 5), st.integers(0, 2))


def possible(rows, records):
    """Whether some choice of different originals lies under all rows."""
    return any(
        all(v in FORMS[f] and a == b for (f, a), (v, b) in zip(rows, chosen, strict=True))
        for chosen in permutations(records, len(rows))
    )


@settings(max_examples=300)
@given(
    st.lists(pairs, min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5),
)
def test_a_matching_is_the_whole_truth(rows, records):
    said = provenance_of_rows(np.array(rows), np.array(records), [COVERS, None])
    assert bool(said) == possible(rows, records)


@settings(max_examples=100)
@given(st.data())
def test_whatever_the_forms_stand_for(data):
    """Forms in any order, of which a value may lie under many, or under none."""
    forms = data.draw(st.lists(st.sets(st.integers(0, 2)), min_size=1, max_size=4))
    rows = data.draw(st.lists(st.integers(0, len(forms) - 1), min_size=1, max_size=3))
    values = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))
    covers = np.array([[value in form for value in range(3)] for form in forms])
    said = provenance_of_rows(np.array(rows)[:, None], np.array(values)[:, None], [covers])
    assert bool(said) == any(
        all(value in forms[row] for row, value in zip(rows, chosen, strict=True))
        for chosen in permutations(values, len(rows))
    )


def test_large_data_are_judged_by_what_must_hold(monkeypatch):
    """Three rows over two originals: each form alone lies over enough."""
    rows, records = np.array([[0, 0], [0, 0], [3, 0]]), np.array([[0, 0], [0, 0], [2, 0]])
    assert not provenance_of_rows(rows, records, [COVERS, None])
    monkeypatch.setattr(module, "_MOST_CELLS", 1)
    assert "enough" in provenance_of_rows(rows, records, [COVERS, None]).sentence
    assert not provenance_of_rows(rows[[0, 0, 0]], records, [COVERS, None])


def test_how_much_is_compared(monkeypatch):
    """Two to the 28 pairs of forms and values are compared; of one form more only what must hold is judged."""
    compared = []
    monkeypatch.setattr(module, "_find_fits", lambda *given: compared.append(given))
    many = 1 << 14
    for records in (many, many + 1):
        values = np.arange(records, dtype=np.int32)[:, None]
        forms = np.r_[values[: many - 1], [[-1]]].astype(np.int32)
        assert provenance_of_rows(forms, values, [None]).broken == 1
    assert len(compared) == 1


def baskets(lists):
    return np.cumsum([0, *map(len, lists)]), np.array([item for one in lists for item in one], dtype=np.int32)


SETS = [[0], [1], [0, 1], [2], [2, 3], [1, 0]]
PUBLISHED = PublishedValues.of_sets(
    ["a", "b", "ab", "c", "cd", None], [np.array(sorted(s), dtype=np.int32) for s in SETS]
)


@settings(max_examples=200)
@given(
    st.lists(st.sets(st.integers(0, 5), max_size=3), min_size=1, max_size=4),
    st.lists(st.sets(st.integers(0, 3), max_size=3), min_size=1, max_size=4),
    st.booleans(),
)
def test_baskets_fit_by_their_meaning(shown, held, whole):
    rows, originals, fits = match_baskets(baskets(held), baskets(shown), PUBLISHED, whole=whole)
    for i, forms in enumerate(shown):
        for j, items in enumerate(held):
            all_true = all(items & set(SETS[form]) for form in forms)
            all_told = items <= {leaf for form in forms for leaf in SETS[form]}
            assert fits[rows[i], originals[j]] == (all_true and (all_told or not whole))


def test_labels_of_the_same_leaves_are_counted_together():
    """`ab` and [b, a] are one: three rows of it need three originals."""
    two, three = baskets([[0], [1], [2]]), baskets([[2], [5], [2]])
    assert provenance_of_baskets(baskets([[0], [1], [0]]), three, PUBLISHED)
    said = provenance_of_baskets(two, three, PUBLISHED)
    assert not said
    assert said.witnesses == (1, 2, 3)


@pytest.mark.parametrize("whole", [True, False])
def test_no_item_at_all(whole):
    none = PublishedValues.of_sets([], [])
    rows, originals, fits = match_baskets(baskets([[], [1]]), baskets([[], []]), none, whole=whole)
    assert fits[rows[0]][originals].tolist() == [True, not whole]


# Whether originals hold what released trees show often enough, compared with counting one record after the other.

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


@settings(max_examples=200)
@given(strategies.trees(max_records=5), strategies.trees(max_records=5), st.integers(0, 2), st.booleans())
def test_agrees_with_counting(originals, others, level, same):
    steps = [{}, UP, {label: (label[0], "*") for label in UP}][level]
    rule = {label: steps.get(label, label) if label[0] != "D" else label for label in UP}
    released = [naive.generalize(one, rule) for one in (originals if same else others)]
    hierarchies = {name: tree for name, tree in strategies.hierarchies().items() if name != "D"}
    said = provenance_of_trees(Trees.of(released), Trees.of(originals), hierarchies)
    assert bool(said) == enough(released, originals)


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
