from dataclasses import replace

import polars as pl
import pytest
from hypothesis import example, given, settings

import strategies_trees as strategies
from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.data.trees import Nesting
from shoal.io.formats import TREE_FILES, TREE_FORMATS
from shoal.io.write.trees import (
    _require_table_names,
    _tables_of,
    _trees_of_tables,
    frame_of,
    read_released,
    require_form,
    write_trees,
)

NESTED = [
    [("ward", "=A", ("ill", 'flu, "bad"')), ("ill", "-gout")],
    [],
    [("ward", "Ä'\n", ("ill", "[1, 2]"))],
    [("ward", "12"), ("ward", "0012")],
]
TREES = Trees.of(NESTED)


@pytest.mark.parametrize("format", [format for format in TREE_FORMATS if format != "nested"])
@given(strategies.trees())
@example(NESTED)
@settings(max_examples=30)
def test_every_format_comes_back_as_it_went_out(tmp_path_factory, format, records):
    folder, trees = tmp_path_factory.mktemp(format), Trees.of(records)
    write_trees(trees, folder, format)
    assert [path.name for path in folder.iterdir()] == [TREE_FILES[format]]
    assert read_released(folder, format).same(trees)


@pytest.mark.parametrize("format", list(TREE_FORMATS))
def test_records_without_nodes(tmp_path, format):
    bare = replace(Trees.of([[], []]), nesting=Nesting())
    write_trees(bare, tmp_path, format)
    assert read_released(tmp_path, format).n == 2


def test_a_frame_of_text():
    frame = frame_of(TREES)
    assert frame.columns == ["nodes"]
    assert frame["nodes"][1] == "[]"


def test_formulas_are_escaped_in_tables(tmp_path):
    write_trees(TREES, tmp_path, "tables")
    assert "1,1,,'=A" in (tmp_path / "data" / "ward.csv").read_text()
    assert "1,3,,'-gout" in (tmp_path / "data" / "ill.csv").read_text()


def test_an_unknown_format():
    with pytest.raises(InputError, match="there are ndjson, nodes, xml, tables, nested"):
        write_trees(TREES, None, "xls")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_nodes_in_cells_are_not_written(format):
    sentence = (
        "release.format: record trees are not written as nodes in cells of csv or parquet any more; write "
    )
    with pytest.raises(InputError, match=sentence):
        write_trees(TREES, None, format)
    with pytest.raises(InputError, match=sentence):
        require_form(TREES, format)


def test_a_table_a_class_with_keys():
    tables = _tables_of(Trees.of([[("ward", "A", ("ill", "flu"))], [("ill", "gout")]]))
    assert set(tables) == {"records", "ward", "ill"}
    assert tables["ill"].rows() == [(1, 2, 1, "flu"), (2, 3, None, "gout")]


@pytest.mark.parametrize(
    ("table", "change", "sentence"),
    [
        ("records", None, "no table 'records'"),
        ("records", {"record": [1, 1]}, "numbered from 1, each once"),
        ("records", {"record": [1, None]}, "numbered from 1, each once"),
        ("records", {"record": [1.5, 2]}, "not a whole number"),
        ("records", {"patient": ["p17", "p4"]}, "has columns besides record"),
        ("ward", None, "1 nodes are below a node that is missing"),
        ("ward", {"parent": [2]}, "in a circle"),
        ("ill", {"parent": None}, "no column 'parent'"),
        ("ill", {"record": [2, 2]}, "is below one of another record"),
        ("ill", {"record": [9, 9]}, "some belong to no record"),
        ("ill", {"node": ["x", "x"]}, "not a whole number"),
        ("ill", {"node": [2, 2]}, "occurs twice"),
        ("ill", {"node": [2, 4711]}, "numbered from 1"),
        ("ill", {"value": ["flu", None]}, "a node has no record"),
        ("ill", {"name": ["Ann", "Bo"]}, "has columns besides record, node, parent, value"),
    ],
)
def test_broken_tables_are_refused(table, change, sentence):
    tables = _tables_of(Trees.of([[("ward", "A", ("ill", "flu"))], [("ill", "gout")]]))
    frame = tables.pop(table)
    if change is not None:
        gone = [name for name, cells in change.items() if cells is None]
        cells = {name: pl.Series(cells, strict=False) for name, cells in change.items() if cells is not None}
        tables[table] = frame.drop(gone).with_columns(**cells)
    with pytest.raises(InputError, match=sentence):
        _trees_of_tables(tables, "x")


@pytest.mark.parametrize(
    "names",
    [
        ["a/b"],
        ["../x"],
        [".x"],
        ["a b"],
        ["con"],
        ["Records"],
        ["nul.x"],
        ["a", "A"],
        ["x."],
        ["x" * 101],
        ["ä"],
        [""],
    ],
)
def test_what_cannot_name_a_file(names):
    with pytest.raises(InputError, match="cannot name a table's file"):
        _require_table_names(names)
    _require_table_names(["visits", "visits.ward_2", "record-s"])
