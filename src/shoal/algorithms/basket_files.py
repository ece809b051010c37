"""Methods of baskets on fragments of files: no more than a few fragments are ever in memory.

Baskets are read in parts as the file has them. In each part the records are put in the order of the fragments, by the
first letters of their Gray codes; a fragment is then one run of each part. A task reads its runs, has the method work
on them, and writes what it made beside them. All files are private, and go when the release is written.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from shoal.algorithms.fragments import Fragment, make_one, parts_of_one, rarest_first, run_on_all
from shoal.algorithms.parts import coded_baskets
from shoal.algorithms.ring.basket_order import rank_by_evenness
from shoal.base.progress import Progress, no_progress, start_step
from shoal.data import Baskets, Column
from shoal.data.arrays import B1, I8, U8, prefix_sums, row_of_entry, take_rows
from shoal.engines import Mapper, in_turn
from shoal.io.read.parts import RawBaskets, open_arrays, save_arrays
from shoal.release import Claim, PublishedValues, RecodedBaskets, Result, VotedBaskets

__all__ = [
    "BasketFragments",
    "borders",
    "gray_keys",
    "in_basket_files",
    "places",
]

_SAMPLED = 200  # records of each fragment by which the borders are found
_RANKS: dict[str, Callable[[I8, int], I8]] = {
    "nonreciprocal": rank_by_evenness,
    "lra": lambda counts, _: rarest_first(counts),
}
"""For each method which digits of the Gray code items are, from how many of n records hold each."""


_TEXTS = "texts.json"


@dataclass(frozen=True, slots=True)
class _StoredResult:
    """A result whose arrays are in a folder."""

    folder: Path
    records: int
    claim: Claim
    trace: Mapping[str, Any]

    def open(self) -> Result[Any]:
        """The result; of its arrays only what is touched is read."""
        texts = tuple(json.loads((self.folder / _TEXTS).read_text(encoding="utf-8")))
        if (self.folder / "proof.npy").exists():
            return self._bitmaps(texts)
        start, items, rows, gone = open_arrays(self.folder, "start", "items", "rows", "suppressed")
        form_start, form_leaves = open_arrays(self.folder, "form_start", "form_leaves")
        forms = PublishedValues(texts, form_start, form_leaves)
        release = RecodedBaskets(forms, start, items, rows, self.records, int(gone[0]))
        return Result(release, self.claim, None, self.trace)

    def _bitmaps(self, values: tuple[str, ...]) -> Result[Any]:
        start, items, maybe_start, maybe = open_arrays(self.folder, "start", "items", "maybe_start", "maybe")
        errors, rows, proof = open_arrays(self.folder, "errors", "rows", "proof")
        release = VotedBaskets(values, start, items, maybe_start, maybe, errors, rows, self.records)
        return Result(release, self.claim, proof, self.trace)


def _store_result(folder: Path, result: Result[Any]) -> _StoredResult:
    """Write a result to a new folder below `folder`: a task that runs twice writes two, and one of them counts."""
    place = folder / f"made-{uuid4().hex}"
    place.mkdir(mode=0o700)
    release: VotedBaskets | RecodedBaskets = result.release
    save_arrays(place, start=release.start, items=release.items, rows=release.rows)
    if isinstance(release, VotedBaskets):
        texts: tuple[str | None, ...] = release.values
        save_arrays(place, maybe_start=release.maybe_start, maybe=release.maybe, errors=release.errors)
        save_arrays(place, proof=np.asarray(result.proof))
    else:
        texts = release.forms.labels
        save_arrays(place, form_start=release.forms.start, form_leaves=release.forms.leaves)
        save_arrays(place, suppressed=np.array([release.suppressed]))
    (place / _TEXTS).write_text(json.dumps(texts), encoding="utf-8")
    return _StoredResult(place, release.records, result.claim, result.trace)


@dataclass(frozen=True, slots=True)
class FileFragment:
    """A fragment: the runs first .. last - 1 of all parts, and how many records they have."""

    first: int
    last: int
    records: int


@dataclass(frozen=True, slots=True)
class _Meta:
    """What all parts have in common."""

    parts: tuple[Path, ...]
    name: str
    values: tuple[str, ...]
    sensitive: frozenset[int]
    label: str | None
    labels: tuple[str | None, ...]

    def read(self, lot: FileFragment) -> dict[str, Any]:
        """The records of a fragment, as methods take them."""
        found = [_run(part, lot, self.label is not None) for part in self.parts]
        start = prefix_sums(np.concatenate([sizes for sizes, _, _ in found]))
        items = np.concatenate([items for _, items, _ in found])
        baskets = Baskets(self.name, self.values, start, items, self.sensitive)
        if self.label is None:
            return {"baskets": baskets}
        codes = np.concatenate([label for _, _, label in found])
        return {"baskets": baskets, "label": Column(self.label, "sensitive", self.labels, codes)}


@dataclass(frozen=True, slots=True)
class BasketFragments:
    """A release of baskets in files, fragment by fragment."""

    meta: _Meta
    lots: tuple[FileFragment, ...]
    made: tuple[_StoredResult, ...]

    def open(self, at: int) -> tuple[dict[str, Any], Result[Any]]:
        """The originals of a fragment, and what was made of them."""
        return self.meta.read(self.lots[at]), self.made[at].open()


def in_basket_files(
    method: str,
    raw: RawBaskets,
    shared: Mapping[str, Any],
    claim: Claim,
    options: Mapping[str, Any],
    *,
    size: int,
    folder: Path,
    mapper: Mapper = in_turn,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> BasketFragments:
    """Cut baskets in files into fragments of about `size`, and have `nonreciprocal` or `lra` work on each.

    Parameters
    ----------
    method, claim, options, mapper, rng, progress
        As in `in_fragments`.
    raw
        What `read_basket_parts` returned; its parts are changed.
    shared
        What all fragments have in common: the hierarchy.
    folder
        A private folder for what is made.
    """
    drawn = np.random.default_rng() if rng is None else rng
    seed = None if rng is None else (int(rng.integers(2**62)),)
    opens = np.ones(len(raw.values), dtype=bool)
    opens[list(raw.sensitive) if claim.exempts else []] = False
    lots = _cut(
        raw, _RANKS[method](raw.counts, raw.n), opens, max(size, 2 * claim.crowd), drawn, mapper, progress
    )
    asked = dict(options)
    if method == "lra":
        asked["parts"] = parts_of_one(len(lots), **asked)
    meta = _Meta(raw.parts, raw.name, raw.values, raw.sensitive, raw.label, raw.labels)
    task = partial(_make, partial(make_one, method, shared, claim, asked), meta, folder)

    def send(
        lots: list[FileFragment], todo: list[int]
    ) -> Sequence[tuple[int, FileFragment, tuple[int, ...] | None]]:
        return [(at, lots[at], None if seed is None else (*seed, len(lots), at)) for at in todo]

    tell = start_step(progress, f"{method}: fragments")
    made, lots = run_on_all(task, lots, lambda lot: lot.records, _join, send, mapper, tell)
    return BasketFragments(meta, tuple(lots), tuple(made))


def _join(lots: Sequence[FileFragment]) -> FileFragment:
    return FileFragment(lots[0].first, lots[-1].last, sum(lot.records for lot in lots))


def _cut(
    raw: RawBaskets,
    rank: I8,
    opens: B1,
    size: int,
    rng: np.random.Generator,
    mapper: Mapper,
    progress: Progress,
) -> list[FileFragment]:
    """Put the records of each part in the order of fragments, and say how many each fragment has."""
    parts = max(-(-raw.n // size), 1)
    coding = _Coding(raw.place, raw.values, rank, opens, raw.label is not None)
    step = max(raw.n // (_SAMPLED * parts), 1)
    seeds = [(part, int(rng.integers(2**62))) for part in raw.parts]
    progress("cutting baskets into fragments")
    sample = np.concatenate([np.zeros(1, dtype=np.uint64), *mapper(partial(_sampled, coding, step), seeds)])
    cuts = borders(sample, parts)
    held = sum(mapper(partial(_sorted, coding, cuts), seeds), np.zeros((2, parts), dtype=np.int64))
    return _lots(*held.tolist())


def _lots(records: Sequence[int], bare: Sequence[int]) -> list[FileFragment]:
    """A fragment for each run; runs in which all records are bare go with the next one, the last with the one before.

    >>> _lots([3, 2, 4, 1], [3, 1, 0, 1])
    [FileFragment(first=0, last=2, records=5), FileFragment(first=2, last=4, records=5)]
    """
    last = [at for at in range(len(records)) if records[at] > bare[at]]
    ends = [*(at + 1 for at in last[:-1]), len(records)]
    return [FileFragment(a, b, sum(records[a:b])) for a, b in pairwise([0, *ends])]


@dataclass(frozen=True, slots=True)
class _Coding:
    """How raw records become codes and keys; see `RawBaskets`. `opens` are the items that a method may generalize."""

    place: Any
    values: tuple[str, ...]
    rank: I8
    opens: B1
    labelled: bool

    def read(self, part: Path) -> Baskets:
        """The baskets of a part, in codes."""
        return Baskets("", self.values, *coded_baskets(self.place, part))

    def bare(self, baskets: Baskets) -> B1:
        """Which records have nothing to generalize: they fit into any fragment."""
        held = prefix_sums(self.opens[baskets.items])
        return np.asarray(held[baskets.start[1:]] == held[baskets.start[:-1]])


def _sampled(coding: _Coding, step: int, part: tuple[Path, int]) -> U8:
    """The task: the keys of some records of a part."""
    baskets = coding.read(part[0])
    first = part[1] % step
    some = baskets.some(np.arange(first, baskets.n, step))
    return gray_keys(some, coding.rank)[~coding.bare(some)]


def _sorted(coding: _Coding, cuts: U8, part: tuple[Path, int]) -> I8:
    """The task: write the records of a part in the order of the fragments; how many each has, and how many are bare."""
    path, seed = part
    rng = np.random.default_rng(seed)
    baskets = coding.read(path)
    of = places(gray_keys(baskets, coding.rank), cuts, rng)
    bare = coding.bare(baskets)
    of[bare] = rng.integers(0, len(cuts) + 1, int(bare.sum()))
    mixed = rng.permutation(baskets.n)
    order = mixed[np.argsort(of[mixed], kind="stable")]
    held = np.bincount(of, minlength=len(cuts) + 1)
    start, items = take_rows(baskets.start, baskets.items, order)
    save_arrays(path, start=start, items=items, runs=prefix_sums(held))
    if coding.labelled:
        save_arrays(path, label=open_arrays(path, "raw_label")[0][order])
    return np.stack([held, np.bincount(of[bare], minlength=len(held))])


def _run(part: Path, lot: FileFragment, labelled: bool) -> tuple[I8, Any, Any]:
    """The run of a part that belongs to a fragment: sizes of baskets, items, labels."""
    bounds, start, items = open_arrays(part, "runs", "start", "items")
    a, b = int(bounds[lot.first]), int(bounds[lot.last])
    own = np.array(start[a : b + 1])
    label = np.array(open_arrays(part, "label")[0][a:b]) if labelled else None
    return np.diff(own), np.array(items[own[0] : own[-1]]), label


def _make(
    make: Callable[[Fragment], tuple[int, Result[Any] | str]],
    meta: _Meta,
    folder: Path,
    sent: tuple[int, FileFragment, tuple[int, ...] | None],
) -> tuple[int, _StoredResult | str]:
    """The task: read a fragment, run the method, and write what it made to a folder of its own."""
    at, lot, seed = sent
    inputs = meta.read(lot)
    if "label" in inputs:
        inputs["label"] = inputs["label"].in_one_spelling()
    _, answer = make(Fragment(at, inputs, seed))
    if isinstance(answer, str):
        return at, answer
    return at, _store_result(folder, answer)


def gray_keys(baskets: Baskets, rank: I8) -> U8:
    """For each record a number: of two different ones the smaller one belongs to the record with the lower Gray rank.

    `rank` says which digit each item is, as in `gray_order`, which says what the letters are. As many letters as fit in
    63 bits are compared; records that differ later have equal numbers.
    """
    width = max(len(baskets.values), 1)
    bits = width.bit_length()
    letters = 63 // bits
    size = np.diff(baskets.start)
    record = row_of_entry(baskets.start)
    digit = np.sort(record * width + rank[baskets.items]) - record * width
    place = np.arange(len(digit)) - baskets.start[record]
    first = place < letters
    letter = np.where(place % 2 == 0, width - digit, digit)[first]
    key = np.zeros(baskets.n, dtype=np.int64)
    np.add.at(key, record[first], letter << (bits * (letters - 1 - place[first])))
    odd = (size % 2 == 1) & (size < letters)
    key[odd] += width << (
        bits * (letters - 1 - size[odd])
    )  # the letter behind the last item; of even sizes it is 0
    return key.astype(np.uint64)


def borders(sample: U8, parts: int) -> U8:
    """Where to cut, so that about as many of a sample lie in each of some parts."""
    ordered = np.sort(sample)
    return ordered[np.arange(1, parts) * len(ordered) // parts]


def places(keys: U8, cuts: U8, rng: np.random.Generator) -> I8:
    """The part that each key lies in; where keys are equal to a cut, one of the parts on its sides is drawn.

    >>> places(np.array([1, 5, 9], dtype=np.uint64), np.array([4, 7], dtype=np.uint64), None).tolist()
    [0, 1, 2]
    """
    low, high = np.searchsorted(cuts, keys, side="left"), np.searchsorted(cuts, keys, side="right")
    equal = high > low
    if equal.any():
        low[equal] += rng.integers(0, (high - low)[equal] + 1)
    return np.asarray(low, dtype=np.int64)
