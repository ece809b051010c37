import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines import in_threads, in_turn
from shoal.parts.folder import PrivateFolder
from shoal.parts.records import BASKETS, Parts, Records, RunParts, exchange, write_run

RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=40)


def codes_of(records):
    return np.array(records, dtype=np.int32).reshape(-1, 2)


def bucket_of(codes):
    return (codes[:, 0] % 3).astype(np.int64)


def parts_of(runs, part_count, folder):
    """Runs of records, each record in a part that its place says."""
    sizes = np.zeros(part_count, dtype=np.int64)
    paths = []
    path = folder.make("read")
    for number, records in enumerate(runs):
        codes = codes_of(records)
        paths.append(path / f"{number:06}")
        sizes += write_run(paths[-1], codes, np.arange(len(codes)) % part_count, part_count)
    return Parts(tuple(paths), tuple(sizes.tolist()))


def rows(codes):
    return [tuple(row) for row in codes.tolist()]


@given(
    st.lists(RECORDS, min_size=1, max_size=3), st.integers(1, 4), st.sampled_from([in_turn, in_threads(3)])
)
def test_an_exchange_sends_every_record_to_its_bucket(runs, part_count, mapper):
    folder = PrivateFolder()
    parts = parts_of(runs, part_count, folder)
    buckets = exchange(parts, bucket_of, 3, folder.make("buckets"), mapper)
    everything = [record for records in runs for record in records]
    for bucket in range(3):
        expected = sorted(record for record in everything if record[0] % 3 == bucket)
        assert sorted(rows(buckets.read(bucket))) == expected
        assert buckets.sizes[bucket] == len(expected)
    assert buckets.n == parts.n == len(everything)
    assert sorted(rows(buckets.read(0, 3))) == sorted(everything)


WITH_ITEMS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.frozensets(st.integers(0, 5), max_size=4)), max_size=30
)


def records_of(records):
    """Records with items, as a run holds them."""
    start = np.cumsum([0, *(len(basket) for *_, basket in records)])
    items = np.array([item for *_, basket in records for item in sorted(basket)], dtype=np.int32)
    return Records(codes_of([record[:2] for record in records]), start, items)


def rows_with_items(records):
    bounds = records.start.tolist()
    baskets = [frozenset(records.items[a:b].tolist()) for a, b in pairwise(bounds)]
    return [(*row, basket) for row, basket in zip(rows(records.codes), baskets, strict=True)]


def sorted_records(records):
    return sorted(records, key=lambda record: (*record[:2], sorted(record[2])))


@given(st.lists(WITH_ITEMS, min_size=1, max_size=3), st.booleans(), st.sampled_from([in_turn, in_threads(3)]))
def test_an_exchange_sends_items_along(runs, by_items, mapper):
    folder = PrivateFolder()
    path, paths, sizes = folder.make("read"), [], np.zeros(2, dtype=np.int64)
    for number, records in enumerate(runs):
        paths.append(path / f"{number:06}")
        sizes += write_run(paths[-1], records_of(records), np.arange(len(records)) % 2, 2)
    parts = Parts(tuple(paths), tuple(sizes.tolist()), BASKETS)

    def length_of(records):
        return np.minimum(np.diff(records.start), 2)

    key, expected = (length_of, lambda record: min(len(record[2]), 2))
    if not by_items:
        key, expected = bucket_of, lambda record: record[0] % 3
    buckets = exchange(parts, key, 3, folder.make("buckets"), mapper, by_items=by_items)
    everything = [record for records in runs for record in records]
    for bucket in range(3):
        wanted = sorted_records(record for record in everything if expected(record) == bucket)
        assert sorted_records(rows_with_items(buckets.read_records(bucket))) == wanted
        assert rows(buckets.read(bucket)) == rows(buckets.read_records(bucket).codes)
    assert sorted_records(rows_with_items(parts.read_records(0, 2))) == sorted_records(everything)
    runs_alone = RunParts(parts.runs, tuple(map(len, runs)), BASKETS)
    assert rows_with_items(runs_alone.read_records(0, len(runs))) == rows_with_items(
        Records.join([runs_alone.read_records(number) for number in range(len(runs))])
    )


@given(RECORDS, st.integers(1, 4))
def test_a_task_that_runs_twice_changes_nothing(records, part_count):
    folder = PrivateFolder()
    parts, place = parts_of([records], part_count, folder), folder.make("buckets")
    once = exchange(parts, bucket_of, 3, place, in_turn)
    before = [rows(once.read(bucket)) for bucket in range(3)]
    again = exchange(parts, bucket_of, 3, place, in_threads(2))
    assert [rows(again.read(bucket)) for bucket in range(3)] == before
    assert again.sizes == once.sizes
    assert not [path for path in place.rglob("*") if path.name.startswith(".")]


def test_a_task_that_fails_leaves_no_run(monkeypatch):
    folder = PrivateFolder()
    parts, place = parts_of([[(0, 0), (1, 1)]], 1, folder), folder.make("buckets")

    def fail(codes):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        exchange(parts, fail, 3, place, in_turn)
    assert not any(place.iterdir())


def test_threads_read_one_run_together():
    folder = PrivateFolder()
    parts = parts_of([[(at % 5, 0) for at in range(1000)]], 4, folder)
    both = threading.Barrier(2, timeout=30)

    def read(number):
        if number:
            both.wait()
        return len(parts.read(number))

    assert list(in_threads(2)(read, range(3))) == [250] * 3


def test_what_is_shown_is_counts():
    parts = parts_of([[(1, 2)]], 1, PrivateFolder())
    assert repr(parts) == "<Parts: records=1, parts=1>"
