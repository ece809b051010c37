"""A first run: it says that it compiles and has a second process compile ahead, or, for a demo, does without."""

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal import algorithms
from shoal.base.progress import Progress

__all__ = ["compiled", "first_run", "spare_compiling"]


_LIST = Path(str(algorithms.__file__)).with_name("precompile.json")


_SOURCES = _LIST.parents[1]


@contextmanager
def first_run(method: str, progress: Progress) -> Iterator[Progress]:
    """Who hears of the work, and of "compiling, once" whenever a kernel of `method` is not in the cache yet."""
    from shoal.algorithms.precompile import compiling  # numba is heavy, and not every job needs it

    heard: tuple[str, float | None] = ("starting", None)

    def tell(what: str, share: float | None = None) -> None:
        nonlocal heard
        heard = what, share
        progress(what, share)

    with compiling(method, lambda: progress("compiling, once"), lambda: progress(*heard)):
        yield tell


def spare_compiling(*methods: str) -> None:
    """Let this process interpret its kernels where some of `methods` never ran.

    It is for small data: the whole demo takes less time interpreted than compiled for the first time. The answers
    are the same. It must be called before any kernel is imported, and else changes nothing.
    """
    if "numba" in sys.modules or all(map(compiled, methods)):
        return
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    warnings.filterwarnings(
        "ignore", "overflow encountered", RuntimeWarning
    )  # hashes wrap around, as compiled ones do


def compiled(method: str) -> bool:
    """Whether numba's cache holds every kernel of `method`, of whatever version.

    A yes is kept: looking through the cache takes longer than a small release.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    places = (Path(given),) if given else (_SOURCES, Path.home() / ".cache" / "numba")
    if (method, places) not in _seen and _all_held(method, places):
        _seen.add((method, places))
    return (method, places) in _seen


_seen: set[tuple[str, tuple[Path, ...]]] = set()


def _all_held(method: str, places: tuple[Path, ...]) -> bool:
    held = {_kernel(path) for place in places for path in place.rglob("*.nbi")}
    needed = json.loads(_LIST.read_text(encoding="utf-8"))["methods"][method]
    return all(tuple(f"shoal.{name}".split(".")[-3:]) in held for name in needed)


def _kernel(index: Path) -> tuple[str, ...]:
    """The folder, module and name of the kernel that a file of numba's cache is for.

    numba keeps it beside the source, or elsewhere in a folder that is named after the source's, with a hash behind it.
    """
    place = index.parent
    folder = place.parent.name if place.name == "__pycache__" else place.name.rpartition("_")[0]
    return (folder, *index.name.partition("-")[0].split("."))
