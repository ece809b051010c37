"""anjana as its README has it: a dictionary of levels for each quasi-identifier, and a limit of suppression."""

import pandas as pd
from anjana.anonymity import k_anonymity
from base import run


def prepare(job):
    frame = pd.read_csv(job["data"], sep=";", dtype=str)
    trees = {
        name: dict(pd.read_csv(job["hierarchies"][name], sep=";", header=None, dtype=str))
        for name in job["quasi"]
    }
    return frame, trees


def make(job, prepared):
    frame, trees = prepared
    found = k_anonymity(frame, [], job["quasi"], job["k"], 100 * job["suppress"], trees)
    columns = [*job["quasi"], job["label"]]
    return lambda path: found.reindex(columns=columns).to_csv(path, sep=";", index=False)


run(prepare, make)
