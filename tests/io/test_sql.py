"""Databases for real: SQLite in a file, PostgreSQL in a cluster of its own on the loopback."""

import os
import shutil
import socket
import sqlite3
import subprocess
from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.io.trees import TreeSpec, read_trees

sqlalchemy = pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: pip install shoal[sql]")

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
    return read_trees(str(url), TreeSpec(**{"person": "patient", **spec}))


def test_foreign_keys_of_sqlite_make_trees(people):
    assert list(read(f"sqlite:///{people}").trees()) == TREES


def test_without_adbc_the_rows_are_the_same(people, monkeypatch):
    monkeypatch.setattr("shoal.io.sql._adbc", lambda address: None)
    assert list(read(f"sqlite:///{people}").trees()) == TREES


def test_drop_and_heads(people):
    forest = read(f"sqlite:///{people}", drop=["town", "visit.ill", "sex"], heads={"visit": "year"})
    assert forest.tree(0) == (
        ("visit.year", "2020", ("visit.hospital", "H1")),
        ("visit.year", "2021", ("visit.hospital", "H2")),
    )


def test_keys_may_be_given(people):
    forest = read(
        f"sqlite:///{people}", keys={"visit.patient_id": "patient.id"}, drop=["town_id", "visit.id"]
    )
    assert forest.tree(0)[1] == ("visit.hospital", "H1", ("visit.year", "2020"))
    assert set(forest.classes) == {"sex", "visit.hospital", "visit.year"}


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
    assert list(read(f"sqlite:///{people}", drop=["visit.ill.town"]).trees()) == TREES


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
    for url in ("://", "nosuch://x/y"):
        with pytest.raises(Exception, match=r"data.url|no driver"):
            read(url)


def _postgres():
    found = (
        sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if shutil.which("initdb") is None
        else [Path(shutil.which("initdb"))]
    )
    return found[-1].parent if found else None


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A PostgreSQL cluster of its own; its URL."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install shoal[sql]")
    tools = _postgres()
    if tools is None:
        pytest.skip("PostgreSQL is not installed")
    if os.getuid() == 0 and subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    folder = Path(
        subprocess.check_output([*_as_postgres(), "mktemp", "-d", "/tmp/shoal-pg-XXXXXX"], text=True).strip()
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = str(folder / "data")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    subprocess.run(
        [*_as_postgres(), tools / "initdb", "-D", data, "-U", "shoal", "-A", "trust", "--no-sync"], **quiet
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [*_as_postgres(), tools / "pg_ctl", "-D", data, "-w", "-l", str(folder / "log")]
    subprocess.run([*control, "-o", options, "start"], **quiet)
    yield f"postgresql://shoal:hunter2@127.0.0.1:{port}/postgres"
    subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
    shutil.rmtree(folder, ignore_errors=True)


def _as_postgres():
    return ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


def test_foreign_keys_of_postgresql_make_trees(cluster):
    engine = sqlalchemy.create_engine(cluster.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for statement in SCHEMA.split(";"):
            if statement.strip():
                connection.execute(sqlalchemy.text(statement))
    engine.dispose()
    assert list(read(cluster).trees()) == TREES


def test_without_adbc_postgresql_says_the_same(cluster, monkeypatch):
    monkeypatch.setattr("shoal.io.sql._adbc", lambda address: None)
    assert list(read(cluster).trees()) == TREES
