"""A table and its release: labels that tell nothing of whoever was left out."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl

import shoal
from shoal.anonymization.makers import trial_maker

AGES = [21, 22, 23, 31, 32, 33, 41, 42, 58, 59, 77]


def test_a_release_is_made_again_until_nobody_more_is_left_out():
    """Whoever is left out while it is made again left a trace in the labels that it was made with."""
    data = shoal.read(pl.DataFrame({"age": AGES}), roles={"age": "quasi"}, hierarchies={"age": {"fanout": 2}})
    maker = trial_maker(data, "mstk", {"k": 2})
    first = maker.make(data)
    first = replace(first, release=first.release.taken(np.flatnonzero(first.release.rows < 10)))
    asked = []

    def remake(kept):
        """The same again, but for the first two times without the last two people."""
        asked.append(kept.table.column("age").cells())
        made = maker.make(kept)
        stay = np.flatnonzero(made.release.rows < kept.records - 2 * (len(asked) < 3))
        return replace(made, release=made.release.taken(stay))

    told, found = data.without_traces(first, SimpleNamespace(make=remake))
    assert [sorted(map(int, ages)) for ages in asked] == [AGES[:10], AGES[:8], AGES[:6]]
    assert sorted(found.release.rows.tolist()) == sorted(told.kept.tolist()) == list(range(6))
    tree = told.hierarchies["age"]
    assert sorted(map(int, tree.leaves[: tree.domain])) == AGES[:6]
    alone = told.only(told.kept).hierarchies["age"]
    assert set(told.assemble(found.release)["age"]) <= {label for labels in alone.labels for label in labels}


def test_groups_above_a_fixed_level_are_those_of_the_kept_alone():
    """Left-out people's labels would stand in the hierarchy, and count where a method weighs how wide a group is."""
    ages = ["57", "57", "20", "20", "38", "38", "29"]
    given = {
        "roles": {"age": "quasi"},
        "hierarchies": {"age": {"ranges": [10, 100], "top": 55, "bottom": 25}},
        "levels": {"age": 1},
    }
    kept = np.arange(6)
    data = shoal.read(pl.DataFrame({"age": ages}), **given).made_of(kept).only(kept)
    alone = shoal.read(pl.DataFrame({"age": ages[:6]}), **given)
    assert data.hierarchies["age"].leaves == alone.hierarchies["age"].leaves
    assert data.hierarchies["age"].labels == alone.hierarchies["age"].labels
