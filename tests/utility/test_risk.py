"""Risk against its slow twin and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_losses as naive
from shoal.errors import InputError
from shoal.utility import risk

ROWS = st.lists(st.tuples(st.integers(-3, 4), st.integers(10, 15)), min_size=1, max_size=14)


def same(found, expected):
    flat, wanted = (
        facts | {f"below {t}": share for t, share in facts["below"].items()} for facts in (found, expected)
    )
    del flat["below"], wanted["below"]
    return flat == pytest.approx(wanted, rel=1e-12)


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_agrees_with_its_definition(rows):
    classes, persons = (list(part) for part in zip(*rows, strict=True))
    limits = (2, 5, 10, 20)
    alone = naive.risk(classes, list(range(len(rows))), limits)
    assert same(risk(np.array(classes)), alone)
    assert alone["average"] == pytest.approx(alone["classes"] / alone["records"])
    shared = naive.risk(classes, persons, limits)
    assert same(risk(np.array(classes), np.array(persons)), shared)


def test_before_and_after_by_hand():
    """Four records, all unique, become two pairs."""
    before, after = risk(np.array([3, 1, 0, 2])), risk(np.array([7, 7, 9, 9]))
    assert (before["unique"], before["highest"], before["average"], before["below"]["2"]) == (4, 1, 1, 1)
    assert after == {
        "records": 4,
        "classes": 2,
        "unique": 0,
        "below": {"2": 0, "5": 1, "10": 1, "20": 1},
        "highest": 0.5,
        "average": 0.5,
        "smallest": 2,
        "median": 2,
    }


def test_two_rows_of_one_person_hide_nobody():
    """Rows 1 and 2 look alike but are one person; person 8 is seen best in the class of one."""
    found = risk(np.array([0, 0, 1, 1, 2]), np.array([5, 5, 6, 8, 8]))
    assert (found["records"], found["unique"], found["smallest"]) == (3, 2, 1)
    assert found["average"] == pytest.approx((1 + 1 / 2 + 1) / 3)


def test_no_rows_no_risk():
    found = risk(np.empty(0, dtype=np.int64))
    assert (found["records"], found["highest"], found["average"], found["below"]["5"]) == (0, 0, 0, 0)
    assert risk(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)) == found


def test_persons_of_another_length_are_refused():
    with pytest.raises(InputError, match="2 persons for 3 rows"):
        risk(np.array([0, 0, 1]), np.array([1, 2]))
