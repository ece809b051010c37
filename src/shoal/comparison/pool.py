"""A pool of processes that make points; they end with this process, however it ends.

Each is a Python of its own, so that a notebook or a script needs no guard around its calls, nothing of this process is
copied into it, and Ctrl-C reaches this process alone.

The private folder of a comparison holds results as they come, so that an interrupted one goes on where it was:

plan.json     the version and a fingerprint of data and configuration
results.csv   one line per point
compare.html  the page, written at the end
"""

import csv
import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import numpy as np

from shoal import __version__
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.stopping import atomic_write, cleanup_on_stop, end_process, file_lock, signals_deferred
from shoal.comparison.measures import Originals, Point, make_hole, measure_point
from shoal.engines import cores
from shoal.io.read.source import Source
from shoal.io.write.folders import is_ours
from shoal.io.write.table import write_text

__all__ = [
    "PASSING",
    "ComparisonFolder",
    "fingerprint",
    "measure_points",
    "open_folder",
    "read_plan",
    "work",
]


PLAN, RESULTS, PAGE = "plan.json", "results.csv", "compare.html"
_TEXTS = ("maker", "status", "message")


class ComparisonFolder:
    """What is kept of a comparison in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = _read_rows(folder / RESULTS)
        self._header = list(dict.fromkeys(name for row in self.rows for name in row))
        if self.rows:
            self._write_all()  # without the line that a killed run left in half

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a point, a whole line or nothing."""
        self.rows.append(dict(row))
        new = [name for name in row if name not in self._header]
        if new:
            self._header += new
            self._write_all()
            return
        line = _format_csv([[_format_cell(row.get(name)) for name in self._header]])
        with signals_deferred:
            handle = os.open(self.folder / RESULTS, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)

    def _write_all(self) -> None:
        rows = [[_format_cell(row.get(name)) for name in self._header] for row in self.rows]
        with atomic_write(self.folder / RESULTS) as part:
            write_text(part, _format_csv([self._header, *rows]))

    def write_page(self, page: str) -> Path:
        """Write the page, and say where it is."""
        with atomic_write(self.folder / PAGE) as part:
            write_text(part, page)
        return self.folder / PAGE


def read_plan(folder: Path) -> dict[str, Any]:
    """The plan that stands in a folder; empty where there is none.

    Raises
    ------
    InputError
        The folder holds something else.
    """
    if not os.path.lexists(folder):
        return {}
    if not is_ours(folder, PLAN):
        raise InputError(f"{folder}: not a comparison, so it is not replaced; choose another place")
    try:
        plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        plan = None
    stored_plan = plan if isinstance(plan, dict) else {"fingerprint": None}
    return stored_plan if any(folder.iterdir()) else {}


@contextmanager
def open_folder(folder: Path, plan: Mapping[str, Any], *, force: bool) -> Iterator[ComparisonFolder]:
    """What is kept in a folder, to be added to; nobody else may meanwhile.

    Raises
    ------
    InputError
        The folder cannot be written, holds something else or a comparison of other data, or somebody is at work there.
    """
    if not folder.name.endswith(".private"):
        raise InputError(
            f"{folder}: a comparison shows figures of the originals; give its folder a name that ends in .private"
        )
    if not folder.absolute().parent.is_dir():
        raise InputError(f"{folder.parent}: not a directory; create it or choose another place")
    stored_plan = read_plan(folder)
    if stored_plan and stored_plan.get("fingerprint") != plan["fingerprint"] and not force:
        version = stored_plan.get("shoal")
        difference = (
            f"version {version} of shoal" if version != __version__ else "other data or another configuration"
        )
        raise InputError(
            f"{folder}: a comparison of {difference} is there already; choose another place with --out, or replace it: "
            "--force, in Python force=True"
        )
    folder.mkdir(mode=0o700, exist_ok=True)
    if not stored_plan:
        _write_plan(folder, plan)
    lock = folder / ".lock"
    with file_lock(lock) as is_locked:
        if not is_locked:
            raise InputError(
                f"{folder}: another comparison is at work there; wait for it, or choose another place"
            )
        with cleanup_on_stop(lambda: lock.unlink(missing_ok=True)):
            try:
                for path in folder.glob(".*.shoal-*"):  # what a killed comparison left in half
                    path.unlink(missing_ok=True)
                if force:
                    for name in (RESULTS, PAGE):
                        (folder / name).unlink(missing_ok=True)
                    _write_plan(folder, plan)
                yield ComparisonFolder(folder)
            finally:
                with suppress(OSError):
                    lock.unlink()


def _write_plan(folder: Path, plan: Mapping[str, Any]) -> None:
    with atomic_write(folder / PLAN) as part:
        write_text(part, json.dumps({"shoal": __version__, **plan}, indent=2) + "\n")


def _read_rows(path: Path) -> list[dict[str, Any]]:
    """The whole lines of the results; one without an end is left out."""
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    whole_lines = text[: text.rfind("\n") + 1]
    rows = csv.DictReader(io.StringIO(whole_lines, newline=""))
    return [
        {name: _parse_cell(name, cell) for name, cell in row.items()}
        for row in rows
        if None not in row.values()
    ]


def _format_csv(rows: list[list[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value)) if isinstance(value, float) else str(value).replace("\n", " ")


def _parse_cell(name: str, cell: str) -> Any:
    """What a cell was before it was written."""
    if name in _TEXTS:
        return cell
    if cell in ("", "yes", "no"):
        return None if not cell else cell == "yes"
    for kind in (int, float):
        with suppress(ValueError):
            return kind(cell)
    return cell


# A fingerprint of data and configuration: the same where a finished point need not be made again.
#
# It is a hash of everybody's cells, so it stays in the private folder.


def fingerprint(*things: object) -> str:
    """A hash of what these things hold: codes, values, hierarchies and settings.

    >>> fingerprint({"k": 5, "m": 2}) == fingerprint({"m": 2, "k": 5}) != fingerprint({"k": 5, "m": 3})
    True
    """
    digest = hashlib.sha256()
    for thing in things:
        for part in _iterate_bytes(thing):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def _iterate_bytes(thing: Any) -> Iterator[bytes]:
    """What a thing holds, as bytes; a `Source` is left out, for what counts of it is coded in the table."""
    yield type(thing).__name__.encode()
    if isinstance(thing, Source):
        return
    if isinstance(thing, np.ndarray):
        yield f"{thing.dtype} {thing.shape}".encode()
        yield np.ascontiguousarray(thing).tobytes()
    elif isinstance(thing, Mapping):
        for key in sorted(thing, key=repr):
            yield repr(key).encode()
            yield from _iterate_bytes(thing[key])
    elif isinstance(thing, set | frozenset):
        yield repr(sorted(thing, key=repr)).encode()
    elif isinstance(thing, list | tuple) and all(item is None or isinstance(item, str) for item in thing):
        yield json.dumps(thing).encode()
    elif isinstance(thing, list | tuple):
        for item in thing:
            yield from _iterate_bytes(item)
    elif is_dataclass(thing):
        for field in fields(thing):
            yield field.name.encode()
            yield from _iterate_bytes(getattr(thing, field.name))
    else:
        yield repr(thing).encode("utf-8", "surrogatepass")


PASSING = ("crashed", "out of memory", "ended", "too long")
"""Holes that need not be there at the next try."""

_WAIT = 10.0  # seconds in which a process ends whose input has ended
_CODE = "from shoal.comparison.pool import work; work()"


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
    data, slow, free_slots = pickle.dumps(originals, protocol=5), set[str](), SimpleQueue[_Slot]()
    slots = [_Slot(data, seconds, max(1, cores() // jobs)) for _ in range(jobs)]
    for slot in slots:
        free_slots.put(slot)

    def answered(point: Point) -> dict[str, Any]:
        if give_up and point.method in slow:
            return make_hole(point, "too long", "it was not tried, because it took too long at another point")
        slot = free_slots.get()
        try:
            row = slot.answer(point)
        finally:
            free_slots.put(slot)
        if row["status"] == "too long":
            slow.add(point.method)
        return row

    def kill() -> None:
        """End the processes without waiting: this one is about to end, and any that begins now ends with it."""
        for slot in slots:
            if slot.process is not None:
                slot.process.kill()

    threads = ThreadPoolExecutor(jobs)
    with cleanup_on_stop(kill):
        try:
            for row in as_completed([threads.submit(answered, point) for point in points]):
                yield row.result()
        finally:
            for slot in slots:
                slot.end()
            threads.shutdown(cancel_futures=True)
            for slot in slots:
                if slot.process is not None:
                    _wait_for_end(slot.process)


class _Slot:
    """One place in the pool: a process, and another in its stead where it ended."""

    def __init__(self, data: bytes, seconds: float | None, threads: int) -> None:
        self.data, self.seconds, self.threads = data, seconds, threads
        self.process: subprocess.Popen[bytes] | None = None
        self.over = False
        self.turn = threading.Lock()

    def answer(self, point: Point) -> dict[str, Any]:
        """The row of one point; a hole where the process ends before it answers."""
        late = threading.Event()
        process = self._running_process()
        if process is None:
            return make_hole(point, "ended", "the comparison ended before it was made")

        def ring() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(threading.TIMEOUT_MAX if self.seconds is None else self.seconds, ring)
        clock.daemon = True
        try:
            _send_bytes(process, pickle.dumps(point))
            _receive_answer(process)  # it has begun: what it compiles before is not counted
            clock.start()
            row: dict[str, Any] = _receive_answer(process)
            return row
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            code, self.process = _wait_for_end(process), None
        finally:
            clock.cancel()
        if late.is_set():
            message = f"it took longer than {self.seconds:g} s; give it more with --seconds"
            return make_hole(point, "too long", message)
        why = "perhaps for want of memory" if code == -9 else "please report it"
        return make_hole(point, "ended", f"the process that made it ended with code {code}, {why}")

    def _running_process(self) -> "subprocess.Popen[bytes] | None":
        """The process, begun where there is none; None after the end."""
        with self.turn:
            if self.process is None and not self.over:
                self.process = _start_process(self.threads)
                with suppress(OSError):  # where it ended already, that is told of the first point
                    _send_bytes(self.process, self.data)
            return None if self.over else self.process

    def end(self) -> None:
        """End the process at once; no other takes its place."""
        with self.turn:
            self.over = True
            if self.process is not None:
                self.process.kill()


def _start_process(threads: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", _CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "POLARS_MAX_THREADS": str(threads),
        },
    )


def _send_bytes(process: "subprocess.Popen[bytes]", pickled: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(pickled)
    process.stdin.flush()


def _receive_answer(process: "subprocess.Popen[bytes]") -> Any:
    assert process.stdout is not None
    return pickle.load(process.stdout)


def _wait_for_end(process: "subprocess.Popen[bytes]") -> int:
    """Wait for the end of a process, which comes when its input ends, and give its code."""
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError, ValueError):
            pipe.close()  # type: ignore[union-attr]
    try:
        return process.wait(_WAIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


# A process of the pool: it is sent the data once, then point after point, and answers each with its row.
#
# The data go in pickle's protocol 5, of which arrays that nobody may write to come back so: kernels are compiled for
# arrays that may or may not be written to, and would all be compiled again.


def work() -> None:
    """Answer on standard output what comes on standard input, until that ends; then this process does, at once."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever prints must not disturb the answers
    originals, warm = _receive_request(), set[str]()
    requests: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_queue_requests, args=[requests], daemon=True).start()
    warnings.simplefilter("ignore", ShoalWarning)  # they were told when the data was read
    from shoal.algorithms.precompile import compile_listed

    while True:
        point = requests.get()
        if point.method not in warm:  # compiling and loading kernels is no part of a method's time
            compile_listed(point.method)
            warm.add(point.method)
        _write_answer(True, answers)  # from now on its time counts
        _write_answer(measure_point(originals, point), answers)


def _write_answer(thing: object, answers: BinaryIO) -> None:
    pickle.dump(thing, answers)
    answers.flush()


def _queue_requests(asked: SimpleQueue[Any]) -> None:
    while True:
        asked.put(_receive_request())


def _receive_request() -> Any:
    try:
        return pickle.load(sys.stdin.buffer)
    except (EOFError, OSError, pickle.UnpicklingError):
        end_process(0)
