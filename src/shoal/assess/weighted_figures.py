"""How weighted totals, means and shares move where a sampling weight is published; of the original weights, so private.

Each figure is told of all records and of the released ones with their own weights, and of the released ones with the
weights that are published: first what leaving people out moves, then what publishing other weights does.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from shoal.data import Column
from shoal.data.arrays import F8, I4, I8
from shoal.hierarchy.column_values import parse_number
from shoal.io.read.cells import cell_texts, factorize
from shoal.release import Recoded
from shoal.report.facts import WeightedFigure
from shoal.shapes.table.data import TableData

__all__ = ["measure_weighted_figures"]


def measure_weighted_figures(
    people: TableData, release: Recoded, frame: pl.DataFrame
) -> list[WeightedFigure]:
    """Compare figures by the original and by the published weights; nothing where no weight is published.

    `frame` is what is published of the records `release.rows`.
    """
    weights, name = people.table.weights, people.weight
    if weights is None or name is None or not len(release.rows):
        return []
    published = cell_texts(frame[name]).cast(pl.Float64).to_numpy()
    own = weights[release.rows]
    figures = [
        WeightedFigure("", "people in all", float(weights.sum()), float(own.sum()), float(published.sum()))
    ]
    for column in people.table.columns:
        if column.role in ("plain", "sensitive") and column.name != name:
            figures += _column_figures(column, weights, release.rows, published)
    for column_name in release.names:
        values, codes = factorize(cell_texts(frame[column_name]))
        figures += _moved_share(column_name, values, codes, own, published)
    return figures


def _column_figures(column: Column, weights: F8, rows: I8, published: F8) -> Iterator[WeightedFigure]:
    """The mean of a column of numbers, or the share of the value that moves most."""
    numbers = [None if value is None else parse_number(value) for value in column.values]
    cells = np.array([np.nan if number is None else float(number) for number in numbers])[column.codes]
    has_value = np.array([value is not None for value in column.values])[column.codes]
    if (np.isfinite(cells) == has_value).all() and has_value[rows].any():
        of_all, of_released = _mean(cells, weights), _mean(cells[rows], weights[rows])
        yield WeightedFigure(column.name, "mean", of_all, of_released, _mean(cells[rows], published))
        return
    yield from _moved_share(
        column.name, column.values, column.codes[rows], weights[rows], published, column, weights
    )


def _mean(numbers: F8, weights: F8) -> float:
    """The weighted mean of those that are numbers."""
    known = np.isfinite(numbers)
    return float(np.average(numbers[known], weights=weights[known]))


def _moved_share(
    name: str,
    values: tuple[str | None, ...],
    codes: I4,
    own: F8,
    published: F8,
    whole: Column | None = None,
    weights: F8 | None = None,
) -> Iterator[WeightedFigure]:
    """The share of the value whose weighted share moves most; `whole` and `weights` are those of all records."""
    before, after = (
        np.bincount(codes, weights=some, minlength=len(values)) / some.sum() for some in (own, published)
    )
    most = int(np.abs(after - before).argmax())
    of_all = None
    if whole is not None and weights is not None:
        of_all = float(weights[whole.codes == most].sum() / weights.sum())
    value = "no value" if values[most] is None else values[most]
    yield WeightedFigure(
        name, f"share of {value}", of_all, float(before[most]), float(after[most]), is_share=True
    )
