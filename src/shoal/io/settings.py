"""A configuration as plain data in the shape of shoal.toml: its keys set one by one, its text, its login left out.

This imports nothing heavy: the server and its pages use it.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from shoal.errors import InputError

__all__ = [
    "PASSWORD",
    "drop_what_names_nothing",
    "lacks_password",
    "role_of",
    "role_signature",
    "set_column_keys",
    "set_hierarchy",
    "set_key",
    "split_password",
    "toml_key",
    "toml_text",
    "toml_value",
    "toml_words",
    "without_password",
]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
PASSWORD = "SHOAL_PASSWORD"
"""The variable with the password of a database whose URL has none."""


def set_hierarchy(configuration: dict[str, Any], column: str, spec: Any) -> None:
    """Let a configuration name this hierarchy for a column or field that takes one; None takes it out."""
    if "tree" in configuration:
        fields = configuration["tree"].get("hierarchies", {})
        if column in fields and spec is not None:
            fields[column] = spec
        return
    given = configuration.get("columns", {}).get(column)
    said = {"role": given} if isinstance(given, str) else dict(given or {})
    if "hierarchy" in said or said.get("role") in ("quasi", "items"):
        said.pop("hierarchy", None)
        said |= {} if spec is None else {"hierarchy": spec}
        configuration["columns"][column] = said if len(said) > 1 else said["role"]


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
    was = columns[column]
    now = {**({"role": was} if isinstance(was, str) else was), **keys}
    now = {key: value for key, value in now.items() if value is not None}
    columns[column] = now["role"] if list(now) == ["role"] else now


def role_of(configuration: Mapping[str, Any], column: str) -> str:
    """The role of a column; nothing where it has none."""
    said = configuration.get("columns", {}).get(column, "")
    return str(said if isinstance(said, str) else said.get("role", ""))


def drop_what_names_nothing(configuration: dict[str, Any]) -> list[str]:
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
    there = [name for name in tree.get("negations", ()) if name in tree.get("hierarchies", {})]
    if len(there) < len(tree.get("negations", ())):
        set_key(configuration, "tree", "negations", there or None)
        dropped.append("fields whose absence somebody may know: one is left out now")
    return dropped


def toml_words(sections: Mapping[str, Any]) -> str:
    """A whole file: a section for each table, its keys one to a line.

    Raises
    ------
    InputError
        Something in it is no TOML: null, or half of a sign.

    >>> print(toml_words({"data": {"path": "people.csv"}, "columns": {"age": {"role": "quasi"}}}))
    [data]
    path = "people.csv"
    <BLANKLINE>
    [columns]
    age = { role = "quasi" }
    <BLANKLINE>
    """
    try:
        text = "\n".join(f"{line}" for line in _lines(sections))
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            "configuration: a text holds half of a character (a lone surrogate); write it again"
        ) from None
    except RecursionError:
        raise InputError("configuration: it is nested too deeply; shorten its nesting") from None
    return text


def _lines(sections: Mapping[str, Any]) -> Iterator[str]:
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


def without_password(url: str) -> str:
    """The URL as it may be written into a file.

    >>> without_password("postgresql://ann:secret@host/people")
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
    others = {key: value for key, value in address.query.items() if key not in secret}
    bare = address._replace(password=None).set(query=others)
    inside = address.password or next((value for value in secret.values() if isinstance(value, str)), None)
    return str(bare.render_as_string(hide_password=False)), inside
