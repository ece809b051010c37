"""Silence for readers that speak past Python: a broken file makes threads of polars print to the terminal."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["quiet"]


@contextmanager
def quiet() -> Iterator[None]:
    """Send what is written to standard error meanwhile nowhere; exceptions pass."""
    try:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is no standard error
        yield
        return
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
