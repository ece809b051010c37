"""`shoal init`, from unknown data to a configuration, and `shoal key`."""

from pathlib import Path
from typing import Any

import click

from shoal.cli.options import FILE, ask_for_url, collect_options, force, job_options
from shoal.cli.show import escape_controls, print_json, print_line, print_sample, progress_listener

__all__ = ["init", "key"]


@click.command()
@click.argument("file", type=FILE)
def key(file: Path) -> None:
    """Make a key for pseudonyms and shifted dates, in a new FILE that only you may read.

    Whoever has it can make everybody's pseudonym again: keep it apart from the data, and delete it
    when nobody needs that any more.
    """
    from shoal.io.keys import make_key

    make_key(file)
    print_line(escape_controls(f"key       {file}: keep it apart from data and releases; give it with --key"))


@click.command()
@click.argument("data", metavar="FILE|FOLDER|URL")
@force("shoal.toml, and the files of hierarchies/ that have the same names")
@job_options("propose")
@click.option(
    "--tables",
    is_flag=True,
    help="Propose groups that do not overlap, so that people can be counted by them.",
)
@click.option("--show-values", is_flag=True, help="Print the first records as they are, before the proposal.")
@click.option("--json", "as_json", is_flag=True, help="Also print what was found as JSON.")
def init(
    data: str,
    force: bool,
    tables: bool,
    show_values: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Look at data nobody has described yet, and write shoal.toml and hierarchies/ here.

    Proposes for every column what it is and how it can be made coarser, each with its reason. Look
    at the file before you publish anything; where a column needs a decision, run waits for it.
    """
    from shoal.proposal.look import sample_records
    from shoal.proposal.proposal import check_free, summarize_proposal
    from shoal.proposal.propose import propose

    folder = Path()
    check_free(folder, force)
    ask_for_url(data)
    sample = sample_records(data) if show_values else None
    if sample is not None and not as_json:
        print_sample(sample)
    with progress_listener() as progress:
        proposal = propose(data, progress=progress, **collect_options("propose", values))
        if tables and proposal.shape != "table":
            raise click.UsageError(
                "--tables asks for groups of a table's columns; leave it out for other data"
            )
        proposal.tables = tables
        proposal.save(folder, force=force)
    if as_json:
        print_json(proposal.as_dict() | ({} if sample is None else {"sample": sample.as_dict()}))
        return
    for line in summarize_proposal(proposal):
        print_line(escape_controls(line))
