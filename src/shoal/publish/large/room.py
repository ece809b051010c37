"""A private folder for parts of the data, which goes with whoever holds it."""

import weakref
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from shoal.stopping import undone

__all__ = ["Room"]


class Room:
    """A folder that nobody else can look into; it is removed when the object goes, or the program ends or is ended."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="shoal-"))
        gone = partial(rmtree, self.path, ignore_errors=True)
        held = ExitStack()
        held.callback(gone)
        held.enter_context(undone(gone))
        weakref.finalize(self, held.close)

    def __repr__(self) -> str:
        return "<Room>"
