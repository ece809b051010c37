"""Sweeps as people write them."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.comparison.measures import _ladder, cross_sweeps, parse_sweep

LADDER = {3} | {step * 10**power for power in range(10) for step in (1, 2, 5)}


@pytest.mark.parametrize(
    ("name", "asked", "numbers"),
    [
        ("k", "2:100", (2, 3, 5, 10, 20, 50, 100)),
        ("k", "2:100:1", tuple(range(2, 101))),
        ("k", "5", (5,)),
        ("k", "7,2, 5,2", (2, 5, 7)),
        ("k", "2:5,40", (2, 3, 5, 40)),
        ("k", "4:7", (4, 5, 7)),
        ("k", "2:10:3", (2, 5, 8, 10)),
        ("n", "0:2", (0, 1, 2)),
        ("k", 5, (5,)),
        ("k", range(2, 5), (2, 3, 4)),
        ("k", np.array([3, 2]), (2, 3)),
        ("suppress", "0:0.1:0.02", (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)),
        ("delta", "0.3", (0.3,)),
        ("delta", [0.1, 0.3], (0.1, 0.3)),
    ],
)
def test_what_is_written_is_what_is_tried(name, asked, numbers):
    found = parse_sweep(name, asked)
    assert found == numbers
    assert all(type(number) is (float if name in ("delta", "suppress") else int) for number in found)


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "x",
        "5:2",
        "2:",
        ":",
        "2:9:0",
        "2:9:-1",
        "1:2:3:4",
        "2.5",
        "nan",
        "inf",
        "2:1e30",
        None,
        True,
        [[2]],
        [],
    ],
)
def test_what_is_no_sweep_is_one_sentence(asked):
    with pytest.raises(InputError, match="compare: --k takes whole numbers, such as 2:100"):
        parse_sweep("k", asked)


def test_shares_need_a_step():
    with pytest.raises(InputError, match="needs a step"):
        parse_sweep("suppress", "0:0.1")


def test_too_much_is_refused():
    with pytest.raises(InputError, match="more than 1,000 numbers"):
        parse_sweep("k", "2:100000:1")
    with pytest.raises(InputError, match="points"):
        cross_sweeps({"k": range(200), "m": range(200)})


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_ladder_has_its_ends_and_every_rung_between(low, high):
    assume(low <= high)
    found = parse_sweep("k", f"{low}:{high}")
    assert (found[0], found[-1]) == (low, high)
    assert set(found) == {low, high} | {rung for rung in LADDER if low <= rung <= high}
    assert list(found) == _ladder(low, high)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 60))
def test_steps_are_equal_and_end_at_the_end(low, more, step):
    found = parse_sweep("k", f"{low}:{low + more}:{step}")
    assert found == tuple(sorted({*range(low, low + more + 1, step), low + more}))


@given(st.integers(0, 999), st.integers(2, 50))
def test_shares_are_those_that_are_written(first, step):
    """Counted in floats, 0.02 five times is not 0.1."""
    text = f"{first / 1000}:1:{step / 1000}"
    found = parse_sweep("suppress", text)
    assert found[-1] == 1.0
    assert set(found) <= {place / 1000 for place in range(1001)}


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20))
def test_a_list_is_a_list_however_it_is_given(numbers):
    assert (
        parse_sweep("k", numbers)
        == parse_sweep("k", ",".join(map(str, numbers)))
        == tuple(sorted(set(numbers)))
    )
