"""How baskets in parts are cut into fragments, and what is made and judged of each.

A fragment is a run of the Gray order of all baskets. Where runs end is found in a sample.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms import METHODS
from shoal.algorithms.fragments import Fragment, make_one, parts_of_one, run_on_all
from shoal.algorithms.gray_cuts import RANKS, find_bare_baskets, find_borders, gray_keys, number_runs
from shoal.base.discreet import SafeRepr
from shoal.base.progress import Progress, start_step
from shoal.data import Baskets, Column
from shoal.data.arrays import B1, I8, U8
from shoal.engines import Mapper
from shoal.hierarchy import Hierarchy
from shoal.parts.draws import RecordHasher, RunKey, number_equals
from shoal.parts.records import Dictionary, Parts, Records, exchange
from shoal.publish.large.basket_staging import StagedFragment, stage_fragment
from shoal.publish.large.fragment_making import Span, join_empty_spans, join_spans
from shoal.release import Claim

__all__ = ["BasketFragmentTask", "make_basket_fragments"]

_SAMPLED = 200  # records of each fragment by which the borders are found
_ROOM = 2  # crowds that a fragment has room for at least


@dataclass(frozen=True, slots=True, repr=False)
class _GrayRuns(SafeRepr):
    """Says the run of each record.

    outline : the items, without any record
    rank    : int64[items], which digit of the Gray code each is
    opens   : the items that a method may generalize; a record without any goes to a run that is drawn
    cuts    : uint64[runs - 1], the keys between runs
    """

    outline: Baskets
    rank: I8
    opens: B1
    hasher: RecordHasher
    key: RunKey
    cuts: U8

    def __call__(self, records: Records) -> I8:
        """Return the run of each record: int64[n]."""
        baskets, hashes = self.read(records)
        draws = self.key.draw("run", hashes, number_equals(hashes))
        runs = number_runs(gray_keys(baskets, self.rank), self.cuts, draws)
        bare = find_bare_baskets(baskets, self.opens)
        runs[bare] = (draws[bare] % np.uint64(len(self.cuts) + 1)).astype(np.int64)
        return runs

    def sample(self, parts: Parts, limit: np.uint64, number: int) -> U8:
        """The task: the keys of the records of one part whose draw is below a limit."""
        baskets, hashes = self.read(parts.read_records(number))
        drawn = self.key.draw("sample", hashes, number_equals(hashes)) <= limit
        some = baskets.some(np.flatnonzero(drawn & ~find_bare_baskets(baskets, self.opens)))
        return gray_keys(some, self.rank)

    def read(self, records: Records) -> tuple[Baskets, U8]:
        """The baskets of records, and the hash of each record."""
        assert records.start is not None
        baskets = replace(self.outline, start=records.start, items=records.items)
        return baskets, self.hasher(records.codes, records.start, records.items)


@dataclass(frozen=True, slots=True, repr=False)
class BasketFragmentTask(SafeRepr):
    """Makes a fragment of baskets, writes its released cells to a private file, and judges that file."""

    method: str
    claim: Claim
    options: Mapping[str, Any]
    shared: Mapping[str, Any]
    fragments: Parts
    dictionary: Dictionary
    outline: Baskets
    opens: B1
    allow: frozenset[str]
    hasher: RecordHasher
    folder: Path
    seed: int
    key: int
    digest: RecordHasher

    def __call__(self, sent: tuple[int, Span]) -> tuple[int, StagedFragment | str]:
        """Make the fragment of that number; say why where nothing could be made of it."""
        number, span = sent
        records = self.fragments.read_records(span.first, span.last)
        hashes = self.hasher(records.codes, records.start, records.items)
        records = records.take(np.argsort(hashes, kind="stable"))  # in one order, wherever they lay
        assert records.start is not None
        baskets = replace(self.outline, start=records.start, items=records.items)
        if len(records) < self.fragments.n and find_bare_baskets(baskets, self.opens).all():
            return number, "no record of a fragment has an item that can be generalized"
        labels = [
            Column(name, "sensitive", values, np.ascontiguousarray(records.codes[:, j]))
            for j, (name, values) in enumerate(
                zip(self.dictionary.names, self.dictionary.values, strict=True)
            )
        ]
        inputs: dict[str, Any] = {"baskets": baskets}
        if labels:
            inputs["label"] = labels[0].in_one_spelling()
        drawn = Fragment(number, inputs, (self.seed, span.first, span.last))
        _, made = make_one(self.method, self.shared, self.claim, self.options, drawn)
        if isinstance(made, str):
            return number, made
        path = self.folder / f"{span.first:06}-{span.last:06}.parquet"
        tree: Hierarchy | None = self.shared.get("hierarchy")
        digest = int(self.digest(records.codes, records.start, records.items).sum(dtype=np.uint64))
        return number, stage_fragment(number, path, baskets, labels, made, tree, self.allow, self.key, digest)


def make_basket_fragments(
    data: Any,
    method: str,
    shared: Mapping[str, Any],
    claim: Claim,
    options: Mapping[str, Any],
    size: int,
    rng: np.random.Generator | None,
    mapper: Mapper,
    progress: Progress,
    digest: RecordHasher,
) -> tuple[StagedFragment, ...]:
    """Cut baskets into fragments of about `size` records, have a method work on each, and judge each.

    A fragment that cannot keep the claim is joined with the smaller one of its neighbours. `digest` hashes
    originals, to see that all of them were staged.

    Raises
    ------
    InfeasibleError
        All records in one fragment do not keep the claim either.
    InputError
        The label follows from an item and leaves somebody of a fragment too few look-alikes.
    """
    key = RunKey.of(rng)
    hasher = data.dictionary.hasher(key.derive("record"))
    progress("cutting baskets into fragments")
    opens = np.ones(len(data.dictionary.items.values), dtype=bool)
    opens[sorted(data.baskets.sensitive) if claim.exempts else []] = False
    fragments = _cut(data, method, opens, max(size, _ROOM * claim.crowd), hasher, key, mapper)
    task = BasketFragmentTask(
        method,
        claim,
        {**options, **parts_of_one(method, len(fragments), options)},
        shared,
        fragments,
        data.dictionary,
        data.baskets,
        opens,
        data.allow,
        hasher,
        data.room.make("staged"),
        int.from_bytes(key.derive("fragment"), "little"),
        data.key,
        digest,
    )
    spans = [Span(number, number + 1, records) for number, records in enumerate(fragments.sizes)]
    found, _ = run_on_all(
        task,
        join_empty_spans(spans),
        lambda span: span.records,
        join_spans,
        lambda pieces, todo: [(at, pieces[at]) for at in todo],
        mapper,
        start_step(progress, f"{method}: fragments"),
    )
    return tuple(replace(made, number=number) for number, made in enumerate(found))


def _cut(
    data: Any,
    method: str,
    opens: B1,
    size: int,
    hasher: RecordHasher,
    key: RunKey,
    mapper: Mapper,
) -> Parts:
    """Send every record to its run."""
    parts: Parts = data.parts
    counts = data.dictionary.items.counts
    rank = RANKS[METHODS[method].fragments](counts, parts.n)
    many = max(-(-parts.n // size), 1)
    whole = _GrayRuns(data.baskets, rank, opens, hasher, key, np.empty(0, dtype=np.uint64))
    share = min(_SAMPLED * many / max(parts.n, 1), 1.0)
    limit = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
    keys: Sequence[U8] = list(mapper(partial(whole.sample, parts, limit), range(len(parts))))
    sample = np.concatenate([np.zeros(1, dtype=np.uint64), *keys])
    runs = replace(whole, cuts=find_borders(sample, many))
    return exchange(parts, runs, many, data.room.make("fragments"), mapper, by_items=True)
