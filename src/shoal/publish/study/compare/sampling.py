"""Some records of a dataset, drawn at random, bound to the same hierarchies."""

import numpy as np

from shoal.data.types import I8
from shoal.errors import InputError
from shoal.publish.protocols import Dataset
from shoal.publish.study.useful.split import some_records

__all__ = ["sampled", "what_a_sample_changes"]


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
    return some_records(dataset, _drawn(dataset, records, np.random.default_rng(draw)))


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
