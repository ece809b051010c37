"""Files with labels in: SPSS, Stata and SAS, by pyreadstat.

A cell becomes the label of its value, so that a table reads as people read it and hierarchies match its words; what has
no label stays as it is. The labels of a column are in the order of their codes, and only those that occur are kept.
What a file declares to be missing is an empty cell.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from shoal.errors import InputError
from shoal.io.formats import format_of
from shoal.io.read import _readstat
from shoal.io.read.cells import text
from shoal.io.read.source import Variable

__all__ = ["read_labelled", "with_labels"]

_EXACT = 2.0**53
_SECONDS, _BYTES_A_SECOND = 600, 100_000  # what a parser may take that some file has sent in circles
_CATALOG = ".sas7bcat"  # what lies beside a file of SAS and has its labels
_LEVELS = ("nominal", "ordinal", "scale")
_WRONG = {
    "large": "more records than are read at once; give fewer records or columns",
    "dates": "a date or a number that no calendar has; write it again, or as csv",
    "broken": "not a file of SPSS, Stata or SAS, or a broken one; write it again",
}


def read_labelled(
    path: Path, name: str, encoding: str | None, room: int, *, codes: bool
) -> tuple[pl.DataFrame, dict[str, Variable]]:
    """Read a file; with `codes` cells stay what they are, else they become labels where values have some.

    Raises
    ------
    InputError
        It is broken, or its cells take more than `room` bytes.
    """
    format = format_of(name)
    assert format is not None
    catalog = path.with_suffix(_CATALOG) if format.function == "read_sas7bdat" else None
    with TemporaryDirectory() as folder:
        given = [str(path), format.function, folder, str(room), encoding or ""]
        if catalog is not None and catalog.is_file():
            given.append(str(catalog))
        parse_apart(given)
        place = Path(folder)
        found, wrong = place / "variables.json", place / "wrong.txt"
        if not found.is_file():
            why = wrong.read_text() if wrong.is_file() else "broken"
            raise InputError(f"{name}: {_WRONG[why]}")
        frame = pl.read_ipc(place / "cells.arrow")
        said = json.loads(found.read_text())
    cells = [_plain(column) for column in frame]
    if not codes:
        cells = [with_labels(column, said[column.name]["labels"]) for column in cells]
    return pl.DataFrame(cells), {column.name: _variable(column, said[column.name]) for column in cells}


def parse_apart(given: Sequence[str]) -> None:
    """Run the parser in a process of its own, which a broken file may end; it says what it found in a folder."""
    size = Path(given[0]).stat().st_size
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-P", str(Path(_readstat.__file__)), *given],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS + size / _BYTES_A_SECOND,
        )


def _plain(cells: pl.Series) -> pl.Series:
    """Whole numbers as such: these files hold all numbers as floats."""
    if not cells.dtype.is_float():
        return cells
    cells = cells.fill_nan(None)
    whole = (
        cells.is_finite().all()
        and bool((cells == cells.round()).all())
        and bool((cells.abs() < _EXACT).all())
    )
    return cells.cast(pl.Int64) if whole else cells


def with_labels(cells: pl.Series, labels: Sequence[tuple[Any, str]]) -> pl.Series:
    """The cells by the labels of their values, which are in the order of the codes; as they are where none has one."""
    words = {_code(value): label.strip() for value, label in labels if label.strip()}
    if not words or cells.dtype.is_temporal():
        return cells
    codes = cells.drop_nulls().unique().sort()
    names = text(codes).to_list()
    there = [words.get(name, "") for name in names]
    if not any(there):
        return cells
    told = [label or name for label, name in zip(there, names, strict=True)]
    if len({*told}) < len(told):  # two codes of one label are two values
        several = {label for label in told if told.count(label) > 1}
        told = [
            f"{label} ({name})" if label in several else label
            for label, name in zip(told, names, strict=True)
        ]
    if len({*told}) < len(told) or "" in told:
        return cells
    return cells.replace_strict(codes, pl.Series(told), return_dtype=pl.Enum(told))


def _code(value: Any) -> str:
    """A value as its cell is written."""
    if isinstance(value, str):
        return value
    if not isfinite(value):
        return "lowest" if value < 0 else "highest"
    return str(text(pl.Series([float(value)]))[0])


def _variable(cells: pl.Series, said: dict[str, Any]) -> Variable:
    missing = tuple(_code(lo) if lo == hi else f"{_code(lo)} to {_code(hi)}" for lo, hi in said["missing"])
    level = said["level"] if said["level"] in _LEVELS else ""
    return Variable(said["label"].strip(), level, missing, isinstance(cells.dtype, pl.Enum))
