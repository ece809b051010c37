import numpy as np
import numpy.testing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_useful import expected_count
from shoal.errors import InputError
from shoal.utility.column_cells import Cells, ones
from shoal.utility.table_queries import draw_queries, query_counts, table_are
from useful_cases import cells_of, columns


@st.composite
def asked(draw):
    rows = draw(st.integers(1, 5))
    pair = [draw(columns(rows, name)) for name in "ab"]
    queries = []
    for _ in range(draw(st.integers(1, 3))):
        query = []
        for j in sorted(draw(st.sets(st.integers(0, 1), min_size=1))):
            low = draw(st.integers(0, pair[j][0].size - 1))
            query.append((j, low, draw(st.integers(low + 1, pair[j][0].size))))
        queries.append(tuple(query))
    return [one[0] for one in pair], list(zip(*(one[1] for one in pair), strict=True)), queries


@given(asked())
def test_counts_are_the_mean_over_possible_worlds(case):
    cells, rows, queries = case
    wanted = [expected_count(rows, {j: set(range(low, high)) for j, low, high in query}) for query in queries]
    npt.assert_allclose(query_counts(queries, cells), wanted)


@given(st.data(), st.integers(0, 5))
def test_somebody_fits_each_query_drawn(data, seed):
    rows = data.draw(st.integers(1, 6))
    cells = []
    for name in "ab":
        size = data.draw(st.integers(1, 9))
        leaves = data.draw(st.lists(st.integers(0, size - 1), min_size=rows, max_size=rows))
        cells.append(originals(name, leaves, size))
    drawn = draw_queries(cells, seed=seed, queries=20)
    assert len(drawn) == 20
    assert (query_counts(drawn, cells) >= 1).all()
    assert drawn == draw_queries(cells, seed=seed, queries=20)


def originals(name, leaves, size):
    """Codes of originals are leaves, those of missing cells the number of leaves."""
    forms = ones([str(leaf) for leaf in range(size)], size)
    return Cells(
        name,
        np.array(leaves, dtype=np.int32),
        forms,
        forms.labels[:-1],
        np.arange(size, dtype=np.int32),
        ordered=True,
    )


def test_missing_cells_are_never_asked_for():
    cells = [originals("a", [2, 2, 2], 2), originals("b", [0, 1, 1], 2)]
    drawn = draw_queries(cells, seed=1, queries=30)
    assert {j for query in drawn for j, _, _ in query} == {1}
    assert draw_queries([cells[0]], seed=1, queries=30) == []


def test_an_untouched_table_errs_in_nothing_and_a_hidden_one_does():
    cells = [originals("a", [0, 1, 2, 3] * 5, 4)]
    queries = draw_queries(cells, seed=0, queries=50)
    assert table_are(queries, cells, cells).mean == 0
    hidden = [cells_of("a", [set(range(4))] * 20, 4)]
    even = [((0, 1, 2),)]
    assert table_are(even, cells, hidden).mean == 0  # five of twenty, as it is
    uneven = [originals("a", [0] * 20, 4)]
    assert table_are([((0, 0, 1),)], uneven, hidden).mean == pytest.approx(15 / 20)


def test_small_counts_are_taken_for_the_sanity_bound():
    cells = [originals("a", [0] * 1 + [1] * 3999, 2)]
    nobody = [cells[0].some(np.arange(1, 4000))]
    found = table_are([((0, 0, 1),)], cells, nobody)
    assert (found.bound, found.mean) == (4.0, 0.25)


def test_no_query_is_refused():
    with pytest.raises(InputError, match="no query is given"):
        table_are([], [], [])
