"""What is told while work is done: no cell, no password, no seed; not in logs, errors, steps or on the terminal."""

import logging
import os
import re
import sqlite3

import pytest
from click.testing import CliRunner

from shoal.cli import shoal, show

SEED = "918273645"
PASSWORD = "pa55word"
TOKEN = re.compile("t0ken", re.I)
CONFIG = """[data]
path = "people.csv"
[columns]
name = "identifier"
town = { role = "quasi", hierarchy = "town.csv" }
job = "quasi"
ill = "sensitive"
team = { role = "plain", allow = true }
note = "drop"
[guarantee]
k = 3
[method]
suppress = 0.2
[release]
rows = true
"""
ROWS = [
    (
        f"namet0ken{i}",
        f"townt0ken{i % 4}",
        f"jobt0ken{i % 3}",
        f"illt0ken{i % 5}",
        f"teamt0ken{i % 2}",
        f"notet0ken{i}",
    )
    for i in range(60)
]
TREE = """[data]
path = "trees.ndjson"
[tree]
identifier = "name"
hierarchies = { "town" = "town.csv", "visits.job" = { fanout = 2 } }
sensitive = "visits.ill"
[guarantee]
k = 3
m = 2
n = 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """People of whom every cell is a token, as a table, a database, a workbook and record trees."""
    head = ("name", "town", "job", "ill", "team", "note")
    text = "".join(f"{','.join(row)}\n" for row in (head, *ROWS))
    (tmp_path / "people.csv").write_text(text)
    (tmp_path / "town.csv").write_text("".join(f"townt0ken{i};areat0ken{i // 2};*\n" for i in range(4)))
    (tmp_path / "shoal.toml").write_text(CONFIG)
    tree = '{"name": "%s", "town": "%s", "visits": [{"job": "%s", "ill": "%s"}]}\n'
    (tmp_path / "trees.ndjson").write_text("".join(tree % row[:4] for row in ROWS))
    (tmp_path / "trees.toml").write_text(TREE)
    with sqlite3.connect(tmp_path / "people.db") as database:
        database.execute(
            "create table people (name text, town text, job text, ill text, team text, note text)"
        )
        database.executemany("insert into people values (?, ?, ?, ?, ?, ?)", ROWS)
    database.close()
    (tmp_path / "database.toml").write_text(
        CONFIG.replace('path = "people.csv"', 'url = "sqlite:///people.db"\ntable = "people"')
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def every_logger():
    """The root, and each that libraries made; those of SQLAlchemy are loud only where somebody asks for it."""
    import sqlalchemy.engine
    import sqlalchemy.pool  # noqa: F401

    known = list(logging.root.manager.loggerDict)
    return [logging.getLogger(), *map(logging.getLogger, known)]


@pytest.fixture
def told(monkeypatch, capfd):
    """Run a command: its exit code, and all that it told: output, steps, what libraries wrote, every log."""
    heard = []

    class Listener(logging.Handler):
        def emit(self, record):
            heard.append(f"{record.name}: {record.getMessage()} {record.exc_info or ''}")

    root, listener = logging.getLogger(), Listener(logging.NOTSET)
    monkeypatch.setattr(show._Silence, "__call__", lambda _self, *words: heard.append(str(words)))
    root.addHandler(listener)
    before = {each: each.level for each in every_logger()}
    for each in before:
        each.setLevel(1)

    def run(*words):
        done = CliRunner().invoke(shoal, [str(word) for word in words])
        heard.append("".join(capfd.readouterr()))
        text = "\n".join([done.output, *heard])
        heard.clear()
        return done.exit_code, text

    yield run
    root.removeHandler(listener)
    for each, level in before.items():
        each.setLevel(level)


def silent(told, *words, code=0):
    """A command tells nothing of anybody."""
    found, text = told(*words)
    assert found == code, text
    assert text.strip(), words
    for secret in (TOKEN.pattern, SEED, PASSWORD):
        assert secret not in text.lower(), text[max(text.lower().find(secret) - 300, 0) :][:600]
    return text


def files_of(folder):
    """What every file of a folder holds, by its path."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("config", ["shoal.toml", "database.toml", "trees.toml"])
def test_a_whole_life_tells_nothing(folder, told, config):
    original = {"database.toml": "sqlite:///people.db", "trees.toml": "trees.ndjson"}.get(
        config, "people.csv"
    )
    silent(told, "run", config, "--seed", SEED)
    silent(told, "run", config, "--seed", SEED, "--force", "--json")
    silent(told, "verify", "release", "--config", config, "--against", original)
    silent(told, "attack", "release", "--config", config, "--against", original)
    silent(told, "risk", config)
    silent(told, "risk", config, "--json")
    public, private = files_of(folder / "release"), files_of(folder / "release.private")
    assert len(public) == 3
    assert len(private) >= 3
    assert not any(SEED.encode() in content for content in (public | private).values())
    assert not any(re.search(rb"(?:name|note)t0ken", content) for content in public.values())
    assert b"t0ken" not in public[folder / "release" / "manifest.json"]


@pytest.mark.parametrize("tree", [False, True])
def test_rows_that_sqlalchemy_fetches_are_in_no_log(folder, told, tree, monkeypatch):
    """Where ADBC has no driver for a database."""
    monkeypatch.setattr("shoal.io.read.sql._read_by_adbc", lambda *_: None)
    if tree:
        with sqlite3.connect(folder / "people.db") as database:
            database.execute("create table visits (who text references people (name), ward text)")
            database.executemany("insert into visits values (?, ?)", [(row[0], "wardt0ken") for row in ROWS])
        database.close()
        silent(told, "init", "sqlite:///people.db", "--force")
    else:
        silent(told, "risk", "database.toml")


def test_looking_at_unknown_data_tells_nothing(folder, told):
    silent(told, "init", "people.csv", "--force")
    silent(told, "init", "people.csv", "--force", "--json")
    silent(told, "init", "trees.ndjson", "--force")
    silent(told, "init", "sqlite:///people.db", "--force")
    silent(told, "hierarchy", "check", "town.csv")


def test_a_workbook_tells_nothing(folder, told):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(folder / "people.xlsx") as book:
        sheet = book.add_worksheet()
        for place, row in enumerate([("name", "town", "open"), *(row[:2] for row in ROWS)]):
            sheet.write_row(place, 0, row)
    silent(told, "risk", "people.xlsx")


FAULTS = {
    "an unknown value": ("people.csv", lambda text: text.replace("townt0ken3", "townt0kenX", 1), 2),
    "a repeated name": ("people.csv", lambda text: text.replace("namet0ken3,", "namet0ken4,"), 2),
    "a cell too many": ("people.csv", lambda text: text + "a,t0ken,c,d,e,f,g\n", 2),
    "a quote": ("people.csv", lambda text: text.replace("namet0ken7", '"namet0ken7'), 2),
    "another encoding": ("people.csv", lambda text: text.replace("namet0ken9", "namet0ken\udce9"), 2),
    "no header": ("people.csv", lambda text: text.split("\n", 1)[1], 2),
    "a hierarchy's fault": ("town.csv", lambda text: text + "townt0ken0;othert0ken;*\n", 2),
    "a hierarchy's root": ("town.csv", lambda text: text + "townt0ken9;othert0ken;roott0ken\n", 2),
    "too few people": ("shoal.toml", lambda text: text.replace("k = 3", "k = 61"), 3),
    "broken trees": ("trees.ndjson", lambda text: text.replace('"}]}', '"t0ken}]}', 1), 2),
    "a person twice": ("trees.ndjson", lambda text: text + text.split("\n")[0] + "\n", 2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_errors_tell_nothing(folder, told, name):
    file, change, code = FAULTS[name]
    text = (folder / file).read_text()
    (folder / file).write_text(change(text), errors="surrogateescape")
    silent(told, "run", "trees.toml" if "trees" in file else "shoal.toml", code=code)


@pytest.mark.parametrize(
    ("tables", "asked"),
    [(["people"], 'identifier = "name"'), (["people", "visits"], 'keys = { "visits.who" = "people.name" }')],
)
def test_a_folder_of_tables_without_headers_tells_nothing(folder, told, tables, asked):
    (folder / "tables").mkdir()
    for name in tables:
        (folder / "tables" / f"{name}.csv").write_text("".join(f"{','.join(row[:4])}\n" for row in ROWS))
    asked = TREE.replace('identifier = "name"', f'person = "people"\n{asked}')
    (folder / "tables.toml").write_text(asked.replace("trees.ndjson", "tables"))
    assert "no column" in silent(told, "run", "tables.toml", code=2)


@pytest.mark.parametrize(
    "url",
    [f"postgresql://ann:{PASSWORD}@127.0.0.1:9/db", f"postgresql://ann@127.0.0.1:9/db?password={PASSWORD}"],
)
def test_the_password_of_a_database_is_told_nowhere(folder, told, url, monkeypatch):
    monkeypatch.setitem(os.environ, "PGCONNECT_TIMEOUT", "2")
    (folder / "shoal.toml").write_text(
        CONFIG.replace('path = "people.csv"', f'url = "{url}"\ntable = "people"')
    )
    for words in (("init", url, "--force"), ("risk", url), ("run",), ("risk", "shoal.toml")):
        silent(told, *words, code=2)
    assert not (folder / "release").exists()
