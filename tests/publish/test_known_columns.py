"""What follows from known columns is looked for anew where a release is verified against its originals."""

import json

import numpy as np
import polars as pl

import shoal
from shoal.jobs.configured import run_config
from shoal.privacy import CoreAnonymity

CONFIG = """
[data]
path = "people.csv"
[columns]
sex = "quasi"
weight = "known"
stones = "known"
visits = "known"
[guarantee]
k = 4
known_at_once = 1
"""


def test_a_rule_that_the_manifest_leaves_out_is_found(tmp_path):
    random = np.random.default_rng(2)
    weight = 50 + random.integers(0, 30, 200)
    pl.DataFrame(
        {
            "sex": random.choice(["f", "m"], 200),
            "weight": weight,
            "stones": weight * 2,
            "visits": random.integers(0, 3, 200),
        }
    ).write_csv(tmp_path / "people.csv")
    path = tmp_path / "shoal.toml"
    path.write_text(CONFIG, encoding="utf-8")
    run_config(path, tmp_path / "release", seed=1)
    original = tmp_path / "people.csv"
    assert shoal.verify(tmp_path / "release", config=path, against=original)
    stated = tmp_path / "release" / "manifest.json"
    manifest = json.loads(stated.read_text(encoding="utf-8"))
    assert manifest["claim"]["follows"]
    manifest["claim"] = json.loads(json.dumps(CoreAnonymity(4, 1).as_dict()))
    stated.write_text(json.dumps(manifest), encoding="utf-8")
    verdict = shoal.verify(tmp_path / "release", config=path, against=original)
    assert not verdict
    assert "column 'stones' follows from weight in the originals" in verdict.sentence


def test_what_follows_is_what_follows_in_those_who_are_released(tmp_path):
    """Three people without look-alikes break a rule; the manifest says what holds of the others."""
    random = np.random.default_rng(2)
    weight = 500 + random.permutation(200)
    frame = pl.DataFrame(
        {
            "age": [str(age) for age in (*(30 + random.integers(0, 20, 200)), 900, 1800, 3000)],
            "weight": [*weight, 400, 401, 402],
            "stones": [*(weight**2 // 50), 50_000, 50_001, 50_002],
            "visits": random.integers(0, 3, 203),
        }
    )
    frame.write_csv(tmp_path / "people.csv")
    path = tmp_path / "shoal.toml"
    path.write_text(CONFIG.replace("sex", "age") + "[method]\nsuppress = 0.05\nsize = 50\n", encoding="utf-8")
    release = run_config(path, tmp_path / "release", seed=1)
    assert release.manifest["suppressed"] == 3
    rules = {(tuple(source), column) for source, column in release.manifest["claim"]["follows"]}
    assert rules == {(("stones",), "weight"), (("weight",), "stones")}
    dataset = shoal.read(frame, roles={"age": "quasi", **dict.fromkeys(frame.columns[1:], "known")})
    assert not dataset.closures
    assert shoal.verify(tmp_path / "release", config=path, against=tmp_path / "people.csv")
