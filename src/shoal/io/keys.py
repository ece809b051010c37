"""Keys: what pseudonyms and shifted dates are made with, so that only whoever holds the key can make them again.

A key is read when data are opened and stays in memory: no folder, log, manifest or message holds it.
"""

import base64
import hmac
import os
import re
import secrets
import stat
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.discreet import Discreet
from shoal.errors import InputError, ShoalWarning

__all__ = ["VARIABLE", "Seal", "draw_domain", "make_key", "read_key"]

VARIABLE = "SHOAL_KEY"
"""The variable of the environment that holds a key, where no file is named."""

_BYTES = 32
_LARGEST = 4096  # bytes of a key's file
_WRITTEN = re.compile(rf"[0-9A-Fa-f]{{{2 * _BYTES},}}")
_TOKEN = 20  # signs of base32: 100 bits
_SHIFT = b"\0shift\0"  # no domain holds a zero byte, so no pseudonym is made of the same text


def make_key(path: Path) -> None:
    """Write a new key to a file that only its owner may read.

    Raises
    ------
    InputError
        There is a file of that name already, or none can be written there.
    """
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(_BYTES) + "\n")
    except FileExistsError:
        raise InputError(
            f"{path.name}: this file exists already, and a key is never overwritten; give another name"
        ) from None
    except OSError as error:
        raise InputError(
            f"{path.name}: the key cannot be written there ({error.strerror}); give another place"
        ) from None


def read_key(path: Path | None, needed_by: str) -> bytes:
    """The key of a file, or of the environment; `needed_by` says what cannot be made without one.

    Raises
    ------
    InputError
        There is none, or it is none.
    """
    if path is None:
        text, where = os.environ.get(VARIABLE), VARIABLE
        if text is None:
            raise InputError(
                f"{needed_by} needs a key; make one with `shoal key FILE`, and give it as --key FILE or in {VARIABLE}"
            )
    else:
        text, where = _file_text(path), path.name
    bare = text.strip()
    if _WRITTEN.fullmatch(bare) is None or len(bare) % 2:
        raise InputError(f"{where}: this is not a key; make one with `shoal key FILE`")
    return bytes.fromhex(bare)


def _file_text(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size > _LARGEST:
            return ""
        if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            warnings.warn(
                f"{path.name}: other users can read this key; restrict it to its owner with chmod 600",
                ShoalWarning,
                stacklevel=2,
            )
        return path.read_bytes().decode("ascii", "replace")
    except OSError as error:
        raise InputError(
            f"{path.name}: the key cannot be read ({error.strerror}); check the file and your rights"
        ) from None


def draw_domain() -> str:
    """A domain that no other release has."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True, repr=False)
class Seal(Discreet):
    """A key and what its pseudonyms are bound to.

    domain : one text for all tables whose pseudonyms shall be the same
    drawn  : whether it was drawn for one release, not given
    """

    key: bytes = field(repr=False)
    domain: str
    drawn: bool

    @classmethod
    def of(cls, key: bytes, domain: str | None) -> "Seal":
        """A seal for a domain, or for one that is drawn."""
        return cls(key, draw_domain() if domain is None else domain, domain is None)

    def facts(self) -> dict[str, object]:
        """What may be shown: nothing of the key."""
        return {"drawn": self.drawn}

    def tokens(self, column: str, values: Sequence[str]) -> list[str]:
        """The pseudonym of each value of a column: HMAC-SHA256 over domain, column and value, 100 bits of it.

        >>> seal = Seal(bytes(32), "study", False)
        >>> seal.tokens("id", ["Ann"]) == seal.tokens("id", ["Ann"]) != seal.tokens("name", ["Ann"])
        True
        """
        head = f"{self.domain}\0{column}\0".encode()
        return [_text(hmac.digest(self.key, head + value.encode(), "sha256")) for value in values]

    def shifts(self, persons: Sequence[str], most: int) -> list[int]:
        """By how many days the dates of each person are moved, from -`most` to `most`: HMAC-SHA256 over the person."""
        wide = 2 * most + 1
        found = (hmac.digest(self.key, _SHIFT + person.encode(), "sha256") for person in persons)
        return [int.from_bytes(digest, "big") % wide - most for digest in found]


def _text(digest: bytes) -> str:
    return base64.b32encode(digest).decode()[:_TOKEN].lower()
