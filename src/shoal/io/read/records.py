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
from shoal.base.naming import RECODED
from shoal.data import Role, Table
from shoal.data.arrays import F8, I8
from shoal.hierarchy import Hierarchy, files
from shoal.hierarchy.files import BuiltFile
from shoal.hierarchy.rules import mapping, rule_of
from shoal.io.config import BESIDE, REST, REST_ONLY, ColumnSpec, Config, Data, HierarchySpec
from shoal.io.formats import is_database
from shoal.io.read.cells import (
    cell_texts,
    clean_cells,
    factorize,
    has_identifier_values,
    is_identifier_name,
    normalize_names,
    normalize_notation,
    require_names,
    text_column,
    warn_repeats,
)
from shoal.io.read.layout import Layout
from shoal.io.read.notation import Notation, replace_at
from shoal.io.read.source import Source, Variable, column_error
from shoal.io.read.sql import read_rows, url_of_file
from shoal.io.read.table import read

__all__ = [
    "_redact_texts",
    "add_sampling",
    "describe_text_column",
    "may_nest",
    "null_missing_codes",
    "read_entries",
    "read_population",
    "read_public_people",
    "read_records",
    "settle_roles",
]


_MODELS = ("en_core_web_lg", "en_core_web_trf", "en_core_web_md", "en_core_web_sm")
"""Models of spaCy that recognize names in English, the one that Presidio takes by itself first."""

_LANGUAGE = "en"
_LOGGERS = ("presidio-analyzer", "presidio-anonymizer", "tldextract")


def describe_text_column(name: str, many: int) -> str:
    """How a column of free text is named where its fate is told.

    >>> describe_text_column("note", 1200)
    'note (free text: 1,200 texts)'
    """
    return f"{name} (free text: {many:,} text{'' if many == 1 else 's'})"


def _redact_texts(cells: pl.Series, where: str) -> pl.Series:
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
    redact = _load_redactor(where)
    different = cells.drop_nulls().unique().to_list()
    redaction_of_text = {text: _redact_or_none(redact, text) for text in different}
    failed = sum(text is None for text in redaction_of_text.values())
    if failed and failed == len(different):
        raise InputError(
            f"{where}: Presidio fails on every text; leave redact out, and the column is left out"
        )
    suffix = f" {failed:,} texts that it fails on are left out." if failed else ""
    warnings.warn(
        f"{where}: redacted by Presidio, which does not find every name; no claim speaks of this column.{suffix}",
        ShoalWarning,
        stacklevel=2,
    )
    return pl.Series(
        cells.name, [None if cell is None else redaction_of_text[cell] for cell in cells], dtype=pl.String
    )


def _redact_or_none(redact: Callable[[str], Any], text: str) -> str | None:
    """A text as it is redacted; None where that fails or gives no text."""
    try:
        result = redact(text)
    except Exception:  # whatever it is, the text must not pass
        return None
    return result if isinstance(result, str) else None


def _load_redactor(where: str) -> Callable[[str], str]:
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


def read_records(config: Config) -> Source:
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
    return read_rows(_database_url(data), data.table, missing=data.missing, nested=nested)


def _database_url(data: Data) -> str:
    """Where the database is, whether its URL or its file was given."""
    return str(data.url) if data.path is None else url_of_file(data.path)


def read_entries(config: Config, name: str, spec: ColumnSpec) -> Source:
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
    return read_rows(
        _database_url(data), str(spec.table), [str(spec.key), str(spec.item)], missing=data.missing
    )


def read_public_people(
    config: Config, source: Source, columns: Mapping[str, ColumnSpec], notation: Notation
) -> Source | None:
    """The people of [population], with the quasi-identifiers of the data and nothing else; None where none are given.

    Raises
    ------
    InputError
        A column is not there, or they are the people of the data.
    """
    people = read_population(config, columns, notation)
    if people is None:
        return None
    if _are_same_people(people.frame, source.frame.select(people.frame.columns)):
        raise InputError(
            f"{people.name}: these are the people of the data themselves, whose shares are not public; give others, or "
            "leave [population] out"
        )
    return people


def read_population(config: Config, columns: Mapping[str, ColumnSpec], notation: Notation) -> Source | None:
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
    return _normalize_columns(replace(people, frame=people.frame.select(names)), quasi, notation)


def _are_same_people(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two tables hold the same rows, in any order."""
    if one.height != other.height:
        return False
    one, other = (frame.select(cell_texts(frame[name]) for name in frame.columns) for frame in (one, other))
    return one.sort(one.columns).equals(other.sort(other.columns), null_equal=True)


def add_sampling(config: Config, source: Source, table: Table) -> Table:
    """The table, with how many people each record stands for and who lives together, where columns tell.

    Raises
    ------
    InputError
        Two columns tell it, a weight is no positive number, a record has no household, or a person has two.
    """
    column_of_role: dict[str, str] = {}
    for name, spec in config.columns.items():
        if spec.role in ("weight", "household"):
            if spec.role in column_of_role:
                raise InputError(
                    f"columns '{column_of_role[spec.role]}' and '{name}': both have the role {spec.role}, and "
                    "only one can be "
                    "counted with; drop the other"
                )
            if name not in source.frame.columns:
                raise column_error(source, name, config.columns)
            column_of_role[spec.role] = name
    if "weight" in column_of_role:
        table = replace(
            table, weights=_read_weights(source, column_of_role["weight"], config.data.notation, table)
        )
    if "household" in column_of_role:
        table = replace(table, households=_read_households(source, column_of_role["household"], table))
    return table


def _read_weights(source: Source, name: str, notation: Notation, table: Table) -> F8:
    """The sampling weights, one for each record."""
    cells = normalize_notation(source, name, notation, bare=True)
    values = text_column(source, name) if cells is None else cells
    weights = values.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    is_invalid = ~(np.isfinite(weights) & (weights > 0))
    label = f"{source.name}, column '{name}'"
    if is_invalid.any():
        raise InputError(
            f"{label}: {int(is_invalid.sum())} record(s), first record {int(is_invalid.argmax()) + 1}, have no "
            "sampling weight "
            "above 0; correct them, leave these records out, or drop the column"
        )
    _refuse_several(label, weights, table, "weight", ", or drop the column")
    return weights


def _read_households(source: Source, name: str, table: Table) -> I8:
    """The households, one for each record."""
    names = require_names(source, name, "household; give anyone who lives alone one of their own")
    household_codes = factorize(names)[1].astype(np.int64)
    _refuse_several(f"{source.name}, column '{name}'", household_codes, table, "household")
    return household_codes


def _refuse_several(where: str, values: F8 | I8, table: Table, what: str, else_: str = "") -> None:
    """Refuse a person who has one weight or household in a record and another in the next."""
    if table.persons is None:
        return
    first_rows, person = np.unique(table.persons, return_index=True, return_inverse=True)[1:]
    differs = values != values[first_rows][person]
    if differs.any():
        raise InputError(
            f"{where}, record {int(differs.argmax()) + 1}: another {what} than in an earlier record of the same "
            "person; "
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
    file_columns = source.frame.columns
    columns = {name: spec for name, spec in config.columns.items() if name != REST}
    for name, spec in columns.items():
        if spec.role in ("drop", "text") and name not in file_columns:
            raise column_error(source, name, columns)
    if REST in config.columns:
        default_spec = config.columns[REST]
        if default_spec.role not in ("drop", "identifier"):
            raise InputError(f"roles: {REST_ONLY}")
        columns |= {name: default_spec for name in file_columns if name not in columns}
    for name in _person_columns(config):
        if name in columns and columns[name].role == "drop":
            columns[name] = ColumnSpec("identifier")
    side_columns = [name for name in file_columns if name in columns and columns[name].role in BESIDE]
    source, texts = _redact_free_text(source, columns)
    columns |= {
        name: replace(
            columns[name], role=columns[name].released_as, allow=columns[name].allow or name in texts
        )
        for name in side_columns
    }
    dropped_names = [name for name in file_columns if name in columns and columns[name].role == "drop"]
    if len(dropped_names) == len(file_columns):
        raise InputError(f"{source.name}: every column is dropped; nothing is left to publish")
    shared = [name for name in file_columns if name in columns and columns[name].shared]
    has_identifier = any(spec.role == "identifier" for spec in columns.values())  # its repeats are refused
    if config.data.person is None and not has_identifier:
        _warn_identifiers(source, [name for name in dropped_names if name not in side_columns])
    kept_columns = {
        name: spec for name, spec in columns.items() if spec.role != "drop" and name not in shared
    }
    omitted_names = [*dropped_names, *shared]
    omitted_labels = [texts.get(name, name) for name in omitted_names]
    source = replace(
        source, frame=source.frame.drop(omitted_names), dropped=(*source.dropped, *omitted_labels)
    )
    source = _set_stated_codes(source, kept_columns)
    source = replace(
        source,
        frame=null_missing_codes(source.frame, {name: spec.missing for name, spec in kept_columns.items()}),
    )
    source = _normalize_columns(source, kept_columns, config.data.notation)
    settled_data = replace(
        config.data, decimal=".", thousands=None, dates=None
    )  # 1,234 became 1.234: not 1234
    return replace(config, columns=kept_columns, data=settled_data), source


def _redact_free_text(source: Source, columns: Mapping[str, ColumnSpec]) -> tuple[Source, dict[str, str]]:
    """The records, free text that is to be published redacted; and what is told of each column of free text."""
    label_of_column, new_cells = {}, []
    for name in source.frame.columns:
        spec = columns.get(name)
        if spec is None or spec.role != "text":
            continue
        cells = source.frame[name]
        if not cells.dtype.is_nested() and cells.dtype not in _UNREADABLE:
            cells = clean_cells(cell_texts(cells), source.missing)
        if spec.redact is not None:
            cells = _redact_texts(cells, f"{source.name}, column '{name}'")
            new_cells.append(cells.alias(name))
        label_of_column[name] = describe_text_column(name, len(cells) - cells.null_count())
    if not new_cells:
        return source, label_of_column
    names = tuple(cells.name for cells in new_cells)
    return replace(source, frame=source.frame.with_columns(new_cells), redacted=names), label_of_column


def null_missing_codes(frame: pl.DataFrame, missing: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """The frame without the cells that mean "no value" in their column alone, whatever they mean in others.

    >>> null_missing_codes(pl.DataFrame({"sex": [1, 9], "age": [9, 40]}), {"sex": ("9",)}).rows()
    [(1, 9), (None, 40)]
    """
    return frame.with_columns(
        replace_at(frame[name], cell_texts(frame[name]).is_in(list(codes)), None).alias(name)
        for name, codes in missing.items()
        if codes and name in frame.columns and not frame.schema[name].is_nested()
    )


def _set_stated_codes(source: Source, columns: Mapping[str, ColumnSpec]) -> Source:
    """The records; of columns that are not made anew, codes of words that mean "no value" are missing codes."""
    variables = dict(source.variables)
    for name, spec in columns.items():
        variable = variables.get(name, Variable())
        words = [word for word in dict.fromkeys((*source.missing, *spec.missing)) if word]
        if (
            variable.codebook is None
            or not variable.public
            or spec.role not in (*RECODED, "sensitive", "plain")
        ):
            continue
        stated = variable.codebook.stated_codes(words)
        if not stated:
            continue
        codes = cell_texts(source.frame[name]).replace_strict(stated, default=None, return_dtype=pl.String)
        if variable.missing_codes is not None:
            codes = codes.fill_null(variable.missing_codes)
        book = replace(variable.codebook, stated=tuple(stated.values()))
        variables[name] = replace(variable, codebook=book, missing_codes=codes)
    return replace(source, variables=variables)


def _normalize_columns(source: Source, columns: Mapping[str, ColumnSpec], notation: Notation) -> Source:
    """The records, numbers and dates of the columns that are made coarser in one writing.

    A column that is published as it is keeps its cells, but for decimal commas.
    """
    new_cells = []
    for name, spec in columns.items():
        if spec.role in ("identifier", "items"):
            continue
        coarser = spec.role in RECODED or spec.level is not None or spec.shift is not None
        if not coarser and notation.decimal == ".":
            continue
        if coarser and _keeps_writing(spec.hierarchy):
            continue
        cells = normalize_notation(source, name, notation, bare=not coarser)
        if cells is not None and not (
            coarser and _is_listed(source.frame[name], cells, name, spec.hierarchy)
        ):
            new_cells.append(cells.alias(name))
    return replace(source, frame=source.frame.with_columns(new_cells)) if new_cells else source


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
    raw_values, new_values = (values.drop_nulls().unique() for values in (raw, cells))
    raw_hits, new_hits = (int(values.is_in(leaves).sum()) for values in (raw_values, new_values))
    if raw_hits == new_hits:  # cells that cannot be read are in no hierarchy
        return raw_hits == len(raw_values) or new_hits < len(new_values)
    return raw_hits > new_hits


def _person_columns(config: Config) -> set[str]:
    """The columns of the records that name persons."""
    if config.data.person is not None:
        return {config.data.person}
    return {spec.key for spec in config.columns.values() if spec.key is not None}


def _warn_identifiers(source: Source, gone: list[str]) -> None:
    """Say where a dropped column looks as if it said whose rows are whose."""
    for name in gone:
        cells = source.frame[name]
        if cells.dtype.is_nested() or cells.dtype in _UNREADABLE:
            continue
        first_names = normalize_names(clean_cells(cell_texts(cells.head(_FIRST)), source.missing))
        if is_identifier_name(name) or has_identifier_values(
            first_names
        ):  # few columns do, and all rows of those are looked at
            names = normalize_names(clean_cells(cell_texts(cells), source.missing))
            warn_repeats(source.name, name, names, f'say person = "{name}"')
