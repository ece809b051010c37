"""Where a key stands in a table of slots. Callers number keys as they first appear, so slots change no result."""

from shoal.kernels.jit import njit

__all__ = ["slot"]


@njit
def slot(key: int, last: int) -> int:
    """The first slot to look in, of a table with `last` + 1 = 2^b; both products stay below 2^63."""
    mixed = (key & 0xFFFFFFFF) * 0x4F1BBCDD ^ (key >> 32) * 0x6C8E9CF5
    return (mixed ^ (mixed >> 29)) & last  # keys that differ in high bits only must not share their slots
