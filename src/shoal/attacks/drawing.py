"""Drawing the people who are played, where playing everybody would take too long."""

import numpy as np

from shoal.data.types import I8

__all__ = ["drawn"]


def drawn(people: int, most: int, rng: np.random.Generator | None = None) -> I8:
    """Everybody's number where there are at most `most` people, else so many, drawn evenly and without repeats.

    Parameters
    ----------
    people
        How many there are.
    most
        How many are played at most; at least 1 is.
    rng
        None means randomness of the operating system.

    Returns
    -------
    int64, ascending.

    >>> drawn(4, 9).tolist(), len(drawn(100, 7))
    ([0, 1, 2, 3], 7)
    """
    if people <= max(most, 1):
        return np.arange(people, dtype=np.int64)
    some = (rng or np.random.default_rng()).choice(people, size=max(most, 1), replace=False)
    return np.sort(some).astype(np.int64)
