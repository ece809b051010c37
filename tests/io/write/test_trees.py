from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings

import strategies_trees as strategies
from shoal.data import Trees
from shoal.data.trees import Nesting
from shoal.errors import InputError
from shoal.io.formats import TREE_FILES, TREE_FORMATS
from shoal.io.write.trees import (
    frame_of,
    read_released,
    require_table_names,
    tables_of,
    trees_of_tables,
    write_trees,
)

TREES = Trees.of(
    [
        [("ward", "=A", ("ill", 'flu, "bad"')), ("ill", "-gout")],
        [],
        [("ward", "Ä'\n", ("ill", "[1, 2]"))],
        [("ward", "12"), ("ward", "0012")],
    ]
)


@pytest.mark.parametrize("format", [format for format in TREE_FORMATS if format != "nested"])
def test_every_format_comes_back_as_it_went_out(tmp_path, format):
    write_trees(TREES, tmp_path, format)
    assert [path.name for path in tmp_path.iterdir()] == [TREE_FILES[format]]
    assert read_released(tmp_path, format).same(TREES)


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
    with pytest.raises(InputError, match="there are ndjson, nodes, csv, parquet, xml, tables, nested"):
        write_trees(TREES, None, "xls")


def test_a_column_too_many(tmp_path):
    (tmp_path / "data.csv").write_text("nodes,name\n[],Ann\n")
    with pytest.raises(InputError, match="columns other than nodes"):
        read_released(tmp_path, "csv")


@pytest.mark.parametrize("line", ["[]", '"[]', '"[""]"x"', '"[]","Ann"', '"\udcff"', ""])
def test_a_csv_line_that_is_not_one_cell(tmp_path, line):
    text = f'nodes\n"[]"\n{line}\n'
    (tmp_path / "data.csv").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match="line 3: "):
        read_released(tmp_path, "csv")


@given(strategies.trees())
@settings(max_examples=30)
def test_tables_go_out_and_come_back(records):
    hierarchies = Trees.of(records)
    tables = tables_of(hierarchies)
    assert list(trees_of_tables(tables, "x").nested()) == list(hierarchies.nested())
    text = {name: frame.select(pl.all().cast(pl.String)) for name, frame in tables.items()}
    assert list(trees_of_tables(text, "x").nested()) == list(hierarchies.nested())


def test_a_table_a_class_with_keys():
    tables = tables_of(Trees.of([[("ward", "A", ("ill", "flu"))], [("ill", "gout")]]))
    assert set(tables) == {"records", "ward", "ill"}
    assert tables["ill"].rows() == [(1, 2, 1, "flu"), (2, 3, None, "gout")]


def test_broken_tables_are_refused():
    tables = tables_of(Trees.of([[("ward", "A", ("ill", "flu"))], [("ill", "gout")]]))
    for change, sentence in [
        ({"records": None}, "no table 'records'"),
        ({"ill": tables["ill"].drop("parent")}, "no column 'parent'"),
        ({"ward": None}, "1 nodes are below a node that is missing"),
        ({"ill": tables["ill"].with_columns(record=pl.lit(2))}, "is below one of another record"),
        ({"ill": tables["ill"].with_columns(record=pl.lit(9))}, "some belong to no record"),
        ({"ill": tables["ill"].with_columns(node=pl.lit("x"))}, "not a whole number"),
    ]:
        changed = {name: frame for name, frame in (tables | change).items() if frame is not None}
        with pytest.raises(InputError, match=sentence):
            trees_of_tables(changed, "x")


def test_nodes_below_each_other_without_end_are_refused():
    tables = {
        "records": pl.DataFrame({"record": [1]}),
        "a": pl.DataFrame({"record": [1], "node": [1], "parent": [2], "value": ["x"]}),
        "b": pl.DataFrame({"record": [1], "node": [2], "parent": [1], "value": ["y"]}),
    }
    with pytest.raises(InputError, match="in a circle"):
        trees_of_tables(tables, "x")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"record": [1, 1]}, "numbered from 1, each once"),
        ({"record": [1, None]}, "numbered from 1, each once"),
        ({"record": [1.5, 2]}, "not a whole number"),
        ({"record": [1, 2], "patient": ["p17", "p4"]}, "has columns besides record"),
    ],
)
def test_broken_numbers_of_records(change, sentence):
    tables = tables_of(Trees.of([[("a", "1")], [("a", "1")]])) | {
        "records": pl.DataFrame(change, strict=False)
    }
    with pytest.raises(InputError, match=sentence):
        trees_of_tables(tables, "x")


def test_a_node_twice_or_without_a_value():
    tables = tables_of(Trees.of([[("a", "1")], [("a", "1")]]))
    for change, sentence in (
        ({"node": [1, 1]}, "occurs twice"),
        ({"value": ["1", None]}, "a node has no record"),
        ({"node": [1, 4711]}, "numbered from 1"),
        ({"name": ["Ann", "Bo"]}, "has columns besides record, node, parent, value"),
    ):
        changed = tables["a"].with_columns(**{name: pl.Series(cells) for name, cells in change.items()})
        with pytest.raises(InputError, match=sentence):
            trees_of_tables(tables | {"a": changed}, "x")


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
        require_table_names(names)
    require_table_names(["visits", "visits.ward_2", "record-s"])
