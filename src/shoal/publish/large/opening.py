"""When data are opened as large ones, and how: counted by an engine or read into parts, never held at once."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import polars as pl

from shoal.algorithms import METHODS, Method
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.naming import suggest_name
from shoal.engines import Engine, Frame
from shoal.engines.local import Local
from shoal.io.config import ColumnSpec, Config
from shoal.io.formats import ENDINGS, LABELLED
from shoal.io.read.cells import REPEATED, code_table, refuse_shared
from shoal.io.read.delimited import check_header, guess_delimiter, name_header, parse_header
from shoal.io.read.notation import Notation
from shoal.io.read.records import settle_roles
from shoal.io.read.source import Source, refuse_nested
from shoal.io.read.table import scan_table
from shoal.privacy import POPULATION_KEYS
from shoal.publish.large.baskets import FragmentedBaskets, LargeBaskets, fragmented_baskets, large_baskets
from shoal.publish.large.parts import Room, TableOrigin, bind_rows, columns_of_method, count_tuples
from shoal.publish.large.table import LargeTable
from shoal.publish.large.trees import LargeTrees, large_trees
from shoal.publish.manifests import claim_from_config
from shoal.shapes.table.data import TableData

if TYPE_CHECKING:
    from shoal.engines.spark import Spark

__all__ = [
    "ENGINES",
    "Lazy",
    "chosen_engine",
    "counted_originals",
    "explain_not_countable",
    "large_table",
    "open_large",
    "open_on_spark",
    "too_large",
]


_BASKET_FILES = frozenset(ending for ending, one in ENDINGS.items() if one.in_parts and one.reader != "csv")
_MANY_BYTES = 256 * 2**20  # of nested records: fewer are held in memory, where the audit tells more of them
_MANY_ITEMS = 64 * 2**20  # bytes of baskets
_FEW_BYTES = 24 * 2**20  # of a file: a smaller one is read at once
_MOST_COLLECTED = 5_000_000  # records of a lazy frame, which any method may then have
_HEAD = 1000


def open_large(
    config: Config, guarantee: Mapping[str, Any], *, front: bool = False
) -> LargeTable | LargeTrees | LargeBaskets | FragmentedBaskets | None:
    """The records that a configuration names, if they are large and their method can do with counts; else None.

    A `front` is traced by counts, whichever method is named.
    """
    if config.preset is not None or _has_text(config):
        return None  # its rules are judged on all records at once, and texts are counted or redacted
    if not front and _wants_tree_parts(config):
        return large_trees(config)
    if not front and _wants_basket_parts(config, guarantee):
        return large_baskets(config)
    if not front and _wants_fragments(config, guarantee):
        return fragmented_baskets(config)
    path = config.data.path
    if path is None or explain_not_countable(config) is not None or _size(path) < _FEW_BYTES:
        return None
    if not (front or _by_counts(config)):
        return None
    frame = scan_table(
        path, delimiter=config.data.delimiter, encoding=config.data.encoding, layout=config.data.layout
    )
    if frame is None or _is_written_otherwise(config, frame.head(_HEAD).collect(), path.name):
        return None
    room = None if _is(path, "parquet") else Room()
    return large_table(config, guarantee, nw.from_native(frame), Local(), path.name, room)


def counted_originals(config: Config) -> TableData | None:
    """The different rows of a large table, in all columns that are published; None where records must be held."""
    try:
        found = open_large(config, {}, front=True)
    except InputError:  # told again, with all records
        return None
    return found.in_all_columns() if isinstance(found, LargeTable) else None


def _is_written_otherwise(config: Config, head: pl.DataFrame, name: str) -> bool:
    """Whether numbers or dates must be brought into one writing first, which needs all of their cells."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            first = settle_roles(config, Source(head, "polars", name, config.data.missing))[1].frame
    except InputError:
        return False  # told again, with all records
    return not first.equals(head.select(first.columns))


class Lazy(NamedTuple):
    """A frame that stays where it is, what runs it, and its first records."""

    frame: Frame
    engine: Engine
    head: pl.DataFrame


def too_large(data: Any) -> Lazy | None:
    """A lazy frame that is not to be collected: one of Spark, or of many records; None for any other."""
    try:
        frame = nw.from_native(data)
    except (TypeError, nw.exceptions.NarwhalsError):
        return None  # whoever reads it says what is wrong
    if not isinstance(frame, nw.LazyFrame):
        return None
    engine: Engine = Local()
    if frame.implementation.is_pyspark():
        from shoal.engines.spark import Spark

        engine = Spark(data.sparkSession)
        frame = engine.adopted(data)
    elif engine.total(frame) <= _MOST_COLLECTED:
        return None
    return Lazy(frame, engine, engine.collected(frame.head(_HEAD)))


def explain_not_countable(config: Config) -> str | None:
    """What hinders data from being released by counts: they are no table in a file whose rows are persons."""
    hindrances = {
        "they are no table": config.shape != "table",
        "they are in a database": config.data.path is None,
        "data.person is set": config.data.person is not None,
        "data.decimal, thousands or dates is set": config.data.notation != Notation(),
        "the table is only a part of its file": bool(config.data.layout),
        "release.rows is set": config.rows,
        "a file with labels is written at once": config.format in LABELLED,
        "audit.target is set": config.target is not None,
        "a column has missing of its own": any(spec.missing for spec in config.columns.values()),
        "an identifier is shared": any(spec.shared for spec in config.columns.values()),
        "a sampling weight is published": _weight_shown(config),
        "there is free text": _has_text(config),
        "the claim counts households": config.guarantee.get("of") == "households",
        "the claim is about a population": not config.guarantee.keys().isdisjoint(POPULATION_KEYS),
        "the rules of a preset are judged at once": config.preset is not None,
        "a quasi-identifier has a least level": any(
            spec.role == "quasi" and spec.level is not None for spec in config.columns.values()
        ),
    }
    return next((what for what, there in hindrances.items() if there), None)


def _weight_shown(config: Config) -> bool:
    """Whether a sampling weight goes out, which is looked at beside look-alikes."""
    return any(spec.role == "weight" and spec.allow for spec in config.columns.values())


def _has_text(config: Config) -> bool:
    """Whether there is free text, which is counted or redacted cell by cell."""
    return any(spec.role == "text" for spec in config.columns.values())


def _by_counts(config: Config) -> bool:
    """Whether the method, named or usual, is one that counts tuples."""
    if config.method is None:
        return bool({"loss", "target"} & config.parameters.keys())
    return config.method in METHODS and METHODS[config.method].theme.counts


def _able(config: Config, usual: str) -> Method | None:
    """The method of such data that is named, or the usual one; None where there is none."""
    found = METHODS.get(config.method or usual)
    return found if found is not None and found.shape == config.shape else None


def _wants_tree_parts(config: Config) -> bool:
    """Whether record trees are read into parts: a large file of lines, for a method that adds what parts count."""
    path = config.data.path
    return (
        config.shape == "trees"
        and (found := _able(config, "gcs")) is not None
        and found.parts
        and config.format in (None, "nested", "ndjson", "nodes")
        and path is not None
        and _is(path, "ndjson")
        and not config.data.layout
        and not config.rows
        and config.target is None
        and _size(path) >= _MANY_BYTES
    )


def _wants_basket_parts(config: Config, guarantee: Mapping[str, Any]) -> bool:
    """Whether baskets are read into parts: a large file of items alone, for `apriori`, written as ndjson."""
    specs = list(config.columns.values())
    found = _able(config, "apriori" if guarantee.get("m") is not None else "")
    return (
        found is not None
        and found.parts
        and _large_baskets(config)
        and guarantee.get("itemsets") is None
        and len(specs) == 1
        and specs[0].hierarchy is not None
    )


def _wants_fragments(config: Config, guarantee: Mapping[str, Any]) -> bool:
    """Whether baskets are anonymized in fragments: a large file of items and perhaps a label, written as ndjson."""
    asked = guarantee.get("m") is None and guarantee.get("itemsets") is None
    found = _able(config, "nonreciprocal" if asked else "")
    if found is None or not found.fragments:
        return False
    roles = sorted(spec.role for spec in config.columns.values())
    bare = all(spec.level is None for spec in config.columns.values())
    ruled = found.theme.votes or all(
        isinstance(spec.hierarchy, Path) for spec in config.columns.values() if spec.role == "items"
    )
    return roles in (["items"], ["items", "sensitive"]) and bare and ruled and _large_baskets(config)


def _large_baskets(config: Config) -> bool:
    """Whether a configuration names a large file of baskets which holds nothing but the columns that are published."""
    path, specs = config.data.path, list(config.columns.values())
    return (
        config.shape == "baskets"
        and config.format == "ndjson"
        and path is not None
        and path.suffix.lower() in _BASKET_FILES
        and not config.data.layout
        and config.data.person is None
        and not any(spec.sensitive or spec.in_long_table or spec.missing for spec in specs)
        and not config.parameters.get("suppress")
        and not config.rows
        and config.target is None
        and _size(path) >= _MANY_ITEMS
        and _only_columns(path, config.columns)
    )


def _only_columns(path: Path, columns: Mapping[str, ColumnSpec]) -> bool:
    """Whether a file has these columns and no other, labels being text; a .dat file has `items` alone."""
    if _is(path, "fimi"):
        return list(columns) == ["items"]
    frame = scan_table(path)
    kinds = {} if frame is None else dict(frame.collect_schema())
    labels = [name for name, spec in columns.items() if spec.role != "items"]
    return kinds.keys() == columns.keys() and all(kinds[name] == pl.String for name in labels)


def _size(path: Path) -> int:
    """How many bytes a file holds; parquet packs them to about a tenth."""
    found = path.stat().st_size if path.is_file() else 0
    format = ENDINGS.get(path.suffix.lower())
    return found if format is None else format.packing * found


def _is(path: Path, reader: str) -> bool:
    """Whether a file that is not packed is read so."""
    format = ENDINGS.get(path.suffix.lower())
    return format is not None and format.reader == reader


def large_table(
    config: Config,
    guarantee: Mapping[str, Any],
    frame: Frame,
    engine: Engine,
    name: str,
    room: Room | None = None,
) -> LargeTable:
    """Count what a method must know of a table, and bind it to its hierarchies.

    Records are read four times; what is published of them is copied into a `room` first, if one is given, so that text
    is parsed once.

    Raises
    ------
    InputError
        A role, a hierarchy or an identifier is wrong, or nearly every record is different, so that there is nothing to
        count.
    """
    if _weight_shown(config):
        raise InputError(
            f"{name}: too many records to check whom a sampling weight singles out; leave allow out, or drop the column"
        )
    if _has_text(config):
        raise InputError(
            f"{name}: too many records to count or redact free text; give the column the role drop"
        )
    head = engine.collected(frame.head(_HEAD))
    refuse_nested(head, name)
    config, first = settle_roles(config, Source(head, "polars", name, config.data.missing))
    roles = {column: spec.role for column, spec in config.columns.items()}
    code_table(
        first, roles, weights={column: spec.weight for column, spec in config.columns.items()}
    )  # faults are told now
    for column in (column for column, role in roles.items() if role == "identifier"):
        found = engine.repeats(frame, column)
        refuse_shared(f"{name}, column '{column}'", found.shared, found.missing, REPEATED)
    columns = {
        column: config.columns[column] for column in first.frame.columns if roles[column] != "identifier"
    }
    clean = _clean(frame.select(*columns), columns)
    if room is not None and columns:
        clean = _copied(clean, room.path / "records.parquet")
    dropped = (*(column for column in first.frame.columns if column not in columns), *first.dropped)
    total = engine.total(clean if columns else frame)
    origin = TableOrigin(engine, clean, name, config.data.missing, total, columns, dropped, room)
    claim = claim_from_config(config, guarantee) if guarantee else None
    seen = columns_of_method(
        {column: spec.role for column, spec in columns.items()}, claim, config.parameters.get("target")
    )
    tuples = count_tuples(origin, seen)
    made = bind_rows(origin, tuples)
    if not made.table.n:
        raise InputError(f"{name}: no records; give a table with at least one row")
    allow = frozenset(column for column, spec in columns.items() if spec.allow)
    parts = (made.source, made.table, made.hierarchies, roles, allow, made.rules, made.coarse)
    return LargeTable(*parts, origin=origin, tuples=tuples)


def _copied(frame: Frame, place: Path) -> Frame:
    """The same records from a file of their own, in which each text of a column stands once."""
    frame.to_native().sink_parquet(place, engine="streaming")
    return nw.from_native(pl.scan_parquet(place, glob=False, hive_partitioning=False))


def _clean(frame: Frame, columns: Mapping[str, ColumnSpec]) -> Frame:
    """Numbers that are no numbers are missing: engines disagree on whether they are equal."""
    kinds = frame.collect_schema()
    odd = [name for name, spec in columns.items() if spec.role == "quasi" and kinds[name].is_float()]
    return frame.with_columns(nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name) for name in odd)


# --- on Spark: a file or folder is read where it lies, as `read` would read it

ENGINES = ("local", "spark")

_FORMATS = {ending: format.reader for ending, format in ENDINGS.items() if format.on_spark}


@contextmanager
def chosen_engine(engine: "str | Spark") -> "Iterator[Spark | None]":
    """The engine by its name, until the block ends; None is this machine without one."""
    if engine == "local":
        yield None
    elif engine == "spark":
        from shoal.engines.spark import Spark

        with Spark() as made:
            yield made
    elif not isinstance(engine, str):
        yield engine
    else:
        raise InputError(f"engine: '{engine}' is unknown; {suggest_name(engine, ENGINES)}")


def open_on_spark(config: Config, guarantee: Mapping[str, Any], engine: "Spark") -> LargeTable:
    """The table that a configuration names, counted by Spark.

    Raises
    ------
    InputError
        It is none that can be released from counts, or Spark does not read it.
    """
    hinders = explain_not_countable(config)
    if hinders is not None:
        raise InputError(
            f"engine spark: it releases tables in files, one row per person, from counts; of these data, {hinders}; "
            "change that, or leave out --engine"
        )
    path = config.data.path
    assert path is not None
    return large_table(config, guarantee, _scanned(config, path, engine), engine, path.name)


def _scanned(config: Config, path: Path, engine: "Spark") -> Frame:
    if config.data.encoding is not None and config.data.encoding.lower() not in ("utf-8", "utf8"):
        raise InputError(f"{path.name}: Spark reads UTF-8 only; save it as UTF-8, or leave out --engine")
    if not path.exists():
        raise InputError(f"{path.name}: not found in {path.parent}; check the path")
    format = _format(path)
    if format != "csv":
        return engine.scan(path, format)
    head = engine.head(path).removeprefix("\ufeff")
    stated = ENDINGS[path.suffix].delimiter if path.suffix in ENDINGS else None
    delimiter = config.data.delimiter or stated or guess_delimiter(head, whole=False)
    columns = name_header(parse_header(head, delimiter))
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
