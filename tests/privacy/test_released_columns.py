"""What cells are read as: labels, numbers in them, and forms in columns of many values."""

from decimal import Decimal
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preset_cases import NEVER_YES, NO, WELL_KEPT
from shoal.base.naming import resource_table
from shoal.privacy.presets import ReleasedCells, check_preset
from shoal.privacy.released_columns import (
    ReleasedColumn,
    _list_named_values,
    _plain_text,
    find_spans,
    list_ages,
    list_forms,
)

SPANS = [
    ("90 and over", [(90, inf)]),
    ("90 und älter", [(90, inf)]),
    ("90 ans et plus", [(90, inf)]),
    ("90岁以上", [(90, inf)]),
    ("older than 89", [(90, inf)]),
    ("aged 90 and over", [(90, inf)]),
    ("=> 90", [(90, inf)]),
    ("under 18", [(-inf, 18)]),
    ("85 to 94", [(85, 95)]),
    ("85 bis 94 Jahre", [(85, 95)]),
    ("[85, 94]", [(85, 95)]),
    ("90s", [(90, 91)]),
    ("1930s", [(1930, 1940)]),
    ("89.67", [(89.67, 90.67)]),
    ("-9", [(-9, -8)]),
    ("elderly", []),
]


@pytest.mark.parametrize(("text", "spans"), SPANS)
def test_the_numbers_of_a_label_are_read_with_their_ends(text, spans):
    assert [tuple(map(pytest.approx, span)) for span in find_spans(text)] == spans


@given(st.integers(0, 120), st.integers(1, 40))
def test_every_way_to_write_a_range_is_one_range(low, width):
    high = low + width
    forms = [
        f"[{low}, {high})",
        f"[{low}, {high - 1}]",
        f"{low}-{high - 1}",
        f"{low} to {high - 1}",
        f"{low} – {high - 1}",
    ]
    assert {tuple(find_spans(_plain_text(form))) for form in forms} == {((low, high),)}


@given(st.integers(0, 10**12))
def test_a_whole_number_is_one_value_in_every_writing(number):
    writings = [
        f"{number}",
        f"{number}.0",
        f"{number}.",
        f">= {number}",
        f"{Decimal(number):E}".replace("E", "e"),
    ]
    assert {value for text in writings for value in _list_named_values(text)} == {str(number)}


def test_a_unit_of_age_stands_behind_its_number():
    assert list(list_ages("92 J., 1092 Monate")) == [(Decimal(92), "year"), (Decimal(1092), "month")]
    assert list(list_ages("92 kg in 3 bags")) == []


def cases():
    """Every column of the tables of cases."""
    tables = [*NO.values(), *NEVER_YES.values(), WELL_KEPT]
    return [case for table in tables for case in table]


def test_what_is_found_does_not_hang_on_the_order_of_cells():
    for column, cells in cases():
        shuffled = Random(1).sample(cells, len(cells))
        found = [
            [(one.rule.name, one.verdict, one.found) for one in check_preset("hipaa-safe-harbor", released)]
            for released in (
                ReleasedCells({column: dict.fromkeys(some, 9)}, {column: "plain"}, (), 2026)
                for some in (cells, shuffled)
            )
        ]
        assert found[0] == found[1], column


def found_in(cells, rule):
    released = ReleasedCells({"x": dict.fromkeys(cells, 3)}, {"x": "plain"}, (), 2026)
    return next(one.verdict for one in check_preset("hipaa-safe-harbor", released) if one.rule.name == rule)


def test_one_cell_among_thousands_is_found_where_its_form_is_certain():
    words = [
        f"{first}{second}{third}" for first in "abcdefgh" for second in "aeiou" for third in "klmnprst"
    ] * 9
    words = [f"{word}{place // 320}" for place, word in enumerate(words)]
    for rule, cell in (("mail", "anna@example.org"), ("dates", "2024-05-17"), ("phone", "+49 170 1234567")):
        assert found_in(words, rule) == "yes"
        assert found_in([*words, cell], rule) == "no"


@pytest.mark.parametrize(("share", "verdict"), [(0.7, "no"), (0.4, "cannot be told"), (0.1, "yes")])
def test_a_share_of_many_values_decides_as_of_few(share, verdict):
    for many in (40, 4000):
        dates = [
            f"20{year:02d}{month:02d}{day:02d}"
            for year in range(30)
            for month in range(1, 13)
            for day in range(1, 29)
        ]
        others = [f"{place}.5" for place in range(many)]
        cells = [*dates[: round(share * many)], *others[: many - round(share * many)]]
        assert found_in(cells, "dates") == verdict


def test_every_form_belongs_to_a_rule_and_finds_something():
    rules = {row["rule"] for row in resource_table("shoal.privacy", "safe_harbor.toml")["form"]}
    columns = [ReleasedColumn(name, "plain", dict.fromkeys(cells, 3)) for name, cells in cases()]
    silent = [
        (rule, form.what, form.regex.pattern[:40])
        for rule in rules
        for form in list_forms(rule)
        if not any(form.verdict(column) for column in columns)
    ]
    assert silent == []
