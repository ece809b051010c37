"""The share of the detail that released record trees lost: the headline loss of trees."""

from dataclasses import dataclass

import numpy as np

from shoal.data import Trees
from shoal.data.lists import owners
from shoal.data.preorder import CHUNK
from shoal.data.types import B1, F8, I4, I8
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees
from shoal.utility.tree_values import codes_of, published_nodes, secrets_of

__all__ = ["tree_ncp", "tree_ncp_by_class"]


def tree_ncp(release: RecodedTrees, original: Trees, nodes: Nodes) -> float:
    """Normalized certainty penalty of record trees: the mean over all original nodes of what each costs.

    An original node is *left out* where no node of its released record stands for its value; every node of a suppressed
    record is. Take the path to an original node, without ancestors that are left out. The node is *shown* by a released
    node to which a path leads whose values stand for those of that path, one for one.

    - A node that is left out costs 1.
    - A node that is not shown costs 1: a relation to one of its ancestors was cut.
    - A node that is shown costs 0 where the released value is its own, else leaves/D, D being the leaves of its class's
      hierarchy; if several released nodes show it, the least of them. A sensitive value is published as it is: 0.

    All nodes weigh alike. From 0, all told, to 1, nothing told; 0 for trees without nodes. Linear in nodes and in the
    height of hierarchies and trees.
    """
    paid, held = _paid(release, original, nodes)
    return float(paid.sum() / held.sum()) if held.any() else 0.0


def tree_ncp_by_class(release: RecodedTrees, original: Trees, nodes: Nodes) -> dict[str, float]:
    """`tree_ncp` of the nodes of each class alone; weighted by how many nodes each has, their mean is `tree_ncp`."""
    paid, held = _paid(release, original, nodes)
    return dict(zip(original.classes, (paid / np.maximum(held, 1)).tolist(), strict=True))


def _paid(release: RecodedTrees, original: Trees, nodes: Nodes) -> tuple[F8, I8]:
    """For each class, what its original nodes cost, and how many there are."""
    kinds, many = original.kinds, len(original.classes)
    held = np.bincount(kinds[original.items], minlength=many)
    if not held.any():
        return np.zeros(many), held
    secrets = secrets_of(original, nodes)
    values = _Values(
        codes_of(original, nodes.leaf, secrets),
        codes_of(release.trees, published_nodes(release, original, nodes), secrets),
        np.r_[nodes.up, np.full(len(secrets) + 1, -1, dtype=np.int32)],  # the last is over -1, so -1 stays
        np.r_[_prices(nodes), np.zeros(len(secrets))],
    )
    paid = held.astype(np.float64)  # what is not looked at below was suppressed
    for at in range(0, release.trees.n, CHUNK):
        some = np.arange(at, min(at + CHUNK, release.trees.n))
        old = _Nodes.of(original, release.rows[some])
        saved = 1 - _costs(old, _Nodes.of(release.trees, some), values)
        paid -= np.bincount(kinds[old.item], weights=saved, minlength=many)
    return paid, held


@dataclass(frozen=True, slots=True)
class _Values:
    """old, new : the number of each original and of each released value;  up : over each number;  price : its cost."""

    old: I4
    new: I4
    up: I4
    price: F8


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Nodes of some records: item, place of the record among these, place of the parent among the nodes (-1: none)."""

    item: I4
    record: I8
    parent: I8

    @classmethod
    def of(cls, trees: Trees, records: I8) -> "_Nodes":
        some = trees.take(records)
        record = owners(some.start)
        return cls(some.items, record, np.where(some.parents < 0, -1, some.parents + some.start[record]))


def _prices(nodes: Nodes) -> F8:
    """0 for a leaf, else leaves/D."""
    leaves = nodes.span[:, 1] - nodes.span[:, 0]
    most = np.zeros(int(nodes.kind.max(initial=0)) + 1)
    np.maximum.at(most, nodes.kind, leaves)
    return np.where(leaves > 1, leaves / most[nodes.kind], 0.0)


def _costs(old: _Nodes, new: _Nodes, values: _Values) -> F8:
    """What each of some original nodes costs."""
    width = len(values.up)
    up = _kept_parents(old, _kept(old, new, values))
    # a room is what nodes stand in: a node, or behind all nodes the root of a record
    rooms = np.where(new.parent < 0, len(new.item) + new.record, new.parent)
    unsorted = np.asarray(rooms * width + values.new[new.item], dtype=np.int64)
    order = np.argsort(unsorted)
    keys = unsorted[order]
    costs = np.ones(len(old.item))
    by_parent = np.argsort(up, kind="stable")
    node = np.flatnonzero(up == -1)
    room = len(new.item) + old.record[node]
    while len(node):  # pairs of an original node and a room in which it should be shown, by rising depth
        code, showed, by = values.old[old.item[node]], [], []
        while (live := np.flatnonzero(code >= 0)).size:
            place = _places(keys, room[live] * width + code[live])
            hit = live[place >= 0]
            np.minimum.at(costs, node[hit], values.price[code[hit]])
            showed.append(node[hit])
            by.append(order[place[place >= 0]])
            code = values.up[code]
        node, room = _children(up, by_parent, np.concatenate(showed), np.concatenate(by))
    return costs


def _kept(old: _Nodes, new: _Nodes, values: _Values) -> B1:
    """Whether some node of the released record stands for the value of each original node."""
    width = len(values.up)
    shown = np.sort(new.record * width + values.new[new.item])
    kept = np.zeros(len(old.item), dtype=bool)
    code = values.old[old.item]
    while (live := np.flatnonzero((code >= 0) & ~kept)).size:
        kept[live] = _places(shown, old.record[live] * width + code[live]) >= 0
        code = values.up[code]
    return kept


def _places(keys: I8, asked: I8) -> I8:
    """Where each number asked for stands among rising keys; -1 where it does not."""
    if not len(keys):
        return np.full(len(asked), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.asarray(np.where(keys[place] == asked, place, -1), dtype=np.int64)


def _kept_parents(old: _Nodes, kept: B1) -> I8:
    """The nearest ancestor that is not left out, -1 where none is; -2 for nodes that are left out themselves."""
    up = old.parent.copy()
    while (gone := np.flatnonzero((up >= 0) & ~np.r_[kept, True][up])).size:
        up[gone] = old.parent[up[gone]]
    return np.where(kept, up, -2)


def _children(up: I8, by_parent: I8, showed: I8, by: I8) -> tuple[I8, I8]:
    """Each child of a shown node, once with every released node that shows its parent."""
    parents = up[by_parent]
    first, last = np.searchsorted(parents, showed), np.searchsorted(parents, showed, side="right")
    count = last - first
    ahead = np.cumsum(count) - count
    return by_parent[np.repeat(first - ahead, count) + np.arange(count.sum())], np.repeat(by, count)
