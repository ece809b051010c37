"""Small data of every shape, and a guarantee for every method, to try parameters with."""

import polars as pl

import shoal
from shoal.algorithms import METHODS

N = 24
ROLES = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
TABLE = pl.DataFrame(
    {
        "age": [str(20 + i % 6) for i in range(N)],
        "sex": ["fm"[i % 2] for i in range(N)],
        "ill": ["abc"[i % 3] for i in range(N)],
    }
)
ITEMS = pl.Series("items", [["a", "b"] if i % 2 else ["a", "c", "d"] for i in range(N)])
RULES = {"items": {"x": ["a", "b"], "y": ["c", "d"]}, "age": {"ranges": [2, 10]}}


def dataset(shape, name=""):
    match shape:
        case "table" if name == "core":
            roles = {**ROLES, "ill": "known"}
            return shoal.read(TABLE, roles=roles, hierarchies={"age": RULES["age"]})
        case "table":
            return shoal.read(
                TABLE, roles=ROLES, hierarchies={"age": RULES["age"]}, population=TABLE.head(N - 1)
            )
        case "baskets":
            return shoal.read(
                TABLE.select("ill").with_columns(ITEMS),
                roles={"items": "items", "ill": "sensitive"},
                hierarchies={"items": RULES["items"]},
            )
        case "mixed":
            frame = TABLE.drop("ill").with_columns(ITEMS)
            return shoal.read(
                frame, roles={"age": "quasi", "sex": "quasi", "items": "items"}, hierarchies=RULES
            )
        case _:
            records = [{"sex": "fm"[i % 2], "visit": [{"ward": "AB"[i % 2]}]} for i in range(N)]
            return shoal.read_trees(records, hierarchies={"sex": {"fanout": 2}, "visit.ward": {"fanout": 2}})


NUMBERS = {
    name: {"l" if name == "cahd" else "k": 2}
    | ({"m": 1} if found.kind in ("itemsets", "mixed", "trees") else {})
    | ({"n": 1} if found.kind == "trees" else {})
    | ({"subsets": 2} if found.kind == "cells" else {})
    | ({"known_at_once": 1} if name == "core" else {})
    for name, found in METHODS.items()
}
"""What is asked of each method."""
