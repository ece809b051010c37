"""Arrays of one part of the data, each a private file in the part's folder, opened where they lie.

Files appear whole or not at all, so a task that runs twice, or is killed in the middle, leaves nothing half done.
"""

import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

__all__ = ["drop", "has", "keep", "opened"]


def keep(part: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays by name into the folder of a part."""
    for name, array in arrays.items():
        aside = part / f".{name}-{uuid4().hex}"
        with aside.open("wb") as file:
            np.save(file, array, allow_pickle=False)
        os.replace(aside, part / f"{name}.npy")


def opened(part: Path, *names: str) -> tuple[NDArray[Any], ...]:
    """Some arrays of a part; only what is touched is read, and what is written to them stays in memory."""
    return tuple(_mapped(part / f"{name}.npy") for name in names)


def has(part: Path, name: str) -> bool:
    """Whether a part has an array of this name."""
    return (part / f"{name}.npy").exists()


def drop(part: Path, *names: str) -> None:
    """Remove arrays of a part that are there."""
    for name in names:
        (part / f"{name}.npy").unlink(missing_ok=True)


def _mapped(path: Path) -> NDArray[Any]:
    try:
        return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))
    except ValueError:  # an empty array has nothing to map
        return np.asarray(np.load(path, allow_pickle=False))
