"""Files with labels for tests, and what reads them without a process of its own."""

from pathlib import Path

import polars as pl
import pyreadstat

from shoal.io.read._readstat import parse

SECRETS = ("SECRET FILE", "SECRET NOTE", "SECRET COLUMN", "HIV", "Refused", "1000001")
"""Texts of `survey` that no release may hold: of the file, of a dropped column, of values that nobody has."""

_LABELS = {
    "pid": "Respondent number",
    "v1": "Age in years",
    "v2": "Sex",
    "v3": "Highest education",
    "v4": "Diagnosis",
    "v5": "SECRET COLUMN",
}
_VALUES = {
    "v1": {99: "Refused"},
    "v2": {1: "Male", 2: "Female"},
    "v3": {1: "none", 2: "primary", 3: "secondary", 4: "tertiary"},
    "v4": {1: "Flu", 2: "Gout", 3: "HIV", 5: "Asthma"},
}


def survey(path: Path, records: int = 60) -> Path:
    """A small survey as SPSS or Stata has it."""
    n = range(records)
    frame = pl.DataFrame(
        {
            "pid": [1_000_001 + i for i in n],
            "v1": [99.0 if i % 15 == 14 else float(20 + 7 * i % 40) for i in n],
            "v2": [1 + i % 2 for i in n],
            "v3": [1 + (i // 2) % 4 for i in n],
            "v4": [(1, 2, 5)[i % 3] for i in n],
            "v5": [i * 0.5 for i in n],
        }
    )
    if path.suffix == ".dta":
        pyreadstat.write_dta(frame, path, column_labels=_LABELS, variable_value_labels=_VALUES, version=14)
    else:
        pyreadstat.write_sav(
            frame, path, column_labels=_LABELS, variable_value_labels=_VALUES,
            missing_ranges={"v1": [99]}, file_label="SECRET FILE", note="SECRET NOTE",
            variable_measure={"v1": "scale", "v2": "nominal", "v3": "ordinal", "v4": "nominal"},
            compress=path.suffix == ".zsav",
        )  # fmt: skip
    return path


def parse_here(given) -> None:
    """Read a file that a test wrote: its parser needs no process of its own."""
    parse(*given)
