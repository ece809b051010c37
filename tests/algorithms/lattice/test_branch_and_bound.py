"""Nodes counted many at once, against each evaluated by itself."""

from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lattices import Case, cases
from shoal.algorithms.lattice import branch_and_bound as module
from shoal.algorithms.lattice.branch_and_bound import make_counter
from shoal.algorithms.lattice.cube import Cube, prices_of
from shoal.algorithms.lattice.evaluation import Evaluator


def made(case, loss="glm", labels=()):
    cube = Cube.of("pareto", case.table, case.hierarchies, labels)
    return cube, prices_of(loss, cube, case.table)


@given(case=cases(), allowed=st.integers(0, 4), seed=st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_counts_what_evaluating_gives(case, allowed, seed):
    cube, prices = made(case)
    allowed = min(allowed, cube.n - 1)
    with patch.object(module, "_LARGE", 0):
        count = make_counter(cube, prices, allowed)
    evaluate, lattice = Evaluator(cube, prices, allowed), cube.lattice
    nodes = seed.choices(range(lattice.size), k=min(lattice.size, 30))
    expected = [evaluate(lattice.levels(node)).reach for node in nodes]
    assert count(np.array(nodes)).tolist() == expected


SMALL = Case([("a",), ("b",), ("b",)], [[["a", "*"], ["b", "*"]]], list("xyx"))


def test_is_left_out_where_it_does_not_pay_or_does_not_do():
    cube, prices = made(SMALL)
    assert make_counter(cube, prices, 0) is None  # a small lattice
    with patch.object(module, "_LARGE", 0):
        assert make_counter(cube, prices, 0) is not None
        assert make_counter(cube, made(SMALL, "dm")[1], 0) is None  # no floor: everything is evaluated
        several = Case(SMALL.rows, SMALL.columns, SMALL.label, persons=[1, 1, 2])
        assert make_counter(*made(several), 0) is None  # persons are to be counted, not records
        assert make_counter(*made(SMALL, labels=[np.array([0, 1, 0])]), 0) is None
        for limit in ("_TUPLES", "_CELLS"):
            with patch.object(module, limit, 1):
                assert make_counter(cube, prices, 0) is None
