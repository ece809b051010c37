"""What a class costs in each way of writing it, and which values it may list: none that too few people hold."""

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.algorithms._kernels import CLIMB, NODE, RANGE, SET
from shoal.algorithms.local.column_prices import (
    NO_PLACE,
    SCALE,
    default_grid,
    node_costs,
    places_from_leaves,
    range_costs,
    rates_of,
    set_costs,
    shares_of,
)
from shoal.algorithms.local.mondrian import kmember, mondrian
from shoal.algorithms.local.mstk import mstk
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import fanout, flat
from shoal.privacy import KAnonymity


@pytest.mark.parametrize("many", [2, 10, 11, 40, 62])
def test_values_are_listed_as_long_as_there_are_bits_for_them(many):
    column = flat("c", [f"v{i:03d}" for i in range(many)])
    scale = set_costs(column, np.repeat(np.arange(many, dtype=np.int32), 3), k=3)
    assert scale is not None
    assert (scale.kind, scale.gone) == (SET, 0)
    assert len(scale.leaf) == many


@pytest.mark.parametrize("method", [mstk, mondrian, kmember])
def test_a_value_of_one_person_is_not_listed_however_many_rows_hold_it(method):
    """Two rows are k = 2 rows, but those of one person: nobody else could be meant by the value."""
    towns = ["b", "b", "a", "a", "a", "a"]
    table = Table((Column.of("town", "quasi", towns),), np.array([0, 0, 1, 1, 2, 2]))
    release = method(table, {"town": flat("town", towns)}, KAnonymity(2), recode="span").release
    assert {"*"} <= {release.forms[0].labels[code] for code in release.codes[:, 0]} <= {"*", "a"}


def whole(share):
    """A share of the highest price, as a whole number."""
    return round(share * SCALE)


def test_a_list_costs_as_many_values_as_it_names():
    column = flat("c", ["a", "b", "c", "d", "e"])
    codes = np.array([0, 0, 2, 2, 2, 4], dtype=np.int32)
    for weight, scale in (
        (1.0, set_costs(column, codes)),
        (0.25, set_costs(column, codes, weight=0.25, k=2)),
    ):
        assert scale.table.tolist()[:4] == [0, 0, whole(weight * 2 / 5), whole(weight * 3 / 5)]
        assert scale.root == whole(weight)
        ((least, key),) = scale.keys
        assert (least, key.tolist()) == (whole(weight * 2 / 5), [0, 1, 2])
        assert scale.leaf.tolist() == [0, 2, 4]
        assert scale.joint.tolist() == [1, 1, 1]
    assert set_costs(column, codes).unnamed.tolist() == [False, False, False]
    rare = set_costs(column, codes, k=2)
    assert (rare.unnamed.tolist(), rare.gone) == ([False, False, True], 0b100)
    assert set_costs(column, codes, k=3).gone == 0b101
    missing = set_costs(column, np.array([0, 5], dtype=np.int32))
    assert (missing.unnamed.tolist(), missing.gone) == ([False, False], 0)
    assert missing.table.tolist() == [0, 0, whole(2 / 5)]
    declared = Hierarchy.from_paths("c", [[leaf, "*"] for leaf in "abcde"])
    assert set_costs(declared, codes, k=3).gone == 0
    ((least, _),) = set_costs(column, codes[:2]).keys
    assert least == 0


def test_more_values_than_bits_cost_their_closest_common_node():
    column = flat("c", [f"v{i:03d}" for i in range(63)])
    codes = np.repeat(np.arange(63, dtype=np.int32), 2)[1:]
    scale = set_costs(column, codes, weight=0.5, k=2)
    assert (scale.kind, scale.root) == (NODE, whole(0.5))
    assert scale.unnamed.tolist() == [True] + [False] * 62


TWIGS = [[f"{a}{b}{c}", f"{a}{b}", a, "*"] for a in "xy" for b in "pq" for c in range(2 + (a == "y"))]


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_a_node_costs_its_share_of_the_leaves(weight):
    tree = Hierarchy.from_paths("c", TWIGS)
    codes = np.array([0, 1, 1, 2, 4, 9, 9], dtype=np.int32)
    scale = node_costs(tree, codes, weight=weight)
    assert (scale.kind, scale.leaf.tolist(), scale.height) == (NODE, [0, 1, 2, 4, 9], 3)
    for i, one in enumerate(scale.leaf):
        for j, other in enumerate(scale.leaf):
            level = next(l for l in range(4) if tree.up[one, l] == tree.up[other, l])
            low, high = tree.spans[level][tree.up[one, level]]
            price = 0 if high - low == 1 else whole(weight * (high - low) / 10)
            assert scale.table[i * 5 + j] == price
    assert scale.root == whole(weight)
    assert scale.joint.tolist()[:4] == [1, 2, 3, 2]
    mean = {3: weight, 2: weight * (4 * 0.4 + 3 * 0.6) / 7, 1: weight * (4 * 0.2 + 3 * 0.3) / 7}
    for (least, key), level in zip(scale.keys, (3, 2, 1), strict=True):
        assert least == pytest.approx(whole(mean[level]), abs=2)
        assert key.tolist() == tree.up[scale.leaf, level - 1].tolist()
    by_level = node_costs(tree, codes, of_level=np.array([0, 5, 7, 11]))
    assert by_level.table.reshape(5, 5)[0].tolist() == [0, 5, 7, 11, 11]


@pytest.mark.parametrize(("many", "kind"), [(256, NODE), (257, CLIMB)])
def test_many_values_are_climbed(many, kind):
    tree = flat("c", [f"v{i:03d}" for i in range(many)])
    scale = node_costs(tree, np.arange(many, dtype=np.int32))
    assert (scale.kind, len(scale.table)) == (kind, many * many if kind == NODE else 4 * many)
    if kind == CLIMB:
        assert scale.table.reshape(4, many)[0].tolist() == list(range(many))
        assert set(scale.table.reshape(4, many)[2].tolist()) == {0}
        assert set(scale.table.reshape(4, many)[3].tolist()) == {SCALE}


@given(
    st.lists(st.decimals(-50, 50, places=1), min_size=2, max_size=8, unique_by=lambda one: one + 0),
    st.sampled_from([None, "5", "0.5", "20", "0.3"]),
    st.booleans(),
)
def test_a_range_costs_its_share_of_the_numbers(numbers, step, gone):
    texts = [f"{one + 0:f}" for one in sorted(numbers)]
    tree = Hierarchy.from_paths("c", [[text, "*"] for text in texts])
    grid = None if step is None else Decimal(step)
    codes = np.arange(tree.size + gone, dtype=np.int32)
    scale = range_costs(tree, codes, grid, weight=0.5)
    order = sorted(range(tree.size), key=lambda code: Decimal(tree.leaves[code]))
    assert scale.leaf.tolist() == [*order, *([tree.size] if gone else [])]
    low, high = min(map(Fraction, texts)), max(map(Fraction, texts))
    below, above, alone = scale.table.reshape(3, -1)
    for place, code in enumerate(order):
        value = Fraction(tree.leaves[code])
        first, last = value, value
        if grid is not None:
            first, last = (cut(value / Fraction(grid)) * Fraction(grid) for cut in (floor, ceil))
        assert tuple(map(Fraction, scale.ends[place])) == (first, last)
        share = [(max(first, low) - low) / (high - low), (min(last, high) - low) / (high - low)]
        assert (below[place], above[place]) == (floor(share[0] * SCALE / 2), ceil(share[1] * SCALE / 2))
        assert alone[place] == 0
    if gone:
        assert (below[-1], above[-1], alone[-1], scale.ends[-1]) == (0, 3 * SCALE // 2, 0, None)
    assert (scale.kind, scale.root) == (RANGE, SCALE // 2)


def test_a_leaf_for_missing_cells_costs_nothing_alone_and_everything_with_a_number():
    tree = Hierarchy.from_paths("c", [["1", "*"], ["?", "*"], ["5", "*"]]).covering(("?",))
    scale = range_costs(tree, np.array([0, 1, 2], dtype=np.int32), None)
    assert scale.leaf.tolist() == [0, 2, 1]
    assert scale.table.reshape(3, 3)[:, 2].tolist() == [0, 3 * SCALE, 0]


def test_what_is_no_range():
    words = Hierarchy.from_paths("c", [["a", "*"], ["b", "*"]])
    assert range_costs(words, np.array([0, 1], dtype=np.int32), None) is None
    one = Hierarchy.from_paths("c", [["1", "*"], ["1.0", "*"]])
    assert range_costs(one, np.array([0, 1], dtype=np.int32), None) is None
    more = Hierarchy.from_paths("c", [["1", "*"], ["1.0", "*"], ["5", "*"]])
    assert range_costs(more, np.array([0, 1, 2], dtype=np.int32), None) is not None


@given(
    st.lists(st.integers(-400, 400), min_size=2, max_size=30, unique=True), st.integers(1, 3), st.booleans()
)
def test_the_grid_of_decimals_is_that_of_whole_numbers_made_smaller(numbers, places, gone):
    """Of numbers that few have: the largest step of which no cell holds more than five of them, or of a hundredth."""
    small = [f"{Decimal(one).scaleb(-places):f}" for one in numbers]
    tree = fanout("c", 5, small)
    codes = np.arange(tree.size + gone, dtype=np.int32)
    found = default_grid(tree, codes, 1_000)
    # the last place to which any of them is given, in units of the grid
    least = max(0, *(-Decimal(one).normalize().as_tuple().exponent for one in small))
    written = max(-Decimal(one).as_tuple().exponent for one in small)
    assert written == places >= least
    units = sorted(numbers)
    domain = units[-1] - units[0]
    steps = [1]
    while steps[-1] < domain:
        steps.append(steps[-1] * 5 // 2 if str(steps[-1])[0] == "2" else 2 * steps[-1])
    cells = {step: [one // step for one in units] for step in steps}
    fits = [step for step in steps[:-1] or steps if max(map(cells[step].count, cells[step])) <= 5]
    finest = next(step for step in steps if 100 * step >= domain)
    assert found == Decimal(max(*fits, finest)).scaleb(-places)


@given(
    st.lists(st.integers(-400, 400), min_size=1, max_size=200),
    st.integers(1, 12),
    st.sampled_from([1, 3, 50]),
)
def test_the_grid_is_no_coarser_than_nine_of_ten_people_need_for_company(numbers, k, times):
    texts = [str(number) for number in sorted(set(numbers))]
    tree = fanout("c", 5, texts)
    codes = np.array([tree.leaves.index(str(number)) for number in numbers] * times, dtype=np.int32)
    few = int(default_grid(tree, codes, 10**9))
    found = int(default_grid(tree, codes, k))
    assert found <= few
    domain = max(numbers) - min(numbers)

    def alone(step):
        cells = [number // step for number in numbers]
        return sum(cells.count(cell) * times < k for cell in cells) / len(cells)

    if found < few:
        assert alone(found) <= 0.1
    if 100 * (found / 2) >= domain and found > 1:
        finer = {"1": found // 2, "2": found // 2, "5": found * 2 // 5}[str(found)[0]]
        assert alone(finer) > 0.1


def test_what_is_left_out_sets_no_grid():
    tree = fanout("c", 5, ["1", "2", "3", "900"])
    assert default_grid(tree, np.array([0, 1, 2], dtype=np.int32), 5) == 1
    assert default_grid(tree, np.array([4], dtype=np.int32), 5) is None  # none but missing cells


def test_weights_are_shares_and_columns_stand_one_after_the_other():
    def table(*weights):
        return Table(tuple(Column.of(f"c{w}{i}", "quasi", ["a"], weight=w) for i, w in enumerate(weights)))

    assert shares_of(table(1.0, 3.0)).tolist() == [0.25, 0.75]
    assert shares_of(table(0.0, 0.0)).tolist() == [0.5, 0.5]
    column = flat("c", ["a", "b", "c", "d", "e"])
    codes = np.array([0, 2, 4, 5], dtype=np.int32)
    scales = [set_costs(column, codes), node_costs(column, codes)]
    rates = rates_of(scales)
    assert rates.at.tolist() == [0, len(scales[0].table)]
    assert rates.size.tolist() == [4, 4]
    assert rates.kind.tolist() == [SET, NODE]
    assert rates.gone.tolist() == [0, 0]
    assert rates.missing.tolist() == [NO_PLACE, NO_PLACE]
    assert rates.height.tolist() == [0, 1]
    assert rates.root.tolist() == [SCALE, SCALE]
    leaves = np.array([[0, 5], [5, 4], [2, 0]], dtype=np.int32)
    assert places_from_leaves(scales, leaves).tolist() == [[0, 3], [3, 2], [1, 0]]
