"""The same people from a file, from two files joined by key, and from databases: one dataset, one release."""

import sqlite3

import numpy as np
import polars as pl
import pytest

import postgres
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify
from shoal.shapes.registry import open_dataset

pytestmark = pytest.mark.usefixtures("bare")

CODES = ["E10", "E11", "I10", "I20", "J45"]
REST = """
[columns]
id = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20, 40] }} }}
sex = "quasi"
{items}
[guarantee]
k = 4
m = 2
[method]
delta = 1
"""


def patients():
    """Sixty invented people, some without any diagnosis, and the diagnoses one a row."""
    random = np.random.default_rng(4)
    n = 60
    people = pl.DataFrame(
        {
            "id": np.arange(100, 100 + n),
            "age": random.integers(20, 60, n),
            "sex": random.choice(["f", "m"], n),
        }
    )
    held = [sorted(random.choice(CODES, random.integers(0, 4), replace=False).tolist()) for _ in range(n)]
    long = pl.DataFrame({"patient": people["id"], "code": held}).explode("code").drop_nulls()
    return people, held, long.sample(fraction=1, shuffle=True, seed=1)


@pytest.fixture
def room(tmp_path):
    people, held, long = patients()
    people.with_columns(pl.Series("codes", [" ".join(basket) for basket in held])).write_csv(
        tmp_path / "whole.csv"
    )
    people.write_csv(tmp_path / "people.csv")
    people.rename({"id": "patient"}).write_csv(tmp_path / "patients.csv")
    long.write_csv(tmp_path / "codes.csv")
    long.write_parquet(tmp_path / "codes.parquet")
    connection = sqlite3.connect(tmp_path / "clinic.db")
    for name, frame in (("people", people), ("codes", long)):
        marks = ", ".join("?" * frame.width)
        connection.execute(f"CREATE TABLE {name} ({', '.join(frame.columns)})")
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", frame.rows())
    connection.commit()
    connection.close()
    return tmp_path


def configured(room, data, items):
    path = room / "shoal.toml"
    path.write_text(f"[data]\n{data}\n{REST.format(items=items)}")
    return path


def baskets(dataset):
    baskets = dataset.baskets
    return [[baskets.values[code] for code in baskets.basket(row)] for row in range(baskets.n)]


LONG = 'role = "items", key = "patient", item = "code", hierarchy = { fanout = 2 }'
PLACES = {
    "csv": ('path = "people.csv"\nperson = "id"', f'codes = {{ path = "codes.csv", {LONG} }}'),
    "parquet": ('path = "people.csv"\nperson = "id"', f'codes = {{ path = "codes.parquet", {LONG} }}'),
    "database": (
        'url = "sqlite:///clinic.db"\ntable = "people"\nperson = "id"',
        f'codes = {{ table = "codes", {LONG} }}',
    ),
    "both": (
        'url = "sqlite:///clinic.db"\ntable = "people"\nperson = "id"',
        f'codes = {{ path = "codes.csv", {LONG} }}',
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_long_table_is_joined_by_key(room, place, tmp_path_factory, monkeypatch):
    config = configured(room, *PLACES[place])
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))  # paths belong to the configuration
    people, held, _ = patients()
    dataset = open_dataset(load(config))
    assert dataset.shape == "mixed"
    assert baskets(dataset) == held
    assert dataset.baskets.name == "codes"
    assert [column.name for column in dataset.people.table.columns] == ["age", "sex"]
    assert dataset.people.table.column("age").cells() == [str(age) for age in people["age"]]
    release = run_config(config, room / "out")
    assert release.manifest["columns"] == {"age": "quasi", "sex": "quasi", "codes": "items"}
    assert verify(room / "out")[1]


def test_a_key_of_one_name_needs_no_person(room):
    config = configured(room, 'path = "patients.csv"', f'codes = {{ path = "codes.csv", {LONG} }}')
    config.write_text(config.read_text().replace("id =", "patient ="))
    assert baskets(open_dataset(load(config))) == patients()[1]


def test_one_file_says_the_same(room):
    config = configured(room, 'path = "whole.csv"', 'codes = { role = "items", hierarchy = { fanout = 2 } }')
    assert baskets(open_dataset(load(config))) == patients()[1]


def test_postgresql_says_the_same(room, cluster):
    people, held, long = patients()
    rows = ", ".join(f"({key}, {age}, '{sex}')" for key, age, sex in people.rows())
    entries = ", ".join(f"({key}, '{code}')" for key, code in long.rows())
    postgres.execute(
        cluster,
        "DROP TABLE IF EXISTS codes; DROP TABLE IF EXISTS people;"
        "CREATE TABLE people (id INTEGER PRIMARY KEY, age INTEGER, sex TEXT);"
        "CREATE TABLE codes (patient INTEGER REFERENCES people(id), code TEXT);"
        f"INSERT INTO people VALUES {rows}; INSERT INTO codes VALUES {entries}",
    )
    data = f'url = "{cluster}"\ntable = "people"\nperson = "id"'
    config = configured(room, data, f'codes = {{ table = "codes", {LONG} }}')
    assert baskets(open_dataset(load(config))) == held
    run_config(config, room / "out")
    for file in [*(room / "out").iterdir(), *(room / "out.private").iterdir()]:
        assert b"hunter2" not in file.read_bytes()
    assert verify(room / "out")[1]


def test_tables_and_baskets_come_from_a_database_too(room):
    database = '[data]\nurl = "sqlite:///clinic.db"\n'
    table = room / "table.toml"
    table.write_text(
        database
        + 'table = "people"\n[columns]\nid = "identifier"\nage = "quasi"\nsex = "quasi"\n[guarantee]\nk = 3'
    )
    assert run_config(table, room / "table").manifest["records_out"] == 60
    sold = room / "baskets.toml"
    sold.write_text(
        database + 'table = "codes"\nperson = "patient"\n[columns]\npatient = "identifier"\ncode = "items"\n'
        "[guarantee]\nk = 3\nm = 2"
    )
    assert run_config(sold, room / "baskets").manifest["records_in"] == sum(map(bool, patients()[1]))


def test_entries_of_nobody_are_counted_and_not_shown(room):
    with (room / "codes.csv").open("a") as file:
        file.write("98765,E10\n98765,I10\n")
    with pytest.raises(InputError, match=r"codes.csv, column 'patient': 2 of \d+ entries") as caught:
        open_dataset(load(configured(room, *PLACES["csv"])))
    assert "98765" not in str(caught.value)


def test_several_items_columns_become_one(room):
    people, held, _ = patients()
    random = np.random.default_rng(2)
    drugs = [
        random.choice(["E10", "A10", "C07"], random.integers(0, 3), replace=False).tolist() for _ in held
    ]
    people.with_columns(pl.Series("drugs", [";".join(basket) for basket in drugs])).write_csv(
        room / "people.csv"
    )
    (room / "icd.csv").write_text("".join(f"{code};{code[0]};any\n" for code in CODES))
    config = configured(
        room,
        'path = "people.csv"\nperson = "id"',
        'drugs = { role = "items", separator = ";", sensitive = ["C07"] }\n'
        'codes = { role = "items", path = "codes.csv", key = "patient", item = "code", hierarchy = "icd.csv" }',
    )
    dataset = open_dataset(load(config))
    both = zip(drugs, held, strict=True)
    assert baskets(dataset) == [
        sorted([f"drugs.{d}" for d in a] + [f"codes.{c}" for c in b]) for a, b in both
    ]
    assert [dataset.baskets.values[code] for code in dataset.baskets.sensitive] == ["drugs.C07"]
    assert dataset.hierarchy.places["codes.any"][1] - dataset.hierarchy.places["codes.any"][0] == len(CODES)
    config.write_text(config.read_text().replace("[guarantee]", "[guarantee]\nl = 2"))
    release = run_config(config, room / "out")
    assert release.claim.as_dict()["model"] == "(k,l^m)-diversity"
    assert release.manifest["columns"]["items"] == "items"
    assert verify(room / "out", config=load(config))[1]
    assert verify(room / "out", config=load(config), against=room / "people.csv")[1]


def test_rows_of_one_person_make_one_record(room):
    frame = pl.DataFrame(
        {
            "id": [1, 1, 2, 3, 4],
            "age": [30, 30, 31, 40, 41],
            "sex": ["f", "f", "f", "m", "m"],
            "codes": ["E10", "I10", "E10", "", "J45"],
            "drugs": ["A", "B", "", "A", "A"],
        }
    )
    frame.write_csv(room / "rows.csv")
    config = configured(room, 'path = "rows.csv"\nperson = "id"', 'codes = "items"\ndrugs = "items"')
    dataset = open_dataset(load(config))
    assert dataset.people.table.n == dataset.baskets.n == 4
    assert baskets(dataset)[0] == ["codes.E10", "codes.I10", "drugs.A", "drugs.B"]


@pytest.mark.parametrize(
    ("data", "items", "sentence"),
    [
        ('url = "sqlite:///clinic.db"', 'codes = "items"', "a database and no table"),
        ('path = "people.csv"', f'codes = {{ table = "codes", {LONG} }}', "names a table and [data] no url"),
        ('path = "people.csv"', f'codes = {{ path = "codes.csv", {LONG} }}', "people.csv: no column 'patient'"),
        ('path = "people.csv"\nperson = "id"', f'codes = {{ path = "nowhere.csv", {LONG} }}', "nowhere.csv: not found"),
        ('path = "whole.csv"\nperson = "id"', f'codes = {{ path = "codes.csv", {LONG} }}', "a column has that name"),
        ('url = "sqlite:///none.db"\ntable = "people"', 'codes = "items"', "database none.db: not found"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_one_sentence(room, data, items, sentence):
    with pytest.raises(InputError) as caught:
        open_dataset(load(configured(room, data, items)))
    assert sentence in str(caught.value)
