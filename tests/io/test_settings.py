"""Keys of a configuration, set and taken out; files of sections, and what their checks say a value must be."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.io import settings
from shoal.io.settings import (
    ConfigSection,
    drop_dangling_names,
    format_toml,
    read_toml,
    role_of,
    set_column_keys,
    set_key,
)


def test_a_key_that_is_taken_out_takes_its_empty_section_along():
    said = {"columns": {"age": "quasi"}, "guarantee": {"k": 5}}
    set_key(said, "method", "name", "mstk")
    set_key(said, "method", "name", None)
    set_key(said, "guarantee", "k", None)
    assert said == {"columns": {"age": "quasi"}, "guarantee": {}}


def test_a_column_has_keys_beside_its_role_or_the_role_alone():
    said = {"columns": {"age": "quasi"}}
    set_column_keys(said, "age", {"weight": 2.0})
    assert said["columns"]["age"] == {"role": "quasi", "weight": 2.0}
    set_column_keys(said, "age", {"weight": None})
    set_column_keys(said, "gone", {"weight": 2.0})
    assert said == {"columns": {"age": "quasi"}}
    assert (role_of(said, "age"), role_of(said, "gone")) == ("quasi", "")


def test_what_fits_stays():
    said = {
        "data": {"person": "id"},
        "columns": {"id": "identifier", "age": "quasi", "ill": "sensitive"},
        "guarantee": {"k": 5, "l": 2},
        "audit": {"target": "ill"},
    }
    before = {section: dict(inner) for section, inner in said.items()}
    assert drop_dangling_names(said) == []
    assert said == before


def test_what_speaks_of_columns_that_are_gone_goes():
    said = {
        "data": {"person": "id", "path": "x.csv"},
        "columns": {"id": "drop", "age": "quasi", "ill": "drop"},
        "guarantee": {"k": 5},
        "audit": {"target": "ill"},
    }
    assert len(drop_dangling_names(said)) == 2
    assert "audit" not in said
    assert said["data"] == {"path": "x.csv"}
    trees = {
        "tree": {"negations": ["a", "b"], "hierarchies": {"a": "a.csv"}},
        "guarantee": {"k": 2, "m": 2, "n": 1},
    }
    assert len(drop_dangling_names(trees)) == 1
    assert trees["tree"]["negations"] == ["a"]


# Plain data goes into TOML and comes back.

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXT, st.dictionaries(TEXT, VALUES, max_size=4), max_size=4))
def test_what_is_written_is_read_again(data):
    assert tomllib.loads(format_toml(data)) == data


def test_numbers_that_are_none_are_written_as_toml_has_them():
    assert math.isnan(tomllib.loads(format_toml({"a": {"b": math.nan}}))["a"]["b"])


def test_what_toml_has_not_is_one_sentence():
    with pytest.raises(InputError, match="null means nothing"):
        format_toml({"a": {"b": None}})
    with pytest.raises(InputError, match="half of a character"):
        format_toml({"a": {"b": "\ud800"}})
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="nested too deeply"):
        format_toml({"a": {"b": deep}})


@pytest.mark.parametrize(
    ("check", "good", "bad", "words"),
    [
        (settings.text, ["", "a"], [1, ["a"]], "text"),
        (settings.some_text, ["study"], ["", "a\0", 1], "a text that is not empty, such as the name of the study"),
        (settings.texts, [[], ["a"]], ["a", [1]], "a list of texts"),
        (settings.switch, [True, False], [0, "true"], "true or false"),
        (settings.whole, [0, -3], [True, 1.0, "1"], "a whole number"),
        (settings.positive, [1, 0.5], [0, -1, True, float("inf"), float("nan")], "a positive number"),
        (settings.share, [0.3], [0, 1, "0.3"], "a share above 0 and below 1, such as 0.3"),
        (settings.days, [1, 3650], [0, 3651, 1.5], "a number of days from 1 to 3650"),
        (settings.row, [1], [0, True, "1", 2**41], "the number of a row, counted from 1"),
        (
            settings.row_or_rows,
            [1, [1, 2], (3,)],
            [[], [0], "1", [[1]]],
            "the number of a row, counted from 1, or a list of such",
        ),
    ],
)  # fmt: skip
def test_a_check_says_what_a_value_must_be(check, good, bad, words):
    assert [check(value) for value in good] == [None] * len(good)
    assert [check(value) for value in bad] == [words] * len(bad)


def test_a_section_names_its_place_and_the_nearest_key():
    section = ConfigSection("shoal.toml", "", {"data": {"pth": 1}}).section("data")
    with pytest.raises(InputError, match=r"^shoal.toml, \[data\]: unknown key 'pth'; did you mean 'path'"):
        section.only("path", "url")
    with pytest.raises(InputError, match=r"^shoal.toml, \[data\]: 'pth' must be one of csv, parquet"):
        section.take("pth", settings.require_choice("csv", "parquet"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"^shoal.toml: not found in .*; `shoal init FILE` writes one"):
        read_toml(tmp_path / "shoal.toml")


def test_a_directory_where_a_file_is_expected(tmp_path):
    with pytest.raises(
        InputError,
        match=f"^{tmp_path.name}: a directory where a configuration file is expected; give a file in it$",
    ):
        read_toml(tmp_path)


@pytest.mark.parametrize("name", ["people.csv", "People.CSV", "p.ndjson.gz", "p.parquet", "p.xlsx", "p.xml"])
def test_data_in_place_of_a_configuration_is_told(tmp_path, name):
    (tmp_path / name).write_bytes(b"secret,\xff\n1,2\n")
    with pytest.raises(InputError, match=r"this is data, not a configuration; `shoal init") as caught:
        read_toml(tmp_path / name)
    assert f"`shoal init {name}`" in str(caught.value)
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="not found"):
        read_toml(tmp_path / f"other{name}")
