import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.privacy.classes import classes, group
from shoal.release import Published, Sensitive

WILD = (0, 1, 1000, -5, 2**62, -(2**63), 2**63 - 1)


@given(st.lists(st.tuples(*[st.sampled_from(WILD)] * 9), min_size=1, max_size=12), st.integers(1, 9))
@settings(max_examples=200, deadline=None)
def test_equal_rows_and_only_they_get_equal_numbers(rows, width):
    rows = [row[:width] for row in rows]
    of, heads = group([np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)])
    assert all(
        (a == b) == (x == y) for a, x in zip(rows, of, strict=True) for b, y in zip(rows, of, strict=True)
    )
    assert sorted(set(of.tolist())) == list(range(len(heads)))
    assert of[heads].tolist() == list(range(len(heads)))


def test_keys_wider_than_64_bits_do_not_wrap():
    # 8 columns of width 1001 need 80 bits; without renumbering, keys 2**64 apart would be one.
    columns = np.random.default_rng(0).integers(0, 1001, (8, 500))
    columns[:, ::2] = columns[:, 1::2]
    of, heads = group(list(columns))
    assert len(heads) == len(np.unique(columns, axis=1).T) == 250
    assert (of[::2] == of[1::2]).all()


def test_small_integer_types_do_not_overflow():
    column = np.array([-128, 127, 127, 0], dtype=np.int8)
    assert group([column, column])[0].tolist() == group([column.astype(np.int64)])[0].tolist()


def test_no_rows():
    of, heads = group([np.empty(0, dtype=np.int64)] * 2)
    assert len(of) == len(heads) == 0


def test_persons_are_counted_once_a_class():
    groups = classes(Published({"q": np.array([0, 0, 0, 1])}, persons=np.array([7, 7, 8, 7])))
    assert groups.size.tolist() == [2, 1]


@pytest.mark.parametrize(
    "ragged",
    [
        Published({"a": np.zeros(2, np.int64), "b": np.zeros(3, np.int64)}),
        Published({"a": np.zeros(2, np.int64)}, {"b": Sensitive(np.zeros(3, np.int64), ("x",))}),
        Published({"a": np.zeros(2, np.int64)}, persons=np.zeros(3, np.int64)),
    ],
)
def test_ragged_columns_are_refused(ragged):
    with pytest.raises(InputError, match="has 3 cells where others have 2"):
        classes(ragged)
