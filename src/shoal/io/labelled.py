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
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
from shoal.io.read.cells import text
from shoal.io.read.source import Variable

__all__ = ["labelled_bytes", "natural_order", "numbers_again", "read_labelled", "with_labels"]


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
        gaps = pl.read_ipc(place / "missing.arrow") if (place / "missing.arrow").is_file() else pl.DataFrame()
        said = json.loads(found.read_text())
    cells = [_plain(column) for column in frame]
    books = {column.name: _codebook(column, said[column.name]) for column in cells}
    missing = {column.name: text(column).replace("", None) for column in gaps}
    if released is not None:
        cells = [
            _released_words(column, books[column.name], released.get(column.name), missing)
            for column in cells
        ]
        books = {name: released.get(name) for name in frame.columns}
        numbered = []
    else:
        numbered = columns_numbered_by_program(books)
        if not codes:
            cells = [with_labels(column, books[column.name]) for column in cells]
    if codes:
        books = {name: None if book is None else book.without_words() for name, book in books.items()}
    built = books if codebook == CODEBOOKS[1] else numbered if codebook is None else ()
    return pl.DataFrame(cells), {
        column.name: Variable(
            said[column.name]["label"].strip(),
            said[column.name]["level"] if said[column.name]["level"] in _LEVELS else "",
            _declared(said[column.name]),
            isinstance(column.dtype, pl.Enum),
            books[column.name],
            column.name not in built,
            column.name in numbered,
            missing.get(column.name),
        )
        for column in cells
    }


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


def with_labels(cells: pl.Series, book: Codebook | None) -> pl.Series:
    """The cells by the labels of their values, which are in the order of the codes; as they are where none has one."""
    if book is None or not book.words or cells.dtype.is_temporal():
        return cells
    cells = cells.replace("", None) if cells.dtype == pl.String else cells
    codes = cells.drop_nulls().unique().sort()
    names = text(codes).to_list()
    if book.words.keys().isdisjoint(names):
        return cells
    words = [book.word(name) for name in names]
    if len({*words}) < len(words) or "" in words:
        return cells
    return cells.replace_strict(codes, pl.Series(words), return_dtype=pl.Enum(words))


def numbers_again(cells: pl.Series) -> pl.Series:
    """A column of numbers, some of which had labels, as numbers where no word is left; whole numbers as such.

    So its type tells of these cells alone, whatever others there were.
    """
    if cells.dtype.is_temporal():
        return cells
    numbers = _number(text(cells).replace("", None))
    return cells if numbers is None else _plain(numbers.cast(pl.Float64))


def _codebook(cells: pl.Series, said: dict[str, Any]) -> Codebook | None:
    """What a file says of the codes of a column; None of dates and times."""
    if cells.dtype.is_temporal():
        return None
    is_text = cells.dtype == pl.String
    labels = {value: label.strip() for value, label in said["labels"] if label.strip()}
    if is_text:
        named = {str(value).rstrip(): label for value, label in labels.items()}
        return Codebook({code: named[code] for code in sorted(named) if code}, _declared(said), text=True)
    numbers = sorted(value for value in labels if not isinstance(value, str) and isfinite(value))
    letters = sorted(value for value in labels if isinstance(value, str) and value.isalpha())
    known = {
        **dict(zip(_code_names(numbers), (labels[number] for number in numbers), strict=True)),
        **{f".{letter.lower()}": labels[letter] for letter in letters},
    }
    return Codebook(known, _declared(said))


def _declared(said: dict[str, Any]) -> tuple[str, ...]:
    """The codes that a file declares to mean no value."""
    return tuple(_code(lo) if lo == hi else f"{_code(lo)} to {_code(hi)}" for lo, hi in said["missing"])


def _code(value: Any) -> str:
    """A value as its cell is written."""
    if isinstance(value, str):
        return value.rstrip()
    if not isfinite(value):
        return "lowest" if value < 0 else "highest"
    return _code_names([value])[0]


def _code_names(numbers: Sequence[float]) -> list[str]:
    """Numbers as their cells are written."""
    return text(pl.Series(numbers, dtype=pl.Float64)).to_list()


def _released_words(
    cells: pl.Series, own: Codebook | None, book: Codebook | None, missing: dict[str, pl.Series]
) -> pl.Series:
    """The words that stand for the codes of a released column; which code means no value goes to `missing`.

    `own` is what the file says of the codes, `book` what the column's public codebook says.
    """
    name, is_text = cells.name, cells.dtype == pl.String
    if own is None or book is None or (is_text and not book.text):
        missing.pop(name, None)
        return with_labels(cells, own)
    codes = cells.drop_nulls().unique().sort()
    named = dict(zip(text(codes).to_list(), codes.to_list(), strict=True))
    gone = [code for code in named if code in book.stated or (is_text and code in book.missing)]
    if gone or name in missing:
        written = _missing_codes(missing.get(name), own, book)
        stated = text(cells).replace_strict(gone, gone, default=None, return_dtype=pl.String)
        missing[name] = (stated if written is None else stated.fill_null(written)).alias(name)
        cells = cells.replace([named[code] for code in gone], None)
    new = [code for code in named if code in own.labels and code not in book.labels]
    bare = is_text and not own.labels  # then no text is a code with a label
    words = {
        code: own.labels[code] if code in new else code if bare else book.word(code)
        for code in (
            *(code for code in named if code not in new and code not in gone),
            *sorted(new, key=lambda code: (len(code.lstrip("-")), code)),
        )
    }
    told = list(words.values())
    if told != list(words) and len({*told}) == len(told):
        kind = pl.Enum(list(dict.fromkeys([*told, *filter(None, [book.blank])])))
        cells = cells.replace_strict([named[code] for code in words], pl.Series(told), return_dtype=kind)
    if not book.blank or not cells.null_count():
        return cells
    return (cells if cells.dtype == pl.Enum else text(cells)).fill_null(book.blank)


def _missing_codes(written: pl.Series | None, own: Codebook, book: Codebook) -> pl.Series | None:
    """The codebook's missing codes for those that stand in a file of another program."""
    if written is None or book.text:
        return written
    letters = {letter: code for code, letter in book.letters.items()}
    beyond = [code.split(" to ") for code in own.missing if code not in book.missing and " to " in code]
    there = written.drop_nulls().unique().to_list()
    if beyond:
        high = float(beyond[0][1])
        numbers = {code: int(high - float(code)) for code in there if not code.startswith(".")}
        letters |= {code: f".{chr(ord('a') + place)}" for code, place in numbers.items() if 0 <= place < 26}
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


def labelled_bytes(
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
    told = {name: variables.get(name, Variable()) for name in frame.columns}
    columns, coded = [], {}
    for cells in frame:
        formed, coded[cells.name] = _formed(cells, format, told[cells.name], first)
        columns.append(formed)
    most = _COLUMN[format]
    how: dict[str, Any] = {
        "column_labels": {
            name: one.label[:most].encode()[: max(most, 255)].decode(errors="ignore").strip()
            for name, one in told.items()
            if one.label
        },
        "variable_value_labels": {
            name: {_whole(code): label for code, label in numbering.labels.items()}
            for name, numbering in coded.items()
            if numbering.labels
        },
    }
    if format == "dta":
        how["version"] = _STATA
        how["missing_user_values"] = {
            column.name: sorted({cell for cell in column.to_list() if isinstance(cell, str)})
            for column in columns
            if column.dtype == pl.Object
        }
    else:
        how["missing_ranges"] = {
            name: [one if isinstance(one, str) else {"lo": one[0], "hi": one[1]} for one in numbering.ranges]
            for name, numbering in coded.items()
            if numbering.ranges
        }
        how["variable_measure"] = {
            column.name: _level(
                told[column.name].level,
                column,
                not coded[column.name].labels.keys().isdisjoint(coded[column.name].codes.values()),
            )
            for column in columns
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


def _formed(cells: pl.Series, format: str, variable: Variable, first: int) -> tuple[pl.Series, Numbering]:
    """A column as the file holds it, and how its words are coded."""
    kind, book, bare = cells.dtype, variable.codebook, Numbering({}, {})
    if isinstance(kind, pl.Date) or (isinstance(kind, pl.Datetime) and kind.time_zone is None):
        return cells, bare
    words, gaps = text(cells).replace("", None), variable.missing_codes
    blank = "" if book is None else book.blank
    if gaps is not None:
        gaps = gaps.set(words.is_not_null() & (words != blank), None)
        words = words.set(gaps.is_not_null(), None)
    numbers = _number(words) if book is None or not (book.labels or book.missing or book.stated) else None
    if numbers is not None:
        return numbers, bare
    order = list(kind.categories) if isinstance(kind, pl.Enum) else None
    occur = words.drop_nulls().unique().to_list()
    _check_texts(occur, cells.name, format)
    there = set(occur)
    occur = [word for word in order if word in there] if order else sorted(occur, key=natural_order)
    missing = [] if gaps is None else sorted(gaps.drop_nulls().unique())
    made = number_words(occur, book, missing, format, _numbers_of(occur), first)
    if (
        made is None
        or len(made.labels) > _CODES
        or max(map(_bytes, made.labels.values()), default=0) > _LABEL[format]
    ):
        return words.fill_null(blank), bare
    if book is not None and book.text:
        texts = words.replace_strict(made.codes, default=None, return_dtype=pl.String)
        return (texts if gaps is None else texts.fill_null(gaps)).fill_null(""), made
    codes = words.replace_strict(made.codes, default=None, return_dtype=pl.Float64)
    if gaps is not None:
        in_numbers = {code: shown for code, shown in made.missing.items() if not isinstance(shown, str)}
        codes = codes.fill_null(gaps.replace_strict(in_numbers, default=None, return_dtype=pl.Float64))
    letters = {code: shown for code, shown in made.missing.items() if isinstance(shown, str)}
    codes = _small(codes)
    if gaps is None or not letters:
        return codes, made
    told = gaps.replace_strict(letters, default=None, return_dtype=pl.String).to_list()
    mixed = [code if letter is None else letter for code, letter in zip(codes.to_list(), told, strict=True)]
    return pl.Series(cells.name, mixed, dtype=pl.Object), made


def _numbers_of(words: Iterable[str]) -> dict[str, float]:
    """Those texts that are numbers in the one form in which they are read back, some behind a text in parentheses."""
    texts = pl.Series([*words], dtype=pl.String)
    texts = pl.concat([texts, texts.str.extract(r" \(([^()]+)\)$").drop_nulls()]).unique()
    numbers = texts.cast(pl.Float64, strict=False)
    same = numbers.is_finite() & (text(numbers) == texts)
    return dict(zip(texts.filter(same), numbers.filter(same), strict=True))


def _small(numbers: pl.Series) -> pl.Series:
    """Whole numbers that fit as such; beyond are Stata's missing values."""
    fit = bool((numbers == numbers.round()).all()) and bool((numbers.abs() < 2**31 - 100).all())
    return numbers.cast(pl.Int32) if fit else numbers


def _whole(code: float | str) -> float | str:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _number(words: pl.Series) -> pl.Series | None:
    """Texts as numbers, where all of them are numbers in the one form in which they are read back; else None."""
    numbers = words.cast(pl.Float64, strict=False)
    if numbers.null_count() != words.null_count() or not numbers.is_finite().all():
        return None
    whole = (numbers == numbers.round()).all() and (numbers.abs() < _EXACT).all()
    back = text(numbers.cast(pl.Int64) if whole else numbers)
    if not back.equals(words.alias(back.name), null_equal=True):
        return None
    return _small(numbers)


def _check_texts(texts: list[str], name: str, format: str) -> None:
    if any(cell != cell.strip() or "\0" in cell for cell in texts):
        raise InputError(
            f"release.format: column '{name}' has a text that begins or ends with a blank, which {_PROGRAM[format]} "
            "does not keep; write csv, parquet or ndjson"
        )
    if max(map(_bytes, texts), default=0) > _TEXT[format]:
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
