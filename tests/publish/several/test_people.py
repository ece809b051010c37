"""Who is who: names of persons in data of every shape."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.publish.several.people import names_of, numbered, same_names

FRAME = {
    "name": ["Ann", "Bo ", "Cy"],
    "ssn": ["1", "1", "2"],
    "age": ["3", "4", "5"],
    "ate": ["a b", "a", "b"],
}


def read(frame, person=None, **roles):
    return shoal.read(pl.DataFrame(frame).select(list(roles)), roles=roles, person=person)


def test_the_first_identifier_in_which_everybody_has_a_name():
    assert names_of(read(FRAME, name="identifier", age="quasi")) == ["Ann", "Bo", "Cy"]
    assert names_of(read(FRAME, name="identifier", age="quasi", ate="items")) == ["Ann", "Bo", "Cy"]
    assert names_of(read(FRAME, name="identifier", ate="items")) == ["Ann", "Bo", "Cy"]
    assert names_of(read(FRAME, age="quasi")) is None
    nobody = FRAME | {"name": ["Ann", None, "Cy"]}
    assert names_of(read(nobody, name="identifier", age="quasi")) is None


def test_persons_are_named_by_the_column_that_tells_them():
    data = read(FRAME, person="ssn", name="identifier", ssn="identifier", age="quasi")
    assert names_of(data) == ["1", "1", "2"]


@pytest.mark.parametrize(("names", "same"), [(["Cy", "Ann"], True), (["Ann", "Cy"], False), (None, True)])
def test_names_must_be_those_of_the_records(names, same):
    data = read(FRAME, name="identifier", age="quasi")
    assert same_names(data, np.array([2, 0]), names) is same


def test_numbers_are_shared_by_all_lists():
    assert [numbers.tolist() for numbers in numbered(["a"], ["b", "a"])] == [[0], [1, 0]]
