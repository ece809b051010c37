"""The method of tables with baskets on fragments: the union keeps claim and bound, whatever order answers have."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mixed_cases
from claiming import kept
from fragment_cases import attempt, fragmented
from shoal.engines import in_threads
from shuffle_engine import Shuffle

law = settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def inputs(case, ruled=True):
    mixed, trees, items = case
    return {"mixed": mixed, "hierarchies": trees, "item_hierarchy": items if ruled else None}


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize("delta", ["knee", 0.4])
@pytest.mark.parametrize("ruled", [True, False])
@given(data=st.data(), k=st.integers(1, 3), m=st.integers(1, 2), size=st.integers(1, 10))
@settings(law, max_examples=15)
def test_the_union_keeps_claim_bound_and_truth(secret, delta, ruled, data, k, m, size):
    case = data.draw(mixed_cases.cases(min_rows=4, max_rows=20, sensitive=secret))
    numbers = {"k": k, "m": m, **({"l": 2} if secret else {})}
    made = attempt("bound", inputs(case, ruled), numbers, size, delta=delta)
    assert kept(made.claim, mixed_cases.published(made.release, case[0].baskets.sensitive))
    assert mixed_cases.true(made.release, case[0], case[1])
    if delta != "knee":
        assert made.trace["table-ncp"] <= delta + 1e-6


@given(
    case=mixed_cases.cases(min_rows=6, max_rows=20),
    size=st.integers(2, 10),
    start=st.sampled_from(["mstk", "paper"]),
    seed=st.integers(0, 9),
)
@law
def test_the_order_of_answers_changes_nothing(case, size, start, seed):
    options = {"clusters": start, "seed": seed}
    one = attempt("bound", inputs(case), {"k": 2, "m": 2}, size, **options)
    for mapper in (in_threads(3), Shuffle(seed).map):
        other = fragmented("bound", inputs(case), {"k": 2, "m": 2}, size, mapper=mapper, **options)
        assert mixed_cases.written(other.release, case[0]) == mixed_cases.written(one.release, case[0])
        assert other.release.table.codes.tolist() == one.release.table.codes.tolist()
        assert mixed_cases.baskets(other.release) == mixed_cases.baskets(one.release)
