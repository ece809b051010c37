"""Random numbers of records that do not depend on where records lie.

A draw is a keyed hash of its purpose, the record's cells, and the record's number among equal ones. So a task that runs
twice draws the same, and parts of any size do.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.data.arrays import I4, I8, U8, hash_u64, is_group_start

__all__ = ["RecordHasher", "RunKey", "number_equals", "scale_hashes"]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_ITEMS = 2**32 - 1  # the number of the column that items are hashed as


@dataclass(frozen=True, slots=True, repr=False)
class RunKey(SafeRepr):
    """The secret of one run, 32 bytes; every purpose has a key of its own that is derived from it."""

    secret: bytes

    @classmethod
    def of(cls, rng: np.random.Generator | None) -> "RunKey":
        """Draw the key: from the operating system, but in tests and for papers."""
        return cls(os.urandom(32) if rng is None else rng.bytes(32))

    def facts(self) -> dict[str, object]:
        """What may be shown: nothing."""
        return {}

    def derive(self, purpose: str) -> bytes:
        """Return the key of a purpose, 32 bytes."""
        return blake2b(purpose.encode(), key=self.secret, digest_size=32).digest()

    def draw(self, purpose: str, hashes: U8, numbers: I8) -> U8:
        """Draw a number for each record, given its hash and its number among equal records: uint64[n]."""
        salt = np.uint64(int.from_bytes(self.derive(purpose)[:8], "little"))
        return hash_u64(hash_u64(hashes ^ salt) + numbers.astype(np.uint64) * _ODD)


@dataclass(frozen=True, slots=True, repr=False)
class RecordHasher(SafeRepr):
    """Hashes records by what their cells say, never by their codes.

    values : by column uint64[values], the keyed hash of each value of the dictionary
    items  : uint64[items], the same of its items
    """

    values: tuple[U8, ...]
    items: U8 = field(default_factory=lambda: np.empty(0, dtype=np.uint64))

    @classmethod
    def of(
        cls, key: bytes, values: Sequence[Sequence[str | None]], items: Sequence[str] = ()
    ) -> "RecordHasher":
        """Hash every value and item of a dictionary."""
        columns = tuple(_hash_values(key, j, column) for j, column in enumerate(values))
        return cls(columns, _hash_values(key, _ITEMS, items))

    def facts(self) -> dict[str, object]:
        """What may be shown: how many columns there are."""
        return {"columns": len(self.values)}

    def __call__(
        self, codes: I4, start: I8 | None = None, items: I4 | None = None, parents: I4 | None = None
    ) -> U8:
        """Return a number for each record, equal for equal records: uint64[n].

        Record i holds items[start[i] : start[i + 1]], where there are baskets each once; with `parents` these are the
        nodes of a tree, in the one order that equal trees have.
        """
        sums = np.zeros(len(codes), dtype=np.uint64)
        for j, hashes in enumerate(self.values):
            sums += hashes[codes[:, j]]
        if start is not None:
            numbers = self.items[items]
            if parents is not None:
                node = np.arange(len(parents)) - np.repeat(start[:-1], np.diff(start))
                place = (node << 32) + parents + 1  # within its record: its own, and its parent's
                numbers = hash_u64(numbers + place.astype(np.uint64) * _ODD)
            before = np.r_[np.zeros(1, dtype=np.uint64), np.cumsum(numbers, dtype=np.uint64)]
            sums = hash_u64(sums) + before[start[1:]] - before[start[:-1]]
        return hash_u64(sums)


def _hash_values(key: bytes, column: int, values: Sequence[str | None]) -> U8:
    prefix = column.to_bytes(4, "little")
    digests = b"".join(
        blake2b(
            prefix + (b"\0" if value is None else b"\1" + value.encode("utf-8", "surrogatepass")),
            key=key,
            digest_size=8,
        ).digest()
        for value in values
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def number_equals(hashes: U8) -> I8:
    """Number equal records 0, 1, ... in the order in which they stand.

    >>> number_equals(np.array([7, 3, 7, 7], dtype=np.uint64)).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(hashes, kind="stable")
    starts = np.flatnonzero(is_group_start(hashes[order]))
    sizes = np.diff(np.r_[starts, len(order)])
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    return numbers


def scale_hashes(hashes: U8, parts: int) -> I8:
    """Say in which of so many ranges of equal width each hash lies.

    >>> scale_hashes(np.array([0, 1 << 62, (1 << 64) - 1], dtype=np.uint64), 3).tolist()
    [0, 0, 2]
    """
    return ((hashes >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)
