"""Risk of single records beside sdcMicro, on its own test data.

Run `python benchmarks/sdcmicro.py CHECKOUT` with a folder that holds sdcMicro's sources and data (`R/`, `data/`); it
needs R with data.table, takes a quarter of a minute and writes `results/sdcmicro.json`. Compared are, record by record,
how many look alike in the sample and in the population (`freqCalc`), individual risk by the usual approximation and
exactly (`indivRisk`), household risk, and the sums that `measure_risk` prints, of a file with blank cells as well.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.utility.individual_risk import approximate_risk, household_risk

RESULT = Path(__file__).with_name("results") / "sdcmicro.json"
FIGURES = ("risk", "fk", "Fk", "hier_risk", "exact")


def compared(said: pl.DataFrame) -> dict[str, Any]:
    """The sums by both, and how far records are apart at most."""
    names = [name for name in said.columns if name not in FIGURES]
    role = {"sampling_weight": "weight", "w": "weight", "ori_hid": "household"}
    roles = {name: role.get(name, "quasi") for name in names}
    survey = said.select(
        pl.col(name).cast(pl.String if roles[name] == "quasi" else pl.Float64) for name in names
    )
    found = shoal.risk(shoal.read(survey, roles=roles), missing="any").records()
    alike, people = found["look_alikes"].to_numpy(), found["people"].to_numpy()
    usual = approximate_risk(alike, alike / people)
    exact = said["exact"].cast(pl.Float64, strict=False).to_numpy()
    there = np.isfinite(exact) & (exact > 0)
    told = {
        "records": said.height,
        "below 2": [int((one < 2).sum()) for one in (said["fk"].to_numpy(), alike)],
        "below 3": [int((one < 3).sum()) for one in (said["fk"].to_numpy(), alike)],
        "expected": [float(said["risk"].sum()), float(usual.sum())],
        "expected, exact": float(found["risk"].sum()),
        "apart": {
            "look-alikes": float(np.abs(said["fk"].to_numpy() - alike).max()),
            "people": float(np.abs(said["Fk"].to_numpy() / people - 1).max()),
            "risk": float(np.abs(said["risk"].to_numpy() - usual).max()),
            "exact risk": float(np.abs(exact - found["risk"].to_numpy())[there].max()),
        },
        "no exact risk": int((~there).sum()),
    }
    if "hier_risk" in said.columns:
        whole = household_risk(usual, survey["ori_hid"].rank("dense").to_numpy().astype(np.int64))
        told["household"] = [float(said["hier_risk"].sum()), float(whole.sum())]
        told["apart"]["household risk"] = float(np.abs(said["hier_risk"].to_numpy() - whole).max())
    return told


def main() -> None:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "R" / "measure_risk.R").exists():
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as room:
        script = Path(__file__).with_suffix(".R")
        subprocess.run(["Rscript", str(script), sys.argv[1], room], check=True)
        found = {}
        for file in sorted(Path(room).glob("*.csv")):
            found[file.stem] = compared(
                pl.read_csv(file, infer_schema_length=None, null_values=["NaN", "Inf", "-Inf"])
            )
            print(file.stem, found[file.stem], flush=True)
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
