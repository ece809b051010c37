"""`shoal compare`: every method at every point of a sweep, and which one to take."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import (
    FILE,
    as_json,
    ask_for_config,
    collect_options,
    config_argument,
    force,
    job_options,
    key,
)
from shoal.cli.show import print_escaped, print_json, print_line, print_table, progress_listener

if TYPE_CHECKING:
    from shoal.comparison.comparison import Comparison

__all__ = ["compare"]

_WIDE = 10  # points side by side
_HOLES = 12  # that are told on the terminal
_COLUMNS = 24  # of the data, likewise


@click.command()
@config_argument
@job_options("compare", without=("seed",))
@click.option(
    "--out",
    type=FILE,
    default=Path("compare.private"),
    show_default=True,
    help="The folder for results and page; it must not be published.",
)
@force("an existing comparison")
@job_options("compare", "seed")
@key
@as_json
def compare(
    config: Path,
    out: Path,
    force: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Compare methods on what CONFIG describes: loss, time and risk at every point, and which to take.

    Every release is judged and none is written. Results and page are written at the end.
    """
    from shoal.comparison.comparison import compare_config

    ask_for_config(config)
    with progress_listener() as progress:
        comparison = compare_config(
            config, out, force=force, progress=progress, **collect_options("compare", values)
        )
    if as_json:
        print_json(comparison.as_dict())
    else:
        _print_comparison(comparison, out)


def _print_comparison(found: "Comparison", out: Path) -> None:
    """Tell the loss of every method, the holes, what was left out, and what to take."""
    from shoal.report.compare import columns_table, labels_table
    from shoal.report.words import describe_point

    for table in _loss_tables(found):
        print_table(*table)
    labels = labels_table(found.as_dict())
    if labels.rows:
        print_table(labels.caption, labels.head, labels.rows)
    columns = columns_table(found.as_dict())
    if columns.rows:
        print_table(columns.caption, columns.head, columns.rows[:_COLUMNS])
        if len(columns.rows) > _COLUMNS:
            print_line(f"          {len(columns.rows) - _COLUMNS:,} more columns are in compare.html")
    for row in found.missing_points[:_HOLES]:
        numbers = describe_point({name: row[name] for name in found.sweeps})
        reason = row["message"].removeprefix(f"{row['maker']}: ")
        print_escaped(f"missing   {row['maker']}{numbers}: {reason}")
    if len(found.missing_points) > _HOLES:
        print_line(f"missing   {len(found.missing_points) - _HOLES:,} more are in compare.html")
    for name, reason in found.left_out.items():
        print_escaped(f"left out  {name}: {reason}; name it with --methods to compare it")
    print_escaped(f"floor     {found.floor_sentence}")
    print_escaped(f"advice    {found.recommendation}")
    print_line(f"keep      {out}: compare.html and results.csv have every figure and must not be published")


def _loss_tables(found: "Comparison") -> Iterator[tuple[str, list[str], list[list[object]]]]:
    """The headline loss of each method: over each swept number, the others as the recommendation takes them."""
    from shoal.report.words import describe_point

    loss = found.loss or "loss"
    swept = {name: numbers for name, numbers in found.sweeps.items() if len(numbers) > 1}
    for swept_name, numbers in swept.items():
        fixed_values = {
            name: value for name, value in found.at.items() if name != swept_name and name in swept
        }
        points = numbers if len(numbers) <= _WIDE else numbers[:: -(-len(numbers) // _WIDE)]
        yield (
            f"{loss} of each method{describe_point(fixed_values)}",
            ["method", *(f"{swept_name}={number:g}" for number in points)],
            [
                [
                    method,
                    *(_figure_at(found, method, {**found.at, swept_name: number}, loss) for number in points),
                ]
                for method in found.makers
            ],
        )
    if not swept:
        times = found.times_floor
        rows = [
            [
                method,
                _figure_at(found, method, found.at, loss),
                *([f"{times[method]:.2f}" if method in times else "-"] if times else []),
                _figure_at(found, method, found.at, "cpu_seconds"),
            ]
            for method in found.makers
        ]
        head = ["method", loss, *(["times the floor"] if times else []), "CPU seconds"]
        yield f"{loss} of each method", head, rows


def _figure_at(found: "Comparison", method: str, at: Mapping[str, float], name: str) -> object:
    """A figure of a method at a point; a dash is a hole."""
    rows = [
        row
        for row in found.rows
        if row["maker"] == method and all(row[key] == value for key, value in at.items())
    ]
    return float(rows[0][name]) if rows[0].get(name) is not None else "-"
