"""Rates of two groups and what is left between them, held against the formula and against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from shoal.attacks.criteria import ABOUT_CRITERIA, CRITERIA, Control, Rate
from shoal.publish.assess.attack import ATTACKERS


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(group):
    hits, n = group
    found = Rate(hits, n)
    expected = binomtest(hits, n).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert found.low - 1e-12 <= found.rate <= found.high + 1e-12


@given(*[st.lists(st.floats(0, 1), min_size=1, max_size=30)] * 2)
def test_the_residual_risk_is_what_the_control_leaves(inside, outside):
    found = Control(Rate.of(np.array(inside)), Rate.of(np.array(outside)))
    a, c = sum(inside) / len(inside), sum(outside) / len(outside)
    if c < 1 - 1e-9:
        assert found.residual == pytest.approx((a - c) / (1 - c))
    assert found.low <= found.residual + 1e-9
    assert found.residual <= found.high + 1e-9
    assert found.as_dict()["residual"]["risk"] == found.residual  # kept, also below 0


def test_a_control_that_knows_everything_leaves_nothing():
    found = Control(Rate(5, 5), Rate(4, 4))
    assert (found.residual, found.low, found.high) == (0.0, -1.0, 1.0)


def test_every_attacker_speaks_to_one_criterion():
    played = {name for names in ATTACKERS.values() for name in names}
    assert played <= set(CRITERIA)
    assert {one.name for one in CRITERIA.values()} == set(ABOUT_CRITERIA)
