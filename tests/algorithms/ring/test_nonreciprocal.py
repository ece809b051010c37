from math import ceil

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_votes
from claiming import claimed
from shoal.algorithms.ring.nonreciprocal import cahd, nonreciprocal
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets, Column
from shoal.privacy.nonreciprocal import Nonreciprocal, truth_of_votes
from vote_cases import in_order, seen, shown

few = settings(max_examples=40)
rows = st.lists(st.frozensets(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=14)


def passes(baskets, made, label=None):
    facts = seen(baskets, made, label)
    return (
        made.claim.prove(facts, made.proof)
        and made.claim.check(facts)
        and truth_of_votes(facts, made.release.rows)
    )


@pytest.mark.parametrize("walk", ["closed", "paper", "backtrack"])
@given(rows=rows, data=st.data())
@few
def test_everybody_has_k_rows(walk, rows, data):
    baskets = Baskets.of("i", rows)
    k = data.draw(st.integers(1, baskets.n))
    made = claimed(nonreciprocal, baskets, k=k, walk=walk, segment=data.draw(st.integers(2, 9)))
    assert made.claim == Nonreciprocal(k)
    assert passes(baskets, made)
    assert made.proof.shape == (k, baskets.n)
    assert sorted(made.release.rows.tolist()) == list(range(baskets.n))


@given(rows=rows, data=st.data())
@few
def test_rows_are_votes_over_the_originals_assigned_to_them(rows, data):
    baskets = Baskets.of("i", rows)
    k = data.draw(st.integers(1, baskets.n))
    insiders = data.draw(st.integers(0, baskets.n - k))
    made = claimed(nonreciprocal, baskets, k=k, insiders=insiders)
    for j, row in enumerate(shown(made)):
        if insiders == 0:
            owners = [rows[i] for i in np.flatnonzero((made.proof == j).any(axis=0))]
            assert row == naive_votes.vote(owners)
        assert naive_votes.fits(rows[made.release.rows[j]], row)
    assert any((np.argsort(made.release.rows) == assignment).all() for assignment in made.proof)


@given(rows=rows, data=st.data())
@few
def test_insiders_are_kept_out(rows, data):
    baskets = Baskets.of("i", rows)
    assume(baskets.n > 1)
    k = data.draw(st.integers(1, baskets.n - 1))
    insiders = data.draw(st.integers(1, baskets.n - k))
    made = claimed(nonreciprocal, baskets, k=k, insiders=insiders)
    assert made.claim == Nonreciprocal(k, insiders=insiders)
    assert passes(baskets, made)


@st.composite
def labelled(draw, most=5):
    n = draw(st.integers(2, 24))
    baskets = Baskets.of(
        "i", draw(st.lists(st.frozensets(st.sampled_from("abcde"), max_size=4), min_size=n, max_size=n))
    )
    tags = draw(st.lists(st.integers(0, draw(st.integers(0, most))), min_size=n, max_size=n))
    return baskets, Column.of("label", "sensitive", [f"s{tag}" for tag in tags])


@given(
    labelled(),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(0, 2),
    st.sampled_from(["auto", "ring", "blocks"]),
)
@settings(max_examples=150)
def test_everybody_has_l_labels_after_they_travelled(case, l, more, insiders, graph):
    baskets, label = case
    insiders = 0 if graph == "ring" else insiders
    k = l + more
    try:
        made = claimed(nonreciprocal, baskets, label, k=k, l=l, insiders=insiders, graph=graph, allow=True)
    except InfeasibleError:
        assert infeasible(label, k, l, insiders, graph)
        return
    assert not infeasible(label, k, l, insiders, graph)
    assert made.claim == Nonreciprocal(k, l, insiders)
    assert passes(baskets, made, label)


def infeasible(label, k, l, insiders, graph):
    """Whether the docstring's bound on the most frequent label, or on n, is broken."""
    n, most = len(label.codes), np.bincount(label.codes).max()
    gap = ceil(k / (k // l))
    if k + insiders > n or l > len(label.values):
        return True
    if graph == "ring":
        return most > n // (gap + k - 1)
    return most > (k + insiders) // max(gap, l + insiders) * (n // (k + insiders))


def test_blocks_are_there_whenever_any_blocks_are():
    """For k = l no method of disjoint groups can do with a label on more than n // l records."""
    baskets = Baskets.of("i", [[str(i % 3)] for i in range(10)])
    tags = Column.of("label", "sensitive", list("aaabbbcccd"))
    assert passes(baskets, claimed(nonreciprocal, baskets, tags, l=3), tags)
    with pytest.raises(InfeasibleError, match="is on 3 of 10 records, and at most 2 may have one label"):
        claimed(nonreciprocal, baskets, tags, l=4)


@given(labelled(), st.integers(1, 4))
@few
def test_greedy_assignments_claim_k_alone_and_say_what_is_lost(case, l):
    baskets, label = case
    assume(l <= min(baskets.n, len(label.values)))
    made = claimed(nonreciprocal, baskets, label, l=l, graph="greedy", allow=True)
    assert made.claim == Nonreciprocal(l)
    assert passes(baskets, made, label)
    after = label.codes[made.release.rows][made.proof]
    assert made.trace["kept"] == np.mean([len(set(column)) == l for column in after.T.tolist()])


def test_the_papers_diversity_is_lost_when_labels_travel():
    random = np.random.default_rng(4)
    baskets = Baskets.of("i", [[str(i) for i in np.flatnonzero(random.random(12) < 0.4)] for _ in range(300)])
    label = Column.of("label", "sensitive", [f"s{i}" for i in random.integers(0, 12, 300)])
    kept = claimed(nonreciprocal, baskets, label, l=4, graph="greedy", rng=random).trace["kept"]
    assert 0.4 < kept < 0.9


@pytest.mark.parametrize("options", [{"k": 3, "insiders": 1}, {"l": 4, "graph": "greedy"}])
def test_one_seed_one_release(options):
    random = np.random.default_rng(0)
    baskets = Baskets.of("i", [[str(i) for i in np.flatnonzero(random.random(9) < 0.4)] for _ in range(60)])
    label = Column.of("label", "sensitive", [f"s{i % 7}" for i in range(60)]) if "l" in options else None
    made = [claimed(nonreciprocal, baskets, label, rng=np.random.default_rng(5), **options) for _ in range(2)]
    assert shown(made[0]) == shown(made[1])
    assert (made[0].release.rows == made[1].release.rows).all()
    assert (made[0].proof == made[1].proof).all()


def test_without_a_seed_the_operating_system_draws():
    baskets = Baskets.of("i", [[str(i)] for i in range(50)])
    made = [claimed(nonreciprocal, baskets, k=5) for _ in range(2)]
    assert (made[0].release.rows != made[1].release.rows).any()
    assert "seed" not in str(made[0].trace)


@given(rows)
@few
def test_without_labels_rows_do_not_depend_on_the_draw(rows):
    baskets = Baskets.of(
        "i", set(rows)
    )  # equal baskets may swap places in the order, which changes no row's vote
    k = min(3, baskets.n)
    first, second = (claimed(nonreciprocal, baskets, k=k, rng=np.random.default_rng(seed)) for seed in (1, 2))
    assert in_order(shown(first)) == in_order(shown(second))


@pytest.mark.parametrize("tsp", ["greedy", "genetic", "none"])
def test_empty_baskets_and_no_items_at_all(tsp):
    baskets = Baskets.of("i", [[]] * 4)
    made = claimed(nonreciprocal, baskets, k=2, tsp=tsp)
    assert passes(baskets, made)
    assert not len(made.release.items)


SETS = Baskets.of("i", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]])
LABEL = Column.of("label", "sensitive", list("xyzxyz"))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "give k, or l for a label"),
        ({"k": 0}, "k must be a whole number"),
        ({"k": 2, "insiders": -1}, "insiders must be a whole number"),
        ({"k": 2, "tsp": "exact"}, "tsp must be one of"),
        ({"k": 2, "walk": "drunk"}, "walk must be one of"),
        ({"k": 2, "digits": "odd"}, "digits must be one of"),
        ({"k": 2, "graph": "tree"}, "graph must be one of"),
        ({"k": 2, "segment": 0}, "segment must be a whole number"),
        ({"k": 2, "graph": "greedy"}, "takes l alone"),
        ({"k": 4, "insiders": 1, "graph": "ring"}, "keeps nothing from insiders"),
        ({"l": 2, "graph": "ring"}, "set allow = true"),
        ({"k": 3, "graph": "ring"}, "set allow = true"),
    ],
)
def test_parameters_that_make_no_sense(wrong, says):
    with pytest.raises(InputError, match=says):
        claimed(nonreciprocal, SETS, LABEL, **wrong)


def test_labels_on_a_small_ring_need_leave():
    assert claimed(nonreciprocal, SETS, LABEL, k=3).trace["graph"] == "blocks"
    assert claimed(nonreciprocal, SETS, LABEL, k=3, allow=True).trace["graph"] == "ring"
    assert claimed(nonreciprocal, SETS, LABEL, k=4).trace["graph"] == "ring"
    assert claimed(nonreciprocal, SETS, k=2).trace["graph"] == "ring"
    assert claimed(nonreciprocal, SETS, LABEL, l=2).trace["graph"] == "blocks"
    assert claimed(nonreciprocal, SETS, k=2, insiders=1).trace["graph"] == "blocks"


def test_what_cannot_be_is_told_before_any_work():
    with pytest.raises(InfeasibleError, match="k=5 beside 2 insiders but there are 6 baskets"):
        claimed(nonreciprocal, SETS, k=5, insiders=2)
    with pytest.raises(InfeasibleError, match="l=4 but there are 3 different labels") as caught:
        claimed(nonreciprocal, SETS, LABEL, l=4)
    assert caught.value.exit_code == 3
    with pytest.raises(InputError, match="l=2 needs labels"):
        claimed(nonreciprocal, SETS, l=2)
    with pytest.raises(InputError, match="there are no records"):
        claimed(nonreciprocal, Baskets.of("i", []), k=1)
    with pytest.raises(InputError, match="5 labels for 6 records"):
        claimed(nonreciprocal, SETS, Column.of("label", "sensitive", list("xyzxy")), l=2)
    with pytest.raises(InputError, match="names sensitive items"):
        claimed(nonreciprocal, Baskets.of("i", [["a"], ["b"]], ["a"]), k=2)


@pytest.mark.parametrize("method", [nonreciprocal, cahd])
def test_no_message_shows_a_label(method):
    label = Column.of("label", "sensitive", ["leprosy"] * 5 + ["flu"])
    with pytest.raises(
        InfeasibleError, match="is on 5 of 6 records, and at most 3 may have one label"
    ) as caught:
        claimed(method, SETS, label, l=2)
    assert "leprosy" not in str(caught.value)
    gone = Column.of("label", "sensitive", ["leprosy", None, "flu", None, "gout", "flu"])
    with pytest.raises(InputError, match="column 'label': 2 records, first record 2, have no label"):
        claimed(method, SETS, gone, l=2)


def test_a_basket_of_a_hundred_thousand_items():
    start = np.array([0, 100_000, 100_001, 100_002, 100_002])
    items = np.r_[np.arange(100_000), 5, 7].astype(np.int32)
    baskets = Baskets("i", tuple(f"{i:05}" for i in range(100_000)), start, items)
    made = claimed(nonreciprocal, baskets, k=2)
    assert passes(baskets, made)
    assert made.release.errors.max() >= 99_999


def test_a_hundred_thousand_identical_baskets():
    n = 100_000
    baskets = Baskets(
        "i", ("a", "b"), np.arange(0, 2 * n + 1, 2), np.tile(np.array([0, 1], dtype=np.int32), n)
    )
    made = claimed(nonreciprocal, baskets, k=4)
    assert not made.release.errors.any()
    assert Nonreciprocal(4).prove(seen(baskets, made), made.proof)


@pytest.mark.parametrize("wrong", [{"l": 0}, {"l": 2, "order": "sorted"}, {"l": 2, "alpha": 0}])
def test_cahd_refuses_parameters_that_make_no_sense(wrong):
    with pytest.raises(InputError):
        claimed(cahd, SETS, LABEL, **wrong)
