"""The losses on the papers' tables, what of them may be published, and what is refused."""

from math import inf, log2
from pathlib import Path

import numpy as np
import pytest

from shoal.base.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.release import PublishedValues, Recoded
from shoal.utility import TableCase, _table_losses, case_losses, class_of_rows, loss_by_column
from shoal.utility.table import ce, dm_star, glm, height, ncp, precision


def same(value):
    return pytest.approx(float(value), rel=1e-12, abs=1e-12)


# --- golden values ----------------------------------------------------------------------------------------


def recode(trees, records, levels, rows=None):
    leaves = np.array(
        [
            [tree.leaves.index(cell) for tree, cell in zip(trees.values(), record, strict=True)]
            for record in records
        ],
        dtype=np.int32,
    )
    return leaves, Recoded.of_levels(
        list(trees), trees, leaves, levels, np.arange(len(records)) if rows is None else np.array(rows)
    )


POKA = [
    ("12345", "M", "<50K"),
    ("12346", "M", "<50K"),
    ("12345", "F", "<50K"),
    ("12355", "F", ">=50K"),
    ("12355", "M", ">=50K"),
    ("12356", "M", ">=50K"),
]


def poka_trees():
    """Rebuilt from Table 1: the text has no Figure 1a; zip goes one level further."""
    zips = [[z, z[:4] + "*", "*****"] for z in ("12345", "12346", "12355", "12356")]
    return {
        "zip": Hierarchy.from_paths("zip", zips),
        "sex": Hierarchy.from_paths("sex", [["M", "*"], ["F", "*"]]),
        "salary": Hierarchy.from_paths("salary", [["<50K", "*"], [">=50K", "*"]]),
    }


SEXES = 4 * log2(6 / 4) + 2 * log2(6 / 2)
ALL_BITS = 4 * log2(6 / 2) + 2 * log2(6 / 1) + SEXES + 6 * log2(6 / 3)  # of zip, sex and salary


def test_the_3_anonymous_table_of_the_poka_paper():
    """Table 1, node (1, 1, 0): two classes of 3. Losses worked out by hand."""
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 1, 0])
    salary = leaves[:, 2]
    found = _table_losses(recoded, trees, k=3, target=salary, leaves=leaves)
    assert found == {
        "glm": same((1 / 3 + 1 + 0) / 3),
        "glm-geometric": same((4 / 3 * 2 * 1) ** (1 / 3) - 1),
        "ncp": same((2 / 4 + 1 + 0) / 3),
        "il": same(1 / 4 + 1 / 2 + 0),
        "il-numeric": same(1 / 11 + 1 / 2 + 0),  # zip codes spell numbers, from 12345 to 12356
        "entropy": same((4 * log2(3 / 2) + 2 * log2(3) + SEXES) / ALL_BITS),
        "precision": same((1 / 2 + 1 + 0) / 3),
        "height": 2,
        "dm": 18,
        "dm-star": 18,
        "aecs": 3,
        "c_avg": 1,
        "ce": 0,
    }
    assert loss_by_column(recoded, trees) == {"zip": same(1 / 3), "sex": 1, "salary": 0}


def test_the_poka_table_at_zip_alone_with_the_small_classes_suppressed():
    """Node (1, 0, 0) has classes {1,2}, {3}, {4}, {5,6}; k = 2 suppresses records 3 and 4. By hand."""
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 0, 0], rows=[0, 1, 4, 5])
    found = _table_losses(recoded, trees, k=2, target=np.array([0, 1, 5, 5, 7, 7]), leaves=leaves)
    column = (4 * (1 / 3) + 2) / 6
    assert found == {
        "glm": same((column + 1 / 3 + 1 / 3) / 3),
        "glm-geometric": same(((1 + column) * (4 / 3) ** 2) ** (1 / 3) - 1),
        "ncp": same(((4 * 0.5 + 2) / 6 + 1 / 3 + 1 / 3) / 3),
        "il": same((4 * (1 / 4) + 2) / 6 + 1 / 3 + 1 / 3),
        "il-numeric": same((4 * (1 / 11) + 2) / 6 + 1 / 3 + 1 / 3),
        "entropy": same((2 * log2(3 / 2) + 2 * log2(3) + 2 * (log2(3) + log2(3) + 1)) / ALL_BITS),
        "precision": same(((4 * 0.5 + 2) / 6 + 1 / 3 + 1 / 3) / 3),
        "height": 1,
        "dm": 2 * 2 + 2 * 2 + 6 * 2,
        "dm-star": 2 * 2 + 1 + 1 + 2 * 2,
        "aecs": 2,
        "c_avg": same(6 / (2 * 2)),
        "ce": same((1 + 0 + 2) / 6),
    }


MST = [
    ("21", "M", "13051"),
    ("26", "M", "13053"),
    ("33", "F", "13063"),
    ("37", "F", "13068"),
    ("45", "M", "14851"),
    ("48", "F", "14856"),
    ("50", "M", "14865"),
]


def mst_trees():
    """Rebuilt from Tables 1(a)-(c), over their seven ages and zip codes: the text has no Figure 1."""
    tens = {"21": "[20-30]", "26": "[20-30]", "33": "[31-40]", "37": "[31-40]"}
    wide = {"[20-30]": "[20-40]", "[31-40]": "[20-40]", "[41-50]": "[41-60]"}
    ages = [[a, tens.get(a, "[41-50]"), wide[tens.get(a, "[41-50]")], "*"] for a, _, _ in MST]
    zips = [[z, z[:4] + "*", z[:3] + "**", "*****"] for _, _, z in MST]
    return {
        "age": Hierarchy.from_paths("age", ages, ordered=True),
        "sex": Hierarchy.from_paths("sex", [["M", "Person"], ["F", "Person"]]),
        "zip": Hierarchy.from_paths("zip", zips),
    }


def mst_release(cells):
    """A local recoding from the labels the paper prints."""
    trees = mst_trees()
    forms, codes = [], []
    for j, tree in enumerate(trees.values()):
        labels = sorted({row[j] for row in cells})
        spans = np.array([tree.places[label] for label in labels], dtype=np.int32)
        forms.append(PublishedValues.of_spans(tree, labels, spans))
        codes.append([labels.index(row[j]) for row in cells])
    table = np.array(codes, dtype=np.int32).T
    return trees, Recoded(tuple(trees), tuple(forms), table, np.arange(len(cells)), len(cells))


def test_the_2_anonymous_table_of_the_mst_paper():
    """Table 1(b): section 7.2 prints DM = 17; C_avg and IL follow from its equations 11 and 6-9."""
    cells = [("[20-30]", "M", "1305*")] * 2 + [("[31-40]", "F", "1306*")] * 2
    trees, recoded = mst_release(cells + [("[41-50]", "Person", "148**")] * 3)
    found = _table_losses(recoded, trees, k=2)
    assert found["dm"] == 17
    assert found["dm-star"] == 17
    assert found["c_avg"] == same(7 / (3 * 2))
    ages = 2 * (1 / 7) + 2 * (1 / 7) + 3 * (2 / 7)  # nodes count their leaves; equation 6 is for ranges
    assert found["il"] == same((ages + 3 * (1 / 2) + 4 * (1 / 7) + 3 * (2 / 7)) / 7)
    ages = 2 * (26 - 21) + 2 * (37 - 33) + 3 * (50 - 45)
    zips = 2 * (13053 - 13051) + 2 * (13068 - 13063) + 3 * (14865 - 14851)
    eq_6 = ages / (50 - 21) + zips / (14865 - 13051)
    assert found["il-numeric"] == same((eq_6 + 3 * (1 / 2)) / 7)
    assert "precision" not in found


def test_the_3_anonymous_table_of_the_mst_paper():
    """Table 1(c): classes of 4 and 3, so DM = 25; the rest by hand."""
    cells = [("[20-40]", "Person", "130**")] * 4 + [("[41-50]", "Person", "148**")] * 3
    trees, recoded = mst_release(cells)
    found = _table_losses(recoded, trees, k=3)
    assert found["dm"] == 25
    assert found["c_avg"] == same(7 / (2 * 3))
    ages = 4 * (3 / 7) + 3 * (2 / 7)
    assert found["il"] == same((ages + 7 * (1 / 2) + 4 * (3 / 7) + 3 * (2 / 7)) / 7)
    assert found["glm"] == same(((4 * 3 / 6 + 3 * 2 / 6) / 7 + 1 + (4 * 3 / 6 + 3 * 2 / 6) / 7) / 3)


def test_climbing_can_cost_less_once_records_are_suppressed():
    """The example of docs/evidence/errata.md: 100 records, k = 2; level 0 suppresses two, level 1 keeps all."""
    trees = {"q": Hierarchy.from_paths("q", [["a1", "a", "*"], ["a2", "a", "*"], ["b", "b", "*"]])}
    records = [("a1",), ("a2",)] + [("b",)] * 98
    _, low = recode(trees, records, [0], rows=range(2, 100))
    _, high = recode(trees, records, [1])
    assert (glm(low, trees), glm(high, trees)) == (same(2 / 100), same(1 / 100))


def test_the_page_on_losses_explains_each_of_them():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "losses.md").read_text(encoding="utf-8")
    leaves, recoded = recode(poka_trees(), POKA, [1, 1, 0])
    for name in _table_losses(recoded, poka_trees(), k=3, target=leaves[:, 2]):
        assert f"\n### {name}\n" in page


# --- what may be published --------------------------------------------------------------------------------


def test_public_losses_are_those_of_the_release_and_declared_hierarchies():
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 0, 0], rows=[0, 1, 4, 5])
    target = leaves[:, 1]
    public = case_losses(TableCase(recoded, trees, k=2, target=target).public())
    audit = _table_losses(recoded, trees, k=2, target=target, leaves=leaves)
    assert set(audit) - set(public) == {"dm-star", "entropy"}
    assert all(audit[name] == loss for name, loss in public.items())
    trees["zip"] = Hierarchy("zip", trees["zip"].labels, trees["zip"].up, public=False)
    assert set(case_losses(TableCase(recoded, trees, k=2).public())) == {"dm", "aecs", "c_avg"}


@pytest.mark.parametrize(
    ("level", "rows", "shows"),
    [
        (0, [0, 2], True),
        (0, [2, 3], False),  # c and d stand for themselves on levels 0 and 1
        (1, [0, 1], True),
        (1, [2, 3], False),
        (2, [0, 2], True),
        (1, [4], False),  # a missing cell is the root on every level
        (1, [], False),
    ],
)
def test_levels_that_the_release_does_not_show_stay_in_the_audit(level, rows, shows):
    paths = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"], ["d", "d", "*"]]
    trees = {"q": Hierarchy.from_paths("q", paths)}
    leaves = np.arange(5, dtype=np.int32)[:, None]
    recoded = Recoded.of_levels(["q"], trees, leaves, [level], np.array(rows, dtype=np.int64))
    assert {"precision", "height"} <= set(_table_losses(recoded, trees))
    public = set(case_losses(TableCase(recoded, trees).public()))
    assert {"precision", "height"} & public == ({"precision", "height"} if shows else set())
    assert "glm" in public


# --- refusals ---------------------------------------------------------------------------------------------


def test_weights_that_cannot_be_scaled_are_refused():
    trees = poka_trees()
    _, recoded = recode(trees, POKA, [1, 1, 0])
    with pytest.raises(InputError, match="no weight for column 'salary'"):
        ncp(recoded, trees, {"zip": 1, "sex": 1})
    for bad in (0, -1, float("nan"), inf):
        with pytest.raises(InputError, match="none below 0 and not all 0"):
            ncp(recoded, trees, {"zip": bad, "sex": 0, "salary": 0})
    assert ncp(recoded, trees, {"zip": 4, "sex": 0, "salary": 0}) == 0.5


def test_local_recodings_have_no_levels():
    trees, recoded = mst_release([("[20-30]", "M", "1305*")])
    for loss in (lambda: precision(recoded, trees), lambda: height(recoded)):
        with pytest.raises(InputError, match="a local recoding has no levels"):
            loss()


def test_dm_star_needs_the_suppressed_records():
    trees = poka_trees()
    leaves, recoded = recode(trees, POKA, [1, 0, 0], rows=[0, 1])
    with pytest.raises(InputError, match=r"4 suppressed record\(s\) whose classes are not known"):
        dm_star(recoded, trees)
    local = Recoded(recoded.names, recoded.forms, recoded.codes, recoded.rows, recoded.records)
    with pytest.raises(InputError, match="full-domain recodings only"):
        dm_star(local, trees, leaves)


def test_ce_wants_a_target_for_each_record():
    _, recoded = recode(poka_trees(), POKA, [1, 1, 0])
    with pytest.raises(InputError, match="5 target values for 6 records"):
        ce(recoded, class_of_rows(recoded), np.zeros(5, dtype=np.int64))
