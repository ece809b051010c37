"""Measures in several units: converted where the unit stands in the cell, asked about where it does not."""

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError

pytestmark = pytest.mark.usefixtures("untried")

N = 300
RNG = np.random.default_rng(5)
KILOS = RNG.normal(75, 11, N)
WEIGHTS = [f"{kilo:.1f} kg" if i % 3 else f"{kilo / 0.45359237:.1f} lb" for i, kilo in enumerate(KILOS)]
HEIGHTS = RNG.normal(170, 9, N)
WARMTH = RNG.normal(37, 0.6, N)


def mixed(first, second):
    """Cells of which every third is written in another way."""
    return [(first, first, second)[i % 3](i) for i in range(N)]


MIXED = {
    "some with pounds": ("weight", mixed(lambda i: f"{KILOS[i]:.0f}", lambda i: f"{KILOS[i] * 2.2:.0f} lb")),
    "some with kilograms": ("weight", mixed(lambda i: f"{KILOS[i]:.0f} kg", lambda i: f"{KILOS[i]:.0f}")),
    "metres": ("height", mixed(lambda i: f"{HEIGHTS[i]:.0f}", lambda i: f"{HEIGHTS[i] / 100:.2f}")),
    "commas": ("Größe", mixed(lambda i: f"{HEIGHTS[i]:.0f}", lambda i: f"1,{HEIGHTS[i] - 100:02.0f}")),
    "numbers": ("x", mixed(lambda i: float(f"{HEIGHTS[i]:.0f}"), lambda i: round(HEIGHTS[i] / 100, 2))),
    "some with degrees": (
        "temp",
        mixed(lambda i: f"{WARMTH[i]:.1f} °C", lambda i: f"{1.8 * WARMTH[i] + 32:.1f}"),
    ),
}


def people(**more):
    columns = {"sex": ["f", "m"] * (N // 2), "town": [("Ulm", "Bonn", "Kiel")[i % 3] for i in range(N)]}
    return pl.DataFrame(columns | more)


@pytest.mark.parametrize(("name", "cells"), MIXED.values(), ids=MIXED)
def test_numbers_of_which_no_cell_says_the_unit_are_asked_about_and_left_out(name, cells):
    found = shoal.propose(people(**{name: cells}))
    assert found[name].role == "drop"
    assert found.undecided[name].rpartition("write ")[2] in ("all in one unit", "the unit after each")


def test_units_in_cells_are_converted_and_what_is_published_is_true_of_the_people(tmp_path):
    people(weight=WEIGHTS).write_csv(tmp_path / "people.csv")
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.csv"\n[columns]\nsex = "drop"\ntown = "drop"\n'
        'weight = { role = "quasi", hierarchy = { ranges = [5, 10, 20, 40] } }\n[guarantee]\nk = 5\n'
    )
    from shoal.jobs.configured import run_config

    release = run_config(tmp_path / "shoal.toml", tmp_path / "out")
    rows = pl.read_parquet(tmp_path / "out.private/rows.parquet")
    released = pl.read_csv(tmp_path / "out/data.csv")["weight"].to_list()
    assert len(rows) == len(release.rows) == len(released)
    for record, label in zip(release.rows.tolist(), release.frame["weight"].to_list(), strict=True):
        if label.startswith("["):
            least, most = map(float, label.strip("[])").split(","))
            assert least - 0.06 <= KILOS[record] <= most + 0.06
    assert shoal.propose(tmp_path / "people.csv")["weight"].undecided == ""


def test_a_run_refuses_numbers_of_which_some_have_a_unit():
    name, cells = MIXED["some with pounds"]
    with pytest.raises(InputError, match="'weight'"):
        shoal.read(people(weight=cells), roles={"sex": "drop", "town": "drop", name: "quasi"},
                   hierarchies={name: {"ranges": [10, 20]}})  # fmt: skip


def test_a_run_warns_of_two_units_that_no_cell_names(tmp_path):
    warned = {}
    for name, cells in (("mixed", MIXED["metres"][1]), ("plain", [f"{cm:.0f}" for cm in HEIGHTS])):
        data = shoal.read(
            people(height=cells), roles={"sex": "quasi", "town": "drop", "height": "quasi"},
            hierarchies={"height": {"ranges": [10, 20, 40]}, "sex": {"fanout": 2}},
        )  # fmt: skip
        shoal.anonymize(data, k=5).save(tmp_path / name)
        told = json.loads((tmp_path / f"{name}.private/audit.json").read_text())["warnings"]
        warned[name] = [line for line in told if "two groups" in line]
    assert warned["plain"] == []
    assert warned["mixed"] == [
        "column 'height': its numbers fall into two groups that look like metres and centimetres; write all in one unit"
    ]
