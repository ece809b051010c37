"""shoal as it blanks cells, counts risks and takes means: what `sdcmicro.R` and `Arx.java` do of the same jobs."""

import json
import sys
from itertools import combinations

import numpy as np
import polars as pl
from base import run

import shoal
from shoal.algorithms.cells import KnownColumns, _blank_by_argus
from shoal.algorithms.local.mdav import _improve_groups, _mdav_groups
from shoal.risks.individual import _approximate_risk, _household_risk

SAID = {}


def read(job):
    frame = pl.read_csv(job["data"], separator=";", infer_schema=False)
    roles = dict.fromkeys(job["quasi"], "quasi")
    numbers = {job[role]: role for role in ("weight", "household") if job.get(role)}
    return shoal.read(
        frame.select(*roles, *(pl.col(name).cast(pl.Float64) for name in numbers)), roles=roles | numbers
    )


def blanks(job, data):
    """By the count that sdcMicro has, which shoal shows and does not publish."""
    frame = pl.read_csv(job["data"], separator=";", infer_schema=False)
    codes = np.stack([frame[name].rank("dense").fill_null(0).to_numpy() for name in frame.columns], axis=1)
    codes = codes[np.lexsort(codes.T[::-1])].astype(np.int32)
    many, width = codes.shape
    sets = list(combinations(range(width), job["known"]))
    made = _blank_by_argus(codes, KnownColumns(sets, job["k"], np.ones(width), np.ones(many, dtype=np.int64)))
    values = [frame[name].drop_nulls().unique().sort().to_list() for name in frame.columns]
    cells = {
        name: [values[j][code - 1] if code else None for code in made.codes[:, j]]
        for j, name in enumerate(frame.columns)
    }
    return lambda path: pl.DataFrame(cells).write_csv(path, separator=";")


def cells(job, data):
    """As it is published."""
    release = shoal.anonymize(data, k=job["k"], subsets=job["known"], method="blank")
    return lambda path: release.data.write_csv(path, separator=";")


def risk(job, data):
    found = shoal.risk(data, missing="any", fraction=job["fraction"])
    facts, records = found.as_dict(), found.records()
    if facts["prosecutor"]:
        SAID.update(highest=facts["prosecutor"]["highest"], above=facts["prosecutor"]["above"])
    if facts["population"]:
        SAID.update({name: facts["population"][name] for name in ("pitman", "zayatz")})

    def write(path):
        alike = records["look_alikes"].to_numpy()
        told = {"fk": alike}
        if job["weight"]:
            people = records["people"].to_numpy()
            usual = _approximate_risk(alike, alike / people)
            told |= {"Fk": people, "risk": usual, "exact": records["risk"].to_numpy()}
        if job["household"]:
            frame = pl.read_csv(job["data"], separator=";", infer_schema=False)
            homes = frame[job["household"]].rank("dense").to_numpy().astype(np.int64)
            told["hier_risk"] = _household_risk(usual, homes)
        pl.DataFrame(told).write_csv(path, separator=";")

    return write


def means(job, points):
    number = _mdav_groups(points, job["k"])
    if job["improve"]:
        _improve_groups(points, number, job["k"])
    made = np.stack([points[number == group].mean(axis=0) for group in np.unique(number)])[
        np.unique(number, return_inverse=True)[1]
    ]
    return lambda path: pl.DataFrame(made).write_csv(path, separator=";")


def points(job):
    return pl.read_csv(job["data"], separator=";").to_numpy().astype(float)


with open(sys.argv[1], encoding="utf-8") as file:
    maker = json.load(file)["maker"]
run(points if maker == "means" else read, globals()[maker], said=SAID)
