"""Every method x data of 65 and more columns, items and values: it keeps its claim, or says in a sentence why not."""

import random
from collections import Counter

import polars as pl
import pytest

import naive
import naive_itemsets
import shoal
from shoal.algorithms import METHODS
from shoal.base.errors import InputError

SLOW = {
    "mstk": "sixty columns are sixty axes of a lattice, and it climbs for minutes",
    "blind": "needs public people",
    "core": "needs known columns",
}
TABLES = [name for name, method in METHODS.items() if method.shape == "table" and name not in SLOW]
WHOLE = {"optimal", "incognito", "pareto", "poka"}  # one level per column: they number all vectors of levels


def wide_frame(rng, width, rows=18):
    """Few columns in which people differ, the last among them."""
    live = {*rng.sample(range(width), 4), width - 1}
    values = "123"
    return pl.DataFrame(
        {f"c{j}": rng.choices(values, k=rows) if j in live else [values[0]] * rows for j in range(width)}
    )


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_many_columns(name):
    for width in (65, 130):
        frame = wide_frame(random.Random(f"{name} {width}"), width)
        data = shoal.read(frame, roles=dict.fromkeys(frame.columns, "quasi"))
        asked = {"subsets": [frame.columns]} if name == "blank" else {}
        if name in WHOLE or name == "blank":
            with pytest.raises(InputError, match=r"2\^62 ways|too many"):
                shoal.anonymize(data, k=3, method=name, seed=1, **asked)
            continue
        rows = shoal.anonymize(data, k=3, method=name, seed=1).data.rows()
        assert min(Counter(rows).values()) >= 3


def test_blanks_in_as_many_columns_as_a_word_has_bits():
    frame = wide_frame(random.Random(1), 62)
    data = shoal.read(frame, roles=dict.fromkeys(frame.columns, "quasi"))
    listed = [frame.columns, frame.columns[-2:]]
    rows = shoal.anonymize(data, k=3, method="blank", subsets=listed, seed=1).data.rows()
    assert not naive.unfit(rows, 3, [range(62), (60, 61)])


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.shape == "baskets"])
def test_baskets_of_many_items(name):
    rng = random.Random(name)
    rows = [sorted({f"i{rng.randrange(200):03}" for _ in range(rng.randint(1, 12))}) for _ in range(15)]
    frame = pl.DataFrame({"items": rows, "ill": [f"x{place % 7}" for place in range(15)]})
    if METHODS[name].kind == "ring":
        data = shoal.read(frame, roles={"items": "items", "ill": "sensitive"})
        assert shoal.anonymize(data, k=2, l=2, method=name, seed=1).verdict
        return
    data = shoal.read(frame.drop("ill"), roles={"items": "items"}, hierarchies={"items": {"fanout": 4}})
    release = shoal.anonymize(data, k=3, m=2, method=name, seed=1, allow_empty=True)
    assert not naive_itemsets.rare([frozenset(items) for items in release.data["items"]], 3, 2)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.shape == "mixed"])
def test_tables_with_baskets_of_many_columns_and_items(name):
    rng = random.Random(name)
    rows = [sorted({f"i{rng.randrange(100):03}" for _ in range(rng.randint(0, 4))}) for _ in range(15)]
    frame = wide_frame(rng, 65, 15).with_columns(items=pl.Series(rows))
    roles = dict.fromkeys(frame.columns, "quasi") | {"items": "items"}
    data = shoal.read(frame, roles=roles, hierarchies={"items": {"fanout": 4}})
    made = shoal.anonymize(data, k=3, m=1, method=name, seed=1).data
    table = made.drop("items").rows()
    assert min(Counter(table).values()) >= 3
    for row, items in zip(table, made["items"], strict=True):
        peers = [set(other) for own, other in zip(table, made["items"], strict=True) if own == row]
        assert all(sum(item in other for other in peers) >= 3 for item in items)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.shape == "trees"])
def test_trees_of_many_values_and_fields(name):
    rng = random.Random(name)
    values = [
        {"a": [{"v": f"a{rng.randrange(90)}", "b": [f"b{rng.randrange(90)}"]} for _ in "ab"]}
        for _ in range(12)
    ]
    fields = [{f"f{j:02}": rng.choice("xy") if j in (2, 64) else "x" for j in range(65)} for _ in range(12)]
    for records, classes in ((values, ("a.v", "a.b")), (fields, tuple(fields[0]))):
        data = shoal.read_trees(records, hierarchies={one: {"fanout": 3} for one in classes})
        assert shoal.anonymize(data, k=3, m=2, n=1, method=name, seed=1, allow_empty=True).verdict
