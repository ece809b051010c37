"""Released cells as judges of tables see them, from their folder or beside originals, and each record's own."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.io.config import check
from shoal.privacy import KAnonymity
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.table import verification
from shoal.shapes.table.verification import (
    TableVerification,
    judge_truth,
    published_table,
    resolve,
    sensitive_of,
)

VERIFICATION = TableVerification()

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
    seen = published_table(frame, roles)
    assert list(seen.quasi) == ["job", "age"]
    assert list(seen.sensitive) == ["ill"]
    job, age = (len(set(column.tolist())) for column in seen.quasi.values())
    assert (job, age) == (2, 2)  # an office has one leaf, the clerk: but everybody sees two labels
    assert len(set(published_table(frame, roles).quasi["job"].tolist())) == 2
    assert seen.persons is None
    assert seen.counts is None


def test_a_claim_counts_persons_or_records():
    frame = pl.DataFrame({"age": ["1", "1", "2"]})
    roles = {"age": "quasi"}
    check = KAnonymity(2).check
    assert not check(published_table(frame, roles))
    assert check(published_table(frame, roles, counts=np.array([1, 1, 2])))
    assert not check(published_table(frame.head(2), roles, persons=np.array([7, 7])))
    assert check(published_table(frame.head(2), roles, persons=np.array([7, 8])))


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


# From its folder or beside originals: what its labels stand for, and whether it can be theirs.

FILE = "nurse;care;*\ndoctor;care;*\nclerk;office;*\n"
ROLES = {"job": "quasi", "ill": "sensitive"}
PEOPLE = pl.DataFrame({"job": ["nurse", "doctor", "clerk", "clerk"], "ill": ["flu", "gout", None, "flu"]})


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "job.csv").write_text(FILE)
    columns = {"job": {"role": "quasi", "hierarchy": "job.csv"}, "ill": "sensitive"}
    return check({"data": {"path": "x.csv"}, "columns": columns}, folder=tmp_path)


@pytest.fixture
def originals(tmp_path):
    (tmp_path / "job.csv").write_text(FILE)
    return shoal.read(PEOPLE, roles=ROLES, hierarchies={"job": tmp_path / "job.csv"})


def test_what_is_known(settings, originals):
    assert VERIFICATION.make_context(ROLES, None, None).hierarchies == {}
    assert list(VERIFICATION.make_context(ROLES, settings, None).hierarchies) == ["job"]
    beside = VERIFICATION.make_context(ROLES, settings, originals)
    assert beside.originals is originals
    assert beside.hierarchies is originals.hierarchies
    assert beside.columns == ROLES


def test_persons_are_seen_where_the_rows_tell(settings):
    people = PEOPLE.with_columns(who=pl.Series(["p", "p", "q", "r"]))
    held = shoal.read(people, roles=ROLES, person="who")
    frame, rows = PEOPLE[[3, 0, 1]], np.array([3, 0, 1])
    known = VERIFICATION.make_context(ROLES, None, held)
    assert VERIFICATION.view_for_judge(frame, known, KAnonymity(2)).persons is None
    persons = VERIFICATION.view_for_judge(frame, replace(known, rows=rows), KAnonymity(2)).persons.tolist()
    assert persons[1] == persons[2] != persons[0]
    alone = shoal.read(PEOPLE, roles=ROLES)
    known = replace(VERIFICATION.make_context(ROLES, None, alone), rows=rows)
    assert VERIFICATION.view_for_judge(frame, known, KAnonymity(2)).persons is None
    counted = JudgingContext(ROLES, counts=np.array([1, 2, 3]))
    assert VERIFICATION.view_for_judge(frame, counted, KAnonymity(2)).counts.tolist() == [1, 2, 3]


def test_classes_are_counted_by_what_everybody_sees(settings):
    frame = pl.DataFrame({"job": ["office", "clerk", "care"], "ill": ["a", "b", "c"]})
    assert VERIFICATION.count_classes(frame, VERIFICATION.make_context(ROLES, settings, None)) == 3
    assert VERIFICATION.count_classes(frame, JudgingContext(ROLES)) == 3
    assert VERIFICATION.count_classes(frame, JudgingContext({"ill": "sensitive"})) == 0


def strange(settings, frame):
    return VERIFICATION.find_unexpected(frame, VERIFICATION.make_context(ROLES, settings, None), settings)


def test_labels_that_stand_for_nothing(settings):
    frame = pl.DataFrame({"job": ["office", "care", "x", "y", "y"], "ill": ["a"] * 5})
    assert (
        strange(settings, frame)
        == "column 'job': 2 labels stand for nothing in the hierarchy of the configuration"
    )
    assert strange(settings, frame[:2]) is None
    assert VERIFICATION.find_unexpected(frame, JudgingContext(ROLES), settings) is None
    assert (
        VERIFICATION.find_unexpected(
            frame, VERIFICATION.make_context({"ill": "sensitive"}, settings, None), settings
        )
        is None
    )


def test_a_column_at_its_fixed_level(tmp_path):
    (tmp_path / "ill.csv").write_text("flu;cold;*\ngout;joint;*\n")
    ill = {"role": "sensitive", "hierarchy": "ill.csv", "level": 1}
    settings = check({"data": {"path": "x.csv"}, "columns": {"job": "quasi", "ill": ill}}, folder=tmp_path)
    assert strange(settings, pl.DataFrame({"job": ["a"] * 3, "ill": ["cold", "joint", None]})) is None
    said = strange(settings, pl.DataFrame({"job": ["a"] * 3, "ill": ["cold", "flu", "joint"]}))
    assert said == "column 'ill' is not published at level 1, as the configuration says"


@pytest.mark.parametrize(
    ("jobs", "ills", "fits"),
    [
        (["care", "*"], ["gout", None], True),
        (["clerk", "office", "care"], ["flu", None, "flu"], True),
        (["office", "office", "office"], ["flu", None, "flu"], False),
        (["care", "care"], ["flu", "flu"], False),
        (["office"], ["gout"], False),
        (["strange"], ["flu"], False),
        (["*"], ["strange"], False),
    ],
)
def test_rows_that_originals_can_have_given(originals, jobs, ills, fits):
    frame = pl.DataFrame({"job": jobs, "ill": ills}, schema={"job": pl.String, "ill": pl.String})
    known = VERIFICATION.make_context(ROLES, None, originals)
    assert bool(VERIFICATION.judge_provenance(frame, known, 0)) is fits


def test_rows_that_are_true_of_the_named_originals(originals):
    known = VERIFICATION.make_context(ROLES, None, originals)
    frame = pl.DataFrame({"job": ["care", "office"], "ill": ["gout", None]})
    for rows, true in (([1, 2], True), ([0, 2], False), ([1, 3], False), ([2, 1], False)):
        assert (
            bool(VERIFICATION.judge_rows(frame, replace(known, rows=np.array(rows)), KAnonymity(2), 0))
            is true
        )


def test_a_form_covers_its_leaves_and_no_other(originals):
    table, hierarchy = originals.table, originals.hierarchies["job"]
    cells = pl.DataFrame({"job": ["office", "clerk", "care", "x"], "ill": ["flu", "flu", "HIV", "gout"]})
    (forms, values, covers), (labels, codes, none) = verification.fits_of(cells, table, {"job": hierarchy})
    assert forms[0] == forms[1] != forms[2] != forms[3]
    assert none is None
    assert values.tolist() == hierarchy.encode(table.quasi[0]).tolist()
    assert codes.tolist() == table.column("ill").codes.tolist()
    assert labels[2] == -1
    assert labels[0] == labels[1] == codes[0] == codes[3]
    assert labels[3] == codes[1]
    seen = [[bool(covers[form, value]) for value in values] for form in forms]
    assert seen == [[False, False, True, True]] * 2 + [[True, True, False, False], [False] * 4]


def test_files_of_hierarchies_alone_are_read(tmp_path):
    columns = {"job": {"role": "quasi", "hierarchy": {"fanout": 2}}, "ill": "sensitive"}
    built = check({"data": {"path": "x.csv"}, "columns": columns}, folder=Path(tmp_path))
    assert VERIFICATION.make_context(ROLES, built, None).hierarchies == {}
