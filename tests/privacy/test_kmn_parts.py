"""The judge of record trees in parts says what the judge of all of them says."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data import Trees
from shoal.engines.shuffle import Shuffle
from shoal.privacy import KMNAnonymity
from shoal.privacy.support_counting import check_tree_parts
from strategies_trees import trees


def taken(whole, rows):
    """A task must find its records by itself, so it is handed the whole."""
    return whole.take(np.array(rows, dtype=np.int64))


def judged(claim, whole, cuts, seed):
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < whole.n}), whole.n]
    parts = [tuple(range(first, last)) for first, last in pairwise(bounds)]
    return check_tree_parts(claim, taken(whole, ()), parts, partial(taken, whole), Shuffle(seed).map)


claims = st.builds(
    KMNAnonymity,
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 2),
    st.none(),
    st.sampled_from([None, "D"]),
    st.sampled_from([(), ("A",), ("B", "C")]),
) | st.builds(
    KMNAnonymity, st.integers(1, 3), st.integers(1, 3), st.integers(0, 2), st.integers(1, 3), st.just("D")
)


@settings(max_examples=150, deadline=None)
@given(
    trees(min_records=1, max_records=14),
    claims,
    st.lists(st.integers(1, 13), max_size=4),
    st.sampled_from([1, 7, 1 << 22]),
    st.integers(0, 2**32),
)
def test_the_verdict_is_that_of_the_whole(records, claim, cuts, at_once, seed):
    whole = Trees.of(records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.privacy.support_counting._AT_ONCE", at_once)
        assert judged(claim, whole, cuts, seed).as_dict() == claim.check(whole).as_dict()


def test_witnesses_are_numbered_through_all_parts():
    whole = Trees.of([[("A", "x")]] * 5 + [[("A", "y")]] + [[("A", "x")]] * 4)
    verdict = judged(KMNAnonymity(2, 1, 0), whole, [3, 5], 0)
    assert (verdict.broken, verdict.witnesses) == (1, (6,))


def test_too_much_to_count_is_not_judged(monkeypatch):
    monkeypatch.setattr("shoal.privacy.support_counting.MOST_SETS", 3)
    whole = Trees.of([[("A", "x", ("B", "y")), ("C", "z")], [("A", "x")]] * 2)
    verdict = judged(KMNAnonymity(2, 2, 1), whole, [2], 0)
    assert not verdict.judged
    assert "sets of 1 values" in verdict.sentence
