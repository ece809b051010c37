"""What data mining loses on record trees: frequent subtrees at every level of generalization (ML2, dML2).

A subtree is a set of paths from the root, with all their beginnings, as Example 2 of the paper writes them. Level i
publishes every value at level i of its hierarchy; a published value that is more general already stays as it is.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np

from shoal.base.errors import InputError
from shoal.base.progress import Progress, no_progress
from shoal.data import Trees
from shoal.data.arrays import F8, I4, I8, U8, prefix_sums
from shoal.data.trees import ancestry
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees
from shoal.utility._kernels import (
    count_supports,
    mine_frequent_sets,
    number_paths,
    project_paths,
    set_record_bits,
)
from shoal.utility.trees import encode_values, find_published_nodes, number_secrets

__all__ = ["MiningLoss", "mining_loss"]


@dataclass(frozen=True, slots=True)
class MiningLoss:
    """The losses, and by level how many frequent subtrees the original has and how many are preserved.

    ml2  = 1 - preserved / all; preserved is what is frequent in both
    dml2 = mean over all of 0.5 * mean raise of its values / height + 0.5 * share of its relations that are gone
    """

    ml2: float
    dml2: float
    subtrees: tuple[int, ...]
    preserved: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Trees:
    """Trees whose values are numbers of one vocabulary: nodes, then sensitive values.

    codes  : int32[values]   the number of each value of the trees
    record : int64[n]        the original record of each
    """

    start: I8
    path: I4
    up: I4
    ends: I4
    codes: I4
    record: I8

    @classmethod
    def of(cls, trees: Trees, codes: I4, record: I8) -> "_Trees":
        path, up, ends = number_paths(trees.start, trees.items, trees.parents, max(len(trees.values), 1))
        return cls(trees.start, path, up, ends, codes, record)

    def at_level(self, nodes: Nodes, level: int, width: int) -> tuple[I4, I4, I4]:
        """Where each path stands once values are generalized to a level, and the tree of these paths."""
        inner = self.codes < len(nodes.names)
        codes = self.codes.copy()
        codes[inner] = nodes.at_level(self.codes[inner], level)
        return project_paths(self.up, self.ends, codes, width)


def mining_loss(
    release: RecodedTrees,
    original: Trees,
    nodes: Nodes,
    *,
    support: float = 0.01,
    most: int = 1 << 24,
    progress: Progress = no_progress,
) -> MiningLoss:
    """Mine the original and the release for frequent subtrees at every level, and compare.

    Parameters
    ----------
    release, original, nodes
        The release, what it was made from, and the nodes of the original's hierarchies.
    support
        The share of all original records that must hold a subtree, above 0 up to 1.
    most
        How many frequent subtrees a level may have.
    progress
        A listener that is told which level is mined.

    Raises
    ------
    InputError
        The support makes no sense, or a level has more than `most` frequent subtrees.

    Notes
    -----
    A relation of a subtree is gone in so far as the records that show it in the original do not show it in the release
    between values that cover it; a value is raised by the mean over the records that hold it. With one recoding for
    all records and one value per node these are the paper's 0 or 1, and its level difference. A value that is left out
    is raised to a root above all classes, one level above the highest.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Eq. 4 and 5.
    """
    if isinstance(support, bool) or not 0 < support <= 1:
        raise InputError(f"support={support!r}: it must be a share of the records, above 0 up to 1")
    secrets = number_secrets(original, nodes)
    width = len(nodes.names) + len(secrets)
    n = original.n
    original_trees = _Trees.of(original, encode_values(original, nodes.leaf, secrets), np.arange(n))
    node_of_value = find_published_nodes(release, original, nodes)
    released_trees = _Trees.of(
        release.trees, encode_values(release.trees, node_of_value, secrets), release.rows
    )
    raises = _count_raises(original_trees, released_trees, nodes, width)
    least = max(1, ceil(support * n))
    subtrees, preserved, distance = [], [], 0.0
    for level in range(nodes.height):
        progress("mining subtrees", level / nodes.height)
        keys, sums = _mine_level(original_trees, released_trees, nodes, level, width, least, raises, most)
        released_keys, _ = _mine_level(released_trees, None, nodes, level, width, least, raises, most)
        subtrees.append(len(keys))
        preserved.append(len(np.intersect1d(keys, released_keys)))
        values, raised, relations, lost = sums.T
        distance += float((0.5 * raised / values + 0.5 * lost / np.maximum(relations, 1)).sum())
    total = sum(subtrees)
    if not total:
        return MiningLoss(0.0, 0.0, tuple(subtrees), tuple(preserved))
    return MiningLoss(1 - sum(preserved) / total, distance / total, tuple(subtrees), tuple(preserved))


def _count_raises(before: _Trees, after: _Trees, nodes: Nodes, width: int) -> F8:
    """For each node and level: how many records hold a value of the node published on that level; last: left out."""
    original_keys = _record_values(before, before.codes, width)
    counts = np.zeros((width, nodes.height + 1))
    open_ = original_keys % width < len(nodes.names)
    record, node = original_keys[open_] // width, (original_keys[open_] % width).astype(np.int32)
    published_keys = _record_values(after, after.codes, width)
    pending = np.ones(len(node), dtype=bool)
    ancestor = node.copy()
    while pending.any():  # climb from each original value to the first published one over it
        hit = pending & (ancestor >= 0) & np.isin(record * width + ancestor, published_keys)
        np.add.at(counts, (node[hit], nodes.level[ancestor[hit]]), 1)
        pending &= ~hit & (ancestor >= 0)
        ancestor = np.where(ancestor >= 0, nodes.up[ancestor], -1).astype(np.int32)
        is_lost = pending & (ancestor < 0)
        np.add.at(counts[:, nodes.height], node[is_lost], 1)
        pending &= ~is_lost
    for child in range(len(nodes.names) - 1, -1, -1):  # parents have smaller numbers
        if nodes.up[child] >= 0:
            counts[nodes.up[child]] += counts[child]
    return counts


def _record_values(trees: _Trees, codes: I4, width: int) -> I8:
    """The values of each record, as record * width + number, rising."""
    sizes = np.diff(trees.start)
    return np.unique(np.repeat(trees.record, sizes) * width + codes[trees.ends[trees.path]])


def _mine_level(
    trees: _Trees,
    after: _Trees | None,
    nodes: Nodes,
    level: int,
    width: int,
    least: int,
    raises: F8,
    most: int,
) -> tuple[U8, F8]:
    """The frequent subtrees of a level: a key of each, and its values, their raise, its relations, those gone."""
    spot, up, ends = trees.at_level(nodes, level, width)
    support = count_supports(trees.start, trees.path, spot, len(up))
    frequent_paths = np.flatnonzero(support >= least)
    index_of_path = np.full(len(up) + 1, -1, dtype=np.int32)
    index_of_path[frequent_paths] = np.arange(len(frequent_paths))
    words = (int(trees.record.max(initial=0)) + 64) // 64
    rows = np.zeros((len(frequent_paths), words), dtype=np.uint64)
    bounds = prefix_sums(support >= least)
    set_record_bits(
        trees.start,
        trees.path,
        spot,
        bounds,
        np.arange(len(frequent_paths), dtype=np.int32),
        trees.record,
        rows,
    )
    parent = index_of_path[up[frequent_paths]]
    gains = np.zeros((len(frequent_paths), 4))
    if after is not None:
        gains = _path_gains(
            trees, after, nodes, level, width, raises, (spot, up, ends), frequent_paths, parent
        )
    keys, sums = mine_frequent_sets(
        rows, parent, least, gains, _hash_paths(parent, ends[frequent_paths]), most
    )
    if len(keys) > most:
        raise InputError(f"mining: more than {most} frequent subtrees at level {level}; raise the support")
    return keys, sums


def _path_gains(
    trees: _Trees,
    after: _Trees,
    nodes: Nodes,
    level: int,
    width: int,
    raises: F8,
    tree: tuple[I4, I4, I4],
    often: I8,
    over: I4,
) -> F8:
    """What each frequent path adds to a subtree: 1 value, its raise, its relations, those of them that are gone."""
    ends = tree[2]
    gains = np.zeros((len(often), 4))
    gains[:, 0] = 1
    steps = np.maximum(np.arange(nodes.height + 1) - level, 0) / nodes.height
    counts = raises[ends[often]]
    gains[:, 1] = counts @ steps / np.maximum(counts.sum(axis=1), 1)
    steps_up = list(ancestry(np.array([0, len(over)]), over))
    if steps_up:
        low, high = (np.concatenate(nodes) for nodes in zip(*steps_up, strict=True))
        pairs = ends[often[high]].astype(np.int64) * width + ends[often[low]]
        distinct_pairs, pair_index = np.unique(pairs, return_inverse=True)
        lost_share = _lost_shares(trees, after, nodes, level, width, tree, distinct_pairs)[pair_index]
        gains[:, 2] = np.bincount(low, minlength=len(often))
        gains[:, 3] = np.bincount(low, weights=lost_share, minlength=len(often))
    return gains


def _lost_shares(
    trees: _Trees, after: _Trees, nodes: Nodes, level: int, width: int, tree: tuple[I4, I4, I4], asked: I8
) -> F8:
    """Of the records that show each relation (above * width + below) in the original, the share that no longer does."""
    words = (len(trees.start) + 63) // 64
    rows = np.zeros((len(asked), words), dtype=np.uint64)
    _mark_relations(trees, tree, width, {int(pair): [index] for index, pair in enumerate(asked)}, rows)
    covers: dict[int, list[int]] = {}
    for index, pair in enumerate(asked.tolist()):
        for high in _covering_values(nodes, pair // width):
            for low in _covering_values(nodes, pair % width):
                covers.setdefault(high * width + low, []).append(index)
    released_rows = np.zeros_like(rows)
    _mark_relations(after, after.at_level(nodes, level, width), width, covers, released_rows)
    common = np.bitwise_count(rows & released_rows).sum(axis=1)
    return np.asarray(1 - common / np.maximum(np.bitwise_count(rows).sum(axis=1), 1), dtype=np.float64)


def _covering_values(nodes: Nodes, code: int) -> list[int]:
    """A value and all that cover it."""
    codes = [code]
    while code < len(nodes.names) and nodes.up[code] >= 0:
        code = int(nodes.up[code])
        codes.append(code)
    return codes


def _mark_relations(
    trees: _Trees, tree: tuple[I4, I4, I4], width: int, rows_of: dict[int, list[int]], rows: U8
) -> None:
    """Set in the rows of each relation the bits of the records that show it."""
    spot, up, ends = tree
    lists: list[list[int]] = [[] for _ in range(len(up))]
    for low, high in ancestry(np.array([0, len(up)]), up):
        codes = ends[high].astype(np.int64) * width + ends[low]
        for index, pair in zip(low.tolist(), codes.tolist(), strict=True):
            lists[index] += rows_of.get(pair, ())
    bounds = np.cumsum([0, *map(len, lists)])
    shows = np.array([row for path_rows in lists for row in path_rows], dtype=np.int32)
    set_record_bits(trees.start, trees.path, spot, bounds, shows, trees.record, rows)


def _hash_paths(over: I4, ends: I4) -> U8:
    """A number for each path, the same wherever the path is met: a mix of the values along it."""
    keys = np.zeros(len(over), dtype=np.uint64)
    for index, (up, end) in enumerate(zip(over.tolist(), ends.tolist(), strict=True)):
        mixed = (int(keys[up]) if up >= 0 else 0x9E3779B97F4A7C15) ^ (end + 1) * 0xBF58476D1CE4E5B9
        mixed = (mixed ^ (mixed >> 30)) * 0x94D049BB133111EB & (2**64 - 1)
        keys[index] = mixed ^ (mixed >> 31)
    return keys
