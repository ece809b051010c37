"""Methods of baskets on fragments: the union keeps every claim, and no order of answers changes it."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import itemset_cases
import naive_itemsets as naive
import naive_votes
from claiming import kept
from fragment_cases import attempt, fragmented
from shoal.algorithms.fragments import CUTS
from shoal.data import Baskets, Column
from shoal.engines import in_threads
from shoal.hierarchy import Hierarchy
from shoal.privacy import Nonreciprocal
from shoal.privacy.nonreciprocal import truth_of_votes
from shuffle_engine import Shuffle
from vote_cases import seen, shown

law = settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


@st.composite
def votes(draw):
    """Baskets, and a label for each of them; all labels are about as frequent."""
    rows = draw(st.lists(st.frozensets(st.sampled_from("abcde"), max_size=4), min_size=4, max_size=24))
    many = draw(st.integers(3, 6))
    tags = draw(st.permutations([f"s{place % many}" for place in range(len(rows))]))
    return Baskets.of("i", rows), Column.of("label", "sensitive", tags)


def held(baskets, record):
    return frozenset(baskets.values[code] for code in baskets.basket(record))


@pytest.mark.parametrize(
    "numbers", [{"k": 2}, {"k": 3}, {"k": 2, "insiders": 2}, {"l": 2}, {"l": 3}, {"k": 4, "l": 2}], ids=str
)
@given(case=votes(), size=st.integers(1, 12), labelled=st.booleans())
@law
def test_votes_of_fragments_keep_the_claim_and_the_truth(numbers, case, size, labelled):
    baskets, label = case
    label = label if labelled or "l" in numbers else None
    made = attempt("nonreciprocal", {"baskets": baskets, "label": label}, numbers, size)
    facts = seen(baskets, made, label)
    assert made.claim.check(facts)
    assert made.claim.prove(facts, made.proof)
    assert truth_of_votes(facts, made.release.rows)
    assert sorted(made.release.rows.tolist()) == list(range(baskets.n))
    for row, record in zip(shown(made), made.release.rows.tolist(), strict=True):
        assert naive_votes.fits(held(baskets, record), row)


@pytest.mark.parametrize("numbers", [{"l": 2}, {"l": 3}], ids=str)
@given(case=votes(), size=st.integers(1, 12), seed=st.integers(0, 9))
@law
def test_groups_of_cahd_in_fragments_keep_the_claim_and_the_truth(numbers, case, size, seed):
    baskets, label = case
    made = attempt("cahd", {"baskets": baskets, "label": label}, numbers, size, seed=seed)
    facts = seen(baskets, made, label)
    assert made.claim.check(facts)
    assert made.claim.prove(facts, made.proof)
    assert truth_of_votes(facts, made.release.rows)
    assert sorted(made.release.rows.tolist()) == list(range(baskets.n))


@given(case=votes(), size=st.integers(2, 12), graph=st.sampled_from(["ring", "auto"]), seed=st.integers(0, 9))
@law
def test_votes_do_not_depend_on_the_order_of_answers(case, size, graph, seed):
    inputs = {"baskets": case[0], "label": case[1]}
    options = {"graph": graph, "allow": True}
    one = attempt("nonreciprocal", inputs, {"l": 2}, size, seed=seed, **options)
    for mapper in (in_threads(3), Shuffle(seed).map):
        other = fragmented("nonreciprocal", inputs, {"l": 2}, size, mapper=mapper, seed=seed, **options)
        assert shown(other) == shown(one)
        assert other.release.rows.tolist() == one.release.rows.tolist()
        assert (other.proof == one.proof).all()


def test_a_fragment_where_a_label_is_too_frequent_is_joined_with_a_neighbour():
    rows = [["a"]] * 6 + [["b"]] * 6
    baskets = Baskets.of("i", rows)
    mixed = Column.of("label", "sensitive", ["x", "y"] * 6)
    apart = Column.of("label", "sensitive", ["x"] * 6 + ["y"] * 6)
    alone, joined = (
        fragmented("nonreciprocal", {"baskets": baskets, "label": label}, {"l": 2}, 6)
        for label in (mixed, apart)
    )
    assert alone.trace["fragments"] == 2
    assert joined.trace["fragments"] == 1
    assert joined.claim.prove(seen(baskets, joined, apart), joined.proof)


def test_a_seed_gives_each_fragment_draws_of_its_own():
    baskets = Baskets.of("i", [["a", str(place % 3)] for place in range(24)] * 2)
    made = fragmented("nonreciprocal", {"baskets": baskets, "label": None}, {"k": 4}, 8, seed=1)
    drawn = [tuple((made.proof[:, made.release.rows[a : a + 8]] % 8).ravel()) for a in range(0, 48, 8)]
    assert len(set(drawn)) > 1


@pytest.mark.parametrize("secret", [False, True])
@given(data=st.data(), k=st.integers(1, 4), m=st.integers(1, 3), size=st.integers(1, 12))
@law
def test_cuts_of_fragments_keep_the_claim_and_the_truth(secret, data, k, m, size):
    baskets, tree = data.draw(itemset_cases.cases(max_rows=24, sensitive=secret))
    numbers = {"k": k, "m": m, **({"l": 2} if secret else {})}
    if not secret and not len(baskets.items):
        return
    made = attempt("lra", {"baskets": baskets, "hierarchy": tree}, numbers, size)
    assert kept(made.claim, itemset_cases.seen(made.release, baskets))
    shown = itemset_cases.published(made.release, baskets)
    assert naive.truthful(itemset_cases.baskets(baskets), shown)
    assert made.release.rows.tolist() == list(range(baskets.n))
    assert made.release.suppressed == 0


@given(
    case=itemset_cases.cases(max_rows=24),
    size=st.integers(2, 12),
    seed=st.integers(0, 9),
    suppress=st.sampled_from([0.0, 0.3]),
)
@law
def test_cuts_do_not_depend_on_the_order_of_answers(case, size, seed, suppress):
    inputs = {"baskets": case[0], "hierarchy": case[1]}
    if not len(case[0].items):
        return
    one = attempt("lra", inputs, {"k": 2, "m": 2}, size, suppress=suppress).release
    assert one.suppressed <= suppress * len(case[0].items)
    for mapper in (in_threads(3), Shuffle(seed).map):
        other = fragmented("lra", inputs, {"k": 2, "m": 2}, size, mapper=mapper, suppress=suppress).release
        assert itemset_cases.published(other, case[0]) == itemset_cases.published(one, case[0])
        assert other.suppressed == one.suppressed
        inside = np.diff(other.items) > 0
        inside[other.start[1:-1][other.start[1:-1] < len(other.items)] - 1] = True
        assert inside.all()


def test_baskets_without_items_are_dealt_to_all_fragments():
    baskets = Baskets.of("i", [[]] * 8 + [["a"]] * 4 + [["b"]] * 4)
    tree = Hierarchy.from_paths("i", [["a", "*"], ["b", "*"]])
    inputs = {"baskets": baskets, "hierarchy": tree}
    parts = CUTS["items"]("lra", inputs, Nonreciprocal(2), 4, np.random.default_rng(1))
    sizes = np.diff(baskets.start)
    assert [sorted(sizes[rows].tolist()) for rows in parts] == [[0, 0, 0, 0, 1, 1, 1, 1]] * 2
    made = fragmented("lra", inputs, {"k": 4, "m": 1}, 4).release
    assert [made.forms.labels[form] for form in made.items] == ["a"] * 4 + ["b"] * 4
