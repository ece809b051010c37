from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.parts.draws import RecordHasher, RunKey, number_equals

KEY = RunKey(bytes(32))
VALUES = (("a", "b", None), ("", "1", "2", "3"))
RECORDS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=30)


def codes_of(records):
    return np.array(records, dtype=np.int32).reshape(-1, 2)


@given(RECORDS)
def test_hashes_are_equal_where_records_are(records):
    hashes = RecordHasher.of(KEY.derive("x"), VALUES)(codes_of(records)).tolist()
    assert len(set(zip(records, hashes, strict=True))) == len(set(records)) == len(set(hashes))


@given(RECORDS, st.permutations(range(3)))
def test_hashes_do_not_depend_on_codes(records, order):
    place = np.argsort(order)
    again = [(int(place[a]), b) for a, b in records]
    values = (tuple(VALUES[0][at] for at in order), VALUES[1])
    one, other = (RecordHasher.of(KEY.derive("x"), known) for known in (VALUES, values))
    assert one(codes_of(records)).tolist() == other(codes_of(again)).tolist()


@given(st.lists(st.tuples(st.integers(0, 1), st.frozensets(st.integers(0, 3))), max_size=30))
def test_hashes_of_records_with_items_are_equal_where_columns_and_items_are(records):
    start = np.cumsum([0, *(len(basket) for _, basket in records)])
    items = np.array([item for _, basket in records for item in sorted(basket)], dtype=np.int32)
    hasher = RecordHasher.of(KEY.derive("x"), (("a", "b"),), ("p", "q", "r", "s"))
    hashes = hasher(np.array([[code] for code, _ in records], dtype=np.int32).reshape(-1, 1), start, items)
    assert (
        len(set(zip(records, hashes.tolist(), strict=True))) == len(set(records)) == len(set(hashes.tolist()))
    )


def test_an_empty_text_and_a_missing_cell_differ_and_so_do_columns():
    hasher = RecordHasher.of(KEY.derive("x"), (("", None), ("", None)))
    assert len(set(hasher(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32)).tolist())) == 4


def test_purposes_and_runs_have_keys_of_their_own():
    keys = {RunKey.of(None).derive("a"), KEY.derive("a"), KEY.derive("b")}
    assert len(keys) == 3
    assert RunKey.of(np.random.default_rng(1)) == RunKey.of(np.random.default_rng(1))
    assert "secret" not in repr(KEY)
    assert "00" not in repr(KEY)


@given(st.lists(st.integers(0, 5), max_size=40))
def test_equal_records_are_numbered(hashes):
    seen = Counter()
    expected = []
    for one in hashes:
        expected.append(seen[one])
        seen[one] += 1
    assert number_equals(np.array(hashes, dtype=np.uint64)).tolist() == expected


@given(RECORDS, st.randoms(use_true_random=False))
def test_draws_are_the_same_in_any_order(records, random):
    shuffled = random.sample(records, len(records))
    hasher = RecordHasher.of(KEY.derive("record"), VALUES)

    def drawn(some):
        hashes = hasher(codes_of(some))
        draws = KEY.draw("sample", hashes, number_equals(hashes))
        return sorted(zip(some, draws.tolist(), strict=True))

    assert drawn(records) == drawn(shuffled)
    assert len({draw for _, draw in drawn(records)}) == len(records)
