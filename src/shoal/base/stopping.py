"""Being told to stop: whatever the process is at, what it has half done is removed, and it ends at once.

Python lets the handler of a signal wait until the main thread has ended its present step, and a kernel or the
compiler is one step of many seconds. So a thread of its own waits for signals, undoes what is registered here and
ends the process. Only programs ask for that (`install_signal_handlers`); in somebody else's Python signals do what
they always do.

`file_lock` locks a file; the lock ends with the process that holds it, however it ends.
"""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree

__all__ = [
    "atomic_write",
    "cleanup_on_stop",
    "end_process",
    "end_with_input",
    "exit_immediately",
    "file_lock",
    "fsync_path",
    "install_signal_handlers",
    "remove_tree",
    "signals_deferred",
]


signals_deferred = threading.RLock()
"""Whoever holds it is not stopped: what must happen as a whole, or not at all, happens under this lock."""

_WAIT = 5.0  # seconds: longer than anything under the lock takes
_WORDS = {"SIGINT": "interrupted", "SIGTERM": "told to stop", "SIGHUP": "the terminal was closed"}
_undo: dict[object, Callable[[], object]] = {}


@contextmanager
def cleanup_on_stop(undo: Callable[[], object]) -> Iterator[None]:
    """Have `undo` called if the process is told to stop while the block runs; what was begun last is undone first."""
    key = object()
    _undo[key] = undo
    try:
        yield
    finally:
        _undo.pop(key, None)


def remove_tree(folder: Path) -> None:
    """Remove a folder that somebody may still be writing in: whoever looks for its name finds nothing any more."""
    gone = folder.with_name(f"{folder.name}.gone")
    with suppress(OSError):
        os.rename(folder, gone)
        rmtree(gone, ignore_errors=True)


@contextmanager
def atomic_write(path: Path, *, private: bool = True) -> Iterator[Path]:
    """Give a place beside `path` for a file to write; it becomes `path` when the block ends well, else it is gone.

    Only its owner can read the file, from its first byte on, unless it is not `private`.
    """
    part = path.with_name(f".{os.getpid()}.shoal-{path.name}")
    with cleanup_on_stop(lambda: part.unlink(missing_ok=True)):
        try:
            if private:
                part.unlink(missing_ok=True)  # of a process that was killed: its mode may be another one
                os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            yield part
            with signals_deferred:
                os.replace(part, path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def fsync_path(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot, and needs not, sync a folder
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def install_signal_handlers() -> None:
    """Let SIGINT, SIGTERM and SIGHUP end this process in one line with the exit code 128 and the signal's number.

    Signals that whoever started the process lets it ignore stay ignored. It is called in the main thread, once.
    """
    numbers = [getattr(signal, name) for name in _WORDS if hasattr(signal, name)]
    heard = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_wait_for_signal, args=[reading, heard], daemon=True).start()
    for number in heard:
        signal.signal(number, lambda _number, _frame: None)  # a handler of Python's: the thread does the rest


def _wait_for_signal(reading: int, heard: list[int]) -> None:
    while True:
        for number in os.read(reading, 1):
            if number in heard:
                end_process(128 + number, _WORDS[signal.Signals(number).name])


@contextmanager
def exit_immediately() -> Iterator[None]:
    """End the process with the block's exit code as soon as what was registered for its end is done.

    Python takes half a second to take itself apart, and whoever tells it to stop in that time is not heard.
    """
    code: object = "not ended yet"

    def leave() -> None:
        if isinstance(code, int):
            with suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)

    atexit.register(leave)  # the first to be registered is the last to be called
    try:
        yield
    except SystemExit as ending:
        code = ending.code or 0
        raise


def end_with_input() -> None:
    """End this process, quietly, when its standard input ends: when the process that started it has ended."""
    threading.Thread(target=_wait_for_input_end, daemon=True).start()


def _wait_for_input_end() -> None:
    with suppress(OSError):
        while os.read(0, 1024):
            pass
    end_process(128 + signal.SIGTERM)


def end_process(code: int, why: str | None = None) -> None:
    """Undo what is half done, say why in one line, and end the process; no other thread gets further."""
    signals_deferred.acquire(timeout=_WAIT)
    for undo in reversed(list(_undo.values())):
        with suppress(Exception):
            undo()
    if why is not None and sys.stderr is not None:
        with suppress(OSError):
            os.write(2, f"shoal: {why}; nothing half-written is left\n".encode())
    os._exit(code)


@contextmanager
def file_lock(path: Path, *, create: bool = True) -> Iterator[bool]:
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
        locked = _try_lock(handle)
        yield _is_same_file(path, handle) and (create if locked is None else locked)
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool | None:
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


def _is_same_file(path: Path, handle: int) -> bool:
    """Whether `path` still names the open file."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except OSError:
        return False
