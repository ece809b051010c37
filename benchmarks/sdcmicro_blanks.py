"""Blanked cells beside sdcMicro, by the count that both have: how many are left out, and in which time.

Run `python benchmarks/sdcmicro_blanks.py CHECKOUT` with a folder that holds sdcMicro's sources and data (`R/`, `src/`,
`data/`); it needs R with data.table and Rcpp, takes some minutes and writes `results/sdcmicro_blanks.json`. The first
18 cases are those on which the order of rows was chosen; the 8 of `testdata, 5 keys` and Adult are not.
"""

import json
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from common import DATA, cpu
from shoal.algorithms.cells.argus_count import blank_by_argus, fitting_rows
from shoal.algorithms.cells.blanking import Known, price

RESULT = Path(__file__).with_name("results") / "sdcmicro_blanks.json"


def ours(file: Path, k: int, known: int) -> dict[str, Any]:
    """The cells that `blank` leaves out by the symmetric count, and its time; every row fits k of them then."""
    data = pl.read_csv(file, infer_schema=False, null_values=[""])
    cells = np.stack([data[name].rank("dense").fill_null(0).to_numpy() for name in data.columns], axis=1)
    codes = cells[np.lexsort(cells.T[::-1])].astype(np.int32)
    many, width = codes.shape
    asked = Known(list(combinations(range(width), known)), k, np.ones(width), np.ones(many, dtype=np.int64))
    took, made = cpu(lambda: blank_by_argus(codes, asked))
    assert all((fitting_rows(made.codes, some, asked.weight) >= k).all() for some in asked.sets)
    return {"cells": round(price(codes, made.codes, made.kept, asked.importance)), "seconds": round(took, 3)}


def main() -> None:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "R" / "localSuppression.R").exists():
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as room:
        script, adult = Path(__file__).with_suffix(".R"), DATA / "adult" / "adult.csv"
        subprocess.run(["Rscript", str(script), sys.argv[1], room, str(adult)], check=True)
        found = []
        for said in pl.read_csv(Path(room) / "said.csv").to_dicts():
            made = ours(Path(room) / f"{said['name']}.csv", said["k"], said["known"])
            row = {name: said.pop(name) for name in ("name", "k", "known")}
            found.append({**row, "shoal": made, "sdcMicro": said})
            print(found[-1], flush=True)
    more = sum(one["shoal"]["cells"] > one["sdcMicro"]["cells"] for one in found)
    slower = sum(one["shoal"]["seconds"] > one["sdcMicro"]["seconds"] for one in found)
    print(f"of {len(found)} cases shoal leaves out more cells in {more} and takes longer in {slower}")
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
