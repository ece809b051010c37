"""The records that a configuration names: from a file or a database, with a role for every column.

Columns that are dropped or tell nobody apart are left out.

Free text is left out and counted, or handed to Presidio, which takes out what it recognizes.

Whatever goes wrong, no text passes through as it is: without the program or its model nothing is read, and a text that
it cannot deal with is left out. What it does not recognize stays, so no claim speaks of such a column.
"""

import logging
import warnings
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

from shoal.base.errors import ExtraError, InputError, ShoalError, ShoalWarning
from shoal.data import Role, Table
from shoal.data.arrays import F8, I8
from shoal.hierarchy import Hierarchy, files
from shoal.hierarchy.files import BuiltFile
from shoal.hierarchy.rules import mapping, rule_of
from shoal.io.config import BESIDE, REST, REST_ONLY, ColumnSpec, Config, Data, HierarchySpec
from shoal.io.formats import is_database
from shoal.io.read.cells import (
    clean_cells,
    factorize,
    in_one_writing,
    looks_named,
    looks_numbered,
    names_of,
    normalize_names,
    tell_repeats,
    text,
    text_column,
)
from shoal.io.read.layout import Layout
from shoal.io.read.notation import Notation, replace_at
from shoal.io.read.source import Source, Variable, no_column
from shoal.io.read.sql import read_rows, url_of_file
from shoal.io.read.table import read

__all__ = [
    "counted_text",
    "entries_of",
    "may_nest",
    "population_of",
    "public_people",
    "records_of",
    "redacted",
    "sampled_people",
    "settle_roles",
    "without_own_missing",
]


_MODELS = ("en_core_web_lg", "en_core_web_trf", "en_core_web_md", "en_core_web_sm")
"""Models of spaCy that recognize names in English, the one that Presidio takes by itself first."""

_LANGUAGE = "en"
_LOGGERS = ("presidio-analyzer", "presidio-anonymizer", "tldextract")


def counted_text(name: str, many: int) -> str:
    """How a column of free text is named where its fate is told.

    >>> counted_text("note", 1200)
    'note (free text: 1,200 texts)'
    """
    return f"{name} (free text: {many:,} text{'' if many == 1 else 's'})"


def redacted(cells: pl.Series, where: str) -> pl.Series:
    """Texts as Presidio leaves them; those that it fails on are null, and counted in a warning.

    Raises
    ------
    ExtraError
        Presidio or its model is not installed.
    InputError
        The cells are no texts, or it fails on all of them.
    """
    if cells.dtype != pl.String:
        raise InputError(f"{where}: cells are not text, so nothing can be redacted; drop the column")
    redact = _presidio(where)
    different = cells.drop_nulls().unique().to_list()
    made = {text: _safely(redact, text) for text in different}
    failed = sum(text is None for text in made.values())
    if failed and failed == len(different):
        raise InputError(
            f"{where}: Presidio fails on every text; leave redact out, and the column is left out"
        )
    left = f" {failed:,} texts that it fails on are left out." if failed else ""
    warnings.warn(
        f"{where}: redacted by Presidio, which does not find every name; no claim speaks of this column.{left}",
        ShoalWarning,
        stacklevel=2,
    )
    return pl.Series(cells.name, [None if cell is None else made[cell] for cell in cells], dtype=pl.String)


def _safely(redact: Callable[[str], Any], text: str) -> str | None:
    """A text as it is redacted; None where that fails or gives no text."""
    try:
        found = redact(text)
    except Exception:  # whatever it is, the text must not pass
        return None
    return found if isinstance(found, str) else None


def _presidio(where: str) -> Callable[[str], str]:
    """A function that redacts one text."""
    if find_spec("presidio_analyzer") is None or find_spec("presidio_anonymizer") is None:
        raise ExtraError(f"{where}: redact needs Presidio; install shoal-privacy[text], or leave redact out")
    model = next((name for name in _MODELS if find_spec(name) is not None), None)
    if model is None:  # Presidio would load one from the network
        raise ExtraError(
            f"{where}: redact needs a model that recognizes names; python -m spacy download {_MODELS[0]}, or leave "
            "redact out"
        )
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what they log may hold what they found
    try:
        analyzing, anonymizing = import_module("presidio_analyzer"), import_module("presidio_anonymizer")
        provider = import_module("presidio_analyzer.nlp_engine").NlpEngineProvider
        models = [{"lang_code": _LANGUAGE, "model_name": model}]
        engine = provider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
        analyzer = analyzing.AnalyzerEngine(nlp_engine=engine, supported_languages=[_LANGUAGE])
        anonymizer = anonymizing.AnonymizerEngine()
    except (Exception, SystemExit):
        raise ExtraError(
            f"{where}: Presidio cannot be started; install shoal-privacy[text] again, or leave redact out"
        ) from None

    def redact(text: str) -> str:
        results = analyzer.analyze(text=text, language=_LANGUAGE)
        return str(anonymizer.anonymize(text=text, analyzer_results=results).text)

    return redact


_UNREADABLE = (pl.Binary, pl.Object)
_FIRST = 1000
_MAY_NEST = ("items", "drop")


def records_of(config: Config) -> Source:
    """The records; items columns that stand among them may hold lists, and what is dropped anything."""
    data = config.data
    nested = may_nest({name: spec.role for name, spec in config.columns.items()})
    if data.path is not None and not is_database(data.path.name):
        return read(
            data.path,
            delimiter=data.delimiter,
            encoding=data.encoding,
            missing=data.missing,
            nested=nested,
            layout=data.layout,
        )
    if data.table is None:
        raise InputError("configuration: [data] has a database and no table; name the one with the records")
    return read_rows(_url(data), data.table, missing=data.missing, nested=nested)


def _url(data: Data) -> str:
    """Where the database is, whether its URL or its file was given."""
    return str(data.url) if data.path is None else url_of_file(data.path)


def entries_of(config: Config, name: str, spec: ColumnSpec) -> Source:
    """The long table that holds the items of column `name`, one row per item."""
    data = config.data
    if spec.path is not None:
        return read(
            spec.path, delimiter=data.delimiter, encoding=data.encoding, missing=data.missing, layout=Layout()
        )
    if data.url is None and (data.path is None or not is_database(data.path.name)):
        raise InputError(
            f"configuration: items column '{name}' names a table and [data] no url; give its file as path"
        )
    return read_rows(_url(data), str(spec.table), [str(spec.key), str(spec.item)], missing=data.missing)


def public_people(
    config: Config, source: Source, columns: Mapping[str, ColumnSpec], notation: Notation
) -> Source | None:
    """The people of [population], with the quasi-identifiers of the data and nothing else; None where none are given.

    Raises
    ------
    InputError
        A column is not there, or they are the people of the data.
    """
    people = population_of(config, columns, notation)
    if people is None:
        return None
    if _same_people(people.frame, source.frame.select(people.frame.columns)):
        raise InputError(
            f"{people.name}: these are the people of the data themselves, whose shares are not public; give others, or "
            "leave [population] out"
        )
    return people


def population_of(config: Config, columns: Mapping[str, ColumnSpec], notation: Notation) -> Source | None:
    """The same, whoever the people of the data are."""
    if config.public is None:
        return None
    if isinstance(config.public, Source):
        people = config.public
    else:
        people = read(config.public, missing=config.data.missing, layout=Layout())
    names = [name for name, spec in columns.items() if spec.role == "quasi"]
    for name in names:
        if name not in people.frame.columns:
            raise InputError(
                f"{people.name}: people of a population need every quasi-identifier, and '{name}' is not there; add it"
            )
    quasi = {name: columns[name] for name in names}
    return _in_one_writing(replace(people, frame=people.frame.select(names)), quasi, notation)


def _same_people(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two tables hold the same rows, in any order."""
    if one.height != other.height:
        return False
    one, other = (frame.select(text(frame[name]) for name in frame.columns) for frame in (one, other))
    return one.sort(one.columns).equals(other.sort(other.columns), null_equal=True)


def sampled_people(config: Config, source: Source, table: Table) -> Table:
    """The table, with how many people each record stands for and who lives together, where columns tell.

    Raises
    ------
    InputError
        Two columns tell it, a weight is no positive number, a record has no household, or a person has two.
    """
    found: dict[str, str] = {}
    for name, spec in config.columns.items():
        if spec.role in ("weight", "household"):
            if spec.role in found:
                raise InputError(
                    f"columns '{found[spec.role]}' and '{name}': both have the role {spec.role}, and only one can be "
                    "counted with; drop the other"
                )
            if name not in source.frame.columns:
                raise no_column(source, name, config.columns)
            found[spec.role] = name
    if "weight" in found:
        table = replace(table, weights=_weights(source, found["weight"], config.data.notation, table))
    if "household" in found:
        table = replace(table, households=_households(source, found["household"], table))
    return table


def _weights(source: Source, name: str, notation: Notation, table: Table) -> F8:
    """The sampling weights, one for each record."""
    cells = in_one_writing(source, name, notation, bare=True)
    read = text_column(source, name) if cells is None else cells
    weights = read.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    wrong = ~(np.isfinite(weights) & (weights > 0))
    where = f"{source.name}, column '{name}'"
    if wrong.any():
        raise InputError(
            f"{where}: {int(wrong.sum())} record(s), first record {int(wrong.argmax()) + 1}, have no sampling weight "
            "above 0; correct them, leave these records out, or drop the column"
        )
    _refuse_several(where, weights, table, "weight", ", or drop the column")
    return weights


def _households(source: Source, name: str, table: Table) -> I8:
    """The households, one for each record."""
    names = names_of(source, name, "household; give whoever lives alone one of their own")
    of = factorize(names)[1].astype(np.int64)
    _refuse_several(f"{source.name}, column '{name}'", of, table, "household")
    return of


def _refuse_several(where: str, values: F8 | I8, table: Table, what: str, else_: str = "") -> None:
    """Refuse a person who has one weight or household in a record and another in the next."""
    if table.persons is None:
        return
    first, person = np.unique(table.persons, return_index=True, return_inverse=True)[1:]
    other = values != values[first][person]
    if other.any():
        raise InputError(
            f"{where}, record {int(other.argmax()) + 1}: another {what} than in an earlier record of the same person; "
            f"give a person one {what}{else_}"
        )


@dataclass(frozen=True, slots=True)
class _AllBut(Container[str]):
    """Every name but these."""

    names: frozenset[str]

    def __contains__(self, name: object) -> bool:
        return name not in self.names


def may_nest(roles: Mapping[str, Role]) -> Container[str]:
    """The columns whose cells may be lists or objects: items, and what is left out."""
    if roles.get(REST) == "drop":
        return _AllBut(frozenset(name for name, role in roles.items() if role not in _MAY_NEST))
    return frozenset(name for name, role in roles.items() if role in _MAY_NEST)


def settle_roles(config: Config, source: Source) -> tuple[Config, Source]:
    """Give the columns that are not named the default role, leave out what is dropped, and read numbers and dates.

    A column that says whom a row or an entry belongs to is an identifier, whatever the default is.

    Raises
    ------
    InputError
        A dropped column is not there, or every column is dropped.
    """
    there = source.frame.columns
    columns = {name: spec for name, spec in config.columns.items() if name != REST}
    for name, spec in columns.items():
        if spec.role in ("drop", "text") and name not in there:
            raise no_column(source, name, columns)
    if REST in config.columns:
        rest = config.columns[REST]
        if rest.role not in ("drop", "identifier"):
            raise InputError(f"roles: {REST_ONLY}")
        columns |= {name: rest for name in there if name not in columns}
    for name in _owners(config):
        if name in columns and columns[name].role == "drop":
            columns[name] = ColumnSpec("identifier")
    beside = [name for name in there if name in columns and columns[name].role in BESIDE]
    source, texts = _without_free_text(source, columns)
    columns |= {
        name: replace(
            columns[name], role=columns[name].released_as, allow=columns[name].allow or name in texts
        )
        for name in beside
    }
    gone = [name for name in there if name in columns and columns[name].role == "drop"]
    if len(gone) == len(there):
        raise InputError(f"{source.name}: every column is dropped; nothing is left to publish")
    shared = [name for name in there if name in columns and columns[name].shared]
    told_apart = any(spec.role == "identifier" for spec in columns.values())  # its repeats are refused
    if config.data.person is None and not told_apart:
        _tell(source, [name for name in gone if name not in beside])
    kept = {name: spec for name, spec in columns.items() if spec.role != "drop" and name not in shared}
    left = [*gone, *shared]
    told = [texts.get(name, name) for name in left]
    source = replace(source, frame=source.frame.drop(left), dropped=(*source.dropped, *told))
    source = _with_stated_codes(source, kept)
    source = replace(
        source, frame=without_own_missing(source.frame, {name: spec.missing for name, spec in kept.items()})
    )
    source = _in_one_writing(source, kept, config.data.notation)
    settled_data = replace(
        config.data, decimal=".", thousands=None, dates=None
    )  # 1,234 became 1.234: not 1234
    return replace(config, columns=kept, data=settled_data), source


def _without_free_text(source: Source, columns: Mapping[str, ColumnSpec]) -> tuple[Source, dict[str, str]]:
    """The records, free text that is to be published redacted; and what is told of each column of free text."""
    told, made = {}, []
    for name in source.frame.columns:
        spec = columns.get(name)
        if spec is None or spec.role != "text":
            continue
        cells = source.frame[name]
        if not cells.dtype.is_nested() and cells.dtype not in _UNREADABLE:
            cells = clean_cells(text(cells), source.missing)
        if spec.redact is not None:
            cells = redacted(cells, f"{source.name}, column '{name}'")
            made.append(cells.alias(name))
        told[name] = counted_text(name, len(cells) - cells.null_count())
    if not made:
        return source, told
    names = tuple(cells.name for cells in made)
    return replace(source, frame=source.frame.with_columns(made), redacted=names), told


def without_own_missing(frame: pl.DataFrame, missing: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """The frame without the cells that mean "no value" in their column alone, whatever they mean in others.

    >>> without_own_missing(pl.DataFrame({"sex": [1, 9], "age": [9, 40]}), {"sex": ("9",)}).rows()
    [(1, 9), (None, 40)]
    """
    return frame.with_columns(
        replace_at(frame[name], text(frame[name]).is_in(list(gone)), None).alias(name)
        for name, gone in missing.items()
        if gone and name in frame.columns and not frame.schema[name].is_nested()
    )


def _with_stated_codes(source: Source, columns: Mapping[str, ColumnSpec]) -> Source:
    """The records; of columns that are not made anew, codes of words that mean "no value" are missing codes."""
    variables = dict(source.variables)
    for name, spec in columns.items():
        told = variables.get(name, Variable())
        words = [word for word in dict.fromkeys((*source.missing, *spec.missing)) if word]
        if told.codebook is None or not told.public or spec.role not in ("quasi", "sensitive", "plain"):
            continue
        stated = told.codebook.stated_codes(words)
        if not stated:
            continue
        codes = text(source.frame[name]).replace_strict(stated, default=None, return_dtype=pl.String)
        if told.missing_codes is not None:
            codes = codes.fill_null(told.missing_codes)
        book = replace(told.codebook, stated=tuple(stated.values()))
        variables[name] = replace(told, codebook=book, missing_codes=codes)
    return replace(source, variables=variables)


def _in_one_writing(source: Source, columns: Mapping[str, ColumnSpec], notation: Notation) -> Source:
    """The records, numbers and dates of the columns that are made coarser in one writing.

    A column that is published as it is keeps its cells, but for decimal commas.
    """
    made = []
    for name, spec in columns.items():
        if spec.role in ("identifier", "items"):
            continue
        coarser = spec.role == "quasi" or spec.level is not None or spec.shift is not None
        if not coarser and notation.decimal == ".":
            continue
        if coarser and _keeps_writing(spec.hierarchy):
            continue
        cells = in_one_writing(source, name, notation, bare=not coarser)
        if cells is not None and not (
            coarser and _is_listed(source.frame[name], cells, name, spec.hierarchy)
        ):
            made.append(cells.alias(name))
    return replace(source, frame=source.frame.with_columns(made)) if made else source


def _keeps_writing(spec: HierarchySpec | None) -> bool:
    """Whether a rule says how its values are written, or takes them for texts."""
    return isinstance(spec, Mapping) and ("mask" in spec or isinstance(spec.get("dates"), Mapping))


def _is_listed(raw: pl.Series, cells: pl.Series, name: str, spec: HierarchySpec | None) -> bool:
    """Whether a hierarchy that is given lists the cells as they are, rather than in one writing."""
    if spec is None or (isinstance(spec, Mapping) and rule_of(spec) is not None):
        return False
    try:
        if isinstance(spec, Mapping):
            hierarchy = mapping(name, spec)
        elif isinstance(spec, Hierarchy):
            hierarchy = spec
        else:
            hierarchy = files.read(spec.path if isinstance(spec, BuiltFile) else spec)
    except ShoalError:
        return True  # told where it is used
    leaves = list(hierarchy.leaves)
    written, made = (one.drop_nulls().unique() for one in (raw, cells))
    listed, other = (int(one.is_in(leaves).sum()) for one in (written, made))
    if listed == other:  # cells that cannot be read are in no hierarchy
        return listed == len(written) or other < len(made)
    return listed > other


def _owners(config: Config) -> set[str]:
    """The columns of the records that name persons."""
    if config.data.person is not None:
        return {config.data.person}
    return {spec.key for spec in config.columns.values() if spec.key is not None}


def _tell(source: Source, gone: list[str]) -> None:
    """Say where a dropped column looks as if it said whose rows are whose."""
    for name in gone:
        cells = source.frame[name]
        if cells.dtype.is_nested() or cells.dtype in _UNREADABLE:
            continue
        first = normalize_names(clean_cells(text(cells.head(_FIRST)), source.missing))
        if looks_named(name) or looks_numbered(first):  # few columns do, and all rows of those are looked at
            names = normalize_names(clean_cells(text(cells), source.missing))
            tell_repeats(source.name, name, names, f'say person = "{name}"')
