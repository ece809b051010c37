"""Locks on files that end with the process that holds them, however it ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["hold"]


@contextmanager
def hold(path: Path, *, create: bool = True) -> Iterator[bool]:
    """Hold a lock on a file while the block runs; give whether it could be had.

    Where the file is removed before the lock is had, it could not; without `create` the file must be there. A file
    system without locks grants every one to whoever creates the file, and none to others.
    """
    flags = os.O_RDWR | (os.O_CREAT if create else 0)
    try:
        handle = os.open(path, flags, 0o600)
    except OSError:
        yield False
        return
    try:
        locked = _lock(handle)
        yield _same(path, handle) and (create if locked is None else locked)
    finally:
        os.close(handle)


def _lock(handle: int) -> bool | None:
    """Lock an open file for this process alone; None where nothing can be locked."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _same(path: Path, handle: int) -> bool:
    """Whether `path` still names the open file."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except OSError:
        return False
