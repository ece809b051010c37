"""Unknown data: what it is read as, how, and how several tables hang together where nobody says it."""

import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import EncodingError, InputError, ShoalWarning
from shoal.base.naming import resource_table
from shoal.data import Trees
from shoal.io.config import REST, Data, TreeSpec, parse_reading_keys
from shoal.io.formats import format_of, is_database
from shoal.io.read.cells import cell_texts
from shoal.io.read.layout import KEYS, VALUES, Layout, LayoutError
from shoal.io.read.record_rows import DoubtfulRowsWarning
from shoal.io.read.records import may_nest, null_missing_codes
from shoal.io.read.source import Source, from_frame, refuse_headless
from shoal.io.read.sql import read_rows, url_of_file
from shoal.io.read.sql import read_schema as tables_of_database
from shoal.io.read.table import read
from shoal.io.read.tree_tables import files_of, is_bulk_fhir, read_folder, read_resources, read_table
from shoal.io.read.trees import read_trees, trees_of_records, trees_of_resources
from shoal.io.settings import toml_value
from shoal.proposal.health import HealthForm, fhir_form, omop_form
from shoal.proposal.look import guess_encoding
from shoal.proposal.notation_detection import (
    DetectedNotation,
    detect_notation,
    detect_tree_notation,
    is_unreadable,
)

__all__ = ["DetectedSource", "detect_source"]

_NAMED = 6  # files of a folder
_VALUES = 1_000  # of a column, that are looked through for letters
_SHOWN = 12  # letters
_BY_LABELS = (
    'cells are the labels of values, in words; values = "codes" takes the numbers that stand for them'
)
_EVERYTHING = may_nest({REST: "drop"})


Link = tuple[str, str, str, str]
"""A table and its column, and the table and column that it refers to."""

_ENDS = re.compile(r"(id|nr|no|num|number|key|code|编号|号)$")


@dataclass(frozen=True, slots=True, repr=False)
class DetectedSource(SafeRepr):
    """Data that was read without knowing what it is.

    data   : what [data] says of it
    source : the records of a table, with baskets or without; None of record trees
    trees  : record trees, each field of them there; None of tables
    tree   : of tables that were joined, the one with persons and the keys to follow
    notes  : what somebody should know of how it was read
    nested : records that were in memory
    evidence : for keys of [data], why they are so
    doubts : by column, what somebody has to decide
    own_missing : by column, texts that mean no value there alone; the cells of `source` are without them
    counts : by column of single values of `source`, its different cells and how often each stands there
    form   : of health records in a common form, what their fields are
    doubt  : what somebody has to decide about the file as a whole; empty where nothing is open
    """

    data: Data
    source: Source | None = None
    trees: Trees | None = None
    tree: TreeSpec = field(default_factory=TreeSpec)
    notes: tuple[str, ...] = ()
    nested: Sequence[Mapping[str, Any]] | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)
    own_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    form: HealthForm | None = None
    doubt: str = ""


def detect_source(data: Any, settings: Mapping[str, Any] | None = None) -> DetectedSource:
    """Read a file, a folder of tables, a database, a frame or nested records, whatever they are.

    `settings` are keys of [data] that somebody has stated for one file; what they leave open is found.

    Raises
    ------
    InputError
        It cannot be had, or is nothing that can be read; or settings mean nothing, or are about more than one file.
    """
    if settings:
        if not isinstance(data, str | os.PathLike) or "://" in str(data) or Path(data).is_dir():
            raise InputError(f"{', '.join(settings)}: only for one file; leave it out")
        return _detect_file(Path(data), settings)
    if isinstance(data, str) and "://" in data:
        return _detect_database(data)
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        return _detect_folder(path) if path.is_dir() else _detect_file(path)
    if isinstance(data, list) and data and all(isinstance(record, Mapping) for record in data):
        detection = _detect_trees(
            Data(), TreeSpec(), lambda spec, missing: trees_of_records(data, spec, missing)
        )
        return replace(detection, nested=data)
    return _detect_cells(Data(), from_frame(data))


def _detect_file(path: Path, settings: Mapping[str, Any] | None = None) -> DetectedSource:
    stated = parse_reading_keys(settings or {}, path)
    stated_keys = {key: getattr(stated, key) for key in settings or () if key not in KEYS}
    if is_database(path.name):
        inside = _detect_database(url_of_file(path))
        return replace(inside, data=replace(inside.data, url=None, path=path))
    format = format_of(path.name)
    nested = format if format is not None and format.nested else None
    if nested is not None and not nested.table:
        return _detect_nested(path, stated.layout, stated_keys)
    try:
        data, source, notes, doubt = _locate_table(path, layout=stated.layout)
    except InputError:
        if nested is None or not path.is_file():
            raise
        return _detect_nested(
            path, stated.layout, stated_keys
        )  # fields of several types, which trees may have
    if nested is not None and any(map(_is_deep, source.frame.dtypes)):
        return _detect_nested(
            path, stated.layout, stated_keys
        )  # flat objects, with lists or without, are a table
    if nested is None:
        refuse_headless(source)
    detection = _detect_cells(data, source)
    if detection.source is not None and "missing" in stated_keys:
        detection = replace(detection, source=replace(detection.source, missing=stated.missing))
    return _apply_stated(replace(detection, notes=(*detection.notes, *notes), doubt=doubt), stated_keys)


def _apply_stated(found: DetectedSource, said: Mapping[str, Any]) -> DetectedSource:
    """What was found, but for how somebody says that cells are written."""
    evidence = {key: why for key, why in found.evidence.items() if key not in said}
    return replace(found, data=replace(found.data, **said), evidence=evidence)


def _detect_nested(path: Path, layout: Layout, said: Mapping[str, Any]) -> DetectedSource:
    """Record trees of a file, the array wherever it is in it."""
    try:
        return _detect_trees(
            Data(path, layout=layout),
            TreeSpec(),
            lambda spec, missing: read_trees(path, spec, missing=missing, records=layout.records),
            _layout_reasons(layout),
            said,
        )
    except LayoutError as error:
        if layout:
            raise
        return _detect_nested(path, error.layout, said)


def _detect_trees(
    data: Data,
    spec: TreeSpec,
    reading: Callable[[TreeSpec, tuple[str, ...]], Trees],
    notes: tuple[str, ...] = (),
    said: Mapping[str, Any] = MappingProxyType({}),
) -> DetectedSource:
    """Record trees, and how their values are written; `said` are keys of [data] that somebody has stated."""
    raw = _read_whole_trees(lambda: reading(replace(spec, notation=None), ("",)))
    notation = detect_tree_notation(raw)
    data = replace(_set_notation(data, notation), **said)
    spec = replace(spec, notation=data.notation)
    if data.missing == ("",):
        arrays = raw.start, raw.items, raw.parents
        spelled = Trees.build(spec.spelled(raw.pairs), *arrays, classes=raw.classes, repeats=raw.repeats)
        trees = replace(spelled, nesting=raw.nesting)
    else:
        trees = _read_whole_trees(lambda: reading(spec, data.missing))
    detection = DetectedSource(
        data, trees=trees, tree=spec, notes=notes, evidence=notation.evidence, doubts=notation.doubts
    )
    return _apply_stated(detection, said)


def _set_notation(data: Data, found: DetectedNotation) -> Data:
    how = found.notation
    return replace(data, missing=found.missing, decimal=how.decimal, thousands=how.thousands, dates=how.dates)


def _is_deep(kind: pl.DataType) -> bool:
    if isinstance(kind, pl.Struct):
        return True
    return isinstance(kind, pl.List | pl.Array) and getattr(kind, "inner", pl.String()).is_nested()


def _locate_table(path: Path, **known: Any) -> tuple[Data, Source, tuple[str, ...], str]:
    """The records of a file, where the table stands in it and how it is written; what was told, and what is open."""
    data = Data(path, **known)
    while True:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ShoalWarning)
            try:
                source = read(path, nested=_EVERYTHING, encoding=data.encoding, layout=data.layout)
            except EncodingError:
                if data.encoding is not None:
                    raise
                data = replace(data, encoding=guess_encoding(path))
                continue
            except LayoutError as error:
                if error.layout == data.layout:
                    raise
                usual = error.layout.header if "header" in error.layout.why else data.layout.header
                data = replace(data, layout=replace(error.layout, header=usual))
                continue
        if data.layout.values is None and any(item.coded for item in source.variables.values()):
            why = {**data.layout.why, "values": _BY_LABELS}
            data = replace(data, layout=replace(data.layout, values=VALUES[0], why=why))
        remarks: list[str] = []
        doubts: list[str] = []
        for item in caught:
            doubtful = isinstance(item.message, DoubtfulRowsWarning)
            (doubts if doubtful else remarks).append(str(item.message).removeprefix(f"{path.name}: "))
        return data, source, (*_layout_reasons(data.layout), *remarks), "; ".join(doubts)


def _layout_reasons(layout: Layout) -> tuple[str, ...]:
    return tuple(
        f"{key} = {toml_value(value)}: {layout.why[key]}"
        for key, value in layout.given().items()
        if key in layout.why
    )


def _detect_folder(folder: Path) -> DetectedSource:
    if is_bulk_fhir(folder):
        resources = read_resources(folder)
        form = fhir_form(resources)
        if form is None:
            raise InputError(f"{folder.name}: FHIR resources, but no Patient among them; add their file")
        return _detect_health(
            folder, form, lambda spec, missing: trees_of_resources(folder.name, resources, spec, missing)
        )
    files = files_of(folder)
    unread = _note_unread(folder, files)
    if len(files) == 1:
        detection = _detect_file(next(iter(files.values())))
        return replace(detection, notes=(*detection.notes, *unread))
    frames = {table: read_table(file) for table, file in files.items()}
    if (form := omop_form(frames)) is not None:
        return _detect_health(folder, form, lambda spec, missing: read_folder(folder, spec, missing), unread)
    keys = _guess_keys(frames)
    person = _person_table({table: frame.columns for table, frame in frames.items()}, keys)
    used = _spanning_links(person, keys)
    spec = TreeSpec(person, {f"{a}.{b}": f"{c}.{d}" for a, b, c, d in used})
    notes = (*_note_unreached(frames, used, person), *unread)
    return _detect_trees(Data(folder), spec, lambda spec, missing: read_folder(folder, spec, missing), notes)


def _detect_health(
    folder: Path,
    form: HealthForm,
    reading: Callable[[TreeSpec, tuple[str, ...]], Trees],
    notes: tuple[str, ...] = (),
) -> DetectedSource:
    """Health records, without what is left out of such."""
    spec = TreeSpec(
        form.person, form.keys, drop=tuple(form.left), text=form.texts, identifier=form.identifier
    )
    detection = _detect_trees(Data(folder), spec, reading, (*form.notes, *notes))
    return replace(detection, form=form)


def _note_unread(folder: Path, files: Mapping[str, Path]) -> tuple[str, ...]:
    """What else lies in a folder; hidden files are nobody's table."""
    used = {file.name for file in files.values()}
    names = sorted(
        path.name for path in folder.iterdir() if path.name not in used and not path.name.startswith(".")
    )
    if not names:
        return ()
    addition = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (
        f"read from the folder: {', '.join(sorted(used))}; not read: {', '.join(names[:_NAMED])}{addition}",
    )


def _detect_database(url: str) -> DetectedSource:
    tables, keys = tables_of_database(url)
    if not tables:
        raise InputError("data.url: the database has no table; check its name")
    if len(tables) == 1:
        (table,) = tables
        return _detect_cells(Data(url=url, table=table), read_rows(url, table, nested=_EVERYTHING))
    stated = [(key.table, key.columns[0], key.to, key.to_columns[0]) for key in keys if len(key.columns) == 1]
    guessed = (
        []
        if keys
        else _guess_keys({table: read_rows(url, table, nested=_EVERYTHING).frame for table in tables})
    )
    person = _person_table(tables, stated or guessed)
    used = _spanning_links(person, stated or guessed)
    follow = {} if keys and len(used) == len(keys) else {f"{a}.{b}": f"{c}.{d}" for a, b, c, d in used}
    spec = TreeSpec(person, follow)
    if not used:
        detection = _detect_cells(Data(url=url, table=person), read_rows(url, person, nested=_EVERYTHING))
        return replace(detection, notes=(*detection.notes, *_note_unreached(tables, used, person)))
    notes = _note_unreached(tables, used, person)
    return _detect_trees(
        Data(url=url), spec, lambda spec, missing: read_trees(url, spec, missing=missing), notes
    )


def _note_unreached(
    tables: Mapping[str, Any], used: list[tuple[str, str, str, str]], person: str
) -> tuple[str, ...]:
    reached = {person, *(key[0] for key in used), *(key[2] for key in used)}
    names = [table for table in tables if table not in reached]
    return (f"left out, because no key leads to it from '{person}': {', '.join(names)}",) if names else ()


def _detect_cells(data: Data, source: Source) -> DetectedSource:
    """Find out which texts mean no value, and which sign stands before decimals."""
    if REST in source.frame.columns:
        raise InputError(
            f"{source.name}: a column is called '{REST}', which stands for all others; rename it"
        )
    notation = detect_notation(source)
    notes = (
        (_describe_encoding(data.encoding, source.frame.columns, notation.counts),) if data.encoding else ()
    )
    return DetectedSource(
        _set_notation(data, notation),
        replace(source, frame=null_missing_codes(source.frame, notation.own), missing=notation.missing),
        notes=notes,
        evidence=notation.evidence,
        doubts=notation.doubts,
        own_missing=notation.own,
        counts=notation.counts,
    )


def _describe_encoding(encoding: str, columns: Sequence[str], counts: Mapping[str, pl.DataFrame]) -> str:
    """How a text that is not UTF-8 was read, and what shows whether that is right: its letters beyond ASCII."""
    values = (frame["cell"].gather_every(max(1, frame.height // _VALUES)) for frame in counts.values())
    texts = chain(columns, *values)
    often = Counter(sign for text in texts for sign in text if not sign.isascii() and sign.isalpha())
    letters = " ".join(sorted(sign for sign, _ in often.most_common(_SHOWN)))
    letter_note = (
        f", with the letters {letters}; if they look wrong, save it as UTF-8 and begin again"
        if letters
        else ""
    )
    return f"read as {encoding}, not UTF-8{letter_note}"


def _read_whole_trees(reading: Any) -> Trees:
    """Read trees of which nothing is dropped yet, so that warnings about what is dropped say nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        trees: Trees = reading()
    return trees


def _guess_keys(tables: Mapping[str, pl.DataFrame]) -> list[Link]:
    """Columns of which every cell is a cell of another table's key, and whose names say so.

    >>> people = pl.DataFrame({"id": [1, 2], "age": [40, 50]})
    >>> _guess_keys({"people": people, "visits": pl.DataFrame({"people_id": [2, 2], "ward": ["a", "b"]})})
    [('visits', 'people_id', 'people', 'id')]
    """
    guesses: list[Link] = []
    unique = {
        table: [name for name in frame.columns if _is_key(frame[name])] for table, frame in tables.items()
    }
    for table, frame in tables.items():
        for column in frame.columns:
            links = [
                (table, column, target, key)
                for target in tables
                if target != table
                for key in unique[target]
                if _have_same_name(column, target, key) and _are_all_keys(frame[column], tables[target][key])
                if not (column in unique[table] and _is_primary(table, column, target, key))
            ]
            links.sort(key=lambda link: (not _names_persons(link[2]), link[1] != link[3], link[2]))
            guesses += links[:1]
    return guesses


def _person_table(tables: Mapping[str, Sequence[str]], keys: Sequence[Link]) -> str:
    """The table with one row per person: named so, or the one that most others lead to.

    Raises
    ------
    InputError
        No table is named so, and no keys tell.
    """
    named = [table for table in tables if _names_persons(table)]
    referring = {table: len({key[0] for key in keys if key[2] == table}) for table in tables}
    choice = named or [table for table in tables if referring[table]]
    if not choice:
        raise InputError(
            f"the {len(tables)} tables: none is named like persons and no column refers to another table; write "
            "[tree] with person and keys yourself, as docs/reference/config.md shows"
        )
    return max(choice, key=lambda table: (referring[table], -len(table)))


def _names_persons(table: str) -> bool:
    """Whether a table is called after persons."""
    stems: list[str] = resource_table("shoal.data", "words.toml")["persons"]
    return any(stem in table.lower() for stem in stems)


def _spanning_links(person: str, keys: Sequence[Link]) -> list[Link]:
    """The keys that lead from the persons to each table in one way, the nearest first.

    From a row one goes to the rows that refer to it, and to the row it refers to; from there no longer to others.

    >>> _spanning_links("p", [("v", "p", "p", "id"), ("p", "town", "t", "id"), ("w", "town", "t", "id")])
    [('v', 'p', 'p', 'id'), ('p', 'town', 't', 'id')]
    """
    used: list[Link] = []
    reached, queue = {person}, [(person, True)]
    for table, down in queue:  # grows as it is read
        for key in keys:
            if down and key[2] == table and key[0] not in reached:
                used.append(key)
                reached.add(key[0])
                queue.append((key[0], True))
            elif key[0] == table and key[2] not in reached:
                used.append(key)
                reached.add(key[2])
                queue.append((key[2], False))
    return used


def _is_key(cells: pl.Series) -> bool:
    if is_unreadable(cells) or not len(cells) or not _ENDS.search(cells.name.lower()):
        return False
    if cells.dtype.is_float() and not (cells == cells.round()).all():
        return False
    return not cells.null_count() and cells.n_unique() == len(cells)


def _have_same_name(column: str, table: str, key: str) -> bool:
    """Whether a column is named as another table's key, or as that table with `id` behind it."""
    low, high = _bare_name(column), _bare_name(key)
    if low == high and low not in ("id", "nr", "no", "key"):
        return True
    stem = _ENDS.sub("", low)
    table_name = _bare_name(table)
    return bool(stem) and (
        table_name == stem
        or table_name in (f"{stem}s", f"{stem}es", f"{stem}en", f"{stem}n")
        or (table_name.startswith(stem) and len(stem) > 3)
    )


def _bare_name(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def _are_all_keys(cells: pl.Series, keys: pl.Series) -> bool:
    """Whether all cells are keys, as text: a parquet file holds whole numbers with gaps between them as floats."""
    if is_unreadable(cells):
        return False
    low, high = cell_texts(cells).drop_nulls(), cell_texts(keys)
    return len(low) > 0 and bool(low.unique().is_in(high.implode()).all())


def _is_primary(table: str, column: str, other: str, key: str) -> bool:
    """Of two tables that share a key one to one, whether this one is the one referred to."""
    mine, theirs = _names_persons(table), _names_persons(other)
    if mine != theirs:
        return mine
    return _bare_name(column) == _bare_name(key) and table < other
