"""What is read off values, each way of it by hand."""

import numpy as np
import pytest

from shoal.publish.value_parts import amounts_of, numbers_of, order_of, parts_of, spelled


def test_a_part_and_a_cell_that_say_the_same_are_spelled_alike():
    assert {spelled(text) for text in ("5", "05", " 5", "5.0", "005")} == {"5"}
    assert {spelled(text) for text in ("0", "00", "000", "0.0")} == {"0"}
    assert spelled(None) == spelled("") == ""
    assert spelled("X7") == "x7"
    assert spelled("50") == "50"


LETTERS = [["a", "", "f"], ["ab", "", "f"], ["ab-", "", "f"], ["ab-c", "", "f"], ["ab-cd", "", "f"]]
ENDINGS = [["f", "", "f"], ["ef", "", "f"], ["_ef", "", "f"], ["d_ef", "", "f"], ["cd_ef", "", "f"]]


def test_parts_of_texts():
    """Up to five letters of either end, the first and the last word, and the length."""
    words = [["ab", "", "f"], ["ef", "", "f"]]
    assert parts_of([" ab-cd_ef ", None, "f"]) == [*LETTERS, *ENDINGS, *words, ["8", "0", "1"]]


def test_parts_of_dates():
    values = ["1989-05-17", None, "2000-12-31", "1971-03-01"]
    read = [
        ["1989", "", "2000", "1971"],
        ["5", "", "12", "3"],
        ["17", "", "31", "1"],
        ["1989-05", "", "2000-12", "1971-03"],
        ["05-17", "", "12-31", "03-01"],
        ["2", "", "4", "1"],
        ["1989-Q2", "", "2000-Q4", "1971-Q1"],
        ["3", "", "7", "1"],  # Wednesday, Sunday, Monday
        ["20", "", "52", "9"],
        ["1980", "", "2000", "1970"],
    ]
    assert parts_of(values)[13:] == read
    assert parts_of(["17.05.1989", None, "31.12.2000", "01.03.1971"])[13:] == read
    quarters = parts_of([f"2020-{month:02d}-01" for month in range(1, 13)])[18]
    assert quarters == [str(quarter) for quarter in (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4)]


def test_parts_of_numbers():
    values = ["1234", "-7", None, "19.5"]
    breadths = [
        ["1234", "-8", "", "18"],
        ["1230", "-10", "", "15"],
        ["1230", "-10", "", "10"],
        ["1220", "-20", "", "0"],
        ["1225", "-25", "", "0"],
        ["1200", "-50", "", "0"],
        ["1200", "-100", "", "0"],
        ["1000", "-1000", "", "0"],
    ]
    rests = [["0", "1", "", "1"], ["4", "3", "", "9"]]
    assert parts_of(values)[13:] == [*breadths, *rests]


def test_what_is_a_number():
    nine = [str(one) for one in range(9)]
    assert numbers_of([*nine, "x"])[:9].tolist() == list(range(9))
    assert np.isnan(numbers_of([*nine, "x"])[9])
    assert numbers_of([*nine, "x", "y"]) is None
    assert numbers_of([*nine, "x", None, " "]) is not None  # of those that are there nine in ten
    assert numbers_of([]) is None
    assert numbers_of([None, " "]) is None
    assert numbers_of([" 5 ", "-5"]).tolist() == [5, -5]
    big = numbers_of([*nine, "1e15"])
    assert np.isnan(big[9])
    assert numbers_of([*nine, "-999999999999999"])[9] == -999999999999999
    assert np.isnan(numbers_of([*nine, "-1e15"])[9])
    assert np.isnan(numbers_of([*nine, "inf"])[9])
    assert numbers_of(["inf", "nan", "inf"]) is None
    assert numbers_of(["01069", "99999"]) is None  # codes


def test_numbers_among_many_other_values():
    def read(values):
        return [None if np.isnan(one) else float(one) for one in amounts_of(values)]

    assert read(["31", None, "x", "y", " 007"]) == [31, None, None, None, 7]
    assert read(["1.2.1990", "x", "y", None, "31.12.2001"]) == [1990, None, None, None, 2001]
    assert read(["1990-05-17", "x", "5"]) == [None, None, 5]  # as many are numbers
    assert read(["1990-05-17", "1991-05-17", "x", "5"]) == [1990, 1991, None, None]
    assert read([]) == []
    assert read(["1", "2"]) == [1, 2]


def test_the_number_of_a_date_is_its_year():
    found = numbers_of(["1990-05-17", None, "2001-01-01"])
    assert found[[0, 2]].tolist() == [1990, 2001]
    assert np.isnan(found[1])
    assert numbers_of(["a", "b"]) is None


def test_what_is_a_date():
    nine = [f"{day}.10.2020" for day in range(11, 20)]
    assert numbers_of(nine).tolist() == [2020] * 9
    assert np.isnan(numbers_of([*nine, "never"])[9])
    assert numbers_of([*nine, "never", "ever"]) is None
    assert numbers_of([*nine, "never", "", None]) is not None
    assert numbers_of(["1990-5-17"]) is None
    assert numbers_of(["199x-05-17"]) is None
    assert numbers_of(["1990-05-17T12:00:00+02:00", "1991-05-17"]).tolist() == [1990, 1991]
    assert numbers_of(["x" * 8, "1990-05-17"]) is None


@pytest.mark.parametrize("many", [19, 20, 39, 40, 41, 500])
def test_one_value_that_is_no_date_does_not_hide_the_others(many):
    for place in (0, many // 2, many):
        days = [f"{1 + one % 28:02d}.10.2020" for one in range(many)]
        days.insert(place, "never")
        assert np.isnan(numbers_of(days)).sum() == 1


@pytest.mark.parametrize("odd", [4, 400])
def test_dates_are_looked_at_in_all_values(odd):
    """Few of many are probed; what fits these alone is no date."""
    many = [f"{1 + one % 28:02d}.{1 + one % 12:02d}.2020" for one in range(4000)]
    for place in range(odd):
        many[10 * place + 1] = "never"
    found = numbers_of(many)
    assert np.isnan(found).sum() == odd
    many[2] = many[12] = "never"
    assert (numbers_of(many) is None) is (odd == 400)


def test_values_are_in_the_order_of_what_they_say():
    assert order_of(["10", "9", None, "100", "9"]).tolist() == [2, 1, 0, 3, 1]
    assert order_of(["1.2.2020", "3.1.2020", None, "1.2.2020"]).tolist() == [2, 1, 0, 2]
    assert order_of(["b", "A ", None, "C", "a"]).tolist() == [2, 1, 0, 3, 1]
    assert order_of(["2020-02-03", "2020-02-01", "1999-12-31"]).tolist() == [2, 1, 0]
