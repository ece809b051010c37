"""numba's private parts: which of its names are used, what that saves, and whether this numba has them.

Nothing here changes a result. A part whose names are missing, or have other parameters, is left out, and kernels are
plain `numba.njit(cache=True)`: the first run is slower. What saves less than a tenth of the first run does not stand
here. Parts are measured as the CPU seconds of `shoal run` with no compiled kernel, mstk on 60 rows of the demo's table.

Measured and left out: one compilation of an inner kernel for constants and variables alike (first runs of kmember,
mstk and boxes take 61 and 56 s with it, 66 and 53 s without; compiling what mstk, apriori and rfirst need takes 25, 17
and 48 s with it, 31, 18 and 52 s without), making machine code of inner kernels only where they are called (18 to 22 s
without it, 20 to 21 s with it), no wrappers for calls from Python and C (21 to 22 s without), and loading kernels
without the tables of the compiler (nothing of a first run, 0.2 of 3.1 s of a later one).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

from shoal.base.stopping import signals_deferred

__all__ = ["PARTS", "has_name", "has_names", "listen_to_compiler", "save_whole"]


class PrivateUse(NamedTuple):
    """A use of private names.

    saves : what the first run takes with it and without
    names : `module:name(parameters)`; the module `kernel` is what `numba.njit` returns
    """

    saves: str
    names: tuple[str, ...]


PARTS = {
    "listener": PrivateUse(
        saves="two thirds of the wait: 6 and 7 s in the run's own process, 19 s where no other process compiles ahead",
        names=("numba.core.event:Listener", "numba.core.event:install_listener(kind, listener)"),
    ),
    "whole files": PrivateUse(
        saves="no time: a run that is stopped while it saves a kernel leaves no half-written file in the cache",
        names=("kernel:_cache.save_overload(sig, data)",),
    ),
}


def has_names(part: str, kernel: Any = None) -> bool:
    """Whether numba, and `kernel`, have all names of a part of `PARTS`."""
    return all(has_name(name, kernel) for name in PARTS[part].names)


def has_name(name: str, kernel: Any = None) -> bool:
    """Whether a name as `PrivateUse` lists it is there, with these parameters."""
    path, _, parameters = name.partition("(")
    module, _, attributes = path.partition(":")
    try:
        thing: Any = kernel if module == "kernel" else import_module(module)
        for attribute in attributes.split("."):
            thing = getattr(thing, attribute)
        return not parameters or ", ".join(signature(thing).parameters) == parameters.rstrip(")")
    except (ImportError, AttributeError, TypeError, ValueError):
        return False


def save_whole(kernel: Any) -> None:
    """Let nobody who is told to stop leave half a file in the cache."""
    if not has_names("whole files", kernel):
        return
    cache = kernel._cache
    save = cache.save_overload

    def save_undisturbed(sig: Any, data: Any) -> None:
        with signals_deferred:
            save(sig, data)

    cache.save_overload = save_undisturbed


@contextmanager
def listen_to_compiler(begin: Callable[[Any], None], end: Callable[[], None]) -> Iterator[None]:
    """Call `begin` with each kernel that numba begins to compile, and `end` when it has; without the names, neither."""
    if not has_names("listener"):
        yield
        return
    event: Any = import_module("numba.core.event")

    class CompileListener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            begin(event.data["dispatcher"])

        def on_end(self, event: Any) -> None:
            end()

    with event.install_listener("numba:compile", CompileListener()):
        yield
