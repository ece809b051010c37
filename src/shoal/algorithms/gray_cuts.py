"""Where baskets that are not in memory are cut into runs of their Gray order: by the first letters of their codes."""

from collections.abc import Callable

import numpy as np

from shoal.algorithms.fragments import rarest_first
from shoal.algorithms.ring.basket_order import rank_by_evenness
from shoal.data import Baskets
from shoal.data.arrays import B1, I8, U8, prefix_sums, row_of_entry

__all__ = ["RANKS", "find_bare_baskets", "find_borders", "gray_keys", "number_runs"]

RANKS: dict[str, Callable[[I8, int], I8]] = {
    "votes": rank_by_evenness,
    "items": lambda counts, _: rarest_first(counts),
}
"""By how a method's records are cut, which digits of the Gray code items are, from how many of n records hold each."""


def gray_keys(baskets: Baskets, rank: I8) -> U8:
    """For each record a number: of two different ones the smaller one belongs to the record with the lower Gray rank.

    `rank` says which digit each item is, as in `gray_order`, which says what the letters are. As many letters as fit in
    63 bits are compared; records that differ later have equal numbers.
    """
    width = max(len(baskets.values), 1)
    bits = width.bit_length()
    letters = 63 // bits
    size = np.diff(baskets.start)
    record = row_of_entry(baskets.start)
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


def find_borders(sample: U8, parts: int) -> U8:
    """Where to cut, so that about as many of a sample lie in each of some parts."""
    ordered = np.sort(sample)
    return ordered[np.arange(1, parts) * len(ordered) // parts]


def number_runs(keys: U8, cuts: U8, draws: U8) -> I8:
    """The run that each key lies in; where keys are equal to a cut, `draws` say one of the runs on its sides.

    >>> keys, cuts = (np.array(numbers, dtype=np.uint64) for numbers in ([1, 5, 9, 5], [4, 5]))
    >>> number_runs(keys, cuts, np.array([0, 6, 0, 7], dtype=np.uint64)).tolist()
    [0, 1, 2, 2]
    """
    low, high = np.searchsorted(cuts, keys, side="left"), np.searchsorted(cuts, keys, side="right")
    return low + (draws % (high - low + 1).astype(np.uint64)).astype(np.int64)


def find_bare_baskets(baskets: Baskets, opens: B1) -> B1:
    """Which records hold none of the items that a method may generalize: they fit into any run."""
    before = prefix_sums(opens[baskets.items])
    return np.asarray(before[baskets.start[1:]] == before[baskets.start[:-1]])
