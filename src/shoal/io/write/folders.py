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

__all__ = ["check_place", "is_ours", "private_of", "refuse_existing", "stage_release"]


Moves = list[tuple[Path, Path]]

_TRIES = 8
_OURS = re.compile(rb'\s*\{\s*"shoal"\s*:')  # how the manifest and the recoding begin


def private_of(target: Path) -> Path:
    """The folder beside a release that must not be published.

    >>> private_of(Path("out/release")).as_posix()
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
            stage = stack.enter_context(_stage(target))
            private, public = stage / "private", stage / "public"
            private.mkdir(mode=0o700)
            public.mkdir()
        yield public, private
        fsync_path(private)
        fsync_path(public)
        with signals_deferred:
            _check_free(target, force)  # somebody may have been faster
            _move([*_olds(target, stage), (private, private_of(target)), (public, target)], target)
            rmtree(stage, ignore_errors=True)
        fsync_path(target.parent)


@contextmanager
def _stage(target: Path) -> Iterator[Path]:
    """A hidden folder beside `target` under a lock, gone at the end."""
    with _locked_folder(target) as stage, cleanup_on_stop(lambda: remove_tree(stage)):
        try:
            yield stage
        finally:
            if not any(stage.glob("old.*")):  # an old release that could not be put back is not removed
                rmtree(stage, ignore_errors=True)


@contextmanager
def _locked_folder(target: Path) -> Iterator[Path]:
    for _ in range(_TRIES):
        try:
            stage = Path(mkdtemp(prefix=_prefix(target), dir=target.parent))
        except OSError as error:
            raise InputError(
                f"{target.parent}: cannot be written in ({error.strerror}); choose another place"
            ) from None
        with file_lock(stage / "lock") as held:
            if held:
                yield stage
                return
        rmtree(stage, ignore_errors=True)  # another run took it for one that a killed run left
    raise InputError(f"{target.parent}: cannot be written in; choose another place")


def _prefix(target: Path) -> str:
    return f".{target.name}.shoal-"


def _olds(target: Path, stage: Path) -> Moves:
    """What is replaced, moved aside."""
    return [
        (place, stage / f"old.{place.name}")
        for place in (target, private_of(target))
        if os.path.lexists(place)
    ]


def _clear_dead(target: Path) -> None:
    """Clear away what killed runs left beside `target`; a release that one had moved aside comes back."""
    for stage in target.parent.glob(f"{glob.escape(_prefix(target))}*"):
        if stage.is_symlink() or not stage.is_dir():
            continue
        with file_lock(stage / "lock", create=False) as free:
            if free:
                _restore(target, stage)
                rmtree(stage, ignore_errors=True)
            else:
                with suppress(OSError):  # it is not empty: somebody is at work in it
                    stage.rmdir()


def _restore(target: Path, stage: Path) -> None:
    """Take back the moves of a run that was killed between them: its public folder had not been moved yet."""
    private, public = stage / "private", stage / "public"
    if not public.is_dir():
        return
    place = private_of(target)
    if not private.exists() and _is_audit(place):
        os.rename(place, private)
    for place in (target, private_of(target)):
        old = stage / f"old.{place.name}"
        if old.exists() and not os.path.lexists(place):
            os.rename(old, place)


def _check_free(target: Path, force: bool) -> None:
    for place in (target, private_of(target)):
        refuse_existing(place, force)
    if os.path.lexists(target) and not is_ours(target, "manifest.json"):
        raise InputError(f"{target}: not a release, so it is not replaced; choose another place")
    if os.path.lexists(private_of(target)) and not _is_audit(private_of(target)):
        raise InputError(
            f"{private_of(target)}: not the audit of a release, so it is not replaced; choose another place"
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


def _move(moves: Moves, target: Path) -> None:
    """Do all the moves or none."""
    done: Moves = []
    try:
        for here, there in moves:
            os.rename(here, there)
            done.append((here, there))
    except BaseException as error:
        for here, there in reversed(done):
            os.rename(there, here)
        if not isinstance(error, OSError):
            raise
        raise InputError(f"{target}: cannot be written ({error.strerror}); nothing was changed") from None
