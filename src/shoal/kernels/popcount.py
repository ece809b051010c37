"""How many bits of a word are set."""

import numpy as np

from shoal.kernels.jit import njit

__all__ = ["ones"]


@njit
def ones(word: int | np.uint64) -> int:
    """Count the bits of 64, or of a whole number from 0; the compiler knows this idiom."""
    x = np.uint64(word)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
