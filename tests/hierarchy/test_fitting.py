"""The rule that fits a column which has none."""

import warnings

import polars as pl
import pytest

import shoal
from shoal.errors import HierarchyError, ShoalWarning
from shoal.hierarchy.build import build
from shoal.hierarchy.fitting import fitting_rule, wants_groups

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
            "hierarchy = { ranges = [10, 100] }, with what is no number in missing",
        ),
        ([f"{n},5" for n in range(20)], 'decimal = "," in [data] and hierarchy = { ranges = [10, 100] }'),
        (TOWNS, ""),
        (["f", "m", None], None),
        (["01", "02", "03", "04", "05"], None),
        ([None, None], None),
    ],
)
def test_what_fits(values, rule):
    assert fitting_rule(values) == rule


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
    assert "'zip': hierarchy = { mask" in said
    assert "'born': hierarchy = { dates" in said
    assert "'town': a hierarchy file, or groups of values" in said
    assert "sex" not in said
    assert "age" not in said
    assert not any(value in said for value in [*ZIPS, *BORN, *TOWNS])
    assert data.hierarchies["zip"].height == 1
    rules = {"zip": {"mask": "right"}, "born": {"fanout": 5}, "town": {"fanout": 5}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.read(frame, roles=roles, hierarchies=rules)


def test_ranges_of_codes_ask():
    with pytest.raises(HierarchyError, match="look like codes"):
        shoal.read(pl.DataFrame({"zip": ZIPS}), roles={"zip": "quasi"}, hierarchies={"zip": {"ranges": [10]}})
