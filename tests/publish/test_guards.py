"""What is refused before any work."""

import polars as pl
import pytest

import shoal
from shoal.errors import InputError


def bound(columns, roles, **options):
    return shoal.read(pl.DataFrame(columns), roles=roles, **options)


def test_no_quasi_identifier_is_an_empty_claim():
    data = bound({"ward": ["a", "a", "b", "b"]}, {"ward": "plain"})
    with pytest.raises(InputError, match="no quasi-identifier"):
        shoal.anonymize(data, k=2)


def test_l_without_a_sensitive_column_is_an_empty_claim():
    data = bound({"age": ["1", "1"]}, {"age": "quasi"})
    with pytest.raises(InputError, match="sensitive"):
        shoal.anonymize(data, k=2, l=2)


def test_a_nearly_unique_plain_column_is_refused_unless_allowed():
    columns = {"sex": ["f", "m"] * 3, "height": [160, 171, 182, 163, 174, 174]}
    roles = {"sex": "quasi", "height": "plain"}
    with pytest.raises(InputError, match="'height': 5 different values in 6 records"):
        shoal.anonymize(bound(columns, roles), k=2)
    allowed = bound(columns, roles, allow=("height",))
    assert shoal.anonymize(allowed, k=2).data["height"].dtype == pl.Int64


def test_a_plain_column_that_tells_a_quasi_identifier_is_refused():
    columns = {"zip": ["1", "1", "2", "2", "3", "3", "3"], "town": ["a", "a", "b", "b", "c", "c", "c"]}
    with pytest.raises(InputError, match=r"'town': its value tells .* 'zip'"):
        shoal.anonymize(bound(columns, {"zip": "quasi", "town": "plain"}), k=2)


def test_a_coarser_plain_column_passes():
    columns = {"zip": ["1", "2", "3", "4"] * 2, "half": ["a", "a", "b", "b"] * 2}
    assert shoal.anonymize(bound(columns, {"zip": "quasi", "half": "plain"}), k=2)


def test_a_repeated_person_is_refused_or_counted():
    columns = {"id": ["p", "p", "q", "r"], "age": ["30", "30", "30", "30"]}
    roles = {"id": "identifier", "age": "quasi"}
    with pytest.raises(InputError, match="share an identifier"):
        bound(columns, roles)
    data = bound(columns, roles, person="id")
    assert shoal.anonymize(data, k=3)
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(data, k=4)
