"""A floor under the loss of tables with known columns: no labels that keep the claim lose less, whatever they are."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_boxes
from shoal.algorithms.local.boxes import loss_floor
from shoal.algorithms.local.core import core
from shoal.algorithms.local.core_floor import core_floor
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import CoreAnonymity
from shoal.utility import ncp

ROUNDING = 1e-7  # prices are rounded down to whole numbers
FLAT = [["0", "*"], ["1", "*"], ["2", "*"]]
HIGH = [["0", "low", "*"], ["1", "low", "*"], ["2", "high", "*"]]


@st.composite
def tables(draw, max_rows):
    """A quasi-identifier and one to three known columns of few values."""
    n, known = draw(st.integers(2, max_rows)), draw(st.integers(1, 3 if max_rows > 5 else 2))
    columns, trees = [], {}
    for name, role in [("q", "quasi"), *((f"o{place}", "known") for place in range(known))]:
        columns.append(Column.of(name, role, draw(st.lists(st.sampled_from("012"), min_size=n, max_size=n))))
        trees[name] = Hierarchy.from_paths(name, draw(st.sampled_from([FLAT, HIGH])))
    return Table(tuple(columns)), trees


def plain(table, trees):
    """Rows and levels as the naive twin takes them, priced by hand."""
    rows = list(zip(*([column.values[code] for code in column.codes] for column in table.quasi), strict=True))
    levels = []
    for column in table.quasi:
        tree, found = trees[column.name], []
        for level in range(tree.height + 1):
            nodes = tree.up[: tree.size, level].tolist()
            wide = [nodes.count(node) for node in nodes]
            price = [many / tree.size / len(table.quasi) if many > 1 else 0.0 for many in wide]
            found.append({name: one for name, *one in zip(tree.leaves, nodes, price, strict=True)})
        levels.append(found)
    return rows, levels


@settings(max_examples=80, deadline=None)
@given(tables(5), st.integers(2, 3), st.integers(1, 2), st.sampled_from([0, 1 << 27]), st.booleans())
def test_no_labels_at_all_lose_less(people, k, m, work, follows):
    table, trees = people
    assume(table.n >= k)
    rules = ((("o0",), "o1"),) if follows and len(table.quasi) > 2 else ()
    rows, levels = plain(table, trees)
    known = range(1, len(table.quasi))
    sets = [
        {*some, 2} if rules and 1 in some else {*some} for some in combinations(known, min(m, len(known)))
    ]
    is_core = [column.role == "quasi" for column in table.quasi]
    least = naive_boxes.least_loss_by_core(rows, levels, is_core, k, sets) / len(rows)
    assert core_floor(table, trees, CoreAnonymity(k, m, rules), work=work) <= least + ROUNDING / 100


@settings(max_examples=60, deadline=None)
@given(tables(12), st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 0.4]), st.integers(0, 2**32))
def test_the_method_loses_no_less(people, k, m, suppress, seed):
    table, trees = people
    assume(table.n >= k)
    claim, rng = CoreAnonymity(k, m), np.random.default_rng(seed)
    made = core(table, trees, claim, suppress=suppress, recode="hierarchy", sweeps=2, rng=rng)
    assert core_floor(table, trees, claim) <= ncp(made.release, trees) + ROUNDING / 100


def crossed(times):
    """Everybody of one town; two columns, of whose values each pair stands for so many people."""
    cells = {"town": "aaaa" * times, "ill": "0011" * times, "ate": "0101" * times}
    columns = (
        Column.of(name, "quasi" if name == "town" else "known", list(text)) for name, text in cells.items()
    )
    trees = {name: Hierarchy.from_paths(name, [[text, "*"] for text in "01a"]) for name in cells}
    return Table(tuple(columns)), trees


def test_what_may_be_known_together_is_counted_together():
    table, trees = crossed(2)
    assert core_floor(table, trees, CoreAnonymity(4, 1)) == 0
    assert core_floor(table, trees, CoreAnonymity(2, 2)) == 0
    assert core_floor(table, trees, CoreAnonymity(3, 2)) == pytest.approx(1 / 3, abs=ROUNDING)
    assert core_floor(table, trees, CoreAnonymity(3, 1, ((("ill",), "ate"),))) == pytest.approx(
        1 / 3, abs=ROUNDING
    )
    assert core_floor(table, trees, CoreAnonymity(5, 1)) == pytest.approx(2 / 3, abs=ROUNDING)


def test_it_is_no_less_than_that_of_the_quasi_identifiers():
    towns = [*"a" * 9, "b"]
    trees = {name: Hierarchy.from_paths(name, [["a", "*"], ["b", "*"]]) for name in ("town", "ill")}
    table = Table((Column.of("town", "quasi", towns), Column.of("ill", "known", ["a"] * 10)))
    alone = loss_floor(Table(table.core), trees, 5)
    assert core_floor(table, trees, CoreAnonymity(5, 1)) == pytest.approx(alone / 2, abs=ROUNDING)
    assert alone == pytest.approx(0.1, abs=ROUNDING)  # who stands alone is left out


def test_rows_that_stand_for_many_records_count_as_many():
    table, trees = crossed(3)
    counted, _ = crossed(1)
    counted = Table(counted.columns, None, np.full(4, 3))
    for k in (2, 3, 4):
        claim = CoreAnonymity(k, 2)
        assert core_floor(counted, trees, claim) == core_floor(table, trees, claim)
