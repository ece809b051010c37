"""Tables with baskets through the door."""

import json

import numpy as np
import polars as pl
import pytest

from shoal.errors import InputError, RefusedError
from shoal.io.config import load
from shoal.publish import door
from shoal.publish.configured import run_config
from shoal.publish.opening import open_dataset
from shoal.publish.verify import verify
from shoal.publish.work import anonymize

CODES = {"E10": "E", "E11": "E", "I10": "I", "I20": "I", "J45": "J"}


@pytest.fixture
def room(tmp_path):
    """A hundred invented patients with diagnoses."""
    random = np.random.default_rng(4)
    pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(100)],
            "age": random.integers(20, 60, 100),
            "sex": random.choice(["f", "m"], 100),
            "codes": [
                " ".join(random.choice(list(CODES), random.integers(0, 4), replace=False)) for _ in range(100)
            ],
        }
    ).write_csv(tmp_path / "data.csv")
    (tmp_path / "codes.csv").write_text("".join(f"{code};{group};*\n" for code, group in CODES.items()))
    (tmp_path / "shoal.toml").write_text(
        """
[data]
path = "data.csv"
[columns]
id = "identifier"
age = { role = "quasi", hierarchy = { ranges = [10, 20, 40] } }
sex = "quasi"
codes = { role = "items", hierarchy = "codes.csv", sensitive = ["J45"] }
[guarantee]
k = 5
m = 2
[method]
delta = 0.8
"""
    )
    return tmp_path


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_a_release_is_written_judged_and_verified(room, format):
    config = room / "shoal.toml"
    config.write_text(config.read_text() + f'[release]\nformat = "{format}"\n')
    release = run_config(config, room / "out")
    manifest = json.loads((room / "out" / "manifest.json").read_text())
    assert manifest["shape"] == "mixed"
    assert manifest["columns"] == {"age": "quasi", "sex": "quasi", "codes": "items"}
    assert manifest["claim"]["model"] == "(k,k^m)-anonymity"
    assert verify(room / "out")[1]
    assert verify(room / "out", config=load(config))[1]
    assert verify(room / "out", config=load(config), against=room / "data.csv")[1]
    assert set(release.loss) >= {"ncp", "ul", "are"}
    audit = json.loads((room / "out.private" / "audit.json").read_text())
    assert "codes" in audit["before_after"]


@pytest.mark.parametrize("method", ["bound", "rfirst", "tfirst"])
def test_every_maker_passes_the_door(room, method):
    data = open_dataset(load(room / "shoal.toml"))
    assert anonymize(data, method=method, k=5, m=2).verdict
    assert anonymize(data, method=method, k=5, m=1, l=2).verdict


def test_a_lie_on_disk_is_caught(room, monkeypatch):
    write = door.write_data

    def lying(frame, folder, format, columns):
        write(frame.with_columns(frame["codes"].reverse()), folder, format, columns)

    monkeypatch.setattr(door, "write_data", lying)
    with pytest.raises(RefusedError):
        run_config(room / "shoal.toml", room / "out", stated={"k": 2, "m": 1})
    assert not list(room.glob("*out*"))


def test_a_changed_release_is_refuted(room):
    run_config(room / "shoal.toml", room / "out")
    data = room / "out" / "data.csv"
    lines = data.read_text().splitlines()
    lines[1] = '"[0, 10)",f,"[""E10""]"'
    data.write_text("\n".join(lines) + "\n")
    _, verdict = verify(room / "out")
    assert not verdict
    assert 1 in verdict.witnesses


def test_recodings_do_not_carry_over(room):
    run_config(room / "shoal.toml", room / "out")
    with pytest.raises(InputError, match="class by class"):
        run_config(room / "shoal.toml", room / "new", recoding=room / "out.private" / "recoding.json")
