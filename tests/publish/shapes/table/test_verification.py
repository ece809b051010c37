"""Released cells as judges of tables see them, and every cell against the record it stems from."""

import numpy as np
import polars as pl
import pytest

from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import KAnonymity
from shoal.publish.shapes.table.verification import judge_truth, published, resolve, sensitive_of

JOBS = Hierarchy.from_paths(
    "job", [["nurse", "care", "*"], ["doctor", "care", "*"], ["clerk", "office", "*"]]
)


def test_a_label_stands_for_its_leaves():
    forms, codes = resolve(pl.Series(["office", "care", "office", "strange"]), JOBS)
    leaves = {
        label: forms.leaves[a:b].tolist()
        for label, a, b in zip(forms.labels, forms.start, forms.start[1:], strict=False)
    }
    assert sorted(map(len, leaves.values())) == [0, 1, 2]
    assert [forms.labels[code] for code in codes] == ["office", "care", "office", "strange"]
    assert leaves["strange"] == []


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ([None, "flu", "gout", None, "flu"], ("flu", "gout")),
        (["flu", None, "gout"], ("flu", "gout")),
        (["flu", "gout", None], ("flu", "gout")),
        (["flu", "gout", "flu"], ("flu", "gout")),
        ([None, None], ()),
    ],
)
def test_an_empty_sensitive_cell_is_no_value(cells, values):
    seen = sensitive_of(pl.Series(cells, dtype=pl.String))
    assert sorted(seen.values) == sorted(values)
    assert [None if code < 0 else seen.values[code] for code in seen.codes] == cells
    assert set(seen.codes[seen.codes < 0].tolist()) <= {-1}


def test_columns_are_seen_by_their_roles():
    frame = pl.DataFrame(
        {"job": ["office", "clerk"], "age": ["1", "2"], "ill": ["flu", "flu"], "ward": ["a", "b"]}
    )
    roles = {"job": "quasi", "age": "quasi", "ill": "sensitive", "ward": "plain"}
    seen = published(frame, roles)
    assert list(seen.quasi) == ["job", "age"]
    assert list(seen.sensitive) == ["ill"]
    job, age = (len(set(column.tolist())) for column in seen.quasi.values())
    assert (job, age) == (2, 2)  # an office has one leaf, the clerk: but everybody sees two labels
    assert len(set(published(frame, roles).quasi["job"].tolist())) == 2
    assert seen.persons is None
    assert seen.counts is None


def test_a_claim_counts_persons_or_records():
    frame = pl.DataFrame({"age": ["1", "1", "2"]})
    roles = {"age": "quasi"}
    check = KAnonymity(2).check
    assert not check(published(frame, roles))
    assert check(published(frame, roles, counts=np.array([1, 1, 2])))
    assert not check(published(frame.head(2), roles, persons=np.array([7, 7])))
    assert check(published(frame.head(2), roles, persons=np.array([7, 8])))


TABLE = Table(
    (
        Column.of("name", "identifier", ["Ann", "Bob", "Cid"]),
        Column.of("job", "quasi", ["nurse", "doctor", "clerk"]),
        Column.of("ill", "sensitive", ["flu", "gout", None]),
        Column.of("ward", "plain", ["a", "b", "c"]),
    )
)
LEAVES = JOBS.look_up(["nurse", "doctor", "clerk"])[:, None]
ROWS = np.array([2, 0])


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({}, None),
        ({"job": ["office", "care"]}, None),
        ({"job": ["care", "care"]}, "job"),
        ({"job": ["office", "no job"]}, "job"),
        ({"ill": [None, "gout"]}, "ill"),
        ({"ill": ["flu", "flu"]}, "ill"),
        ({"ward": ["c", "b"]}, "ward"),
    ],
)
def test_every_cell_is_true_of_its_record(change, word):
    cells = {"job": ["clerk", "*"], "ill": [None, "flu"], "ward": ["c", "a"]} | change
    said = judge_truth(pl.DataFrame(cells), TABLE, {"job": JOBS}, LEAVES, ROWS)
    assert bool(said) is (word is None), said.sentence
    assert word is None or f"'{word}'" in said.sentence
