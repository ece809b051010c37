"""Files of sections: what cannot be one is told in a sentence, and every check says what a value must be."""

import pytest

from shoal.errors import InputError
from shoal.io import settings
from shoal.io.settings import ConfigSection, read_toml


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
        section.take("pth", settings.one_of("csv", "parquet"))


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
