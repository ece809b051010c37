"""Guesses are counted as whoever makes them one by one would, and what chance gives is no rule."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.risks.dependencies import (
    _guess_from_equal,
    _guess_from_neighbours,
    _is_rule,
    _list_value_parts,
    _parse_amounts,
    _parse_numbers,
    _spelling_key,
    goodman_kruskal_lambda,
    rank_values,
)

CODES = st.sampled_from([0, 1, 2, 3, 70, 700_000_000])
ROWS = st.lists(st.tuples(CODES, st.integers(0, 5), st.integers(0, 2), st.integers(1, 4)), max_size=40)


def columns(rows):
    """The parts of all rows as columns."""
    return tuple(np.array([row[place] for row in rows], dtype=np.int64) for place in range(4))


@given(ROWS, st.booleans(), st.booleans())
def test_lambda_is_that_of_the_records_that_rows_stand_for(rows, counted, below):
    told, given_, _, counts = columns(rows)
    told = told - 5 if below else told
    records = [
        (int(t), int(g))
        for t, g, many in zip(told, given_, counts, strict=True)
        for _ in range(int(many) if counted else 1)
    ]
    held = Counter(t for t, _ in records)
    blind = len(records) - max(held.values(), default=0)
    right = sum(max(Counter(t for t, g in records if g == one).values()) for one in {g for _, g in records})
    expected = 1 - (len(records) - right) / blind if blind else 0.0
    for one, other in ((told, given_), (told, given_ * 10_000_000), (told, given_ - 2)):
        assert goodman_kruskal_lambda(one, other, counts if counted else None) == pytest.approx(expected)


@given(ROWS)
def test_each_is_guessed_from_the_others_of_the_group(rows):
    _, cells, groups, _ = columns(rows)
    right, guessed = 0.0, []
    for i, cell in enumerate(cells.tolist()):
        others = Counter(cells[j] for j in range(len(cells)) if j != i and groups[j] == groups[i])
        own, best = others.pop(cell, 0), max(others.values(), default=0)
        if own or best:
            right += (own > best) + 0.5 * (own == best)
            guessed.append(cell)
    blind = max(Counter(guessed).values(), default=0)
    assert _guess_from_equal(groups)(cells) == (right, blind, len(guessed))
    assert _guess_from_equal(groups * 1000 + 7)(cells) == (right, blind, len(guessed))


@given(ROWS.filter(bool), st.booleans())
def test_each_is_guessed_from_those_next_in_the_order(rows, grouped):
    order, cells, groups, _ = columns(rows)
    line = sorted(range(len(rows)), key=lambda i: (grouped and groups[i], order[i], i))
    right, guessed = 0.0, 0
    for place, i in enumerate(line):
        beside = [line[at] for at in (place - 1, place + 1) if 0 <= at < len(line)]
        near = [j for j in beside if not grouped or groups[i] == groups[j]]
        right += sum(cells[i] == cells[j] for j in near) / max(len(near), 1)
        guessed += bool(near)
    blind = max(Counter(cells.tolist()).values())
    found = _guess_from_neighbours(order, groups if grouped else None)(cells)
    assert found == (pytest.approx(right), blind, guessed)


def judged(right, blind, all_of_them, dealt, sure=0.8):
    """Whether so many right guesses are a rule, where each time that cells are dealt out so many are right."""
    codes, deals = np.arange(40), iter(dealt)

    def guess(cells):
        if (cells == codes).all():
            return right, blind, all_of_them
        assert sorted(cells.tolist()) == codes.tolist()
        return next(deals), blind, all_of_them

    found = _is_rule(guess, codes, sure)
    assert found is True or found is False
    assert next(deals, None) is None or not found
    return found


def test_a_rule_avoids_so_many_wrong_guesses():
    assert judged(36.0, 20.0, 40.0, [0.0] * 20)
    assert not judged(35.9, 20.0, 40.0, [0.0] * 20)
    assert judged(20.0 + 0.5 * 20, 20.0, 40.0, [0.0] * 20, sure=0.5)


def test_few_wrong_guesses_are_no_rule():
    assert judged(40.0, 35.0, 40.0, [0.0] * 20)
    assert not judged(40.0, 35.5, 40.0, [0.0] * 20)


def test_a_rule_is_far_beyond_what_cells_dealt_out_anew_give():
    assert judged(40.0, 20.0, 40.0, [35.0] * 20)
    assert not judged(40.0, 20.0, 40.0, [35.1] * 20)
    assert judged(40.0, 20.0, 40.0, [28.0, 32.0] * 10)  # 30 on average, give or take 2
    assert not judged(40.0, 20.0, 40.0, [28.0, 32.2] * 10)


# What is read off values, each way of it by hand.


def test_a_part_and_a_cell_that_say_the_same_are_spelled_alike():
    assert {_spelling_key(text) for text in ("5", "05", " 5", "5.0", "005")} == {"5"}
    assert {_spelling_key(text) for text in ("0", "00", "000", "0.0")} == {"0"}
    assert _spelling_key(None) == _spelling_key("") == ""
    assert _spelling_key("X7") == "x7"
    assert _spelling_key("50") == "50"


LETTERS = [["a", "", "f"], ["ab", "", "f"], ["ab-", "", "f"], ["ab-c", "", "f"], ["ab-cd", "", "f"]]
ENDINGS = [["f", "", "f"], ["ef", "", "f"], ["_ef", "", "f"], ["d_ef", "", "f"], ["cd_ef", "", "f"]]


def test_parts_of_texts():
    """Up to five letters of either end, the first and the last word, and the length."""
    words = [["ab", "", "f"], ["ef", "", "f"]]
    assert _list_value_parts([" ab-cd_ef ", None, "f"]) == [*LETTERS, *ENDINGS, *words, ["8", "0", "1"]]


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
    assert _list_value_parts(values)[13:] == read
    assert _list_value_parts(["17.05.1989", None, "31.12.2000", "01.03.1971"])[13:] == read
    quarters = _list_value_parts([f"2020-{month:02d}-01" for month in range(1, 13)])[18]
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
    assert _list_value_parts(values)[13:] == [*breadths, *rests]


def test_what_is_a_number():
    nine = [str(one) for one in range(9)]
    assert _parse_numbers([*nine, "x"])[:9].tolist() == list(range(9))
    assert np.isnan(_parse_numbers([*nine, "x"])[9])
    assert _parse_numbers([*nine, "x", "y"]) is None
    assert _parse_numbers([*nine, "x", None, " "]) is not None  # of those that are there nine in ten
    assert _parse_numbers([]) is None
    assert _parse_numbers([None, " "]) is None
    assert _parse_numbers([" 5 ", "-5"]).tolist() == [5, -5]
    big = _parse_numbers([*nine, "1e15"])
    assert np.isnan(big[9])
    assert _parse_numbers([*nine, "-999999999999999"])[9] == -999999999999999
    assert np.isnan(_parse_numbers([*nine, "-1e15"])[9])
    assert np.isnan(_parse_numbers([*nine, "inf"])[9])
    assert _parse_numbers(["inf", "nan", "inf"]) is None
    assert _parse_numbers(["01069", "99999"]) is None  # codes


def test_numbers_among_many_other_values():
    def read(values):
        return [None if np.isnan(one) else float(one) for one in _parse_amounts(values)]

    assert read(["31", None, "x", "y", " 007"]) == [31, None, None, None, 7]
    assert read(["1.2.1990", "x", "y", None, "31.12.2001"]) == [1990, None, None, None, 2001]
    assert read(["1990-05-17", "x", "5"]) == [None, None, 5]  # as many are numbers
    assert read(["1990-05-17", "1991-05-17", "x", "5"]) == [1990, 1991, None, None]
    assert read([]) == []
    assert read(["1", "2"]) == [1, 2]


def test_the_number_of_a_date_is_its_year():
    found = _parse_numbers(["1990-05-17", None, "2001-01-01"])
    assert found[[0, 2]].tolist() == [1990, 2001]
    assert np.isnan(found[1])
    assert _parse_numbers(["a", "b"]) is None


def test_what_is_a_date():
    nine = [f"{day}.10.2020" for day in range(11, 20)]
    assert _parse_numbers(nine).tolist() == [2020] * 9
    assert np.isnan(_parse_numbers([*nine, "never"])[9])
    assert _parse_numbers([*nine, "never", "ever"]) is None
    assert _parse_numbers([*nine, "never", "", None]) is not None
    assert _parse_numbers(["1990-5-17"]) is None
    assert _parse_numbers(["199x-05-17"]) is None
    assert _parse_numbers(["1990-05-17T12:00:00+02:00", "1991-05-17"]).tolist() == [1990, 1991]
    assert _parse_numbers(["x" * 8, "1990-05-17"]) is None


@pytest.mark.parametrize("many", [19, 20, 39, 40, 41, 500])
def test_one_value_that_is_no_date_does_not_hide_the_others(many):
    for place in (0, many // 2, many):
        days = [f"{1 + one % 28:02d}.10.2020" for one in range(many)]
        days.insert(place, "never")
        assert np.isnan(_parse_numbers(days)).sum() == 1


@pytest.mark.parametrize("odd", [4, 400])
def test_dates_are_looked_at_in_all_values(odd):
    """Few of many are probed; what fits these alone is no date."""
    many = [f"{1 + one % 28:02d}.{1 + one % 12:02d}.2020" for one in range(4000)]
    for place in range(odd):
        many[10 * place + 1] = "never"
    found = _parse_numbers(many)
    assert np.isnan(found).sum() == odd
    many[2] = many[12] = "never"
    assert (_parse_numbers(many) is None) is (odd == 400)


def test_values_are_in_the_order_of_what_they_say():
    assert rank_values(["10", "9", None, "100", "9"]).tolist() == [2, 1, 0, 3, 1]
    assert rank_values(["1.2.2020", "3.1.2020", None, "1.2.2020"]).tolist() == [2, 1, 0, 2]
    assert rank_values(["b", "A ", None, "C", "a"]).tolist() == [2, 1, 0, 3, 1]
    assert rank_values(["2020-02-03", "2020-02-01", "1999-12-31"]).tolist() == [2, 1, 0]
