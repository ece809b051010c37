"""The two folders of a release: built aside, moved into place whole, or gone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from shoal.errors import InputError
from shoal.io.write import sync

__all__ = ["private_of", "refuse_existing", "staged"]

Moves = list[tuple[Path, Path]]


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


@contextmanager
def staged(target: Path, *, force: bool = False) -> Iterator[tuple[Path, Path]]:
    """Give two folders to fill, in a hidden one beside `target`; at the end they become a release.

    They are `target` and `target`.private only when the block ends without an exception; otherwise nothing
    is left of them. The public folder is moved last: where it stands, both are complete. A release that is
    replaced stays until the new one stands, and comes back if that fails.

    Parameters
    ----------
    target : Path
        The public folder to be; its parent must exist.
    force : bool
        Replace a release that stands there. Any other folder that is not empty is never touched.

    Raises
    ------
    InputError
        Something stands at the target, or the parent is no folder to write in.
    """
    target = Path(os.path.abspath(target))
    _check(target, force)
    places = (private_of(target), target)
    try:
        stage = Path(mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise InputError(
            f"{target.parent}: cannot be written in ({error.strerror}); choose another place"
        ) from None
    done = False
    try:
        private, public = stage / "private", stage / "public"
        private.mkdir(mode=0o700)
        public.mkdir()
        yield public, private
        sync(private)
        sync(public)
        olds: Moves = [(place, stage / f"old.{place.name}") for place in places if os.path.lexists(place)]
        _move([*reversed(olds), (private, places[0]), (public, places[1])], target)
        done = True
        sync(target.parent)
    finally:
        if done or not any(stage.glob("old.*")):  # an old release that could not be put back is not removed
            rmtree(stage, ignore_errors=True)


def _check(target: Path, force: bool) -> None:
    if not target.name:
        raise InputError(f"{target}: a release cannot be written there; choose another place")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent}: not a directory; create it or choose another place")
    for place in (target, private_of(target)):
        refuse_existing(place, force)
    if os.path.lexists(target) and not _replaceable(target):
        raise InputError(f"{target}: not a release, so it is not replaced; choose another place")


def _replaceable(target: Path) -> bool:
    if target.is_symlink() or not target.is_dir():
        return False
    return (target / "manifest.json").is_file() or not any(target.iterdir())


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
