import datetime as dt
from collections import Counter

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.io.read.cells import code_table
from shoal.io.read.source import Source
from shoal.parts import reading
from shoal.parts.folder import PrivateFolder

MISSING = ("", "?")
CELLS = {
    "text": (st.sampled_from(["a", "b", "", "?", "é", "A "]), pl.String),
    "whole": (st.integers(-2, 3), pl.Int64),
    "real": (st.sampled_from([0.5, 1.0, 1e22, -0.0, 0.0, float("nan"), float("inf")]), pl.Float64),
    "day": (st.sampled_from([dt.date(2020, 1, 1), dt.date(2021, 2, 3)]), pl.Date),
    "time": (st.sampled_from([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 5)]), pl.Datetime("us")),
    "flag": (st.booleans(), pl.Boolean),
}


@st.composite
def frames(draw):
    height = draw(st.integers(1, 25))
    return pl.DataFrame(
        {
            name: pl.Series(
                draw(st.lists(st.none() | cells, min_size=height, max_size=height)), dtype=kind, strict=False
            )
            for name, (cells, kind) in CELLS.items()
        }
    )


def read(frame, size):
    folder = PrivateFolder()
    lazy = nw.from_native(frame.lazy())
    dictionary = reading.build_dictionary(lazy, "people", MISSING, frame.height)
    return folder, dictionary, reading.read_parts(lazy, dictionary, MISSING, frame.height, size, folder.path)


@given(frames(), st.integers(1, 9))
def test_records_are_those_of_memory(frame, size):
    _folder, dictionary, parts = read(frame, size)
    table = code_table(Source(frame, "polars", "people", MISSING), dict.fromkeys(frame.columns, "plain"))
    in_memory = Counter(zip(*(column.cells() for column in table.columns), strict=True))
    in_parts = Counter()
    for number in range(len(parts)):
        for row in parts.read(number).tolist():
            in_parts[tuple(values[code] for values, code in zip(dictionary.values, row, strict=True))] += 1
    assert in_parts == in_memory
    assert [column.values for column in table.columns] == list(dictionary.values)
    assert len(parts) == -(-frame.height // size)


@given(frames())
def test_counts_and_cells_stand_for_the_values(frame):
    _folder, dictionary, parts = read(frame, 100)
    codes = parts.read(0)
    for j, (values, cells, counts) in enumerate(
        zip(dictionary.values, dictionary.cells, dictionary.counts, strict=True)
    ):
        assert counts.tolist() == np.bincount(codes[:, j], minlength=len(values)).tolist()
        assert [value is None for value in values] == cells.is_null().to_list()
        assert cells.dtype == frame.dtypes[j]


@given(frames())
def test_equal_records_are_in_one_part(frame):
    _folder, _dictionary, parts = read(pl.concat([frame, frame]), 3)
    seen = Counter()
    for number in range(len(parts)):
        seen.update({tuple(row) for row in parts.read(number).tolist()})
    assert set(seen.values()) == {1}


def test_too_many_values_are_refused_by_the_column_alone(monkeypatch):
    monkeypatch.setattr(reading, "_MOST_VALUES", 3)
    frame = pl.DataFrame({"code": ["secret1", "secret2", "secret3", "secret4"]})
    with pytest.raises(
        InputError, match=r"people, column 'code': it has more than 3 different values"
    ) as error:
        read(frame, 2)
    assert "secret" not in str(error.value)
