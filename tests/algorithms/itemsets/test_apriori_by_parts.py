"""Apriori Anonymization on parts of baskets gives the release that it gives in memory."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import itemset_cases
from part_cases import basket_parts, joined_baskets
from shoal.algorithms.itemsets import counted_parts as parting
from shoal.algorithms.itemsets.apriori import apriori
from shoal.algorithms.itemsets.apriori_by_parts import apriori_by_parts
from shoal.data import Baskets
from shoal.engines.parts import in_turn
from shoal.engines.shuffle import Shuffle
from shoal.errors import HierarchyError, InfeasibleError, InputError
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity


def found(act):
    try:
        return act()
    except (InfeasibleError, InputError) as error:
        return str(error)


def compare(baskets, tree, claim, cuts, suppress, seed):
    expected = found(lambda: apriori(baskets, tree, claim, suppress=suppress))
    with tempfile.TemporaryDirectory() as room:
        parts = basket_parts(baskets, Path(room), cuts, Shuffle(seed).map)
        made = found(lambda: apriori_by_parts(parts, tree, claim, suppress=suppress))
        if isinstance(expected, str):
            assert made == expected
            return
        one, other = made.release.outline, expected.release
        assert made.trace == expected.trace
        assert (one.rule, one.records, one.suppressed) == (other.rule, other.records, other.suppressed)
        assert one.forms.labels == other.forms.labels
        assert np.array_equal(one.forms.start, other.forms.start)
        assert np.array_equal(one.forms.leaves, other.forms.leaves)
        assert joined_baskets(made.release.parts) == (other.start.tolist(), other.items.tolist())


@settings(max_examples=120, deadline=None)
@given(
    itemset_cases.cases(max_rows=40),
    st.builds(KmAnonymity, st.integers(1, 4), st.integers(1, 4)),
    st.lists(st.integers(1, 39), max_size=5),
    st.sampled_from([0.0, 0.0, 0.1, 0.3]),
    st.integers(0, 2**32),
)
def test_the_release_is_that_of_the_records_in_memory(case, claim, cuts, suppress, seed):
    compare(*case, claim, cuts, suppress, seed)


@settings(max_examples=60, deadline=None)
@given(
    itemset_cases.cases(max_rows=30, sensitive=True),
    st.builds(LmDiversity, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    st.lists(st.integers(1, 29), max_size=4),
    st.integers(0, 2**32),
)
def test_so_it_is_with_sensitive_items(case, claim, cuts, seed):
    compare(*case, claim, cuts, 0.0, seed)


def test_items_without_a_place_are_refused(tmp_path):
    tree = Hierarchy.from_paths("items", [["a", "*"], ["b", "*"]])
    parts = basket_parts(Baskets.of("items", [["a"], ["b", "x"]] * 3), tmp_path, [2], in_turn)
    with pytest.raises(HierarchyError, match=r"1 distinct item\(s\) are not in the hierarchy") as caught:
        apriori_by_parts(parts, tree, KmAnonymity(2, 1))
    assert caught.value.value == ("x",)


def test_too_many_needed_baskets_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parting, "_MOST", 3)
    tree = Hierarchy.from_paths("items", [["a", "*"], ["b", "*"]])
    parts = basket_parts(Baskets.of("items", [["a"], ["b"], ["a", "b"]] * 3), tmp_path, [2], in_turn)
    with pytest.raises(InfeasibleError, match="too many to be held; lower k or m"):
        apriori_by_parts(parts, tree, KmAnonymity(3, 2))
