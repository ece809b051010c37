import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import strategies
from shoal.errors import InputError
from shoal.privacy import KAnonymity
from shoal.release import Published


def rows(published):
    return list(zip(*(column.tolist() for column in published.quasi.values()), strict=True))


@given(strategies.published(), st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_agrees_with_the_definition(published, k):
    verdict = KAnonymity(k).check(published)
    persons = None if published.persons is None else published.persons.tolist()
    assert list(verdict.witnesses) == naive.under(rows(published), k, persons)
    assert verdict.broken == len(verdict.witnesses)
    assert bool(verdict) == (not verdict.broken)
    assert verdict.reached == {"k": naive.anonymity(rows(published), persons)}


def test_one_record():
    alone = Published({"q": np.array([4])})
    assert KAnonymity(1).check(alone)
    assert KAnonymity(2).check(alone).witnesses == (1,)


def test_two_rows_of_one_person_are_one_person():
    zips = np.array([1, 1, 2, 2])
    assert KAnonymity(2).check(Published({"zip": zips}))
    verdict = KAnonymity(2).check(Published({"zip": zips}, persons=np.array([0, 0, 1, 2])))
    assert not verdict
    assert verdict.witnesses == (1, 2)
    assert verdict.sentence == ("2 of 4 records are in classes under k=2 persons; the smallest class has 1")


def test_a_hundred_witnesses_and_the_number_of_all():
    verdict = KAnonymity(2).check(Published({"q": np.arange(250)}))
    assert verdict.witnesses == tuple(range(1, 101))
    assert verdict.broken == 250


@pytest.mark.parametrize("k", [0, -1, True, 2.0, "5", None, float("nan")])
def test_k_is_a_whole_number_of_at_least_1(k):
    with pytest.raises(InputError, match="k must be a whole number of at least 1"):
        KAnonymity(k)


def test_k_may_be_a_numpy_integer():
    assert KAnonymity(np.int64(3)) == KAnonymity(3)
    assert type(KAnonymity(np.int64(3)).k) is int


def test_the_attacker_in_words():
    said = KAnonymity(5).as_dict()
    assert (said["model"], said["k"]) == ("k-anonymity", 5)
    assert "at least 4 others" in said["attacker"]
    assert any("several releases" in line for line in said["not_covered"])
