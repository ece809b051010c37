"""Small releases of every shape, with the configurations and data that they come from, for tests of `verify`."""

import json
from pathlib import Path

import numpy as np
import polars as pl

from shoal.jobs.configured import run_config

ITEMS = {"ale": "drink", "rum": "drink", "bun": "food", "pie": "food", "HIV": "ill", "flu": "ill"}
TABLE = """[data]
path = "people.csv"
[columns]
name = "identifier"
age = { role = "quasi", hierarchy = "age.csv" }
zip = { role = "quasi", hierarchy = "zip.csv" }
ill = "sensitive"
ward = "plain"
[guarantee]
k = 4
"""
DIVERSE = TABLE + "l = 2\n"
PERSONS = TABLE.replace("[columns]", 'person = "name"\n[columns]').replace("people.csv", "visits.csv")
BASKETS = """[data]
path = "baskets.csv"
[columns]
who = "identifier"
faith = "plain"
bought = { role = "items", hierarchy = "items.csv" }
[guarantee]
k = 4
m = 2
"""
GROUPS = BASKETS.replace(', hierarchy = "items.csv"', "")
VOTE = BASKETS.replace('"plain"', '"sensitive"').replace("m = 2", "l = 2")
SECRET = BASKETS.replace('"items.csv" }', '"items.csv", sensitive = ["HIV"] }').replace(
    "m = 2", "m = 1\nl = 2"
)
MIXED = BASKETS.replace(
    'faith = "plain"', 'faith = "sensitive"\nage = { role = "quasi", hierarchy = "age.csv" }'
)
MIXED = MIXED.replace("baskets.csv", "mixed.csv")
TREES = """[data]
path = "trees.ndjson"
[tree]
drop = ["id"]
sensitive = "visits.ill"
hierarchies = { "age" = "age.csv", "visits.ward" = "ward.csv" }
[guarantee]
k = 3
m = 2
n = 1
"""
CONFIGS = {
    "table": TABLE,
    "diverse": DIVERSE,
    "persons": PERSONS,
    "baskets": BASKETS,
    "groups": GROUPS,
    "secret": SECRET,
    "vote": VOTE,
    "mixed": MIXED,
    "trees": TREES,
}
ORIGINALS = {
    "table": "people.csv",
    "diverse": "people.csv",
    "persons": "visits.csv",
    "trees": "trees.ndjson",
    "mixed": "mixed.csv",
    **dict.fromkeys(("baskets", "groups", "secret", "vote"), "baskets.csv"),
}


def write_originals(room: Path) -> None:
    """Invent people of every shape."""
    random = np.random.default_rng(5)
    n = 60
    ages = random.integers(20, 60, n)
    zips = [f"0{random.integers(1, 3)}{random.integers(0, 4)}" for _ in range(n)]
    ills = random.choice(["flu", "gout", "HIV"], n, p=[0.5, 0.4, 0.1])
    table = {
        "name": [f"Ann{i}" for i in range(n)],
        "age": ages,
        "zip": zips,
        "ill": ills,
        "ward": ["A", "B"] * 30,
    }
    pl.DataFrame(table).write_csv(room / "people.csv")
    pl.DataFrame(table | {"name": [f"Ann{i // 2}" for i in range(n)]}).write_csv(room / "visits.csv")
    names = list(ITEMS)
    chances = [0.3, 0.2, 0.2, 0.2, 0.02, 0.08]
    bought = [
        " ".join(random.choice(names, random.integers(0, 4), replace=False, p=chances)) for _ in range(n)
    ]
    who = {"who": table["name"], "faith": ["abcdefgh"[i % 8] for i in range(n)], "bought": bought}
    pl.DataFrame(who).write_csv(room / "baskets.csv")
    pl.DataFrame(who | {"age": ages}).write_csv(room / "mixed.csv")
    with (room / "trees.ndjson").open("w") as file:
        for i in range(n):
            visits = [
                {
                    "ward": str(random.choice(["n1", "n2", "s1", "s2"])),
                    "ill": str(random.choice(["flu", "gout"])),
                }
                for _ in range(random.integers(0, 3))
            ]
            file.write(json.dumps({"id": i, "age": int(ages[i]), "visits": visits}) + "\n")
    (room / "age.csv").write_text(
        "".join(f"{a};[{a // 10 * 10}, {a // 10 * 10 + 9}];*\n" for a in range(20, 60))
    )
    (room / "zip.csv").write_text("".join(f"0{a}{b};0{a}*;*\n" for a in (1, 2) for b in range(4)))
    (room / "items.csv").write_text("".join(f"{item};{group};*\n" for item, group in ITEMS.items()))
    (room / "ward.csv").write_text("".join(f"{w}{i};{w};*\n" for w in "ns" for i in (1, 2)))


def make_release(
    room: Path, kind: str, format: str = "csv", *, rows: bool | None = False, seed: int | None = None
) -> Path:
    """Write a release of a kind, and beside it `<kind>.toml`; return its folder. `rows` None says nothing of them."""
    more = f'[release]\nformat = "{format}"\n' + ("" if rows is None else f"rows = {str(rows).lower()}\n")
    suppress = "[method]\nsuppress = 0.1\n" if kind in ("table", "diverse", "persons") else ""
    (room / f"{kind}.toml").write_text(CONFIGS[kind] + suppress + more)
    out = room / f"{kind}-{format}"
    run_config(room / f"{kind}.toml", out, seed=seed)
    return out
