"""A table and its baskets belong together."""

import numpy as np
import pytest

from shoal.data import Baskets, Column, Mixed, Table
from shoal.errors import InputError

AGES = Column.of("age", "quasi", ["20", "30"])


def test_a_record_has_a_row_and_a_basket():
    assert Mixed(Table((AGES,)), Baskets.of("items", [["a"], []])).n == 2


def test_a_record_without_a_basket_is_refused():
    with pytest.raises(InputError, match="1 baskets for 2 records"):
        Mixed(Table((AGES,)), Baskets.of("items", [["a"]]))


def test_a_person_has_one_record():
    baskets = Baskets.of("items", [["a"], ["b"]])
    assert Mixed(Table((AGES,), np.array([4, 9])), baskets).n == 2
    with pytest.raises(InputError, match="1 of 2 rows repeat a person"):
        Mixed(Table((AGES,), np.array([4, 4])), baskets)
