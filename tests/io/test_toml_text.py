"""Plain data goes into TOML and comes back."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.io.settings import toml_words

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
    with pytest.raises(InputError, match="half of a sign"):
        toml_words({"a": {"b": "\ud800"}})
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="nested too deeply"):
        toml_words({"a": {"b": deep}})
