"""Files with labels in and out: SPSS, Stata and SAS, by pyreadstat.

A cell becomes the label of its value, so that a table reads as people read it and hierarchies match its words; what has
no label stays as it is. The labels of a column are in the order of their codes, and only those that occur are kept.
What a file declares to be missing is an empty cell; which of its missing codes stood there is kept beside the cells.

Out, numbers and dates stay what they are. Words get the codes of their column's codebook, or new ones (see
`shoal.io.codebooks`), with labels of what is released alone. A file says of its columns what `variables` say and
nothing more: no name of a file, no note, no time.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from shoal.base.errors import ExtraError, InputError
from shoal.io.codebooks import (
    CODEBOOKS,
    FIRST,
    Codebook,
    Numbering,
    columns_numbered_by_program,
    number_words,
)
from shoal.io.formats import ENDINGS, format_of
from shoal.io.read import _readstat
from shoal.io.read.cells import cell_texts
from shoal.io.read.child import MEMORY, run_reader
from shoal.io.read.files import scratch_folder
from shoal.io.read.source import Variable

__all__ = ["encode_labelled", "natural_sort_key", "read_labelled", "replace_with_labels", "restore_numbers"]


_EXACT = 2.0**53
_TIMES = 8  # bytes of memory for each byte of cells: they are objects of Python for a while
_CATALOG = ".sas7bcat"  # what lies beside a file of SAS and has its labels
_LEVELS = ("nominal", "ordinal", "scale")
_WRONG = {
    "large": "more records than are read at once; give fewer records or columns",
    "memory": "more memory than it may take is needed to read it; give fewer records or columns",
    "dates": "a date or a number that no calendar has; write it again, or as csv",
    "broken": "not a file of SPSS, Stata or SAS, or a broken one; write it again",
}


def read_labelled(
    path: Path,
    name: str,
    encoding: str | None,
    room: int,
    *,
    codes: bool,
    codebook: str | None = None,
    released: Mapping[str, Codebook] | None = None,
) -> tuple[pl.DataFrame, dict[str, Variable]]:
    """Read a file; with `codes` cells stay what they are, else they become labels where values have some.

    `codebook` says whether its codebook is "public" or "built"; without it that of each column whose labels look
    numbered by a program is taken for built. Of a released file `released` are the public codebooks, by column.

    Raises
    ------
    InputError
        It is broken, or its cells take more than `room` bytes.
    """
    format = format_of(name)
    assert format is not None
    catalog = path.with_suffix(_CATALOG) if format.function == "read_sas7bdat" else None
    with scratch_folder() as output:
        arguments = [str(path.absolute()), format.function, str(output.absolute()), str(room), encoding or ""]
        if catalog is not None and catalog.is_file():
            arguments.append(str(catalog.absolute()))
        script, size = Path(_readstat.__file__), path.stat().st_size
        reason = run_reader(script, arguments, output, size=size, memory=MEMORY + _TIMES * room)
        variables_file = output / "variables.json"
        if reason is not None or not variables_file.is_file():
            raise InputError(f"{name}: {_WRONG[reason or 'broken']}")
        frame = pl.read_ipc(output / "cells.arrow")
        gaps = (
            pl.read_ipc(output / "missing.arrow") if (output / "missing.arrow").is_file() else pl.DataFrame()
        )
        facts = json.loads(variables_file.read_text())
    cells = [_cast_whole_numbers(column) for column in frame]
    books = {column.name: _parse_codebook(column, facts[column.name]) for column in cells}
    missing = {column.name: cell_texts(column).replace("", None) for column in gaps}
    if released is not None:
        cells = [
            _label_released_cells(column, books[column.name], released.get(column.name), missing)
            for column in cells
        ]
        books = {name: released.get(name) for name in frame.columns}
        numbered = []
    else:
        numbered = columns_numbered_by_program(books)
        if not codes:
            cells = [replace_with_labels(column, books[column.name]) for column in cells]
    if codes:
        books = {name: None if book is None else book.without_words() for name, book in books.items()}
    built = books if codebook == CODEBOOKS[1] else numbered if codebook is None else ()
    return pl.DataFrame(cells), {
        column.name: Variable(
            facts[column.name]["label"].strip(),
            facts[column.name]["level"] if facts[column.name]["level"] in _LEVELS else "",
            _list_missing_codes(facts[column.name]),
            isinstance(column.dtype, pl.Enum),
            books[column.name],
            column.name not in built,
            column.name in numbered,
            missing.get(column.name),
        )
        for column in cells
    }


def _cast_whole_numbers(cells: pl.Series) -> pl.Series:
    """Whole numbers as such: these files hold all numbers as floats."""
    if not cells.dtype.is_float():
        return cells
    cells = cells.fill_nan(None)
    is_whole = (
        cells.is_finite().all()
        and bool((cells == cells.round()).all())
        and bool((cells.abs() < _EXACT).all())
    )
    return cells.cast(pl.Int64) if is_whole else cells


def replace_with_labels(cells: pl.Series, book: Codebook | None) -> pl.Series:
    """The cells by the labels of their values, which are in the order of the codes; as they are where none has one."""
    if book is None or not book.words or cells.dtype.is_temporal():
        return cells
    cells = cells.replace("", None) if cells.dtype == pl.String else cells
    codes = cells.drop_nulls().unique().sort()
    names = cell_texts(codes).to_list()
    if book.words.keys().isdisjoint(names):
        return cells
    words = [book.word(name) for name in names]
    if len({*words}) < len(words) or "" in words:
        return cells
    return cells.replace_strict(codes, pl.Series(words), return_dtype=pl.Enum(words))


def restore_numbers(cells: pl.Series) -> pl.Series:
    """A column of numbers, some of which had labels, as numbers where no word is left; whole numbers as such.

    So its type tells of these cells alone, whatever others there were.
    """
    if cells.dtype.is_temporal():
        return cells
    numbers = _parse_number_column(cell_texts(cells).replace("", None))
    return cells if numbers is None else _cast_whole_numbers(numbers.cast(pl.Float64))


def _parse_codebook(cells: pl.Series, said: dict[str, Any]) -> Codebook | None:
    """What a file says of the codes of a column; None of dates and times."""
    if cells.dtype.is_temporal():
        return None
    is_text = cells.dtype == pl.String
    labels = {value: label.strip() for value, label in said["labels"] if label.strip()}
    if is_text:
        label_of_text = {str(value).rstrip(): label for value, label in labels.items()}
        return Codebook(
            {code: label_of_text[code] for code in sorted(label_of_text) if code},
            _list_missing_codes(said),
            text=True,
        )
    numbers = sorted(value for value in labels if not isinstance(value, str) and isfinite(value))
    letters = sorted(value for value in labels if isinstance(value, str) and value.isalpha())
    label_of_code = {
        **dict(zip(_format_numbers(numbers), (labels[number] for number in numbers), strict=True)),
        **{f".{letter.lower()}": labels[letter] for letter in letters},
    }
    return Codebook(label_of_code, _list_missing_codes(said))


def _list_missing_codes(said: dict[str, Any]) -> tuple[str, ...]:
    """The codes that a file declares to mean no value."""
    return tuple(
        _format_code(lo) if lo == hi else f"{_format_code(lo)} to {_format_code(hi)}"
        for lo, hi in said["missing"]
    )


def _format_code(value: Any) -> str:
    """A value as its cell is written."""
    if isinstance(value, str):
        return value.rstrip()
    if not isfinite(value):
        return "lowest" if value < 0 else "highest"
    return _format_numbers([value])[0]


def _format_numbers(numbers: Sequence[float]) -> list[str]:
    """Numbers as their cells are written."""
    return cell_texts(pl.Series(numbers, dtype=pl.Float64)).to_list()


def _label_released_cells(
    cells: pl.Series, own: Codebook | None, book: Codebook | None, missing: dict[str, pl.Series]
) -> pl.Series:
    """The words that stand for the codes of a released column; which code means no value goes to `missing`.

    `own` is what the file says of the codes, `book` what the column's public codebook says.
    """
    name, is_text = cells.name, cells.dtype == pl.String
    if own is None or book is None or (is_text and not book.text):
        missing.pop(name, None)
        return replace_with_labels(cells, own)
    codes = cells.drop_nulls().unique().sort()
    value_of_code = dict(zip(cell_texts(codes).to_list(), codes.to_list(), strict=True))
    missing_codes = [
        code for code in value_of_code if code in book.stated or (is_text and code in book.missing)
    ]
    if missing_codes or name in missing:
        file_codes = _convert_missing_codes(missing.get(name), own, book)
        cell_codes = cell_texts(cells).replace_strict(
            missing_codes, missing_codes, default=None, return_dtype=pl.String
        )
        missing[name] = (cell_codes if file_codes is None else cell_codes.fill_null(file_codes)).alias(name)
        cells = cells.replace([value_of_code[code] for code in missing_codes], None)
    new_codes = [code for code in value_of_code if code in own.labels and code not in book.labels]
    is_unlabelled = is_text and not own.labels  # then no text is a code with a label
    words = {
        code: own.labels[code] if code in new_codes else code if is_unlabelled else book.word(code)
        for code in (
            *(code for code in value_of_code if code not in new_codes and code not in missing_codes),
            *sorted(new_codes, key=lambda code: (len(code.lstrip("-")), code)),
        )
    }
    categories = list(words.values())
    if categories != list(words) and len({*categories}) == len(categories):
        kind = pl.Enum(list(dict.fromkeys([*categories, *filter(None, [book.blank])])))
        cells = cells.replace_strict(
            [value_of_code[code] for code in words], pl.Series(categories), return_dtype=kind
        )
    if not book.blank or not cells.null_count():
        return cells
    return (cells if cells.dtype == pl.Enum else cell_texts(cells)).fill_null(book.blank)


def _convert_missing_codes(written: pl.Series | None, own: Codebook, book: Codebook) -> pl.Series | None:
    """The codebook's missing codes for those that stand in a file of another program."""
    if written is None or book.text:
        return written
    letters = {letter: code for code, letter in book.letters.items()}
    ranges = [code.split(" to ") for code in own.missing if code not in book.missing and " to " in code]
    present_codes = written.drop_nulls().unique().to_list()
    if ranges:
        high = float(ranges[0][1])
        numbers = {code: int(high - float(code)) for code in present_codes if not code.startswith(".")}
        letters |= {
            code: f".{chr(ord('a') + offset)}" for code, offset in numbers.items() if 0 <= offset < 26
        }
    return written.replace(letters) if letters else written


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


def encode_labelled(
    frame: pl.DataFrame, format: str, variables: Mapping[str, Variable], *, first: int = FIRST
) -> bytes:
    """The content of a file with these cells; the same for the same cells, whenever it is made.

    Words without a codebook are numbered from `first`.

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
    variable_of = {name: variables.get(name, Variable()) for name in frame.columns}
    columns, numberings = [], {}
    for cells in frame:
        file_column, numberings[cells.name] = _encode_column(cells, format, variable_of[cells.name], first)
        columns.append(file_column)
    options = {
        "column_labels": _column_labels(variable_of, _COLUMN[format]),
        "variable_value_labels": {
            name: {_whole_to_int(code): label for code, label in numbering.labels.items()}
            for name, numbering in numberings.items()
            if numbering.labels
        },
        **(_stata_options(columns) if format == "dta" else _spss_options(columns, numberings, variable_of)),
    }
    if format != "dta":
        options["compress" if format == "zsav" else "row_compress"] = True
    write = pyreadstat.write_dta if format == "dta" else pyreadstat.write_sav
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"data.{format}"
        try:
            write(pl.DataFrame(columns), path, **options)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
            raise InputError(
                f"release.format: {_PROGRAM[format]} takes no file of these columns; write csv, parquet or ndjson"
            ) from None
        content = bytearray(path.read_bytes())
    offset, stamp = _MADE[format]
    begin = content.index(_STAMP) + len(_STAMP) if offset is None else offset
    content[begin : begin + len(stamp)] = stamp
    return bytes(content)


def _column_labels(variables: Mapping[str, Variable], max_size: int) -> dict[str, str]:
    """What a file says its columns are, cut to so many signs, and to as many bytes where these are more than 255."""
    max_bytes = max(max_size, 255)
    return {
        name: variable.label[:max_size].encode()[:max_bytes].decode(errors="ignore").strip()
        for name, variable in variables.items()
        if variable.label
    }


def _stata_options(columns: Sequence[pl.Series]) -> dict[str, Any]:
    """What pyreadstat needs for Stata beside the cells: its version, and the letters that missing cells have."""
    missing_letters = {
        column.name: sorted({cell for cell in column.to_list() if isinstance(cell, str)})
        for column in columns
        if column.dtype == pl.Object
    }
    return {"version": _STATA, "missing_user_values": missing_letters}


def _spss_options(
    columns: Sequence[pl.Series], numberings: Mapping[str, Any], variables: Mapping[str, Variable]
) -> dict[str, Any]:
    """What pyreadstat needs for SPSS beside the cells: which codes are missing, and how columns are measured."""
    missing_ranges = {
        name: [
            entry if isinstance(entry, str) else {"lo": entry[0], "hi": entry[1]}
            for entry in numbering.ranges
        ]
        for name, numbering in numberings.items()
        if numbering.ranges
    }
    levels = {}
    for column in columns:
        numbering = numberings[column.name]
        has_labels = not numbering.labels.keys().isdisjoint(numbering.codes.values())
        levels[column.name] = _measurement_level(variables[column.name].level, column, has_labels)
    whole_numbers = {column.name: "F8.0" for column in columns if column.dtype == pl.Int32}
    return {"missing_ranges": missing_ranges, "variable_measure": levels, "variable_format": whole_numbers}


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


def _encode_column(
    cells: pl.Series, format: str, variable: Variable, first: int
) -> tuple[pl.Series, Numbering]:
    """A column as the file holds it, and how its words are coded."""
    kind, book, no_numbering = cells.dtype, variable.codebook, Numbering({}, {})
    if isinstance(kind, pl.Date) or (isinstance(kind, pl.Datetime) and kind.time_zone is None):
        return cells, no_numbering
    words, gaps = cell_texts(cells).replace("", None), variable.missing_codes
    blank = "" if book is None else book.blank
    if gaps is not None:
        gaps = gaps.set(words.is_not_null() & (words != blank), None)
        words = words.set(gaps.is_not_null(), None)
    numbers = (
        _parse_number_column(words)
        if book is None or not (book.labels or book.missing or book.stated)
        else None
    )
    if numbers is not None:
        return numbers, no_numbering
    order = list(kind.categories) if isinstance(kind, pl.Enum) else None
    occur = words.drop_nulls().unique().to_list()
    _check_texts(occur, cells.name, format)
    present_words = set(occur)
    occur = (
        [word for word in order if word in present_words] if order else sorted(occur, key=natural_sort_key)
    )
    missing = [] if gaps is None else sorted(gaps.drop_nulls().unique())
    numbering = number_words(occur, book, missing, format, _parse_numbers(occur), first)
    if (
        numbering is None
        or len(numbering.labels) > _CODES
        or max(map(_byte_length, numbering.labels.values()), default=0) > _LABEL[format]
    ):
        return words.fill_null(blank), no_numbering
    if book is not None and book.text:
        texts = words.replace_strict(numbering.codes, default=None, return_dtype=pl.String)
        return (texts if gaps is None else texts.fill_null(gaps)).fill_null(""), numbering
    codes = words.replace_strict(numbering.codes, default=None, return_dtype=pl.Float64)
    if gaps is not None:
        number_of_code = {
            code: value for code, value in numbering.missing.items() if not isinstance(value, str)
        }
        codes = codes.fill_null(gaps.replace_strict(number_of_code, default=None, return_dtype=pl.Float64))
    letters = {code: value for code, value in numbering.missing.items() if isinstance(value, str)}
    codes = _cast_to_int32(codes)
    if gaps is None or not letters:
        return codes, numbering
    cell_letters = gaps.replace_strict(letters, default=None, return_dtype=pl.String).to_list()
    values = [
        code if letter is None else letter for code, letter in zip(codes.to_list(), cell_letters, strict=True)
    ]
    return pl.Series(cells.name, values, dtype=pl.Object), numbering


def _parse_numbers(words: Iterable[str]) -> dict[str, float]:
    """Those texts that are numbers in the one form in which they are read back, some behind a text in parentheses."""
    texts = pl.Series([*words], dtype=pl.String)
    texts = pl.concat([texts, texts.str.extract(r" \(([^()]+)\)$").drop_nulls()]).unique()
    numbers = texts.cast(pl.Float64, strict=False)
    is_canonical = numbers.is_finite() & (cell_texts(numbers) == texts)
    return dict(zip(texts.filter(is_canonical), numbers.filter(is_canonical), strict=True))


def _cast_to_int32(numbers: pl.Series) -> pl.Series:
    """Whole numbers that fit as such; beyond are Stata's missing values."""
    fit = bool((numbers == numbers.round()).all()) and bool((numbers.abs() < 2**31 - 100).all())
    return numbers.cast(pl.Int32) if fit else numbers


def _whole_to_int(code: float | str) -> float | str:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _parse_number_column(words: pl.Series) -> pl.Series | None:
    """Texts as numbers, where all of them are numbers in the one form in which they are read back; else None."""
    numbers = words.cast(pl.Float64, strict=False)
    if numbers.null_count() != words.null_count() or not numbers.is_finite().all():
        return None
    is_whole = (numbers == numbers.round()).all() and (numbers.abs() < _EXACT).all()
    round_trip = cell_texts(numbers.cast(pl.Int64) if is_whole else numbers)
    if not round_trip.equals(words.alias(round_trip.name), null_equal=True):
        return None
    return _cast_to_int32(numbers)


def _check_texts(texts: list[str], name: str, format: str) -> None:
    if any(cell != cell.strip() or "\0" in cell for cell in texts):
        raise InputError(
            f"release.format: column '{name}' has a text that begins or ends with a blank, which {_PROGRAM[format]} "
            "does not keep; write csv, parquet or ndjson"
        )
    if max(map(_byte_length, texts), default=0) > _TEXT[format]:
        raise InputError(
            f"release.format: column '{name}' has a text of more than {_TEXT[format]} bytes, which no file of "
            f"{_PROGRAM[format]} holds; write csv, parquet or ndjson"
        )


def _measurement_level(level: str, cells: pl.Series, coded: bool) -> str:
    """The level of measurement of what is written: ranges of a scale are in order, words are not of themselves."""
    if coded:
        return {"": "nominal", "scale": "ordinal"}.get(level, level)
    return "nominal" if cells.dtype == pl.String else level or "scale"


def natural_sort_key(label: str) -> tuple[float, str]:
    """How words are sorted where nobody says it: by the first number in them, then as text."""
    match = _FIRST_NUMBER.search(label)
    return float(match[0]) if match else float("inf"), label


def _byte_length(label: str) -> int:
    return len(label.encode())
