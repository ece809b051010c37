"""How many people columns single out: each alone, and with one or two others."""

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.data.types import I4

__all__ = ["MOST", "singled_out", "with_others"]

MOST = 100_000
"""Of more records, a random sample of so many is looked at where columns are joined."""

_WIDE = 40  # columns; of more, only those that differ most are joined


def with_others(columns: Mapping[str, I4]) -> dict[str, tuple[tuple[str, ...], float]]:
    """For each column the one or two others with which it singles out most people, and their share.

    Pairs are all tried, and the best of them with every third column.

    >>> a, b = np.array([0, 0, 1, 1], dtype=np.int32), np.array([0, 1, 0, 1], dtype=np.int32)
    >>> with_others({"a": a, "b": b})["a"]
    (('b',), 1.0)
    """
    names = sorted(columns, key=lambda name: -int(columns[name].max(initial=0)))[:_WIDE]
    found: dict[str, tuple[tuple[str, ...], float]] = {
        name: ((), singled_out([columns[name]])) for name in names
    }
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            share = singled_out([columns[one], columns[other]])
            for name, beside in ((one, other), (other, one)):
                if share > found[name][1]:
                    found[name] = ((beside,), share)
    return {name: _third(name, *found[name], columns, names) for name in names}


def _third(
    name: str, others: tuple[str, ...], share: float, columns: Mapping[str, I4], names: Sequence[str]
) -> tuple[tuple[str, ...], float]:
    """A column and the best beside it, with the best third."""
    best = others, share
    if others and share < 1:
        for third in names:
            if third not in (name, *others):
                more = singled_out([columns[n] for n in (name, *others, third)])
                if more > best[1]:
                    best = (*others, third), more
    return best


def singled_out(columns: Sequence[I4]) -> float:
    """The share of records that no other record equals in these columns."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for codes in columns:
        width = int(codes.max()) + 1 if len(codes) else 1
        if int(key.max(initial=0)) > 2**62 // width:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key = key * width + codes
    key.sort()
    same = key[1:] == key[:-1]
    alone = ~np.r_[False, same] & ~np.r_[same, False]
    return float(alone.mean()) if len(key) else 0.0
