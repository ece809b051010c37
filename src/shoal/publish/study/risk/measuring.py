"""`risk`: measure how exposed people are."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal import __version__
from shoal.errors import InputError
from shoal.kernels.types import F8
from shoal.progress import Progress, silent
from shoal.publish.study.risk.beyond import Beyond
from shoal.publish.study.risk.by_columns import classes_of, column_facts
from shoal.publish.study.risk.opening import opened
from shoal.publish.study.risk.people import People
from shoal.publish.study.risk.result import Risk

__all__ = ["risk"]


def risk(
    data: Any,
    *,
    k: int = 5,
    population: Any = None,
    fraction: float | None = None,
    sample: int | None = None,
    progress: Progress = silent,
) -> Risk:
    """Measure how exposed people are before anything is done, and by which columns, items or values.

    Parameters
    ----------
    data
        What `shoal.read`, `shoal.read_trees` or `shoal.propose` returns, or the path of a configuration. Of data that
        nobody has described (a file, a folder, a database's URL, a frame) roles are proposed first. What an attacker
        may know are the columns with the role quasi, the items, and the trees but for their sensitive field.
    k
        People who share what is known with fewer than k, themselves among them, are found easily; at least 2.
    population
        How many people the data are drawn from, or the records of all of them: a file or a frame with the same columns.
    fraction
        The share of the population that is in the data, instead of `population`.
    sample
        Look at so many people only, drawn at random. They then seem to have fewer look-alikes than they have.
    progress
        Told what is being done.

    Raises
    ------
    InputError
        The data cannot be read or hold nothing that an attacker may know, or a number is wrong.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [31, 31, 40, 40], "sex": ["f", "f", "f", "m"]})
    >>> found = risk(shoal.read(people, roles={"age": "quasi", "sex": "quasi"}), k=2)
    >>> found.table().select("known", "alone").rows()
    [('any 1 column', 0.25), ('all 2 columns', 0.5)]
    """
    _check(k, "k", 2)
    if sample is not None:
        _check(sample, "sample", 1)
    progress("reading")
    dataset, proposed = opened(data)
    people = People.of(dataset)
    everybody = people.count
    if people.table is not None and not people.table.columns:
        raise InputError("risk: no column has the role quasi; give it to those that an attacker may know")
    missing = getattr(dataset.source, "missing", ())
    if sample is not None and sample < everybody:
        people = people.some(sample)
    beyond = Beyond.of(population, fraction, people.table, everybody, missing)
    facts, scores = _measured(people, k, beyond, progress)
    head = {
        "shoal": __version__,
        "shape": dataset.shape,
        "people": people.count,
        "rows": people.rows,
        "k": k,
        "proposed": proposed,
        "sampled_from": everybody if people.count < everybody else None,
        "rows_per_person": _rows_per_person(people),
        "items_per_person": _items_per_person(people),
    }
    return Risk(dataset.source, {**head, **facts}, scores)


def _check(number: object, name: str, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise InputError(f"risk: {name} must be a whole number of at least {least}")


def _measured(
    people: People, k: int, beyond: Beyond | None, progress: Progress
) -> tuple[dict[str, Any], F8 | None]:
    facts: dict[str, Any] = {"found": []}
    scores: F8 | None = None
    if people.table is not None:
        facts, scores = column_facts(people.table, k, beyond, progress)
    if people.baskets is not None or people.trees is not None:
        progress("items and values")
        facts["found"] = [*facts["found"], *_items(people, k)]
        facts |= _fields(people, k)
    return facts, scores


def _items(people: People, k: int) -> Iterator[dict[str, Any]]:
    from shoal.publish.study.risk.by_items import (
        items_found,
        values_found,
    )  # kernels are heavy; tables need none

    if people.trees is not None:
        yield from values_found(people.trees, k)
    if people.baskets is not None:
        yield from items_found(people.baskets, k)
        if people.table is not None:
            yield from items_found(people.baskets, k, classes_of(people.table), len(people.table.columns))


def _fields(people: People, k: int) -> dict[str, Any]:
    from shoal.publish.study.risk.by_items import field_facts

    return {} if people.trees is None else {"fields": field_facts(people.trees, k)}


def _rows_per_person(people: People) -> dict[str, int] | None:
    """By number of rows, how many people have so many; None where every row is a person."""
    whose = people.persons
    if whose is None:
        return None
    rows, times = np.unique(np.bincount(whose), return_counts=True)
    return {str(row): int(count) for row, count in zip(rows, times, strict=True)}


def _items_per_person(people: People) -> dict[str, float] | None:
    """How many items or nodes people have: the fewest, on average, the most; None for a table."""
    part = people.baskets or people.trees
    if part is None:
        return None
    sizes = np.diff(part.start) if part.n else np.zeros(1)
    return {"fewest": int(sizes.min()), "average": float(sizes.mean()), "most": int(sizes.max())}
