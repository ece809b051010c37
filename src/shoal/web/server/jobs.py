"""The jobs of a server, which `rest` and the pages begin: each in a process of its own, which a cancel really ends."""

import asyncio
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile, rmtree
from typing import Any, Literal

import shoal
from shoal.base.errors import InputError
from shoal.io.settings import PASSWORD
from shoal.web.server.guard import TOKEN
from shoal.web.server.job_folder import ARCHIVES, RESULT, WORK, JobSpec, inner_path, list_files_to_reuse

__all__ = ["_AT_ONCE", "Job", "Jobs", "Pace", "State"]


class Pace:
    """The time that each step has taken so far, and what that says of the rest of it.

    A step that something else interrupts, as compiling does, goes on where it was: the time between does not count.
    """

    def __init__(self) -> None:
        self._what = ""
        self._share: float | None = None
        self._since = time.monotonic()
        self._before: dict[
            str, tuple[float, float]
        ] = {}  # by step: seconds that it took, and the share reached

    def hear(self, what: str, share: float | None) -> None:
        """Take note of a step and of the share of it that is done."""
        if what != self._what:
            self._before[self._what] = (self._seconds_spent(), self._share or 0.0)
            self._what, self._since = what, time.monotonic()
        if self._before.get(what, (0.0, 0.0))[1] > (share or 0.0):  # the same words again, for a new step
            self._before.pop(what)
        self._share = share

    def left(self) -> float | None:
        """Seconds that the present step will still take; None where nobody knows its share."""
        if not self._share:
            return None
        return self._seconds_spent() * (1 - self._share) / self._share

    def _seconds_spent(self) -> float:
        """Seconds that the present step has taken, without what interrupted it."""
        return self._before.get(self._what, (0.0, 0.0))[0] + time.monotonic() - self._since


State = Literal["waiting", "running", "done", "failed", "cancelled"]

_MOST_NOTES = 100
_SILENCE = 15.0  # seconds between two signs of life


@dataclass(eq=False)
class Job:
    """A job; it lives in the server, so that a page that is loaded again finds it.

    what, share : what it is at, and which share of that is done (None: unknown)
    notes       : what the owner of the data should know
    sentence    : what went wrong
    exit        : the exit code that the command line would have
    """

    id: str
    kind: str
    folder: Path
    state: State = "waiting"
    what: str = ""
    share: float | None = None
    notes: list[str] = field(default_factory=list)
    sentence: str | None = None
    exit: int | None = None
    told_to_stop: bool = False
    process: asyncio.subprocess.Process | None = None
    task: "asyncio.Task[None] | None" = None
    _begun: float | None = None
    _pace: Pace = field(default_factory=Pace)
    _ended: float | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        """Whether it has come to its end, well or not."""
        return self.state in ("done", "failed", "cancelled")

    def begin(self) -> None:
        """It runs now."""
        self.state, self._begun = "running", time.monotonic()
        self._tell()

    def hear(self, said: Any) -> None:
        """Take note of one line of the worker."""
        if not isinstance(said, dict):
            return
        if "what" in said:
            share = said.get("share")
            self.what = str(said["what"])
            self.share = None if share is None else min(1.0, max(0.0, float(share)))
            self._pace.hear(self.what, self.share)
        if "note" in said and len(self.notes) < _MOST_NOTES:
            self.notes.append(str(said["note"]))
        self.sentence = said.get("sentence", self.sentence)
        self.exit = said.get("exit", self.exit)
        self._tell()

    def end(self, state: State, sentence: str | None = None, exit_code: int | None = None) -> None:
        """It is over; the first end counts."""
        if self.over:
            return
        self.state, self.sentence, self.exit = state, sentence, exit_code
        self.share, self._ended = None, time.monotonic()
        self._tell()

    def parcels(self) -> list[str]:
        """What can be fetched of it."""
        if self.state != "done":
            return []
        names = {"result": RESULT, **ARCHIVES}
        return [name for name, file in names.items() if (self.folder / file).is_file()]

    def as_dict(self) -> dict[str, Any]:
        """All that may be told of it."""
        error = None if self.state != "failed" else {"sentence": self.sentence or "", "exit": self.exit or 70}
        return {
            "id": self.id,
            "kind": self.kind,
            "state": self.state,
            "what": self.what,
            "share": self.share,
            "seconds": 0.0 if self._begun is None else (self._ended or time.monotonic()) - self._begun,
            "left": None if self.over else self._pace.left(),
            "notes": list(self.notes),
            "exit": self.exit if self.over else None,
            "error": error,
            "parcels": self.parcels(),
        }

    async def changes(self) -> AsyncIterator[dict[str, Any] | None]:
        """Its facts now and after every change until it is over; None where nothing has changed for a while."""
        while True:
            news = self._news
            yield self.as_dict()
            if self.over:
                return
            while not news.is_set():
                try:
                    await asyncio.wait_for(news.wait(), _SILENCE)
                except TimeoutError:
                    yield None

    def _tell(self) -> None:
        """Wake whoever waits for news."""
        news, self._news = self._news, asyncio.Event()
        news.set()


_AT_ONCE = 2
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
        self, folder: Path, *, at_once: int = _AT_ONCE, command: tuple[str, ...] | None = None
    ) -> None:
        self._folder = folder
        self._command = command or (sys.executable, "-m", "shoal.web.server.worker")
        self._turns = asyncio.Semaphore(at_once)
        self._there: dict[str, Job] = {}

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._there.values()))

    def get(self, number: str) -> Job | None:
        """The job of a number."""
        return self._there.get(number)

    def submit(
        self,
        spec: JobSpec,
        files: Mapping[str, Path],
        after: Job | None = None,
        password: str | None = None,
    ) -> Job:
        """Begin a job, as soon as it is its turn.

        Parameters
        ----------
        spec
            What is asked for.
        files
            By their paths in the job's folder: the files that it works on. They are linked where that can be.
        after
            An earlier job whose files it goes on with; those in `files` stand in their place.
        password
            Of the database that the spec names; by default the one that the server was started with.

        Raises
        ------
        InputError
            A path leads out of the folder, or two of them do not fit together.
        """
        number = secrets.token_hex(16)
        folder = self._folder / number
        try:
            _link_files(folder / WORK, spec.kind, files, after)
            spec.write(folder)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise
        job = self._there[number] = Job(number, spec.kind, folder)
        job.task = asyncio.create_task(self._run(job, spec.allowed.databases, password))
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
                await _end_process(job.process)
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
                _send_signal(job.process, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)

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
            await _end_process(process)
        while line := await _read_line(process.stdout):
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
            exit_words = f"signal {-code}" if code < 0 else f"exit code {code}"
            sentence = (
                f"the job's process ended without a message ({exit_words}); the machine may have too little "
                "memory: give "
                "fewer records or columns, or close other programs"
            )
            job.end("failed", sentence, 70)


async def _read_line(lines: asyncio.StreamReader) -> bytes:
    """The next line of a process; one that is far too long is as good as an empty one. Nothing: it has ended."""
    try:
        return await lines.readline()
    except ValueError:
        return b"\n"


def _link_files(work: Path, kind: str, files: Mapping[str, Path], after: Job | None) -> None:
    """Link files into a job's folder."""
    source_of_path: dict[Path, Path] = {}
    if after is not None:
        source_of_path = {
            path: after.folder / WORK / path for path in list_files_to_reuse(after.folder / WORK, kind)
        }
    source_of_path |= {Path(inner_path(name)): path for name, path in files.items()}
    work.mkdir(mode=0o700, parents=True)
    for path, source in source_of_path.items():
        try:
            (work / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _link_or_copy(source, work / path)
        except (FileExistsError, NotADirectoryError):
            raise InputError(
                "files: one name is another one's folder; give each file a name of its own"
            ) from None


def _link_or_copy(source: Path, target: Path) -> None:
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
    secret_names = (TOKEN,) if databases else (TOKEN, PASSWORD)
    variables = {name: value for name, value in os.environ.items() if name not in secret_names}
    if databases and password is not None:
        variables[PASSWORD] = password
    python_path = [entry for entry in variables.get("PYTHONPATH", "").split(os.pathsep) if entry]
    home = Path(shoal.__file__).parents[1]
    temporary = folder / "tmp"
    temporary.mkdir(mode=0o700, exist_ok=True)
    return {
        **variables,
        "PYTHONPATH": os.pathsep.join([str(home), *map(os.path.abspath, python_path)]),
        "PYTHONSAFEPATH": "1",
        "TMPDIR": str(temporary),
    }


async def _end_process(process: asyncio.subprocess.Process) -> None:
    """End a process and all of its group: it has a second to do so itself."""
    _send_signal(process, signal.SIGTERM)
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _PATIENCE)
    if hasattr(signal, "SIGKILL"):
        _send_signal(process, signal.SIGKILL)
    await process.wait()


def _send_signal(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.terminate()
