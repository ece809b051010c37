"""What values are, the rule that fits them, and the hierarchies that people would have built by hand."""

import re
import warnings
from datetime import date
from decimal import Decimal
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.base.errors import ShoalWarning
from shoal.hierarchy.column_values import sort_bands
from shoal.hierarchy.labels import _find_roundest, number_classes, spell_number
from shoal.hierarchy.rules import build
from shoal.hierarchy.suggest import (
    NAMED,
    code_hierarchy,
    date_hierarchy,
    kind_of,
    number_hierarchy,
    suggest_rule,
    wants_groups,
    word_hierarchy,
)

ZIPS = [f"{code:05}" for code in range(1069, 1089)]
BORN = [f"{day:02}.{1 + day % 12:02}.{1950 + day}" for day in range(1, 21)]
TOWNS = [f"{a}{b}burg" for a in ("Ham", "Lim", "Mar", "Frei") for b in ("", "e", "i", "o", "u")]


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        (ZIPS, 'hierarchy = { mask = "right" }'),
        ([f"40293577{n}" for n in range(10, 30)], 'hierarchy = { mask = "right" }'),
        ([f"E{n}.{n % 10}" for n in range(10, 30)], 'hierarchy = { mask = "right" }'),
        (["SW1A 1AA", "EC1A 1BB", "W1A 0AX", "M1 1AE"], 'hierarchy = { mask = "right" }'),
        ([f"1990-03-{day:02}" for day in range(1, 20)], 'hierarchy = { dates = ["month", "year"] }'),
        (BORN, 'hierarchy = { dates = { format = "%d.%m.%Y", levels = ["month", "year"] } }'),
        (
            ["01/02/1990", "03/04/1991", "05/06/1992", "07/08/1993"],
            'hierarchy = { dates = { format = "%d/%m/%Y", levels = ["month", "year"] } } (or %m/%d/%Y)',
        ),
        (
            [*map(str, range(20)), "over 90"],
            "hierarchy = { ranges = [10, 100] }, with whatever is not a number listed in missing",
        ),
        ([f"{n},5" for n in range(20)], 'decimal = "," in [data] and hierarchy = { ranges = [10, 100] }'),
        (TOWNS, ""),
        (["f", "m", None], None),
        (["01", "02", "03", "04", "05"], None),
        ([None, None], None),
    ],
)
def test_what_fits(values, rule):
    assert suggest_rule(values) == rule


def test_groups_of_numbers_are_for_numbers():
    assert wants_groups([str(n) for n in range(20)])
    assert not wants_groups(ZIPS)
    assert not wants_groups([str(4029357700 + n) for n in range(20)])
    assert not wants_groups(["1", "2"])


def test_the_suggested_rules_work():
    assert build("zip", {"mask": "right"}, ZIPS).height == 5
    assert build("born", {"dates": {"format": "%d.%m.%Y", "levels": ["month", "year"]}}, BORN).height == 3


def test_all_columns_without_a_rule_are_told_at_once_and_none_of_their_values():
    frame = pl.DataFrame(
        {"zip": ZIPS, "born": BORN, "town": TOWNS, "sex": ["f", "m"] * 10, "age": list(range(20))}
    )
    roles = dict.fromkeys(frame.columns, "quasi")
    with pytest.warns(ShoalWarning) as told:
        data = shoal.read(frame, roles=roles)
    assert len(told) == 1
    said = str(told[0].message)
    assert "'zip': hierarchies={...: {'mask'" in said
    assert "'born': hierarchies={...: {'dates'" in said
    assert "'town': a hierarchy file, or groups of values" in said
    assert "sex" not in said
    assert "age" not in said
    assert not any(value in said for value in [*ZIPS, *BORN, *TOWNS])
    assert data.hierarchies["zip"].height == 1
    rules = {"zip": {"mask": "right"}, "born": {"fanout": 5}, "town": {"fanout": 5}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.read(frame, roles=roles, hierarchies=rules)


# Codes by prefix, dates by the calendar, and what values are.

CODES = st.sets(st.from_regex(r"[A-C][0-9]{1,3}(\.[0-9])?", fullmatch=True), min_size=3, max_size=60)


@given(CODES)
def test_codes_under_one_label_share_what_it_shows(codes):
    made = code_hierarchy("icd", sorted(codes))
    if made is None:
        return
    for level in range(1, made.height):
        for code, leaf in enumerate(made.leaves):
            shown = made.labels[level][made.up[code, level]].rstrip("*")
            assert leaf.startswith(shown)


def test_leading_zeros_are_kept_and_codes_of_one_length_keep_it():
    made = code_hierarchy("zip", ["01067", "01069", "01097", "80331", "80333", "80469"])
    assert made.labels[-2] == ("01***", "80***", "*")
    assert made.leaves[0] == "01067"


def test_a_code_and_its_subcodes_are_one_group():
    made = code_hierarchy("icd", ["E11", "E11.9", "E11.0", "I10", "I10.1", "J45"])
    assert made.labels[1] == ("E11", "E11.*", "I10", "I10.*", "J45", "*")
    assert {"E11*", "I10*"} <= set(made.labels[2])


def test_codes_in_two_parts_are_cut_between_them():
    made = code_hierarchy("postcode", ["SW1A 2AB", "SW1A 1AA", "SW10 0AB", "DN55 1PT", "DN5 7XY", "DN55 2PT"])
    assert made.labels[1:-1] == (("DN5 *", "DN55 *", "SW10 *", "SW1A *", "*"), ("DN*", "SW*", "*"))


def test_a_day_beside_moments_of_that_day_is_no_group():
    moments = ["2020-01-05", "2020-01-05 10:30:00", "2020-01-06", "2020-02-07", "2020-02-08 09:00:00"]
    hierarchy = date_hierarchy("admitted", moments, np.full(5, 30))
    assert hierarchy.labels[1] == ("2020-01", "2020-02", "*")


def test_dates_skip_units_that_join_nothing():
    made = date_hierarchy("day", ["2020-01-01", "2020-02-01", "2020-07-01", "2021-01-05"], np.full(4, 30))
    assert [labels[0] for labels in made.labels[1:-1]] == ["2020-Q1", "2020"]


@given(
    st.dictionaries(st.dates(date(1900, 1, 1), date(2030, 1, 1)), st.integers(1, 60), min_size=2, max_size=60)
)
def test_spans_of_years_hold_their_dates(held):
    days = sorted(held)
    made = date_hierarchy("day", [day.isoformat() for day in days], np.array([held[day] for day in days]))
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
        (["SW1A 2AB", "EH1 1YZ", "G1 1AA"], "code"),
        (["09 Bayern", "05 NRW", "11 Berlin"], "word"),
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


# Ages and amounts in round steps: nested, round, with open classes at the ends.

NUMBERS = st.dictionaries(
    st.decimals(-10_000, 1_000_000, places=2), st.integers(1, 500), min_size=4, max_size=80
)


@given(NUMBERS)
def test_every_level_joins_classes_of_the_one_below_and_every_number_lies_within_its_label(held):
    values = sorted(held)
    made = number_hierarchy("x", [spell_number(v) for v in values], np.array([held[v] for v in values]))
    if made is None:
        return
    for level in range(1, made.height):
        assert 1 < len(made.labels[level]) <= len(made.labels[level - 1])
    assert made.leaves == tuple(spell_number(v) for v in values)
    assert not made.public
    for code, value in enumerate(values):
        for level in range(1, made.height):
            label = made.labels[level][made.up[code, level]]
            assert _holds(label, value), (label, value)


def _holds(label, value):
    if label.startswith(">= "):
        return value >= Decimal(label[3:])
    if label.startswith("< "):
        return value < Decimal(label[2:])
    low, high = label[1:-1].split(", ")
    return Decimal(low) <= value < Decimal(high)


@given(NUMBERS)
def test_bounds_of_a_level_are_among_those_of_the_level_below(held):
    values = sorted(held)
    levels = number_classes(values, np.array([held[v] for v in values]))
    for fine, coarse in pairwise(levels):
        assert set(coarse[1:-1]) <= set(fine)


@given(st.decimals(-1000, 1000, places=3), st.decimals(-1000, 1000, places=3))
def test_the_roundest_number_lies_above_the_one_and_not_above_the_other(a, b):
    low, high = sorted((a, b))
    if low < high:
        assert low < _find_roundest(low, high) <= high


def test_ages_come_in_five_year_steps_with_a_top_class():
    rng = np.random.default_rng(4)
    ages, held = np.unique(np.clip(rng.normal(45, 18, 5000), 0, 104).astype(int), return_counts=True)
    made = number_hierarchy("age", [str(age) for age in ages], held)
    assert made.labels[1][:3] == ("[0, 5)", "[5, 10)", "[10, 15)")
    assert made.labels[1][-2].startswith(">= ")
    assert made.labels[2][:3] == ("[0, 10)", "[10, 20)", "[20, 30)")
    people = np.bincount(made.up[:-1, 3], held)
    assert people.max() < 2.5 * people.min(), "above steps of ten years, classes hold about as many people"


def test_amounts_that_few_have_come_by_quantile_with_round_bounds():
    rng = np.random.default_rng(5)
    amounts, held = np.unique(
        np.r_[np.zeros(3000), rng.lognormal(10, 1, 9000)].astype(int), return_counts=True
    )
    made = number_hierarchy("income", [str(amount) for amount in amounts], held)
    people = np.bincount(made.up[:-1, 1], held)
    assert 10 <= len(people) <= 16
    assert people.max() < 0.3 * held.sum()
    bounds = {int(end) for label in made.labels[1][:-1] for end in label.strip("[)>=< ").split(", ")}
    assert all(bound % 100 == 0 for bound in bounds)


def test_three_numbers_need_no_ladder():
    assert number_hierarchy("x", ["1", "2", "3"], np.array([5, 5, 5])) is None


# Groups of words: a label names only values that at least twenty people hold.

WORDS = st.dictionaries(
    st.text("abcdefghij klm", min_size=1, max_size=8).map(str.strip).filter(bool),
    st.integers(1, 60),
    min_size=2,
    max_size=60,
)


@given(WORDS)
def test_every_value_is_there_levels_grow_and_labels_name_only_what_many_people_hold(held):
    made = word_hierarchy("x", list(held), np.array(list(held.values())))
    assert set(made.leaves) == set(held)
    sizes = [len(labels) for labels in made.labels]
    assert sizes == sorted(sizes, reverse=True)
    rare = {value for value in held if held[value] < NAMED}
    for level in range(1, made.height):
        for label in set(made.labels[level]) - {"*"}:
            if not label.startswith("rare values"):
                assert not rare & set(re.split(r", | or | to | and others$", label))


@given(WORDS, st.sets(st.integers(0, 59)))
def test_labels_tell_nothing_of_rare_values(held, gone):
    """Without some of the rare values, what is published of the other values has the same labels."""
    rare = sorted(value for value in held if held[value] < NAMED)
    if len(rare) <= 3:
        return
    left = {value: many for place, value in enumerate(rare) if place not in gone for many in [held[value]]}
    if not 3 < len(left) or _parts(len(left)) != _parts(len(rare)):
        return
    kept = {value: held[value] for value in held if held[value] >= NAMED or value in left}
    whole, part = (word_hierarchy("x", list(one), np.array(list(one.values()))) for one in (held, kept))
    for value in kept:
        assert set(_path(part, value)) <= set(_path(whole, value))


def _parts(count):
    return next((parts for parts in (1, 2, 4, 13) if count <= 8 * parts), 13)


def _path(hierarchy, leaf):
    code = hierarchy.leaves.index(leaf)
    return [hierarchy.labels[level][hierarchy.up[code, level]] for level in range(hierarchy.height + 1)]


def test_rare_values_are_told_by_fixed_parts_of_the_alphabet():
    towns = (
        {"Berlin": 300}
        | {f"{letter}town {i}": 2 for letter in "ABMZ" for i in range(4)}
        | {"Öhring": 1, "东京": 1}
    )
    made = word_hierarchy("town", list(towns), np.array(list(towns.values())))
    assert set(made.labels[1]) == {
        "Berlin",
        "rare values, A to G",
        "rare values, H to M",
        "rare values, N to T",
        "rare values, U to Z",
        "rare values, other signs",
        "*",
    }


@pytest.mark.parametrize(
    "bands",
    [
        ["Under 5", "5 to 9", "10 to 14", "90 and over"],
        ["moins de 20 ans", "20-39 ans", "80 ans et plus"],
        ["£0-£9,999", "£10,000-£19,999", "£40,000+"],
        ["< 5 km", "5-10 km", "> 20 km"],
        ["0", "1", "2", "3", "4 or more"],
    ],
)
def test_bands_with_open_ends_are_a_scale_and_no_codes(bands):
    assert kind_of(bands).name == "word"
    made = word_hierarchy("band", bands[::-1], np.full(len(bands), 30))
    assert made.ordered
    assert made.labels[0][: len(bands)] == tuple(bands)


@pytest.mark.parametrize(
    ("bands", "joined"),
    [
        (
            [
                "under 20",
                "20 to 29",
                "30 to 39",
                "40 to 49",
                "50 to 54",
                "55 to 59",
                "60 to 64",
                "65 and over",
            ],
            ["under 30", "30 to 54", "55 and over"],
        ),
        (["Unter 18", "18 bis 29", "30 bis 64", "65 Jahre und älter"], ["Unter 30", "30 Jahre und älter"]),
        (
            ["moins de 20 ans", "20-39 ans", "40-59 ans", "60 ans et plus"],
            ["moins de 40 ans", "40 ans et plus"],
        ),
        (["hasta 17", "18 a 29", "30 a 64", "65 o más"], ["hasta 29", "30 o más"]),
        (["£0-£9,999", "£10,000-£19,999", "£20,000-£39,999", "£40,000+"], ["£0-£19,999", "£20,000+"]),
        (["< 5 km", "5-10 km", "10-20 km", "> 20 km"], ["< 10 km", "> 10 km"]),
        (["<5,000", "5,000-9,999", "10,000-14,999", "15,000+"], ["<5,000 to 5,000-9,999", "10,000+"]),
        (["0", "1", "2", "3", "4 or more"], ["0 to 1", "2 to 4 or more"]),
    ],
)
def test_bands_together_are_named_by_their_ends(bands, joined):
    made = word_hierarchy("band", bands, np.full(len(bands), 30))
    assert list(made.labels[1][:-1]) == joined


def test_codes_with_a_stroke_are_no_bands():
    assert kind_of(["12-345", "12-111", "13-222", "14-100"]).name == "code"


@pytest.mark.parametrize(
    "odd", [".", ",", "...", "1" + " " * 15_000 + "x", "1 -" + " " * 15_000 + "x", "1," * 15_000 + "x"]
)
def test_what_is_no_band_is_told_so_at_once(odd):
    assert sort_bands([odd, "1 to 2", "3 to 4", "5+"]) is None
    assert kind_of([odd, "1 to 2", "3 to 4", "5+"]).name in ("word", "code")
