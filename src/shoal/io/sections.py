"""A section of a configuration: which keys it may have, and what may stand there.

A check says what a value must be, as words, or None where it is that.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from shoal.errors import InputError
from shoal.io.formats import format_of
from shoal.naming import hint, offered

__all__ = [
    "Check",
    "ConfigSection",
    "days",
    "must",
    "one_of",
    "positive",
    "read_toml",
    "row",
    "row_or_rows",
    "share",
    "some_text",
    "switch",
    "text",
    "texts",
    "whole",
]

_LARGEST = 2**24  # bytes of a configuration
_ROWS = 2**40  # no table has more
_MANY = 100_000  # rows that are named one by one
_FURTHEST = 3650  # days of a shift

Check = Callable[[Any], str | None]


@dataclass(frozen=True, slots=True)
class ConfigSection:
    """A table of the file, under the name that messages use."""

    file: str
    name: str
    values: Mapping[str, Any]

    def fail(self, what: str) -> NoReturn:
        """Say in one sentence where the fault is, and what it is."""
        place = f"{self.file}, [{self.name}]" if self.name else self.file
        raise InputError(f"{place}: {what}")

    def only(self, *known: str) -> None:
        """Refuse any key that is not `known`."""
        kind = "key" if self.name else "section"
        for key in self.values:
            if key not in known:
                self.fail(f"unknown {kind} '{key}'; {offered(key, known)}")

    def section(self, key: str) -> "ConfigSection":
        """A section of the file; empty where it is not given."""
        inner = self.values.get(key, {})
        name = f"{self.name}.{key}" if self.name else key
        if not isinstance(inner, dict):
            self.fail(f"'{key}' must be a section, [{name}]")
        return ConfigSection(self.file, name, inner)

    def take(self, key: str, check: Check) -> Any:
        """Return a value that passes `check`, or None if it is not given."""
        value = self.values.get(key)
        wanted = None if value is None else check(value)
        if wanted:
            self.fail(f"'{key}' must be {wanted}")
        return value


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; what it says is not checked yet."""
    if path.is_file() and format_of(path.name) is not None:
        raise InputError(
            f"{path.name}: this is data, not a configuration; `shoal init {path.name}` writes one for it, as shoal.toml"
        )
    if path.exists() and not path.is_dir() and not (path.is_file() and path.stat().st_size <= _LARGEST):
        raise InputError(
            f"{path.name}: a device, or larger than {_LARGEST} bytes; a configuration is a small file of text"
        )
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise InputError(
            f"{path.name}: not found in {path.parent.resolve()}; `shoal init FILE` writes one for a file of "
            "data, or write it as docs/config.md shows"
        ) from None
    except IsADirectoryError:
        raise InputError(
            f"{path.name}: a directory where a configuration file is expected; give a file in it"
        ) from None
    except OSError as error:
        raise InputError(
            f"{path.name}: cannot be read ({error.strerror}); check the file and your rights"
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: not UTF-8 text; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).rstrip(")").rpartition(" (at ")
        line = re.search(r"line \d+", place)
        raise InputError(
            f"{path.name}, {line.group() if line else place}: not TOML, {what[:1].lower()}{what[1:]}"
        ) from None
    except (ValueError, RecursionError):  # numbers of thousands of digits, thousands of brackets
        raise InputError(f"{path.name}: the TOML cannot be read; shorten its numbers and nesting") from None


def must(be: str, fits: Callable[[Any], bool]) -> Check:
    """The check of values that `fits` accepts, and what others must `be`."""
    return lambda value: None if fits(value) else be


def one_of(*choices: str) -> Check:
    """The check of a few words, with the nearest one where it is another."""
    return lambda value: None if value in choices else f"one of {', '.join(choices)}{hint(value, choices)}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_row(value: Any) -> bool:
    return _is_whole(value) and 0 < value <= _ROWS


def _are_rows(value: Any) -> bool:
    return isinstance(value, list | tuple) and 0 < len(value) <= _MANY and all(map(_is_row, value))


text = must("text", lambda value: isinstance(value, str))
some_text = must(
    "a text that is not empty, such as the name of the study",
    lambda value: isinstance(value, str) and value != "" and "\0" not in value,
)
texts = must(
    "a list of texts", lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value)
)
switch = must("true or false", lambda value: isinstance(value, bool))
whole = must("a whole number", _is_whole)
positive = must("a positive number", lambda value: _is_number(value) and value > 0)
share = must("a share above 0 and below 1, such as 0.3", lambda value: _is_number(value) and 0 < value < 1)
days = must(
    f"a number of days from 1 to {_FURTHEST}", lambda value: _is_whole(value) and 0 < value <= _FURTHEST
)
row = must("the number of a row, counted from 1", _is_row)
row_or_rows = must(
    "the number of a row, counted from 1, or a list of such",
    lambda value: _is_row(value) or _are_rows(value),
)
