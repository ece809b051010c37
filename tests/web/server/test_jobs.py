"""Jobs run in processes of their own, and a cancel really ends them."""

import asyncio
import errno
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

import pytest

from shoal.base.errors import InputError
from shoal.base.stopping import file_lock
from shoal.web.server import jobs
from shoal.web.server.job_folder import RESULT, Allowed, JobSpec
from shoal.web.server.jobs import Pace
from shoal.web.server.workspace import sweep_folders
from web_cases import WHERE, ended, finish, in_a_kernel, jobs_in, saying, until

pytestmark = pytest.mark.process


def is_free(lock):
    with file_lock(lock) as free:
        return free


def test_a_job_is_done_by_a_process_of_its_own(people, tmp_path):
    """And nothing is imported from what was sent: a file may be called numpy.py, and PYTHONPATH may be relative."""
    trap = people / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    names = ["numpy.py", "polars.py", "src/numpy.py", "src/shoal/__init__.py", "tests/numpy.py", "json.py"]
    files = {"people.csv": people / "people.csv"} | dict.fromkeys(names, trap)
    facts, folder = finish(tmp_path, "propose", files, options={"data": "people.csv"})
    assert (facts["state"], facts["exit"], facts["error"]) == ("done", 0, None)
    assert facts["seconds"] > 0
    assert not (tmp_path / "sprung").exists()
    assert facts["parcels"] == ["result", "configuration"]
    assert json.loads((folder / RESULT).read_text())["records"] == 60
    with ZipFile(folder / "configuration.zip") as parcel:
        assert "shoal.toml" in parcel.namelist()
        assert {Path(name).parts[0] for name in parcel.namelist()} == {"shoal.toml", "hierarchies"}


def test_what_goes_wrong_is_the_sentence_and_the_code_of_the_command(people, tmp_path):
    facts, folder = finish(tmp_path, "run", {"shoal.toml": people / "people.csv"})
    assert facts["state"] == "failed"
    assert facts["error"]["exit"] == facts["exit"] == 2
    assert facts["error"]["sentence"].startswith("shoal.toml, line 1: not TOML")
    assert not (folder / RESULT).exists()
    assert facts["parcels"] == []


@pytest.mark.parametrize("nogil", [True, False])
def test_a_cancel_ends_a_job_inside_a_kernel(tmp_path, nogil):
    """Python's own handlers of signals would wait for the kernel's end."""
    lock = tmp_path / "lock"

    async def whole():
        async with jobs_in(tmp_path / "jobs", command=in_a_kernel(lock, nogil=nogil)) as jobs:
            job = jobs.submit(JobSpec("run"), {})
            await until(lambda: job.what == "in a kernel")
            assert job.as_dict()["share"] == 0.5
            assert job.as_dict()["left"] is not None
            assert not is_free(lock)
            begun = time.monotonic()
            await asyncio.gather(jobs.cancel(job), jobs.cancel(job))
            assert time.monotonic() - begun < 3
            assert job.as_dict()["state"] == "cancelled"
            assert is_free(lock)
            assert not job.folder.exists()
            await jobs.cancel(job)
            assert job.state == "cancelled"

    asyncio.run(whole())


SERVER = """
import asyncio, sys
from pathlib import Path
from shoal.base.stopping import install_signal_handlers
from shoal.web.server.job_folder import JobSpec
from shoal.web.server.workspace import start_server
from web_cases import in_a_kernel, until

async def whole(folder):
    with start_server(where=folder / "rooms", command=in_a_kernel(folder / "lock", nogil=True)) as server:
        job = server.jobs.submit(JobSpec("run"), {})
        await until(lambda: job.what == "in a kernel")
        print("running", flush=True)
        await asyncio.sleep(60)

install_signal_handlers()
asyncio.run(whole(Path(sys.argv[1])))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "told to stop"])
def test_a_job_ends_with_its_server_however_that_ends(tmp_path, number):
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    code = [sys.executable, "-c", SERVER, tmp_path]
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True, "env": WHERE}
    with subprocess.Popen(code, **how) as server:
        assert server.stdout.readline() == "running\n"
        assert not is_free(tmp_path / "lock")
        server.send_signal(number)
    end = time.monotonic() + 5
    while not is_free(tmp_path / "lock"):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert len(list(rooms.iterdir())) == (number == signal.SIGKILL)
    sweep_folders(rooms)
    assert list(rooms.iterdir()) == []


def test_jobs_wait_for_their_turn_and_can_be_cancelled_while_they_wait(tmp_path):
    async def whole():
        command = in_a_kernel(tmp_path / "lock", nogil=True)
        async with jobs_in(tmp_path / "jobs", at_once=1, command=command) as jobs:
            first, second, third = (jobs.submit(JobSpec("run"), {}) for _ in range(3))
            await until(lambda: first.what == "in a kernel")
            assert (second.state, third.state) == ("waiting", "waiting")
            await jobs.cancel(second)
            assert second.state == "cancelled"
            assert not second.folder.exists()
            await jobs.remove(first)
            assert jobs.get(first.id) is None
            await until(lambda: third.state == "running")
            assert [job.id for job in jobs] == [second.id, third.id]

    asyncio.run(whole())


@pytest.mark.parametrize(
    ("text", "code", "state", "said"),
    [
        ('{"exit": 0}', 0, "done", None),
        ('{"exit": 1}', 1, "done", None),
        ('{"exit": 0}', 9, "failed", "exit code 9"),
        ("", 0, "failed", "exit code 0"),
        ("no json", 0, "failed", "exit code 0"),
        ("no json\n5\n[]\n" + "x" * 3_000_000 + '\n{"exit": 0}', 0, "done", None),
        ('{"sentence": "wrong"}\n{"exit": 2}', 2, "failed", "wrong"),
        ('{"what": "x"}', -9, "failed", "ended without a message"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_how_a_job_ends_is_what_its_process_says(tmp_path, text, code, state, said):
    command = saying(tmp_path, text, code) if code >= 0 else ("sh", "-c", "kill -9 $$")

    async def whole():
        async with jobs_in(tmp_path / "jobs", command=command) as jobs:
            return await ended(jobs.submit(JobSpec("run"), {}))

    facts = asyncio.run(whole())
    assert facts["state"] == state
    if said is not None:
        assert said in facts["error"]["sentence"]


def test_a_command_that_is_not_there_fails_the_job_and_not_the_server(tmp_path):
    async def whole():
        async with jobs_in(tmp_path / "jobs", command=("/nothing/here",)) as jobs:
            return await ended(jobs.submit(JobSpec("run"), {}))

    assert asyncio.run(whole())["error"]["exit"] == 70


def test_whoever_follows_a_job_hears_of_every_change(tmp_path):
    text = '{"what": "one", "share": 0.1}\n{"note": "look"}\n{"what": "two", "share": 7}\n{"exit": 0}'

    async def whole():
        async with jobs_in(tmp_path / "jobs", command=saying(tmp_path, text)) as jobs:
            job = jobs.submit(JobSpec("run"), {})
            assert job.as_dict()["state"] == "waiting"
            first, second = await asyncio.gather(*(_heard(job) for _ in range(2)))
            late = await _heard(job)
            return first, second, late

    first, second, late = asyncio.run(whole())
    assert first[0]["state"] == "running"
    assert first[-1]["state"] == second[-1]["state"] == "done"
    assert first[-1]["notes"] == ["look"]
    assert [facts["state"] for facts in late] == ["done"]


async def _heard(job):
    return [facts async for facts in job.changes() if facts is not None]


@pytest.mark.parametrize("names", [["../x"], ["/x"], ["a", "a/b"], ["a/b", "a"]])
def test_files_that_do_not_fit_are_refused_and_nothing_is_left(people, tmp_path, names):
    async def whole():
        async with jobs_in(tmp_path / "jobs") as jobs:
            with pytest.raises(InputError, match="files: "):
                jobs.submit(JobSpec("run"), dict.fromkeys(names, people / "people.csv"))
            assert list(jobs) == []

    asyncio.run(whole())
    assert list((tmp_path / "jobs").iterdir()) == []


def test_files_of_another_disk_are_copied(people, tmp_path, monkeypatch):
    def elsewhere(*_):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    async def whole():
        async with jobs_in(tmp_path / "jobs", command=("true",)) as jobs:
            job = jobs.submit(JobSpec("run"), {"a/people.csv": people / "people.csv"})
            placed = job.folder / "work" / "a" / "people.csv"
            assert placed.read_bytes() == (people / "people.csv").read_bytes()
            assert not placed.samefile(people / "people.csv")

    monkeypatch.setattr("shoal.web.server.jobs.os.link", elsewhere)
    asyncio.run(whole())


def test_a_worker_has_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_TOKEN", "the-token-of-the-server")
    monkeypatch.setenv("SHOAL_PASSWORD", "the-password")
    code = (
        "import json, os; print(json.dumps({'note': ' '.join(os.environ.values())})); print('{\"exit\": 0}')"
    )

    async def notes(databases):
        async with jobs_in(tmp_path / "jobs", command=(sys.executable, "-c", code)) as jobs:
            return (await ended(jobs.submit(JobSpec("run", allowed=Allowed(databases)), {})))["notes"][0]

    told = asyncio.run(notes(False))
    assert "the-token-of-the-server" not in told
    assert "the-password" not in told
    told = asyncio.run(notes(True))
    assert "the-token-of-the-server" not in told
    assert "the-password" in told


# The time left of a step is told by its own pace.


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes when it is told to."""
    now = [100.0]
    monkeypatch.setattr(jobs.time, "monotonic", lambda: now[0])
    return now


def test_what_is_left_follows_from_what_was_done(clock):
    found = Pace()
    found.hear("reading", None)
    clock[0] += 50
    assert found.left() is None
    found.hear("halving", 0.0)
    assert found.left() is None
    clock[0] += 3
    found.hear("halving", 0.25)
    assert found.left() == pytest.approx(9)
    clock[0] += 9
    found.hear("halving", 1.0)
    assert found.left() == 0


def test_a_step_that_compiling_interrupts_goes_on_where_it_was(clock):
    found = Pace()
    found.hear("halving", 0.0)
    clock[0] += 2
    found.hear("halving", 0.5)
    found.hear("compiling, once", None)
    clock[0] += 30
    assert found.left() is None
    found.hear("halving", 0.5)
    assert found.left() == pytest.approx(2)
    clock[0] += 1
    found.hear("halving", 0.75)
    assert found.left() == pytest.approx(1)


def test_the_same_words_may_begin_a_new_step(clock):
    found = Pace()
    for _ in range(2):
        found.hear("spanning the tree", 0.0)
        clock[0] += 4
        found.hear("spanning the tree", 0.5)
        assert found.left() == pytest.approx(4)
        found.hear("merging", None)
        clock[0] += 70
