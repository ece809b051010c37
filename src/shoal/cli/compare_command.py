"""`shoal compare`: every maker at every point of a sweep, and which one to take."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.cli.show import listening, print_json, print_table, say

if TYPE_CHECKING:
    from shoal.publish.study.compare.comparison import Comparison

__all__ = ["compare"]

_FILE = click.Path(path_type=Path)
_WIDE = 10  # points side by side


@click.command()
@click.argument("config", type=_FILE, default=Path("shoal.toml"))
@click.option("--methods", metavar="A,B,...", help="The makers to compare; by default those that fit.")
@click.option(
    "--k", metavar="2:100", help="The k to try: 2:100 is 2, 3, 5, 10, 20, 50, 100; 2:100:1 each; 5; 2,5,7."
)
@click.option("--m", metavar="1:3", help="Sweeps as of --k; also --n and --l.")
@click.option("--n", metavar="0:2")
@click.option("--l", metavar="2:5")
@click.option("--delta", metavar="0:1:0.1", help="Sweeps of shares, with a step; also --suppress.")
@click.option("--suppress", metavar="0:0.1:0.02")
@click.option(
    "--sample", type=click.IntRange(min=2), metavar="N", help="Compare on N records drawn at random."
)
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), help="A point that takes longer is a hole."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at a time; by default one per core.")
@click.option(
    "--out",
    type=_FILE,
    default=Path("compare.private"),
    show_default=True,
    help="The folder for results and page; it must not be published.",
)
@click.option("--force", is_flag=True, help="Replace an existing comparison.")
@click.option(
    "--seed", type=click.IntRange(min=0), help="For papers and tests only: the same random choices."
)
@click.option("--json", "as_json", is_flag=True, help="Print facts as JSON.")
def compare(
    config: Path,
    methods: str | None,
    out: Path,
    force: bool,
    sample: int | None,
    seconds: float | None,
    jobs: int | None,
    seed: int | None,
    as_json: bool,
    **sweeps: str | None,
) -> None:
    """Compare makers on what CONFIG describes: loss, time and risk at every point, and which to take.

    Every release is judged and none is written. Results are kept as they come: the same command goes on where
    an interrupted one was.
    """
    from shoal.publish.study.compare.comparing import compare_config

    named = None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
    with listening() as progress:
        found = compare_config(
            config,
            out,
            methods=named,
            sweeps={name: text for name, text in sweeps.items() if text is not None},
            force=force,
            sample=sample,
            jobs=jobs,
            seconds=seconds,
            seed=seed,
            progress=progress,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found, out)


def _print(found: "Comparison", out: Path) -> None:
    """Tell the loss of every maker, the holes, what was left out, and what to take."""
    print_table(*_losses(found))
    for row in found.holes:
        numbers = ", ".join(f"{name}={row[name]:g}" for name in found.sweeps)
        say(f"hole      {row['maker']}{f' at {numbers}' if numbers else ''}: {row['message']}")
    for name, why in found.left_out.items():
        say(f"left out  {name}: {why}; name it with --methods to compare it")
    say(f"advice    {found.recommendation}")
    say(f"keep      {out}: compare.html, results.csv must not be published")


def _losses(found: "Comparison") -> tuple[str, list[str], list[list[object]]]:
    """The headline loss of each maker at each point: points side by side where one number is swept."""
    name = found.loss or "loss"
    swept = [one for one, numbers in found.sweeps.items() if len(numbers) > 1]
    if len(swept) == 1 and len(found.sweeps[swept[0]]) <= _WIDE:
        numbers = found.sweeps[swept[0]]
        cells = {(row["maker"], row[swept[0]]): _loss(row.get(name)) for row in found.rows}
        rows: list[list[object]] = [
            [maker, *(cells[maker, number] for number in numbers)] for maker in found.makers
        ]
        return f"{name} of each maker", ["maker", *(f"{swept[0]}={number:g}" for number in numbers)], rows
    head = ["maker", *swept, name, "CPU seconds", "status"]
    long: list[list[object]] = [
        [
            row["maker"],
            *(f"{row[one]:g}" for one in swept),
            _loss(row.get(name)),
            _loss(row.get("cpu_seconds")),
            row["status"],
        ]
        for row in found.rows
    ]
    return f"{name} of each maker", head, long


def _loss(value: float | None) -> object:
    return "-" if value is None else float(value)
