"""Methods under the claim that counts nodes: what they make is judged by the slow twin."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from shoal.algorithms import find_method
from shoal.algorithms.trees import repeats as module
from shoal.algorithms.trees.recoding import apply_tree_recoding
from shoal.algorithms.trees.repeats import find_limits, limit_nodes
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.privacy.trees import KMNAnonymity
from shoal.shapes.trees.verification import tree_truth

METHODS = ("gcs", "acs", "ocs", "miracle")


def _made(name, records, claim, secret=None):
    trees = Trees.of(records, secret, repeats=True)
    hierarchies = {kind: tree for kind, tree in strategies.hierarchies().items() if kind != secret}
    try:
        return trees, hierarchies, find_method(name).load()(trees, hierarchies, claim).release
    except InfeasibleError:
        assume(False)


@pytest.mark.parametrize("name", METHODS)
@given(strategies.trees(min_records=3), st.integers(2, 3), st.integers(1, 4), st.integers(0, 2))
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_what_methods_make_keeps_both_claims_by_the_definition_and_is_true(name, records, k, m, n):
    assume(any(records))
    trees, hierarchies, release = _made(name, records, KMNAnonymity(k, m, n, repeats="keep"))
    shown = list(release.trees.nested())
    assert not naive.broken(shown, k, m, n)
    assert not naive.broken_by_nodes(shown, k, m, n)[0]
    assert tree_truth(release.trees, trees, hierarchies, release.rows)
    for row, one in zip(release.rows.tolist(), shown, strict=True):
        assert len(naive.nodes(one)[0]) <= len(naive.nodes(records[row])[0])


@given(strategies.trees(min_records=4), st.sampled_from("BD"), st.integers(2, 3), st.integers(0, 2))
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_secrets_stay_diverse_for_whoever_counts(records, secret, m, n):
    kinds = {label[0] for one in records for label in naive.labels(one)}
    assume(secret in kinds and kinds - {secret})
    claim = KMNAnonymity(2, m, n, 2, secret, repeats="keep")
    _, _, release = _made("gcs", records, claim, secret)
    shown = list(release.trees.nested())
    assert not naive.broken(shown, 2, m, n, secret, l=2)
    assert not naive.broken_by_nodes(shown, 2, m, n, secret, l=2)[0]


WARDS = {
    name: Hierarchy.from_paths(name, [[value, "*"] for value in values])
    for name, values in (("ward", "AB"), ("ill", ("flu", "gout")))
}
ROW = ("ward", "A", ("ill", "flu"))


def test_rows_that_many_have_twice_stay_apart_and_those_of_few_are_limited():
    keep = KMNAnonymity(2, 2, 1, repeats="keep")
    many = (
        find_method("gcs").load()(Trees.of([[ROW, ROW]] * 2 + [[ROW]] * 2, repeats=True), WARDS, keep).release
    )
    assert [len(one) for one in many.trees.nested()] == [2, 2, 1, 1]
    assert "limits" not in many.rule
    few = Trees.of([[ROW, ROW]] + [[ROW]] * 3, repeats=True)
    made = find_method("gcs").load()(few, WARDS, keep).release
    assert list(made.trees.nested()) == [(ROW,)] * 4
    assert made.rule["limits"] == [[["ward", "A"], 1], [["ill", "flu"], 1]]
    assert made.suppressed == 2
    again = apply_tree_recoding("recoding", few, WARDS, made.rule)
    assert again.trees.same(made.trees)


def test_a_value_whose_relations_become_rare_by_a_limit_is_left_out():
    other = ("ward", "A", ("ill", "gout"))
    records = [[ROW, other], [("ill", "flu"), other], [ROW, ("ill", "gout")]]
    claim = KMNAnonymity(2, 2, 1, repeats="keep")
    trees = Trees.of(records, repeats=True)
    assert not naive.broken(records, 2, 2, 1)
    limits = find_limits([trees], claim)
    assert limits == [[["ward", "A"], 0]]
    assert list(limit_nodes(trees, limits).nested()) == [(("ill", "flu"), ("ill", "gout"))] * 3


def test_absences_are_known_beside_sets_of_nodes():
    """Three have flu twice in one ward, three in two wards; one of each has no gout, as nobody else."""
    inside, apart = [("ward", "A", ("ill", "flu"), ("ill", "flu"))], [ROW, ROW]
    records = [inside, apart] + [[*one, ("ill", "gout")] for one in (inside, inside, apart, apart)]
    claim = KMNAnonymity(2, 3, 2, negations=("ill",), repeats="keep")
    for name in ("gcs", "ocs"):
        shown = list(
            find_method(name).load()(Trees.of(records, repeats=True), WARDS, claim).release.trees.nested()
        )
        assert not naive.broken_by_nodes(shown, 2, 3, 2, negations=("ill",))[0]
        assert not naive.broken(shown, 2, 3, 2, negations=("ill",))


def test_three_nodes_with_two_relations_are_counted_one_by_one_and_refused_where_they_are_too_many(
    monkeypatch,
):
    """Who knows both illnesses of one ward tells the first two from the others; by values all are alike."""
    one, two = [(*ROW, ("ill", "gout"))], [ROW, ("ward", "A", ("ill", "gout"))]
    trees, claim = Trees.of([one, *[two] * 3], repeats=True), KMNAnonymity(2, 3, 2, repeats="keep")
    assert KMNAnonymity(2, 3, 1, repeats="keep").check(Trees.of([two] * 3, repeats=True))
    assert not claim.check(trees)
    made = find_method("gcs").load()(trees, WARDS, claim)
    assert claim.check(made.release.trees)
    assert made.trace["limited"]
    monkeypatch.setattr(module, "MOST_SETS", 20)
    with pytest.raises(InputError, match="the records hold 49 sets of up to 3 nodes, and 6 are checked"):
        find_method("gcs").load()(trees, WARDS, claim)
    made = find_method("miracle").load()(trees, WARDS, claim)
    assert claim.check(made.release.trees)


def test_what_merges_releases_the_paper_s_trees():
    trees = Trees.of([[ROW, ROW]] * 3, repeats=True)
    for name in METHODS:
        release = find_method(name).load()(trees, WARDS, KMNAnonymity(2, 2, 1)).release
        assert not release.trees.repeats
        assert np.diff(release.trees.start).tolist() == [2, 2, 2]
