"""The first letters of Gray codes as whole numbers, so that baskets in many files can be put in order by number."""

import numpy as np

from shoal.data import Baskets
from shoal.data.lists import owners
from shoal.data.types import I8, U8

__all__ = ["borders", "gray_keys", "places"]


def gray_keys(baskets: Baskets, rank: I8) -> U8:
    """For each record a number: of two different ones the smaller one belongs to the record with the lower Gray rank.

    `rank` says which digit each item is, as in `gray_order`, which says what the letters are. As many letters as fit in
    63 bits are compared; records that differ later have equal numbers.
    """
    width = max(len(baskets.values), 1)
    bits = width.bit_length()
    letters = 63 // bits
    size = np.diff(baskets.start)
    record = owners(baskets.start)
    digit = np.sort(record * width + rank[baskets.items]) - record * width
    place = np.arange(len(digit)) - baskets.start[record]
    first = place < letters
    letter = np.where(place % 2 == 0, width - digit, digit)[first]
    key = np.zeros(baskets.n, dtype=np.int64)
    np.add.at(key, record[first], letter << (bits * (letters - 1 - place[first])))
    odd = (size % 2 == 1) & (size < letters)
    key[odd] += width << (
        bits * (letters - 1 - size[odd])
    )  # the letter behind the last item; of even sizes it is 0
    return key.astype(np.uint64)


def borders(sample: U8, parts: int) -> U8:
    """Where to cut, so that about as many of a sample lie in each of some parts."""
    ordered = np.sort(sample)
    return ordered[np.arange(1, parts) * len(ordered) // parts]


def places(keys: U8, cuts: U8, rng: np.random.Generator) -> I8:
    """The part that each key lies in; where keys are equal to a cut, one of the parts on its sides is drawn.

    >>> places(np.array([1, 5, 9], dtype=np.uint64), np.array([4, 7], dtype=np.uint64), None).tolist()
    [0, 1, 2]
    """
    low, high = np.searchsorted(cuts, keys, side="left"), np.searchsorted(cuts, keys, side="right")
    equal = high > low
    if equal.any():
        low[equal] += rng.integers(0, (high - low)[equal] + 1)
    return np.asarray(low, dtype=np.int64)
