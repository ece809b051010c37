"""Earlier releases as they are opened: what is no such release is told in a sentence, and no value is in it."""

import json
import shutil

import polars as pl
import pytest

import release_cases as cases
from shoal.anonymization.several.judging import open_earlier
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.shapes.registry import open_dataset

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    room = tmp_path_factory.mktemp("made")
    cases.write_originals(room)
    for kind in ("table", "baskets"):
        cases.make_release(room, kind, rows=True)
    return room


def opened(room, *folders, kind="table"):
    return open_earlier(open_dataset(load(room / f"{kind}.toml")), [room / folder for folder in folders])


def test_people_are_the_records_of_the_same_file(room):
    beside = opened(room, "table-csv")
    kept = pl.read_parquet(room / "table-csv.private" / "rows.parquet")
    assert beside.parts[0].who.tolist() == (kept["record"] - 1).to_list()
    assert beside.who.tolist() == list(range(60))


def test_an_old_file_of_rows_without_names_is_read(room):
    kept = room / "table-csv.private" / "rows.parquet"
    pl.read_parquet(kept).drop("person").write_parquet(kept)
    assert opened(room, "table-csv").parts[0].known.rows is not None


def test_records_in_another_order_are_found_by_name(room):
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    people.reverse().write_csv(room / "people.csv")
    beside = opened(room, "table-csv")
    assert beside.parts[0].known.rows is None
    names = people.reverse()["name"].to_list()
    kept = pl.read_parquet(room / "table-csv.private" / "rows.parquet")
    number = {name: int(who) for name, who in zip(names, beside.who, strict=True)}
    assert beside.parts[0].who.tolist() == [number[name] for name in kept["person"]]


def changed(place, **facts):
    manifest = json.loads((place / "manifest.json").read_text())
    (place / "manifest.json").write_text(json.dumps(manifest | facts))


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda room: shutil.rmtree(room / "table-csv.private"), "rows = true"),
        (lambda room: (room / "table-csv.private" / "rows.parquet").write_bytes(b"PAR1"), "damaged"),
        (lambda room: changed(room / "table-csv", judged=False), "table-csv: .* was judged"),
        (lambda room: (room / "table-csv" / "manifest.json").unlink(), "no manifest.json"),
        (lambda room: (room / "table-csv" / "data.csv").write_text("age,zip,ill,ward\n"), "sha256"),
        (
            lambda room: shutil.copytree(room / "baskets-csv", room / "table-csv", dirs_exist_ok=True),
            "data files|baskets",
        ),
    ],
)
def test_a_folder_that_was_spoiled(room, spoil, word):
    spoil(room)
    with pytest.raises(InputError, match=word) as told:
        opened(room, "table-csv")
    assert not any(value in str(told.value) for value in ("gout", "HIV", "Ann"))


def test_rows_of_another_release(room):
    kept = room / "table-csv.private" / "rows.parquet"
    pl.read_parquet(kept).head(10).write_parquet(kept)
    with pytest.raises(InputError, match=r"rows\.parquet does not belong to its data"):
        opened(room, "table-csv")


def test_a_release_of_another_shape(room):
    with pytest.raises(InputError, match="is a release of baskets, and the data are a table"):
        opened(room, "baskets-csv")


def test_a_run_leaves_the_earlier_release_as_it_was(room):
    before = {path: path.read_bytes() for path in room.rglob("*") if path.is_file()}
    run_config(room / "table.toml", room / "next", earlier=[room / "table-csv"])
    assert all(path.read_bytes() == text for path, text in before.items())
