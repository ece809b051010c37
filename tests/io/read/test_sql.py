"""Databases for real: SQLite in a file, PostgreSQL in a cluster of its own on the loopback."""

import sqlite3
import sys
from pathlib import Path

import polars as pl
import pytest

import postgres
import shoal
from office_files import NAMES, PEOPLE, write_sqlite
from office_files import people as rows_of_people
from shoal.base.errors import ExtraError, InputError
from shoal.io.config import check
from shoal.io.read.cells import cell_texts
from shoal.io.read.records import read_records
from shoal.io.read.sql import read_database, read_rows, read_schema, url_of_file
from shoal.io.read.trees import TreeSpec, read_trees
from shoal.io.settings import lacks_password
from shoal.proposal.look import sample_records
from shoal.proposal.source_detection import detect_source
from shoal.shapes.trees.data import trees_of

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: pip install shoal-privacy[sql]")

SCHEMA = """
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE patient (id INTEGER PRIMARY KEY, sex TEXT, town_id INTEGER REFERENCES town(id));
CREATE TABLE visit (id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patient(id), hospital TEXT, year INTEGER);
CREATE TABLE ill (visit_id INTEGER REFERENCES visit(id), code TEXT, cost NUMERIC);
INSERT INTO town VALUES (1, 'Bern'), (2, 'Chur');
INSERT INTO patient VALUES (10, 'F', 1), (11, 'M', 2), (12, NULL, NULL);
INSERT INTO visit VALUES (5, 10, 'H1', 2020), (6, 10, 'H2', 2021), (7, 11, NULL, 2022), (8, NULL, 'H9', 2000);
INSERT INTO ill VALUES (5, 'flu', 10), (5, 'gout', 2.5), (6, 'flu', NULL), (7, 'cough', 3), (8, 'rare', 1);
"""

TWO_WAYS = "ALTER TABLE ill ADD COLUMN town_id INTEGER REFERENCES town(id);"

TREES = [
    (
        ("sex", "F"),
        ("town.name", "Bern"),
        ("visit.hospital", "H1", ("visit.ill.code", "flu", ("visit.ill.cost", "10")),
         ("visit.ill.code", "gout", ("visit.ill.cost", "2.5")), ("visit.year", "2020")),
        ("visit.hospital", "H2", ("visit.ill.code", "flu"), ("visit.year", "2021")),
    ),
    (("sex", "M"), ("town.name", "Chur"), ("visit.ill.code", "cough", ("visit.ill.cost", "3")), ("visit.year", "2022")),
    (),
]  # fmt: skip


@pytest.fixture
def people(tmp_path):
    """A SQLite file, and what runs statements on it."""
    path = tmp_path / "people.db"
    _run(path, SCHEMA)
    return path


def _run(path, script):
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    connection.close()


def read(url, **spec):
    """Read the paper's trees; rows that stay rows are looked at in test_tree_rows.py."""
    return read_trees(str(url), TreeSpec(**{"person": "patient", "repeats": "merge", **spec}))


def test_foreign_keys_of_sqlite_make_trees(people):
    assert list(read(f"sqlite:///{people}").nested()) == TREES


def test_without_adbc_the_rows_are_the_same(people, monkeypatch):
    monkeypatch.setattr("shoal.io.read.sql._connect_adbc", lambda address: None)
    assert list(read(f"sqlite:///{people}").nested()) == TREES


def test_drop_and_heads(people):
    trees = read(f"sqlite:///{people}", drop=["town", "visit.ill", "sex"], heads={"visit": "year"})
    assert trees.tree(0) == (
        ("visit.year", "2020", ("visit.hospital", "H1")),
        ("visit.year", "2021", ("visit.hospital", "H2")),
    )


def test_keys_may_be_given(people):
    trees = read(f"sqlite:///{people}", keys={"visit.patient_id": "patient.id"}, drop=["town_id", "visit.id"])
    assert trees.tree(0)[1] == ("visit.hospital", "H1", ("visit.year", "2020"))
    assert set(trees.classes) == {"sex", "visit.hospital", "visit.year"}


def test_nothing_is_written(people):
    before = people.read_bytes()
    read(f"sqlite:///{people}")
    assert people.read_bytes() == before
    with pytest.raises(InputError, match=r"database nowhere.db: not found"):
        read(f"sqlite:///{people.parent}/nowhere.db")
    assert not (people.parent / "nowhere.db").exists()


@pytest.mark.parametrize(
    ("script", "spec", "sentence"),
    [
        (TWO_WAYS, {}, "'town' in two ways, as town by patient.town_id and as visit.ill.town by ill.town_id"),
        ("ALTER TABLE town ADD COLUMN mayor INTEGER REFERENCES patient(id);", {}, "'town' in two ways, as town by "),
        ("ALTER TABLE visit ADD COLUMN before INTEGER REFERENCES visit(id);", {}, "'visit' refers to itself"),
        ("INSERT INTO visit VALUES (9, 99, 'H1', 2020);", {}, "1 rows of table 'visit', first row 5, refer to no row"),
        ("", {"person": None}, "name the table of persons in tree.person; there are ill, patient, town, visit"),
        ("", {"person": "doctor"}, "no table 'doctor'"),
        ("", {"keys": {"visit": "patient.id"}}, 'write "table.column"'),
        ("", {"keys": {"visit.patient_id": "doctor.id"}}, "no table 'doctor'"),
        ("", {"keys": {"visit.nothing": "patient.id"}}, "has no column 'nothing'"),
        ("", {"keys": {"visit.hospital": "patient.sex"}}, "refer to no row"),
        ("", {"drop": ["visits"]}, "tree.drop names 'visits', which never occurs"),
        ("", {"heads": {"visit": "when"}}, "tree.heads names 'visit.when', which never occurs"),
    ],
)  # fmt: skip
def test_what_makes_no_trees_is_refused_with_advice(people, script, spec, sentence):
    _run(people, script)
    with pytest.raises(InputError, match=sentence):
        read(f"sqlite:///{people}", **spec)


def test_a_way_that_is_dropped_is_not_a_second_one(people):
    _run(people, TWO_WAYS)
    assert list(read(f"sqlite:///{people}", drop=["visit.ill.town"]).nested()) == TREES


def test_a_key_must_name_one_row(people):
    _run(people, "CREATE TABLE note (sex TEXT, text TEXT); INSERT INTO note VALUES ('F', 'a');")
    _run(people, "INSERT INTO patient VALUES (13, 'F', 1);")
    with pytest.raises(InputError, match="2 rows of table 'patient' share a key that table 'note' refers to"):
        read(f"sqlite:///{people}", keys={"note.sex": "patient.sex"})


def test_an_unreachable_database_names_no_password():
    with pytest.raises(
        InputError, match=r"database postgresql://127.0.0.1:9/people: cannot be reached"
    ) as caught:
        read("postgresql://zelda:hunter2@127.0.0.1:9/people")
    assert "hunter2" not in str(caught.value)
    assert "zelda" not in str(caught.value)
    assert caught.value.__suppress_context__
    with pytest.raises(InputError, match="cannot be reached") as caught:
        read_rows("postgresql://zelda:hunter2@127.0.0.1:9/people", "patient")
    assert not any(secret in str(caught.value) for secret in ("hunter2", "zelda"))
    for url in ("://", "nosuch://x/y"):
        with pytest.raises(Exception, match=r"data.url|no driver"):
            read(url)


def test_foreign_keys_of_postgresql_make_trees_with_and_without_adbc(cluster, monkeypatch):
    postgres.execute(cluster, SCHEMA)
    assert list(read(cluster).nested()) == TREES
    monkeypatch.setattr("shoal.io.read.sql._connect_adbc", lambda address: None)
    assert list(read(cluster).nested()) == TREES


ODD_GONE = 'DROP TABLE IF EXISTS "odd ""name";'
TYPES = """
CREATE SCHEMA clinic;
CREATE TYPE mood AS ENUM ('low', 'well');
CREATE TABLE clinic.kinds (id UUID, feels mood, note JSONB, born DATE, seen TIMESTAMPTZ, smoker BOOLEAN, paid NUMERIC,
  weight FLOAT8, codes TEXT[], stay INTERVAL, years INT4RANGE, visits BIGINT);
INSERT INTO clinic.kinds VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'well', '{"a": 1}', '2020-01-02',
  '2020-01-02 03:04:05+00', true, 12.50, 61.0, ARRAY['E11', 'I10'], '36 hours', '[1,3)', 5);
CREATE TABLE "odd ""name" ("a.b" INTEGER);
INSERT INTO "odd ""name" VALUES (7);
"""


@pytest.mark.parametrize("adbc", [True, False])
def test_every_type_of_postgresql_becomes_a_cell(cluster, monkeypatch, adbc):
    postgres.execute(
        cluster, f"DROP SCHEMA IF EXISTS clinic CASCADE; DROP TYPE IF EXISTS mood; {ODD_GONE} {TYPES}"
    )
    if not adbc:
        monkeypatch.setattr("shoal.io.read.sql._connect_adbc", lambda address: None)
    frame = read_rows(cluster, "clinic.kinds", nested=["codes"]).frame
    texts = {name: cell_texts(frame[name])[0] for name in frame.columns if name != "codes"}
    assert texts == {
        "id": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "feels": "well",
        "note": '{"a": 1}',
        "born": "2020-01-02",
        "seen": "2020-01-02T03:04:05+00:00",
        "smoker": "true",
        "paid": "12.50",
        "weight": "61",
        "stay": "36:00:00",
        "years": "[1,3)",
        "visits": "5",
    }
    assert frame["codes"][0].to_list() == ["E11", "I10"]
    assert read_rows(cluster, 'odd "name').frame["a.b"].to_list() == [7]
    with pytest.raises(InputError, match=r"table 'clinic.kinds', column 'codes': nested"):
        read_rows(cluster, "clinic.kinds")


def test_rows_of_a_table_and_of_a_view(people):
    _run(people, "CREATE VIEW women AS SELECT id, sex FROM patient WHERE sex = 'F';")
    found = read_rows(f"sqlite:///{people}", "patient", ["sex", "id"], missing=("", "?"))
    assert found.frame.to_dict(as_series=False) == {"sex": ["F", "M", None], "id": [10, 11, 12]}
    assert (found.name, found.missing) == ("table 'patient'", ("", "?"))
    assert read_rows(f"sqlite:///{people}", "women").frame["id"].to_list() == [10]


def test_a_column_of_many_types_is_read_all_the_same(people):
    values = ", ".join(f"({number})" for number in range(3_000))
    _run(people, f"CREATE TABLE loose (cell); INSERT INTO loose VALUES {values}, ('late');")
    assert read_rows(f"sqlite:///{people}", "loose").frame["cell"].dtype == pl.String


@pytest.mark.parametrize(
    ("table", "columns", "sentence"),
    [
        ("doctor", None, "people.db: no table 'doctor'; there are ill, patient, town, visit"),
        ("patient", ["age"], "table 'patient': no column 'age'; there are id, sex, town_id"),
        ("none", None, "table 'none': no records"),
        ("pictures", None, "table 'pictures', column 'bits': nested or binary"),
    ],
)
def test_rows_that_cannot_be_had_are_told(people, table, columns, sentence):
    if table in ("none", "pictures"):
        _run(people, "CREATE TABLE none (a TEXT); CREATE TABLE pictures (bits BLOB);")
        _run(people, "INSERT INTO pictures VALUES (x'01');")
    with pytest.raises(InputError, match=sentence):
        read_rows(f"sqlite:///{people}", table, columns)


@pytest.mark.parametrize(
    "act", [lambda: read_rows("sqlite:///x.db", "t"), lambda: read_database("sqlite:///x.db", TreeSpec(), ())]
)
def test_without_sqlalchemy_the_extra_is_named(act, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(ExtraError, match=r'^data.url: .* SQLAlchemy, .* pip install "shoal-privacy\[sql\]"$'):
        act()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://localhost/x", r'driver for postgresql, .* pip install "shoal-privacy\[sql\]"$'),
        ("mysql://localhost/x", "install one that SQLAlchemy knows"),
    ],
)
def test_without_a_driver_somebody_hears_which(url, said, monkeypatch):
    for driver in ("psycopg", "MySQLdb"):
        monkeypatch.setitem(sys.modules, driver, None)
    with pytest.raises(ExtraError, match=said):
        read_rows(url, "t")


@pytest.mark.parametrize(
    "place",
    [
        "u:p@[::1/x",
        "u:p@h:port/x",
        "u:p@h:-1/x",
        "u:p@]/x",
        "u:p@[::g]/x",
        "%zz@h/x",
        f"{'a' * 300}/x",
        "\x00",
        "",
    ],
)
def test_a_strange_url_is_told_in_a_sentence_without_its_login(place):
    url = f"postgresql://{place}"
    assert lacks_password(url) in (True, False)
    with pytest.raises((InputError, ExtraError)) as error:
        read_rows(url, "people")
    assert "u:p" not in str(error.value)


duckdb = pytest.importorskip("duckdb")


def write_duckdb(path: Path, *more: str) -> None:
    connection = duckdb.connect(str(path))
    connection.execute("CREATE TABLE staff (id INTEGER PRIMARY KEY, age INTEGER, town TEXT, income INTEGER)")
    connection.executemany("INSERT INTO staff VALUES (?, ?, ?, ?)", rows_of_people())
    for statement in more:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("name", ["staff.db", "staff.sqlite", "staff.sqlite3", "staff.duckdb", "duck.db"])
def test_a_file_is_taken_for_its_one_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    (write_duckdb if "duck" in name else write_sqlite)(path)
    found = detect_source(path)
    assert found.source is not None
    assert found.source.frame.columns == NAMES
    assert found.source.frame.height == PEOPLE
    assert (found.data.path, found.data.table, found.data.url) == (path, "staff", None)
    raw = {"data": {"path": name, "table": "staff"}, "columns": {"id": "identifier"}}
    assert read_records(check(raw, folder=tmp_path)).frame.equals(found.source.frame)
    assert sample_records(path).parts[0].columns == tuple(NAMES)
    roles = {"id": "identifier", "age": "quasi", "town": "quasi", "income": "sensitive"}
    assert shoal.read(path, roles=roles, table="staff").table.n == PEOPLE
    with pytest.raises(InputError, match="has a database and no table; name the one with the records"):
        shoal.read(path, roles=roles)


def test_tables_that_hang_together(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    write_duckdb(
        path,
        "CREATE TABLE visit (staff_id INTEGER REFERENCES staff(id), ward TEXT)",
        "INSERT INTO visit SELECT id, 'A' FROM staff",
        "CREATE VIEW old AS SELECT * FROM staff WHERE age > 60",
    )
    tables, keys = read_schema(url_of_file(path))
    assert list(tables) == ["staff", "visit"]
    assert [(key.table, key.columns, key.to, key.to_columns) for key in keys] == [
        ("visit", ("staff_id",), "staff", ("id",))
    ]
    found = detect_source(path)
    assert found.trees is not None
    assert found.trees.n == PEOPLE
    raw = {"data": {"path": "clinic.duckdb"}, "tree": {"person": "staff"}}
    assert trees_of(check(raw, folder=tmp_path)).n == PEOPLE
    assert 0 < read_rows(url_of_file(path), "old").frame.height < PEOPLE


def test_a_view_that_reads_another_file_is_refused(tmp_path: Path) -> None:
    secret, path = tmp_path / "secret.csv", tmp_path / "staff.duckdb"
    secret.write_text("a\n1\n", encoding="utf-8")
    write_duckdb(path, f"CREATE VIEW leak AS SELECT * FROM read_csv('{secret}')")
    with pytest.raises(InputError, match=r"database staff\.duckdb: cannot be read"):
        read_rows(url_of_file(path), "leak")


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "staff.db"
    path.write_text("id;age\n", encoding="utf-8")
    with pytest.raises(InputError, match="neither a SQLite nor a DuckDB database"):
        detect_source(path)
    with pytest.raises(InputError, match="not found"):
        detect_source(tmp_path / "none.duckdb")
