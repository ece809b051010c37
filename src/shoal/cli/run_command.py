"""`shoal run`, which makes a release, and `shoal demo`, which shows some."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.base.errors import extra_requirement
from shoal.cli.options import (
    FILE,
    as_json,
    as_proposed,
    collect_options,
    config_argument,
    force,
    job_options,
    key,
    open_config,
    out,
    pdf,
    preview,
)
from shoal.cli.show import (
    escape_controls,
    print_json,
    print_line,
    print_preview,
    print_saved,
    progress_listener,
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

    with progress_listener() as progress:
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
    show_default="[engine] name",
    help=f"What works on large data; spark needs the extra {extra_requirement('spark')} and Java.",
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
@click.option(
    "--tables",
    is_flag=True,
    help="Publish every column in groups that do not overlap, so that people can be counted by them (method "
    "column-cut).",
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
    engine: str | None,
    earlier: tuple[Path, ...],
    earlier_config: tuple[Path, ...],
    invariant: bool,
    tables: bool,
    as_proposed: bool,
    pdf: bool,
    preview: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Make the release that CONFIG describes, judge it as written, and write a report."""
    from shoal.jobs.configured import preview_config, run_config
    from shoal.report.words import accuracy_warnings

    options = group_stated(collect_options("run", values))
    if preview and engine == "spark":
        raise click.UsageError("a preview is made in memory; leave out --engine or --preview")
    if preview and (earlier or earlier_config or invariant):
        raise click.UsageError(
            "a preview looks at no earlier release; leave out --earlier, --invariant or --preview"
        )
    configuration = open_config(config)
    if tables:
        if configuration.shape != "table":
            raise click.UsageError(
                "--tables asks for groups of a table's columns; leave it out for other data"
            )
        configuration = replace(configuration, tables=True)
    if preview:
        say_undecided(list(configuration.undecided), as_json)
        with progress_listener() as progress:
            preview_result = preview_config(configuration, progress=progress, **options)
        print_preview(preview_result, as_json)
        return
    audits: list[Audit] = []
    with progress_listener() as progress:
        release = run_config(
            configuration,
            out,
            force=force,
            engine=engine,
            earlier=earlier,
            earlier_configs=earlier_config,
            invariant=invariant,
            as_proposed=as_proposed,
            pdf=pdf,
            progress=progress,
            audited=audits.append,
            **options,
        )
    if as_json:
        print_json(json.loads((out / "manifest.json").read_text(encoding="utf-8")))
    else:
        print_saved(release, out, config, configuration)
        if release.beside is not None:
            print_line(f"together  {release.judge_with_earlier(release.frame).sentence}")
    if not as_json:
        for line in (line for audit in audits for line in accuracy_warnings(audit.report.accuracy)):
            print_line(f"analyses  {escape_controls(line)}")
    for line in (line for audit in audits for line in audit.warnings):
        click.echo(escape_controls(f"warning: {line}"), err=True) if as_json else print_line(
            f"warning   {escape_controls(line)}"
        )
