"""Methods of record trees under their claim, on small random trees."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies_trees
from claiming import claimed
from shoal.algorithms.trees.gcs import acs, gcs, ocs
from shoal.data import Trees
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.trees import KMNAnonymity
from shoal.utility.trees import tree_ncp

CHOSEN = {"gcs": gcs, "acs": acs, "ocs": ocs}


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("scope", ["class", "pair"])
@settings(max_examples=25, deadline=None)
@given(
    records=strategies_trees.trees(min_records=2),
    k=st.integers(1, 3),
    m=st.integers(1, 3),
    n=st.integers(0, 2),
)
def test_the_claim_passes_its_judge(name, scope, records, k, m, n):
    trees = Trees.of(records)
    options = {} if name == "ocs" else {"scope": scope}
    try:
        result = claimed(CHOSEN[name], trees, strategies_trees.hierarchies(), k=k, m=m, n=n, **options)
    except InfeasibleError:
        return
    verdict = result.claim.check(result.release.trees)
    assert verdict, verdict.sentence
    assert len(result.release.rows) == result.release.trees.n
    assert len(set(result.release.rows.tolist())) == len(result.release.rows)


@settings(max_examples=25, deadline=None)
@given(records=strategies_trees.trees(min_records=3), k=st.integers(2, 3))
def test_every_published_value_covers_one_of_its_record(records, k):
    trees, hierarchies = Trees.of(records), strategies_trees.hierarchies()
    try:
        release = claimed(gcs, trees, hierarchies, k=k).release
    except InfeasibleError:
        return
    out = release.trees
    for place, row in enumerate(release.rows.tolist()):
        held = {trees.values[c] for c in trees.items[trees.start[row] : trees.start[row + 1]]}
        for code in out.items[out.start[place] : out.start[place + 1]].tolist():
            name = out.classes[out.kinds[code]]
            low, high = release.spans[code].tolist()
            covered = set(hierarchies[name].leaves[low:high])
            assert covered & set(_texts(held)), "a published value stands for nothing in its record"


def _texts(held):
    return [value if isinstance(value, str) else value[-1] for value in held]


def test_wrong_numbers_are_refused():
    trees = Trees.of([[("A", "a0")], [("A", "a1")]])
    tree = {"A": Hierarchy.from_paths("A", [["a0", "*"], ["a1", "*"]])}
    with pytest.raises(InfeasibleError, match="k=5"):
        claimed(gcs, trees, tree, k=5)
    with pytest.raises(InputError):
        claimed(gcs, trees, tree, k=0)
    with pytest.raises(InputError):
        claimed(gcs, trees, {}, k=2)


def test_the_price_of_detail_is_the_loss_of_the_release():
    records = [[("ward", w, ("ill", i))] for w in "AB" for i in ("flu", "cough", "gout", "gout")]
    trees = Trees.of([*records, [("ward", "A")], [("ward", "A")]])
    hierarchies = {
        "ward": Hierarchy.from_paths("ward", [["A", "*"], ["B", "*"]]),
        "ill": Hierarchy.from_paths(
            "ill", [["flu", "lung", "*"], ["cough", "lung", "*"], ["gout", "gout", "*"]]
        ),
    }
    made = gcs(trees, hierarchies, KMNAnonymity(2, 2, 1), cost="ncp")
    nodes = Nodes.of("test", trees, hierarchies)
    assert made.trace["cost"] == pytest.approx(tree_ncp(made.release, trees, nodes))
    assert 0 < made.trace["cost"] < 1
