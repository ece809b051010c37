"""Which method is taken where none is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms import DEFAULTS, METHODS, default_method


@pytest.mark.parametrize(
    ("size", "method"),
    [
        ({"columns": 8, "records": 30_162, "vectors": 6_480}, "boxes"),
        ({"columns": 8, "records": 30_162, "vectors": 10_001}, "mstk"),
        ({"columns": 9, "records": 100_000, "vectors": 10_000}, "boxes"),
        ({"columns": 7, "records": 1_000_000, "vectors": 2_500}, "boxes"),
        ({"columns": 7, "records": 100_001, "vectors": 2_501}, "mondrian"),
        ({"columns": 9, "records": 50_001, "vectors": 10_001}, "mondrian"),
        ({"columns": 10, "records": 40, "vectors": 10_001}, "mondrian"),
        ({"columns": 3, "records": 1_000_001, "vectors": 40}, "mondrian"),
    ],
)
def test_the_method_of_a_table_follows_from_its_size(size, method):
    assert default_method("table", {"k": 5}, **size) == method


@given(
    st.sampled_from([line.shape for line in DEFAULTS]),
    st.sets(st.sampled_from(["k", "m", "l", "loss", "target", "recode", "itemsets"])),
    *(st.integers(0, 10**8) for _ in range(3)),
    st.booleans(),
)
def test_some_line_fits_whatever_is_brought_and_its_method_is_for_that_shape(
    shape, keys, columns, records, vectors, ruled
):
    asked = dict.fromkeys(keys, 2)
    found = default_method(shape, asked, columns=columns, records=records, vectors=vectors, ruled=ruled)
    assert METHODS[found].shape == shape
