"""Large released data as `verify` sees them: of a table its different rows, of others records in parts.

What is judged of parts is judged as the door judges what it writes so, in memory that does not grow with the file.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import polars as pl

from shoal.algorithms.parts import trees_of
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.data.arrays import I4, I8, prefix_sums, row_of_entry, take_rows
from shoal.engines import COUNT, TooManyError
from shoal.engines.local import Local
from shoal.io.config import Config
from shoal.io.formats import ENDINGS, TREE_FILES
from shoal.io.read.cells import cell_texts, factorize
from shoal.io.read.files import silence_native_output
from shoal.io.read.parquet import ParquetError, examine_parquet, scan_parquet
from shoal.io.read.parts import open_arrays, save_arrays
from shoal.io.read.table import TROUBLE, scan_table
from shoal.io.write.form import noncanonical_file, noncanonical_json, noncanonical_lists
from shoal.io.write.groups import has_groups, noncanonical_groups, spell_out
from shoal.io.write.json_text import Entry, read_lists
from shoal.io.write.table import cell_pieces, unescape_cells
from shoal.io.write.trees import noncanonical_trees, read_pieces
from shoal.parts.draws import RunKey
from shoal.parts.folder import PrivateFolder
from shoal.parts.trees import TreesInParts, gather_trees, hash_trees, tree_hasher
from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    ItemsetAnonymity,
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    KMNAnonymity,
    LDiversity,
    LmDiversity,
    Nonreciprocal,
    TCloseness,
    counts_households,
)
from shoal.publish.files import whole_numbers
from shoal.publish.large.parts import MOST_TUPLES, DistinctCounter, list_hashes
from shoal.publish.large.table_counts import TableCounts
from shoal.release import Claim, Published, PublishedBaskets, PublishedMixed, Verdict
from shoal.shapes.baskets.verification import judge_basket_parts, number_entries, unexpected_entries
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.table.verification import unexpected_cells
from shoal.shapes.trees.verification import TreeVerification, judge_tree_parts
from shoal.shapes.votes import published_bits

__all__ = ["CellParts", "ReleaseCounts", "ReleaseParts", "count_release", "parts_of_release", "too_much"]

_FEW_BYTES = 64 * 2**20  # of a file: a smaller one is read at once
_FEW_CELLS = 1 << 24  # of a parquet file, which may hold millions in each kilobyte: fewer are read at once
_CELLS, _CELLS_EACH = 1 << 26, 8  # cells that are read at once in any case, and for each byte of a file
_TEXT, _TEXT_EACH = 1 << 28, 64  # bytes of text, likewise
_PIECE = 1 << 22  # bytes of lines that are read at once
_RECORDS = 1 << 16  # record trees, or rows of other files, that are read at once
_LOT = 1 << 23  # items and classes that a judge of classes looks at together, about
_BUCKET = 1 << 18  # records of whole classes that are counted together
_MOST_SETS = 1 << 31  # of values that a judge of parts counts, a few million in each round over all parts


class ReleaseCounts(NamedTuple):
    """The columns of a released table, its different rows of those that a judge looks at, and their counts."""

    columns: list[str]
    frame: pl.DataFrame
    counts: I8


def count_release(path: Path, roles: Mapping[str, str], seen: frozenset[str]) -> ReleaseCounts | None:
    """Count a released table; None where it is small, or must be read at once to be read right.

    `seen` names columns that are looked at although they are neither quasi-identifiers nor sensitive.
    """
    files = _files(path)
    if _size(files) < _FEW_BYTES and _cells(files) < _FEW_CELLS:
        return None
    cells = _scanned(files, "," if path.suffix == ".csv" else None)
    if cells is None:
        return None
    header = cells.collect_schema().names()
    columns = header
    if path.suffix == ".csv":
        columns = unescape_cells(pl.DataFrame(schema=dict.fromkeys(header, pl.String))).columns
    names = [name for name in columns if roles.get(name) in ("quasi", "known", "sensitive") or name in seen]
    if not names or len(set(columns)) < len(columns):
        return None
    frame, engine = nw.from_native(cells.rename(dict(zip(header, columns, strict=True)))), Local()
    try:
        with silence_native_output():
            found = engine.tally(frame, names, MOST_TUPLES, engine.total(frame))
    except (TooManyError, *TROUBLE):  # whoever reads it at once says what is wrong
        return None
    texts = pl.DataFrame([cell_texts(found[name]) for name in names]).with_columns(pl.all().replace("", None))
    meant = unescape_cells(texts) if path.suffix == ".csv" else texts
    meant.columns = names
    return ReleaseCounts(columns, meant, found[COUNT].to_numpy().astype(np.int64))


def too_much(path: Path) -> str | None:
    """Why a data file is not read at once: it holds far more than its size tells; None where it may be read.

    Of parquet a kilobyte may hold millions of equal cells, and as many long texts. Other files are no smaller than what
    they hold.
    """
    files = _files(path)
    size, cells = _size(files), _cells(files)
    most = _CELLS + _CELLS_EACH * size
    if cells > most:
        return f"{path.name} holds {cells} cells in {size} bytes, and no more than {most} are read"
    most = _TEXT + _TEXT_EACH * size
    if path.suffix == ".parquet" and cells and (told := _text_bytes(files)) > most:
        return f"{path.name} holds {told} bytes of text in {size}, and no more than {most} are read"
    return None


def _files(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else [path]


def _size(files: list[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _cells(files: list[Path]) -> int:
    """How many cells parquet files hold, or state to hold where that is too many; 0 of others, and of broken ones."""
    most = _CELLS + _CELLS_EACH * _size(files)
    try:
        return sum(examine_parquet(file, most).values for file in files if file.suffix == ".parquet")
    except ParquetError as error:
        return most + 1 if error.reason == "memory" else 0


def _text_bytes(files: list[Path]) -> int:
    """How many bytes all texts of parquet files take; 0 where they cannot be read."""
    try:
        with silence_native_output():
            total = 0
            for file in files:
                cells = scan_parquet(file).select(pl.col(pl.String).str.len_bytes().cast(pl.UInt64).sum())
                total += sum(int(many or 0) for many in cells.collect(engine="streaming").row(0))
            return total
    except TROUBLE:
        return 0


def _scanned(files: list[Path], delimiter: str | None) -> pl.LazyFrame | None:
    """The records of all files; None where one must be read at once, or has other columns than the first."""
    parts: list[pl.LazyFrame] = []
    for file in files:
        part = scan_table(file, delimiter=delimiter, encoding="utf-8")
        if part is None or (parts and part.collect_schema() != parts[0].collect_schema()):
            return None
        parts.append(part)
    return pl.concat(parts)


def parts_of_release(
    path: Path, known: JudgingContext, claim: Claim, config: Config | None, *, old: bool = False
) -> "ReleaseParts | None":
    """Read a release part by part; None where it is small, or must be read at once to be read or judged right.

    That are claims that no judge of parts knows, and whatever is not as it should be: whoever reads it at once says
    what is wrong. `old` says that an earlier version wrote it.
    """
    files = _files(path)
    packing = {ending: format.packing for ending, format in ENDINGS.items()}
    size = sum(file.stat().st_size * packing.get(file.suffix, 1) for file in files)  # once it was read, about
    if size < _FEW_BYTES or too_much(path) is not None:
        return None
    try:
        found: CellParts | _TreeParts | _TableParts | None = None
        by_class = isinstance(claim, KKmAnonymity | KLmDiversity)
        if isinstance(claim, KMNAnonymity):
            found = _TreeParts.read(path, known, config)
        elif claim.shape == "table":
            found = _TableParts.read(path, known, config, claim, old) if files == [path] else None
        elif by_class == ("quasi" in known.columns.values()) and (
            by_class or isinstance(claim, KmAnonymity | LmDiversity | ItemsetAnonymity | Nonreciprocal)
        ):
            found = CellParts.read(path, known, config, old) if files == [path] else None
    except (InputError, *TROUBLE):
        return None
    return None if found is None or found.sets(claim) > _MOST_SETS else found


@dataclass(frozen=True, slots=True, repr=False)
class CellParts(SafeRepr):
    """Released baskets, or a table with baskets, in parts.

    nested  : the columns of lists: of items, and of baskets by vote of what is uncertain
    entries : what the numbers of all lists stand for
    labels  : by quasi-identifier, what its numbers stand for
    levelled : by column at a fixed level, its different cells
    parts   : folders with the arrays start and items, of baskets by vote maybe_start and maybe, and of tables quasi
    strange : a sentence where cells of lists are not as shoal writes them
    sample  : the first records, as they are written
    room    : where the folders are; it goes with the object
    """

    path: Path
    known: JudgingContext
    config: Config | None
    old: bool
    room: PrivateFolder
    nested: list[str]
    entries: tuple[Entry, ...]
    labels: dict[str, tuple[str | None, ...]]
    levelled: dict[str, set[str | None]]
    parts: tuple[Path, ...]
    records: int
    classes: int
    strange: str | None
    sample: pl.DataFrame

    @classmethod
    def read(cls, path: Path, known: JudgingContext, config: Config | None, old: bool) -> "CellParts | None":
        """Read a file of cells; None where their columns are not those that are known."""
        format = path.suffix.removeprefix(".")
        nested = [name for name, role in known.columns.items() if role == "items"]
        fixed = {} if config is None else config.columns
        label = {name: dict[str | None, int]() for name, role in known.columns.items() if role == "quasi"}
        usual = len(nested) == 1 if label else nested in (["items"], _BY_VOTE)
        if not usual:
            return None
        levelled = {
            name: set[str | None]()
            for name in known.columns
            if name in fixed and fixed[name].level is not None
        }
        room, code, key = PrivateFolder(), dict[Entry, int](), int.from_bytes(os.urandom(8))
        parts: list[Path] = []
        strange: str | None = None
        kinds, records, sample = DistinctCounter(), 0, pl.DataFrame()
        pieces = cell_pieces(path, format, nested, size=_PIECE, records=_RECORDS)
        for cells in pieces or ():
            if cells.columns != list(known.columns):
                return None
            if nested == _BY_VOTE:
                published_bits(cells, None, None, None)  # faults are told of what is read at once
                if not whole_numbers(cells["errors"]):
                    return None
            lists = [_coded(cells[name], code) for name in nested]
            part = room.path / f"{len(parts):06}"
            part.mkdir(mode=0o700)
            for names, arrays in zip(_ARRAYS, lists, strict=False):
                save_arrays(part, **dict[str, Any](zip(names, arrays, strict=True)))
            told = _sets(*lists[0], len(code))
            if label:
                quasi = np.stack([_numbered(cells[name], known) for name, known in label.items()], axis=1)
                save_arrays(part, quasi=quasi)
                told = np.arange(len(quasi) + 1) * len(label), quasi.ravel().astype(np.int64)
            for name, seen in levelled.items():
                seen.update(cells[name].unique())
            kinds += DistinctCounter.of(list_hashes(*told, key))
            if format != "ndjson":  # of which the form of lines tells
                strange = strange or noncanonical_json(cells, nested)
            sample = sample if parts else cells.head(1)
            parts.append(part)
            records += cells.height
        if not parts:
            return None
        labels = {name: tuple(known) for name, known in label.items()}
        held = tuple(code), labels, levelled, tuple(parts), records, len(kinds), strange, sample
        return cls(path, known, config, old, room, nested, *held)

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return {"records": self.records, "parts": len(self.parts), "items": len(self.entries)}

    def sets(self, claim: Claim) -> int:
        """How many sets of items a judge of all classes may have to count."""
        if isinstance(claim, KKmAnonymity | KLmDiversity):
            return 0
        return comb(len(self.entries), min(getattr(claim, "m", 0), len(self.entries)))

    def odd(self) -> str | None:
        """A sentence where the file is not as shoal writes it, or items stand in no one order."""
        format = self.path.suffix.removeprefix(".")
        odd = noncanonical_file(self.path, format, nested=self.nested, old=self.old) or self.strange
        odd = odd or noncanonical_lists(list(self._lists()))
        groups = self.known.groups
        if odd is None and has_groups(self.known.columns) and (groups or not self.old):
            return noncanonical_groups(self.path.parent, groups, self.entries)
        return None if odd is None else f"{self.path.name} holds {odd}; it was changed"

    def _lists(self) -> Iterator[tuple[I8, I4, tuple[Entry, ...]]]:
        for part in self.parts:
            for names in _ARRAYS[: len(self.nested)]:
                start, items = open_arrays(part, *names)
                yield start, items, self.entries

    def unexpected(self) -> str | None:
        """A sentence where an item, or a label of a quasi-identifier, stands for nothing in its hierarchy."""
        if self.config is None:
            return None
        meant = self._meant
        for name, (_, array) in zip(self.nested, _ARRAYS, strict=False):
            held = {entry for part in self.parts for entry in self._held(part, array, meant)}
            odd = unexpected_entries(name, list(held), self.known.hierarchies.get(self.nested[0]))
            if odd is not None:
                return odd
        told = {**self.levelled, **self.labels}
        cells: Any = {name: pl.Series(name, list(held), dtype=pl.String) for name, held in told.items()}
        return unexpected_cells(cells, self.known, self.config)

    @property
    def _meant(self) -> tuple[Entry, ...]:
        """The entries, groups as their items."""
        return spell_out(self.entries, self.known.groups)

    def _held(self, part: Path, name: str, meant: tuple[Entry, ...]) -> list[Entry]:
        return [meant[code] for code in np.unique(open_arrays(part, name)[0]).tolist()]

    def check(self, claim: Claim) -> Verdict:
        """Judge items by sums over parts, classes lot by lot; of votes say what is said without originals."""
        if claim.votes:
            return claim.check(published_bits(self.sample, None, None, None))
        if isinstance(claim, KKmAnonymity | KLmDiversity):
            return claim.check_lots(self._lots())
        assert isinstance(claim, KmAnonymity | LmDiversity | ItemsetAnonymity)
        hierarchy, secrets = self.known.hierarchies.get("items"), self.known.secrets or frozenset()
        return judge_basket_parts(claim, self.parts, self._meant, hierarchy, secrets, self.room.mapper)

    def _lots(self) -> Iterator[tuple[PublishedMixed, I8]]:
        """Records of whole classes, and their numbers; as many together as memory holds."""
        hierarchy, secrets = self.known.hierarchies.get(self.nested[0]), self.known.secrets or frozenset()
        numbers, secret = number_entries(self._meant, hierarchy, secrets)
        sizes = [len(array) for part in self.parts for array in open_arrays(part, "items", "quasi")]
        many = np.uint64(-(-sum(sizes) // _LOT) or 1)
        key = int.from_bytes(os.urandom(8))
        for lot in range(int(many)):
            found = [_Lot.of(part, np.uint64(lot), many, key) for part in self.parts]
            before = np.cumsum([0, *(one.records for one in found)])
            rows = np.concatenate([one.rows + first for one, first in zip(found, before[:-1], strict=True)])
            if not len(rows):
                continue
            quasi = np.concatenate([one.quasi for one in found]).astype(np.int64)
            items = np.concatenate([one.items for one in found])
            start = prefix_sums(np.concatenate([one.lengths for one in found]))
            held = PublishedBaskets(start, numbers[items] if len(items) else items.astype(np.int64), secret)
            yield PublishedMixed(Published(dict(zip(self.labels, quasi.T, strict=True))), held), rows


class _Lot(NamedTuple):
    """The records of one part whose class falls into a lot: their places in the part, and what they hold."""

    records: int
    rows: I8
    quasi: I4
    lengths: I8
    items: I4

    @classmethod
    def of(cls, part: Path, lot: np.uint64, many: np.uint64, key: int) -> "_Lot":
        """Find them: equal quasi-identifiers have one hash, so a class is never cut."""
        start, items, quasi = open_arrays(part, "start", "items", "quasi")
        hashes = list_hashes(np.arange(len(quasi) + 1) * quasi.shape[1], quasi.ravel(), key)
        rows = np.flatnonzero(hashes % many == lot)
        own, held = take_rows(start, items, rows)
        return cls(len(quasi), rows, quasi[rows], np.diff(own), held)


_BY_VOTE = ["items", "uncertain"]
_ARRAYS = ("start", "items"), ("maybe_start", "maybe")


def _coded(cells: pl.Series, code: dict[Entry, int]) -> tuple[I8, I4]:
    """Lists in numbers that all parts share."""
    start, items, entries = read_lists(cells)
    own = np.array([code.setdefault(entry, len(code)) for entry in entries], dtype=np.int32)
    return start, own[items] if len(items) else items


def _numbered(cells: pl.Series, number: dict[str | None, int]) -> I4:
    """Labels in numbers that all parts share."""
    values, codes = factorize(cells)
    own = np.array([number.setdefault(value, len(number)) for value in values], dtype=np.int32)
    found: I4 = own[codes]
    return found


def _sets(start: I8, items: I4, width: int) -> tuple[I8, I8]:
    """The same lists without order and repeats."""
    held = np.unique(row_of_entry(start) * max(width, 1) + items)
    sizes = np.bincount(held // max(width, 1), minlength=len(start) - 1)
    return prefix_sums(sizes), held % max(width, 1)


@dataclass(frozen=True, slots=True, repr=False)
class _TreeParts(SafeRepr):
    """Released record trees in parts; `room` is where their folders are, and goes with the object."""

    path: Path
    format: str
    known: JudgingContext
    config: Config | None
    room: PrivateFolder
    trees: TreesInParts
    classes: int

    @classmethod
    def read(cls, path: Path, known: JudgingContext, config: Config | None) -> "_TreeParts | None":
        """Read record trees; None where the manifest does not say that they are."""
        format = next(format for format, name in TREE_FILES.items() if name == path.name)
        if dict(known.columns) != {"nodes": "tree"}:
            return None
        room, pieces = PrivateFolder(), read_pieces(path.parent, format, _RECORDS)
        trees, kinds = gather_trees(pieces, room.make("read"), room.mapper), DistinctCounter()
        hasher = tree_hasher(RunKey.of(None).derive("kinds"), trees.outline)
        for run in trees.parts.runs:
            kinds += DistinctCounter.of(hash_trees(hasher, trees_of(trees.outline, run)))
        return cls(path, format, known, config, room, trees, len(kinds))

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return self.trees.facts()

    @property
    def records(self) -> int:
        """How many there are."""
        return self.trees.parts.n

    def sets(self, claim: Claim) -> int:
        """How many sets of values and relations a judge may have to count."""
        asked: Any = claim
        width = len(self.trees.outline.values) * (2 if asked.negations else 1)
        size = min(asked.m, width)
        sets = comb(width + size - 1 if asked.counts_nodes else width, size)
        return sets << (min(comb(size, 2), 20) if asked.n else 0)

    def odd(self) -> str | None:
        """A sentence where the file is not what these trees give when they are written again."""
        outline, runs = self.trees.outline, self.trees.parts.runs
        odd = noncanonical_trees((trees_of(outline, run) for run in runs), self.path.parent, self.format)
        return None if odd is None else f"{self.path.name} holds {odd}; it was changed"

    def unexpected(self) -> str | None:
        """A sentence where a field or a value is none that the configuration publishes."""
        return (
            None
            if self.config is None
            else TreeVerification().find_unexpected(self.trees.outline, self.known, self.config)
        )

    def check(self, claim: Claim) -> Verdict:
        """Judge by sums over parts."""
        assert isinstance(claim, KMNAnonymity)
        trees, mapper = self.trees, self.room.mapper
        return judge_tree_parts(claim, trees.outline, trees.parts.runs, self.known.hierarchies, mapper)


_BY_CLASS = (KAnonymity, LDiversity, TCloseness, BetaLikeness, DeltaDisclosure, AlphaKAnonymity)


@dataclass(frozen=True, slots=True, repr=False)
class _TableParts(SafeRepr):
    """A released table whose different rows are too many to be held as text; `room` goes with the object."""

    path: Path
    known: JudgingContext
    config: Config | None
    old: bool
    room: PrivateFolder
    counts: TableCounts

    @classmethod
    def read(
        cls, path: Path, known: JudgingContext, config: Config | None, claim: Claim, old: bool
    ) -> "_TableParts | None":
        """Count a table; None where its different rows can be held, or where a judge needs more than classes."""
        by_class = all(isinstance(part, _BY_CLASS) and not counts_households(part) for part in claim.parts)
        roles = dict(known.columns)
        cells = _scanned([path], "," if path.suffix == ".csv" else None)
        fixed = config is not None and any(spec.level is not None for spec in config.columns.values())
        plain = set(roles.values()) <= {"quasi", "sensitive", "plain"}
        if cells is None or fixed or not (by_class and plain):
            return None
        header = cells.collect_schema().names()
        escaped = path.suffix == ".csv"
        columns = unescape_cells(pl.DataFrame(schema=dict.fromkeys(header, pl.String))).columns
        if (columns if escaped else header) != list(roles):
            return None
        frame = nw.from_native(cells.rename(dict(zip(header, roles, strict=True))))
        if Local().total(frame) <= MOST_TUPLES:
            return None
        room = PrivateFolder()
        counts = TableCounts.read(frame, roles, escaped=escaped, size=_BUCKET, folder=room)
        return cls(path, known, config, old, room, counts)

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return self.counts.facts()

    @property
    def records(self) -> int:
        """How many there are."""
        return self.counts.records

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.counts.rows.classes.max(initial=-1)) + 1

    def sets(self, claim: Claim) -> int:
        """None: judges of classes count no sets."""
        return 0

    def odd(self) -> str | None:
        """A sentence where the file is not as shoal writes it."""
        odd = noncanonical_file(self.path, self.path.suffix.removeprefix("."), old=self.old)
        return None if odd is None else f"{self.path.name} holds {odd}; it was changed"

    def unexpected(self) -> str | None:
        """A sentence where a label of a quasi-identifier stands for nothing in its hierarchy."""
        if self.config is None:
            return None
        cells: Any = {
            name: pl.Series(name, self.counts.values[name], dtype=pl.String) for name in self.counts.quasi
        }
        return unexpected_cells(cells, self.known, self.config)

    def check(self, claim: Claim) -> Verdict:
        """Judge by the counts of classes."""
        return self.counts.judge(claim)


ReleaseParts = CellParts | _TreeParts | _TableParts
"""A release that was read part by part: `verify` asks of both kinds the same."""
