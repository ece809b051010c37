"""Attackers who know some values and relations, beside their slow twins and against every method of record trees."""

import operator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import naive_attacks_items as naive
import strategies_trees
import tree_cases
from claiming import claimed
from item_attack_cases import as_trees, near, tree_view, whose
from shoal.algorithms import METHODS
from shoal.attacks.players_facts import play_trees
from shoal.attacks.view_trees import TreeView
from shoal.base.errors import InfeasibleError
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.io.config import load
from shoal.jobs.demo import releases as demo
from shoal.privacy import KMNAnonymity
from shoal.shapes.registry import open_dataset

law = settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
MAKERS = [name for name, found in METHODS.items() if found.kind == "trees"]
every_maker = pytest.mark.parametrize("name", MAKERS)


def played(view, claim, **options):
    """What each attacker reached, by name."""
    return {found.name: found for found in play_trees(view, claim, **options)}


def made(name, records, hierarchies, secret=None, **options):
    """A release beside its originals; discarded where there is none."""
    trees = as_trees(records, secret, repeats=options.get("repeats") == "keep")
    assume(len(trees.classes) > (trees.sensitive is not None))
    assume(secret is None or trees.sensitive == secret)
    known = {kind: tree for kind, tree in hierarchies.items() if kind in trees.classes and kind != secret}
    try:
        result = claimed(METHODS[name].load(), trees, known, **options)
    except InfeasibleError:
        assume(False)
    view = tree_view(trees, result.release, known, secret, options.get("negations", ()))
    return view, list(result.release.trees.nested()), tree_cases.covering(known, secret)


@every_maker
@law
@given(tree_cases.trees, tree_cases.hierarchies(), tree_cases.numbers)
def test_finding_is_what_the_twin_finds_and_stays_within_the_bound(name, records, hierarchies, numbers):
    view, rows, stands = made(name, records, hierarchies, **numbers)
    k, m, n = numbers["k"], numbers["m"], numbers["n"]
    found = played(view, KMNAnonymity(k, m, n))
    plain = records, rows, whose(view)
    assert near(found["m-values-n-relations"], naive.finding_trees(*plain, m, n, stands))
    assert found["m-values-n-relations"].inside
    assert found["m-values-n-relations"].kept
    assert near(found["one-more-value"], naive.finding_trees(*plain, m + 1, n, stands))
    if m > 1 and n + 1 <= m * (m - 1) // 2:
        assert near(found["one-more-relation"], naive.finding_trees(*plain, m, n + 1, stands))
    for kind in ("values", "groups"):  # absences only help
        names = ["m-values-n-relations", *(f"absent-{kind}-{many}" for many in (1, 2, 3, 4))]
        chances = [found[one].chances for one in names if one in found]
        assert all((after >= before - 1e-9).all() for before, after in pairwise(chances))


@every_maker
@law
@given(tree_cases.trees, tree_cases.hierarchies(), st.integers(1, 2), st.integers(0, 1))
def test_counting_is_what_the_twin_finds(name, records, hierarchies, m, n):
    view, rows, stands = made(name, records, hierarchies, k=2, m=m, n=n)
    own = whose(view)

    def also(count):
        return lambda person, row: count(rows[row]) == count(rows[own[person]])

    def size(tree):
        return len(list(naive.nodes(tree)))

    def fan(tree):
        return max(len(tree), *(fan(node[2:]) for node in tree)) if tree else 0

    found = played(view, KMNAnonymity(2, m, n))
    assert near(found["record-size"], naive.finding_trees(records, rows, own, m, n, stands, also=also(size)))
    assert near(found["fan-out"], naive.finding_trees(records, rows, own, m, n, stands, also=also(fan)))
    by_field = [
        naive.finding_trees(
            records, rows, own, m, n, stands,
            also=also(lambda tree, field=field: sum(kind == field for (kind, _), _ in naive.nodes(tree))),
        )
        for field in "ABCD"
    ]  # fmt: skip
    assert near(found["visits"], np.max(by_field, axis=0).tolist())


@pytest.mark.parametrize("name", ["gcs", "acs"])
@law
@given(tree_cases.trees, tree_cases.hierarchies(), st.integers(1, 2))
def test_negations_of_the_claim_stay_within_the_bound(name, records, hierarchies, m):
    assume(any(kind == "A" for record in records for (kind, _), _ in naive.nodes(record)))
    view, _, _ = made(name, records, hierarchies, k=2, m=m, n=1, negations=("A",))
    found = played(view, KMNAnonymity(2, m, 1, negations=("A",)))
    plain = TreeView(view.original, view.released, view.hierarchies, view.own)
    without = played(plain, KMNAnonymity(2, m, 1))
    assert found["m-values-n-relations"].kept
    more = found["m-values-n-relations"].chances - without["m-values-n-relations"].chances
    assert (more >= -1e-9).all()


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "miracle"])
@law
@given(tree_cases.trees, tree_cases.hierarchies(), st.integers(1, 2), st.integers(0, 1))
def test_telling_is_what_the_twin_tells_and_stays_within_the_bound(name, records, hierarchies, m, n):
    view, rows, stands = made(name, records, hierarchies, "D", k=2, m=m, n=n, l=2)
    found = played(view, KMNAnonymity(2, m, n, l=2, sensitive="D"))
    plain = records, rows, whose(view)
    assert near(found["m-values-n-relations"], naive.finding_trees(*plain, m, n, stands, "D"))
    by_values = naive.telling_trees(*plain, m, n, stands, "D")
    by_forms = naive.telling_trees_by_forms(*plain, m, n, "D")
    shares = [max(both) for both in zip(by_values, by_forms, strict=True)]
    assert bool(shares) == ("inference" in found)
    if shares:
        assert near(found["sensitive-values-within-l"], shares)
        assert found["sensitive-values-within-l"].kept
        assert near(found["homogeneity"], [float(share == 1) for share in shares])


@every_maker
@settings(law, max_examples=20)
@given(
    strategies_trees.trees(min_records=2, max_records=8),
    tree_cases.hierarchies(),
    st.integers(1, 3),
    st.integers(0, 1),
    st.sampled_from(["D", None]),
)
def test_whoever_counts_nodes_is_the_twin_and_stays_within_the_bound(
    name, records, hierarchies, m, n, secret
):
    """Where a value has several forms (miracle), more rows may fit what is known than the twin says."""
    assume(max(len(list(naive.nodes(one))) for one in records) <= 6)
    secret = None if name == "miracle" else secret
    l = None if secret is None else 2
    view, rows, stands = made(name, records, hierarchies, secret, k=2, m=m, n=n, l=l, repeats="keep")
    claim = KMNAnonymity(2, m, n, l=l, sensitive=secret, repeats="keep")
    found = played(view, claim)
    own = whose(view)
    for attacker, known in (("m-nodes-n-relations", m), ("one-more-node", m + 1)):
        twin = [chance for chance, _ in naive.finding_nodes(records, rows, own, known, n, stands, secret)]
        assert near(found[attacker], twin) or (name == "miracle" and (found[attacker].chances <= twin).all())
    forms = naive.finding_nodes([rows[row] for row in own], rows, own, m, n, operator.eq, secret)
    assert near(found["m-published-nodes"], [chance for chance, _ in forms])
    assert max(chance for chance, _ in forms) <= 1 / 2
    assert all(one.kept for one in found.values() if one.inside)
    if "sensitive-values-by-nodes-within-l" in found:
        told = naive.finding_nodes(records, rows, own, m, n, stands, secret)
        shares = [share for (_, share), record in zip(told, records, strict=True) if _has(record, secret)]
        assert near(found["sensitive-values-by-nodes-within-l"], shares)


def _has(record, secret):
    return any(kind == secret for (kind, _), _ in naive.nodes(record))


WARD = Hierarchy.from_paths(
    "ward", [["A", "north", "*"], ["B", "north", "*"], ["C", "south", "*"], ["D", "south", "*"]]
)
ILL = Hierarchy.from_paths("ill", [["flu", "*"], ["gout", "*"]])


def view_of(people, rows):
    return TreeView(Trees.of(people), Trees.of(rows), {"ward": WARD, "ill": ILL}, np.arange(len(people)))


def test_the_form_in_which_a_value_was_published_may_tell_what_the_value_does_not():
    """Both have ward A, one of them as the north; only the other row shows flu."""
    people = [[("ward", "A"), ("ill", "flu")], [("ward", "A"), ("ill", "gout")]]
    rows = [people[0], [("ward", "north"), ("ill", "gout")]]
    trees, shown = Trees.of(people, "ill"), Trees.of(rows, "ill")
    view = TreeView(trees, shown, {"ward": WARD}, np.arange(2), "ill")
    found = played(view, KMNAnonymity(1, 1, 0, l=2, sensitive="ill"))
    assert naive.telling_trees(
        people, rows, [0, 1], 1, 0, lambda a, b: a == b or a == ("ward", "north"), "ill"
    ) == [0.5, 0.5]
    assert found["sensitive-values-within-l"].chances.tolist() == [1.0, 1.0]
    assert found["sensitive-values-within-l"].kept is False


def test_values_in_published_form_fit_trees_that_publish_the_same():
    finer, coarse = [("ward", "A", ("ill", "flu"))], [("ward", "north", ("ill", "flu"))]
    view = view_of([finer] * 3, [coarse, coarse, finer])
    found = played(view, KMNAnonymity(2, 2, 1))["m-published-values"]
    assert found.chances.tolist() == pytest.approx([1 / 2, 1 / 2, 1])
    assert found.kept is False


def test_a_relation_tells_more_than_its_values():
    """All three have flu and ward A, but only the last one not in it."""
    inside, outside = [("ward", "A", ("ill", "flu"))], [("ward", "A"), ("ill", "flu")]
    view = view_of([inside, inside, outside], [inside, inside, outside])
    assert played(view, KMNAnonymity(2, 2, 0))["m-values-n-relations"].chances.tolist() == [1 / 3] * 3
    found = played(view, KMNAnonymity(3, 2, 1))["m-values-n-relations"]
    assert found.chances.tolist() == [1 / 2, 1 / 2, 1 / 3]
    assert found.kept is False


def test_two_of_a_kind_tell_more_than_one_and_cost_two():
    """All three have flu, the first one twice; whoever may know one node learns no count."""
    twice, once = [("ill", "flu"), ("ill", "flu")], [("ill", "flu")]
    trees = Trees.of([twice, once, once], repeats=True)
    view = TreeView(trees, trees, {"ill": ILL}, np.arange(3))
    assert "m-nodes-n-relations" not in played(view, KMNAnonymity(2, 2, 0))
    found = played(view, KMNAnonymity(2, 1, 0, repeats="keep"))
    assert found["m-nodes-n-relations"].chances.tolist() == [1 / 3] * 3
    assert found["one-more-node"].chances.tolist() == [1, 1 / 3, 1 / 3]
    found = played(view, KMNAnonymity(2, 2, 0, repeats="keep"))
    assert not found["m-nodes-n-relations"].kept
    assert found["m-values-n-relations"].kept


def test_an_absent_value_rules_out_rows_that_show_it_and_a_group_rules_out_its_label():
    people = [
        [("ill", "flu")],
        [("ill", "flu"), ("ward", "C")],
        [("ill", "flu"), ("ward", "D")],
        [("ill", "flu"), ("ward", "C")],
    ]
    rows = [
        [("ill", "flu")],
        [("ill", "flu"), ("ward", "C")],
        [("ill", "flu"), ("ward", "south")],
        [("ill", "flu"), ("ward", "south")],
    ]
    found = played(view_of(people, rows), KMNAnonymity(1, 1, 0))
    assert found["m-values-n-relations"].chances[0] == 1 / 4
    assert found["absent-values-1"].chances[0] == found["absent-values-4"].chances[0] == 1 / 3
    assert found["absent-groups-1"].chances[0] == 1


@pytest.mark.parametrize("rows", [0, 1])
def test_nobody_is_found_whose_row_was_suppressed(rows):
    people = [[("ward", "A", ("ill", "flu"))], [("ward", "B")]]
    own = np.array([0, -1]) if rows else np.array([-1, -1])
    view = TreeView(Trees.of(people), Trees.of(people[:rows]), {"ward": WARD, "ill": ILL}, own)
    found = played(view, KMNAnonymity(2, 1, 1))
    assert len(found) >= 6
    assert all(one.chances[1] == 0 and one.chances[0] == rows for one in found.values())


def test_the_demo_trees_are_found_by_their_size_as_was_measured(tmp_path):
    """Two values, a relation and the number of nodes: .54 on average, 303 of 1,000 for certain."""
    demo.write_trees(tmp_path / "patients.ndjson")
    demo._write_tree_hierarchies(tmp_path / "hierarchies")
    (tmp_path / "shoal.toml").write_text(demo.load_invented("trees")["config"])
    data = open_dataset(load(tmp_path / "shoal.toml"))
    made = claimed(METHODS["gcs"].load(), data.trees, data.hierarchies, k=5, m=2, n=1)
    found = played(tree_view(data.trees, made.release, data.hierarchies), made.claim)
    assert found["m-values-n-relations"].highest == 1 / 5
    assert round(found["record-size"].success, 2) == 0.54
    assert found["record-size"].certain == 303
