"""A private folder for parts, which goes however the work ends."""

import weakref
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from shoal.base.stopping import cleanup_on_stop

__all__ = ["PrivateFolder"]


class PrivateFolder:
    """A folder of mode 700; it is removed when the object goes, or the program ends or is ended."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="shoal-"))
        remove = partial(rmtree, self.path, ignore_errors=True)
        cleanup = ExitStack()
        cleanup.callback(remove)
        cleanup.enter_context(cleanup_on_stop(remove))
        weakref.finalize(self, cleanup.close)

    def make(self, name: str) -> Path:
        """Make an empty folder of that name inside; one of an earlier run is removed."""
        self.drop(name)
        path = self.path / name
        path.mkdir(mode=0o700)
        return path

    def drop(self, name: str) -> None:
        """Remove a folder inside, if it is there: nobody reads it any more."""
        rmtree(self.path / name, ignore_errors=True)

    def __repr__(self) -> str:
        return "<PrivateFolder>"
