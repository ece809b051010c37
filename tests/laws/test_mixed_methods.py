"""Every method of tables with baskets under every law: parametrized from the table of methods."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mixed_cases
import naive_mixed
from claiming import claimed, kept
from shoal.algorithms import METHODS
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets, Column, Mixed, Table
from shoal.hierarchy import Hierarchy
from shoal.utility import BasketCase, MixedCase, TableCase, case_losses

PLAIN, DIVERSE = "(k,k^m)-anonymity", "(k,l^m)-diversity"
MAKERS = [name for name, found in METHODS.items() if found.kind == "mixed"]
COVERED = [(name, model) for name in MAKERS for model in METHODS[name].claims if model in (PLAIN, DIVERSE)]
"""Which method stands under these laws with which claim."""

every_maker = pytest.mark.parametrize("name", MAKERS)
every_claim = pytest.mark.parametrize(("name", "model"), COVERED)
law = settings(max_examples=20)
small = st.integers(1, 3)

AGES = {"age": Hierarchy.from_paths("age", [["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3", "*"]])}
FOOD = Hierarchy.from_paths("items", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])


def make(name, *data, seed=5, **options):
    """The result with every bound open, and one rng where the method draws."""
    takes = inspect.signature(METHODS[name].load()).parameters
    own = {"delta": 1} if "delta" in takes else {}
    own |= {"rng": np.random.default_rng(seed)} if "rng" in takes else {}
    own |= {"parts": 3} if "parts" in takes else {}
    return claimed(METHODS[name].load(), *data, **own, **options)


def asked(model, k, m, l):
    return {"k": k, "m": m} | ({"l": l} if model == DIVERSE else {})


@every_claim
@law
@given(case=mixed_cases.cases(sensitive=True), k=small, m=st.integers(1, 2), l=small)
def test_the_claim_passes_its_judge_and_the_truth_holds(name, model, case, k, m, l):
    mixed, trees, items = case
    assume(mixed.n >= k)
    result = make(name, mixed, trees, items, **asked(model, k, m, l))
    assert result.claim.named == model
    seen = mixed_cases.published(result.release, mixed.baskets.sensitive)
    assert kept(result.claim, seen)
    assert mixed_cases.true(result.release, mixed, trees)
    quasi = list(zip(*(column.tolist() for column in seen.table.quasi.values()), strict=True))
    baskets = [
        set(seen.baskets.items[a:b].tolist())
        for a, b in zip(seen.baskets.start[:-1], seen.baskets.start[1:], strict=True)
    ]
    if model == PLAIN:
        assert not naive_mixed.kkm(quasi, baskets, k, m)[0]
    else:
        assert not naive_mixed.klm(quasi, baskets, seen.baskets.sensitive, k, l, m)


@every_maker
@law
@given(case=mixed_cases.cases(min_rows=2), k=small, data=st.data())
def test_shuffled_records_give_the_same_release_up_to_order(name, case, k, data):
    mixed, trees, items = case
    assume(mixed.n >= k)
    order = np.array(data.draw(st.permutations(range(mixed.n))))
    columns = tuple(replace(column, codes=column.codes[order]) for column in mixed.table.columns)
    texts = [[mixed.baskets.values[code] for code in mixed.baskets.basket(row)] for row in order]
    moved = Mixed(Table(columns), Baskets.of("items", texts))
    first, second = (
        mixed_cases.written(make(name, one, trees, items, k=k).release, one) for one in (mixed, moved)
    )
    assert first == second


@every_maker
@law
@given(case=mixed_cases.cases(), k=small, seed=st.integers(0, 9))
def test_one_rng_one_release(name, case, k, seed):
    mixed, trees, items = case
    assume(mixed.n >= k)
    first, again = (make(name, mixed, trees, items, k=k, seed=seed).release for _ in range(2))
    assert first.table.codes.tolist() == again.table.codes.tolist()
    assert first.baskets.items.tolist() == again.baskets.items.tolist()
    assert first.baskets.start.tolist() == again.baskets.start.tolist()


@every_maker
@law
@given(case=mixed_cases.cases())
def test_inputs_stay_as_they_are(name, case):
    mixed, trees, items = case
    assume(mixed.n >= 2)
    arrays = [
        mixed.baskets.start,
        mixed.baskets.items,
        items.up,
        *(column.codes for column in mixed.table.columns),
        *(tree.up for tree in trees.values()),
    ]
    before = [array.copy() for array in arrays]
    make(name, mixed, trees, items, k=2)
    for old, new in zip(before, arrays, strict=True):
        np.testing.assert_array_equal(old, new)


def lost(release, mixed, trees, items):
    """All that a release loses."""
    table = TableCase(release.table, trees)
    return case_losses(MixedCase(release, mixed, table, BasketCase(release.baskets, mixed.baskets, items)))


@every_maker
@law
@given(case=mixed_cases.cases(), k=small)
def test_losses_stay_in_their_range_and_are_told(name, case, k):
    mixed, trees, items = case
    assume(mixed.n >= k)
    result = make(name, mixed, trees, items, k=k)
    found = lost(result.release, mixed, trees, items)
    assert result.trace["ul"] == pytest.approx(found["ul"])
    assert result.trace["table-ncp"] == pytest.approx(found["table-ncp"], abs=1e-8)
    assert found.pop("are", 0) >= 0
    shares = {"ncp", "table-ncp", "items-ncp", "ul"}
    assert found.keys() >= shares
    assert all(0 <= found[share] <= 1 + 1e-12 for share in shares)


def people(ages, baskets):
    return Mixed(Table((Column.of("age", "quasi", ages),)), Baskets.of("items", baskets))


@every_maker
def test_identical_records_lose_nothing(name):
    mixed = people(["1"] * 4, [["a", "c"]] * 4)
    release = make(name, mixed, AGES, FOOD, k=4).release
    found = lost(release, mixed, AGES, FOOD)
    assert found["ncp"] == found["items-ncp"] == 0
    assert release.baskets.forms.labels == ("a", "c")
    assert release.baskets.suppressed == 0


@every_maker
def test_infeasible_and_senseless_numbers(name):
    mixed = people(["1", "2", "3"], [["a"], ["b"], ["c"]])
    with pytest.raises(InfeasibleError, match="k=50 but there are 3 records"):
        make(name, mixed, AGES, FOOD, k=50)
    for wrong in ({"k": 0}, {"k": 2, "m": 0}, {"k": 1.5}, {"k": True}):
        with pytest.raises(InputError):
            make(name, mixed, AGES, FOOD, **wrong)
