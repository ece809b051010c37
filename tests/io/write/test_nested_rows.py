"""Trees that keep rows, written as nested records and read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.io.config import TreeSpec
from shoal.io.read.trees import trees_of_records
from shoal.io.write.trees import odd_trees, read_released, write_trees

VALUES = st.sampled_from("xy")
DEEP = st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1)
ROW = st.fixed_dictionaries(
    {},
    optional={
        **{name: VALUES for name in "abc"},
        "codes": st.lists(VALUES, max_size=3),
        "deep": st.lists(DEEP),
    },
)
RECORDS = st.lists(
    st.fixed_dictionaries({"p": VALUES}, optional={"rows": st.lists(ROW, max_size=3), "one": DEEP})
)


@given(RECORDS.filter(bool))
def test_what_is_written_is_read_back_and_looks_as_it_came(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("rows")
    trees = trees_of_records(records, TreeSpec(repeats="keep"))
    write_trees(trees, folder, "nested")
    again = read_released(folder, "nested rows")
    assert again.repeats
    assert again.same(trees)
    assert odd_trees(again, folder, "nested rows") is None
    lines = [json.loads(line) for line in (folder / "data.rows.ndjson").read_text().splitlines()]
    for line, record in zip(lines, records, strict=True):
        cells = [
            sorted((k, v) for k, v in row.items() if isinstance(v, str)) for row in record.get("rows", [])
        ]
        shown = [sorted((k, v) for k, v in row.items() if isinstance(v, str)) for row in line.get("rows", [])]
        assert sorted(filter(None, cells)) == sorted(filter(None, shown))


@pytest.mark.parametrize(
    "line", ['{"rows": [[]]}', '{"rows": ""}', '{"rows": {}}', '{"rows": [1]}', "[]", "{"]
)
def test_a_changed_line_is_refused(tmp_path, line):
    (tmp_path / "data.rows.ndjson").write_text(line + "\n")
    with pytest.raises(InputError, match="line 1"):
        read_released(tmp_path, "nested rows")
