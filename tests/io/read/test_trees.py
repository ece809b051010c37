import gzip
import json

import pytest

from shoal.base.errors import InputError, ShoalWarning
from shoal.io.read.trees import TreeSpec, read_trees

PATIENT = {
    "id": 7,
    "sex": "F",
    "visits": [
        {"hospital": "H1", "year": 2020, "ills": [{"code": "flu", "drugs": ["a", "b"]}, {"code": "gout"}]},
        {"hospital": "H2", "year": 2021.0, "ills": []},
    ],
}


@pytest.fixture
def written(tmp_path):
    def write(records, name="patients.ndjson"):
        path = tmp_path / name
        text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in records)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def read(path, **spec):
    """Read the paper's trees; objects that stay rows are looked at in test_tree_rows.py."""
    return read_trees(path, TreeSpec(**{"repeats": "merge", **spec}))


def test_the_reading_rule(written):
    trees = read(written([PATIENT]), drop=["id"])
    ills = ("visits.ills.code", "flu", ("visits.ills.drugs", "a"), ("visits.ills.drugs", "b"))
    assert trees.tree(0) == (
        ("sex", "F"),
        (
            "visits.hospital",
            "H1",
            ("visits.ills.code", "flu", *ills[2:]),
            ("visits.ills.code", "gout"),
            ("visits.year", "2020"),
        ),
        ("visits.hospital", "H2", ("visits.year", "2021")),
    )


def test_a_head_may_be_chosen(written):
    trees = read(written([PATIENT]), drop=["id", "visits.ills"], heads={"visits": "year"})
    assert trees.tree(0) == (
        ("sex", "F"),
        ("visits.year", "2020", ("visits.hospital", "H1")),
        ("visits.year", "2021", ("visits.hospital", "H2")),
    )


def test_an_object_without_its_head_hangs_its_fields_on_the_parent(written):
    records = [{"a": {"head": "x", "b": {"inner": "y", "c": "z"}}}, {"a": {"head": None, "b": {"c": "z"}}}]
    trees = read(written(records))
    assert trees.tree(0) == (("a.head", "x", ("a.b.inner", "y", ("a.b.c", "z"))),)
    assert trees.tree(1) == (("a.b.c", "z"),)


def test_the_head_is_the_first_scalar_seen_for_all_records(written):
    records = [{"v": {"when": None, "where": "x"}}, {"v": {"when": "t", "where": "y"}}]
    assert read(written(records)).tree(1) == (("v.where", "y", ("v.when", "t")),)


def test_values_are_text_and_null_is_absent(written):
    record = {"a": 1, "b": 2.0, "c": 2.5, "d": True, "e": None, "f": "", "g": "?", "h": "x"}
    trees = read_trees(written([record]), missing=("?",))
    assert dict(zip(trees.classes, trees.values, strict=True)) == {
        "a": "1",
        "b": "2",
        "c": "2.5",
        "d": "true",
        "h": "x",
    }


def test_duplicate_siblings_merge(written):
    record = {"v": [{"h": "x", "i": "1"}, {"h": "x", "i": "2"}, {"h": "x", "i": "1"}]}
    assert read(written([record])).tree(0) == (("v.h", "x", ("v.i", "1"), ("v.i", "2")),)


def test_records_with_no_node_count(written):
    trees = read(written([{"a": "x"}, {}, {"a": None}, {"a": []}]))
    assert trees.n == 4
    assert trees.tree(3) == ()


def test_json_and_gzip(written, tmp_path):
    plain = read(written([json.dumps([PATIENT, {**PATIENT, "id": 8}])], "patients.json"), drop=["id"])
    packed = tmp_path / "patients.ndjson.gz"
    packed.write_bytes(
        gzip.compress((json.dumps(PATIENT) + "\n\n" + json.dumps({**PATIENT, "id": 8})).encode())
    )
    assert list(plain.nested()) == list(read(packed, drop=["id"]).nested())


def test_malformed_json_on_line_7_says_line_7(written):
    with pytest.raises(InputError, match=r"patients.ndjson, line 7: not JSON") as caught:
        read(written([{"a": "x"}] * 6 + ['{"a": "secret"']))
    assert "secret" not in str(caught.value)
    lines = ["[", *['{"a": 1},'] * 5, '{"a": }', "]"]
    with pytest.raises(InputError, match=r"patients.json, line 7: not JSON"):
        read(written(lines, "patients.json"))


@pytest.mark.parametrize(
    ("records", "name", "sentence"),
    [
        (["3"], "p.ndjson", "p.ndjson, line 1: not an object"),
        (["[3]"], "p.json", "p.json, record 1: not an object"),
        (["3"], "p.json", "p.json: not an array"),
        ([""], "p.ndjson", "p.ndjson: no records"),
        (["{}"], "p.ndjson", "no record holds a value"),
        (['{"a": 1}'], "p.csv", "no reader of record trees"),
        (
            ['{"a": ' + "[" * 500 + "]" * 500 + "}"],
            "p.ndjson",
            "line 1: field 'a': nested more than 400 deep",
        ),
        (['{"a": ' * 100_000 + "1" + "}" * 100_000], "p.ndjson", "line 1"),
        (['{"a": [{"b": "\\ud800"}]}'], "p.ndjson", "line 1: in field 'a.b': half of a character"),
        (['{"a": {"c.d": "1", "c": {"d": "2"}}}'], "p.ndjson", "occurs twice on the path a.c.d > a.c.d"),
    ],
)
def test_bad_files_are_one_sentence(written, records, name, sentence):
    with pytest.raises(InputError, match=sentence):
        read(written(records, name))


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"identifier": "idd"}, r"tree.identifier names 'idd', which never occurs; .* did you mean 'id'"),
        ({"drop": ["visit"]}, "tree.drop names 'visit', which never occurs"),
        ({"heads": {"visit": "year"}}, "tree.heads names 'visit', which never occurs"),
        ({"heads": {"visits": "when"}}, "tree.heads names 'when' in 'visits', which never occurs"),
        ({"sensitive": "ill"}, "the sensitive field 'ill' does not occur"),
        ({"person": "patients"}, "are for tables"),
    ],
)
def test_names_that_never_occur_are_slips(written, spec, sentence):
    with pytest.raises(InputError, match=sentence):
        read(written([PATIENT]), **spec)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.ndjson: not found"):
        read(tmp_path / "nowhere.ndjson")


def test_depth_200_and_5000_nodes(written):
    deep = "x"
    for _ in range(199):
        deep = {"h": "v", "n": deep}
    trees = read(written([{"n": deep, "w": [str(i) for i in range(5000)]}]))
    assert len(trees.items) == 5200


def test_an_identifier_never_leaves(written):
    trees = read(written([PATIENT, {**PATIENT, "id": 8}]), identifier="id")
    assert "id" not in trees.classes
    assert "7" not in trees.values


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([7, 7, 8], "field 'id': 2 records share an identifier"),
        (["7", " 7", "8"], "field 'id': 2 records share an identifier"),
        (["7 1", 71, "8"], "field 'id': 2 records share an identifier"),
        ([None, "", 8], "field 'id': 2 records have no identifier"),
        ([[1], 2, 3], "an identifier is a text or a number"),
    ],
)
@pytest.mark.parametrize("path", ["id", "who.id"])
def test_identifiers_that_repeat_are_refused(written, ids, words, path):
    records = [{"a": "x", **({"id": i} if path == "id" else {"who": {"id": i, "b": "y"}})} for i in ids]
    with pytest.raises(InputError, match=words.replace("'id'", f"'{path}'")) as caught:
        read(written(records), identifier=path)
    assert "71" not in str(caught.value)
    with pytest.raises(InputError, match=words.replace("'id'", f"'{path}'")):
        read(written(records), identifier=path, heads={"who": "id"} if path == "who.id" else {})


def test_one_record_without_an_identifier_is_no_repeat(written):
    assert read(written([{"a": "x"}, {"a": "x", "id": 1}, {"a": "y", "id": 2}]), identifier="id").n == 3


def test_a_dropped_field_that_looks_like_an_identifier_and_repeats_is_told(written):
    records = [{"id": i, "a": "x"} for i in (1, 1, 2)]
    with pytest.warns(ShoalWarning, match="'id' is dropped, looks like an identifier, and 2 records share"):
        read(written(records), drop=["id"])


def test_an_identifier_of_a_table(tmp_path):
    (tmp_path / "people.csv").write_text("id,nr,sex\n1,a,f\n2,b,m\n")
    (tmp_path / "visits.csv").write_text("whose,ward\n1,A\n2,B\n")
    spec = {"person": "people", "keys": {"visits.whose": "people.id"}}
    for name in ("id", "nr"):
        trees = read(tmp_path, **spec, identifier=name, drop=[] if name == "nr" else ["nr"])
        assert set(trees.classes) == {"sex", "visits.ward"}
    with pytest.raises(InputError, match=r"no column 'nrr' for tree.identifier; did you mean 'nr'"):
        read(tmp_path, **spec, identifier="nrr")
    (tmp_path / "people.csv").write_text("id,nr,sex\n1,a,f\n2,a ,m\n")
    with pytest.raises(InputError, match="table 'people', column 'nr': 2 records share an identifier"):
        read(tmp_path, **spec, identifier="nr")
    with pytest.warns(ShoalWarning, match="'nr' is dropped, looks like an identifier"):
        read(tmp_path, **spec, drop=["nr"])
