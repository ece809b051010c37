"""Records in two parts: one to release and learn from, one to test what was learned."""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from shoal.data import Baskets, Table
from shoal.data.lists import take
from shoal.data.types import I8
from shoal.errors import InputError
from shoal.io.source import Source
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.protocols import Dataset
from shoal.publish.table.dataset import TableData
from shoal.publish.trees.dataset import TreeData

__all__ = ["some_records", "split"]

D = TypeVar("D", bound=Dataset)


def split(dataset: D, share: float = 0.7, *, seed: int = 0) -> tuple[D, D]:
    """Draw two parts at random: about `share` of the records, and the others.

    Parameters
    ----------
    dataset
        What `shoal.read` returned, of any shape.
    share
        From above 0 to below 1. All rows of one person fall into one part.
    seed
        The same seed draws the same parts. It protects nothing: neither part leaves.

    Raises
    ------
    InputError
        The share leaves a part without records.
    """
    rng = np.random.default_rng(seed)
    persons = dataset.inputs["table"].persons if dataset.counts_persons else None
    who = np.arange(dataset.records) if persons is None else np.unique(persons, return_inverse=True)[1]
    people = int(who.max()) + 1 if len(who) else 0
    first = round(share * people)
    if not 0 < first < people:
        raise InputError(f"split: share={share} of {people} people leaves a part empty; give more records")
    chosen = np.zeros(people, dtype=bool)
    chosen[rng.permutation(people)[:first]] = True
    return some_records(dataset, np.flatnonzero(chosen[who])), some_records(
        dataset, np.flatnonzero(~chosen[who])
    )


def some_records(dataset: D, rows: I8) -> D:
    """Some records of a dataset, in that order, bound to the same hierarchies."""
    held: Any = dataset
    match held:
        case TableData():
            held = replace(held, source=_source(held.source, rows), table=_table(held.table, rows))
        case BasketData():
            baskets, table = _baskets(held.baskets, rows), _table(held.table, rows)
            held = replace(held, source=_source(held.source, rows), baskets=baskets, table=table)
        case MixedData():
            people, baskets = some_records(held.people, rows), _baskets(held.baskets, rows)
            held = replace(held, source=_source(held.source, rows), people=people, baskets=baskets)
        case TreeData():
            held = replace(held, trees=held.trees.take(rows))
    split_off: D = held
    return split_off


def _source(source: Source, rows: I8) -> Source:
    return replace(source, frame=source.frame[rows])


def _table(table: Table, rows: I8) -> Table:
    columns = tuple(replace(column, codes=column.codes[rows]) for column in table.columns)
    return Table(columns, None if table.persons is None else table.persons[rows])


def _baskets(baskets: Baskets, rows: I8) -> Baskets:
    """Some baskets; of the sensitive items, those that still occur."""
    start, items = take(baskets.start, baskets.items, rows)
    secret = baskets.sensitive & frozenset(np.unique(items).tolist())
    return replace(baskets, start=start, items=items, sensitive=secret)
