"""Losses of a release do not depend on the order in which its rows were shuffled, whatever the shape."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.anonymization.run import anonymize

ITEMS = ["e1", "e2", "i1", "i2", "j"]
TREE = {"E": ["e1", "e2"], "I": ["i1", "i2"], "J": ["j"]}
N = 60


def _people():
    random = np.random.default_rng(4)
    rare = [0.4, 0.3, 0.2, 0.05, 0.05]
    return pl.DataFrame(
        {
            "age": random.integers(20, 60, N),
            "sex": random.choice(["f", "m"], N),
            "codes": [list(random.choice(ITEMS, random.integers(0, 4), False, rare)) for _ in range(N)],
            "ill": random.choice(["flu", "gout", "cold"], N),
        }
    )


def _table():
    roles = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    return shoal.read(_people().drop("codes"), roles=roles, hierarchies={"age": {"ranges": [10, 20, 40]}})


def _mixed():
    rules = {"age": {"ranges": [10, 20, 40]}, "codes": TREE}
    roles = {"age": "quasi", "sex": "quasi", "codes": "items", "ill": "plain"}
    return shoal.read(_people(), roles=roles, hierarchies=rules, allow=("ill",), sensitive={"codes": ["j"]})


def _baskets():
    people = _people().select("codes", "ill")
    roles = {"codes": "items", "ill": "sensitive"}
    return shoal.read(people, roles=roles, hierarchies={"codes": TREE})


def _trees():
    people = [{"age": one["age"] // 10, "codes": one["codes"]} for one in _people().to_dicts()]
    rules = {"age": {"ranges": [2, 4]}, "codes": TREE}
    return shoal.read_trees(people, hierarchies=rules)


CASES = {
    "table": (_table, {"k": 4, "method": "optimal", "suppress": 0.1}),
    "table, local": (_table, {"k": 4, "method": "mstk", "suppress": 0.1}),
    "baskets, m items known": (_baskets, {"k": 6, "m": 2, "suppress": 0.2}),
    "baskets, all known": (_baskets, {"k": 4}),
    "mixed": (_mixed, {"k": 4, "m": 2, "delta": 0.5}),
    "mixed, items left out": (_mixed, {"k": 4, "m": 2, "l": 4, "delta": 0.4}),
    "trees": (_trees, {"k": 4, "m": 2, "n": 1}),
}


@pytest.mark.parametrize("name", CASES)
def test_losses_do_not_depend_on_the_order_of_rows(name):
    opened, options = CASES[name]
    dataset = opened()
    release = anonymize(dataset, seed=1, **options)
    dataset = release.dataset  # as its claim sees it
    size = dataset.size(release.result.release)
    orders = [np.random.default_rng(seed).permutation(size) for seed in range(4)]
    for public in (True, False):
        first, *others = [
            dataset.losses(dataset.shuffle_rows(release.result, order), release.method, public=public)
            for order in orders
        ]
        assert all(other == pytest.approx(first) for other in others)
