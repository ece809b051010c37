"""Every method of whole baskets under every law: parametrized from the table of methods.

They draw, and the draw protects people: what it decides is compared under one rng, what it does not, under two.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import naive_votes
from claiming import claimed
from shoal.algorithms import METHODS
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets, Column
from shoal.privacy.nonreciprocal import truth_of_votes
from shoal.utility import VoteCase, case_losses
from vote_cases import in_order, seen, shown

PLAIN = "nonreciprocal k-anonymity"
LABELLED = "nonreciprocal k-anonymity and label diversity"
COVERED = [
    (name, model)
    for name, found in METHODS.items()
    if found.kind == "ring"
    for model in found.claims
    if model in (PLAIN, LABELLED)
]
"""Which method stands under these laws with which claim."""

every_claim = pytest.mark.parametrize(("name", "model"), COVERED)
law = settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much])


@st.composite
def cases(draw, distinct=False):
    """Baskets, and a label for each of them; all labels are about as frequent."""
    rows = draw(
        st.lists(
            st.frozensets(st.sampled_from("abcde"), max_size=4), min_size=2, max_size=14, unique=distinct
        )
    )
    many = draw(st.integers(3, 6))
    tags = [f"s{place % many}" for place in range(len(rows))]
    return rows, draw(st.permutations(tags))


def data_of(case, model):
    """Baskets, and labels where the claim speaks of them."""
    rows, tags = case
    return Baskets.of("i", rows), Column.of("label", "sensitive", tags) if model == LABELLED else None


def asked(model, number):
    return {"k": number} if model == PLAIN else {"l": number}


def make(name, model, case, number, seed=None, **options):
    """The result, or a discarded example where there is none."""
    baskets, label = data_of(case, model)
    rng = None if seed is None else np.random.default_rng(seed)
    try:
        return (
            claimed(METHODS[name].load(), baskets, label, rng=rng, **asked(model, number), **options),
            baskets,
            label,
        )
    except InfeasibleError:
        assume(False)


@every_claim
@given(case=cases(), number=st.integers(1, 4))
@law
def test_the_claim_passes_its_judge_and_the_truth_holds(name, model, case, number):
    made, baskets, label = make(name, model, case, number)
    facts = seen(baskets, made, label)
    assert made.claim.named == model
    assert made.claim.check(facts)
    assert made.claim.prove(facts, made.proof)
    assert truth_of_votes(facts, made.release.rows)
    assert sorted(made.release.rows.tolist()) == list(range(baskets.n))
    for row, record in zip(shown(made), made.release.rows.tolist(), strict=True):
        assert naive_votes.fits(case[0][record], row)


@every_claim
@given(case=cases(), number=st.integers(1, 4), seed=st.integers(0, 9))
@law
def test_one_rng_one_release(name, model, case, number, seed):
    first, again = (make(name, model, case, number, seed)[0] for _ in range(2))
    assert shown(first) == shown(again)
    assert first.release.rows.tolist() == again.release.rows.tolist()
    assert (first.proof == again.proof).all()


@every_claim
@given(case=cases(distinct=True), number=st.integers(1, 4), data=st.data())
@law
def test_shuffled_records_give_the_same_rows_up_to_order(name, model, case, number, data):
    """Of different baskets: equal ones with different labels stand in an order that is drawn."""
    order = data.draw(st.permutations(range(len(case[0]))))
    moved = [case[0][i] for i in order], [case[1][i] for i in order]
    first, second = make(name, model, case, number, 1)[0], make(name, model, moved, number, 2)[0]
    assert in_order(shown(first)) == in_order(shown(second))


@every_claim
@given(case=cases())
@law
def test_inputs_stay_as_they_are(name, model, case):
    baskets, label = data_of(case, model)
    arrays = [baskets.start, baskets.items, *([] if label is None else [label.codes])]
    before = [array.copy() for array in arrays]
    try:
        claimed(METHODS[name].load(), baskets, label, **asked(model, 2))
    except InfeasibleError:
        assume(False)
    for old, new in zip(before, arrays, strict=True):
        np.testing.assert_array_equal(old, new)


@every_claim
@given(case=cases(), number=st.integers(1, 4))
@law
def test_losses_stay_in_their_range(name, model, case, number):
    made, baskets, _ = make(name, model, case, number)
    found = case_losses(VoteCase(made.release, baskets))
    assert found.keys() == ({"er", "qe", "qe-absent"} | ({"are-items"} if len(baskets.items) else set()))
    assert all(np.isfinite(loss) and loss >= 0 for loss in found.values())
    assert found["er"] <= 1


@every_claim
def test_identical_records_lose_nothing(name, model):
    case = [frozenset("ab")] * 12, [f"s{place % 4}" for place in range(12)]
    made, baskets, _ = make(name, model, case, 3)
    assert not made.release.errors.any()
    assert not len(made.release.maybe)
    assert case_losses(VoteCase(made.release, baskets))["er"] == 0


@every_claim
def test_infeasible_and_senseless_numbers(name, model):
    baskets, label = data_of(([frozenset("a"), frozenset("b"), frozenset("c")], ["x", "y", "z"]), model)
    maker = METHODS[name].load()
    with pytest.raises(InfeasibleError, match="=50 but there are 3"):
        claimed(maker, baskets, label, **asked(model, 50))
    for wrong in (0, 1.5, True):
        with pytest.raises(InputError):
            claimed(maker, baskets, label, **asked(model, wrong))
    with pytest.raises(InputError):
        claimed(maker, baskets, label, k=2, m=2)  # a claim of methods of itemsets
