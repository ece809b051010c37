"""What released record trees cost: the share of the detail that is lost (ncp), and the reverse path domain (rpd).

RPD says how little a path tells: the chance to guess it within its domain.
"""

from dataclasses import dataclass

import numpy as np

from shoal.data import Trees
from shoal.data.arrays import B1, F8, I4, I8, concatenate_ranges, index_of, row_of_entry
from shoal.data.trees import CHUNK, ancestry
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees

__all__ = [
    "_reverse_path_domain",
    "encode_values",
    "find_published_nodes",
    "number_secrets",
    "rpd",
    "rpd_original",
    "tree_ncp",
    "tree_ncp_by_class",
]


def tree_ncp(release: RecodedTrees, original: Trees, nodes: Nodes) -> float:
    """Normalized certainty penalty of record trees: the mean over all original nodes of what each costs.

    An original node is *left out* where no node of its released record stands for its value; every node of a suppressed
    record is. Take the path to an original node, without ancestors that are left out. The node is *shown* by a released
    node to which a path leads whose values stand for those of that path, one for one.

    - A node that is left out costs 1.
    - A node that is not shown costs 1: a relation to one of its ancestors was cut.
    - Where equal siblings are kept and fewer nodes are released for a value than there are, the missing ones cost 1.
    - A node that is shown costs 0 where the released value is its own, else leaves/D, D being the leaves of its class's
      hierarchy; if several released nodes show it, the least of them. A sensitive value is published as it is: 0.

    All nodes weigh alike. From 0, all told, to 1, nothing told; 0 for trees without nodes. Linear in nodes and in the
    height of hierarchies and trees.
    """
    costs, node_counts = _sum_costs(release, original, nodes)
    return float(costs.sum() / node_counts.sum()) if node_counts.any() else 0.0


def tree_ncp_by_class(release: RecodedTrees, original: Trees, nodes: Nodes) -> dict[str, float]:
    """`tree_ncp` of the nodes of each class alone; weighted by how many nodes each has, their mean is `tree_ncp`."""
    costs, node_counts = _sum_costs(release, original, nodes)
    return dict(zip(original.classes, (costs / np.maximum(node_counts, 1)).tolist(), strict=True))


def _sum_costs(release: RecodedTrees, original: Trees, nodes: Nodes) -> tuple[F8, I8]:
    """For each class, what its original nodes cost, and how many there are."""
    kinds, class_count = original.kinds, len(original.classes)
    node_counts = np.bincount(kinds[original.items], minlength=class_count)
    if not node_counts.any():
        return np.zeros(class_count), node_counts
    secrets = number_secrets(original, nodes)
    values = _Values(
        encode_values(original, nodes.leaf, secrets),
        encode_values(release.trees, find_published_nodes(release, original, nodes), secrets),
        np.r_[nodes.up, np.full(len(secrets) + 1, -1, dtype=np.int32)],  # the last is over -1, so -1 stays
        np.r_[_node_prices(nodes), np.zeros(len(secrets))],
    )
    class_costs = node_counts.astype(np.float64)  # what is not looked at below was suppressed
    for begin in range(0, release.trees.n, CHUNK):
        records = np.arange(begin, min(begin + CHUNK, release.trees.n))
        old = _Nodes.of(original, release.rows[records])
        new = _Nodes.of(release.trees, records)
        costs = _node_costs(old, new, values)
        saved = 1 - (_charge_missing(costs, old, new, values) if release.trees.repeats else costs)
        class_costs -= np.bincount(kinds[old.item], weights=saved, minlength=class_count)
    return class_costs, node_counts


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
        subset = trees.take(records)
        record = row_of_entry(subset.start)
        return cls(
            subset.items, record, np.where(subset.parents < 0, -1, subset.parents + subset.start[record])
        )


def _node_prices(nodes: Nodes) -> F8:
    """0 for a leaf, else leaves/D."""
    leaves = nodes.span[:, 1] - nodes.span[:, 0]
    most = np.zeros(int(nodes.kind.max(initial=0)) + 1)
    np.maximum.at(most, nodes.kind, leaves)
    return np.where(leaves > 1, leaves / most[nodes.kind], 0.0)


def _node_costs(old: _Nodes, new: _Nodes, values: _Values) -> F8:
    """What each of some original nodes costs."""
    width = len(values.up)
    parents = _find_kept_parents(old, _match_published(old, new, values)[0] >= 0)
    # a room is what nodes stand in: a node, or behind all nodes the root of a record
    rooms = np.where(new.parent < 0, len(new.item) + new.record, new.parent)
    unsorted = np.asarray(rooms * width + values.new[new.item], dtype=np.int64)
    order = np.argsort(unsorted)
    keys = unsorted[order]
    costs = np.ones(len(old.item))
    by_parent = np.argsort(parents, kind="stable")
    node = np.flatnonzero(parents == -1)
    room = len(new.item) + old.record[node]
    while len(node):  # pairs of an original node and a room in which it should be shown, by rising depth
        code, shown_nodes, showing = values.old[old.item[node]], [], []
        while (live := np.flatnonzero(code >= 0)).size:
            wanted_keys = room[live] * width + code[live]
            first = np.searchsorted(keys, wanted_keys)
            count = np.searchsorted(keys, wanted_keys, side="right") - first  # equal siblings may be kept
            hit = live[count > 0]
            np.minimum.at(costs, node[hit], values.price[code[hit]])
            shown_nodes.append(np.repeat(node[live], count))
            showing.append(order[concatenate_ranges(first, count)])
            code = values.up[code]
        node, room = _expand_children(
            parents, by_parent, np.concatenate(shown_nodes), np.concatenate(showing)
        )
    return costs


def _charge_missing(costs: F8, old: _Nodes, new: _Nodes, values: _Values) -> F8:
    """Where a record shows fewer nodes of a value than it has, as many nodes as are missing cost 1."""
    label, shown_counts = _match_published(old, new, values)
    nodes = np.flatnonzero(label >= 0)
    nodes = nodes[np.lexsort((-costs[nodes], label[nodes]))]
    node_counts = np.bincount(label[nodes], minlength=len(shown_counts))
    rank = np.arange(len(nodes)) - (np.cumsum(node_counts) - node_counts)[label[nodes]]
    costs[nodes[rank < (node_counts - shown_counts)[label[nodes]]]] = 1
    return costs


def _match_published(old: _Nodes, new: _Nodes, values: _Values) -> tuple[I8, I8]:
    """What each original node is published as, by its place among the values that records show; -1: it is left out.

    Also how many nodes of its record show each of these values.
    """
    width = len(values.up)
    keys, key_counts = np.unique(new.record * width + values.new[new.item], return_counts=True)
    label = np.full(len(old.item), -1, dtype=np.int64)
    code = values.old[old.item]
    while (live := np.flatnonzero((code >= 0) & (label < 0))).size:
        label[live] = index_of(keys, old.record[live] * width + code[live])
        code = values.up[code]
    return label, key_counts


def _find_kept_parents(old: _Nodes, kept: B1) -> I8:
    """The nearest ancestor that is not left out, -1 where none is; -2 for nodes that are left out themselves."""
    parents = old.parent.copy()
    while (skipped := np.flatnonzero((parents >= 0) & ~np.r_[kept, True][parents])).size:
        parents[skipped] = old.parent[parents[skipped]]
    return np.where(kept, parents, -2)


def _expand_children(up: I8, by_parent: I8, showed: I8, by: I8) -> tuple[I8, I8]:
    """Each child of a shown node, once with every released node that shows its parent."""
    parents = up[by_parent]
    first, last = np.searchsorted(parents, showed), np.searchsorted(parents, showed, side="right")
    count = last - first
    ahead = np.cumsum(count) - count
    return by_parent[np.repeat(first - ahead, count) + np.arange(count.sum())], np.repeat(by, count)


# --- reverse path domain ----------------------------------------------------------------------------------------------


def rpd(release: RecodedTrees, original: Trees, nodes: Nodes) -> float:
    """RPD of a release, over all records that came in; one that is suppressed tells nothing and counts 1.

    `nodes` are those of the original's classes. It is not zero-based: compare it with `rpd_original`.
    """
    node_of_value = find_published_nodes(release, original, nodes)
    domains = _reverse_path_domain(release.trees, _level_sizes(release.trees, node_of_value, nodes))
    return float((domains.sum() + release.records - len(domains)) / max(release.records, 1))


def rpd_original(original: Trees, nodes: Nodes) -> float:
    """RPD of the records as they came in."""
    values = _reverse_path_domain(original, _level_sizes(original, nodes.leaf, nodes))
    return float(values.mean()) if len(values) else 1.0


def _reverse_path_domain(trees: Trees, sizes: F8) -> F8:
    """RPD of each tree: the mean over its leaves of 1 / prod(d(u) |C(u)|) along the path u_1, ..., u_n.

    d(u) is the depth of a node, 1 under the root; |C(u)| the number of values on the level of u in its class, here
    by value in `sizes`. A tree without nodes has one path, the empty one: 1.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Eq. 1 to 3.

    Examples
    --------
    >>> trees = Trees.of([[("hospital", "H1", ("ill", "flu"))], [("hospital", "H1"), ("ill", "flu")]])
    >>> _reverse_path_domain(trees, np.array([4.0, 5.0])).tolist()  # 1/(1*4*2*5) and (1/4 + 1/5)/2
    [0.025, 0.225]
    """
    parts = [_chunk_rpd(trees, begin, sizes) for begin in range(0, trees.n, CHUNK)]
    return np.concatenate([np.zeros(0), *parts])


def _level_sizes(trees: Trees, there: I4, nodes: Nodes) -> F8:
    """|C(u)| of each value; of a sensitive one, how many values its class has here."""
    class_sizes = np.bincount(trees.kinds, minlength=len(trees.classes))[trees.kinds].astype(np.float64)
    return np.where(there < 0, class_sizes, np.r_[nodes.size, 0.0][there])


def _chunk_rpd(trees: Trees, at: int, sizes: F8) -> F8:
    start = trees.start[at : at + CHUNK + 1]
    inside = slice(int(start[0]), int(start[-1]))
    record = row_of_entry(start)
    base = start[0]
    depth, leaf = np.ones(len(record)), np.ones(len(record), dtype=bool)
    for low, high in ancestry(start, trees.parents):
        depth[low - base] += 1
        leaf[high - base] = False
    factors = depth * sizes[trees.items[inside]]
    domain = factors.copy()
    with np.errstate(over="ignore"):  # a very long path has a domain beyond all numbers, and tells it all
        for low, high in ancestry(start, trees.parents):
            domain[low - base] *= factors[high - base]
    sums = np.bincount(record[leaf], weights=1 / domain[leaf], minlength=len(start) - 1)
    leaves = np.bincount(record[leaf], minlength=len(start) - 1)
    return np.where(leaves == 0, 1.0, sums / np.maximum(leaves, 1))


# --- values as numbers of one vocabulary: nodes, then sensitive values ------------------------------------------------


def find_published_nodes(release: RecodedTrees, original: Trees, nodes: Nodes) -> I4:
    """For each published value, its node among those of the original; -1 where it is sensitive."""
    kinds = [original.classes.index(name) for name in release.trees.classes]
    keys = zip(release.trees.kinds.tolist(), *release.spans.T.tolist(), strict=True)
    node_ids = [nodes.places[kinds[kind], lo, hi] if lo >= 0 else -1 for kind, lo, hi in keys]
    return np.array(node_ids, dtype=np.int32)


def number_secrets(original: Trees, nodes: Nodes) -> dict[tuple[str, str], int]:
    """The sensitive values, (class, value), numbered after the nodes."""
    secret = [pair for pair in original.pairs if pair[0] == original.sensitive]
    return {pair: len(nodes.names) + index for index, pair in enumerate(secret)}


def encode_values(trees: Trees, there: I4, secrets: dict[tuple[str, str], int]) -> I4:
    """The number of each value: its node, or its place among the sensitive ones."""
    codes = [secrets[pair] if node < 0 else int(node) for pair, node in zip(trees.pairs, there, strict=True)]
    return np.array(codes, dtype=np.int32)
