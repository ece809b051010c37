"""`shoal key`: make a key."""

from pathlib import Path

import click

from shoal.cli.options import FILE
from shoal.cli.show import printable, say

__all__ = ["key"]


@click.command()
@click.argument("file", type=FILE)
def key(file: Path) -> None:
    """Make a key for pseudonyms and shifted dates, in a new FILE that only you may read.

    Whoever has it can make everybody's pseudonym again: keep it apart from the data, and delete it
    when nobody needs that any more.
    """
    from shoal.io.keys import make_key

    make_key(file)
    say(printable(f"key       {file}: keep it apart from data and releases; give it with --key"))
