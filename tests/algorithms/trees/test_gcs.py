"""How a search over cuts goes: what it costs, when it stops, what it reports, and what its readings mean."""

from itertools import count
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies_trees as strategies
from claiming import claimed
from shoal.algorithms.trees import gcs as methods
from shoal.algorithms.trees.gcs import TreeCutSearch, _all_cuts, acs, gcs, ocs
from shoal.algorithms.trees.knowledge import KnowledgeCounter
from shoal.algorithms.trees.search_space import Space, _rpd_a, space_rpd
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import no_progress
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.utility.trees import tree_ncp

TREES = strategies.hierarchies()
MANY = Trees.of(
    [
        [("A", a, ("B", b, ("C", c))), ("D", d)]
        for a in strategies.VALUES["A"]
        for b in strategies.VALUES["B"]
        for c in strategies.VALUES["C"]
        for d in strategies.VALUES["D"]
    ]
)


def looked_at(trees, k, m, n):
    """Every cut that ACS looks at, by its values."""
    space = Space(trees, Nodes.of("test", trees, TREES))
    seen = []

    class Watched(TreeCutSearch):
        def _look(self, nodes, *rest):
            seen.append(tuple(sorted(nodes)))
            return super()._look(nodes, *rest)

    asking = KnowledgeCounter(space, k, m, n, 0, ())
    roots = tuple(root for root in space.values.roots if space.support(root))
    search = Watched(asking, None, roots, space_rpd, None, None, no_progress)
    _all_cuts(search)
    return space, seen


def cuts_of(space):
    """Every cut of the hierarchies, from the definition: each class's root, or cuts of its children side by side."""

    def below(node):
        yield (node,)
        children = space.children(node)
        if children:
            found = [()]
            for child in children:
                found = [(*some, *more) for some in found for more in below(child)]
            yield from found

    found = [()]
    for root in space.values.roots:
        if space.support(root):
            found = [(*some, *more) for some in found for more in below(root)]
    return {tuple(sorted(cut)) for cut in found}


@given(strategies.trees(min_records=2))
@settings(max_examples=15)
def test_all_cuts_are_looked_at_once(records):
    trees = Trees.of(records)
    if not trees.values:
        return
    space, seen = looked_at(trees, 1, 2, 1)
    assert len(set(seen)) == len(seen)
    assert set(seen) == cuts_of(space)


@given(strategies.trees(min_records=3), st.integers(2, 3), st.integers(1, 2))
@settings(max_examples=25)
def test_all_cuts_find_no_worse_than_some(records, k, m):
    trees = Trees.of(records)
    try:
        most = claimed(acs, trees, TREES, k=k, m=m, scope="pair").trace["cost"]
        some = claimed(gcs, trees, TREES, k=k, m=m, scope="pair", patience=None).trace["cost"]
        none = claimed(ocs, trees, TREES, k=k, m=m, patience=None).trace["cost"]
    except InfeasibleError:
        return
    assert most <= some
    assert most <= none


def test_the_estimate_of_the_paper():
    # two paths: a0 (support 2, domain 3) and a0 > b0 (3 records, supports 2 + 1, domain 3 * 2 * 3); three nodes
    trees = Trees.of([[("A", "a0")], [("A", "a0", ("B", "b0"))], [("A", "a1")]])
    space = Space(trees, Nodes.of("test", trees, TREES))
    names = space.values.names
    tree = space.synopsis(tuple(names.index(label) for label in ("a0", "a1", "a2", "b0", "b1", "b2")))
    assert _rpd_a(space, tree) == pytest.approx((1 / 3 + (2 + 1) / (3 * 2 * 3)) / 2 / 3)
    assert space_rpd(space, tree) == pytest.approx((1 / 3 + 1 / (3 * 2 * 3) + 1 / 3) / 3)


def test_the_estimate_can_mislead():
    # RPD_a is least where A is told in two values; B below it, told in three, would tell more in every record
    alone = [[("D", "d1")], [("D", "d0")], [], [("A", "a0", ("B", "b2"))]]
    both = [("d0", "a2", "b2"), ("d2", "a2", "b2"), ("d1", "a1", "b1"), ("d1", "a0", "b1")]
    trees = Trees.of([*alone, *([("D", d), ("A", a, ("B", b))] for d, a, b in both)])
    by_rpd, by_estimate = (
        claimed(gcs, trees, TREES, k=2, m=2, n=1, cost=cost, g=1, scope="pair") for cost in ("rpd", "rpd-a")
    )
    assert not by_rpd.trace["disassociated"]
    assert not by_estimate.trace["disassociated"]
    space = Space(trees, Nodes.of("test", trees, TREES))
    names = space.values.names

    def told(result):
        cut = [names.index(label) for labels in result.release.rule["cut"].values() for label in labels]
        return space_rpd(space, space.synopsis(tuple(x for x in cut if space.support(x))))

    assert told(by_rpd) < told(by_estimate)


def test_patience_and_seconds_stop_it(monkeypatch):
    whole = claimed(gcs, MANY, TREES, k=9, m=2, n=1, patience=None).trace
    assert whole["stopped"] == "complete"
    short = claimed(gcs, MANY, TREES, k=9, m=2, n=1, patience=1).trace
    assert short["stopped"] == "patience"
    assert short["cuts"] == short["found_at"] + 1 < whole["cuts"]
    clock = count(monotonic())
    monkeypatch.setattr("shoal.algorithms.trees.gcs.monotonic", lambda: next(clock))
    assert claimed(gcs, MANY, TREES, k=9, m=2, n=1, seconds=3).trace["stopped"] == "seconds"


def test_even_no_time_gives_a_release_that_holds():
    result = claimed(gcs, MANY, TREES, k=9, m=2, n=1, seconds=0)
    assert result.trace["stopped"] == "seconds"
    assert result.claim.check(result.release.trees)


@pytest.mark.parametrize("patience", [None, 20])
def test_a_share_is_told_where_patience_says_when_to_stop(patience):
    heard = []

    def hear(what, share=None):
        if what == "searching the cuts":
            heard.append(share)

    trace = claimed(gcs, MANY, TREES, k=9, m=2, n=1, patience=patience, progress=hear).trace
    if patience is None:
        assert heard == [None]
        return
    assert trace["stopped"] == "patience"
    assert heard == sorted(heard)
    assert heard[-1] == 1
    assert len(heard) > 10


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"g": 0}, "g=0"),
        ({"scope": "all"}, "'class' or 'pair'"),
        ({"scope": "none"}, "'class' or 'pair'"),
        ({"cost": "rdp"}, "'rpd', 'rpd-a' or 'ncp'"),
        ({"patience": 0}, "patience=0"),
        ({"l": 2}, "needs a sensitive field"),
    ],
)
def test_what_makes_no_sense_is_refused(options, match):
    with pytest.raises(InputError, match=match):
        claimed(gcs, MANY, TREES, **({"k": 2} | options))


def test_a_class_that_too_few_hold_is_left_out():
    trees = Trees.of([[("A", "a0", ("B", "b0"))], *[[("A", "a0")]] * 3])
    result = claimed(gcs, trees, TREES, k=2)
    assert result.trace["classes_left_out"] == ["B"]
    assert result.release.rule["cut"]["B"] is None
    assert result.release.suppressed == 1
    assert list(result.release.trees.nested()) == [(("A", "a0"),)] * 4


def test_a_frequent_secret_cannot_be_hidden():
    trees = Trees.of([[("A", "a0", ("ill", "flu"))]] * 3 + [[("A", "a0", ("ill", "gout"))]], "ill")
    with pytest.raises(
        InfeasibleError, match="one sensitive value is in 3 of 4 records; lower l to 1 or less"
    ):
        claimed(gcs, trees, TREES, k=2, l=2)


def test_diversity_generalizes_what_k_would_not():
    # of a0 all have flu, of a1 half
    ills = {"a0": ["flu"] * 2, "a1": ["flu", "gout", "cough", "gout"]}
    trees = Trees.of([[("A", a), ("ill", ill)] for a, some in ills.items() for ill in some], "ill")
    plain = claimed(gcs, trees, TREES, k=2, m=1, n=0).release
    diverse = claimed(gcs, trees, TREES, k=2, m=1, n=0, l=2)
    assert "a0" in plain.rule["cut"]["A"]
    assert "a0" not in diverse.release.rule["cut"]["A"]
    assert diverse.claim.check(diverse.release.trees)


def test_absences_generalize_what_presence_would_not():
    # five hold a0, one not: who knows that a person has no a0 has found one
    trees = Trees.of([*[[("A", "a0"), ("D", "d0")]] * 5, [("A", "a1"), ("D", "d0")]])
    few = Trees.of([*[[("D", "d0"), ("A", "a0")]] * 5, [("D", "d0")]])
    loose = claimed(gcs, few, TREES, k=2, m=1, n=0)
    assert "a0" in loose.release.rule["cut"]["A"]
    strict = claimed(gcs, trees, TREES, k=2, m=1, n=0, negations=("A",))
    assert strict.claim.check(strict.release.trees)
    with pytest.raises(InfeasibleError, match="leave negations out"):
        claimed(gcs, few, TREES, k=2, m=1, n=0, negations=("A",))


def test_m_wider_than_a_word_is_refused():
    values = [f"v{i}" for i in range(methods._WIDEST + 1)]
    wide = {"A": Hierarchy.from_paths("A", [[value, "*"] for value in values])}
    trees = Trees.of([[("A", value) for value in values]] * 2)
    assert claimed(gcs, trees, wide, k=2, m=methods._WIDEST, n=1).release.trees.n == 2
    with pytest.raises(InputError, match="give m of at most 11"):
        claimed(gcs, trees, wide, k=2, m=methods._WIDEST + 1)


def test_a_synopsis_stays_valid_when_a_finer_one_is_asked_for():
    trees = Trees.of([[("A", "a0", ("B", "b0"))], [("A", "a1", ("B", "b1"))], [("A", "a0")], [("A", "a2")]])
    space = Space(trees, Nodes.of("test", trees, TREES))
    coarse = space.synopsis(tuple(space.values.roots))
    told = space_rpd(space, coarse)
    fine = space.synopsis(tuple(space.values.names.index(name) for name in ("a0", "a1", "a2", "b0", "b1")))
    assert len(fine.up) > len(coarse.up)
    assert space_rpd(space, coarse) == told


@settings(max_examples=15)
@given(records=strategies.trees(min_records=3), k=st.integers(1, 3), g=st.integers(1, 2))
def test_the_order_of_waiting_cuts_changes_no_search_to_its_end(records, k, g):
    made = []
    for order in ("dives", "cheapest"):
        try:
            made.append(
                claimed(gcs, Trees.of(records), TREES, k=k, m=2, n=1, g=g, order=order, patience=None)
            )
        except InfeasibleError:
            return
    first, second = ((one.trace["cuts"], one.trace["cost"]) for one in made)
    assert first == second


@settings(max_examples=15)
@given(records=strategies.trees(min_records=3), k=st.integers(1, 3))
def test_cuts_below_dearer_ones_are_looked_at_only_where_all_are_followed(records, k):
    try:
        made = [
            claimed(acs, Trees.of(records), TREES, k=k, m=2, n=1, follow=way) for way in ("all", "cheaper")
        ]
    except InfeasibleError:
        return
    (more, least), (fewer, cost) = ((one.trace["cuts"], one.trace["cost"]) for one in made)
    assert more >= fewer
    assert least <= cost


def test_words_that_a_search_does_not_know_are_refused():
    for act, given_ in ((gcs, {"order": "deepest"}), (acs, {"follow": "some"})):
        with pytest.raises(InputError, match="must be one of"):
            claimed(act, MANY, TREES, k=2, **given_)


def test_the_price_of_detail_is_the_loss_of_the_release():
    records = [[("ward", w, ("ill", i))] for w in "AB" for i in ("flu", "cough", "gout", "gout")]
    trees = Trees.of([*records, [("ward", "A")], [("ward", "A")]])
    hierarchies = {
        "ward": Hierarchy.from_paths("ward", [["A", "*"], ["B", "*"]]),
        "ill": Hierarchy.from_paths(
            "ill", [["flu", "lung", "*"], ["cough", "lung", "*"], ["gout", "gout", "*"]]
        ),
    }
    made = claimed(gcs, trees, hierarchies, k=2, m=2, n=1, cost="ncp")
    nodes = Nodes.of("test", trees, hierarchies)
    assert made.trace["cost"] == pytest.approx(tree_ncp(made.release, trees, nodes))
    assert 0 < made.trace["cost"] < 1
