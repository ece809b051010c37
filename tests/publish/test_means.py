"""Releases of means: what `verify` and the attackers make of them, and that a forged manifest earns no yes."""

import hashlib
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.assess.attack import play_attackers
from shoal.assess.attack_scene import open_scene
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.publish.manifests import open_originals
from shoal.publish.verify import verify

CONFIG = """
[data]
path = "people.csv"
[columns]
age = "quasi"
pay = "quasi"
sex = "{sex}"
[guarantee]
k = 3
[method]
{method}
"""
DRAW = np.random.default_rng(11)
PEOPLE = pl.DataFrame(
    {
        "age": [*DRAW.integers(20, 60, 29).tolist(), 99],
        "pay": [*(DRAW.integers(100, 300, 29) / 10).tolist(), 500.5],
        "sex": ["fm"[i % 2] for i in range(30)],
    }
)


@cache
def _kept(method, sex):
    """A folder with the data, and a release without pages, which take most of the time."""
    held = TemporaryDirectory()
    room = Path(held.name)
    PEOPLE.write_csv(room / "people.csv")
    (room / "shoal.toml").write_text(CONFIG.format(method=method, sex=sex))
    with (
        patch("shoal.anonymization.release.PAGES", ()),
        patch("shoal.anonymization.release.auditors_of", return_value=()),
    ):
        run_config(room / "shoal.toml", room / "out")
    return held


def made(room, method='name = "mdav"', sex="plain"):
    shutil.copytree(_kept(method, sex).name, room, dirs_exist_ok=True)
    return load(room / "shoal.toml"), room / "out"


def forge(folder, change=None, cell=None):
    """Change the manifest, or a cell together with its digest."""
    told = json.loads((folder / "manifest.json").read_text())
    if cell is not None:
        frame = pl.read_csv(folder / "data.csv", infer_schema=False)
        cell(frame).write_csv(folder / "data.csv")
        told["sha256"]["data.csv"] = hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()
    if change is not None:
        change(told)
    (folder / "manifest.json").write_text(json.dumps(told))


def judged(room, config, folder):
    return verify(folder, config=config, against=room / "people.csv")[1]


def more(frame):
    """The same data, a unit more in the largest class."""
    value = frame["age"].mode()[0]
    return frame.with_columns(
        pl.when(pl.col("age") == value).then(pl.lit(str(int(value) + 1))).otherwise("age").alias("age")
    )


METHODS = [
    'name = "mdav"\nsuppress = 0.04',
    'name = "mdav"\nrecode = "median"\nimprove = false',
    'name = "mstk"\nrecode = "mean"',
    'name = "mondrian"\nrecode = "median"\nfragment = 12',
    'name = "kmember"\nrecode = "mean"\nsuppress = 0.04',
]


@pytest.mark.parametrize("method", METHODS)
def test_true_means_are_a_yes_and_others_a_no(tmp_path, method):
    config, folder = made(tmp_path, method, "plain" if "mdav" in method else "quasi")
    assert judged(tmp_path, config, folder)
    assert verify(folder)[1]
    forge(folder, cell=more)
    said = judged(tmp_path, config, folder)
    assert said.judged
    assert not said
    assert "of their class" in said.sentence


def test_whoever_does_not_know_whose_mean_it_is_judges_nothing(tmp_path):
    config, folder = made(tmp_path)
    (tmp_path / "out.private" / "rows.parquet").unlink()
    said = judged(tmp_path, config, folder)
    assert not said
    assert not said.judged
    assert "rows.parquet" in said.sentence
    forge(folder, cell=lambda frame: frame.with_columns(age=pl.lit("7")))
    assert judged(tmp_path, config, folder).judged


def notes(told):
    return [note for note in told["notes"] if note["kind"] == "mean"]


FORGED = {
    "of more people": (lambda told: notes(told)[0].update(count=30), "other numbers of people"),
    "of another column": (
        lambda told: notes(told)[0].update(column="sex"),
        "columns that have none, or twice",
    ),
    "said twice": (lambda told: notes(told)[0].update(column="pay"), "says something twice"),
    "the median": (lambda told: notes(told)[0].update(kind="median"), "the configuration asks for none"),
    "not said": (lambda told: told.update(notes=[]), ""),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_note_is_a_no(tmp_path, case):
    config, folder = made(tmp_path)
    change, told = FORGED[case]
    forge(folder, change)
    said = judged(tmp_path, config, folder)
    assert said.judged
    assert not said
    assert told in said.sentence


def test_labels_that_are_called_means_are_a_no(tmp_path):
    """A note must not turn numbers that are nobody's into means: neither beside the configuration, nor without rows."""
    config, folder = made(tmp_path, 'name = "mondrian"')
    note = {"kind": "mean", "column": "age", "count": 3}
    forge(folder, lambda told: told["notes"].append(note), lambda frame: frame.with_columns(age=pl.lit("41")))
    said = judged(tmp_path, config, folder)
    assert said.judged
    assert not said


def test_attackers_who_read_labels_are_not_played_on_means(tmp_path):
    config, folder = made(tmp_path)
    scene = open_scene(folder, open_originals(config, tmp_path / "people.csv"), config)
    found = play_attackers(scene)
    assert found.absent["lowest-labels"] == "numbers are published as means, and a mean has no parts"
    assert found.attackers


def test_beside_means_labels_of_other_columns_are_read(tmp_path):
    config, folder = made(tmp_path, 'name = "mstk"\nrecode = "mean"', "quasi")
    scene = open_scene(folder, open_originals(config, tmp_path / "people.csv"), config)
    assert "lowest-labels" in {one.name for one in play_attackers(scene).attackers}


def test_tables_with_baskets_have_no_means():
    frame = PEOPLE.head(12).select("age").with_columns(items=pl.Series([["a", "b"]] * 12))
    data = shoal.read(frame, roles={"age": "quasi", "items": "items"})
    with pytest.raises(InputError, match="recode must be hierarchy, range or span"):
        shoal.anonymize(data, k=2, m=1, recode="mean")
