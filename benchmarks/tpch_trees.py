"""Record trees of TPC-H customers, generated: who buys what, as the paper on record trees has it.

A customer's nation and price of each order stand under the root, the order's date and the quantities of its items
under the price, manufacturer and brand under the quantity: 276 values of 6 classes, depth 4 with the root. A customer
has at most two orders, an order at most three items (its lines 1, 3 and 6), so that a record has about 12 nodes. On
demand the orders stand below the nation: the paper does not say where it is, and then depth is 5 with the root. Nor
does it say how prices became values: they are steps of 5,000, or ranges that hold equally many orders. Run as a
program, it generates the largest population once; smaller ones are its first records.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Trees
from shoal.hierarchy import Hierarchy

MOST = 1_000_000
STORE = Path(tempfile.gettempdir()) / "shoal-tpch" / "customers.npz"
CUSTOMERS_A_SCALE = 150_000
CLASSES = ("nation", "price", "date", "quantity", "mfgr", "brand")
FANOUT = 5
PRICES = ("steps", "equal")
_RANGES = 91
PATHS = {
    "nation": "nation",
    "price": "orders.price",
    "date": "orders.date",
    "quantity": "orders.items.quantity",
    "mfgr": "orders.items.mfgr",
    "brand": "orders.items.brand",
}
"""By class its dotted path in nested records."""


def trees(records: int, *, nation_above: bool = False, prices: str = PRICES[0]) -> Trees:
    """The first so many customers; orders stand beside their nation, or below it; prices in one of two readings."""
    if not STORE.exists():  # in a process of its own, so that its memory is not measured
        subprocess.run([sys.executable, __file__], check=True)
    with np.load(STORE) as held:
        start = held["start"][: records + 1]
        items, parents = held["items"][: start[-1]], held["parents"][: start[-1]]
        pairs = [tuple(pair) for pair in held["pairs"].tolist()]
        if prices == PRICES[1]:
            items = np.where(held["equal"][: start[-1]] < 0, items, held["equal"][: start[-1]])
    if nation_above:  # every customer has one, and it is the first node
        price = np.array([kind == "price" for kind, _ in pairs])
        parents = np.where(price[items], 0, parents).astype(np.int32)
    return Trees.build(pairs, start, items, parents)


def hierarchies() -> dict[str, Hierarchy]:
    """By class a tree over its whole domain, about five children a node."""
    with np.load(STORE) as held:
        pairs = held["pairs"].tolist()
        regions = dict(held["regions"].tolist())
    found = {}
    for name in CLASSES:
        values = sorted({value for kind, value in pairs if kind == name}, key=lambda x: (len(x), x))
        if name == "nation":
            rows = [[value, regions[value], "*"] for value in sorted(values, key=lambda x: (regions[x], x))]
        elif name == "brand":
            rows = [[value, value[:-1] + "x", "*"] for value in values]
        elif name == "mfgr":
            rows = [[value, "*"] for value in values]
        else:
            rows = [[value, _range(values, at, FANOUT), _range(values, at, FANOUT**2), "*"]
                    for at, value in enumerate(values)]  # fmt: skip
        found[name] = Hierarchy.from_paths(name, rows)
    return found


def nested(tree: tuple[Any, ...]) -> dict[str, Any]:
    """A record as the nested object that it would be read from."""
    found: dict[str, Any] = {}
    for kind, value, *below in tree:
        if kind in ("price", "quantity"):
            name = "orders" if kind == "price" else "items"
            found.setdefault(name, []).append({kind: value, **nested(tuple(below))})
        else:
            found[kind] = [*found.get(kind, []), value]
    return found


def _range(values: list[str], at: int, width: int) -> str:
    first = at // width * width
    return f"[{values[first]}..{values[min(first + width, len(values)) - 1]}]"


def _generate(folder: Path) -> None:
    tables = "customer,orders,lineitem,part,nation,region"
    scale = str(MOST / CUSTOMERS_A_SCALE)
    subprocess.run(["tpchgen-cli", "parquet", "-s", scale, "-T", tables, "-o", str(folder), "-q"], check=True)


def _tables(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Customers, their first two orders, and three lines of each of these."""

    def table(name: str) -> pl.LazyFrame:
        return pl.scan_parquet(folder / f"{name}.parquet")

    nations = table("nation").select(c_nationkey="n_nationkey", nation="n_name", r_regionkey="n_regionkey")
    regions = table("region").select("r_regionkey", region="r_name")
    people = table("customer").select("c_custkey", "c_nationkey").join(nations, on="c_nationkey")
    people = people.join(regions, on="r_regionkey").sort("c_custkey").head(MOST)
    orders = (
        table("orders")
        .select("o_orderkey", "o_custkey", "o_totalprice", "o_orderdate")
        .filter(pl.col("o_custkey") <= MOST)
        .sort("o_orderkey")
        .filter(pl.col("o_orderkey").cum_count().over("o_custkey") <= 2)
        .select(
            "o_orderkey",
            "o_custkey",
            price=_priced(pl.min_horizontal(pl.col("o_totalprice").cast(pl.Int64) // 5000, _RANGES - 1)),
            equal=_priced((pl.col("o_totalprice").rank("min") - 1) * _RANGES // pl.len()),
            date=pl.col("o_orderdate").cast(pl.Date).dt.strftime("%Y-%m"),
        )
    ).collect()  # fmt: skip
    kept = orders.lazy().select(l_orderkey="o_orderkey")
    lines = (
        table("lineitem")
        .filter(pl.col("l_linenumber").is_in([1, 3, 6]))
        .select("l_orderkey", "l_partkey", quantity=pl.col("l_quantity").cast(pl.Int64).cast(pl.String))
        .join(kept, on="l_orderkey", how="semi")
        .join(table("part").select(l_partkey="p_partkey", mfgr="p_mfgr", brand="p_brand"), on="l_partkey")
    )
    return people.collect(), orders, lines.collect(engine="streaming")


def _priced(number: pl.Expr) -> pl.Expr:
    return pl.lit("P") + number.cast(pl.Int64).cast(pl.String).str.zfill(2)


def _coded(column: pl.Series, name: str, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Values as numbers of all pairs of class and value."""
    values = column.unique().sort()
    base = len(pairs)
    pairs += [(name, value) for value in values]
    return base + values.search_sorted(column).to_numpy().astype(np.int64)


def _nodes(people: pl.DataFrame, orders: pl.DataFrame, lines: pl.DataFrame) -> dict[str, np.ndarray]:
    """Every node with its record and its parent, parents first, then in the order of records."""
    pairs: list[tuple[str, str]] = []
    whose = orders["o_custkey"].to_numpy() - 1  # customers are numbered from 1
    order = np.argsort(orders["o_orderkey"].to_numpy())
    place = order[np.searchsorted(orders["o_orderkey"].to_numpy()[order], lines["l_orderkey"].to_numpy())]
    n, many, each = len(people), len(orders), len(lines)
    items = [
        _coded(people["nation"], "nation", pairs),
        *(_coded(orders[x], x, pairs) for x in ("price", "date")),
    ]
    items += [_coded(lines[name], name, pairs) for name in ("quantity", "mfgr", "brand")]
    values = {value: at for at, (kind, value) in enumerate(pairs) if kind == "price"}
    equal = np.full(n + 2 * many + 3 * each, -1)
    equal[n : n + many] = orders["equal"].replace_strict(values, return_dtype=pl.Int64).to_numpy()
    none = np.full(n + many, -1)
    quantity = n + 2 * many + np.arange(each)
    parent = np.concatenate([none, n + np.arange(many), n + place, quantity, quantity])
    owner = np.concatenate([np.arange(n), whose, whose, *[whose[place]] * 3])
    sort = np.argsort(owner, kind="stable")
    back = np.empty_like(sort)
    back[sort] = np.arange(len(sort))
    start = np.r_[0, np.cumsum(np.bincount(owner, minlength=n))]
    hung = np.where(parent[sort] < 0, -1, back[parent[sort]] - start[owner[sort]])
    return {
        "start": start,
        "items": np.concatenate(items)[sort].astype(np.int32),
        "equal": equal[sort].astype(np.int32),
        "parents": hung.astype(np.int32),
        "pairs": np.array(pairs),
        "regions": people.select("nation", "region").unique().sort("nation").to_numpy().astype(str),
    }


def main() -> None:
    """Generate, and store what `trees` takes."""
    STORE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        _generate(Path(folder))
        np.savez(STORE, **_nodes(*_tables(Path(folder))))


if __name__ == "__main__":
    main()
