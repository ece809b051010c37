"""Files as they come to plain files: gzip and foreign encodings are streamed to a private temporary file.

Readers of plain files that speak past Python are silenced.
"""

import codecs
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from shoal.base.errors import EncodingError, InputError
from shoal.base.stopping import cleanup_on_stop, remove_tree, signals_deferred

__all__ = [
    "LIMIT",
    "require_file",
    "scratch_folder",
    "silence_native_output",
    "unpack_limit",
    "unzip",
    "utf8_copy",
]

LIMIT = 16 * 2**30
"""How many bytes a compressed file may unpack to."""

_FREE = 2**28  # bytes that a packed file may always unpack to
_RATIO = 100  # records pack to a tenth or a twentieth of their size; to a hundredth only what is made to fill a disk
_BLOCK = 1 << 20
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def require_file(path: Path) -> None:
    """Refuse what cannot be read to an end, such as a device, and what is not there."""
    if path.is_dir():
        raise InputError(f"{path.name}: a directory where a file is expected; give a file in it")
    if not path.exists():
        raise InputError(f"{path.name}: not found in {path.parent.resolve()}; check the path")
    if not path.is_file():
        raise InputError(f"{path.name}: not a regular file; copy the data to one")
    if not os.access(path, os.R_OK):
        raise InputError(f"{path.name}: no permission to read it; ask its owner")


def unpack_limit(path: Path, limit: int) -> int:
    """How many bytes a packed file may unpack to: at most `limit`, and no more than a hundred for each of its own."""
    return min(limit, max(_FREE, _RATIO * path.stat().st_size))


@contextmanager
def unzip(path: Path, limit: int = LIMIT) -> Iterator[Path]:
    """Give `path` itself, or of a .gz file a temporary copy, unpacked; at most `limit` bytes are written."""
    if path.suffix.lower() != ".gz":
        yield path
        return
    with _scratch() as copy:
        try:
            with gzip.open(path, "rb") as packed, copy.open("wb") as plain:
                _copy_limited(packed, plain, unpack_limit(path, limit), path.name)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise InputError(
                f"{path.name}: the gzip data are broken or cut short; pack the file again"
            ) from None
        yield copy


@contextmanager
def utf8_copy(path: Path, name: str, encoding: str | None = None) -> Iterator[Path]:
    """Give `path` itself if it is UTF-8 without a byte order mark, else a temporary copy that is."""
    with path.open("rb") as file:
        head = file.read(4096)
    codec = _find_codec(encoding) if encoding else _detect_codec(head, name)
    if codec == "utf-8" and not head.startswith(codecs.BOM_UTF8):
        yield path
        return
    with _scratch() as copy:
        try:
            with path.open(encoding=codec, newline="") as foreign, copy.open("wb") as plain:
                mark = "\ufeff"  # the codecs that name a byte order leave it in
                while block := foreign.read(_BLOCK).removeprefix(mark):
                    plain.write(block.encode("utf-8"))
                    mark = ""
        except UnicodeError:
            raise EncodingError(
                f"{name}: the bytes are not {codec} text; give the file's own encoding or save it as UTF-8"
            ) from None
        yield copy


@contextmanager
def _scratch() -> Iterator[Path]:
    """A place for one temporary file, gone afterwards."""
    with scratch_folder() as folder:
        yield folder / "plain"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A temporary folder that only this user may enter, gone afterwards."""
    with ExitStack() as stack:
        with signals_deferred:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="shoal-")))
            stack.enter_context(cleanup_on_stop(lambda: remove_tree(folder)))
        yield folder


def _copy_limited(packed: gzip.GzipFile, plain: BinaryIO, limit: int, name: str) -> None:
    size = 0
    while block := packed.read(_BLOCK):
        size += len(block)
        if size > limit:
            raise InputError(
                f"{name}: unpacks to more than {limit} bytes; unpack it yourself if you trust it"
            )
        plain.write(block)


def _detect_codec(head: bytes, name: str) -> str:
    for mark, codec in _MARKS.items():
        if head.startswith(mark):
            return codec
    if b"\0" in head:
        raise InputError(
            f"{name}: holds NUL bytes, so it is not UTF-8 text; give its encoding, such as utf-16-le"
        )
    return "utf-8"


def _find_codec(encoding: str) -> str:
    try:
        "".encode(encoding)  # unlike a lookup, this refuses codecs that are not of text
    except (LookupError, ValueError):
        raise InputError(
            f"encoding: '{encoding}' is unknown; use a name such as utf-8, cp1252, latin-1 or utf-16"
        ) from None
    return codecs.lookup(encoding).name


@contextmanager
def silence_native_output() -> Iterator[None]:
    """Send what is written to standard error meanwhile nowhere; exceptions pass."""
    try:
        saved_stderr, null_device = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is no standard error
        yield
        return
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    os.dup2(null_device, 2)
    try:
        yield
    finally:
        os.dup2(saved_stderr, 2)
        os.close(saved_stderr)
        os.close(null_device)
