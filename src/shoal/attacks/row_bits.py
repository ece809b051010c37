"""The rows that fit a fact, as bits: what several facts leave of a release is the intersection of their rows.

bits : uint64[facts + 1, words]   bit r of a line says that row r fits the fact; every row fits the last line, so that
                                  the number -1 stands for "nothing more is known"
keys : int64[..., width]          facts that are known together, -1 where there are fewer; at least one wide
"""

from collections.abc import Iterator

import numpy as np

from shoal.data.types import B1, I8, U8

__all__ = ["all_of", "any_of", "bits_of", "fits", "how_many", "pairs", "stacked"]

_WORDS = 1 << 20  # words of bits that are looked at together


def bits_of(rows: I8, facts: I8, many: int, n: int) -> U8:
    """Bits of `many` facts, of which `facts[i]` is true of row `rows[i]`, without the last line.

    >>> bits_of(np.array([0, 2, 65]), np.array([1, 1, 0]), 2, 70).tolist()
    [[0, 2], [5, 0]]
    """
    words = max(-(-n // 64), 1)
    out = np.zeros(many * words * 8, dtype=np.uint8)
    keys = np.unique(facts.astype(np.int64) * (words * 64) + rows)
    if len(keys):
        byte = keys >> 3
        first = np.flatnonzero(np.r_[True, byte[1:] != byte[:-1]])
        out[byte[first]] = np.bitwise_or.reduceat((1 << (keys & 7)).astype(np.uint8), first)
    return out.reshape(many, words * 8).view(np.uint64)


def stacked(parts: list[U8], n: int) -> U8:
    """Lines of several kinds of facts, and the last line."""
    return np.concatenate([*parts, bits_of(np.arange(n), np.zeros(n, dtype=np.int64), 1, n)])


def any_of(bits: U8, start: I8, lines: I8) -> U8:
    """For each list of lines, the rows that fit at least one of them."""
    out = np.zeros((len(start) - 1, bits.shape[1]), dtype=np.uint64)
    full = np.flatnonzero(np.diff(start))
    step = max(1, _WORDS // bits.shape[1])
    for at in range(0, len(full), step):
        some = full[at : at + step]
        low, high = int(start[some[0]]), int(start[some[-1] + 1])
        out[some] = np.bitwise_or.reduceat(bits[lines[low:high]], start[some] - low, axis=0)
    return out


def all_of(bits: U8, keys: I8) -> U8:
    """The rows that fit all facts of each key, as bits."""
    found: U8 = bits[np.full(len(keys), -1)]
    for column in keys.T:
        found &= bits[column]
    return found


def how_many(bits: U8, keys: I8) -> I8:
    """How many rows fit all facts of each key: int64[...], keys being int64[..., width]."""
    flat = keys.reshape(-1, keys.shape[-1])
    kinds, of = _distinct(flat, len(bits))
    step = max(1, _WORDS // bits.shape[1])
    counts = [
        np.bitwise_count(all_of(bits, kinds[at : at + step])).sum(axis=1) for at in range(0, len(kinds), step)
    ]
    found = np.concatenate([np.zeros(0, dtype=np.int64), *counts]).astype(np.int64)
    return np.asarray(found[of].reshape(keys.shape[:-1]))


def fits(bits: U8, facts: I8, rows: I8) -> B1:
    """Whether each row fits the fact beside it."""
    byte = bits.view(np.uint8)[facts, rows >> 3]
    return np.asarray(byte >> (rows & 7).astype(np.uint8) & 1, dtype=bool)


def pairs(bits: U8, keys: I8) -> Iterator[tuple[I8, I8]]:
    """Every key, by its place, with every row that fits all of it; in parts, keys ascending."""
    step = max(1, _WORDS // 8 // bits.shape[1])
    for at in range(0, len(keys), step):
        found = all_of(bits, keys[at : at + step])
        place, row = np.nonzero(np.unpackbits(found.view(np.uint8), axis=1, bitorder="little"))
        yield place + at, row


def _distinct(keys: I8, facts: int) -> tuple[I8, I8]:
    """The different keys, and the place of each key among them."""
    of, first = np.zeros(len(keys), dtype=np.int64), np.arange(len(keys))[:1]
    for column in keys.T:
        _, first, of = np.unique(of * (facts + 1) + column + 1, return_index=True, return_inverse=True)
    return keys[first], of.astype(np.int64)
