"""Several folders beside their originals: nobody is believed, and what is lacking is said."""

import json
import shutil

import numpy as np
import polars as pl
import pytest

import release_cases as cases
from shoal.errors import InputError
from shoal.io.config import load
from shoal.publish.jobs import run_config
from shoal.publish.several.verifying import verify_several


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release, and one beside it."""
    room = tmp_path_factory.mktemp("made")
    cases.write_originals(room)
    first = cases.make_release(room, "table", rows=True)
    run_config(room / "table.toml", room / "next", earlier=[first])
    return room


@pytest.fixture
def room(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def found(room, *folders, against=("people.csv",), configs=("table.toml",)):
    return verify_several(
        [room / folder for folder in folders or ("table-csv", "next")],
        configs=[load(room / config) for config in configs],
        against=[room / name for name in against],
    )


def test_what_was_made_is_a_yes(room):
    assert found(room).verdict
    assert found(room, "table-csv", "table-csv", "next").verdict


def swapped(path):
    """The rows of two people of different classes change their owners."""
    kept = pl.read_parquet(path)
    order = np.r_[kept.height - 1, np.arange(1, kept.height - 1), 0]
    kept.with_columns(pl.col("record").gather(order), pl.col("person").gather(order)).write_parquet(path)


def test_rows_that_are_not_true_are_a_no(room):
    data = pl.read_csv(room / "next" / "data.csv", infer_schema=False)
    first, last = data.row(0), data.row(-1)
    assert first != last
    swapped(room / "next.private" / "rows.parquet")
    verdict = found(room).verdict
    assert verdict.judged
    assert not verdict
    assert "next by itself" in verdict.sentence


def test_names_of_other_people_are_not_judged(room):
    """The same values, but other people: their names in the file are not those that were kept."""
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    people.with_columns(name=pl.col("name") + "x").write_csv(room / "people.csv")
    verdict = found(room).verdict
    assert not verdict.judged
    assert "the originals that were given are not its own" in verdict.sentence
    for kept in room.glob("*.private/rows.parquet"):
        pl.read_parquet(kept).drop("person").write_parquet(kept)
    assert found(room).verdict  # nothing contradicts it then


def test_a_release_of_earlier_data_is_known_by_the_names_that_were_kept(room):
    """The earlier originals are gone: a no is a no, but whether a yes is one cannot be told."""
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    grown = pl.concat([people.reverse(), people.head(9).with_columns(name=pl.col("name") + "+")])
    grown.write_csv(room / "grown.csv")
    config = (room / "table.toml").read_text()
    (room / "grown.toml").write_text(config.replace("people.csv", "grown.csv"))
    levels = config.replace("people.csv", "grown.csv").replace("[method]", '[method]\nname = "optimal"')
    (room / "levels.toml").write_text(levels)
    run_config(room / "levels.toml", room / "crossing")
    run_config(room / "grown.toml", room / "later", earlier=[room / "table-csv"])
    both = ("people.csv", "grown.csv")
    assert not found(room, "table-csv", "crossing", against=both).verdict
    crossing = found(room, "table-csv", "crossing", against=("grown.csv",))
    assert crossing.verdict.judged
    assert crossing.figures == found(room, "table-csv", "crossing", against=both).figures
    assert found(room, "table-csv", "later", against=both).verdict
    later = found(room, "table-csv", "later", against=("grown.csv",))
    assert not later.verdict.judged
    assert "table-csv shows the people whom its rows.parquet names" in later.verdict.sentence


def test_a_claim_that_nobody_judged_is_a_no(room):
    path = room / "next" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"judged": False}))
    result = found(room)
    assert result.verdict.judged
    assert not result.verdict
    assert result.as_dict()["releases"][1]["claim"] == {}
    assert result.as_dict()["together"] == {}


def test_one_file_for_each_release(room):
    assert found(room, against=("people.csv", "people.csv")).verdict
    assert found(room, configs=("table.toml", "table.toml")).verdict


@pytest.mark.parametrize("many", [3, 4])
def test_neither_once_nor_for_each(room, many):
    with pytest.raises(InputError, match=f"--config is given {many} times for 2 releases"):
        found(room, configs=("table.toml",) * many)


def test_without_originals_nothing_is_judged(room):
    result = found(room, against=())
    assert not result.verdict.judged
    assert "give --config and --against" in result.verdict.sentence


def test_figures_are_plain_numbers(room):
    facts = json.loads(json.dumps(found(room).as_dict()))
    assert facts["holds"] is True
    assert facts["reached"] == {"k": facts["together"]["smallest"]}
    assert [release["release"] for release in facts["releases"]] == ["table-csv", "next"]


def test_nothing_shows_a_value(room):
    result = found(room)
    text = f"{result!r} {result.verdict.sentence} {json.dumps(result.as_dict())}"
    assert not any(value in text for value in ("gout", "HIV", "Ann1"))
