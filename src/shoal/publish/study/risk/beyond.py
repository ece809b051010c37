"""The population that the people of the data are a part of: its size, or its own records."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Column, Table
from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.cells import cleaned, text
from shoal.io.headers import no_column
from shoal.io.read import read
from shoal.io.source import Source, from_frame
from shoal.publish.options import is_number
from shoal.utility.equal_rows import class_ids
from shoal.utility.population import population_of

__all__ = ["Beyond", "population_records"]


@dataclass(frozen=True, slots=True, repr=False)
class Beyond(Discreet):
    """What is known of the population.

    size   : how many people it has
    source : how that is known: "records", "size" or "fraction"
    crowds : int64[rows], how many of its records look like each row of the data; None where only its size is known
    """

    size: int
    source: str
    crowds: I8 | None = None

    @classmethod
    def of(
        cls,
        population: Any,
        fraction: float | None,
        table: Table | None,
        people: int,
        missing: tuple[str, ...],
    ) -> "Beyond | None":
        """Take what a caller says of the population; None where nothing is said.

        Raises
        ------
        InputError
            It is said twice, it is no number, it has fewer people than the data, or its file lacks a column.
        """
        if population is not None and fraction is not None:
            raise InputError(
                "risk: population and fraction are given; one follows from the other, so leave one out"
            )
        if population is None and fraction is None:
            return None
        if table is None:
            raise InputError(
                "risk: people are compared with a population by quasi-identifiers, and the data have none; leave "
                "population and fraction out"
            )
        if fraction is not None:
            if not is_number(fraction):
                raise InputError(
                    "risk: fraction is no number; give the share of the population that is in the data"
                )
            return cls(population_of(people, fraction), "fraction")
        if isinstance(population, int) and not isinstance(population, bool):
            return cls(_at_least(population, people), "size")
        source = population_records(population, missing)
        return cls(_at_least(source.frame.height, people), "records", _crowds(table, source))


def population_records(population: Any, missing: tuple[str, ...]) -> Source:
    """The population's records: a file, or a frame."""
    if isinstance(population, str | os.PathLike):
        return read(Path(population), missing=missing)
    return from_frame(population, missing=missing)


def _at_least(size: int, people: int) -> int:
    if size < people:
        raise InputError(
            f"risk: a population of {size:,}, and the data hold {people:,} people; give the population that they are of"
        )
    return size


def _crowds(table: Table, source: Source) -> I8:
    """How many records of the population look like each row; a row that none looks like is there itself."""
    there = source.frame.columns
    for column in table.columns:
        if column.name not in there:
            raise no_column(source, column.name, [known.name for known in table.columns])
    codes = [_coded(column, source) for column in table.columns]
    known = np.logical_and.reduce([part >= 0 for part in codes])
    ids = class_ids([np.r_[c.codes, part[known]] for c, part in zip(table.columns, codes, strict=True)])
    own, others = ids[: table.n], ids[table.n :]
    counts = np.bincount(others, minlength=int(ids.max(initial=-1)) + 1)
    return counts[own]


def _coded(column: Column, source: Source) -> I8:
    """The population's cells as codes of the column, -1 where the data do not have the value."""
    place: Mapping[str | None, int] = {value: code for code, value in enumerate(column.values)}
    cells = cleaned(text(source.frame[column.name]), source.missing)
    named = {value: code for value, code in place.items() if value is not None}
    codes = cells.replace_strict(named, default=-1, return_dtype=pl.Int64)
    return codes.set(cells.is_null(), place.get(None, -1)).to_numpy().astype(np.int64)
