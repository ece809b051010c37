"""POkA against its printed functions, run without any bookkeeping."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from shoal.algorithms.knobs import suppression_limit
from shoal.algorithms.lattice.cube import Cube, Lattice, prices_of
from shoal.algorithms.lattice.evaluation import Evaluator
from shoal.algorithms.lattice.poka import poka
from shoal.base.errors import InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy


def printed(lattice, value, d, onward=False):
    """Functions 1 to 3 of the paper over `value[levels] = (k, loss)`; a base with too few levels ends at the bottom.

    With `onward` a search that found nothing takes the best of all nodes down to depth d, or of the first depth beyond
    that has any, with less of both.
    """

    def better(best, other):
        return other if other[1] > best[1] or (other[1] == best[1] and other[2] < best[2]) else best

    def gap(base, node):
        gaps = [n - c for n, c in zip(base, node, strict=True)]
        return sum(gaps) if min(gaps) >= 0 else None

    def height(base, node, use):
        best = (node, *value[node]) if use else (None, 0, 0)
        for child in lattice.above(node):
            if (gap(base, child) or 0) > 1:
                found = height(base, child, False)
            elif value[child][0] < value[base][0] and value[child][1] < value[base][1]:
                found = height(base, child, True)
            else:
                found = (None, 0, 0)
            best = better(best, found)
        return best

    def depth(base, node):
        best = (None, 0, 0)
        for child in lattice.below(node):
            if gap(base, child) == d or not any(child):
                found = height(base, child, gap(base, child) == 1)
            else:
                found = depth(base, child)
            best = better(best, found)
        return best

    base, found = lattice.top, [lattice.top]
    while value[base][0] > 2:
        node, *_ = depth(base, base)
        if node is None and onward:
            less = [
                n
                for n in lattice.nodes()
                if gap(base, n) and all(a < b for a, b in zip(value[n], value[base], strict=True))
            ]
            first = max(d, min((gap(base, n) for n in less), default=0))
            node = max(
                sorted((n for n in less if gap(base, n) <= first), key=lambda n: gap(base, n)),
                key=lambda n: (value[n][0], -value[n][1]),
                default=None,
            )
        if node is None:
            break
        base = node
        found.append(node)
    return found


@settings(max_examples=60)
@given(
    case=strategies.cases(min_rows=3),
    d=st.integers(1, 3),
    suppress=st.sampled_from([0.0, 0.2]),
    loss=st.sampled_from(["glm", "dm"]),
    onward=st.booleans(),
)
def test_agrees_with_the_printed_functions(case, d, suppress, loss, onward):
    table, trees = case
    lattice = Lattice.of([trees[column.name] for column in table.quasi])
    result = poka(table, trees, d=d, suppress=suppress, loss=loss, onward=onward)
    evaluated = {}
    cube = Cube.of("test", table, trees)
    look = Evaluator(
        cube, prices_of(loss, cube, table), suppression_limit("test", suppress, cube.n), per_node=True
    )
    for node in lattice.nodes():
        rungs = look(node)
        evaluated[node] = (int(rungs.ks[-1]), round(float(rungs.loss[-1]), 12))
    found = {node: evaluated[node] for node in printed(lattice, evaluated, d, onward)}
    undominated = {
        (k, loss)
        for k, loss in found.values()
        if not any(a >= k and b <= loss and (a, b) != (k, loss) for a, b in found.values())
    }
    assert {p.levels for p in result.points} <= set(found)
    assert [(p.k, p.loss) for p in result.points] == sorted(undominated)


def test_a_depth_below_one_is_refused():
    table = Table((Column.of("a", "quasi", ["x", "y"]),))
    trees = {"a": Hierarchy.from_paths("a", [["x", "*"], ["y", "*"]])}
    with pytest.raises(InputError, match="d=0"):
        poka(table, trees, d=0)
