"""Cut records into fragments of similar ones, run a method on each, and unite what it makes.

`docs/inside/fragments.md` proves that claims are kept.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar, overload

import numpy as np

from shoal.algorithms import find_method as method_named
from shoal.algorithms.constraint import Constraint, OverallCounts
from shoal.algorithms.itemsets.item_cuts import code_items
from shoal.algorithms.knobs import recode_of
from shoal.algorithms.local.column_prices import default_grid
from shoal.algorithms.local.local_table import ON_GRID, LocalTable, without_outliers
from shoal.algorithms.ring.basket_order import gray_order, rank_digits
from shoal.algorithms.ring.nonreciprocal import chain_starts
from shoal.base.errors import InfeasibleError
from shoal.base.progress import Progress, Tell, no_progress, start_step
from shoal.data import Baskets, Mixed, Table
from shoal.data.arrays import I4, I8, prefix_sums, row_of_entry, take_rows
from shoal.engines import Mapper, in_turn
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, PublishedValues, Recoded, RecodedBaskets, RecodedMixed, Result, VotedBaskets

__all__ = [
    "CUTS",
    "BoxCuts",
    "Fragment",
    "cut_boxes",
    "find_kept",
    "first_splits",
    "in_fragments",
    "in_parts",
    "join_persons",
    "make_one",
    "options_of_whole",
    "parts_of_one",
    "rarest_first",
    "run_on_all",
    "shared_grid",
    "union",
    "unite_forms",
]


_LEAST = 64  # a side of a split holds at least one of so many parts of a fragment, if any split does


def first_splits(method: str, table: Table, hierarchies: Hierarchies, size: int, *, mix: bool) -> list[I8]:
    """The records, split as Mondrian splits them until none of the parts holds more than `size`.

    Each split lies between children of the common node of the column in which a part costs most, as near to its median
    as it can. Neighbours in the list are similar. All rows of a person go where the middle one of them is, so that
    parts may become larger. With `mix`, equal records are parted so that both sides hold the same sensitive values.
    """
    local = LocalTable.of(method, table, hierarchies, recode="hierarchy", grid=None, mix=mix)
    parts, waiting = list[I8](), [np.arange(local.n)]
    while waiting:
        part = waiting.pop()
        if len(part) <= size:
            parts.append(part)
        else:
            left, right = _halves(local, part, max(size // _LEAST, 1))
            waiting += [right, left]
    rows = [local.rows[part] for part in parts]
    return rows if table.persons is None else _of_persons(rows, table.persons)


@dataclass(frozen=True, slots=True)
class BoxCuts:
    """Cuts of the space of quasi-identifiers into boxes, so that every record has its box wherever it lies.

    column : int64[cuts]     the quasi-identifier of each cut, the first cut being the root; -1 is a box
    last   : int64[cuts]     the last leaf code on its left; of a box its number, neighbours having near numbers
    right  : int64[cuts]     the cut on its right; that on its left is the next one
    """

    column: I8
    last: I8
    right: I8

    @property
    def boxes(self) -> int:
        """How many boxes there are."""
        return int((self.column < 0).sum())

    def boxes_of(self, leaves: I4) -> I8:
        """The box of each record, given as leaf codes: int64[n]."""
        box = np.empty(len(leaves), dtype=np.int64)
        waiting = [(0, np.arange(len(leaves)))]
        while waiting:
            cut, rows = waiting.pop()
            if self.column[cut] < 0:
                box[rows] = self.last[cut]
                continue
            is_left = leaves[rows, self.column[cut]] <= self.last[cut]
            waiting += [(cut + 1, rows[is_left]), (int(self.right[cut]), rows[~is_left])]
        return box


def cut_boxes(method: str, sample: Table, hierarchies: Hierarchies, size: float) -> BoxCuts:
    """Cut the space as `first_splits` splits a sample, until no box holds more than `size` of it.

    Equal records are in one box, which is then as large as they are many.
    """
    local = LocalTable.of(method, sample, hierarchies, recode="hierarchy", grid=None, mix=False)
    column, last, right = list[int](), list[int](), list[int]()
    boxes = 0
    waiting = [(np.arange(local.n), -1)]
    while waiting:
        part, parent = waiting.pop()
        if parent >= 0:
            right[parent] = len(column)
        cut = _find_cut(local, part, max(int(size) // _LEAST, 1)) if len(part) > size else None
        right.append(-1)
        if cut is None:
            column.append(-1)
            last.append(boxes)
            boxes += 1
            continue
        j, place = cut
        is_left = local.codes[part, j] <= place
        column.append(j)
        last.append(int(local.scales[j].leaf[place]))
        waiting += [(part[~is_left], len(column) - 1), (part[is_left], -1)]
    return BoxCuts(*(np.array(numbers, dtype=np.int64) for numbers in (column, last, right)))


def _halves(local: LocalTable, part: I8, least: int) -> tuple[I8, I8]:
    """Split a part in two: between children of a node, else between two values, else anywhere."""
    cut = _find_cut(local, part, least)
    if cut is None:
        return part[: len(part) // 2], part[len(part) // 2 :]
    left = local.codes[part, cut[0]] <= cut[1]
    return part[left], part[~left]


def _find_cut(local: LocalTable, part: I8, least: int) -> tuple[int, int] | None:
    """The column to split, and the last place on its left; None where no side could hold `least`."""
    codes = local.codes[part]
    spans = [(int(column.min()), int(column.max())) for column in codes.T]
    prices = [_price(local, j, *span) for j, span in enumerate(spans)]
    columns = [j for j in np.argsort(-np.array(prices), kind="stable").tolist() if spans[j][0] < spans[j][1]]
    for strict in (True, False):
        for j in columns:
            place = _evenest(codes[:, j], spans[j], local.scales[j].joint, least, strict)
            if place is not None:
                return j, place
    return None


def _price(local: LocalTable, j: int, low: int, high: int) -> float:
    """What a record pays in column j where all values between two are published as their common node."""
    scale, hierarchy = local.scales[j], local.hierarchies[j]
    level = int(scale.joint[low:high].max(initial=0))
    first, last = hierarchy.spans[level][hierarchy.up[scale.leaf[low], level]]
    return scale.root * float(last - first) / hierarchy.size


def _evenest(values: I4, span: tuple[int, int], joint: I8, least: int, strict: bool) -> int | None:
    """The last value left of the most even split, None where a side would hold fewer than `least`."""
    low, high = span
    before = np.cumsum(np.bincount(values - low, minlength=high - low + 1))[:-1]
    uneven = np.abs(2 * before - len(values)).astype(np.float64)
    if strict:
        uneven[joint[low:high] < joint[low:high].max()] = np.inf
    best = int(uneven.argmin())
    return low + best if least <= before[best] <= len(values) - least else None


def _of_persons(parts: Sequence[I8], persons: I8) -> list[I8]:
    """The same parts, each person in one of them."""
    number = np.empty(len(persons), dtype=np.int64)
    for at, rows in enumerate(parts):
        number[rows] = at
    number = join_persons(number, persons)
    together = np.concatenate(parts)
    together = together[np.argsort(number[together], kind="stable")]
    ends = np.cumsum(np.bincount(number, minlength=len(parts)))[:-1]
    return [rows for rows in np.split(together, ends) if len(rows)]


def join_persons(number: I8, persons: I8) -> I8:
    """The number of the part that all rows of each person go to: that of the middle one of them.

    >>> join_persons(np.array([4, 0, 2, 7]), np.array([1, 1, 1, 5])).tolist()
    [2, 2, 2, 7]
    """
    order = np.lexsort((number, persons))
    _, first, times = np.unique(persons[order], return_index=True, return_counts=True)
    joined = np.empty_like(number)
    joined[order] = np.repeat(number[order[first + times // 2]], times)
    return joined


def _even_runs(order: I8, size: int) -> list[I8]:
    """Cut an order in runs of at most `size`, all of about the same length.

    >>> [run.tolist() for run in _even_runs(np.array([4, 2, 0, 1, 3]), 2)]
    [[4], [2, 0], [1, 3]]
    """
    count = max(-(-len(order) // size), 1)
    return [order[a:b] for a, b in pairwise((np.arange(count + 1) * len(order) // count).tolist())]


def rarest_first(count: I8) -> I8:
    """The rank of each item as a digit of the Gray code: the rarest is the highest, as in `lra`."""
    return np.argsort(np.argsort(count, kind="stable"))


def _of_table(
    method: str, inputs: Mapping[str, Any], claim: Claim, size: int, rng: np.random.Generator
) -> list[I8]:
    mixed = "mixed" in inputs
    table: Table = inputs["mixed"].table if mixed else inputs["table"]
    mix = not mixed and Constraint.of(method, claim, table).sensitive
    return first_splits(method, table, inputs["hierarchies"], size, mix=mix)


def _of_votes(
    method: str, inputs: Mapping[str, Any], claim: Claim, size: int, rng: np.random.Generator
) -> list[I8]:
    """Equal baskets stand in an order that is drawn: where they lie in the file tells nothing."""
    baskets: Baskets = inputs["baskets"]
    return _even_runs(gray_order(baskets, rank_digits(baskets), rng.permutation(baskets.n)), size)


def _of_items(
    method: str, inputs: Mapping[str, Any], claim: Claim, size: int, rng: np.random.Generator
) -> list[I8]:
    """Records without items to generalize fit anywhere: each run gets as many of them."""
    baskets: Baskets = inputs["baskets"]
    hierarchy: Hierarchy = inputs["hierarchy"]
    found = code_items(method, baskets, hierarchy, exempt=claim.exempts)
    opens = prefix_sums(found.items < found.width)
    order = gray_order(baskets, rarest_first(np.bincount(baskets.items, minlength=len(baskets.values))))
    bare = opens[found.start[order + 1]] == opens[found.start[order]]
    runs = _even_runs(order[~bare], size)
    return [np.r_[run, some] for run, some in zip(runs, np.array_split(order[bare], len(runs)), strict=True)]


Cut = Callable[[str, Mapping[str, Any], Claim, int, np.random.Generator], list[I8]]

CUTS: dict[str, Cut] = {
    "table": _of_table,
    "mixed": _of_table,
    "votes": _of_votes,
    "items": _of_items,
}
"""How records are cut into fragments of at most so many, by what a method says of its own.

table, mixed : the first splits of a Mondrian, along the hierarchies of the quasi-identifiers
votes        : runs of the Gray order of all baskets, the items that divide them most evenly first
items        : runs of the Gray order of all baskets, the rarest items first
"""


# Run a method on all fragments.


_OF_RECORDS = ("table", "mixed", "baskets", "label")
"""Of what a method is given: that which has a part for each fragment; all else is the same for all."""
_ROOM = 2  # crowds that a fragment has room for at least, however small it was asked for


@dataclass(frozen=True, slots=True)
class Fragment:
    """Some of the records, as they are sent to a task.

    number : which of the fragments it is
    inputs : its records, by the names that the method gives them
    seed   : what a rehearsal draws from; None where the operating system draws
    """

    number: int
    inputs: dict[str, Any]
    seed: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Fragments(Sequence[Fragment]):
    """Fragments that are cut out of the data when a task is to have them."""

    inputs: Mapping[str, Any]
    parts: Sequence[tuple[int, I8]]
    seed: tuple[int, ...] | None

    def __len__(self) -> int:
        return len(self.parts)

    @overload
    def __getitem__(self, at: int) -> Fragment: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Fragment]: ...
    def __getitem__(self, at: int | slice) -> Fragment | Sequence[Fragment]:
        if isinstance(at, slice):
            return [self[place] for place in range(len(self))[at]]
        number, rows = self.parts[at]
        own = {
            name: None if self.inputs[name] is None else self.inputs[name].some(rows)
            for name in _OF_RECORDS
            if name in self.inputs
        }
        return Fragment(number, own, None if self.seed is None else (*self.seed, number))


def in_fragments(
    method: str,
    inputs: Mapping[str, Any],
    claim: Claim,
    options: Mapping[str, Any],
    *,
    size: int,
    mapper: Mapper = in_turn,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[Any]:
    """Cut the records into fragments, run the method on each, and unite what it makes.

    Parameters
    ----------
    method
        One that says how its records are cut, by its name.
    inputs
        What the method takes, by name: the data and their hierarchies.
    claim, options
        What the method is asked for, and its own parameters.
    size
        About how many records a fragment may hold. It is more where a person has many rows, and where a fragment alone
        cannot keep the claim: it is joined with the smaller one of its neighbours then, again and again.
    mapper
        What runs the tasks. The release is the same, whatever their order.
    rng
        For tests and papers only; by default the operating system draws.
    progress
        A listener that is told how many of the records are in fragments that are done.

    Raises
    ------
    InfeasibleError
        All records in one fragment do not keep the claim either.
    """
    shared = {name: value for name, value in inputs.items() if name not in _OF_RECORDS}
    records = next(inputs[name].n for name in _OF_RECORDS if name in inputs)
    drawn = np.random.default_rng() if rng is None else rng
    seed = None if rng is None else (int(rng.integers(2**62)),)
    tell = start_step(progress, f"{method}: fragments")
    parts = CUTS[method_named(method).fragments](method, inputs, claim, max(size, _ROOM * claim.crowd), drawn)
    asked = dict(options)
    if isinstance(inputs.get("table"), Table):
        parts = _without_outliers(method, inputs, claim, parts, asked, mapper)
        asked |= _of_the_whole(method, inputs, claim, np.concatenate(parts), asked)
    elif isinstance(inputs.get("mixed"), Mixed):
        asked |= shared_grid(method, inputs["mixed"].table, inputs, slice(None), asked, claim.crowd)
    asked |= parts_of_one(method, len(parts), asked)

    def send(parts: list[I8], todo: list[int]) -> _Fragments:
        own = None if seed is None else (*seed, len(parts))
        return _Fragments(inputs, [(at, parts[at]) for at in todo], own)

    task = partial(make_one, method, shared, claim, asked)
    found, parts = run_on_all(task, parts, len, np.concatenate, send, mapper, tell)
    return union(parts, found, records)


def in_parts(
    method: str,
    inputs: Mapping[str, Any],
    claim: Claim,
    options: Mapping[str, Any],
    parts: Sequence[I8],
    *,
    whole: I8,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[Any]:
    """Run a local method of tables inside each of some parts of the records, never across two of them.

    Nobody is left out but who is in no part. Classes are compared with what the records `whole` hold: all that are
    published.

    Raises
    ------
    InfeasibleError
        A part cannot keep the claim by itself.
    """
    tell = start_step(progress, f"{method}: parts")
    asked = {name: value for name, value in options.items() if name not in ("suppress", "fragment")}
    asked |= _of_the_whole(method, inputs, claim, whole, asked)
    shared = {name: value for name, value in inputs.items() if name not in _OF_RECORDS}
    seed = None if rng is None else (int(rng.integers(2**62)),)
    found = []
    for number, fragment in enumerate(_Fragments(inputs, list(enumerate(parts)), seed)):
        made = make_one(method, shared, claim, asked, fragment)[1]
        if isinstance(made, str):
            raise InfeasibleError(made)
        found.append(made)
        tell((number + 1) / len(parts))
    return union(parts, found, inputs["table"].n)


def make_one(
    method: str, shared: Mapping[str, Any], claim: Claim, options: Mapping[str, Any], fragment: Fragment
) -> tuple[int, Result[Any] | str]:
    """The task: run the method on a fragment; the answer is its result, or why there is none."""
    make = method_named(method).load()
    draws = fragment.seed is not None and "rng" in inspect.signature(make).parameters
    drawn = {"rng": np.random.default_rng(fragment.seed)} if draws else {}
    try:
        return fragment.number, make(**fragment.inputs, **shared, claim=claim, **drawn, **options)
    except InfeasibleError as error:
        return fragment.number, str(error)


def parts_of_one(method: str, fragments: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Into how many parts a method cuts a fragment, so that there are as many in all as it was asked for.

    >>> parts_of_one("lra", 3, {"parts": 8}), parts_of_one("lra", 3, {}), parts_of_one("mstk", 3, {})
    ({'parts': 3}, {'parts': 1}, {})
    """
    known = inspect.signature(method_named(method).load()).parameters.get("parts")
    if known is None:
        return {}
    parts: int = options.get("parts", known.default)
    return {"parts": -(-parts // fragments)}


def _without_outliers(
    method: str,
    inputs: Mapping[str, Any],
    claim: Claim,
    parts: list[I8],
    options: dict[str, Any],
    mapper: Mapper,
) -> list[I8]:
    """The parts without the records that are left out: who is left counts in what classes are compared with.

    The option `suppress` is taken away: it is used up.
    """
    suppress = options.pop("suppress", 0.0)
    if not suppress:
        return parts
    written = {"recode": recode_of(method, options), "grid": options.get("grid")}
    task = partial(find_kept, method, inputs["hierarchies"], claim.crowd, suppress, written)
    kept = dict(mapper(task, _Fragments(inputs, list(enumerate(parts)), None)))
    return [rows[kept[at]] for at, rows in enumerate(parts)]


def find_kept(
    method: str, hierarchies: Any, k: int, suppress: float, written: Mapping[str, Any], fragment: Fragment
) -> tuple[int, I8]:
    """The task: which records of a fragment stay."""
    table = fragment.inputs["table"]
    local = LocalTable.of(method, table, hierarchies, **written, mix=False, k=k)
    return fragment.number, np.sort(without_outliers(local, table, k, suppress).rows)


def options_of_whole(
    method: str,
    hierarchies: Hierarchies,
    claim: Claim,
    values: Table,
    counts: Sequence[I8],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """The same as fragments in memory are told of all records, from how many records hold each value.

    `values` has the columns of no records; `counts` are int64[values], by column.
    """
    told: dict[str, Any] = {}
    grid: dict[str, Any] = {}
    for column, many in zip(values.columns, counts, strict=True):
        if column.role == "quasi":
            held = np.flatnonzero(many)
            alone = Table((replace(column, codes=held.astype(np.int32)),), counts=many[held])
            found = shared_grid(
                method, alone, {"hierarchies": hierarchies}, slice(None), options, claim.crowd
            )
            grid |= found.get("grid", {})
            told |= {"grid": grid} if found else {}
    constraint = None if claim.shape == "mixed" else Constraint.of(method, claim, values)
    if constraint is not None and constraint.sensitive:
        columns = tuple(
            replace(column, codes=np.repeat(np.arange(len(many), dtype=np.int32), many)).in_one_spelling()
            for column, many in zip(values.columns, counts, strict=True)
            if column.role == "sensitive"
        )
        table = Table(columns)
        told["whole"] = OverallCounts.of(table, np.arange(table.n), constraint)
    return told


def _of_the_whole(
    method: str, inputs: Mapping[str, Any], claim: Claim, rows: I8, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What methods of tables need to know of all records that are published, so that no fragment tells of itself."""
    table = inputs["table"]
    constraint = Constraint.of(method, claim, table)
    whole = {"whole": OverallCounts.of(table, rows, constraint)} if constraint.sensitive else {}
    return {**shared_grid(method, table, inputs, rows, options, claim.crowd), **whole}


def shared_grid(
    method: str, table: Table, inputs: Mapping[str, Any], rows: I8 | slice, options: Mapping[str, Any], k: int
) -> dict[str, Any]:
    """The steps that ends of ranges lie on: one for all fragments, since that of a few numbers would tell them."""
    given = options.get("grid")
    if recode_of(method, options) not in ON_GRID or not (given is None or isinstance(given, Mapping)):
        return {}
    steps: dict[str, Any] = {}
    for column in table.quasi:
        hierarchy = inputs["hierarchies"][column.name]
        counts = None if table.counts is None else table.counts[rows]
        steps[column.name] = default_grid(hierarchy, hierarchy.encode(column)[rows], k, counts)
    found = {name: step for name, step in steps.items() if step is not None}
    return {"grid": {**found, **{name: step for name, step in (given or {}).items() if step is not None}}}


# Run a task on every fragment; what cannot keep the claim by itself is joined with a neighbour.

Piece = TypeVar("Piece")
Sent = TypeVar("Sent")
Output = TypeVar("Output")


def run_on_all(
    task: Callable[[Sent], tuple[int, Output | str]],
    pieces: list[Piece],
    size: Callable[[Piece], int],
    join: Callable[[Sequence[Piece]], Piece],
    send: Callable[[list[Piece], list[int]], Sequence[Sent]],
    mapper: Mapper,
    tell: Tell,
) -> tuple[list[Output], list[Piece]]:
    """What was made of all fragments, and the fragments, in order.

    Parameters
    ----------
    task
        Makes something of a fragment; its answer is the number of the fragment, and what was made, or why nothing was.
    pieces, size, join
        The fragments, how many records one has, and several neighbours as one.
    send
        What the task is given, for those of the fragments that are numbered.
    mapper, tell
        What runs the tasks, and whoever is told which share of the records is done.

    Raises
    ------
    InfeasibleError
        Nothing could be made of all records in one fragment either.
    """
    found: list[Output | None] = [None] * len(pieces)
    records = max(sum(map(size, pieces)), 1)
    while True:
        todo = [at for at, made in enumerate(found) if made is None]
        failed: dict[int, str] = {}
        done = records - sum(size(pieces[at]) for at in todo)
        for at, answer in mapper(task, send(pieces, todo)):
            if isinstance(answer, str):
                failed[at] = answer
            else:
                found[at] = answer
                done += size(pieces[at])
                tell(done / records)
        if not failed:
            return [made for made in found if made is not None], pieces
        if len(pieces) == 1:
            raise InfeasibleError(failed[0])
        groups = list(_neighbours([size(piece) for piece in pieces], failed))
        found = [found[a] if b - a == 1 else None for a, b in groups]
        pieces = [join(pieces[a:b]) for a, b in groups]


def _neighbours(sizes: Sequence[int], failed: Collection[int]) -> Iterator[tuple[int, int]]:
    """Which fragments to join, as (first, last + 1): each that failed with the smaller one of its neighbours.

    >>> list(_neighbours([5, 3, 4, 9], [0, 2]))
    [(0, 3), (3, 4)]
    """
    ends = set(range(1, len(sizes)))
    for at in sorted(failed):
        beside = [near for near in (at - 1, at + 1) if 0 <= near < len(sizes)]
        ends.discard(max(at, min(beside, key=lambda near: sizes[near])))
    return pairwise([0, *sorted(ends), len(sizes)])


# The releases of all fragments as one release.


def union(rows: Sequence[I8], results: Sequence[Result[Any]], records: int) -> Result[Any]:
    """Unite what was made of fragments of `records` records: fragment f is the records rows[f]."""
    releases = [result.release for result in results]
    release = _UNIONS[type(releases[0])](rows, releases, records)
    proof = None if results[0].proof is None else _proof(rows, [result.proof for result in results], records)
    trace = _trace([result.trace for result in results], [len(part) for part in rows])
    told = {"fragments": len(rows), "largest fragment": max(map(len, rows))}
    return Result(release, results[0].claim, proof, {**told, **trace})


def _tables(rows: Sequence[I8], parts: Sequence[Recoded], records: int) -> Recoded:
    columns = range(len(parts[0].names))
    forms, codes = [], []
    for j in columns:
        united, places = unite_forms([part.forms[j] for part in parts])
        forms.append(united)
        codes.append(
            np.concatenate([place[part.codes[:, j]] for place, part in zip(places, parts, strict=True)])
        )
    kept = _kept(rows, parts)
    order = np.argsort(kept)
    written = np.ascontiguousarray(np.stack(codes, axis=1)[order])
    return Recoded(parts[0].names, tuple(forms), written, kept[order], records)


def _baskets(rows: Sequence[I8], parts: Sequence[RecodedBaskets], records: int) -> RecodedBaskets:
    forms, places = unite_forms([part.forms for part in parts])
    start = chain_starts([part.start for part in parts])
    items = np.concatenate([place[part.items] for place, part in zip(places, parts, strict=True)])
    width = max(len(forms.labels), 1)
    items = (np.sort(row_of_entry(start) * width + items) % width).astype(
        np.int32
    )  # rising in a row, as before
    kept = _kept(rows, parts)
    order = np.argsort(kept)
    gone = sum(part.suppressed for part in parts)
    return RecodedBaskets(forms, *take_rows(start, items, order), kept[order], records, gone)


def _mixed(rows: Sequence[I8], parts: Sequence[RecodedMixed], records: int) -> RecodedMixed:
    tables, baskets = [part.table for part in parts], [part.baskets for part in parts]
    return RecodedMixed(_tables(rows, tables, records), _baskets(rows, baskets, records))


def _bitmaps(rows: Sequence[I8], parts: Sequence[VotedBaskets], records: int) -> VotedBaskets:
    return VotedBaskets(
        parts[0].values,
        chain_starts([part.start for part in parts]),
        np.concatenate([part.items for part in parts]),
        chain_starts([part.maybe_start for part in parts]),
        np.concatenate([part.maybe for part in parts]),
        np.concatenate([part.errors for part in parts]),
        _kept(rows, parts),
        records,
    )


_UNIONS: dict[type, Callable[..., Any]] = {
    Recoded: _tables,
    RecodedBaskets: _baskets,
    RecodedMixed: _mixed,
    VotedBaskets: _bitmaps,
}


def _proof(rows: Sequence[I8], proofs: Sequence[Any], records: int) -> I4:
    """Assignments of all fragments side by side: they share no row, so each is one of the whole."""
    proof = np.empty((len(proofs[0]), records), dtype=np.int32)
    before = 0
    for part, found in zip(rows, proofs, strict=True):
        proof[:, part] = found + before
        before += len(part)
    return proof


def unite_forms(many: Sequence[PublishedValues]) -> tuple[PublishedValues, list[I4]]:
    """All forms, each once, and for each fragment where its own stand among them."""
    seen: dict[tuple[str | None, bytes], int] = {}
    places = []
    for forms in many:
        ends = zip(forms.labels, forms.start[:-1].tolist(), forms.start[1:].tolist(), strict=True)
        keys = [(label, forms.leaves[a:b].tobytes()) for label, a, b in ends]
        places.append(np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int32))
    sets = [np.frombuffer(leaves, dtype=np.int32) for _, leaves in seen]
    return replace(PublishedValues.of_sets([label for label, _ in seen], sets), centre=many[0].centre), places


def _kept(rows: Sequence[I8], parts: Sequence[Any]) -> I8:
    """The record of all behind each row, fragment after fragment."""
    return np.concatenate([own[part.rows] for own, part in zip(rows, parts, strict=True)])


def _trace(traces: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> dict[str, Any]:
    """What all fragments tell: counts are added up, shares are averaged over records, words stay where all agree."""
    told: dict[str, Any] = {}
    for key, first in traces[0].items():
        values = [trace[key] for trace in traces if key in trace]
        if len(values) < len(traces):
            continue
        if isinstance(first, bool | str):
            if all(value == first for value in values):
                told[key] = first
        elif isinstance(first, int | np.integer):
            told[key] = sum(map(int, values))
        elif isinstance(first, float):
            told[key] = float(np.average(values, weights=sizes))
    return told
