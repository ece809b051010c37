"""Files that were sent: their names made harmless, each streamed to one file, whole or not at all."""

import asyncio
import errno
import os
import re
import secrets
import unicodedata
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shutil import disk_usage, rmtree

from shoal.errors import InputError
from shoal.web.server.asgi import TooLongError

__all__ = ["LIMIT", "WHOLE", "Upload", "Uploads", "harmless", "inner_path"]


_LONGEST = 120  # bytes
_DEEPEST = 8
_STRANGE = re.compile(r'[<>:"|?*&\']')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def harmless(name: str) -> str:
    r"""The last part of a path, without signs that steer a terminal, a page or a file system.

    >>> harmless("../../etc/passwd"), harmless("C:\\data\\people.csv"), harmless("<b>.csv"), harmless("nul")
    ('passwd', 'people.csv', '_b_.csv', '_nul')
    """
    last = re.split(r"[/\\]", name)[-1]
    seen = "".join(sign for sign in last if _shown(sign))
    bare = _STRANGE.sub("_", unicodedata.normalize("NFC", seen)).strip(". ")
    if not bare:
        return "data"
    if _RESERVED.fullmatch(bare):
        bare = f"_{bare}"
    return _shortened(bare)


def inner_path(text: str) -> PurePosixPath:
    """A path inside a folder, each part of it a harmless name.

    Raises
    ------
    InputError
        It leads out of the folder, or holds a name that could do harm.
    """
    parts = text.split("/")
    if len(parts) > _DEEPEST or any(part != harmless(part) or not part for part in parts):
        raise InputError(
            "files: a name is not a plain path inside the job's folder; write it as people.csv or hierarchies/job.csv"
        )
    return PurePosixPath(*parts)


def _shown(sign: str) -> bool:
    """Whether a sign is one that people see: no control, no direction mark, no half of a sign; a blank is one."""
    return sign == " " or unicodedata.category(sign)[0] in "LMNPS"


def _shortened(name: str) -> str:
    """Cut the middle out of a long name: its suffixes say how it is read."""
    if len(name.encode()) <= _LONGEST:
        return name
    suffix = "".join(PurePosixPath(name).suffixes[-2:])
    if len(suffix.encode()) > _LONGEST // 4:
        suffix = ""
    stem = name.removesuffix(suffix).encode()[: _LONGEST - len(suffix.encode())].decode(errors="ignore")
    return f"{stem.rstrip('. ')}{suffix}" if stem.rstrip(". ") else "data"


LIMIT = 2 * 10**9
"""How many bytes one file may have, unless the server is told otherwise."""

WHOLE = 10 * 10**9
"""How many bytes all files together may have, unless the server is told otherwise."""

_AT_ONCE = 2**20
_SPARE = 10**9  # bytes of the disk that are left to jobs and to others, or a twentieth of a small disk


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent as a whole."""

    id: str
    name: str
    bytes: int
    path: Path


class Uploads:
    """The files that were sent to this server, by number; several may have one name.

    Parameters
    ----------
    folder
        Where they are.
    limit
        How many bytes one of them may have.
    whole
        How many bytes all of them may have together, those that are still being sent among them.
    """

    def __init__(self, folder: Path, limit: int = LIMIT, whole: int = WHOLE) -> None:
        self.limit, self.whole = limit, whole
        self._folder = folder
        self._there: dict[str, Upload] = {}
        self._held = 0

    def __iter__(self) -> Iterator[Upload]:
        return iter(list(self._there.values()))

    def get(self, number: str) -> Upload | None:
        """The file of a number."""
        return self._there.get(number)

    def remove(self, number: str) -> bool:
        """Remove a file; jobs that were begun with it keep it. Tell whether it was there."""
        found = self._there.pop(number, None)
        if found is not None:
            rmtree(found.path.parent, ignore_errors=True)
            self._held -= found.bytes
        return found is not None

    async def store(self, name: str, chunks: AsyncIterator[bytes]) -> Upload:
        """Write what comes to one file.

        Raises
        ------
        TooLongError
            It is longer than it may be, or all files together are. Nothing is left of it, whatever goes wrong.
        OSError
            The disk is full, or would nearly be.
        """
        number = secrets.token_hex(16)
        folder = self._folder / number
        folder.mkdir(mode=0o700)
        size = 0

        async def counted() -> AsyncIterator[bytes]:
            nonlocal size
            async for chunk in chunks:
                self._take(size, len(chunk))
                size += len(chunk)
                yield chunk

        try:
            path = folder / harmless(name)
            await _written(counted(), folder / ".part")
            os.replace(folder / ".part", path)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            self._held -= size
            raise
        self._there[number] = Upload(number, path.name, size, path)
        return self._there[number]

    def _take(self, size: int, came: int) -> None:
        """Let a file that has `size` bytes have `came` more, unless that is too much."""
        if size + came > self.limit:
            raise TooLongError(f"this has more than {self.limit:,} bytes")
        if self._held + came > self.whole:
            raise TooLongError(
                f"all files that were sent would have more than {self.whole:,} bytes together; remove some of them "
                "first, or start shoal with a higher limit"
            )
        self._held += came


async def _written(chunks: AsyncIterator[bytes], path: Path) -> None:
    """Write chunks to a new file, a megabyte at a time."""
    waiting = bytearray()
    with path.open("xb") as file:
        async for chunk in chunks:
            waiting += chunk
            if len(waiting) >= _AT_ONCE:
                _require_room(path.parent)
                await asyncio.to_thread(file.write, bytes(waiting))
                waiting.clear()
        file.write(waiting)


def _require_room(folder: Path) -> None:
    """Stop before the disk is full: jobs, and everything else on this machine, need some of it too."""
    disk = disk_usage(folder)
    if disk.free - _AT_ONCE < min(_SPARE, disk.total // 20):
        raise OSError(errno.ENOSPC, "the disk would be nearly full")
