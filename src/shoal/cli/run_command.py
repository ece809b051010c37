"""The jobs: demo, run, pareto, verify."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shoal.cli.options import ask_for_config, ask_for_url, check_page
from shoal.cli.show import (
    listening,
    print_claim,
    print_json,
    print_preview,
    print_release,
    print_table,
    print_verdict,
    say,
    tell,
)
from shoal.errors import extra_named
from shoal.stopping import in_one_piece

if TYPE_CHECKING:
    from shoal.io.config import Config
    from shoal.publish.release import Release
    from shoal.publish.several.earlier import Several
    from shoal.release import Verdict

__all__ = ["demo", "pareto", "print_several", "run", "verify"]

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(path_type=Path)
_config = click.argument("config", type=_FILE, default=Path("shoal.toml"))
_out = click.option(
    "--out",
    type=_FILE,
    default=Path("release"),
    show_default=True,
    help="The folder to write the release to.",
)
_force = click.option("--force", is_flag=True, help="Replace an existing release.")
_preview = click.option(
    "--preview",
    is_flag=True,
    help="Show some records before and after, and what is lost; write nothing. It shows originals.",
)
_pdf = click.option(
    "--pdf", is_flag=True, help="Print report and audit as PDF too; needs Chromium or Chrome."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print facts as JSON.")
_seed = click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="For papers and tests only: the release is a rehearsal and must not be published.",
)


@click.command()
@click.option(
    "--out", type=_FILE, default=Path("shoal-demo"), show_default=True, help="A new folder to work in."
)
@_force
def demo(out: Path, force: bool) -> None:
    """Show all four shapes of data on invented people: make releases, judge them, write reports."""
    from shoal.publish.demo import demonstrate

    with listening() as progress:
        for line in demonstrate(out, force=force, progress=progress):
            progress.rest()
            say(line)


@click.command()
@_config
@_out
@_force
@click.option("--k", type=int, help="Take this k instead of the configured one.")
@click.option("--m", type=int, help="Take this m instead of the configured one.")
@click.option("--n", type=int, help="Take this n instead of the configured one.")
@click.option("--l", type=int, help="Take this l instead of the configured one.")
@click.option("--t", type=float, help="Take this t instead of the configured one.")
@click.option("--recoding", type=_FILE, help="Apply the recoding.json of an earlier run to this data.")
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help=f"Where a table is counted and written; spark needs the extra {extra_named('spark')} and Java.",
)
@click.option(
    "--earlier",
    type=_FILE,
    multiple=True,
    metavar="RELEASE",
    help="A release of the same people that is out already; all must keep their claims; may be given several times.",
)
@_pdf
@_preview
@_seed
@_json
def run(
    config: Path,
    out: Path,
    force: bool,
    recoding: Path | None,
    engine: str,
    earlier: tuple[Path, ...],
    pdf: bool,
    preview: bool,
    seed: int | None,
    as_json: bool,
    **numbers: float | None,
) -> None:
    """Make the release that CONFIG describes, judge it as written, and write a report."""
    from shoal.publish.jobs import preview_config, run_config

    ask_for_config(config)
    stated = {key: value for key, value in numbers.items() if value is not None}
    if preview and engine != "local":
        raise click.UsageError("a preview is made in memory; leave out --engine or --preview")
    if preview and earlier:
        raise click.UsageError("a preview looks at no earlier release; leave out --earlier or --preview")
    if preview:
        with listening() as progress:
            found = preview_config(config, stated=stated, recoding=recoding, seed=seed, progress=progress)
        print_preview(found, as_json)
        return
    with listening() as progress:
        release = run_config(
            config,
            out,
            force=force,
            stated=stated,
            recoding=recoding,
            seed=seed,
            engine=engine,
            earlier=earlier,
            pdf=pdf,
            progress=progress,
        )
    if as_json:
        print_json(json.loads((out / "manifest.json").read_text(encoding="utf-8")))
    else:
        _print(release, out, config)
        if earlier:
            say(f"together  {release.together(release.frame).sentence}")


def _print(release: "Release", out: Path, config: Path) -> None:
    from shoal.io.write.folders import private_of

    rows = _originals(config) if (private_of(out) / "rows.parquet").exists() else None
    print_release(release.manifest, release.loss, str(out), str(config), others=release.others, rows=rows)


def _originals(config: Path) -> str:
    """Where the records of a configuration are, as `verify --against` takes it."""
    from os.path import relpath

    from shoal.io.config import load
    from shoal.io.settings import without_password

    data = load(config).data
    return without_password(str(data.url)) if data.path is None else relpath(data.path)


@click.command()
@_config
@_json
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop searching after this many seconds."
)
@click.option(
    "--pick",
    type=float,
    metavar="K|DELTA",
    help="Release the cheapest point that reaches K, or that stays within DELTA.",
)
@click.option(
    "--plot", type=_FILE, metavar="FILE", help="Draw the front in one html file; do not publish it."
)
@_pdf
@_preview
@_out
@_force
@_seed
def pareto(
    config: Path,
    as_json: bool,
    seconds: float | None,
    pick: float | None,
    plot: Path | None,
    pdf: bool,
    preview: bool,
    out: Path,
    force: bool,
    seed: int | None,
) -> None:
    """Show the least loss for every k at once; for a table with baskets, what its two parts lose.

    For a table the configured k is ignored; for a table with baskets, the configured delta.
    """
    from shoal.io.pdf import browser
    from shoal.io.write.folders import check_place
    from shoal.publish.jobs import front_config

    ask_for_config(config)
    if plot is not None:
        check_page(plot, force)
    if preview and pick is None:
        raise click.UsageError("--preview shows one point; say which with --pick")
    if pick is not None and not preview:
        check_place(out, force)
        if pdf:
            browser()
    with listening() as progress:
        front, how = front_config(config, seconds=seconds, progress=progress)
        release = seen = None
        if pick is not None:
            progress("judging")
            release = front.pick(pick, seed=seed)
        if release is not None and preview:
            seen = release.preview()
        elif release is not None:
            release.save(out, **how, pdf=pdf, force=force, progress=progress)
    if plot is not None:
        with in_one_piece(plot) as part:
            front.plot(pick).write_html(part)
    if seen is not None:
        print_preview(seen, as_json)
        return
    if as_json:
        print_json(front.as_dict())
        return
    print_table(*front.shown())
    say(front.said())
    if release is not None:
        _print(release, out, config)


@click.command()
@click.argument("release", type=_FILE, nargs=-1, required=True)
@click.option(
    "--config",
    type=_FILE,
    multiple=True,
    help="Compare the release with this configuration, and read labels with its hierarchies.",
)
@click.option(
    "--against",
    metavar="ORIGINAL|URL",
    multiple=True,
    help="Also compare the release with the originals: a file, a folder, or a database's URL.",
)
@_json
@click.pass_context
def verify(
    ctx: click.Context,
    release: tuple[Path, ...],
    config: tuple[Path, ...],
    against: tuple[str, ...],
    as_json: bool,
) -> None:
    """Judge whether a RELEASE folder keeps what it claims, or several of the same people do together.

    Several need --against, and --config where it is not shoal.toml, once for all or once for each
    in the same order. Exit code 1 when a claim is not kept or a folder was tampered with, 5 when
    that cannot be judged from what is given.
    """
    from shoal.io.config import load
    from shoal.publish.verify import verify as judge

    for original in against:
        ask_for_url(original)
    usual = Path("shoal.toml")
    if len(release) > 1 and against and not config and usual.is_file():
        config = (usual,)
    configs = [load(path) for path in config]
    if len(release) > 1:
        verdict = _verify_several(release, configs, against, as_json)
    else:
        _refuse_repeats(config, against)
        claim, verdict = judge(
            release[0], config=next(iter(configs), None), against=next(iter(against), None)
        )
        if as_json:
            print_json({"claim": claim, **verdict.as_dict()})
        else:
            print_claim(claim)
            print_verdict(verdict)
    ctx.exit(0 if verdict else 1 if verdict.judged else 5)


def _refuse_repeats(*options: tuple[Any, ...]) -> None:
    if any(len(given) > 1 for given in options):
        raise click.UsageError("one release has one --config and one --against; give each once")


def _verify_several(
    releases: tuple[Path, ...], configs: "list[Config]", against: tuple[str, ...], as_json: bool
) -> "Verdict":
    """Judge several releases together, and print what was found."""
    from shoal.publish.several.earlier import verify_several

    found = verify_several(releases, configs=configs, against=against)
    if as_json:
        print_json(found.as_dict())
    else:
        print_several(found)
    return found.verdict


# What `verify` prints of several releases of the same people.

_FIGURES = {
    "people": "people are in any of the releases",
    "few": "of them share all their classes with fewer people, or fewer sensitive values, than promised",
    "alone": "of them share all their classes with nobody",
    "smallest": "people are in the smallest of these joint classes",
    "missing": "people are in some of the releases and missing from others, which shows by comparing them",
    "changed": "people are in classes that do not hold the same sensitive values in all releases (m-invariance)",
    "told": "people have a sensitive value that all their classes together tell, though no single release does",
}


def print_several(found: "Several") -> None:
    """Say what was found of each release by itself, then of all together."""
    for name, said in zip(found.names, found.alone, strict=True):
        tell(f"release   {name}: {said.word}: {said.sentence}")
    for name, figure in found.figures.items():
        tell(f"{name:<9} {figure:,} {_FIGURES[name]}")
    print_verdict(found.verdict)
