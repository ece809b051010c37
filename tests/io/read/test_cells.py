"""Cells to text, text to codes."""

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.base.errors import InputError, ShoalWarning
from shoal.io.config import load
from shoal.io.read.cells import cell_texts, code_table, gather_cells, normalize_notation, truncate_to_dates
from shoal.io.read.notation import Notation
from shoal.io.read.source import Source
from shoal.io.read.trees import TreeSpec, trees_of_records
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify

pytestmark = pytest.mark.usefixtures("bare")

NAIVE = dt.datetime(2020, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (["007", "", None], ["007", "", None]),
        ([1, None, -3], ["1", None, "-3"]),
        ([1.0, 2.5, float("nan"), -0.0, None, 1e-7], ["1", "2.5", None, "0", None, "1e-7"]),
        ([123456789012.0, float("inf")], ["123456789012", "inf"]),
        ([True, False, None], ["true", "false", None]),
        ([Decimal("2.00"), Decimal("2.50")], ["2", "2.50"]),
        ([dt.date(2020, 1, 2), None], ["2020-01-02", None]),
        ([dt.datetime(2020, 1, 2), None], ["2020-01-02", None]),
        ([NAIVE, dt.datetime(2020, 1, 2)], ["2020-01-02T03:04:05", "2020-01-02T00:00:00"]),
        ([NAIVE.replace(tzinfo=dt.UTC)], ["2020-01-02T03:04:05+00:00"]),
        ([dt.time(3, 4, 5)], ["03:04:05"]),
        ([dt.timedelta(hours=1)], ["PT1H"]),
        ([None, None], [None, None]),
        (pl.Series(["x", None], dtype=pl.Categorical), ["x", None]),
        (pl.Series([0.1, 3.0], dtype=pl.Float32), ["0.1", "3"]),
    ],
)
def test_text(cells, texts):
    written = cell_texts(pl.Series("c", cells))
    assert written.dtype == pl.String
    assert written.name == "c"
    assert written.to_list() == texts


@pytest.mark.parametrize("cells", [[["a"]], [{"a": 1}], [b"secret"]])
def test_nested_and_binary_cells_are_refused(cells):
    with pytest.raises(InputError, match=r"^column 'c': cells are nested or binary") as caught:
        cell_texts(pl.Series("c", cells))
    assert "secret" not in str(caught.value)


cells = st.lists(st.sampled_from([None, "", "?", "b", "a", "é", "B", "10", "9"]), min_size=1, max_size=12)


@settings(max_examples=100)
@given(cells)
def test_codes_give_the_cells_back_and_the_vocabulary_is_sorted(given_cells):
    source = Source(pl.DataFrame({"c": given_cells}, schema={"c": pl.String}), missing=("?",))
    column = code_table(source, {"c": "quasi"}).columns[0]
    expected = [None if cell in (None, "", "?") else cell for cell in given_cells]
    assert column.cells() == expected
    known = sorted({cell for cell in expected if cell is not None})
    assert list(column.values) == known + [None] * (None in expected)
    assert column.codes.dtype == np.int32


@settings(max_examples=50)
@given(cells, st.randoms(use_true_random=False))
def test_codes_do_not_tell_the_order_of_the_file(given_cells, random):
    shuffled = random.sample(given_cells, len(given_cells))
    one, other = (
        code_table(Source(pl.DataFrame({"c": c}, schema={"c": pl.String})), {"c": "quasi"}).columns[0]
        for c in (given_cells, shuffled)
    )
    assert one.values == other.values
    assert sorted(one.codes) == sorted(other.codes)


def people(**columns):
    return Source(pl.DataFrame(columns), name="people.csv", missing=("?",))


def test_identifiers_are_left_out_and_weights_kept():
    source = people(name=["Ann", "Bo"], age=[31, 47], sex=["F", "M"])
    coded = code_table(source, {"name": "identifier", "age": "quasi", "sex": "plain"}, weights={"age": 2})
    assert [(c.name, c.role, c.weight) for c in coded.columns] == [("age", "quasi", 2), ("sex", "plain", 1)]
    assert coded.persons is None


def test_persons_are_dense_numbers_and_the_person_column_needs_no_role():
    source = people(id=["z", "a", "z", "m"], age=[31, 47, 31, 22])
    coded = code_table(source, {"age": "quasi"}, person="id")
    assert coded.persons.dtype == np.int64
    assert coded.persons.tolist() == [2, 0, 2, 1]
    assert [c.name for c in coded.columns] == ["age"]


def test_a_person_may_be_a_published_column():
    coded = code_table(people(id=["z", "a"], age=[1, 2]), {"id": "quasi", "age": "quasi"}, person="id")
    assert [c.name for c in coded.columns] == ["id", "age"]


def test_with_persons_identifiers_may_repeat():
    source = people(id=[1, 1], name=["Ann", "Ann"], age=[31, 47])
    assert code_table(source, {"name": "identifier", "age": "quasi"}, person="id").persons.tolist() == [0, 0]


def test_one_missing_identifier_is_no_repeat():
    source = people(name=["Ann", "?", "Bo"], age=[1, 2, 3])
    assert code_table(source, {"name": "identifier", "age": "quasi"}).n == 3


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([None, "?", "Ann"], "2 records have no identifier"),
        (["", " ", "\u00a0"], "3 records have no identifier"),
        (["A 1", "A1", "B2"], "2 records share an identifier"),
        (["A1", "A1 ", "\tB2"], "2 records share an identifier"),
        ([" 17", "17", "18"], "2 records share an identifier"),
    ],
)
def test_identifiers_that_differ_by_blanks_or_are_empty_are_repeats(names, words):
    source = people(name=names, age=[1, 2, 3])
    with pytest.raises(InputError, match=words):
        code_table(source, {"name": "identifier", "age": "quasi"})


def test_persons_that_differ_by_blanks_are_one():
    source = people(name=["A1", " A1", "A 1", "B2"], age=[1, 2, 3, 4])
    persons = code_table(source, {"age": "quasi"}, person="name").persons
    assert len(set(persons.tolist())) == 2


ROLES = {"name": "identifier", "age": "quasi"}


@pytest.mark.parametrize(
    ("columns", "roles", "options", "sentence"),
    [
        (
            {"name": ["s3cret"], "age": [1]},
            {"name": "identifier"},
            {},
            "people.csv: no role for 'age'; give every",
        ),
        ({"age": [1]}, ROLES, {}, "people.csv: no column 'name'; there are age"),
        ({"age": [1]}, {"age": "quasi"}, {"person": "id"}, "people.csv: no column 'id'; there are age"),
        ({"age": [1]}, {"age": "quasi"}, {"weights": {"x": 1}}, "people.csv: no column 'x'; there are age"),
        (
            {"age": [1]},
            {"age": "quasi"},
            {"weights": {"age": 0}},
            "column 'age': weight=0; it must be a positive",
        ),
        ({"age": [1]}, {"age": "quas"}, {}, "column 'age': unknown role; did you mean 'quasi'"),
        ({"age": [1]}, {"age": "identifier"}, {}, "people.csv: every column is an identifier"),
        ({"age": []}, {"age": "quasi"}, {}, "people.csv: no records"),
        (
            {"name": ["s3cret", "s3cret", "Bo", "Cy", "Cy"], "age": [1, 2, 3, 4, 5]},
            ROLES,
            {},
            "people.csv, column 'name': 4 records share an identifier; set data.person to the column",
        ),
        (
            {"ssn": [1, 2], "name": ["s3cret", "s3cret"], "age": [1, 2]},
            {"ssn": "identifier", **ROLES},
            {},
            "people.csv, column 'name': 2 records share an identifier",
        ),
        (
            {"name": ["Ann", None, "?"], "age": [1, 2, 3]},
            ROLES,
            {"person": "name"},
            r"people.csv, column 'name': 2 record\(s\), first record 2, name no person",
        ),
    ],
)
def test_bad_tables_are_one_sentence_without_a_cell(columns, roles, options, sentence):
    with pytest.raises(InputError, match=f"^{sentence}") as caught:
        code_table(people(**columns), roles, **options)
    assert "s3cret" not in str(caught.value)


def test_the_source_is_left_as_it_was():
    source = people(age=["?", "1"])
    before = source.frame.clone()
    code_table(source, {"age": "quasi"})
    assert source.frame.equals(before)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_how_a_kept_cell_reads_does_not_depend_on_those_left_out(unit):
    moments = pl.Series("seen", [NAIVE, dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 3)])
    source = Source(pl.DataFrame({"seen": moments.cast(pl.Datetime(unit))}))
    kept = gather_cells(source, "seen", np.array([1, 2]))
    assert cell_texts(kept).to_list() == [
        "2020-01-02",
        "2020-01-03",
    ]  # although the one left out came at another time
    dates = truncate_to_dates(source.frame["seen"], np.array([1, 2]))
    assert cell_texts(dates).to_list() == [str(NAIVE.date()), "2020-01-02", "2020-01-03"]
    assert truncate_to_dates(source.frame["seen"], np.array([0, 2])) is None
    assert gather_cells(source, "seen", np.array([0, 2])).dtype == pl.Datetime


# Decimal commas: columns of such numbers become numbers, everything else keeps its spelling.

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
        ([" 1,5 ", "", "-", "2"], ["1.5", None, None, "2"]),
        (["1", "2"], ["1", "2"]),
        (["1,5", "x"], ["1,5", "x"]),
        (["1.5", "2,5"], ["1.5", "2.5"]),
        (["1,5", "+"], ["1,5", "+"]),
        (["10.12.1999", "1,5"], ["10.12.1999", "1,5"]),
        (["01069", "04103"], ["01069", "04103"]),
        (["", "-"], ["", "-"]),
        ([None, "1,5"], [None, "1.5"]),
    ],
)
def test_only_columns_of_such_numbers_change(cells, pointed):
    source = Source(pl.DataFrame({"x": cells}), missing=("-",))
    made = normalize_notation(source, "x", Notation(","))
    assert (cells if made is None else made.to_list()) == pointed


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
    open_ = pl.DataFrame({"age": ["30,500", "47,250"]})  # thousands, or decimals
    with pytest.raises(InputError, match="are not numbers"):
        shoal.read(open_, roles={"age": "quasi"}, hierarchies={"age": {"ranges": [10]}})
    with pytest.raises(InputError, match="decimal: it is neither"):
        shoal.read(frame, roles={"age": "quasi"}, decimal=";")
    with pytest.raises(InputError, match="thousands: it is not a thousands separator"):
        shoal.read(frame, roles={"age": "quasi"}, thousands=".", decimal=".")
    with pytest.raises(InputError, match="dates: it is neither 'day first' nor 'month first'"):
        shoal.read(frame, roles={"age": "quasi"}, dates="year first")


def test_thousands_and_the_order_of_dates_in_python():
    frame = pl.DataFrame({"pay": ["30,500", "47,250"], "born": ["01/02/1999", "03/04/2001"]})
    roles, rules = (
        {"pay": "quasi", "born": "quasi"},
        {"pay": {"ranges": [1000]}, "born": {"dates": ["month"]}},
    )
    data = shoal.read(frame, roles=roles, hierarchies=rules, thousands=",", dates="month first")
    assert [data.table.column(name).cells() for name in frame.columns] == [
        ["30500", "47250"],
        ["1999-01-02", "2001-03-04"],
    ]


def test_cells_that_cannot_be_read_are_missing_and_told():
    frame = pl.DataFrame({"pay": [f"${n},500" for n in range(1, 41)] + ["ask Ann"], "note": ["$5"] * 41})
    with pytest.warns(ShoalWarning, match="column 'pay': 1 cell cannot be read as numbers, taken as missing"):
        data = shoal.read(
            frame, roles={"pay": "quasi", "note": "plain"}, hierarchies={"pay": {"ranges": [10_000]}}
        )
    assert data.table.column("pay").cells()[-2:] == ["40500", None]
    assert data.table.column("note").cells()[0] == "$5"  # published as it came


def test_a_hierarchy_that_lists_the_cells_as_they_are_keeps_them(tmp_path):
    (tmp_path / "pay.csv").write_text("$1,500;low;*\n$2,500;low;*\n")
    frame = pl.DataFrame({"pay": ["$1,500", "$2,500"]})
    data = shoal.read(frame, roles={"pay": "quasi"}, hierarchies={"pay": tmp_path / "pay.csv"})
    assert data.table.column("pay").cells() == ["$1,500", "$2,500"]


def test_decimals_of_a_table_with_baskets_are_read_once():
    frame = pl.DataFrame({"dose": ["1,234", "1,250"], "what": ["a", "b"]})
    data = shoal.read(frame, roles={"dose": "quasi", "what": "items"}, decimal=",")
    assert data.people.table.column("dose").cells() == ["1.234", "1.250"]


def test_decimals_of_trees():
    records = [{"cost": "1,5", "code": "1,5"}, {"cost": "1.200", "code": "x"}]
    trees = trees_of_records(records, TreeSpec(notation=Notation(",")))
    assert sorted(trees.values) == ["1,5", "1.5", "1200", "x"]
    files = TreeSpec(notation=Notation(","), hierarchies={"cost": object()})
    assert "1,5" in trees_of_records(records[:1], files).values
