"""k-anonymity of linked rows beside other claims, and under coarser labels."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from shoal.privacy import KAnonymity, LinkedAnonymity
from shoal.release import Published

LINKED = strategies.published(persons=True)


def test_three_persons_with_rows_1_and_2_and_both_stand_alone():
    rows = Published({"zip": np.array([1, 2, 1, 2])}, persons=np.array([0, 1, 2, 2]))
    assert KAnonymity(2).check(rows)  # of each row there are two persons
    assert not LinkedAnonymity(2).check(rows)
    assert (
        "3 of 3 persons share all their rows with fewer than k=2" in LinkedAnonymity(2).check(rows).sentence
    )


def test_how_often_a_row_occurs_tells_persons_apart():
    rows = Published({"zip": np.array([1, 1, 2, 1, 2, 2])}, persons=np.array([0, 0, 0, 1, 1, 1]))
    assert not LinkedAnonymity(2).check(rows)


@settings(max_examples=60)
@given(published=LINKED, coarser=st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_coarser_labels_make_no_class_smaller(published, coarser):
    """Equal multisets stay equal under any map of labels, so a search of levels may prune by this claim."""
    up = np.array(coarser)
    above = replace(published, quasi={name: up[codes] for name, codes in published.quasi.items()})
    least, more = (LinkedAnonymity(1).check(one).reached["k"] for one in (published, above))
    assert least <= more


@settings(max_examples=60)
@given(published=LINKED, k=st.integers(1, 4))
def test_it_implies_k_of_persons_and_is_k_where_each_has_one_row(published, k):
    assert bool(LinkedAnonymity(k).check(published)) <= bool(KAnonymity(k).check(published))
    alone = replace(published, persons=np.arange(len(published.persons)))
    assert bool(LinkedAnonymity(k).check(alone)) == bool(KAnonymity(k).check(alone))
