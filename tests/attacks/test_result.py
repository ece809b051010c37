"""What came of playing an attacker: averages, intervals and bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from shoal.assess.attack import ATTACKERS
from shoal.attacks.result import ABOUT_CRITERIA, CRITERIA, Control, Outcome, Rate


def _played(chances: list[float], people: int | None = None, **more: object) -> Outcome:
    given = {"inside": True, "bound": 0.5, **more}
    count = len(chances) if people is None else people
    return Outcome("x", chances=np.array(chances, dtype=float), people=count, sentence="it knows x", **given)


def test_everybody_played_is_a_point() -> None:
    found = _played([1, 0, 0.5, 0.5])
    assert (found.success, found.low, found.high) == (0.5, 0.5, 0.5)
    assert (found.highest, found.certain, found.played, found.people) == (1.0, 1, 4, 4)


def test_exactly_the_bound_is_kept_and_more_is_not() -> None:
    assert _played([1 / 3] * 3, bound=1 / 3).kept is True
    assert _played([1 / 3, 0.34], bound=1 / 3).kept is False


def test_beyond_the_claim_nothing_is_kept_or_broken() -> None:
    assert _played([1.0], inside=False, bound=None).kept is None


def test_each_person_has_a_bound_of_their_own() -> None:
    wide = {"bound": 0.9, "bounds": np.array([0.2, 0.9])}
    assert _played([0.2, 0.9], **wide).kept is True
    assert _played([0.3, 0.1], **wide).kept is False


def test_a_random_choice_of_what_is_known_widens_upwards() -> None:
    found = _played([0.1, 0.3], most=np.array([0.5, 0.7]))
    assert (found.low, found.high) == (pytest.approx(0.2), pytest.approx(0.6))


def test_nobody_played_tells_nothing() -> None:
    found = _played([], people=7)
    assert (found.success, found.low, found.high, found.highest) == (0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("size", [40, 400, 1500])
def test_the_interval_holds_the_average_of_all(share: float, size: int) -> None:
    rng = np.random.default_rng(size)
    everybody = (rng.random(2000) < share).astype(float)
    held = 0
    for _ in range(200):
        found = _played(rng.choice(everybody, size, replace=False).tolist(), 2000)
        held += found.low <= everybody.mean() <= found.high
    assert held >= 190


def test_more_people_played_narrow_the_interval() -> None:
    few, many = (_played([0.2, 0.0] * n, 100_000) for n in (500, 20_000))
    assert many.high - many.low < (few.high - few.low) / 3


def test_as_dict_is_plain_and_unrounded() -> None:
    assert _played([1 / 3, 0.0]).as_dict() == {
        "name": "x",
        "inside": True,
        "bound": 0.5,
        "success": 1 / 6,
        "low": 1 / 6,
        "high": 1 / 6,
        "highest": 1 / 3,
        "certain": 0,
        "kept": True,
        "played": 2,
        "people": 2,
        "criterion": None,
        "control": None,
    }


def test_a_repr_shows_no_chance() -> None:
    assert "0.25" not in repr(_played([0.25, 0.25]))


# --- Rates of two groups and what is left between them, held against the formula and against scipy.


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
    assert all(name == name.lower() and " " not in name for name in played)
    assert {one.name for one in CRITERIA.values()} == set(ABOUT_CRITERIA)
