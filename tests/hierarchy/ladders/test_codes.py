"""Codes by prefix, dates by the calendar, and what values are."""

import re
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.ladders.codes import code_ladder
from shoal.hierarchy.ladders.dates import date_ladder
from shoal.hierarchy.ladders.kinds import kind_of

CODES = st.sets(st.from_regex(r"[A-C][0-9]{1,3}(\.[0-9])?", fullmatch=True), min_size=3, max_size=60)


@given(CODES)
def test_codes_under_one_label_share_what_it_shows(codes):
    made = code_ladder("icd", sorted(codes))
    if made is None:
        return
    for level in range(1, made.height):
        for code, leaf in enumerate(made.leaves):
            shown = made.labels[level][made.up[code, level]].rstrip("*")
            assert leaf.startswith(shown)


def test_leading_zeros_are_kept_and_codes_of_one_length_keep_it():
    made = code_ladder("zip", ["01067", "01069", "01097", "80331", "80333", "80469"])
    assert made.labels[-2] == ("01***", "80***", "*")
    assert made.leaves[0] == "01067"


def test_a_code_and_its_subcodes_are_one_group():
    made = code_ladder("icd", ["E11", "E11.9", "E11.0", "I10", "I10.1", "J45"])
    assert made.labels[1] == ("E11", "E11.*", "I10", "I10.*", "J45", "*")
    assert {"E11*", "I10*"} <= set(made.labels[2])


def test_codes_in_two_parts_are_cut_between_them():
    made = code_ladder("postcode", ["SW1A 2AB", "SW1A 1AA", "SW10 0AB", "DN55 1PT", "DN5 7XY", "DN55 2PT"])
    assert made.labels[1:-1] == (("DN5 *", "DN55 *", "SW10 *", "SW1A *", "*"), ("DN*", "SW*", "*"))


def test_dates_skip_units_that_join_nothing():
    made = date_ladder("day", ["2020-01-01", "2020-02-01", "2020-07-01", "2021-01-05"], np.full(4, 30))
    assert [labels[0] for labels in made.labels[1:-1]] == ["2020-Q1", "2020"]


@given(
    st.dictionaries(st.dates(date(1900, 1, 1), date(2030, 1, 1)), st.integers(1, 60), min_size=2, max_size=60)
)
def test_spans_of_years_hold_their_dates(held):
    days = sorted(held)
    made = date_ladder("day", [day.isoformat() for day in days], np.array([held[day] for day in days]))
    if made is None:
        return
    for code, day in enumerate(days):
        for level in range(1, made.height):
            label = made.labels[level][made.up[code, level]]
            year = int(re.search(r"[0-9]{4}", label)[0])
            if label.startswith("before"):
                assert day.year < year
            elif label.endswith("later"):
                assert day.year >= year
            elif " to " in label:
                assert year <= day.year <= int(label[-4:])
            elif label.endswith("s"):
                assert year <= day.year < year + 10
            else:
                assert day.year == year


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["17", "42.5", "-3"], "number"),
        (["01067", "80331"], "code"),
        (["E11.9", "I10", "J45"], "code"),
        (["31.12.1999", "05.03.2020"], "date"),
        (["12/31/1999", "03/05/2020"], "date"),
        (["2020-01-01T10:00:00", "2021-05-05T00:00:00"], "date"),
        (["1999", "2004"], "number"),
        (["red", "green"], "word"),
        (["nurse 1st class", "mason"], "word"),
    ],
)
def test_what_values_are(values, kind):
    assert kind_of(values).name == kind
