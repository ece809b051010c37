from dataclasses import replace

import pytest

from shoal.data import Trees
from shoal.data.trees import Nesting
from shoal.errors import InputError
from shoal.io.formats import TREE_FILES
from shoal.io.write.trees import frame_of, read_released, write_trees

TREES = Trees.of(
    [
        [("ward", "=A", ("ill", 'flu, "bad"')), ("ill", "-gout")],
        [],
        [("ward", "Ä'\n", ("ill", "[1, 2]"))],
        [("ward", "12"), ("ward", "0012")],
    ]
)


@pytest.mark.parametrize("format", [format for format in TREE_FILES if format != "nested"])
def test_every_format_comes_back_as_it_went_out(tmp_path, format):
    write_trees(TREES, tmp_path, format)
    assert [path.name for path in tmp_path.iterdir()] == [TREE_FILES[format]]
    assert read_released(tmp_path, format).same(TREES)


@pytest.mark.parametrize("format", list(TREE_FILES))
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
    for act in (lambda: write_trees(TREES, None, "xls"), lambda: read_released(None, "xls")):
        with pytest.raises(InputError, match="there are ndjson, csv, parquet, xml, tables"):
            act()


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
