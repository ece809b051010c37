"""What is asked of a JSON file before a reader makes columns of it: few fields, and no half of a character."""

import re
from pathlib import Path

from shoal.errors import InputError
from shoal.io.delimited import refuse_wide

__all__ = ["look_through"]

_BLOCK = 1 << 20
_TAIL = 1 << 12  # bytes that are looked at again: a name may go on in the next block
_NAME = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*:')
_HALF = re.compile(
    rb"(?<!\\)(?:\\\\)*+\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])(?=.{6})", re.S
)  # a reader makes NUL of it
_CELL = 8  # bytes: what a place of a column takes at the very least
_FREE = 2**27
_RATIO = 100  # bytes for each byte of a larger file


def look_through(path: Path, name: str) -> None:
    """Refuse half a character, more fields than a table has columns, or records that have nearly none of them.

    Raises
    ------
    InputError
        The file is such a one.
    """
    names: set[bytes] = set()
    records, tail = 0, b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            data = tail + block
            names.update(_NAME.findall(data))
            records += block.count(b"{")
            tail = block[-_TAIL:]
            refuse_wide(len(names), name)
            _refuse_half(data if len(block) == _BLOCK else data + b" " * 6, name)
    if records * len(names) * _CELL > max(_FREE, _RATIO * path.stat().st_size):
        raise InputError(
            f"{name}: {len(names)} different fields, of which most are absent from nearly all records; give each "
            "record the same fields"
        )


def _refuse_half(data: bytes, name: str) -> None:
    if b"\\u" in data and _HALF.search(data):
        raise InputError(f"{name}: half of a character that has two parts; write the whole character")
