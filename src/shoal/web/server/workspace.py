"""What a running server has: its private folder, its secrets, the files sent to it, its jobs.

A file that was sent is streamed to one file of a harmless name, whole or not at all.

The folder is made by the server, marked by it, and removed only where the mark is its own. A clean-up that trusts a
path is dangerous: with the path unset it would empty the whole temporary directory. So a workspace remembers which
folder it made (device and number, not only the name) and wrote a secret into it, and looks for both before anything is
removed. A server that was killed leaves its workspace; the next one on this machine removes it.
"""

import asyncio
import errno
import json
import os
import re
import secrets
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import disk_usage, rmtree
from typing import Any

from shoal.base.stopping import cleanup_on_stop, file_lock
from shoal.web.server.guard import Keys, TooLongError
from shoal.web.server.job_folder import Allowed, sanitize_name
from shoal.web.server.jobs import Jobs, environment

__all__ = [
    "_MARK",
    "Server",
    "Upload",
    "Uploads",
    "Workspace",
    "_open_workspace",
    "_warming",
    "start_server",
    "sweep_folders",
]


_MARK = ".shoal-room"
_PREFIX = "shoal-serve-"
_NAME = re.compile(rf"{_PREFIX}[A-Za-z0-9_]{{6,}}")
_WHAT = "the private folder of shoal serve"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A private folder that this process made."""

    folder: Path
    secret: str
    place: tuple[int, int]

    def part(self, name: str) -> Path:
        """A private folder in the folder, made where it is not there."""
        inner = self.folder / name
        inner.mkdir(mode=0o700, exist_ok=True)
        return inner

    def is_ours(self) -> bool:
        """Whether the folder is still the one that was made here, with our secret in it."""
        mark = _read_mark(self.folder)
        return (
            mark is not None
            and _folder_identity(self.folder) == self.place
            and secrets.compare_digest(str(mark.get("secret")).encode(), self.secret.encode())
            and mark.get("pid") == os.getpid()
        )

    def remove(self) -> bool:
        """Remove the folder with all that is in it, if it is ours; tell whether it was."""
        if not self.is_ours():
            return False
        _remove_folder(self.folder)
        return True


@contextmanager
def _open_workspace(where: Path | None = None) -> Iterator[Workspace]:
    """A workspace for as long as the block runs; it is gone afterwards, and when the process is told to stop.

    Parameters
    ----------
    where
        The directory to make it in; by default the system's temporary one. What killed servers left there is removed
        first.
    """
    parent = Path(tempfile.gettempdir()) if where is None else where
    sweep_folders(parent)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)).resolve()
    secret = secrets.token_hex(32)
    mark = {"what": _WHAT, "secret": secret, "pid": os.getpid(), "folder": str(folder)}
    handle = os.open(folder / _MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(mark, file)
    identity = _folder_identity(folder)
    assert identity is not None
    workspace = Workspace(folder, secret, identity)
    with ExitStack() as stack:
        stack.enter_context(cleanup_on_stop(workspace.remove))
        stack.callback(workspace.remove)
        stack.enter_context(file_lock(folder / _MARK, create=False))  # whoever sweeps sees that we live
        yield workspace


def sweep_folders(parent: Path) -> list[Path]:
    """Remove the workspaces that servers of this user left in `parent` when they were killed; return them.

    A folder is removed only if its name, its owner and its rights are a workspace's, its mark names it, the process
    of the mark is gone, and nobody holds the mark's lock.
    """
    with suppress(OSError):
        return [folder for folder in sorted(parent.resolve().iterdir()) if _sweep_folder(folder)]
    return []


def _sweep_folder(folder: Path) -> bool:
    mark = _read_mark(folder) if _NAME.fullmatch(folder.name) else None
    if mark is None or mark.get("folder") != str(folder) or _is_running(mark.get("pid")):
        return False
    with file_lock(folder / _MARK, create=False) as is_free:
        if is_free:
            _remove_folder(folder)
        return is_free


def _read_mark(folder: Path) -> dict[str, Any] | None:
    """What the mark of a workspace says; None where this is no workspace of this user's."""
    if _folder_identity(folder) is None:
        return None
    mark = folder / _MARK
    try:
        if not stat.S_ISREG(mark.lstat().st_mode) or mark.lstat().st_uid != _user_id():
            return None
        facts = json.loads(mark.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) and facts.get("what") == _WHAT else None


def _folder_identity(folder: Path) -> tuple[int, int] | None:
    """Device and number of a private folder of this user's; None for anything else, a link above all."""
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    is_private = stat.S_ISDIR(status.st_mode) and (os.name == "nt" or stat.S_IMODE(status.st_mode) == 0o700)
    return (status.st_dev, status.st_ino) if is_private and status.st_uid == _user_id() else None


def _user_id() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _is_running(pid: Any) -> bool:
    """Whether a process runs; what is no number may be one, so that nothing is removed."""
    if not isinstance(pid, int) or isinstance(pid, bool) or not 0 < pid < 2**31:
        return True
    if os.name == "nt":  # a signal would end it there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _remove_folder(folder: Path) -> None:
    """Empty a workspace and remove it; its mark goes last, so that a clean-up that is interrupted can be done again."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.name == _MARK:
                continue
            if entry.is_dir(follow_symlinks=False):
                rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
        os.unlink(folder / _MARK)
        os.rmdir(folder)


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
        upload = self._there.pop(number, None)
        if upload is not None:
            rmtree(upload.path.parent, ignore_errors=True)
            self._held -= upload.bytes
        return upload is not None

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
            path = folder / sanitize_name(name)
            await _write_chunks(counted(), folder / ".part")
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


async def _write_chunks(chunks: AsyncIterator[bytes], path: Path) -> None:
    """Write chunks to a new file, a megabyte at a time."""
    buffer = bytearray()
    with path.open("xb") as file:
        async for chunk in chunks:
            buffer += chunk
            if len(buffer) >= _AT_ONCE:
                _require_disk_space(path.parent)
                await asyncio.to_thread(file.write, bytes(buffer))
                buffer.clear()
        file.write(buffer)


def _require_disk_space(folder: Path) -> None:
    """Stop before the disk is full: jobs, and everything else on this machine, need some of it too."""
    disk = disk_usage(folder)
    if disk.free - _AT_ONCE < min(_SPARE, disk.total // 20):
        raise OSError(errno.ENOSPC, "the disk would be nearly full")


_PATIENCE = 2.0  # seconds that it has to end


@contextmanager
def _warming(folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Compile in a process of its own while the block runs; its temporary files are in the folder, a private one.

    The process ends with the block, or with this process, however that ends: its standard input ends then.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal.web.server.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()  # it ends by itself then, with no half-written file in the cache
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class Server:
    """One for a process; pages and the REST interface look at the same."""

    workspace: Workspace
    keys: Keys
    uploads: Uploads
    jobs: Jobs
    allowed: Allowed = field(default_factory=Allowed)


@contextmanager
def start_server(
    *,
    limit: int = LIMIT,
    whole: int = WHOLE,
    allowed: Allowed | None = None,
    where: Path | None = None,
    command: tuple[str, ...] | None = None,
    warm: bool = False,
) -> Iterator[Server]:
    """A server's things for as long as the block runs; then processes are ended and the folder is removed.

    `limit` and `whole` are those of `Uploads`, `where` that of `_open_workspace`, `command` that of `Jobs`; `allowed`
    is what jobs may read beside what is sent, and `warm` whether a process of low priority compiles meanwhile what they
    will need.
    """
    keys = Keys.from_environment()
    with _open_workspace(where) as workspace:
        jobs = Jobs(workspace.part("jobs"), command=command)
        with cleanup_on_stop(jobs.kill), _warming(workspace.part("warming")) if warm else nullcontext():
            try:
                uploads = Uploads(workspace.part("uploads"), limit, whole)
                yield Server(workspace, keys, uploads, jobs, allowed or Allowed())
            finally:
                jobs.kill()
