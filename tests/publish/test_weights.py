"""A sampling weight: it is left out unless it is allowed, and never tells who is who."""

import json

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.jobs.configured import run_config

pytestmark = pytest.mark.usefixtures("bare")

N = 60
PEOPLE = pl.DataFrame({"age": [20 + i % 4 for i in range(N)], "perwt": [100 + i % 2 / 8 for i in range(N)]})
TOML = """[data]
path = "people.csv"
[columns]
age = "quasi"
perwt = {}
[guarantee]
k = 5
"""


def run(folder, weight):
    PEOPLE.write_csv(folder / "people.csv")
    (folder / "shoal.toml").write_text(TOML.format(weight))
    run_config(folder / "shoal.toml", folder / "release")
    shown = json.loads((folder / "release/manifest.json").read_text())
    return pl.read_csv(folder / "release/data.csv").columns, shown


def test_a_weight_is_left_out(tmp_path):
    columns, manifest = run(tmp_path, '"weight"')
    assert columns == ["age"]
    assert manifest["columns"] == {"age": "quasi"}
    assert shoal.verify(tmp_path / "release", config=tmp_path / "shoal.toml").holds


def test_a_weight_that_is_allowed_is_published_as_it_is(tmp_path):
    columns, manifest = run(tmp_path, '{ role = "weight", allow = true }')
    assert columns == ["age", "perwt"]
    assert manifest["columns"]["perwt"] == "plain"
    assert [note["column"] for note in manifest["notes"] if note["kind"] == "allowed"] == ["perwt"]
    assert shoal.verify(tmp_path / "release", config=tmp_path / "shoal.toml").holds


def test_a_weight_that_tells_a_stratum_is_refused():
    """Of fifteen people of an age one has a weight of their own."""
    odd = PEOPLE.with_columns(perwt=pl.when(pl.int_range(N) == 7).then(90.0).otherwise("perwt"))
    data = shoal.read(odd, roles={"age": "quasi", "perwt": "weight"}, allow=("perwt",))
    with pytest.raises(
        InputError, match="leave 1 records with fewer than 5 look-alikes, so a weight reveals"
    ):
        shoal.anonymize(data, k=5)


@pytest.mark.parametrize("allow", [(), ("perwt",)])
def test_a_weight_makes_nobody_less_alike(allow):
    data = shoal.read(PEOPLE, roles={"age": "quasi", "perwt": "weight"}, allow=allow)
    assert shoal.anonymize(data, k=7).frame["age"].n_unique() == 4


@pytest.mark.parametrize(
    ("role", "cells", "said"),
    [
        ("weight", [1, 2, 3], "give a person one weight, or drop"),
        ("household", ["a", "b", "c"], "one household"),
    ],
)
def test_a_person_has_one_weight_and_lives_in_one_household(role, cells, said):
    frame = pl.DataFrame({"who": ["x", "x", "y"], "age": [1, 2, 3], "of": cells})
    with pytest.raises(shoal.InputError, match=rf"column 'of', record 2: another {role} than .*{said}"):
        shoal.read(frame, roles={"age": "quasi", "of": role}, person="who")
