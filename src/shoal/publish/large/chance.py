"""Randomness that protects: from the operating system alone."""

import os

import numpy as np

from shoal.data.types import U8

__all__ = ["drawn"]


def drawn(n: int) -> U8:
    """So many random numbers: uint64[n]."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)
