"""Built hierarchies: each level says what its label suggests, and no label above the leaves is an original."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import HierarchyError
from shoal.data import Column
from shoal.hierarchy import files
from shoal.hierarchy.labels import _round_cuts, leaves_of, refuse_lookalikes
from shoal.hierarchy.rules import build, dates, fanout, flat

TEXTS = st.lists(st.text("ab1", max_size=4), min_size=1, max_size=12)
NUMBERS = st.lists(
    st.one_of(st.integers(-99, 99), st.decimals(-9, 9, places=2), st.integers(1 - 10**9, 10**9 - 1)).map(str),
    min_size=1,
    max_size=20,
)


def published(tree, level):
    """By leaf, the label it has on one level."""
    return {leaf: tree.labels[level][tree.up[code, level]] for code, leaf in enumerate(tree.leaves)}


def bounds(label):
    low, high = label.removeprefix("[").removesuffix(")").split(", ")
    return Fraction(low), Fraction(high)


@given(TEXTS, st.sampled_from(["left", "right"]))
def test_a_mask_keeps_one_character_less_on_each_level(values, side):
    tree = build("x", {"mask": side}, values)
    width = max(map(len, values))
    assert tree.height == max(width, 1)
    for level in range(1, tree.height):
        for value, label in published(tree, level).items():
            keep = width - level
            kept, rest = (value[:keep], label[keep:]) if side == "right" else (value[-keep:], label[:-keep])
            assert label == value if len(value) <= keep else kept in label and rest == "*" * level
    assert not tree.public
    assert not tree.ordered


@given(NUMBERS, st.sampled_from([[10], [5, 10, 50], [0.5, 2], [Decimal("0.1"), 1, 1000], [10**6, 10**9]]))
def test_ranges_hold_their_values_and_start_at_multiples(values, widths):
    tree = build("x", {"ranges": widths}, values)
    assert tree.height == len(widths) + 1
    for level, width in enumerate(widths, start=1):
        step = Fraction(str(width))
        for value, label in published(tree, level).items():
            low, high = bounds(label)
            assert low <= Fraction(value) < high
            assert high - low == step
            assert low % step == 0
    assert [Fraction(leaf) for leaf in tree.leaves] == sorted(Fraction(leaf) for leaf in tree.leaves)
    assert tree.ordered
    assert not tree.public


def test_ranges_are_exact_and_spell_numbers_plainly():
    tree = build("x", {"ranges": [0.1, 1]}, ["0.3", "-0.25", "1e2", None])
    assert tree.labels[1] == ("[-0.3, -0.2)", "[0.3, 0.4)", "[100, 100.1)", "*")
    assert tree.labels[2] == ("[-1, 0)", "[0, 1)", "[100, 101)", "*")


@given(st.lists(st.dates(date(1890, 1, 1)).map(str), min_size=1, max_size=10))
def test_dates_fall_under_their_unit(values):
    tree = build("x", {"dates": ["day", "month", "quarter", "year", "decade"]}, values)
    for code, leaf in enumerate(tree.leaves):
        day, month, quarter, year, decade = (tree.labels[n][tree.up[code, n]] for n in range(1, 6))
        assert (day, month, year, decade) == (leaf, leaf[:7], leaf[:4], f"{leaf[:3]}0s")
        assert quarter == f"{leaf[:4]}-Q{(int(leaf[5:7]) - 1) // 3 + 1}"
    assert list(tree.leaves) == sorted(tree.leaves)
    assert tree.ordered
    assert not tree.public


def test_weeks_and_times():
    tree = build(
        "x", {"dates": ["day", "week"]}, ["2021-01-03T23:59:59+02:00", "2021-01-04 00:00:00", "2020-12-28"]
    )
    assert tree.labels[1] == ("2020-12-28", "2021-01-03", "2021-01-04", "*")
    assert tree.labels[2] == ("2020-W53", "2021-W01", "*")


@settings(max_examples=300)
@given(NUMBERS, st.integers(2, 6))
def test_number_groups_hold_their_values_within_round_bounds(values, size):
    tree = fanout("x", size, values)
    numbers = sorted({Fraction(value) for value in values})
    assert tree.ordered
    assert not tree.public
    for level in range(1, tree.height):
        inside = {}
        for value, label in published(tree, level).items():
            low, high = bounds(label)
            assert low <= Fraction(value) < high
            inside.setdefault((low, high), set()).add(Fraction(value))
        spans = sorted(inside)
        assert all(a[1] == b[0] for a, b in pairwise(spans))
        if level == 1:
            assert all(len(group) <= size for group in inside.values())
    assert (tree.height > 1) == (len(numbers) > size)


@given(st.lists(st.integers(-99, 99), min_size=7, max_size=40, unique=True), st.integers(2, 6))
def test_bounds_lie_on_a_grid_coarser_than_the_numbers(values, size):
    tree = fanout("x", size, [str(value) for value in values])
    grid = 5 if size >= 5 else 2
    allowed = {n for n in range(-1000, 1000) if n % grid == 0 or n % 5 == 0}
    assert {cut for label in tree.labels[1][:-1] for cut in bounds(label)} <= allowed


@pytest.mark.parametrize(
    ("value", "low", "high"), [("123.45", 100, 200), ("100", 100, 150), ("-100", -200, Fraction(1, 50))]
)
def test_a_lonely_end_is_not_given_away(value, low, high):
    tree = fanout("x", 3, ["0.01", "0.02", "0.03", "0.04", "0.05", "0.06", value])
    assert bounds(published(tree, 1)[value]) == (low, high)


def test_outer_bounds_lie_no_farther_out_than_the_next_group_lies_in():
    assert _round_cuts([(10, 11), (14, 15), (90, 99)], 1) == [10, 14, 50, 100]
    assert _round_cuts([(-100, -91), (-16, -15), (-12, -11)], 1) == [-100, -50, -12, -10]
    assert _round_cuts([(11,), (90, 98)], 1) == [0, 50, 100]


@given(TEXTS.filter(lambda values: any(not value.isdigit() for value in values)), st.integers(2, 4))
def test_text_groups_have_ordinals_for_names(values, size):
    tree = fanout("x", size, values)
    order = sorted(set(values))
    assert list(tree.leaves) == order
    for level in range(1, tree.height):
        width = size**level
        count = -(-len(order) // width)
        assert published(tree, level) == {
            value: f"group {place // width + 1} of {count}" for place, value in enumerate(order)
        }
    assert size ** (tree.height - 1) < max(len(order), 2) <= size**tree.height
    assert not tree.ordered


def test_a_mapping_is_public_and_pads_short_branches():
    land = {"Europe": {"South": ["Italy", "Spain"], "North": ["Norway"]}, "Asia": ["Japan", 7, 2.0]}
    tree = build("land", land, ["Italy", None])
    assert tree.labels == (
        ("Italy", "Spain", "Norway", "Japan", "7", "2", "*"),
        ("South", "North", "Japan", "7", "2", "*"),
        ("Europe", "Asia", "*"),
        ("*",),
    )
    assert tree.public
    assert tree.missing is None


@pytest.mark.parametrize("gone", ["", None])
def test_a_mapping_may_name_the_missing_value(gone):
    tree = build("x", {"known": ["a", "b"], "unknown": [gone]}, [])
    assert tree.encode(Column.of("x", "quasi", [None, "b"])).tolist() == [2, 1]


def test_flat_is_values_and_root_in_an_order_of_their_own():
    tree = flat("x", ["b", None, "a", "b"])
    assert tree.labels == (("a", "b", "*"), ("*",))
    assert (tree.public, tree.ordered, tree.missing) == (False, False, None)


@given(NUMBERS, st.sampled_from([{"mask": "left"}, {"ranges": [10, 20]}, {"fanout": 2}]))
def test_built_trees_can_be_saved(tmp_path_factory, values, spec):
    tree = build("x", spec, values)
    path = tmp_path_factory.mktemp("built") / "x.csv"
    files.write(tree, path)
    assert files.read(path).labels == tree.labels


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"mask": "up"}, "mask hides from the 'right' or the 'left'"),
        ({"ranges": []}, "ranges needs widths above 0"),
        ({"ranges": [10, 0]}, "ranges needs widths above 0"),
        ({"ranges": [True]}, "ranges needs widths above 0"),
        ({"ranges": ["wide"]}, "ranges needs widths above 0"),
        ({"ranges": [10, 25]}, "25 is not a multiple of 10"),
        ({"ranges": [10, 10]}, "10 is not a multiple of 10"),
        ({"dates": []}, "dates takes units out of day, week, month"),
        ({"dates": ["fortnight"]}, "dates takes units out of day, week, month"),
        ({"dates": ["year", "month"]}, "a month is not made of whole years"),
        ({"dates": ["week", "month"]}, "a month is not made of whole weeks"),
        ({"dates": ["month", "month"]}, "a month is not made of whole months"),
        ({"fanout": 1}, "fanout=1; give a whole number of at least 2"),
        ({"fanout": True}, "fanout=True"),
        ({"fanout": 2.5}, "fanout is written as { fanout = 5 }"),
        ({"mask": "right", "fanout": 5}, "mask takes no 'fanout'; leave it out"),
        ({"maks": "right"}, "no rule 'maks'; did you mean 'mask'."),
        ({}, "exactly one of mask, ranges, dates, fanout"),
        ({"a": []}, "a group is neither a mapping nor a list of values, or is empty"),
        ({"a": [True]}, "neither text nor a number"),
        ({"a": ["x"], "b": ["x"]}, "row 2: the label of level 0 has two parents"),
        ({"a": ["x", "a"]}, "for two different sets of leaves"),
        ({"": ["x"]}, "an empty label stands above a value"),
        ({"ranges": [10], "top": 18, "bottom": 90}, "bottom=90 is not below top=18"),
        ({"ranges": [10], "top": "old"}, "top must be a number"),
        ({"ranges": [10], "bottom": True}, "bottom must be a number"),
        ({"ranges": [10], "tpo": 90}, "ranges takes no 'tpo'; did you mean 'top'"),
        ({"rnages": [10], "top": 90}, "no rule 'rnages'; did you mean 'ranges'"),
        ({"dates": ["yaer"]}, "did you mean 'year'"),
        ({"dates": {"format": "%d.%m.%Y"}}, "dates is written as"),
        (
            {"dates": {"format": "%d.%m.%Y", "level": ["year"]}},
            "dates takes no 'level'; did you mean 'levels'",
        ),
        ({"dates": {"format": "%Q", "levels": ["year"]}}, "the format of the dates cannot be read"),
        ({"dates": {"format": "%Y %Y", "levels": ["year"]}}, "the format of the dates cannot be read"),
        ({"dates": {"format": "%m.%Y", "levels": ["day"]}}, "does not include the day"),
        ({"dates": {"format": "%d.%m.", "levels": ["day"]}}, "does not include the year"),
        ({"fanout": 5, "numbers": "yes"}, "numbers must be true or false"),
    ],
)
def test_a_wrong_spec_is_refused(spec, message):
    with pytest.raises(HierarchyError, match=message):
        build("x", spec, ["1", "2"])


@pytest.mark.parametrize(
    ("spec", "what"), [({"ranges": [10]}, "numbers"), ({"dates": ["year"]}, "ISO dates")]
)
def test_values_that_do_not_parse_are_counted_and_never_named(spec, what):
    good = "2020-02-29" if "dates" in spec else "7"
    with pytest.raises(
        HierarchyError, match=f"2 of 3 distinct values are not {what}, the first is value 3"
    ) as error:
        build("x", spec, [good, None, "2021-02-29x", "NaN", "NaN"])
    assert error.value.value == ("2021-02-29x", "NaN")
    assert "NaN" not in str(error.value)


@pytest.mark.parametrize("spec", [{"mask": "right"}, {"ranges": [1]}, {"dates": ["day"]}, {"fanout": 2}])
def test_a_column_without_values_is_refused(spec):
    with pytest.raises(HierarchyError, match="no value to build from"):
        build("x", spec, [None, None])


def test_values_that_read_like_our_labels_are_refused():
    for make in (
        lambda v: flat("x", v),
        lambda v: build("x", {"fanout": 2}, v),
        lambda v: build("x", {"mask": "left"}, v),
    ):
        with pytest.raises(HierarchyError, match="1 of 3 distinct values read like a label with stars"):
            make(["a", "*", "b"])
    with pytest.raises(HierarchyError, match="read like a label with stars"):
        build("x", {"mask": "right"}, ["12*", "123"])
    assert flat("x", ["12*", "123"]).size == 2


def test_bounded_against_absurd_input():
    with pytest.raises(HierarchyError, match="the longest value has 33 characters"):
        build("x", {"mask": "right"}, ["a" * 33])
    with pytest.raises(HierarchyError, match="are not numbers"):
        build("x", {"ranges": [1]}, ["1e999999999"])
    deep: object = ["a"]
    for level in range(200):
        deep = {f"level {level}": deep}
    with pytest.raises(HierarchyError, match="more than 100 levels"):
        build("x", deep, [])


BOUNDS = st.tuples(st.integers(-50, 50), st.integers(1, 90)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(
    st.lists(st.integers(-120, 120).map(str), min_size=1, max_size=20),
    st.sampled_from([[10], [5, 10, 50], [7, 21]]),
    BOUNDS,
    st.sampled_from(["both", "top", "bottom"]),
)
def test_top_and_bottom_are_one_from_level_1_on_and_intervals_end_there(values, widths, ends, which):
    bottom, top = ends
    spec = {"top": top, "bottom": bottom} if which == "both" else {which: top if which == "top" else bottom}
    tree = build("x", {"ranges": widths, **spec}, values)
    for level in range(1, tree.height):
        for value, label in published(tree, level).items():
            if "top" in spec and int(value) >= top:
                assert label == f">= {top}"
            elif "bottom" in spec and int(value) < bottom:
                assert label == f"< {bottom}"
            else:
                low, high = bounds(label)
                assert low <= int(value) < high
                assert "top" not in spec or high <= top
                assert "bottom" not in spec or low >= bottom
    for label in {label for labels in tree.labels[1:-1] for label in labels} - {"*"}:
        assert set(leaves_of(label, tree).tolist()) == set(range(*tree.places[label]))
    refuse_lookalikes(tree)


def test_groups_may_have_the_names_of_rules():
    tree = build("x", {"dates": ["medjool"], "figs": ["black"]}, ["black"])
    assert tree.labels[1] == ("dates", "figs", "*")


@given(
    st.lists(st.dates(date(1900, 1, 1)), min_size=1),
    st.sampled_from(["%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%Y %j"]),
)
def test_dates_of_a_format_are_those_of_iso(days, format):
    written = {day.strftime(format) if day.year > 999 else day.isoformat(): day for day in days}
    tree = build("x", {"dates": {"format": format, "levels": ["month", "year"]}}, list(written))
    iso = build("x", {"dates": ["month", "year"]}, [day.isoformat() for day in written.values()])
    for level in (1, 2):
        own, other = published(tree, level), published(iso, level)
        assert {written[text].isoformat(): label for text, label in own.items()} == other
    assert tree.ordered


def test_dates_of_another_format_are_told_with_the_way_out():
    with pytest.raises(HierarchyError, match=r"are not ISO dates, .* say how they are written") as caught:
        build("x", {"dates": ["year"]}, ["31.12.1999"])
    assert "1999" not in str(caught.value)


CODES = [["01069", "99999"], ["4029357733", "4029357734"], ["+4930123456", "+4930123457"], ["007"]]


@pytest.mark.parametrize("values", CODES)
def test_codes_are_no_numbers_unless_said(values):
    with pytest.raises(HierarchyError, match=r"look like codes.* use mask, or add numbers = true") as caught:
        build("x", {"ranges": [10]}, values)
    assert not any(value in str(caught.value) for value in values)
    assert build("x", {"ranges": [10], "numbers": True}, values).ordered
    text = build("x", {"fanout": 2}, [*values, "12"])
    assert not text.ordered
    assert text.labels[-2][0] in ("*", "group 1 of 2", "group 1 of 1", values[0])
    assert build("x", {"fanout": 2, "numbers": True}, [*values, "12"]).ordered


@pytest.mark.parametrize("values", [["0", "0.5", "7"], ["-0.25", "3"], ["1400000000", "8", "60"], ["0"]])
def test_numbers_are_no_codes(values):
    assert build("x", {"ranges": [10]}, values).ordered


def test_years_of_two_digits_lie_in_one_hundred_or_are_asked_about():
    made = dates("born", ["year"], ["20.01.36", "03.08.03", "29.02.60"], "%d.%m.%y")
    assert made.labels[1] == ("1936", "1960", "2003", "*")
    with pytest.raises(HierarchyError, match="may be of either century"):
        dates("born", ["year"], [f"01.01.{year:02}" for year in range(100)], "%d.%m.%y")
    assert dates("day", ["year"], ["01.02.21", "29.02.24"], "%d.%m.%y").labels[1] == ("2021", "2024", "*")
