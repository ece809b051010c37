"""Which row is whose: written for the owner alone, and read back as nobody's word; sums over what was written."""

import stat

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.base.errors import InputError
from shoal.publish.part_writing import RowDigest
from shoal.publish.row_map import (
    ROWS,
    number_names,
    person_names_of,
    read_names,
    read_rows,
    same_names,
    write_rows,
)

ORDER = np.array([2, 0, 1])


def test_rows_come_back(tmp_path):
    assert read_rows(tmp_path) is None
    assert read_names(tmp_path) is None
    write_rows(tmp_path / ROWS, ORDER)
    assert read_rows(tmp_path).tolist() == [2, 0, 1]
    assert read_rows(tmp_path).dtype == np.int64
    assert read_names(tmp_path) is None
    kept = pl.read_parquet(tmp_path / ROWS)
    assert kept.to_dict(as_series=False) == {"row": [1, 2, 3], "record": [3, 1, 2]}
    assert stat.S_IMODE((tmp_path / ROWS).stat().st_mode) == 0o600


def test_names_come_back_with_their_rows(tmp_path):
    write_rows(tmp_path / ROWS, ORDER, ["Ann", "Bob", "Cid"])
    assert read_names(tmp_path) == ["Cid", "Ann", "Bob"]
    assert read_rows(tmp_path).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "frame",
    [
        {"row": [1, 3], "record": [1, 2]},
        {"row": [0, 1], "record": [1, 2]},
        {"row": [2, 1], "record": [1, 2]},
        {"row": [1, 2], "record": [1, None]},
        {"row": [1, 2], "record": [1.0, 2.0]},
        {"row": [1, 2]},
        {"row": [1, 2], "record": [1, 2], "person": [1, 2]},
        {"row": [1, 2], "record": [1, 2], "name": ["a", "b"]},
    ],
)
def test_another_file_is_not_believed(tmp_path, frame):
    pl.DataFrame(frame).write_parquet(tmp_path / ROWS)
    for read in (read_rows, read_names):
        with pytest.raises(InputError, match=r"rows\.parquet is damaged"):
            read(tmp_path)


def test_what_is_no_parquet_file_is_damaged(tmp_path):
    (tmp_path / ROWS).write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"rows\.parquet is damaged"):
        read_rows(tmp_path)


def test_no_row_at_all(tmp_path):
    write_rows(tmp_path / ROWS, np.array([], dtype=np.int64))
    assert read_rows(tmp_path).tolist() == []


# Who is who: names of persons in data of every shape.

FRAME = {
    "name": ["Ann", "Bo ", "Cy"],
    "ssn": ["1", "1", "2"],
    "age": ["3", "4", "5"],
    "ate": ["a b", "a", "b"],
}


def read(frame, person=None, **roles):
    return shoal.read(pl.DataFrame(frame).select(list(roles)), roles=roles, person=person)


def test_the_first_identifier_in_which_everybody_has_a_name():
    assert person_names_of(read(FRAME, name="identifier", age="quasi")) == ["Ann", "Bo", "Cy"]
    assert person_names_of(read(FRAME, name="identifier", age="quasi", ate="items")) == ["Ann", "Bo", "Cy"]
    assert person_names_of(read(FRAME, name="identifier", ate="items")) == ["Ann", "Bo", "Cy"]
    assert person_names_of(read(FRAME, age="quasi")) is None
    nobody = FRAME | {"name": ["Ann", None, "Cy"]}
    assert person_names_of(read(nobody, name="identifier", age="quasi")) is None


def test_persons_are_named_by_the_column_that_tells_them():
    data = read(FRAME, person="ssn", name="identifier", ssn="identifier", age="quasi")
    assert person_names_of(data) == ["1", "1", "2"]


@pytest.mark.parametrize(("names", "same"), [(["Cy", "Ann"], True), (["Ann", "Cy"], False), (None, True)])
def test_names_must_be_those_of_the_records(names, same):
    data = read(FRAME, name="identifier", age="quasi")
    assert same_names(data, np.array([2, 0]), names) is same


def test_numbers_are_shared_by_all_lists():
    assert [numbers.tolist() for numbers in number_names(["a"], ["b", "a"])] == [[0], [1, 0]]


# What was written is compared with what was staged by sums over rows.

BOTH = ["one", "two"]
CELLS = st.sampled_from([None, "", "a", "b", "=a", "ab"])
TABLES = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8)


def framed(rows, labels=()):
    """Rows as a frame, its first column as texts or labels of a list, which holds no empty one."""
    firsts, seconds = zip(*rows, strict=True)
    if not labels:
        return pl.DataFrame({"one": firsts, "two": seconds}, schema_overrides=dict.fromkeys(BOTH, pl.String))
    listed = pl.Series("one", [one or None for one in firsts], dtype=pl.Enum(labels))
    return pl.DataFrame([listed, pl.Series("two", seconds, dtype=pl.String)])


def meant(rows):
    """Rows as they are told apart: an empty cell is a missing one."""
    return sorted((one or "", two or "") for one, two in rows)


@given(TABLES, TABLES, st.integers(0, 2**64 - 1), st.booleans())
@settings(max_examples=60)
def test_sums_are_equal_where_rows_are_whatever_their_order_and_type(one, other, key, escape):
    digest = RowDigest(key, escape=escape)
    listed = framed(one, ["b", "a", "=a", "ab", "never"])
    assert (digest(listed) == digest(framed(other))) == (meant(one) == meant(other))
    assert digest(listed) == digest(framed(one[::-1]))
