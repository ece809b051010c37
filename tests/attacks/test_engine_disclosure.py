"""Guesses that are learned from a release, beside the formula written out."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_attack_cases import lists
from shoal.attacks.engine import _predict_secret, predict_label

FACTS = 3
some_rows = st.lists(st.sets(st.integers(0, FACTS - 1)), min_size=1, max_size=8)


def weight(rows, some, known):
    """The chance of some rows, and that such a row fits exactly the facts that are known."""
    shares = [(sum(fact in rows[r] for r in some) + 0.5) / (len(some) + 1) for fact in range(FACTS)]
    told = prod(share if fact in known else 1 - share for fact, share in enumerate(shares))
    return (len(some) + 0.5) / (len(rows) + 1) * told


@given(some_rows, st.data())
def test_a_secret_is_as_likely_as_bayes_says(rows, data):
    having = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1))))
    known = data.draw(st.sets(st.integers(0, FACTS - 1)))
    found = _predict_secret(lists(rows), lists([having]), lists([known]), np.array([0]), FACTS)
    yes = weight(rows, having, known)
    no = weight(rows, [r for r in range(len(rows)) if r not in having], known)
    assert found.tolist() == pytest.approx([yes / (yes + no)])


@given(some_rows, st.data())
def test_a_label_is_as_likely_as_bayes_says(rows, data):
    label = data.draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows)))
    known, own = data.draw(st.sets(st.integers(0, FACTS - 1))), data.draw(st.integers(0, 3))
    found = predict_label(lists(rows), np.array(label), lists([known]), np.array([own]), FACTS)
    weights = {
        one: weight(rows, [r for r, other in enumerate(label) if other == one], known)
        for one in set(label) - {-1}
    }
    assert found.tolist() == pytest.approx([weights.get(own, 0) / (sum(weights.values()) or 1)])
