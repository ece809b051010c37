"""`shoal hierarchy rename`, `move`, `group`, `ungroup`, `add-level` and `remove-level`: edit a hierarchy file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.cli.show import tell
from shoal.stopping import in_one_piece

if TYPE_CHECKING:
    from shoal.hierarchy.edit import Editable

__all__ = ["EDITS"]

_file = click.argument("file", type=click.Path(path_type=Path))
_labels = click.argument("labels", metavar="LABEL...", nargs=-1, required=True)
_out = click.option("--out", type=click.Path(path_type=Path), help="Write to this file; FILE stays as it is.")


@click.command()
@_file
@click.argument("old")
@click.argument("new")
@_out
def rename(file: Path, old: str, new: str, out: Path | None) -> None:
    """Call the group OLD of a hierarchy FILE by another name, NEW."""
    _edit(file, out, lambda tree: tree.renamed(tree.find(old), new))


@click.command()
@_file
@_labels
@click.option("--under", metavar="LABEL", required=True, help="The group, on a higher level, to put them in.")
@_out
def move(file: Path, labels: tuple[str, ...], under: str, out: Path | None) -> None:
    """Put values or groups of a hierarchy FILE, with all that is in them, under another group."""
    _edit(file, out, lambda tree: tree.moved(list(map(tree.find, labels)), tree.find(under)))


@click.command()
@_file
@_labels
@click.option("--as", "name", metavar="NEW", required=True, help="The new group's name.")
@_out
def group(file: Path, labels: tuple[str, ...], name: str, out: Path | None) -> None:
    """Put values or groups of a hierarchy FILE under a new group; a level is added where none is free."""
    _edit(file, out, lambda tree: tree.grouped(list(map(tree.find, labels)), name))


@click.command()
@_file
@_labels
@_out
def ungroup(file: Path, labels: tuple[str, ...], out: Path | None) -> None:
    """Take groups out of a hierarchy FILE; what is in them stands where they stood."""
    _edit(file, out, lambda tree: tree.ungrouped(list(map(tree.find, labels))))


@click.command("add-level")
@_file
@click.option("--above", type=int, default=0, show_default=True, help="The level below it; 0 are the values.")
@_out
def add_level(file: Path, above: int, out: Path | None) -> None:
    """Add a level to a hierarchy FILE, on which each node stands as it is until you group some."""
    _edit(file, out, lambda tree: tree.with_level(above))


@click.command("remove-level")
@_file
@click.argument("level", type=int)
@_out
def remove_level(file: Path, level: int, out: Path | None) -> None:
    """Take a LEVEL out of a hierarchy FILE; groups that stand on it alone are gone."""
    _edit(file, out, lambda tree: tree.without_level(level))


EDITS = (rename, move, group, ungroup, add_level, remove_level)
"""Every command that edits a file."""


def _edit(file: Path, out: Path | None, act: "Callable[[Editable], Editable]") -> None:
    from shoal.errors import InputError
    from shoal.hierarchy import files
    from shoal.hierarchy.edit import Editable

    if out is not None and out.exists():
        raise InputError(f"{out.name}: exists already; choose another --out, or leave it out to change FILE")
    tree = act(Editable.of(files.read(file)))
    target = file if out is None else out
    with in_one_piece(target, private=False) as part:
        files.write(tree.hierarchy(), part)
    tell(f"{target.name}: {tree.size:,} leaves, height {tree.height}")
