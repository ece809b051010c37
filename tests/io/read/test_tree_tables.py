import polars as pl
import pytest

from shoal.base.errors import InputError
from shoal.io.read.trees import TreeSpec, read_trees

KEYS = {"orders.customer": "customers.id", "items.order": "orders.id", "items.part": "parts.id"}
TREES = [
    (
        ("nation", "PERU"),
        ("orders.price", "10", ("orders.items.quantity", "3", ("orders.items.parts.brand", "B1"))),
        ("orders.price", "20"),
    ),
    (("nation", "CHAD"), ("orders.items.quantity", "1", ("orders.items.parts.brand", "B2"))),
]


@pytest.fixture(params=["csv", "parquet"])
def folder(request, tmp_path):
    tables = {
        "customers": pl.DataFrame({"id": [1, 2], "nation": ["PERU", "CHAD"]}),
        "orders": pl.DataFrame({"id": [7, 8, 9], "customer": [1, 1, 2], "price": [10, 20, None]}),
        "items": pl.DataFrame({"order": [7, 9], "part": [100, 101], "quantity": [3, 1]}),
        "parts": pl.DataFrame({"id": [100, 101, 102], "brand": ["B1", "B2", "B3"]}),
    }
    for name, frame in tables.items():
        path = tmp_path / f"{name}.{request.param}"
        frame.write_csv(path) if request.param == "csv" else frame.write_parquet(path)
    (tmp_path / "README.txt").write_text("not a table")
    return tmp_path


def read(folder, **spec):
    return read_trees(folder, TreeSpec(**{"person": "customers", "keys": KEYS, **spec}))


def test_tables_that_refer_and_are_referred_to(folder):
    trees = read(folder)
    assert [tuple(sorted(tree)) for tree in trees.nested()] == [tuple(sorted(tree)) for tree in TREES]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"person": None}, "name the table of persons"),
        ({"keys": {}}, "how tables refer to others"),
        (
            {"person": "people"},
            "no table 'people' for tree.person; there are customers, items, orders, parts",
        ),
        ({"keys": {"orders.buyer": "customers.id"}}, "no column 'buyer', which a key names"),
        (
            {"keys": {**KEYS, "items.quantity": "customers.id"}},
            "in two ways, as items by items.quantity and as orders.items by items.order",
        ),
    ],
)
def test_bad_folders_are_one_sentence(folder, spec, sentence):
    with pytest.raises(InputError, match=sentence):
        read(folder, **spec)


def test_an_empty_folder(tmp_path):
    with pytest.raises(InputError, match="no csv or parquet file"):
        read(tmp_path)


def test_one_table_needs_no_keys(tmp_path):
    pl.DataFrame({"a": ["x", "y"]}).write_csv(tmp_path / "people.csv")
    assert list(read(tmp_path, person="people", keys={}).nested()) == [(("a", "x"),), (("a", "y"),)]
