"""What a class of records costs: the extent of its values in each column, priced.

codes : int32[n, d]  record i, column j -> place among the values that occur, in leaf order or number order
low   : int64[d]     the extent of a class: its lowest place; where present values are listed, a bit for each
high  : int64[d]     its highest place; unused where values are listed

Prices are whole numbers, so that ties are ties on every machine.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import inner, njit
from shoal.kernels.popcount import ones
from shoal.kernels.types import I4, I8

__all__ = [
    "CLIMB",
    "NODE",
    "RANGE",
    "SET",
    "Rates",
    "both",
    "cost",
    "enter",
    "open_class",
    "price",
    "with_record",
]


NODE = 0
"""The closest common node, looked up: table[low * size + high]."""
CLIMB = 1
"""The closest common node, climbed to: `height` + 1 rows of nodes, then as many rows of prices."""
RANGE = 2
"""A range: a row of lower ends, a row of upper ends, a row of prices of single values."""
SET = 3
"""The values present: a price for each number of them; the root's where `gone` is among them."""


class Rates(NamedTuple):
    """For each column: its kind, where its tables begin in `table`, how many values there are, the price of its root.

    height : int64[d]  levels to climb (CLIMB)
    gone   : int64[d]  the bit of a value that goes with no other (SET)
    """

    kind: I8
    at: I8
    size: I8
    root: I8
    height: I8
    gone: I8
    table: I8


@inner
def price(j: int, low: int, high: int, rates: Rates) -> int:
    """The price of one cell of a class with this extent in column j."""
    kind, at, size = rates.kind[j], rates.at[j], rates.size[j]
    if kind == NODE:
        return int(rates.table[at + low * size + high])
    if kind == SET:
        if low & rates.gone[j]:
            return int(rates.root[j])
        return int(rates.table[at + ones(low)])
    if kind == RANGE:
        if low == high:
            return int(rates.table[at + 2 * size + low])
        return int(min(rates.root[j], rates.table[at + size + high] - rates.table[at + low]))
    level = 0
    while rates.table[at + level * size + low] != rates.table[at + level * size + high]:
        level += 1
    return int(rates.table[at + (rates.height[j] + 1 + level) * size + low])


@njit
def open_class(low: I8, high: I8, record: I4, rates: Rates) -> None:
    """Let a class consist of one record."""
    for j in range(len(record)):
        low[j] = high[j] = record[j]
        if rates.kind[j] == SET:
            low[j] = np.int64(1) << record[j]


@njit
def enter(low: I8, high: I8, record: I4, rates: Rates) -> None:
    """Widen a class by one record."""
    for j in range(len(record)):
        if rates.kind[j] == SET:
            low[j] |= np.int64(1) << record[j]
        else:
            low[j], high[j] = min(low[j], record[j]), max(high[j], record[j])


@njit
def cost(low: I8, high: I8, rates: Rates) -> int:
    """What each record of a class pays."""
    total = 0
    for j in range(len(low)):
        total += price(j, low[j], high[j], rates)
    return total


@njit
def with_record(low: I8, high: I8, record: I4, rates: Rates) -> int:
    """What each record would pay if `record` entered.

    It never stops early: a way out of the loop keeps the compiler from dropping reference counts, which costs
    ten times what it saves.
    """
    total = 0
    for j in range(len(low)):
        if rates.kind[j] == SET:
            total += price(j, low[j] | (np.int64(1) << record[j]), 0, rates)
        else:
            total += price(j, min(low[j], record[j]), max(high[j], record[j]), rates)
    return total


@njit
def both(low: I8, high: I8, low2: I8, high2: I8, rates: Rates) -> int:
    """What each record would pay if two classes became one."""
    total = 0
    for j in range(len(low)):
        if rates.kind[j] == SET:
            total += price(j, low[j] | low2[j], 0, rates)
        else:
            total += price(j, min(low[j], low2[j]), max(high[j], high2[j]), rates)
    return total
