import io
import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies_forest as strategies
from shoal.data import Forest
from shoal.errors import InputError
from shoal.io.class_tables import forest_of_tables, tables_of
from shoal.io.tree_files import forest_of_texts, node_texts, read_xml, write_xml


@given(strategies.forests())
@settings(max_examples=50, deadline=None)
def test_json_goes_out_and_comes_back(records):
    trees = Forest.of(records)
    texts = list(node_texts(trees))
    assert [json.loads(text) for text in texts] == [[_node(node) for node in tree] for tree in trees.trees()]
    assert list(forest_of_texts(texts, "x").trees()) == list(trees.trees())


def _node(node):
    return {"class": node[0], "value": node[1], "children": [_node(child) for child in node[2:]]}


@given(
    st.lists(
        st.lists(st.tuples(st.just("a"), st.text(min_size=1, max_size=5)), max_size=3), min_size=1, max_size=4
    )
)
@settings(max_examples=50, deadline=None)
def test_any_text_survives_json(records):
    trees = Forest.of(records)
    assert list(forest_of_texts(node_texts(trees), "x").trees()) == list(trees.trees())


@given(strategies.forests())
@settings(max_examples=30, deadline=None)
def test_xml_goes_out_and_comes_back(tmp_path_factory, records):
    trees = Forest.of(records)
    path = tmp_path_factory.mktemp("xml") / "data.xml"
    with path.open("wb") as file:
        write_xml(trees, file)
    assert list(read_xml(path).trees()) == list(trees.trees())


def test_xml_escapes(tmp_path):
    trees = Forest.of([[('a"<&', "<x> & 'y' \"z\"\n\t")]])
    path = tmp_path / "data.xml"
    with path.open("wb") as file:
        write_xml(trees, file)
    assert list(read_xml(path).trees()) == list(trees.trees())
    with pytest.raises(InputError, match="control character"):
        write_xml(Forest.of([[("a", "\x01")]]), io.BytesIO())


@given(strategies.forests())
@settings(max_examples=30, deadline=None)
def test_tables_go_out_and_come_back(records):
    trees = Forest.of(records)
    tables = tables_of(trees)
    assert list(forest_of_tables(tables, "x").trees()) == list(trees.trees())
    text = {name: frame.select(pl.all().cast(pl.String)) for name, frame in tables.items()}
    assert list(forest_of_tables(text, "x").trees()) == list(trees.trees())


def test_a_table_a_class_with_keys():
    tables = tables_of(Forest.of([[("ward", "A", ("ill", "flu"))], [("ill", "gout")]]))
    assert set(tables) == {"records", "ward", "ill"}
    assert tables["ill"].rows() == [(1, 2, 1, "flu"), (2, 3, None, "gout")]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{}",
        '["x"]',
        '[{"class": "a"}]',
        '[{"class": "a", "value": 1, "children": []}]',
        '[{"class": "a", "value": "b", "children": [], "more": 1}]',
        "[" * 100_000,
    ],
)
def test_what_is_no_list_of_nodes_is_refused(text):
    with pytest.raises(InputError, match="x, record 2: "):
        forest_of_texts(["[]", text], "x")


def test_trees_that_cannot_be_judged_are_refused():
    twice = '[{"class": "a", "value": "1", "children": [{"class": "a", "value": "2", "children": []}]}]'
    with pytest.raises(InputError, match="x: trees: record 1: a class stands twice"):
        forest_of_texts([twice], "x")


def test_broken_tables_are_refused():
    tables = tables_of(Forest.of([[("ward", "A", ("ill", "flu"))], [("ill", "gout")]]))
    for change, sentence in [
        ({"records": None}, "no table 'records'"),
        ({"ill": tables["ill"].drop("parent")}, "no column 'parent'"),
        ({"ward": None}, "1 nodes hang below none"),
        ({"ill": tables["ill"].with_columns(record=pl.lit(2))}, "hangs below one of another record"),
        ({"ill": tables["ill"].with_columns(record=pl.lit(9))}, "some of no record"),
        ({"ill": tables["ill"].with_columns(node=pl.lit("x"))}, "not a whole number"),
    ]:
        changed = {name: frame for name, frame in (tables | change).items() if frame is not None}
        with pytest.raises(InputError, match=sentence):
            forest_of_tables(changed, "x")
