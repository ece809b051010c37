"""`shoal compare`: every method at every point of a sweep, and which one to take."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import FILE, as_json, ask_for_config, config_argument, force, given, job_options, key
from shoal.cli.show import listening, print_json, print_line, print_table, tell

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

    Every release is judged and none is written. Results are kept as they come: the same command goes on where
    an interrupted one was.
    """
    from shoal.comparison.comparison import compare_config

    ask_for_config(config)
    with listening() as progress:
        found = compare_config(config, out, force=force, progress=progress, **given("compare", values))
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found, out)


def _print(found: "Comparison", out: Path) -> None:
    """Tell the loss of every method, the holes, what was left out, and what to take."""
    from shoal.report.compare import columns_table, labels_table
    from shoal.report.words import point_in_words

    for table in _losses(found):
        print_table(*table)
    told = labels_table(found.as_dict())
    if told.rows:
        print_table(told.caption, told.head, told.rows)
    left = columns_table(found.as_dict())
    if left.rows:
        print_table(left.caption, left.head, left.rows[:_COLUMNS])
        if len(left.rows) > _COLUMNS:
            print_line(f"          {len(left.rows) - _COLUMNS:,} more columns are in compare.html")
    for row in found.holes[:_HOLES]:
        numbers = point_in_words({name: row[name] for name in found.sweeps})
        why = row["message"].removeprefix(f"{row['maker']}: ")
        tell(f"missing   {row['maker']}{numbers}: {why}")
    if len(found.holes) > _HOLES:
        print_line(f"missing   {len(found.holes) - _HOLES:,} more are in compare.html")
    for name, why in found.left_out.items():
        tell(f"left out  {name}: {why}; name it with --methods to compare it")
    tell(f"floor     {found.floor_said}")
    tell(f"advice    {found.recommendation}")
    print_line(f"keep      {out}: compare.html and results.csv have every figure and must not be published")


def _losses(found: "Comparison") -> Iterator[tuple[str, list[str], list[list[object]]]]:
    """The headline loss of each method: over each swept number, the others as the recommendation takes them."""
    from shoal.report.words import point_in_words

    loss = found.loss or "loss"
    swept = {name: numbers for name, numbers in found.sweeps.items() if len(numbers) > 1}
    for over, numbers in swept.items():
        others = {name: value for name, value in found.at.items() if name != over and name in swept}
        shown = numbers if len(numbers) <= _WIDE else numbers[:: -(-len(numbers) // _WIDE)]
        yield (
            f"{loss} of each method{point_in_words(others)}",
            ["method", *(f"{over}={number:g}" for number in shown)],
            [
                [method, *(_value(found, method, {**found.at, over: number}, loss) for number in shown)]
                for method in found.makers
            ],
        )
    if not swept:
        times = found.times_floor
        rows = [
            [
                method,
                _value(found, method, found.at, loss),
                *([f"{times[method]:.2f}" if method in times else "-"] if times else []),
                _value(found, method, found.at, "cpu_seconds"),
            ]
            for method in found.makers
        ]
        head = ["method", loss, *(["times the floor"] if times else []), "CPU seconds"]
        yield f"{loss} of each method", head, rows


def _value(found: "Comparison", method: str, at: Mapping[str, float], name: str) -> object:
    """A figure of a method at a point; a dash is a hole."""
    rows = [
        row
        for row in found.rows
        if row["maker"] == method and all(row[one] == value for one, value in at.items())
    ]
    return float(rows[0][name]) if rows[0].get(name) is not None else "-"
