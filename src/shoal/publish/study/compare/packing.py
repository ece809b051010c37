"""A dataset as bytes and back, for another process: arrays that nobody may write to come back so.

Kernels are compiled for arrays that may or may not be written to; pickled plainly, all could be, and every kernel would
be compiled again.
"""

import pickle
from typing import Any

__all__ = ["packed", "unpacked"]


def packed(thing: object) -> tuple[bytes, list[tuple[bytes, bool]]]:
    """The thing without its arrays, and each array's bytes with whether they are fixed."""
    buffers: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    return rest, [(bytes(view), view.readonly) for view in views]


def unpacked(rest: bytes, arrays: list[tuple[bytes, bool]]) -> Any:
    """What `packed` took apart."""
    return pickle.loads(rest, buffers=[held if fixed else bytearray(held) for held, fixed in arrays])
