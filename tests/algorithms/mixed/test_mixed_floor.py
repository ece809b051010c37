import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import itemset_cases
import mixed_cases
from claiming import claimed
from shoal.algorithms import METHODS
from shoal.algorithms.local.boxes import loss_floor
from shoal.algorithms.local.column_prices import shares_of
from shoal.algorithms.mixed.mixed_floor import mixed_floor
from shoal.base.errors import InfeasibleError, InputError
from shoal.data import Baskets, Column, Mixed, Table
from shoal.hierarchy import Hierarchy
from shoal.privacy import KKmAnonymity, KLmDiversity
from shoal.utility.baskets import form_sizes, ncp_items
from shoal.utility.table import ncp

ROUNDING = 1e-9
CHOSEN = [name for name, found in METHODS.items() if found.kind == "mixed"]


def partitions(records, k):
    """Every way to form classes of at least k records."""
    if not records:
        yield []
        return
    first, *rest = records
    for mask in range(1 << len(rest)):
        part = [first, *(record for i, record in enumerate(rest) if mask >> i & 1)]
        if len(part) >= k:
            yield from ([part, *others] for others in partitions([r for r in records if r not in part], k))


def least_of_items(mixed, tree, k):
    """What items lose at least for m = 1, over all classes, all cuts in each, and leaving all of a class out."""
    rows = itemset_cases.baskets(mixed.baskets)

    def paid(part):
        some = [rows[record] for record in part]
        lost = itemset_cases.optimum(Baskets.of("items", some), tree, k, 1) if any(some) else 0
        return sum(map(len, some)) * (1.0 if lost is None else float(lost))

    total = sum(map(len, rows))
    found = min(sum(map(paid, parts)) for parts in partitions(list(range(len(rows))), k))
    return found / total if total else 0.0


@given(mixed_cases.cases(min_rows=2, max_rows=5), st.integers(2, 3))
@settings(max_examples=40)
def test_no_classes_at_all_lose_less_of_their_items(case, k):
    mixed, trees, tree = case
    assume(mixed.n >= k)
    floor = mixed_floor(mixed, trees, tree, KKmAnonymity(k, 1))
    assert floor.items <= least_of_items(mixed, tree, k) + ROUNDING
    assert floor.table == loss_floor(mixed.table, trees, k)
    assert floor.ncp == max((floor.table + floor.items) / 2, floor.together)


def least_of_both(mixed, trees, tree, k, m):
    """What cells and items lose at least together, over all classes, all cuts in each, and leaving all items out."""
    rows = itemset_cases.baskets(mixed.baskets)
    total = max(sum(map(len, rows)), 1)
    columns = [(trees[column.name], trees[column.name].encode(column)) for column in mixed.table.quasi]

    def cells(part, tree, codes):
        nodes = (tree.up[codes[part]][:, level].tolist() for level in range(tree.height + 1))
        level, node = next((level, found[0]) for level, found in enumerate(nodes) if len(set(found)) == 1)
        lo, hi = tree.spans[level][node].tolist()
        return (hi - lo) / tree.size if hi - lo > 1 else 0.0

    def paid(part):
        some = [rows[record] for record in part]
        lost = itemset_cases.optimum(Baskets.of("items", some), tree, k, m) if any(some) else 0
        items = sum(map(len, some)) * (1.0 if lost is None else float(lost)) / total
        table = sum(
            share * cells(part, *one) for share, one in zip(shares_of(mixed.table), columns, strict=True)
        )
        return (items + len(part) * table / len(rows)) / 2

    return min(sum(map(paid, parts)) for parts in partitions(list(range(len(rows))), k))


@given(
    mixed_cases.cases(min_rows=3, max_rows=6),
    st.integers(2, 3),
    st.integers(1, 3),
    st.sampled_from([0, 12, 1 << 20]),
)
@settings(max_examples=60)
def test_no_classes_at_all_lose_less_of_both(case, k, m, work):
    mixed, trees, tree = case
    floor = mixed_floor(mixed, trees, tree, KKmAnonymity(k, m), work=work)
    assert floor.ncp <= least_of_both(mixed, trees, tree, k, m) + ROUNDING


def test_both_together_lose_more_than_each_alone():
    sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    tree = Hierarchy.from_paths("x", [["a", "*"], ["b", "*"]])
    mixed = Mixed(
        Table((Column.of("sex", "quasi", list("fmfm")),)), Baskets.of("x", [["a"], ["a"], ["b"], ["b"]])
    )
    floor = mixed_floor(mixed, {"sex": sex}, tree, KKmAnonymity(2, 1))
    assert floor == (0, 0, pytest.approx(1 / 2))  # either all cells or all items
    assert floor.ncp == pytest.approx(least_of_both(mixed, {"sex": sex}, tree, 2, 1))


@pytest.mark.parametrize("name", CHOSEN)
@given(
    mixed_cases.cases(min_rows=2, sensitive=True),
    st.integers(2, 4),
    st.integers(1, 2),
    st.sampled_from([0, 2]),
)
@settings(max_examples=15)
def test_no_method_loses_less(name, case, k, m, l):
    mixed, trees, tree = case
    numbers = {"k": k, "m": m, **({"l": l} if l else {})}
    try:
        result = claimed(METHODS[name].load(), mixed, trees, tree, **numbers)
    except (InfeasibleError, InputError):
        assume(False)
    baskets = result.release.baskets
    exempt = mixed.baskets.sensitive if l else ()
    lost = ncp_items(baskets, mixed.baskets, form_sizes(baskets.forms, tree), tree.size, exempt=exempt)
    floor = mixed_floor(mixed, trees, tree, result.claim)
    assert floor.items <= lost + ROUNDING
    cells = ncp(result.release.table, trees)
    assert floor.table <= cells + ROUNDING
    assert floor.ncp <= (lost + cells) / 2 + ROUNDING


def test_sensitive_items_cost_nothing_where_the_claim_exempts_them():
    sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    ills = Hierarchy.from_paths("ills", [["flu", "*"], ["HIV", "*"]])
    people = Table((Column.of("sex", "quasi", list("fffm")),))
    mixed = Mixed(people, Baskets.of("ills", [["flu"], ["flu"], ["flu"], ["HIV"]], ["HIV"]))
    assert mixed_floor(mixed, {"sex": sex}, ills, KKmAnonymity(2, 1)).items == pytest.approx(1 / 4)
    assert mixed_floor(mixed, {"sex": sex}, ills, KLmDiversity(2, 2, 1)).items == 0
    assert mixed_floor(mixed, {"sex": sex}, ills, KLmDiversity(2, 2, 1)).table == pytest.approx(1 / 4)


def test_without_items_they_lose_nothing():
    sex = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
    mixed = Mixed(Table((Column.of("sex", "quasi", list("ff")),)), Baskets.of("x", [[], []]))
    tree = Hierarchy.from_paths("x", [["a", "*"], ["b", "*"]])
    assert mixed_floor(mixed, {"sex": sex}, tree, KKmAnonymity(2, 2)) == (0, 0, 0)
