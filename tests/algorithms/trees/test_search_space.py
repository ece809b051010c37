import strategies_trees as strategies
from shoal.algorithms.trees.cut_prices import rpd
from shoal.algorithms.trees.search_space import Space
from shoal.data import Trees
from shoal.hierarchy.nodes import Nodes

TREES = strategies.hierarchies()


def test_a_synopsis_stays_valid_when_a_finer_one_is_asked_for():
    trees = Trees.of([[("A", "a0", ("B", "b0"))], [("A", "a1", ("B", "b1"))], [("A", "a0")], [("A", "a2")]])
    space = Space(trees, Nodes.of("test", trees, TREES))
    coarse = space.synopsis(tuple(space.values.roots))
    told = rpd(space, coarse)
    fine = space.synopsis(tuple(space.values.names.index(name) for name in ("a0", "a1", "a2", "b0", "b1")))
    assert len(fine.up) > len(coarse.up)
    assert rpd(space, coarse) == told
