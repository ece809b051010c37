"""What `verify` prints of several releases of the same people."""

from typing import TYPE_CHECKING

from shoal.cli.show import print_verdict, tell

if TYPE_CHECKING:
    from shoal.publish.several.earlier import Several

__all__ = ["print_several"]

_FIGURES = {
    "people": "people are in any of the releases",
    "few": "of them share all their classes with fewer people, or fewer sensitive values, than promised",
    "alone": "of them share all their classes with nobody",
    "smallest": "people are in the smallest of these joint classes",
    "missing": "people are in some of the releases and missing from others, which shows by comparing them",
    "changed": "people are in classes that do not hold the same sensitive values in all releases (m-invariance)",
    "told": "people have a sensitive value that all their classes together tell, though no single release does",
}


def print_several(found: "Several") -> None:
    """Say what was found of each release by itself, then of all together."""
    for name, said in zip(found.names, found.alone, strict=True):
        tell(f"release   {name}: {said.word}: {said.sentence}")
    for name, figure in found.figures.items():
        tell(f"{name:<9} {figure:,} {_FIGURES[name]}")
    print_verdict(found.verdict)
