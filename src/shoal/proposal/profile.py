"""What a column of a table or a field of record trees is like: its values, who holds them, whom it singles out."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.data import Trees
from shoal.data.arrays import I4, I8, row_of_entry
from shoal.data.column_names import match_column_name
from shoal.io.read.cells import cell_texts
from shoal.io.read.mixed_units import MIXED_UNITS, find_mixed_units
from shoal.io.read.notation import CellNotation, Notation
from shoal.io.read.source import Source, Variable
from shoal.io.read.writings import PLAIN, read_values

__all__ = [
    "CHANCE",
    "MOST_RECORDS",
    "ColumnProfile",
    "are_jointly_unique",
    "determines",
    "guess_separator",
    "holds_lists",
    "mark_listed",
    "mark_mixed_units",
    "match_fields",
    "profile_columns",
    "profile_fields",
    "separator_of",
]

_MOST_VALUES = 100_000
"""Of a column with more different values, some are looked at; so many can be grouped by no file."""


MOST_RECORDS = 100_000
"""Of more records, a random sample of so many is looked at where columns are joined."""

_TOLD = 60  # signs of a label; a longer one is a question, whose words say little of the answer
_SCALE, _QUESTIONS = range(3, 12), 3  # different answers of a scale, and questions that share it
_AGREE = 0.8  # of values go with one value of another field, if the two say the same
CHANCE = 14.0
"""Rows agree by chance once in a million times, or so many pairs would meet."""

# Baskets: lists, or texts of several items with a sign between them.
_SIGNS = ("|", ";", ",", " ")
_JSON = re.compile(r'\s*\[\s*(".*"|[0-9.,\s-]*)\s*\]\s*', re.S)
_FIRST = 2000
_REUSED = 3.0  # times each item occurs on average
_LONG = 30  # characters of an item; sentences are longer
_ODD = {
    "|": 0.02,
    ";": 0.02,
}  # by sign that sentences lack, or nearly, what share of the items may be longer still
_CODED = re.compile(r"[^\s]*[0-9][^\s]*")


@dataclass(frozen=True, slots=True, repr=False)
class ColumnProfile(SafeRepr):
    """One column or field.

    name     : of a field, its dotted path
    values   : its different values, sorted; of very many a random part
    holders  : int64, how many people hold each
    people   : how many people there are
    missing  : in how many records it has no value
    alone    : how many people hold a value that nobody else holds
    distinct : how many different values there are
    codes    : int32[rows], of some records of a table the place of their value, a missing one is len(values); where
               `values` are not all, any numbers that tell values apart
    kind     : what cells are that people write in several ways (`CellNotation`): number, money, share, quantity,
               span, date; empty where they are something else. The values are in one writing then
    unit     : the unit or money of such numbers
    unreadable : in how many records the cell cannot be read; they count as missing
    ended    : in how many it says only above or below which number it lies; they are taken for the nearest that fits
    doubt    : what somebody has to decide before the cells can be read; empty where nothing is open
    label    : what a file with labels says that it is
    order    : the values in their order, where such a file says that they have one; else empty
    listed   : whether its values are answers that were chosen from a list: a codebook has them, or columns beside it
    """

    name: str
    values: tuple[str, ...]
    holders: I8
    people: int
    missing: int
    alone: int
    distinct: int
    codes: I4 = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    kind: str = ""
    unit: str = ""
    unreadable: int = 0
    doubt: str = ""
    label: str = ""
    order: tuple[str, ...] = ()
    ended: int = 0
    listed: bool = False

    @property
    def called(self) -> str:
        """What tells what it is: its name, or where that tells nothing its label."""
        return self.label if self.label and match_column_name(self.name) is None else self.name

    @property
    def whole(self) -> bool:
        """Whether `values` are all of its values."""
        return len(self.values) == self.distinct

    def cells(self, some: Iterable[str]) -> int:
        """In how many cells these values stand."""
        wanted = set(some)
        return sum(
            count for value, count in zip(self.values, self.holders.tolist(), strict=True) if value in wanted
        )

    def in_items(self, separator: str) -> "ColumnProfile":
        """The items of cells that are lists, with their holders, in place of the cells."""
        holders_of_item = Counter[str]()
        for cell, people in zip(self.values, self.holders.tolist(), strict=True):
            holders_of_item.update(
                dict.fromkeys({item.strip() for item in cell.split(separator)} - {""}, people)
            )
        return replace(
            self,
            values=tuple(holders_of_item),
            holders=np.array([*holders_of_item.values()], dtype=np.int64),
            codes=np.empty(0, dtype=np.int32),
            distinct=len(holders_of_item),
        )

    def held_by(self, persons: I4 | None) -> "ColumnProfile":
        """The same with persons counted once, whose several rows may be, as far as rows were looked at."""
        if persons is None or not len(self.codes) or not self.whole:
            return self
        pairs = np.unique(np.stack([persons, self.codes]), axis=1)
        counts_of_value = np.bincount(pairs[1], minlength=len(self.values))[: len(self.values)]
        return replace(self, holders=counts_of_value.astype(np.int64))

    @property
    def nearly_unique(self) -> bool:
        """Whether nearly everybody who has a value has one of their own."""
        present = self.people - self.missing
        return present > 1 and self.distinct > 1 and self.alone >= 0.9 * present


def profile_columns(
    source: Source, counts: Mapping[str, pl.DataFrame], rows: I8, notation: Notation = PLAIN
) -> Iterator[ColumnProfile]:
    """Every column of which `counts` has the different cells; records `rows` are looked at one by one."""
    picked = pl.Series(rows)
    for name, cell_counts in counts.items():
        cells, variable = source.frame[name], source.variables.get(name, Variable())
        present = cell_counts.filter(~pl.col("cell").is_in(["", *source.missing]))
        writing = CellNotation()
        if cells.dtype == pl.String:
            writing = read_values(present["cell"], present["times"], notation)
        values = present["cell"] if writing.cells is None else writing.cells
        present = present.with_columns(value=values, place=values.rank("dense") - 1).drop_nulls("value")
        value_counts = present
        if writing.cells is not None:
            value_counts = present.group_by("place", "value").agg(pl.col("times").sum())
        distinct = value_counts.height
        sample = (value_counts.sample(_MOST_VALUES) if distinct > _MOST_VALUES else value_counts).sort(
            "place"
        )
        codes = cell_texts(cells).gather(picked).replace_strict(
            present["cell"], present["place"], default=distinct, return_dtype=pl.Int32
        ).to_numpy()  # fmt: skip
        if distinct > len(sample):
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int32)
        yield ColumnProfile(
            name,
            tuple(sample["value"].to_list()),
            sample["times"].to_numpy().astype(np.int64),
            len(cells),
            len(cells) - int(value_counts["times"].sum()),
            int((value_counts["times"] == 1).sum()),
            distinct,
            codes,
            writing.kind,
            writing.unit,
            writing.unreadable,
            writing.doubt,
            variable.label if len(variable.label) <= _TOLD else "",
            tuple(cells.dtype.categories)
            if isinstance(cells.dtype, pl.Enum) and variable.level == "ordinal"
            else (),
            writing.ended,
            isinstance(cells.dtype, pl.Enum) or variable.coded,
        )


def mark_listed(columns: Mapping[str, ColumnProfile]) -> dict[str, ColumnProfile]:
    """The columns, with those `listed` that share their few values with others, as the questions of a scale do.

    4.0 is 4, and an answer of the scale may be one that nobody gave.
    """
    scales = {
        name: frozenset(value.removesuffix(".0") for value in profile.values)
        for name, profile in columns.items()
        if profile.distinct in _SCALE
    }
    batteries = [scale for scale, questions in Counter(scales.values()).items() if questions >= _QUESTIONS]
    return {
        name: replace(profile, listed=True)
        if name in scales and any(scales[name] <= battery for battery in batteries)
        else profile
        for name, profile in columns.items()
    }


def mark_mixed_units(seen: ColumnProfile) -> ColumnProfile:
    """The column, in doubt where its numbers seem to be in two units."""
    if seen.doubt or seen.unit or seen.kind in ("money", "share", "date"):
        return seen
    units = find_mixed_units(seen.called, seen.values, seen.holders)
    return seen if units is None else replace(seen, doubt=MIXED_UNITS.format(units=units))


def profile_fields(trees: Trees) -> Iterator[ColumnProfile]:
    """Every field of record trees; somebody who holds a value several times counts once."""
    record = row_of_entry(trees.start)
    pairs = np.unique(np.stack([trees.items.astype(np.int64), record], axis=1), axis=0)
    holders = np.bincount(pairs[:, 0], minlength=len(trees.values))
    kinds = np.array(trees.kinds)
    for number, name in enumerate(trees.classes):
        items_of_kind = np.flatnonzero(kinds == number)
        order = sorted(items_of_kind.tolist(), key=lambda code: trees.values[code])
        field_pairs = pairs[kinds[pairs[:, 0]] == number]
        having = len(np.unique(field_pairs[:, 1]))
        alone = len(np.unique(field_pairs[holders[field_pairs[:, 0]] == 1, 1]))
        yield ColumnProfile(
            name,
            tuple(trees.values[code] for code in order),
            holders[order].astype(np.int64),
            trees.n,
            trees.n - having,
            alone,
            len(order),
        )


def match_fields(trees: Trees, one: str, other: str) -> dict[str, str]:
    """For each value of a field, the value of another that stands beside, above or below it; empty where it varies.

    >>> rows = [("code", "1", ("text", "flu")), ("code", "2", ("text", "gout")), ("code", "1", ("text", "flu"))]
    >>> match_fields(Trees.of([rows], repeats=True), "code", "text")
    {'1': 'flu', '2': 'gout'}
    """
    kind = trees.kinds[trees.items]
    record = row_of_entry(trees.start)
    above = np.where(trees.parents < 0, -1 - record, trees.start[record] + trees.parents)
    mine, theirs = (np.flatnonzero(kind == trees.classes.index(name)) for name in (one, other))
    partner = np.full(
        len(kind), -1, dtype=np.int64
    )  # of a node of the other field, for each node of the first
    up = above[mine]
    partner[mine] = np.where((up >= 0) & np.isin(up, theirs), up, -1)
    down = theirs[np.isin(above[theirs], mine)]
    partner[above[down]] = down
    rooms, first, group_size = np.unique(above[theirs], return_index=True, return_counts=True)
    if len(rooms):
        slot = np.minimum(np.searchsorted(rooms, up), len(rooms) - 1)
        is_sibling = (partner[mine] < 0) & (rooms[slot] == up) & (group_size[slot] == 1)
        partner[mine[is_sibling]] = theirs[first[slot[is_sibling]]]
    if not len(mine) or (partner[mine] < 0).any():
        return {}
    pairs, often = np.unique(
        np.stack([trees.items[mine], trees.items[partner[mine]]]), axis=1, return_counts=True
    )
    best: dict[int, int] = {}
    agree = 0
    for pair in np.argsort(-often, kind="stable").tolist():
        value, word = pairs[:, pair].tolist()
        if value not in best:
            best[value], agree = word, agree + int(often[pair])
    one_for_one = agree >= _AGREE * len(mine) and len(set(best.values())) >= _AGREE * len(best)
    return {trees.values[value]: trees.values[word] for value, word in best.items()} if one_for_one else {}


def determines(inside: ColumnProfile, outside: ColumnProfile) -> bool:
    """Whether the value of one column tells that of another in every record."""
    pairs = np.unique(inside.codes.astype(np.int64) * (outside.distinct + 1) + outside.codes)
    values = np.unique(inside.codes)
    return len(pairs) == len(values) and len(values) >= inside.distinct


def are_jointly_unique(columns: Sequence[ColumnProfile]) -> bool:
    """Whether no two rows have the same values in all of these columns, where by chance many would."""
    rows = {len(profile.codes) for profile in columns}
    if len(rows) != 1 or not all(rows):
        return False
    together, chance = np.zeros(max(rows), dtype=np.int64), float(max(rows)) ** 2 / 2
    for profile in columns:
        _, together = np.unique(together * (len(profile.values) + 1) + profile.codes, return_inverse=True)
        chance *= float(((np.bincount(profile.codes) / max(rows)) ** 2).sum())
    return int(together.max(initial=-1)) + 1 == max(rows) and chance > CHANCE


def holds_lists(cells: pl.Series) -> bool:
    """Whether the cells are lists of single values."""
    kind = cells.dtype
    return isinstance(kind, pl.List | pl.Array) and not kind.inner.is_nested()


def separator_of(seen: ColumnProfile) -> str | None:
    """The sign between the items of a column's cells; "[" where they are JSON lists, None where they are no baskets.

    Items come back: each is in several cells, in cells of different length. Blanks separate codes only, for words with
    blanks between them are mostly one value.
    """
    cells = _sample_cells(seen)
    if not cells:
        return None
    if all(_JSON.fullmatch(cell) for cell in cells):
        return "["
    return next((sign for sign in _SIGNS if _is_separator(sign, cells)), None)


def guess_separator(seen: ColumnProfile) -> str | None:
    """The sign between items in cells that somebody says are baskets: the first that many of them hold."""
    cells = _sample_cells(seen)
    return next(
        (sign for sign in _SIGNS if sum(sign in cell.strip() for cell in cells) * 10 > len(cells)), None
    )


def _sample_cells(seen: ColumnProfile) -> list[str]:
    step = max(1, len(seen.values) // _FIRST)
    return list(seen.values[::step])


def _is_separator(sign: str, cells: Sequence[str]) -> bool:
    lists = [[item.strip() for item in cell.split(sign) if item.strip()] for cell in cells]
    several = [items for items in lists if len(items) > 1]
    if len(several) < max(3, len(cells) / 4) or len({len(items) for items in lists}) < 3:
        return False
    times = Counter(item for items in lists for item in set(items))
    long = sum(count for item, count in times.items() if len(item) > _LONG)
    if times.total() < _REUSED * len(times) or long > times.total() * _ODD.get(sign, 0):
        return False
    if sign == " ":
        coded = Counter({item: count for item, count in times.items() if _CODED.fullmatch(item)})
        # in remarks most of the different words may be numbers, but few of all words are
        return len(coded) >= 0.9 * len(times) and coded.total() >= 0.9 * times.total()
    return sign != "," or sum(" " not in item for item in times) >= len(times) / 2
