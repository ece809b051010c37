"""Bit-vector transaction distance, pruned, against its definition; lists that stay sorted."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_mixed
from shoal.kernels.mixed.fuse_clusters import ClusterBaskets, chain, distances, members, within

baskets = st.frozensets(st.integers(0, 9), max_size=7)


@st.composite
def clustered(draw):
    lists = draw(st.lists(baskets, min_size=1, max_size=14))
    of = draw(st.lists(st.integers(0, 3), min_size=len(lists), max_size=len(lists)))
    return lists, np.array(of)


def linked(lists, of):
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    items = np.array([item for basket in lists for item in sorted(basket)], dtype=np.int32)
    order = np.argsort(-np.diff(start), kind="stable")
    return ClusterBaskets(start, items, *chain(of, order, 4))


@settings(max_examples=80, deadline=None)
@given(clustered())
def test_distances_agree_with_the_definition(case):
    lists, of = case
    found = linked(lists, of)
    held = [[basket for basket, c in zip(lists, of, strict=True) if c == number] for number in range(4)]
    for c in range(4):
        far = [max((naive_mixed.btd(a, b) for a in held[c] for b in held[o]), default=0) for o in range(4)]
        assert distances(found, c, np.arange(4)).tolist() == far
        assert within(found)[c] == far[c]


@settings(max_examples=30, deadline=None)
@given(clustered())
def test_members_stand_by_falling_size(case):
    lists, of = case
    found = linked(lists, of)
    for c in range(4):
        rows = members(found, c, int((of == c).sum()))
        assert sorted(rows) == np.flatnonzero(of == c).tolist()
        sizes = [len(lists[row]) for row in rows]
        assert sizes == sorted(sizes, reverse=True)
