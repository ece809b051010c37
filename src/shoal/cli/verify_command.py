"""`shoal verify`: whether a release keeps what it claims, or several of the same people do together."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.cli.options import FILE, as_json, ask_for_url, key
from shoal.cli.show import print_claim, print_escaped, print_json, print_verdict, say_undecided

if TYPE_CHECKING:
    from shoal.anonymization.several.judging import JointJudgement

__all__ = ["verify"]

_FIGURES = {
    "people": "people are in at least one of the releases",
    "few": "of them share all their classes with fewer people, or fewer sensitive values, than promised",
    "alone": "of them share all their classes with nobody",
    "smallest": "people are in the smallest of these joint classes",
    "missing": "people are in some of the releases and missing from others, which shows by comparing them",
    "changed": "people are in classes that do not hold the same sensitive values in all releases (m-invariance)",
    "told": "people have a sensitive value that all their classes together reveal, though no single release does",
}


@click.command()
@click.argument("release", type=FILE, nargs=-1, required=True)
@click.option(
    "--config",
    type=FILE,
    multiple=True,
    help="Compare the release with this configuration, and read labels with its hierarchies.",
)
@click.option(
    "--against",
    metavar="ORIGINAL|URL",
    multiple=True,
    help="Also compare the release with the originals: a file, a folder, or a database's URL.",
)
@click.option(
    "--invariant",
    is_flag=True,
    help="Judge whether several releases of tables are m-invariant, for anyone who does not know which row is whose.",
)
@key
@as_json
@click.pass_context
def verify(
    ctx: click.Context,
    release: tuple[Path, ...],
    config: tuple[Path, ...],
    against: tuple[str, ...],
    invariant: bool,
    as_json: bool,
) -> None:
    """Judge whether a RELEASE folder keeps what it claims, or several of the same people do together.

    Several need --against, and --config where it is not shoal.toml, once for all or once for each
    in the same order. Exit code 1 when a claim is not kept or a folder was tampered with, 5 when
    that cannot be judged from what is given.
    """
    from shoal.io.config import load
    from shoal.publish.verify import verify as judge

    for original in against:
        ask_for_url(original)
    default_config = Path("shoal.toml")
    if len(release) > 1 and against and not config and default_config.is_file():
        config = (default_config,)
    configs = [load(path) for path in config]
    say_undecided([name for configuration in configs for name in configuration.undecided], as_json)
    if len(release) > 1:
        from shoal.anonymization.several.joint_judges import invariance_of
        from shoal.anonymization.several.judging import verify_several

        judge_together = invariance_of if invariant else None
        result = verify_several(release, configs=configs, against=against, together=judge_together)
        verdict = result.verdict
        if as_json:
            print_json(result.as_dict())
        else:
            _print_several(result)
    elif invariant:
        raise click.UsageError(
            "m-invariance is about several releases; give more than one, or leave out --invariant"
        )
    else:
        if len(config) > 1 or len(against) > 1:
            raise click.UsageError("one release has one --config and one --against; give each once")
        claim, verdict = judge(
            release[0], config=next(iter(configs), None), against=next(iter(against), None)
        )
        if as_json:
            print_json({"claim": claim, **verdict.as_dict()})
        else:
            print_claim(claim)
            print_verdict(verdict)
    ctx.exit(verdict.exit_code)


def _print_several(found: "JointJudgement") -> None:
    """Say what was found of each release by itself, then of all together."""
    for name, verdict in zip(found.names, found.alone, strict=True):
        print_escaped(f"release   {name}: {verdict.word}: {verdict.sentence}")
    for name, figure in found.figures.items():
        print_escaped(f"{name:<9} {figure:,} {_FIGURES[name]}")
    print_verdict(found.verdict)
