"""A release of Spark is that of memory, whatever happens to its workers; nothing is left of one that fails."""

import json
from functools import partial

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import shoal as package
import spark_cases
from shoal.base.errors import InputError, ShoalError
from shoal.cli import shoal
from shoal.jobs.configured import run_config
from shoal.publish.large import table as large_table
from shoal.publish.verify import verify

pytestmark = spark_cases.marks()

CONFIG = """
[data]
path = "{file}"
missing = ["", "?"]

[columns]
id = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "right" }} }}
sex = "quasi"
ill = "sensitive"
dose = {{ role = "plain", allow = true }}
note = {{ role = "plain", allow = true }}

[guarantee]
k = 4

[method]
name = "{method}"
suppress = 0.1

[release]
format = "{format}"
"""


def configured(folder, *, kind="parquet", method="optimal", format="csv"):
    """A folder with some invented people and what is to become of them."""
    n, random = 300, np.random.default_rng(5)
    pick = lambda *values: [values[i] for i in random.integers(0, len(values), n)]  # noqa: E731
    frame = pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": random.integers(20, 60, n),
            "zip": pick("1010", "1011", "2020", "?", None),
            "sex": pick("f", "m"),
            "ill": pick("flu", "=1+1", 'he said "no"', "a,b", None, "-7", "é"),
            "dose": pick(0.1, 1.0, 1e22, 1e-7, -0.0, None),
            "note": pick("x", "", "l1\nl2", "@y", None),
        }
    )
    path = folder / f"people.{kind}"
    {"parquet": frame.write_parquet, "csv": frame.write_csv, "ndjson": frame.write_ndjson}[kind](path)
    (folder / "shoal.toml").write_text(CONFIG.format(file=path.name, method=method, format=format))
    return folder / "shoal.toml"


@pytest.mark.parametrize(
    ("kind", "method", "format"), [("csv", "optimal", "csv"), ("parquet", "incognito", "ndjson")]
)
def test_the_release_is_that_of_memory(on_spark, tmp_path, kind, method, format):
    config = configured(tmp_path, kind=kind, method=method, format=format)
    run_config(config, tmp_path / "spark", engine=on_spark)
    run_config(config, tmp_path / "memory")
    assert same(tmp_path, format)
    told, verdict = verify(tmp_path / "spark")
    assert verdict
    assert told["k"] == 4
    (tmp_path / "spark" / f"data.{format}" / f"part-00001.{format}").write_text("one more")
    assert not verify(tmp_path / "spark")[1]


def test_a_frame_of_ones_own_session_stays_there(spark_session, tmp_path):
    rows = [(str(20 + i % 4), f"2020-0{1 + i % 3}-01 0{i % 2}:30:00") for i in range(60)]
    people = spark_session.createDataFrame(rows, "age string, when string")
    people = people.selectExpr("age", "to_timestamp(when) as when")
    dataset = package.read(people, roles={"age": "quasi", "when": "sensitive"})
    assert dataset.origin.engine.name == "spark"
    package.anonymize(dataset, k=5).save(tmp_path / "release")
    found = pl.concat([pl.read_csv(path) for path in (tmp_path / "release" / "data.csv").iterdir()])
    assert set(found["when"]) == {f"2020-0{m}-01T0{h}:30:00+00:00" for m in (1, 2, 3) for h in (5, 6)}
    assert spark_session.conf.get("spark.sql.session.timeZone") == "America/New_York"
    assert not spark_session.catalog.listTables("global_temp")


def test_a_lost_worker_changes_no_release(on_spark, tmp_path, monkeypatch):
    config = configured(tmp_path)
    (tmp_path / "notes").mkdir()
    with monkeypatch.context() as patched, spark_cases.killing(tmp_path / "notes"):
        patched.setattr(large_table, "PieceWriter", partial(spark_cases.SlowPieces, tmp_path / "notes"))
        run_config(config, tmp_path / "spark", engine=on_spark)
    assert len(list((tmp_path / "notes").iterdir())) > 1  # a task ran twice
    run_config(config, tmp_path / "memory")
    assert same(tmp_path, "csv")


def test_nothing_is_left_where_writing_fails(on_spark, tmp_path, monkeypatch):
    config = configured(tmp_path)
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(large_table, "PieceWriter", spark_cases.BrokenPieces)
    with pytest.raises(ShoalError, match="Spark could not finish its work"):
        run_config(config, tmp_path / "spark", engine=on_spark)
    assert sorted(tmp_path.iterdir()) == before


def test_what_spark_does_not_do_is_a_sentence(on_spark, tmp_path):
    config = configured(tmp_path, method="mstk")
    with pytest.raises(InputError, match="mstk needs all records in memory"):
        run_config(config, tmp_path / "spark", engine=on_spark)
    config.write_text(config.read_text().replace("[release]", "[release]\nrows = true"))
    with pytest.raises(InputError, match=r"engine spark: .* of these data, release\.rows is set"):
        run_config(config, tmp_path / "spark", engine=on_spark)
    with pytest.raises(InputError, match=r"engine: 'sparc' is unknown; .*'spark'"):
        run_config(config, tmp_path / "spark", engine="sparc")
    said = CliRunner().invoke(shoal, ["run", str(config), "--engine", "spark", "--preview"])
    assert said.exit_code == 2
    assert "leave out --engine or --preview" in said.output


def same(folder, format) -> bool:
    """Whether both releases have the same lines and the same manifest but for the digests."""
    parts = sorted((folder / "spark" / f"data.{format}").iterdir())
    assert [path.name for path in parts] == [f"part-{i:05d}.{format}" for i in range(len(parts))]
    head = 1 if format == "csv" else 0
    pieces = [path.read_bytes().splitlines() for path in parts]
    lines = [*pieces[0][:head], *sorted(line for piece in pieces for line in piece[head:])]
    whole = (folder / "memory" / f"data.{format}").read_bytes().splitlines()
    told = [json.loads((folder / name / "manifest.json").read_text()) for name in ("spark", "memory")]
    digests = [facts.pop("sha256") for facts in told]
    losses = [facts.pop("loss") for facts in told]
    assert sorted(digests[0]) == [*(f"data.{format}/{path.name}" for path in parts), "report.html"]
    assert losses[0] == pytest.approx(losses[1])
    assert told[0] == told[1]
    return lines == [*whole[:head], *sorted(whole[head:])]
