import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees as strategies
from claiming import claimed
from shoal.algorithms.trees.gcs import acs
from shoal.algorithms.trees.miracle import miracle
from shoal.algorithms.trees.recoding import apply_tree_recoding
from shoal.base.errors import InfeasibleError
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.privacy import trees as judge
from shoal.privacy.trees import KMNAnonymity, judge_known_recoding


def codes(trees, hierarchies):
    """The leaf code of each value."""
    return np.array(
        [
            hierarchies[trees.classes[kind]].look_up([value])[0]
            for kind, value in zip(trees.kinds, trees.values, strict=True)
        ],
        dtype=np.int32,
    )


def subsequences(records):
    """The classes along a path that could have been there."""
    found = set()
    for one in records:
        for path in naive.paths(one):
            kinds = [kind for kind, _ in path]
            found |= {
                tuple(kind for place, kind in enumerate(kinds) if bits >> place & 1)
                for bits in range(1, 1 << len(kinds))
            }
    return sorted(found)


@given(
    strategies.trees(min_records=2, max_records=6),
    st.integers(2, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from(["class", "pair"]),
)
@settings(max_examples=40)
def test_agrees_with_originals_that_are_built_and_recoded(records, k, m, n, scope):
    trees, hierarchies = Trees.of(records), strategies.hierarchies()
    try:
        result = claimed(acs, trees, hierarchies, k=k, m=m, n=n, patience=20, scope=scope)
    except InfeasibleError:
        return
    up = {}
    for kind, value in zip(trees.kinds, trees.values, strict=True):
        name = trees.classes[kind]
        cut, tree = result.release.rule["cut"][name], hierarchies[name]
        leaf = tree.look_up([value])[0]
        over = [tree.labels[level][tree.up[leaf, level]] for level in range(tree.height + 1)]
        up[name, value] = None if cut is None else next((name, label) for label in over if label in cut)
    verdict = judge_known_recoding(trees, codes(trees, hierarchies), result.release, result.claim)
    expected = naive.anonymity_for_who_knows_the_recoding(
        records,
        up,
        result.release.rule["disassociations"],
        m,
        n,
        subsequences([naive.generalize(one, up) for one in records]),
    )
    assert verdict.judged
    assert verdict.reached == {"k": expected}
    assert bool(verdict) == (expected >= k)
    if scope == "class":
        assert verdict, verdict.sentence


HOSPITALS = {
    "hospital": Hierarchy.from_paths("hospital", [["H1", "*"], ["H2", "*"]]),
    "ill": Hierarchy.from_paths("ill", [["flu", "*"], ["gastritis", "*"]]),
}
CUT = {"hospital": ["H1", "H2"], "ill": ["flu", "gastritis"]}


@pytest.mark.parametrize(
    ("above", "witnesses"), [(["hospital", "H2"], (1,)), ("hospital", ())], ids=["pair", "class"]
)
def test_the_fingerprint_of_a_cut_pair(above, witnesses):
    both = [("hospital", "H1", ("ill", "gastritis")), ("hospital", "H2", ("ill", "flu"))]
    trees = Trees.of([[("hospital", "H2", ("ill", "gastritis"))], both, both])
    rule = {"cut": CUT, "disassociations": [[above, ["ill", "gastritis"]]]}
    release, claim = apply_tree_recoding("test", trees, HOSPITALS, rule), KMNAnonymity(2, 2, 1)
    assert claim.check(release.trees)
    verdict = judge_known_recoding(trees, codes(trees, HOSPITALS), release, claim)
    assert verdict.witnesses == witnesses
    assert bool(verdict) == (not witnesses)


def test_what_is_too_large_is_not_judged(monkeypatch):
    trees = Trees.of([[("hospital", "H1", ("ill", "flu"))]] * 3)
    release = apply_tree_recoding("test", trees, HOSPITALS, {"cut": CUT, "disassociations": []})
    claim, leaves = KMNAnonymity(3, 2, 1), codes(trees, HOSPITALS)
    assert judge_known_recoding(trees, leaves, release, claim)
    for limit in ("_DEEPEST", "_MOST_NODES", "_MOST_PATHS", "_MOST_LOOKS"):
        with monkeypatch.context() as patch:
            patch.setattr(judge, limit, 1)
            assert not judge_known_recoding(trees, leaves, release, claim).judged


def test_too_many_pieces_of_knowledge_are_not_judged(monkeypatch):
    trees = Trees.of([[("hospital", "H1", ("ill", ill))] for ill in ("flu", "flu", "gastritis")])
    release = apply_tree_recoding("test", trees, HOSPITALS, {"cut": CUT, "disassociations": []})
    claim, leaves = KMNAnonymity(1, 2, 1), codes(trees, HOSPITALS)
    judged = [
        limit for limit in range(100) if _judged_within(monkeypatch, limit, trees, leaves, release, claim)
    ]
    assert judged == list(range(judged[0], 100))
    assert judged[0] > 0


def _judged_within(monkeypatch, limit, *given):
    monkeypatch.setattr(judge, "_MOST_LOOKS", limit)
    return judge_known_recoding(*given).judged


def test_a_local_recoding_is_not_judged():
    trees = Trees.of([[("hospital", "H1", ("ill", "flu"))]] * 3)
    made = claimed(miracle, trees, HOSPITALS, k=3)
    assert not judge_known_recoding(trees, codes(trees, HOSPITALS), made.release, made.claim).judged


def test_sensitive_values_are_not_known():
    trees = Trees.of([[("hospital", "H1", ("ill", value))] for value in ("flu", "gout", "flu")], "ill")
    release = apply_tree_recoding(
        "test", trees, HOSPITALS, {"cut": {"hospital": ["H1", "H2"]}, "disassociations": []}
    )
    leaves = np.array([0, -1, -1], dtype=np.int32)
    assert judge_known_recoding(trees, leaves, release, KMNAnonymity(3, 2, 1, sensitive="ill"))


def test_where_nothing_can_be_known_the_least_found_is_nobody():
    trees = Trees.of([[("ill", value)] for value in ("flu", "gout", "flu")], "ill")
    release = apply_tree_recoding("test", trees, HOSPITALS, {"cut": {}, "disassociations": []})
    leaves = np.array([-1, -1], dtype=np.int32)
    said = judge_known_recoding(trees, leaves, release, KMNAnonymity(3, 2, 1, sensitive="ill"))
    assert said.reached == {"k": 0}


def test_how_much_there_is_to_look_at():
    """Three values, all above each other: six sets of up to two of them, with each its three relations and none."""
    path = (("a", "1"), ("b", "2"), ("c", "3"))
    assert judge._count_looks({path[:1], path[:2], path}, 2) == 6 * (1 + 3)
    assert judge._count_looks({path[:1], path[1:2], path[2:]}, 2) == 6
