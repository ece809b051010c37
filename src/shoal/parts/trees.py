"""Record trees in parts: the codes of their nodes, beside one dictionary that is a `Trees` without a record.

Trees come in pieces, from a file of nested records or from a release, each in codes of its own. Which classes and
values there are, and how classes stand, is known when all were read; then a task codes each piece as a run.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.stopping import remove_tree
from shoal.data import Trees
from shoal.data.arrays import I4, I8, U8
from shoal.data.trees import Nesting, ancestor_classes, topological_order
from shoal.engines import Mapper
from shoal.io.config import TreeSpec
from shoal.io.read.files import unzip
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.io.read.trees import RawRecords, TreeBuilder, add_record, open_records
from shoal.parts.draws import RecordHasher, RunKey, number_equals
from shoal.parts.records import TREES, Parts, Records, RunParts, write_run

__all__ = ["Shuffling", "TreesInParts", "gather_trees", "hash_trees", "read_nested_parts", "tree_hasher"]


@dataclass(frozen=True, slots=True, repr=False)
class TreesInParts(SafeRepr):
    """Record trees in parts.

    outline : their classes and values, the dictionary of the codes of nodes; no record
    parts   : the records; each run has the arrays start, items and parents
    nodes   : how many nodes they had when they were read
    """

    outline: Trees
    parts: RunParts
    nodes: int

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records there are, and in how many parts."""
        return self.parts.facts()


def read_nested_parts(
    path: Path,
    folder: Path,
    mapper: Mapper,
    spec: TreeSpec,
    size: int,
    *,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
) -> TreesInParts:
    """Read a file of nested records into parts of at most `size` records below `folder`.

    Other parameters and errors are those of `read_trees`; names of persons are held until all were compared.
    """
    builder = TreeBuilder(spec, missing)
    taken: list[Path] = []

    def hand_over() -> None:
        taken.append(folder / "taken" / f"{len(taken):06}")
        taken[-1].mkdir(mode=0o700, parents=True)
        save_arrays(taken[-1], **builder.handed_over()._asdict())

    with unzip(path) as plain:
        for place, record in open_records(plain, path.name, encoding):
            add_record(builder, record, f"{path.name}, {place}")
            if builder.records - builder.done == size:
                hand_over()
    if builder.records > builder.done:
        hand_over()
    builder.require(path.name)
    names = sorted({kind for kind, _ in builder.pairs})
    number = {name: code for code, name in enumerate(names)}
    kinds = np.array([number[kind] for kind, _ in builder.pairs], dtype=np.int32)
    pieces = _Pieces(folder)
    for run in taken:  # whether rows are kept, and which fields are lists, is known once all was read
        raw = RawRecords(*open_arrays(run, *RawRecords._fields))
        pieces.add(names, kinds, raw.start, raw.items, builder.hung(raw))
    remove_tree(folder / "taken")
    pairs = tuple(spec.spelled(builder.pairs))
    return pieces.code(pairs, mapper, spec.sensitive, builder.nesting(), repeats=builder.keeps)


def gather_trees(
    pieces: Iterable[Trees], folder: Path, mapper: Mapper, sensitive: str | None = None
) -> TreesInParts:
    """Put pieces of records, each in codes of its own, into parts below `folder`: as many as there are pieces.

    Values that no node has are forgotten.

    Raises
    ------
    InputError
        Two classes stand above each other.
    """
    found, code = _Pieces(folder), dict[tuple[str, str], int]()
    nesting, repeats = Nesting(), False
    for piece in pieces:
        own, pairs = np.zeros(len(piece.values), dtype=np.int32), piece.pairs
        used = np.unique(piece.items)
        own[used] = [code.setdefault(pairs[item], len(code)) for item in used.tolist()]
        kinds = np.zeros(len(code), dtype=np.int32)
        kinds[own[used]] = piece.kinds[used]
        found.add(piece.classes, kinds, piece.start, own[piece.items], piece.parents)
        nesting, repeats = piece.nesting or nesting, repeats or piece.repeats
    return found.code(tuple(code), mapper, sensitive, nesting, repeats=repeats)


@dataclass(slots=True)
class _Pieces:
    """Records as they came, a run for each piece, and which classes stand above which others somewhere."""

    folder: Path
    sizes: list[int] = field(default_factory=list)
    nodes: int = 0
    over: set[tuple[str, str]] = field(default_factory=set)

    def add(self, names: Sequence[str], kinds: I4, start: I8, items: I4, parents: I4) -> None:
        """Take a piece; kinds[i] is the class of item i, a place in `names`."""
        above = ancestor_classes(names, kinds[items], start, parents, sum(self.sizes))
        self.over.update((names[high], names[low]) for high, low in np.argwhere(above).tolist())
        run = self.folder / "raw" / f"{len(self.sizes):06}"
        run.mkdir(mode=0o700, parents=True)
        save_arrays(run, start=start, items=items, parents=parents)
        self.sizes.append(len(start) - 1)
        self.nodes += len(items)

    def code(
        self,
        pairs: tuple[tuple[str, str], ...],
        mapper: Mapper,
        sensitive: str | None,
        nesting: Nesting,
        *,
        repeats: bool,
    ) -> TreesInParts:
        """Give all records the codes and the order that they would have in memory; pairs[i] is what item i says."""
        names = sorted({kind for kind, _ in pairs})
        above = np.array([[(high, low) in self.over for low in names] for high in names], dtype=bool)
        classes = [names[place] for place in topological_order(names, above.reshape(len(names), len(names)))]
        none = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        outline = Trees.build(pairs, *none, sensitive, classes=classes, repeats=repeats)
        for _ in mapper(partial(_code_piece, self.folder, pairs, outline), range(len(self.sizes))):
            pass
        remove_tree(self.folder / "raw")
        runs = tuple(self.folder / f"{number:06}" for number in range(len(self.sizes)))
        return TreesInParts(
            replace(outline, nesting=nesting), RunParts(runs, tuple(self.sizes), TREES), self.nodes
        )


def _code_piece(folder: Path, pairs: Sequence[tuple[str, str]], outline: Trees, number: int) -> None:
    """The task: write a piece as a run, in the codes of the outline."""
    start, items, parents = open_arrays(folder / "raw" / f"{number:06}", *TREES)
    trees = Trees.build(pairs, start, items, parents, classes=outline.classes, repeats=outline.repeats)
    write_run(folder / f"{number:06}", _as_records(trees), np.zeros(trees.n, dtype=np.int64), 1)


def _as_records(trees: Trees) -> Records:
    return Records.of_trees(trees.start, trees.items, trees.parents)


def tree_hasher(key: bytes, outline: Trees) -> RecordHasher:
    """What hashes records in the codes of an outline, by what their nodes say and where they stand."""
    return RecordHasher.of(key, (), [f"{len(kind)} {kind}{value}" for kind, value in outline.pairs])


def hash_trees(hasher: RecordHasher, trees: Trees) -> U8:
    """A number for each record, equal for equal trees: uint64[n]."""
    return hasher(np.empty((trees.n, 0), dtype=np.int32), trees.start, trees.items, trees.parents)


# --- in random order


@dataclass(frozen=True, slots=True, repr=False)
class Shuffling(SafeRepr):
    """Puts records into random order: each is sent to a bucket that its draw says, in which draws say the order.

    outline : the classes and values of the records
    hasher  : what hashes them
    key     : what numbers are drawn with
    buckets : how many there are
    folder  : where runs are written
    """

    outline: Trees
    hasher: RecordHasher
    key: RunKey
    buckets: int
    folder: Path

    def run(self, load: Callable[[Path], Trees], pieces: Sequence[Path], mapper: Mapper) -> tuple[Parts, int]:
        """Send the records that `load` finds in each of the pieces; return the buckets, and the sum of hashes."""
        sent = list(mapper(partial(self._send, load, pieces), range(len(pieces))))
        sizes = sum((sizes for sizes, _ in sent), np.zeros(self.buckets, dtype=np.int64))
        runs = tuple(self.folder / f"{number:06}" for number in range(len(pieces)))
        return Parts(runs, tuple(sizes.tolist()), TREES), sum(digest for _, digest in sent) % 2**64

    def _send(self, load: Callable[[Path], Trees], pieces: Sequence[Path], number: int) -> tuple[I8, int]:
        """The task: write the records of one piece by bucket."""
        trees = load(pieces[number])
        hashes = hash_trees(self.hasher, trees)
        draws = self.key.draw(f"bucket {number}", hashes, number_equals(hashes)) >> np.uint64(32)
        bucket = (draws * np.uint64(self.buckets) >> np.uint64(32)).astype(np.int64)
        sizes = write_run(self.folder / f"{number:06}", _as_records(trees), bucket, self.buckets)
        return sizes, int(hashes.sum(dtype=np.uint64))

    def read(self, parts: Parts, number: int) -> Trees:
        """Read the records of a bucket in their random order."""
        records = parts.read_records(number)
        hashes = self.hasher(records.codes, records.start, records.items, records.parents)
        order = np.argsort(self.key.draw("order", hashes, number_equals(hashes)), kind="stable")
        mixed = records.take(order)
        assert mixed.start is not None
        assert mixed.parents is not None
        return replace(self.outline, start=mixed.start, items=mixed.items, parents=mixed.parents)
