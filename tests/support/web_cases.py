"""Jobs in real processes, for tests of the server."""

import asyncio
import json
import os
import socket
import sys
import threading
import time
import warnings
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from shoal.base.errors import ShoalWarning, message_and_exit_code
from shoal.web.server import worker
from shoal.web.server.job_folder import JobSpec
from shoal.web.server.jobs import Jobs

WHERE = {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
"""The environment of a process that finds what these tests find."""

IN_A_KERNEL = """
import json, sys
from pathlib import Path
from shoal.base.stopping import file_lock
from shoal.base.stopping import end_with_input, install_signal_handlers
install_signal_handlers()
end_with_input()
from numba import njit

@njit(nogil={nogil})
def endless(n):
    i = 0
    while i < n:
        i = i + 1 - (i & 1)
    return i

endless(0)
with file_lock(Path({lock!r})) as held:
    print(json.dumps(dict(what="in a kernel", share=0.5)), flush=True)
    endless(2**62)
"""


def in_a_kernel(lock, *, nogil):
    """The command of a job that never comes out of its kernel; it holds a lock for as long as it lives."""
    return (sys.executable, "-c", IN_A_KERNEL.format(lock=str(lock), nogil=nogil))


def saying(folder, text, code=0):
    """The command of a job that only prints something."""
    (folder / "said").write_text(text + "\n")
    return ("sh", "-c", f"cat '{folder / 'said'}'; exit {code}")


class Threaded:
    """A worker that does its job in a thread: as a process, to the server, but nothing is started and imported."""

    pid = 1 << 30  # nobody's: whoever would end it waits for it instead

    def __init__(self, folder):
        self.folder, self.returncode = Path(folder), None
        self.stdout = asyncio.StreamReader()
        self.loop = asyncio.get_running_loop()
        self.work = self.loop.run_in_executor(None, self._worked)

    @classmethod
    async def start(cls, *command, **_):
        """What `asyncio.create_subprocess_exec` is called with."""
        return cls(command[-1])

    async def wait(self):
        return await asyncio.shield(self.work)

    def _say(self, **facts):
        self.loop.call_soon_threadsafe(self.stdout.feed_data, f"{json.dumps(facts)}\n".encode())

    def _worked(self):
        with warnings.catch_warnings():
            warnings.simplefilter("always", ShoalWarning)
            warnings.showwarning = lambda message, *_, **__: self._say(note=str(message))
            try:
                code = worker._do_job(self.folder, lambda what, share=None: self._say(what=what, share=share))
            except BaseException as error:
                sentence, code = message_and_exit_code(error)
                self._say(sentence=sentence)
        self._say(exit=code)
        self.returncode = code
        self.loop.call_soon_threadsafe(self.stdout.feed_eof)
        return code


@asynccontextmanager
async def jobs_in(folder, **options):
    folder.mkdir(exist_ok=True)
    jobs = Jobs(folder, **options)
    try:
        yield jobs
    finally:
        await jobs.close()


async def until(test, seconds=30.0):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end, "it took too long"
        await asyncio.sleep(0.01)


async def ended(job):
    """The facts of a job at its end."""
    await until(lambda: job.over)
    return job.as_dict()


def files_of(people):
    """A folder with a table as a job takes it."""
    return {
        path.relative_to(people).as_posix(): path
        for path in (people / "people.csv", people / "hierarchies" / "job.csv", people / "shoal.toml")
    }


def finish(folder: Path, kind, files, configuration=None, options=None, **more):
    """Do one job to its end; give its facts and its folder."""

    async def whole():
        async with jobs_in(folder / "jobs") as jobs:
            job = jobs.submit(JobSpec(kind, configuration, options or {}, **more), files)
            return await ended(job), job.folder

    return asyncio.run(whole())


@dataclass
class Running:
    """A server that listens, and a client that has its token."""

    server: object
    url: str
    client: object


@contextmanager
def running(where, *, pages=None, **options):
    import httpx
    import uvicorn

    from shoal.web.serve import application
    from shoal.web.server.workspace import start_server

    with socket.create_server(("127.0.0.1", 0)) as listening, start_server(where=where, **options) as server:
        port = listening.getsockname()[1]
        config = uvicorn.Config(
            application(server, port, pages), proxy_headers=False, access_log=False, log_level="error"
        )
        uvicorn_server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(uvicorn_server.serve([listening])))
        thread.start()
        url = f"http://127.0.0.1:{port}"
        try:
            with httpx.Client(
                base_url=f"{url}/api/v1",
                headers={"Authorization": f"Bearer {server.keys.bearer}"},
                timeout=30,
                transport=httpx.HTTPTransport(retries=5),
            ) as client:
                yield Running(server, url, client)
        finally:
            uvicorn_server.should_exit = True
            thread.join()
