"""Files with labels in: cells become labels, in the order of their codes; a broken file is one sentence."""

import random
import sys
from contextlib import suppress

import polars as pl
import pyreadstat
import pytest

from labelled_files import parse_here, survey
from shoal.base.errors import ExtraError, InputError
from shoal.io import labelled
from shoal.io.read.layout import Layout
from shoal.io.read.table import read


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(labelled, "run_reader", parse_here)


@pytest.mark.parametrize("name", ["p.sav", "p.zsav", "p.dta"])
def test_cells_are_labels_in_the_order_of_codes_and_only_those_that_occur(here, tmp_path, name):
    source = read(survey(tmp_path / name))
    assert source.frame.schema["v3"] == pl.Enum(["none", "primary", "secondary", "tertiary"])
    assert source.frame.schema["v4"] == pl.Enum(["Flu", "Gout", "Asthma"])
    assert source.frame["v2"].head(3).to_list() == ["Male", "Female", "Male"]
    assert source.variables["v1"].label == "Age in years"


def test_what_is_declared_missing_is_empty_and_the_declaration_is_told(here, tmp_path):
    source = read(survey(tmp_path / "p.sav"))
    assert source.frame["v1"].null_count() == 4
    assert source.frame.schema["v1"] == pl.Int64
    said = source.variables["v1"]
    assert (said.missing, said.level, source.variables["v3"].level) == (("99",), "scale", "ordinal")


def test_codes_stay_codes_where_that_is_asked_for(here, tmp_path):
    frame = read(survey(tmp_path / "p.sav"), layout=Layout(values="codes")).frame
    assert frame["v2"].head(3).to_list() == [1, 2, 1]


@pytest.mark.parametrize(
    ("labels", "cells"),
    [
        ({1: "other", 2: "other"}, ["other (1)", "other (2)", "3"]),
        ({1: "2"}, ["2", "2 (2)", "3"]),
        ({1: "low", 3: "high"}, ["low", "2", "high"]),
        ({9: "none of them"}, [1, 2, 3]),
    ],
)
def test_two_values_never_become_one(here, tmp_path, labels, cells):
    pyreadstat.write_sav(
        pl.DataFrame({"a": [1, 2, 3]}), tmp_path / "p.sav", variable_value_labels={"a": labels}
    )
    assert read(tmp_path / "p.sav").frame["a"].to_list() == cells


def test_words_follow_from_the_codebook_whoever_is_in_the_file(here, tmp_path):
    for codes in ([1, 8], [1, 8, 9]):
        pyreadstat.write_sav(
            pl.DataFrame({"a": codes}),
            tmp_path / "p.sav",
            variable_value_labels={"a": {1: "one", 8: "other", 9: "other"}},
        )
        assert read(tmp_path / "p.sav").frame["a"].to_list()[:2] == ["one", "other (8)"]


def test_empty_texts_of_a_labelled_column_are_missing(here, tmp_path):
    pyreadstat.write_sav(
        pl.DataFrame({"a": ["M", "", "x"]}), tmp_path / "p.sav", variable_value_labels={"a": {"M": "Male"}}
    )
    assert read(tmp_path / "p.sav").frame["a"].to_list() == ["Male", None, "x"]


@pytest.mark.parametrize("name", ["p.sav", "p.zsav", "p.dta"])
def test_which_missing_code_stands_in_an_empty_cell_is_kept(here, tmp_path, name):
    place = tmp_path / name
    if name == "p.dta":
        cells = pl.DataFrame({"a": pl.Series([1, "a", None, "c"], dtype=pl.Object)})
        pyreadstat.write_dta(cells, place, version=14, missing_user_values={"a": ["a", "c"]})
    else:
        cells = pl.DataFrame({"a": [1.0, 98.0, None, -1.0]})
        pyreadstat.write_sav(cells, place, missing_ranges={"a": [{"lo": 97, "hi": 99}, -1]})
    source = read(place)
    assert source.frame["a"].to_list() == [1, None, None, None]
    codes = source.variables["a"].missing_codes
    assert codes is not None
    assert codes.to_list() == ([None, ".a", None, ".c"] if name == "p.dta" else [None, "98", None, "-1"])
    assert source.some([3, 0]).variables["a"].missing_codes.to_list() == codes.to_list()[::-3]


@pytest.mark.parametrize(("codebook", "public"), [("public", ["v2", "v3"]), ("built", []), (None, ["v2"])])
def test_a_codebook_is_public_where_somebody_says_so_or_no_program_seems_to_have_made_it(
    here, tmp_path, codebook, public
):
    source = read(survey(tmp_path / "p.sav"), layout=Layout(codebook=codebook))
    assert [name for name in ("v2", "v3") if source.variables[name].public] == public
    assert source.variables["v3"].numbered


@pytest.mark.parametrize("version", range(8, 16))
def test_every_stata_from_8_to_15_is_read(here, tmp_path, version):
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    pyreadstat.write_dta(frame, tmp_path / "p.dta", version=version, variable_value_labels={"a": {1: "one"}})
    assert read(tmp_path / "p.dta").frame.rows() == [("one", "x"), ("2", "y")]


@pytest.mark.parametrize(("name", "write"), [("p.xpt", "write_xport"), ("p.por", "write_por")])
def test_other_programs_files_are_read(here, tmp_path, name, write):
    getattr(pyreadstat, write)(pl.DataFrame({"A": [1, 2], "B": ["x", "y"]}), tmp_path / name)
    assert read(tmp_path / name).frame.rows() == [(1, "x"), (2, "y")]


@pytest.mark.parametrize("name", ["p.sav", "p.zsav", "p.dta", "p.por", "p.sas7bdat", "p.xpt"])
def test_what_is_no_such_file_is_one_sentence(here, tmp_path, name):
    (tmp_path / name).write_bytes(b"s3cret, this is text\n" * 9)
    with pytest.raises(InputError, match=rf"^{name}: not a file of SPSS, Stata or SAS, or a broken one"):
        read(tmp_path / name)


def test_more_records_than_are_read_at_once_are_refused(here, tmp_path):
    place = survey(tmp_path / "p.sav")
    with pytest.raises(InputError, match=r"^p.sav: more records than are read at once"):
        read(place, limit=1000)


@pytest.mark.parametrize("name", ["p.sav", "p.dta"])
def test_without_the_package_one_sentence_names_the_extra(monkeypatch, tmp_path, name):
    place = survey(tmp_path / name)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(ExtraError, match=r'pip install "shoal-privacy\[stats\]"$'):
        read(place)


@pytest.mark.process
@pytest.mark.parametrize("name", ["p.sav", "p.zsav", "p.dta"])
def test_a_file_that_ends_its_parser_is_one_sentence_too(tmp_path, name):
    whole = survey(tmp_path / name).read_bytes()
    for seed in range(12):
        some, chance = bytearray(whole), random.Random(seed)
        for _ in range(20):
            some[chance.randrange(len(some))] = chance.choice([0, 127, 255])
        (tmp_path / name).write_bytes(some)
        with suppress(InputError):  # a mark that means nothing leaves it readable
            read(tmp_path / name)


@pytest.mark.process
def test_a_parser_that_dies_is_a_broken_file(monkeypatch, tmp_path):
    script = tmp_path / "dies.py"
    script.write_text("import os; os.abort()")
    monkeypatch.setattr(labelled._readstat, "__file__", str(script))
    with pytest.raises(InputError, match="broken one; write it again"):
        read(survey(tmp_path / "p.sav"))
