"""Labels cut by what is public alone, from files to files."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify

CONFIG = """
[data]
path = "data.csv"
[population]
path = "public.csv"
[columns]
age = { role = "quasi", hierarchy = { ranges = [5, 10, 20] } }
zip = { role = "quasi", hierarchy = { mask = "right" } }
ill = { role = "sensitive", hierarchy = { mask = "right" }, level = 1 }
[guarantee]
k = 30
[method]
name = "blind"
suppress = 0.3
"""


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": np.minimum(79, 20 + rng.geometric(0.05, n)).astype(str),
            "zip": rng.choice(["8001", "8002", "8032", "3011", "3012"], n, p=[0.5, 0.2, 0.1, 0.15, 0.05]),
            "ill": rng.choice(["flu", "gout", "cold"], n),
        }
    )


def inside(frame, release, rows, rng):
    """The same people, each of those who are released at another zip code that the mask fits."""
    cells, codes = frame["zip"].to_list(), sorted(set(frame["zip"]))
    for label, row in zip(release["zip"], rows, strict=True):
        fits = [
            code for code in codes if all(sign in ("*", own) for sign, own in zip(label, code, strict=False))
        ]
        cells[row] = str(rng.choice(fits))
    assert cells != frame["zip"].to_list()
    return frame.with_columns(zip=pl.Series(cells))


def test_moves_inside_labels_change_nothing():
    """With hierarchies by rule, which are made of public people: whoever moves inside the labels leaves no trace."""
    frame, rng, told = drawn(900, 1), np.random.default_rng(3), []
    for _ in range(2):
        data = shoal.read(
            frame,
            roles={"age": "quasi", "zip": "quasi", "ill": "sensitive"},
            hierarchies={"age": {"ranges": [5, 10, 20]}, "zip": {"mask": "right"}},
            population=drawn(4_000, 2),
        )
        release = shoal.anonymize(data, k=30, method="blind", suppress=0.3, seed=5)
        told.append(sorted(release.data.rows()))
        frame = inside(frame, release.data, release.result.release.rows.tolist(), rng)
    assert told[0] == told[1]
    assert len({row[0] for row in told[0]}) > 3
    assert any("*" in row[1] for row in told[0])


def test_files_are_written_and_verified_against_the_originals(tmp_path):
    drawn(900, 1).write_csv(tmp_path / "data.csv")
    drawn(4_000, 2).drop("ill").write_csv(tmp_path / "public.csv")
    (tmp_path / "shoal.toml").write_text(CONFIG)
    run_config(tmp_path / "shoal.toml", tmp_path / "release", seed=5)
    config = load(tmp_path / "shoal.toml")
    assert verify(tmp_path / "release", config=config, against=tmp_path / "data.csv")[1]


def test_values_that_no_public_person_has_are_left_out_where_their_column_is_cut():
    people = pl.DataFrame({"town": ["a", "b"] * 200 + ["unheard of"] * 30 + ["nor this"] * 20})
    data = shoal.read(people, roles={"town": "quasi"}, population=pl.DataFrame({"town": ["a", "b"] * 500}))
    release = shoal.anonymize(data, k=20, method="blind", suppress=0.2)
    assert sorted(release.data["town"].unique()) == ["a", "b"]
    assert release.result.release.suppressed == 50


def test_the_data_are_no_public_people():
    frame = drawn(50, 1)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    with pytest.raises(InputError, match="the people of the data themselves"):
        shoal.read(frame, roles={"age": "quasi", "zip": "quasi", "ill": "drop"}, population=shuffled)


def test_public_people_need_every_quasi_identifier():
    with pytest.raises(InputError, match="need every quasi-identifier, and 'zip' is not there"):
        shoal.read(
            drawn(50, 1),
            roles={"age": "quasi", "zip": "quasi", "ill": "drop"},
            population=drawn(60, 2).drop("zip"),
        )


def test_without_public_people_a_rule_is_refused():
    data = shoal.read(
        drawn(50, 1),
        roles={"age": "quasi", "zip": "drop", "ill": "drop"},
        hierarchies={"age": {"ranges": [10]}},
    )
    with pytest.raises(
        InputError, match="needs hierarchies that are not made of the data, and that of 'age' is"
    ):
        shoal.anonymize(data, k=3, method="blind")
