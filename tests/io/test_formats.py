"""The table of formats: every row can be read, and no ending is listed anywhere else."""

import ast
from pathlib import Path

import pytest

import shoal
from shoal.io.formats import ENDINGS, ending_of, format_of
from shoal.io.read import parts, table

SOURCES = Path(shoal.__file__).parent
INPUTS = {
    ".tsv",
    ".jsonl",
    ".xlsx",
    ".por",
    ".xpt",
    ".dat",
    ".sqlite",
}  # no release and no hierarchy has these


def test_every_table_format_has_a_reader_and_every_reader_a_format():
    assert {one.reader for one in ENDINGS.values() if one.table} == set(table._READERS)


def test_every_format_in_parts_is_read_in_parts():
    assert {one.reader for one in ENDINGS.values() if one.in_parts} == {*parts._SCANS, "fimi"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_name_has_its_format_packed_or_not_in_any_letters(ending):
    for name in (f"a{ending}", f"a.b{ending}.gz", f"A{ending.upper()}"):
        assert ending_of(name) == ending
        assert format_of(name) is ENDINGS[ending]
    assert format_of(ending.removeprefix(".")) is None


def test_endings_of_inputs_stand_in_the_table_alone():
    texts = {path: path.read_text() for path in SOURCES.rglob("*.py")}
    listed = {
        path.relative_to(SOURCES).as_posix()
        for path, text in texts.items()
        if any(f"{ending}{quote}" in text for ending in INPUTS for quote in "\"'")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in INPUTS
    }
    assert listed == {"io/formats.py"}
