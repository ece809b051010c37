"""Record trees made ready for a search: their synopsis tree, the records that hold each value, and what a cut costs.

`tree_floor` is a floor under their loss `ncp`: no cut for all records that keeps k^(m,n)-anonymity loses less.
Whatever relations a release gives up, and whatever n is, its values alone are k^m-anonymous: at most m of them are in
k records or in none. So the values of a record are a basket, the hierarchies of all fields stand side by side as one,
and what baskets demand of a cut (`itemsets.cut_floor`) is demanded here. Over the root of each field stands one node
more: it is closed where the field is left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.algorithms.itemsets.item_cuts import ItemCodes, Taxonomy
from shoal.algorithms.itemsets.optimal_cut import WORK, least_cut
from shoal.algorithms.parts import TreeParts
from shoal.algorithms.trees._kernels.record_bits import ONE, empty_memory, recall_values, remember_values
from shoal.algorithms.trees.record_index import Groups, RecordIndex
from shoal.data import Trees
from shoal.data.arrays import B1, F8, I4, I8, prefix_sums
from shoal.hierarchy.nodes import Nodes
from shoal.privacy.trees import KMNAnonymity
from shoal.utility._kernels import project_paths

__all__ = ["PRICES", "Space", "Synopsis", "_rpd_a", "space_rpd", "tree_floor"]


@dataclass(frozen=True, slots=True)
class Synopsis:
    """The synopsis tree of a cut.

    nodes : int64[v]   the published values, rising; below they are known by their place here
    up, ends : int32[S]   each path here: the one it prolongs (-1: the root), the value it ends in
    shown : the paths of a finer synopsis tree that records show, as `RecordIndex` numbers them; -1: nobody asks
    spot  : int32[T]   where each of those finer paths stands here, -1: nowhere
    changed : whether relations were cut
    """

    nodes: I8
    up: I4
    ends: I4
    shown: int
    spot: I4
    changed: bool = False

    def steps(self) -> tuple[I8, I8]:
        """Every path with each path that it prolongs: (the shorter, the longer)."""
        here, over = np.arange(len(self.up)), self.up.astype(np.int64)
        highs, lows = [over[:0]], [here[:0]]
        while len(here):
            here, over = here[over >= 0], over[over >= 0]
            highs.append(over)
            lows.append(here)
            over = self.up[over].astype(np.int64)
        return np.concatenate(highs), np.concatenate(lows)

    def relations(self) -> tuple[I8, I8]:
        """Every path with each value above its end: paths, and the relation as above * v + below."""
        high, low = self.steps()
        return low, self.ends[high].astype(np.int64) * len(self.nodes) + self.ends[low]

    def rehung(self, below: I4) -> "Synopsis":
        """The tree once the end of each path hangs below another: `below` holds that path's place, -1: the root."""
        v = len(self.nodes)
        to, up, ends = project_paths(below, self.ends, np.arange(v, dtype=np.int32), v)
        spot = np.r_[to, np.int32(-1)][self.spot]
        return Synopsis(self.nodes, up, ends, self.shown, spot, changed=True)


def _coarsen(tree: Synopsis, cut: I8, labels: I4) -> Synopsis:
    """Project a synopsis tree to a cut; `labels` hold for each node of the tree its place in the cut, or -1."""
    spot, up, ends = project_paths(tree.up, tree.ends, labels, max(len(cut), 1))
    return Synopsis(cut, up, ends, tree.shown, np.r_[spot, np.int32(-1)][tree.spot])


class Space:
    """What a search over cuts looks things up in.

    Negated values are numbered behind all others: node + len(values.names) says that the node is absent.

    trees   : classes and values of all records; the records themselves only where they are in memory
    base    : the synopsis tree of the data themselves, `nodes` by item
    middle  : that of the coarsest cut that is as fine as every cut asked for so far: mostly much smaller
    """

    def __init__(self, trees: Trees | TreeParts, values: Nodes) -> None:
        self.trees, self.values = trees if isinstance(trees, Trees) else trees.outline, values
        self.records = RecordIndex(trees, values)
        self._seen: dict[tuple[int, int], int] = {}
        self._counted: I8 = empty_memory()
        up, ends = self.records.tree
        everywhere = np.arange(len(up), dtype=np.int32)
        self.base = Synopsis(self.values.leaf.astype(np.int64), up, ends, -1, everywhere)
        self._refine(np.array(self.values.roots, dtype=np.int64))

    def classes_above(self) -> list[list[int]]:
        """For each field, the fields that stand above it somewhere, or above one that does; the highest comes first."""
        kind = self.trees.kinds[self.base.ends]
        above: list[set[int]] = [set() for _ in self.trees.classes]
        pairs = np.stack([kind[path] for path in self.base.steps()], axis=1)
        for high, low in np.unique(pairs, axis=0).tolist():
            above[low].add(high)
        for low in range(len(above)):  # classes above have smaller numbers, so theirs are complete
            above[low] |= {higher for high in tuple(above[low]) for higher in above[high]}
        return [sorted(kinds) for kinds in above]

    @cached_property
    def is_above_sometimes(self) -> B1:
        """For each two fields, whether the first stands above the second in some places and not in others."""
        kind, width = self.trees.kinds[self.base.ends].astype(np.int64), len(self.trees.classes)
        under = np.zeros((width, width), dtype=np.int64)
        np.add.at(under, tuple(kind[path] for path in self.base.steps()), 1)
        return (under > 0) & (under < np.bincount(kind, minlength=width))

    @cached_property
    def detail(self) -> tuple[F8, F8]:
        """For each node, how many nodes of records stand under it, equal siblings once; and its share of leaves."""
        values, paths = self.values, np.arange(len(self.base.up), dtype=np.int32)
        often = self.records.supports(self.records.thin_records(paths, len(paths)), paths, len(paths))
        nodes = values.leaf[self.base.ends].astype(np.int64)
        node_counts = np.zeros(len(values.names) + 1)
        while (on := nodes >= 0).any():
            np.add.at(node_counts, nodes[on], often[on])
            nodes[on] = values.up[nodes[on]]
        node_counts = node_counts[:-1]
        leaves = (values.span[:, 1] - values.span[:, 0]).astype(np.float64)
        most = np.zeros(int(values.kind.max(initial=0)) + 1)
        np.maximum.at(most, values.kind, leaves)
        return node_counts, np.where(leaves > 1, leaves / most[values.kind], 0.0)

    def support(self, node: int) -> int:
        """How many records hold a node."""
        return self.records.support(node)

    def children(self, node: int) -> tuple[int, ...]:
        """The children of a node that occur."""
        return tuple(child for child in self.values.children[node] if self.support(child))

    def clashes(self, groups: Groups, m: int, k: int) -> bool:
        """Whether 1 to k-1 records hold some set of at most m values with one of each group."""
        return next(self.records.clashing((groups,), m, k))

    def synopsis(self, nodes: tuple[int, ...]) -> Synopsis:
        """The synopsis tree of a cut; fields of which it holds no node are left out."""
        cut = np.array(sorted(nodes), dtype=np.int64)
        labels = self.values.over(self.middle.nodes, cut)
        kinds = self.values.kind
        coarse = (labels < 0) & np.isin(kinds[self.middle.nodes], kinds[cut])
        if coarse.any():
            finer = cut[self.values.over(cut, self.middle.nodes[coarse]) >= 0]
            self._refine(np.union1d(self.middle.nodes[~coarse], finer))
            labels = self.values.over(self.middle.nodes, cut)
        return _coarsen(self.middle, cut, labels)

    def _refine(self, nodes: I8) -> None:
        tree = _coarsen(self.base, nodes, self.values.over(self.base.nodes, nodes))
        version = self.records.thin_records(tree.spot, len(tree.up))
        everywhere = np.arange(len(tree.up), dtype=np.int32)
        self.middle = Synopsis(nodes, tree.up, tree.ends, version, everywhere)

    def supports(self, tree: Synopsis) -> I8:
        """How many records hold each path of a synopsis tree; of paths met in other cuts this is known."""
        if tree.changed:
            return self.records.supports(tree.shown, tree.spot, len(tree.up))
        numbers = self._numbers(tree)
        counts = recall_values(self._counted, numbers)
        if (counts < 0).any():
            new = counts < 0
            counts = self.records.supports(tree.shown, tree.spot, len(tree.up))
            self._counted = remember_values(self._counted, len(self._seen), numbers[new], counts[new])
        return counts

    def _numbers(self, tree: Synopsis) -> I8:
        """Number the paths of a synopsis tree so that a path has one number in all cuts."""
        numbers = np.empty(len(tree.up), dtype=np.int64)
        for path, (over, value) in enumerate(
            zip(tree.up.tolist(), tree.nodes[tree.ends].tolist(), strict=True)
        ):
            key = (int(numbers[over]) if over >= 0 else -1, value)
            numbers[path] = self._seen.setdefault(key, len(self._seen))
        return numbers


# What a cut costs: how little its trees tell, in two measures; small is good.


def space_rpd(space: Space, tree: Synopsis) -> float:
    """RPD of the records themselves (equations 1 to 3): the mean over records of the mean over their leaves."""
    domain, _ = _sum_along_paths(space, tree, np.zeros(len(tree.up)))
    return space.records.chance(tree.shown, tree.spot, tree.up, 1 / domain) / ONE / space.records.n


def _rpd_a(space: Space, tree: Synopsis) -> float:
    """RPD_a of a synopsis tree (equations 6 and 7): the paper's stand-in for RPD, from supports of paths alone."""
    domain, support = _sum_along_paths(space, tree, space.supports(tree).astype(np.float64))
    leaf = np.ones(len(tree.up), dtype=bool)
    leaf[tree.up[tree.up >= 0]] = False
    terms = np.sort(support[leaf] / domain[leaf])  # sorted: the sum must not depend on the order of records
    return float(terms.sum() / len(tree.up) / leaf.sum())


def _ncp(space: Space, tree: Synopsis) -> float:
    """The share of the detail of values that is lost, over the nodes of records, equal siblings once.

    A value that is published as a node of so many leaves costs leaves/D, as itself 0, and one that is left out 1.
    """
    node_counts, cost = space.detail
    kinds = space.values.kind
    published_cost = node_counts[tree.nodes] * cost[tree.nodes]
    roots = np.array(space.values.roots, dtype=np.int64)
    gone = node_counts[roots][~np.isin(kinds[roots], kinds[tree.nodes])]
    return float((np.sort(published_cost).sum() + gone.sum()) / max(node_counts[roots].sum(), 1))


PRICES: dict[str, Callable[[Space, Synopsis], float]] = {"rpd": space_rpd, "rpd-a": _rpd_a, "ncp": _ncp}


def _sum_along_paths(space: Space, tree: Synopsis, held: F8) -> tuple[F8, F8]:
    """For each path, the size of its domain, prod(d(u) |C(u)|), and the sum of what its nodes hold."""
    over = tree.up.astype(np.int64)
    depth = np.ones(len(over))
    ancestor = over.copy()
    while (on := ancestor >= 0).any():
        depth[on] += 1
        ancestor[on] = over[ancestor[on]]
    own_domain = depth * space.values.size[tree.nodes][tree.ends]
    domain, total, ancestor = own_domain.copy(), held.copy(), over.copy()
    with np.errstate(over="ignore"):  # a very long path has a domain beyond all numbers
        while (on := ancestor >= 0).any():
            domain[on] *= own_domain[ancestor[on]]
            total[on] += held[ancestor[on]]
            ancestor[on] = over[ancestor[on]]
    return domain, total


def tree_floor(trees: Trees, nodes: Nodes, claim: KMNAnonymity, *, work: int = WORK) -> float | None:
    """A loss that every release of `trees` by one cut of the hierarchies has at least if its values keep `claim`.

    Parameters
    ----------
    trees, nodes
        The trees that the loss is measured on, and every value that they may be published with.
    claim
        Its k and m; n, l and negations ask for more.
    work
        How many combinations of values may be counted; the floor is what is known then. Where that is not enough to
        look at combinations of m values, there is none (None).

    Notes
    -----
    *Releases that it holds for*  Every record is published. A value is published as the node of the cut over it, in all
    records, or left out with its whole field. Relations may be given up anywhere, and nodes left out on top of that
    (`limits`): this adds to the loss. So it holds for `gcs`, `acs` and `ocs`, and not for `miracle`, which has no cut.

    Examples
    --------
    >>> from shoal.hierarchy import Hierarchy
    >>> paths = [["flu", "lung", "*"], ["cough", "lung", "*"], ["gout", "gout", "*"]]
    >>> ill = Hierarchy.from_paths("ill", paths)
    >>> people = Trees.of([[("ill", value)] for value in ("flu", "cough", "gout", "gout")])
    >>> found = tree_floor(people, Nodes.of("trees", people, {"ill": ill}), KMNAnonymity(2, 1, 0))
    >>> round(found, 4)  # two of four lose 2/3
    0.3333
    """
    is_open = nodes.leaf[trees.items] >= 0
    leaf = nodes.leaf[trees.items[is_open]]
    if not len(leaf):
        return 0.0
    forest = _Forest.of(nodes, len(trees.classes))
    start = prefix_sums(is_open)[trees.start]
    items = nodes.span[leaf, 0] + forest.first[nodes.kind[leaf]]
    codes = ItemCodes(start, items, int(forest.taxonomy.hi[0]), 0, np.empty(0, dtype=np.int32))
    floor = least_cut(
        codes, forest.taxonomy, claim.k, claim.m, price=forest.price, hidden=forest.hidden, work=work
    ).floor
    return None if floor is None else floor * len(items) / len(trees.items)


class _Forest(NamedTuple):
    """The hierarchies of all fields as one: over each stands a node that is closed where the field is left out.

    first  : by class, where its leaves start; behind them comes one that nothing has, so that no two nodes are alike
    price  : what a node costs per value: its share of leaves, 0 as itself, 1 left out
    hidden : whether it stands for leaving out
    """

    taxonomy: Taxonomy
    first: I4
    price: F8
    hidden: B1

    @classmethod
    def of(cls, nodes: Nodes, classes: int) -> "_Forest":
        """Put them side by side."""
        leaves = np.zeros(classes, dtype=np.int32)
        np.maximum.at(leaves, nodes.kind, nodes.span[:, 1])
        room = leaves + (leaves > 0)
        first = (np.cumsum(room) - room).astype(np.int32)
        lo, hi = (nodes.span + first[nodes.kind][:, None]).T
        share = np.where(hi - lo > 1, (hi - lo) / leaves[nodes.kind], 0.0)
        prices = dict(zip(zip(lo.tolist(), (-hi).tolist(), strict=True), share.tolist(), strict=True))
        out = [(0, int(room.sum())), *((int(a), int(a + b)) for a, b in zip(first, room, strict=True) if b)]
        spans = {(a, -b): 1.0 for a, b in out} | {(b - 1, -b): 0.0 for _, b in out}
        every = prices | spans
        taxonomy = Taxonomy.join(dict.fromkeys(every, ""))
        keys = [*zip(taxonomy.lo.tolist(), (-taxonomy.hi).tolist(), strict=True)]
        price = np.array([every[key] for key in keys])
        hidden = np.array([key in spans and key[0] + key[1] < -1 for key in keys])
        return cls(taxonomy, first, price, hidden)
