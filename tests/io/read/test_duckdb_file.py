"""Databases given by their path: SQLite's and DuckDB's files, whatever their ending says."""

from pathlib import Path

import pytest

import shoal
from office_files import NAMES, PEOPLE, people, write_sqlite
from shoal.errors import InputError
from shoal.io.config import check
from shoal.io.read.duckdb_file import url_of_file
from shoal.io.read.records import records_of
from shoal.io.read.sql import read_rows, tables_of
from shoal.publish.shapes.trees.data import trees_of
from shoal.publish.study.propose.look import look
from shoal.publish.study.propose.source_detection import detect_source

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: pip install shoal-privacy[sql]")
duckdb = pytest.importorskip("duckdb")


def write_duckdb(path: Path, *more: str) -> None:
    connection = duckdb.connect(str(path))
    connection.execute("CREATE TABLE staff (id INTEGER PRIMARY KEY, age INTEGER, town TEXT, income INTEGER)")
    connection.executemany("INSERT INTO staff VALUES (?, ?, ?, ?)", people())
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
    assert records_of(check(raw, folder=tmp_path)).frame.equals(found.source.frame)
    assert look(path).parts[0].columns == tuple(NAMES)
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
    tables, keys = tables_of(url_of_file(path))
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
