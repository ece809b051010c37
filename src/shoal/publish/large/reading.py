"""A large released table as `verify` sees it: its different rows and how many records each stands for."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl

from shoal.data.types import I8
from shoal.engines import COUNT, TooManyError
from shoal.engines.local import Local
from shoal.io.cells import text
from shoal.io.scan import scan
from shoal.io.write import plain_text
from shoal.publish.large.dataset import MOST_TUPLES

__all__ = ["Counted", "counted_release"]

_FEW_BYTES = 64 * 2**20  # of a file: a smaller one is read at once


class Counted(NamedTuple):
    """The columns of a released table, its different rows of those that a judge looks at, and their counts."""

    columns: list[str]
    frame: pl.DataFrame
    counts: I8


def counted_release(path: Path, roles: Mapping[str, str], seen: frozenset[str]) -> Counted | None:
    """Count a released table; None where it is small, or must be read at once to be read right.

    `seen` names columns that are looked at although they are neither quasi-identifiers nor sensitive.
    """
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    if sum(file.stat().st_size for file in files) < _FEW_BYTES:
        return None
    cells = _scanned(files, "," if path.suffix == ".csv" else None)
    if cells is None:
        return None
    header = cells.collect_schema().names()
    columns = header
    if path.suffix == ".csv":
        columns = plain_text(pl.DataFrame(schema=dict.fromkeys(header, pl.String))).columns
    names = [name for name in columns if roles.get(name) in ("quasi", "sensitive") or name in seen]
    if not names or len(set(columns)) < len(columns):
        return None
    frame, engine = nw.from_native(cells.rename(dict(zip(header, columns, strict=True)))), Local()
    try:
        found = engine.tally(frame, names, MOST_TUPLES, engine.total(frame))
    except TooManyError:
        return None
    texts = pl.DataFrame([text(found[name]) for name in names]).with_columns(pl.all().replace("", None))
    meant = plain_text(texts) if path.suffix == ".csv" else texts
    meant.columns = names
    return Counted(columns, meant, found[COUNT].to_numpy().astype(np.int64))


def _scanned(files: list[Path], delimiter: str | None) -> pl.LazyFrame | None:
    """The records of all files; None where one must be read at once, or has other columns than the first."""
    parts: list[pl.LazyFrame] = []
    for file in files:
        part = scan(file, delimiter=delimiter, encoding="utf-8")
        if part is None or (parts and part.collect_schema() != parts[0].collect_schema()):
            return None
        parts.append(part)
    return pl.concat(parts)
