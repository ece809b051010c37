from claiming import claimed
from shoal.algorithms.local.mondrian import mondrian
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import claim_of

AGES = [str(age) for age in (20, 20, 20, 20, 20, 30, 40, 50)]
TREES = {"age": Hierarchy.from_paths("age", [[age, "*"] for age in ("20", "30", "40", "50")])}


def classes(**options):
    recoded = claimed(
        mondrian, Table((Column.of("age", "quasi", AGES),)), TREES, recode="span", **options
    ).release
    return [recoded.forms[0].labels[code] for code in recoded.codes[:, 0]]


def test_strict_cuts_keep_equal_values_together():
    assert classes(k=3) == ["20"] * 5 + ["[30, 50]"] * 3
    assert classes(k=4) == ["[20, 50]"] * 8


def test_relaxed_cuts_divide_them():
    assert classes(k=4, strict=False) == ["20"] * 4 + ["[20, 50]"] * 4


def test_both_halves_must_be_diverse():
    ill = Column.of("ill", "sensitive", list("xxxxxyxy"))
    table = Table((Column.of("age", "quasi", AGES), ill))
    recoded = mondrian(table, TREES, claim=claim_of("table", k=3, l=2), recode="span").release
    assert {recoded.forms[0].labels[code] for code in recoded.codes[:, 0]} == {"[20, 50]"}
