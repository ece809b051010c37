"""The jobs of a server: each in a process of its own, which a cancel really ends."""

import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shutil import copyfile, rmtree

import shoal
from shoal.errors import InputError
from shoal.io.settings import PASSWORD
from shoal.web.job import Job
from shoal.web.keys import TOKEN
from shoal.web.names import inner_path
from shoal.web.order import WORK, Order
from shoal.web.parcels import earlier_files

__all__ = ["AT_ONCE", "Jobs"]

AT_ONCE = 2
"""How many jobs run at the same time; others wait."""

_PATIENCE = 1.0  # seconds that a process has to end by itself
_LONGEST_LINE = 2**20


class Jobs:
    """All jobs of a server, by number.

    Parameters
    ----------
    folder
        Where every job gets a folder of its own.
    at_once
        How many run at the same time.
    command
        What is started for a job; the job's folder is its last argument.
    """

    def __init__(
        self, folder: Path, *, at_once: int = AT_ONCE, command: tuple[str, ...] | None = None
    ) -> None:
        self._folder = folder
        self._command = command or (sys.executable, "-m", "shoal.web.worker")
        self._turns = asyncio.Semaphore(at_once)
        self._there: dict[str, Job] = {}

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._there.values()))

    def get(self, number: str) -> Job | None:
        """The job of a number."""
        return self._there.get(number)

    def submit(
        self,
        order: Order,
        files: Mapping[str, Path],
        after: Job | None = None,
        password: str | None = None,
    ) -> Job:
        """Begin a job, as soon as it is its turn.

        Parameters
        ----------
        order
            What is asked for.
        files
            By their paths in the job's folder: the files that it works on. They are linked where that can be.
        after
            An earlier job whose files it goes on with; those in `files` stand in their place.
        password
            Of the database that the order names; by default the one that the server was started with.

        Raises
        ------
        InputError
            A path leads out of the folder, or two of them do not fit together.
        """
        number = secrets.token_hex(16)
        folder = self._folder / number
        try:
            _furnish(folder / WORK, order.kind, files, after)
            order.write(folder)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise
        job = self._there[number] = Job(number, order.kind, folder)
        job.task = asyncio.create_task(self._run(job, order.allowed.databases, password))
        return job

    async def cancel(self, job: Job) -> None:
        """End a job that is not over, and remove what it wrote. It does not wait for a kernel or the compiler."""
        if job.over:
            return
        job.told_to_stop = True
        assert job.task is not None
        if job.state == "waiting":
            job.task.cancel()
        else:
            if job.process is not None:
                await _ended(job.process)
            await asyncio.shield(job.task)
        job.end("cancelled")
        rmtree(job.folder, ignore_errors=True)

    async def remove(self, job: Job) -> None:
        """Forget a job, and remove all that it wrote; if it is not over it is cancelled."""
        await self.cancel(job)
        self._there.pop(job.id, None)
        rmtree(job.folder, ignore_errors=True)

    async def close(self) -> None:
        """Cancel all jobs: the server ends."""
        await asyncio.gather(*(self.cancel(job) for job in self))

    def kill(self) -> None:
        """End all processes at once, without waiting: this process is about to end."""
        for job in self:
            if job.process is not None and job.process.returncode is None:
                _send(job.process, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)

    async def _run(self, job: Job, databases: bool, password: str | None) -> None:
        async with self._turns:
            job.begin()
            try:
                await self._worked(job, environment(job.folder, databases, password))
            except Exception as error:  # no process, no memory: the job fails, the server lives on
                job.end("failed", f"the job could not be started ({type(error).__name__}); try it again", 70)

    async def _worked(self, job: Job, surroundings: dict[str, str]) -> None:
        job.process = process = await asyncio.create_subprocess_exec(
            *self._command,
            str(job.folder),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None if os.environ.get("SHOAL_DEBUG") else asyncio.subprocess.DEVNULL,
            cwd=job.folder,
            env=surroundings,
            limit=_LONGEST_LINE,
            start_new_session=True,
        )
        assert process.stdout is not None
        if job.told_to_stop:
            await _ended(process)
        while line := await _line(process.stdout):
            with suppress(ValueError):  # whatever is no JSON is none of the worker's
                job.hear(json.loads(line))
        code = await process.wait()
        if job.told_to_stop:
            job.end("cancelled")
        elif job.exit == code and job.sentence is None and job.exit is not None:
            job.end("done", exit_code=code)
        elif job.sentence is not None:
            job.end("failed", job.sentence, job.exit or code)
        else:
            job.end("failed", _silent_end(code), 70)


async def _line(lines: asyncio.StreamReader) -> bytes:
    """The next line of a process; one that is far too long is as good as an empty one. Nothing: it has ended."""
    try:
        return await lines.readline()
    except ValueError:
        return b"\n"


def _silent_end(code: int) -> str:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return (
        f"the job's process ended without a word ({how}); the machine may have too little memory: give fewer records "
        "or columns, or close other programs"
    )


def _furnish(work: Path, kind: str, files: Mapping[str, Path], after: Job | None) -> None:
    """Link files into a job's folder."""
    wanted: dict[Path, Path] = {}
    if after is not None:
        wanted = {path: after.folder / WORK / path for path in earlier_files(after.folder / WORK, kind)}
    wanted |= {Path(inner_path(name)): path for name, path in files.items()}
    work.mkdir(mode=0o700, parents=True)
    for path, source in wanted.items():
        try:
            (work / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _placed(source, work / path)
        except (FileExistsError, NotADirectoryError):
            raise InputError(
                "files: one name is another one's folder; give each file a name of its own"
            ) from None


def _placed(source: Path, target: Path) -> None:
    """Link a file, or copy it where the file system cannot link it."""
    try:
        os.link(source, target)
    except (FileExistsError, FileNotFoundError, NotADirectoryError):
        raise
    except OSError:
        copyfile(source, target)


def environment(folder: Path, databases: bool = False, password: str | None = None) -> dict[str, str]:
    """What a worker finds: where shoal is, a place for temporary files, no secret but its database's password.

    Nothing is imported from the folder that it runs in: a file that was sent may be called numpy.py.
    """
    secret = (TOKEN,) if databases else (TOKEN, PASSWORD)
    own = {name: value for name, value in os.environ.items() if name not in secret}
    if databases and password is not None:
        own[PASSWORD] = password
    given = [place for place in own.get("PYTHONPATH", "").split(os.pathsep) if place]
    home = Path(shoal.__file__).parents[1]
    temporary = folder / "tmp"
    temporary.mkdir(mode=0o700, exist_ok=True)
    return {
        **own,
        "PYTHONPATH": os.pathsep.join([str(home), *map(os.path.abspath, given)]),
        "PYTHONSAFEPATH": "1",
        "TMPDIR": str(temporary),
    }


async def _ended(process: asyncio.subprocess.Process) -> None:
    """End a process and all of its group: it has a second to do so itself."""
    _send(process, signal.SIGTERM)
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _PATIENCE)
    if hasattr(signal, "SIGKILL"):
        _send(process, signal.SIGKILL)
    await process.wait()


def _send(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.terminate()
