"""A Spark session, for this machine alone or beside the caller's own, and in sentences what goes wrong in it."""

import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from logging import getLogger
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

import narwhals as nw

from shoal.errors import ExtraError, InputError, ShoalError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["WHERE", "child_session", "kill", "require_packages", "start_session", "without_cells"]

WHERE = "engine spark"

_HOME = "127.0.0.1"

# Cells are the same wherever they are read: no offsets of a machine, no names that differ by case alone.
_SQL = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}

# One machine: nothing listens beyond it, nothing tells what runs, what is spilled to disk cannot be read afterwards.
_ALONE = {
    "spark.master": "local[*]",
    "spark.app.name": "shoal",
    "spark.driver.host": _HOME,
    "spark.driver.bindAddress": _HOME,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.io.encryption.enabled": "true",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}

_SENTENCES = {
    "MALFORMED_CSV": "a record has not as many cells as the header, or broken quotes; quote cells as RFC 4180 says",
    "MALFORMED_RECORD": "a record is not of its format; give one JSON object per line",
    "header does not conform": "its files have different first lines; give all of them the same columns",
    "PATH_NOT_FOUND": "there is no such file or folder; check the path",
    "DATA_SOURCE_NOT_FOUND": "the session has no reader for this format; start the session with its package",
    "No space left": "the disk is full; free some space and run again",
    "UNABLE_TO_INFER_SCHEMA": "there are no records of this format; check the path",
    "PARQUET_TYPE_ILLEGAL": "a type of a column, such as times in nanoseconds, cannot be read by Spark; write the "
    "file with another type",
}


def require_packages() -> None:
    """Refuse to begin without the packages of the extra; Spark asks for pandas wherever it hands over Arrow."""
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if find_spec(name) is None]
    if missing:
        raise ExtraError.of(WHERE, " and ".join(missing), "spark")


def start_session(scratch: Path) -> "SparkSession":
    """A session with all cores of this machine, which spills into `scratch`, or the one of spark-submit.

    Raises
    ------
    ExtraError
        There is no Java.
    InputError
        Spark does not start.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted and SparkContext._gateway is None:
        _java()
    paths = os.pathsep.join(path for path in sys.path if path)
    size = {
        "spark.driver.memory": _memory(),
        "spark.local.dir": str(scratch),
        "spark.sql.shuffle.partitions": str(max(8, 4 * (os.cpu_count() or 1))),
    }
    alone = {} if submitted else {**_ALONE, **size}
    conf = SparkConf().setAll([*_SQL.items(), *alone.items(), ("spark.executorEnv.PYTHONPATH", paths)])
    around = {"SPARK_LOCAL_IP": _HOME, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths}
    heard = submitted or os.environ.get("SHOAL_DEBUG")
    launch: Any = launch_gateway
    try:
        with _environment({} if submitted else around), without_cells(WHERE):
            gateway = SparkContext._gateway or launch(conf, {} if heard else {"stderr": DEVNULL})
            return SparkSession(SparkContext(conf=conf, gateway=gateway))
    except ShoalError:
        raise InputError(
            f"{WHERE}: Spark did not start; see that Java is 17 or later, or run with SHOAL_DEBUG=1 to see why"
        ) from None


def kill() -> None:
    """End Spark at once, if it was begun here: nothing is written any more when this returns."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        process.kill()
        process.wait()


def child_session(session: Any) -> "SparkSession":
    """A session with settings of its own on the cluster of another, whose own settings stay as they are.

    Raises
    ------
    InputError
        It is no session of Spark's, or is connected by Spark Connect.
    """
    from pyspark.errors import PySparkException

    try:
        found = session.newSession()
        _ = found.sparkContext
    except (AttributeError, PySparkException):
        raise InputError(
            f"{WHERE}: this session does not hold its own SparkContext; give a pyspark.sql.SparkSession that "
            "is not connected by Spark Connect"
        ) from None
    for key, value in _SQL.items():
        found.conf.set(key, value)
    return found  # type: ignore[no-any-return]


@contextmanager
def without_cells(where: str) -> Iterator[None]:
    """Turn whatever Spark says into a sentence without cells: its own messages and logs hold records."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    loggers = [getLogger(f"{kind}QueryContextLogger") for kind in ("DataFrame", "SQL")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions of pandas, which is not used
            yield
    except (PySparkException, Py4JError, nw.exceptions.NarwhalsError) as error:
        raise _sentence(where, str(error)) from None
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _sentence(where: str, said: str) -> ShoalError:
    for sign, what in _SENTENCES.items():
        if sign in said:
            return InputError(f"{where}: {what}")
    kind = re.search(r"\[([A-Z][A-Z_.]+)\]", said) or re.search(
        r"\b(?:\w+\.)+(\w+(?:Exception|Error))\b", said
    )
    name = f" ({kind.group(1)})" if kind else ""
    return ShoalError(
        f"{where}: Spark could not finish its work{name}; run it again, and look at Spark's own log"
    )


def _java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").exists() if home else shutil.which("java")):
        raise ExtraError(
            f"{WHERE}: this needs Java 17 or later, which was not found; install it, and set JAVA_HOME where it "
            "is not on the path"
        )


def _memory() -> str:
    """A quarter of this machine's memory, from 1 to 8 GB: all of Spark is one process."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        total = 0
    return f"{min(8, max(1, total >> 32))}g"


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
