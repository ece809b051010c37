"""Hierarchies as they are given: files, recipes, built ones, a folder."""

import gzip

import pytest

from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.config import load
from shoal.publish.hierarchies import hierarchies_in_files, hierarchy_of, specs_of


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "age.csv").write_text("1;low;*\n2;low;*\n")
    (tmp_path / "adult_hierarchy_sex.csv.gz").write_bytes(gzip.compress(b"f;*\nm;*\n"))
    (tmp_path / "notes.md").write_text("nothing")
    return tmp_path


def test_a_file_a_recipe_and_a_built_one_become_hierarchies(folder):
    built = Hierarchy.from_paths("age", [["1", "*"], ["2", "*"]])
    assert hierarchy_of("age", built, ["1"]) is built
    assert hierarchy_of("age", folder / "age.csv", ["1"]).labels[1] == ("low", "*")
    assert hierarchy_of("age", {"fanout": 2}, ["1", "2", "3"]).size == 3


def test_a_folder_gives_each_name_its_file(folder):
    found = specs_of(folder, ["age", "sex", "zip"])
    assert {name: path.name for name, path in found.items()} == {
        "age": "age.csv",
        "sex": "adult_hierarchy_sex.csv.gz",
    }


def test_a_folder_without_any_of_the_files_is_refused(folder):
    with pytest.raises(InputError, match=r"'.*' has no file for any of zip, job; name files <column>.csv"):
        specs_of(folder, ["zip", "job"])
    assert specs_of(folder, []) == {}


def test_only_files_are_known_without_data(folder):
    columns = 'age = { role = "quasi", hierarchy = "age.csv" }\nsex = { role = "quasi", hierarchy = { fanout = 2 } }'
    (folder / "table.toml").write_text(f'[data]\npath = "x.csv"\nmissing = ["?"]\n[columns]\n{columns}\n')
    known = hierarchies_in_files(load(folder / "table.toml"))
    assert set(known) == {"age"}
    trees = '[tree]\nsensitive = "sex"\n[tree.hierarchies]\nage = "age.csv"\nsex = "age.csv"\n'
    (folder / "trees.toml").write_text(f'[data]\npath = "x.ndjson"\n{trees}')
    assert set(hierarchies_in_files(load(folder / "trees.toml"))) == {"age"}
