"""A large table gives the release that the same table gives in memory, and nothing that is wrong leaves."""

import csv
import datetime as dt
import json
import re
from dataclasses import replace
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from large_cases import configured, people, write
from shoal.base.errors import InfeasibleError, InputError, RefusedError
from shoal.engines.local import Local
from shoal.io.config import ColumnSpec, Config, Data, load
from shoal.io.write.table import PieceWriter
from shoal.jobs import configured as jobs
from shoal.privacy import KAnonymity
from shoal.publish.large import opening
from shoal.publish.large import table as large_dataset
from shoal.publish.part_writing import RowDigest
from shuffle_engine import Shuffle

pytestmark = pytest.mark.usefixtures("bare")

ENGINES = {"local": Local, "shuffle": Shuffle}


@pytest.fixture
def always_large(monkeypatch):
    monkeypatch.setattr(opening, "_FEW_BYTES", 0)


def both(config, monkeypatch, engine="local"):
    """The folder of a large run, and that of a run in memory."""
    folder = config.parent
    with monkeypatch.context() as patched:
        patched.setattr(opening, "_FEW_BYTES", 0)
        patched.setattr(opening, "Local", ENGINES[engine])
        large = jobs.run_config(config, folder / "large", force=True)
    assert isinstance(large.dataset, large_dataset.CountedTable)
    small = jobs.run_config(config, folder / "small", force=True)
    assert not isinstance(small.dataset, large_dataset.CountedTable)
    return folder / "large", folder / "small"


def same(one, other, format):
    """Byte for byte after sorting, and a manifest that differs in nothing but the digest."""
    name = f"data.{format}"
    if format == "parquet":
        frames = [pl.read_parquet(folder / name) for folder in (one, other)]
        assert frames[0].schema == frames[1].schema
        lines = [frame.sort(pl.all()).rows() for frame in frames]
        assert repr(lines[0]) == repr(lines[1])
    else:
        lines = [sorted((folder / name).read_bytes().splitlines()) for folder in (one, other)]
        assert lines[0] == lines[1]
    told = [json.loads((folder / "manifest.json").read_text()) for folder in (one, other)]
    for facts in told:
        facts.pop("sha256")
    assert told[0].pop("loss") == pytest.approx(told[1].pop("loss"))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("kind", "format", "engine"),
    [  # every two of them
        *(("parquet", "csv", "local"), ("parquet", "parquet", "shuffle"), ("parquet", "ndjson", "local")),
        *(("csv", "csv", "shuffle"), ("csv", "parquet", "local"), ("csv", "ndjson", "shuffle")),
        *(("ndjson", "csv", "local"), ("ndjson", "parquet", "shuffle"), ("ndjson", "ndjson", "local")),
    ],
)
def test_the_release_is_that_of_memory(tmp_path, monkeypatch, kind, format, engine):
    config = configured(tmp_path, people(), kind=kind, format=format)
    same(*both(config, monkeypatch, engine), format)


@pytest.mark.parametrize(
    ("method", "guarantee"),
    [
        ("incognito", ""),
        ("pareto", ""),
        ("poka", ""),
        ("optimal", "l = 2"),
        ("optimal", "t = 0.5"),
        ("optimal", "beta = 3.0"),
        ("optimal", "alpha = 0.7"),
    ],
)
def test_every_maker_and_claim(tmp_path, monkeypatch, method, guarantee):
    config = configured(tmp_path, people(), method=method, guarantee=guarantee, suppress=0.3)
    same(*both(config, monkeypatch), "csv")


@given(seed=st.integers(0, 10**6), n=st.integers(1, 60), suppress=st.sampled_from([0.0, 0.2, 0.5]))
@settings(max_examples=4)
def test_small_ones_too(tmp_path_factory, seed, n, suppress):
    folder = tmp_path_factory.mktemp("people")
    config = configured(folder, people(n, seed), suppress=suppress)
    with pytest.MonkeyPatch.context() as monkeypatch:
        said = told(config, monkeypatch)
        assert bool(said[0]) == bool(said[1])  # of several faults either may be the first
        if not said[0]:
            same(*both(config, monkeypatch, "shuffle"), "csv")


@pytest.mark.parametrize("format", ["csv", "ndjson"])
@pytest.mark.parametrize("odd", [0, 12])
def test_times_and_numbers_are_written_as_those_who_are_released_have_them(
    tmp_path, monkeypatch, format, odd
):
    """Whoever is left out came at noon, and has an infinite dose; or at midnight, and none."""
    came = [dt.datetime(2020, 1, 1 + place % 3) for place in range(40)]
    frame = pl.DataFrame(
        {
            "age": [20 + place // 20 for place in range(40)] + [99],
            "when": [*came, dt.datetime(2020, 1, 1, odd)],
            "dose": [0.5 + place % 3 for place in range(40)] + [float("inf") if odd else 0.5],
        }
    )
    frame.write_parquet(tmp_path / "people.parquet")
    (tmp_path / "shoal.toml").write_text(LEFT_OUT.format(format=format))
    large, small = both(tmp_path / "shoal.toml", monkeypatch)
    same(large, small, format)
    written = (large / f"data.{format}").read_text()
    assert "2020-01-02" in written
    assert "T00:00" not in written
    assert '"dose":"' not in written


LEFT_OUT = """
[data]
path = "people.parquet"
[columns]
age = {{ role = "quasi", hierarchy = {{ ranges = [5] }} }}
when = {{ role = "plain", allow = true }}
dose = {{ role = "plain", allow = true }}
[guarantee]
k = 4
[method]
name = "optimal"
suppress = 0.1
[release]
format = "{format}"
"""


def told(config, monkeypatch):
    """What a large run and one in memory say where they refuse."""
    said = []
    for limit in (0, 1 << 60):
        monkeypatch.setattr(opening, "_FEW_BYTES", limit)
        try:
            jobs.run_config(config, config.parent / "out", force=True)
            said.append("")
        except (InputError, InfeasibleError) as error:
            said.append(str(error))
    return said


def test_the_order_is_another_each_time(tmp_path, always_large):
    config = configured(tmp_path, people())
    rows = []
    for name in ("one", "two"):
        jobs.run_config(config, tmp_path / name)
        rows.append((tmp_path / name / "data.csv").read_text().splitlines())
    assert rows[0] != rows[1]
    assert sorted(rows[0]) == sorted(rows[1])


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_text_is_parsed_once(tmp_path, always_large, kind):
    config = load(configured(tmp_path, people(), kind=kind))
    data = opening.open_large(config, {"k": 2})
    config.data.path.write_bytes(b"another file by now")
    shoal.anonymize(data, k=2, method="optimal", suppress=0.3).save(tmp_path / "out")
    room = data.room.path
    assert room.stat().st_mode & 0o77 == 0
    del data
    assert not room.exists()


def test_parts_are_shuffled_through_the_whole_file(tmp_path):
    frame = people(600).with_columns(ward=pl.int_range(600, dtype=pl.Int16))
    config = configured(tmp_path, frame, suppress=0.0)
    config.write_text(f"{config.read_text()}[engine]\npart = 60\n")
    release = jobs.run_config(config, tmp_path / "out")
    assert len(release.dataset.parts) == 10
    places = pl.read_csv(tmp_path / "out" / "data.csv")["ward"].to_numpy()
    assert len(places) == 600
    assert abs(np.corrcoef(np.arange(600), places)[0, 1]) < 0.2


class Tampering(PieceWriter):
    """A writer that does one thing wrong."""

    wrong = ""

    def join_pieces(self, nothing, pieces, place):
        super().join_pieces(nothing, pieces, place)
        lines = place.read_text().splitlines()
        if self.wrong == "row":
            place.write_text("\n".join([*lines[:-1], lines[1]]) + "\n")
        if self.wrong == "fewer":
            place.write_text("\n".join(lines[:-1]) + "\n")
        if self.wrong == "single":
            place.write_text("\n".join(lines).replace(lines[1], "x" + lines[1], 1) + "\n")
        if self.wrong == "other":  # a sensitive cell that another record has
            header, first, *rest = csv.reader(lines)
            first[header.index("ill")] = "gout" if first[header.index("ill")] == "flu" else "flu"
            with place.open("w", newline="") as file:
                csv.writer(file).writerows([header, first, *rest])
        if self.wrong == "header":
            place.write_text("\n".join(["x" + lines[0], *lines[1:]]) + "\n")


def gather_wrongly(wrong, gather):
    """What gathers the cells of a part, and gives some of them to other records."""

    def worse(self, codes):
        made = gather(self, codes)
        if wrong == "label":  # labels that do not cover their values
            return made.with_columns(pl.col("age", "zip", "weight", "born").reverse())
        if wrong == "cell":  # a cell that is published as it is, changed
            return made.with_columns(pl.col("when").reverse())
        return made

    return worse


def once(digest):
    """A digest of the file by its counts alone; that of the stage is taken as it is."""

    def taken(self, batch, times=None):
        assert times is not None or self.escape
        return digest(self, batch) if times is None else digest(self, batch, times)

    return taken


@pytest.mark.parametrize(
    ("wrong", "counted"),
    [
        *((wrong, False) for wrong in ["label", "cell", "row", "fewer", "single", "header", "other"]),
        ("other", True),
    ],
)
def test_whatever_is_wrong_is_refused_and_nothing_is_left(
    tmp_path, monkeypatch, always_large, wrong, counted
):
    monkeypatch.setattr(large_dataset, "PieceWriter", type("Wrong", (Tampering,), {"wrong": wrong}))
    gather = gather_wrongly(wrong, large_dataset._PartWriter.gather)
    monkeypatch.setattr(large_dataset._PartWriter, "gather", gather)
    config = configured(tmp_path, people(200))
    if counted:  # every column that is published, so that nothing is read a second time
        config.write_text(re.sub(r'\{ role = "plain".*|"plain"', '"drop"', config.read_text()))
        monkeypatch.setattr(RowDigest, "__call__", once(RowDigest.__call__))
    with pytest.raises((RefusedError, InputError)):
        jobs.run_config(config, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "shoal.toml"]


def test_the_same_faults_are_told(tmp_path, monkeypatch):
    for frame in (people(100).with_columns(id=pl.lit("same")), people(3)):
        said = told(configured(tmp_path, frame), monkeypatch)
        assert said[0] == said[1] != ""


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("ward", pl.Series([f"free text of person number {i} in full" for i in range(300)])),
        ("ward", pl.Series([f"code{i}" for i in range(300)])),
        ("ward", None),
    ],
)
def test_columns_that_give_people_away_are_refused_as_in_memory(tmp_path, monkeypatch, column, cells):
    frame = people(300)
    frame = frame.with_columns((frame["zip"] if cells is None else cells).alias(column))
    config = configured(tmp_path, frame)
    config.write_text(config.read_text().replace('ward = { role = "plain", allow = true }', 'ward = "plain"'))
    said = told(config, monkeypatch)
    assert said[0] == said[1] != ""


def test_a_column_that_follows_from_two_quasi_identifiers_is_counted_as_in_memory(tmp_path, monkeypatch):
    frame = people(400)
    both_known = zip(frame["zip"], frame["age"], strict=True)
    told_by_both = pl.Series([(len(code or "") * 7 + int(code or 0) * age) % 11 for code, age in both_known])
    config = configured(tmp_path, frame.with_columns(ward=told_by_both))
    config.write_text(config.read_text().replace('ward = { role = "plain", allow = true }', 'ward = "plain"'))
    said = told(config, monkeypatch)
    assert said[0] == said[1]
    assert "column 'ward': it follows from quasi-identifiers 'age' and 'zip'" in said[0]


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_a_column_of_a_few_numbers_is_refused_as_in_memory(tmp_path, monkeypatch, noise):
    """By the rule where all keep it, else by the chance of matching a row with its person."""
    frame, random = people(800), np.random.default_rng(1)
    ward = frame["age"].to_numpy() + random.integers(0, 2, 800)
    ward = np.where(random.random(800) < noise, random.permutation(ward), ward)
    config = configured(tmp_path, frame.with_columns(ward=ward))
    config.write_text(config.read_text().replace('ward = { role = "plain", allow = true }', 'ward = "plain"'))
    said = told(config, monkeypatch)
    assert said[0] == said[1]
    assert f"column 'ward': it {'goes along' if noise else 'follows from'}" in said[0]


def test_too_many_tuples_are_told_in_a_sentence(tmp_path, monkeypatch, always_large):
    monkeypatch.setattr(large_dataset, "MOST_TUPLES", 20)
    config = configured(tmp_path, people(200))
    with pytest.raises(InputError, match="more than 20 different rows"):
        jobs.run_config(config, tmp_path / "out")


def test_a_repr_shows_no_cell(tmp_path):
    config = load(configured(tmp_path, people(50)))
    frame = nw.from_native(pl.scan_parquet(tmp_path / "people.parquet"))
    made = opening.large_table(config, KAnonymity(2), frame, Local(), "people.parquet")
    assert "gout" not in repr(made)
    assert "gout" not in repr(made.origin)
    assert replace(made).records == 50
    assert Path(tmp_path).is_dir()


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_a_lazy_frame_of_many_records_stays_where_it_is(tmp_path, monkeypatch, kind):
    write(people(), tmp_path / "people.parquet")
    frame = pl.scan_parquet(tmp_path / "people.parquet")
    if kind == "duckdb":
        frame = pytest.importorskip("duckdb").read_parquet(str(tmp_path / "people.parquet"))
    told = {
        "roles": {"id": "identifier", "age": "quasi", "zip": "quasi", "ill": "sensitive", "*": "drop"},
        "hierarchies": {"age": {"ranges": [10, 20]}, "zip": {"mask": "right"}},
    }
    small = shoal.anonymize(shoal.read(frame, **told), k=5, l=2, method="optimal", suppress=0.1)
    monkeypatch.setattr(opening, "_MOST_COLLECTED", 100)
    data = shoal.read(frame, **told)
    assert isinstance(data, large_dataset.CountedTable)
    large = shoal.anonymize(data, k=5, l=2, suppress=0.1)
    assert large.loss == pytest.approx(small.loss)
    small.save(tmp_path / "small")
    large.save(tmp_path / "large")
    lines = [sorted((tmp_path / name / "data.csv").read_bytes().splitlines()) for name in ("small", "large")]
    assert lines[0] == lines[1]
    with pytest.raises(InputError, match="too large to be held in memory"):
        _ = large.data
    with pytest.raises(InputError, match="rows and target need all records"):
        large.save(tmp_path / "rows", rows=True)
    with pytest.raises(InputError, match="too many to be held in memory"):
        large.preview()
    with pytest.raises(InputError, match="mdav needs all records in memory"):
        shoal.anonymize(data, k=5, method="mdav")
    local = shoal.anonymize(data, k=5, l=2, method="mondrian", fragment=60)
    assert local.result.trace["fragments"] > 2
    local.save(tmp_path / "local")
    assert shoal.verify(tmp_path / "local")
    with pytest.raises(InputError, match="mondrian needs all records in memory"):
        shoal.anonymize(data, k=5, method="mondrian", average_risk=0.1)


def test_a_front_is_traced_by_counts(tmp_path, monkeypatch):
    config = configured(tmp_path, people(), method="optimal")
    small, _ = jobs.front_config(config)
    monkeypatch.setattr(opening, "_FEW_BYTES", 0)
    large, _ = jobs.front_config(config)
    assert isinstance(large.dataset, large_dataset.CountedTable)
    assert large.as_dict()["front"] == small.as_dict()["front"]
    large.pick(4).save(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["judged"] is True


# Numbers and dates that must be read first are read into memory.


@pytest.mark.parametrize(("cells", "otherwise"), [(["$1,500", "$2,500"], True), (["1500", "2500"], False)])
def test_the_first_records_tell(cells, otherwise):
    columns = {"pay": ColumnSpec("quasi", {"ranges": [1000]})}
    config = Config(Path(), Data(Path("pay.csv")), columns)
    assert opening._is_written_otherwise(config, pl.DataFrame({"pay": cells}), "pay.csv") == otherwise


def test_a_notation_of_the_file_hinders():
    config = Config(Path(), Data(Path("pay.csv"), dates="day first"), {"pay": ColumnSpec("quasi")})
    assert opening.explain_not_countable(config) == "data.decimal, thousands or dates is set"
