"""What names of columns mean."""

import pytest

from shoal.publish.study.propose.meanings import meaning


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Geburtsdatum", "birth date"),
        ("性别", "sex"),
        ("hospital_name", "hospital or ward"),
        ("age_at_diagnosis", "age"),
    ],
)
def test_a_name_tells_what_a_column_holds(name, what):
    found = meaning(name)
    assert found is not None
    assert found.what == what


@pytest.mark.parametrize(
    "name", ["filename", "average", "stage", "ship", "template", "hotel", "valid", "trace", "capacity"]
)
def test_a_word_inside_another_word_means_nothing(name):
    assert meaning(name) is None
