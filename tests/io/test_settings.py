"""Keys of a configuration, set and taken out."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.io.settings import drop_what_names_nothing, role_of, set_column_keys, set_key, toml_words


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
    assert drop_what_names_nothing(said) == []
    assert said == before


def test_what_speaks_of_columns_that_are_gone_goes():
    said = {
        "data": {"person": "id", "path": "x.csv"},
        "columns": {"id": "drop", "age": "quasi", "ill": "drop"},
        "guarantee": {"k": 5},
        "audit": {"target": "ill"},
    }
    assert len(drop_what_names_nothing(said)) == 2
    assert "audit" not in said
    assert said["data"] == {"path": "x.csv"}
    trees = {
        "tree": {"negations": ["a", "b"], "hierarchies": {"a": "a.csv"}},
        "guarantee": {"k": 2, "m": 2, "n": 1},
    }
    assert len(drop_what_names_nothing(trees)) == 1
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
    assert tomllib.loads(toml_words(data)) == data


def test_numbers_that_are_none_are_written_as_toml_has_them():
    assert math.isnan(tomllib.loads(toml_words({"a": {"b": math.nan}}))["a"]["b"])


def test_what_toml_has_not_is_one_sentence():
    with pytest.raises(InputError, match="null means nothing"):
        toml_words({"a": {"b": None}})
    with pytest.raises(InputError, match="half of a character"):
        toml_words({"a": {"b": "\ud800"}})
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="nested too deeply"):
        toml_words({"a": {"b": deep}})
