"""The reader of files with labels, in a process of its own: its parser is C, and a broken file can end it.

It is run as a script by `shoal.io.labelled`, and knows nothing of shoal. What it found stands in a folder: the
cells as `cells.arrow`, which missing codes stand in empty ones as `missing.arrow` (where there are any), what is said
of them as `variables.json`, or one word of what went wrong as `wrong.txt`.
"""

import json
import sys
from pathlib import Path
from typing import Any

_LETTERED = ("read_dta", "read_sas7bdat")
"""Functions of files whose missing codes are letters."""


def parse(file: str, function: str, folder: str, room: str, encoding: str = "", catalog: str = "") -> None:
    """Read a file into a folder by a function of pyreadstat; cells that it declares missing are empty.

    `room` is how many bytes its cells may take.
    """
    import polars as pl
    import pyreadstat

    place, read = Path(folder), getattr(pyreadstat, function)
    how: dict[str, Any] = {"output_format": "polars"}
    if encoding:
        how["encoding"] = encoding
    declared = {"user_missing": True} if function == "read_sav" else {}
    try:
        told = read(file, metadataonly=True, **declared, **how)[1]
        wide = max(sum(max(8, width or 0) for width in told.variable_storage_width.values()), 8)
        most = int(room) // wide
        if told.number_rows is not None and told.number_rows > most:
            (place / "wrong.txt").write_text("large")
            return
        labels = dict(told.variable_value_labels)
        if catalog:
            how["catalog_file"] = catalog
        frame, found = read(file, row_limit=most + 1, **how)
        missing = missing_codes(file, function, frame, told.missing_ranges, how | {"row_limit": most + 1})
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError):
        (place / "wrong.txt").write_text("broken")
        return
    except (OverflowError, ValueError):
        (place / "wrong.txt").write_text("dates")
        return
    if frame.height > most:
        (place / "wrong.txt").write_text("large")
        return
    labels |= found.variable_value_labels
    said = {
        name: {
            "label": told.column_names_to_labels.get(name) or "",
            "level": told.variable_measure.get(name, ""),
            "missing": [[one["lo"], one["hi"]] for one in told.missing_ranges.get(name, [])],
            "labels": list(labels.get(name, {}).items()),
        }
        for name in frame.columns
    }
    objects = [name for name, kind in frame.schema.items() if kind == pl.Object]
    if objects:
        (place / "wrong.txt").write_text("dates")
        return
    if missing:
        pl.DataFrame(missing).write_ipc(place / "missing.arrow")
    (place / "variables.json").write_text(json.dumps(said))
    frame.write_ipc(place / "cells.arrow")


def missing_codes(file: str, function: str, frame: Any, declared: Any, how: dict[str, Any]) -> list[Any]:
    """Of each column with codes that mean no value, those that stand in its empty cells, as a column of its own."""
    import polars as pl
    import pyreadstat

    read = getattr(pyreadstat, function)
    kinds = (pl.Float64, pl.Int64, pl.Int32, pl.Int16, pl.Int8, pl.Float32)
    if function in _LETTERED:
        gaps = [name for name, kind in frame.schema.items() if kind in kinds and frame[name].null_count()]
        if not gaps:
            return []
        cells, _ = read(file, usecols=gaps, user_missing=True, **how | {"output_format": "dict"})
        letters = {
            name: [
                f".{cell.lower()}" if isinstance(cell, str) and cell.isalpha() else None
                for cell in cells[name]
            ]
            for name in gaps
        }
        return [pl.Series(name, cells, dtype=pl.String) for name, cells in letters.items() if any(cells)]
    names = [name for name in declared if frame.schema.get(name) in (*kinds, pl.String)]
    if not names:
        return []
    whole, _ = read(file, usecols=names, user_missing=True, **how)
    codes = [whole[name].set(frame[name].is_not_null(), None) for name in names]
    return [cells for cells in codes if cells.null_count() < len(cells)]


if __name__ == "__main__":
    parse(*sys.argv[1:])
