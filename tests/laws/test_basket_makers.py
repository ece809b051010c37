"""Every maker of k^m-anonymity under every law: parametrized from the table of makers."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import km_cases
import naive_km as naive
from shoal.algorithms import method
from shoal.data import Sets
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchy
from shoal.utility.items import item_losses

every_maker = pytest.mark.parametrize("name", km_cases.MAKERS)
diverse_maker = pytest.mark.parametrize(
    "name", [name for name in km_cases.MAKERS if "l^m" in method(name).guarantee]
)
small = st.integers(1, 4)
law = settings(max_examples=25, deadline=None)

FLAT = Hierarchy.from_paths("items", [[item, "*"] for item in km_cases.ITEMS])


def attempt(name, sets, tree, **options):
    """The result, or a discarded example where there is none."""
    try:
        return km_cases.make(method(name).load(), sets, tree, **options)
    except InfeasibleError:
        assume(False)


def everything_fits(sets):
    assume(len(sets.items) > 0)


def test_all_makers_are_here():
    assert set(km_cases.MAKERS) == {"apriori", "lra", "vpa", "pcta", "coat"}


@every_maker
@given(km_cases.cases(), small, st.integers(1, 3))
@law
def test_the_claim_passes_its_judge_and_the_truth_holds(name, case, k, m):
    sets, tree = case
    everything_fits(sets)
    result = attempt(name, sets, tree, k=k, m=m)
    assert result.claim.check(km_cases.seen(result.release, sets))
    assert result.claim.as_dict()["k"] == k
    shown = km_cases.published(result.release, sets)
    assert naive.truthful(km_cases.baskets(sets), shown)
    assert not naive.rare([[tuple(sorted(form)) for form in row] for row in shown], k, m)
    assert result.release.suppressed == 0
    assert result.release.rows.tolist() == list(range(sets.n))


@every_maker
@given(km_cases.cases(), small)
@law
def test_k_within_the_records_that_have_items_is_always_reached(name, case, k):
    sets, tree = case
    some = int((np.diff(sets.start) > 0).sum())
    if 0 < k <= some:
        assert km_cases.make(method(name).load(), sets, tree, k=k, m=2)


@diverse_maker
@given(km_cases.cases(sensitive=True), small, st.integers(1, 3), st.integers(1, 2))
@law
def test_diversity_passes_its_judge_and_leaves_secrets_alone(name, case, k, l, m):
    sets, tree = case
    result = attempt(name, sets, tree, k=k, m=m, l=l)
    assert result.claim.check(km_cases.seen(result.release, sets))
    secret = {sets.values[code] for code in sets.sensitive}
    for basket, forms in zip(km_cases.baskets(sets), km_cases.published(result.release, sets), strict=True):
        assert {item for form in forms if form & secret for item in form} == basket & secret
        assert all(len(form) == 1 for form in forms if form & secret)


@every_maker
@given(km_cases.cases(), st.integers(2, 3), st.sampled_from([0.1, 0.4]))
@law
def test_what_is_left_out_stays_within_the_allowance(name, case, k, suppress):
    sets, tree = case
    everything_fits(sets)
    release = attempt(name, sets, tree, k=k, m=2, suppress=suppress).release
    shown = km_cases.published(release, sets)
    lost = sum(
        not any(item in form for form in forms)
        for basket, forms in zip(km_cases.baskets(sets), shown, strict=True)
        for item in basket
    )
    assert lost == release.suppressed <= suppress * len(sets.items)
    assert not naive.rare([[tuple(sorted(form)) for form in row] for row in shown], k, 2)


@every_maker
@given(km_cases.cases(), st.integers(1, 3), st.data())
@law
def test_shuffled_records_give_the_same_release_up_to_order(name, case, k, data):
    sets, tree = case
    everything_fits(sets)
    rows = km_cases.baskets(sets)
    order = data.draw(st.permutations(range(sets.n)))
    moved = Sets.of("items", [rows[i] for i in order])
    pairs = []
    for one in (sets, moved):
        release = attempt(name, one, tree, k=k, m=2).release
        shown = [sorted(map(sorted, forms)) for forms in km_cases.published(release, one)]
        pairs.append(sorted(zip(map(sorted, km_cases.baskets(one)), shown, strict=True)))
    assert pairs[0] == pairs[1]


@every_maker
@given(km_cases.cases())
@law
def test_inputs_stay_as_they_are(name, case):
    sets, tree = case
    everything_fits(sets)
    before = sets.start.copy(), sets.items.copy(), tree.up.copy()
    attempt(name, sets, tree, k=2, m=2)
    assert (before[0] == sets.start).all()
    assert (before[1] == sets.items).all()
    assert (before[2] == tree.up).all()


@every_maker
@given(km_cases.cases(), st.integers(1, 3))
@law
def test_losses_stay_in_their_range(name, case, k):
    sets, tree = case
    everything_fits(sets)
    release = attempt(name, sets, tree, k=k, m=2, suppress=0.3).release
    found = item_losses(release, sets, tree if "cut" in release.rule or not release.rule else None)
    assert all(0 <= found[loss] <= 1 for loss in ("ncp", "ncp-published", "ul", "ul-coat"))
    assert found.get("are", 0) >= 0


@every_maker
def test_identical_records_lose_nothing(name):
    sets = Sets.of("items", [["a", "b", "c"]] * 4)
    release = km_cases.make(method(name).load(), sets, FLAT, k=4, m=3).release
    assert item_losses(release, sets)["ncp"] == 0
    assert release.forms.labels == ("a", "b", "c")


@every_maker
def test_infeasible_and_senseless_numbers(name):
    maker, sets = method(name).load(), Sets.of("items", [["a", "b"], ["c"], ["a"], []])
    with pytest.raises(InfeasibleError, match="k=50 but there are 4 records"):
        km_cases.make(maker, sets, FLAT, k=50)
    with pytest.raises(InfeasibleError, match="k=4 but only 3 records have items"):
        km_cases.make(maker, sets, FLAT, k=4)
    for wrong in ({"k": 2, "m": 0}, {"k": 0}, {"k": 2, "m": 1.5}, {"k": 2, "suppress": -0.1}):
        with pytest.raises(InputError):
            km_cases.make(maker, sets, FLAT, **wrong)
    with pytest.raises(InputError, match="none of the 2 records has an item"):
        km_cases.make(maker, Sets.of("items", [[], []]), FLAT, k=2)


@diverse_maker
def test_too_frequent_secrets_are_infeasible_and_not_named(name):
    sets = Sets.of("items", [["a", "f"], ["b", "f"], ["c"]], sensitive=["f"])
    with pytest.raises(InfeasibleError, match="a sensitive item is in 2 of 3 records, more than 1 of l=2"):
        km_cases.make(method(name).load(), sets, FLAT, l=2)


@every_maker
def test_one_long_record_is_no_trouble(name):
    items = [f"i{i:04}" for i in range(2000)]
    tree = Hierarchy.from_paths("items", [[item, item[:4], item[:3], "*"] for item in items])
    sets = Sets.of("items", [items, *([[item] for item in items[:40]] * 3)])
    result = km_cases.make(method(name).load(), sets, tree, k=2, m=3)
    assert result.claim.check(km_cases.seen(result.release, sets))
