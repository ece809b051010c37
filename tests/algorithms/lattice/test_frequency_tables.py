"""A table given as its frequency table: every method of the lattice makes the same release of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattices import LOSSES, cases
from shoal.algorithms import METHODS
from shoal.base.errors import ShoalError
from shoal.data import Column, Table
from shoal.privacy import KAnonymity
from shoal.utility import TableCase, case_losses


def folded(table):
    """The frequency table of all columns of a table, and which of its rows each record is."""
    codes = np.stack([column.codes for column in table.columns], axis=1)
    tuples, place, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    columns = tuple(
        Column(c.name, c.role, c.values, tuples[:, j].astype(np.int32), c.weight)
        for j, c in enumerate(table.columns)
    )
    return Table(columns, counts=counts.astype(np.int64)), place.ravel()


def made(name, table, case, k, **options):
    """A release, or the sentence that says why there is none."""
    method = METHODS[name].load()
    try:
        if METHODS[name].fronts:
            front = method(table, case.hierarchies, **options)
            return front.release(front.pick(k), k)
        return method(table, case.hierarchies, KAnonymity(k), **options)
    except ShoalError as error:
        return str(error)


@pytest.mark.parametrize("name", ["optimal", "incognito", "pareto", "poka"])
@given(case=cases(weights=True), percent=st.sampled_from([0, 20, 50]), k=st.integers(1, 4), data=st.data())
@settings(max_examples=25)
def test_the_release_is_that_of_the_records(name, case, percent, k, data):
    loss = data.draw(st.sampled_from(LOSSES))
    options = {"suppress": percent / 100, "loss": loss, "target": "label" if loss == "ce" else None}
    if name == "incognito":
        options = {"suppress": percent / 100}
    few, place = folded(case.table)
    one, other = made(name, few, case, k, **options), made(name, case.table, case, k, **options)
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    assert one.release.rule == other.release.rule
    kept = np.zeros(few.n, dtype=bool)
    kept[one.release.rows] = True
    assert np.flatnonzero(kept[place]).tolist() == other.release.rows.tolist()
    assert one.release.suppressed == other.release.suppressed
    assert priced(one, few, case, k) == pytest.approx(priced(other, case.table, case, k))


def priced(result, table, case, k):
    """Every loss of a release."""
    leaves = np.stack([case.hierarchies[c.name].encode(c) for c in table.quasi], axis=1)
    target = table.column("label").codes
    whole = TableCase(
        result.release, case.hierarchies, None, k, target=target, leaves=leaves, counts=table.counts
    )
    return case_losses(whole)
