"""The command line: a command parses, calls one function, prints.

Heavy modules are imported inside the commands, so that `shoal --help` answers at once.
"""

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from shoal import __version__
from shoal.base.errors import ShoalWarning, message_and_exit_code
from shoal.base.stopping import signals_deferred
from shoal.cli.init_command import key
from shoal.cli.methods_command import methods
from shoal.cli.run_command import demo
from shoal.cli.serve_command import serve
from shoal.cli.show import OutputError, escape_controls
from shoal.jobs.options import JOBS

__all__ = ["_print_notes", "shoal"]


_CRASH, _NO_OUTPUT, _NOBODY_READS = 70, 74, 141
_CLICK = (click.ClickException, click.exceptions.Exit, click.Abort)
_PASS = (*_CLICK, KeyboardInterrupt, SystemExit, GeneratorExit)
_LEAST = 1536 << 20  # bytes of address space: with less, libraries that find no memory may wait for ever


class OneSentence(click.Group):
    """A group of commands that tell what went wrong in one sentence."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the command line; `--help` prints here."""
        with _report_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _report_errors(), _print_notes():
            if _address_space_limit() < _LEAST:
                raise MemoryError
            return super().invoke(ctx)


def _address_space_limit() -> float:
    """How many bytes of address space somebody lets the program have (`ulimit -v`)."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return float("inf")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit


@contextmanager
def _report_errors() -> Iterator[None]:
    try:
        yield
    except _PASS:
        raise
    except (BrokenPipeError, OutputError) as error:
        _end_output(error)
    except BaseException as error:  # a panic of polars is no Exception
        sentence, code = message_and_exit_code(error)
        if code == _CRASH and not isinstance(error, MemoryError) and os.environ.get("SHOAL_DEBUG"):
            traceback.print_exc()
        _exit_with_sentence(code, sentence)


def _exit_with_sentence(code: int, sentence: str) -> NoReturn:
    with signals_deferred:  # whoever is told to stop, and so fails, says only that
        click.echo(f"shoal: {escape_controls(sentence)}", err=True)
    raise click.exceptions.Exit(code)


def _end_output(error: OSError) -> NoReturn:
    """End where nobody reads what is printed, or where it cannot be written; files that were written stand."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to print goes nowhere
    if error.errno == errno.EPIPE:
        raise click.exceptions.Exit(_NOBODY_READS)
    _exit_with_sentence(
        _NO_OUTPUT, f"standard output cannot be written ({(error.strerror or 'it is closed').lower()})"
    )


@contextmanager
def _print_notes() -> Iterator[None]:
    """Print every `ShoalWarning` as one line; other warnings go where they always do."""
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


@click.group(cls=OneSentence, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shoal")
def shoal() -> None:
    """Publish data about people so that every person looks like at least k-1 others.

    Start with `shoal demo`, or with `shoal init FILE` on data of your own. Exit codes: 0 done, 1
    the judge says no, 2 wrong input, 3 not possible, 4 refused, 5 not to be judged from what is
    given, 70 a crash to report, 130 and 143 interrupted.
    """


_JOBS = dict.fromkeys(kind.command.split()[0] for kind in JOBS.values())  # a job's command is a module
_OF_JOBS = [getattr(import_module(f"shoal.cli.{name}_command"), name) for name in _JOBS]

for command in (demo, *_OF_JOBS, key, serve, methods):
    shoal.add_command(command)
