"""The Spark engine on a cluster of two worker processes: the same answers and the same bytes as this machine."""

import datetime as dt
import os
import subprocess
import sys
from decimal import Decimal
from functools import partial

import narwhals as nw
import polars as pl
import pytest

import spark_cases
from shoal.base.errors import InputError, ShoalError
from shoal.engines import Repeats
from shoal.engines.local import Local
from shoal.io.read.table import read

pytestmark = spark_cases.marks()


@pytest.fixture
def engine(on_spark):
    return on_spark


def cells() -> pl.DataFrame:
    """Cells of every kind that a writer could spell otherwise."""
    texts = [
        "",
        "a,b",
        'q"q',
        "l1\nl2",
        "=1+1",
        "+x",
        "-x",
        "@x",
        None,
        "é漢😀",
        " sp ",
        "'=x",
        "-5",
        "\\",
        "\r",
        "NaN",
    ]
    n = len(texts)
    return pl.DataFrame(
        {
            "text": texts,
            "real": [
                1.0,
                0.1,
                1e22,
                -0.0,
                float("nan"),
                1e-7,
                None,
                1.5e8,
                1e15,
                -2.5e-300,
                3.0,
                2**53 + 0.0,
                5,
                0.3,
                7,
                8,
            ],
            "endless": [float("inf"), -float("inf"), *[0.5] * (n - 2)],
            "day": [*[dt.date(1066, 10, 14), dt.date(2020, 2, 29)] * (n // 2 - 1), None, dt.date(1970, 1, 1)],
            "time": [dt.datetime(2020, 1, 1, 12, 30, 1, 500), *[dt.datetime(2020, 1, 1)] * (n - 2), None],
            "midnight": [dt.datetime(2020, 1, 1 + i) for i in range(n)],
            "zoned": pl.Series([dt.datetime(2020, 1, 1 + i, 23) for i in range(n)]).dt.replace_time_zone(
                "UTC"
            ),
            "flag": [True, False, None, True] * (n // 4),
            "whole": [2**63 - 1, -(2**63), 0, None] * (n // 4),
            "small": pl.Series([1, 2, 3, 4] * (n // 4), dtype=pl.Int8),
            "single": pl.Series([0.1, 1.0, 1e20, None] * (n // 4), dtype=pl.Float32),
            "money": [Decimal("1.50"), Decimal("2.00"), Decimal("-0.05"), None] * (n // 4),
        }
    )


def test_it_reads_what_this_machine_reads(engine, tmp_path):
    rows = 'a,B,b\n"x, ""y""",1.50,\n"",-,"l1\nl2"\n\\,"""", é \nNULL,NaN,"a\\"\n'
    path = tmp_path / "people [1] {a}.csv"
    path.write_text(rows, encoding="utf-8")
    local = read(path, delimiter=",").frame.with_columns(pl.all().replace("", None))
    found = collected(engine.scan(path, "csv"))
    assert found.columns == ["a", "B", "b"]
    assert found.equals(local)

    plain = tmp_path / "plain.csv"
    plain.write_text('a,b\r\n1,"2"\r\n,x y\r\n', encoding="utf-8")
    assert collected(engine.scan(str(plain), "csv")).rows() == [("1", "2"), (None, "x y")]

    ndjson = tmp_path / "people.ndjson"
    ndjson.write_text('{"z": 1, "a": "x"}\n{"z": null, "a": "é"}\n', encoding="utf-8")
    assert collected(engine.scan(ndjson, "ndjson")).to_dict(as_series=False) == {
        "z": [1, None],
        "a": ["x", "é"],
    }

    frame = cells()
    frame.write_parquet(tmp_path / "cells.parquet")
    assert collected(engine.scan(tmp_path / "cells.parquet", "parquet")).equals(frame)


def test_what_it_cannot_read_is_a_sentence_without_cells(engine, tmp_path):
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("a,b\n1,2\nsecret,2,3\n", encoding="utf-8")
    with pytest.raises(InputError, match="as many cells as the header") as caught:
        engine.copy_records(engine.scan(ragged, "csv"), tmp_path / "copy")
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match=r"none\.parquet: there is no such file"):
        engine.scan(tmp_path / "none.parquet", "parquet")
    (tmp_path / "lake" / "_delta_log").mkdir(parents=True)
    with pytest.raises(InputError, match="lake: the session has no reader for this format"):
        engine.scan(tmp_path / "lake", "parquet")
    (tmp_path / "dots.csv").write_text("a.b\n1\n", encoding="utf-8")
    with pytest.raises(InputError, match="the name of column 1 has a dot"):
        engine.scan(tmp_path / "dots.csv", "csv")
    with pytest.raises(InputError, match="this is not a Spark frame"):
        engine.total(nw.from_native(pl.LazyFrame({"a": [1]})))


def test_records_are_copied_as_they_are(engine, tmp_path):
    frame = pl.DataFrame({"age": [str(i % 7) for i in range(500)], "sex": [None, "f", "m", "", "m"] * 100})
    (tmp_path / "in").mkdir()
    for part in range(3):
        frame[part::3].write_parquet(tmp_path / "in" / f"{part}.parquet")
    found = engine.scan(tmp_path / "in", "parquet")
    for one, records in ((engine, found), (Local(), nw.from_native(frame.lazy()))):
        assert one.total(records) == 500
        assert one.repeats(records, "sex") == Repeats(300, 200)
        folder = tmp_path / type(one).__name__
        assert same(collected(one.copy_records(records, folder)), frame)
        assert folder.stat().st_mode & 0o77 == 0
    none = engine.copy_records(found.filter(nw.col("age") == "z"), tmp_path / "none")
    assert collected(none).shape == (0, 2)


def test_tasks_tell_their_own_errors_and_no_cells(engine):
    assert list(engine.map(len, [])) == []
    assert sorted(engine.map(len, ["", "ab", "abc"])) == [0, 2, 3]
    with pytest.raises(InputError, match=r"people\.csv, record 3: no age"):
        list(engine.map(spark_cases.refuses, ["secret"]))
    with pytest.raises(ShoalError, match="Spark could not finish its work") as caught:
        list(engine.map(spark_cases.fails, ["secret"]))
    assert "secret" not in str(caught.value)


def test_a_lost_worker_changes_no_answer(engine, tmp_path):
    parts = list(range(6))
    with spark_cases.killing(tmp_path):
        answers = sorted(engine.map(partial(spark_cases.noted, tmp_path), parts))
    assert answers == [(part, part**2) for part in parts]
    assert len(list(tmp_path.iterdir())) > len(parts)  # some task ran twice


def test_a_session_of_its_own_is_silent_and_ends(tmp_path):
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\nsecret,2,3\n", encoding="utf-8")
    code = (
        "from shoal.engines.spark import Spark\n"
        "from shoal.base.errors import ShoalError\n"
        "with Spark() as engine:\n"
        "    print(engine.session.sparkContext.master, list(engine.map(len, ['ab'])))\n"
        f"    try: engine.repeats(engine.scan({str(tmp_path / 'ragged.csv')!r}, 'csv'), 'a')\n"
        "    except ShoalError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.stdout.splitlines() == [
        "local[*,4] [2]",
        "engine spark: a record has not as many cells as the header, or broken quotes; quote cells as RFC 4180 says",
    ]
    assert done.stderr == ""


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def collected(frame) -> pl.DataFrame:
    return frame.collect(backend="polars").to_native()


def same(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two tables have the same rows in any order."""
    rows = [sorted(map(repr, frame.select(sorted(frame.columns)).rows())) for frame in (one, other)]
    return rows[0] == rows[1]
