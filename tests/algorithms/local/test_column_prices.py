"""Which values a class may be written as a list of: as many as there are bits, and none that too few people hold."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms._kernels.tables import SET
from shoal.algorithms.local.column_prices import as_set
from shoal.hierarchy.rules import flat


@pytest.mark.parametrize("many", [2, 10, 11, 40, 62])
def test_values_are_listed_as_long_as_there_are_bits_for_them(many):
    column = flat("c", [f"v{i:03d}" for i in range(many)])
    scale = as_set(column, np.repeat(np.arange(many, dtype=np.int32), 3), k=3)
    assert scale is not None
    assert (scale.kind, scale.gone) == (SET, 0)
    assert len(scale.leaf) == many


@pytest.mark.parametrize("method", ["mstk", "mondrian", "kmember"])
def test_a_value_of_one_person_is_not_listed_however_many_rows_hold_it(method):
    """Two rows are k = 2 rows, but those of one person: nobody else could be meant by the value."""
    rows = {"who": ["ann", "ann", "bob", "bob", "eve", "eve"], "town": ["b", "b", "a", "a", "a", "a"]}
    data = shoal.read(pl.DataFrame(rows), roles={"who": "identifier", "town": "quasi"}, person="who")
    release = shoal.anonymize(data, k=2, method=method, recode="span")
    assert {"*"} <= set(release.data["town"]) <= {"*", "a"}
