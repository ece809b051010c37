"""JSON of anybody's, read strictly: what two readers could understand differently is not read at all."""

import json
import re
from typing import Any

__all__ = ["TwiceError", "strict_json"]

_LONE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a character: no file and no terminal takes it


class TwiceError(ValueError):
    """A key occurs twice in one object."""


def strict_json(text: str | bytes) -> Any:
    """Read JSON; a key that occurs twice in one object, NaN, and half a character are faults.

    Raises
    ------
    ValueError, RecursionError
        It is not JSON, or not JSON of which everybody reads the same.

    Examples
    --------
    >>> strict_json('{"k": 5}')
    {'k': 5}
    >>> strict_json('{"k": 5, "k": 2}')
    Traceback (most recent call last):
    ...
    shoal.io.strict_json.TwiceError: a key occurs twice
    """
    whole = text if isinstance(text, str) else text.decode("utf-8")  # bytes alone may be guessed to be UTF-16
    found = json.loads(whole, object_pairs_hook=_object, parse_constant=_refuse)
    if _LONE.search(whole):
        json.dumps(found, ensure_ascii=False).encode("utf-8")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise TwiceError("a key occurs twice")
    return found


def _refuse(word: str) -> None:
    raise ValueError("not a number")
