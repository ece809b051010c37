"""The command line: a command parses, calls one function, prints.

Heavy modules are imported inside the commands, so that `shoal --help` answers at once.
"""

import click

from shoal import __version__
from shoal.cli.attack_command import attack
from shoal.cli.compare_command import compare
from shoal.cli.hierarchy_command import hierarchy
from shoal.cli.init_command import init
from shoal.cli.methods_command import methods
from shoal.cli.pareto_command import pareto
from shoal.cli.risk_command import risk
from shoal.cli.run_command import demo, run
from shoal.cli.sentences import OneSentence
from shoal.cli.serve_command import serve
from shoal.cli.verify_command import verify

__all__ = ["shoal"]


@click.group(cls=OneSentence, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shoal")
def shoal() -> None:
    """Publish data about people so that every person looks like at least k-1 others.

    Start with `shoal demo`, or with `shoal init FILE` on data of your own. Exit codes: 0 done, 1
    the judge says no, 2 wrong input, 3 not possible, 4 refused, 5 not to be judged from what is
    given, 70 a crash to report, 130 and 143 interrupted.
    """


for command in (demo, init, risk, run, pareto, compare, verify, attack, hierarchy, serve, methods):
    shoal.add_command(command)
