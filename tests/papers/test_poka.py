"""POkA's printed examples. Figure 1 is not in our copy: its hierarchies are rebuilt from Table 1 and Section 3."""

import math
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from shoal.algorithms.lattice.cube import Lattice
from shoal.algorithms.lattice.optimal import optimal, pareto
from shoal.algorithms.lattice.poka import poka
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy, files
from shoal.privacy import make_claim
from shoal.release import Recoded

ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "adult"

ZIP = ["12345", "12346", "12345", "12355", "12355", "12356"]
TABLE_1 = Table(
    (
        Column.of("ZIP", "quasi", ZIP),
        Column.of("SEX", "quasi", list("MMFFMM")),
        Column.of("SALARY", "quasi", ["<50K"] * 3 + [">=50K"] * 3),
    )
)
TREES = {
    "ZIP": Hierarchy.from_paths("ZIP", [[z, f"{z[:4]}*", "123**"] for z in dict.fromkeys(ZIP)]),
    "SEX": Hierarchy.from_paths("SEX", [["M", "*"], ["F", "*"]]),
    "SALARY": Hierarchy.from_paths("SALARY", [["<50K", "*"], [">=50K", "*"]]),
}


def test_table_1_is_the_node_110_with_two_classes_of_three():
    leaves = np.stack([TREES[c.name].encode(c) for c in TABLE_1.quasi], axis=1)
    recoded = Recoded.of_levels(["ZIP", "SEX", "SALARY"], TREES, leaves, (1, 1, 0), np.arange(6))
    rows = [
        tuple(form.labels[code] for form, code in zip(recoded.forms, row, strict=True))
        for row in recoded.codes
    ]
    assert Counter(rows) == {("1234*", "*", "<50K"): 3, ("1235*", "*", ">=50K"): 3}


def test_table_1_is_the_optimum_at_k_3_and_a_point_of_the_front():
    assert optimal(TABLE_1, TREES, claim=make_claim("table", k=3)).release.rule["levels"] == {
        "ZIP": 1,
        "SEX": 1,
        "SALARY": 0,
    }
    assert {point.k: point.levels for point in pareto(TABLE_1, TREES).points} == {
        1: (0, 0, 0),
        3: (1, 1, 0),
        6: (2, 1, 1),
    }


def test_erratum_a_tie_of_k_hides_the_next_optimum():
    """Below the root the neighbour (2, 1, 0) has the largest smaller k, 3; as base it hides (1, 1, 0), also 3."""
    assert {point.k: point.levels for point in poka(TABLE_1, TREES).points}[3] == (2, 1, 0)


def test_erratum_a_depth_beyond_the_levels_left_ends_at_the_bottom():
    deepest = sum(tree.height for tree in TREES.values())
    assert poka(TABLE_1, TREES, d=9).points == poka(TABLE_1, TREES, d=deepest).points
    assert len(poka(TABLE_1, TREES, d=9).points) > 1


def test_the_lattice_of_table_2_has_17920_nodes():
    heights = (6, 3, 3, 3, 1, 1, 4, 1)
    assert Lattice(heights).size == 17_920
    assert Lattice(heights[:-1]).size == 8_960
    assert math.ceil(sum(heights) / len(heights)) == 3


def test_the_default_depth_is_the_ceiling_of_the_mean_height():
    assert poka(TABLE_1, TREES).points == poka(TABLE_1, TREES, d=2).points


def mostly_low():
    """One column, with a target that only its leaves tell: above them everybody is guessed to earn little."""
    cities = [f"{part}{street}{house}" for part in "ab" for street in "xy" for house in (1, 2, 3)]
    paths = [[city, city[:2], city[0], "*"] for city in cities]
    table = Table(
        (
            Column.of("city", "quasi", [city for city in cities for _ in range(3)]),
            Column.of(
                "pay", "sensitive", ["high" if "x1" in city else "low" for city in cities for _ in range(3)]
            ),
        )
    )
    return table, {"city": Hierarchy.from_paths("city", paths)}


def test_erratum_with_ce_the_search_ends_at_the_root():
    table, trees = mostly_low()
    front = partial(poka, table, trees, loss="ce", target="pay")
    true = {p.k: p.loss for p in pareto(table, trees, loss="ce", target="pay", per_node=True).points}
    assert true == pytest.approx({3: 0, 36: 1 / 6})
    assert [(p.k, round(p.loss, 6)) for p in front(d=2).points] == [(36, round(1 / 6, 6))]
    assert "ended at k=36, with 1 point, since" in front(d=2).note
    assert "set onward = true or d = 1" in front(d=2).note
    assert {p.k: p.loss for p in front(d=2, onward=True).points} == pytest.approx(true)
    assert front(d=2, onward=True).note == ""


def test_nothing_is_noted_where_the_front_has_one_point_in_truth():
    table = Table((Column.of("sex", "quasi", ["f"] * 5),))
    found = poka(table, {"sex": Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])})
    assert [point.k for point in found.points] == [5]
    assert found.note == ""


@pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult table is not beside the checkout")
def test_on_adult_poka_finds_points_of_the_true_front_only():
    """The paper: all solutions identified with GLM are true Pareto-optimal nodes. Three columns keep it quick."""
    lines = [line.split(";") for line in (ADULT / "adult.csv").read_text().splitlines()]
    names = ["age", "education", "sex"]
    columns = [[row[lines[0].index(name)] for row in lines[1:]] for name in names]
    table = Table(tuple(Column.of(n, "quasi", cells) for n, cells in zip(names, columns, strict=True)))
    trees = {name: files.read(ADULT / "poka" / f"{name}.csv") for name in names}
    true = {(p.k, p.levels) for p in pareto(table, trees, suppress=0.01, per_node=True).points}
    found = poka(table, trees, suppress=0.01)
    assert {(p.k, p.levels) for p in found.points} <= true
    assert len(found.points) >= len([k for k, _ in true if k > 2]) // 2
    assert found.evaluated <= found.lattice
