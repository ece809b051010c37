"""`bound` and its baselines: claims kept, truth kept, bounds kept, options that mean what they say."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mixed_cases
from claiming import claimed, kept
from shoal.algorithms.mixed.bound import MergedClusters, Plan, bound, knee, rfirst, tfirst, tradeoff
from shoal.algorithms.mixed.class_items import ItemRules
from shoal.algorithms.mixed.clusters import budget, default_start, merge
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets, Column, Mixed, Table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import fanout, ranges
from shoal.privacy import KKmAnonymity, make_claim
from shoal.utility import BasketCase, _table_losses, case_losses
from shoal.utility.table import ncp

law = settings(max_examples=25)
RULES = ("r", "t", "rt")
CLUSTERS = ("paper", "mstk")
WAYS = ("apriori", "pcta", "coat")


def rng():
    return np.random.default_rng(5)


def met(*data, delta, **options):
    """A result and its delta: the one asked for, or the smallest that can be met, as the error names it."""
    try:
        return claimed(bound, *data, delta=delta, rng=rng(), **options), delta
    except InfeasibleError as error:
        least = float(re.search(r"give delta=([\d.]+) or more", str(error))[1])
    assert least > delta
    return claimed(bound, *data, delta=least, rng=rng(), **options), least


def assert_kept(result, mixed, trees, items=None, weights=None):
    """The claim holds, nothing is untrue, and losses are as they are told."""
    released = result.release
    table = released.table
    assert kept(result.claim, mixed_cases.published(released, mixed.baskets.sensitive))
    assert mixed_cases.true(released, mixed, trees)
    assert table.rows.tolist() == list(range(mixed.n))
    exempt = mixed.baskets.sensitive if "l" in result.claim.as_dict() else ()
    weigh = None if weights is None else np.array([weights.get(item, 1) for item in mixed.baskets.values])
    alone = BasketCase(released.baskets, mixed.baskets, items, weigh, exempt=exempt)
    assert result.trace["ul"] == pytest.approx(case_losses(alone)["ul"])
    assert result.trace["table-ncp"] == pytest.approx(ncp(table, trees), abs=1e-8)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("start", CLUSTERS)
@settings(max_examples=50)
@given(
    case=mixed_cases.cases(),
    k=st.integers(1, 4),
    m=st.integers(1, 2),
    delta=st.sampled_from([0.3, 0.6, 1.0]),
    along=st.booleans(),
)
def test_a_bounded_table_keeps_its_claim_and_its_bound(rule, start, case, k, m, delta, along):
    """With a hierarchy items are generalized along it, without one they are united."""
    mixed, trees, items = case if along else (*case[:2], None)
    assume(mixed.n >= k)
    result, delta = met(mixed, trees, items, k=k, m=m, delta=delta, merge=rule, clusters=start)
    assert_kept(result, mixed, trees, items)
    assert ncp(result.release.table, trees) <= delta + 1e-8
    assert result.trace["classes"] == len(mixed_cases.classes(result.release))


@pytest.mark.parametrize("rule", RULES)
@law
@given(case=mixed_cases.cases(), k=st.integers(1, 4), delta=st.sampled_from([0.2, 0.5, 0.9]))
def test_bounded_items_keep_their_claim_and_their_bound(rule, case, k, delta):
    mixed, trees, items = case
    assume(mixed.n >= k)
    result, delta = met(mixed, trees, items, k=k, bound="items", delta=delta, merge=rule)
    assert_kept(result, mixed, trees, items)
    assert result.trace["ul"] <= delta


@pytest.mark.parametrize("which", ["table", "items"])
@pytest.mark.parametrize("way", WAYS)
@law
@given(case=mixed_cases.cases(sensitive=True), k=st.integers(1, 3), l=st.integers(1, 3))
def test_diversity_is_kept(which, way, case, k, l):
    mixed, trees, items = case
    assume(mixed.n >= k)
    result = claimed(bound, mixed, trees, items, k=k, l=l, bound=which, delta=1, items=way, rng=rng())
    assert_kept(result, mixed, trees, items if way == "apriori" else None)
    secret = set(mixed.baskets.sensitive)
    assert all(
        len(form) == 1 or not form & secret for row in mixed_cases.baskets(result.release) for form in row
    )


@pytest.mark.parametrize("loss", ["dm", "c_avg"])
@pytest.mark.parametrize("rule", RULES)
@law
@given(case=mixed_cases.cases(), k=st.integers(1, 4), delta=st.sampled_from([0.3, 0.6, 1.0]))
def test_the_table_may_lose_by_the_sizes_of_its_classes(loss, rule, case, k, delta):
    mixed, trees, items = case
    assume(mixed.n >= k)
    result, delta = met(mixed, trees, items, k=k, delta=delta, merge=rule, loss=loss)
    assert_kept(result, mixed, trees, items)
    found = _table_losses(result.release.table, trees, k=k)
    share = found["dm"] / mixed.n**2 if loss == "dm" else found["c_avg"] * k / mixed.n
    told, written = result.trace[f"table-{loss}"], round(mixed.n / (found["c_avg"] * k))
    assert told <= delta + 1e-8
    if written == result.trace["classes"]:
        assert told == pytest.approx(share, abs=1e-9)
    else:  # classes that are written alike are one to whoever counts them
        assert written < result.trace["classes"]
        assert told < share


@pytest.mark.parametrize("way", ["pcta", "coat"])
@law
@given(
    case=mixed_cases.cases(sensitive=True),
    k=st.integers(1, 3),
    l=st.sampled_from([None, 2]),
    wards=st.lists(st.integers(-1, 1), min_size=5, max_size=5),
    suppress=st.sampled_from([0.0, 0.3, 0.9]),
)
def test_items_unite_only_as_utility_says(way, case, k, l, wards, suppress):
    mixed, trees, _ = case
    assume(mixed.n >= k)
    there = set(mixed.baskets.values)
    lists = [
        [i for i, w in zip(mixed_cases.ITEMS, wards, strict=True) if w == ward and i in there]
        for ward in (0, 1)
    ]
    utility = [items for items in lists if items]
    weights = {item: 0.5 for item in mixed.baskets.values[:2]}
    options = {"items": way, "utility": utility, "suppress": suppress, "weights": weights}
    try:
        result = claimed(bound, mixed, trees, k=k, l=l, delta=1, rng=rng(), **options)
    except InfeasibleError:  # there is a test of it by itself
        return
    assert_kept(result, mixed, trees, weights=weights)
    allowed = [{mixed.baskets.values.index(item) for item in items} for items in utility]
    for row in mixed_cases.baskets(result.release):
        assert all(len(form) == 1 or any(form <= ward for ward in allowed) for form in row)


def people(ages, baskets, sensitive=()):
    table = Table((Column.of("age", "quasi", ages),))
    return Mixed(table, Baskets.of("items", baskets, sensitive))


AGES = {
    "age": Hierarchy.from_paths(
        "age", [["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3-4", "*"], ["4", "3-4", "*"]]
    )
}
FOOD = Hierarchy.from_paths("items", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])


def test_a_class_with_too_few_baskets_is_merged_where_the_bound_allows():
    mixed = people(["1", "1", "2", "2"], [["a"], [], ["a"], []])
    merged = claimed(bound, mixed, AGES, FOOD, k=2, delta=0.5, rng=rng()).release
    assert merged.baskets.suppressed == 0
    assert mixed_cases.classes(merged) == {frozenset(range(4))}
    unmerged = claimed(bound, mixed, AGES, FOOD, k=2, delta=0.4, rng=rng())
    assert unmerged.release.baskets.suppressed == 2
    assert unmerged.trace["ul"] == 0.5
    assert len(mixed_cases.classes(unmerged.release)) == 2
    assert_kept(unmerged, mixed, AGES, FOOD)


def test_bounded_items_are_not_left_out():
    mixed = people(["1", "1", "4", "4"], [["a"], [], ["a"], []])
    result = claimed(bound, mixed, AGES, FOOD, k=2, bound="items", delta=1, rng=rng())
    assert result.release.baskets.suppressed == 0
    assert result.release.table.forms[0].labels == ("*",)


def test_a_secret_too_frequent_in_a_class_is_merged_or_left_out():
    mixed = people(["1", "1", "2", "2"], [["a", "d"], ["a"], ["a"], ["a"]], sensitive="d")
    merged = claimed(bound, mixed, AGES, FOOD, k=2, l=3, delta=1, rng=rng())
    assert len(mixed_cases.classes(merged.release)) == 1
    assert merged.release.baskets.suppressed == 0
    unmerged = claimed(bound, mixed, AGES, FOOD, k=2, l=3, delta=0, rng=rng())
    assert unmerged.release.baskets.suppressed == 1
    assert_kept(unmerged, mixed, AGES, FOOD)


def test_all_items_sensitive():
    mixed = people(["1"] * 3, [["c"], ["d"], []], sensitive="cd")
    result = claimed(bound, mixed, AGES, FOOD, k=3, l=3, delta=0, rng=rng())
    assert result.release.baskets.suppressed == 0
    assert result.trace["ul"] == 0
    assert_kept(result, mixed, AGES, FOOD)


def test_no_record_has_items():
    mixed = people(["1", "1", "3"], [[], [], []])
    result = claimed(bound, mixed, AGES, FOOD, k=3, delta=1, rng=rng())
    assert result.trace["ul"] == 0
    assert result.release.baskets.start.tolist() == [0, 0, 0, 0]
    assert_kept(result, mixed, AGES, FOOD)


def test_a_constant_quasi_identifier_costs_nothing():
    mixed = people(["1"] * 5, [["a"], ["b"], ["a"], ["b"], ["c", "d"]])
    result = claimed(bound, mixed, AGES, FOOD, k=2, delta=0, rng=rng())
    assert result.trace["classes"] == 1  # clusters that are published alike are one
    assert_kept(result, mixed, AGES, FOOD)


def test_delta_that_cannot_be_met_names_the_one_that_can():
    mixed = people(["1", "2", "3", "4"], [["a"], ["b"], ["c"], ["d"]])
    with pytest.raises(InfeasibleError, match=r"give delta=0\.5000 or more"):
        claimed(bound, mixed, AGES, FOOD, k=2, delta=0.2, clusters="mstk")
    assert claimed(bound, mixed, AGES, FOOD, k=2, delta=0.5, clusters="mstk")
    with pytest.raises(InfeasibleError, match=r"give delta=1\.0000 or more"):
        claimed(bound, mixed, AGES, FOOD, k=4, bound="items", delta=0.5, rng=rng())


@pytest.mark.parametrize(
    ("n", "k", "height", "start"),
    [(26_854, 25, 6, "mstk"), (131_780, 100, 15, "paper"), (131_780, 2, 15, "mstk"), (1_000, 5, 40, "paper")],
)
def test_clusters_begin_the_likely_way(n, k, height, start):
    paths = [
        [str(leaf), *(f"{leaf // 2**level}/{level}" for level in range(1, height)), "*"] for leaf in range(4)
    ]
    tree = Hierarchy.from_paths("age", paths)
    assert default_start(n, k, dict.fromkeys("abcd", tree)) == start


def test_the_trace_tells_how_clusters_began():
    mixed = people(["1", "2", "3", "4"], [["a"]] * 4)
    assert claimed(bound, mixed, AGES, FOOD, k=2).trace["start"] == "mstk"
    assert claimed(bound, mixed, AGES, FOOD, k=2, clusters="paper", rng=rng()).trace["start"] == "paper"
    assert claimed(rfirst, mixed, AGES, FOOD, k=2, clusters="kmember").trace["start"] == "kmember"


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), "all", None])
def test_delta_outside_its_range_is_refused(wrong):
    with pytest.raises(InputError, match="delta="):
        claimed(bound, people(["1"], [["a"]]), AGES, FOOD, k=1, delta=wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"bound": "both"},
        {"merge": "x"},
        {"clusters": "x"},
        {"items": "x"},
        {"loss": "glm"},
        {"utility": [["a"]], "items": "apriori"},
        {"suppress": 0.1, "items": "apriori"},
        {"suppress": 1.5, "items": "coat"},
        {"utility": [["a"], ["a"]], "items": "coat"},
        {"weights": {"a": 2}},
        {"weights": {"nothing": 1}},
        {"nearness": "x"},
        {"k": 0},
        {"m": 0},
        {"l": 2},
    ],
)
def test_options_that_mean_nothing_are_refused(wrong):
    options = {"k": 1, **wrong}
    with pytest.raises(InputError, match=next(iter(wrong))):
        claimed(bound, people(["1"], [["a"]]), AGES, FOOD, **options)


def test_parts_make_sense():
    with pytest.raises(InputError, match="parts=0"):
        claimed(tfirst, people(["1"], [["a"]]), AGES, FOOD, k=1, parts=0)


def test_items_without_a_hierarchy_are_united_or_get_one():
    mixed = people(["1"] * 4, [["a"], ["b"], ["y"], ["z"]])
    united = claimed(bound, mixed, AGES, k=2, delta=0, rng=rng())
    assert_kept(united, mixed, AGES)
    assert united.release.baskets.forms.labels == (None, None)
    result = claimed(bound, mixed, AGES, k=2, delta=0, items="apriori", rng=rng())
    assert_kept(result, mixed, AGES, fanout("items", 5, mixed.baskets.values))


def test_ranges_are_written_where_they_are_asked_for():
    tree = Hierarchy.from_paths("age", [[str(age), "*"] for age in range(10, 100)], ordered=True)
    mixed = people(["19", "22", "55", "70"], [["a"], ["a"], ["b"], ["b"]])
    result = claimed(bound, mixed, {"age": tree}, FOOD, k=2, delta=0.2, recode="span", rng=rng())
    assert_kept(result, mixed, {"age": tree}, FOOD)
    assert result.trace["table-ncp"] == pytest.approx((3 + 15) / 2 / 89)


def test_built_ranges_of_numbers():
    tree = ranges("age", [10, 40], ["19", "22", "55", "70", "99"])
    mixed = people(["19", "22", "55", "70"], [["a"], ["a"], ["b"], ["b"]])
    result = claimed(bound, mixed, {"age": tree}, FOOD, k=2, delta=1, rng=rng())
    assert_kept(result, mixed, {"age": tree}, FOOD)


def test_a_sweep_is_a_front_of_releases():
    random = np.random.default_rng(0)
    ages = random.integers(1, 5, 60).astype(str).tolist()
    mixed = people(ages, [random.choice(list("abcd"), 2).tolist() for _ in range(60)])
    front = tradeoff(mixed, AGES, make_claim("mixed", k=3), FOOD, rng=rng())
    losses = [(point.ncp, point.ul) for point in front.points]
    assert losses == sorted(losses)
    assert [ul for _, ul in losses] == sorted({ul for _, ul in losses}, reverse=True)
    for point in front.points:
        result = front.release(point)
        assert_kept(result, mixed, AGES, FOOD)
        assert ncp(result.release.table, AGES) == pytest.approx(point.ncp, abs=1e-8)
        assert result.trace["ul"] == point.ul
        assert len(mixed_cases.classes(result.release)) == point.classes
    assert front.pick(1) == front.points[-1]
    assert front.pick(front.points[0].ncp) == front.points[0]
    assert front.as_dict()["front"][0]["table-ncp"] == front.points[0].ncp
    with pytest.raises(InfeasibleError, match="no point of the trade-off"):
        replace(front, bound="items").pick(-1)
    assert replace(front, bound="items").pick(1) == front.points[0]
    assert replace(front, bound="items").pick(front.points[-1].ul) == front.points[-1]


def test_merging_on_is_taken_back_where_it_does_not_help_the_items():
    mixed = people(["1", "1", "2", "2"], [["c", "d"], ["c", "d"], ["b", "d"], ["d"]])
    plan = Plan.of(
        "bound", mixed, AGES, KKmAnonymity(2, 2), FOOD, rules=ItemRules(), recode="hierarchy", grid=None
    )
    made = MergedClusters(plan, merge(plan.clusters("mstk", None), "r", plan.need, budget("ncp", 1, mixed.n)))
    assert [made.ul(steps) for steps in range(len(made.merges) + 1)] == pytest.approx([5 / 6, 1])
    claim = make_claim("mixed", k=2)
    assert bound(mixed, AGES, claim, FOOD, delta=1).trace["merges"] == 0
    onward = bound(mixed, AGES, claim, FOOD, delta=1, look_back=False)
    assert (onward.trace["merges"], onward.trace["ul"]) == (1, 1)
    assert [(p.merges, p.ul) for p in tradeoff(mixed, AGES, claim, FOOD).points] == [
        (0, pytest.approx(5 / 6))
    ]
    every = tradeoff(mixed, AGES, claim, FOOD, look_back=False)
    assert [(p.merges, p.ul) for p in every.points] == [(0, pytest.approx(5 / 6)), (1, 1)]
    assert every.pick(1).merges == 1  # as the paper merges on
    assert replace(every, bound="items").pick(0.9).merges == 0
    assert knee(every.points).merges == 0


def test_a_class_that_utility_leaves_no_way_is_passed_over_where_merges_help():
    mixed = people(["1", "1", "2", "2"], [["a"], ["b"], ["a"], ["b"]])
    claim = make_claim("mixed", k=2)
    options = {"items": "coat", "utility": [["a"], ["b"]], "merge": "r"}
    with pytest.raises(InfeasibleError, match="unions that utility allows, 1 item occurrences more"):
        bound(mixed, AGES, claim, delta=0, **options)
    result = bound(mixed, AGES, claim, delta=1, **options)
    assert result.trace["classes"] == 1
    assert result.release.baskets.forms.labels == ("a", "b")
    assert bound(mixed, AGES, claim, delta=1, bound="items", **options).trace["classes"] == 1
    assert [point.classes for point in tradeoff(mixed, AGES, claim, **options).points] == [1]
    with pytest.raises(InfeasibleError, match="unions that utility allows"):
        tradeoff(mixed, AGES, make_claim("mixed", k=3), **options)
    with pytest.raises(InfeasibleError, match="unions that utility allows"):
        bound(mixed, AGES, make_claim("mixed", k=3), bound="items", delta=1, **options)


def test_weights_steer_unions_and_the_loss():
    mixed = people(["1"] * 4, [["a", "c"], ["b", "c"], ["c", "d"], ["c", "d"]])
    claim = make_claim("mixed", k=2, m=1)
    plain = bound(mixed, AGES, claim, delta=0)
    light = bound(mixed, AGES, claim, delta=0, weights={"a": 0, "b": 0, "c": 0})
    assert plain.trace["ul"] == pytest.approx((2 * (3 + 1) / 7 + 2 * 2 / 3) / 4)
    assert light.trace["ul"] == pytest.approx(2 * (1 / 3) / 4)  # of the last two, d alone counts
    assert_kept(light, mixed, AGES, weights={"a": 0, "b": 0, "c": 0})
    along = bound(mixed, AGES, claim, FOOD, delta=0, weights={"a": 0.5})
    assert along.trace["ul"] == pytest.approx((2 * (3 * 0.75 + 1) / 7 + 2 * 2 / 3) / 4)


YEARS = {"age": ranges("age", [5, 10, 20], [str(age) for age in range(1, 41)])}


def shoppers(n):
    random = np.random.default_rng(2)
    held = [[item for item in "abcd" if random.random() < 0.4] for _ in range(n)]
    return people([str(age) for age in random.integers(1, 41, n)], held)


def test_without_delta_the_knee_of_the_trade_off_is_released():
    mixed = shoppers(120)
    front = tradeoff(mixed, YEARS, make_claim("mixed", k=3), FOOD, rng=rng())
    first, last = front.points[0], front.points[-1]
    below = {
        (first.ncp - p.ncp) / (last.ncp - first.ncp) + (first.ul - p.ul) / (first.ul - last.ul): p
        for p in reversed(front.points)
    }
    result = bound(mixed, YEARS, make_claim("mixed", k=3), FOOD, rng=rng())
    assert len(front.points) > 2
    assert result.trace["merges"] == below[max(below)].merges
    assert result.trace["knee"] == pytest.approx(result.trace["table-ncp"])
    assert_kept(result, mixed, YEARS, FOOD)


def test_of_many_records_the_knee_is_found_on_a_sample(monkeypatch):
    monkeypatch.setattr("shoal.algorithms.mixed.bound._SAMPLE", 60)
    mixed = shoppers(120)
    result = bound(mixed, YEARS, make_claim("mixed", k=3), FOOD, rng=rng())
    assert result.trace["sample"] == 60
    assert result.trace["table-ncp"] <= result.trace["knee"] + 1e-9
    assert_kept(result, mixed, YEARS, FOOD)
