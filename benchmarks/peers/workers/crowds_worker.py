"""crowds as its README has it: a rule of functions for each quasi-identifier, the loss that it takes by itself."""

import pandas as pd
from base import hierarchy, run
from crowds.kanonymity import ola
from crowds.kanonymity.generalizations import GenRule


def prepare(job):
    frame = pd.read_csv(job["data"], sep=";", dtype=str)
    rules = {}
    for name in job["quasi"]:
        rows = hierarchy(job["hierarchies"][name])
        steps = [{row[0]: row[level] for row in rows} for level in range(1, len(rows[0]) - 1)]
        rules[name] = GenRule([step.get for step in steps])  # its own last step is the root
    return frame, rules


def make(job, prepared):
    frame, rules = prepared
    found = ola.anonymize(frame, rules, k=job["k"], max_sup=100 * job["suppress"])[0]
    return lambda path: found.fillna("*").to_csv(path, sep=";", index=False)


run(prepare, make, again=False)  # a second call in one process would find the nodes of the first
