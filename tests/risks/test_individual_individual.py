"""Individual risk against the integral, the definition of fitting, and values that sdcMicro's documentation prints."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

import naive_risk as naive
import shoal
from shoal.risks.column_sets import measure_column_sets, special_uniques
from shoal.risks.individual import (
    _approximate_risk,
    _household_risk,
    _household_sizes,
    individual_risk,
)
from shoal.risks.look_alikes import count_fits

FRANCDAT = [  # Key1 to Key4 and w; `freqCalc` in the documentation of sdcMicro 5.7.9
    ((1, 2, 5, 1), 18.0),
    ((1, 2, 1, 1), 45.5),
    ((1, 2, 1, 1), 39.0),
    ((3, 3, 1, 5), 17.0),
    ((4, 3, 1, 4), 541.0),
    ((4, 3, 1, 1), 8.0),
    ((6, 2, 1, 5), 5.0),
    ((1, 2, 5, 1), 92.0),
]
WEIGHTS = np.array([weight for _, weight in FRANCDAT])


def fits(rows, weights):
    columns = [[-1 if cell is None else cell for cell in column] for column in zip(*rows, strict=True)]
    codes = [np.array(column) for column in columns]
    found = count_fits(codes, [column < 0 for column in codes], weights)
    return found.fits[found.of], found.people[found.of]


def integral(f, p):
    """The integral of the definition, with t = 1 - exp(-x) to spread out its end."""

    def inside(x):
        rest = np.exp(-x)
        return (
            np.exp((f - 1) * np.log1p(-rest) - f * np.log1p((1 - p) / p * rest) - x)
            if x
            else float(f == 1) * p
        )

    steps = [0, 0.5, 1, 2, *range(4, 60, 4)]
    pieces = pairwise(steps)
    return sum(integrate.quad(inside, *piece, epsabs=0, epsrel=1e-13, limit=200)[0] for piece in pieces)


@pytest.mark.parametrize("p", [1e-9, 1e-4, 0.02, 0.3, 0.4999, 0.5, 0.51, 0.9, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("f", [1, 2, 3, 15, 16, 17, 100, 5000])
def test_it_is_the_integral(f, p):
    assert individual_risk(f, p) == pytest.approx(integral(f, p), rel=1e-10)


@pytest.mark.parametrize("fraction", [0.02, 0.4, 0.51, 0.9])
def test_it_is_the_mean_of_the_negative_binomial(fraction):
    expected = [naive.expected_risk(size, fraction) for size in range(1, 10)]
    assert individual_risk(np.arange(1, 10), fraction).tolist() == pytest.approx(expected, rel=1e-9)


def test_of_a_census_it_is_that_of_the_prosecutor():
    assert individual_risk([1, 2, 3, 40], 1.0).tolist() == [1, 1 / 2, 1 / 3, 1 / 40]


def test_values_that_sdcmicro_prints():
    """`indivRisk` in the documentation of sdcMicro 5.7.9."""
    counts, people = fits([row for row, _ in FRANCDAT], WEIGHTS)
    assert counts.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert people.tolist() == [110.0, 84.5, 84.5, 17.0, 541.0, 8.0, 5.0, 110.0]
    printed = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    assert individual_risk(counts, counts / people).round(8).tolist() == printed
    assert _approximate_risk(counts, counts / people).round(8).tolist() == printed


def test_counts_with_missing_cells_that_sdcmicro_prints():
    rows = [list(row) for row, _ in FRANCDAT]
    rows[2][2] = rows[3][0] = rows[3][1] = rows[4][3] = rows[5][0] = None
    counts, people = fits(rows, WEIGHTS)
    assert counts.tolist() == [3, 2, 4, 3, 3, 2, 2, 3]
    assert people.tolist() == [149.0, 84.5, 194.5, 563.0, 566.0, 549.0, 22.0, 149.0]


def test_values_that_tests_of_sdcmicro_print():
    """`test_indivRisk.R` and `test_freqCalc.R` of sdcMicro 5.8.1; with three look-alikes both risks differ."""
    rows = list(
        zip([2, 3, 2, 2, 3, 3, 1, 2], [3, 3, 3, 3, 3, 3, 4, 3], [1, 3, 1, 2, 1, 1, 1, 1], strict=True)
    )
    weights = np.array([18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51])
    counts, people = fits(rows, weights)
    assert counts.tolist() == [3, 1, 3, 1, 2, 2, 1, 3]
    assert people.tolist() == [108.0, 45.5, 108.0, 17.0, 100.0, 100.0, 123.5, 108.0]
    usual = [0.01369863, 0.08579129, 0.01369863, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01369863]
    assert _approximate_risk(counts, counts / people).round(8).tolist() == usual
    exact = [0.01355297 if risk == 0.01369863 else risk for risk in usual]
    assert individual_risk(counts, counts / people).round(8).tolist() == exact
    rows[2], rows[6] = (2, 3, None), (1, 4, None)
    counts, people = fits(rows, weights)
    assert counts.tolist() == [3, 1, 4, 2, 2, 2, 1, 3]
    assert people.tolist() == [108.0, 45.5, 125.0, 56.0, 100.0, 100.0, 123.5, 108.0]


GUIDE = [  # residence, gender, education, labour, weight: table 4.1 of IHSN's SDC Practice Guide
    ("urban", "female", "secondary incomplete", "employed", 180),
    ("urban", "female", "secondary incomplete", "employed", 180),
    ("urban", "female", "primary incomplete", "none", 215),
    ("urban", "male", "secondary complete", "employed", 76),
    ("rural", "female", "secondary complete", "unemployed", 186),
    ("urban", "male", "secondary complete", "employed", 76),
    ("urban", "female", "primary complete", "none", 180),
    ("urban", "male", "post-secondary", "unemployed", 215),
    ("urban", "female", "secondary incomplete", "none", 186),
    ("urban", "female", "secondary incomplete", "none", 76),
]


def test_values_that_the_practice_guide_prints():
    """Individual and global risk, people below k, special uniques with sets of up to three columns."""
    names = ("residence", "gender", "education", "labour", "weight")
    frame = pl.DataFrame(GUIDE, schema=names, orient="row")
    roles = dict.fromkeys(names[:4], "quasi") | {"weight": "weight"}
    found = shoal.risk(shoal.read(frame, roles=roles))
    told = found.records()
    assert told["look_alikes"].to_list() == [2, 2, 1, 2, 1, 2, 1, 1, 2, 2]
    assert told["people"].to_list() == [360, 360, 215, 152, 186, 152, 180, 215, 262, 262]
    printed = [0.005424520, 0.005424520, 0.025096439, 0.012563425, 0.028247279]
    printed += [0.012563425, 0.029010932, 0.025096439, 0.007403834, 0.007403834]
    assert told["risk"].round(9).to_list() == printed
    assert round(found.as_dict()["individual"]["expected"], 4) == 0.1582
    assert [int((told["look_alikes"] < k).sum()) for k in (2, 3)] == [4, 10]
    codes = [frame[name].rank("dense").to_numpy() for name in names[:4]]
    scores = special_uniques(measure_column_sets(codes), 4).score
    assert scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_counts_with_missing_cells_and_a_household_that_the_practice_guide_prints():
    words = sorted({cell for row in GUIDE for cell in row[:4]})
    rows = [[words.index(cell) for cell in row[:4]] for row in GUIDE]
    rows[3][2] = rows[3][3] = None
    assert fits(rows, np.ones(10))[0].tolist() == [2, 2, 1, 3, 1, 2, 1, 2, 2, 2]
    assert (
        _household_risk(np.array([0.02, 0.03, 0.03]), np.zeros(3, dtype=int)).round(3).tolist() == [0.078] * 3
    )


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.tuples(st.tuples(*[st.sampled_from([None, 0, 1, 2])] * width), st.integers(1, 9)),
            min_size=1,
            max_size=12,
        )
    )
)
def test_fits_are_counted_by_the_definition(people):
    rows, weights = zip(*people, strict=True)
    counts, sums = fits(rows, np.array(weights, dtype=float))
    assert list(zip(counts.tolist(), sums.tolist(), strict=True)) == naive.fits(rows, weights)


def test_a_household_is_found_where_anybody_of_it_is():
    risk, of = np.array([0.1, 0.2, 1.0, 0.3, 0.5]), np.array([7, 7, 2, 9, 7])
    whole = 1 - 0.9 * 0.8 * 0.5
    assert _household_risk(risk, of).tolist() == pytest.approx([whole, whole, 1.0, 0.3, whole])
    assert _household_sizes(of).tolist() == [3, 3, 1, 1, 3]
