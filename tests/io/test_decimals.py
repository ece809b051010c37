"""Decimal commas: columns of such numbers become numbers, everything else keeps its spelling."""

import polars as pl
import pytest

import shoal
from shoal.errors import InputError
from shoal.io.config import check, load
from shoal.io.read.cells import with_points
from shoal.io.read.source import Source
from shoal.io.read.trees import TreeSpec, trees_of_records
from shoal.publish.jobs import run_config
from shoal.publish.verify import verify

CONFIG = """
[data]
path = "people.csv"
decimal = ","
missing = ["-"]
[columns]
id = "identifier"
weight = { role = "quasi", hierarchy = { ranges = [10, 50] } }
dose = { role = "quasi", hierarchy = "dose.csv" }
cost = "sensitive"
[guarantee]
k = 3
"""


@pytest.mark.parametrize(
    ("cells", "pointed"),
    [
        (["1,5", "2", "-3,25", ",5"], ["1.5", "2", "-3.25", ".5"]),
        (["1.234,5", "12.345.678", "7"], ["1234.5", "12345678", "7"]),
        (["1.234", "2.500"], ["1234", "2500"]),
        ([" 1,5 ", "", "-", "2"], ["1.5", "", "-", "2"]),
        (["1", "2"], ["1", "2"]),
        (["1,5", "x"], ["1,5", "x"]),
        (["1.5", "2,5"], ["1.5", "2,5"]),
        (["1,5", "+"], ["1,5", "+"]),
        (["10.12.1999", "1,5"], ["10.12.1999", "1,5"]),
        (["01069", "04103"], ["01069", "04103"]),
        (["", "-"], ["", "-"]),
        ([None, "1,5"], [None, "1.5"]),
    ],
)
def test_only_columns_of_such_numbers_change(cells, pointed):
    source = Source(pl.DataFrame({"x": cells}), missing=("-",))
    assert with_points(source, ["x"]).frame["x"].to_list() == pointed


def test_a_release_of_decimal_commas(tmp_path):
    doses = ["0,5", "1,0"]
    rows = [f"p{i};{60 + i},{i};{doses[i % 2]};{1000 + i % 3},50" for i in range(12)]
    (tmp_path / "people.csv").write_text("id;weight;dose;cost\n" + "\n".join(rows) + "\n")
    (tmp_path / "dose.csv").write_text("0,5;low;*\n1,0;low;*\n")
    (tmp_path / "shoal.toml").write_text(CONFIG)
    run_config(tmp_path / "shoal.toml", tmp_path / "out")
    data = pl.read_csv(tmp_path / "out" / "data.csv", infer_schema=False)
    assert set(data["weight"]) <= {"[60, 70)", "[70, 80)", "[50, 100)", "*"}
    assert set(data["dose"]) <= {"0,5", "1,0", "low", "*"}  # looked up in a file as it is written
    assert set(data["cost"]) == {"1000.50", "1001.50", "1002.50"}
    config = load(tmp_path / "shoal.toml")
    assert verify(tmp_path / "out", config=config, against=tmp_path / "people.csv")[1]


def test_decimals_in_python():
    frame = pl.DataFrame({"age": ["30,5", "31", "47,25", "48"]})
    data = shoal.read(frame, roles={"age": "quasi"}, hierarchies={"age": {"ranges": [10]}}, decimal=",")
    assert sorted(shoal.anonymize(data, k=2).data["age"]) == ["[30, 40)"] * 2 + ["[40, 50)"] * 2
    with pytest.raises(InputError, match="are not numbers"):
        shoal.read(frame, roles={"age": "quasi"}, hierarchies={"age": {"ranges": [10]}})
    with pytest.raises(InputError, match="decimal: it is neither"):
        shoal.read(frame, roles={"age": "quasi"}, decimal=";")


def test_decimals_of_a_table_with_baskets_are_read_once():
    frame = pl.DataFrame({"dose": ["1,234", "1,250"], "what": ["a", "b"]})
    data = shoal.read(frame, roles={"dose": "quasi", "what": "items"}, decimal=",")
    assert data.people.table.column("dose").cells() == ["1.234", "1.250"]


def test_decimals_of_trees():
    records = [{"cost": "1,5", "code": "1,5"}, {"cost": "1.200", "code": "x"}]
    trees = trees_of_records(records, TreeSpec(decimal=","))
    assert sorted(trees.values) == ["1,5", "1.5", "1200", "x"]
    files = TreeSpec(decimal=",", hierarchies={"cost": object()})
    assert "1,5" in trees_of_records(records[:1], files).values


def test_no_other_sign_is_taken(tmp_path):
    raw = {"data": {"path": "x.csv", "decimal": ";"}, "columns": {"age": "quasi"}}
    with pytest.raises(InputError, match=r"\[data\]: 'decimal' must be one of"):
        check(raw, folder=tmp_path)
