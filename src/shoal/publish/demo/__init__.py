"""The demo: invented people of every shape, anonymized, judged and reported on, two shapes at a time."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from shoal.io.folders import refuse_existing
from shoal.progress import Progress, silent
from shoal.publish.first_run import spare_compiling

__all__ = ["demonstrate"]

_SHAPES = ("table", "baskets", "mixed", "trees")
_MAKERS = ("optimal", "mstk", "apriori", "nonreciprocal", "bound", "gcs")


def demonstrate(folder: Path, *, force: bool = False, progress: Progress = silent) -> Iterator[str]:
    """Run the demo in a new `folder`, a room for each shape; yield the lines to print."""
    refuse_existing(folder, force)
    rooms = [folder / shape for shape in _SHAPES]
    for room in rooms:
        room.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(
        2, mp_context=get_context("spawn"), initializer=spare_compiling, initargs=_MAKERS
    ) as pool:
        shown = [pool.submit(_shown, room) for room in rooms]
        for done, room in enumerate(rooms):
            progress(f"{room.name}: making and judging releases", done / len(rooms))
            yield from shown[done].result()


def _shown(room: Path) -> list[str]:
    """What the demo of the shape for which `room` is named says; in a process that has imported no kernel yet."""
    from shoal.publish.demo.baskets import show_baskets
    from shoal.publish.demo.mixed import show_mixed
    from shoal.publish.demo.table import show_table
    from shoal.publish.demo.trees import show_trees

    show = {"table": show_table, "baskets": show_baskets, "mixed": show_mixed, "trees": show_trees}
    return list(show[room.name](room, silent))
