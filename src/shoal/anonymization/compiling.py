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

__all__ = ["first_run", "is_compiled", "spare_compiling"]


_LIST = Path(str(algorithms.__file__)).with_name("precompile.json")


_SOURCES = _LIST.parents[1]


@contextmanager
def first_run(method: str, progress: Progress) -> Iterator[Progress]:
    """Who hears of the work, and of "compiling, once" whenever a kernel of `method` is not in the cache yet."""
    from shoal.algorithms.precompile import watch_compiling  # numba is heavy, and not every job needs it

    heard: tuple[str, float | None] = ("starting", None)

    def tell(what: str, share: float | None = None) -> None:
        nonlocal heard
        heard = what, share
        progress(what, share)

    with watch_compiling(method, lambda: progress("compiling, once"), lambda: progress(*heard)):
        yield tell


def spare_compiling(*methods: str) -> None:
    """Let this process interpret its kernels where some of `methods` never ran.

    It is for small data: the whole demo takes less time interpreted than compiled for the first time. The answers
    are the same. It must be called before any kernel is imported, and else changes nothing.
    """
    if "numba" in sys.modules or all(map(is_compiled, methods)):
        return
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    warnings.filterwarnings(
        "ignore", "overflow encountered", RuntimeWarning
    )  # hashes wrap around, as compiled ones do


def is_compiled(method: str) -> bool:
    """Whether numba's cache holds every kernel of `method`, of whatever version.

    A yes is kept: looking through the cache takes longer than a small release.
    """
    cache_dir = os.environ.get("NUMBA_CACHE_DIR")
    folders = (Path(cache_dir),) if cache_dir else (_SOURCES, Path.home() / ".cache" / "numba")
    if (method, folders) not in _seen and _has_all_kernels(method, folders):
        _seen.add((method, folders))
    return (method, folders) in _seen


_seen: set[tuple[str, tuple[Path, ...]]] = set()


def _has_all_kernels(method: str, places: tuple[Path, ...]) -> bool:
    kernels = {_kernel_name(path) for folder in places for path in folder.rglob("*.nbi")}
    needed = json.loads(_LIST.read_text(encoding="utf-8"))["methods"][method]
    return all(tuple(f"shoal.{name}".split(".")[-3:]) in kernels for name in needed)


def _kernel_name(index: Path) -> tuple[str, ...]:
    """The folder, module and name of the kernel that a file of numba's cache is for.

    numba keeps it beside the source, or elsewhere in a folder that is named after the source's, with a hash behind it.
    """
    parent = index.parent
    folder = parent.parent.name if parent.name == "__pycache__" else parent.name.rpartition("_")[0]
    return (folder, *index.name.partition("-")[0].split("."))
