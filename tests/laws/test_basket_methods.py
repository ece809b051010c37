"""Every method of k^m-anonymity under every law: parametrized from the table of methods."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import itemset_cases
import naive_itemsets as naive
from claiming import kept
from shoal.algorithms import METHODS, find_method
from shoal.algorithms.knobs import knobs
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.utility import BasketCase, case_losses

every_maker = pytest.mark.parametrize("name", itemset_cases.MAKERS)


def keeping(model):
    """The methods that keep a claim."""
    return [name for name in itemset_cases.MAKERS if model in METHODS[name].claims]


leaves_out = {name for name in itemset_cases.MAKERS if "suppress" in {knob.name for knob in knobs(name)}}
leaving_maker = pytest.mark.parametrize("name", sorted(leaves_out))
diverse_maker = pytest.mark.parametrize("name", keeping("l^m-diversity"))
listing_maker = pytest.mark.parametrize("name", keeping("k-anonymity of listed itemsets"))
COVERED = [
    (name, model)
    for model in ("k^m-anonymity", "l^m-diversity", "k-anonymity of listed itemsets")
    for name in keeping(model)
]
"""Which method stands under these laws with which claim."""
small = st.integers(1, 4)
law = settings(max_examples=25)

FLAT = Hierarchy.from_paths("items", [[item, "*"] for item in itemset_cases.ITEMS])


def attempt(name, baskets, tree, **options):
    """The result, or a discarded example where there is none."""
    try:
        return itemset_cases.make(find_method(name).load(), baskets, tree, **options)
    except InfeasibleError:
        assume(False)


def everything_fits(baskets):
    assume(len(baskets.items) > 0)


@every_maker
@given(itemset_cases.cases(), small, st.integers(1, 3))
@law
def test_the_claim_passes_its_judge_and_the_truth_holds(name, case, k, m):
    baskets, tree = case
    everything_fits(baskets)
    result = attempt(name, baskets, tree, k=k, m=m)
    assert result.claim.check(itemset_cases.seen(result.release, baskets))
    assert result.claim.as_dict()["k"] == k
    shown = itemset_cases.published(result.release, baskets)
    assert naive.truthful(itemset_cases.baskets(baskets), shown)
    assert not naive.rare([[tuple(sorted(form)) for form in row] for row in shown], k, m)
    assert result.release.suppressed == 0
    assert result.release.rows.tolist() == list(range(baskets.n))


@every_maker
@given(itemset_cases.cases(), small)
@law
def test_k_within_the_records_that_have_items_is_always_reached(name, case, k):
    baskets, tree = case
    some = int((np.diff(baskets.start) > 0).sum())
    if 0 < k <= some:
        assert itemset_cases.make(find_method(name).load(), baskets, tree, k=k, m=2)


@diverse_maker
@given(itemset_cases.cases(sensitive=True), small, st.integers(1, 3), st.integers(1, 2))
@law
def test_diversity_passes_its_judge_and_leaves_secrets_alone(name, case, k, l, m):
    baskets, tree = case
    result = attempt(name, baskets, tree, k=k, m=m, l=l)
    assert kept(result.claim, itemset_cases.seen(result.release, baskets))
    secret = {baskets.values[code] for code in baskets.sensitive}
    for basket, forms in zip(
        itemset_cases.baskets(baskets), itemset_cases.published(result.release, baskets), strict=True
    ):
        assert {item for form in forms if form & secret for item in form} == basket & secret
        assert all(len(form) == 1 for form in forms if form & secret)


@listing_maker
@given(
    itemset_cases.cases(),
    st.lists(st.sets(st.sampled_from(itemset_cases.ITEMS), min_size=1, max_size=3), min_size=1, max_size=3),
    st.integers(1, 3),
)
@law
def test_listed_itemsets_pass_their_judge_and_the_truth_holds(name, case, policy, k):
    baskets = Baskets.of("items", [*itemset_cases.baskets(case[0]), itemset_cases.ITEMS])  # all are there
    result = attempt(name, baskets, case[1], k=k, privacy=[sorted(part) for part in policy])
    assert result.claim.named == "k-anonymity of listed itemsets"
    assert result.claim.check(itemset_cases.seen(result.release, baskets))
    assert naive.truthful(itemset_cases.baskets(baskets), itemset_cases.published(result.release, baskets))


@leaving_maker
@given(itemset_cases.cases(), st.integers(2, 3), st.sampled_from([0.1, 0.4]))
@law
def test_what_is_left_out_stays_within_the_allowance(name, case, k, suppress):
    baskets, tree = case
    everything_fits(baskets)
    release = attempt(name, baskets, tree, k=k, m=2, suppress=suppress).release
    shown = itemset_cases.published(release, baskets)
    lost = sum(
        not any(item in form for form in forms)
        for basket, forms in zip(itemset_cases.baskets(baskets), shown, strict=True)
        for item in basket
    )
    assert lost == release.suppressed <= suppress * len(baskets.items)
    assert not naive.rare([[tuple(sorted(form)) for form in row] for row in shown], k, 2)


@every_maker
@given(itemset_cases.cases(), st.integers(1, 3), st.data())
@law
def test_shuffled_records_give_the_same_release_up_to_order(name, case, k, data):
    baskets, tree = case
    everything_fits(baskets)
    rows = itemset_cases.baskets(baskets)
    order = data.draw(st.permutations(range(baskets.n)))
    moved = Baskets.of("items", [rows[i] for i in order])
    pairs = []
    for one in (baskets, moved):
        release = attempt(name, one, tree, k=k, m=2).release
        shown = [sorted(map(sorted, forms)) for forms in itemset_cases.published(release, one)]
        pairs.append(sorted(zip(map(sorted, itemset_cases.baskets(one)), shown, strict=True)))
    assert pairs[0] == pairs[1]


@every_maker
@given(itemset_cases.cases())
@law
def test_inputs_stay_as_they_are(name, case):
    baskets, tree = case
    everything_fits(baskets)
    before = baskets.start.copy(), baskets.items.copy(), tree.up.copy()
    attempt(name, baskets, tree, k=2, m=2)
    assert (before[0] == baskets.start).all()
    assert (before[1] == baskets.items).all()
    assert (before[2] == tree.up).all()


@every_maker
@given(itemset_cases.cases(), st.integers(1, 3))
@law
def test_losses_stay_in_their_range(name, case, k):
    baskets, tree = case
    everything_fits(baskets)
    release = attempt(name, baskets, tree, k=k, m=2, suppress=0.3).release
    found = case_losses(
        BasketCase(release, baskets, tree if "cut" in release.rule or not release.rule else None)
    )
    assert all(0 <= found[loss] <= 1 for loss in ("ncp", "ncp-published", "ul"))
    assert found["ul-coat"] >= 0  # what is left out costs as much as all items, beside what is united
    assert found.get("are", 0) >= 0


@every_maker
def test_identical_records_lose_nothing(name):
    baskets = Baskets.of("items", [["a", "b", "c"]] * 4)
    release = itemset_cases.make(find_method(name).load(), baskets, FLAT, k=4, m=3).release
    assert case_losses(BasketCase(release, baskets))["ncp"] == 0
    assert release.forms.labels == ("a", "b", "c")


@every_maker
def test_infeasible_and_senseless_numbers(name):
    maker, baskets = find_method(name).load(), Baskets.of("items", [["a", "b"], ["c"], ["a"], []])
    with pytest.raises(InfeasibleError, match="k=50 but there are 4 records"):
        itemset_cases.make(maker, baskets, FLAT, k=50)
    with pytest.raises(InfeasibleError, match="k=4 but only 3 records have items"):
        itemset_cases.make(maker, baskets, FLAT, k=4)
    shares = [{"k": 2, "suppress": share} for share in (-0.1, 1.0) if name in leaves_out]
    for wrong in ({}, {"k": 2, "m": 0}, {"k": 0}, {"k": 2, "m": 1.5}, *shares):
        with pytest.raises(InputError):
            itemset_cases.make(maker, baskets, FLAT, **wrong)
    with pytest.raises(InputError, match="none of the 2 records has an item"):
        itemset_cases.make(maker, Baskets.of("items", [[], []]), FLAT, k=2)


@diverse_maker
def test_too_frequent_secrets_are_infeasible_and_not_named(name):
    baskets = Baskets.of("items", [["a", "hiv"], ["b", "hiv"], ["c"]], sensitive=["hiv"])
    says = "a sensitive item is in 2 of 3 records, more than 1 of l=2"
    with pytest.raises(InfeasibleError, match=says) as caught:
        itemset_cases.make(find_method(name).load(), baskets, FLAT, l=2)
    assert "hiv" not in str(caught.value)


@every_maker
def test_one_long_record_is_no_trouble(name):
    items = [f"i{i:04}" for i in range(2000)]
    tree = Hierarchy.from_paths("items", [[item, item[:4], item[:3], "*"] for item in items])
    baskets = Baskets.of("items", [items, *([[item] for item in items[:40]] * 3)])
    result = itemset_cases.make(find_method(name).load(), baskets, tree, k=2, m=3)
    assert result.claim.check(itemset_cases.seen(result.release, baskets))
