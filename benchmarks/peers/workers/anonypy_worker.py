"""anonypy as its README has it: words as categories, numbers as numbers, Mondrian for k."""

import anonypy
import pandas as pd
from base import run


def prepare(job):
    frame = pd.read_csv(job["data"], sep=";", dtype=str)
    for name in frame.columns:
        kind = "int64" if name in job["numbers"] else "category"
        frame[name] = frame[name].astype(kind)
    return frame


def make(job, frame):
    rows = anonypy.Preserver(frame, job["quasi"], job["label"]).anonymize_k_anonymity(k=job["k"])
    found = pd.DataFrame(rows).map(lambda cell: cell[0] if isinstance(cell, list) else cell)

    def write(path):  # one row for each class and label, with a count
        whole = found.loc[found.index.repeat(found["count"])]
        whole[[*job["quasi"], job["label"]]].to_csv(path, sep=";", index=False)

    return write


run(prepare, make)
