"""A project as a file: what is in it, what comes back of it, and what is refused."""

import json
from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.web.pages.project import rename_twins
from shoal.web.pages.saved import SavedProject, read_saved

GOOD = SavedProject(
    name="people.csv",
    files=["people.csv"],
    decided={"guarantee": {"k": 7}, "method": {"name": "mondrian"}},
    roles={"zip": "drop"},
    reading={"decimal": ",", "header": [3, 4]},
    own=[["data", "person", "name"], ["data", "missing", ["", "?"]]],
    columns=[["age", "quasi", {"weight": 2.0, "level": None}]],
    edited={"age": {"ranges": [10]}, "job": {"file": "hierarchies/edited/job.csv", "built": True}},
    hierarchies={"hierarchies/edited/job.csv": "nurse;care;*\n"},
    settled=["sex"],
)


def written(folder, change=lambda facts: facts):
    path = folder / "x.shoal"
    facts = json.loads(GOOD.text())
    path.write_text(json.dumps(change(facts) or facts))
    return path


def test_what_was_saved_comes_back(tmp_path):
    assert read_saved(written(tmp_path)) == GOOD


HOSTILE = {
    "another version": lambda facts: facts | {"shoal project": 2},
    "a list": lambda facts: [facts],
    "a part is missing": lambda facts: {key: facts[key] for key in facts if key != "own"},
    "a part too many": lambda facts: facts | {"path": "/etc/passwd"},
    "a section with paths": lambda facts: facts | {"decided": {"data": {"path": "/etc/passwd"}}},
    "a key of data with a path": lambda facts: facts | {"own": [["data", "path", "/etc/passwd"]]},
    "a key that is no text": lambda facts: facts | {"own": [["data", ["person"], "x"]]},
    "a key of reading that is none": lambda facts: facts | {"reading": {"url": "sqlite:///x"}},
    "a column with a path": lambda facts: facts | {"columns": [["age", "items", {"path": "/etc/passwd"}]]},
    "a role that is none": lambda facts: facts | {"roles": {"zip": "root"}},
    "a hierarchy elsewhere": lambda facts: facts | {"edited": {"age": "/etc/passwd"}},
    "a hierarchy in a file elsewhere": lambda facts: facts | {"edited": {"age": {"file": "../../x.csv"}}},
    "a file elsewhere": lambda facts: facts | {"hierarchies": {"../../x.csv": "a;*"}},
    "a file above": lambda facts: facts | {"hierarchies": {"hierarchies/edited/../x.csv": "a;*"}},
    "a file below": lambda facts: facts | {"hierarchies": {"hierarchies/edited/a/x.csv": "a;*"}},
    "another kind of file": lambda facts: facts | {"hierarchies": {"hierarchies/edited/x.toml": "a;*"}},
    "a file that is no text": lambda facts: facts | {"hierarchies": {"hierarchies/edited/x.csv": [1]}},
    "something deep": lambda facts: facts | {"decided": {"method": {"x": deep(40)}}},
    "no name": lambda facts: facts | {"name": ""},
}


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_project_is_refused_in_one_sentence(tmp_path, change):
    with pytest.raises(InputError, match=r"^project: this is no project that shoal saved"):
        read_saved(written(tmp_path, change))


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"[" * 100_000, b"null", b'{"shoal project": 1}', b"NaN"])
def test_other_files_are_refused(tmp_path, raw):
    (tmp_path / "x.shoal").write_bytes(raw)
    with pytest.raises(InputError, match="no project"):
        read_saved(tmp_path / "x.shoal")


KEYS = st.sampled_from([*json.loads(GOOD.text()), "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(KEYS, VALUES)
def test_whatever_stands_in_it_it_is_refused_or_comes_back(tmp_path_factory, key, value):
    path = written(tmp_path_factory.mktemp("any"), lambda facts: deepcopy(facts) | {key: value})
    saved = None
    with suppress(InputError):
        saved = read_saved(path)
    assert saved is None or json.loads(saved.text())[key] == value


@pytest.mark.parametrize(
    ("text", "line", "twin", "header"),
    [
        ("age,sex,age\n1,f,2\n", 1, 3, "age,sex,age (2)"),
        ("Title;;\n\nage;a,b;age\r\n1;f;2\r\n", 3, 3, "age;a,b;age (2)\r"),
        ('"last, first",x,"last, first"\n1,2,3\n', 1, 3, '"last, first",x,"last, first (2)"'),
        ("Größe\tGröße\tGröße (2)\n1\t2\t3\n", 1, 2, "Größe\tGröße (3)\tGröße (2)"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_the_second_of_two_columns_gets_a_name_and_nothing_else_changes(
    tmp_path, text, line, twin, header, encoding
):
    path = tmp_path / "people.csv"
    path.write_bytes(text.encode(encoding))
    assert "two columns are called" in rename_twins(path, line, twin)
    lines = text.split("\n")
    lines[line - 1] = header
    assert path.read_bytes().decode(encoding) == "\n".join(lines)


def test_a_header_that_is_not_seen_is_left_alone(tmp_path):
    path = tmp_path / "people.csv"
    for raw, line in ((b"a,a", 1), (b"\x1f\x8b\0a,a\n1,2\n", 1), (b"a,a\n1,2\n", 5)):
        path.write_bytes(raw)
        assert rename_twins(path, line, 2) is None
        assert path.read_bytes() == raw
