"""Plain data as TOML text."""

import json
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from shoal.errors import InputError

__all__ = ["toml_key", "toml_text", "toml_value", "toml_words"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


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
            "configuration: a text holds half of a sign (a lone surrogate); write it anew"
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
