"""Names of files that strangers chose."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.web.names import harmless, inner_path


@given(st.text(alphabet=st.characters(), max_size=300) | st.text(alphabet="./\\ con.", max_size=12))
@example("..")
@example("a" * 500 + ".csv.gz")
@example("é" * 200 + ".csv")
@example("\u202egpj.exe")
@example("con.tar.gz")
@example("\ud800")
@example("a." + "b" * 300)
@example(" . .hidden")
def test_any_name_becomes_harmless(name):
    safe = harmless(name)
    assert safe
    assert safe not in (".", "..")
    assert not safe.startswith((".", " "))
    assert not safe.endswith((".", " "))
    assert not set(safe) & set("/\\<>:\"|?*&'\0\n\r\t")
    assert not any(unicodedata.category(sign).startswith("C") for sign in safe)
    assert len(safe.encode()) <= 121
    assert safe.split(".")[0].lower() not in ("con", "nul", "aux", "prn", "com1", "lpt9")
    assert harmless(safe) == safe


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("people.csv", "people.csv"),
        ("Zażółć gęślą.parquet", "Zażółć gęślą.parquet"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\people.csv", "people.csv"),
        ("a\u202ecsv.exe", "acsv.exe"),
        ("<img src=x onerror=alert(1)>.csv", "_img src=x onerror=alert(1)_.csv"),
        ("CON.csv", "_CON.csv"),
        ("", "data"),
        ("folder/", "data"),
        ("a\0b.csv", "ab.csv"),
    ],
)
def test_what_names_become(name, safe):
    assert harmless(name) == safe


def test_the_suffixes_of_a_long_name_stay():
    assert harmless("x" * 400 + ".csv.gz").endswith("x.csv.gz")


@pytest.mark.parametrize("path", ["people.csv", "hierarchies/job.csv", "a/b/c/d.csv"])
def test_paths_inside_a_folder(path):
    assert inner_path(path).as_posix() == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../x",
        "a//b",
        "./a",
        "a/",
        "C:\\x",
        "a\\b",
        "a\0b",
        ".hidden",
        "nul",
        "a/b/c/d/e/f/g/h/i",
        "\ud800",
    ],
)
def test_paths_that_lead_elsewhere_are_refused(path):
    with pytest.raises(InputError, match="not a plain path inside"):
        inner_path(path)
