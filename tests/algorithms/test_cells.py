"""Method blank against brute force, its floor, and what it spares."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.cells import (
    KnownColumns,
    _blank_by_rounds,
    _count_fitting_rows,
    _price_blanks,
    _search_fewest_blanks,
    blank,
)
from shoal.base.errors import InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import KAnonymity, SubsetAnonymity


def people(*columns, importance=None):
    """A table, and flat hierarchies."""
    names = [f"c{j}" for j in range(len(columns))]
    made = [
        Column(found.name, "quasi", found.values, found.codes, 1.0, (importance or {}).get(found.name, 1.0))
        for found in (Column.of(name, "quasi", cells) for name, cells in zip(names, columns, strict=True))
    ]
    flat = {
        found.name: Hierarchy.from_paths(
            found.name, [[value, "*"] for value in found.values if value] + [["(none)", "*"]]
        )
        for found in made
    }
    return Table(tuple(made)), flat


def cells(release):
    """What is published, None where it is blank."""
    return [
        tuple(form.labels[code] for form, code in zip(release.forms, row, strict=True))
        for row in release.codes.tolist()
    ]


def alike(codes, kept, known):
    """Whether k rows look the same in every set, from the definition."""
    rows = [[tuple(row[j] for j in one) for row in codes[kept].tolist()] for one in known.sets]
    return all(found.count(shown) >= known.k for found in rows for shown in found)


@st.composite
def small(draw):
    """Few cells, 0 is blank from the start; sets, k, importance; how many may be left out."""
    n, d = draw(st.sampled_from([(2, 2), (3, 2), (4, 2), (3, 3), (2, 4), (5, 1)]))
    codes = np.array(
        draw(st.lists(st.lists(st.integers(0, 2), min_size=d, max_size=d), min_size=n, max_size=n))
    )
    m, k = draw(st.integers(1, d)), draw(st.integers(2, min(n, 3)))
    importance = np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 2.5]), min_size=d, max_size=d)))
    known = KnownColumns(list(combinations(range(d), m)), k, importance, np.ones(n, dtype=np.int64))
    return codes.astype(np.int32)[np.lexsort(codes.T[::-1])], known, draw(st.integers(0, 1))


@settings(max_examples=60)
@given(small())
def test_the_fewest_cells_are_those_of_brute_force_and_the_floor_lies_below(case):
    codes, known, allowed = case
    greedy = _blank_by_rounds(codes, known, allowed)
    best = _search_fewest_blanks(codes, known, greedy, allowed)
    assert alike(greedy.codes, greedy.kept, known)
    assert alike(best.codes, best.kept, known)
    assert (~best.kept).sum() <= allowed
    shown = np.argwhere(codes > 0)
    out = [kept for kept in product((True, False), repeat=len(codes)) if len(codes) - sum(kept) <= allowed]
    fewest = np.inf
    for chosen, kept in product(product((False, True), repeat=len(shown)), map(np.array, out)):
        after = codes.copy()
        after[tuple(shown[list(chosen)].T)] = 0
        cost = _price_blanks(codes, after, kept, known.importance)
        if cost < fewest and kept.sum() >= known.k and alike(after, kept, known):
            fewest = cost
    assert _price_blanks(codes, best.codes, best.kept, known.importance) == pytest.approx(fewest)
    assert greedy.floor <= fewest + 1e-9


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(2, 5))
def test_larger_tables_keep_k_and_stay_above_the_floor(seed, m, k):
    codes = np.random.default_rng(seed).geometric(0.5, (80, 4)).astype(np.int32) - (seed % 2)
    known = KnownColumns(
        list(combinations(range(4), m)), k, np.array([1, 1, 2, 1.0]), np.ones(80, dtype=np.int64)
    )
    made = _blank_by_rounds(codes, known, 4)
    assert alike(made.codes, made.kept, known)
    assert ((made.codes == codes) | (made.codes == 0)).all()
    assert (~made.kept).sum() <= 4
    assert made.floor <= _price_blanks(codes, made.codes, made.kept, known.importance)


def test_an_important_column_is_spared():
    rows = [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")] * 2 + [("a", "z"), ("b", "z")]
    for important in ("c0", "c1"):
        table, flat = people(*zip(*rows, strict=True), importance={important: 5})
        made = blank(table, flat, SubsetAnonymity(2, 2)).release
        lost = [sum(cell is None for cell in column) for column in zip(*cells(made), strict=True)]
        assert lost[int(important[1])] == 0, important


def test_an_empty_cell_is_a_blank_from_the_start_and_levels_are_fixed():
    table, _ = people(["31", "32", None, "47", "48"])
    tens = Hierarchy.from_paths("c0", [[age, f"{age[0]}*", "*"] for age in ("31", "32", "47", "48")])
    made = blank(table, {"c0": tens}, SubsetAnonymity(2, 1), levels={"c0": 1})
    assert cells(made.release) == [(None,), (None,), (None,), ("4*",), ("4*",)]
    assert made.trace["exact"]
    assert made.trace["blanked cells"] == 2


@pytest.mark.parametrize(
    ("claim", "options", "said"),
    [
        (KAnonymity(2), {}, "cannot make a release that keeps k-anonymity"),
        (SubsetAnonymity(2, (("c0", "town"),)), {}, "subsets: no quasi-identifier 'town'"),
        (SubsetAnonymity(2, 1), {"levels": {"town": 1}}, "levels: no quasi-identifier 'town'"),
        (SubsetAnonymity(2, 1), {"levels": 7}, "level 7 is not in its hierarchy"),
        (SubsetAnonymity(2, 1), {"count": "fits"}, "count must be one of alike, argus"),
    ],
)
def test_what_makes_no_sense_is_refused(claim, options, said):
    table, flat = people(["a", "b", "a"])
    with pytest.raises(InputError, match=said):
        blank(table, flat, claim, **options)


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=8))
def test_the_count_of_argus_is_that_of_its_definition(rows):
    codes = np.array(rows, dtype=np.int32)
    for columns in ([0], [0, 2], [0, 1, 2]):
        fits = [sum(all(x[c] == y[c] or not x[c] or not y[c] for c in columns) for y in rows) for x in rows]
        assert _count_fitting_rows(codes, columns, np.ones(len(rows), dtype=np.int64)).tolist() == fits


def test_by_the_count_of_argus_fewer_cells_are_enough_and_nobody_is_promised_anything():
    table, flat = people(["1", "2", "2", "2", "2", "2"])
    asked = SubsetAnonymity(2, 1)
    assert [row[0] for row in cells(blank(table, flat, asked, count="argus").release)].count(None) == 1
    assert [row[0] for row in cells(blank(table, flat, asked).release)].count(None) == 2
