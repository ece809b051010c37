"""The floor of record trees beside the best of all cuts, and beside what methods lose."""

from itertools import chain, combinations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees
import tree_cases
from claiming import claimed
from shoal.algorithms import METHODS
from shoal.algorithms.itemsets import optimal_cut as module
from shoal.algorithms.trees.search_space import tree_floor
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.privacy import KMNAnonymity
from shoal.utility.trees import tree_ncp

ROUNDING = 2 * module._ROUNDING
OF_ONE_CUT = [name for name, found in METHODS.items() if found.kind == "trees" and found.one_cut]


def cuts(tree):
    """Every cut of a hierarchy: by leaf what it is published as, with its price; and leaving the field out."""
    spans = {tuple(span) for level in tree.spans for span in level.tolist()}

    def below(span):
        yield [span]
        inside = [other for other in spans if other != span and span[0] <= other[0] and other[1] <= span[1]]
        children = [a for a in inside if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in inside)]
        if children:
            yield from ([*chain(*parts)] for parts in product(*map(list, map(below, sorted(children)))))

    yield dict.fromkeys(tree.leaves, (None, 1.0))
    for cut in below((0, tree.size)):
        yield {
            tree.leaves[code]: ((lo, hi), (hi - lo) / tree.size if hi - lo > 1 else 0.0)
            for lo, hi in cut
            for code in range(lo, hi)
        }


def best(records, trees, k, m, secret=None):
    """The least loss of any cuts, one for each field, under which at most m values are in k records or in none."""
    held = [[path[-1] for path in naive.paths(record)] for record in records]
    seen = [sorted({value for value in row if value[0] != secret}) for row in held]
    total, least = sum(map(len, held)), 1.0
    fields = sorted({kind for row in seen for kind, _ in row})
    for chosen in product(*(list(cuts(trees[kind])) for kind in fields)):
        of = dict(zip(fields, chosen, strict=True))
        shown = [
            {(kind, of[kind][value][0]) for kind, value in row if of[kind][value][0] is not None}
            for row in seen
        ]
        paid = sum(of[kind][value][1] for row in held for kind, value in row if kind != secret)
        if total and paid / total < least and _keeps(shown, k, m):
            least = paid / total
    return least if total else 0.0


def _keeps(shown, k, m):
    sets = {some for row in shown for size in range(1, m + 1) for some in combinations(sorted(row), size)}
    return all(sum(row.issuperset(some) for row in shown) >= k for some in sets)


@given(
    strategies_trees.trees(min_records=2), st.integers(1, 4), st.integers(1, 3), st.sampled_from([None, "D"])
)
@settings(max_examples=60)
def test_it_is_the_loss_of_the_best_cut(records, k, m, secret):
    secret = (
        secret if any(path[-1][0] == secret for record in records for path in naive.paths(record)) else None
    )
    trees, hierarchies = Trees.of(records, secret), strategies_trees.hierarchies()
    claim = KMNAnonymity(k, m, 0, sensitive=secret)
    floor = tree_floor(trees, Nodes.of("trees", trees, hierarchies), claim)
    assert floor == pytest.approx(best(records, hierarchies, k, m, secret), abs=ROUNDING)


@given(strategies_trees.trees(min_records=2), st.integers(2, 3), st.integers(1, 2), st.integers(0, 40))
@settings(max_examples=30)
def test_it_holds_where_the_search_is_cut_short(records, k, m, work):
    trees, hierarchies = Trees.of(records), strategies_trees.hierarchies()
    floor = tree_floor(trees, Nodes.of("trees", trees, hierarchies), KMNAnonymity(k, m, 1), work=work)
    assert floor is None or floor <= best(records, hierarchies, k, m) + 1e-12


@pytest.mark.parametrize("repeats", ["merge", "keep"])
@pytest.mark.parametrize("name", OF_ONE_CUT)
@given(tree_cases.trees, tree_cases.hierarchies(), tree_cases.numbers)
@settings(max_examples=20)
def test_no_method_of_one_cut_loses_less(name, repeats, records, hierarchies, numbers):
    trees = Trees.of(records, repeats=repeats == "keep")
    try:
        result = claimed(METHODS[name].load(), trees, hierarchies, repeats=repeats, **numbers)
    except (InfeasibleError, InputError):
        assume(False)
    nodes = Nodes.of("trees", trees, hierarchies)
    assert tree_floor(trees, nodes, result.claim) <= tree_ncp(result.release, trees, nodes) + 1e-12


def test_a_field_that_too_few_hold_is_left_out_and_one_of_one_value_costs_nothing():
    one = {name: Hierarchy.from_paths(name, [["x"]]) for name in "AB"}
    trees = Trees.of([[("A", "x")], [("A", "x"), ("B", "x")]])
    assert tree_floor(trees, Nodes.of("trees", trees, one), KMNAnonymity(2, 1, 0)) == pytest.approx(1 / 3)
    assert tree_floor(trees, Nodes.of("trees", trees, one), KMNAnonymity(1, 1, 0)) == 0


def test_trees_without_nodes_lose_nothing():
    trees = Trees.of([[], []])
    assert tree_floor(trees, Nodes.of("trees", trees, {}), KMNAnonymity(2, 2, 1)) == 0
