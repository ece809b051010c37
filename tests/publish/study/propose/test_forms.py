"""What values look like."""

import pytest

from shoal.publish.study.propose.forms import form


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["anna@example.org", "bob@example.com"], "mail address"),
        (["GB82 WEST 1234 5698 7654 32"], "IBAN"),
        (["123-45-6789", "321-54-9876", "213-45-6798"], "US social security number"),
        (["31.12.1999", "01.02.2000"], "date"),
    ],
)
def test_values_tell_what_they_are(values, what):
    found = form(values)
    assert found is not None
    assert found.what == what


@pytest.mark.parametrize(
    "values", [["1", "2", "3"], ["male", "female"], ["12.50", "7.25"], ["Berlin", "Paris"]]
)
def test_ordinary_values_have_no_form(values):
    assert form(values) is None
