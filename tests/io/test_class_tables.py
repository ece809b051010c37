import polars as pl
import pytest
from hypothesis import given, settings

import strategies_trees as strategies
from shoal.data import Trees
from shoal.errors import InputError
from shoal.io.write.trees import require_table_names, tables_of, trees_of_tables


@given(strategies.trees())
@settings(max_examples=30, deadline=None)
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
        ({"record": [1, 2], "patient": ["p17", "p4"]}, "has columns beside record"),
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
        ({"name": ["Ann", "Bo"]}, "has columns beside record, node, parent, value"),
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
