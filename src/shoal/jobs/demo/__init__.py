"""The demo: invented people of every shape, anonymized, judged and reported on, two shapes at a time."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from shoal.base import errors
from shoal.base.progress import Progress, no_progress
from shoal.base.stopping import (
    cleanup_on_stop,
    end_with_input,
    install_signal_handlers,
    remove_tree,
    signals_deferred,
)
from shoal.io.write.folders import refuse_existing

__all__ = ["demonstrate", "tell"]

_METHODS = {
    "table": ("pareto", "optimal", "boxes"),
    "baskets": ("apriori", "nonreciprocal"),
    "mixed": ("bound",),
    "trees": ("gcs",),
}
"""The shapes, and by what each is released."""
_PATIENCE = 5.0  # seconds for a process to clear away what it was writing


def demonstrate(folder: Path, *, force: bool = False, progress: Progress = no_progress) -> Iterator[str]:
    """Run the demo in a new `folder`, a room for each shape; yield the lines to print."""
    _check_folder(folder, force)
    rooms = [folder / shape for shape in _METHODS]
    running: list[Any] = []
    with (
        nullcontext() if folder.exists() else cleanup_on_stop(lambda: remove_tree(folder)),
        cleanup_on_stop(lambda: _stop(running)),
        ThreadPoolExecutor(2) as pool,
    ):
        for room in rooms:
            room.mkdir(parents=True, exist_ok=True)
        futures = [pool.submit(_show_in_process, room, running) for room in rooms]
        try:
            for done, room in enumerate(rooms):
                progress(f"{room.name}: making and judging releases", done / len(rooms))
                yield from futures[done].result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _stop(running)
            raise


def _check_folder(folder: Path, force: bool) -> None:
    refuse_existing(folder, force)
    if not folder.parent.is_dir():
        raise errors.InputError(f"{folder.parent}: not a directory; create it or choose another place")
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir() or {path.name for path in folder.iterdir()} - {*_METHODS}:
        raise errors.InputError(f"{folder}: not a demo, so it is not replaced; choose another place")


def _show_in_process(room: Path, running: list[Any]) -> list[str]:
    """What the demo of one shape says, from a process of its own that ends when this one does."""
    with signals_deferred:
        process: Any = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import tell; tell({str(room)!r})"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("SHOAL_DEBUG") else subprocess.DEVNULL,
            encoding="utf-8",
            start_new_session=True,
        )
        running.append(process)
    with process:
        output = process.stdout.read()
    if process.returncode or not output:
        raise RuntimeError(f"the demo of {room.name} ended with {process.returncode}")
    facts = json.loads(output)
    if "fault" in facts:
        raise getattr(errors, facts["kind"])(facts["fault"])
    lines: list[str] = facts["lines"]
    return lines


def _stop(running: list[Any]) -> None:
    """End the processes that still run, and wait until they have cleared away what they were writing."""
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()


def tell(room: str) -> None:
    """Print what the demo of one shape says, or its fault, as JSON: what a process of its own does."""
    install_signal_handlers()
    end_with_input()
    from shoal.anonymization.compiling import spare_compiling

    spare_compiling(*_METHODS[Path(room).name])
    try:
        facts: dict[str, Any] = {"lines": _show_room(Path(room))}
    except errors.ShoalError as error:
        facts = {"fault": str(error), "kind": type(error).__name__}
    sys.stdout.buffer.write(json.dumps(facts).encode())


def _show_room(room: Path) -> list[str]:
    """What the demo of the shape for which `room` is named says; in a process that has imported no kernel yet."""
    from shoal.jobs.demo.releases import show_baskets, show_mixed, show_table, show_trees

    show = {"table": show_table, "baskets": show_baskets, "mixed": show_mixed, "trees": show_trees}
    return list(show[room.name](room, no_progress))
