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


def _parse(file: str, function: str, folder: str, room: str, encoding: str = "", catalog: str = "") -> None:
    """Read a file into a folder by a function of pyreadstat; cells that it declares missing are empty.

    `room` is how many bytes its cells may take.
    """
    import polars as pl
    import pyreadstat

    output_folder, reader = Path(folder), getattr(pyreadstat, function)
    options: dict[str, Any] = {"output_format": "polars"}
    if encoding:
        options["encoding"] = encoding
    declared = {"user_missing": True} if function == "read_sav" else {}
    try:
        metadata = reader(file, metadataonly=True, **declared, **options)[1]
        bytes_per_row = max(sum(max(8, width or 0) for width in metadata.variable_storage_width.values()), 8)
        max_rows = int(room) // bytes_per_row
        if metadata.number_rows is not None and metadata.number_rows > max_rows:
            (output_folder / "wrong.txt").write_text("large")
            return
        labels = dict(metadata.variable_value_labels)
        if catalog:
            options["catalog_file"] = catalog
        frame, full_metadata = reader(file, row_limit=max_rows + 1, **options)
        missing = missing_codes(
            file, function, frame, metadata.missing_ranges, options | {"row_limit": max_rows + 1}
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError):
        (output_folder / "wrong.txt").write_text("broken")
        return
    except (OverflowError, ValueError):
        (output_folder / "wrong.txt").write_text("dates")
        return
    if frame.height > max_rows:
        (output_folder / "wrong.txt").write_text("large")
        return
    labels |= full_metadata.variable_value_labels
    variables = {
        name: {
            "label": metadata.column_names_to_labels.get(name) or "",
            "level": metadata.variable_measure.get(name, ""),
            "missing": [
                [missing_range["lo"], missing_range["hi"]]
                for missing_range in metadata.missing_ranges.get(name, [])
            ],
            "labels": list(labels.get(name, {}).items()),
        }
        for name in frame.columns
    }
    objects = [name for name, kind in frame.schema.items() if kind == pl.Object]
    if objects:
        (output_folder / "wrong.txt").write_text("dates")
        return
    if missing:
        pl.DataFrame(missing).write_ipc(output_folder / "missing.arrow")
    (output_folder / "variables.json").write_text(json.dumps(variables))
    frame.write_ipc(output_folder / "cells.arrow")


def missing_codes(file: str, function: str, frame: Any, declared: Any, how: dict[str, Any]) -> list[Any]:
    """Of each column with codes that mean no value, those that stand in its empty cells, as a column of its own."""
    import polars as pl
    import pyreadstat

    reader = getattr(pyreadstat, function)
    kinds = (pl.Float64, pl.Int64, pl.Int32, pl.Int16, pl.Int8, pl.Float32)
    if function in _LETTERED:
        gaps = [name for name, kind in frame.schema.items() if kind in kinds and frame[name].null_count()]
        if not gaps:
            return []
        cells, _ = reader(file, usecols=gaps, user_missing=True, **how | {"output_format": "dict"})
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
    frame_with_codes, _ = reader(file, usecols=names, user_missing=True, **how)
    codes = [frame_with_codes[name].set(frame[name].is_not_null(), None) for name in names]
    return [cells for cells in codes if cells.null_count() < len(cells)]


if __name__ == "__main__":
    for job in sys.stdin:
        _parse(*json.loads(job))
        print("done", flush=True)
