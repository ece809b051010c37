"""What measuring risk costs: Adult, a million rows of 8 columns, baskets, a table with baskets, large trees.

Run `python benchmarks/bench_risk.py`. CPU time of the whole of `shoal.risk`, without reading; the targets are those of
tables: 30,000 x 9 in 5 s, 1,000,000 x 8 in 60 s.
"""

import numpy as np
import polars as pl

import shoal
from common import DATA, cpu, need, show

_WIDTHS = (90, 2, 5, 16, 40, 7, 15, 1000)


def generated(rows: int) -> pl.DataFrame:
    """Columns of many and of few values, some far more frequent than others."""
    random = np.random.default_rng(0)
    return pl.DataFrame(
        {f"c{j}": (width * random.random(rows) ** 2).astype(int) for j, width in enumerate(_WIDTHS)}
    )


def measured(data: object) -> str:
    """CPU seconds, and the share of people who are unique by all that is known."""
    shoal.risk(data, sample=100)  # compiles what there is to compile
    seconds, found = cpu(lambda: shoal.risk(data))
    return f"{seconds:.1f} s, {found.as_dict()['found'][-1]['alone']:.1%} alone"


def main() -> None:
    for name in ("adult", "bms_webview1", "t10i4d100k", "tpch_trees"):
        need(DATA / name)
    adult = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False)
    million = generated(1_000_000)
    rows = [
        ("adult, 30,162 x 9", shoal.read(adult, roles=dict.fromkeys(adult.columns, "quasi")), "5 s"),
        (
            "generated, 1,000,000 x 8",
            shoal.read(million, roles=dict.fromkeys(million.columns, "quasi")),
            "60 s",
        ),
        (
            "the same, 400,000 people",
            shoal.read(
                million.with_columns(who=pl.int_range(1_000_000) * 7 % 400_000),
                roles=dict.fromkeys(million.columns, "quasi"),
                person="who",
            ),
            "60 s",
        ),
    ]
    rows += [
        (name, shoal.read(DATA / path, roles={"items": "items"}), "")
        for name, path in (
            ("BMS-WebView-1, 59,602 baskets", "bms_webview1/BMS-WebView-1.dat.gz"),
            ("T10I4D100K, 100,000 baskets", "t10i4d100k/T10I4D100K.dat.gz"),
        )
    ]
    names = [
        "nation",
        "orders.price",
        "orders.date",
        "orders.items.quantity",
        "orders.items.mfgr",
        "orders.items.brand",
    ]
    trees = shoal.read_trees(
        DATA / "tpch_trees" / "trees_100000.ndjson.gz",
        identifier="id",
        hierarchies={name: {"fanout": 5} for name in names},
    )
    rows.append(("TPC-H, 100,000 trees", trees, ""))
    show("risk", [(name, measured(data), target) for name, data, target in rows])


if __name__ == "__main__":
    main()
