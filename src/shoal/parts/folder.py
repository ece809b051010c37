"""A private folder for parts, which goes however the work ends, and what runs tasks over the parts in it."""

import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from shoal.base.stopping import cleanup_on_stop, remove_tree
from shoal.engines import Mapper, cores, in_threads
from shoal.io.write.folders import make_hidden_folder

__all__ = ["PrivateFolder"]


class PrivateFolder:
    """A folder of mode 700; it is removed when the object goes, or the program ends or is ended.

    A copy in another process, where tasks run, has the path alone.

    Parameters
    ----------
    beside : Path, optional
        A release that is to be written: the folder is hidden next to it, where workers of a cluster see it, and the
        next run there removes it if this one is killed. Without it the folder lies among temporary files.
    mapper : Mapper, optional
        What runs tasks over the parts; by default threads, one for each core.
    """

    def __init__(self, beside: Path | None = None, mapper: Mapper | None = None) -> None:
        with ExitStack() as stack:
            self.path: Path = stack.enter_context(
                _make_temporary_folder() if beside is None else make_hidden_folder(beside)
            )
            cleanup = stack.pop_all()
        self.mapper: Mapper = in_threads(cores()) if mapper is None else mapper
        self._number = count()
        weakref.finalize(self, cleanup.close)

    def __getstate__(self) -> dict[str, object]:
        return {"path": self.path}

    def make(self, name: str) -> Path:
        """Make an empty folder of that name inside; one of an earlier run is removed.

        Its path is a new one, so a task that is late writes to no folder of a later run.
        """
        self.drop(name)
        path = self.path / f"{name}-{next(self._number)}"
        path.mkdir(mode=0o700)
        return path

    def drop(self, name: str) -> None:
        """Remove a folder inside, if it is there: nobody reads it any more."""
        for path in self.path.glob(f"{name}-*"):
            remove_tree(path)

    def __repr__(self) -> str:
        return "<PrivateFolder>"


@contextmanager
def _make_temporary_folder() -> Iterator[Path]:
    path = Path(mkdtemp(prefix="shoal-"))
    remove = partial(remove_tree, path)
    with cleanup_on_stop(remove):
        try:
            yield path
        finally:
            remove()
