"""Trees in the nesting that they came in: what is written is what is read back, whatever was cut."""

import json
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.io.config import load
from shoal.io.read.nested_records import xml_records
from shoal.io.read.trees import TreeSpec, read_trees, trees_of_records
from shoal.io.write.nested_trees import read_nested_records, require_nesting, write_nested_records
from shoal.io.write.trees import noncanonical_trees, read_released, write_trees
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify

pytestmark = pytest.mark.usefixtures("bare")

VALUES = st.sampled_from(["x", "y", "*", "[1, 2)", "é\n", 5, 2.5, None])
NESTED = st.recursive(
    VALUES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
        st.dictionaries(st.sampled_from("abcd"), inner, min_size=1, max_size=3).map(lambda one: [one, one]),
    ),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(st.sampled_from("abcd"), NESTED, max_size=3), min_size=1, max_size=5)


def written(trees):
    file = BytesIO()
    write_nested_records(trees, file, rows=False)
    return file.getvalue()


def back(tmp_path, text, *, rows=False):
    path = tmp_path / "data.nested.ndjson"
    path.write_bytes(text)
    return next(read_nested_records(path, rows=rows))


def grown(records, **spec):
    try:
        return trees_of_records(records, TreeSpec(repeats="merge", **spec))
    except InputError:
        assume(False)


@settings(max_examples=300)
@given(RECORDS, st.data())
def test_nested_trees_are_read_back_whatever_was_cut(tmp_path_factory, records, data):
    trees = grown(records)
    tmp_path = tmp_path_factory.mktemp("nested")
    assert back(tmp_path, written(trees)).same(trees)
    parents = trees.parents.copy()
    for node in range(len(parents)):  # a cut relation hangs a node higher, and what is below it with it
        if parents[node] >= 0 and data.draw(st.booleans()):
            first = trees.start[np.searchsorted(trees.start, node, "right") - 1]
            above = parents[first + parents[node]]
            parents[node] = data.draw(st.sampled_from([-1, int(above)]))
    kinds = [(trees.classes[kind], value) for kind, value in zip(trees.kinds, trees.values, strict=True)]
    cut = Trees.build(kinds, trees.start, trees.items, parents)
    assert back(tmp_path, written(replace(cut, nesting=trees.nesting))).same(cut)


@settings(max_examples=100)
@given(RECORDS)
def test_what_is_written_is_read_like_what_came_in(records):
    """The same nesting: whoever reads the file as input, with the same heads, finds the same trees."""
    trees = grown(records)
    again = [json.loads(line) for line in written(trees).splitlines()]
    there = {path: head for path, head in trees.nesting.heads.items() if f"{path}.{head}" in trees.classes}
    assert trees_of_records(again, TreeSpec(heads=there, repeats="merge")).same(trees)


PATIENT = {
    "id": 7,
    "sex": "F",
    "tags": ["a", "b"],
    "visits": [
        {"ward": "A", "year": 2020, "ills": [{"code": "flu", "drugs": ["p", "q"]}, {"code": "gout"}]},
        {"ward": "B", "year": 2021, "doctor": {"name": "Dr", "room": "5"}},
    ],
}


def test_fields_stand_as_they_came():
    trees = trees_of_records([PATIENT], TreeSpec(identifier="id", repeats="merge"))
    texts = {"year": "2020"}
    (line,) = written(trees).splitlines()
    came = {key: value for key, value in PATIENT.items() if key != "id"}
    assert json.loads(line) == json.loads(json.dumps(came), parse_int=str)
    assert list(json.loads(line)) == ["sex", "tags", "visits"]
    assert list(json.loads(line)["visits"][0]) == ["ward", "year", "ills"]
    assert json.loads(line)["visits"][0]["year"] == texts["year"]


def test_a_field_that_a_single_record_listed_stays_single():
    records = [{"a": "x"}, {"a": "y"}, {"a": ["x", "y"]}]
    assert (
        written(trees_of_records(records[:2] * 3 + records[2:], TreeSpec())).splitlines()[0] == b'{"a": "x"}'
    )


def test_a_cut_relation_leaves_an_object_without_its_head():
    trees = trees_of_records([{"visits": [{"ward": "A", "ill": "flu"}]}] * 2, TreeSpec(repeats="merge"))
    cut = Trees.of(
        [[("visits.ward", "A"), ("visits.ill", "flu")], [("visits.ward", "A", ("visits.ill", "flu"))]]
    )
    lines = written(replace(cut, nesting=trees.nesting)).splitlines()
    assert json.loads(lines[0]) == {"visits": [{"ward": "A"}, {"ward": None, "ill": "flu"}]}
    assert json.loads(lines[1]) == {"visits": [{"ward": "A", "ill": "flu"}]}


def test_names_of_dropped_heads_do_not_go_out():
    trees = trees_of_records(
        [{"v": {"secret": "s", "ill": "flu"}}], TreeSpec(drop=["v.secret"], heads={"v": "secret"})
    )
    assert b"secret" not in written(trees)


def test_depth(tmp_path):
    deep = "x"
    for _ in range(150):
        deep = {"h": "v", "n": [deep]}
    trees = trees_of_records([{"n": deep}], TreeSpec(repeats="merge"))
    assert back(tmp_path, written(trees)).same(trees)


BROKEN = [
    "[]", "5", "{", "\ufeff{}", '{"a": 5}', '{"a": null}', '{"a": ""}', '{"a": []}', '{"a": {}}',
    '{"a": [["x"]]}', '{"a": [1]}', '{"a": true}', '{"a": "x", "a": "y"}', '{"a.b": "x"}', '{"": "x"}',
    '{"a": {"b": null}}', '{"a": {"b": ""}}', '{"a": {"b": "x", "c": null}}', '{"a": ' * 5000 + "1" + "}" * 5000,
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        *((line, rows) for line in BROKEN for rows in (False, True)),
        ('{"a": [{"b": "x"}, {"c": "x"}]}', False),
    ],
)
def test_what_nobody_wrote_is_refused(tmp_path, line, rows):
    with pytest.raises(InputError, match=r"line 2: not a nested record.*; give it as it was released"):
        back(tmp_path, b'{"a": "x"}\n' + line.encode() + b"\n", rows=rows)


def test_what_did_not_come_nested_is_refused(tmp_path):
    with pytest.raises(InputError, match="nested is for records that came nested"):
        written(Trees.of([[("a", "x")]]))
    with pytest.raises(InputError, match=r"field 'a.b' has no name or a dot in its name"):
        require_nesting(trees_of_records([{"a.b": "x"}], TreeSpec()))
    assert require_nesting(trees_of_records([{"a.b": "x", "c": "y"}], TreeSpec(drop=["a.b"])))
    path = tmp_path / "p.xml"
    path.write_text("<all><p><a>x</a><a>y</a><b c='z'>t</b></p></all>")
    trees = read_trees(path)
    assert json.loads(written(trees)) == next(xml_records(path, "p"))[1]


# Trees that keep rows.

CELLS = st.sampled_from("xy")
DEEP = st.dictionaries(st.sampled_from("abc"), CELLS, min_size=1)
ROW = st.fixed_dictionaries(
    {},
    optional={
        **{name: CELLS for name in "abc"},
        "codes": st.lists(CELLS, max_size=3),
        "deep": st.lists(DEEP),
    },
)
ROW_RECORDS = st.lists(
    st.fixed_dictionaries({"p": CELLS}, optional={"rows": st.lists(ROW, max_size=3), "one": DEEP})
)


@given(ROW_RECORDS.filter(bool))
def test_rows_are_read_back_and_look_as_they_came(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("rows")
    trees = trees_of_records(records, TreeSpec(repeats="keep"))
    write_trees(trees, folder, "nested")
    again = read_released(folder, "nested rows")
    assert again.repeats
    assert again.same(trees)
    assert noncanonical_trees([again], folder, "nested rows") is None
    lines = [json.loads(line) for line in (folder / "data.rows.ndjson").read_text().splitlines()]
    for line, record in zip(lines, records, strict=True):
        cells = [
            sorted((k, v) for k, v in row.items() if isinstance(v, str)) for row in record.get("rows", [])
        ]
        shown = [sorted((k, v) for k, v in row.items() if isinstance(v, str)) for row in line.get("rows", [])]
        assert sorted(filter(None, cells)) == sorted(filter(None, shown))


# Through the door.

CONFIG = """
[data]
path = "people.ndjson"
[tree]
identifier = "id"
sensitive = "visits.ills.code"
[tree.hierarchies]
born = { ranges = [10, 50], top = 1990 }
"visits.ward" = { fanout = 2 }
"visits.year" = { fanout = 2 }
[guarantee]
k = 3
l = 2
[method]
name = "gcs"
repeats = "merge"
[release]
format = "nested"
"""


def test_a_release_is_nested_and_verified(tmp_path):
    random = np.random.default_rng(5)
    people = [
        {
            "id": number,
            "born": int(random.integers(1930, 2010)),
            "visits": [
                {
                    "ward": "ABCD"[random.integers(4)],
                    "year": int(random.integers(2019, 2022)),
                    "ills": [{"code": ("flu", "gout", "cold")[random.integers(3)]}],
                }
                for _ in range(random.integers(1, 3))
            ],
        }
        for number in range(60)
    ]
    (tmp_path / "people.ndjson").write_text("".join(json.dumps(one) + "\n" for one in people))
    (tmp_path / "shoal.toml").write_text(CONFIG)
    release = run_config(tmp_path / "shoal.toml", tmp_path / "out")
    lines = (tmp_path / "out" / "data.nested.ndjson").read_text().splitlines()
    assert len(lines) == release.manifest["records_out"]
    assert all(set(json.loads(line)) <= {"born", "visits"} for line in lines)
    config = load(tmp_path / "shoal.toml")
    assert verify(tmp_path / "out")[1]
    assert verify(tmp_path / "out", config=config, against=tmp_path / "people.ndjson")[1]
    (tmp_path / "out" / "data.nested.ndjson").write_text(
        "\n".join([lines[0], *lines[:-1]]).replace("flu", "rare", 1) + "\n"
    )
    assert not verify(tmp_path / "out", config=config, against=tmp_path / "people.ndjson")[1]
