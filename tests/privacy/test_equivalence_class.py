import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.privacy import KAnonymity, LDiversity
from shoal.privacy.equivalence_class import equivalence_classes, number_groups
from shoal.release import Published, Sensitive

WILD = (0, 1, 1000, -5, 2**62, -(2**63), 2**63 - 1)


@given(st.lists(st.tuples(*[st.sampled_from(WILD)] * 9), min_size=1, max_size=12), st.integers(1, 9))
@settings(max_examples=200)
def test_equal_rows_and_only_they_get_equal_numbers(rows, width):
    rows = [row[:width] for row in rows]
    of, heads = number_groups([np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)])
    assert all(
        (a == b) == (x == y) for a, x in zip(rows, of, strict=True) for b, y in zip(rows, of, strict=True)
    )
    assert sorted(set(of.tolist())) == list(range(len(heads)))
    assert of[heads].tolist() == list(range(len(heads)))


def test_keys_wider_than_64_bits_do_not_wrap():
    # 8 columns of width 1024 make the first digit worth 2**70, which is 0 in 64 bits
    rows = np.array([[0] * 8, [1] + [0] * 7, [1023] * 8, [1] + [0] * 7])
    of, heads = number_groups(list(rows.T))
    assert len(heads) == 3
    assert of[1] == of[3]


def test_small_integer_types_do_not_overflow():
    column = np.array([-128, 127, 127, 0], dtype=np.int8)
    assert number_groups([column, column])[0].tolist() == number_groups([column.astype(np.int64)])[0].tolist()


def test_no_rows():
    of, heads = number_groups([np.empty(0, dtype=np.int64)] * 2)
    assert len(of) == len(heads) == 0


@pytest.mark.parametrize(
    "ragged",
    [
        Published({"a": np.zeros(2, np.int64), "b": np.zeros(3, np.int64)}),
        Published({"a": np.zeros(2, np.int64)}, {"b": Sensitive(np.zeros(3, np.int64), ("x",))}),
        Published({"a": np.zeros(2, np.int64)}, persons=np.zeros(3, np.int64)),
    ],
)
def test_ragged_columns_are_refused(ragged):
    with pytest.raises(InputError, match="has 3 cells, but others have 2"):
        equivalence_classes(ragged)


@pytest.mark.parametrize(
    ("release", "why"),
    [
        (Published({}), "no quasi-identifier is given, so the claim promises nothing"),
        (
            Published({"q": np.zeros(0, np.int64)}),
            "the release holds no record, so the claim promises nothing",
        ),
        (
            Published({"q": np.zeros(1, np.int64)}),
            "no sensitive column is given, so the claim promises nothing",
        ),
    ],
)
def test_why_a_claim_promises_nothing(release, why):
    assert LDiversity(1).check(release).sentence == why


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
