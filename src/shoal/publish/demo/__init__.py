"""The demo: invented people of every shape, anonymized, judged and reported on."""

from collections.abc import Iterator
from pathlib import Path

from shoal.io.folders import refuse_existing
from shoal.progress import Progress, silent
from shoal.publish.demo.baskets import show_baskets
from shoal.publish.demo.mixed import show_mixed
from shoal.publish.demo.table import show_table
from shoal.publish.demo.trees import show_trees
from shoal.publish.first_run import first_run

__all__ = ["demonstrate"]

_SHAPES = {"table": show_table, "baskets": show_baskets, "mixed": show_mixed, "trees": show_trees}


def demonstrate(folder: Path, *, force: bool = False, progress: Progress = silent) -> Iterator[str]:
    """Run the demo in a new `folder`, a room for each shape; yield the lines to print."""
    refuse_existing(folder, force)
    with first_run("demo", progress) as tell:
        for name, show in _SHAPES.items():
            room = folder / name
            room.mkdir(parents=True, exist_ok=True)
            yield from show(room, tell)
