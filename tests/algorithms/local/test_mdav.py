"""MDAV against a twin from its definition, the second pass against the best partition, and the way through the door."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms.local.mdav import _improve_groups, _mdav_groups, mdav
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy.rules import build
from shoal.privacy import KAnonymity
from shoal.privacy.truth import truth_of_centres
from shoal.utility import _table_losses

NUMBERS = st.lists(st.tuples(st.integers(-9, 30), st.integers(0, 9)), min_size=2, max_size=24)


def table_of(rows, places=0):
    columns = [[str(Fraction(value) / 10**places) if not places else f"{value / 10**places}" for value in column]
               for column in zip(*rows, strict=True)]  # fmt: skip
    names = [f"c{j}" for j in range(len(columns))]
    trees = {
        name: build(name, {"ranges": [5, 50]}, cells) for name, cells in zip(names, columns, strict=True)
    }
    return Table(tuple(Column.of(n, "quasi", c) for n, c in zip(names, columns, strict=True))), trees


def squares(points, number):
    return sum(
        ((points[number == g] - points[number == g].mean(axis=0)) ** 2).sum() for g in np.unique(number)
    )


def twin(rows, k):
    """MDAV from its definition, exactly; a tie goes to the smaller record."""

    def mean(some):
        return [Fraction(sum(rows[i][j] for i in some), len(some)) for j in range(len(rows[0]))]

    everybody = range(len(rows))
    middle = mean(everybody)
    var = [sum((row[j] - middle[j]) ** 2 for row in rows) / len(rows) or 1 for j in range(len(rows[0]))]

    def far(i, point):
        apart = sum((Fraction(rows[i][j]) - point[j]) ** 2 / var[j] for j in range(len(point)))
        return round(float(apart), 9)

    left, groups = list(everybody), []

    def take(start):
        group = sorted(left, key=lambda i: (far(i, rows[start]), i))[:k]
        left[:] = [i for i in left if i not in group]
        groups.append(sorted(group))

    while len(left) >= 2 * k:
        both, middle = len(left) >= 3 * k, mean(left)
        first = min(left, key=lambda i: (-far(i, middle), i))
        take(first)
        if both:
            take(min(left, key=lambda i: (-far(i, rows[first]), i)))
    return sorted([*groups, left])


def standardized(rows):
    points = np.array(rows, dtype=float)
    spread = points.std(axis=0)
    return (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)


@settings(max_examples=60)
@given(rows=NUMBERS, k=st.integers(1, 4))
def test_the_groups_are_those_of_the_definition(rows, k):
    if len(rows) < k:
        return
    number = _mdav_groups(standardized(rows), k)
    assert sorted(np.flatnonzero(number == g).tolist() for g in np.unique(number)) == twin(rows, k)


@settings(max_examples=60)
@given(rows=NUMBERS, k=st.integers(2, 4))
def test_sizes_stay_and_the_second_pass_never_loses(rows, k):
    if len(rows) < k:
        return
    points = standardized(rows)
    first = _mdav_groups(points, k)
    second = first.copy()
    _improve_groups(points, second, k)
    for number in (first, second):
        sizes = np.bincount(number)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
    assert squares(points, second) <= squares(points, first) + 1e-9


def test_the_second_pass_comes_near_the_best_partition():
    rng, k, gaps = np.random.default_rng(7), 3, []
    for _ in range(20):
        points = standardized(rng.integers(0, 40, (9, 2)).tolist())
        best = min(
            squares(points, np.array([0 if i in a else 1 if i in b else 2 for i in range(9)]))
            for a in combinations(range(1, 9), 2)
            for a in [(0, *a)]
            for b in combinations([i for i in range(9) if i not in a], 3)
        )
        best = min(
            best,
            *(
                squares(points, np.isin(np.arange(9), a).astype(int))
                for size in (4, 5)
                for a in combinations(range(9), size)
            ),
        )
        paper = _mdav_groups(points, k)
        ours = paper.copy()
        _improve_groups(points, ours, k)
        assert best - 1e-9 <= squares(points, ours) <= squares(points, paper) + 1e-9
        gaps.append((squares(points, ours) / best, squares(points, paper) / best))
    ours, paper = np.mean(gaps, axis=0)
    assert ours < paper


@pytest.mark.parametrize("recode", ["mean", "median"])
@pytest.mark.parametrize("places", [0, 1])
@settings(max_examples=25)
@given(rows=NUMBERS, k=st.integers(2, 4), data=st.data())
def test_a_release_is_judged_true_whatever_the_order_of_rows(recode, places, rows, k, data):
    table, trees = table_of(rows, places)
    if len(rows) < k:
        with pytest.raises(InfeasibleError, match=f"k={k}"):
            mdav(table, trees, KAnonymity(k))
        return
    release = mdav(table, trees, KAnonymity(k), recode=recode).release
    cells = np.array(
        [[f.labels[c] for f, c in zip(release.forms, row, strict=True)] for row in release.codes]
    )
    classes = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1)
    assert np.bincount(classes).min() >= k
    for j, column in enumerate(table.quasi):
        if release.forms[j].centre:
            own = [Fraction(cell) for cell in column.cells()]
            said = truth_of_centres(
                "c", recode, own, [Fraction(c) for c in cells[:, j]], classes, release.rows
            )
            assert said
            lie = [Fraction(c) + (i == 0) for i, c in enumerate(cells[:, j])]
            assert not truth_of_centres("c", recode, own, lie, classes, release.rows)
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    moved = Table(tuple(Column(c.name, c.role, c.values, c.codes[order]) for c in table.columns))
    again = mdav(moved, trees, KAnonymity(k), recode=recode).release
    other = [[f.labels[c] for f, c in zip(again.forms, row, strict=True)] for row in again.codes]
    assert sorted(map(tuple, cells.tolist())) == sorted(map(tuple, other))


def test_sse_is_the_share_of_the_spread_within_groups():
    table, trees = table_of([(0, 0), (2, 0), (10, 5), (12, 5)])
    release = mdav(table, trees, KAnonymity(2)).release
    leaves = np.stack([trees[c.name].encode(c) for c in table.quasi], axis=1)
    found = _table_losses(release, trees, leaves=leaves)
    assert found["sse"] == pytest.approx((4 / 104 + 0) / 2)
    assert found["ncp"] == pytest.approx(2 / 12 / 2)


@pytest.mark.parametrize(
    ("cells", "rule", "told"),
    [
        (["a", "b", "c", "d"], {"mask": "right"}, "column 'x' holds no numbers"),
        (["1", "2", None, "4"], {"ranges": [2]}, "column 'x' has empty cells"),
        (["1", "2", "95", "97"], {"ranges": [10], "top": 90}, "column 'x' is coded at its top or bottom"),
    ],
)
def test_what_has_no_mean_is_told(cells, rule, told):
    known = [cell for cell in cells if cell is not None]
    table = Table((Column.of("x", "quasi", cells),))
    with pytest.raises(InputError, match=told):
        mdav(table, {"x": build("x", rule, known).covering(["?"])}, KAnonymity(2))


def test_a_release_of_means_goes_through_the_door_and_says_so(tmp_path):
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"age": rng.integers(18, 90, 60), "pay": rng.integers(-50, 900, 60) / 10})
    data = shoal.read(frame, roles={"age": "quasi", "pay": "quasi"})
    release = shoal.anonymize(data, k=4, method="mdav")
    kinds = {(note["kind"], note["column"], note["count"]) for note in release.manifest["notes"]}
    assert {("mean", "age", 4), ("mean", "pay", 4)} <= kinds
    assert (
        not {"ncp", "sse", "glm"} & release.manifest["loss"].keys()
    )  # a mean does not tell the range of its class
    assert 0 < release.loss["sse"] < 0.5
