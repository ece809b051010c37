"""shoal as its tutorial has it; the release is judged within the time, as always."""

import polars as pl
from base import run

import shoal


def prepare(job):
    frame = pl.read_csv(job["data"], separator=";", infer_schema=False)
    roles = dict.fromkeys(frame.columns, "drop") | dict.fromkeys(job["quasi"], "quasi")
    if job["label"] not in job["quasi"]:
        roles[job["label"]] = "plain"
    trees = {name: job["hierarchies"][name] for name in job["quasi"]}
    return shoal.read(frame, roles=roles, hierarchies=trees)


def make(job, data):
    maker, *recode = job["maker"].split()
    options = {"suppress": job["suppress"]} if maker == "optimal" else {}
    options |= {"recode": recode[0]} if recode else {}
    release = shoal.anonymize(data, k=job["k"], method=maker, **options)
    return lambda path: release.data.write_csv(path, separator=";")


run(prepare, make)
