"""`shoal attack`: how likely somebody is found in a release."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from shoal.base.stopping import atomic_write
from shoal.cli.options import FILE, as_json, ask_for_url, check_page, collect_options, force, job_options, key
from shoal.cli.show import escape_controls, print_escaped, print_json, print_line, progress_listener

__all__ = ["attack"]


@click.command()
@click.argument("release", type=FILE)
@job_options("attack", "against")
@click.option(
    "--config",
    type=FILE,
    help="What the columns are; by default the shoal.toml here, or beside the originals.",
)
@job_options("attack", without=("against",))
@click.option(
    "--plot", type=FILE, metavar="FILE", help="Draw the chances in one html file; do not publish it."
)
@force("an existing plot")
@key
@as_json
@click.pass_context
def attack(
    ctx: click.Context,
    /,
    release: Path,
    against: str,
    config: Path | None,
    fail_above: float | None,
    attacker: str | None,
    plot: Path | None,
    force: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Play attackers against a RELEASE folder and show how likely each finds a person or learns a sensitive value.

    Those that the claim covers must stay within its bound; beyond it nothing is promised. Exit code 1
    when they do not, or when --fail-above says so, 5 when no attacker can be tried with what is given.
    """
    from shoal.jobs.attack import attack as play

    if plot is not None:
        check_page(plot, force)
    ask_for_url(against)
    with progress_listener() as progress:
        options = collect_options("attack", values)
        result = play(release, against, config=config, attacker=attacker, progress=progress, **options)
        if plot is not None and result.attackers:
            with atomic_write(plot) as part:
                result.plot().write_html(part)
    above = result.attackers_above(fail_above) if fail_above is not None else ()
    if as_json:
        print_json(result.as_dict())
    else:
        _print_attack(result.as_dict())
        if above:
            print_escaped(f"above     {', '.join(above)}: may be right more often than {fail_above:g}")
        if plot is not None and result.attackers:
            print_line(f"keep      {escape_controls(str(plot))}: it must not be published")
    ctx.exit(result.exit_code(fail_above))


def _print_attack(facts: Mapping[str, Any]) -> None:
    from shoal.report.attack import (
        describe_against_control,
        describe_chances,
        describe_criteria,
        explain_missing_controls,
        summarize_attack,
    )

    print_escaped(f"verdict   {summarize_attack(facts)}")
    for attacker in facts["attackers"]:
        print_line("")
        print_escaped(
            f"{'inside' if attacker['inside'] else 'beyond':<9} {attacker['name']}: "
            f"{describe_chances(attacker)}"
        )
        print_escaped(f"          {attacker['sentence']}")
        if comparison := describe_against_control(attacker):
            print_escaped(f"          {comparison}")
    if facts["attackers"]:
        print_line("")
    for name, sentence in describe_criteria(facts) if facts["attackers"] else ():
        print_escaped(f"criterion {name}: {sentence}")
    if facts["control"]:
        print_escaped(f"control   {facts['control']}")
    for line in explain_missing_controls(facts):
        print_escaped(f"          {line}")
    for line in facts["not_played"]:
        print_escaped(f"cannot    {line}")
