"""What columns, items and values of the originals tell of people, and what is known of their population.

The risks of a prosecutor, a journalist and a marketer are figures of it.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data import Baskets, Column, Table, Trees
from shoal.data.arrays import I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.read.cells import clean_cells, text
from shoal.io.read.source import Source, from_frame, no_column
from shoal.io.read.table import read
from shoal.progress import Progress
from shoal.publish.options import is_number
from shoal.utility.identity_disclosure import by_class, by_items, by_values, whole_baskets, whole_trees
from shoal.utility.individual_risk import (
    Missing,
    RecordRisks,
    chances,
    expectation,
    individual_risk,
    record_columns,
    survey_facts,
)
from shoal.utility.population import matches_right, pitman, population_of, zayatz
from shoal.utility.quasi_identifier_sets import (
    ColumnSet,
    ColumnSets,
    SpecialUniques,
    column_sets,
    special_uniques,
)
from shoal.utility.risk import class_ids, crowds, smallest_of

__all__ = [
    "PopulationFacts",
    "by_basket_items",
    "by_tree_values",
    "classes_of",
    "column_facts",
    "field_facts",
    "population_records",
]


@dataclass(frozen=True, slots=True, repr=False)
class PopulationFacts(Discreet):
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
    ) -> "PopulationFacts | None":
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
                    "risk: fraction is not a number; give the share of the population that is in the data"
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
    cells = clean_cells(text(source.frame[column.name]), source.missing)
    named = {value: code for value, code in place.items() if value is not None}
    codes = cells.replace_strict(named, default=-1, return_dtype=pl.Int64)
    return codes.set(cells.is_null(), place.get(None, -1)).to_numpy().astype(np.int64)


# What the quasi-identifiers of a table tell of the people in it.


def classes_of(table: Table) -> I8:
    """The class of each row by all quasi-identifiers."""
    return class_ids([column.codes for column in table.columns])


def column_facts(
    table: Table, k: int, beyond: PopulationFacts | None, progress: Progress, missing: Missing = "own"
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The facts of a table, and by name what there is to say of each of its rows."""
    names = [column.name for column in table.columns]
    found = column_sets([column.codes for column in table.columns], table.persons, k=k, progress=progress)
    special = special_uniques(found, len(names))
    sizes, exposed = crowds(classes_of(table), table.persons)
    progress("risk of each record")
    whole = RecordRisks.of(table, table.columns, missing)
    if missing == "any":
        exposed = whole.counts[whole.classes]
    prosecutor = chances(1 / exposed, k)
    journalist = None if beyond is None else _journalist(table, exposed, k, beyond)
    facts = {
        "found": _found(found),
        "columns": _columns(found, special, table),
        "sets": [
            {
                "columns": [names[j] for j in one.columns],
                **_told(one, found),
                **_expected(table, one, k, missing),
            }
            for one in found.sets
        ],
        "sets_up_to": found.size,
        "minimal_sets": _minimal(special, names, found.persons),
        "minimal_by_size": {str(size): count for size, count in sorted(special.records.items())},
        "scores": _scores(special),
        "threshold": 1 / k,
        "prosecutor": prosecutor,
        "journalist": journalist,
        "missing": missing,
        **survey_facts(table, whole, k, missing),
        "marketer": (prosecutor if journalist is None else journalist)["average"],
        "population": None if beyond is None else _population(sizes, len(exposed), beyond),
    }
    return facts, {**record_columns(table, whole), "score": special.score}


def _expected(table: Table, one: ColumnSet, k: int, missing: Missing) -> dict[str, float]:
    """How many people of a survey are expected to be found by a set of columns, and whose risk is above 1/k."""
    if table.weights is None:
        return {}
    found = expectation(
        RecordRisks.of(table, [table.columns[j] for j in one.columns], missing).of_persons(table), k
    )
    return {"expected": found["expected"], "above": found["above"]}


def _told(one: ColumnSet, found: ColumnSets) -> dict[str, float]:
    return {
        "distinction": one.distinction,
        "separation": one.separation,
        "alone": _share(one.unique, found.persons),
        "fewer": _share(one.fewer, found.persons),
    }


def _found(found: ColumnSets) -> list[dict[str, Any]]:
    """Whom any so many columns find."""
    return [
        {
            "columns": size,
            "items": 0,
            "relations": 0,
            "whole": False,
            "alone": _share(found.unique[size], found.persons),
            "fewer": _share(found.fewer[size], found.persons),
        }
        for size in sorted(found.unique)
    ]


def _columns(found: ColumnSets, special: SpecialUniques, table: Table) -> list[dict[str, Any]]:
    single = {one.columns[0]: one for one in found.sets if len(one.columns) == 1}
    return [
        {
            "column": column.name,
            "values": len(np.unique(column.codes)),
            **_told(single[place], found),
            "contribution": special.contribution[place],
        }
        for place, column in enumerate(table.columns)
    ]


def _minimal(special: SpecialUniques, names: Sequence[str], people: int) -> list[dict[str, Any]]:
    """The smallest sets that single people out, those of most people first."""
    ranked = sorted(special.people.items(), key=lambda one: (-one[1], len(one[0]), one[0]))
    return [{"columns": [names[j] for j in some], "alone": _share(count, people)} for some, count in ranked]


def _scores(special: SpecialUniques) -> dict[str, float]:
    scored = special.score[special.score > 0]
    return {
        "rows": _share(len(scored), len(special.score)),
        "median": float(np.median(scored)) if len(scored) else 0.0,
        "highest": float(scored.max()) if len(scored) else 0.0,
    }


def _journalist(table: Table, exposed: I8, k: int, beyond: PopulationFacts) -> dict[str, Any]:
    if beyond.crowds is None:
        chance = individual_risk(exposed, len(exposed) / beyond.size)
        return {**chances(chance, k), "absent": None}
    crowd = beyond.crowds if table.persons is None else smallest_of(beyond.crowds, table.persons)
    return {
        **chances(1 / np.maximum(crowd, exposed), k),
        "absent": _share(int((crowd < exposed).sum()), len(exposed)),
    }


def _population(sizes: I8, people: int, beyond: PopulationFacts) -> dict[str, Any]:
    fraction = people / beyond.size
    return {
        "size": beyond.size,
        "source": beyond.source,
        "fraction": fraction,
        "pitman": pitman(sizes, beyond.size),
        "zayatz": zayatz(sizes, beyond.size),
        "right_match": matches_right(sizes, fraction),
    }


def _share(count: int, whole: int) -> float:
    return count / max(whole, 1)


# What a few items of a basket, alone or beside the table, and a few values of a tree tell of a person.

Row = dict[str, Any]


def by_basket_items(baskets: Baskets, k: int, classes: I8 | None = None, columns: int = 0) -> Iterator[Row]:
    """Whom any 1, 2, 3 items and the whole basket find; beside all `columns` where `classes` are given."""
    for known in by_items(baskets, classes):
        yield _row(known.least, k, columns=columns, items=known.items)
    yield _row(whole_baskets(baskets, classes), k, columns=columns, whole=True)


def by_tree_values(trees: Trees, k: int) -> Iterator[Row]:
    """Whom any values, any values with a relation among them, and the whole tree find."""
    found = [_row(known.least, k, items=known.items, relations=known.relations) for known in by_values(trees)]
    yield from sorted(found, key=lambda row: (row["relations"], row["items"]))
    yield _row(whole_trees(trees), k, whole=True)


def field_facts(trees: Trees, k: int) -> list[Row]:
    """What one value of each field reveals; nobody knows those of the sensitive one."""
    told = zip(trees.classes, by_class(trees, k), strict=True)
    return [
        {"field": name, "values": values, "alone": alone / max(trees.n, 1), "fewer": fewer / max(trees.n, 1)}
        for name, (values, alone, fewer) in told
        if name != trees.sensitive
    ]


def _row(
    least: I8 | None, k: int, *, columns: int = 0, items: int = 0, relations: int = 0, whole: bool = False
) -> Row:
    """What is known, and the shares of people whom it finds; None where there are too many choices to count."""
    shares = (None, None) if least is None else (float(np.mean(least < 2)), float(np.mean(least < k)))
    return {
        "columns": columns,
        "items": items,
        "relations": relations,
        "whole": whole,
        "alone": shares[0],
        "fewer": shares[1],
    }
