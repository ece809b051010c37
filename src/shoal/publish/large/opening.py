"""When data are opened as large ones, and how: counted by an engine or read into parts, never held at once."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import polars as pl

from shoal.algorithms import METHODS, Method
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.naming import suggest_name
from shoal.engines import Engine, Frame
from shoal.engines.local import Local
from shoal.io.config import ENGINES, REST, ColumnSpec, Config
from shoal.io.formats import ENDINGS, LABELLED
from shoal.io.read.cells import REPEATED, code_table, refuse_shared
from shoal.io.read.delimited import check_header, guess_delimiter, name_header, parse_header
from shoal.io.read.notation import Notation
from shoal.io.read.records import settle_roles
from shoal.io.read.source import Source, column_error, refuse_nested
from shoal.io.read.table import scan_table
from shoal.parts.folder import PrivateFolder
from shoal.parts.reading import TooManyValuesError
from shoal.privacy import HOUSEHOLDS, POPULATION_KEYS
from shoal.publish.large.baskets import FragmentedBaskets, LargeBaskets, fragmented_baskets, large_baskets
from shoal.publish.large.mixed import FragmentedMixed, read_fragmented_mixed
from shoal.publish.large.parts import TableOrigin
from shoal.publish.large.table import COUNTED_PART, CountedTable, read_counted_table
from shoal.publish.large.table_fragments import PART, FragmentedTable, read_fragmented_table
from shoal.publish.large.trees import LargeTrees, large_trees
from shoal.release import Claim
from shoal.shapes.hierarchies import is_built
from shoal.shapes.table.data import TableData

if TYPE_CHECKING:
    from shoal.engines.spark import Spark

__all__ = [
    "Lazy",
    "chosen_engine",
    "counted_originals",
    "explain_not_countable",
    "large_table",
    "open_large",
    "open_on_spark",
    "too_large",
]


_MANY_BYTES = 256 * 2**20  # of nested records: fewer are held in memory, where the audit tells more of them
_MANY_ITEMS = 64 * 2**20  # bytes of baskets
_FEW_BYTES = 24 * 2**20  # of a file: a smaller one is read at once
_MOST_COLLECTED = 5_000_000  # records of a lazy frame, which any method may then have
_HEAD = 1000
_RECORDS = "records"  # the folder of a copy of the records, in which each text of a column stands once


Opened = CountedTable | LargeTrees | LargeBaskets | FragmentedBaskets | FragmentedMixed
"""Data that are not in memory."""


@dataclass(frozen=True)
class Way:
    """One way to open large data: data that fit all of this, and that nothing in `OBSTACLES` keeps from it.

    name    : what the obstacles call it
    shape   : of the data
    endings : of files that it can do with
    bytes   : how large a file must be
    writes  : the formats of a release; None is the usual one
    able    : whether a method can do with data that are opened so
    usual   : the method that is meant where a guarantee asks for none; "" is none
    open    : opens them
    """

    name: str
    shape: str
    endings: frozenset[str]
    bytes: Callable[[], int]
    writes: frozenset[str | None]
    able: Callable[[Method], bool]
    usual: Callable[[Mapping[str, Any]], str]
    open: Callable[
        [Config, PrivateFolder],
        Opened | None,
    ]

    def fits(self, config: Config, guarantee: Mapping[str, Any]) -> bool:
        """Whether the data that a configuration names are opened so."""
        path = config.data.path
        return (
            path is not None
            and self.is_for(config, guarantee)
            and (_size(path) >= self.bytes() or config.part is not None)
            and find_obstacle(self.name, config, guarantee) is None
        )

    def is_for(self, config: Config, guarantee: Mapping[str, Any], *, folder: bool = False) -> bool:
        """Whether data of this kind may be opened so for their method, whatever their size; in a `folder`, too."""
        path, method = config.data.path, METHODS.get(config.method or self.usual(guarantee))
        return (
            config.shape == self.shape
            and path is not None
            and (path.suffix.lower() in self.endings or (folder and path.is_dir()))
            and config.format in self.writes
            and method is not None
            and method.shape == self.shape
            and self.able(method)
        )


_SCANNED = ("csv", "ndjson", "parquet")  # readers whose records can be scanned
_OTHER_METHODS = frozenset({"known_at_once", "subsets", "k_map", "presence"})  # what other methods keep
_OF_SHARES = frozenset({"t", "distance", "beta", "likeness", "disclosure"})
_BASKET_ENDINGS = frozenset(
    ending for ending, format in ENDINGS.items() if format.in_parts and format.reader != "csv"
)
WAYS = (
    Way(
        "trees in parts",
        shape="trees",
        endings=frozenset(ending for ending, format in ENDINGS.items() if format.reader == "ndjson"),
        bytes=lambda: _MANY_BYTES,
        writes=frozenset({None, "nested", "ndjson", "nodes"}),
        able=lambda method: method.parts,
        usual=lambda guarantee: "gcs",
        open=large_trees,
    ),
    Way(
        "baskets in parts",
        shape="baskets",
        endings=_BASKET_ENDINGS,
        bytes=lambda: _MANY_ITEMS,
        writes=frozenset({"ndjson"}),
        able=lambda method: method.parts,
        usual=lambda guarantee: "apriori" if "m" in guarantee else "",
        open=large_baskets,
    ),
    Way(
        "baskets in fragments",
        shape="baskets",
        endings=_BASKET_ENDINGS,
        bytes=lambda: _MANY_ITEMS,
        writes=frozenset({"ndjson"}),
        able=lambda method: bool(method.fragments),
        usual=lambda guarantee: "" if {"m", "itemsets"} & guarantee.keys() else "nonreciprocal",
        open=fragmented_baskets,
    ),
    Way(
        "table in fragments",
        shape="table",
        endings=frozenset(ending for ending, format in ENDINGS.items() if format.reader in _SCANNED),
        bytes=lambda: _MANY_BYTES,
        writes=frozenset({"csv", "parquet", "ndjson"}),
        able=lambda method: method.fragments == "table",
        usual=lambda guarantee: "" if _OTHER_METHODS & guarantee.keys() else "mondrian",
        open=lambda config, room: _table_in_fragments(config, room),
    ),
    Way(
        "table with baskets in fragments",
        shape="mixed",
        endings=frozenset(ending for ending, format in ENDINGS.items() if format.reader in _SCANNED),
        bytes=lambda: _MANY_BYTES,
        writes=frozenset({"csv", "parquet", "ndjson"}),
        able=lambda method: method.fragments == "mixed",
        usual=lambda guarantee: "bound",
        open=lambda config, room: _table_in_fragments(config, room),
    ),
)
"""The ways that read a file into parts; a table that none of them fits may still be counted."""

_COUNTED, _TREES, _BASKETS, _FRAGMENTS, _TABLES, _MIXED = "counted table", *(way.name for way in WAYS)


class Obstacle(NamedTuple):
    """Something in a configuration that keeps data from being opened in some ways: what it is, in words."""

    words: str
    ways: tuple[str, ...]
    stands: Callable[[Config, Mapping[str, Any]], bool]


_ANY = (_COUNTED, _TREES, _BASKETS, _FRAGMENTS, _TABLES, _MIXED)
_IN_FRAGMENTS = (_TABLES, _MIXED)
_ANY_TABLE = (_COUNTED, *_IN_FRAGMENTS)
_BY_ITEMS = (_BASKETS, _FRAGMENTS)
OBSTACLES = (
    Obstacle("they are no table", (_COUNTED,), lambda config, _: config.shape != "table"),
    Obstacle("they are in a database", _ANY, lambda config, _: config.data.path is None),
    Obstacle(
        "data.person is set", (_COUNTED, _MIXED, *_BY_ITEMS), lambda config, _: config.data.person is not None
    ),
    Obstacle("the column of persons is published", (_TABLES,), lambda config, _: _person_published(config)),
    Obstacle(
        "the claim compares shares of persons with those of all",
        (_TABLES,),
        lambda config, guarantee: (
            (config.data.person is not None or _counts_households(config))
            and not _OF_SHARES.isdisjoint(guarantee)
        ),
    ),
    Obstacle(
        "data.decimal, thousands or dates is set",
        _ANY_TABLE,
        lambda config, _: config.data.notation != Notation(),
    ),
    Obstacle("the table is only a part of its file", _ANY, lambda config, _: bool(config.data.layout)),
    Obstacle("release.rows is set", _ANY, lambda config, _: bool(config.rows)),
    Obstacle(
        "a file with labels is written at once", _ANY_TABLE, lambda config, _: config.format in LABELLED
    ),
    Obstacle("audit.target is set", _ANY, lambda config, _: config.target is not None),
    Obstacle(
        "a column has missing of its own",
        (*_ANY_TABLE, *_BY_ITEMS),
        lambda config, _: any(spec.missing for spec in config.columns.values()),
    ),
    Obstacle(
        "an identifier is shared",
        _ANY_TABLE,
        lambda config, _: any(spec.shared for spec in config.columns.values()),
    ),
    Obstacle(
        "columns may be known of somebody",
        _ANY_TABLE,
        lambda config, _: any(spec.role == "known" for spec in config.columns.values()),
    ),
    Obstacle("a sampling weight is published", _ANY_TABLE, lambda config, _: _weight_shown(config)),
    Obstacle("there is free text", _ANY, lambda config, _: _has_text(config)),
    Obstacle("a column has hidden values", (_COUNTED, _MIXED), lambda config, _: bool(config.values_to_hide)),
    Obstacle(
        "the claim counts households",
        (_COUNTED, _MIXED),
        lambda config, _: _counts_households(config),
    ),
    Obstacle(
        "the claim is about a population",
        _ANY_TABLE,
        lambda config, _: not config.guarantee.keys().isdisjoint(POPULATION_KEYS),
    ),
    Obstacle("the rules of a preset are judged at once", _ANY, lambda config, _: config.preset is not None),
    Obstacle(
        "a quasi-identifier has a least level",
        _ANY_TABLE,
        lambda config, _: any(
            spec.role == "quasi" and spec.level is not None for spec in config.columns.values()
        ),
    ),
    Obstacle(
        "items are sensitive, or in a long table",
        _BY_ITEMS,
        lambda config, _: any(spec.sensitive or spec.in_long_table for spec in config.columns.values()),
    ),
    Obstacle(
        "records may be left out",
        _BY_ITEMS,
        lambda config, _: bool(config.parameters.get("suppress")),
    ),
    Obstacle(
        "items are in a long table, or in several columns",
        (_MIXED,),
        lambda config, _: (
            [spec.in_long_table for spec in config.columns.values() if spec.role == "items"] != [False]
        ),
    ),
    Obstacle("the claim lists itemsets", (_BASKETS,), lambda _, guarantee: "itemsets" in guarantee),
    Obstacle(
        "there is more than items with a hierarchy",
        (_BASKETS,),
        lambda config, _: [spec.hierarchy is None for spec in config.columns.values()] != [False],
    ),
    Obstacle(
        "there is more than items and a label",
        (_FRAGMENTS,),
        lambda config, _: (
            sorted(spec.role for spec in config.columns.values()) not in (["items"], ["items", "sensitive"])
        ),
    ),
    Obstacle(
        "a column has a least level",
        (_FRAGMENTS,),
        lambda config, _: any(spec.level is not None for spec in config.columns.values()),
    ),
    Obstacle(
        "items have no hierarchy in a file",
        (_FRAGMENTS,),
        lambda config, guarantee: (
            not _published_by_vote(config)
            and any(
                spec.role == "items" and not isinstance(spec.hierarchy, Path)
                for spec in config.columns.values()
            )
        ),
    ),
    Obstacle("its file has other columns", _BY_ITEMS, lambda config, _: not _only_columns(config)),
    Obstacle(
        "a column has a fixed level",
        (_MIXED,),
        lambda config, _: any(spec.level is not None for spec in config.columns.values()),
    ),
    Obstacle(
        "who is left out changes the labels of a fixed level",
        (_TABLES,),
        lambda config, _: (
            bool(config.parameters.get("suppress"))
            and any(spec.level is not None and is_built(spec.hierarchy) for spec in config.columns.values())
        ),
    ),
    Obstacle(
        "one level per column is asked for",
        _IN_FRAGMENTS,
        lambda config, _: config.method is None and bool({"loss", "target"} & config.parameters.keys()),
    ),
    Obstacle("an average risk is asked for", _IN_FRAGMENTS, lambda _, guarantee: "average_risk" in guarantee),
    Obstacle(
        "sensitive values must not steer",
        _IN_FRAGMENTS,
        lambda config, _: config.parameters.get("minimal") is False,
    ),
    Obstacle(
        "a pseudonym links rows",
        _IN_FRAGMENTS,
        lambda config, _: any(spec.role == "pseudonym" for spec in config.columns.values()),
    ),
    Obstacle(
        "a column says what rows stand for, or who lives together",
        (_MIXED,),
        lambda config, _: any(spec.role in ("weight", "household") for spec in config.columns.values()),
    ),
    Obstacle(
        "the claim counts households, and rows belong to persons",
        (_TABLES,),
        lambda config, _: (
            _counts_households(config) and (config.data.person is not None or not _household_of(config))
        ),
    ),
    Obstacle("dates are shifted", _IN_FRAGMENTS, lambda config, _: bool(config.shifted)),
    Obstacle(
        "means or medians are published",
        _IN_FRAGMENTS,
        lambda config, _: config.parameters.get("recode") in ("mean", "median"),
    ),
    Obstacle("earlier people steer labels", _IN_FRAGMENTS, lambda config, _: config.public is not None),
)
"""What keeps data from being opened as large ones, in the order in which it is looked for."""


def find_obstacle(way: str, config: Config, guarantee: Mapping[str, Any]) -> str | None:
    """The first obstacle in a way, in words; None where there is none."""
    return next(
        (
            obstacle.words
            for obstacle in OBSTACLES
            if way in obstacle.ways and obstacle.stands(config, guarantee)
        ),
        None,
    )


def open_large(
    config: Config, guarantee: Mapping[str, Any], claim: Claim | None = None, *, front: bool = False
) -> Opened | None:
    """The records that a configuration names, if they are large and their method can do without all at once; else None.

    A `front` is traced by counts, whichever method is named.
    """
    if not front:
        asked = _without_none(guarantee)
        way = next((way for way in WAYS if way.fits(config, asked)), None)
        found = None if way is None else way.open(config, PrivateFolder())
        if found is not None:
            return found
    path = config.data.path
    if path is None or explain_not_countable(config) is not None or not (front or _by_counts(config)):
        return None
    if _size(path) < _FEW_BYTES and (front or config.part is None):
        return None
    return _read_tidy(config, claim, PrivateFolder(None, Local().map))


def _without_none(guarantee: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in guarantee.items() if value is not None}


def counted_originals(config: Config) -> TableData | None:
    """The different rows of a large table, in all columns that are published; None where records must be held."""
    try:
        found = open_large(config, {}, front=True)
    except InputError:  # told again, with all records
        return None
    return found.in_all_columns() if isinstance(found, CountedTable) else None


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
    return find_obstacle(_COUNTED, config, config.guarantee)


def _person_published(config: Config) -> bool:
    """Whether the column that tells persons goes out, as itself or in place of it."""
    spec = config.columns.get(config.data.person or "", config.columns.get(REST))
    return config.data.person is not None and spec is not None and spec.role not in ("identifier", "drop")


def _counts_households(config: Config) -> bool:
    return config.guarantee.get("of") == HOUSEHOLDS


def _household_of(config: Config) -> str | None:
    """The one column that says who lives together; None where none does, or several do."""
    names = [name for name, spec in config.columns.items() if spec.role == "household"]
    return names[0] if len(names) == 1 else None


def _weight_shown(config: Config) -> bool:
    """Whether a sampling weight goes out, which is looked at beside look-alikes."""
    return any(spec.role == "weight" and spec.released_as == "plain" for spec in config.columns.values())


def _has_text(config: Config) -> bool:
    """Whether there is free text, which is counted or redacted cell by cell."""
    return any(spec.role == "text" for spec in config.columns.values())


def _by_counts(config: Config) -> bool:
    """Whether the method, named or usual, is one that counts tuples."""
    if config.method is None:
        return bool({"loss", "target"} & config.parameters.keys())
    return config.method in METHODS and METHODS[config.method].theme.counts


def _published_by_vote(config: Config) -> bool:
    """Whether the method of baskets publishes what several vote for, which needs no hierarchy."""
    return METHODS[config.method or "nonreciprocal"].theme.votes


def _only_columns(config: Config) -> bool:
    """Whether a file has the configured columns and no other, labels being text; a .dat file has `items` alone."""
    path, columns = config.data.path, config.columns
    assert path is not None
    if _reader(path) == "fimi":
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


def _reader(path: Path) -> str | None:
    """What reads a file, by its ending; None where nothing does."""
    format = ENDINGS.get(path.suffix.lower())
    return None if format is None else format.reader


def large_table(config: Config, claim: Claim | None, frame: Frame, engine: Engine, name: str) -> CountedTable:
    """Read a table that an engine runs into parts, and count what a method must know of it.

    Raises
    ------
    InputError
        A role, a hierarchy or an identifier is wrong, or nearly every record is different, so that there is nothing to
        count.
    """
    room = PrivateFolder(engine.find_shared_place(None), engine.map)
    return _count_table(config, claim, frame, engine, name, room)


def _count_table(
    config: Config,
    claim: Claim | None,
    frame: Frame,
    engine: Engine,
    name: str,
    room: PrivateFolder,
    *,
    copied: bool = True,
) -> CountedTable:
    origin = _find_origin(config, frame, engine, name, room if copied else None)
    if not origin.records:
        raise _no_records(name)
    size, target = config.part or COUNTED_PART, config.parameters.get("target")
    table = read_counted_table(origin, room, size, claim, target)
    room.drop(_RECORDS)
    return table


def _read_tidy(config: Config, claim: Claim | None, room: PrivateFolder) -> CountedTable | None:
    """Read a table in a file into parts inside `room`, to be counted; None where it must be read at once."""
    frame, path = _scan_tidy(config), config.data.path
    if frame is None:
        return None
    assert path is not None
    try:
        copied = _reader(path) != "parquet"
        return _count_table(config, claim, frame, Local(), path.name, room, copied=copied)
    except TooManyValuesError:
        if config.part is not None:
            raise
        return None


def _no_records(name: str) -> InputError:
    return InputError(f"{name}: no records; give a table with at least one row")


def _find_origin(
    config: Config, frame: Frame, engine: Engine, name: str, room: PrivateFolder | None
) -> TableOrigin:
    """Check the columns of a frame by its first records, and its identifiers by all; what is left is published.

    Columns of items stay in the frame of the origin, where they stood.

    Raises
    ------
    InputError
        A role or an identifier is wrong.
    """
    if _weight_shown(config):
        raise InputError(
            f"{name}: too many records to check whom a sampling weight singles out; leave allow and release out, or "
            "drop the column"
        )
    if _has_text(config):
        raise InputError(
            f"{name}: too many records to count or redact free text; give the column the role drop"
        )
    items = [column for column, spec in config.columns.items() if spec.role == "items"]
    config = replace(
        config, columns={column: spec for column, spec in config.columns.items() if column not in items}
    )
    person, by_house = config.data.person, _counts_households(config)
    whose = _household_of(config) if by_house else person
    whole = frame.collect_schema().names()
    for column in items:
        if column not in whole:
            raise column_error(Source(pl.DataFrame(schema=dict.fromkeys(whole)), name=name), column, items)
    head = engine.collected(frame.drop(items).head(_HEAD))
    refuse_nested(head, name)
    config, first = settle_roles(config, Source(head, "polars", name, config.data.missing))
    roles = {column: spec.role for column, spec in config.columns.items()}
    roles |= {} if person is None else {person: "identifier"}
    code_table(
        first, roles, weights={column: spec.weight for column, spec in config.columns.items()}, person=person
    )  # faults are told now
    for column in (column for column, role in roles.items() if role == "identifier" and column != person):
        found = engine.repeats(frame, column)
        refuse_shared(f"{name}, column '{column}'", found.shared, found.missing, REPEATED)
    columns = {
        column: config.columns[column] for column in first.frame.columns if roles[column] != "identifier"
    }
    kept = [column for column in whole if column in columns or column in items or column == whose]
    clean, total = _clean(frame.select(*kept), columns), None
    if room is not None and columns:
        clean = engine.copy_records(clean, room.path / f"{_RECORDS}-0")
        total = Local().total(clean)
    dropped = (*(column for column in first.frame.columns if column not in columns), *first.dropped)
    roles = {column: spec.role for column, spec in config.columns.items()}
    allow = frozenset(column for column, spec in columns.items() if spec.allow)
    total = engine.total(clean if columns else frame) if total is None else total
    return TableOrigin(
        clean,
        name,
        config.data.missing,
        total,
        columns,
        dropped,
        roles=roles,
        allow=allow,
        person=whose,
        counted=HOUSEHOLDS if by_house else "persons",
    )


def _scan_tidy(config: Config) -> Frame | None:
    """The records of a file where they lie; None where they must be read at once to be read right."""
    path = config.data.path
    assert path is not None
    frame = scan_table(
        path, delimiter=config.data.delimiter, encoding=config.data.encoding, layout=config.data.layout
    )
    if frame is None or _is_written_otherwise(config, frame.head(_HEAD).collect(), path.name):
        return None
    return nw.from_native(frame)


def _table_in_fragments(config: Config, room: PrivateFolder) -> FragmentedTable | FragmentedMixed | None:
    """Read a table, alone or with baskets, into parts inside `room`; None where it must be read at once."""
    frame, path = _scan_tidy(config), config.data.path
    if frame is None:
        return None
    assert path is not None
    kept = None if _reader(path) == "parquet" else room
    origin = _find_origin(config, frame, Local(), path.name, kept)
    if not origin.records:
        raise _no_records(path.name)
    try:
        if config.shape == "mixed":
            return read_fragmented_mixed(config, origin, room, config.part or PART)
        return read_fragmented_table(origin, room, config.part or PART)
    except TooManyValuesError:
        if config.part is not None:
            raise
        return None


def _clean(frame: Frame, columns: Mapping[str, ColumnSpec]) -> Frame:
    """Numbers that are no numbers are missing: engines disagree on whether they are equal."""
    kinds = frame.collect_schema()
    odd = [name for name, spec in columns.items() if spec.role == "quasi" and kinds[name].is_float()]
    return frame.with_columns(nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name) for name in odd)


# --- on Spark: a file or folder is read where it lies, as `read` would read it

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


def open_on_spark(
    config: Config, guarantee: Mapping[str, Any], claim: Claim | None, engine: "Spark", beside: Path
) -> Opened:
    """The data that a configuration names: in parts that the tasks of Spark work on, or counted by Spark.

    `beside` is the release that is to be written, which all workers see.

    Raises
    ------
    InputError
        They cannot be released in either way, or cannot be read so.
    """
    asked = _without_none(guarantee)
    ways = [way for way in WAYS if way.is_for(config, asked, folder=way.name == _TABLES)]
    obstacles = [find_obstacle(way.name, config, asked) for way in ways]
    way = next((way for way, obstacle in zip(ways, obstacles, strict=True) if obstacle is None), None)
    path = config.data.path
    if way is None and ways and (config.method is not None or config.shape != "table"):
        raise InputError(
            f"engine spark: it works on parts of these data, and {obstacles[0]}; change that, or leave out --engine"
        )
    hinders = explain_not_countable(config) if way is None else None
    if hinders is not None:
        raise InputError(
            f"engine spark: it releases tables in files, one row per person, from counts; of these data, {hinders}; "
            "change that, or leave out --engine"
        )
    room = PrivateFolder(engine.find_shared_place(beside), engine.map)
    assert path is not None
    if path.is_file():
        found: Opened | None = _read_tidy(config, claim, room) if way is None else way.open(config, room)
        if found is None:
            raise InputError(
                f"{path.name}: all its records must be at hand to be read right; leave out --engine"
            )
        return found
    frame = _scanned(config, path, engine)
    if way is None:
        return _count_table(config, claim, frame, engine, path.name, room)
    origin = _find_origin(config, frame, engine, path.name, room)
    if not origin.records:
        raise _no_records(path.name)
    return read_fragmented_table(origin, room, config.part or PART)


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
