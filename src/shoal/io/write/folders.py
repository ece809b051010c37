"""The two folders of a release: built aside, moved into place whole, or gone."""

import glob
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from shoal.base.errors import InputError
from shoal.base.stopping import cleanup_on_stop, file_lock, fsync_path, remove_tree, signals_deferred

__all__ = [
    "check_place",
    "is_ours",
    "make_hidden_folder",
    "private_folder",
    "refuse_existing",
    "stage_release",
]


_Moves = list[tuple[Path, Path]]

_TRIES = 8
_OURS = re.compile(rb'\s*\{\s*"shoal"\s*:')  # how the manifest and the recoding begin


def private_folder(target: Path) -> Path:
    """The folder beside a release that must not be published.

    >>> private_folder(Path("out/release")).as_posix()
    'out/release.private'
    """
    return target.with_name(target.name + ".private")


def refuse_existing(place: Path, force: bool) -> None:
    """Refuse a place where something stands already, unless it may be replaced."""
    if os.path.lexists(place) and not force:
        raise InputError(
            f"{place}: exists; choose another place or replace it: --force, in Python force=True"
        )


def check_place(target: Path, force: bool) -> None:
    """Clear away what a killed run left at `target`, and refuse a place where no release can be written.

    Raises
    ------
    InputError
        Something stands there that is not to be replaced, or its parent is no folder.
    """
    target = Path(os.path.abspath(target))
    if not target.name:
        raise InputError(f"{target}: a release cannot be written there; choose another place")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent}: not a directory; create it or choose another place")
    with signals_deferred:
        _clear_dead(target)
    _check_free(target, force)


@contextmanager
def stage_release(target: Path, *, force: bool = False) -> Iterator[tuple[Path, Path]]:
    """Give two folders to fill, in a hidden one beside `target`; at the end they become a release.

    They are `target` and `target`.private only when the block ends without an exception; otherwise nothing
    is left of them. The public folder is moved last: where it stands, both are complete. A release that is
    replaced stays until the new one stands, and comes back if that fails. What a run left that was killed is
    cleared away first; a run that lives holds a lock on what is its own.

    Parameters
    ----------
    target : Path
        The public folder to be; its parent must exist.
    force : bool
        Replace a release that stands there, and its audit. Any other folder that is not empty is never touched.

    Raises
    ------
    InputError
        Something stands at the target, or the parent is no folder to write in.
    """
    target = Path(os.path.abspath(target))
    check_place(target, force)
    with ExitStack() as stack:
        with signals_deferred:
            stage = stack.enter_context(_make_stage(target))
            private, public = stage / "private", stage / "public"
            private.mkdir(mode=0o700)
            public.mkdir()
        yield public, private
        fsync_path(private)
        fsync_path(public)
        with signals_deferred:
            _check_free(target, force)  # somebody may have been faster
            _move_all(
                [*_list_replaced(target, stage), (private, private_folder(target)), (public, target)], target
            )
            rmtree(stage, ignore_errors=True)
        fsync_path(target.parent)


@contextmanager
def make_hidden_folder(target: Path) -> Iterator[Path]:
    """Give a hidden folder beside `target` under a lock, gone at the end; what killed runs left is cleared away.

    Raises
    ------
    InputError
        The parent is no folder to write in.
    """
    target = Path(os.path.abspath(target))
    with signals_deferred:
        _clear_dead(target)
    with _make_stage(target) as stage:
        yield stage


@contextmanager
def _make_stage(target: Path) -> Iterator[Path]:
    """A hidden folder beside `target` under a lock, gone at the end."""
    with _lock_folder(target) as stage, cleanup_on_stop(lambda: remove_tree(stage)):
        try:
            yield stage
        finally:
            if not any(stage.glob("old.*")):  # an old release that could not be put back is not removed
                remove_tree(stage)


@contextmanager
def _lock_folder(target: Path) -> Iterator[Path]:
    for _ in range(_TRIES):
        try:
            stage = Path(mkdtemp(prefix=_stage_prefix(target), dir=target.parent))
        except OSError as error:
            raise InputError(
                f"{target.parent}: cannot be written in ({error.strerror}); choose another place"
            ) from None
        with file_lock(stage / "lock") as is_locked:
            if is_locked:
                yield stage
                return
        rmtree(stage, ignore_errors=True)  # another run took it for one that a killed run left
    raise InputError(f"{target.parent}: cannot be written in; choose another place")


def _stage_prefix(target: Path) -> str:
    return f".{target.name}.shoal-"


def _list_replaced(target: Path, stage: Path) -> _Moves:
    """What is replaced, moved aside."""
    return [
        (folder, stage / f"old.{folder.name}")
        for folder in (target, private_folder(target))
        if os.path.lexists(folder)
    ]


def _clear_dead(target: Path) -> None:
    """Clear away what killed runs left beside `target`; a release that one had moved aside comes back."""
    for stage in target.parent.glob(f"{glob.escape(_stage_prefix(target))}*"):
        if stage.is_symlink() or not stage.is_dir():
            continue
        with file_lock(stage / "lock", create=False) as is_free:
            if is_free:
                _restore(target, stage)
                remove_tree(stage)  # a worker of the dead run may still be writing
            else:
                with suppress(OSError):  # it is not empty: somebody is at work in it
                    stage.rmdir()


def _restore(target: Path, stage: Path) -> None:
    """Take back the moves of a run that was killed between them: its public folder had not been moved yet."""
    private, public = stage / "private", stage / "public"
    if not public.is_dir():
        return
    folder = private_folder(target)
    if not private.exists() and _is_audit(folder):
        os.rename(folder, private)
    for folder in (target, private_folder(target)):
        aside_path = stage / f"old.{folder.name}"
        if aside_path.exists() and not os.path.lexists(folder):
            os.rename(aside_path, folder)


def _check_free(target: Path, force: bool) -> None:
    for folder in (target, private_folder(target)):
        refuse_existing(folder, force)
    if os.path.lexists(target) and not is_ours(target, "manifest.json"):
        raise InputError(f"{target}: not a release, so it is not replaced; choose another place")
    if os.path.lexists(private_folder(target)) and not _is_audit(private_folder(target)):
        raise InputError(
            f"{private_folder(target)}: not the audit of a release, so it is not replaced; choose another place"
        )


def _is_audit(folder: Path) -> bool:
    return is_ours(folder, "recoding.json")


def is_ours(folder: Path, name: str) -> bool:
    """Whether a folder is empty, or holds a file of this name that shoal wrote."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    if not any(folder.iterdir()):
        return True
    file = folder / name
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as lines:
        return _OURS.match(lines.read(64)) is not None


def _move_all(moves: _Moves, target: Path) -> None:
    """Do all the moves or none."""
    finished_moves: _Moves = []
    try:
        for source, destination in moves:
            os.rename(source, destination)
            finished_moves.append((source, destination))
    except BaseException as error:
        for source, destination in reversed(finished_moves):
            os.rename(destination, source)
        if not isinstance(error, OSError):
            raise
        raise InputError(f"{target}: cannot be written ({error.strerror}); nothing was changed") from None
