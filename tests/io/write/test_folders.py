"""Both folders or none."""

import os
import signal
import stat
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from shutil import rmtree

import pytest

from shoal.base.errors import InputError
from shoal.io.write import folders
from shoal.io.write.folders import private_folder, stage_release


def ours(content: str) -> str:
    """A file as shoal writes it."""
    return f'{{\n  "shoal": "{content}"\n}}\n'


def fill(target: Path, content: str, *, force: bool = False) -> None:
    with stage_release(target, force=force) as (public, private):
        (public / "manifest.json").write_text(ours(content))
        (private / "recoding.json").write_text(ours(content))


def tree(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def release(content: str) -> dict[str, str]:
    return {"out/manifest.json": ours(content), "out.private/recoding.json": ours(content)}


def test_both_stand_at_the_end_and_nothing_else(tmp_path):
    fill(tmp_path / "out", "new")
    assert tree(tmp_path) == release("new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "out.private"]


def test_nothing_stands_before_the_end(tmp_path):
    with stage_release(tmp_path / "out") as (public, private):
        assert not (tmp_path / "out").exists()
        assert not (tmp_path / "out.private").exists()
        assert public.stat().st_dev == private.stat().st_dev == tmp_path.stat().st_dev


def test_only_this_user_may_enter_what_is_private(tmp_path):
    old = os.umask(0o022)
    try:
        with stage_release(tmp_path / "out") as (public, private):
            assert stat.S_IMODE(private.stat().st_mode) == 0o700
            assert stat.S_IMODE(public.parent.stat().st_mode) == 0o700
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.private").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o755


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("force", [False, True])
def test_a_failure_leaves_what_was_there(tmp_path, error, force):
    if force:
        fill(tmp_path / "out", "old")

    def fail():
        with stage_release(tmp_path / "out", force=force) as (public, _):
            (public / "manifest.json").write_text("new")
            raise error

    with pytest.raises(error):
        fail()
    assert tree(tmp_path) == (release("old") if force else {})
    assert len(list(tmp_path.iterdir())) == 2 * force


@pytest.mark.parametrize("name", ["out", "out.private"])
@pytest.mark.parametrize("make", [Path.mkdir, lambda place: place.symlink_to(place.with_name("nowhere"))])
def test_what_exists_is_never_overwritten(tmp_path, name, make):
    """A broken link exists, too."""
    make(tmp_path / name)
    said = rf"/{name}: exists; choose another place or replace it: --force, in Python force=True$"
    with pytest.raises(InputError, match=said):
        fill(tmp_path / "out", "new")
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("empty", [False, True])
def test_force_replaces_both_and_takes_an_empty_folder(tmp_path, empty):
    if empty:
        (tmp_path / "out").mkdir()
    else:
        fill(tmp_path / "out", "old")
        (tmp_path / "out" / "extra").write_text("old")
    fill(tmp_path / "out", "new", force=True)
    assert tree(tmp_path) == release("new")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("kind", ["folder", "manifest", "file", "link"])
def test_force_replaces_nothing_but_a_release(tmp_path, kind):
    """A slip of the pen after --out must not remove somebody's documents."""
    target = tmp_path / "out"
    if kind == "folder":
        target.mkdir()
        (target / "thesis.txt").write_text("dear")
    elif kind == "manifest":
        target.mkdir()
        (target / "manifest.json").write_text('{"name": "an extension of a browser"}')
    elif kind == "file":
        target.write_text("dear")
    else:
        fill(tmp_path / "other", "dear")
        target.symlink_to(tmp_path / "other")
    before = tree(tmp_path)
    with pytest.raises(InputError, match=r"/out: not a release, so it is not replaced"):
        fill(target, "new", force=True)
    assert tree(tmp_path) == before


def fail_at_moves(monkeypatch, numbers) -> None:
    """Let moves fail that have these numbers, counted from 1."""
    rename, calls = os.rename, []

    def flaky(here, there):
        calls.append(here)
        if len(calls) in numbers:
            raise OSError(5, "Input/output error")
        rename(here, there)

    monkeypatch.setattr(folders.os, "rename", flaky)


@pytest.mark.parametrize("step", range(4))
def test_a_move_that_fails_restores_the_old_pair(tmp_path, monkeypatch, step):
    fill(tmp_path / "out", "old")
    fail_at_moves(monkeypatch, [step + 1])
    with pytest.raises(
        InputError, match=r"/out: cannot be written \(Input/output error\); nothing was changed"
    ):
        fill(tmp_path / "out", "new", force=True)
    assert tree(tmp_path) == release("old")
    assert len(list(tmp_path.iterdir())) == 2


def test_an_old_pair_that_cannot_be_put_back_is_not_removed(tmp_path, monkeypatch):
    fill(tmp_path / "out", "old")
    fail_at_moves(monkeypatch, range(3, 100))
    with pytest.raises((InputError, OSError)):
        fill(tmp_path / "out", "new", force=True)
    assert list(tree(tmp_path).values()).count(ours("old")) == 2


def test_a_parent_that_is_no_directory(tmp_path):
    (tmp_path / "file").write_text("x")
    for parent in ("file", "nowhere"):
        with pytest.raises(
            InputError, match=rf"/{parent}: not a directory; create it or choose another place$"
        ):
            fill(tmp_path / parent / "out", "new")


def test_a_parent_that_cannot_be_written(tmp_path, monkeypatch):
    def refuse(**_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(folders, "mkdtemp", refuse)
    with pytest.raises(
        InputError, match=r": cannot be written in \(Permission denied\); choose another place$"
    ):
        fill(tmp_path / "out", "new")


def test_the_root_is_no_place_for_a_release():
    with pytest.raises(InputError, match="a release cannot be written there"):
        fill(Path("/"), "new")


KILLED = """
import sys
from pathlib import Path
from shoal.io.write.folders import stage_release
with stage_release(Path(sys.argv[1])) as (public, private):
    (public / "manifest.json").write_text("new")
    print("filled", flush=True)
    sys.stdin.read()
"""


def test_killed_in_the_middle_nothing_is_at_the_target(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path / "out")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "filled\n"
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "out").exists()
    assert not private_folder(tmp_path / "out").exists()
    fill(tmp_path / "out", "next")
    assert tree(tmp_path) == release("next")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_run_that_lives_is_left_alone(tmp_path):
    with stage_release(tmp_path / "out") as (public, _):
        (public / "manifest.json").write_text("mine")
        fill(tmp_path / "other", "new")
        folders.check_place(tmp_path / "out", force=False)
        assert (public / "manifest.json").read_text() == "mine"


def test_of_two_runs_that_live_the_first_one_stands(tmp_path):
    def second():
        with stage_release(tmp_path / "out"):
            fill(tmp_path / "out", "first")

    with pytest.raises(InputError, match="out: exists"):
        second()
    assert tree(tmp_path) == release("first")
    assert len(list(tmp_path.iterdir())) == 2


MOVED = """
import os, sys
from pathlib import Path
from shoal.io.write import folders
rename, left = os.rename, int(sys.argv[2])
def dying(here, there):
    global left
    if not left:
        os.kill(os.getpid(), 9)
    left -= 1
    rename(here, there)
folders.os.rename = dying
with folders.stage_release(Path(sys.argv[1]), force=True) as (public, private):
    (public / "manifest.json").write_text('{"shoal": "new"}')
    (private / "recoding.json").write_text('{"shoal": "new"}')
"""


@pytest.mark.parametrize(
    ("replaces", "moves"), [(False, 0), (False, 1), *((True, moves) for moves in range(4))]
)
def test_killed_between_moves_the_next_run_finds_what_was_there(tmp_path, replaces, moves):
    if replaces:
        fill(tmp_path / "out", "old")
    subprocess.run([sys.executable, "-c", MOVED, str(tmp_path / "out"), str(moves)], check=False)
    with pytest.raises(InputError, match="exists") if replaces else nullcontext():
        folders.check_place(tmp_path / "out", force=False)
    assert tree(tmp_path) == (release("old") if replaces else {})
    assert len(list(tmp_path.iterdir())) == 2 * replaces


@pytest.mark.parametrize("name", ["thesis.txt", "audit.json", "recoding.json"])
def test_a_private_folder_of_somebody_else_is_never_replaced(tmp_path, name):
    fill(tmp_path / "out", "old")
    rmtree(tmp_path / "out.private")
    (tmp_path / "out.private").mkdir()
    (tmp_path / "out.private" / name).write_text('{"mine": 1}')
    before = tree(tmp_path)
    with pytest.raises(InputError, match=r"/out.private: not the audit of a release"):
        fill(tmp_path / "out", "new", force=True)
    assert tree(tmp_path) == before


def test_what_only_looks_like_a_stage_is_left_alone(tmp_path):
    (tmp_path / ".out.shoal-mine").mkdir()
    (tmp_path / ".out.shoal-mine" / "thesis.txt").write_text("dear")
    (tmp_path / ".out.shoal-file").write_text("dear")
    fill(tmp_path / "out", "new")
    assert (tmp_path / ".out.shoal-mine" / "thesis.txt").read_text() == "dear"
    assert (tmp_path / ".out.shoal-file").read_text() == "dear"
