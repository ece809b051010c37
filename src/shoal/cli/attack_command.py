"""`shoal attack`: how likely somebody is found in a release."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from shoal.base.stopping import atomic_write
from shoal.cli.options import FILE, as_json, ask_for_url, check_page, force, given, job_options, key
from shoal.cli.show import listening, print_json, print_line, printable, tell

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
    with listening() as progress:
        asked = given("attack", values)
        found = play(release, against, config=config, attacker=attacker, progress=progress, **asked)
        if plot is not None and found.attackers:
            with atomic_write(plot) as part:
                found.plot().write_html(part)
    above = found.above(fail_above) if fail_above is not None else ()
    if as_json:
        print_json(found.as_dict())
    else:
        _print(found.as_dict())
        if above:
            tell(f"above     {', '.join(above)}: may be right more often than {fail_above:g}")
        if plot is not None and found.attackers:
            print_line(f"keep      {printable(str(plot))}: it must not be published")
    ctx.exit(found.exit_code(fail_above))


def _print(facts: Mapping[str, Any]) -> None:
    from shoal.report.attack import against_control, chances, criteria, no_control, summary

    tell(f"verdict   {summary(facts)}")
    for found in facts["attackers"]:
        print_line("")
        tell(f"{'inside' if found['inside'] else 'beyond':<9} {found['name']}: {chances(found)}")
        tell(f"          {found['sentence']}")
        if beside := against_control(found):
            tell(f"          {beside}")
    if facts["attackers"]:
        print_line("")
    for name, said in criteria(facts) if facts["attackers"] else ():
        tell(f"criterion {name}: {said}")
    if facts["control"]:
        tell(f"control   {facts['control']}")
    for line in no_control(facts):
        tell(f"          {line}")
    for line in facts["not_played"]:
        tell(f"cannot    {line}")
