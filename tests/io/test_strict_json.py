"""JSON that everybody reads alike, or none."""

import pytest

from shoal.io.write.json_text import strict_json


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '[{"a": {"b": 1, "c": 2, "b": 3}}]',
        "[NaN]",
        "-Infinity",
        '["\\ud800"]',
        '{"\\uDFFF": 1}',
        "{",
        b"\xff",
        b'["\xed\xa0\x80"]',
        b"\xef\xbb\xbf[]",
        "[]".encode("utf-16"),
        "9" * 5_000,
    ],
)
def test_what_two_readers_could_read_differently_is_not_read(text):
    with pytest.raises(ValueError):  # noqa: PT011  each fault has words of its own
        strict_json(text)


def test_a_whole_character_in_two_halves_is_read():
    assert strict_json('{"a": ["\\ud83d\\ude00", {"a": 1}]}') == {"a": ["\U0001f600", {"a": 1}]}
