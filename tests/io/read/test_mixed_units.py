"""Numbers in two units that no cell names: found where the two groups are one spread in two units, and nowhere else."""

import numpy as np
import pytest

from shoal.io.read.mixed_units import find_mixed_units

N = 300
SEEDS = range(12)


def normal(middle, deviation):
    return lambda rng: rng.normal(middle, deviation, N)


def lognormal(middle, deviation):
    return lambda rng: middle * np.exp(rng.normal(0, deviation, N))


def between(least, most):
    return lambda rng: rng.integers(least, most, N).astype(float)


def joined(*parts):
    return lambda rng: np.concatenate([part(rng) for part in parts])


def found(name, cells, decimals):
    values, times = np.unique([f"{cell:.{decimals}f}" for cell in cells], return_counts=True)
    return find_mixed_units(name, values.tolist(), times)


MIXED = {
    "metres": ("height", normal(1.7, 0.09), lambda x: 100 * x, 2, "metres and centimetres"),
    "metres, no name": ("x", normal(1.7, 0.09), lambda x: 100 * x, 2, "metres and centimetres"),
    "inches": ("Körpergröße", normal(67, 3.5), lambda x: 2.54 * x, 0, "inches and centimetres"),
    "feet": ("talla", normal(5.6, 0.3), lambda x: 30.48 * x, 1, "feet and centimetres"),
    "pounds": ("poids", lognormal(72, 0.16), lambda x: 2.20462 * x, 1, "kilograms and pounds"),
    "grams": ("birth weight", normal(3.4, 0.5), lambda x: 1000 * x, 2, "kilograms and grams"),
    "months": ("age", between(20, 85), lambda x: 12 * x, 0, "years and months"),
    "Fahrenheit": ("Körpertemperatur", normal(37, 0.6), lambda x: 1.8 * x + 32, 1, "degrees Celsius and Fahrenheit"),
    "glucose": ("glucose", lognormal(5.5, 0.25), lambda x: 18.016 * x, 1, "mmol/l and mg/dl of glucose"),
    "creatinine": ("Kreatinin", lognormal(1, 0.25), lambda x: 88.42 * x, 1, "mg/dl and µmol/l of creatinine"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "first", "second", "decimals", "units"), MIXED.values(), ids=MIXED)
@pytest.mark.parametrize("share", [0.5, 0.33, 0.8])
def test_two_units_are_found(name, first, second, decimals, units, share):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        numbers, other = first(rng), second(first(rng))
        assert found(name, np.where(rng.random(N) < share, numbers, other), decimals) == units


ONE = {
    "heights": ("height", normal(170, 9)),
    "heights of all ages": ("height", joined(normal(110, 20), normal(170, 9))),
    "weights": ("weight", lognormal(72, 0.2)),
    "weights of all ages": ("weight", joined(lognormal(28, 0.4), lognormal(72, 0.2))),
    "weights at birth and later": ("weight", joined(normal(3.4, 0.5), normal(70, 12))),
    "ages": ("age", between(0, 100)),
    "ages of children and parents": ("age", joined(between(1, 6), between(25, 60))),
    "glucose": ("glucose", lognormal(110, 0.35)),
    "skewed": ("crp", lognormal(3, 1.5)),
    "incomes": ("income", lognormal(25_000, 1)),
    "incomes by month and year": ("income", joined(lognormal(2_500, 0.2), lognormal(30_000, 0.2))),
    "prices": ("price", joined(lognormal(2, 0.3), lognormal(200, 0.3))),
    "nobody knows what": ("x", lognormal(10, 2)),
    "nobody knows what, in two groups": ("x", joined(lognormal(3, 0.3), lognormal(65, 0.3))),
}


@pytest.mark.parametrize(("name", "numbers"), ONE.values(), ids=ONE)
def test_one_unit_is_no_alarm(name, numbers):
    for seed in SEEDS:
        assert found(name, numbers(np.random.default_rng(seed)), 1) is None


def test_blank_cells_and_a_few_others_do_not_matter():
    rng = np.random.default_rng(0)
    heights = [f"{cell:.0f}" for cell in rng.normal(170, 9, N)] + [
        f"{cell:.2f}" for cell in rng.normal(1.7, 0.09, N)
    ]
    values, times = np.unique([*heights, "0"], return_counts=True)
    assert (
        find_mixed_units("height", [*values.tolist(), None], np.append(times, 500))
        == "metres and centimetres"
    )
    assert find_mixed_units("height", ["tall", None], np.array([300, 20])) is None
    assert find_mixed_units("height", [], np.empty(0, dtype=np.int64)) is None
