"""From sample to population: exact twins, and the place where a likelihood is greatest."""

from math import exp, lgamma, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import naive_risk as naive
from shoal.base.errors import InputError
from shoal.risks.population_uniques import correct_match_rate, pitman, population_size, zayatz

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=12)


@settings(max_examples=150)
@given(SIZES, st.integers(0, 200))
def test_zayatz_counts_samples(sizes, others):
    population = sum(sizes) + others
    assert zayatz(np.array(sizes), population) == pytest.approx(
        float(naive.zayatz(sizes, population)), rel=1e-10
    )


def likelihood(sizes, theta, alpha):
    """The logarithm of Pitman's sampling formula, but for what theta and alpha do not change."""
    n, u = sum(sizes), len(sizes)
    found = sum(log(theta + i * alpha) for i in range(1, u)) - (lgamma(theta + n) - lgamma(theta + 1))
    return found + sum(lgamma(size - alpha) - lgamma(1 - alpha) for size in sizes)


def share(theta, alpha, population):
    return np.exp(lgamma(theta + 1) - lgamma(theta + alpha) + (alpha - 1) * log(population))


@pytest.mark.parametrize(
    "sizes",
    [
        [1] * 40 + [2] * 10 + [3] * 5 + [7, 9, 20],
        [1] * 30 + [2] * 6 + [3, 4, 11],
        [1] * 100 + [2] * 30 + [3] * 12 + [4] * 8 + [5] * 5 + [10, 12, 15, 40],
    ],
)
def test_pitman_is_where_the_likelihood_is_greatest(sizes):
    """A search for the greatest likelihood that knows no slope leads to the same share."""
    best = minimize(
        lambda at: -likelihood(sizes, exp(at[0]), 1 / (1 + exp(-at[1]))),
        (1.0, 0.0),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000},
    ).x
    expected = share(exp(best[0]), 1 / (1 + exp(-best[1])), 5000)
    assert pitman(np.array(sizes), 5000) == pytest.approx(expected, rel=1e-5)


def test_nobody_alone_nobody_unique():
    assert pitman(np.array([2, 3, 2]), 70) == 0
    assert zayatz(np.array([2, 3, 2]), 70) == 0


def test_no_likelihood_no_estimate():
    """Everybody differs: alpha would be 1, and there is no maximum."""
    assert pitman(np.ones(50, dtype=np.int64), 5000) is None


def test_a_fraction_is_a_share():
    assert population_size(1000, 0.3) == 3333
    for fraction in (0.0, -0.1, 1.01):
        with pytest.raises(InputError, match="above 0 and up to 1"):
            population_size(10, fraction)


def test_chance_of_a_right_match_by_hand():
    """Skinner and Elliot: 3 uniques and 2 pairs in a tenth of the population."""
    sizes = np.array([1, 1, 1, 2, 2, 7])
    assert correct_match_rate(sizes, 0.1) == pytest.approx(0.3 / (0.3 + 4 * 0.9))
    assert correct_match_rate(np.array([2, 3]), 0.1) is None
    assert correct_match_rate(sizes, 1.0) == 1
