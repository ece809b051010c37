import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_useful import extremes
from shoal.utility.intervals import group_sizes, known_numbers, mean, possible_numbers, quantile
from useful_cases import cells_of, groups, sets_of_leaves

NUMBERS = st.lists(st.integers(-20, 20), min_size=1, max_size=4, unique=True).map(sorted)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


@st.composite
def releases(draw):
    """Released cells, how many records were left out, numbers, and true leaves that both allow."""
    numbers = draw(NUMBERS)
    size = len(numbers)
    sets = draw(sets_of_leaves(draw(st.integers(1, 6)), size))
    sets = [one or {None} for one in sets]
    left_out = draw(st.integers(0, 2))
    truth = [draw(st.sampled_from(sorted(one, key=str))) for one in sets]
    truth += draw(st.lists(st.sampled_from([*range(size), None]), min_size=left_out, max_size=left_out))
    return sets, left_out, numbers, truth


def lowest_and_highest(case, statistic):
    sets, left_out, numbers, _ = case
    lows, highs = possible_numbers(cells_of("a", sets, len(numbers), numbers=numbers), left_out)
    return statistic(lows), statistic(highs)


@given(releases())
def test_the_truth_lies_in_the_interval(case):
    _, _, numbers, truth = case
    true = known_numbers(cells_of("a", [{leaf} for leaf in truth], len(numbers), numbers=numbers))
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
    lows, highs = possible_numbers(cells, 0)
    assert (mean(lows), mean(highs), quantile(lows, 0.5)) == (50, 50, 60)
    assert np.isnan(mean(np.empty(0)))
    assert np.isnan(quantile(np.empty(0), 0.5))
