"""Files with labels for tests, and what reads them without a process of its own."""

import random
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat

from shoal.io.read._readstat import _parse

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


def parse_here(script, given, folder, **limits) -> str | None:
    """Read a file that a test wrote: its parser needs no process of its own."""
    _parse(*given)
    wrong = folder / "wrong.txt"
    return wrong.read_text() if wrong.is_file() else None


class DrawnSurvey:
    """A survey of drawn columns: numbers and texts as codes, labels of some, missing codes of every kind.

    columns  : by column its cells, as codes
    labels   : by column the label of each code
    missing  : by column the codes that mean no value: numbers, pairs of a range, texts, letters of Stata
    whole    : whether codes with labels are whole numbers, as Stata has them
    """

    def __init__(self, chance: random.Random, format: str, records: int = 90, *, whole: bool = False) -> None:
        self.format, self.labels, self.missing, self.whole = format, {}, {}, whole
        columns = {
            "sex": self._coded("sex", chance, records, ["man", "woman"]),
            "region": self._coded("region", chance, records, ["west", "east", "south", "north", "abroad"]),
            "age": self._numbers("age", chance, records),
            "ill": self._coded(
                "ill", chance, records, ["gout", "flu", "none", "asthma", "HIV", "other", "other"]
            ),
            "income": self._numbers("income", chance, records),
        }
        if format != "dta":
            columns["town"] = self._texts("town", chance, records)
        self.columns = columns

    def declares(self, name: str, code: Any) -> bool:
        """Whether a code means no value by what the file says."""
        if self.format == "dta":
            return isinstance(code, str)
        return any(
            kind[0] <= code <= kind[1] if isinstance(kind, tuple) else kind == code
            for kind in self.missing[name]
        )

    def write(self, path: Path) -> Path:
        """Write the survey as a file of its format."""
        labels = {name: book for name, book in self.labels.items() if book}
        if self.format == "dta":
            frame = pl.DataFrame(
                [pl.Series(name, cells, dtype=pl.Object) for name, cells in self.columns.items()]
            )
            letters = {
                name: sorted({cell for cell in (*cells, *self.labels[name]) if isinstance(cell, str)})
                for name, cells in self.columns.items()
            }
            pyreadstat.write_dta(
                frame, path, version=14, variable_value_labels=labels,
                missing_user_values={name: codes for name, codes in letters.items() if codes},
            )  # fmt: skip
        else:
            ranges = {
                name: [{"lo": code[0], "hi": code[1]} if isinstance(code, tuple) else code for code in codes]
                for name, codes in self.missing.items()
            }
            frame = pl.DataFrame(
                [
                    pl.Series(name, cells, dtype=pl.String if name == "town" else pl.Float64)
                    for name, cells in self.columns.items()
                ]
            )
            pyreadstat.write_sav(
                frame, path, variable_value_labels=labels, missing_ranges=ranges,
                variable_measure={"region": "nominal", "age": "scale"}, row_compress=True,
            )  # fmt: skip
        return path

    def _coded(self, name, chance, records, words):
        step = chance.choice([1, 1, 1, 10])
        codes = [place * step for place in range(1, len(words) + 1)]
        chance.shuffle(words)
        if self.format != "dta" and not self.whole and chance.random() < 0.3:
            codes[0] = 0.5
        self.labels[name] = dict(zip(codes, words, strict=True))
        return self._with_missing(
            name, chance, chance.choices(codes[: chance.randint(2, len(codes))], k=records)
        )

    def _numbers(self, name, chance, records):
        self.labels[name] = {97: "97 or more"} if chance.random() < 0.5 else {}
        numbers = [chance.randint(20, 70) for _ in range(records)]
        if chance.random() < 0.3:
            numbers = [number if chance.random() < 0.8 else 97 for number in numbers]
        if name == "income" and chance.random() < 0.5:
            numbers = [number * 100 + 0.5 for number in numbers]
        cells = self._with_missing(name, chance, numbers)
        return [float(cell) if isinstance(cell, int) else cell for cell in cells]

    def _texts(self, name, chance, records):
        self.labels[name] = (
            {"B": "Bonn", "A": "Aachen", "C": "Celle", "N": "no answer"} if chance.random() < 0.7 else {}
        )
        self.missing[name] = ["N"] if chance.random() < 0.5 else []
        return [chance.choice(["A", "B", "D", "N", ""]) for _ in range(records)]

    def _with_missing(self, name, chance, cells):
        kind = chance.choice(["none", "discrete", "range", "open", "plain"])
        self.missing[name] = []
        if kind == "none":
            return cells
        if self.format == "dta" and kind != "plain":
            codes = ["a", "b", "d", None]
            self.labels[name] |= {"a": "refused", "b": "don't know", "c": "not asked"}
        elif kind == "plain":  # codes that only their labels tell
            codes = [998, 999, None]
            self.labels[name] |= {998: "don't know", 999: "refused"}
        elif kind == "discrete":
            codes = [-8, -9, None]
            self.labels[name] |= {-8: "don't know", -9: "refused"}
            self.missing[name] = [-8, -9]
        elif kind == "range":
            codes = [997, 998, 999, None]
            self.labels[name] |= {998: "don't know", 999: "refused"}
            self.missing[name] = [(997, 999)]
        else:
            codes = [100000, 100001, None]
            self.labels[name] |= {100000: "don't know"}
            self.missing[name] = [(100000, float("inf")), -1]
        share = chance.choice([0.05, 0.2])
        return [chance.choice(codes) if chance.random() < share else cell for cell in cells]


def raw_cells(path: Path) -> tuple[dict[str, list], Any]:
    """The codes of a file, missing ones too, and what it says of them."""
    reader = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    cells, told = reader(path, output_format="dict", user_missing=True)
    plain = {
        name: [None if cell is None or cell != cell or cell == "" else cell for cell in column]
        for name, column in cells.items()
    }
    return plain, told


def means_nothing(code: Any, ranges: list) -> bool:
    """Whether a code lies in what a file of SPSS declares to be missing."""
    if any(isinstance(one["lo"], str) for one in ranges) or isinstance(code, str):
        return any(one["lo"] == code for one in ranges)
    return any(one["lo"] <= code <= one["hi"] for one in ranges)
