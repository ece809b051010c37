"""Whoever knows published forms, held against counting by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.as_published import published_items, published_values
from shoal.attacks.item_seat import ItemSeat
from shoal.attacks.tree_seat import TreeSeat
from shoal.data import Baskets, Trees
from shoal.hierarchy import Hierarchy
from shoal.privacy import ItemsetAnonymity, KmAnonymity, KMNAnonymity, LmDiversity

ENTRIES = ("a", "b", "ab", ("b", "c"), "c")
HIERARCHY = Hierarchy.from_paths("items", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
LEAF = {"a": "a", "b": "b", "ab": "a", ("b", "c"): "b", "c": "c"}


def _seat(rows, own, **more):
    shown = [sorted(ENTRIES.index(entry) for entry in row) for row in rows]
    originals = [[] if row is None else sorted({LEAF[entry] for entry in rows[row]}) for row in own]
    return ItemSeat(
        Baskets.of("items", originals, more.pop("sensitive", ())),
        np.cumsum([0, *map(len, shown)]).astype(np.int64),
        np.array([code for row in shown for code in row], dtype=np.int32),
        ENTRIES,
        HIERARCHY,
        np.array([-1 if row is None else row for row in own], dtype=np.int64),
        **more,
    )


def _fewest(mine, rows, m):
    """How many rows publish some up to m of the same forms, where these are fewest."""
    choices = [known for size in range(m + 1) for known in combinations(sorted(mine, key=str), size)]
    return min(sum(set(known) <= row for row in rows) for known in choices)


@settings(deadline=None)
@given(st.lists(st.frozensets(st.sampled_from(ENTRIES)), min_size=1, max_size=6), st.integers(1, 3))
def test_items_in_published_form_fit_rows_that_publish_the_same(rows, m):
    own = [*range(len(rows)), None]
    (found,) = published_items(_seat(rows, own), KmAnonymity(2, m))
    expected = [1 / _fewest(mine, rows, m) for mine in rows]
    assert found.chances.tolist() == pytest.approx([*expected, 0.0])
    assert (found.name, found.inside, found.bound) == ("m-published-items", True, 0.5)


def test_sensitive_items_are_not_known_where_the_claim_exempts_them():
    rows = [frozenset(["a", "c"]), frozenset(["a"]), frozenset(["a"])]
    seat = _seat(rows, [0, 1, 2], sensitive=["c"], exempt=True)
    (found,) = published_items(seat, LmDiversity(2, 2, 3))
    assert found.chances.tolist() == pytest.approx([1 / 3] * 3)


def test_a_claim_without_m_has_no_such_attacker():
    claim = ItemsetAnonymity(2, (("a",),))
    assert list(published_items(_seat([frozenset(["a"])] * 2, [0, 1]), claim)) == []


def test_values_of_trees_in_published_form_fit_trees_that_publish_the_same():
    finer, coarse = ("ward", "n1", ("ill", "flu")), ("ward", "n", ("ill", "flu"))
    released = Trees.of([[coarse], [coarse], [finer]])
    originals = Trees.of([[finer]] * 3)
    ward = Hierarchy.from_paths("ward", [["n1", "n", "*"], ["n2", "n", "*"], ["s1", "s", "*"]])
    ill = Hierarchy.from_paths("ill", [["flu", "*"], ["gout", "*"]])
    seat = TreeSeat(originals, released, {"ward": ward, "ill": ill}, np.arange(3, dtype=np.int64))
    (found,) = published_values(seat, KMNAnonymity(2, 2, 1))
    assert found.chances.tolist() == pytest.approx([1 / 2, 1 / 2, 1])
    assert found.kept is False
