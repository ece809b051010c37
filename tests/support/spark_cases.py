"""A Spark cluster of two worker processes on this machine, and what tests let its workers do."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from shoal.base.errors import InputError
from shoal.io.write.table import PieceWriter

MISSING = next(
    (
        name
        for name, found in (("pyspark", find_spec("pyspark")), ("java", shutil.which("java")))
        if not found
    ),
    None,
)


def marks():
    """The marks of tests that need a cluster."""
    reason = f"no {MISSING}: Spark cannot run"
    return [pytest.mark.spark, pytest.mark.skipif(MISSING is not None, reason=reason)]


@contextmanager
def cluster(folder):
    """A session with two workers, each a process of its own; whatever they leave stays in `folder`."""
    from pyspark.sql import SparkSession

    home = _home(folder / "home")
    around = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    before = {key: os.environ.get(key) for key in around}
    os.environ.update(around)
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.local.dir": str(folder),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "America/New_York",  # the engine keeps to its own
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # short tests: little is compiled
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        for key, value in before.items():
            os.environ.pop(key) if value is None else os.environ.update({key: value})


def _home(folder):
    """The installed Spark, by links: workers write their logs into its home."""
    import pyspark

    folder.mkdir()
    for path in Path(pyspark.__file__).parent.iterdir():
        if path.name != "work":
            (folder / path.name).symlink_to(path)
    return folder


@contextmanager
def killing(folder):
    """Kill the worker whose task begins first, in the middle of that task; notes in a folder tell."""
    thread = threading.Thread(target=_kill, args=(folder,))
    thread.start()
    yield
    thread.join()


def _kill(folder):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for path in folder.iterdir():
            java = path.name.partition("-")[2]
            asked = ["ps", "-ww", "-o", "args=", "-p", java]
            called = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            assert "CoarseGrainedExecutorBackend" in called  # never anybody else's process
            os.kill(int(java), signal.SIGKILL)
            return
        time.sleep(0.05)


def note(folder: Path) -> None:
    """Tell that a task has begun, and in which process of Java; then take a while."""
    daemon = os.getppid()
    java = subprocess.run(
        ["ps", "-o", "ppid=", "-p", str(daemon)], capture_output=True, text=True, check=True
    )
    (folder / f"{time.time_ns()}-{int(java.stdout)}").touch()
    time.sleep(1)


def noted(folder: Path, part: int) -> tuple[int, int]:
    note(folder)
    return part, part**2


def refuses(part):
    raise InputError("people.csv, record 3: no age", value=part)


def fails(part):
    raise KeyError(part)


class SlowTask:
    """A task that takes a while; a note tells that it has begun."""

    def __init__(self, folder: Path, kind: type, *given) -> None:
        self._folder, self._task = folder, kind(*given)

    def __getattr__(self, name: str):
        if name.startswith("_"):  # while it is unpickled
            raise AttributeError(name)
        return getattr(self._task, name)

    def __call__(self, sent):
        note(self._folder)
        return self._task(sent)


def is_nowhere(path: Path, text: str) -> bool:
    return False


class BrokenPieces(PieceWriter):
    """A writer that fails where records are written."""

    def write_piece(self, frame, path):
        raise KeyError(frame.row(0))
