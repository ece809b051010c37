"""Files with labels in and out: SPSS, Stata and SAS, by pyreadstat.

A cell becomes the label of its value, so that a table reads as people read it and hierarchies match its words; what has
no label stays as it is. The labels of a column are in the order of their codes, and only those that occur are kept.
What a file declares to be missing is an empty cell.

Out, numbers and dates stay what they are. Words become codes with labels: 1, 2, 3, ... in the order of the labels,
counted over what is released alone, so that neither a code nor a list of labels tells what else there was. A file says
of its columns what `variables` say and nothing more: no name of a file, no note, no time.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from shoal.errors import ExtraError, InputError
from shoal.io.formats import ENDINGS, format_of
from shoal.io.read import _readstat
from shoal.io.read.cells import text
from shoal.io.read.source import Variable

__all__ = ["labelled_bytes", "natural_order", "read_labelled", "with_labels"]


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


_CODES = 30_000  # labels of a column; with more its words stay words
_LABEL = {"sav": 120, "zsav": 120, "dta": 32_000}  # bytes of the label of a value
_COLUMN = {"sav": 255, "zsav": 255, "dta": 80}  # bytes of the label of a column, of Stata signs
_TEXT = {"sav": 32_767, "zsav": 32_767, "dta": 2_045}  # bytes of a text
_NAME = {
    "sav": r"[^\W\d_][\w.@#$]{0,63}(?<!\.)",
    "zsav": r"[^\W\d_][\w.@#$]{0,63}(?<!\.)",
    "dta": r"[^\W\d]\w{0,31}",
}
_PROGRAM = {"sav": "SPSS", "zsav": "SPSS", "dta": "Stata"}
_STATA = 14  # and later read it; the first with UTF-8
_MADE = {
    "sav": (92, b"01 Jan 7000:00:00"),
    "zsav": (92, b"01 Jan 7000:00:00"),
    "dta": (None, b"01 Jan 1970 00:00"),
}
"""Where a file says when it was made, and what is written there."""
_STAMP = b"<timestamp>\x11"
_FIRST_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def labelled_bytes(frame: pl.DataFrame, format: str, variables: Mapping[str, Variable]) -> bytes:
    """The content of a file with these cells; the same for the same cells, whenever it is made.

    Raises
    ------
    InputError
        Such a file cannot hold a name or a cell.
    ExtraError
        The package that writes it is not installed.
    """
    try:
        import pyreadstat
    except ImportError:
        needs = ENDINGS[f".{format}"].needs
        assert needs is not None
        raise ExtraError.of(f"release.format: '{format}'", *needs) from None
    _check_names(frame.columns, format)
    columns, labels = [], {}
    for cells in frame:
        formed, codes = _formed(cells, format)
        columns.append(formed)
        if codes:
            labels[cells.name] = codes
    told = {name: variables.get(name, Variable()) for name in frame.columns}
    most = _COLUMN[format]
    how: dict[str, Any] = {
        "column_labels": {
            name: one.label[:most].encode()[: max(most, 255)].decode(errors="ignore").strip()
            for name, one in told.items()
            if one.label
        },
        "variable_value_labels": labels,
    }
    if format == "dta":
        how["version"] = _STATA
    else:
        how["variable_measure"] = {
            column.name: _level(told[column.name].level, column, column.name in labels) for column in columns
        }
        how["variable_format"] = {column.name: "F8.0" for column in columns if column.dtype == pl.Int32}
        how["compress" if format == "zsav" else "row_compress"] = True
    with TemporaryDirectory() as folder:
        place = Path(folder) / f"data.{format}"
        try:
            (pyreadstat.write_dta if format == "dta" else pyreadstat.write_sav)(
                pl.DataFrame(columns), place, **how
            )
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
            raise InputError(
                f"release.format: {_PROGRAM[format]} takes no file of these columns; write csv, parquet or ndjson"
            ) from None
        content = bytearray(place.read_bytes())
    at, made = _MADE[format]
    begin = content.index(_STAMP) + len(_STAMP) if at is None else at
    content[begin : begin + len(made)] = made
    return bytes(content)


def _check_names(names: list[str], format: str) -> None:
    for name in names:
        if not re.fullmatch(_NAME[format], name):
            raise InputError(
                f"release.format: {_PROGRAM[format]} has no column called '{name}'; rename it in the data, or write "
                "csv, parquet or ndjson"
            )
    if len({name.lower() for name in names}) < len(names):
        raise InputError(
            f"release.format: {_PROGRAM[format]} does not distinguish 'a' from 'A' in column names; rename one in "
            "the data"
        )


def _formed(cells: pl.Series, format: str) -> tuple[pl.Series, dict[int, str]]:
    """A column as the file holds it, and the labels of its codes, where it is one of words."""
    kind = cells.dtype
    if isinstance(kind, pl.Date) or (isinstance(kind, pl.Datetime) and kind.time_zone is None):
        return cells, {}
    if kind.is_numeric():
        found = _number(text(cells))
        if found is not None:
            return found, {}
    order = list(kind.categories) if isinstance(kind, pl.Enum) else None
    words = text(cells).replace("", None)
    found = _number(words)
    if found is not None:
        return found, {}
    occur = words.drop_nulls().unique().to_list()
    _check_texts(occur, cells.name, format)
    if len(occur) > _CODES or max(map(_bytes, occur)) > _LABEL[format]:
        return words.fill_null(""), {}
    there = set(occur)
    labels = [label for label in order if label in there] if order else sorted(occur, key=natural_order)
    codes = words.replace_strict(labels, range(1, len(labels) + 1), return_dtype=pl.Int32)
    return codes, dict(zip(count(1), labels, strict=False))


def _number(words: pl.Series) -> pl.Series | None:
    """Texts as numbers, where all of them are numbers in the one form in which they are read back; else None."""
    numbers = words.cast(pl.Float64, strict=False)
    if numbers.null_count() != words.null_count() or not numbers.is_finite().all():
        return None
    whole = (numbers == numbers.round()).all() and (numbers.abs() < _EXACT).all()
    back = text(numbers.cast(pl.Int64) if whole else numbers)
    if not back.equals(words.alias(back.name), null_equal=True):
        return None
    small = whole and bool((numbers.abs() < 2**31 - 100).all())  # beyond are Stata's missing values
    return numbers.cast(pl.Int32) if small else numbers


def _check_texts(texts: list[str], name: str, format: str) -> None:
    if any(cell != cell.strip() or "\0" in cell for cell in texts):
        raise InputError(
            f"release.format: column '{name}' has a text that begins or ends with a blank, which {_PROGRAM[format]} "
            "does not keep; write csv, parquet or ndjson"
        )
    if max(map(_bytes, texts)) > _TEXT[format]:
        raise InputError(
            f"release.format: column '{name}' has a text of more than {_TEXT[format]} bytes, which no file of "
            f"{_PROGRAM[format]} holds; write csv, parquet or ndjson"
        )


def _level(level: str, cells: pl.Series, coded: bool) -> str:
    """The level of measurement of what is written: ranges of a scale are in order, words are not of themselves."""
    if coded:
        return {"": "nominal", "scale": "ordinal"}.get(level, level)
    return "nominal" if cells.dtype == pl.String else level or "scale"


def natural_order(label: str) -> tuple[float, str]:
    """How words are sorted where nobody says it: by the first number in them, then as text."""
    found = _FIRST_NUMBER.search(label)
    return float(found[0]) if found else float("inf"), label


def _bytes(label: str) -> int:
    return len(label.encode())
