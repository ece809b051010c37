"""A configuration as plain data in the shape of shoal.toml: read, its keys checked and set one by one, its text.

A section knows which keys it may have, and what may stand there; a check says what a value must be, as words, or None
where it is that. The login of a database is left out.

This imports nothing heavy: the server and its pages use it.
"""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from shoal.base.errors import InputError
from shoal.base.naming import RECODED, did_you_mean, suggest_name
from shoal.io.formats import format_of

__all__ = [
    "PASSWORD",
    "WHOLE_FILE",
    "Check",
    "ConfigSection",
    "days",
    "drop_dangling_names",
    "format_toml",
    "lacks_password",
    "positive",
    "read_toml",
    "require_choice",
    "require_key",
    "role_of",
    "role_signature",
    "row",
    "row_or_rows",
    "set_column_keys",
    "set_hierarchy",
    "set_key",
    "share",
    "some_text",
    "split_password",
    "strip_password",
    "switch",
    "text",
    "texts",
    "toml_key",
    "toml_text",
    "toml_value",
    "whole",
]


_BARE = re.compile(r"[A-Za-z0-9_-]+")
PASSWORD = "SHOAL_PASSWORD"
"""The variable with the password of a database whose URL has none."""
WHOLE_FILE = "*"
"""The key of a question about the file as a whole, in [undecided] and in what manifests list of it."""


def set_hierarchy(configuration: dict[str, Any], column: str, spec: Any) -> None:
    """Let a configuration name this hierarchy for a column or field that takes one; None takes it out."""
    if "tree" in configuration:
        fields = configuration["tree"].get("hierarchies", {})
        if column in fields and spec is not None:
            fields[column] = spec
        return
    column_spec = configuration.get("columns", {}).get(column)
    keys = {"role": column_spec} if isinstance(column_spec, str) else dict(column_spec or {})
    if "hierarchy" in keys or keys.get("role") in (*RECODED, "items"):
        keys.pop("hierarchy", None)
        keys |= {} if spec is None else {"hierarchy": spec}
        configuration["columns"][column] = keys if len(keys) > 1 else keys["role"]


def set_key(configuration: dict[str, Any], section: str, key: str, value: Any) -> None:
    """Set one key; None takes it out, and with the last one its section."""
    inner = configuration.setdefault(section, {})
    if value is None:
        inner.pop(key, None)
    else:
        inner[key] = value
    if not inner and section not in ("columns", "guarantee"):
        del configuration[section]


def role_signature(configuration: Mapping[str, Any]) -> str:
    """What a configuration's shape follows from."""
    if "tree" in configuration:
        return "trees"
    specs = configuration.get("columns", {}).values()
    roles = {spec if isinstance(spec, str) else spec.get("role") for spec in specs}
    return f"{'quasi' in roles} {'items' in roles}"


def set_column_keys(configuration: dict[str, Any], column: str, keys: Mapping[str, Any]) -> None:
    """Give a column keys beside its role; None takes one out. A column that is not there gets none."""
    columns = configuration.get("columns", {})
    if column not in columns:
        return
    old_spec = columns[column]
    new_spec = {**({"role": old_spec} if isinstance(old_spec, str) else old_spec), **keys}
    new_spec = {key: value for key, value in new_spec.items() if value is not None}
    columns[column] = new_spec["role"] if list(new_spec) == ["role"] else new_spec


def role_of(configuration: Mapping[str, Any], column: str) -> str:
    """The role of a column; nothing where it has none."""
    column_spec = configuration.get("columns", {}).get(column, "")
    return str(column_spec if isinstance(column_spec, str) else column_spec.get("role", ""))


def drop_dangling_names(configuration: dict[str, Any]) -> list[str]:
    """Take out what names columns or fields that have another role now; tell in words what it was."""
    dropped = []
    target = configuration.get("audit", {}).get("target")
    if target is not None and role_of(configuration, target) in ("", "identifier", "text", "drop"):
        set_key(configuration, "audit", "target", None)
        dropped.append(f"the column to predict: {target} is not published")
    person = configuration.get("data", {}).get("person")
    if person is not None and "tree" not in configuration and role_of(configuration, person) != "identifier":
        set_key(configuration, "data", "person", None)
        dropped.append(f"whom a row belongs to: {person} names nobody any more")
    tree = configuration.get("tree", {})
    negations = [name for name in tree.get("negations", ()) if name in tree.get("hierarchies", {})]
    if len(negations) < len(tree.get("negations", ())):
        set_key(configuration, "tree", "negations", negations or None)
        dropped.append("fields whose absence somebody may know: one is left out now")
    return dropped


def format_toml(sections: Mapping[str, Any]) -> str:
    """A whole file: a section for each table, its keys one to a line.

    Raises
    ------
    InputError
        Something in it is no TOML: null, or half of a sign.

    >>> print(format_toml({"data": {"path": "people.csv"}, "columns": {"age": {"role": "quasi"}}}))
    [data]
    path = "people.csv"
    <BLANKLINE>
    [columns]
    age = { role = "quasi" }
    <BLANKLINE>
    """
    try:
        text = "\n".join(f"{line}" for line in _toml_lines(sections))
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            "configuration: a text holds half of a character (a lone surrogate); write it again"
        ) from None
    except RecursionError:
        raise InputError("configuration: it is nested too deeply; shorten its nesting") from None
    return text


def _toml_lines(sections: Mapping[str, Any]) -> Iterator[str]:
    for name, value in sections.items():
        if not isinstance(value, Mapping):
            yield f"{toml_key(name)} = {toml_value(value)}"
    for name, value in sections.items():
        if isinstance(value, Mapping):
            yield f"[{toml_key(name)}]"
            yield from (f"{toml_key(key)} = {toml_value(inner)}" for key, inner in value.items())
            yield ""


def toml_key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else toml_text(name)


def toml_text(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's, but for one sign."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(value: Any) -> str:
    """A value on one line.

    Raises
    ------
    InputError
        It is null, which TOML has not.
    """
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(str(key))} = {toml_value(value[key])}" for key in value)
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if value is None:
        raise InputError("configuration: null means nothing here; leave the key out")
    if isinstance(value, float) and not isfinite(value):
        return str(value)  # nan, inf and -inf, as TOML spells them
    return json.dumps(value)


def lacks_password(url: str) -> bool:
    """Whether a URL names a user and no password, and the environment has none for it either.

    >>> lacks_password("postgresql://ann:secret@host/people"), lacks_password("sqlite:///people.db")
    (False, False)
    """
    try:
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        return False
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        return False
    return bool(address.username) and address.password is None and not os.environ.get(PASSWORD)


def strip_password(url: str) -> str:
    """The URL as it may be written into a file.

    >>> strip_password("postgresql://ann:secret@host/people")
    'postgresql://ann@host/people'
    """
    return split_password(url)[0]


def split_password(url: str) -> tuple[str, str | None]:
    """The URL as it may be written into a file, and the password that it holds, whichever way it does.

    >>> split_password("postgresql://ann:s%40x@host/people"), split_password("postgresql://ann@host/people?password=y")
    (('postgresql://ann@host/people', 's@x'), ('postgresql://ann@host/people', 'y'))

    Raises
    ------
    sqlalchemy.exc.ArgumentError, ValueError
        It is no URL of a database.
    """
    from sqlalchemy.engine import make_url

    address = make_url(url)
    secret = {key: value for key, value in address.query.items() if "pass" in key.lower()}
    plain_query = {key: value for key, value in address.query.items() if key not in secret}
    bare_address = address._replace(password=None).set(query=plain_query)
    password = address.password or next((value for value in secret.values() if isinstance(value, str)), None)
    return str(bare_address.render_as_string(hide_password=False)), password


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
        location = f"{self.file}, [{self.name}]" if self.name else self.file
        raise InputError(f"{location}: {what}")

    def only(self, *known: str) -> None:
        """Refuse any key that is not `known`."""
        kind = "key" if self.name else "section"
        for key in self.values:
            if key not in known:
                self.fail(f"unknown {kind} '{key}'; {suggest_name(key, known)}")

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
        requirement = None if value is None else check(value)
        if requirement:
            self.fail(f"'{key}' must be {requirement}")
        return value

    def given(self, checks: Mapping[str, Check], *others: str) -> dict[str, Any]:
        """The values that are given, each of which passes its check; only `others` may stand beside them."""
        self.only(*checks, *others)
        return {key: value for key, check in checks.items() if (value := self.take(key, check)) is not None}


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
            "data, or write it as docs/reference/config.md shows"
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
        message, _, position = str(error).rstrip(")").rpartition(" (at ")
        message = message.replace(
            "Cannot overwrite a value", "a name stands there for the second time; keep one line of it"
        )
        line = re.search(r"line \d+", position)
        raise InputError(
            f"{path.name}, {line.group() if line else position}: not TOML, {message[:1].lower()}{message[1:]}"
        ) from None
    except (ValueError, RecursionError):  # numbers of thousands of digits, thousands of brackets
        raise InputError(f"{path.name}: the TOML cannot be read; shorten its numbers and nesting") from None


def require_key(be: str, fits: Callable[[Any], bool]) -> Check:
    """The check of values that `fits` accepts, and what others must `be`."""
    return lambda value: None if fits(value) else be


def require_choice(*choices: str) -> Check:
    """The check of a few words, with the nearest one where it is another."""
    return lambda value: (
        None if value in choices else f"one of {', '.join(choices)}{did_you_mean(value, choices)}"
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_row(value: Any) -> bool:
    return _is_whole(value) and 0 < value <= _ROWS


def _are_rows(value: Any) -> bool:
    return isinstance(value, list | tuple) and 0 < len(value) <= _MANY and all(map(_is_row, value))


text = require_key("text", lambda value: isinstance(value, str))
some_text = require_key(
    "a text that is not empty, such as the name of the study",
    lambda value: isinstance(value, str) and value != "" and "\0" not in value,
)
texts = require_key(
    "a list of texts", lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value)
)
switch = require_key("true or false", lambda value: isinstance(value, bool))
whole = require_key("a whole number", _is_whole)
positive = require_key("a positive number", lambda value: _is_number(value) and value > 0)
share = require_key(
    "a share above 0 and below 1, such as 0.3", lambda value: _is_number(value) and 0 < value < 1
)
days = require_key(
    f"a number of days from 1 to {_FURTHEST}", lambda value: _is_whole(value) and 0 < value <= _FURTHEST
)
row = require_key("the number of a row, counted from 1", _is_row)
row_or_rows = require_key(
    "the number of a row, counted from 1, or a list of such",
    lambda value: _is_row(value) or _are_rows(value),
)
