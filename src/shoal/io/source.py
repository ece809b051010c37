"""What came in: one polars frame, and enough to hand the same kind of frame back."""

from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import polars as pl

from shoal.errors import InputError

__all__ = ["Source", "from_frame", "refuse_nested"]


@dataclass(frozen=True, slots=True)
class Source:
    """Records as they came in, from whatever file or frame.

    frame   : the columns with their own types; cells of csv files are text
    kind    : "polars", "polars-lazy", "pandas", "pyarrow", ...; files are "polars"
    name    : what messages call it; of a file, the name without its folder
    missing : texts that stand for a missing cell, beside the empty one
    """

    frame: pl.DataFrame
    kind: str = "polars"
    name: str = "frame"
    missing: tuple[str, ...] = ()

    def like(self, frame: pl.DataFrame) -> Any:
        """Turn `frame` into the kind that came in; kinds that narwhals cannot build come back as polars."""
        match self.kind:
            case "polars-lazy":
                return frame.lazy()
            case "pyarrow":
                return frame.to_arrow()
            case "pandas" if find_spec("pyarrow") is not None:
                return frame.to_pandas()
            case "pandas" | "modin" | "cudf":
                return nw.from_dict(frame.to_dict(as_series=False), backend=self.kind).to_native()
            case _:
                return frame


def from_frame(frame: Any, *, name: str = "frame", missing: tuple[str, ...] = ()) -> Source:
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
        known = nw.from_native(frame)
        names = [str(column) for column in known.columns]
    except nw.exceptions.DuplicateError:
        names = []
    except TypeError:
        raise InputError(
            f"{name}: a {type(frame).__name__} is no frame; give a pandas, polars or Arrow frame"
        ) from None
    if not names or len(set(names)) < len(names):
        raise InputError(
            f"{name}: no columns, or two columns of one name; give every column a name of its own"
        )
    if isinstance(known, nw.LazyFrame):
        kind = "polars-lazy" if known.implementation.is_polars() else str(known.implementation)
        return Source(known.collect("polars").to_native(), kind, name, missing)
    return Source(_polars(known, name), str(known.implementation), name, missing)


def refuse_nested(frame: pl.DataFrame, name: str, nested: Collection[str] = ()) -> None:
    """Refuse cells that are lists, objects or bytes, but for the lists of columns `nested`."""
    for column, kind in frame.schema.items():
        if column not in nested and (kind.is_nested() or kind in (pl.Binary, pl.Object)):
            raise InputError(
                f"{name}, column '{column}': nested or binary values are not read from tables; give "
                "every cell one text, number or date"
            )


def _polars(frame: nw.DataFrame[Any], name: str) -> pl.DataFrame:
    """Convert column by column only where the whole frame fails: without pyarrow, or on mixed columns."""
    if frame.implementation.is_polars() or find_spec("pyarrow") is not None:
        try:
            return frame.to_polars()
        except (TypeError, ValueError, NotImplementedError, pl.exceptions.PolarsError):
            pass  # the column that is at fault is named below
    return pl.DataFrame([_column(frame[column], name) for column in frame.columns])


def _column(column: nw.Series[Any], name: str) -> pl.Series:
    cells = zip(column.to_list(), column.is_null().to_list(), strict=True)
    try:
        return pl.Series(str(column.name), [None if gone else cell for cell, gone in cells], strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise InputError(
            f"{name}, column '{column.name}': the cells mix types; make them all text or all numbers"
        ) from None
