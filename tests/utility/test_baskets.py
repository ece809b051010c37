from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import itemset_cases
import naive_itemsets as naive
from shoal.algorithms.itemsets.item_cuts import apply_cut
from shoal.algorithms.itemsets.pcta import apply_groups
from shoal.base.errors import InputError
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.release import PublishedValues, RecodedBaskets, VotedBaskets
from shoal.utility import BasketCase, case_losses
from shoal.utility.baskets import (
    _find_covering_forms,
    form_sizes,
    ncp_items,
    ncp_published,
    support_bounds,
    ul,
    ul_coat,
    vote_support_bounds,
)
from shoal.utility.queries import Query, are

ITEMS = itemset_cases.ITEMS
rows = st.lists(st.sets(st.sampled_from(ITEMS), max_size=5), min_size=1, max_size=8)
groupings = st.lists(st.integers(-1, 3), min_size=len(ITEMS), max_size=len(ITEMS))


def grouped(lists, grouping):
    """Items of one number are published together, those of -1 left out."""
    baskets = Baskets.of("items", [*lists, ITEMS])
    lists = [[item for item, g in zip(ITEMS, grouping, strict=True) if g == number] for number in range(4)]
    gone = [item for item, g in zip(ITEMS, grouping, strict=True) if g == -1]
    return baskets, apply_groups(baskets, [group for group in lists if group], gone)


def sizes_by_row(release, baskets):
    return [[len(form) for form in row] for row in itemset_cases.published(release, baskets)]


@given(rows, groupings)
@settings(max_examples=60)
def test_ncp_of_both_kinds_from_their_definitions(lists, grouping):
    baskets, release = grouped(lists, grouping)
    sizes, domain = form_sizes(release.forms), len(ITEMS)
    original = [
        [next((len(form) for form in forms if item in form), None) for item in basket]
        for basket, forms in zip(
            itemset_cases.baskets(baskets), itemset_cases.published(release, baskets), strict=True
        )
    ]
    gone = sum(size is None for row in original for size in row)
    kept = [[size for size in row if size is not None] for row in original]
    assert ncp_items(release, baskets, sizes, domain) == pytest.approx(float(naive.ncp(kept, domain, gone)))
    shown = naive.ncp(sizes_by_row(release, baskets), domain, release.suppressed)
    assert ncp_published(release, sizes, domain) == pytest.approx(float(shown))
    assert release.suppressed == gone


@given(rows, groupings, st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=6, max_size=6))
@settings(max_examples=60)
def test_both_utility_losses_from_their_definitions(lists, grouping, weight):
    assume(-1 not in grouping)
    baskets, release = grouped(lists, grouping)
    sizes, domain = form_sizes(release.forms), len(ITEMS)
    by_item = dict(zip(ITEMS, weight, strict=True))
    weights = [
        [sum(Fraction(by_item[item]) for item in form) / len(form) for form in row]
        for row in itemset_cases.published(release, baskets)
    ]
    given_weights = np.array([by_item[value] for value in baskets.values])
    expected = naive.utility_loss(sizes_by_row(release, baskets), weights)
    assert ul(release, sizes, domain, weights=given_weights) == pytest.approx(float(expected))
    expected = naive.constraint_loss(sizes_by_row(release, baskets), weights, domain)
    assert ul_coat(release, sizes, domain, weights=given_weights) == pytest.approx(float(expected))


def one_form(size, alone=True):
    """One record that publishes a set of `size` items, and beside it a single one unless `alone`."""
    forms = PublishedValues((None, "x"), np.array([0, size, size + 1]), np.arange(size + 1, dtype=np.int32))
    held = np.array([0] if alone else [0, 1], dtype=np.int32)
    return RecodedBaskets(forms, np.array([0, len(held)]), held, np.array([0]), 1)


@pytest.mark.parametrize("size", [1, 2, 63, 64, 1023, 1024, 5000])
def test_utility_loss_does_not_overflow(size):
    both = naive.utility_loss([[size, 1]], [[1, 1]])
    alone, beside = one_form(size), one_form(size, alone=False)
    assert ul(alone, form_sizes(alone.forms), size + 1) == 1
    assert ul(beside, form_sizes(beside.forms), size + 1) == pytest.approx(float(both), rel=1e-12)
    paid = ul_coat(beside, form_sizes(beside.forms), size + 1)
    assert paid == pytest.approx(float(naive.constraint_loss([[size, 1]], [[1, 1]], size + 1)), rel=1e-12)


def test_an_untouched_record_has_utility_loss_all_the_same():
    """s items of size 1: s / (2^s - 1). The paper's form is not 0 for what was not touched."""
    baskets = Baskets.of("items", [["a", "b", "c"]])
    release = itemset_cases.untouched(baskets)
    assert ul(release, form_sizes(release.forms), 3) == pytest.approx(3 / 7)
    assert ul_coat(release, form_sizes(release.forms), 3) == 0


def test_utility_loss_falls_as_items_are_generalized():
    """Erratum: the paper's form is 2/3 for two items as they are, 6/15 for two sets of two, 0.002 for two of ten."""
    found = []
    for size in (1, 2, 10):
        forms = PublishedValues(
            (None, None), np.array([0, size, 2 * size]), np.arange(2 * size, dtype=np.int32)
        )
        release = RecodedBaskets(forms, np.array([0, 2]), np.array([0, 1], dtype=np.int32), np.array([0]), 1)
        found.append(ul(release, form_sizes(forms), 2 * size))
    assert found == pytest.approx([2 / 3, 6 / 15, 2 * 1023 / (2**20 - 1)])


def test_what_is_left_out_is_charged():
    baskets = Baskets.of("items", [["a", "b"], ["a"], ["b"]])
    release = apply_groups(baskets, [], ["b"])
    found = case_losses(BasketCase(release, baskets, queries=()))
    assert found["ncp"] == pytest.approx(2 / 4)
    # {a, lost}: (1 + 2^2 - 1) / (2^3 - 1); {a}: 1; {lost}: 1
    assert found["ul"] == pytest.approx((4 / 7 + 1 + 1) / 3)
    assert found["ul-coat"] == pytest.approx(2 / 3)
    assert "ul" not in case_losses(BasketCase(release, baskets).public())


def test_suppressed_records_are_charged_whole():
    baskets = Baskets.of("items", [["a"], ["b", "c"]])
    whole = itemset_cases.untouched(baskets)
    release = replace(whole, start=whole.start[:2], items=whole.items[:1], rows=whole.rows[:1])
    sizes = form_sizes(release.forms)
    assert ncp_items(release, baskets, sizes, 3) == pytest.approx(2 / 3)
    assert ul(release, sizes, 3) == 1


def test_exempt_items_are_not_counted():
    baskets = Baskets.of("items", [["a", "s"], ["b", "s"]], sensitive=["s"])
    release = apply_groups(baskets, [["a", "b"]], exempt=True)
    found = case_losses(BasketCase(release, baskets, exempt=baskets.sensitive, queries=()))
    assert (found["ncp"], found["ncp-published"]) == pytest.approx((2 / 3, 2 / 3))
    assert found["ul"] == 1


def test_sizes_are_leaves_of_the_whole_hierarchy():
    tree = Hierarchy.from_paths("i", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"], ["d", "d", "*"]])
    baskets = Baskets.of("items", [["a", "c"], ["s"]], sensitive=["s"])
    release = apply_cut(baskets, tree, {"a": "ab"}, exempt=True)
    assert dict(zip(release.forms.labels, form_sizes(release.forms, tree).tolist(), strict=True)) == {
        "ab": 2,
        "c": 1,
        "s": 1,
    }
    assert form_sizes(release.forms).tolist() == [1, 1, 1]
    assert case_losses(BasketCase(release, baskets, tree).public())["ncp-published"] == pytest.approx(
        (2 / 4) / 3
    )


def test_each_item_finds_its_form_also_when_rows_are_moved():
    baskets = Baskets.of("items", [["a", "b"], ["c"], ["b"]])
    whole = apply_groups(baskets, [["a", "c"]], ["b"])
    moved = RecodedBaskets(
        whole.forms, np.array([0, 1, 1, 2]), np.array([0, 0], dtype=np.int32), np.array([1, 2, 0]), 3, 2
    )
    assert _find_covering_forms(moved, baskets).tolist() == [0, -1, 0, -1]


def test_nothing_published_loses_nothing():
    baskets = Baskets.of("items", [[], []])
    release = itemset_cases.untouched(baskets)
    sizes = form_sizes(release.forms)
    assert (
        ncp_items(release, baskets, sizes, 1)
        == ncp_published(release, sizes, 1)
        == ul(release, sizes, 1)
        == 0
    )
    assert _find_covering_forms(release, baskets).tolist() == []
    assert "are" not in case_losses(BasketCase(release, baskets))


@given(rows, groupings)
@settings(max_examples=60)
def test_counts_of_items_are_off_by_what_single_queries_are(lists, grouping):
    baskets, release = grouped(lists, grouping)
    sizes = form_sizes(release.forms)
    there = sorted({baskets.values[code] for code in baskets.items.tolist()})
    found = case_losses(BasketCase(release, baskets)).get("are-items")
    if not there:
        assert found is None
    else:
        wanted = are([Query((item,)) for item in there], baskets, release, sizes=sizes)
        assert found == pytest.approx(wanted)


def test_weights_must_be_shares():
    release = one_form(2)
    for weight in (-0.1, 1.5, np.nan):
        with pytest.raises(InputError, match="from 0 to 1"):
            ul(release, form_sizes(release.forms), 3, weights=np.full(3, weight))


FEW_ITEMS = "abcd"


@st.composite
def releases(draw):
    """Baskets, and a release of some of them in which items stand for groups or are left out."""
    lists = draw(st.lists(st.sets(st.sampled_from(FEW_ITEMS)), min_size=1, max_size=6))
    group = {item: draw(st.integers(0, 3)) for item in FEW_ITEMS}
    gone = draw(st.sets(st.sampled_from(FEW_ITEMS), max_size=1))
    kept = [row for row in range(len(lists)) if draw(st.booleans())]
    names = sorted({g for item, g in group.items() if item not in gone})
    members = [
        [i for i, item in enumerate(FEW_ITEMS) if item not in gone and group[item] == g] for g in names
    ]
    rows = [sorted({names.index(group[item]) for item in lists[row] - gone}) for row in kept]
    release = RecodedBaskets(
        PublishedValues.of_sets([None] * len(names), [np.array(m, dtype=np.int32) for m in members]),
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        np.array([form for row in rows for form in row], dtype=np.int32),
        np.array(kept, dtype=np.int64),
        len(lists),
        sum(len(lists[row] & gone) for row in kept),
    )
    return lists, release, rows, members


@given(releases())
def test_true_supports_lie_between(case):
    lists, release, rows, members = case
    sizes = np.diff(release.forms.start)
    certain, possible = support_bounds(release, sizes, len(FEW_ITEMS))
    for code, item in enumerate(FEW_ITEMS):
        assert certain[code] <= sum(item in one for one in lists) <= possible[code]
        assert certain[code] == sum(any(members[form] == [code] for form in row) for row in rows)
    assert (possible <= len(lists)).all()


def test_a_form_that_may_be_an_item_nobody_has_is_not_certain():
    forms = PublishedValues.of_sets(["fruit"], [np.array([0], dtype=np.int32)])
    release = RecodedBaskets(forms, np.array([0, 1]), np.array([0], dtype=np.int32), np.array([0]), 1)
    assert support_bounds(release, np.array([1]), 1)[0].tolist() == [1]
    assert support_bounds(release, np.array([3]), 1)[0].tolist() == [0]


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3))),
        min_size=1,
        max_size=5,
    )
)
def test_votes_are_certain_where_nothing_is_uncertain(rows):
    shown = [sorted(one) for one, _, _ in rows]
    doubted = [sorted(two) for _, two, _ in rows]
    true = [one ^ (flips & two) for one, two, flips in rows]  # a possible world flips some uncertain items
    release = VotedBaskets(
        tuple(FEW_ITEMS),
        np.cumsum([0, *map(len, shown)], dtype=np.int64),
        np.array([i for row in shown for i in row], dtype=np.int32),
        np.cumsum([0, *map(len, doubted)], dtype=np.int64),
        np.array([i for row in doubted for i in row], dtype=np.int32),
        np.array([len(row) for row in doubted], dtype=np.int32),
        np.arange(len(rows)),
        len(rows),
    )
    certain, possible = vote_support_bounds(release, 4)
    for item in range(4):
        assert certain[item] <= sum(item in one for one in true) <= possible[item]
        assert certain[item] == sum(item in one and item not in two for one, two, _ in rows)


def test_untouched_baskets_tell_exactly():
    baskets = Baskets.of("items", [["a", "b"], ["a"]])
    forms = PublishedValues.of_sets(
        ["a", "b"], [np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)]
    )
    release = RecodedBaskets(forms, baskets.start, baskets.items, np.arange(2), 2)
    low, high = support_bounds(release, np.array([1, 1]), 2)
    assert low.tolist() == high.tolist() == [2, 1]
