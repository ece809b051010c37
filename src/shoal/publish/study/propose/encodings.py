"""How text that is not UTF-8 was most likely written."""

import gzip
import re
import zlib
from pathlib import Path

__all__ = ["encoding_of"]

_SOME = 1 << 20
_RUNS = re.compile(rb"[\x80-\xff]+")
_TURKISH = re.compile(rb"[\xd0\xdd\xde\xf0\xfd\xfe]")  # Ğ İ Ş ğ ı ş; in Western text hardly anything
_LONG = 0.8  # of the bytes beyond ASCII are in runs: signs of two bytes stand side by side


def encoding_of(path: Path) -> str:
    """The encoding by the bytes beyond ASCII: Chinese ones come in runs, Western ones one by one among letters.

    Any byte is something in the last of them, so there is always an answer; it may be wrong.
    """
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            some = file.read(_SOME)
    except (OSError, EOFError, zlib.error):
        return "latin-1"
    runs = [len(run) for run in _RUNS.findall(some)]
    if sum(run for run in runs if run > 1) >= _LONG * sum(runs) and _reads(some, "gb18030"):
        return "gb18030"
    if _TURKISH.search(some) and _reads(some, "cp1254"):
        return "cp1254"
    return "cp1252" if _reads(some, "cp1252") else "latin-1"


def _reads(some: bytes, encoding: str) -> bool:
    """Whether the bytes are text in an encoding; the last few may be cut short."""
    for cut in range(4):
        try:
            some[: len(some) - cut].decode(encoding)
        except UnicodeDecodeError:
            continue
        return True
    return False
