"""Rows of tables and objects of nested records as parts of record trees that keep them.

The fields of a row stand below each other, in one order for all rows, and what belongs to the row stands below the last
of them: deeper rows, and the values of fields that are lists. A row without any single value hangs what belongs to it
on the row above. The fields of the person stand under the root, and so does what belongs to the person.

The paper's trees keep no rows: there one field of a row, its head, stands above its other fields and all that belongs
to the row.
"""

import numpy as np

from shoal.data.arrays import B1, I8

__all__ = ["hang_on_heads", "hang_rows", "lists_among"]

_NONE = -1


def lists_among(rows: I8, fields: I8, many: B1) -> B1:
    """The fields that are lists: those that came as lists, and those of which some row has several values."""
    both, counts = np.unique(np.stack([rows, fields], axis=1)[rows >= 0], axis=0, return_counts=True)
    found = many.copy()
    found[both[counts > 1, 1]] = True
    return found


def hang_rows(rows: I8, fields: I8, over: I8, lists: B1) -> I8:
    """For each node, the node that it hangs below; -1 is the root.

    Parameters
    ----------
    rows
        For each node its row; -1 where it is a field of the person.
    fields
        For each node the number of its field; fields of a row stand by rising number.
    over
        For each row the row that it belongs to, which comes before it; -1 is the person.
    lists
        For each field whether it is a list.

    Examples
    --------
    A visit (ward, ill) with two drugs, each a row of its own, and the person's sex:

    >>> rows, fields = np.array([-1, 0, 0, 1, 2]), np.array([0, 1, 2, 3, 3])
    >>> hang_rows(rows, fields, np.array([-1, 0, 0]), np.zeros(4, dtype=bool)).tolist()
    [-1, -1, 1, 2, 2]
    """
    single = np.flatnonzero((rows >= 0) & ~lists[fields])
    single = single[np.lexsort((fields[single], rows[single]))]
    last = np.full(len(over) + 1, _NONE)  # the last single value of each row; behind them that of the person
    last[rows[single]] = single
    end = _nearest(last, over)
    parent = np.where(rows >= 0, end[rows], _NONE)
    first = np.r_[True, rows[single][1:] != rows[single][:-1]] if len(single) else np.zeros(0, dtype=bool)
    parent[single[~first]] = single[:-1][~first[1:]]
    parent[single[first]] = end[over[rows[single[first]]]]
    found: I8 = parent
    return found


def hang_on_heads(rows: I8, over: I8, heads: I8) -> I8:
    """For each node, the node that it hangs below where rows are not kept; -1 is the root.

    `rows` and `over` are those of `hang_rows`, and `heads` holds for each row the node of its head, -1 where it has
    none: then its other fields hang on what is above it.

    >>> hang_on_heads(np.array([-1, 0, 0, 1]), np.array([-1, 0]), np.array([1, -1])).tolist()
    [-1, -1, 1, 1]
    """
    end = _nearest(np.r_[heads, _NONE], over)
    parent = np.where(rows >= 0, end[rows], _NONE)
    headed = np.flatnonzero(heads >= 0)
    parent[heads[headed]] = end[over[headed]]
    found: I8 = parent
    return found


def _nearest(nodes: I8, over: I8) -> I8:
    """For each row the node of the nearest row, from this one upwards, that has one; behind them -1, the person's."""
    up = np.arange(len(over) + 1)
    up[-1] = _NONE
    while (bare := np.flatnonzero((up >= 0) & (nodes[up] == _NONE))).size:
        up[bare] = over[up[bare]]
    found: I8 = nodes[up]
    return found
