"""What was written is compared with what was staged by sums over rows."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.publish.writing import RowDigest

NAMES = ["one", "two"]
CELLS = st.sampled_from([None, "", "a", "b", "=a", "ab"])
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8)


def frame(rows, labels=()):
    """Rows as a frame, its first column as texts or labels of a list, which holds no empty one."""
    firsts, seconds = zip(*rows, strict=True)
    if not labels:
        return pl.DataFrame({"one": firsts, "two": seconds}, schema_overrides=dict.fromkeys(NAMES, pl.String))
    listed = pl.Series("one", [one or None for one in firsts], dtype=pl.Enum(labels))
    return pl.DataFrame([listed, pl.Series("two", seconds, dtype=pl.String)])


def meant(rows):
    """Rows as they are told apart: an empty cell is a missing one."""
    return sorted((one or "", two or "") for one, two in rows)


@given(ROWS, ROWS, st.integers(0, 2**64 - 1), st.booleans())
@settings(max_examples=60)
def test_sums_are_equal_where_rows_are_whatever_their_order_and_type(one, other, key, escape):
    digest = RowDigest(key, escape=escape)
    listed = frame(one, ["b", "a", "=a", "ab", "never"])
    assert (digest(listed) == digest(frame(other))) == (meant(one) == meant(other))
    assert digest(listed) == digest(frame(one[::-1]))
