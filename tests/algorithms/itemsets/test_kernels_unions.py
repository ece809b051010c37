"""The cheapest union is found without a look at all groups: a naive search that does look at all unites the same."""

import itertools
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.itemsets import pcta
from shoal.algorithms.itemsets._kernels.unions import FOCUSED, THOROUGH
from shoal.algorithms.itemsets.item_cuts import code_items
from shoal.base.errors import InfeasibleError
from shoal.data import Baskets

ITEMS = "abcdefgh"
rows = st.lists(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=4), min_size=2, max_size=14)


class Naive:
    """Groups as plain sets, named by the member that first took others in."""

    def __init__(self, records, width, ward, worth, loss):
        self.records, self.ward, self.worth, self.loss = records, ward, worth, loss
        self.of = list(range(width))

    def sup(self, *groups):
        return sum(all(any(self.of[i] == g for i in row) for g in groups) for row in self.records)

    def members(self, group):
        return [i for i, of in enumerate(self.of) if of == group]

    def price(self, a, b):
        members = self.members(a) + self.members(b)
        either = self.sup(a) + self.sup(b) - self.sup(a, b)
        worth = sum(Fraction(self.worth[i]) for i in members) / len(members)
        return (2 ** len(members) - 1 if self.loss == "ul" else len(members)) * worth * either

    def tier(self, style, current, a, b, k):
        if style == FOCUSED:
            return self.sup(a)
        others = [g for g in current if g != a]
        gain = self.sup(*others, b) - self.sup(*others, a, b) if others else self.sup(b) - self.sup(a, b)
        return 0 if self.sup(*current) + gain >= k else 1 if gain > 0 else 2

    def settle(self, itemset, k, style):
        while True:
            current = list(dict.fromkeys(self.of[i] for i in itemset))
            if not 0 < self.sup(*current) < k:
                return
            names = sorted({g for g in self.of if self.sup(g)})
            ways = [
                (self.tier(style, current, a, b, k), self.price(a, b), i, b, a)
                for i, a in enumerate(current)
                for b in names
                if b != a and self.ward[a] == self.ward[b] >= 0
            ]
            _, _, _, b, a = min(ways)
            self.of = [a if g == b else g for g in self.of]


@pytest.mark.parametrize("style", [THOROUGH, FOCUSED])
@given(
    rows=rows,
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    loss=st.sampled_from(["ul", "ncp"]),
    weights=st.none() | st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=8, max_size=8),
    apart=st.booleans(),
)
@settings(max_examples=60)
def test_unites_what_a_look_at_all_groups_unites(style, rows, k, m, loss, weights, apart):
    if len(rows) < k:
        return
    baskets = Baskets.of("items", [sorted(row) for row in rows])
    found = code_items("pcta", baskets, None, exempt=False)
    weighted, width = found.distinct(), found.width
    worth = np.ones(width) if weights is None else np.array(weights[:width])
    ward = np.arange(width, dtype=np.int32) % 2 if apart else np.zeros(width, dtype=np.int32)
    codes = found.place[baskets.items].tolist()
    records = [codes[a:b] for a, b in itertools.pairwise(baskets.start.tolist())]
    twin, seen = Naive(records, width, ward.tolist(), worth.tolist(), loss), []
    try:
        union = _watched(seen, weighted, k, m, ward, worth, loss, style)
    except InfeasibleError:  # no union is left for some itemset
        assert apart
        return
    for itemsets in seen:
        for itemset in itemsets:
            twin.settle(itemset, k, style)
    assert union.of.tolist() == twin.of


def _watched(seen, weighted, k, m, ward, worth, loss, style):
    """`find_groups`, with the itemsets that it settles written down."""
    settle = pcta._repair_itemsets

    def noted(method, weighted, groups, itemsets, *rest):
        seen.append(itemsets.tolist())
        return settle(method, weighted, groups, itemsets, *rest)

    with patch.object(pcta, "_repair_itemsets", noted):
        return pcta.find_groups(weighted, k=k, m=m, ward=ward, worth=worth, loss=loss, style=style)
