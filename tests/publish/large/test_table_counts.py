import datetime as dt
from collections import Counter

import narwhals as nw
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.parts.folder import PrivateFolder
from shoal.privacy import KAnonymity, LDiversity
from shoal.publish.large import table_counts
from shoal.publish.large.table_counts import TableCounts
from shoal.shapes.table.verification import published_table

ROLES = {"age": "quasi", "ill": "sensitive", "zip": "quasi", "ward": "plain"}
CELLS = st.tuples(
    st.sampled_from(["20", "[20, 30)", None]),
    st.sampled_from(["flu", "Flu ", "gout", None]),
    st.sampled_from(["1", "=1"]),
    st.sampled_from(["a", "b"]),
)


def count(frame, batch=1 << 17, escaped=False):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table_counts, "_BATCH", batch)
        lazy = nw.from_native(frame.lazy())
        return TableCounts.read(lazy, ROLES, escaped=escaped, size=3, folder=PrivateFolder())


@given(st.lists(CELLS, min_size=1, max_size=25), st.integers(1, 30))
def test_rows_are_those_of_a_slow_count_and_verdicts_those_of_memory(records, batch):
    frame = pl.DataFrame(records, schema=dict.fromkeys(ROLES, pl.String), orient="row")
    counts = count(frame, batch)
    names = [*counts.quasi, *counts.sensitive]
    rows = Counter()
    for row, times in zip(counts.rows.codes.tolist(), counts.rows.counts.tolist(), strict=True):
        rows[tuple(counts.values[name][code] for name, code in zip(names, row, strict=True))] += times
    assert rows == Counter((age, zip_, ill) for age, ill, zip_, _ in records)
    assert counts.records == len(records)
    for claim in (KAnonymity(2), LDiversity(2)):
        said, expected = counts.judge(claim), claim.check(published_table(frame, ROLES))
        assert (said.holds, said.sentence, said.reached) == (
            expected.holds,
            expected.sentence,
            expected.reached,
        )


def test_escaped_cells_are_meant_without_the_apostrophe():
    frame = pl.DataFrame({"age": ["'=1", "2"], "ill": ["'=2", "x"], "zip": ["1", "1"], "ward": ["a", "a"]})
    counts = count(frame, escaped=True)
    assert sorted(counts.values["age"]) == ["2", "=1"]
    assert sorted(counts.cells_of("ill").to_list()) == ["=2", "x"]


def test_a_time_is_one_value_whatever_its_batch_holds():
    midnight, noon = dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 12)
    times = pl.Series([midnight] * 40 + [midnight, noon] * 20, dtype=pl.Datetime("us"))
    n = len(times)
    frame = pl.DataFrame({"age": ["1"] * n, "ill": times, "zip": ["1"] * n, "ward": ["a"] * n})
    for batch in (1, 40, 100):
        counts = count(frame, batch)
        assert len(counts.values["ill"]) == len(counts.rows.codes) == 2


def test_what_is_shown_is_counts():
    frame = pl.DataFrame({"age": ["20"], "ill": ["flu"], "zip": ["1"], "ward": ["a"]})
    assert repr(count(frame)) == "<TableCounts: records=1, rows=1>"
