"""`shoal compare`: every maker at every point of a sweep, and which one to take."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.cli.options import ask_for_config
from shoal.cli.show import listening, print_json, print_table, say, tell

if TYPE_CHECKING:
    from shoal.publish.study.compare.comparison import Comparison

__all__ = ["compare"]

_FILE = click.Path(path_type=Path)
_WIDE = 10  # points side by side
_HOLES = 12  # that are told on the terminal


@click.command()
@click.argument("config", type=_FILE, default=Path("shoal.toml"))
@click.option(
    "--methods",
    metavar="A,B,...",
    help="The makers to compare, or `default` for the one that a run takes; by default all that fit.",
)
@click.option(
    "--k", metavar="2:100", help="The k to try: 2:100 is 2, 3, 5, 10, 20, 50, 100; 2:100:1 each; 5; 2,5,7."
)
@click.option("--m", metavar="1:3", help="The m to try, written as those of --k.")
@click.option("--n", metavar="0:2", help="The n to try, written as those of --k.")
@click.option("--l", metavar="2:5", help="The l to try, written as those of --k.")
@click.option("--delta", metavar="0:1:0.1", help="The shares that one side may lose, with a step.")
@click.option("--suppress", metavar="0:0.1:0.02", help="The shares that may be left out, with a step.")
@click.option(
    "--sample", type=click.IntRange(min=2), metavar="N", help="Compare on N records drawn at random."
)
@click.option("--target", metavar="COLUMN", help="Train models on each release to predict COLUMN (extra ml).")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Give up a point that takes longer; by default 120 s where no makers are named.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="How many processes work at once; by default one per core."
)
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
    target: str | None,
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

    ask_for_config(config)
    named = None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
    with listening() as progress:
        found = compare_config(
            config,
            out,
            methods=named,
            sweeps={name: text for name, text in sweeps.items() if text is not None},
            force=force,
            sample=sample,
            target=target,
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
    for table in _losses(found):
        print_table(*table)
    for row in found.holes[:_HOLES]:
        numbers = _told({name: row[name] for name in found.sweeps})
        why = row["message"].removeprefix(f"{row['maker']}: ")
        tell(f"hole      {row['maker']}{numbers}: {why}")
    if len(found.holes) > _HOLES:
        say(f"holes     {len(found.holes) - _HOLES:,} more are in compare.html")
    for name, why in found.left_out.items():
        tell(f"left out  {name}: {why}; name it with --methods to compare it")
    if found.floor_said:
        tell(f"floor     {found.floor_said}")
    tell(f"advice    {found.recommendation}")
    say(f"keep      {out}: compare.html and results.csv have every figure and must not be published")


def _losses(found: "Comparison") -> Iterator[tuple[str, list[str], list[list[object]]]]:
    """The headline loss of each maker: over each swept number, the others as the recommendation takes them."""
    loss = found.loss or "loss"
    swept = {name: numbers for name, numbers in found.sweeps.items() if len(numbers) > 1}
    for over, numbers in swept.items():
        others = {name: value for name, value in found.at.items() if name != over and name in swept}
        shown = numbers if len(numbers) <= _WIDE else numbers[:: -(-len(numbers) // _WIDE)]
        yield (
            f"{loss} of each maker{_told(others)}",
            ["maker", *(f"{over}={number:g}" for number in shown)],
            [
                [maker, *(_value(found, maker, {**found.at, over: number}, loss) for number in shown)]
                for maker in found.makers
            ],
        )
    if not swept:
        names = [loss, "cpu_seconds"]
        rows = [[maker, *(_value(found, maker, found.at, name) for name in names)] for maker in found.makers]
        yield f"{loss} of each maker", ["maker", loss, "CPU seconds"], rows


def _value(found: "Comparison", maker: str, at: Mapping[str, float], name: str) -> object:
    """A figure of a maker at a point; a dash is a hole."""
    rows = [
        row
        for row in found.rows
        if row["maker"] == maker and all(row[one] == value for one, value in at.items())
    ]
    return float(rows[0][name]) if rows[0].get(name) is not None else "-"


def _told(numbers: Mapping[str, float]) -> str:
    return f" at {', '.join(f'{name}={value:g}' for name, value in numbers.items())}" if numbers else ""
