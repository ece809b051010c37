"""Random choices inside kernels: the ChaCha8 stream cipher, keyed by the caller.

state : int64[17 + 256]   sixteen 32-bit words of input (constants, key, counter, nonce), how many words of output are
                          used up, and sixteen blocks of output, word by word

The draw hides who is who, so it must not be guessed from its outcome: a cipher's output, unlike that of the
usual fast generators, gives away neither its past nor its future.
"""

import os

import numpy as np

from shoal._kernels import inner, njit
from shoal.data.arrays import I8

__all__ = ["below", "chance", "randomness", "refill", "shuffled"]


SEED = 40
"""How many bytes of true randomness a state takes: a key of 32 and a nonce of 8."""

_LOW = 0xFFFFFFFF
_TWICE = 4  # double rounds
_BLOCKS = 16  # made at once
_USED, _OUT = 16, 17


def chance(seed: bytes) -> I8:
    """A state from SEED random bytes."""
    state = np.zeros(_OUT + 16 * _BLOCKS, dtype=np.int64)
    state[:4] = np.frombuffer(b"expand 32-byte k", dtype="<u4")
    state[4:12] = np.frombuffer(seed[:32], dtype="<u4")
    state[14:16] = np.frombuffer(seed[32:SEED], dtype="<u4")
    state[_USED] = 16 * _BLOCKS
    return state


def randomness(rng: np.random.Generator | None) -> I8:
    """A random state for kernels, keyed by the operating system unless a generator is given for tests and papers."""
    return chance(os.urandom(SEED) if rng is None else rng.bytes(SEED))


@inner
def _mix(x: I8, a: int, b: int, c: int, d: int) -> None:
    """A quarter round on four words of every block."""
    for i in range(_BLOCKS):
        p = (x[a, i] + x[b, i]) & _LOW
        s = x[d, i] ^ p
        s = ((s << 16) | (s >> 16)) & _LOW
        r = (x[c, i] + s) & _LOW
        q = x[b, i] ^ r
        q = ((q << 12) | (q >> 20)) & _LOW
        p = (p + q) & _LOW
        s ^= p
        s = ((s << 8) | (s >> 24)) & _LOW
        r = (r + s) & _LOW
        q ^= r
        x[a, i], x[b, i], x[c, i], x[d, i] = p, ((q << 7) | (q >> 25)) & _LOW, r, s


@njit
def refill(state: I8) -> None:
    """Make the next blocks, and count on."""
    x = np.empty((16, _BLOCKS), dtype=np.int64)
    for w in range(16):
        x[w] = state[w]
    count = state[12] + (state[13] << 32)
    for i in range(_BLOCKS):
        x[12, i], x[13, i] = (count + i) & _LOW, (count + i) >> 32
    made = x.copy()
    for _ in range(_TWICE):
        _mix(x, 0, 4, 8, 12)
        _mix(x, 1, 5, 9, 13)
        _mix(x, 2, 6, 10, 14)
        _mix(x, 3, 7, 11, 15)
        _mix(x, 0, 5, 10, 15)
        _mix(x, 1, 6, 11, 12)
        _mix(x, 2, 7, 8, 13)
        _mix(x, 3, 4, 9, 14)
    for w in range(16):
        for i in range(_BLOCKS):
            state[_OUT + w * _BLOCKS + i] = (x[w, i] + made[w, i]) & _LOW
    state[12], state[13] = (count + _BLOCKS) & _LOW, (count + _BLOCKS) >> 32
    state[_USED] = 0


@inner
def _word(state: I8) -> int:
    """The next 32 bits."""
    if state[_USED] == 16 * _BLOCKS:
        refill(state)
    state[_USED] += 1
    return int(state[_USED + state[_USED]])


@njit
def below(state: I8, bound: int) -> int:
    """A uniform number from 0 to bound - 1, for a bound of at most 2^31.

    The high half of word * bound; words whose low half would favour some numbers are thrown away.
    """
    bound = int(bound)  # a narrower number would overflow where nothing is compiled
    product = _word(state) * bound
    if product & _LOW < bound:
        least = (_LOW + 1 - bound) % bound
        while product & _LOW < least:
            product = _word(state) * bound
    return product >> 32


@njit
def shuffled(state: I8, n: int) -> I8:
    """A uniform permutation of 0 .. n-1."""
    order = np.arange(n)
    for i in range(n - 1, 0, -1):
        j = below(state, i + 1)
        order[i], order[j] = order[j], order[i]
    return order
