"""Data of every shape about which somebody must still decide, for tests of what becomes of them."""

import json

import numpy as np
import polars as pl

DRAW = np.random.default_rng(7)
N = 200
TOWNS = [["Bonn", "Ulm", "Kiel"][i] for i in DRAW.integers(0, 3, N)]
BOUGHT = [" ".join(DRAW.choice(["ale", "pie", "tea", "rum"], DRAW.integers(1, 3))) for _ in range(N)]
TABLE = """
[data]
path = "people.csv"
[columns]
id = "identifier"
age = { role = "quasi", hierarchy = { ranges = [10, 20, 40] } }
town = "quasi"
note = "drop"
ill = "sensitive"
"*" = "drop"
"""
BASKETS = """
[data]
path = "people.csv"
[columns]
bought = { role = "items", separator = " " }
faith = "sensitive"
"*" = "drop"
"""
MIXED = """
[data]
path = "people.csv"
[columns]
age = { role = "quasi", hierarchy = { ranges = [10, 20, 40] } }
bought = { role = "items", separator = " " }
also = { role = "items", separator = " " }
note = "drop"
"*" = "drop"
"""
TREES = """
[data]
path = "people.ndjson"
[tree]
identifier = "id"
[tree.hierarchies]
age = { ranges = [10, 20, 40] }
town = { fanout = 3 }
"visits.ward" = { fanout = 2 }
"""
K = "[guarantee]\nk = 3\n"
SHAPES = {
    "table": (TABLE + K, ["age", "id", "ill", "note"], ["age", "ill"]),
    "baskets": (BASKETS + K, ["bought", "faith"], ["faith", "items"]),
    "mixed": (MIXED + K + "m = 1\n", ["age", "also", "bought", "note"], ["age", "items"]),
    "trees": (TREES + K + "m = 1\nn = 0\n", ["age", "id", "visits.ward"], ["age", "visits.ward"]),
}
"""By shape a configuration, what nobody decided about, and what of that is published."""
WHY = "it has two meanings; say what it is"


def write_people(folder):
    """A table with baskets in csv, and record trees in ndjson."""
    people = pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(N)],
            "age": DRAW.integers(20, 60, N),
            "town": TOWNS,
            "note": "",
            "ill": [("flu", "gout", "cold")[i % 3] for i in range(N)],
            "bought": BOUGHT,
            "also": BOUGHT[::-1],
            "faith": [("a", "b", "c", "d", "e")[i % 5] for i in range(N)],
        }
    )
    people.write_csv(folder / "people.csv")
    records = (
        {"id": i, "age": 20 + i % 30, "town": TOWNS[i], "visits": [{"ward": "ABC"[j]} for j in range(i % 4)]}
        for i in range(N)
    )
    (folder / "people.ndjson").write_text("".join(f"{json.dumps(one)}\n" for one in records))


def asked(room, shape="table", names=None, more=""):
    """A configuration in which somebody must still decide."""
    text, open_ones, _ = SHAPES[shape]
    lines = "".join(f'"{name}" = "{WHY}"\n' for name in (open_ones if names is None else names))
    path = room / "shoal.toml"
    path.write_text(f"{text}{more}[undecided]\n{lines}")
    return path


def written(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
