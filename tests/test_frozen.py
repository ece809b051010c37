"""Release folders of earlier versions are read as they were: judged, attacked, put beside, and applied again."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from release_cases import ORIGINALS
from shoal.cli import shoal
from shoal.jobs.configured import verify

FROZEN = Path(__file__).parent / "frozen"
ROOM = FROZEN / "0.2"
FOLDERS = sorted(path.name.removesuffix(".private") for path in ROOM.glob("*.private"))
PLACES = sorted(path.with_suffix("") for path in FROZEN.glob("*/*.private"))
UNJUDGED = {"persons": ("alone", "config"), "vote": ("alone", "config"), "secret": ("alone",)}
"""What each case cannot be judged from: whose a row is, the originals, or which items are sensitive is not known."""


FORMER = ["trees-csv", "trees-parquet"]
"""Record trees as nodes in cells, which version 0.2 wrote and none after it reads."""


def originals(place):
    kind = place.name.partition("-")[0]
    return place.parent / ORIGINALS["table" if kind == "rule" else kind]


def named(place):
    return "/".join(place.parts[-2:])


def called(*arguments):
    return CliRunner().invoke(shoal, [str(argument) for argument in arguments])


def test_every_shape_and_format_is_there():
    kinds = {tuple(name.split("-")) for name in FOLDERS}
    tables = ("table", "persons", "baskets", "secret", "vote", "mixed")
    expected = {(kind, format) for kind in tables for format in ("csv", "parquet", "ndjson")}
    expected |= {("trees", format) for format in ("ndjson", "csv", "parquet", "xml", "nested")}
    assert expected <= kinds
    versions = {json.loads((ROOM / name / "manifest.json").read_text())["shoal"] for name in FOLDERS}
    assert versions == {"0.2.0"}


def test_groups_are_there():
    folders = [place for place in PLACES if (place / "groups.json").exists()]
    expected = {f"{kind}-{format}" for kind in ("groups", "mixed") for format in ("csv", "parquet", "ndjson")}
    assert {place.name for place in folders} == expected
    manifests = [json.loads((place / "manifest.json").read_text()) for place in folders]
    assert all(found["shoal"].startswith("0.3.0") and "groups.json" in found["sha256"] for found in manifests)


@pytest.mark.parametrize("place", [place for place in PLACES if place.name not in FORMER], ids=named)
def test_a_folder_is_judged_as_it_was(place):
    config = place.with_suffix(".toml")
    ways = {
        "alone": {},
        "config": {"config": config},
        "against": {"config": config, "against": originals(place)},
    }
    for way, given in ways.items():
        said = verify(place, **given)
        judged = way not in UNJUDGED.get(place.name.partition("-")[0], ())
        assert (bool(said), said.judged) == (judged, judged), said.sentence


@pytest.mark.parametrize("name", FORMER)
def test_nodes_in_cells_are_not_judged(name, tmp_path):
    place = ROOM / name
    config = place.with_suffix(".toml")
    verdict = verify(place)
    assert not verdict.judged
    assert verdict.sentence == (
        f"{name}: data.{name.removeprefix('trees-')} holds record trees as nodes in cells, which versions before 0.3 "
        "wrote and this one does not read; judge it with shoal 0.2, or publish the records again in another format"
    )
    assert called("verify", place).exit_code == 5
    attacked = called(
        "attack", place, "--against", originals(place), "--config", place.parent / "trees-ndjson.toml"
    )
    assert (attacked.exit_code, verdict.sentence in attacked.output) == (2, True)
    again = called("run", config, "--out", tmp_path / "out")
    assert again.exit_code == 2
    assert "release.format" in again.output or "'format'" in again.output


@pytest.mark.parametrize("place", [place for place in PLACES if place.name not in FORMER], ids=named)
def test_a_folder_that_was_changed_is_still_refused(place, tmp_path):
    folder = tmp_path / "out"
    shutil.copytree(place, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["records_out"] += 1
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert not verify(folder)
    assert verify(folder).judged


@pytest.mark.parametrize(
    "name",
    [
        "0.2/table-csv",
        "0.2/baskets-ndjson",
        "0.2/vote-csv",
        "0.2/mixed-parquet",
        "0.2/trees-ndjson",
        "0.3/groups-csv",
        "0.3/mixed-ndjson",
    ],
)
def test_a_folder_is_attacked(name):
    place = FROZEN / name
    config = place.with_suffix(".toml")
    said = called("attack", place, "--against", originals(place), "--config", config, "--json")
    assert said.exit_code == 0, said.output
    assert json.loads(said.output)["attackers"]


def test_a_rule_is_applied_to_new_records(tmp_path):
    rule = ROOM / "rule-csv.private" / "recoding.json"
    said = called("run", ROOM / "rule-csv.toml", "--recoding", rule, "--out", tmp_path / "out")
    assert said.exit_code == 0, said.output
    levels = json.loads(rule.read_text())["levels"]
    assert json.loads((tmp_path / "out.private" / "recoding.json").read_text())["levels"] == levels


def test_a_later_release_is_made_beside_an_earlier_one(tmp_path):
    said = called("run", ROOM / "rule-csv.toml", "--earlier", ROOM / "table-csv", "--out", tmp_path / "out")
    assert said.exit_code == 0, said.output
