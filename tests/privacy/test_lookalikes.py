import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.privacy.equivalence_class import equivalence_classes, group
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
    # 8 columns of width 1024 make the first digit worth 2**70, which is 0 in 64 bits
    rows = np.array([[0] * 8, [1] + [0] * 7, [1023] * 8, [1] + [0] * 7])
    of, heads = group(list(rows.T))
    assert len(heads) == 3
    assert of[1] == of[3]


def test_small_integer_types_do_not_overflow():
    column = np.array([-128, 127, 127, 0], dtype=np.int8)
    assert group([column, column])[0].tolist() == group([column.astype(np.int64)])[0].tolist()


def test_no_rows():
    of, heads = group([np.empty(0, dtype=np.int64)] * 2)
    assert len(of) == len(heads) == 0


def test_persons_are_counted_once_a_class():
    groups = equivalence_classes(Published({"q": np.array([0, 0, 0, 1])}, persons=np.array([7, 7, 8, 7])))
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
    with pytest.raises(InputError, match="has 3 cells, but others have 2"):
        equivalence_classes(ragged)
