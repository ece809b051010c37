"""A fingerprint of data and configuration: the same where a finished point need not be made again.

It is a hash of everybody's cells, so it stays in the private folder.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from shoal.io.source import Source

__all__ = ["fingerprint", "parts_of"]


def fingerprint(*things: object) -> str:
    """A hash of what these things hold: codes, values, hierarchies and settings.

    >>> fingerprint({"k": 5, "m": 2}) == fingerprint({"m": 2, "k": 5}) != fingerprint({"k": 5, "m": 3})
    True
    """
    found = hashlib.sha256()
    for thing in things:
        for part in parts_of(thing):
            found.update(len(part).to_bytes(8, "big"))
            found.update(part)
    return found.hexdigest()


def parts_of(thing: Any) -> Iterator[bytes]:
    """What a thing holds, as bytes; a `Source` is left out, for what counts of it is coded in the table."""
    yield type(thing).__name__.encode()
    if isinstance(thing, Source):
        return
    if isinstance(thing, np.ndarray):
        yield f"{thing.dtype} {thing.shape}".encode()
        yield np.ascontiguousarray(thing).tobytes()
    elif isinstance(thing, Mapping):
        for key in sorted(thing, key=repr):
            yield repr(key).encode()
            yield from parts_of(thing[key])
    elif isinstance(thing, set | frozenset):
        yield repr(sorted(thing, key=repr)).encode()
    elif isinstance(thing, list | tuple):
        yield from _listed(thing)
    elif is_dataclass(thing):
        for field in fields(thing):
            yield field.name.encode()
            yield from parts_of(getattr(thing, field.name))
    else:
        yield repr(thing).encode("utf-8", "surrogatepass")


def _listed(thing: list[Any] | tuple[Any, ...]) -> Iterator[bytes]:
    if all(one is None or isinstance(one, str) for one in thing):
        yield json.dumps(thing).encode()
        return
    for one in thing:
        yield from parts_of(one)
