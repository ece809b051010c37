"""Points measured in processes of their own, each the one worker of an executor, so that it can be ended alone.

A worker is a Python that is started anew: a notebook or a script needs no guard around its calls, nothing of this
process is copied into it, and Ctrl-C reaches this process alone. It ends when this process does, however that ends.
"""

import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from queue import SimpleQueue
from types import ModuleType
from typing import Any

from shoal.base.errors import ShoalWarning
from shoal.base.stopping import cleanup_on_stop, end_process
from shoal.comparison.measures import Originals, Point, make_hole, measure_point
from shoal.engines import cores

__all__ = ["measure_points"]

_starting = threading.Lock()


def measure_points(
    originals: Originals,
    points: Sequence[Point],
    *,
    jobs: int,
    seconds: float | None = None,
    give_up: bool = False,
) -> Generator[dict[str, Any]]:
    """The rows of the points as they come, `jobs` at a time; a point that takes longer than `seconds` is a hole.

    With `give_up`, a method that took too long at one point is not asked for others.
    """
    jobs = max(1, min(jobs, len(points)))
    # of pickle's protocol 5, arrays that nobody may write to come back so: kernels are compiled for either
    data, slow_methods, free_slots = pickle.dumps(originals, protocol=5), set[str](), SimpleQueue[_Slot]()
    slots = [_Slot(data, seconds, max(1, cores() // jobs)) for _ in range(jobs)]
    for slot in slots:
        free_slots.put(slot)

    def measure(point: Point) -> dict[str, Any]:
        if give_up and point.method in slow_methods:
            return make_hole(point, "too long", "it was not tried, because it took too long at another point")
        slot = free_slots.get()
        try:
            row = slot.measure(point)
        finally:
            free_slots.put(slot)
        if row["status"] == "too long":
            slow_methods.add(point.method)
        return row

    def kill_workers() -> None:
        for slot in slots:
            slot.close()

    threads = ThreadPoolExecutor(jobs)
    with cleanup_on_stop(kill_workers):
        try:
            for row in as_completed([threads.submit(measure, point) for point in points]):
                yield row.result()
        finally:
            kill_workers()
            threads.shutdown(cancel_futures=True)


class _Slot:
    """One place in the pool: a worker, and another in its stead where it ended."""

    def __init__(self, data: bytes, seconds: float | None, threads: int) -> None:
        self._data, self._seconds, self._threads = data, seconds, threads
        self._worker: _Worker | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def measure(self, point: Point) -> dict[str, Any]:
        """The row of one point; a hole where the worker ends before it answers, or takes too long."""
        worker = self._open_worker()
        if worker is None:
            return make_hole(point, "ended", "the comparison ended before it was made")
        try:
            worker.submit(compile_method, point.method).result()  # compiling is no part of a method's time
            row: dict[str, Any] = worker.submit(measure_in_worker, point).result(self._seconds)
            return row
        except TimeoutError:
            self._drop(worker)
            message = f"it took longer than {self._seconds:g} s; give it more with --seconds"
            return make_hole(point, "too long", message)
        except BrokenExecutor:
            code = self._drop(worker)
            why = "perhaps for want of memory" if code == -9 else "please report it"
            return make_hole(point, "ended", f"the process that made it ended with code {code}, {why}")
        except Exception as error:  # a worker that cannot load the data, or compile
            self._drop(worker)
            message = f"the process that made it ended with {type(error).__name__}, please report it"
            return make_hole(point, "ended", message)

    def _open_worker(self) -> "_Worker | None":
        """The worker, started where there is none; None after the end."""
        with self._lock:
            if self._worker is None and not self._is_closed:
                self._worker = _Worker(self._data, self._threads)
            return self._worker

    def _drop(self, worker: "_Worker") -> int | None:
        """End a worker, so that the next point has a new one; give its exit code."""
        with self._lock:
            if self._worker is worker:
                self._worker = None
        return worker.end()

    def close(self) -> None:
        """End the worker at once; no other takes its place."""
        with self._lock:
            self._is_closed = True
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()


class _Worker:
    """A process with the originals, and the executor that hands it one call after the other."""

    def __init__(self, data: bytes, threads: int) -> None:
        self._context = _WorkerContext(threads)
        self._executor = ProcessPoolExecutor(1, mp_context=self._context, initializer=prepare_worker)
        self._loading = self._executor.submit(load_originals, data)
        self._ending = threading.Lock()

    def submit(self, function: Any, argument: object) -> "Future[Any]":
        """Hand the process a call, once it has the originals."""
        self._loading.result()
        return self._executor.submit(function, argument)

    def end(self) -> int | None:
        """End the process and its children at once, if they have not ended; give its exit code.

        The executor's semaphores are gone when this returns; else one that is interrupted would be told to leak them.
        """
        process = self._context.process
        with self._ending:
            if process is not None and process.is_alive():
                with suppress(AttributeError, ProcessLookupError, PermissionError):  # it leads no group yet
                    os.killpg(process.pid or 0, signal.SIGKILL)
                process.kill()
            self._executor.shutdown(cancel_futures=True)
        return None if process is None else process.exitcode


class _WorkerContext(SpawnContext):
    """Starts the process of one worker, in which polars has so many threads, and remembers it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.process: SpawnProcess | None = None

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """Make the process, as executors ask for it."""
        self.process = _WorkerProcess(*arguments, **options)
        self.process.threads = self.threads
        return self.process


class _WorkerProcess(SpawnProcess):
    """A process that does not import the caller's script, and to which Ctrl-C says nothing."""

    threads = 1

    def start(self) -> None:
        """Start the process; what is changed meanwhile it inherits."""
        with _starting, _hide_script(), _block_interrupts(), _limit_polars(self.threads):
            super().start()


@contextmanager
def _hide_script() -> Generator[None]:
    """Let a process be started as if there were no script: it would import it, and run what no guard protects."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _block_interrupts() -> Generator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextmanager
def _limit_polars(threads: int) -> Generator[None]:
    """Let a process that is started have so many threads of polars, which are counted when it is imported."""
    name = "POLARS_MAX_THREADS"
    stated = os.environ.get(name)
    os.environ[name] = str(threads)
    try:
        yield
    finally:
        if stated is None:
            del os.environ[name]
        else:
            os.environ[name] = stated


# What a worker is asked to do.

_worker_originals: Originals | None = None
_compiled_methods: set[str] = set()


def prepare_worker() -> None:
    """Make a worker quiet, the leader of its children, and as short-lived as the process that started it."""
    if hasattr(os, "setsid"):
        os.setsid()
    null_device = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null_device, stream)
    warnings.simplefilter("ignore", ShoalWarning)  # they were told when the data was read
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        end_process(0)


def load_originals(data: bytes) -> None:
    """Keep the originals for all points."""
    global _worker_originals
    _worker_originals = pickle.loads(data)


def compile_method(method: str) -> None:
    """Compile the kernels of a method, or load them."""
    if method not in _compiled_methods:
        from shoal.algorithms.precompile import compile_listed

        compile_listed(method)
        _compiled_methods.add(method)


def measure_in_worker(point: Point) -> dict[str, Any]:
    """The row of one point."""
    assert _worker_originals is not None
    return measure_point(_worker_originals, point)
