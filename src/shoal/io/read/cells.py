"""From a source to a coded table: the one place where cells become text, and text becomes codes.

Who is who: names of persons as they are compared, and columns that look like such names.
"""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import get_args

import numpy as np
import polars as pl

from shoal.base.errors import InputError, ShoalWarning
from shoal.data import Column, Role, Table
from shoal.data.arrays import I4, I8
from shoal.data.spelling import normalize_person_name
from shoal.io.read.notation import Notation
from shoal.io.read.source import Source, column_error, role_error
from shoal.io.read.writings import read_writing

__all__ = [
    "REPEATED",
    "SIGNS",
    "cell_texts",
    "clean_cells",
    "code_table",
    "factorize",
    "gather_cells",
    "has_identifier_values",
    "is_identifier_name",
    "json_cells",
    "normalize_names",
    "normalize_notation",
    "normalize_pairs",
    "person_names",
    "refuse_repeats",
    "refuse_same",
    "refuse_shared",
    "require_names",
    "text_column",
    "truncate_to_dates",
    "warn_repeats",
]


_BLANKS, _UNUSUAL = r"[\s\u200b\u2060\ufeff]+", r"[^\x21-\x7e]"
_WHOLE = r"^([0-9]+)\.0+$"  # a number of a person that some program took for a measure
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LAST = frozenset(
    "id ids uid uuid guid nr no num number key name surname ssn mrn email mail phone iban login user username patient "
    "person customer client member subject participant respondent".split()
)
_JOINED = re.compile(
    r"(patient|person|customer|client|user|member|subject|participant|case|record)s?(id|nr|no|num|number|name)"
)
_UUID, _MAIL = "[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}", r"[^@\s]+@[^@\s]+\.[^@\s]+"
_NUMBERED = f"^(?:0[0-9]{{4,}}|[0-9]{{6,}}|[A-Za-z]{{1,4}}[-_]?[0-9]{{4,}}|{_UUID}|{_MAIL})$"
_OFTEN = 0.1  # of the rows: a column with fewer different values tells groups, not persons


def normalize_names(cells: pl.Series) -> pl.Series:
    """Names of persons as they are compared: without blanks and what nobody sees, an empty one null.

    >>> normalize_names(pl.Series(["A 1", "A1 ", "A1.0", "7.0", " ", None])).to_list()
    ['A1', 'A1', 'A1.0', '7', None, None]
    """
    bare = cells.str.replace_all(_BLANKS, "") if cells.str.contains(_BLANKS).any() else cells
    unusual_names = bare.filter(bare.str.contains(_UNUSUAL)).unique().to_list()
    bare = (
        bare.replace(unusual_names, list(map(normalize_person_name, unusual_names)))
        if unusual_names
        else bare
    )
    bare = bare.str.replace(_WHOLE, "$1") if bare.str.contains(_WHOLE).any() else bare
    return bare.set(bare == "", None) if (bare == "").any() else bare


def refuse_same(where: str, names: pl.Series, remedy: str) -> None:
    """Refuse records that share a name, or of which several have none: they may be one person's."""
    refuse_shared(where, int(names.drop_nulls().is_duplicated().sum()), names.null_count(), remedy)


def refuse_shared(where: str, shared: int, gone: int, remedy: str) -> None:
    """Refuse so many records that share a name, or that have none."""
    if shared:
        raise InputError(f"{where}: {shared} records share an identifier; {remedy}")
    if gone > 1:
        raise InputError(
            f"{where}: {gone} records have no identifier, so they may belong to one person; give each its own, or "
            f"{remedy}"
        )


def is_identifier_name(column: str) -> bool:
    """Whether a column is called as names and numbers of persons are.

    >>> [is_identifier_name(name) for name in ("patient_id", "PatientID", "userid", "name", "age", "covid")]
    [True, True, True, True, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(column)]
    return bool(words) and (words[-1] in _LAST or _JOINED.fullmatch("".join(words)) is not None)


def has_identifier_values(names: pl.Series) -> bool:
    """Whether cells look like numbers of persons: long codes of one length or addresses, many of them different."""
    present = names.drop_nulls()
    if not len(present) or present.n_unique() < max(2, _OFTEN * len(present)):
        return False
    digits = present.filter(present.str.contains(r"^[0-9]+$"))
    has_one_length = not len(digits) or digits.str.len_chars().n_unique() == 1
    return has_one_length and bool(present.str.contains(_NUMBERED).all())


def warn_repeats(where: str, column: str, names: pl.Series, remedy: str) -> None:
    """Tell that a column that is left out looks like an identifier, and that values of it repeat."""
    shared = int(names.drop_nulls().is_duplicated().sum())
    if shared and (is_identifier_name(column) or has_identifier_values(names)):
        warnings.warn(
            f"{where}: '{column}' is dropped, looks like an identifier, and {shared} records share a value of it; "
            f"every record is now taken for a different person; if that is wrong, {remedy}",
            ShoalWarning,
            stacklevel=2,
        )


REPEATED = (
    "set data.person to the column that says whom a row belongs to, so that persons are counted, not rows; or give the "
    "column the role drop where every row is another person"
)
"""What to do where an identifier repeats."""

_SAFE = 2**53 - 1
_EXACT = 2.0**63  # whole floats below this have an Int64 of the same value


SIGNS = (".", ",")
"""What may stand before the decimals of a number."""


def code_table(
    source: Source,
    roles: Mapping[str, Role],
    *,
    weights: Mapping[str, float] = {},
    importance: Mapping[str, float] = {},
    person: str | None = None,
) -> Table:
    """Code the columns of `source` that may be used or published.

    Cells are compared as text (see `cell_texts`); an empty cell, NaN, null and any text of `source.missing` is the
    missing value None. Vocabularies are sorted as text, so that codes never tell the order of the file.
    Identifiers are left out; what is dropped is gone before. `person` names the column that tells whom a row
    belongs to; without a role of its own it is an identifier.

    Parameters
    ----------
    source : Source
    roles : mapping of str to Role
        One role a column, for every column.
    weights, importance : mapping of str to float
        Positive; 1 where not given.
    person : str, optional
        Without it every row is a person, and a value that stands twice in an identifier column is an error.

    Raises
    ------
    InputError
        A column has no role, a role, weight or person no column, an identifier repeats without `person`, a
        person is missing, or nothing is left to publish.

    Examples
    --------
    >>> people = Source(pl.DataFrame({"name": ["Ann", "Bo"], "age": [40, 31]}))
    >>> coded = code_table(people, {"name": "identifier", "age": "quasi"})
    >>> coded.columns[0].values, coded.columns[0].codes.tolist()
    (('31', '40'), [1, 0])
    """
    role_of_column: dict[str, Role] = {person: "identifier", **roles} if person is not None else dict(roles)
    _check_roles(source, role_of_column, {"weight": weights, "importance": importance})
    if person is None:
        refuse_repeats(source, [name for name, role in role_of_column.items() if role == "identifier"])
    column_names = [name for name in source.frame.columns if role_of_column[name] != "identifier"]
    if not column_names:
        raise InputError(f"{source.name}: every column is an identifier; nothing is left to publish")
    columns = tuple(
        Column(
            name,
            role_of_column[name],
            *factorize(text_column(source, name)),
            weights.get(name, 1.0),
            importance.get(name, 1.0),
        )
        for name in column_names
    )
    if person is None:
        return Table(columns)
    return Table(columns, _code_cells(person_names(source, person))[1].to_numpy().astype(np.int64))


def cell_texts(series: pl.Series) -> pl.Series:
    """Write cells as text: the form in which values are compared, published and read back.

    Whole floats lose their `.0`, booleans are true and false, dates and times are ISO 8601 (a column of
    datetimes that are all midnight is a column of dates), NaN is null.

    Raises
    ------
    InputError
        The cells are nested or binary.

    Examples
    --------
    >>> cell_texts(pl.Series([1.0, 2.5, float("nan")])).to_list()
    ['1', '2.5', None]
    """
    kind = series.dtype
    if kind == pl.String:
        return series
    if kind.is_nested() or kind in (pl.Binary, pl.Object):
        raise InputError(
            f"column '{series.name}': cells are nested or binary; give every cell one text, number or date"
        )
    if kind.is_float():
        return _float_text(series)
    if kind.is_decimal():
        return series.cast(pl.String).str.replace(r"\.0+$", "")
    if kind.is_temporal():
        return _time_text(series)
    try:
        return series.cast(pl.String)
    except pl.exceptions.PolarsError:  # a type of another library, which polars only stores
        raise InputError(
            f"column '{series.name}': cells are of a type that cannot be read; give every cell one text, number or date"
        ) from None


def _float_text(series: pl.Series) -> pl.Series:
    cell = pl.col(series.name)
    is_integral = (cell == cell.round()) & (cell.abs() < _EXACT)
    integral = pl.when(is_integral).then(cell).cast(pl.Int64).cast(pl.String)
    fractional = cell.fill_nan(None).cast(pl.String)
    return series.to_frame().select(pl.coalesce(integral, fractional).alias(series.name)).to_series()


def _time_text(series: pl.Series) -> pl.Series:
    match series.dtype:
        case pl.Date():
            return series.dt.strftime("%Y-%m-%d")
        case pl.Time():
            return series.dt.strftime("%H:%M:%S%.f")
        case pl.Duration():
            return series.dt.to_string("iso")
        case pl.Datetime() if _reads_as_dates(series):
            return series.dt.strftime("%Y-%m-%d")
        case pl.Datetime(time_zone=None):
            return series.dt.strftime("%Y-%m-%dT%H:%M:%S%.f")
        case _:
            return series.dt.strftime("%Y-%m-%dT%H:%M:%S%.f%:z")


def _reads_as_dates(series: pl.Series) -> bool:
    """Whether a column holds times, all of them midnight, without an offset."""
    bare = isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is None
    return bare and bool((series.dt.truncate("1d") == series).all())


def json_cells(series: pl.Series) -> pl.Series:
    """A column as JSON holds it without change: texts, numbers and truth values; whatever else as text.

    >>> json_cells(pl.Series([0.5, float("nan")])).to_list(), json_cells(pl.Series([0.5, float("inf")])).to_list()
    ([0.5, None], ['0.5', 'inf'])
    """
    kind = series.dtype
    if kind in (pl.String, pl.Boolean) or kind.is_integer():
        return series
    if kind == pl.Float64 and not series.is_infinite().any():
        return series.fill_nan(None)
    return cell_texts(series)


def clean_cells(series: pl.Series, missing: Sequence[str]) -> pl.Series:
    """The column with its own type, its missing cells null: empty texts and those of `missing`."""
    is_missing = cell_texts(series).is_in(["", *missing])
    return series.set(is_missing, None) if is_missing.any() else series


def gather_cells(source: Source, name: str, rows: I8) -> pl.Series:
    """A column of the released records as it came; of a list of categories only those that still occur.

    Where the type follows from the values, it is that of these rows: others may be of suppressed records alone.
    """
    column = clean_cells(source.frame[name], source.missing)
    cells = column.gather(pl.Series(rows))
    if source.inferred:
        cells = _infer_type(cells)
    if not isinstance(cells.dtype, pl.Enum):
        return cells
    occur = set(cells.cast(pl.String).unique().to_list())
    return cells.cast(pl.Enum([label for label in cells.dtype.categories if label in occur]))


def _infer_type(cells: pl.Series) -> pl.Series:
    """Numbers in the type that they would be read in without other rows; a column without values as text."""
    if cells.null_count() == len(cells):
        return cells.cast(pl.String)
    if not cells.dtype.is_numeric():
        return cells
    if cells.dtype.is_float() and not (cells.is_between(-_SAFE, _SAFE) & (cells == cells.round())).all():
        return cells
    small = cells.cast(pl.Int64, strict=False)
    return small if small.null_count() == cells.null_count() else cells


def truncate_to_dates(cells: pl.Series, rows: I8) -> pl.Series | None:
    """Times as dates, where those of some rows are all midnight and others are not; None where they are as they are."""
    selected_cells = cells.gather(pl.Series(rows)) if isinstance(cells.dtype, pl.Datetime) else None
    if selected_cells is None or not _reads_as_dates(selected_cells) or _reads_as_dates(cells):
        return None
    return cells.dt.truncate("1d")


def factorize(cells: pl.Series) -> tuple[tuple[str | None, ...], I4]:
    """Code texts by their sorted vocabulary; null, where it occurs, is the last of the values.

    >>> factorize(pl.Series(["b", None, "a", "b"]))
    (('a', 'b', None), array([1, 2, 0, 1], dtype=int32))
    """
    values, codes = _code_cells(cells)
    vocabulary: tuple[str | None, ...] = tuple(values)
    if codes.null_count():
        codes = codes.cast(pl.Int32).fill_null(len(vocabulary))
        vocabulary = (*vocabulary, None)
    return vocabulary, codes.to_numpy().astype(np.int32)


def text_column(source: Source, name: str) -> pl.Series:
    """A column as text, its missing cells null.

    Raises
    ------
    InputError
        There is no such column.
    """
    if name not in source.frame.columns:
        raise column_error(source, name, [name])
    return clean_cells(cell_texts(source.frame[name]), source.missing)


def person_names(source: Source, person: str) -> pl.Series:
    """The names in a column that says whom a row belongs to.

    Raises
    ------
    InputError
        There is no such column, or a row names nobody.
    """
    return require_names(source, person, "person; give every record a person or leave it out")


def require_names(source: Source, column: str, what: str) -> pl.Series:
    """The names in a column, of which every row has one; `what` says what a row without names, and what to do."""
    names = normalize_names(text_column(source, column))
    if names.null_count():
        row = (names.is_null().arg_max() or 0) + 1
        raise InputError(
            f"{source.name}, column '{column}': {names.null_count()} record(s), first record {row}, name no {what}"
        )
    return names


def _code_cells(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The sorted distinct texts, and every cell's place among them; null stays null."""
    values = cells.drop_nulls().unique().sort()
    return values, cells.cast(pl.Enum(values)).to_physical()


def _check_roles(
    source: Source, roles: Mapping[str, Role], numbers: Mapping[str, Mapping[str, float]]
) -> None:
    columns = source.frame.columns
    if not source.frame.height:
        raise InputError(f"{source.name}: no records; give a table with at least one row")
    configured_names = dict.fromkeys(
        [*roles, *(name for number_of_column in numbers.values() for name in number_of_column)]
    )
    for name in configured_names:
        if name not in columns:
            raise column_error(source, name, set(configured_names))
    bare = [name for name in columns if name not in roles]
    if bare:
        raise role_error(source, bare, roles, f"give every column one of {', '.join(get_args(Role))}")
    for setting, number_of_column in numbers.items():
        for name, number in number_of_column.items():
            if not (isinstance(number, int | float) and isfinite(number) and number > 0):
                raise InputError(f"column '{name}': {setting}={number}; it must be a positive number")


def refuse_repeats(source: Source, identifiers: list[str]) -> None:
    """Two rows of one person would count as two people; only `person` may say that they are one.

    Identifiers that differ by blanks are the same, and so are all that are missing.
    """
    for name in identifiers:
        refuse_same(
            f"{source.name}, column '{name}'",
            normalize_names(text_column(source, name)),
            REPEATED,
        )


def normalize_notation(
    source: Source, name: str, notation: Notation, *, bare: bool = False
) -> pl.Series | None:
    """A column of texts with numbers and dates in one writing; None where it stays as it is.

    Cells that cannot be read are null, and it is told how many they are. `bare` takes numbers alone, without units, of
    which each can be read: a column that is published as it is.

    >>> source = Source(pl.DataFrame({"cost": ["1.200,50", "7", ""], "note": ["1,5", "a", ""]}))
    >>> comma = Notation(",")
    >>> normalize_notation(source, "cost", comma).to_list(), normalize_notation(source, "note", comma)
    (['1200.50', '7', None], None)
    """
    if source.frame.schema.get(name) != pl.String:
        return None
    writing = read_writing(clean_cells(source.frame[name], source.missing), notation)
    if bare and (writing.kind != "number" or writing.unreadable or writing.ended):
        return None
    if writing.ended:
        cells = "1 cell says" if writing.ended == 1 else f"{writing.ended:,} cells say"
        warnings.warn(
            f"{source.name}, column '{name}': {cells} only above or below which number it is, which counts as the "
            "nearest that fits",
            ShoalWarning,
            stacklevel=2,
        )
    if writing.unreadable:
        noun = "dates" if writing.kind == "date" else "numbers"
        cells = "1 cell" if writing.unreadable == 1 else f"{writing.unreadable:,} cells"
        warnings.warn(
            f"{source.name}, column '{name}': {cells} cannot be read as {noun}, taken as missing",
            ShoalWarning,
            stacklevel=2,
        )
    return writing.cells


def normalize_pairs(
    pairs: Sequence[tuple[str, str]], kept: Iterable[str], notation: Notation
) -> list[tuple[str, str]]:
    """The same for values of classes, given as (class, value); classes that are `kept` keep their spelling.

    A class with a value that cannot be read keeps its spelling too: a value of record trees cannot become missing.

    >>> normalize_pairs([("cost", "1,5"), ("cost", "2"), ("note", "1,5"), ("note", "x")], (), Notation(","))
    [('cost', '1.5'), ('cost', '2'), ('note', '1,5'), ('note', 'x')]
    """
    values: dict[str, list[str]] = {}
    for kind, value in pairs:
        values.setdefault(kind, []).append(value)
    spelling_of_value = {}
    for kind in values.keys() - set(kept):
        writing = read_writing(pl.Series(values[kind]), notation)
        if writing.cells is not None and not writing.cells.null_count():
            spelling_of_value[kind] = dict(zip(values[kind], writing.cells, strict=True))
    return [
        (kind, spelling_of_value[kind][value] if kind in spelling_of_value else value)
        for kind, value in pairs
    ]
