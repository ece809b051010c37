"""The Spark engine: records stay where Spark reads them; only counts, samples and small tables come to the driver.

Nothing before the stage is read twice: a partition that is computed again may have other rows in another order.
Whatever must be the same for everybody (the random order of records, the pairs that are checked) is written once by
`stage`, through the commit of Spark's own writers, so that a task that runs twice leaves its rows once.
"""

import json
import os
import re
import secrets
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from logging import getLogger
from pathlib import Path
from shutil import rmtree
from subprocess import DEVNULL
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import polars as pl

from shoal import engines
from shoal.base.errors import ExtraError, InputError, ShoalError, extra_requirement
from shoal.base.stopping import cleanup_on_stop, fsync_path
from shoal.engines import Frame, Repeats

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["Spark"]

Part = TypeVar("Part")
Answer = TypeVar("Answer")
Place = str | Path

_WHERE = "engine spark"

_SHARED = "spark.shoal.folder"
"""The setting of a session that names a folder which all workers see; without it parts lie beside the release."""

_LAKES = {"delta": "_delta_log", "iceberg": "metadata"}
_HEAD = 100  # lines
_PROBES = 64  # tasks that look for a file
_PIECE = 1 << 26  # bytes of stage per public file
_LEAST = 1 << 20  # below this, another file is not worth a task
_BLANKS = r"(?U)[\s\u200b\u2060\ufeff]+"

_WRITING = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "mapreduce.fileoutputcommitter.algorithm.version": "1",  # a job is there as a whole, or not at all
    "parquet.enable.summary-metadata": "false",
}


class Spark:
    """Tables on a Spark session: the caller's own, or one that is made for this machine and ends with `stop`.

    Settings of a session of one's own are left alone: the engine works in a session beside it, on the same cluster.

    Parameters
    ----------
    session : pyspark.sql.SparkSession, optional
        Else the active one; where none is active, one is made with all cores of this machine.

    Raises
    ------
    ExtraError
        pyspark or Java is missing.
    InputError
        The session is none on which the engine can work.
    """

    name = "spark"

    def __init__(self, session: "SparkSession | None" = None) -> None:
        _require_packages()
        from pyspark.sql import SparkSession

        given = session or SparkSession.getActiveSession()
        self._scratch = None if given is not None else Path(mkdtemp(prefix="shoal-spark-"))
        self._checked = given is None
        self._shared: str | None = None
        self._ending = ExitStack()
        try:
            self.session = _child_session(given) if self._scratch is None else _start_session(self._scratch)
            self._shared = (given or self.session).conf.get(_SHARED, None)
            if self._scratch is not None:
                self._ending.enter_context(cleanup_on_stop(self._kill))
        except ShoalError:
            rmtree(self._scratch or "", ignore_errors=True)
            raise

    def __enter__(self) -> "Spark":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop the session, if it was made here, and remove what it has spilled."""
        if self._scratch is not None:
            self.session.stop()
            rmtree(self._scratch, ignore_errors=True)
            self._ending.close()

    def _kill(self) -> None:
        """Let nothing be written any more, for somebody is about to remove what was begun."""
        if self._scratch is not None:
            _kill_spark()
            rmtree(self._scratch, ignore_errors=True)

    def head(self, path: Place) -> str:
        """The first lines of a text file."""
        with _without_cells(_name(path)):
            return "\n".join(row[0] for row in self.session.read.text(_glob(_place(path))).head(_HEAD))

    def scan(
        self, path: Place, format: str, *, columns: Sequence[str] | None = None, delimiter: str = ","
    ) -> Frame:
        """Open parquet, csv, ndjson, Delta or Iceberg where it lies; cells of csv are text, an empty one is null.

        Parameters
        ----------
        path : Path or str
            A local path, or an address that Spark knows, such as `s3a://...`.
        format : str
        columns : sequence of str, optional
            What the columns of csv are called; else as its first line says.
        delimiter : str
            Of csv.

        Raises
        ------
        InputError
            It is not there, not of this format, or the session has no reader for it.
        """
        place, name = _place(path), _name(path)
        with _without_cells(name):
            if format == "parquet":
                format = self._lake(place) or format
            if format in _LAKES:
                frame = self.session.read.format(format).load(place)
            elif format == "csv":
                frame = self._csv(_glob(place), delimiter, columns, whole=True)
            else:
                frame = self._read(_glob(place), format, name)
        _refuse_names(frame.columns, name)
        return nw.from_native(frame)

    def adopted(self, data: "DataFrame") -> Frame:
        """A frame of the caller's own session in the engine's: times and names are then compared as everywhere.

        Raises
        ------
        InputError
            Spark cannot compute it, or would misread the name of a column.
        """
        _refuse_names(data.columns, "frame")
        name = f"shoal_{secrets.token_hex(16)}"
        with _without_cells("frame"):
            data.createGlobalTempView(name)
            try:
                return nw.from_native(self.session.table(f"global_temp.{name}"))
            finally:
                self.session.catalog.dropGlobalTempView(name)

    def collected(self, frame: Frame) -> pl.DataFrame:
        """Run it, and hand its rows over."""
        with _without_cells(_WHERE):
            return _collected(_native(frame))

    def total(self, frame: Frame) -> int:
        """Count the records."""
        with _without_cells(_WHERE):
            return _native(frame).count()

    def repeats(self, frame: Frame, column: str) -> Repeats:
        """Count how many records each identifier has."""
        from pyspark.sql import functions

        with _without_cells(_WHERE):
            bare = functions.regexp_replace(_column(column).cast("string"), _BLANKS, "")
            named = functions.nullif(bare, functions.lit("")).alias("person")
            counts = _native(frame).select(named).groupBy("person").count()
            missing = functions.col("person").isNull()
            shared = functions.when(~missing & (functions.col("count") > 1), functions.col("count"))
            nobody = functions.when(missing, functions.col("count"))
            found = counts.agg(functions.sum(shared), functions.sum(nobody)).collect()[0]
        return Repeats(*(int(number or 0) for number in found))

    def copy_records(self, frame: Frame, folder: Path) -> Frame:
        """Write the records to files of parquet, through the commit of Spark's own writer, and scan these."""
        folder.mkdir(mode=0o700)
        with cleanup_on_stop(self._kill), _without_cells(folder.name):
            native = _native(frame)
            _written(native, folder, "parquet")
            _tidied(folder, "parquet")
            names = native.columns
        files = sorted(folder.iterdir())
        found = pl.scan_parquet(files, glob=False, hive_partitioning=False) if files else None
        return nw.from_native(
            pl.LazyFrame(schema=dict.fromkeys(names, pl.String)) if found is None else found
        )

    def map(self, task: Callable[[Part], Answer], parts: Sequence[Part], /) -> Iterator[Answer]:
        """Yield one answer per part; each is a task of its own, which runs again where a worker is lost."""
        chosen = list(parts)
        if not chosen:
            return
        self._check_workers()
        found: list[tuple[Any, ShoalError | None]]
        with cleanup_on_stop(self._kill), _without_cells(_WHERE):
            spread = self.session.sparkContext.parallelize(chosen, len(chosen))
            found = spread.map(partial(engines.run_task, task)).collect()
        for answer, fault in found:
            if fault is not None:
                raise fault
            yield answer

    def find_shared_place(self, beside: Path | None) -> Path | None:
        """Say where the session's folder for parts is, else beside the release; workers must see what lies there.

        Raises
        ------
        InputError
            Some worker does not.
        """
        place = beside if self._shared is None else Path(self._shared, "shoal")
        folder = Path(gettempdir() if place is None else place.absolute().parent)
        nonce = secrets.token_hex(16)
        probe = folder / f".shoal-{nonce}"
        try:
            probe.write_text(nonce)
        except OSError as error:
            raise InputError(
                f"{folder}: cannot be written in ({error.strerror}); choose another place"
            ) from None
        try:
            tasks = min(self.session.sparkContext.defaultParallelism, _PROBES)
            missing = sum(not seen for seen in self.map(partial(engines.is_readable, probe), [nonce] * tasks))
        finally:
            probe.unlink(missing_ok=True)
        if missing:
            raise InputError(
                f"{_WHERE}: its workers do not see the folder {folder}; give a folder that all of them see under the "
                f"same path, with --conf {_SHARED}=FOLDER"
            )
        return place

    def _read(self, place: str, format: str, name: str) -> "DataFrame":
        if format == "csv":
            return self._csv(place)
        if format == "ndjson":
            return self._ndjson(place)
        if format == "parquet":
            return self.session.read.parquet(place)
        raise InputError(f"{name}: spark does not read {format}; give parquet, csv, ndjson, delta or iceberg")

    def _lake(self, place: str) -> str | None:
        """Whether a folder belongs to a lake whose log says which of its files count."""
        context: Any = self.session.sparkContext
        path = context._jvm.org.apache.hadoop.fs.Path
        files = path(place).getFileSystem(context._jsc.hadoopConfiguration())
        return next((kind for kind, log in _LAKES.items() if files.exists(path(f"{place}/{log}"))), None)

    def _csv(
        self, place: str, delimiter: str = ",", columns: Sequence[str] | None = None, *, whole: bool = False
    ) -> "DataFrame":
        """Text cells; a file in which no record has several lines is read by many tasks at once.

        Where it is read `whole`, a record with too many cells is seen even if only some columns are asked for.
        """
        from pyspark.sql import functions
        from pyspark.sql.types import StringType, StructField, StructType

        text = self.session.read.text(place)
        first = text.head()
        header = _cells(first[0], delimiter) if first else []
        names = header if columns is None else list(columns)
        cell = functions.col("value")
        unquoted = functions.replace(cell, functions.lit('"'), functions.lit(""))
        odd = (functions.length(cell) - functions.length(unquoted)) % 2 == 1
        options: dict[str, str | bool] = dict(
            sep=delimiter,
            header=True,
            enforceSchema=names != header,  # else every file must have the first one's header
            quote='"',
            escape='"',
            multiLine=text.filter(odd).limit(1).count() > 0,
            mode="FAILFAST",
            encoding="UTF-8",
            nullValue="",
            emptyValue="",
            columnPruning=not whole,
        )
        schema = StructType([StructField(name, StringType()) for name in names])
        return self.session.read.schema(schema).options(**options).csv(place)

    def _ndjson(self, place: str) -> "DataFrame":
        """Columns in the order of the first line: Spark would sort them."""
        found = self.session.read.json(place, mode="FAILFAST")
        first = self.session.read.text(place).head()
        names = list(json.loads(first[0])) if first else []
        rest = [name for name in found.columns if name not in names]
        return found.select(*map(_column, [*names, *rest]))

    def _check_workers(self) -> None:
        """Refuse a cluster whose workers do not have this shoal."""
        if self._checked:
            return
        try:
            with _without_cells(_WHERE):
                found = self.session.sparkContext.parallelize([0], 1).map(engines.version).collect()
        except ShoalError:
            found = []
        if found != [engines.version()]:
            raise InputError(
                f"{_WHERE}: its workers do not have shoal {engines.version()}; install "
                f"{extra_requirement('spark')} on each "
                "of them"
            )
        self._checked = True


def _place(path: Place) -> str:
    """The address of a path: local unless it says otherwise, whatever the cluster's default is."""
    return str(path) if re.match(r"^\w[\w+.-]*:/", str(path)) else f"file://{Path(path).absolute()}"


def _glob(place: str) -> str:
    """An address in which no sign stands for other signs; those of a bucket are the caller's own."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", place) if place.startswith("file:") else place


def _name(path: Place) -> str:
    return str(path).rstrip("/").rpartition("/")[2]


def _native(frame: Frame) -> "DataFrame":
    native = nw.to_native(frame)
    if type(native).__module__.partition(".")[0] != "pyspark":
        raise InputError(f"{_WHERE}: this is not a Spark frame; give a DataFrame of the session")
    return native  # type: ignore[no-any-return]


def _collected(frame: "DataFrame") -> pl.DataFrame:
    found = nw.from_native(frame).collect(backend="polars").to_native()
    assert isinstance(found, pl.DataFrame)
    return found


def _column(name: str) -> "Column":
    from pyspark.sql import functions

    return functions.col("`{}`".format(name.replace("`", "``")))


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a header's line."""
    text = line.removeprefix("\ufeff").encode()
    row = pl.read_csv(text, has_header=False, infer_schema=False, separator=delimiter).row(0) if text else ()
    return [cell or "" for cell in row]


def _refuse_names(columns: Sequence[str], name: str) -> None:
    for place, column in enumerate(columns, 1):
        if "." in column or "`" in column:
            raise InputError(
                f"{name}: the name of column {place} has a dot or a backtick, which Spark reads as something else; "
                "rename it"
            )


def _written(frame: "DataFrame", folder: Path, kind: str) -> None:
    """Write a folder of files."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder.name}: the folder is not empty; give another one")
    compression = "zstd" if kind == "parquet" else "none"
    frame.write.options(**_WRITING, compression=compression).mode("append").format(kind).save(_place(folder))


def _tidied(folder: Path, format: str) -> None:
    """Leave part files alone, numbered, on disk."""
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("part-") or not path.stat().st_size:
            path.unlink()
    for number, path in enumerate(sorted(folder.glob("part-*"))):
        fsync_path(path.rename(folder / f"part-{number:05d}.{format}"))
    fsync_path(folder)


# A session, for this machine alone or beside the caller's own, and in sentences what goes wrong in it.

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
    "spark.master": "local[*,4]",  # a task may fail three times: where the system ends a process of Python's
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


def _require_packages() -> None:
    """Refuse to begin without the packages of the extra; Spark asks for pandas wherever it hands over Arrow."""
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if find_spec(name) is None]
    if missing:
        raise ExtraError.of(_WHERE, " and ".join(missing), "spark")


def _start_session(scratch: Path) -> "SparkSession":
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
        with _environment({} if submitted else around), _without_cells(_WHERE):
            gateway = SparkContext._gateway or launch(conf, {} if heard else {"stderr": DEVNULL})
            return SparkSession(SparkContext(conf=conf, gateway=gateway))
    except ShoalError:
        raise InputError(
            f"{_WHERE}: Spark did not start; see that Java is 17 or later, or run with SHOAL_DEBUG=1 to see why"
        ) from None


def _kill_spark() -> None:
    """End Spark at once, if it was begun here: nothing is written any more when this returns."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        process.kill()
        process.wait()


def _child_session(session: Any) -> "SparkSession":
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
            f"{_WHERE}: this session does not hold its own SparkContext; give a pyspark.sql.SparkSession that "
            "is not connected by Spark Connect"
        ) from None
    for key, value in _SQL.items():
        found.conf.set(key, value)
    return found  # type: ignore[no-any-return]


@contextmanager
def _without_cells(where: str) -> Iterator[None]:
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
            f"{_WHERE}: this needs Java 17 or later, which was not found; install it, and set JAVA_HOME where it "
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
