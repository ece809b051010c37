"""Record trees as a search asks them: how many records hold values, show relations, or are told apart by a cut.

Every answer is a sum over records, so it is the same whether they are one part in memory or many on disk.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.parts import TreeParts
from shoal.algorithms.trees._kernels.record_bits import (
    chance,
    clash,
    fit,
    fit_by_secret,
    holders,
    mark,
    thin,
)
from shoal.data import Trees
from shoal.data.arrays import F8, I4, I8, U8, concatenate_ranges, owners_by_size, prefix_sums, row_of_entry
from shoal.engines import Mapper, in_turn
from shoal.hierarchy.nodes import Nodes
from shoal.io.read.parts import drop_arrays, open_arrays, save_arrays
from shoal.utility._kernels import paths, project, supports

__all__ = ["Groups", "Question", "RecordIndex"]

Groups = tuple[tuple[int, ...], ...]
"""Values in groups; a set of values is looked at when it holds one of each group."""


class Question(NamedTuple):
    """Queries about values and relations.

    spot   : int32[T]   for each path that records show, where it stands in the tree that is asked about, -1: nowhere
    ends, shows : the path at spot s shows the relations shows[ends[s] : ends[s + 1]]
    number : how many relations there are
    asked  : int32[Q, width]   all that a query asks for: a relation j >= 0, a value as -2 - node, -1: no more
    """

    spot: I4
    ends: I8
    shows: I4
    number: int
    asked: I4


_CELLS = 1 << 22  # counts of queries by secrets that one answer holds


def _items_of(values: Nodes, node: int) -> I8:
    """The items of the trees that a node stands for."""
    lo, hi = values.span[node]
    leaf = values.leaf
    low = values.span[leaf, 0]
    inside = (leaf >= 0) & (values.kind[leaf] == values.kind[node]) & (low >= lo) & (low < hi)
    return np.flatnonzero(inside)


def _secrets_of(start: I8, items: I4, leaf: I4) -> tuple[I8, I4]:
    """The secrets of each record, each once: where they start, and their places among all sensitive items."""
    hidden = leaf[items] < 0
    record = row_of_entry(start)[hidden]
    width = max(len(leaf), 1)
    held = np.unique(record * width + items[hidden])
    place = np.cumsum(leaf < 0) - 1
    begins = prefix_sums(np.bincount(held // width, minlength=len(start) - 1))
    return begins.astype(np.int64), place[held % width].astype(np.int32)


def _most_values(leaf: I4, ends: I8, records: I4) -> int:
    """The largest number of distinct values of a record, sensitive ones left out, by the holders of each item."""
    shown = np.repeat(leaf >= 0, np.diff(ends)[: len(leaf)])
    return int(np.bincount(records[shown], minlength=1).max())


def _holders_of(start: I8, path: I4, found: int) -> tuple[I8, I4]:
    """Which records show each of `found` paths, as `holders` says it."""
    both = start.view(), path.view()
    for array in both:
        array.flags.writeable = False  # as those of trees, so that the kernel is compiled once
    return holders(*both, found)


# A part of the records is held in memory or lies in a folder, with these arrays, in codes that all parts share
# (`shoal.data.trees`):
#
# start, items, parents   its records
# path                    the path that each node ends, in numbers that all parts share
# held_ends, held_records which records hold each item
# bits                    uint64[rows, words], which records hold each value or lack it; filled when asked for
# secret_start, secrets   where there is a sensitive class, the secrets of each record
# start-V, path-V         the paths that records show in version V of the middle tree; the last two versions are kept
# held-V, records-V       which records show each of these paths

Part = Path | dict[str, NDArray[Any]]
Answer = TypeVar("Answer")

_VERSIONED = ("start", "path", "held", "records")
_MANY = 1 << 15  # sets of values looked at before those that nobody holds are left out


def _open(part: Part, *names: str) -> tuple[NDArray[Any], ...]:
    return open_arrays(part, *names) if isinstance(part, Path) else tuple(part[name] for name in names)


def _save(part: Part, **arrays: NDArray[Any]) -> None:
    if isinstance(part, Path):
        save_arrays(part, **arrays)
    else:
        part.update(arrays)


def _drop(part: Part, *names: str) -> None:
    if isinstance(part, Path):
        drop_arrays(part, *names)
    else:
        for name in names:
            part.pop(name, None)


class _Surveyed(NamedTuple):
    """What is found out about a part first."""

    up: I4
    ends: I4
    most: int
    secrets: I8


class RecordIndex:
    """What a search asks of records: every question goes to all parts, and their answers are added.

    Negated values are numbered behind all others: node + len(values.names) says that the node is absent. `shown` is
    what `thinned` gave, of which only the last two may be asked for.

    most : the largest number of distinct values of a record, sensitive ones left out
    tree : every distinct path of all records: the one it prolongs, the item it ends in
    """

    def __init__(self, trees: Trees | TreeParts, values: Nodes) -> None:
        self.n, self.values = trees.n, values
        self._parts: Sequence[Part]
        if isinstance(trees, Trees):
            self._map: Mapper = in_turn
            self._parts = ({"start": trees.start, "items": trees.items, "parents": trees.parents},)
        else:
            self._map, self._parts = trees.map, trees.parts
        self._held: dict[int, int] = {}
        self._rows: dict[int, int] = {}
        self._version = 0
        width = max(len(values.leaf), 1)
        found = list(self._answers(partial(_survey, values, width)))
        self.most = max((one.most for one in found), default=0)
        self._often = sum((one.secrets for one in found), np.zeros(1, dtype=np.int64))
        self.tree: tuple[I4, I4] = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        for one in found:
            self.tree = _joined(self.tree, (one.up, one.ends), width)[1:]
        self._each(partial(_number, self.tree, width))

    @property
    def often(self) -> int:
        """How many records hold the commonest secret."""
        return int(self._often.max(initial=0))

    def thinned(self, spot: I4, found: int) -> int:
        """Note what records show where path t is looked at as spot[t], one of `found`, or -1: not at all."""
        self._version += 1
        self._each(partial(_thin, self._version, spot, found))
        return self._version

    def support(self, node: int) -> int:
        """How many records hold a value, or do not hold a negated one."""
        nodes = len(self.values.names)
        if node not in self._held:
            up = self.values.up
            together = np.flatnonzero(
                up == up[node % nodes]
            )  # what is asked about one child is asked about all
            ids = (together + node // nodes * nodes).tolist()
            rows = range(len(self._rows), len(self._rows) + len(ids))
            below = [_items_of(self.values, one) for one in together.tolist()]
            counts = self._added(partial(_fill, rows, below, node >= nodes))
            self._held |= dict(zip(ids, counts.tolist(), strict=True))
            self._rows |= dict(zip(ids, rows, strict=True))
        return self._held[node]

    def clashing(self, sets: Sequence[Groups], m: int, k: int) -> Iterator[bool]:
        """For each choice of groups, whether 1 to k-1 records hold some set of at most m values, one of each group.

        A single part is asked about one choice after the other, when the caller asks; several are asked about all sets
        of values together.
        """
        if len(self._parts) == 1:
            for groups in sets:
                nodes = np.array([node for group in groups for node in group], dtype=np.int32)
                rows = (-2 - self._by_row(-2 - nodes)).astype(np.int64)
                group = owners_by_size(np.array([len(some) for some in groups], dtype=np.int64))
                yield from self._answers(partial(_clash, rows, group, m, k))
            return
        asked = [self._sets(groups, m) for groups in sets]
        told = self._holding(asked, m, k)
        of = owners_by_size(np.array([len(some) for some in asked], dtype=np.int64))
        rare = np.bincount(of[(told > 0) & (told < k)], minlength=len(asked)) > 0
        yield from rare.tolist()

    def fit(self, shown: int, question: Question, enough: int) -> I8:
        """How many records fit each query; a number of at least `enough` need not be exact."""
        question = question._replace(asked=self._by_row(question.asked))
        return self._added(partial(_fit, shown, question, enough))

    def fit_with_secrets(self, shown: int, question: Question) -> tuple[I8, I8]:
        """How many records fit each query, and how many of them share one secret at most."""
        width, asked = len(self._often), self._by_row(question.asked)
        step = max(1, _CELLS // (width + 1))
        held, often = np.zeros((2, len(asked)), dtype=np.int64)
        for at in range(0, len(asked), step):
            some = question._replace(asked=asked[at : at + step])
            found = self._added(partial(_fit_by_secret, shown, some, width))
            held[at : at + step], often[at : at + step] = found[:, 0], found[:, 1:].max(axis=1, initial=0)
        return held, often

    def chance(self, shown: int, spot: I4, up: I4, share: F8) -> int:
        """The sum over records that the kernel `chance` describes."""
        return sum(self._answers(partial(_chance, shown, spot, up, share)))

    def supports(self, shown: int, spot: I4, found: int) -> I8:
        """How many records hold each of `found` spots."""
        return self._added(partial(_supports, shown, spot, found))

    def _answers(self, task: Callable[[Part], Answer]) -> Iterator[Answer]:
        return self._map(task, self._parts)

    def _added(self, task: Callable[[Part], I8]) -> I8:
        first, *others = self._answers(task)
        return sum(others, first)

    def _each(self, task: Callable[[Part], None]) -> None:
        for _ in self._answers(task):
            pass

    def _by_row(self, asked: I4) -> I4:
        """Queries with rows of bits in place of values; the rows are filled."""
        at = asked <= -2
        nodes = -2 - asked[at]
        rows = np.zeros(int(nodes.max(initial=0)) + 1, dtype=np.int32)
        rows[nodes] = 1
        for node in np.flatnonzero(rows).tolist():
            self.support(node)
            rows[node] = self._rows[node]
        by_row = asked.copy()
        by_row[at] = -2 - rows[nodes]
        return by_row

    def _holding(self, asked: Sequence[I4], m: int, k: int) -> I8:
        """How many records hold each of some sets of values, at most k counted by each part."""
        together = np.concatenate([np.zeros((0, m), dtype=np.int32), *asked])
        if not len(together):
            return np.zeros(0, dtype=np.int64)
        nothing = np.zeros(0, dtype=np.int32)
        question = Question(nothing, np.zeros(1, dtype=np.int64), nothing, 0, together)
        return self.fit(-1, question, k)

    def _sets(self, groups: Groups, m: int) -> I4:
        """Every set of at most m values with one of each group at least, as queries: int32[sets, m].

        Sets grow by values that stand behind their last one. Where they are many, those that nobody holds are not
        grown further.
        """
        nodes = np.array([node for group in groups for node in group], dtype=np.int32)
        group = owners_by_size(np.array([len(some) for some in groups], dtype=np.int64))
        last_of = np.cumsum([len(some) for some in groups])
        sets, last = np.zeros((1, 0), dtype=np.int64), np.array([-1])
        whole = [np.zeros((0, m), dtype=np.int32)]
        for depth in range(m):
            reach = np.where(last < 0, 0, np.minimum(group[last] + 1, len(groups) - 1))
            room = last_of[reach] - last - 1
            spread = owners_by_size(room)
            grown = concatenate_ranges(last + 1, room)
            fits = len(groups) - 1 - group[grown] <= m - 1 - depth
            spread, last = spread[fits], grown[fits]
            sets = np.concatenate([sets[spread], last[:, None]], axis=1)
            queries = np.full((len(sets), m), -1, dtype=np.int32)
            queries[:, : depth + 1] = -2 - nodes[sets]
            if len(sets) > _MANY:
                there = self._holding([queries], m, 1) > 0
                sets, last, queries = sets[there], last[there], queries[there]
            whole.append(queries[group[last] == len(groups) - 1])
        return np.concatenate(whole)


def _joined(one: tuple[I4, I4], other: tuple[I4, I4], width: int) -> tuple[I4, I4, I4]:
    """A tree with the paths of two, those of the first under their numbers: by path of both the new one, then it."""
    up = np.concatenate([one[0], np.where(other[0] < 0, -1, other[0] + len(one[0])).astype(np.int32)])
    ends = np.concatenate([one[1], other[1]])
    return project(up, ends, np.arange(width, dtype=np.int32), width)


def _survey(values: Nodes, width: int, part: Part) -> _Surveyed:
    """Number the paths of a part, and write down which records hold what."""
    begins, items, parents = _open(part, "start", "items", "parents")
    for array in (begins, items, parents):
        array.flags.writeable = False  # as those of trees, so that kernels are compiled once
    path, up, ends = paths(begins, items, parents, width)
    held_ends, records = holders(begins, items, width)
    _save(part, own_path=path, own_tree=np.stack([up, ends]), held_ends=held_ends, held_records=records)
    words = max((len(begins) + 62) // 64, 1)
    if isinstance(part, dict):
        part["bits"] = np.zeros((16, words), dtype=np.uint64)
    elif not (part / "bits.npy").exists():  # rows that nobody asks for take no room on the disk
        aside = part / ".bits"
        np.lib.format.open_memmap(aside, "w+", np.uint64, (2 * len(values.names) + 1, words))
        aside.replace(part / "bits.npy")
    hidden = int((values.leaf < 0).sum())
    secrets = np.zeros(max(hidden, 1), dtype=np.int64)
    if hidden:
        start, held = _secrets_of(begins, items, values.leaf)
        _save(part, secret_start=start, secrets=held)
        secrets = np.bincount(held, minlength=hidden)
    return _Surveyed(up, ends, _most_values(values.leaf, held_ends, records), secrets)


def _number(tree: tuple[I4, I4], width: int, part: Part) -> None:
    """Number the paths of a part as all parts do."""
    own, path = _open(part, "own_tree", "own_path")
    to, _, _ = _joined(tree, (own[0], own[1]), width)
    _save(part, path=to[len(tree[0]) :][path])
    if isinstance(part, dict):  # on disk a task may run again
        _drop(part, "own_tree", "own_path")


def _thin(version: int, spot: I4, found: int, part: Part) -> None:
    (start,) = _open(part, "start")
    start.flags.writeable = False
    (path,) = _open(part, "path")
    begins, kept = thin(start, path, spot, found)
    ends, records = _holders_of(begins, kept, found)
    shown: Sequence[I4 | I8] = (begins, kept, ends, records)
    _save(part, **{f"{name}-{version}": a for name, a in zip(_VERSIONED, shown, strict=True)})
    _drop(part, *(f"{name}-{version - 2}" for name in _VERSIONED))


def _showing(version: int, part: Part) -> tuple[I8, I4]:
    """Which records show each path; in version -1 nothing, for who asks about values only."""
    if version < 0:
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    ends, records = _open(part, f"held-{version}", f"records-{version}")
    return ends, records


def _bits(part: Part) -> U8:
    if isinstance(part, dict):
        return part["bits"]
    bits: U8 = np.asarray(np.load(part / "bits.npy", mmap_mode="r+", allow_pickle=False))
    return bits


def _fill(rows: range, below: Sequence[I8], lacking: bool, part: Part) -> I8:
    """Fill rows of bits, and say how many records are in each."""
    start, ends, records = _open(part, "start", "held_ends", "held_records")
    n, bits = len(start) - 1, _bits(part)
    while isinstance(part, dict) and len(bits) < rows.stop:
        bits = part["bits"] = np.concatenate([bits, np.zeros_like(bits)])
    counts = np.zeros(len(rows), dtype=np.int64)
    for place, (at, items) in enumerate(zip(rows, below, strict=True)):
        row = np.zeros(bits.shape[1], dtype=np.uint64)
        counts[place] = mark(items, ends, records, row)
        if lacking:
            row, counts[place] = ~row, n - counts[place]
            if n < 64 * len(row):
                row[-1] &= np.uint64((1 << n % 64) - 1)
        bits[at] = row
    return counts


def _clash(rows: I8, group: I8, m: int, k: int, part: Part) -> bool:
    return bool(clash(_bits(part), rows, group, m, k))


def _fit(version: int, question: Question, enough: int, part: Part) -> I8:
    spot, ends, shows, number, asked = question
    return fit(_bits(part), *_showing(version, part), spot, ends, shows, number, asked, enough)


def _fit_by_secret(version: int, question: Question, width: int, part: Part) -> I8:
    secret_start, secrets = _open(part, "secret_start", "secrets")
    held_ends, records = _showing(version, part)
    return fit_by_secret(_bits(part), held_ends, records, *question, secret_start, secrets, width)


def _chance(version: int, spot: I4, up: I4, share: F8, part: Part) -> int:
    start, path = _open(part, f"start-{version}", f"path-{version}")
    return chance(start, path, spot, up, share)


def _supports(version: int, spot: I4, found: int, part: Part) -> I8:
    start, path = _open(part, f"start-{version}", f"path-{version}")
    start.flags.writeable = False  # as those of trees, whose subtrees are counted by the same kernel
    return supports(start, path, spot, found)
