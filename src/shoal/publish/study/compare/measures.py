"""What is measured of every release that a comparison makes. Adding something is one function in `MEASURES`."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.algorithms import METHODS
from shoal.data.arrays import I8
from shoal.discreet import Discreet
from shoal.errors import InfeasibleError, InputError, ShoalError, told_place
from shoal.publish.assess.attack import label_figures
from shoal.publish.assess.usefulness import model_figures, table_figures
from shoal.publish.making import anonymize_alone, claim_asked
from shoal.publish.protocols import Dataset
from shoal.publish.release import Release
from shoal.publish.shapes.base import SHAPES
from shoal.publish.study.compare.points import Point
from shoal.release import Recoded, RecodedBaskets, RecodedMixed, RecodedTrees
from shoal.utility import class_of_rows, risk

__all__ = ["COLUMN", "MADE", "MEASURES", "Measure", "Originals", "floor_at", "hole", "measured", "row_of"]


@dataclass(frozen=True, slots=True, repr=False)
class Originals(Discreet):
    """What releases are made of and measured by.

    dataset : the originals that are released
    held    : other records, on which models are tested that learned from a release; None without a target
    target  : the column that these models predict
    labels  : whether attackers are played who read what labels tell beyond themselves
    others  : other records, on whom their descriptions are tried as well; None where there are none
    """

    dataset: Dataset
    held: Dataset | None = None
    target: str | None = None
    labels: bool = False
    others: Dataset | None = None


Figures = Mapping[str, float | None]
Measure = Callable[[Dataset, Release], Figures]
"""It takes the originals and a judged release of them, and gives figures by the name of their column."""

COLUMN = "loss of "
"""What stands before the name of a column that came in, where a figure is what it lost; None where it is left out."""


def losses(dataset: Dataset, release: Release) -> dict[str, float]:
    """Every loss of the shape, the headline loss first."""
    return release.loss


def counts(dataset: Dataset, release: Release) -> dict[str, float]:
    """What was left out, and how many classes there are."""
    found = dataset.counts(release.result.release)
    return {name: found[name] for name in ("suppressed", "suppressed_items", "classes")}


def risks(dataset: Dataset, release: Release) -> dict[str, float]:
    """How exposed people are after the release.

    A table's records are alike where their quasi-identifiers are; those of a table with baskets as well. Baskets and
    record trees are alike where all of them is: to somebody who knows whole records, which is more than their claims
    allow. Of baskets by vote nothing is told, for a row need not be like the record it stems from.
    """
    found = release.result.release
    if release.claim.votes:
        return {}
    k = max(release.claim.crowd, 2)
    after = risk(_classes(found), _persons(dataset, found), below=[k])
    return {
        "risk_average": after["average"],
        "risk_highest": after["highest"],
        "below_k": after["below"][str(k)],
    }


def analysts(dataset: Dataset, release: Release) -> dict[str, float]:
    """Of tables, alone or with baskets: how far off counts, associations and means are."""
    return table_figures(dataset, release.result.release)


def columns(dataset: Dataset, release: Release) -> Figures:
    """What every column that came in lost, so that a small loss of few columns does not flatter."""
    return {f"{COLUMN}{name}": lost for name, lost in release.losses_by_column.items()}


MEASURES: list[Measure] = [losses, counts, risks, analysts, columns]


def measured(originals: Originals, release: Release) -> Figures:
    """All that is measured of one release, by column; of a target, what models learn from it as well."""
    dataset = originals.dataset
    found = {name: value for measure in MEASURES for name, value in measure(dataset, release).items()}
    if originals.labels:
        found |= label_figures(release, originals.others)
    if originals.held is None or originals.target is None:
        return found
    return found | model_figures(dataset, release.result.release, originals.held, originals.target)


def _classes(release: Any) -> I8:
    """The class of each released record."""
    match release:
        case Recoded():
            return class_of_rows(release)
        case RecodedMixed():
            return class_of_rows(release.table)
        case RecodedBaskets():
            return _alike(release.start, release.items[:, None])
        case RecodedTrees():
            trees = release.trees
            return _alike(trees.start, np.stack([trees.items, trees.parents], axis=1))
        case _:
            raise TypeError(f"{type(release).__name__} has no classes")


def _alike(start: I8, entries: Any) -> I8:
    """The same number for rows whose lists are equal."""
    seen: dict[bytes, int] = {}
    rows = (entries[first:last].tobytes() for first, last in pairwise(start.tolist()))
    return np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.int64)


def _persons(dataset: Dataset, release: Any) -> I8 | None:
    """Whom each released row belongs to; None where every row is a person."""
    persons: I8 | None = dataset.inputs["table"].persons if dataset.counts_persons else None
    return None if persons is None else persons[release.rows]


# What no release of a kind can lose less than, at the point that a comparison is about.


def floor_at(
    dataset: Dataset, methods: Sequence[str], options: Mapping[str, Any], at: Mapping[str, Any]
) -> float | None:
    """The floor of the loss `ncp`; None where none of the methods is of a kind that one is known for."""
    asked = {**options, **at}
    k = asked.get("k")
    if not isinstance(k, int) or k < 2:
        return None
    claim = claim_asked(dataset, None, asked)
    return SHAPES[dataset.shape].data.floor(dataset, [METHODS[name] for name in methods], claim, asked)


# One point: make the release, judge it, measure it, and keep nothing else of it.

MADE = "made"
"""The status of a point whose release was made and judged; any other is a hole."""


def row_of(originals: Originals, point: Point) -> dict[str, Any]:
    """The facts of one point: figures, or why there are none; a method that fails ends nothing."""
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        release = anonymize_alone(originals.dataset, method=point.method, seed=point.seed, **point.options)
        times = {"cpu_seconds": time.process_time() - cpu, "wall_seconds": time.perf_counter() - wall}
        found = measured(originals, release)
    except ShoalError as error:
        return hole(point, _status(error), str(error))
    except MemoryError:
        return hole(point, "out of memory", "there was not enough memory; give fewer records or columns")
    except Exception as error:
        where = f"{type(error).__name__} in {told_place(error)}"
        return hole(point, "crashed", f"this should not have happened ({where}); please report it")
    return {**_head(point, MADE, ""), "judged": bool(release.verdict), **found, **times}


def hole(point: Point, status: str, message: str) -> dict[str, Any]:
    """A point without a release."""
    return {**_head(point, status, message), "judged": False}


def _head(point: Point, status: str, message: str) -> dict[str, Any]:
    return {"maker": point.method, **point.numbers, "status": status, "message": message}


def _status(error: ShoalError) -> str:
    if isinstance(error, InfeasibleError):
        return "not possible"
    return "wrong input" if isinstance(error, InputError) else "refused"
