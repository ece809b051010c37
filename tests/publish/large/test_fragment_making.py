"""Fragments of a table in parts: their union keeps every claim and the truth, and only the seed decides what it is."""

from collections import Counter

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies
from shoal.base.errors import InfeasibleError
from shoal.base.progress import no_progress
from shoal.data import Table
from shoal.engines import in_threads, in_turn
from shoal.io.config import ColumnSpec
from shoal.parts.draws import RunKey
from shoal.parts.folder import PrivateFolder
from shoal.privacy import make_claim
from shoal.publish.large.fragment_making import draw_sample, make_fragments, unite_fragments
from shoal.publish.large.fragment_release import columns_of_codes
from shoal.publish.large.parts import TableOrigin
from shoal.publish.large.table_fragments import read_fragmented_table
from shoal.release import Recoded
from shuffle_engine import Shuffle
from table_cases import seen, true

CLAIMS = [
    {},
    {"l": 2},
    {"l": 2, "diversity": "entropy"},
    {"t": 0.4},
    {"t": 0.4, "distance": "ordered"},
    {"beta": 1.0},
    {"disclosure": 1.5},
    {"alpha": 0.7},
]
METHODS = ["mondrian", "mstk", "kmember", "boxes"]
law = settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
many = strategies.cases(min_rows=4, max_rows=30, max_quasi=2, min_sensitive=1, persons=False)


def in_parts(case, size):
    """A table of a test in parts of about so many records."""
    table, trees = case
    frame = pl.DataFrame(
        [pl.Series(column.name, column.cells(), dtype=pl.String) for column in table.columns]
    )
    columns = {
        column.name: ColumnSpec(
            column.role, hierarchy=trees.get(column.name), weight=column.weight, allow=True
        )
        for column in table.columns
    }
    roles = {column.name: column.role for column in table.columns}
    lazy = nw.from_native(frame.lazy())
    origin = TableOrigin(lazy, "people", (), frame.height, columns, roles=roles, allow=frozenset(columns))
    return read_fragmented_table(origin, PrivateFolder(), size)


def made(data, name, claim, fragment, seed, mapper):
    key = RunKey.of(np.random.default_rng(seed))
    return unite_fragments(
        data, make_fragments(data, name, claim, {}, fragment, key, mapper, no_progress), mapper
    )


def whole(data, release):
    """The release record by record, and the originals in the same order, as a table in memory has them."""
    codes = np.concatenate([release.codes_of(number) for number in range(len(release.staged))])
    originals = np.concatenate([part.originals() for part in release.staged])
    table = Table(columns_of_codes(data.dictionary, data.origin, originals))
    quasi = np.ascontiguousarray(codes[:, : len(release.names)])
    return Recoded(release.names, release.forms, quasi, np.arange(len(codes)), len(codes)), table


def records_of(data, release):
    """How often each record leaves, in words."""
    recoded, table = whole(data, release)
    labels = [
        [recoded.forms[j].labels[code] for code in recoded.codes[:, j]] for j in range(len(recoded.names))
    ]
    others = [column.cells() for column in table.columns if column.role != "quasi"]
    return Counter(zip(*labels, *others, strict=True))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("asked", CLAIMS, ids=str)
@given(case=many, k=st.integers(1, 3), fragment=st.integers(1, 12), size=st.integers(1, 20))
@law
def test_the_union_keeps_the_claim_and_the_truth(name, asked, case, k, fragment, size):
    data, claim = in_parts(case, size), make_claim("table", k=k, **asked)
    try:
        release = made(data, name, claim, fragment, 0, in_turn)
    except InfeasibleError:
        return
    recoded, table = whole(data, release)
    assert claim.check(seen(recoded, table))
    assert true(recoded, table, data.hierarchies)
    cells = [
        Counter(zip(*(column.cells() for column in own.columns), strict=True)) for own in (case[0], table)
    ]
    assert cells[0] == Counter(
        {tuple(dict(zip([c.name for c in table.columns], row, strict=True))[c.name] for c in case[0].columns): times
         for row, times in cells[1].items()}
    )  # fmt: skip
    assert release.counts.sum() == release.kept == case[0].n
    assert sum(int(size) * count for size, count in release.sizes.items()) == case[0].n


@pytest.mark.parametrize("name", METHODS)
@given(
    case=many,
    fragment=st.integers(1, 12),
    sizes=st.lists(st.integers(1, 30), min_size=2, max_size=3),
    seed=st.integers(0, 3),
)
@law
def test_no_part_no_thread_and_no_attempt_decides_what_is_released(name, case, fragment, sizes, seed):
    claim = make_claim("table", k=2)
    found = []
    for size, mapper in zip(sizes, (in_turn, in_threads(3), Shuffle(seed).map), strict=False):
        data = in_parts(case, size)
        found.append(records_of(data, made(data, name, claim, fragment, seed, mapper)))
    assert all(other == found[0] for other in found)


@given(case=many, sizes=st.tuples(st.integers(1, 30), st.integers(1, 30)), asked=st.integers(0, 40))
def test_the_sample_is_the_same_wherever_records_lie(case, sizes, asked):
    key, drawn = RunKey(bytes(32)), []
    for size in sizes:
        data = in_parts(case, size)
        hasher = data.dictionary.hasher(key.derive("record"))
        drawn.append(draw_sample(data.parts, hasher, key, asked, in_threads(2)).tolist())
    assert drawn[0] == drawn[1]
    assert asked < case[0].n or len(drawn[0]) == case[0].n
