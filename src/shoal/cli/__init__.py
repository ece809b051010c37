"""The command line: a command parses, calls one function, prints.

Heavy modules are imported inside the commands, so that `shoal --help` answers at once.
"""

import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from shoal import __version__
from shoal.cli.commands import demo, methods, pareto, run, verify
from shoal.cli.hierarchy_command import hierarchy
from shoal.errors import ShoalError, ShoalWarning

__all__ = ["main", "shoal"]


class _OneSentence(click.Group):
    """Tell what went wrong in one sentence and the exit code, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _notes():
                return super().invoke(ctx)
        except ShoalError as error:
            click.echo(f"shoal: {error}", err=True)
            ctx.exit(error.exit_code)
        except OSError as error:
            click.echo(
                f"shoal: {(error.strerror or 'the system refused').lower()}; nothing was written", err=True
            )
            ctx.exit(2)


@contextmanager
def _notes() -> Iterator[None]:
    """Print what the owner of the data should know as one line on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ShoalWarning)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, ShoalWarning):
                click.echo(f"shoal: note: {message}", err=True)
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield


@click.group(cls=_OneSentence, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shoal")
def shoal() -> None:
    """Publish data about people so that every person looks like at least k-1 others.

    Start with `shoal demo`. Exit codes: 0 done, 1 the judge says no, 2 wrong input, 3 not
    possible, 4 refused.
    """


for command in (demo, run, pareto, verify, hierarchy, methods):
    shoal.add_command(command)


def main() -> None:
    """Run the command line; being told to stop unwinds like an error, so that nothing half-written is left."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    shoal(prog_name="shoal")
