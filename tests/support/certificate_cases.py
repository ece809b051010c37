"""Releases of every shape and with every option that changes what a certificate says, made of invented people.

A case is a configuration as sections of keys; `make` invents people by a seed, writes them, and makes the release.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl

from shoal.io.keys import VARIABLE
from shoal.io.settings import format_toml
from shoal.jobs.configured import run_config

PEOPLE = 90
KEY = {VARIABLE: "ab" * 32}
AGE = {"role": "quasi", "hierarchy": {"ranges": [10, 20, 40]}}
ZIP = {"role": "quasi", "hierarchy": {"mask": "right"}}
DECLARED = {"role": "quasi", "hierarchy": "zip.csv"}
QUASI = {"name": "identifier", "age": AGE, "zip": ZIP}
INCOME = {"role": "sensitive", "hierarchy": {"ranges": [1000, 5000]}, "level": 1}
BAND = {"role": "plain", "hierarchy": {"ranges": [2, 4]}, "level": 1}
REST = {"*": "drop"}
TABLE = {"ill": "sensitive", "ward": "plain"}
WEIGHTED = {"wt": {"role": "weight", "allow": True}}
SHIFTED = {"role": "plain", "shift": 9, "allow": True}
DAY = {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}, "shift": 9}
GOODS = {"who": "identifier", "bought": {"role": "items", "hierarchy": "items.csv"}}
BARE = {"who": "identifier", "bought": "items"}
SECRET = {"who": "identifier", "bought": {"role": "items", "hierarchy": "items.csv", "sensitive": ["HIV"]}}
TREE = {"drop": ["id"], "hierarchies": {"age": "age.csv", "visits.ward": "ward.csv", "visits.ill": "ill.csv"}}
BUILT = {**TREE, "hierarchies": {**TREE["hierarchies"], "age": {"ranges": [10, 20]}}}
HIDING = {**TREE, "sensitive": "visits.ill", "hierarchies": {"age": "age.csv", "visits.ward": "ward.csv"}}
LOOSE = {"suppress": 0.2}


@dataclass(frozen=True)
class Case:
    """A configuration: the file of the data, its columns or its tree, and the other sections."""

    data: str
    columns: dict = field(default_factory=dict)
    guarantee: dict = field(default_factory=dict)
    method: dict = field(default_factory=dict)
    release: dict = field(default_factory=dict)
    tree: dict = field(default_factory=dict)
    person: str = ""
    population: dict = field(default_factory=dict)
    audit: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)

    @property
    def sections(self):
        """The configuration as the file has it."""
        data = {"path": self.data, **({"person": self.person} if self.person else {})}
        named = {"data": data, "columns": self.columns, "tree": self.tree, "guarantee": self.guarantee}
        more = {"method": self.method, "release": self.release, "population": self.population}
        return {key: value for key, value in {**named, **more, "audit": self.audit}.items() if value}


def table(columns=TABLE, guarantee=None, quasi=QUASI, **more):
    return Case(
        "people.csv", {**quasi, **columns, **REST}, guarantee or {"k": 4}, **{"method": LOOSE, **more}
    )


def baskets(columns=GOODS, guarantee=None, **more):
    return Case("baskets.csv", {**columns, **REST}, guarantee or {"k": 4, "m": 2}, **more)


def mixed(columns, guarantee=None, **more):
    both = {"age": AGE, "faith": "sensitive", **columns}
    return Case("mixed.csv", both, guarantee or {"k": 4, "m": 1}, **more)


def trees(tree=TREE, guarantee=None, **more):
    return Case("trees.ndjson", guarantee=guarantee or {"k": 4, "m": 2, "n": 1}, tree=tree, **more)


CASES = {
    "plain table": table(),
    "no sensitive": table({"ward": "drop", "ill": "drop"}, release={"rows": False}),
    "ranges": table({"income": INCOME, "visits": BAND}),
    "ranges and l": table({"income": INCOME, "ill": "sensitive"}, {"k": 3, "l": 2}, release={"rows": True}),
    "l alone": table({"ill": "sensitive"}, {"l": 2}, method={}),
    "t": table(guarantee={"k": 3, "t": 0.6}),
    "l and t": table(guarantee={"k": 3, "l": 2, "t": 0.6}),
    "entropy": table(guarantee={"k": 3, "l": 2, "diversity": "entropy"}),
    "beta": table(guarantee={"k": 3, "beta": 6}),
    "disclosure": table({"sex": "sensitive"}, {"k": 3, "disclosure": 3}),
    "alpha": table({"ill": "sensitive"}, {"k": 3, "alpha": 0.8}),
    "hidden": table({"ill": {"role": "sensitive", "hidden": ["gout"]}}, {"k": 3, "alpha": 0.8}),
    "several sensitive": table({"ill": "sensitive", "sex": "sensitive", "income": INCOME}, {"k": 4}),
    "persons": Case("visits.csv", {**QUASI, "ill": "sensitive", **REST}, {"k": 3}, LOOSE, person="name"),
    "declared": table(quasi={"name": "identifier", "age": AGE, "zip": DECLARED}),
    "levels": table(quasi={"name": "identifier", "age": AGE, "zip": DECLARED}, method={"name": "optimal", **LOOSE}),
    "strict": table(method={"suppress": 0}),
    "front": table(method={"name": "pareto", "suppress": 0.05}),
    "means": table(method={"name": "mstk", "recode": "mean", **LOOSE}),
    "weights": table(WEIGHTED, {"k": 2}, quasi={"sex": "quasi"}, method={}),
    "rounded weights": table({"wt": {"role": "weight", "release": "rounded", "base": 0.5}, "ill": "sensitive"}),
    "weights in classes": table({"wt": {"role": "weight", "release": "classes", "classes": 3}}, {"k": 3}),
    "calibrated weights": table({"wt": {"role": "weight", "release": "calibrated"}, "ill": "sensitive"}),
    "hidden weights": table({"wt": "weight", "ill": "sensitive"}),
    "households": table({"home": "household", "ill": "sensitive"}, {"k": 3, "of": "households"}),
    "allowed": table({"ill": "sensitive", "seen": {"role": "plain", "allow": True}}),
    "population": table(population={"size": 100000}),
    "k-map": table(guarantee={"k_map": 3}, population={"path": "register.csv"}, method={"name": "optimal", **LOOSE}),
    "presence": table(
        guarantee={"presence": [0.0, 0.9]},
        population={"path": "register.csv"},
        method={"name": "optimal", "suppress": 0},
    ),
    "risk": table(guarantee={"risk": 0.25}),
    "average risk": table(guarantee={"k": 2, "average_risk": 0.2}),
    "known subsets": table({"ill": "sensitive", "sex": "quasi"}, {"k": 4, "subsets": 2}, method={}),
    "known subsets beside one value": table({"ill": "sensitive"}, {"k": 2, "subsets": 1}, method={}),
    "pseudonym": table(quasi={**QUASI, "name": "pseudonym"}),
    "shifted": Case("people.csv", {**QUASI, "day": DAY, **REST}, {"k": 3}, LOOSE, person="name"),
    "shifted beside": Case("people.csv", {**QUASI, "day": {**SHIFTED}, **REST}, {"k": 3}, LOOSE, person="name"),
    "frequency": table(quasi={"name": "identifier", "zip": {"role": "quasi", "hierarchy": {"fanout": 3}}, "age": AGE}),
    "wp29": table({"ill": "sensitive"}, {"k": 3, "l": 2}, release={"preset": "wp29"}),
    "expert": table(guarantee={"k": 11}, release={"preset": "hipaa-expert"}),
    "owner": table(release={"title": "Visits", "controller": "A clinic", "reason": "small k", "contact": "us"}),
    "rehearsal": table(options={"seed": 3}),
    "control": table(audit={"control": 0.3}),
    "target": table(audit={"target": "ill"}),
    "baskets": baskets(),
    "groups": baskets(BARE),
    "inline": baskets(BARE, release={"groups": "inline", "rows": False}),
    "secret items": baskets(SECRET, {"k": 3, "l": 2, "m": 1}),
    "secret items, l alone": baskets(SECRET, {"k": 2, "l": 2, "m": 1}),
    "baskets beside a column": baskets({**GOODS, "faith": "plain"}),
    "label of baskets": baskets({**GOODS, "faith": "sensitive"}),
    "votes": baskets(BARE, {"k": 4}),
    "votes beside labels": baskets({**BARE, "faith": "sensitive"}, {"k": 5}),
    "votes with labels": baskets({**BARE, "faith": "sensitive"}, {"k": 5, "l": 2}),
    "insiders": baskets(BARE, {"k": 4, "insiders": 1}),
    "mixed": mixed(GOODS),
    "mixed groups": mixed(BARE),
    "mixed secret": mixed(SECRET, {"k": 3, "l": 2, "m": 1}),
    "mixed without sensitive": mixed({**GOODS, "faith": "drop"}),
    "trees": trees(),
    "trees, built": trees(BUILT),
    "trees, hiding": trees(HIDING),
    "trees with l": trees(HIDING, {"k": 4, "m": 1, "n": 1, "l": 2}),
    "trees, merged": trees(method={"repeats": "merge"}),
    "trees, nothing known together": trees(guarantee={"k": 4, "m": 1, "n": 0}, release={"rows": False}),
    "trees, negations": trees({**TREE, "negations": ["visits.ward"]}, method={"repeats": "merge"}),
    "trees, all cuts": trees(method={"name": "acs"}),
}  # fmt: skip


def invent(room: Path, seed: int) -> None:
    """Write people of every shape."""
    rng = np.random.default_rng(seed)
    n = PEOPLE
    ills, wards = rng.choice(["flu", "gout", "HIV"], n, p=[0.5, 0.35, 0.15]), rng.choice(["A", "B", "C"], n)
    days = np.datetime64("2021-01-01") + rng.integers(0, 700, n)
    columns = {
        "name": [f"Ann {i}" for i in range(n)],
        "age": rng.integers(20, 60, n),
        "zip": [f"0{rng.integers(1, 3)}{rng.integers(0, 4)}" for _ in range(n)],
        "sex": rng.choice(["f", "m"], n),
        "ill": ills,
        "ward": wards,
        "income": rng.integers(10, 60, n) * 100,
        "visits": rng.integers(0, 8, n),
        "wt": rng.choice([10, 25], n),
        "home": [f"h{i // 2}" for i in range(n)],
        "seen": [f"{1000 + i}" for i in range(n)],
        "day": days.astype(str),
    }
    people = pl.DataFrame(columns)
    everything = ("name", "age", "zip", "sex", "ill", "ward", "income", "visits", "wt", "home", "seen", "day")
    people.select(everything).write_csv(room / "people.csv")
    people.with_columns(name=pl.Series([f"Ann {i // 2}" for i in range(n)])).write_csv(room / "visits.csv")
    more = {"age": rng.integers(20, 60, 5 * n), "zip": [f"0{i % 2 + 1}{i % 4}" for i in range(5 * n)]}
    pl.concat([people.select("age", "zip"), pl.DataFrame(more)]).write_csv(room / "register.csv")
    goods, chances = ["ale", "rum", "bun", "pie", "HIV", "flu"], [0.3, 0.2, 0.2, 0.2, 0.02, 0.08]
    bought = [" ".join(rng.choice(goods, rng.integers(0, 4), replace=False, p=chances)) for _ in range(n)]
    baskets = pl.DataFrame({"who": columns["name"], "faith": rng.choice([*"abcdefgh"], n), "bought": bought})
    baskets.write_csv(room / "baskets.csv")
    baskets.with_columns(age=columns["age"]).write_csv(room / "mixed.csv")
    with (room / "trees.ndjson").open("w") as file:
        for i in range(n):
            visits = [
                {
                    "ward": str(rng.choice(["n1", "n2", "s1", "s2"])),
                    "ill": str(rng.choice(["flu", "gout", "rash"])),
                }
                for _ in range(rng.integers(0, 3))
            ]
            file.write(json.dumps({"id": i, "age": int(columns["age"][i]), "visits": visits}) + "\n")
    (room / "age.csv").write_text(
        "".join(f"{a};[{a // 10 * 10}, {a // 10 * 10 + 9}];*\n" for a in range(20, 60))
    )
    (room / "zip.csv").write_text("".join(f"0{a}{b};0{a}*;*\n" for a in (1, 2) for b in range(4)))
    groups = {
        "ale": "drink",
        "rum": "drink",
        "bun": "food",
        "pie": "food",
        "HIV": "disease",
        "flu": "disease",
    }
    (room / "items.csv").write_text("".join(f"{item};{group};*\n" for item, group in groups.items()))
    (room / "ward.csv").write_text("".join(f"{w}{i};{w};*\n" for w in "ns" for i in (1, 2)))
    (room / "ill.csv").write_text("flu;common;*\ngout;rare;*\nrash;rare;*\n")


def make(case: Case, room: Path, seed: int) -> Path:
    """Invent people in a folder and make the release of a case beside them; return its folder."""
    room.mkdir(parents=True, exist_ok=True)
    invent(room, seed)
    (room / "shoal.toml").write_text(format_toml(case.sections))
    with patch.dict(os.environ, KEY):
        run_config(room / "shoal.toml", room / "out", **case.options)
    return room / "out"


DRAWN = 8
"""How many cases are drawn beside those with a name."""


def draw(seed: int) -> Case:
    """A case with drawn options: its shape, roles, levels, claim, method, what is kept."""
    rng = np.random.default_rng(seed)

    def pick(*some):
        return some[int(rng.integers(len(some)))]

    release = pick({}, {"rows": False}, {"rows": True}, {"title": "Visits", "controller": "A clinic"})
    match pick("table", "table", "table", "items", "trees"):
        case "table":
            return _drawn_table(pick, release)
        case "items":
            items = pick(GOODS, BARE, SECRET)
            numbers = {"k": pick(3, 5), "m": pick(1, 2)}
            if items is SECRET and pick(0, 1):
                return pick(baskets, mixed)(items, {**numbers, "m": 1, "l": 2}, release=release)
            beside = pick({}, {"faith": "sensitive"}, {"faith": "plain"})
            votes = items is BARE and not beside and pick(0, 1)
            return baskets({**items, **beside}, {"k": 4} if votes else numbers, release=release)
    numbers = {"k": pick(3, 5), "m": pick(1, 2), "n": pick(0, 1)}
    return trees(pick(TREE, BUILT, HIDING), numbers, method=pick({}, {"repeats": "merge"}), release=release)


def _drawn_table(pick, release):
    columns = {
        "ill": pick("sensitive", "sensitive", "drop"),
        "income": pick(INCOME, "drop", "drop"),
        "visits": pick(BAND, "plain", "drop"),
        "ward": pick("plain", "drop"),
    }
    asked = [{"k": 3}, {"k": 6}, {"k": 2, "average_risk": 0.4}, {"risk": 0.2}]
    if columns["ill"] != "drop" or columns["income"] != "drop":
        asked += [{"k": 3, "l": 2}, {"l": 2}, {"k": 3, "t": 0.8}, {"k": 3, "l": 2, "t": 0.8}]
    method = pick(LOOSE, {"suppress": 0}, {"name": "optimal", **LOOSE}, {"name": "mondrian"})
    person = pick("", "", "name")
    quasi = {**QUASI, "zip": pick(ZIP, DECLARED)}
    data = "visits.csv" if person else "people.csv"
    return Case(data, {**quasi, **columns, **REST}, pick(*asked), method, release, person=person)
