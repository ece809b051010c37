"""What a claim asks of a class, as the kernels count it, and whether any class can give it.

Makers own this test: it shares no code with the judges, and agrees with them on every class.
"""

from bisect import bisect_left
from collections.abc import Sequence
from math import isfinite

import numpy as np

from shoal.data import Column, Table
from shoal.data.types import F8, I4, I8
from shoal.errors import InfeasibleError, InputError
from shoal.kernels.local.keeps_claim import DISTINCT, ENTROPY, RECURSIVE, Ask, Tally, fits, tally_of

__all__ = ["ask_for_k", "ask_of", "persons_of"]

_KINDS = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


def ask_of(
    maker: str,
    table: Table,
    rows: I8,
    *,
    k: int | None,
    l: int | None,
    t: float | None,
    diversity: str,
    c: float,
    distance: str,
) -> tuple[Ask, Tally]:
    """What is asked of every class of the records `rows`, and an empty tally for it.

    Raises
    ------
    InfeasibleError
        Not even all records together give it; the message says which column allows how much.
    """
    who = persons_of(table, rows)
    columns = table.role("sensitive")
    if (l is not None or t is not None) and not columns:
        raise InputError(
            f"{maker}: l and t speak of a sensitive column, and there is none; give one that role"
        )
    counted: list[tuple[bool, I8, int]] = []
    for column in columns:
        if l is not None:
            counted.append((True, *_texts(column, rows)))
        if t is not None:
            counted.append(
                (False, *(_ranked(column, rows) if distance == "ordered" else _texts(column, rows)))
            )
    value = np.array([values for _, values, _ in counted], dtype=np.int64).reshape(len(counted), len(rows))
    ask = Ask(
        1 if k is None else k,
        0 if l is None else l,
        _KINDS[diversity],
        c,
        2.0 if t is None else t,
        int(distance == "ordered"),
        who,
        value,
        _pairs(who, value),
        np.array([for_l for for_l, _, _ in counted], dtype=np.int64),
        np.array([size for _, _, size in counted], dtype=np.int64),
        np.array([int((values == size).any()) for _, values, size in counted], dtype=np.int64),
        _shares(value, who, [size for _, _, size in counted]),
    )
    heads = len(rows) if not len(who) else int(who.max()) + 1
    if ask.k > heads:
        what = "persons" if len(who) else "records"
        raise InfeasibleError(f"{maker}: k={k} but the table has {heads} {what}; lower k or add {what}")
    names = [column.name for column in columns for asked in (l, t) if asked is not None]
    _refuse_undiverse(maker, ask, names)
    return ask, tally_of(ask)


def ask_for_k(k: int, who: I8 | None = None) -> Ask:
    """What k alone asks; `who` are the persons, None where every record is one."""
    none, pairs = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64)
    return Ask(
        k, 0, 0, 3.0, 2.0, 0, none if who is None else who, pairs, pairs, none, none, none, np.empty((0, 1))
    )


def persons_of(table: Table, rows: I8) -> I8:
    """Who the records belong to, numbered from 0; empty where every record is a person."""
    if table.persons is None:
        return np.empty(0, dtype=np.int64)
    return np.unique(table.persons[rows], return_inverse=True)[1].astype(np.int64)


def _texts(column: Column, rows: I8) -> tuple[I8, int]:
    """Each record's value, equal where texts are, and how many there are; an empty cell comes behind them."""
    return _numbered(column.values, column.codes[rows])


def _ranked(column: Column, rows: I8) -> tuple[I8, int]:
    """The same, values by place in order: as numbers where all that occur are numbers, else as text."""
    present = {column.values[code] for code in np.unique(column.codes[rows]).tolist()} - {None, ""}
    numbers = {text: _number(text) for text in present if text is not None}
    if None in numbers.values():
        return _numbered(column.values, column.codes[rows])
    keys = [None if text not in numbers else numbers[text] for text in column.values]
    return _numbered(keys, column.codes[rows])


def _numbered(keys: Sequence[str | float | None], codes: I4) -> tuple[I8, int]:
    """Codes as places among the sorted keys that occur; None and the empty text behind all."""
    present = {keys[code] for code in np.unique(codes).tolist()} - {None, ""}
    place = {key: at for at, key in enumerate(sorted(present))}
    return np.array([place.get(key, len(place)) for key in keys], dtype=np.int64)[codes], len(place)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _pairs(who: I8, value: I8) -> I8:
    """By counted column, (person, value) as one number."""
    if not len(who):
        return np.empty((len(value), 0), dtype=np.int64)
    return np.array(
        [np.unique(who * (values.max() + 1) + values, return_inverse=True)[1] for values in value],
        dtype=np.int64,
    ).reshape(len(value), len(who))


def _shares(value: I8, who: I8, sizes: Sequence[int]) -> F8:
    """The share of each value in the whole, of distinct persons where rows name them."""
    share = np.zeros((len(value), max(sizes, default=0) + 1))
    for s, values in enumerate(value):
        whole = values
        if len(who):
            whole = np.unique(who * (values.max() + 1) + values) % (values.max() + 1)
        share[s, : sizes[s] + 1] = np.bincount(whole, minlength=sizes[s] + 1) / len(whole)
    return share


def _refuse_undiverse(maker: str, ask: Ask, names: Sequence[str]) -> None:
    """Refuse an l that not even all records together reach."""
    records = np.arange(len(ask.who) or (ask.value.shape[1] if len(ask.value) else 0))
    for s in np.flatnonzero(ask.for_l).tolist():
        one = ask._replace(
            k=1,
            value=ask.value[s : s + 1],
            pair=ask.pair[s : s + 1],
            for_l=ask.for_l[s : s + 1],
            values=ask.values[s : s + 1],
            empties=ask.empties[s : s + 1],
            share=ask.share[s : s + 1],
        )
        tally, most = tally_of(one), min(ask.l, int(ask.values[s]))
        reached = bisect_left(
            range(1, most + 1), True, key=lambda l: not fits(records, one._replace(l=l), tally)
        )
        if reached < ask.l:
            raise InfeasibleError(
                f"{maker}: l={ask.l} but column '{names[s]}' allows at most {reached}, all records together; "
                "lower l, or ask for another kind of diversity"
            )
