"""Compiling ahead: while a first run compiles what it needs now, a process beside it compiles what it will need.

`precompile.json` lists, as `benchmarks/record_kernels.py` wrote it, what each method calls, the largest first, and the
types of arguments. It only saves time: a run compiles by itself whatever is not in the list, or not begun.

The two tell each other what they begin, a name a line: the run waits for what the helper is at, and the helper leaves
out what the run began. Compiled code goes from one to the other through numba's cache.
"""

import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from numba import types as numba_types

from shoal._kernels import before_compiling, hash_slot
from shoal._numba_internals import listen_to_compiler
from shoal.base.stopping import cleanup_on_stop, end_process

__all__ = ["compile_all", "compile_listed", "keeps", "spell_type", "watch_compiling"]

types: Any = numba_types

_LIST = Path(__file__).with_suffix(".json")
_PACKAGE = "shoal."


@contextmanager
def watch_compiling(method: str, begun: Callable[[], None], done: Callable[[], None]) -> Iterator[None]:
    """Tell when compiling begins and ends, and at the first time have a process compile ahead for `method`.

    Where every kernel is in the cache nothing is told and nothing started.
    """
    watch = _Watch(method, begun, done)
    before_compiling.append(watch.wait)
    with listen_to_compiler(watch.begin, watch.end), cleanup_on_stop(watch.abandon):
        try:
            yield
        finally:
            before_compiling.remove(watch.wait)
            watch.stop()


class _Watch:
    """Hears of every compilation in this process, those that one causes inside another too."""

    active = False

    def __init__(self, method: str, begun: Callable[[], None], done: Callable[[], None]) -> None:
        self.method, self.begun, self.done = method, begun, done
        self.depth = 0
        self.helper: _Helper | None = None

    def begin(self, kernel: Any) -> None:
        self.depth += 1
        if self.depth == 1:
            self.begun()
            if not _Watch.active and _can_help():
                _Watch.active, self.helper = True, _Helper(self.method)
            if self.helper is not None:
                self.helper.leave_out(_kernel_name(kernel))

    def end(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.done()

    def wait(self, kernel: Any) -> None:
        """Let the helper finish `kernel` if it is at it."""
        if self.helper is not None and self.helper.at == _kernel_name(kernel):
            self.begun()
            self.helper.finish(_kernel_name(kernel))
            self.done()

    def stop(self) -> None:
        if self.helper is not None:
            self.helper.stop()
            _Watch.active = False

    def abandon(self) -> None:
        """End a helper that has not begun anything, and so hears of nothing yet; another ends with its input."""
        if self.helper is not None and not self.helper.at:
            self.helper.process.kill()


class _Helper:
    """The process that compiles ahead; its input ends with this process too, however that ends, and then it ends.

    It has a session of its own: whoever interrupts a run in a terminal would else interrupt the compiler as well.
    """

    def __init__(self, method: str) -> None:
        code = f"from {__name__} import compile_all; compile_all({method!r})"
        self.process: Any = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        self.at = ""
        self.left = list(_load_list()["methods"].get(method, []))
        self.turn = threading.Condition()
        self.follower = threading.Thread(target=self._follow, daemon=True)
        self.follower.start()

    def _follow(self) -> None:
        """Hear what the helper is at."""
        for line in chain(self.process.stdout, [""]):
            with self.turn:
                self.at = line.strip()
                self._take(self.at)
                self.turn.notify_all()

    def leave_out(self, name: str) -> None:
        """Tell the helper what it need not compile any more."""
        with self.turn:
            self._take(name)
        with suppress(OSError, ValueError):  # it may have ended
            print(name, file=self.process.stdin, flush=True)

    def finish(self, name: str) -> None:
        """Wait until the helper is not at `name` any more, and meanwhile compile what neither has begun."""
        while self.at == name and self.left:
            pending = self.left[-1]  # the helper takes the next from the other end
            self.leave_out(pending)
            _compile_if_listed(pending)
        with self.turn:
            self.turn.wait_for(lambda: self.at != name)

    def _take(self, name: str) -> None:
        if name in self.left:
            self.left.remove(name)

    def stop(self) -> None:
        """End the helper, and wait until it has."""
        with self.process, suppress(OSError):
            self.process.stdin.close()
            self.follower.join()


def _can_help() -> bool:
    """Whether another process would have a core of its own."""
    return (os.cpu_count() or 1) > 1 and bool(sys.executable)


def _kernel_name(kernel: Any) -> str:
    """A kernel as the list names it: algorithms.local._kernels.spanning_tree.meet."""
    return f"{kernel.py_func.__module__}.{kernel.py_func.__name__}".removeprefix(_PACKAGE)


def compile_all(method: str) -> None:
    """Compile what `method` needs, telling what is begun, until all is done or the input ends."""
    gc.disable()  # compiling makes millions of small things, and the process ends soon
    left_out: set[str] = set()
    threading.Thread(target=_read_left_out, args=[left_out], daemon=True).start()
    for name in _load_list()["methods"].get(method, []):
        if name not in left_out:
            print(name, flush=True)
            _compile_if_listed(name)


def compile_listed(*methods: str, share: int = 0, of: int = 1) -> None:
    """Compile what methods need, or load it from the cache, in this process: a first run is like any other then.

    Of the kernels that are listed, every `of`-th is compiled, beginning with number `share`.
    """
    listed = dict.fromkeys(name for method in methods for name in _load_list()["methods"].get(method, []))
    for name in list(listed)[share::of]:
        _compile_if_listed(name)


def keeps() -> bool:
    """Whether other processes find what this one compiles: not where no folder can be written, or compiling is off."""
    kernel: Any = hash_slot
    stats = getattr(kernel, "stats", None)
    return stats is not None and stats.cache_path is not None


def _read_left_out(left_out: set[str]) -> None:
    """Take note of what need not be compiled; where that ends, end at once, whatever is being compiled."""
    for line in sys.stdin:
        left_out.add(line.strip())
    end_process(0)


@cache
def _load_list() -> Any:
    return json.loads(_LIST.read_text(encoding="utf-8"))


def _compile_if_listed(name: str) -> None:
    """Compile a kernel for the arguments that are listed; an old list is no fault, for a run compiles what it lacks."""
    with suppress(Exception):
        module, _, function = name.rpartition(".")
        kernel = getattr(import_module(_PACKAGE + module), function)
        for signature in _load_list()["kernels"][name]:
            kernel.compile(tuple(_parse_type(spelling, kernel.py_func.__globals__) for spelling in signature))


def spell_type(type: Any) -> Any:
    """A type of numba as JSON: "int64", ["int64", dimensions, layout, read-only], {"Name": [fields]}."""
    if isinstance(type, types.Array):
        return [str(type.dtype), type.ndim, type.layout, not type.mutable]
    if isinstance(type, types.BaseTuple):
        tuple_class = getattr(type, "instance_class", tuple)
        return {tuple_class.__name__: [spell_type(part) for part in type]}
    return str(type)


def _parse_type(said: Any, names: Mapping[str, Any]) -> Any:
    """The type that `spell_type` wrote; `names` knows the classes of named tuples."""
    if isinstance(said, dict):
        (name, parts), *_ = said.items()
        return types.BaseTuple.from_types([_parse_type(part, names) for part in parts], names.get(name))
    if isinstance(said, list):
        dtype, dimensions, layout, readonly = said
        return types.Array(getattr(types, dtype), dimensions, layout, readonly=readonly)
    return getattr(types, said)
