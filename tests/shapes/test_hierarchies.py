"""Hierarchies as they are given: files, recipes, built ones, a folder."""

import gzip
import warnings

import polars as pl
import pytest

import shoal
from shoal.base.errors import HierarchyError, InputError, ShoalWarning
from shoal.hierarchy import Hierarchy
from shoal.io.config import load
from shoal.shapes.hierarchies import hierarchies_in_files, hierarchy_of, specs_of

pytestmark = pytest.mark.usefixtures("bare")


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


VALUES = {
    "countries": ["France", "FR", "Japan", "Brasil"],
    "us-states": ["NY", "Texas", "CA", "wa"],
    "currencies": ["EUR", "USD", "JPY", "CHF"],
    "months": ["Jan", "März", "août", "dec"],
    "weekdays": ["Mon", "Dienstag", "samedi", "sun"],
    "education": ["Abitur", "PhD", "primary", "laurea"],
    "frequency-en": ["never", "often", "always", "sometimes"],
    "icd10": ["E11.9", "e10.1", "I10", "J45.0"],
    "icd9": ["250.83", "8.45", "V45.81", "E8120"],
    "snomed": ["73211009", "38341003", "195967001", "22298006"],
    "atc": ["A10BA02", "A10", "C07AB02", "n02be01"],
    "isco": ["2512", "25", "5120", "9"],
    "nace": ["J62.01", "62.0", "4711", "C10"],
    "naics": ["448120", "4481", "11", "622110"],
    "nuts": ["DE212", "DE2", "FR1", "AT"],
    "de-postal": ["01067", "1067", "80331", "99084"],
    "fr-postal": ["75011", "20200", "20000", "97400"],
    "es-postal": ["28013", "08001", "35001", "51001"],
    "it-postal": ["00184", "20121", "80100", "90133"],
    "us-zip": ["94110-1234", "94110", "10001", "02139"],
    "uk-postal": ["SW1A 1AA", "sw1a1aa", "M1 1AE", "EH1 1YZ"],
    "nl-postal": ["1012 AB", "1012", "3511 AX", "9711 LM"],
}


@pytest.mark.parametrize("vocabularies", [list(VALUES)[place::6] for place in range(6)], ids=", ".join)
def test_a_release_by_each_vocabulary_passes_the_door_and_is_verified(vocabularies, tmp_path):
    """Also with values that a vocabulary does not know, and with missing cells."""
    cells = {name: [*VALUES[name], "?!", None] * 4 for name in vocabularies}
    cells = {name: column[place:] + column[:place] for place, (name, column) in enumerate(cells.items())}
    specs = {name: {"vocabulary": name} for name in vocabularies}
    with pytest.warns(ShoalWarning, match="1 of 5 distinct values are not in vocabulary"):
        people = shoal.read(pl.DataFrame(cells), roles=dict.fromkeys(cells, "quasi"), hierarchies=specs)
    release = shoal.anonymize(people, k=4, method="mondrian", suppress=0.2)
    release.save(tmp_path / "release")
    assert shoal.verify(tmp_path / "release")


def test_items_and_fields_are_grouped_by_a_vocabulary():
    baskets = pl.DataFrame(
        {"drugs": [["A10BA02", "C07AB02"], ["A10BB01", "C07AB03"], ["A10BA02", "C07AB03"]] * 2}
    )
    items = shoal.read(baskets, roles={"drugs": "items"}, hierarchies={"drugs": {"vocabulary": "atc"}})
    assert shoal.anonymize(items, k=2, m=2).claim
    records = [{"visits": [{"icd": code}]} for code in ["E11.9", "E10.1", "I10", "I11.0"] * 3]
    trees = shoal.read_trees(records, hierarchies={"visits.icd": {"vocabulary": "icd10"}})
    assert shoal.anonymize(trees, k=2, m=1, n=1).claim


def test_a_column_of_which_a_vocabulary_knows_nothing_is_refused():
    colours = pl.DataFrame({"colour": ["red", "blue"] * 5})
    with pytest.raises(HierarchyError, match="2 of 2 distinct values are not in vocabulary 'icd10'"):
        shoal.read(colours, roles={"colour": "quasi"}, hierarchies={"colour": {"vocabulary": "icd10"}})


def test_a_release_says_of_groups_by_frequency_what_they_are(tmp_path):
    (tmp_path / "job.csv").write_text(
        "nurse;nurse or clerk;*\nclerk;nurse or clerk;*\njudge;judge or baker;*\nbaker;judge or baker;*\n"
    )
    (tmp_path / "town.csv").write_text("Bern;west;*\nBiel;west;*\nChur;east;*\nThun;east;*\n")
    frame = pl.DataFrame(
        {"job": ["nurse", "clerk", "judge", "baker"] * 5, "town": ["Bern", "Biel", "Chur", "Thun"] * 5}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        people = shoal.read(frame, roles=dict.fromkeys(frame.columns, "quasi"), hierarchies=tmp_path)
    notes = shoal.anonymize(people, k=4, method="optimal").manifest["notes"]
    assert [note["column"] for note in notes if note["kind"] == "by frequency"] == ["job"]
