"""The command line: a command parses, calls one function, prints.

Heavy modules are imported inside the commands, so that `shoal --help` answers at once.
"""

from importlib import import_module

import click

from shoal import __version__
from shoal.cli.key_command import key
from shoal.cli.methods_command import methods
from shoal.cli.run_command import demo
from shoal.cli.sentences import OneSentence
from shoal.cli.serve_command import serve
from shoal.publish.options import JOBS

__all__ = ["shoal"]


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
