"""How much spread means hide: MDAV and its second pass on the reference data of microaggregation.

The data are those of the CASC project as sdcMicro has them in its `data` folder (CASCrefmicrodata, which papers call
Census, Tarragona and EIA; the package is under GPL-2, so they are not kept here). With R, write each as a csv file of
the same name, then run

    python benchmarks/microaggregation.py FOLDER

It fails where plain MDAV does not give SSE/SST, in percent and on standardized columns, as papers print it for these
sets. They use eleven columns of EIA. We tried which: ten are of money and power, and with the number of the utility
all three figures come back (with the month they do not). `benchmarks/results/microaggregation.json` has what we found.
"""

import json
import sys
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from shoal.algorithms.local.mdav import _improve_groups, _mdav_groups

RESULTS = Path(__file__).parent / "results" / "microaggregation.json"
PUBLISHED = {
    "CASCrefmicrodata": {3: 5.69, 5: 9.09, 10: 14.16},
    "Tarragona": {3: 16.93, 5: 22.46, 10: 33.19},
    "EIA": {3: 0.48, 5: 1.67, 10: 3.84},
}
COLUMNS = {"EIA": [0, *range(5, 15)]}


def points_of(path):
    """The records, every column with mean 0 and deviation 1."""
    frame = pl.read_csv(path)
    values = frame[:, COLUMNS.get(path.stem, range(frame.width))].to_numpy().astype(float)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def lost(points, number):
    """SSE/SST in percent."""
    groups = [points[number == group] for group in np.unique(number)]
    within = sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)
    return round(float(100 * within / ((points - points.mean(axis=0)) ** 2).sum()), 4)


def main(folder):
    """Measure, print and keep all of it; a figure that is not the published one is a fault."""
    rows = []
    for name, figures in PUBLISHED.items():
        points = points_of(Path(folder) / f"{name}.csv")
        for k, printed in figures.items():
            begun = process_time()
            number = _mdav_groups(points, k)
            between = process_time()
            plain = lost(points, number)
            if round(plain, 2) != printed:
                sys.exit(f"{name}, k = {k}: {plain} is not the published {printed}")
            again = process_time()
            exchanged = _improve_groups(points, number, k)
            row = {
                "data": name,
                "records": len(points),
                "columns": points.shape[1],
                "k": k,
                "published": printed,
            }
            row |= {"mdav": plain, "improved": lost(points, number), "exchanged": exchanged}
            row |= {
                "seconds": round(between - begun, 2),
                "seconds_improving": round(process_time() - again, 2),
            }
            rows.append(row)
            print(row, flush=True)
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
