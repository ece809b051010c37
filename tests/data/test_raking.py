"""Iterative proportional fitting against fitting by hand with fractions, and what its answer must be."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.raking import rake


def by_hand(cells, margins, sweeps):
    """The same, cell by cell and group by group."""
    fitted = [Fraction(cell) for cell in cells]
    for _ in range(sweeps):
        for group, totals in margins:
            sums = {one: sum(f for f, g in zip(fitted, group, strict=True) if g == one) for one in set(group)}
            fitted = [
                f * Fraction(totals[g]) / sums[g] if sums[g] else Fraction(0)
                for f, g in zip(fitted, group, strict=True)
            ]
    return [float(f) for f in fitted]


@st.composite
def tables(draw):
    n = draw(st.integers(1, 8))
    target = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    start = draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))
    margins = []
    for _ in range(draw(st.integers(1, 3))):
        group = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        margins.append(
            (group, [sum(t for t, g in zip(target, group, strict=True) if g == one) for one in range(4)])
        )
    return start, margins


def arrays(margins):
    return [(np.array(group), np.array(totals, dtype=float)) for group, totals in margins]


@settings(max_examples=60)
@given(tables(), st.integers(1, 3))
def test_sweeps_by_hand(case, sweeps):
    start, margins = case
    fitted, _ = rake(np.array(start, dtype=float), arrays(margins), -1.0, sweeps)
    assert fitted.tolist() == pytest.approx(by_hand(start, margins, sweeps))


@settings(max_examples=60)
@given(tables())
def test_totals_that_can_be_met_are_met(case):
    """The totals are those of positive cells, so there is an answer."""
    start, margins = case
    fitted, distance = rake(np.array(start, dtype=float), arrays(margins), 1e-5, 20_000)
    assert distance <= 1e-5
    for group, totals in arrays(margins):
        sums = np.bincount(group, weights=fitted, minlength=4)
        assert sums.tolist() == pytest.approx(totals.tolist(), rel=1e-3)
    assert (fitted > 0).all()
