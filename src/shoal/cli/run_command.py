"""`shoal run`, which makes a release, and `shoal demo`, which shows some."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.base.errors import extra_named
from shoal.cli.options import (
    FILE,
    as_json,
    as_proposed,
    ask_for_config,
    config_argument,
    described,
    force,
    given,
    job_options,
    key,
    out,
    pdf,
    preview,
)
from shoal.cli.show import (
    listening,
    print_json,
    print_line,
    print_preview,
    print_saved,
    printable,
    say_undecided,
)
from shoal.jobs.options import group_stated

if TYPE_CHECKING:
    from shoal.report.facts import Audit

__all__ = ["demo", "run"]


@click.command()
@click.option(
    "--out", type=FILE, default=Path("shoal-demo"), show_default=True, help="A new folder to work in."
)
@force("an existing release")
def demo(out: Path, force: bool) -> None:
    """Show all four shapes of data on invented people: make releases, judge them, write reports."""
    from shoal.jobs.demo import demonstrate

    with listening() as progress:
        for line in demonstrate(out, force=force, progress=progress):
            progress.rest()
            print_line(line)


@click.command()
@config_argument
@out
@force("an existing release")
@job_options("run", without=("seed",))
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help=f"Where a table is counted and written; spark needs the extra {extra_named('spark')} and Java.",
)
@click.option(
    "--earlier",
    type=FILE,
    multiple=True,
    metavar="RELEASE",
    help="An earlier release of the same people; together all must keep their claims; may be given several times.",
)
@click.option(
    "--earlier-config",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="The configuration of each --earlier, in the same order; a table is then made m-invariant.",
)
@click.option(
    "--invariant",
    is_flag=True,
    help="Make a table that later releases can follow: every class holds l or more sensitive values, equally often.",
)
@as_proposed
@pdf
@preview
@job_options("run", "seed")
@key
@as_json
def run(
    config: Path,
    out: Path,
    force: bool,
    engine: str,
    earlier: tuple[Path, ...],
    earlier_config: tuple[Path, ...],
    invariant: bool,
    as_proposed: bool,
    pdf: bool,
    preview: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Make the release that CONFIG describes, judge it as written, and write a report."""
    from shoal.jobs.configured import preview_config, run_config

    ask_for_config(config)
    found = described(config)
    if found is not None and preview:
        say_undecided(list(found.undecided), as_json)
    options = group_stated(given("run", values))
    if preview and engine != "local":
        raise click.UsageError("a preview is made in memory; leave out --engine or --preview")
    if preview and (earlier or earlier_config or invariant):
        raise click.UsageError(
            "a preview looks at no earlier release; leave out --earlier, --invariant or --preview"
        )
    if preview:
        with listening() as progress:
            seen = preview_config(config, progress=progress, **options)
        print_preview(seen, as_json)
        return
    kept: list[Audit] = []
    with listening() as progress:
        release = run_config(
            config,
            out,
            force=force,
            engine=engine,
            earlier=earlier,
            earlier_configs=earlier_config,
            invariant=invariant,
            as_proposed=as_proposed,
            pdf=pdf,
            progress=progress,
            audited=kept.append,
            **options,
        )
    if as_json:
        print_json(json.loads((out / "manifest.json").read_text(encoding="utf-8")))
    else:
        print_saved(release, out, config)
        if release.beside is not None:
            print_line(f"together  {release.together(release.frame).sentence}")
    for line in (line for audit in kept for line in audit.warnings):
        click.echo(printable(f"warning: {line}"), err=True) if as_json else print_line(
            f"warning   {printable(line)}"
        )
