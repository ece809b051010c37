"""From unknown data to a configuration."""

from pathlib import Path
from typing import Any

import click

from shoal.cli.options import ask_for_url
from shoal.cli.show import listening, print_json, print_sample, printable, say
from shoal.errors import InputError

__all__ = ["init"]


@click.command()
@click.argument("data", metavar="FILE|FOLDER|URL")
@click.option(
    "--force",
    is_flag=True,
    help="Replace shoal.toml, and the files of hierarchies/ that have the same names.",
)
@click.option(
    "--mapping",
    "mappings",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A table of values and their groups, such as towns and regions; may be given several times.",
)
@click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="COLUMN=ROLE",
    help="What a column is, where you know it already; may be given several times.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=100),
    default=100_000,
    show_default=True,
    help="How many records to look at where columns are looked at together.",
)
@click.option("--show-values", is_flag=True, help="Print the first records as they are, before the proposal.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON, too.")
def init(
    data: str,
    force: bool,
    mappings: tuple[Path, ...],
    roles: tuple[str, ...],
    sample: int,
    show_values: bool,
    as_json: bool,
) -> None:
    """Look at data nobody has described yet, and write shoal.toml and hierarchies/ here.

    Proposes for every column what it is and how it can be made coarser, each with its reason. The
    file runs as it is; look at it before you publish anything.
    """
    from shoal.publish.study.propose.look import look
    from shoal.publish.study.propose.proposal import check_free, summary
    from shoal.publish.study.propose.propose import propose

    here = Path()
    check_free(here, force)
    ask_for_url(data)
    seen = look(data) if show_values else None
    if seen is not None and not as_json:
        print_sample(seen)
    with listening() as progress:
        proposal = propose(data, mappings=mappings, roles=_stated(roles), sample=sample, progress=progress)
        proposal.save(here, force=force)
    if as_json:
        print_json(proposal.as_dict() | ({} if seen is None else {"sample": seen.as_dict()}))
        return
    for line in summary(proposal):
        say(printable(line))


def _stated(roles: tuple[str, ...]) -> dict[str, Any]:
    """Roles by column; a column's name may hold the sign, a role cannot."""
    said = [text.rpartition("=") for text in roles]
    if not all(sign for _, sign, _ in said):
        raise InputError("--role: write it as COLUMN=ROLE, such as zip=quasi")
    return {column.strip(): role.strip() for column, _, role in said}
