"""Frames in, the same kind of frame out."""

import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.base.errors import InputError
from shoal.io.read.cells import cell_texts, code_table
from shoal.io.read.source import Source, from_frame, refuse_headless
from shoal.io.read.table import read

with_and_without_arrow = pytest.mark.usefixtures("arrow")
CELLS = {"name": ["Ann", None, "Bo"], "age": [31, 47, 22]}


@pytest.fixture(params=[True, False])
def arrow(request, monkeypatch):
    if not request.param:
        monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.parametrize(
    ("build", "kind"),
    [
        (pl.DataFrame, "polars"),
        (lambda cells: pl.LazyFrame(cells), "polars-lazy"),
        (pd.DataFrame, "pandas"),
        (pa.table, "pyarrow"),
    ],
)
def test_the_kind_that_came_in_goes_out(build, kind):
    given = build(CELLS)
    source = from_frame(given, name="people", missing=("?",))
    assert (source.kind, source.name, source.missing) == (kind, "people", ("?",))
    assert source.frame.to_dict(as_series=False) == CELLS
    back = source.like(source.frame)
    assert type(back) is type(given)
    assert from_frame(back).frame.equals(source.frame)


@with_and_without_arrow
def test_pandas_comes_back_in_its_own_types():
    given = pd.DataFrame(
        {"name": ["Ann", None], "age": [31, 47], "share": [0.5, float("nan")], "in": [True, False]}
    )
    source = from_frame(given)
    assert source.frame.schema == {"name": pl.String, "age": pl.Int64, "share": pl.Float64, "in": pl.Boolean}
    assert source.frame["share"].to_list() == [0.5, None]
    pd.testing.assert_frame_equal(source.like(source.frame), given)


@with_and_without_arrow
def test_pandas_categories_and_dates_are_read():
    given = pd.DataFrame({"c": pd.Categorical(["x", None]), "d": pd.to_datetime(["2020-01-02", None])})
    frame = from_frame(given).frame
    assert frame["c"].cast(pl.String).to_list() == ["x", None]
    assert frame["d"].dt.date().cast(pl.String).to_list() == ["2020-01-02", None]


MANY_TYPES = {
    "grade": pd.Categorical(["x", None, "z"], categories=["z", "y", "x"], ordered=True),
    "floor": pd.Categorical([3, 1, 3]),
    "whole": pd.array([1, None, 2**60 + 1], dtype="Int64"),
    "small": pd.array([1, 2, 3], dtype="int8"),
    "real": pd.array([0.5, None, 1.5], dtype="Float64"),
    "maybe": pd.array([True, None, False], dtype="boolean"),
    "plain": [True, False, True],
    "text": pd.array(["k", "l", None], dtype="string"),
    "day": pd.to_datetime(["2020-01-01", None, "2020-01-03"]),
    "here": pd.to_datetime(["2020-01-01", None, "2020-01-03"], utc=True).tz_convert("Europe/Paris"),
    "lasts": pd.to_timedelta([1, 2, 3], unit="D"),
}


@with_and_without_arrow
def test_pandas_columns_that_are_not_recoded_keep_their_types():
    given = pd.DataFrame(MANY_TYPES)
    source = from_frame(given)
    expected = given.assign(
        grade=given["grade"].cat.remove_unused_categories(),
        floor=given["floor"].cat.remove_unused_categories(),
    )
    pd.testing.assert_frame_equal(source.like(source.frame), expected)


def test_arrow_columns_that_are_not_recoded_keep_their_types():
    given = pa.Table.from_pandas(pd.DataFrame(MANY_TYPES))
    given = given.append_column("name", pa.array(["a", "b", None], pa.string()))
    back = from_frame(given).like(from_frame(given).frame)
    assert back.schema.types == given.schema.types
    assert back.to_pylist() == given.to_pylist()


@pytest.mark.parametrize("build", [lambda frame: frame.to_pandas(), lambda frame: frame.to_arrow()])
def test_recoded_columns_are_text_whatever_came_in(build):
    source = from_frame(
        build(pl.DataFrame({"age": [31, 47], "sex": ["f", "m"]}).cast({"sex": pl.Categorical}))
    )
    back = from_frame(source.like(pl.DataFrame({"age": ["[30, 50)"] * 2, "sex": ["*"] * 2}))).frame
    assert back.to_dict(as_series=False) == {"age": ["[30, 50)"] * 2, "sex": ["*"] * 2}
    assert set(back.dtypes) == {pl.String}


def test_a_cell_that_became_missing_is_missing_in_any_type():
    source = from_frame(pd.DataFrame({"age": [31, -9]}))
    back = source.like(source.frame.with_columns(pl.Series("age", [31, None])))
    assert back["age"].isna().tolist() == [False, True]


def test_an_index_is_ignored():
    source = from_frame(pd.DataFrame({"age": [31, 47]}, index=["Ann", "Bo"]))
    assert source.frame.columns == ["age"]


def test_columns_named_by_number_are_named_by_text():
    assert from_frame(pd.DataFrame([[1, 2]])).frame.columns == ["0", "1"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=["1", 1]),
        pa.table([[1], [2]], names=["a", "a"]),
        pd.DataFrame(),
    ],
)
def test_two_columns_of_one_name_are_refused(frame):
    with pytest.raises(
        InputError, match=r"^frame: no columns, or two columns with the same name; give every"
    ):
        from_frame(frame)


def test_what_is_no_frame_is_refused():
    with pytest.raises(InputError, match=r"^x: a dict is not a frame; give a pandas, polars or Arrow frame$"):
        from_frame({"a": [1]}, name="x")


def test_a_column_of_mixed_types_is_named_without_its_cells():
    with pytest.raises(InputError, match=r"^frame, column 'b': the cells mix types") as caught:
        from_frame(pd.DataFrame({"a": [1, 2], "b": [1, "secret"]}))
    assert "secret" not in str(caught.value)


def test_importing_io_imports_no_extra():
    code = (
        "import sys; import shoal.io.config, shoal.io.read.cells, shoal.io.read.table;"
        "import shoal.io.write.folders, shoal.io.write.table;"
        "sys.exit(any(m in sys.modules for m in ('pandas', 'pyarrow', 'fastexcel')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# A file without a header: nobody's record is told as the names of columns.

ROLES = {"name": "identifier", "age": "quasi", "town": "quasi", "ill": "sensitive"}
RECORDS = [
    ["Anna,41,Bern,flu", "Bruno,52,Chur,flu", "Carla,41,Bern,gout"],
    ["Anna,x,Bern,flu", "Bruno,y,Chur,gout", "Carla,z,Genf,cold"],
    ["anna@x.org,1.5,2020-01-01,a", "bruno@x.org,2.5,2020-01-02,b"],
]


def fault(path, roles):
    with pytest.raises(InputError) as caught:
        code_table(read(path), roles)
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


def test_questions_and_years_are_names_of_columns():
    question = "How satisfied are you, all in all, with the help that you got from us last year?"
    frame = pl.DataFrame({question: ["very", "a bit"], "2021": ["1 200", "900"], "2022": ["1 300", "-"]})
    refuse_headless(Source(frame))
    with pytest.raises(InputError, match="2 of the 2 cells of the first line look like a person's record"):
        refuse_headless(
            Source(pl.DataFrame({"1987": ["1990", "2001"], question: [question[::-1], question * 2]}))
        )


@pytest.mark.parametrize("name", ["*", "^age.*$"])
def test_a_name_like_a_pattern_of_names_is_refused(name, tmp_path):
    said = "the name of column 2 is written like a pattern of names; rename the column$"
    with pytest.raises(InputError, match=f"^frame: {said}"):
        from_frame(pl.DataFrame({"sex": ["f"], name: [31]}))
    (tmp_path / "people.csv").write_text(f"sex,{name}\nf,31\n")
    with pytest.raises(InputError, match=rf"^people\.csv: {said}"):
        read(tmp_path / "people.csv")


OWN_TYPES = {
    "whole numbers of any length": (
        [2**63 + 5, 2**70, -(2**70), None],
        ["9223372036854775813", str(2**70), str(-(2**70)), None],
    ),
    "whole numbers of sixty digits": ([10**60, 1, 1, 1], [str(10**60), "1", "1", "1"]),
    "intervals": (pd.cut(pd.Series([1, 5, 9, None]), [0, 5, 10]), ["(0, 5]", "(0, 5]", "(5, 10]", None]),
    "intervals of their own": (
        pd.Series(pd.arrays.IntervalArray.from_breaks(range(5))),
        ["(0, 1]", "(1, 2]", "(2, 3]", "(3, 4]"],
    ),
    "months": (
        pd.Series([*pd.period_range("2020-11", periods=3, freq="M"), pd.NaT], dtype="period[M]"),
        ["2020-11", "2020-12", "2021-01", None],
    ),
    "quarters as categories": (
        pd.Series(pd.period_range("2020Q3", periods=4, freq="Q")).astype("category"),
        ["2020Q3", "2020Q4", "2021Q1", "2021Q2"],
    ),
}  # fmt: skip


@with_and_without_arrow
@pytest.mark.parametrize("kind", OWN_TYPES)
def test_types_of_pandas_alone_are_read_as_pandas_writes_them(kind):
    cells, texts = OWN_TYPES[kind]
    series = cells if isinstance(cells, pd.Series) else pd.Series(cells, dtype=object)
    frame = pd.DataFrame({"x": series, "age": [1, 1, 2, 2]})
    before = frame.copy()
    source = from_frame(frame)
    assert cell_texts(source.frame["x"]).to_list() == texts
    pd.testing.assert_frame_equal(frame, before)  # the frame of the caller stays as it is
    back = source.like(source.frame)["x"]
    assert [None if pd.isna(cell) else cell for cell in back] == texts


def test_a_type_that_only_arrow_knows_is_one_sentence():
    months = pd.DataFrame({"x": pd.period_range("2020-11", periods=3, freq="M")})
    source = from_frame(pa.Table.from_pandas(months))
    with pytest.raises(InputError, match="column 'x': cells are of a type that cannot be read"):
        cell_texts(source.frame["x"])
