import numpy as np
import numpy.testing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_useful import cramers_v as naive_v
from naive_useful import extremes, spread, table_of
from shoal.utility.columns import (
    _cramers_v,
    correlations,
    group_sizes,
    mean,
    measure_associations,
    number_bounds,
    quantile,
    sort_known_numbers,
)
from useful_cases import cells_of, columns, groups, sets_of_leaves


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(columns(n, "a"), columns(n, "b"))))
def test_the_strength_of_a_pair_is_that_of_its_expected_table(pair):
    (a, a_sets, a_group), (b, b_sets, b_group) = pair
    found = measure_associations([a, b], [a, b])
    assert [(one.first, one.second, one.measure) for one in found] == [("a", "b", "cramers-v")]
    wanted = naive_v(table_of(spread(a_sets, a_group), spread(b_sets, b_group)))
    npt.assert_allclose(found[0].before, wanted, atol=1e-6)
    assert found[0].change == 0


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=4))
def test_v_of_counts_is_bergsmas(table):
    npt.assert_allclose(_cramers_v(np.array(table, dtype=float)), naive_v(table), atol=1e-6)


def test_v_of_a_known_table():
    # chi squared 12.5 of 100 records: 0.125 - 1/99 over 2 - 1/99 - 1
    assert _cramers_v(np.array([[35.0, 15.0], [17.5, 32.5]])) == pytest.approx(
        np.sqrt((100 * (35 * 32.5 - 15 * 17.5) ** 2 / (50 * 50 * 52.5 * 47.5) / 100 - 1 / 99) / (1 - 1 / 99))
    )


NUMBERS = st.one_of(st.integers(-50, 50).map(float), st.just(np.nan))


@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=10),
    st.sampled_from([1.0, 1e-9, 1e12]),
)
def test_correlations_are_pearsons_of_the_rows_that_are_known(rows, scale):
    columns = [scale * np.array(side) + 7 * scale for side in zip(*rows, strict=True)]
    found = correlations(columns)
    for i, a in enumerate(columns):
        for j, b in enumerate(columns):
            known = ~(np.isnan(a) | np.isnan(b))
            x, y = a[known], b[known]
            if len(set(x)) < 2 or len(set(y)) < 2:
                assert found[i, j] == 0
            else:
                assert found[i, j] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-6)


def test_a_column_that_was_hidden_hangs_together_with_nothing():
    values = [0, 0, 0, 1, 1, 1, 2, 2, 2] * 5
    before = [cells_of(name, [{v} for v in values], 3, numbers=[10, 20, 30]) for name in "ab"]
    hidden = cells_of("a", [{0, 1, 2}] * len(values), 3, numbers=[10, 20, 30])
    found = measure_associations(before, [hidden, before[1]])
    assert [(one.measure, round(one.before, 6), one.after) for one in found] == [
        ("cramers-v", 1, 0),
        ("correlation", 1, 0),
    ]


def test_the_largest_change_stands_first():
    values = [0, 1] * 20
    before = [cells_of(name, [{v} for v in values], 2) for name in "abc"]
    after = [
        before[0],
        before[1],
        cells_of("c", [{v} if i % 4 < 2 else {0, 1} for i, v in enumerate(values)], 2),
    ]
    found = measure_associations(before, after)
    assert {found[0].second, found[1].second} == {"c"}
    assert found[2].change == 0 < found[1].change


def test_correlation_takes_the_middle_of_a_span_and_leaves_out_the_missing():
    a = [cells_of("a", [{0}, {1}, {2}, {None}], 3, numbers=[0, 10, 20])]
    b = cells_of("b", [{0}, {0, 1}, {1}, {0}], 2, numbers=[0, 4])
    both = measure_associations([*a, b], [*a, b])
    assert next(one.before for one in both if one.measure == "correlation") == pytest.approx(1.0)


MEASURED = st.lists(st.integers(-20, 20), min_size=1, max_size=4, unique=True).map(sorted)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


@st.composite
def releases(draw):
    """Released cells, how many records were left out, numbers, and true leaves that both allow."""
    numbers = draw(MEASURED)
    size = len(numbers)
    sets = draw(sets_of_leaves(draw(st.integers(1, 6)), size))
    sets = [one or {None} for one in sets]
    left_out = draw(st.integers(0, 2))
    truth = [draw(st.sampled_from(sorted(one, key=str))) for one in sets]
    truth += draw(st.lists(st.sampled_from([*range(size), None]), min_size=left_out, max_size=left_out))
    return sets, left_out, numbers, truth


def lowest_and_highest(case, statistic):
    sets, left_out, numbers, _ = case
    lows, highs = number_bounds(cells_of("a", sets, len(numbers), numbers=numbers), left_out)
    return statistic(lows), statistic(highs)


@given(releases())
def test_the_truth_lies_in_the_interval(case):
    _, _, numbers, truth = case
    true = sort_known_numbers(cells_of("a", [{leaf} for leaf in truth], len(numbers), numbers=numbers))
    for statistic in (mean, *(lambda n, s=s: quantile(n, s) for s in SHARES)):
        low, high = lowest_and_highest(case, statistic)
        if len(true):
            assert low - 1e-9 <= statistic(true) <= high + 1e-9


@given(releases())
def test_no_number_of_the_interval_is_given_away(case):
    sets, left_out, numbers, _ = case
    if any(len(one) > 1 and None in one for one in sets):
        return  # such a cell counts with the whole column: right, and a little wide
    for statistic, naive in (
        (mean, lambda n: sum(n) / len(n)),
        *((lambda n, s=s: quantile(n, s), lambda n, s=s: _quantile(n, s)) for s in SHARES),
    ):
        low, high = lowest_and_highest(case, statistic)
        least, most = extremes([sorted(one, key=str) for one in sets], left_out, numbers, naive)
        if least <= most:
            assert (low, high) == pytest.approx((least, most))


def _quantile(numbers, share):
    return next(n for n in numbers if sum(m <= n for m in numbers) >= share * len(numbers) - 1e-9)


@given(st.data(), releases())
def test_group_sizes_lie_between_the_certain_and_the_possible(data, case):
    sets, left_out, numbers, truth = case
    group = data.draw(groups(len(numbers)))
    cells = cells_of("a", sets, len(numbers), group)
    certain, possible = group_sizes(cells, left_out)
    inside = [sum(leaf is not None and group[leaf] == g for leaf in truth) for g in range(max(group) + 1)]
    assert (certain <= inside).all()
    assert (possible >= inside).all()
    for g in range(max(group) + 1):
        assert certain[g] == sum(all(x is not None and group[x] == g for x in one) for one in sets)
        assert possible[g] == left_out + sum(
            any(x is not None and group[x] == g for x in one) for one in sets
        )


def test_exact_cells_leave_no_doubt():
    cells = cells_of("age", [{0}, {1}, {1}, {None}], 2, numbers=[30, 60])
    lows, highs = number_bounds(cells, 0)
    assert (mean(lows), mean(highs), quantile(lows, 0.5)) == (50, 50, 60)
    assert np.isnan(mean(np.empty(0)))
    assert np.isnan(quantile(np.empty(0), 0.5))
