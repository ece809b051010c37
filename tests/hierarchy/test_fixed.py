"""A column that no maker may coarsen."""

import numpy as np

from shoal.algorithms.lattice.optimal import optimal
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.fixed import fixed_column
from shoal.privacy import KAnonymity


def test_it_has_one_level_and_no_root():
    column, hierarchy = fixed_column("earlier", np.array([2, 0, 1, 0]))
    assert hierarchy.height == 0
    assert hierarchy.root not in hierarchy.leaves
    assert hierarchy.encode(column).tolist() == [2, 0, 1, 0]


def test_classes_never_cross_it():
    """Without it, level 0 would do; the two earlier classes cut one of its classes in two."""
    ages = Column.of("age", "quasi", ["21", "21", "22", "22"])
    tree = Hierarchy.from_paths("age", [["21", "2x"], ["22", "2x"]])
    column, fixed = fixed_column("earlier", np.array([0, 1, 0, 1]))
    alone = optimal(Table((ages,)), {"age": tree}, KAnonymity(2)).release
    beside = optimal(Table((ages, column)), {"age": tree, "earlier": fixed}, KAnonymity(2)).release
    assert alone.rule["levels"] == {"age": 0}
    assert beside.rule["levels"] == {"age": 1, "earlier": 0}
