"""A table opened on Spark: its file or folder is read where it lies, as `read` would read it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.engines import Frame
from shoal.engines.spark import Spark
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.formats import ENDINGS
from shoal.io.read.delimited import check_header, delimiter_of, header_of, name_header
from shoal.naming import offered
from shoal.publish.large.dataset import LargeTable
from shoal.publish.large.local_opening import large_table, obstacle

__all__ = ["ENGINES", "chosen_engine", "open_on_spark"]

ENGINES = ("local", "spark")

_FORMATS = {ending: format.reader for ending, format in ENDINGS.items() if format.on_spark}


@contextmanager
def chosen_engine(engine: str | Spark) -> Iterator[Spark | None]:
    """The engine by its name, until the block ends; None is this machine without one."""
    if isinstance(engine, Spark):
        yield engine
    elif engine == "spark":
        with Spark() as made:
            yield made
    elif engine == "local":
        yield None
    else:
        raise InputError(f"engine: '{engine}' is unknown; {offered(engine, ENGINES)}")


def open_on_spark(config: Config, guarantee: Mapping[str, Any], engine: Spark) -> LargeTable:
    """The table that a configuration names, counted by Spark.

    Raises
    ------
    InputError
        It is none that can be released from counts, or Spark does not read it.
    """
    hinders = obstacle(config)
    if hinders is not None:
        raise InputError(
            f"engine spark: it releases tables in files, one row per person, from counts; of these data, {hinders}; "
            "change that, or leave out --engine"
        )
    path = config.data.path
    assert path is not None
    return large_table(config, guarantee, _scanned(config, path, engine), engine, path.name)


def _scanned(config: Config, path: Path, engine: Spark) -> Frame:
    if config.data.encoding is not None and config.data.encoding.lower() not in ("utf-8", "utf8"):
        raise InputError(f"{path.name}: Spark reads UTF-8 only; save it as UTF-8, or leave out --engine")
    if not path.exists():
        raise InputError(f"{path.name}: not found in {path.parent}; check the path")
    format = _format(path)
    if format != "csv":
        return engine.scan(path, format)
    head = engine.head(path).removeprefix("\ufeff")
    stated = ENDINGS[path.suffix].delimiter if path.suffix in ENDINGS else None
    delimiter = config.data.delimiter or stated or delimiter_of(head, whole=False)
    columns = name_header(header_of(head, delimiter))
    check_header(columns, path.name)
    return engine.scan(path, format, columns=columns, delimiter=delimiter)


def _format(path: Path) -> str:
    """By the ending of a file; of a folder, by its own or that of its first file; else it is one of a lake."""
    if path.is_file() or path.suffix.lower() in _FORMATS:
        endings = [path.suffix]
    else:
        endings = sorted(own.suffix for own in path.iterdir() if not own.name.startswith(("_", ".")))
    found = next((_FORMATS[ending.lower()] for ending in endings if ending.lower() in _FORMATS), None)
    if found is None and path.is_dir():
        return "parquet"  # what the log of a lake says is looked for there
    if found is None:
        raise InputError(
            f"{path.name}: Spark reads {', '.join(_FORMATS)} and folders of them; leave out --engine"
        )
    return found
