"""The command line: a command parses, calls one function, prints.

Heavy modules are imported inside the commands, so that `shoal --help` answers at once.
"""

import signal
import sys
from typing import Any

import click

from shoal import __version__
from shoal.cli.commands import demo, methods, pareto, run, verify
from shoal.cli.hierarchy_command import hierarchy
from shoal.cli.notes import notes
from shoal.cli.show import printable
from shoal.errors import ShoalError

__all__ = ["main", "shoal"]


class _OneSentence(click.Group):
    """Tell what went wrong in one sentence and the exit code, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with notes():
                return super().invoke(ctx)
        except ShoalError as error:
            click.echo(f"shoal: {printable(str(error))}", err=True)
            ctx.exit(error.exit_code)
        except OSError as error:
            click.echo(
                f"shoal: {(error.strerror or 'the system refused').lower()}; nothing was written", err=True
            )
            ctx.exit(2)


@click.group(cls=_OneSentence, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shoal")
def shoal() -> None:
    """Publish data about people so that every person looks like at least k-1 others.

    Start with `shoal demo`. Exit codes: 0 done, 1 the judge says no, 2 wrong input, 3 not
    possible, 4 refused, 5 not to be judged from what is given.
    """


for command in (demo, run, pareto, verify, hierarchy, methods):
    shoal.add_command(command)


def main() -> None:
    """Run the command line; being told to stop unwinds like an error, so that nothing half-written is left."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    shoal(prog_name="shoal")
