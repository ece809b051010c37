"""What came in: one polars frame, and enough to hand the same kind of frame back.

Names of columns in messages: the first line of a file without a header is somebody's record. So a name of the file is
told only where the file plainly has a header: it holds at least half of the names that the user gave, and no name looks
like a cell. Otherwise columns are told by their places. What the user wrote is always told.
"""

import re
from collections.abc import Collection, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import narwhals as nw
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.naming import nearest, suggest_name
from shoal.io.codebooks import Codebook
from shoal.io.read.delimited import refuse_columns

__all__ = [
    "Source",
    "Variable",
    "as_pandas",
    "column_error",
    "from_frame",
    "refuse_headless",
    "refuse_nested",
    "role_error",
]


_CELL = re.compile(r"[\d\s.,:;/+\-]*\d[\d\s.,:;/+\-TZ%€$]*|.*@.*|.{61,}", re.S)
"""Numbers, dates, amounts, mail addresses and sentences."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_FRAME = "frame"
"""What messages call a frame."""
_LONG = 60  # signs; a longer name is a sentence
_SOME = 200  # cells that show what stands below a name
_NEAR = 0.8
"""How like a name must be to be told all the same: what the user wrote, but for a slip."""


@dataclass(frozen=True, slots=True, repr=False)
class Variable(SafeRepr):
    """What a file with labels says of a column, beside its cells.

    label   : what the column is, in words
    level   : "nominal", "ordinal" or "scale"; nothing where the file does not say it
    missing : the codes that the file declares to mean no value, as it states them; their cells are empty
    coded   : whether its values have labels
    codebook : what its codes mean
    public  : whether people wrote the codebook, so that a release keeps its codes
    numbered : whether a program may have numbered its labels
    missing_codes : for each cell the code behind it that means no value; null where there is a value or no code
    """

    label: str = ""
    level: str = ""
    missing: tuple[str, ...] = ()
    coded: bool = False
    codebook: Codebook | None = None
    public: bool = False
    numbered: bool = False
    missing_codes: pl.Series | None = None

    def some(self, rows: pl.Series) -> "Variable":
        """The same of some cells."""
        gaps = self.missing_codes
        return self if gaps is None else replace(self, missing_codes=gaps.gather(rows))


@dataclass(frozen=True, slots=True, repr=False)
class Source(SafeRepr):
    """Records as they came in, from whatever file or frame.

    frame   : the columns with their own types; cells of csv files are text
    kind    : "polars", "polars-lazy", "pandas", "pyarrow", ...; files are "polars"
    name    : what messages call it; of a file, the name without its folder
    missing : texts that stand for a missing cell, beside the empty one
    types   : of a pandas or Arrow frame, the type that each column had there
    dropped : columns that came in and were left out before anything looked at them
    variables : of a file with labels, what it says of each column
    redacted : columns of free text that a program redacted
    inferred : whether the types of columns follow from their values, as in JSON, where nothing declares them
    """

    frame: pl.DataFrame
    kind: str = "polars"
    name: str = _FRAME
    missing: tuple[str, ...] = ()
    types: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    variables: Mapping[str, Variable] = field(default_factory=dict)
    redacted: tuple[str, ...] = ()
    inferred: bool = False

    def some(self, rows: Any) -> "Source":
        """Some of the records, in that order."""
        indices = pl.Series(rows, dtype=pl.Int64)
        variables = {name: variable.some(indices) for name, variable in self.variables.items()}
        return replace(self, frame=self.frame[rows], variables=variables)

    def like(self, frame: pl.DataFrame) -> Any:
        """Turn `frame` into the kind that came in; kinds that narwhals cannot build come back as polars.

        A column that is published as it came has the type that it had; one that was recoded is text.
        """
        types = {name: self.types[name] for name in frame.columns if self._has_original_type(frame, name)}
        match self.kind:
            case "polars-lazy":
                return frame.lazy()
            case "pyarrow":
                return _to_arrow(frame, types)
            case "pandas":
                return as_pandas(frame, types)
            case "modin" | "cudf":
                return nw.from_dict(frame.to_dict(as_series=False), backend=self.kind).to_native()
            case _:
                return frame

    def _has_original_type(self, frame: pl.DataFrame, name: str) -> bool:
        """Whether a column is not recoded, as far as its type tells; one recoded from text is text either way."""
        original_type = self.frame.schema.get(name) if name in self.types else None
        return original_type is not None and original_type.base_type() == frame[name].dtype.base_type()


def from_frame(frame: Any, *, name: str = _FRAME, missing: tuple[str, ...] = ()) -> Source:
    """Take a pandas, polars or Arrow frame, or any other that narwhals reads; an index is ignored.

    Raises
    ------
    InputError
        It is no frame, two columns have one name, or a column mixes types.

    Examples
    --------
    >>> source = from_frame(pl.DataFrame({"age": [31, 47]}).lazy())
    >>> source.kind, source.frame.shape
    ('polars-lazy', (2, 1))
    """
    try:
        narwhals_frame = nw.from_native(frame)
        names = [str(column) for column in narwhals_frame.columns]
    except nw.exceptions.DuplicateError:
        names = []
    except TypeError:
        raise InputError(
            f"{name}: a {type(frame).__name__} is not a frame; give a pandas, polars or Arrow frame"
        ) from None
    if not names or len(set(names)) < len(names):
        raise InputError(
            f"{name}: no columns, or two columns with the same name; give every column its own name"
        )
    refuse_columns(names, name)
    if isinstance(narwhals_frame, nw.LazyFrame):
        kind = (
            "polars-lazy" if narwhals_frame.implementation.is_polars() else str(narwhals_frame.implementation)
        )
        return Source(narwhals_frame.collect("polars").to_native(), kind, name, missing)
    types = _column_types(frame, names)
    pandas_columns = [index for index, kind in enumerate(types.values()) if _is_pandas_type(kind)]
    if pandas_columns:  # polars has no such types, and their texts must come back as texts
        frame = frame.copy(deep=False)
        for index in pandas_columns:
            frame.isetitem(index, frame.iloc[:, index].astype(object).map(str, na_action="ignore"))
        narwhals_frame, types = (
            nw.from_native(frame),
            {name: types[name] for name in names if not _is_pandas_type(types[name])},
        )
    return Source(_to_polars(narwhals_frame, name), str(narwhals_frame.implementation), name, missing, types)


def refuse_nested(frame: pl.DataFrame, name: str, nested: Container[str] = ()) -> None:
    """Refuse cells that are lists, objects or bytes, but for the lists of columns `nested`."""
    for column, kind in frame.schema.items():
        if column not in nested and (kind.is_nested() or kind in (pl.Binary, pl.Object)):
            raise InputError(
                f"{name}, column '{column}': nested or binary values are not read from tables; give "
                "every cell one text, number or date"
            )


def _column_types(frame: Any, names: list[str]) -> dict[str, Any]:
    """The types of a pandas or Arrow frame; polars columns bring their own."""
    types = frame.dtypes if hasattr(frame, "iloc") else getattr(getattr(frame, "schema", None), "types", None)
    return {} if types is None else dict(zip(names, types, strict=True))


def _is_pandas_type(kind: Any) -> bool:
    """Whether a type is one of intervals or periods of pandas, or of categories that are such."""
    kind = getattr(getattr(kind, "categories", None), "dtype", kind)
    return type(kind).__name__ in ("IntervalDtype", "PeriodDtype")


def _to_arrow(frame: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    """An Arrow table whose columns have these types, as far as their cells allow."""
    table = frame.to_arrow()
    for name, kind in types.items():
        index = table.schema.get_field_index(name)
        column = table.column(index)
        if hasattr(kind, "value_type") and hasattr(kind, "index_type"):  # categories: only those that occur
            column = column.cast(kind.value_type).dictionary_encode()
        with suppress(ValueError, TypeError, NotImplementedError):  # a cell that became missing, say
            column = column.cast(kind)
        table = table.set_column(index, name, column)
    return table


def as_pandas(frame: pl.DataFrame, types: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """A pandas frame whose columns have these types, as far as their cells allow."""
    if find_spec("pyarrow") is not None:
        result = frame.to_pandas()
    else:
        result = nw.from_dict(frame.to_dict(as_series=False), backend="pandas").to_native()
    for name in [name for name, kind in types.items() if result[name].dtype != kind]:
        kind, cells = (
            types[name],
            frame[name].to_list(),
        )  # whole numbers with gaps must not pass through floats
        if hasattr(kind, "categories"):  # only those that occur
            occur = set(cells)
            kind = type(kind)([label for label in kind.categories if label in occur], kind.ordered)
        with suppress(ValueError, TypeError):  # a cell that became missing, say
            result[name] = type(result[name])(cells, dtype=kind)
    return result


def _to_polars(frame: nw.DataFrame[Any], name: str) -> pl.DataFrame:
    """Convert column by column only where the whole frame fails: without pyarrow, or on mixed columns."""
    if frame.implementation.is_polars() or find_spec("pyarrow") is not None:
        try:
            return frame.to_polars()
        except (TypeError, ValueError, OverflowError, NotImplementedError, pl.exceptions.PolarsError):
            pass  # the column that is at fault is named below
    return pl.DataFrame([_to_series(frame[column], name) for column in frame.columns])


def _to_series(column: nw.Series[Any], name: str) -> pl.Series:
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    cells = [None if is_null else cell for cell, is_null in pairs]
    if {type(cell) for cell in cells} <= {int, type(None)} and any(
        cell is not None and not -(2**63) <= cell < 2**63 for cell in cells
    ):  # whole numbers of any length are compared and published digit by digit
        cells = [None if cell is None else str(cell) for cell in cells]
    try:
        return pl.Series(str(column.name), cells, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise InputError(
            f"{name}, column '{column.name}': the cells mix types; make them all text or all numbers"
        ) from None


def column_error(source: Source, name: str, wanted: Collection[str]) -> InputError:
    """The fault that a column is not there, `wanted` being all the names that the user gave."""
    if _may_be_named(source.frame, wanted):
        return InputError(f"{source.name}: no column '{name}'; {suggest_name(name, source.frame.columns)}")
    if source.name == _FRAME:
        return InputError(
            f"{source.name}: no column '{name}' among its {source.frame.width}; check the spelling"
        )
    nearest_name = None if _has_cells(source.frame) else nearest(name, source.frame.columns, _NEAR)
    return InputError(
        f"{source.name}: no column '{name}' among the {source.frame.width} of the first line"
        f"{'' if nearest_name is None else f'; did you mean {nearest_name!r}?'}; check the spelling, and that "
        "the first line holds the "
        "names of the columns"
    )


def role_error(source: Source, bare: Collection[str], wanted: Collection[str], advice: str) -> InputError:
    """The fault that columns have no role; `wanted` are the names that have one."""
    if _may_be_named(source.frame, wanted):
        return InputError(f"{source.name}: no role for {', '.join(map(repr, bare))}; {advice}")
    if source.name == _FRAME:
        return InputError(f"{source.name}: no role for {len(bare)} of {source.frame.width} columns; {advice}")
    position = source.frame.columns.index(next(iter(bare))) + 1
    return InputError(
        f"{source.name}: no role for {len(bare)} of {source.frame.width} columns, the first is column {position}; "
        f"check that the first line holds the names of the columns, and {advice}"
    )


def refuse_headless(source: Source) -> None:
    """Refuse a file whose first line looks like somebody's record: its names would be cells.

    Raises
    ------
    InputError
        A third of the names, and at least one, look like cells.
    """
    columns = (source.frame[name] for name in source.frame.columns)
    cells = sum(_looks_like_a_cell(column) and not _is_question_or_year(column) for column in columns)
    if cells and 3 * cells >= source.frame.width:
        raise InputError(
            f"{source.name}: {cells} of the {source.frame.width} cells of the first line look like a person's record, "
            "not like column names; write the names into the first line"
        )


def _may_be_named(frame: pl.DataFrame, wanted: Collection[str]) -> bool:
    """Whether the names of the columns may be told."""
    match_count = sum(name in frame.columns for name in wanted)
    return match_count > 0 and 2 * match_count >= len(wanted) and not _has_cells(frame)


def _has_cells(frame: pl.DataFrame) -> bool:
    return any(_looks_like_a_cell(frame[name]) for name in frame.columns)


def _looks_like_a_cell(column: pl.Series) -> bool:
    """Whether a name looks like data, or stands among the cells below it."""
    if _CELL.fullmatch(column.name):
        return True
    return column.dtype == pl.String and bool((column == column.name).any())


def _is_question_or_year(column: pl.Series) -> bool:
    """Whether a long name or a year stands above cells that are no sentences and no years: a question, or a year."""
    below = column.drop_nulls().head(_SOME).cast(pl.String, strict=False).str.strip_chars()
    below = below.filter(below != "")
    if not len(below):
        return False
    if len(column.name) > _LONG and "@" not in column.name:
        return 2 * int((below.str.len_chars() <= _LONG / 2).sum()) > len(below)
    return _YEAR.fullmatch(column.name) is not None and not below.str.contains(rf"^{_YEAR.pattern}$").all()
