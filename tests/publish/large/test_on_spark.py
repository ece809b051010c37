"""A release of Spark is that of memory, whatever happens to its workers; nothing is left of one that fails."""

import json
from functools import partial

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import shoal as package
import spark_cases
from shoal import engines
from shoal.base.errors import InputError, ShoalError
from shoal.cli import shoal
from shoal.jobs.configured import run_config
from shoal.publish.large import baskets as large_baskets
from shoal.publish.large import fragment_making, opening
from shoal.publish.large import table as large_table
from shoal.publish.large import trees as large_trees
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


def test_a_frame_of_ones_own_session_is_counted_in_parts(spark_session, tmp_path):
    rows = [(str(20 + i % 4), f"2020-0{1 + i % 3}-01 0{i % 2}:30:00") for i in range(60)]
    people = spark_session.createDataFrame(rows, "age string, when string")
    people = people.selectExpr("age", "to_timestamp(when) as when")
    dataset = package.read(people, roles={"age": "quasi", "when": "sensitive"})
    assert dataset.room.mapper.__self__.session is not None
    package.anonymize(dataset, k=5).save(tmp_path / "release")
    found = pl.read_csv(tmp_path / "release" / "data.csv")
    assert set(found["when"]) == {f"2020-0{m}-01T0{h}:30:00+00:00" for m in (1, 2, 3) for h in (5, 6)}
    assert spark_session.conf.get("spark.sql.session.timeZone") == "America/New_York"
    assert not spark_session.catalog.listTables("global_temp")


def test_a_frame_of_ones_own_session_is_recoded_locally(spark_session, tmp_path):
    rows = [(20 + i % 11, f"1{i % 7}", f"2020-0{1 + i % 3}-01 00:30:00") for i in range(300)]
    people = spark_session.createDataFrame(rows, "age int, zip string, when string")
    people = people.selectExpr("age", "zip", "to_timestamp(when) as when")
    dataset = package.read(people, roles={"age": "quasi", "zip": "quasi", "when": "sensitive"})
    release = package.anonymize(dataset, k=5, l=2, method="mstk", fragment=80)
    assert release.result.trace["fragments"] > 2
    release.save(tmp_path / "release")
    found = pl.read_csv(tmp_path / "release" / "data.csv")
    assert set(found["when"]) == {f"2020-0{m}-01T05:30:00+00:00" for m in (1, 2)} | {
        "2020-03-01T05:30:00+00:00"
    }
    assert verify(tmp_path / "release")[1]
    with pytest.raises(InputError, match="mdav needs all records in memory"):
        package.anonymize(dataset, k=5, method="mdav")


def test_a_folder_of_files_is_recoded_locally(on_spark, tmp_path):
    config = in_parts(configured(tmp_path, method="mondrian"))
    people = pl.read_parquet(tmp_path / "people.parquet")
    (tmp_path / "lake").mkdir()
    for number in range(3):
        people[number::3].write_parquet(tmp_path / "lake" / f"part-{number}.parquet")
    text = config.read_text()
    config.write_text(text.replace("people.parquet", "lake").replace("[engine]", '[engine]\nname = "spark"'))
    run_config(config, tmp_path / "spark", engine=on_spark, seed=3)
    config.write_text(text)
    run_config(config, tmp_path / "local", seed=3)
    assert lines_of(tmp_path / "spark") == lines_of(tmp_path / "local")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_a_lost_worker_changes_no_release(on_spark, tmp_path, monkeypatch):
    config = configured(tmp_path)
    config.write_text(f"{config.read_text()}[engine]\npart = 60\n")
    (tmp_path / "notes").mkdir()
    slow = partial(spark_cases.SlowTask, tmp_path / "notes", large_table._PartWriter)
    with monkeypatch.context() as patched, spark_cases.killing(tmp_path / "notes"):
        patched.setattr(large_table, "_PartWriter", slow)
        run_config(config, tmp_path / "spark", engine=on_spark)
    assert len(list((tmp_path / "notes").iterdir())) > 5  # a task ran twice
    config.write_text(config.read_text().partition("[engine]")[0])
    run_config(config, tmp_path / "memory")
    assert same(tmp_path, "csv")


def test_nothing_is_left_where_writing_fails(on_spark, tmp_path, monkeypatch):
    config = configured(tmp_path)
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(large_table, "PieceWriter", spark_cases.BrokenPieces)
    with pytest.raises(ShoalError, match="Spark could not finish its work"):
        run_config(config, tmp_path / "spark", engine=on_spark)
    assert sorted(tmp_path.iterdir()) == before


def in_parts(config, **more):
    """The same configuration with parts and fragments of few records."""
    text = config.read_text().replace("suppress = 0.1", "fragment = 70")
    text = text.replace("k = 4", "\n".join(["k = 4", *(f"{key} = {value}" for key, value in more.items())]))
    config.write_text(text + "\n[engine]\npart = 60\n")
    return config


@pytest.mark.parametrize(
    ("method", "kind", "more"),
    [
        ("mondrian", "parquet", {"l": 2}),
        ("mstk", "csv", {}),
        ("boxes", "ndjson", {"t": 0.8}),
        ("kmember", "parquet", {"alpha": 0.8}),
    ],
)
def test_a_table_in_parts_has_the_records_of_this_machine(on_spark, tmp_path, method, kind, more):
    config = in_parts(configured(tmp_path, kind=kind, method=method), **more)
    release = run_config(config, tmp_path / "spark", engine=on_spark, seed=3)
    assert release.result.trace["fragments"] > 2
    assert release.dataset.room.path.parent == tmp_path
    run_config(config, tmp_path / "local", seed=3)
    assert lines_of(tmp_path / "spark") == lines_of(tmp_path / "local")
    assert verify(tmp_path / "spark")[1]


def test_a_table_of_persons_has_the_records_of_this_machine(on_spark, tmp_path):
    config = in_parts(configured(tmp_path, method="mondrian"))
    people = pl.read_parquet(tmp_path / "people.parquet")
    visits = people.with_columns(id=pl.format("p{}", pl.int_range(pl.len()) * 7 % 200))
    visits.write_parquet(tmp_path / "people.parquet")
    config.write_text(config.read_text().replace("[data]", '[data]\nperson = "id"'))
    same_as_here(on_spark, tmp_path)
    manifest = json.loads((tmp_path / "spark" / "manifest.json").read_text())
    assert manifest["claim"]["counts"] == "persons"


@pytest.mark.parametrize("method", ["bound", "rfirst", "tfirst"])
def test_tables_with_baskets_have_the_records_of_this_machine(on_spark, tmp_path, method):
    chance = np.random.default_rng(4)
    rows = [
        {"age": int(age), "bought": [str(item) for item in sorted(set(chance.integers(1, 10, 3).tolist()))]}
        for age in chance.integers(20, 60, 120)
    ]
    (tmp_path / "people.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [f"{i};low {(i - 1) // 3};*\n" for i in range(1, 10)]
    (tmp_path / "items.csv").write_text("".join(lines))
    (tmp_path / "shoal.toml").write_text(MIXED.format(method=method))
    same_as_here(on_spark, tmp_path)


MIXED = """
[data]
path = "people.ndjson"
[columns]
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20] }} }}
bought = {{ role = "items", hierarchy = "items.csv" }}
[guarantee]
k = 4
m = 2
[method]
name = "{method}"
fragment = 40
[release]
format = "ndjson"
[engine]
part = 50
"""


def lines_of(release):
    """The lines of a release, which are in random order."""
    (path,) = release.glob("data.*")
    return sorted(path.read_bytes().splitlines())


BASKETS = """
[data]
path = "bought.dat"
[columns.items]
role = "items"
hierarchy = "items.csv"
[guarantee]
k = 4
{m}
[method]
name = "{method}"
{more}
[release]
format = "ndjson"
"""
TREES = """
[data]
path = "people.ndjson"
[guarantee]
k = 6
m = 2
n = 1
[method]
name = "{method}"
repeats = "merge"
[tree]
sensitive = "visits.ill"
[tree.hierarchies]
"town" = {{ fanout = 2 }}
"visits.ward" = "ward.csv"
"""


@pytest.mark.parametrize(
    ("method", "more"),
    [("apriori", ""), ("nonreciprocal", "fragment = 60"), ("lra", "fragment = 60")],
)
def test_baskets_in_parts_have_the_records_of_this_machine(on_spark, tmp_path, monkeypatch, method, more):
    chance = np.random.default_rng(3)
    drawn = [sorted(set(chance.integers(1, 13, chance.integers(0, 4)).tolist())) for _ in range(200)]
    (tmp_path / "bought.dat").write_text("".join(" ".join(map(str, row)) + "\n" for row in drawn))
    rows = [f"{i};low {(i - 1) // 3};high {(i - 1) // 9};*\n" for i in range(1, 13)]
    (tmp_path / "items.csv").write_text("".join(rows))
    m = "" if method == "nonreciprocal" else "m = 2"
    (tmp_path / "shoal.toml").write_text(BASKETS.format(m=m, method=method, more=more))
    monkeypatch.setattr(large_baskets, "PART", 60)
    monkeypatch.setattr(opening, "_MANY_ITEMS", 0)
    same_as_here(on_spark, tmp_path)


@pytest.mark.parametrize("method", ["gcs", "acs", "ocs"])
def test_trees_in_parts_have_the_records_of_this_machine(on_spark, tmp_path, monkeypatch, method):
    chance = np.random.default_rng(1)
    pick = lambda words: str(chance.choice(words))  # noqa: E731
    people = [
        {
            "town": f"T{chance.integers(1, 7)}",
            "visits": [{"ward": pick(["A", "B", "C", "D"]), "ill": pick(["flu", "gout", "cold", "mumps"])}],
        }
        for _ in range(200)
    ]
    (tmp_path / "people.ndjson").write_text("".join(json.dumps(person) + "\n" for person in people))
    (tmp_path / "ward.csv").write_text("A;AB;*\nB;AB;*\nC;CD;*\nD;CD;*\n")
    (tmp_path / "shoal.toml").write_text(TREES.format(method=method))
    monkeypatch.setattr(large_trees, "PART", 110)  # every round of a search is a job
    monkeypatch.setattr(opening, "_MANY_BYTES", 0)
    same_as_here(on_spark, tmp_path)


def same_as_here(engine, folder):
    """Both engines publish the same records, from the same parts."""
    far = run_config(folder / "shoal.toml", folder / "spark", engine=engine, seed=3)
    near = run_config(folder / "shoal.toml", folder / "local", seed=3)
    assert type(far.dataset) is type(near.dataset)
    assert not far.dataset.in_memory
    room = far.dataset.people.room if far.dataset.shape == "mixed" else far.dataset.room
    assert room.path.parent == folder
    assert lines_of(folder / "spark") == lines_of(folder / "local")
    assert far.verdict.as_dict() == near.verdict.as_dict()


def test_a_worker_that_dies_with_a_part_changes_no_record(on_spark, tmp_path, monkeypatch):
    config = in_parts(configured(tmp_path, method="mstk"))
    (tmp_path / "notes").mkdir()
    with monkeypatch.context() as patched, spark_cases.killing(tmp_path / "notes"):
        slow = partial(spark_cases.SlowTask, tmp_path / "notes", fragment_making.FragmentTask)
        patched.setattr(fragment_making, "FragmentTask", slow)
        run_config(config, tmp_path / "spark", engine=on_spark, seed=3)
    assert len(list((tmp_path / "notes").iterdir())) > 3  # a task ran twice
    run_config(config, tmp_path / "local", seed=3)
    assert lines_of(tmp_path / "spark") == lines_of(tmp_path / "local")


def test_a_worker_that_does_not_see_the_folder_is_a_sentence(on_spark, tmp_path, monkeypatch):
    config = in_parts(configured(tmp_path, method="mstk"))
    monkeypatch.setattr(engines, "is_readable", spark_cases.is_nowhere)
    with pytest.raises(InputError, match=r"its workers do not see the folder .* --conf spark.shoal.folder"):
        run_config(config, tmp_path / "spark", engine=on_spark)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "shoal.toml"]


def test_what_spark_does_not_do_is_a_sentence(on_spark, tmp_path):
    config = configured(tmp_path, method="mstk")
    config.write_text(config.read_text().replace("[release]", "[release]\nrows = true"))
    with pytest.raises(InputError, match=r"engine spark: .* parts of these data, and .*release\.rows is set"):
        run_config(config, tmp_path / "spark", engine=on_spark)
    with pytest.raises(InputError, match=r"engine: 'sparc' is unknown; .*'spark'"):
        run_config(config, tmp_path / "spark", engine="sparc")
    said = CliRunner().invoke(shoal, ["run", str(config), "--engine", "spark", "--preview"])
    assert said.exit_code == 2
    assert "leave out --engine or --preview" in said.output


def same(folder, format) -> bool:
    """Whether both releases have the same lines and the same manifest but for the digests."""
    lines = [(folder / name / f"data.{format}").read_bytes().splitlines() for name in ("spark", "memory")]
    told = [json.loads((folder / name / "manifest.json").read_text()) for name in ("spark", "memory")]
    for facts in told:
        facts.pop("sha256")
    losses = [facts.pop("loss") for facts in told]
    assert losses[0] == pytest.approx(losses[1])
    assert told[0] == told[1]
    head = 1 if format == "csv" else 0
    return lines[0][:head] == lines[1][:head] and sorted(lines[0]) == sorted(lines[1])
