"""A hierarchy's file that was sent, as a tree to edit."""

import gzip
import zlib
from contextlib import suppress
from pathlib import Path

from shoal.errors import HierarchyError
from shoal.hierarchy import files
from shoal.hierarchy.edit import Editable
from shoal.web.uploads import Upload

__all__ = ["read_sent"]

_MOST = 20 * 10**6  # bytes; a browser draws no larger tree in good time


def read_sent(upload: Upload) -> Editable:
    """Read it; that may take seconds.

    Raises
    ------
    HierarchyError
        It is no hierarchy, or has too much for a page.
    """
    if _is_large(upload.path):
        raise HierarchyError(
            f"hierarchy '{upload.name}': it has more than {_MOST // 10**6} MB, too much to be edited on a page; put it "
            "beside shoal.toml, name it there and use the command line"
        )
    return Editable.of(files.read(upload.path))


def _is_large(path: Path) -> bool:
    """Whether it has too many bytes, when it is unpacked."""
    with (
        suppress(OSError, EOFError, zlib.error),  # whoever reads it says what is wrong
        gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream,
    ):
        return len(stream.read(_MOST + 1)) > _MOST
    return False
