"""Readers in processes of their own: one serves job after job, and none that went wrong serves again."""

import os

import pytest

from shoal.io.read.child import MEMORY, _waiting, run_reader

SCRIPT = """import json, os, sys
from pathlib import Path
for line in sys.stdin:
    folder, order = json.loads(line)
    (Path(folder) / "reader.txt").write_text(str(os.getpid()))
    if order == "die":
        os._exit(3)
    if order == "exhaust":
        raise MemoryError
    if order == "turn":
        while True:
            pass
    if order == "large":
        (Path(folder) / "wrong.txt").write_text("large")
    print("words of some library", flush=True)
    print("done", flush=True)
"""


@pytest.fixture
def run(tmp_path):
    """Run a job: what went wrong, and in which process."""
    script = tmp_path / "reader.py"
    script.write_text(SCRIPT)

    def run_job(order, size=10):
        (tmp_path / "wrong.txt").unlink(missing_ok=True)
        wrong = run_reader(script, [str(tmp_path), order], tmp_path, size=size, memory=MEMORY)
        return wrong, int((tmp_path / "reader.txt").read_text())

    run_job.waiting = lambda: _waiting[os.getpid(), script]
    yield run_job
    while run_job.waiting():
        run_job.waiting().pop().end()


def test_one_reader_serves_job_after_job(run):
    assert run("read") == run("read")
    assert len(run.waiting()) == 1


@pytest.mark.parametrize(
    ("order", "wrong"), [("die", "broken"), ("exhaust", "memory"), ("large", "large"), ("turn", "broken")]
)
def test_one_that_went_wrong_does_not_serve_again(run, order, wrong, monkeypatch):
    monkeypatch.setattr("shoal.io.read.child._SECONDS", 1)
    assert run("read")[0] is None
    found, reader = run(order)
    assert found == wrong
    assert run.waiting() == []
    assert run("read")[0] is None
    assert run("read")[1] != reader


def test_one_that_read_a_large_file_ends(run):
    assert run("read", size=2**25)[0] is None
    assert run.waiting() == []


def test_one_that_ended_while_it_waited_is_not_asked(run):
    _, reader = run("read")
    run.waiting()[0].process.kill()
    run.waiting()[0].process.wait()
    wrong, other = run("read")
    assert wrong is None
    assert other != reader


def test_a_fork_does_not_share_readers(run, monkeypatch):
    _, reader = run("read")
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: -1)
        assert run("read")[1] != reader
        run.waiting().pop().end()
    assert run("read")[1] == reader
