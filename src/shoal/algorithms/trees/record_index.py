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
    count_fitting,
    count_fitting_by_secret,
    has_clash,
    list_holders,
    mark_records,
    sum_chances,
    thin_paths,
)
from shoal.data import Trees
from shoal.data.arrays import F8, I4, I8, U8, concatenate_ranges, prefix_sums, row_of_entry, rows_by_size
from shoal.engines import Mapper, in_turn
from shoal.hierarchy.nodes import Nodes
from shoal.io.read.parts import drop_arrays, open_arrays, save_arrays
from shoal.utility._kernels import count_supports, number_paths, project_paths

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


def _find_items(values: Nodes, node: int) -> I8:
    """The items of the trees that a node stands for."""
    lo, hi = values.span[node]
    leaf = values.leaf
    low = values.span[leaf, 0]
    inside = (leaf >= 0) & (values.kind[leaf] == values.kind[node]) & (low >= lo) & (low < hi)
    return np.flatnonzero(inside)


def _list_secrets(start: I8, items: I4, leaf: I4) -> tuple[I8, I4]:
    """The secrets of each record, each once: where they start, and their places among all sensitive items."""
    hidden = leaf[items] < 0
    record = row_of_entry(start)[hidden]
    width = max(len(leaf), 1)
    keys = np.unique(record * width + items[hidden])
    secret_code = np.cumsum(leaf < 0) - 1
    begins = prefix_sums(np.bincount(keys // width, minlength=len(start) - 1))
    return begins.astype(np.int64), secret_code[keys % width].astype(np.int32)


def _max_values(leaf: I4, ends: I8, records: I4) -> int:
    """The largest number of distinct values of a record, sensitive ones left out, by the holders of each item."""
    is_open = np.repeat(leaf >= 0, np.diff(ends)[: len(leaf)])
    return int(np.bincount(records[is_open], minlength=1).max())


def _find_holders(start: I8, path: I4, found: int) -> tuple[I8, I4]:
    """Which records show each of `found` paths, as `list_holders` says it."""
    both = start.view(), path.view()
    for array in both:
        array.flags.writeable = False  # as those of trees, so that the kernel is compiled once
    return list_holders(*both, found)


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


def _load_arrays(part: Part, *names: str) -> tuple[NDArray[Any], ...]:
    return open_arrays(part, *names) if isinstance(part, Path) else tuple(part[name] for name in names)


def _store_arrays(part: Part, **arrays: NDArray[Any]) -> None:
    if isinstance(part, Path):
        save_arrays(part, **arrays)
    else:
        part.update(arrays)


def _remove_arrays(part: Part, *names: str) -> None:
    if isinstance(part, Path):
        drop_arrays(part, *names)
    else:
        for name in names:
            part.pop(name, None)


class _PartSurvey(NamedTuple):
    """What is found out about a part first."""

    up: I4
    ends: I4
    most: int
    secrets: I8


class RecordIndex:
    """What a search asks of records: every question goes to all parts, and their answers are added.

    Negated values are numbered behind all others: node + len(values.names) says that the node is absent. `shown` is
    what `thin_records` gave, of which only the last two may be asked for.

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
        surveys = list(self._ask_parts(partial(_survey_part, values, width)))
        self.most = max((survey.most for survey in surveys), default=0)
        self._often = sum((survey.secrets for survey in surveys), np.zeros(1, dtype=np.int64))
        self.tree: tuple[I4, I4] = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        for survey in surveys:
            self.tree = _join_trees(self.tree, (survey.up, survey.ends), width)[1:]
        self._run_task(partial(_number_paths, self.tree, width))

    @property
    def often(self) -> int:
        """How many records hold the commonest secret."""
        return int(self._often.max(initial=0))

    def thin_records(self, spot: I4, found: int) -> int:
        """Note what records show where path t is looked at as spot[t], one of `found`, or -1: not at all."""
        self._version += 1
        self._run_task(partial(_thin_part, self._version, spot, found))
        return self._version

    def support(self, node: int) -> int:
        """How many records hold a value, or do not hold a negated one."""
        nodes = len(self.values.names)
        if node not in self._held:
            up = self.values.up
            # What is asked about one child is asked about all.
            siblings = np.flatnonzero(up == up[node % nodes])
            ids = (siblings + node // nodes * nodes).tolist()
            rows = range(len(self._rows), len(self._rows) + len(ids))
            below = [_find_items(self.values, sibling) for sibling in siblings.tolist()]
            counts = self._sum_answers(partial(_fill_rows, rows, below, node >= nodes))
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
                rows = (-2 - self._fill_queries(-2 - nodes)).astype(np.int64)
                group = rows_by_size(np.array([len(members) for members in groups], dtype=np.int64))
                yield from self._ask_parts(partial(_part_has_clash, rows, group, m, k))
            return
        queries = [self._list_sets(groups, m) for groups in sets]
        counts = self._count_holders(queries, m, k)
        choice_of_set = rows_by_size(np.array([len(members) for members in queries], dtype=np.int64))
        rare = np.bincount(choice_of_set[(counts > 0) & (counts < k)], minlength=len(queries)) > 0
        yield from rare.tolist()

    def fit(self, shown: int, question: Question, enough: int) -> I8:
        """How many records fit each query; a number of at least `enough` need not be exact."""
        question = question._replace(asked=self._fill_queries(question.asked))
        return self._sum_answers(partial(_part_fits, shown, question, enough))

    def fit_with_secrets(self, shown: int, question: Question) -> tuple[I8, I8]:
        """How many records fit each query, and how many of them share one secret at most."""
        width, queries = len(self._often), self._fill_queries(question.asked)
        step = max(1, _CELLS // (width + 1))
        totals, often = np.zeros((2, len(queries)), dtype=np.int64)
        for first in range(0, len(queries), step):
            chunk = question._replace(asked=queries[first : first + step])
            counts = self._sum_answers(partial(_part_fits_by_secret, shown, chunk, width))
            totals[first : first + step], often[first : first + step] = (
                counts[:, 0],
                counts[:, 1:].max(axis=1, initial=0),
            )
        return totals, often

    def chance(self, shown: int, spot: I4, up: I4, share: F8) -> int:
        """The sum over records that the kernel `sum_chances` describes."""
        return sum(self._ask_parts(partial(_part_chance, shown, spot, up, share)))

    def supports(self, shown: int, spot: I4, found: int) -> I8:
        """How many records hold each of `found` spots."""
        return self._sum_answers(partial(_part_supports, shown, spot, found))

    def _ask_parts(self, task: Callable[[Part], Answer]) -> Iterator[Answer]:
        return self._map(task, self._parts)

    def _sum_answers(self, task: Callable[[Part], I8]) -> I8:
        first, *further_answers = self._ask_parts(task)
        return sum(further_answers, first)

    def _run_task(self, task: Callable[[Part], None]) -> None:
        for _ in self._ask_parts(task):
            pass

    def _fill_queries(self, asked: I4) -> I4:
        """Queries with rows of bits in place of values; the rows are filled."""
        is_value = asked <= -2
        nodes = -2 - asked[is_value]
        rows = np.zeros(int(nodes.max(initial=0)) + 1, dtype=np.int32)
        rows[nodes] = 1
        for node in np.flatnonzero(rows).tolist():
            self.support(node)
            rows[node] = self._rows[node]
        by_row = asked.copy()
        by_row[is_value] = -2 - rows[nodes]
        return by_row

    def _count_holders(self, asked: Sequence[I4], m: int, k: int) -> I8:
        """How many records hold each of some sets of values, at most k counted by each part."""
        queries = np.concatenate([np.zeros((0, m), dtype=np.int32), *asked])
        if not len(queries):
            return np.zeros(0, dtype=np.int64)
        nothing = np.zeros(0, dtype=np.int32)
        question = Question(nothing, np.zeros(1, dtype=np.int64), nothing, 0, queries)
        return self.fit(-1, question, k)

    def _list_sets(self, groups: Groups, m: int) -> I4:
        """Every set of at most m values with one of each group at least, as queries: int32[sets, m].

        Sets grow by values that stand behind their last one. Where they are many, those that nobody holds are not
        grown further.
        """
        nodes = np.array([node for group in groups for node in group], dtype=np.int32)
        group_sizes = np.array([len(members) for members in groups], dtype=np.int64)
        group = rows_by_size(group_sizes)
        group_end = np.cumsum(group_sizes)
        last_group = len(groups) - 1
        sets, last = np.zeros((1, 0), dtype=np.int64), np.array([-1])
        complete_sets = [np.zeros((0, m), dtype=np.int32)]
        for size in range(1, m + 1):
            # No group may be skipped, so the next value is of the group of the last one, or of the next group.
            next_group = np.where(last < 0, 0, np.minimum(group[last] + 1, last_group))
            choice_count = group_end[next_group] - last - 1
            set_of_row = rows_by_size(choice_count)
            added = concatenate_ranges(last + 1, choice_count)
            can_be_completed = last_group - group[added] <= m - size
            set_of_row, last = set_of_row[can_be_completed], added[can_be_completed]
            sets = np.concatenate([sets[set_of_row], last[:, None]], axis=1)
            queries = np.full((len(sets), m), -1, dtype=np.int32)
            queries[:, :size] = -2 - nodes[sets]
            if len(sets) > _MANY:
                is_held = self._count_holders([queries], m, 1) > 0
                sets, last, queries = sets[is_held], last[is_held], queries[is_held]
            complete_sets.append(queries[group[last] == last_group])
        return np.concatenate(complete_sets)


def _join_trees(one: tuple[I4, I4], other: tuple[I4, I4], width: int) -> tuple[I4, I4, I4]:
    """A tree with the paths of two, those of the first under their numbers: by path of both the new one, then it."""
    up = np.concatenate([one[0], np.where(other[0] < 0, -1, other[0] + len(one[0])).astype(np.int32)])
    ends = np.concatenate([one[1], other[1]])
    return project_paths(up, ends, np.arange(width, dtype=np.int32), width)


def _survey_part(values: Nodes, width: int, part: Part) -> _PartSurvey:
    """Number the paths of a part, and write down which records hold what."""
    begins, items, parents = _load_arrays(part, "start", "items", "parents")
    for array in (begins, items, parents):
        array.flags.writeable = False  # as those of trees, so that kernels are compiled once
    path, up, ends = number_paths(begins, items, parents, width)
    held_ends, records = list_holders(begins, items, width)
    _store_arrays(
        part, own_path=path, own_tree=np.stack([up, ends]), held_ends=held_ends, held_records=records
    )
    words = max((len(begins) + 62) // 64, 1)
    if isinstance(part, dict):
        part["bits"] = np.zeros((16, words), dtype=np.uint64)
    elif not (part / "bits.npy").exists():  # rows that nobody asks for take no room on the disk
        temporary = part / ".bits"
        np.lib.format.open_memmap(temporary, "w+", np.uint64, (2 * len(values.names) + 1, words))
        temporary.replace(part / "bits.npy")
    hidden = int((values.leaf < 0).sum())
    secrets = np.zeros(max(hidden, 1), dtype=np.int64)
    if hidden:
        start, secret_codes = _list_secrets(begins, items, values.leaf)
        _store_arrays(part, secret_start=start, secrets=secret_codes)
        secrets = np.bincount(secret_codes, minlength=hidden)
    return _PartSurvey(up, ends, _max_values(values.leaf, held_ends, records), secrets)


def _number_paths(tree: tuple[I4, I4], width: int, part: Part) -> None:
    """Number the paths of a part as all parts do."""
    part_tree, path = _load_arrays(part, "own_tree", "own_path")
    to, _, _ = _join_trees(tree, (part_tree[0], part_tree[1]), width)
    _store_arrays(part, path=to[len(tree[0]) :][path])
    if isinstance(part, dict):  # on disk a task may run again
        _remove_arrays(part, "own_tree", "own_path")


def _thin_part(version: int, spot: I4, found: int, part: Part) -> None:
    (start,) = _load_arrays(part, "start")
    start.flags.writeable = False
    (path,) = _load_arrays(part, "path")
    begins, spots = thin_paths(start, path, spot, found)
    ends, records = _find_holders(begins, spots, found)
    arrays: Sequence[I4 | I8] = (begins, spots, ends, records)
    _store_arrays(part, **{f"{name}-{version}": a for name, a in zip(_VERSIONED, arrays, strict=True)})
    _remove_arrays(part, *(f"{name}-{version - 2}" for name in _VERSIONED))


def _records_by_path(version: int, part: Part) -> tuple[I8, I4]:
    """Which records show each path; in version -1 nothing, for who asks about values only."""
    if version < 0:
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    ends, records = _load_arrays(part, f"held-{version}", f"records-{version}")
    return ends, records


def _load_bits(part: Part) -> U8:
    if isinstance(part, dict):
        return part["bits"]
    bits: U8 = np.asarray(np.load(part / "bits.npy", mmap_mode="r+", allow_pickle=False))
    return bits


def _fill_rows(rows: range, below: Sequence[I8], lacking: bool, part: Part) -> I8:
    """Fill rows of bits, and say how many records are in each."""
    start, ends, records = _load_arrays(part, "start", "held_ends", "held_records")
    n, bits = len(start) - 1, _load_bits(part)
    while isinstance(part, dict) and len(bits) < rows.stop:
        bits = part["bits"] = np.concatenate([bits, np.zeros_like(bits)])
    counts = np.zeros(len(rows), dtype=np.int64)
    for index, (bit_row, items) in enumerate(zip(rows, below, strict=True)):
        row = np.zeros(bits.shape[1], dtype=np.uint64)
        counts[index] = mark_records(items, ends, records, row)
        if lacking:
            row, counts[index] = ~row, n - counts[index]
            if n < 64 * len(row):
                row[-1] &= np.uint64((1 << n % 64) - 1)
        bits[bit_row] = row
    return counts


def _part_has_clash(rows: I8, group: I8, m: int, k: int, part: Part) -> bool:
    return bool(has_clash(_load_bits(part), rows, group, m, k))


def _part_fits(version: int, question: Question, enough: int, part: Part) -> I8:
    spot, ends, shows, number, queries = question
    return count_fitting(
        _load_bits(part), *_records_by_path(version, part), spot, ends, shows, number, queries, enough
    )


def _part_fits_by_secret(version: int, question: Question, width: int, part: Part) -> I8:
    secret_start, secrets = _load_arrays(part, "secret_start", "secrets")
    held_ends, records = _records_by_path(version, part)
    return count_fitting_by_secret(
        _load_bits(part), held_ends, records, *question, secret_start, secrets, width
    )


def _part_chance(version: int, spot: I4, up: I4, share: F8, part: Part) -> int:
    start, path = _load_arrays(part, f"start-{version}", f"path-{version}")
    return sum_chances(start, path, spot, up, share)


def _part_supports(version: int, spot: I4, found: int, part: Part) -> I8:
    start, path = _load_arrays(part, f"start-{version}", f"path-{version}")
    start.flags.writeable = False  # as those of trees, whose subtrees are counted by the same kernel
    return count_supports(start, path, spot, found)
