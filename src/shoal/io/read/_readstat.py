"""The reader of files with labels, in a process of its own: its parser is C, and a broken file can end it.

It is run as a script by `shoal.io.labelled`, and knows nothing of shoal. What it found stands in a folder: the
cells as `cells.arrow`, what is said of them as `variables.json`, or one word of what went wrong as `wrong.txt`.
"""

import json
import sys
from pathlib import Path
from typing import Any


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
    (place / "variables.json").write_text(json.dumps(said))
    frame.write_ipc(place / "cells.arrow")


if __name__ == "__main__":
    parse(*sys.argv[1:])
