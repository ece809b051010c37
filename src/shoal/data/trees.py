"""Record trees, flat: a node is an item code and the place of its parent within the record.

start   : int64[n + 1]   record i holds the nodes start[i] .. start[i + 1] - 1
items   : int32[N]       item of each node
parents : int32[N]       place of the parent within the record, -1 under the root; parents come first
values  : tuple of str   the value behind each item; an item is a value of a class
kinds   : int32[V]       the class of each item

Nodes stand in preorder, siblings by rising item, and no two siblings are equal: equal trees are equal arrays.
Where `repeats` are kept, equal siblings stay apart: then those with one item stand by a number made of what is below
them, which says nothing of the order in which they came, and again equal trees are equal arrays.
Classes stand so that ancestors come before descendants, and items follow their classes: an ancestor's item
is smaller than its descendants'.

Rows of tables and objects of nested records may be kept as parts of record trees. Then the fields of a row stand below
each other, in one order for all rows, and what belongs to the row stands below the last of them: deeper rows, and the
values of fields that are lists. A row without any single value hangs what belongs to it on the row above. The fields of
the person stand under the root, and so does what belongs to the person.

The paper's trees keep no rows: there one field of a row, its head, stands above its other fields and all that belongs
to the row.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.data.arrays import B1, I4, I8, U8, hash_u64, is_group_start, row_of_entry, take_rows

__all__ = [
    "CHUNK",
    "LinkedTable",
    "Nesting",
    "Trees",
    "ancestor_classes",
    "ancestry",
    "find_lists",
    "parents_from_heads",
    "parents_from_rows",
    "require_few_fields",
    "topological_order",
]


CHUNK = 1 << 16
"""How many records are put in order at once, so that what it takes stays small."""

_MOST = 2_000  # classes: any two of them are looked at together


@dataclass(frozen=True, slots=True)
class LinkedTable:
    """A table whose rows are parts of records.

    path    : the dotted path of its rows in a record; "" is the table of persons
    name    : what it is called
    columns : all that are published, keys too, in their order
    over    : the path of the table that leads here
    here, there : the columns of the key here, and those of the table that leads here
    many    : whether rows here refer to one there, rather than one there to a row here
    format  : of the file that it came in, csv or parquet
    """

    path: str
    name: str
    columns: tuple[str, ...]
    over: str = ""
    here: tuple[str, ...] = ()
    there: tuple[str, ...] = ()
    many: bool = True
    format: str = "csv"


@dataclass(frozen=True, slots=True)
class Nesting:
    """How nested records were nested, by the dotted paths of their fields: so trees are written the same way again.

    heads  : for each object, the field that stands above its other fields
    lists  : the fields whose values mostly came in lists
    order  : every field, in the order in which fields were seen, as its place
    strange : a field whose own name is empty or holds a dot, so that its path does not tell how it was nested
    tables : the tables that records came from, that of persons first; none where they came nested
    texts  : the fields of free text, which were left out, and how many texts there were
    """

    heads: Mapping[str, str] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    order: Mapping[str, int] = field(default_factory=dict)
    strange: str | None = None
    tables: tuple[LinkedTable, ...] = ()
    texts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Trees(SafeRepr):
    """One tree per record; `sensitive` is the class whose values must not be linked to anybody.

    `nesting` tells how they were nested where they came in; None where they were not. `repeats` says whether equal
    siblings stay apart.
    """

    classes: tuple[str, ...]
    values: tuple[str, ...]
    kinds: I4
    start: I8
    items: I4
    parents: I4
    sensitive: str | None = None
    nesting: Nesting | None = None
    repeats: bool = False

    def __post_init__(self) -> None:
        for array in (self.kinds, self.start, self.items, self.parents):
            array.flags.writeable = False
        if self.sensitive is not None and self.sensitive not in self.classes:
            raise InputError(
                f"trees: the sensitive field '{self.sensitive}' does not occur; "
                f"{suggest_name(self.sensitive, self.classes)}"
            )

    @classmethod
    def of(
        cls, trees: Iterable[Sequence[Any]], sensitive: str | None = None, *, repeats: bool = False
    ) -> "Trees":
        """Code nested trees, a record the nodes under its root, a node (class, value, *children): for small inputs.

        >>> trees = Trees.of([[("ward", "A", ("ill", "flu"), ("ill", "flu"))], [], [("ill", "gout")]])
        >>> trees.classes, trees.values, trees.start.tolist(), trees.parents.tolist()
        (('ward', 'ill'), ('A', 'flu', 'gout'), [0, 2, 2, 3], [-1, 0, -1])
        """
        code_of: dict[tuple[str, str], int] = {}
        start, items, parents = [0], list[int](), list[int]()
        for tree in trees:
            queue = [(node, -1) for node in tree]
            for (kind, value, *children), parent in queue:  # the queue grows as it is read
                queue += [(child, len(items) - start[-1]) for child in children]
                items.append(code_of.setdefault((kind, value), len(code_of)))
                parents.append(parent)
            start.append(len(items))
        return cls.build(
            tuple(code_of),
            np.array(start, dtype=np.int64),
            np.array(items, dtype=np.int32),
            np.array(parents, dtype=np.int32),
            sensitive,
            repeats=repeats,
        )

    @classmethod
    def build(
        cls,
        pairs: Sequence[tuple[str, str]],
        start: I8,
        items: I4,
        parents: I4,
        sensitive: str | None = None,
        *,
        classes: Sequence[str] | None = None,
        repeats: bool = False,
    ) -> "Trees":
        """Bring nodes in any order (parents first) into the form above; equal siblings are merged unless `repeats`.

        `pairs` are the class and the value behind each code of `items`; one that stands twice is one item. Where
        `classes` are given, classes stand in their order: these may be some records of many.

        Raises
        ------
        InputError
            A class stands twice on a path, or two classes stand above each other.
        """
        names = sorted({kind for kind, _ in pairs}) if classes is None else list(classes)
        number = {name: index for index, name in enumerate(names)}
        raw = np.array([number[kind] for kind, _ in pairs], dtype=np.int32)
        order: Sequence[int] = range(len(names))
        if classes is None:
            order = topological_order(names, ancestor_classes(names, raw[items], start, parents))
        rank = {names[index]: level for level, index in enumerate(order)}
        sort = sorted(set(pairs), key=lambda pair: (rank[pair[0]], pair[1]))
        codes = {pair: code for code, pair in enumerate(sort)}
        coded = np.array([codes[pair] for pair in pairs], dtype=np.int32)[items]
        parts = [
            preorder(start[offset : offset + CHUNK + 1], coded, parents, len(sort), repeats=repeats)
            for offset in range(0, len(start) - 1, CHUNK)
        ]
        sizes = np.concatenate([np.zeros(1, dtype=np.int64), *(part[0] for part in parts)])
        return cls(
            tuple(names[index] for index in order),
            tuple(value for _, value in sort),
            np.array([rank[kind] for kind, _ in sort], dtype=np.int32),
            np.cumsum(sizes),
            np.concatenate([np.zeros(0, dtype=np.int32), *(part[1] for part in parts)]),
            np.concatenate([np.zeros(0, dtype=np.int32), *(part[2] for part in parts)]),
            sensitive,
            repeats=repeats,
        )

    def as_found(self) -> "Trees":
        """The same trees; `repeats` says whether equal siblings stand apart in them."""
        base = np.repeat(self.start[:-1], np.diff(self.start))
        over = np.where(self.parents < 0, -1 - row_of_entry(self.start), base + self.parents)
        room = np.unique(np.stack([over, self.items], axis=1), axis=0) if len(over) else over
        return replace(self, repeats=len(room) < len(over))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The class and the value behind each item."""
        return [(self.classes[kind], value) for kind, value in zip(self.kinds, self.values, strict=True)]

    def merged(self) -> "Trees":
        """The same trees, equal siblings merged.

        >>> twice = Trees.of([[("ward", "A", ("ill", "flu")), ("ward", "A", ("ill", "gout"))]], repeats=True)
        >>> len(twice.items), list(twice.merged().nested())
        (4, [(('ward', 'A', ('ill', 'flu'), ('ill', 'gout')),)])
        """
        if not self.repeats:
            return self
        merged_trees = Trees.build(
            self.pairs, self.start, self.items, self.parents, self.sensitive, classes=self.classes
        )
        return replace(merged_trees, nesting=self.nesting)

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.start) - 1

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, nodes and different values, and which classes there are."""
        counts = {"records": self.n, "nodes": len(self.items), "values": len(self.values)}
        secret = {} if self.sensitive is None else {"sensitive": self.sensitive}
        return {**counts, "classes": ", ".join(self.classes), **secret}

    def take(self, rows: I8) -> "Trees":
        """Some records, in this order.

        >>> list(Trees.of([[("ill", "flu")], [], [("ill", "gout")]]).take(np.array([2, 1])).nested())
        [(('ill', 'gout'),), ()]
        """
        start, items = take_rows(self.start, self.items, rows)
        return replace(self, start=start, items=items, parents=take_rows(self.start, self.parents, rows)[1])

    def same(self, other: "Trees") -> bool:
        """Whether both hold the same trees in the same order; which class is sensitive is not compared."""
        words = (self.classes, self.values) == (other.classes, other.values)
        arrays = ("kinds", "start", "items", "parents")
        return words and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)

    def tree(self, record: int) -> tuple[Any, ...]:
        """One record as `of` takes it."""
        first, last = self.start[record : record + 2].tolist()
        below: list[list[Any]] = [[] for _ in range(last - first + 1)]  # by node; the last are the tops
        for position in range(last - first - 1, -1, -1):
            item = int(self.items[first + position])
            node = (self.classes[self.kinds[item]], self.values[item], *reversed(below[position]))
            below[self.parents[first + position]].append(node)
        return tuple(reversed(below[-1]))

    def nested(self) -> Iterator[tuple[Any, ...]]:
        """Every record as `of` takes it."""
        return (self.tree(record) for record in range(self.n))


# --- into one order ---------------------------------------------------------------------------------------------------


def require_few_fields(names: Collection[str]) -> None:
    """Refuse trees of more fields than can be looked at two by two."""
    if len(names) > _MOST:
        raise InputError(
            f"trees: {len(names)} different fields, more than {_MOST}; drop those that nobody needs, or leave them out"
        )


def ancestor_classes(names: Sequence[str], kinds: I4, start: I8, parents: I4, before: int = 0) -> B1:
    """For each two classes, whether the first stands above the second somewhere; `before` records were seen already."""
    require_few_fields(names)
    above = np.zeros((len(names), len(names)), dtype=bool)
    for offset in range(0, len(start) - 1, CHUNK):
        for low, high in ancestry(start[offset : offset + CHUNK + 1], parents):
            twice = np.flatnonzero(kinds[low] == kinds[high])
            if len(twice):
                raise _class_twice_error(names, kinds, start, parents, int(low[twice[0]]), before)
            above.reshape(-1)[np.unique(kinds[high].astype(np.int64) * len(names) + kinds[low])] = True
    return above


def topological_order(names: Sequence[str], above: B1) -> list[int]:
    """The order of classes of which some stand above others; of those that may come next, the first."""
    waiting = above.sum(axis=0)  # for so many classes above it
    order: list[int] = []
    while len(order) < len(names):
        index = int(np.argmax(waiting == 0))
        if waiting[index]:
            stuck = ", ".join(f"'{names[index]}'" for index in np.flatnonzero(waiting > 0).tolist())
            raise InputError(
                f"trees: of the fields {stuck} each is above another in some records and below it in others; "
                "let values of one class always be above those of the other"
            )
        waiting -= above[index]
        waiting[index] = -1
        order.append(index)
    return order


def preorder(start: I8, items: I4, parents: I4, width: int, *, repeats: bool = False) -> tuple[I8, I4, I4]:
    """Put the nodes of some records in preorder, siblings by rising item; equal ones are merged unless `repeats`.

    `start` bounds the records within all `items` and `parents`; items are below `width`. Returns how many
    nodes each record keeps, their items, and their parents.
    """
    base = int(start[0])
    inside = slice(base, int(start[-1]))
    records = row_of_entry(start)
    over = np.where(parents[inside] < 0, -1, parents[inside] + (start[:-1] - base)[records])
    codes = items[inside].astype(np.int64)
    group = np.empty(len(codes), dtype=np.int64)  # the merged node each node became
    levels: list[tuple[I8, I8, I8]] = []
    node_count = 0
    below = _content_hashes(codes, over) if repeats else None
    for nodes in _nodes_by_depth(over):
        key = (group[over[nodes]] if levels else records[nodes]) * width + codes[nodes]
        if below is None:
            unique_keys, rank = np.unique(key, return_inverse=True)
        else:
            order = np.lexsort((below[nodes], key))
            unique_keys, rank = key[order], np.empty(len(order), dtype=np.int64)
            rank[order] = np.arange(len(order))
        group[nodes] = node_count + rank
        levels.append(
            (np.arange(node_count, node_count + len(unique_keys)), unique_keys // width, unique_keys % width)
        )
        node_count += len(unique_keys)
    return _lay_out_nodes(levels, node_count, len(start) - 1)


def _content_hashes(codes: I8, over: I8) -> U8:
    """A number for each node that is made of its item and of all that is below it, in whatever order that came."""
    content = _mix_hash(codes.astype(np.uint64))
    for nodes in reversed(list(_nodes_by_depth(over))[1:]):
        np.add.at(content, over[nodes], _mix_hash(content[nodes]))
        above = np.unique(over[nodes])
        content[above] = _mix_hash(content[above])
    return content


def _mix_hash(numbers: U8) -> U8:
    with np.errstate(over="ignore"):
        return hash_u64(numbers + np.uint64(0x9E3779B97F4A7C15))


def _lay_out_nodes(levels: list[tuple[I8, I8, I8]], made: int, records: int) -> tuple[I8, I4, I4]:
    """Lay merged nodes out; by level: their numbers, their parents' (on the first level: record), their items."""
    size = np.ones(made, dtype=np.int64)
    for numbers, over, _ in reversed(levels[1:]):
        size += np.bincount(over, weights=size[numbers], minlength=made).astype(np.int64)
    counts = np.zeros(records, dtype=np.int64)
    spot, top = np.empty(made, dtype=np.int64), np.empty(made, dtype=np.int64)
    items, parents = np.empty(made, dtype=np.int32), np.empty(made, dtype=np.int32)
    for depth, (numbers, over, codes) in enumerate(levels):
        before = np.cumsum(size[numbers]) - size[numbers]
        first = is_group_start(over)
        ahead = before - before[first][np.cumsum(first) - 1]  # sizes of the smaller siblings
        if depth:
            top[numbers] = top[over]
            spot[numbers] = spot[over] + 1 + ahead
            parents[spot[numbers]] = spot[over] - top[over]
        else:
            counts = np.bincount(over, weights=size[numbers], minlength=records).astype(np.int64)
            top[numbers] = (np.cumsum(counts) - counts)[over]
            spot[numbers] = top[numbers] + ahead
            parents[spot[numbers]] = -1
        items[spot[numbers]] = codes
    return counts, items, parents


def _nodes_by_depth(over: I8) -> Iterator[I8]:
    """The nodes by depth; `over` is each node's parent, -1 under the root."""
    order = np.argsort(over, kind="stable")
    children = np.searchsorted(over[order], np.arange(-1, len(over) + 1))  # of node i from [i + 1] to [i + 2]
    nodes = order[: children[1]]
    while len(nodes):
        yield nodes
        nodes = take_rows(children, order, nodes + 1)[1]


def ancestry(start: I8, parents: I4) -> Iterator[tuple[I8, I8]]:
    """The nodes of some records with each of their proper ancestors: with parents, then grandparents, and so on."""
    base = np.repeat(start[:-1], np.diff(start))
    low = start[0] + np.flatnonzero(parents[start[0] : start[-1]] >= 0)
    high = base[low - start[0]] + parents[low]
    while len(low):
        yield low, high
        further = parents[high] >= 0
        low, high = low[further], high[further]
        high = base[high - start[0]] + parents[high]


def _class_twice_error(
    names: Sequence[str], kinds: I4, start: I8, parents: I4, node: int, before: int
) -> InputError:
    record = int(np.searchsorted(start, node, side="right"))
    path = []
    position = node - int(start[record - 1])
    while position >= 0:
        entry = int(start[record - 1]) + position
        path.append(names[kinds[entry]])
        position = int(parents[entry])
    path_text = " > ".join(reversed(path))
    return InputError(
        f"trees: record {before + record}: a field occurs twice on the path {path_text}; give each step of a "
        "path a field "
        "of its own"
    )


_NONE = -1


def find_lists(rows: I8, fields: I8, many: B1) -> B1:
    """The fields that are lists: those that came as lists, and those of which some row has several values."""
    both, counts = np.unique(np.stack([rows, fields], axis=1)[rows >= 0], axis=0, return_counts=True)
    is_list = many.copy()
    is_list[both[counts > 1, 1]] = True
    return is_list


def parents_from_rows(rows: I8, fields: I8, over: I8, lists: B1) -> I8:
    """For each node, the node that it hangs below; -1 is the root.

    Parameters
    ----------
    rows
        For each node its row; -1 where it is a field of the person.
    fields
        For each node the number of its field; fields of a row stand by rising number.
    over
        For each row the row that it belongs to, which comes before it; -1 is the person.
    lists
        For each field whether it is a list.

    Examples
    --------
    A visit (ward, ill) with two drugs, each a row of its own, and the person's sex:

    >>> rows, fields = np.array([-1, 0, 0, 1, 2]), np.array([0, 1, 2, 3, 3])
    >>> parents_from_rows(rows, fields, np.array([-1, 0, 0]), np.zeros(4, dtype=bool)).tolist()
    [-1, -1, 1, 2, 2]
    """
    single = np.flatnonzero((rows >= 0) & ~lists[fields])
    single = single[np.lexsort((fields[single], rows[single]))]
    last = np.full(len(over) + 1, _NONE)  # the last single value of each row; behind them that of the person
    last[rows[single]] = single
    end = _nearest_nodes(last, over)
    parent = np.where(rows >= 0, end[rows], _NONE)
    first = is_group_start(rows[single])
    parent[single[~first]] = single[:-1][~first[1:]]
    parent[single[first]] = end[over[rows[single[first]]]]
    parents: I8 = parent
    return parents


def parents_from_heads(rows: I8, over: I8, heads: I8) -> I8:
    """For each node, the node that it hangs below where rows are not kept; -1 is the root.

    `rows` and `over` are those of `parents_from_rows`, and `heads` holds for each row the node of its head, -1 where it
    has none: then its other fields hang on what is above it.

    >>> parents_from_heads(np.array([-1, 0, 0, 1]), np.array([-1, 0]), np.array([1, -1])).tolist()
    [-1, -1, 1, 1]
    """
    end = _nearest_nodes(np.r_[heads, _NONE], over)
    parent = np.where(rows >= 0, end[rows], _NONE)
    headed = np.flatnonzero(heads >= 0)
    parent[heads[headed]] = end[over[headed]]
    parents: I8 = parent
    return parents


def _nearest_nodes(nodes: I8, over: I8) -> I8:
    """For each row the node of the nearest row, from this one upwards, that has one; behind them -1, the person's."""
    up = np.arange(len(over) + 1)
    up[-1] = _NONE
    while (bare := np.flatnonzero((up >= 0) & (nodes[up] == _NONE))).size:
        up[bare] = over[up[bare]]
    nearest: I8 = nodes[up]
    return nearest
