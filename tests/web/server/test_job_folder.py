"""Configurations of strangers read nothing beside what was sent."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.base.progress import no_progress
from shoal.io.config import check
from shoal.web.server.job_folder import Allowed, JobSpec, Task, inner_path, sanitize_name

PLAIN = {"data": {"path": "people.csv"}, "columns": {"age": "quasi"}}


def bounds(folder, **allowed):
    return Task(JobSpec("run", allowed=Allowed(**allowed)), folder, no_progress)


def with_path(place, path):
    """A configuration with a path in one of the places that take one."""
    return {
        "data": PLAIN | {"data": {"path": path}},
        "hierarchy": PLAIN | {"columns": {"age": {"role": "quasi", "hierarchy": path}}},
        "built": PLAIN | {"columns": {"age": {"role": "quasi", "hierarchy": {"file": path, "built": True}}}},
        "file": PLAIN | {"columns": {"age": {"role": "quasi", "hierarchy": {"file": path}}}},
        "long": PLAIN | {"columns": {"got": {"role": "items", "path": path, "key": "id", "item": "what"}}},
        "tree": {"data": {"path": "people.json"}, "tree": {"hierarchies": {"age": path}}},
        "built tree": {
            "data": {"path": "people.json"},
            "tree": {"hierarchies": {"age": {"file": path, "built": True}}},
        },
    }[place]


PLACES = ("data", "hierarchy", "built", "file", "long", "tree", "built tree")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../other/people.csv", "a/../../x", "link", "a\0b", "../folderx/y"]
)
def test_paths_that_lead_elsewhere_are_refused(tmp_path, place, path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="leads out of the job's folder"):
        bounds(folder).check(check(with_path(place, path), folder=folder))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("path", ["people.csv", "a/b.csv", "a/../b.csv", "sqlite:///b.csv"])
def test_paths_inside_are_taken(tmp_path, place, path):
    bounds(tmp_path).check(check(with_path(place, path), folder=tmp_path))


def test_a_folder_of_the_machine_is_read_where_it_is_allowed(tmp_path):
    folder, shared = tmp_path / "folder", tmp_path / "shared"
    folder.mkdir()
    shared.mkdir()
    inside = bounds(folder, folders=(str(shared),))
    for place in PLACES:
        inside.check(check(with_path(place, str(shared / "people.csv")), folder=folder))
        with pytest.raises(InputError, match="leads out"):
            inside.check(check(with_path(place, str(tmp_path / "people.csv")), folder=folder))


@pytest.mark.parametrize(
    "url", ["postgresql://host/people", "sqlite:///people.db", "sqlite:////etc/x.db", "x"]
)
def test_databases_are_read_where_they_are_allowed(tmp_path, url):
    config = check(PLAIN | {"data": {"url": url, "table": "people"}}, folder=tmp_path)
    with pytest.raises(InputError, match="names a database"):
        bounds(tmp_path).check(config)
    bounds(tmp_path, databases=True).check(config)


def test_options_are_bounded_as_well(tmp_path):
    inside = bounds(tmp_path)
    assert inside.source("people.csv") == tmp_path.resolve() / "people.csv"
    for wrong in ("/etc/passwd", "../x", "postgresql://host/people"):
        with pytest.raises(InputError):
            inside.source(wrong)
    assert bounds(tmp_path, databases=True).source("postgresql://host/people") == "postgresql://host/people"


# Names of files that strangers chose.


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
    safe = sanitize_name(name)
    assert safe
    assert safe not in (".", "..")
    assert not safe.startswith((".", " "))
    assert not safe.endswith((".", " "))
    assert not set(safe) & set("/\\<>:\"|?*&'\0\n\r\t")
    assert not any(unicodedata.category(sign).startswith("C") for sign in safe)
    assert len(safe.encode()) <= 121
    assert safe.split(".")[0].lower() not in ("con", "nul", "aux", "prn", "com1", "lpt9")
    assert sanitize_name(safe) == safe


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
    assert sanitize_name(name) == safe


def test_the_suffixes_of_a_long_name_stay():
    assert sanitize_name("x" * 400 + ".csv.gz").endswith("x.csv.gz")


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
def test_names_that_lead_elsewhere_are_refused(path):
    with pytest.raises(InputError, match="not a plain path inside"):
        inner_path(path)
