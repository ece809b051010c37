import pytest

from shoal.data import Column
from shoal.data.spelling import alike


@pytest.mark.parametrize(
    "texts",
    [("HIV", "hiv", " hiv ", "Hiv"), ("1", "1.0", "1e0", "+1", "1."), ("0", "-0", "0.0"), ("a  b", "A b")],
)
def test_spellings_of_one_value_are_alike(texts):
    assert len({alike(text) for text in texts}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("HIV1", "HIV2"), ("007", "7"), ("1.5", "15"), ("infinity", "inf"), ("a b", "ab")]
)
def test_other_values_are_not(one, other):
    assert alike(one) != alike(other)


def test_a_column_in_one_spelling_keeps_its_records():
    column = Column.of("ill", "sensitive", ["HIV", "flu", " hiv", None, "  ", "FLU"])
    assert column.in_one_spelling().cells() == ["HIV", "flu", "HIV", None, None, "flu"]
    plain = Column.of("ill", "sensitive", ["a", "b"])
    assert plain.in_one_spelling() is plain
