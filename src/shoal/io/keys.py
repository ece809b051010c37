"""Keys: what pseudonyms and shifted dates are made with, so that only whoever holds the key can make them again.

A key is read when data are opened and stays in memory: no folder, log, manifest or message holds it.

Records as a key changes them before anybody else sees them: pseudonyms in the place of names, and shifted dates.
"""

import base64
import hmac
import os
import re
import secrets
import stat
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError, ShoalWarning
from shoal.data.arrays import I8
from shoal.hierarchy.column_values import date_formats, read_date
from shoal.io.config import Config
from shoal.io.read.cells import factorize, person_names, text_column
from shoal.io.read.notation import ORDERS
from shoal.io.read.source import Source, column_error

__all__ = ["VARIABLE", "Keyed", "Seal", "apply_key", "make_key", "read_key"]


VARIABLE = "SHOAL_KEY"
"""The variable of the environment that holds a key, where no file is named."""

_BYTES = 32
_LARGEST = 4096  # bytes of a key's file
_WRITTEN = re.compile(rf"[0-9A-Fa-f]{{{2 * _BYTES},}}")
_TOKEN = 20  # signs of base32: 100 bits
_SHIFT = b"\0shift\0"  # no domain holds a zero byte, so no pseudonym is made of the same text


def make_key(path: Path) -> None:
    """Write a new key to a file that only its owner may read.

    Raises
    ------
    InputError
        There is a file of that name already, or none can be written there.
    """
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(_BYTES) + "\n")
    except FileExistsError:
        raise InputError(
            f"{path.name}: this file exists already, and a key is never overwritten; give another name"
        ) from None
    except OSError as error:
        raise InputError(
            f"{path.name}: the key cannot be written there ({error.strerror}); give another place"
        ) from None


def read_key(path: Path | None, needed_by: str) -> bytes:
    """The key of a file, or of the environment; `needed_by` says what cannot be made without one.

    Raises
    ------
    InputError
        There is none, or it is none.
    """
    if path is None:
        text, origin = os.environ.get(VARIABLE), VARIABLE
        if text is None:
            raise InputError(
                f"{needed_by} needs a key; make one with `shoal key FILE`, and give it as --key FILE or in {VARIABLE}"
            )
    else:
        text, origin = _read_key_file(path), path.name
    hex_key = text.strip()
    if _WRITTEN.fullmatch(hex_key) is None or len(hex_key) % 2:
        raise InputError(f"{origin}: this is not a key; make one with `shoal key FILE`")
    return bytes.fromhex(hex_key)


def _read_key_file(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size > _LARGEST:
            return ""
        if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            warnings.warn(
                f"{path.name}: other users can read this key; restrict it to its owner with chmod 600",
                ShoalWarning,
                stacklevel=2,
            )
        return path.read_bytes().decode("ascii", "replace")
    except OSError as error:
        raise InputError(
            f"{path.name}: the key cannot be read ({error.strerror}); check the file and your rights"
        ) from None


def _draw_domain() -> str:
    """A domain that no other release has."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True, repr=False)
class Seal(SafeRepr):
    """A key and what its pseudonyms are bound to.

    domain : one text for all tables whose pseudonyms shall be the same
    drawn  : whether it was drawn for one release, not given
    """

    key: bytes = field(repr=False)
    domain: str
    drawn: bool

    @classmethod
    def of(cls, key: bytes, domain: str | None) -> "Seal":
        """A seal for a domain, or for one that is drawn."""
        return cls(key, _draw_domain() if domain is None else domain, domain is None)

    def facts(self) -> dict[str, object]:
        """What may be shown: nothing of the key."""
        return {"drawn": self.drawn}

    def tokens(self, column: str, values: Sequence[str]) -> list[str]:
        """The pseudonym of each value of a column: HMAC-SHA256 over domain, column and value, 100 bits of it.

        >>> seal = Seal(bytes(32), "study", False)
        >>> seal.tokens("id", ["Ann"]) == seal.tokens("id", ["Ann"]) != seal.tokens("name", ["Ann"])
        True
        """
        head = f"{self.domain}\0{column}\0".encode()
        digests = (hmac.digest(self.key, head + value.encode(), "sha256") for value in values)
        return [base64.b32encode(digest).decode()[:_TOKEN].lower() for digest in digests]

    def shifts(self, persons: Sequence[str], most: int) -> list[int]:
        """By how many days the dates of each person are moved, from -`most` to `most`: HMAC-SHA256 over the person."""
        width = 2 * most + 1
        digests = (hmac.digest(self.key, _SHIFT + person.encode(), "sha256") for person in persons)
        return [int.from_bytes(digest, "big") % width - most for digest in digests]


_OLDEST = 90
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)((?:[T ].*)?)", re.S)
_NO_DAY = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d\d)|-Q(?P<quarter>[1-4])|-W\d\d)?")


@dataclass(frozen=True, slots=True, repr=False)
class Keyed(SafeRepr):
    """What a key makes, and what it is made of.

    names   : by column of pseudonyms, the names that they stand for
    shifted : the columns whose dates are shifted
    """

    seal: Seal
    names: Mapping[str, pl.Series] = field(default_factory=dict)
    shifted: tuple[str, ...] = ()

    @property
    def domain(self) -> str | None:
        """What the pseudonyms are bound to; None where there are none."""
        return self.seal.domain if self.names else None

    def columns(self) -> list[pl.Series]:
        """The pseudonyms of all records, column by column."""
        pseudonyms = []
        for name, names in self.names.items():
            values, codes = factorize(names)
            tokens = self.seal.tokens(name, [str(value) for value in values])
            pseudonyms.append(pl.Series(name, tokens, dtype=pl.String).gather(pl.Series(codes)))
        return pseudonyms

    def anew(self) -> "Keyed":
        """The same for another release: pseudonyms whose domain was drawn are bound to another one."""
        if not (self.seal.drawn and self.names):
            return self
        return replace(self, seal=replace(self.seal, domain=_draw_domain()))

    def some(self, rows: I8) -> "Keyed":
        """The same of some records."""
        picked = pl.Series(rows)
        return replace(self, names={name: names.gather(picked) for name, names in self.names.items()})


def apply_key(config: Config, source: Source, dates: str | None = None) -> tuple[Source, Keyed | None]:
    """The records with pseudonyms and shifted dates, and what these are made of; None where nothing needs a key.

    `dates` says whether the day or the month comes first, where a column does not show it.

    Raises
    ------
    InputError
        There is no key, a record has no name, a pseudonym is not that of one person, or a date is none.
    """
    key_needs = {name: "a pseudonym" for name in config.pseudonyms} | dict.fromkeys(config.shifted, "a shift")
    if not key_needs:
        return source, None
    for name in key_needs:
        if name not in source.frame.columns:
            raise column_error(source, name, config.columns)
    first_column, person = next(iter(key_needs)), config.data.person
    assert person is not None  # else the configuration is refused
    seal = Seal.of(read_key(config.key, f"column '{first_column}': {key_needs[first_column]}"), config.domain)
    names = {name: person_names(source, name) for name in config.pseudonyms}
    values, person_codes = factorize(person_names(source, person))
    for name, pseudonyms in names.items():
        _refuse_shared(
            source, name, person, factorize(pseudonyms)[1].astype(np.int64), person_codes.astype(np.int64)
        )
    keyed = Keyed(seal, names, tuple(config.shifted))
    columns = keyed.columns()
    day = config.day or date.today()
    for name, max_days in config.shifted.items():
        days = np.array(seal.shifts([str(value) for value in values], max_days), dtype=np.int64)[person_codes]
        columns.append(_shift_dates(source, name, days, day, dates))
    return replace(source, frame=source.frame.with_columns(columns)), keyed


_Read = tuple[date, Callable[[date], str] | None]
"""A date, the first one of those that are meant where no day is named; and how another is written, where one is."""


def _shift_dates(source: Source, name: str, days: I8, today: date, order: str | None) -> pl.Series:
    """The dates of a column, each moved by its number of days; what would tell an age over 89 is left empty.

    A date without a day cannot be moved: its month, week, quarter or year stays.
    """
    kind = source.frame.schema[name]
    values, codes = factorize(text_column(source, name))
    oldest, reader = (
        _subtract_years(today, _OLDEST),
        _choose_date_reader([value for value in values if value is not None], order),
    )
    readings = [None if value is None else reader(value) for value in values]
    is_unreadable = np.array(
        [value is not None and reading is None for value, reading in zip(values, readings, strict=True)]
    )[codes]
    if is_unreadable.any():
        raise InputError(
            f"{source.name}, column '{name}': {int(is_unreadable.sum())} cells, first record "
            f"{int(is_unreadable.argmax()) + 1}, are "
            "not dates, or can be read in two ways, and only dates can be shifted; write them as 2020-03-31, set "
            "dates in [data], or leave shift out"
        )
    texts: list[str | None] = []
    old_count = 0
    for code, shift in zip(codes.tolist(), days.tolist(), strict=True):
        reading = readings[code]
        if reading is None:
            texts.append(None)
            continue
        day, write = reading
        new_day = day if write is None else _move_day(day, shift)
        is_old = min(day, new_day) <= oldest
        old_count += is_old
        texts.append(None if is_old else values[code] if write is None else write(new_day))
    if old_count:
        warnings.warn(
            f"{source.name}, column '{name}': {old_count} dates are {_OLDEST} years or more ago and would "
            "reveal an age over "
            f"{_OLDEST - 1}; they are left empty",
            ShoalWarning,
            stacklevel=2,
        )
    cells = pl.Series(name, texts, dtype=pl.String)
    return cells.str.to_date() if kind == pl.Date else cells


def _choose_date_reader(values: Sequence[str], order: str | None) -> Callable[[str], _Read | None]:
    """How the dates of a column are read: as ISO 8601, or in the one other writing that all of them have."""
    if all(_read_iso_date(value) for value in values):
        return _read_iso_date
    formats = [format for format in date_formats(values) if format is not None]
    if len(formats) > 1 and order is not None:
        day_first = order == ORDERS[0]
        formats = [format for format in formats if (format.find("%d") < format.find("%m")) == day_first]
    return partial(_read_formatted_date, formats[0]) if len(formats) == 1 else _read_iso_date


def _read_iso_date(value: str) -> _Read | None:
    full_match, partial_match = _DAY.fullmatch(value), _NO_DAY.fullmatch(value)
    try:
        if full_match:
            return date.fromisoformat(full_match[1]), lambda day: f"{day}{full_match[2]}"
        if partial_match:
            return date(
                int(partial_match["year"]),
                int(partial_match["month"] or 3 * int(partial_match["quarter"] or 1) - 2),
                1,
            ), None
    except ValueError:
        pass
    return None


def _read_formatted_date(format: str, value: str) -> _Read | None:
    moment = read_date(value, format)
    if moment is None or "%d" not in format:
        return None if moment is None else (moment.date(), None)
    return moment.date(), lambda day: datetime.combine(day, moment.time()).strftime(format)


def _move_day(day: date, shift: int) -> date:
    """Another day; the first and the last that a calendar has are not passed."""
    return date.fromordinal(min(max(day.toordinal() + shift, 1), date.max.toordinal()))


def _subtract_years(day: date, years: int) -> date:
    """The same day so many years before; of 29 February the day before."""
    return day.replace(year=day.year - years, day=min(day.day, 28) if day.month == 2 else day.day)


def _refuse_shared(source: Source, name: str, person: str, own: I8, whose: I8) -> None:
    """Refuse pseudonyms that are not one to one with persons: they would link other rows than the claim counts."""
    for group_codes, value_codes, problem in (
        (own, whose, "belongs to two persons"),
        (whose, own, "is one of two of a person"),
    ):
        first_rows, group_index = np.unique(group_codes, return_index=True, return_inverse=True)[1:]
        is_mismatch = value_codes != value_codes[first_rows][group_index]
        if is_mismatch.any():
            raise InputError(
                f"{source.name}, column '{name}', record {int(is_mismatch.argmax()) + 1}: the value {problem} "
                "of column "
                f"'{person}', and a pseudonym stands for one person; make the column an identifier"
            )
