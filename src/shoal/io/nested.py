"""ndjson whose columns hold lists or trees: JSON text in the frame, JSON values in the file."""

import json
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from shoal.errors import InputError
from shoal.io.cells import json_cells, text
from shoal.io.strict_json import strict_json

__all__ = ["read_nested", "write_nested"]


def write_nested(frame: pl.DataFrame, file: BinaryIO, nested: Collection[str]) -> None:
    """One object per record; the cells of `nested` columns are JSON already and go in as they are."""
    heads = [json.dumps(name, ensure_ascii=False) for name in frame.columns]
    cells = [_json(frame[name], name in nested) for name in frame.columns]
    for row in zip(*cells, strict=True):
        parts = ", ".join(f"{head}: {cell}" for head, cell in zip(heads, row, strict=True))
        file.write(f"{{{parts}}}\n".encode())


def _json(column: pl.Series, ready: bool) -> list[str]:
    if ready:
        return [cell if cell is not None else "null" for cell in column]
    return [json.dumps(cell, ensure_ascii=False) for cell in json_cells(column)]


def read_nested(path: Path, nested: Collection[str]) -> pl.DataFrame:
    """The inverse, every column text; the file may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        A line is no JSON object of the same keys, each of them once, or nests a value elsewhere; the message names
        the line.
    """
    names: list[str] = []
    rows: list[list[str | None]] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            found = _object(line, path.name, number)
            names = names or list(found)
            if list(found) != names:
                raise InputError(
                    f"{path.name}, line {number}: other keys than in the first line; write the file again"
                )
            rows.append([_cell(value, name in nested, path.name, number) for name, value in found.items()])
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _object(line: bytes, name: str, number: int) -> dict[str, Any]:
    try:
        found = strict_json(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(
            f"{name}, line {number}: not a JSON object with every key once; write one object per line"
        )
    return found


def _cell(value: Any, nested: bool, name: str, number: int) -> str | None:
    if value is None:
        return None
    if nested:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict | list):
        raise InputError(
            f"{name}, line {number}: a nested value where a single one is expected; write the file again"
        )
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _real(value)


@lru_cache(maxsize=1 << 16)
def _real(value: float) -> str | None:
    """A number as the cells of a table are written."""
    shown: str | None = text(pl.Series([value])).item()
    return shown
