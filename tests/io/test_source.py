"""Frames in, the same kind of frame out."""

import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import InputError
from shoal.io.source import from_frame

CELLS = {"name": ["Ann", None, "Bo"], "age": [31, 47, 22]}


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


@pytest.mark.parametrize("arrow", [True, False])
def test_pandas_comes_back_in_its_own_types(arrow, monkeypatch):
    if not arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    given = pd.DataFrame(
        {"name": ["Ann", None], "age": [31, 47], "share": [0.5, float("nan")], "in": [True, False]}
    )
    source = from_frame(given)
    assert source.frame.schema == {"name": pl.String, "age": pl.Int64, "share": pl.Float64, "in": pl.Boolean}
    assert source.frame["share"].to_list() == [0.5, None]
    pd.testing.assert_frame_equal(source.like(source.frame), given)


@pytest.mark.parametrize("arrow", [True, False])
def test_pandas_categories_and_dates_are_read(arrow, monkeypatch):
    if not arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    given = pd.DataFrame({"c": pd.Categorical(["x", None]), "d": pd.to_datetime(["2020-01-02", None])})
    frame = from_frame(given).frame
    assert frame["c"].cast(pl.String).to_list() == ["x", None]
    assert frame["d"].dt.date().cast(pl.String).to_list() == ["2020-01-02", None]


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
    with pytest.raises(InputError, match=r"^frame: no columns, or two columns of one name; give every"):
        from_frame(frame)


def test_what_is_no_frame_is_refused():
    with pytest.raises(InputError, match=r"^x: a dict is no frame; give a pandas, polars or Arrow frame$"):
        from_frame({"a": [1]}, name="x")


def test_a_column_of_mixed_types_is_named_without_its_cells():
    with pytest.raises(InputError, match=r"^frame, column 'b': the cells mix types") as caught:
        from_frame(pd.DataFrame({"a": [1, 2], "b": [1, "secret"]}))
    assert "secret" not in str(caught.value)


def test_importing_io_imports_no_extra():
    code = (
        "import sys; import shoal.io.read, shoal.io.write, shoal.io.cells, shoal.io.folders, shoal.io.config;"
        "sys.exit(any(m in sys.modules for m in ('pandas', 'pyarrow', 'fastexcel')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
