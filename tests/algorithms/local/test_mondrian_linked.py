"""Classes of persons whose rows can be linked: how many rows are left out, and what the methods make."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.local.mondrian import _choose_row_counts, mondrian
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import LinkedAnonymity


@settings(max_examples=60)
@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5), k=st.integers(1, 3))
def test_no_other_numbers_of_rows_keep_more(sizes, k):
    if k > len(sizes):
        return
    kept = _choose_row_counts(np.array(sizes), k).tolist()

    def fits(own):
        return all(many >= k for rows, many in Counter(own).items() if rows)

    assert all(0 <= own <= size for own, size in zip(kept, sizes, strict=True))
    assert any(kept)
    assert fits(kept)
    every = product(*(range(size + 1) for size in sizes))
    assert sum(kept) == max(sum(own) for own in every if fits(own))


ZIPS = {"zip": Hierarchy.from_paths("zip", [["1", "*"], ["2", "*"]])}
THREE = Table((Column.of("zip", "quasi", list("1212")),), np.array([0, 1, 2, 2]))


def test_three_persons_with_rows_1_and_2_and_both():
    with pytest.raises(
        InfeasibleError, match=r"k=2 persons, so 1 of 4 rows must be left out.*suppress = 0.25"
    ):
        mondrian(THREE, ZIPS, LinkedAnonymity(2))
    release = mondrian(THREE, ZIPS, LinkedAnonymity(2), suppress=0.25).release
    assert release.suppressed == 1
    with pytest.raises(InfeasibleError, match="k=4 but the table has 3 persons"):
        mondrian(THREE, ZIPS, LinkedAnonymity(4), suppress=0.9)
    with pytest.raises(InputError, match="it is not known whom each row belongs to"):
        mondrian(Table(THREE.columns), ZIPS, LinkedAnonymity(2))
