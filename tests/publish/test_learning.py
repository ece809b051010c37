"""What a few known items, whole baskets and values of a tree tell of sensitive values, against a slow twin."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data import Trees
from shoal.publish import learning
from shoal.publish.learning import from_values
from shoal.utility.told_by import fitting_few, held_of, told

RECORDS = st.lists(
    st.tuples(st.frozensets(st.integers(0, 3), max_size=4), st.frozensets(st.integers(0, 2), max_size=2)),
    min_size=1,
    max_size=8,
)


def slowly(records, m):
    """l, t, share, and who is given away, by looking at all choices of items of all records."""
    values = {value for _, secret in records for value in secret} | {None}

    def spread(some):
        held = [value for _, secret in some for value in (secret or {None})]
        return {value: held.count(value) / len(held) for value in values}

    whole, found, sure = spread(records), [], set()
    for person, (items, _) in enumerate(records):
        for size in range(m + 1):
            for known in combinations(sorted(items), size):
                fit = [record for record in records if set(known) <= record[0]]
                counts = [sum(v in secret for _, secret in fit) for v in values - {None}]
                far = sum(max(share - whole[v], 0) for v, share in spread(fit).items())
                found.append((sum(map(bool, counts)), far, max(counts, default=0) / len(fit)))
                if len(fit) in counts:
                    sure.add(person)
    ls, ts, shares = zip(*found, strict=True)
    return {"l": min(ls), "t": max(ts), "share": max(shares)}, sure


@given(records=RECORDS, m=st.integers(1, 2))
def test_overlapping_look_alikes_are_told_as_a_slow_twin_does(records, m):
    start = np.cumsum([0, *(len(items) for items, _ in records)])
    items = np.array([item for items, _ in records for item in sorted(items)], dtype=np.int64)
    pairs = [(who, value) for who, (_, secret) in enumerate(records) for value in secret]
    who, value = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    fitting = fitting_few(start, items, m, most=1 << 20)
    found, certain = told(fitting, held_of(who, value, len(records)))
    wanted, sure = slowly(records, m)
    assert found == pytest.approx(wanted)
    assert {*fitting.record[certain[fitting.of]].tolist()} == sure


def test_what_is_known_beside_the_items_parts_those_who_fit():
    start, items, classes = np.array([0, 1, 2]), np.array([5, 5]), np.array([0, 1])
    assert len(np.unique(fitting_few(start, items, 1, most=9).of)) == 2
    assert len(np.unique(fitting_few(start, items, 1, classes, most=9).of)) == 4
    assert fitting_few(start, items, 1, most=3) is None


def learned(frame, roles, **asked):
    data = shoal.read(frame, roles=roles, hierarchies={}, **asked.pop("how", {}))
    return data.audit(shoal.anonymize(data, **asked)).learned


BASKETS = pl.DataFrame(
    {
        "items": [["a", "b"], ["a"], ["b", "c"], ["c"], ["a", "c"], ["b"], ["a", "b"], ["c", "b"]],
        "faith": ["x", "y", "z", "x", "y", "z", "y", "x"],
    }
)


def test_a_label_is_told_for_whoever_knows_whole_baskets():
    (found,) = learned(BASKETS, {"items": "items", "faith": "sensitive"}, k=2, l=2)
    assert (found.column, found.known) == ("faith", "the whole basket")
    assert found.before["l"] == 1
    assert found.before["given_away"] == 4 / 8  # only {a, b} and {b, c} occur with two labels
    assert found.after["l"] >= 2
    assert found.after["given_away"] == 0


def test_a_label_is_told_for_whoever_knows_some_items():
    (found,) = learned(BASKETS, {"items": "items", "faith": "sensitive"}, k=2, m=2)
    assert (found.column, found.known) == ("faith", "any 2 items")
    assert found.before["share"] == 1


def test_why_a_label_is_not_told(monkeypatch):
    monkeypatch.setattr(learning, "_MOST", 1)
    data = shoal.read(BASKETS, roles={"items": "items", "faith": "sensitive"}, hierarchies={})
    for asked in ({"k": 2, "m": 1}, {"k": 2, "l": 2}):
        found = data.audit(shoal.anonymize(data, **asked))
        assert (found.learned, found.uncounted) == ([], [learning.MANY_FIT])


def test_sensitive_items_are_told_for_whoever_knows_the_others():
    baskets = pl.DataFrame({"items": [["a", "hiv"], ["a"], ["b"], ["b", "hiv"], ["c", "hiv"], ["a", "b"]]})
    (found,) = learned(baskets, {"items": "items"}, k=2, m=1, l=2, how={"sensitive": {"items": ["hiv"]}})
    assert (found.column, found.known) == ("sensitive items", "any 1 item")
    assert found.before["share"] == 1  # whoever holds c
    assert found.after["share"] <= 0.5


def test_the_sensitive_field_of_trees_is_told_with_a_relation_where_the_claim_has_one():
    trees = Trees.of(
        [
            [("ward", "A", ("room", "1")), ("ill", "flu")],
            [("ward", "A"), ("room", "1"), ("ill", "gout")],
            [("ward", "A"), ("ill", "flu")],
        ],
        sensitive="ill",
    )
    (found,) = from_values(trees, trees, 2, 1)
    assert (found.column, found.known) == ("ill", "any 2 values and a relation among them")
    assert found.before == found.after
    assert (found.before["l"], found.before["given_away"]) == (1, 1 / 3)  # only one has room 1 in ward A
    (plain,) = from_values(trees, trees, 2, 0)
    assert plain.known == "any 2 values"
    assert plain.before == {"l": 2, "t": pytest.approx(1 / 6), "share": pytest.approx(2 / 3), "given_away": 0}


def test_trees_without_a_sensitive_field_tell_nothing():
    trees = Trees.of([[("ward", "A")]])
    assert list(from_values(trees, trees, 2, 1)) == []
