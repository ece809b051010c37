from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.trees._kernels import record_bits
from shoal.algorithms.trees._kernels.record_bits import (
    count_fitting,
    count_fitting_by_secret,
    empty_memory,
    has_clash,
    list_holders,
    mark_records,
    recall_values,
    remember_values,
)

sets = st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=1, max_size=9)


def flat(records):
    start = np.cumsum([0, *map(len, records)])
    return start, np.array([item for one in records for item in one], dtype=np.int32)


def rows(records, width=6):
    """By item a row of bits."""
    start, items = flat(records)
    start.flags.writeable = items.flags.writeable = (
        False  # as those of trees: the kernel is compiled for them already
    )
    ends, having = list_holders(start, items, width)
    bits = np.zeros((width, (len(records) + 63) // 64), dtype=np.uint64)
    held = [mark_records(np.array([item]), ends, having, bits[item]) for item in range(width)]
    return bits, held, ends, having


@given(sets)
@settings(max_examples=40)
def test_who_holds_an_item(records):
    bits, held, ends, having = rows(records)
    for item in range(6):
        expected = [place for place, one in enumerate(records) if item in one]
        assert having[ends[item] : ends[item + 1]].tolist() == expected
        assert held[item] == len(expected)
        assert [place for place in range(len(records)) if int(bits[item, 0]) >> place & 1] == expected


@given(sets, st.integers(1, 3), st.integers(1, 4), st.lists(st.integers(1, 3), min_size=1, max_size=3))
@settings(max_examples=80)
def test_a_clash_is_a_set_with_one_of_each_group_that_too_few_hold(records, m, k, sizes):
    sizes = sizes[:m]
    members = np.arange(sum(sizes))[: len(range(6))]
    group = np.repeat(np.arange(len(sizes)), sizes)[: len(members)]
    bits, *_ = rows(records)
    found = has_clash(bits, members, group, m, k)
    expected = False
    for size in range(1, m + 1):
        for some in combinations(members.tolist(), size):
            count = sum(set(some) <= set(one) for one in records)
            whole = {int(group[x]) for x in some} == set(group.tolist())
            expected |= whole and 0 < count < k
    assert found == expected


@given(
    sets, st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=4, unique=True), min_size=1, max_size=8)
)
@settings(max_examples=80)
def test_fitting_records_are_counted(records, queries):
    # items 0 .. 5 are paths; relation j of three is shown by paths 2 j and 2 j + 1
    shows = np.repeat(np.arange(3), 2).astype(np.int32)
    asked = np.full((len(queries), 5), -1, dtype=np.int32)
    for row, query in enumerate(queries):  # 0 .. 5: items, 6 .. 8: relations
        asked[row, : len(query)] = [x - 6 if x > 5 else -2 - x for x in query]

    def fits(one, query):
        return all(x in one if x < 6 else {2 * (x - 6), 2 * (x - 6) + 1} & set(one) for x in query)

    secrets = [[place % 2, 2] if place % 3 else [] for place in range(len(records))]
    secret_start, secret = flat(secrets)
    bits, _, held_ends, having = rows(records)
    given_ = (bits, held_ends, having, np.arange(6, dtype=np.int32), np.arange(7), shows, 3, asked)
    held = count_fitting(*given_, len(records) + 1)
    capped = count_fitting(*given_, 2)
    again, *having = count_fitting_by_secret(*given_, secret_start, secret, 3).T
    expected = [[place for place, one in enumerate(records) if fits(one, query)] for query in queries]
    assert held.tolist() == again.tolist() == [len(some) for some in expected]
    assert [min(count, 2) for count in capped.tolist()] == [min(count, 2) for count in held.tolist()]
    assert [counts.tolist() for counts in having] == [
        [sum(s in secrets[p] for p in some) for some in expected] for s in range(3)
    ]


@pytest.mark.parametrize(
    "number", [1, record_bits._ROOM // record_bits._BLOCK]
)  # the latter, one block at a time
def test_records_in_several_blocks(number):
    n = 64 * record_bits._BLOCK + 70
    records = [[place % 2] for place in range(n)]
    bits, _, held_ends, having = rows(records, 2)
    asked = np.array([[-2, -1], [-3, -1], [0, -1], [0, -2]], dtype=np.int32)
    spot, ends, shows = np.arange(2, dtype=np.int32), np.array([0, 0, 1]), np.zeros(1, dtype=np.int32)
    held, some = (
        count_fitting(bits, held_ends, having, spot, ends, shows, number, asked, enough) for enough in (n, 9)
    )
    assert held.tolist() == [n // 2, n // 2, n // 2, 0]
    assert some.tolist() == [32 * record_bits._BLOCK] * 3 + [0]  # the first block has enough


@given(st.lists(st.dictionaries(st.integers(0, 2**62), st.integers(0, 2**62), max_size=20), max_size=4))
@settings(max_examples=40)
def test_a_memory_is_a_dictionary(parts):
    slots, held = empty_memory(16), {}
    for part in parts:
        new = {key: value for key, value in part.items() if key not in held}
        keys = np.array(list(new), dtype=np.int64)
        slots = remember_values(slots, len(held), keys, np.array(list(new.values()), dtype=np.int64))
        held |= new
    asked = np.array([*held, 5, 2**61 + 3], dtype=np.int64)
    assert recall_values(slots, asked).tolist() == [held.get(key, -1) for key in asked.tolist()]
    assert slots.shape[1] >= 2 * len(held)
