"""A file without a header: nobody's record is told as the names of columns."""

import polars as pl
import pytest

from shoal.errors import InputError
from shoal.io.read.cells import table
from shoal.io.read.table import read

ROLES = {"name": "identifier", "age": "quasi", "town": "quasi", "ill": "sensitive"}
RECORDS = [
    ["Anna,41,Bern,flu", "Bruno,52,Chur,flu", "Carla,41,Bern,gout"],
    ["Anna,x,Bern,flu", "Bruno,y,Chur,gout", "Carla,z,Genf,cold"],
    ["anna@x.org,1.5,2020-01-01,a", "bruno@x.org,2.5,2020-01-02,b"],
]


def fault(path, roles):
    with pytest.raises(InputError) as caught:
        table(read(path), roles)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("records", RECORDS)
def test_no_cell_is_told_where_the_header_is_missing(tmp_path, records):
    path = tmp_path / "people.csv"
    path.write_text("\n".join(records) + "\n")
    cells = records[0].split(",")
    for roles in (ROLES, {"age": "quasi"}, {}):
        said = fault(path, roles)
        assert not any(cell in said.replace("people.csv", "") for cell in cells if len(cell) > 1)
        assert "the first line holds the names of the columns" in said


def test_a_cell_that_is_a_name_by_chance_opens_nothing(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,41,Bern,flu\nage,52,Chur,gout\n")
    assert "Bern" not in fault(path, {"age": "quasi", "town": "quasi"})
    assert "Bern" not in fault(path, {"age": "quasi"})


def test_names_are_told_where_there_is_a_header(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,age,town,ill\nAnna,41,Bern,flu\nBruno,52,Chur,gout\n")
    assert "no column 'twon'; did you mean 'town'? there are name, age, town, ill" in fault(
        path, {"name": "identifier", "age": "quasi", "twon": "quasi", "ill": "sensitive"}
    )
    assert "no role for 'town', 'ill'" in fault(path, {"name": "identifier", "age": "quasi"})


@pytest.mark.parametrize("name", ["41", "2020-01-01", "1,5", "+49 30 123", "a@b.de", "12:30", "x" * 61, "5%"])
def test_what_looks_like_a_cell(tmp_path, name):
    pl.DataFrame({"age": [1, 2], name: ["a", "b"]}).write_parquet(tmp_path / "x.parquet")
    assert name not in fault(tmp_path / "x.parquet", {"age": "quasi"})
