"""Some records of a dataset, drawn at random, bound to the same hierarchies."""

from dataclasses import replace
from typing import Any

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

__all__ = ["sampled", "taken", "what_a_sample_changes"]


def sampled(dataset: Dataset, records: int, draw: int) -> Dataset:
    """About `records` records at random, in the order they had; of data that count persons, all rows of some persons.

    Raises
    ------
    InputError
        Fewer than two records are asked for.
    """
    if records < 2:
        raise InputError(
            "compare: a sample of fewer than two records tells nothing; give --sample a larger number"
        )
    if records >= dataset.records:
        return dataset
    return taken(dataset, _drawn(dataset, records, np.random.default_rng(draw)))


def what_a_sample_changes(sample: int, records: int, k: int | None) -> str:
    """What the owner should know before figures of a sample are taken for those of all records."""
    most = 0 if k is None else round(k * records / sample)
    hard = (
        f": k={k} here costs about what a k between {k} and {most:,} costs there"
        if k is not None and most > k
        else ""
    )
    return (
        f"these are figures of {sample:,} of {records:,} records; in a sample people have fewer look-alikes, so a "
        f"maker usually loses more than it would of all records{hard}; compare the makers with each other, and run the "
        "one you choose on all records"
    )


def _drawn(dataset: Dataset, records: int, random: np.random.Generator) -> I8:
    """The rows of a sample, rising."""
    persons = dataset.inputs["table"].persons if dataset.counts_persons else None
    if persons is None:
        return np.sort(random.permutation(dataset.records)[:records])
    who, rows = np.unique(persons, return_counts=True)
    order = random.permutation(len(who))
    few = order[: max(1, int(np.searchsorted(np.cumsum(rows[order]), records, side="right")))]
    return np.flatnonzero(np.isin(persons, who[few]))


def taken(dataset: Any, rows: I8) -> Dataset:
    """These records of a dataset, in the order named, with its hierarchies."""
    match dataset:
        case TableData():
            return _table_data(dataset, rows)
        case BasketData():
            return replace(
                dataset,
                source=_source(dataset.source, rows),
                baskets=_baskets(dataset.baskets, rows),
                table=_table(dataset.table, rows),
            )
        case MixedData():
            return replace(
                dataset,
                source=_source(dataset.source, rows),
                people=_table_data(dataset.people, rows),
                baskets=_baskets(dataset.baskets, rows),
            )
        case TreeData():
            return replace(dataset, trees=dataset.trees.take(rows))
        case _:
            raise TypeError(f"{type(dataset).__name__} cannot be sampled")


def _table_data(data: TableData, rows: I8) -> TableData:
    return replace(data, source=_source(data.source, rows), table=_table(data.table, rows))


def _source(source: Source, rows: I8) -> Source:
    return replace(source, frame=source.frame[rows])


def _table(table: Table, rows: I8) -> Table:
    columns = tuple(replace(column, codes=column.codes[rows]) for column in table.columns)
    return Table(columns, None if table.persons is None else table.persons[rows])


def _baskets(baskets: Baskets, rows: I8) -> Baskets:
    """Some baskets; of the sensitive items, those that still occur."""
    start, items = take(baskets.start, baskets.items, rows)
    return replace(
        baskets, start=start, items=items, sensitive=baskets.sensitive & set(np.unique(items).tolist())
    )
