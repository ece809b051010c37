import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.lattice.cube import Lattice

heights = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(heights)
@settings(max_examples=30)
def test_numbers_count_the_nodes_in_order(heights):
    lattice = Lattice(heights)
    nodes = list(lattice.nodes())
    assert nodes == sorted(nodes)
    assert len(nodes) == lattice.size
    assert [lattice.number(node) for node in nodes] == list(range(lattice.size))
    assert [lattice.levels(i) for i in range(lattice.size)] == nodes
    assert (nodes[0], nodes[-1]) == (lattice.bottom, lattice.top)


@given(heights)
@settings(max_examples=30)
def test_neighbours_differ_by_one_level(heights):
    lattice = Lattice(heights)
    for node in lattice.nodes():
        above = {
            m
            for m in lattice.nodes()
            if sum(b - a for a, b in zip(node, m, strict=True)) == 1
            and all(b >= a for a, b in zip(node, m, strict=True))
        }
        assert set(lattice.above(node)) == above
        assert all(node in lattice.below(m) for m in above)
        assert len(list(lattice.below(node))) == sum(level > 0 for level in node)


@given(heights, st.data())
@settings(max_examples=40)
def test_one_rank_down_are_the_nodes_with_all_generalizations_present(heights, data):
    lattice = Lattice(heights)
    rank = data.draw(st.integers(0, sum(heights)))
    above = [node for node in lattice.nodes() if sum(node) == rank]
    kept = data.draw(st.lists(st.sampled_from(above), unique=True))
    reach = {node: data.draw(st.integers(0, 9)) for node in kept}
    numbers = sorted(lattice.number(node) for node in kept)
    expected = {
        lattice.number(node): min(reach[up] for up in lattice.above(node))
        for node in lattice.nodes()
        if sum(node) == rank - 1 and all(up in reach for up in lattice.above(node))
    }
    if numbers:
        reached = np.array([reach[lattice.levels(number)] for number in numbers])
        found, least = lattice.next_below(np.array(numbers), reached)
        assert dict(zip(found.tolist(), least.tolist(), strict=True)) == expected
        assert found.tolist() == sorted(expected)
