"""Small drawn data of the shape of each paper's, so that `--quick` needs nothing beside the checkout."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import tpch_trees
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchies, Hierarchy


def customers(n: int) -> None:
    """Draw a population of TPC-H's shape, and let `tpch_trees` take it instead of a generated one."""
    random = np.random.default_rng(15)
    nation = random.integers(0, 25, n)
    people = pl.DataFrame({"nation": [f"N{i:02}" for i in nation], "region": [f"R{i // 5}" for i in nation]})
    whose = np.repeat(np.arange(n), np.where(random.random(n) < 1 / 3, 0, 2))
    price = np.clip(random.normal(30, 18, len(whose)), 0, 90).astype(int)
    kinds = np.unique(price)
    month = random.integers(0, 80, len(whose))
    orders = pl.DataFrame(
        {
            "o_orderkey": np.arange(len(whose)),
            "o_custkey": whose + 1,
            "price": [f"P{i:02}" for i in price],
            "equal": [f"P{i:02}" for i in kinds[np.argsort(np.argsort(price)) * len(kinds) // len(price)]],
            "date": [f"{1992 + i // 12}-{i % 12 + 1:02}" for i in month],
        }
    )
    order = np.repeat(
        orders["o_orderkey"].to_numpy(), random.choice([1, 2, 3], len(whose), p=[2 / 7, 3 / 7, 2 / 7])
    )
    brand = random.integers(0, 25, len(order))
    lines = pl.DataFrame(
        {
            "l_orderkey": order,
            "quantity": [str(i) for i in random.integers(1, 51, len(order))],
            "mfgr": [f"M{i // 5}" for i in brand],
            "brand": [f"Brand#{i // 5 + 1}{i % 5 + 1}" for i in brand],
        }
    )
    tpch_trees.STORE = Path(tempfile.mkdtemp()) / "trees.npz"
    np.savez(tpch_trees.STORE, **tpch_trees._nodes(people, orders, lines))


def census(n: int, trees: Hierarchies) -> Table:
    """People who fall on the leaves of some hierarchies: few leaves are frequent, and kinds of people differ."""
    random = np.random.default_rng(9)
    kind = random.integers(0, 4, n)
    columns = []
    for j, (name, tree) in enumerate(trees.items()):
        drawn = np.minimum(random.zipf(1.4, n) - 1, tree.size - 1)
        cells = (drawn * 7 + kind * (j + 1)) % tree.size
        columns.append(Column.of(name, "quasi", [tree.leaves[i] for i in cells]))
    return Table(tuple(columns))


def evenly(name: str, leaves: int, height: int, fanout: int = 2) -> Hierarchy:
    """A hierarchy of so many leaves and levels, each node over `fanout` of those below it."""
    rows = [[f"{i:02}", *(f"{i // fanout**j:02}^{j}" for j in range(1, height)), "*"] for i in range(leaves)]
    return Hierarchy.from_paths(name, rows)
