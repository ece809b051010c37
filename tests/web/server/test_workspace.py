"""A workspace is removed by whoever made it; nothing else ever is."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.web.server import workspace as module
from shoal.web.server.workspace import _MARK, _open_workspace, sweep_folders
from web_cases import WHERE

pytestmark = pytest.mark.process

GONE = 2**22 + 1  # no process has this number: it is above the largest that Linux gives


def snapshot(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def abandoned(parent, *, pid=GONE, name="shoal-serve-abcdefgh", mode=0o700, folder=None, what=None):
    """A workspace as a killed server leaves it."""
    left = parent / name
    left.mkdir(mode=mode)
    left.chmod(mode)
    (left / "uploads").mkdir()
    (left / "uploads" / "people.csv").write_text("x")
    mark = {"what": what or module._WHAT, "secret": "s", "pid": pid, "folder": folder or str(left.resolve())}
    (left / _MARK).write_text(json.dumps(mark))
    return left


def test_a_workspace_is_private_and_gone_afterwards(tmp_path):
    (tmp_path / "beside").write_text("kept")
    with _open_workspace(tmp_path) as workspace:
        assert workspace.folder.parent == tmp_path.resolve()
        assert workspace.folder.stat().st_mode & 0o777 == 0o700
        assert (workspace.folder / _MARK).stat().st_mode & 0o777 == 0o600
        (workspace.part("jobs") / "deep").mkdir()
        (workspace.part("jobs") / "deep" / "file").write_text("x")
        assert workspace.part("jobs") == workspace.part("jobs")
    assert snapshot(tmp_path) == ["beside"]


def fails_in_a_workspace(where):
    with _open_workspace(where) as workspace:
        (workspace.folder / "file").write_text("x")
        raise RuntimeError


def test_a_workspace_is_gone_after_an_error_too(tmp_path):
    with pytest.raises(RuntimeError):
        fails_in_a_workspace(tmp_path)
    assert snapshot(tmp_path) == []


def test_a_workspace_whose_folder_is_unset_removes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "precious").write_text("kept")
    with _open_workspace(tmp_path) as workspace:
        for wrong in (Path(), Path("."), Path("/"), tmp_path, tmp_path / "nothing", workspace.folder / ".."):
            assert not replace(workspace, folder=wrong).remove()
        assert (tmp_path / "precious").exists()
        assert workspace.is_ours()


def test_a_workspace_with_another_mark_is_left(tmp_path):
    with _open_workspace(tmp_path) as workspace:
        mark = workspace.folder / _MARK
        own = mark.read_text()
        for foreign in (
            "",
            "[]",
            "{}",
            "nonsense",
            own.replace(workspace.secret, "0" * 64),
            own.replace(str(os.getpid()), "1"),
        ):
            mark.write_text(foreign)
            assert not workspace.remove()
        mark.unlink()
        assert not workspace.remove()
        (tmp_path / "mark").write_text(own)
        mark.symlink_to(tmp_path / "mark")
        assert not workspace.remove()
        assert workspace.folder.is_dir()
        mark.unlink()
        mark.write_text(own)
    assert snapshot(tmp_path) == ["mark"]


def test_a_folder_that_took_the_workspaces_place_is_left(tmp_path):
    """Even with a copy of the mark: it is not the folder that was made."""
    with _open_workspace(tmp_path) as workspace:
        own = (workspace.folder / _MARK).read_text()
        moved = tmp_path / "moved"
        workspace.folder.rename(moved)
        workspace.folder.mkdir(mode=0o700)
        (workspace.folder / _MARK).write_text(own)
        (workspace.folder / "precious").write_text("kept")
        assert not workspace.remove()
        assert (workspace.folder / "precious").exists()


def test_a_link_in_the_workspaces_place_is_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o700)
    (precious / "file").write_text("kept")
    with _open_workspace(tmp_path) as workspace:
        (precious / _MARK).write_text((workspace.folder / _MARK).read_text())
        workspace.folder.rename(tmp_path / "moved")
        workspace.folder.symlink_to(precious)
        assert not workspace.remove()
    assert (precious / "file").exists()


def test_links_in_a_workspace_are_removed_and_not_what_they_lead_to(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    with _open_workspace(tmp_path) as workspace:
        (workspace.folder / "link").symlink_to(precious)
        (workspace.part("jobs") / "link").symlink_to(precious)
        (workspace.folder / "dangling").symlink_to(tmp_path / "nothing")
    assert snapshot(tmp_path) == ["precious", "precious/file"]


def test_the_next_start_removes_what_a_killed_server_left(tmp_path):
    left = abandoned(tmp_path)
    assert sweep_folders(tmp_path) == [left.resolve()]
    left = abandoned(tmp_path)
    with _open_workspace(tmp_path):
        assert not left.exists()


@pytest.mark.parametrize(
    "odd",
    [
        {"pid": os.getppid()},
        {"pid": 1},
        {"pid": None},
        {"pid": True},
        {"pid": -1},
        {"pid": 0},
        {"pid": 10**30},
        {"name": "other-abcdefgh"},
        {"name": "shoal-serve-"},
        {"mode": 0o755},
        {"folder": "/somewhere/else"},
        {"what": "another program's"},
    ],
)
def test_what_may_be_somebody_elses_is_left(tmp_path, odd):
    abandoned(tmp_path, **odd)
    before = snapshot(tmp_path)
    assert sweep_folders(tmp_path) == []
    assert snapshot(tmp_path) == before


def test_links_to_workspaces_are_left(tmp_path):
    (tmp_path / "real").mkdir()
    left = abandoned(tmp_path / "real")
    (tmp_path / left.name).symlink_to(left)
    assert sweep_folders(tmp_path) == []
    assert left.exists()
    assert sweep_folders(tmp_path / "nothing") == []


def test_a_workspace_whose_lock_is_held_is_left(tmp_path):
    from shoal.base.stopping import file_lock

    left = abandoned(tmp_path)
    with file_lock(left / _MARK, create=False) as held:
        assert held
        assert sweep_folders(tmp_path) == []
    assert sweep_folders(tmp_path) == [left.resolve()]


SERVER = """
import sys, time
from pathlib import Path
from shoal.base.stopping import install_signal_handlers
from shoal.web.server.workspace import _open_workspace as open_workspace
install_signal_handlers()
with open_workspace(Path(sys.argv[1])) as workspace:
    (workspace.part("uploads") / "people.csv").write_text("x")
    print(workspace.folder, flush=True)
    time.sleep(60)
"""


def begun(parent):
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, parent],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=WHERE,
    )
    return process, Path(process.stdout.readline().strip())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_removes_its_workspace(tmp_path, number):
    process, folder = begun(tmp_path)
    with process:
        assert folder.is_dir()
        process.send_signal(number)
        assert process.wait(10) == 128 + number
    assert snapshot(tmp_path) == []


def test_a_killed_server_leaves_its_workspace_to_the_next(tmp_path):
    process, folder = begun(tmp_path)
    with process:
        assert sweep_folders(tmp_path) == []
        process.kill()
    time.sleep(0.05)
    assert folder.is_dir()
    assert sweep_folders(tmp_path) == [folder]
    assert snapshot(tmp_path) == []
