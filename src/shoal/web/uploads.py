"""Files that were sent: each streamed to one file of the private folder, whole or not at all."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from shoal.web.limits import TooLongError
from shoal.web.names import harmless

__all__ = ["LIMIT", "Upload", "Uploads"]

LIMIT = 2 * 10**9
"""How many bytes one file may have, unless the server is told otherwise."""

_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent as a whole."""

    id: str
    name: str
    bytes: int
    path: Path


class Uploads:
    """The files that were sent to this server, by number; several may have one name."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self.limit = limit
        self._folder = folder
        self._there: dict[str, Upload] = {}

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
        return found is not None

    async def store(self, name: str, chunks: AsyncIterator[bytes]) -> Upload:
        """Write what comes to one file.

        Raises
        ------
        TooLongError
            It is longer than it may be. Nothing is left of it, whatever goes wrong.
        """
        number = secrets.token_hex(16)
        folder = self._folder / number
        folder.mkdir(mode=0o700)
        try:
            path = folder / harmless(name)
            size = await _written(chunks, folder / ".part", self.limit)
            os.replace(folder / ".part", path)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise
        self._there[number] = Upload(number, path.name, size, path)
        return self._there[number]


async def _written(chunks: AsyncIterator[bytes], path: Path, limit: int) -> int:
    """Write chunks to a new file, a megabyte at a time, and count them."""
    size, waiting = 0, bytearray()
    with path.open("xb") as file:
        async for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise TooLongError(f"this has more than {limit:,} bytes")
            waiting += chunk
            if len(waiting) >= _AT_ONCE:
                await asyncio.to_thread(file.write, bytes(waiting))
                waiting.clear()
        file.write(waiting)
    return size
