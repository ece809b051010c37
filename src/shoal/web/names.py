"""Names of files that somebody sent: made harmless before anything is written under them."""

import re
import unicodedata
from pathlib import PurePosixPath

from shoal.errors import InputError

__all__ = ["harmless", "inner_path"]

_LONGEST = 120  # bytes
_DEEPEST = 8
_STRANGE = re.compile(r'[<>:"|?*&\']')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def harmless(name: str) -> str:
    r"""The last part of a path, without signs that steer a terminal, a page or a file system.

    >>> harmless("../../etc/passwd"), harmless("C:\\data\\people.csv"), harmless("<b>.csv"), harmless("nul")
    ('passwd', 'people.csv', '_b_.csv', '_nul')
    """
    last = re.split(r"[/\\]", name)[-1]
    seen = "".join(sign for sign in last if _shown(sign))
    bare = _STRANGE.sub("_", unicodedata.normalize("NFC", seen)).strip(". ")
    if not bare:
        return "data"
    if _RESERVED.fullmatch(bare):
        bare = f"_{bare}"
    return _shortened(bare)


def inner_path(text: str) -> PurePosixPath:
    """A path inside a folder, each part of it a harmless name.

    Raises
    ------
    InputError
        It leads out of the folder, or holds a name that could do harm.
    """
    parts = text.split("/")
    if len(parts) > _DEEPEST or any(part != harmless(part) or not part for part in parts):
        raise InputError(
            "files: a name is not a plain path inside the job's folder; write it as people.csv or hierarchies/job.csv"
        )
    return PurePosixPath(*parts)


def _shown(sign: str) -> bool:
    """Whether a sign is one that people see: no control, no direction mark, no half of a sign; a blank is one."""
    return sign == " " or unicodedata.category(sign)[0] in "LMNPS"


def _shortened(name: str) -> str:
    """Cut the middle out of a long name: its suffixes say how it is read."""
    if len(name.encode()) <= _LONGEST:
        return name
    suffix = "".join(PurePosixPath(name).suffixes[-2:])
    if len(suffix.encode()) > _LONGEST // 4:
        suffix = ""
    stem = name.removesuffix(suffix).encode()[: _LONGEST - len(suffix.encode())].decode(errors="ignore")
    return f"{stem.rstrip('. ')}{suffix}" if stem.rstrip(". ") else "data"
