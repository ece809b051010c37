"""The configuration file, and every way in which one can be wrong."""

from pathlib import Path

import pytest

from shoal.base.errors import InputError
from shoal.io.config import ColumnSpec, Data, TreeSpec, load

WHOLE = """
[data]
path = "adult.csv"
person = "patient_id"
delimiter = ";"
encoding = "cp1252"
missing = ["", "?"]

[columns]
name     = "identifier"
age      = { role = "quasi", hierarchy = "hierarchies/age.csv", weight = 2 }
zip      = { role = "quasi", hierarchy = { mask = "right" } }
visits   = { role = "items", separator = " ", hierarchy = "/icd.csv", sensitive = ["HIV"] }
height   = { role = "plain", allow = true }

[guarantee]
k = 5
l = 2.5
t = 0.2
diversity = "entropy"

[method]
name = "mstk"
suppress = 0.01
target = "salary"

[release]
format = "parquet"
"""
DATA = '[data]\npath = "x.csv"\n'
LEAST = DATA + '[columns]\nage = "quasi"\n'
A = DATA + "[columns]\na = "
PERSON = DATA + "person = 'p'\n[columns]\na = "


@pytest.fixture
def config(tmp_path):
    def write(content: str | bytes):
        path = tmp_path / "shoal.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return load(path)

    return write


def test_a_whole_file(config, tmp_path):
    read = config(WHOLE)
    here = tmp_path.resolve()
    assert read.folder == here
    assert read.data == Data(here / "adult.csv", None, None, "patient_id", ";", "cp1252", ("", "?"))
    assert read.columns == {
        "name": ColumnSpec("identifier"),
        "age": ColumnSpec("quasi", here / "hierarchies/age.csv", 2.0),
        "zip": ColumnSpec("quasi", {"mask": "right"}),
        "visits": ColumnSpec("items", Path("/icd.csv"), separator=" ", sensitive=("HIV",)),
        "height": ColumnSpec("plain", allow=True),
    }
    assert list(read.columns) == ["name", "age", "zip", "visits", "height"]
    assert read.guarantee == {"k": 5, "l": 2.5, "t": 0.2, "diversity": "entropy"}
    assert (read.method, read.parameters) == ("mstk", {"suppress": 0.01, "target": "salary"})
    assert (read.format, read.tree) == ("parquet", None)


def test_the_least_file(config, tmp_path):
    read = config("\ufeff" + LEAST)
    assert read.data == Data(tmp_path.resolve() / "x.csv")
    assert read.data.missing == ("",)
    assert (read.guarantee, read.method, read.parameters, read.format) == ({}, None, {}, "csv")


def test_relative_paths_belong_to_the_file_not_to_the_caller(config, tmp_path, monkeypatch):
    config(LEAST)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert load("../shoal.toml").data.path == tmp_path.resolve() / "x.csv"


@pytest.mark.parametrize(
    ("rest", "shape"),
    [
        ('[columns]\na = "quasi"', "table"),
        ('[columns]\na = "plain"\nb = "sensitive"', "table"),
        ('[columns]\na = "items"\nb = "sensitive"', "baskets"),
        ('[columns]\na = "items"\nb = "quasi"', "mixed"),
        ('[tree]\ndrop = ["id"]', "trees"),
    ],
)
def test_the_shape_follows_from_the_roles(config, rest, shape):
    assert config(DATA + rest).shape == shape


def test_the_section_of_trees(config, tmp_path):
    read = config(
        DATA
        + """[tree]
person = "people"
drop = ["id", "visits.note"]
heads = { "visits" = "ward" }
sensitive = "visits.ill"
negations = ["visits.ward"]
[tree.keys]
"visits.whose" = "people.id"
[tree.hierarchies]
"visits.ward" = "h/ward.csv"
born = { ranges = [5, 10] }
"""
    )
    assert read.tree == TreeSpec(
        "people",
        {"visits.whose": "people.id"},
        ("id", "visits.note"),
        {"visits": "ward"},
        "visits.ill",
        {"visits.ward": tmp_path.resolve() / "h" / "ward.csv", "born": {"ranges": [5, 10]}},
        ("visits.ward",),
    )
    assert read.format is None  # the form that came in
    assert config(DATA + '[tree]\n[release]\nformat = "tables"\n').format == "tables"


def test_a_database_instead_of_a_file(config):
    data = config('[data]\nurl = "postgresql://x/y"\ntable = "people"\n[columns]\nage = "quasi"\n').data
    assert (data.path, data.url, data.table) == (None, "postgresql://x/y", "people")


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("sqlite:///people.db", "sqlite:///{folder}/people.db"),
        ("sqlite+pysqlite:///in/people.db", "sqlite+pysqlite:///{folder}/in/people.db"),
        ("sqlite:////all/people.db", "sqlite:////all/people.db"),
        ("sqlite:///C:/people.db", "sqlite:///C:/people.db"),
        ("postgresql:///people", "postgresql:///people"),
    ],
)
def test_a_file_of_sqlite_is_relative_to_the_configuration(config, tmp_path, url, found):
    data = config(f'[data]\nurl = "{url}"\n[columns]\nage = "quasi"\n').data
    assert data.url == found.format(folder=tmp_path)


def test_items_in_a_long_table(config, tmp_path):
    spec = config(
        A + "{ role = 'items', path = 'long.csv', key = 'who', item = 'what' }\nb = 'items'"
    ).columns
    assert (spec["a"].path, spec["a"].key, spec["a"].item) == (tmp_path / "long.csv", "who", "what")
    assert spec["a"].in_long_table
    assert not spec["b"].in_long_table


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (LEAST + "[metod]\n", "unknown section 'metod'; did you mean 'method'\\? there are data, columns"),
        (
            LEAST + "[xyz]\n",
            "unknown section 'xyz'; there are data, columns, guarantee, population, method, release, audit, tree",
        ),
        ('[data]\npth = "x"\n', "unknown key 'pth'; did you mean 'path'\\? there are path, url"),
        (DATA + '[columns]\nage = { rol = "quasi" }\n', "unknown key 'rol'; did you mean 'role'"),
        (LEAST + '[release]\nfromat = "csv"\n', "unknown key 'fromat'; did you mean 'format'"),
        (DATA + "[tree]\n[columns]\na = 'quasi'", "\\[tree\\] says .*; leave out \\[columns\\]"),
        (DATA + "person = 'id'\n[tree]\n", "\\[tree\\] says .* and 'table' and 'person' of \\[data\\]"),
        (
            DATA + "[tree]\nhierarchies = { a = 3 }",
            "\\[tree.hierarchies\\]: 'a' must be a file's path or a recipe",
        ),
        (
            DATA + "[tree]\n[release]\nformat = 'xls'",
            "'format' must be one of ndjson, nodes, xml, tables, nested, parquet",
        ),
        (LEAST + "[release]\nformat = 'xml'", "'format' must be one of csv, parquet, ndjson"),
        (
            DATA + '[columns]\nw = { role = "weight", level = 1 }\n',
            "'level' means nothing for a sampling weight",
        ),
        (
            DATA + '[columns]\nage = "quasi-identifier"\n',
            ".* plain, weight, household, pseudonym, text, drop; did you mean 'quasi'",
        ),
        (DATA + '[columns]\nage = "non-sensitive"\n', ".* plain, weight, household, pseudonym, text, drop$"),
        (DATA + "[tree]\ndorp = []\n", "unknown key 'dorp'; did you mean 'drop'"),
        ('columns = 5\n[data]\npath = "x"', "'columns' must be a section, \\[columns\\]"),
        ("[data]\npath = 3\n[columns]\na = 'quasi'", "'path' must be text"),
        ("[data]\n[columns]\na = 'quasi'", "give either 'path', a file, or 'url', a database"),
        (DATA + "url = 'x'\n[columns]\na = 'quasi'", "give either 'path', a file, or 'url', a database"),
        (DATA + "missing = '?'\n[columns]\na = 'quasi'", "'missing' must be a list of texts"),
        (DATA, "no \\[columns\\]; give every column of the data a role"),
        (A + "3", "'a' must be a role or a table such as"),
        (A + "'quas'", "'role' must be one of identifier, quasi, known, sensitive, items, plain"),
        (A + "{ weight = 2 }", "no role; give one of identifier, quasi"),
        (A + "{ role = 'quasi', weight = 0 }", "'weight' must be a positive number"),
        (A + "{ role = 'quasi', weight = nan }", "'weight' must be a positive number"),
        (A + "{ role = 'quasi', weight = true }", "'weight' must be a positive number"),
        (A + "{ role = 'quasi', hierarchy = 3 }", "'hierarchy' must be a file's path or a recipe"),
        (A + "{ role = 'plain', allow = 1 }", "'allow' must be true or false"),
        (A + "{ role = 'items', sensitive = [1] }", "'sensitive' must be a list of texts"),
        (A + "{ role = 'items', path = 'b.csv', key = 'c' }", "a long table needs 'path' or"),
        (A + "{ role = 'items', key = 'c', item = 'd' }", "a long table needs 'path' or"),
        (A + "{ role = 'quasi', key = 'c' }", "'key' is for items in a long table"),
        (DATA + "table = 't'\n[columns]\na = 'quasi'", "'table' is for databases"),
        (LEAST + "[method]\nname = 3", "'name' must be text"),
        (LEAST + "[audit]\ntarget = 5", "'target' must be text"),
        (LEAST + "[audit]\ntarg = 'age'", "unknown key 'targ'"),
        (DATA + "decimal = ';'\n[columns]\na = 'quasi'", "'decimal' must be one of"),
        (A + "{ role = 'plain', redact = 'presidio' }", "'redact' is for free text"),
        (A + "{ role = 'text', allow = true }", "'allow' means nothing for free text"),
        (A + "{ role = 'text', redact = 'spacy' }", "'redact' must be one of presidio"),
        (LEAST + "[release]\ndomain = 'a'", "'domain' is what pseudonyms are bound to"),
        (LEAST + "[release]\ndomain = 3", "'domain' must be text"),
        (A + "{ role = 'pseudonym', weight = 2 }", "'weight' means nothing for a pseudonym"),
        (A + "{ role = 'quasi', shift = 3 }", "'a' has a shift, which a person has"),
        (A + "{ role = 'quasi', shift = 'x' }", "'shift' must be a whole number"),
        (
            PERSON + "{ role = 'quasi', shift = 3 }\nb = { role = 'plain', shift = 4 }",
            "'a' and 'b' have different shifts",
        ),
        (PERSON + "{ role = 'quasi', shift = 0 }", "'a': shift must be a number of days"),
        (PERSON + "{ role = 'drop', shift = 3 }", "'a' has a shift, which moves published"),
        (LEAST + "[release]\nformat = 'xls'", "'format' must be one of csv, parquet, ndjson"),
        (LEAST + "[data]\n", "line 5: not TOML, cannot declare"),
        ("[data]\npath = \n", "line 2: not TOML, invalid value"),
        ("a = [", "end of document: not TOML, invalid value"),
        ("a = " + "[" * 5000, "the TOML cannot be read"),
        ("a = " + "9" * 5000, "the TOML cannot be read"),
        (b"a = '\xff'", "not UTF-8 text; save it as UTF-8"),
    ],
)
def test_bad_files_are_one_sentence(config, content, sentence):
    with pytest.raises(InputError, match=rf"^shoal.toml(, \[[a-z.]+\]: |, |: ){sentence}") as caught:
        config(content)
    assert "\n" not in str(caught.value)


def test_the_section_is_named(config):
    with pytest.raises(InputError, match=r"^shoal.toml, \[columns.age\]: 'weight' must be"):
        config(DATA + "[columns]\nage = { role = 'quasi', weight = -1 }")


def test_the_audit_has_a_target(config):
    assert config(LEAST + '[audit]\ntarget = "age"\n').target == "age"


def test_what_the_owner_tells_of_a_release(config):
    found = config(LEAST + "[release]\ntitle = 'Wards'\nreason = ''\n")
    assert found.about == {"title": "Wards"}
    assert config(LEAST).about == {}
    with pytest.raises(InputError, match="'contact' must be text"):
        config(LEAST + "[release]\ncontact = 3\n")
