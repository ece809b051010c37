"""Rows are counted as if records lay in one piece, wherever they lie."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines import TooManyError, in_turn
from shoal.parts import counting
from shoal.parts.counting import count_codes
from shoal.parts.records import Parts, write_run
from shuffle_engine import Shuffle

CODE = st.sampled_from([0, 1, 2, 2**31 - 1])


def parts_of(folder, codes, part, parts):
    """Records in parts, in two runs, given the part of each."""
    sizes = np.zeros(parts, dtype=np.int64)
    half = len(codes) // 2
    for number, rows in enumerate([slice(0, half), slice(half, None)]):
        sizes += write_run(folder / f"{number}", codes[rows], part[rows], parts)
    return Parts((folder / "0", folder / "1"), tuple(sizes.tolist()))


def counted(codes, columns):
    """The slow twin: a count of tuples."""
    return Counter(tuple(row[column] for column in columns) for row in codes.tolist())


@given(
    rows=st.lists(st.tuples(CODE, CODE, CODE), max_size=30),
    columns=st.permutations(range(3)).flatmap(lambda order: st.integers(1, 3).map(lambda n: order[:n])),
    seed=st.integers(0, 99),
    waiting=st.sampled_from([0, 3, 1 << 21]),
)
def test_the_counts_are_those_of_all_records(rows, columns, seed, waiting):
    codes = np.array(rows, dtype=np.int32).reshape(-1, 3)
    part = np.random.default_rng(seed).integers(0, 4, len(codes))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(counting, "_WAITING", waiting)
        parts = parts_of(Path(folder), codes, part, 4)
        found, counts = count_codes(parts, columns, 30, Shuffle(seed).map)
        assert dict(zip(map(tuple, found.tolist()), counts.tolist(), strict=True)) == counted(codes, columns)
        assert len(found) == len(counted(codes, columns))
        different = len(found)
        if different:
            with pytest.raises(TooManyError):
                count_codes(parts, columns, different - 1, in_turn)
